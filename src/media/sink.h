// SPDX-License-Identifier: Apache-2.0
// Sink: frames into a picture, a numbered sequence of pictures, a video file or stdout.
//
// Nothing appears under the output's name before Finish() has written, synced and renamed it; a Sink that is destroyed or aborted leaves
// nothing behind (finished pictures of a sequence stay: each is whole). One sink writes one closed file with the pts that the frames
// carry, so a video can be made as several sinks, a segment each, that are joined without encoding again.
// One thread at a time; encoders have threads of their own.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "media/media.h"

namespace weft::media {

// Sound of the source, copied packet by packet without decoding.
struct AudioCopy {
  std::string path;   // "" = none
  bool trim = false;  // only what lies between the first frame's pts and the last frame's end
};

struct SinkOptions {
  Options values;  // format, and what the format or the encoder takes: codec, pix_fmt, crf, quality, level, depth, ...
  bool overwrite = false;
  std::optional<StreamInfo> source;    // whose depth, rate, time base, aspect and metadata the output keeps
  std::optional<int64_t> frame_count;  // as far as known: a single picture for many frames is refused at once
  AudioCopy audio;
  Rational origin;  // subtracted from every pts, sound included
  Limits limits;
  int threads = 0;
  Log log;
};

class Sink {
 public:
  // Chooses the format by the name's ending (or format=), checks all options and that the output can be written.
  static Result<std::unique_ptr<Sink>> Open(const std::string& spec, SinkOptions options = {});
  virtual ~Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;

  // Layouts that Write() takes, best first.
  virtual std::vector<PixelFormat> AcceptedFormats() const = 0;
  // What the frames must be so that `picture` (size, primaries, transfer, alpha, and the format it had at its source; format None where it
  // comes from a GPU alone) is written best: layout, matrix, range, chroma siting, alpha mode. Always the same for the same question.
  virtual Result<FrameInfo> Wanted(const FrameInfo& picture) const = 0;
  // All frames must have the info of the first; its layout must be an accepted one. Frames come in the order of their pts.
  virtual Status Write(const CpuFrame& frame) = 0;
  // Ends the file and makes it appear. Once.
  virtual Status Finish() = 0;
  // Leaves nothing behind. Also what the destructor does when Finish() did not succeed.
  virtual void Abort() = 0;
  const std::string& name() const { return name_; }

 protected:
  explicit Sink(std::string name) : name_(std::move(name)) {}
  std::string name_;
};

}  // namespace weft::media
