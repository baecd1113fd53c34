// SPDX-License-Identifier: Apache-2.0
// What all sinks check and choose alike.
#pragma once

#include <span>
#include <string>

#include "media/sink.h"

namespace weft::media {

// Frames must be of an accepted layout, not premultiplied, and all like the first.
class FrameCheck {
 public:
  Status Check(const CpuFrame& frame, std::span<const PixelFormat> accepted, const std::string& name);

 private:
  std::optional<FrameInfo> first_;
};

// Sets matrix, range and siting of `want` so that they suit `layout`: those of `picture` where it is of the same colour model, else the
// usual ones.
void SetColorFor(const PixelLayout& layout, const FrameInfo& picture, FrameInfo* want);

std::string NameList(std::span<const PixelFormat> formats);
Error NothingWritten(const std::string& name);

}  // namespace weft::media
