// SPDX-License-Identifier: Apache-2.0
#include "cube.h"

namespace {

constexpr uint32_t kMaxSize = 129;

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The words of one line.
struct Words {
  std::string_view rest;
  std::string_view Next() {
    while (!rest.empty() && IsSpace(rest.front())) rest.remove_prefix(1);
    size_t length = 0;
    while (length < rest.size() && !IsSpace(rest[length])) ++length;
    std::string_view word = rest.substr(0, length);
    rest.remove_prefix(length);
    return word;
  }
};

// A decimal number, all of `word`. (strtod would bring in stdio.) Exact to a double's last digit or two, far finer than the float it
// becomes.
bool ParseNumber(std::string_view word, float& number) {
  size_t at = 0;
  bool negative = false;
  if (at < word.size() && (word[at] == '-' || word[at] == '+')) negative = word[at++] == '-';
  double value = 0;
  int exponent = 0;
  bool digits = false;
  for (bool fraction = false; at < word.size(); ++at) {
    if (word[at] == '.' && !fraction) {
      fraction = true;
    } else if (IsDigit(word[at])) {
      digits = true;
      if (value < 1e17) {
        value = value * 10 + (word[at] - '0');
        exponent -= fraction;
      } else {
        exponent += !fraction;
      }
    } else {
      break;
    }
  }
  if (at < word.size() && (word[at] == 'e' || word[at] == 'E')) {
    ++at;
    bool down = false;
    if (at < word.size() && (word[at] == '-' || word[at] == '+')) down = word[at++] == '-';
    int given = 0;
    bool any = false;
    for (; at < word.size() && IsDigit(word[at]); ++at, any = true) given = given < 1000 ? given * 10 + (word[at] - '0') : given;
    if (!any) return false;
    exponent += down ? -given : given;
  }
  if (!digits || at != word.size()) return false;
  double scale = 1;
  for (int i = exponent < 0 ? -exponent : exponent; i > 0 && scale < 1e300; --i) scale *= 10;
  value = exponent < 0 ? value / scale : value * scale;
  number = static_cast<float>(negative ? -value : value);
  return true;
}

bool ParseThree(Words words, std::array<float, 3>& numbers) {
  for (float& number : numbers) {
    if (!ParseNumber(words.Next(), number)) return false;
  }
  return words.Next().empty();
}

}  // namespace

CubeError ParseCube(std::string_view text, Cube& cube) {
  uint64_t wanted = 0, found = 0;
  for (int64_t line = 1; !text.empty(); ++line) {
    size_t end = text.find('\n');
    Words words{text.substr(0, end)};
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    Words all = words;
    std::string_view first = words.Next();
    if (first.empty() || first.front() == '#' || first == "TITLE") continue;
    if (first == "LUT_1D_SIZE") return {line, "a one-dimensional LUT; expected LUT_3D_SIZE"};
    if (first == "LUT_3D_SIZE") {
      float size = 0;
      if (!ParseNumber(words.Next(), size) || size < 2 || size > kMaxSize || size != static_cast<float>(static_cast<uint32_t>(size))) {
        return {line, "expected a LUT_3D_SIZE from 2 to 129"};
      }
      cube.size = static_cast<uint32_t>(size);
      wanted = static_cast<uint64_t>(cube.size) * cube.size * cube.size;
      cube.texels.assign(wanted * 4, 1.0f);
    } else if (first == "DOMAIN_MIN" || first == "DOMAIN_MAX") {
      if (!ParseThree(words, first == "DOMAIN_MIN" ? cube.domain_min : cube.domain_max)) return {line, "expected three numbers"};
    } else if (IsDigit(first.front()) || first.front() == '-' || first.front() == '+' || first.front() == '.') {
      std::array<float, 3> entry;
      if (wanted == 0) return {line, "an entry before LUT_3D_SIZE"};
      if (!ParseThree(all, entry)) return {line, "expected three numbers"};
      if (found == wanted) return {line, "more entries than LUT_3D_SIZE says"};
      for (size_t i = 0; i < 3; ++i) cube.texels[found * 4 + i] = entry[i];
      ++found;
    } else {
      return {line, "unknown keyword; expected TITLE, LUT_3D_SIZE, DOMAIN_MIN, DOMAIN_MAX or an entry"};
    }
  }
  if (wanted == 0) return {0, "there is no LUT_3D_SIZE"};
  if (found != wanted) return {0, "fewer entries than LUT_3D_SIZE says"};
  for (size_t i = 0; i < 3; ++i) {
    if (!(cube.domain_min[i] < cube.domain_max[i])) return {0, "DOMAIN_MIN is not below DOMAIN_MAX"};
  }
  return {};
}
