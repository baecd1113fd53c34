// SPDX-License-Identifier: Apache-2.0
// Copies the sound of one file into another, packet by packet.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "media/av_util.h"
#include "media/sink.h"

namespace weft::media {

class AvAudioCopy {
 public:
  // Adds a stream to `out` for every audio stream that `out` can hold and warns of the others; null where none is left.
  static Result<std::unique_ptr<AvAudioCopy>> Open(const AudioCopy& audio, Rational origin, AVFormatContext* out,
                                                   const std::string& out_name, const Log& log);
  // Drops what begins before `seconds` (already shifted by the origin). Before the first WriteUntil().
  void SkipTo(Rational seconds) { from_ = seconds; }
  // Writes the packets that begin before `seconds`, or all. After avformat_write_header().
  Status WriteUntil(std::optional<Rational> seconds);

 private:
  AvAudioCopy() = default;
  std::unique_ptr<AvInput> input_;
  AVFormatContext* out_ = nullptr;
  std::string out_name_;
  std::vector<int> map_;  // input stream -> output stream or -1
  std::vector<int64_t> shift_;
  AvPacketPtr packet_;
  bool have_packet_ = false, ended_ = false;
  std::optional<Rational> from_;
};

}  // namespace weft::media
