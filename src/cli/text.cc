// SPDX-License-Identifier: Apache-2.0
#include "cli/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

namespace weft::cli {
namespace {

template <class T>
bool ReadNumber(std::string_view* text, T* value) {
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), *value);
  if (error != std::errc()) return false;
  text->remove_prefix(static_cast<size_t>(end - text->data()));
  return true;
}

size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::optional<uint64_t> ParseBytes(std::string_view text) {
  uint64_t value = 0;
  if (!ReadNumber(&text, &value)) return std::nullopt;
  int shift = 0;
  if (text == "K" || text == "k")
    shift = 10;
  else if (text == "M" || text == "m")
    shift = 20;
  else if (text == "G" || text == "g")
    shift = 30;
  else if (!text.empty())
    return std::nullopt;
  if (value > (UINT64_MAX >> shift)) return std::nullopt;
  return value << shift;
}

std::optional<uint64_t> ParseDuration(std::string_view text) {
  double value = 0;
  if (!ReadNumber(&text, &value)) return std::nullopt;
  double unit = 1e9;
  if (text == "ms")
    unit = 1e6;
  else if (text == "m" || text == "min")
    unit = 60e9;
  else if (!text.empty() && text != "s")
    return std::nullopt;
  const double nanoseconds = value * unit;
  if (!(nanoseconds >= 1 && nanoseconds < 9e18)) return std::nullopt;
  return static_cast<uint64_t>(nanoseconds);
}

std::optional<Size> ParseSize(std::string_view text) {
  Size size;
  if (!ReadNumber(&text, &size.width) || text.empty() || (text[0] != 'x' && text[0] != 'X')) return std::nullopt;
  text.remove_prefix(1);
  if (!ReadNumber(&text, &size.height) || !text.empty() || size.width == 0 || size.height == 0) return std::nullopt;
  return size;
}

std::string FormatTime(uint64_t nanoseconds) {
  const double ms = static_cast<double>(nanoseconds) / 1e6;
  const auto digits = [](double v) { return v < 9.995 ? 2 : v < 99.95 ? 1 : 0; };
  if (ms < 999.5) return fmt::format("{:.{}f} ms", ms, digits(ms));
  const double s = ms / 1e3;
  if (s < 99.95) return fmt::format("{:.{}f} s", s, digits(s));
  return FormatClock(s) + (s < 3600 ? " min" : " h");
}

std::string FormatClock(double seconds) {
  const auto s = static_cast<uint64_t>(std::clamp(seconds, 0.0, 1e9) + 0.5);
  if (s < 3600) return fmt::format("{}:{:02}", s / 60, s % 60);
  return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

std::string Nearest(std::string_view word, std::span<const std::string> candidates) {
  const size_t limit = std::max<size_t>(1, word.size() / 3);
  size_t best = limit + 1;
  std::string nearest;
  for (const std::string& candidate : candidates) {
    const size_t distance = EditDistance(word, candidate);
    if (distance < best) best = distance, nearest = candidate;
  }
  return nearest;
}

}  // namespace weft::cli
