// SPDX-License-Identifier: Apache-2.0
// Frame in CPU memory: pixel layouts, colour, time. The common word of decoders, encoders and the GPU converter (media/convert).
//
// A CpuFrame is written by the one who made it and immutable once it is handed on; then any thread may read it. All samples are
// native-endian (weft runs on little-endian machines only). Row 0 is the top row. Chroma planes of subsampled layouts are rounded up:
// a 1x7 yuv420p picture has 1x4 chroma samples.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/rational.h"
#include "base/ref.h"
#include "base/result.h"

namespace weft::media {

// Layouts by libav's names where libav has one. Planar "p" layouts hold a component a plane; the number is the depth in bits, and
// depths above 8 lie in the low bits of 16-bit samples (P010 and P016: in the high bits).
enum class PixelFormat : uint8_t {
  None,
  // Gray, interleaved with alpha.
  Gray8,
  Gray10,
  Gray12,
  Gray16,
  GrayAlpha8,
  GrayAlpha16,
  // Interleaved RGB. Bgrx8: the fourth byte has no meaning.
  Rgb24,
  Rgba8,
  Bgra8,
  Bgrx8,
  Rgb48,
  Rgba64,
  RgbaHalf,
  RgbaFloat,
  // Planar RGB, planes in the order G, B, R(, A).
  Gbrp8,
  Gbrp10,
  Gbrp12,
  Gbrp14,
  Gbrp16,
  Gbrap8,
  Gbrap10,
  Gbrap12,
  Gbrap16,
  // Planar YCbCr, planes in the order Y, Cb, Cr(, A).
  Yuv420p8,
  Yuv420p9,
  Yuv420p10,
  Yuv420p12,
  Yuv420p14,
  Yuv420p16,
  Yuv422p8,
  Yuv422p9,
  Yuv422p10,
  Yuv422p12,
  Yuv422p14,
  Yuv422p16,
  Yuv444p8,
  Yuv444p9,
  Yuv444p10,
  Yuv444p12,
  Yuv444p14,
  Yuv444p16,
  Yuv440p8,
  Yuv440p10,
  Yuv440p12,
  Yuv411p8,
  Yuv410p8,
  Yuva420p8,
  Yuva420p10,
  Yuva420p16,
  Yuva422p8,
  Yuva422p10,
  Yuva422p12,
  Yuva422p16,
  Yuva444p8,
  Yuva444p10,
  Yuva444p12,
  Yuva444p16,
  // Y plane, then one plane of Cb, Cr pairs.
  Nv12,
  Nv16,
  Nv24,
  P010,
  P016,
  Count,
};

enum class ColorModel : uint8_t { Gray, Rgb, Yuv };
enum class SampleType : uint8_t { Unorm, Half, Float };

// Where one component of a pixel lies: sample index in its plane's row = x * step + offset (x in samples of that plane).
struct Component {
  uint8_t plane = 0;
  uint8_t step = 1;
  uint8_t offset = 0;
};

// All that a generic kernel needs to know of a layout. Components stand in the order R G B A, Y Cb Cr A, or Gray A, whatever their
// order in memory.
struct PixelLayout {
  PixelFormat format = PixelFormat::None;
  std::string_view name;
  ColorModel model = ColorModel::Rgb;
  SampleType type = SampleType::Unorm;
  uint8_t bits = 8;              // significant bits of a sample; the largest value is (1 << bits) - 1
  uint8_t shift = 0;             // a sample's value lies this many bits up in its word (P010: 6)
  uint8_t bytes_per_sample = 1;  // 1, 2 or 4
  uint8_t planes = 1;
  uint8_t components = 3;  // with alpha
  bool has_alpha = false;  // alpha is the last component
  uint8_t log2_chroma_w = 0, log2_chroma_h = 0;
  std::array<Component, 4> component;

