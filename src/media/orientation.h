// SPDX-License-Identifier: Apache-2.0
// Turning and mirroring of pictures by EXIF orientation, sample by sample and without loss.
#pragma once

#include <cstddef>
#include <cstdint>

#include "media/frame.h"

namespace weft::media {

// The value of tag 0x0112 in a TIFF structure (the EXIF block without "Exif\0\0"); 1 where it is missing or damaged.
int ExifOrientation(const uint8_t* tiff, size_t size);

// `orientation` 1 to 8 as in EXIF: how the stored picture must be turned to stand upright (6: a quarter clockwise). 1 gives the frame
// itself. A quarter turn makes 4:2:2 into 4:4:0; depths that have no such layout are Unsupported.
Result<Ref<CpuFrame>> ApplyOrientation(const Ref<CpuFrame>& frame, int orientation, FramePool* pool = nullptr);
// The info that ApplyOrientation() gives.
Result<FrameInfo> OrientedInfo(const FrameInfo& info, int orientation);

}  // namespace weft::media
