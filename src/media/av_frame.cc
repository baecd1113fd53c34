// SPDX-License-Identifier: Apache-2.0
#include "media/av_frame.h"

extern "C" {
#include <libswscale/swscale.h>
}

#include <algorithm>
#include <array>
#include <cstring>

#include "base/fail.h"
#include "media/color.h"

namespace weft::media {
namespace {

bool IsPlanarFloat(AVPixelFormat f) { return f == AV_PIX_FMT_GBRPF32LE || f == AV_PIX_FMT_GBRAPF32LE || f == AV_PIX_FMT_GRAYF32LE; }

const std::vector<AVPixelFormat>& OurFormats() {
  static const std::vector<AVPixelFormat> list = [] {
    std::vector<AVPixelFormat> l;
    for (const PixelLayout& layout : AllLayouts()) {
      const AVPixelFormat f = ToAv(layout.format);
      if (f != AV_PIX_FMT_NONE && sws_isSupportedOutput(f)) l.push_back(f);
    }
    l.push_back(AV_PIX_FMT_NONE);
    return l;
  }();
  return list;
}

// Half and float pictures (EXR) keep every value: planes are only interleaved.
void InterleaveFloat(const AVFrame& f, CpuFrame* out) {
  const bool gray = f.format == AV_PIX_FMT_GRAYF32LE, alpha = f.format == AV_PIX_FMT_GBRAPF32LE;
  const std::array<int, 3> order = gray ? std::array{0, 0, 0} : std::array{2, 0, 1};  // R, G, B in planes G, B, R
  for (int y = 0; y < out->height(); ++y) {
    float* d = reinterpret_cast<float*>(out->mutable_data(0) + static_cast<size_t>(y) * out->stride(0));
    auto row = [&](int p) { return reinterpret_cast<const float*>(f.data[p] + static_cast<ptrdiff_t>(y) * f.linesize[p]); };
    const float *r = row(order[0]), *g = row(order[1]), *b = row(order[2]), *a = alpha ? row(3) : nullptr;
    for (int x = 0; x < out->width(); ++x, d += 4) {
      d[0] = r[x];
      d[1] = g[x];
      d[2] = b[x];
      d[3] = a ? a[x] : 1.0f;
    }
  }
}

}  // namespace

PixelFormat DeliveredAs(AVPixelFormat format) {
  if (const PixelFormat same = FromAv(format); same != PixelFormat::None) return same;
  if (IsPlanarFloat(format)) return PixelFormat::RgbaFloat;
  const AVPixFmtDescriptor* d = av_pix_fmt_desc_get(format);
  if (!d || (d->flags & AV_PIX_FMT_FLAG_HWACCEL) || !sws_isSupportedInput(format)) return PixelFormat::None;
  const bool alpha = (d->flags & AV_PIX_FMT_FLAG_ALPHA) || format == AV_PIX_FMT_PAL8;
  if (format == AV_PIX_FMT_PAL8) return PixelFormat::Rgba8;
  return FromAv(avcodec_find_best_pix_fmt_of_list(OurFormats().data(), format, alpha, nullptr));
}

int OrientationOfMatrix(const int32_t* m) {
  // (x, y) -> (m0 x + m3 y, m1 x + m4 y), y down.
  auto sign = [](int32_t v) { return v > 1 << 14 ? 1 : v < -(1 << 14) ? -1 : 0; };
  const int a = sign(m[0]), b = sign(m[1]), c = sign(m[3]), d = sign(m[4]);
  if (b == 0 && c == 0) return a > 0 ? (d > 0 ? 1 : d < 0 ? 4 : 0) : a < 0 ? (d > 0 ? 2 : d < 0 ? 3 : 0) : 0;
  if (a == 0 && d == 0) return b > 0 ? (c < 0 ? 6 : c > 0 ? 5 : 0) : b < 0 ? (c > 0 ? 8 : c < 0 ? 7 : 0) : 0;
  return 0;
}

AvFrameReader::~AvFrameReader() { sws_freeContext(sws_); }

Result<FrameInfo> AvFrameReader::InfoOf(const AVFrame& f, const AVCodecParameters& par, const std::string& name, bool* guessed) const {
  const auto av_format = static_cast<AVPixelFormat>(f.format);
  FrameInfo info{.width = f.width, .height = f.height, .format = DeliveredAs(av_format)};
  if (info.format == PixelFormat::None) {
    const char* text = av_get_pix_fmt_name(av_format);
    return Fail(ErrorKind::Unsupported, "'{}' has samples in the layout {}, which is not supported.", name, text ? text : "(unknown)");
  }
  const PixelLayout& layout = LayoutOf(info.format);
  // The frame's own word first, the container's second.
  auto pick = [](int frame_says, int stream_says) {
    const int v = frame_says != kUnspecified && frame_says > 0 ? frame_says : stream_says;
    return static_cast<uint8_t>(v > 0 && v < 256 ? v : kUnspecified);
  };
  ColorSpace c{.primaries = pick(f.color_primaries, par.color_primaries),
               .transfer = pick(f.color_trc, par.color_trc),
               .matrix = pick(f.colorspace, par.color_space)};
  AVColorRange range = f.color_range != AVCOL_RANGE_UNSPECIFIED ? f.color_range : par.color_range;
  if (IsFullRangeName(av_format)) range = AVCOL_RANGE_JPEG;
  c.full_range = range == AVCOL_RANGE_JPEG;
  bool range_known = range != AVCOL_RANGE_UNSPECIFIED;
  // RGB decoders leave the range open or say "limited" without meaning it.
  if (layout.model == ColorModel::Rgb) range_known = false;
  if (IsPlanarFloat(av_format)) c.transfer = 8;
  info.color = ResolveColor(c, range_known, layout, f.width, f.height, guessed);
  info.chroma = FromAv(f.chroma_location);
  if (info.chroma == ChromaSiting::Unspecified && (layout.log2_chroma_w || layout.log2_chroma_h)) {
    // MPEG's place; JPEG samples lie in the middle.
    info.chroma = par.codec_id == AV_CODEC_ID_MJPEG || par.codec_id == AV_CODEC_ID_MPEG1VIDEO ? ChromaSiting::Center : ChromaSiting::Left;
  }
  const AVPixFmtDescriptor* d = av_pix_fmt_desc_get(av_format);
  const bool alpha = (d->flags & AV_PIX_FMT_FLAG_ALPHA) || av_format == AV_PIX_FMT_PAL8;
  // EXR is associated alpha by definition.
  info.alpha = !alpha || !layout.has_alpha       ? AlphaMode::Opaque
               : par.codec_id == AV_CODEC_ID_EXR ? AlphaMode::Premultiplied
                                                 : AlphaMode::Straight;
  return info;
}

Result<Ref<CpuFrame>> AvFrameReader::Convert(AvFramePtr f, const FrameInfo& info, const std::string& name) {
  const auto av_format = static_cast<AVPixelFormat>(f->format);
  const PixelLayout& layout = LayoutOf(info.format);
  if (FromAv(av_format) == info.format) {
    bool upright = true;
    for (int p = 0; p < layout.planes; ++p) upright &= f->linesize[p] > 0;
    std::array<CpuFrame::Plane, CpuFrame::kMaxPlanes> planes{};
    if (upright) {
      for (int p = 0; p < layout.planes; ++p) planes[p] = {f->data[p], static_cast<size_t>(f->linesize[p])};
      return CpuFrame::Wrap(info, planes, std::shared_ptr<AVFrame>(f.release(), AvDeleter{}));
    }
    // Rows from the bottom up (old AVI): copied into our order.
    WEFT_TRY_ASSIGN(Ref<CpuFrame> out, CpuFrame::Create(info, pool_));
    for (int p = 0; p < layout.planes; ++p) {
      for (int y = 0; y < out->rows(p); ++y) {
        std::memcpy(out->mutable_data(p) + static_cast<size_t>(y) * out->stride(p), f->data[p] + static_cast<ptrdiff_t>(y) * f->linesize[p],
                    out->row_bytes(p));
      }
    }
    return out;
  }
  WEFT_TRY_ASSIGN(Ref<CpuFrame> out, CpuFrame::Create(info, pool_));
  if (IsPlanarFloat(av_format)) {
    InterleaveFloat(*f, out.get());
    return out;
  }
  AvLog log;
  const AVPixelFormat target = ToAv(info.format);
  sws_ = sws_getCachedContext(sws_, f->width, f->height, av_format, info.width, info.height, target,
                              SWS_POINT | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INP | SWS_BITEXACT, nullptr, nullptr, nullptr);
  if (!sws_) {
    return Fail(ErrorKind::Unsupported, "'{}' has samples in the layout {}, which cannot be brought to {}.", name,
                av_get_pix_fmt_name(av_format), layout.name);
  }
  // Same range and matrix on both sides: samples change their place, not their meaning.
  const int range = info.color.full_range;
  const int* table = sws_getCoefficients(SWS_CS_ITU709);
  sws_setColorspaceDetails(sws_, table, range, table, range, 0, 1 << 16, 1 << 16);
  uint8_t* data[4] = {};
  int stride[4] = {};
  for (int p = 0; p < layout.planes; ++p) {
    data[p] = out->mutable_data(p);
    stride[p] = static_cast<int>(out->stride(p));
  }
  const int rc = sws_scale(sws_, f->data, f->linesize, 0, f->height, data, stride);
  if (rc < 0) return Fail(ErrorKind::Internal, "A frame of '{}' cannot be brought to {}: {}.", name, layout.name, log.Reason(rc));
  return out;
}

}  // namespace weft::media
