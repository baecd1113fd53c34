// SPDX-License-Identifier: Apache-2.0
#include "media/options.h"

#include <charconv>

#include "base/fail.h"

namespace weft::media {
namespace {

template <class T>
bool ParseWhole(std::string_view text, T* out) {
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), *out);
  return ec == std::errc() && end == text.data() + text.size() && !text.empty();
}

}  // namespace

const std::string* OptionReader::Find(std::string_view key) const {
  for (const auto& [k, v] : options_) {
    if (k == key) return &v;
  }
  return nullptr;
}

Status OptionReader::CheckOnce() const {
  for (size_t i = 0; i < options_.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (options_[i].first == options_[j].first) {
        return Fail(ErrorKind::InvalidArgument, "The option '{}' of {} is given twice ('{}' and '{}'); give it once.", options_[i].first,
                    what_, options_[j].second, options_[i].second);
      }
    }
  }
  return {};
}

Status OptionReader::Check(std::initializer_list<Known> known) const {
  WEFT_TRY(CheckOnce());
  for (const auto& [key, value] : options_) {
    bool found = false;
    for (const Known& k : known) found |= k.key == key;
    if (found) continue;
    std::string list;
    for (const Known& k : known) list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", k.key, k.help);
    return Fail(ErrorKind::InvalidArgument, "'{}' is not an option of {}; valid are: {}.", key, what_, list.empty() ? "none" : list);
  }
  return {};
}

Error OptionReader::Wrong(std::string_view key, std::string_view value, std::string_view expected) const {
  return Fail(ErrorKind::InvalidArgument, "The option {}={} of {} is wrong: {} is expected.", key, value, what_, expected);
}

Result<std::optional<int64_t>> OptionReader::Integer(std::string_view key, int64_t min, int64_t max) const {
  const std::string* text = Find(key);
  if (!text) return std::optional<int64_t>();
  int64_t value = 0;
  if (!ParseWhole(std::string_view(*text), &value) || value < min || value > max) {
    return Wrong(key, *text, fmt::format("a whole number from {} to {}", min, max));
  }
  return std::optional<int64_t>(value);
}

Result<std::optional<int>> OptionReader::Choice(std::string_view key, std::initializer_list<std::string_view> choices) const {
  const std::string* text = Find(key);
  if (!text) return std::optional<int>();
  int index = 0;
  std::string list;
  for (std::string_view c : choices) {
    if (c == *text) return std::optional<int>(index);
    list += fmt::format("{}{}", list.empty() ? "" : ", ", c);
    ++index;
  }
  return Wrong(key, *text, fmt::format("one of {}", list));
}

Result<std::optional<std::pair<int, int>>> OptionReader::Size(std::string_view key) const {
  const std::string* text = Find(key);
  if (!text) return std::optional<std::pair<int, int>>();
  const size_t x = text->find('x');
  std::pair<int, int> size;
  const std::string_view all = *text;
  if (x == std::string::npos || !ParseWhole(all.substr(0, x), &size.first) || !ParseWhole(all.substr(x + 1), &size.second) ||
      size.first <= 0 || size.second <= 0) {
    return Wrong(key, *text, "WIDTHxHEIGHT such as 1920x1080");
  }
  return std::optional(size);
}

Result<std::optional<Rational>> OptionReader::Rate(std::string_view key) const {
  const std::string* text = Find(key);
  if (!text) return std::optional<Rational>();
  const std::string_view all = *text;
  Error wrong = Wrong(key, all, "frames a second, such as 25, 30000/1001 or 12.5,");
  int64_t num = 0, den = 1;
  if (const size_t slash = all.find('/'); slash != all.npos) {
    if (!ParseWhole(all.substr(0, slash), &num) || !ParseWhole(all.substr(slash + 1), &den)) return wrong;
  } else if (const size_t dot = all.find('.'); dot != all.npos) {
    const std::string_view fraction = all.substr(dot + 1);
    int64_t part = 0;
    if (fraction.size() > 6 || !ParseWhole(all.substr(0, dot), &num) || !ParseWhole(fraction, &part) || part < 0) return wrong;
    for (size_t i = 0; i < fraction.size(); ++i) den *= 10;
    if (num < 0 || num > 1'000'000) return wrong;
    num = num * den + part;
  } else if (!ParseWhole(all, &num)) {
    return wrong;
  }
  if (num <= 0 || den <= 0 || num > 1'000'000'000 || den > 1'000'000'000) return wrong;
  return std::optional(Rational::Make(num, den));
}

Result<FrameRange> ParseFrameRange(std::string_view text) {
  Error wrong = Fail(ErrorKind::InvalidArgument,
                     "The range of frames '{}' is wrong: expected FIRST, FIRST-LAST or FIRST-LASTxSTEP, such as 1001-1005x2.", text);
  constexpr int64_t kMost = 1'000'000'000'000;  // leaves room for arithmetic with numbers and rates
  FrameRange range;
  std::string_view rest = text;
  if (const size_t x = rest.find('x'); x != rest.npos) {
    if (!ParseWhole(rest.substr(x + 1), &range.step) || range.step < 1 || range.step > kMost) return wrong;
    rest = rest.substr(0, x);
  }
  const size_t dash = rest.find('-');
  if (!ParseWhole(rest.substr(0, dash), &range.first) || range.first < 0 || range.first > kMost) return wrong;
  if (dash == rest.npos) {
    range.last = range.first;
  } else if (dash + 1 < rest.size()) {
    int64_t last = 0;
    if (!ParseWhole(rest.substr(dash + 1), &last) || last < 0 || last > kMost) return wrong;
    if (last < range.first) {
      return Fail(ErrorKind::InvalidArgument, "The range of frames '{}' ends before it begins: {} is less than {}.", text, last,
                  range.first);
    }
    range.last = last;
  }
  return range;
}

}  // namespace weft::media
