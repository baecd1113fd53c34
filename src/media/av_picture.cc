// SPDX-License-Identifier: Apache-2.0
// Pictures that libav encodes as one packet: TIFF, WebP, BMP, EXR, TGA, PNM, DPX, JPEG 2000.
#include "base/fail.h"
#include "media/av_encoder.h"
#include "media/picture.h"

namespace weft::media {
namespace {

class AvPictureEncoder final : public PictureEncoder {
 public:
  explicit AvPictureEncoder(AvEncoder encoder) : encoder_(std::move(encoder)) {}
  std::vector<PixelFormat> AcceptedFormats() const override { return encoder_.accepted(); }
  Result<FrameInfo> Wanted(const FrameInfo& picture) const override { return encoder_.Wanted(picture); }

  Result<std::vector<uint8_t>> Encode(const CpuFrame& frame, const std::string& name) const override {
    WEFT_TRY_ASSIGN(AvCodecPtr codec, encoder_.Open(frame.info(), {1, 25}, {25, 1}, 1, false));
    WEFT_TRY_ASSIGN(AvFramePtr f, encoder_.Frame(frame));
    f->pts = 0;
    AvLog log;
    AvPacketPtr packet(av_packet_alloc());
    int rc = avcodec_send_frame(codec.get(), f.get());
    if (rc >= 0) rc = avcodec_send_frame(codec.get(), nullptr);
    if (rc >= 0) rc = avcodec_receive_packet(codec.get(), packet.get());
    if (rc < 0) return Fail(ErrorKind::Internal, "'{}' cannot be encoded by {}: {}.", name, encoder_.codec()->name, log.Reason(rc));
    return std::vector<uint8_t>(packet->data, packet->data + packet->size);
  }

 private:
  AvEncoder encoder_;
};

}  // namespace

Result<std::unique_ptr<PictureEncoder>> MakeAvPictureEncoder(const EncoderContext& context, std::string_view format) {
  const AVCodec* codec = avcodec_find_encoder_by_name(std::string(format).c_str());
  if (!codec)
    return Fail(ErrorKind::Unsupported, "The output '{}' needs libav's encoder {}, which is not installed.", context.name, format);
  WEFT_TRY(OptionReader(context.values, fmt::format("'{}'", context.name)).CheckOnce());
  WEFT_TRY_ASSIGN(AvEncoder encoder, AvEncoder::Choose(codec, nullptr, context.values, context.name));
  return std::make_unique<AvPictureEncoder>(std::move(encoder));
}

}  // namespace weft::media
