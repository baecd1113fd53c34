// SPDX-License-Identifier: Apache-2.0
// The table of pixel layouts.
#include "base/fail.h"
#include "media/frame.h"

namespace weft::media {
namespace {

using F = PixelFormat;
constexpr size_t kCount = static_cast<size_t>(F::Count);

constexpr PixelLayout Packed(F format, std::string_view name, ColorModel model, int bits, std::array<uint8_t, 4> order, int components,
                             int step, bool alpha, SampleType type = SampleType::Unorm) {
  PixelLayout l{.format = format, .name = name, .model = model, .type = type, .bits = static_cast<uint8_t>(bits)};
  l.bytes_per_sample = type == SampleType::Float ? 4 : bits > 8 ? 2 : 1;
  l.components = static_cast<uint8_t>(components);
  l.has_alpha = alpha;
  for (int c = 0; c < components; ++c) l.component[c] = {0, static_cast<uint8_t>(step), order[c]};
  return l;
}

constexpr PixelLayout Gray(F format, std::string_view name, int bits) {
  return Packed(format, name, ColorModel::Gray, bits, {0}, 1, 1, false);
}
constexpr PixelLayout GrayAlpha(F format, std::string_view name, int bits) {
  return Packed(format, name, ColorModel::Gray, bits, {0, 1}, 2, 2, true);
}

constexpr PixelLayout PlanarRgb(F format, std::string_view name, int bits, bool alpha) {
  PixelLayout l{.format = format, .name = name, .model = ColorModel::Rgb, .bits = static_cast<uint8_t>(bits)};
  l.bytes_per_sample = bits > 8 ? 2 : 1;
  l.planes = l.components = alpha ? 4 : 3;
  l.has_alpha = alpha;
  l.component = {Component{2, 1, 0}, Component{0, 1, 0}, Component{1, 1, 0}, Component{3, 1, 0}};
  return l;
}

constexpr PixelLayout PlanarYuv(F format, std::string_view name, int bits, int log2_w, int log2_h, bool alpha = false) {
  PixelLayout l{.format = format, .name = name, .model = ColorModel::Yuv, .bits = static_cast<uint8_t>(bits)};
  l.bytes_per_sample = bits > 8 ? 2 : 1;
  l.planes = l.components = alpha ? 4 : 3;
  l.has_alpha = alpha;
  l.log2_chroma_w = static_cast<uint8_t>(log2_w);
  l.log2_chroma_h = static_cast<uint8_t>(log2_h);
  l.component = {Component{0, 1, 0}, Component{1, 1, 0}, Component{2, 1, 0}, Component{3, 1, 0}};
  return l;
}

constexpr PixelLayout SemiPlanar(F format, std::string_view name, int bits, int shift, int log2_w, int log2_h) {
  PixelLayout l = PlanarYuv(format, name, bits, log2_w, log2_h);
  l.planes = 2;
  l.shift = static_cast<uint8_t>(shift);
  l.component = {Component{0, 1, 0}, Component{1, 2, 0}, Component{1, 2, 1}, Component{}};
  return l;
}

constexpr ColorModel kRgb = ColorModel::Rgb;
constexpr PixelLayout kTable[] = {
    Gray(F::Gray8, "gray", 8),
    Gray(F::Gray10, "gray10", 10),
    Gray(F::Gray12, "gray12", 12),
    Gray(F::Gray16, "gray16", 16),
    GrayAlpha(F::GrayAlpha8, "ya8", 8),
    GrayAlpha(F::GrayAlpha16, "ya16", 16),
    Packed(F::Rgb24, "rgb24", kRgb, 8, {0, 1, 2}, 3, 3, false),
    Packed(F::Rgba8, "rgba", kRgb, 8, {0, 1, 2, 3}, 4, 4, true),
    Packed(F::Bgra8, "bgra", kRgb, 8, {2, 1, 0, 3}, 4, 4, true),
    Packed(F::Bgrx8, "bgr0", kRgb, 8, {2, 1, 0}, 3, 4, false),
    Packed(F::Rgb48, "rgb48", kRgb, 16, {0, 1, 2}, 3, 3, false),
    Packed(F::Rgba64, "rgba64", kRgb, 16, {0, 1, 2, 3}, 4, 4, true),
    Packed(F::RgbaHalf, "rgbaf16", kRgb, 16, {0, 1, 2, 3}, 4, 4, true, SampleType::Half),
    Packed(F::RgbaFloat, "rgbaf32", kRgb, 32, {0, 1, 2, 3}, 4, 4, true, SampleType::Float),
    PlanarRgb(F::Gbrp8, "gbrp", 8, false),
    PlanarRgb(F::Gbrp10, "gbrp10", 10, false),
    PlanarRgb(F::Gbrp12, "gbrp12", 12, false),
    PlanarRgb(F::Gbrp14, "gbrp14", 14, false),
    PlanarRgb(F::Gbrp16, "gbrp16", 16, false),
    PlanarRgb(F::Gbrap8, "gbrap", 8, true),
    PlanarRgb(F::Gbrap10, "gbrap10", 10, true),
    PlanarRgb(F::Gbrap12, "gbrap12", 12, true),
    PlanarRgb(F::Gbrap16, "gbrap16", 16, true),
    PlanarYuv(F::Yuv420p8, "yuv420p", 8, 1, 1),
    PlanarYuv(F::Yuv420p9, "yuv420p9", 9, 1, 1),
    PlanarYuv(F::Yuv420p10, "yuv420p10", 10, 1, 1),
    PlanarYuv(F::Yuv420p12, "yuv420p12", 12, 1, 1),
    PlanarYuv(F::Yuv420p14, "yuv420p14", 14, 1, 1),
    PlanarYuv(F::Yuv420p16, "yuv420p16", 16, 1, 1),
    PlanarYuv(F::Yuv422p8, "yuv422p", 8, 1, 0),
    PlanarYuv(F::Yuv422p9, "yuv422p9", 9, 1, 0),
    PlanarYuv(F::Yuv422p10, "yuv422p10", 10, 1, 0),
    PlanarYuv(F::Yuv422p12, "yuv422p12", 12, 1, 0),
    PlanarYuv(F::Yuv422p14, "yuv422p14", 14, 1, 0),
    PlanarYuv(F::Yuv422p16, "yuv422p16", 16, 1, 0),
    PlanarYuv(F::Yuv444p8, "yuv444p", 8, 0, 0),
    PlanarYuv(F::Yuv444p9, "yuv444p9", 9, 0, 0),
    PlanarYuv(F::Yuv444p10, "yuv444p10", 10, 0, 0),
    PlanarYuv(F::Yuv444p12, "yuv444p12", 12, 0, 0),
    PlanarYuv(F::Yuv444p14, "yuv444p14", 14, 0, 0),
    PlanarYuv(F::Yuv444p16, "yuv444p16", 16, 0, 0),
    PlanarYuv(F::Yuv440p8, "yuv440p", 8, 0, 1),
    PlanarYuv(F::Yuv440p10, "yuv440p10", 10, 0, 1),
    PlanarYuv(F::Yuv440p12, "yuv440p12", 12, 0, 1),
    PlanarYuv(F::Yuv411p8, "yuv411p", 8, 2, 0),
    PlanarYuv(F::Yuv410p8, "yuv410p", 8, 2, 2),
    PlanarYuv(F::Yuva420p8, "yuva420p", 8, 1, 1, true),
    PlanarYuv(F::Yuva420p10, "yuva420p10", 10, 1, 1, true),
    PlanarYuv(F::Yuva420p16, "yuva420p16", 16, 1, 1, true),
    PlanarYuv(F::Yuva422p8, "yuva422p", 8, 1, 0, true),
    PlanarYuv(F::Yuva422p10, "yuva422p10", 10, 1, 0, true),
    PlanarYuv(F::Yuva422p12, "yuva422p12", 12, 1, 0, true),
    PlanarYuv(F::Yuva422p16, "yuva422p16", 16, 1, 0, true),
    PlanarYuv(F::Yuva444p8, "yuva444p", 8, 0, 0, true),
    PlanarYuv(F::Yuva444p10, "yuva444p10", 10, 0, 0, true),
    PlanarYuv(F::Yuva444p12, "yuva444p12", 12, 0, 0, true),
    PlanarYuv(F::Yuva444p16, "yuva444p16", 16, 0, 0, true),
    SemiPlanar(F::Nv12, "nv12", 8, 0, 1, 1),
    SemiPlanar(F::Nv16, "nv16", 8, 0, 1, 0),
    SemiPlanar(F::Nv24, "nv24", 8, 0, 0, 0),
    SemiPlanar(F::P010, "p010", 10, 6, 1, 1),
    SemiPlanar(F::P016, "p016", 16, 0, 1, 1),
};

constexpr bool TableIsInOrder() {
  for (size_t i = 0; i < std::size(kTable); ++i) {
    if (static_cast<size_t>(kTable[i].format) != i + 1) return false;
  }
  return std::size(kTable) + 1 == kCount;
}
static_assert(TableIsInOrder(), "kTable follows the enumeration");

}  // namespace

int PixelLayout::PlaneStep(int plane) const {
  for (int c = 0; c < components; ++c) {
    if (component[c].plane == plane) return component[c].step;
  }
  return 1;
}

const PixelLayout& LayoutOf(PixelFormat format) {
  WEFT_CHECK(format != F::None && format < F::Count);
  return kTable[static_cast<size_t>(format) - 1];
}

std::string_view PixelFormatName(PixelFormat format) { return format == F::None || format >= F::Count ? "none" : LayoutOf(format).name; }

PixelFormat PixelFormatByName(std::string_view name) {
  if (name.ends_with("le")) name.remove_suffix(2);
  if (name == "gray8") name = "gray";
  for (const PixelLayout& l : kTable) {
    if (l.name == name) return l.format;
  }
  return F::None;
}

std::span<const PixelLayout> AllLayouts() { return kTable; }

std::string Describe(const FrameInfo& info) { return fmt::format("{}x{} {}", info.width, info.height, PixelFormatName(info.format)); }

}  // namespace weft::media
