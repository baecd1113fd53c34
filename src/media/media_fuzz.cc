// SPDX-License-Identifier: Apache-2.0
// Any bytes as a picture, y4m or video file: an error or frames, never a crash and no more memory than the limits allow.
#include <cstdint>
#include <span>

#include "media/av_source.h"
#include "media/byte_stream.h"
#include "media/picture.h"
#include "media/raw_video.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace weft::media;
  const std::span<const uint8_t> bytes(data, size);
  const Limits limits{.max_side = 4096, .max_pixels = 1 << 20, .max_file_bytes = 1 << 20};
  if (LooksLikePng(bytes) || LooksLikeJpeg(bytes)) {
    (void)DecodePicture(bytes, {.name = "input", .limits = limits, .threads = 1});
    return 0;
  }
  const bool y4m = size > 9 && std::string_view(reinterpret_cast<const char*>(data), 9) == "YUV4MPEG2";
  const SourceOptions options{.limits = limits, .threads = 1};
  auto source = y4m ? OpenY4m(ByteStream::OfMemory(bytes, "input"), options) : OpenAvSource(ByteStream::OfMemory(bytes, "input"), options);
  for (int i = 0; source && i < 8; ++i) {
    auto frame = (*source)->Next();
    if (!frame || !*frame) break;
  }
  return 0;
}
