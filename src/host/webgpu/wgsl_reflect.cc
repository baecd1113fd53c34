// SPDX-License-Identifier: Apache-2.0
#include "host/webgpu/wgsl_reflect.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace weft::host {

namespace {

bool IdStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80; }
bool IdPart(char c) { return IdStart(c) || (c >= '0' && c <= '9'); }

// Words, numbers and single characters; comments and blanks are passed over. An empty token is the end.
class Tokens {
 public:
  explicit Tokens(std::string_view code) : code_(code) { Next(); }
  std::string_view now() const { return token_; }
  bool end() const { return token_.empty(); }
  void Next() {
    Skip();
    if (at_ >= code_.size()) {
      token_ = {};
      return;
    }
    const size_t from = at_++;
    const char c = code_[from];
    if (IdPart(c)) {
      while (at_ < code_.size() && IdPart(code_[at_])) ++at_;
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

std::optional<uint32_t> Literal(std::string_view t) {
  if (!t.empty() && (t.back() == 'u' || t.back() == 'i')) t.remove_suffix(1);
  int base = 10;
  if (t.starts_with("0x") || t.starts_with("0X")) t.remove_prefix(2), base = 16;
  uint32_t v = 0;
  const auto [end, error] = std::from_chars(t.data(), t.data() + t.size(), v, base);
  if (t.empty() || error != std::errc() || end != t.data() + t.size()) return std::nullopt;
  return v;
}

// The attributes before a declaration.
struct Attributes {
  std::optional<uint32_t> group, binding;
  bool vague = false;  // one of the two has no literal number
  std::optional<WgslEntry::Stage> stage;
};

// At '('; to behind its ')'. The one token inside, if there was only one (a trailing comma aside).
std::optional<std::string_view> OneArgument(Tokens& t) {
  std::string_view only;
  int tokens = 0, depth = 0;
  do {
    const std::string_view now = t.now();
    if (now == "(") {
      ++depth;
    } else if (now == ")") {
      --depth;
    } else if (now != ",") {
      only = now;
      ++tokens;
    }
    t.Next();
  } while (depth > 0 && !t.end());
  if (tokens != 1) return std::nullopt;
  return only;
}

void ReadAttribute(Tokens& t, Attributes& a) {
  t.Next();  // '@'
  const std::string_view name = t.now();
  t.Next();
  std::optional<std::string_view> argument;
  if (t.now() == "(") argument = OneArgument(t);
  if (name == "group" || name == "binding") {
    const auto n = argument ? Literal(*argument) : std::nullopt;
    (name == "group" ? a.group : a.binding) = n;
    if (!n) a.vague = true;
  } else if (name == "vertex") {
    a.stage = WgslEntry::Stage::Vertex;
  } else if (name == "fragment") {
    a.stage = WgslEntry::Stage::Fragment;
  } else if (name == "compute") {
    a.stage = WgslEntry::Stage::Compute;
  }
}

// At "var": `var<storage, read> name : type`.
void ReadVar(Tokens& t, const Attributes& a, WgslModule& out) {
  t.Next();
  std::vector<std::string_view> space;
  if (t.now() == "<") {
    for (t.Next(); !t.end() && t.now() != ">"; t.Next()) {
      if (t.now() != ",") space.push_back(t.now());
    }
    t.Next();
  }
  const std::string_view name = t.now();
  t.Next();
  std::string_view type;
  if (t.now() == ":") {
    t.Next();
    type = t.now();
  }
  if (a.vague) out.uncertain = true;
  if (!a.group || !a.binding) return;
  WgslBinding b{*a.group, *a.binding, WgslBinding::Kind::Texture, std::string(name)};
  if (!space.empty() && space[0] == "uniform") {
    b.kind = WgslBinding::Kind::Uniform;
  } else if (!space.empty() && space[0] == "storage") {
    const bool writes =
        std::find(space.begin(), space.end(), "read_write") != space.end() || std::find(space.begin(), space.end(), "write") != space.end();
    b.kind = writes ? WgslBinding::Kind::StorageReadWrite : WgslBinding::Kind::StorageRead;
  } else if (type.starts_with("sampler")) {
    b.kind = WgslBinding::Kind::Sampler;
  } else if (type.starts_with("texture_storage")) {
    b.kind = WgslBinding::Kind::StorageTexture;
  } else if (!type.starts_with("texture_")) {
    out.uncertain = true;  // an alias
    return;
  }
  out.bindings.push_back(std::move(b));
}

}  // namespace

WgslModule ReflectWgsl(std::string_view code) {
  WgslModule out;
  Tokens t(code);
  Attributes a;
  int depth = 0;
  while (!t.end()) {
    const std::string_view now = t.now();
    if (now == "{" || now == "(" || now == "[") ++depth;
    if (now == "}" || now == ")" || now == "]") --depth;
    if (depth <= 0 && now == "@") {
      ReadAttribute(t, a);
      continue;
    }
    if (depth <= 0 && now == "var") {
      ReadVar(t, a, out);
      a = {};
      continue;
    }
    if (depth <= 0 && now == "fn") {
      t.Next();
      if (a.stage) out.entries.push_back({*a.stage, std::string(t.now())});
      a = {};
      continue;
    }
    if (depth <= 0 && (now == ";" || now == "struct" || now == "const" || now == "override" || now == "alias")) a = {};
    t.Next();
  }
  return out;
}

uint32_t WgslNesting(std::string_view code) {
  // Brackets nest. Operators, `else` and templates make trees as deep as they are long without any bracket: such a chain counts until the
  // statement or the argument ends. '<' may be "less than", so it counts only within its statement.
  constexpr std::string_view kOperators = "-!~*&+/%|^.=";
  Tokens t(code);
  uint32_t depth = 0, chain = 0, angles = 0, deepest = 0;
  while (!t.end()) {
    const char c = t.now().size() == 1 ? t.now()[0] : '\0';
    const bool closes_block = c == '}';
    if (c == '{' || c == '(' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ')' || c == ']') {
      if (depth > 0) --depth;
    } else if (c == '<') {
      ++angles;
    } else if (c == '>') {
      if (angles > 0) --angles;
    } else if (c == ';') {
      chain = angles = 0;
    } else if (c == ',') {
      chain = 0;
    } else if (c != '\0' && kOperators.find(c) != std::string_view::npos) {
      ++chain;
    } else if (t.now() == "else") {
      ++chain;
    }
    deepest = std::max(deepest, depth + chain + angles);
    t.Next();
    // "} else if" is one chain; any other block begins anew.
    if (closes_block && t.now() != "else") chain = angles = 0;
  }
  return deepest;
}

}  // namespace weft::host
