// SPDX-License-Identifier: Apache-2.0
// Small readers and writers of text: sizes, durations, "did you mean". Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace weft::cli {

// "4096", "512K", "64M", "2G" (powers of 1024, upper or lower case); nullopt for anything else and for what 64 bits do not hold.
std::optional<uint64_t> ParseBytes(std::string_view text);
// "10", "0.5", "10s", "250ms", "2m" as nanoseconds, more than zero.
std::optional<uint64_t> ParseDuration(std::string_view text);
// "1920x1080", both at least 1.
struct Size {
  uint32_t width = 0;
  uint32_t height = 0;
};
std::optional<Size> ParseSize(std::string_view text);

// Three significant digits: "0.42 ms", "12.3 ms", "1.23 s", "2:05 min".
std::string FormatTime(uint64_t nanoseconds);
// "0:07", "12:30", "1:02:03"; for clocks.
std::string FormatClock(double seconds);

// The candidate that is nearest by edit distance, if it is near enough to be a slip; "" otherwise.
std::string Nearest(std::string_view word, std::span<const std::string> candidates);

}  // namespace weft::cli
