// SPDX-License-Identifier: Apache-2.0
// One libav encoder with a user's options: checked when chosen, opened when the first frame tells its size.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "media/av_util.h"
#include "media/media.h"

namespace weft::media {

class AvEncoder {
 public:
  // `values` holds the encoder's and, where `muxer` is not null, the container's options, and pix_fmt. `what` for messages: "'out.mp4'
  // (mp4, libx264)".
  static Result<AvEncoder> Choose(const AVCodec* codec, const AVOutputFormat* muxer, const Options& values, std::string name);

  const AVCodec* codec() const { return codec_; }
  const std::vector<PixelFormat>& accepted() const { return accepted_; }
  const Options& muxer_options() const { return muxer_options_; }
  Result<FrameInfo> Wanted(const FrameInfo& picture) const;
  Result<AvCodecPtr> Open(const FrameInfo& info, AVRational time_base, Rational rate, int threads, bool global_header) const;
  // Shares the frame's memory; the AVFrame keeps the CpuFrame alive. No pts.
  Result<AvFramePtr> Frame(const CpuFrame& frame) const;

 private:
  AVPixelFormat AvFormatFor(PixelFormat format) const;
  const AVCodec* codec_ = nullptr;
  std::string name_;
  std::vector<PixelFormat> accepted_;
  bool format_asked_ = false;
  Options encoder_options_, muxer_options_;
};

}  // namespace weft::media
