// SPDX-License-Identifier: Apache-2.0
// LinePrinter: a status line that is written over and over at the foot of a terminal, with lasting lines scrolling above it (after
// ninja's). Where the output is no terminal a status is an ordinary line. Safe for several threads.
#pragma once

#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>

namespace weft::cli {

class LinePrinter {
 public:
  // Asks the stream whether it is a terminal; TERM=dumb is none.
  explicit LinePrinter(std::FILE* stream);
  // For tests.
  LinePrinter(std::FILE* stream, bool smart, size_t width) : stream_(stream), smart_(smart), fixed_width_(width) {}
  ~LinePrinter() { EndStatus(); }
  LinePrinter(const LinePrinter&) = delete;
  LinePrinter& operator=(const LinePrinter&) = delete;

  bool smart() const { return smart_; }
  // Replaces the status line. What is wider than the terminal is cut.
  void Status(std::string_view line);
  // A line that stays, above the status.
  void Line(std::string_view line);
  // Leaves the status as an ordinary line.
  void EndStatus();

 private:
  size_t Width() const;

  std::FILE* stream_;
  bool smart_;
  size_t fixed_width_ = 0;
  std::mutex mutex_;
  std::string status_;  // what stands at the foot now; empty: nothing
};

// At most `width` columns, the middle replaced by "..."; counts code points, which is right for what weft prints.
std::string ElideMiddle(std::string_view text, size_t width);

}  // namespace weft::cli
