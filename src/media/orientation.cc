// SPDX-License-Identifier: Apache-2.0
#include "media/orientation.h"

#include <algorithm>
#include <cstring>

#include "base/fail.h"

namespace weft::media {
namespace {

// Where sample (x, y) of the upright plane comes from: origin + x * dx + y * dy, in bytes.
struct Walk {
  ptrdiff_t origin, dx, dy;
};

Walk WalkOf(int orientation, int src_w, int src_h, ptrdiff_t pixel, ptrdiff_t stride) {
  const ptrdiff_t right = (src_w - 1) * pixel, bottom = (src_h - 1) * stride;
  switch (orientation) {
    case 2: return {right, -pixel, stride};
    case 3: return {right + bottom, -pixel, -stride};
    case 4: return {bottom, pixel, -stride};
    case 5: return {0, stride, pixel};
    case 6: return {bottom, -stride, pixel};
    case 7: return {right + bottom, -stride, -pixel};
    case 8: return {right, stride, -pixel};
    default: return {0, pixel, stride};
  }
}

template <size_t kBytes>
void Copy(const uint8_t* src, Walk w, uint8_t* dst, size_t dst_stride, int width, int height) {
  // Tiles keep both sides in the cache when rows become columns.
  constexpr int kTile = 32;
  for (int ty = 0; ty < height; ty += kTile) {
    for (int tx = 0; tx < width; tx += kTile) {
      const int y1 = std::min(ty + kTile, height), x1 = std::min(tx + kTile, width);
      for (int y = ty; y < y1; ++y) {
        const uint8_t* s = src + w.origin + y * w.dy + tx * w.dx;
        uint8_t* d = dst + static_cast<size_t>(y) * dst_stride + static_cast<size_t>(tx) * kBytes;
        for (int x = tx; x < x1; ++x, s += w.dx, d += kBytes) std::memcpy(d, s, kBytes);
      }
    }
  }
}

PixelFormat Turned(PixelFormat format) {
  using F = PixelFormat;
  switch (format) {
    case F::Yuv422p8: return F::Yuv440p8;
    case F::Yuv422p10: return F::Yuv440p10;
    case F::Yuv422p12: return F::Yuv440p12;
    case F::Yuv440p8: return F::Yuv422p8;
    case F::Yuv440p10: return F::Yuv422p10;
    case F::Yuv440p12: return F::Yuv422p12;
    default: {
      const PixelLayout& l = LayoutOf(format);
      return l.log2_chroma_w == l.log2_chroma_h ? format : F::None;
    }
  }
}

// Sitings as a point in {0: start, 1: middle, 2: end} x the same.
struct Site {
  int x, y;
};
ChromaSiting TurnedSiting(ChromaSiting siting, int orientation) {
  Site s;
  switch (siting) {
    case ChromaSiting::Left: s = {0, 1}; break;
    case ChromaSiting::Center: s = {1, 1}; break;
    case ChromaSiting::TopLeft: s = {0, 0}; break;
    case ChromaSiting::Top: s = {1, 0}; break;
    case ChromaSiting::BottomLeft: s = {0, 2}; break;
    case ChromaSiting::Bottom: s = {1, 2}; break;
    default: return siting;
  }
  const Site from = s;
  switch (orientation) {
    case 2: s = {2 - from.x, from.y}; break;
    case 3: s = {2 - from.x, 2 - from.y}; break;
    case 4: s = {from.x, 2 - from.y}; break;
    case 5: s = {from.y, from.x}; break;
    case 6: s = {2 - from.y, from.x}; break;
    case 7: s = {2 - from.y, 2 - from.x}; break;
    case 8: s = {from.y, 2 - from.x}; break;
    default: break;
  }
  // H.273 has no names for sites at the right edge; half a luma sample off is the nearest that has one.
  if (s.x == 2) s.x = 1;
  if (s.x == 0) return s.y == 0 ? ChromaSiting::TopLeft : s.y == 1 ? ChromaSiting::Left : ChromaSiting::BottomLeft;
  return s.y == 0 ? ChromaSiting::Top : s.y == 1 ? ChromaSiting::Center : ChromaSiting::Bottom;
}

}  // namespace

int ExifOrientation(const uint8_t* p, size_t size) {
  if (size < 8) return 1;
  const bool little = p[0] == 'I' && p[1] == 'I';
  if (!little && !(p[0] == 'M' && p[1] == 'M')) return 1;
  auto u16 = [&](size_t at) { return little ? p[at] | p[at + 1] << 8 : p[at] << 8 | p[at + 1]; };
  auto u32 = [&](size_t at) -> uint32_t {
    const uint32_t a = static_cast<uint32_t>(u16(at)), b = static_cast<uint32_t>(u16(at + 2));
    return little ? a | b << 16 : a << 16 | b;
  };
  if (u16(2) != 42) return 1;
  const size_t ifd = u32(4);
  if (ifd > size - 2) return 1;
  const int entries = u16(ifd);
  for (int i = 0; i < entries; ++i) {
    const size_t at = ifd + 2 + static_cast<size_t>(i) * 12;
    if (at + 12 > size) return 1;
    if (u16(at) != 0x0112) continue;
    const int value = u16(at + 2) == 3 ? u16(at + 8) : 1;  // type SHORT
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}

Result<FrameInfo> OrientedInfo(const FrameInfo& info, int orientation) {
  FrameInfo out = info;
  if (orientation <= 1) return out;
  out.chroma = TurnedSiting(info.chroma, orientation);
  if (orientation >= 5) {
    std::swap(out.width, out.height);
    out.pixel_aspect = {info.pixel_aspect.den, info.pixel_aspect.num};
    out.format = Turned(info.format);
    if (out.format == PixelFormat::None) {
      return Fail(ErrorKind::Unsupported, "A {} picture cannot be turned by a quarter without changing its samples; give orientation=keep.",
                  PixelFormatName(info.format));
    }
  }
  return out;
}

Result<Ref<CpuFrame>> ApplyOrientation(const Ref<CpuFrame>& frame, int orientation, FramePool* pool) {
  if (orientation <= 1) return frame;
  WEFT_TRY_ASSIGN(const FrameInfo info, OrientedInfo(frame->info(), orientation));
  WEFT_TRY_ASSIGN(Ref<CpuFrame> out, CpuFrame::Create(info, pool));
  const PixelLayout& layout = frame->layout();
  for (int p = 0; p < layout.planes; ++p) {
    const int pixel = layout.PlaneStep(p) * layout.bytes_per_sample;
    const Walk walk =
        WalkOf(orientation, layout.PlaneWidth(p, frame->width()), frame->rows(p), pixel, static_cast<ptrdiff_t>(frame->stride(p)));
    const int width = out->layout().PlaneWidth(p, info.width), height = out->rows(p);
    auto copy = [&]<size_t kBytes>() { Copy<kBytes>(frame->data(p), walk, out->mutable_data(p), out->stride(p), width, height); };
    switch (pixel) {
      case 1: copy.operator()<1>(); break;
      case 2: copy.operator()<2>(); break;
      case 3: copy.operator()<3>(); break;
      case 4: copy.operator()<4>(); break;
      case 6: copy.operator()<6>(); break;
      case 8: copy.operator()<8>(); break;
      default: copy.operator()<16>(); break;
    }
  }
  out->number = frame->number;
  out->pts = frame->pts;
  out->duration = frame->duration;
  out->metadata = frame->metadata;
  return out;
}

}  // namespace weft::media
