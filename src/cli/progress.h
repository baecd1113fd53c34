// SPDX-License-Identifier: Apache-2.0
// Progress: turns weft.h's progress calls into a line with frame counter, rate and time left, or into JSON lines. One thread at a time.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "weft/weft.h"

namespace weft::cli {

// "frame 37/132  28%  24.8 fps  0:04 left"; `rate` in frames a second, 0 = not known yet.
std::string ProgressLine(const WeftProgress& progress, double rate);
// {"event":"progress","frame":37,"frames":132,"fps":24.8,"left":3.8}
std::string ProgressJson(const WeftProgress& progress, double rate);

class Progress {
 public:
  using Print = std::function<void(const WeftProgress&, double rate)>;
  // Prints at most once in `interval` seconds, and always the last frame. `at_once`: also before the first interval has passed.
  Progress(double interval, bool at_once, Print print) : interval_(interval), print_(std::move(print)), last_print_(at_once ? -1e9 : 0) {}
  void Update(const WeftProgress& progress);

 private:
  double interval_;
  Print print_;
  double last_print_;
  bool done_ = false;
  // The rate is measured over the last seconds, so that a slow start (compiling) does not spoil the forecast.
  double window_time_ = 0;
  uint64_t window_frames_ = 0;
  double rate_ = 0;
};

}  // namespace weft::cli
