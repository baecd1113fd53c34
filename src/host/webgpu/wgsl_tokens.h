// SPDX-License-Identifier: Apache-2.0
// WGSL text as tokens, for what reads it without a compiler. Pure; ends on any text.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace weft::host {

inline bool WgslIdStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
inline bool WgslIdPart(char c) { return WgslIdStart(c) || (c >= '0' && c <= '9'); }

// Words, numbers and single characters; comments and blanks are passed over. An empty token is the end.
class WgslTokens {
 public:
  explicit WgslTokens(std::string_view code) : code_(code) { Next(); }
  std::string_view now() const { return token_; }
  bool end() const { return token_.empty(); }
  void Next() {
    Skip();
    if (at_ >= code_.size()) {
      token_ = {};
      return;
    }
    const size_t from = at_++;
    if (WgslIdPart(code_[from])) {
      while (at_ < code_.size() && WgslIdPart(code_[at_])) ++at_;
    }
    token_ = code_.substr(from, at_ - from);
  }

 private:
  void Skip() {
    while (at_ < code_.size()) {
      const char c = code_[at_];
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f') {
        ++at_;
      } else if (c == '/' && at_ + 1 < code_.size() && code_[at_ + 1] == '/') {
        while (at_ < code_.size() && code_[at_] != '\n' && code_[at_] != '\r') ++at_;
      } else if (c == '/' && at_ + 1 < code_.size() && code_[at_ + 1] == '*') {
        int depth = 1;  // block comments nest in WGSL
        for (at_ += 2; at_ < code_.size() && depth > 0; ++at_) {
          if (at_ + 1 >= code_.size()) continue;
          if (code_[at_] == '*' && code_[at_ + 1] == '/')
            --depth, ++at_;
          else if (code_[at_] == '/' && code_[at_ + 1] == '*')
            ++depth, ++at_;
        }
      } else {
        return;
      }
    }
  }
  std::string_view code_;
  size_t at_ = 0;
  std::string_view token_;
};

// A decimal or hexadecimal integer, with or without its suffix.
inline std::optional<uint32_t> WgslLiteral(std::string_view t) {
  if (!t.empty() && (t.back() == 'u' || t.back() == 'i')) t.remove_suffix(1);
  int base = 10;
  if (t.starts_with("0x") || t.starts_with("0X")) t.remove_prefix(2), base = 16;
  uint32_t v = 0;
  const auto [end, error] = std::from_chars(t.data(), t.data() + t.size(), v, base);
  if (t.empty() || error != std::errc() || end != t.data() + t.size()) return std::nullopt;
  return v;
}

}  // namespace weft::host
