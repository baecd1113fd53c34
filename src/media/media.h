// SPDX-License-Identifier: Apache-2.0
// What reading (source.h) and writing (sink.h) have in common: options, limits, ranges of frames.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/rational.h"
#include "base/result.h"
#include "media/frame.h"

namespace weft::media {

// From "out.mp4:codec=libx265,crf=16": {{"codec", "libx265"}, {"crf", "16"}}. An unknown key or a wrong value is an error that lists
// what is valid; a key given twice is an error too.
using Options = std::vector<std::pair<std::string, std::string>>;

// Files are strangers': no more than this is ever allocated for a picture because a header says so.
struct Limits {
  int max_side = 65535;
  int64_t max_pixels = int64_t{1} << 28;      // 16384 x 16384
  int64_t max_file_bytes = int64_t{1} << 31;  // of a still picture, which is read whole
};

// Frames first, first + step, ... up to `last`; open-ended where `last` is not set. Numbers as in CpuFrame::number.
struct FrameRange {
  int64_t first = 0;
  std::optional<int64_t> last;
  int64_t step = 1;
  bool Contains(int64_t n) const { return n >= first && (!last || n <= *last) && (n - first) % step == 0; }
};
// "7", "1001-1005", "1001-1005x2", "10-" and "10-x3".
Result<FrameRange> ParseFrameRange(std::string_view text);

struct StreamInfo {
  FrameInfo frame;                     // of the first frame; all frames have its size and format
  std::string format;                  // "png", "jpeg", "y4m", "rawvideo", or libav's name of the container
  bool still = false;                  // one picture, not a stream
  int64_t first_number = 0;            // number of the first frame handed out
  std::optional<int64_t> frame_count;  // of the frames handed out (a range counted in); not set where only decoding tells
  Rational rate = {25, 1};             // frames a second; the average where the rate varies
  bool constant_rate = true;           // false where pts tell that it varies, as far as the container says
  Rational time_base = {1, 25};        // every pts is a whole multiple of it
  Rational duration;                   // seconds; 0 where unknown
  bool has_audio = false;
  bool color_guessed = false;  // the file does not say all of `frame.color`
  Metadata metadata;           // of the container: title, comment, ...
};

}  // namespace weft::media
