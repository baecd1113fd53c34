// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <fmt/format.h>

#include "cli/text.h"

namespace weft::cli {

std::string ProgressLine(const WeftProgress& p, double rate) {
  std::string line = fmt::format("frame {}", p.framesDone);
  if (p.framesTotal > 0) line += fmt::format("/{}  {}%", p.framesTotal, p.framesDone * 100 / p.framesTotal);
  if (rate > 0) line += fmt::format("  {:.{}f} fps", rate, rate < 9.95 ? 2 : 1);
  if (rate > 0 && p.framesTotal > p.framesDone) {
    line += fmt::format("  {} left", FormatClock(static_cast<double>(p.framesTotal - p.framesDone) / rate));
  } else if (p.framesTotal == p.framesDone || p.framesTotal == 0) {
    line += fmt::format("  {} elapsed", FormatClock(static_cast<double>(p.elapsedNanoseconds) / 1e9));
  }
  return line;
}

std::string ProgressJson(const WeftProgress& p, double rate) {
  std::string json =
      fmt::format(R"({{"event":"progress","frame":{},"elapsed":{:.3f})", p.framesDone, static_cast<double>(p.elapsedNanoseconds) / 1e9);
  if (p.framesTotal > 0) json += fmt::format(R"(,"frames":{})", p.framesTotal);
  if (rate > 0) json += fmt::format(R"(,"fps":{:.3f})", rate);
  if (rate > 0 && p.framesTotal >= p.framesDone && p.framesTotal > 0) {
    json += fmt::format(R"(,"left":{:.3f})", static_cast<double>(p.framesTotal - p.framesDone) / rate);
  }
  return json + "}";
}

void Progress::Update(const WeftProgress& p) {
  const double now = static_cast<double>(p.elapsedNanoseconds) / 1e9;
  if (p.framesDone > window_frames_ && now > window_time_) {
    // The first frame waits for compilers and drivers: it starts the clock and is not counted.
    if (window_frames_ == 0) {
      rate_ = static_cast<double>(p.framesDone) / now;
      window_frames_ = p.framesDone, window_time_ = now;
    } else {
      const double span = now - window_time_;
      rate_ = static_cast<double>(p.framesDone - window_frames_) / span;
      // Slide: halve the window when it is older than 8 s.
      if (span > 8) window_time_ += span / 2, window_frames_ += (p.framesDone - window_frames_) / 2;
    }
  }
  const bool last = p.framesTotal > 0 && p.framesDone == p.framesTotal;
  if (done_ || (!last && now - last_print_ < interval_)) return;
  done_ = last;
  last_print_ = now;
  print_(p, rate_);
}

}  // namespace weft::cli
