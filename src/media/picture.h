// SPDX-License-Identifier: Apache-2.0
// Still pictures as bytes: one decoder and one encoder for each kind (png.cc, jpeg.cc, av_picture.cc). Files and sequences of them are
// built on top (picture_source.cc, picture_sink.cc).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "media/media.h"
#include "media/options.h"

namespace weft::media {

struct PictureContext {
  std::string name;  // for messages
  Limits limits;
  bool keep_orientation = false;
  int threads = 0;
  Log log;
  FramePool* pool = nullptr;
};

struct Picture {
  Ref<CpuFrame> frame;  // number and times not set
  std::string format;   // "png"
  bool color_guessed = false;
};

bool LooksLikePng(std::span<const uint8_t> bytes);
bool LooksLikeJpeg(std::span<const uint8_t> bytes);
Result<Picture> DecodePng(std::span<const uint8_t> bytes, const PictureContext& context);
Result<Picture> DecodeJpeg(std::span<const uint8_t> bytes, const PictureContext& context);
// Any other kind that libav knows: TIFF, WebP, BMP, EXR, ...
Result<Picture> DecodeAvPicture(std::span<const uint8_t> bytes, const PictureContext& context);
// By the content.
Result<Picture> DecodePicture(std::span<const uint8_t> bytes, const PictureContext& context);

// Options are checked when it is made; afterwards it is immutable and Encode() may run on several threads.
class PictureEncoder {
 public:
  virtual ~PictureEncoder() = default;
  virtual std::vector<PixelFormat> AcceptedFormats() const = 0;
  virtual Result<FrameInfo> Wanted(const FrameInfo& picture) const = 0;
  virtual Result<std::vector<uint8_t>> Encode(const CpuFrame& frame, const std::string& name) const = 0;
};

struct EncoderContext {
  std::string name;
  Options values;  // without "format"
  Log log;
};
Result<std::unique_ptr<PictureEncoder>> MakePngEncoder(const EncoderContext& context);
Result<std::unique_ptr<PictureEncoder>> MakeJpegEncoder(const EncoderContext& context);
// TIFF, WebP, BMP, EXR and what else libav encodes as one packet a picture.
Result<std::unique_ptr<PictureEncoder>> MakeAvPictureEncoder(const EncoderContext& context, std::string_view format);
// "png", "jpeg" or a libav encoder's name for an ending such as "png" or "JPG"; "" when it is no picture's.
std::string PictureFormatByEnding(std::string_view ending);
Result<std::unique_ptr<PictureEncoder>> MakePictureEncoder(const std::string& format, const EncoderContext& context);

// Refuses what a header claims beyond the limits, before anything is allocated.
Status CheckSize(int64_t width, int64_t height, const Limits& limits, const std::string& name);

}  // namespace weft::media
