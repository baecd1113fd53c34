// SPDX-License-Identifier: Apache-2.0
#include "cli/json.h"

#include <fmt/format.h>

#include <cmath>

namespace weft::cli {
namespace {

// Length of the well-formed UTF-8 sequence at the front, 0 when there is none (Unicode, table 3-7).
size_t SequenceLength(std::string_view s) {
  const auto byte = [&](size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0u; };
  const auto tail = [&](size_t i) { return byte(i) >= 0x80 && byte(i) <= 0xBF; };
  const unsigned a = byte(0), b = byte(1);
  if (a < 0x80) return 1;
  if (a >= 0xC2 && a <= 0xDF) return tail(1) ? 2 : 0;
  if (a >= 0xE0 && a <= 0xEF) {
    const bool good = tail(1) && (a != 0xE0 || b >= 0xA0) && (a != 0xED || b <= 0x9F);
    return good && tail(2) ? 3 : 0;
  }
  if (a >= 0xF0 && a <= 0xF4) {
    const bool good = tail(1) && (a != 0xF0 || b >= 0x90) && (a != 0xF4 || b <= 0x8F);
    return good && tail(2) && tail(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::string Json(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const size_t length = SequenceLength(text);
    const char c = text[0];
    if (length == 0)
      out += "\xEF\xBF\xBD";
    else if (length > 1)
      out += text.substr(0, length);
    else if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out + "\"";
}

std::string Json(int64_t value) { return fmt::format("{}", value); }
std::string Json(uint64_t value) { return fmt::format("{}", value); }
std::string Json(double value) { return std::isfinite(value) ? fmt::format("{}", value) : "null"; }

std::string JsonObject(const std::vector<JsonMember>& members) {
  std::string out = "{";
  for (const auto& [key, value] : members) out += fmt::format("{}{}:{}", out.size() > 1 ? "," : "", Json(key), value);
  return out + "}";
}

std::string JsonArray(const std::vector<std::string>& values) { return fmt::format("[{}]", fmt::join(values, ",")); }

}  // namespace weft::cli