  // Chroma planes are smaller where the layout is subsampled; alpha planes are not.
  bool IsChromaPlane(int plane) const { return model == ColorModel::Yuv && (plane == 1 || plane == 2); }
  int PlaneWidth(int plane, int width) const { return IsChromaPlane(plane) ? -((-width) >> log2_chroma_w) : width; }
  int PlaneHeight(int plane, int height) const { return IsChromaPlane(plane) ? -((-height) >> log2_chroma_h) : height; }
  // Samples from one pixel of the plane to the next: 4 in rgba8, 2 in the second plane of nv12, 1 in planar layouts.
  int PlaneStep(int plane) const;
  size_t RowBytes(int plane, int width) const {
    return static_cast<size_t>(PlaneWidth(plane, width)) * PlaneStep(plane) * bytes_per_sample;
  }
};

// The table's row; `format` must be a layout (not None, not Count).
const PixelLayout& LayoutOf(PixelFormat format);
std::string_view PixelFormatName(PixelFormat format);
// By our name or libav's ("yuv420p10" and "yuv420p10le"); None where there is no such layout.
PixelFormat PixelFormatByName(std::string_view name);
std::span<const PixelLayout> AllLayouts();

// ITU-T H.273 code points. Sources never hand out 2 (unspecified): they say what they assumed (StreamInfo::color_guessed).
struct ColorSpace {
  uint8_t primaries = 1;  // 1 = BT.709 and sRGB
  uint8_t transfer = 13;  // 13 = sRGB, 8 = linear
  uint8_t matrix = 0;     // 0 = RGB; 1 = BT.709; 5, 6 = BT.601; 9 = BT.2020
  bool full_range = true;
  friend bool operator==(const ColorSpace&, const ColorSpace&) = default;
};

// Where a chroma sample lies relative to the luma samples that share it. Unspecified is read as Left for 4:2:0 video and means nothing
// for layouts without subsampling.
enum class ChromaSiting : uint8_t { Unspecified, Left, Center, TopLeft, Top, BottomLeft, Bottom };

enum class AlphaMode : uint8_t { Opaque, Straight, Premultiplied };

struct FrameInfo {
  int width = 0;
  int height = 0;
  PixelFormat format = PixelFormat::None;
  ColorSpace color;
  ChromaSiting chroma = ChromaSiting::Unspecified;
  AlphaMode alpha = AlphaMode::Opaque;
  Rational pixel_aspect = {1, 1};
  friend bool operator==(const FrameInfo&, const FrameInfo&) = default;
};

// "1920x1080 yuv420p10", for messages.
std::string Describe(const FrameInfo& info);

using Metadata = std::vector<std::pair<std::string, std::string>>;

// Recycles plane memory. Thread-safe; frames keep it alive. At most `keep` idle blocks are held.
class FramePool final : public RefCounted {
 public:
  explicit FramePool(size_t keep = 8);
  ~FramePool() override;
  // 64-byte aligned, at least `bytes` long, not cleared; null when there is no memory.
  std::shared_ptr<uint8_t> Take(size_t bytes);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

class CpuFrame final : public RefCounted {
 public:
  static constexpr int kMaxPlanes = 4;
  struct Plane {
    uint8_t* data = nullptr;
    size_t stride = 0;  // bytes from row to row, >= RowBytes
  };

  // Own memory, not cleared; rows are padded to 64 bytes. Fails when the size is not positive or memory is short.
  static Result<Ref<CpuFrame>> Create(const FrameInfo& info, FramePool* pool = nullptr);
  // Memory of somebody else, who lets it go when `owner` is destroyed (an AVFrame, a mapped buffer). At least as many planes as the layout
  // has.
  static Ref<CpuFrame> Wrap(const FrameInfo& info, std::span<const Plane> planes, std::shared_ptr<void> owner);

  const FrameInfo& info() const { return info_; }
  const PixelLayout& layout() const { return LayoutOf(info_.format); }
  int width() const { return info_.width; }
  int height() const { return info_.height; }
  int planes() const { return layout().planes; }
  const uint8_t* data(int plane) const { return planes_[plane].data; }
  size_t stride(int plane) const { return planes_[plane].stride; }
  size_t row_bytes(int plane) const { return layout().RowBytes(plane, info_.width); }
  int rows(int plane) const { return layout().PlaneHeight(plane, info_.height); }
  // Maker only, before the frame is handed on.
  uint8_t* mutable_data(int plane) { return planes_[plane].data; }
  FrameInfo& mutable_info() { return info_; }

  // Set by the maker. `number` counts from 0 in a video and is the number in the name in a sequence. Times are exact seconds.
  int64_t number = 0;
  Rational pts;
  Rational duration;
  Metadata metadata;

 private:
  CpuFrame() = default;
  FrameInfo info_;
  std::array<Plane, kMaxPlanes> planes_;
  std::shared_ptr<void> owner_;
};

}  // namespace weft::media
