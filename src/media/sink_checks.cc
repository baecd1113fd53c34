// SPDX-License-Identifier: Apache-2.0
#include "media/sink_checks.h"

#include <algorithm>

#include "base/fail.h"
#include "media/color.h"

namespace weft::media {

std::string NameList(std::span<const PixelFormat> formats) {
  std::string list;
  for (PixelFormat f : formats) list += fmt::format("{}{}", list.empty() ? "" : ", ", PixelFormatName(f));
  return list;
}

Error NothingWritten(const std::string& name) {
  return Fail(ErrorKind::InvalidArgument, "The output '{}' was not written, because there was no frame for it.", name);
}

Status FrameCheck::Check(const CpuFrame& frame, std::span<const PixelFormat> accepted, const std::string& name) {
  const FrameInfo& info = frame.info();
  if (!first_) {
    if (std::find(accepted.begin(), accepted.end(), info.format) == accepted.end()) {
      return Fail(ErrorKind::InvalidArgument, "The output '{}' does not take frames of {}; it takes {}.", name, Describe(info),
                  NameList(accepted));
    }
    if (info.alpha == AlphaMode::Premultiplied) {
      return Fail(ErrorKind::InvalidArgument, "The output '{}' takes straight alpha only, and frame {} is premultiplied.", name,
                  frame.number);
    }
    first_ = info;
    return {};
  }
  if (info.width != first_->width || info.height != first_->height || info.format != first_->format) {
    return Fail(ErrorKind::InvalidArgument,
                "Frame {} for the output '{}' is {}, but the output began with {}; all its frames must be alike.", frame.number, name,
                Describe(info), Describe(*first_));
  }
  return {};
}

void SetColorFor(const PixelLayout& layout, const FrameInfo& picture, FrameInfo* want) {
  const bool was_yuv = picture.format != PixelFormat::None && LayoutOf(picture.format).model == ColorModel::Yuv;
  if (layout.model == ColorModel::Yuv) {
    if (!was_yuv || picture.color.matrix == 0 || picture.color.matrix == kUnspecified) {
      want->color.matrix = MatrixForPrimaries(picture.color.primaries);
      want->color.full_range = false;
    }
    const bool subsampled = layout.log2_chroma_w || layout.log2_chroma_h;
    if (!subsampled)
      want->chroma = ChromaSiting::Unspecified;
    else if (picture.chroma == ChromaSiting::Unspecified)
      want->chroma = ChromaSiting::Left;
    return;
  }
  want->color.matrix = 0;
  want->color.full_range = true;
  want->chroma = ChromaSiting::Unspecified;
}

}  // namespace weft::media
