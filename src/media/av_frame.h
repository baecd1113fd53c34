// SPDX-License-Identifier: Apache-2.0
// Between AVFrame and CpuFrame.
#pragma once

#include "media/av_util.h"
#include "media/media.h"

struct SwsContext;

namespace weft::media {

// Turns decoded AVFrames into CpuFrames: without a copy where the layout is ours, by re-sorting samples where it is not.
//
// libswscale is the way out for layouts that are rare in the field (palettes, packed 4:2:2, 5-bit RGB, big-endian samples); it goes to the
// nearest layout of ours, whose conversion is then the GPU's. It is not used for anything else.
class AvFrameReader {
 public:
  explicit AvFrameReader(FramePool* pool) : pool_(pool) {}
  ~AvFrameReader();
  AvFrameReader(const AvFrameReader&) = delete;
  AvFrameReader& operator=(const AvFrameReader&) = delete;

  // Layout, size, alpha and colour of `frame`, with what only the stream says from `par`. *guessed: see StreamInfo::color_guessed.
  Result<FrameInfo> InfoOf(const AVFrame& frame, const AVCodecParameters& par, const std::string& name, bool* guessed) const;
  // `info` is InfoOf() of the first frame.
  Result<Ref<CpuFrame>> Convert(AvFramePtr frame, const FrameInfo& info, const std::string& name);

 private:
  FramePool* pool_;
  SwsContext* sws_ = nullptr;
};

// What `format` is delivered as: itself, or the nearest of ours; None where nothing fits.
PixelFormat DeliveredAs(AVPixelFormat format);

// EXIF-like orientation (orientation.h) of a display matrix; 0 where it is no multiple of a quarter turn.
int OrientationOfMatrix(const int32_t* matrix);

}  // namespace weft::media
