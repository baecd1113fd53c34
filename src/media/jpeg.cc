// SPDX-License-Identifier: Apache-2.0
// JPEG in and out through TurboJPEG. Decoded to RGB or gray at 8 bits; EXIF orientation is applied and no EXIF is written.
#include <turbojpeg.h>

#include <cstring>

#include "base/fail.h"
#include "media/color.h"
#include "media/orientation.h"
#include "media/picture.h"

namespace weft::media {
namespace {

using F = PixelFormat;

struct Handle {
  tjhandle h;
  explicit Handle(tjhandle handle) : h(handle) {}
  ~Handle() {
    if (h) tjDestroy(h);
  }
};

struct Markers {
  int orientation = 1;
  std::optional<ColorSpace> color;
  std::string unknown_profile;
};

// Walks the marker segments before the first scan for EXIF (APP1) and an ICC profile (APP2; the first part holds the description).
Markers ReadMarkers(std::span<const uint8_t> b) {
  Markers m;
  size_t at = 2;
  while (at + 4 <= b.size() && b[at] == 0xff) {
    const uint8_t marker = b[at + 1];
    if (marker == 0xff) {
      ++at;
      continue;
    }
    if (marker == 0xda || marker == 0xd9) break;
    const size_t length = static_cast<size_t>(b[at + 2]) << 8 | b[at + 3];
    if (length < 2 || at + 2 + length > b.size()) break;
    const uint8_t* body = b.data() + at + 4;
    const size_t size = length - 2;
    if (marker == 0xe1 && size > 6 && std::memcmp(body, "Exif\0\0", 6) == 0) m.orientation = ExifOrientation(body + 6, size - 6);
    if (marker == 0xe2 && size > 14 && std::memcmp(body, "ICC_PROFILE\0", 12) == 0 && body[12] == 1) {
      m.color = ColorFromIcc(body + 14, size - 14);
      if (!m.color) m.unknown_profile = "'" + IccDescription(body + 14, size - 14) + "'";
    }
    at += 2 + length;
  }
  return m;
}

// Adobe writes CMYK inverted, and that is the only CMYK that is met.
void CmykToRgb(const std::vector<uint8_t>& cmyk, CpuFrame* out) {
  const int width = out->width();
  for (int y = 0; y < out->height(); ++y) {
    const uint8_t* s = cmyk.data() + static_cast<size_t>(y) * static_cast<size_t>(width) * 4;
    uint8_t* d = out->mutable_data(0) + static_cast<size_t>(y) * out->stride(0);
    for (int x = 0; x < width; ++x, s += 4, d += 3) {
      for (int c = 0; c < 3; ++c) d[c] = static_cast<uint8_t>((s[c] * s[3] + 127) / 255);
    }
  }
}

class JpegEncoder final : public PictureEncoder {
 public:
  JpegEncoder(int quality, int subsampling) : quality_(quality), subsampling_(subsampling) {}

  std::vector<PixelFormat> AcceptedFormats() const override { return {F::Rgb24, F::Rgba8, F::Bgra8, F::Bgrx8, F::Gray8}; }

  Result<FrameInfo> Wanted(const FrameInfo& picture) const override {
    FrameInfo want = picture;
    const bool gray = picture.format != F::None && LayoutOf(picture.format).model == ColorModel::Gray;
    want.format = gray ? F::Gray8 : F::Rgb24;
    want.alpha = AlphaMode::Opaque;
    want.color.matrix = 0;
    want.color.full_range = true;
    // A JPEG without a profile is sRGB; video's curves are near enough to be kept as they are, linear light is not.
    if (want.color.transfer == 8) want.color.transfer = 13;
    want.chroma = ChromaSiting::Unspecified;
    return want;
  }

  Result<std::vector<uint8_t>> Encode(const CpuFrame& frame, const std::string& name) const override {
    if (frame.width() > 65535 || frame.height() > 65535) {
      return Fail(ErrorKind::Unsupported, "'{}' cannot be a JPEG: the picture is {}x{}, and a JPEG ends at 65535x65535.", name,
                  frame.width(), frame.height());
    }
    Handle tj(tjInitCompress());
    if (!tj.h) return Fail(ErrorKind::OutOfMemory, "There is no memory to encode '{}'.", name);
    int format = TJPF_RGB;
    switch (frame.info().format) {
      case F::Gray8: format = TJPF_GRAY; break;
      case F::Rgba8: format = TJPF_RGBX; break;
      case F::Bgra8:
      case F::Bgrx8: format = TJPF_BGRX; break;
      default: break;
    }
    const int sampling = format == TJPF_GRAY ? TJSAMP_GRAY : subsampling_;
    std::vector<uint8_t> out(tjBufSize(frame.width(), frame.height(), sampling));
    unsigned char* buffer = out.data();
    unsigned long size = out.size();
    if (tjCompress2(tj.h, frame.data(0), frame.width(), static_cast<int>(frame.stride(0)), frame.height(), format, &buffer, &size, sampling,
                    quality_, TJFLAG_NOREALLOC | TJFLAG_ACCURATEDCT) != 0) {
      return Fail(ErrorKind::Internal, "'{}' cannot be encoded as JPEG: libjpeg says \"{}\".", name, tjGetErrorStr2(tj.h));
    }
    out.resize(size);
    return out;
  }

