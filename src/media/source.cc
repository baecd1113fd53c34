// SPDX-License-Identifier: Apache-2.0
#include "media/source.h"

#include <sys/stat.h>

#include "base/fail.h"
#include "media/av_source.h"
#include "media/byte_stream.h"
#include "media/options.h"
#include "media/picture.h"
#include "media/picture_source.h"
#include "media/raw_video.h"
#include "media/sequence.h"

namespace weft::media {

Status CheckSize(int64_t width, int64_t height, const Limits& limits, const std::string& name) {
  if (width <= 0 || height <= 0)
    return Fail(ErrorKind::InvalidArgument, "'{}' claims to be {}x{}, which is no picture.", name, width, height);
  if (width > limits.max_side || height > limits.max_side || width > limits.max_pixels / height) {
    return Fail(ErrorKind::InvalidArgument, "'{}' claims to be {}x{}, which is more than the limit of {} a side and {} pixels.", name,
                width, height, limits.max_side, limits.max_pixels);
  }
  return {};
}

Result<Picture> DecodePicture(std::span<const uint8_t> bytes, const PictureContext& context) {
  if (bytes.empty()) return Fail(ErrorKind::InvalidArgument, "'{}' is empty.", context.name);
  if (LooksLikePng(bytes)) return DecodePng(bytes, context);
  if (LooksLikeJpeg(bytes)) return DecodeJpeg(bytes, context);
  return DecodeAvPicture(bytes, context);
}

Result<std::unique_ptr<Source>> Source::Open(const std::string& spec, SourceOptions options) {
  struct stat st{};
  // A file whose very name holds a % is that file.
  if (spec != "-" && stat(spec.c_str(), &st) != 0) {
    WEFT_TRY_ASSIGN(auto pattern, SequencePattern::Parse(spec));
    if (pattern) return OpenSequence(spec, std::move(*pattern), std::move(options));
  }
  WEFT_TRY_ASSIGN(auto bytes, ByteStream::Open(spec));
  WEFT_TRY_ASSIGN(const auto head, bytes->Peek(16));
  if (head.empty()) return Fail(ErrorKind::InvalidArgument, "The input '{}' is empty.", bytes->name());
  const OptionReader reader(options.values, bytes->name());
  const std::string* format = reader.Find("format");
  if (format && *format == "rawvideo") return OpenRawVideo(std::move(bytes), std::move(options));
  const bool y4m = std::string_view(reinterpret_cast<const char*>(head.data()), head.size()).starts_with("YUV4MPEG2");
  const bool png = LooksLikePng(head), jpeg = LooksLikeJpeg(head);
  auto expect = [&](bool is, std::string_view what) -> Status {
    if (is) return {};
    return Fail(ErrorKind::InvalidArgument, "'{}' is not {}, as format={} says; leave the option out to have it found from the content.",
                bytes->name(), what, *format);
  };
  if (format && *format == "y4m") WEFT_TRY(expect(y4m, "a y4m video"));
  if (format && *format == "png") WEFT_TRY(expect(png, "a PNG picture"));
  if (format && (*format == "jpeg" || *format == "jpg")) WEFT_TRY(expect(jpeg, "a JPEG picture"));
  if (y4m && (!format || *format == "y4m")) return OpenY4m(std::move(bytes), std::move(options));
  // Animated PNG and Motion JPEG begin like a picture; format=apng or mjpeg gives the stream.
  if ((png && (!format || *format != "apng")) || (jpeg && (!format || *format != "mjpeg")))
    return OpenPicture(std::move(bytes), std::move(options));
  return OpenAvSource(std::move(bytes), std::move(options));
}

}  // namespace weft::media
