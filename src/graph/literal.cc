// SPDX-License-Identifier: Apache-2.0
#include "graph/literal.h"

#include <charconv>
#include <cmath>

#include "base/fail.h"

namespace weft::graph {
namespace {

std::string_view Trim(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

std::optional<double> ToNumber(std::string_view s) {
  if (!s.empty() && s.front() == '+') s.remove_prefix(1);
  double v = 0;
  auto [end, ec] = std::from_chars(s.data(), s.data() + s.size(), v);
  if (ec != std::errc() || end != s.data() + s.size() || !std::isfinite(v)) return std::nullopt;
  return v;
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

double FromSrgb(double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); }

std::optional<Literal> ToColor(std::string_view s) {
  if (s.size() != 7 && s.size() != 9) return std::nullopt;
  std::array<double, 4> v{0, 0, 0, 1};
  for (size_t i = 1; i < s.size(); i += 2) {
    const int high = HexDigit(s[i]), low = HexDigit(s[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    const double coded = (high * 16 + low) / 255.0;
    v[i / 2] = i == 7 ? coded : FromSrgb(coded);
  }
  return Literal::Vector(v, 4);
}

// Index of the first `mark` outside quotes and brackets, or npos.
size_t FindOutside(std::string_view s, std::string_view mark) {
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < s.size(); ++i) {
    const char c = s[i];
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (depth <= 0 && s.substr(i, mark.size()) == mark) return i;
  }
  return std::string_view::npos;
}

}  // namespace

Literal Literal::Word(std::string text) {
  Literal l;
  l.text = std::move(text);
  return l;
}
Literal Literal::Number(double value) {
  Literal l;
  l.kind = Kind::Number;
  l.number = value;
  l.text = fmt::format("{}", value);
  return l;
}
Literal Literal::Vector(std::array<double, 4> value, int count) {
  Literal l;
  l.kind = Kind::Vector;
  l.vector = value;
  l.count = count;
  l.text = "(";
  for (int i = 0; i < count; ++i) l.text += fmt::format("{}{}", i ? "," : "", value[static_cast<size_t>(i)]);
  l.text += ")";
  return l;
}
Literal Literal::File(std::string path) {
  Literal l;
  l.kind = Kind::File;
  l.text = std::move(path);
  return l;
}

Result<Literal> ParseLiteral(std::string_view text) {
  const std::string_view s = Trim(text);
  const std::string written(s);
  auto with_text = [&](Literal l) {
    l.text = written;
    return l;
  };
  if (s.size() >= 2 && s.front() == '"' && s.back() == '"') {
    Literal l = Literal::Word(std::string(s.substr(1, s.size() - 2)));
    l.quoted = true;
    return l;
  }
  if (!s.empty() && s.front() == '"') {
    return Fail(ErrorKind::InvalidArgument, "the value {} begins with a double quote but does not end with one; close the quotes", written);
  }
  if (s.size() > 1 && s.front() == '@') {
    std::string_view path = s.substr(1);
    if (path.size() >= 2 && path.front() == '"' && path.back() == '"') path = path.substr(1, path.size() - 2);
    return Literal::File(std::string(path));
  }
  if (!s.empty() && s.front() == '(') {
    if (s.back() != ')') return Fail(ErrorKind::InvalidArgument, "'{}' lacks its closing bracket; write points as (x,y)", written);
    std::array<double, 4> v{};
    int count = 0;
    std::string_view rest = s.substr(1, s.size() - 2);
    while (true) {
      const size_t comma = rest.find(',');
      const std::string_view part = Trim(rest.substr(0, comma));
      auto number = ToNumber(part);
      if (!number) return Fail(ErrorKind::InvalidArgument, "'{}' in '{}' is not a number; write points as (x,y)", part, written);
      if (count == 4) return Fail(ErrorKind::InvalidArgument, "'{}' has more than four numbers; two to four are expected", written);
      v[static_cast<size_t>(count++)] = *number;
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
    return with_text(Literal::Vector(v, count));
  }
  if (auto color = s.starts_with('#') ? ToColor(s) : std::nullopt) return with_text(*color);
  if (auto number = ToNumber(s)) return with_text(Literal::Number(*number));
  return Literal::Word(written);
}

Result<Setting> ParseSetting(std::string_view text) {
  const size_t equals = FindOutside(text, "=");
  if (equals == std::string_view::npos || Trim(text.substr(0, equals)).empty()) {
    return Fail(ErrorKind::InvalidArgument, "'{}' is not a setting; write name=value", text);
  }
  Setting setting;
  setting.name = std::string(Trim(text.substr(0, equals)));
  const std::string_view value = text.substr(equals + 1);
  const bool is_file = Trim(value).starts_with('@');  // '..' in a path is no ramp
  const size_t dots = is_file ? std::string_view::npos : FindOutside(value, "..");
  if (dots != std::string_view::npos) {
    WEFT_TRY_ASSIGN(Literal from, ParseLiteral(value.substr(0, dots)));
    WEFT_TRY_ASSIGN(Literal to, ParseLiteral(value.substr(dots + 2)));
    if (from.kind != Literal::Kind::Word && from.kind == to.kind) {
      setting.from = std::move(from);
      setting.to = std::move(to);
      return setting;
    }
  }
  WEFT_TRY_ASSIGN(setting.from, ParseLiteral(value));
  return setting;
}

std::vector<std::string> SplitSettings(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const size_t comma = FindOutside(text, ",");
    out.emplace_back(Trim(text.substr(0, comma)));
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  return out;
}

}  // namespace weft::graph