 private:
  int quality_;
  int subsampling_;
};

}  // namespace

bool LooksLikeJpeg(std::span<const uint8_t> bytes) { return bytes.size() >= 3 && bytes[0] == 0xff && bytes[1] == 0xd8 && bytes[2] == 0xff; }

Result<Picture> DecodeJpeg(std::span<const uint8_t> bytes, const PictureContext& context) {
  Handle tj(tjInitDecompress());
  if (!tj.h) return Fail(ErrorKind::OutOfMemory, "There is no memory to read '{}'.", context.name);
  auto damaged = [&] {
    return Fail(ErrorKind::InvalidArgument, "'{}' is a damaged JPEG picture: libjpeg says \"{}\".", context.name, tjGetErrorStr2(tj.h));
  };
  auto whole = [&](int rc) -> Status {
    if (rc == 0) return {};
    if (tjGetErrorCode(tj.h) == TJERR_WARNING) {
      // libjpeg fills the rest with gray and goes on; a picture that is not all there must not pass for one.
      const std::string_view text = tjGetErrorStr2(tj.h);
      if (text.find("Premature end") != text.npos) {
        return Fail(ErrorKind::InvalidArgument, "'{}' is not a whole JPEG picture: the file ends after {} bytes in the middle of it.",
                    context.name, bytes.size());
      }
      if (text.find("orrupt") != text.npos) return damaged();
      context.log.Write(LogLevel::Warning, fmt::format("'{}': libjpeg says \"{}\".", context.name, text));
      return {};
    }
    return damaged();
  };
  int width = 0, height = 0, sampling = 0, space = 0;
  if (tjDecompressHeader3(tj.h, bytes.data(), bytes.size(), &width, &height, &sampling, &space) != 0 &&
      tjGetErrorCode(tj.h) != TJERR_WARNING)
    return damaged();
  WEFT_TRY(CheckSize(width, height, context.limits, context.name));
  const Markers markers = ReadMarkers(bytes);
  if (!markers.unknown_profile.empty()) {
    context.log.Write(LogLevel::Warning, fmt::format("'{}' has the colour profile {}, which is not used; its colours are read as sRGB.",
                                                     context.name, markers.unknown_profile));
  }
  FrameInfo info{.width = width, .height = height, .format = space == TJCS_GRAY ? F::Gray8 : F::Rgb24};
  info.color = markers.color.value_or(ColorSpace{});
  WEFT_TRY_ASSIGN(Ref<CpuFrame> frame, CpuFrame::Create(info, context.pool));
  // A progressive file of a few bytes can ask for thousands of scans over a huge picture.
  constexpr int kFlags = TJFLAG_ACCURATEDCT | TJFLAG_LIMITSCANS;
  if (space == TJCS_CMYK || space == TJCS_YCCK) {
    std::vector<uint8_t> cmyk(static_cast<size_t>(width) * static_cast<size_t>(height) * 4);
    WEFT_TRY(whole(tjDecompress2(tj.h, bytes.data(), bytes.size(), cmyk.data(), width, 0, height, TJPF_CMYK, kFlags)));
    CmykToRgb(cmyk, frame.get());
  } else {
    WEFT_TRY(whole(tjDecompress2(tj.h, bytes.data(), bytes.size(), frame->mutable_data(0), width, static_cast<int>(frame->stride(0)),
                                 height, space == TJCS_GRAY ? TJPF_GRAY : TJPF_RGB, kFlags)));
  }
  Picture picture{.format = "jpeg", .color_guessed = !markers.color};
  WEFT_TRY_ASSIGN(picture.frame, ApplyOrientation(frame, context.keep_orientation ? 1 : markers.orientation, context.pool));
  return picture;
}

Result<std::unique_ptr<PictureEncoder>> MakeJpegEncoder(const EncoderContext& context) {
  OptionReader options(context.values, fmt::format("'{}' (JPEG picture)", context.name));
  WEFT_TRY(options.Check({{"quality", "1 to 100; 92 where not given"}, {"subsampling", "444, 422 or 420; 444 where not given"}}));
  WEFT_TRY_ASSIGN(const auto quality, options.Integer("quality", 1, 100));
  WEFT_TRY_ASSIGN(const auto sampling, options.Choice("subsampling", {"444", "422", "420"}));
  constexpr int kSampling[] = {TJSAMP_444, TJSAMP_422, TJSAMP_420};
  return std::make_unique<JpegEncoder>(static_cast<int>(quality.value_or(92)), kSampling[sampling.value_or(0)]);
}

}  // namespace weft::media
