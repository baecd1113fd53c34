// SPDX-License-Identifier: Apache-2.0
// Source: frames out of a picture, a numbered sequence of pictures, a video file or stdin.
//
// The kind is chosen by the content for files and by the option format= for "-" (stdin). One thread at a time; decoders may have threads
// of their own. Nothing in a file is believed before it is checked against Limits. Frames are upright: EXIF and container rotation
// are applied (option orientation=keep leaves the samples as they are stored).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "media/media.h"

namespace weft::media {

struct SourceOptions {
  Options values;                    // format, orientation, rate; size, pix_fmt, rate for rawvideo
  std::optional<FrameRange> frames;  // only these; one that is not there is an error that names it
  Limits limits;
  int threads = 0;  // of the decoder; 0 = as many as the machine has
  Log log;          // warnings: an ignored colour profile, a guessed rate
};

class Source {
 public:
  // `spec` is a path, a pattern with one %d or %0Nd, or "-".
  static Result<std::unique_ptr<Source>> Open(const std::string& spec, SourceOptions options = {});
  virtual ~Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  const StreamInfo& info() const { return info_; }
  const std::string& name() const { return name_; }
  // The next frame, or nullopt after the last one. After an error the source is at its end.
  virtual Result<std::optional<Ref<CpuFrame>>> Next() = 0;
  // The next Next() gives the first frame of the range with number >= `number`. Fails on pipes and past the end.
  virtual Status Seek(int64_t number) = 0;

 protected:
  explicit Source(std::string name) : name_(std::move(name)) {}
  StreamInfo info_;
  std::string name_;
};

}  // namespace weft::media
