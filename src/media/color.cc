// SPDX-License-Identifier: Apache-2.0
#include "media/color.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace weft::media {
namespace {

struct Known {
  uint8_t primaries;
  Chromaticities c;
};
// H.273 table 2.
constexpr Known kPrimaries[] = {
    {1, {0.3127, 0.3290, 0.640, 0.330, 0.300, 0.600, 0.150, 0.060}},   // BT.709, sRGB
    {4, {0.310, 0.316, 0.67, 0.33, 0.21, 0.71, 0.14, 0.08}},           // BT.470 M
    {5, {0.3127, 0.3290, 0.64, 0.33, 0.29, 0.60, 0.15, 0.06}},         // BT.601 625
    {6, {0.3127, 0.3290, 0.630, 0.340, 0.310, 0.595, 0.155, 0.070}},   // BT.601 525
    {9, {0.3127, 0.3290, 0.708, 0.292, 0.170, 0.797, 0.131, 0.046}},   // BT.2020
    {11, {0.314, 0.351, 0.680, 0.320, 0.265, 0.690, 0.150, 0.060}},    // DCI-P3
    {12, {0.3127, 0.3290, 0.680, 0.320, 0.265, 0.690, 0.150, 0.060}},  // Display P3
};

bool Near(double a, double b) { return std::abs(a - b) < 0.0015; }

uint32_t Be32(const uint8_t* p) { return uint32_t{p[0]} << 24 | uint32_t{p[1]} << 16 | uint32_t{p[2]} << 8 | p[3]; }

}  // namespace

uint8_t MatrixForPrimaries(uint8_t primaries) {
  switch (primaries) {
    case 5: return 5;
    case 6:
    case 7: return 6;
    case 9: return 9;
    default: return 1;
  }
}

ColorSpace ResolveColor(ColorSpace c, bool range_known, const PixelLayout& layout, int width, int height, bool* guessed) {
  const ColorSpace tagged = c;
  auto missing = [](uint8_t v) { return v == kUnspecified || v == 0; };
  if (layout.model == ColorModel::Yuv) {
    if (!range_known) c.full_range = false;
    // 0 is RGB, which YCbCr samples cannot be.
    if (missing(c.matrix)) {
      const bool large = height >= 720 || width >= 1280;
      c.matrix = !missing(c.primaries) ? MatrixForPrimaries(c.primaries) : large ? 1 : height == 576 || height == 288 ? 5 : 6;
    }
    if (missing(c.primaries)) c.primaries = c.matrix == 5 || c.matrix == 6 || c.matrix == 9 ? c.matrix : c.matrix == 10 ? 9 : 1;
    if (missing(c.transfer)) c.transfer = c.primaries == 9 ? 14 : c.primaries == 5 || c.primaries == 6 ? 6 : 1;
  } else {
    if (!range_known) c.full_range = true;
    if (layout.model == ColorModel::Rgb || missing(c.matrix)) c.matrix = 0;
    if (missing(c.primaries)) c.primaries = 1;
    if (missing(c.transfer)) c.transfer = layout.type == SampleType::Unorm ? 13 : 8;
  }
  *guessed = !range_known || c != tagged;
  return c;
}

std::optional<uint8_t> PrimariesFromChromaticities(const Chromaticities& c) {
  for (const Known& k : kPrimaries) {
    if (Near(c.wx, k.c.wx) && Near(c.wy, k.c.wy) && Near(c.rx, k.c.rx) && Near(c.ry, k.c.ry) && Near(c.gx, k.c.gx) && Near(c.gy, k.c.gy) &&
        Near(c.bx, k.c.bx) && Near(c.by, k.c.by)) {
      return k.primaries;
    }
  }
  return std::nullopt;
}

std::optional<Chromaticities> ChromaticitiesOf(uint8_t primaries) {
  for (const Known& k : kPrimaries) {
    if (k.primaries == primaries) return k.c;
  }
  return std::nullopt;
}

std::string IccDescription(const uint8_t* profile, size_t size) {
  if (size < 132) return "";
  const uint32_t tags = Be32(profile + 128);
  for (uint32_t t = 0; t < tags && t < 100; ++t) {
    const size_t entry = 132 + size_t{12} * t;
    if (entry + 12 > size) break;
    if (std::memcmp(profile + entry, "desc", 4) != 0) continue;
    const size_t offset = Be32(profile + entry + 4), length = Be32(profile + entry + 8);
    if (offset > size || length > size - offset || length < 12 || length > 4096) break;
    // 'desc' holds ASCII behind a 12-byte head; 'mluc' UTF-16 behind heads of 28 bytes, of which dropping the zero bytes leaves the
    // letters.
    const size_t head = std::memcmp(profile + offset, "mluc", 4) == 0 ? std::min<size_t>(28, length) : 12;
    std::string text;
    for (size_t i = offset + head; i < offset + length && text.size() < 80; ++i) {
      if (profile[i] >= 0x20 && profile[i] < 0x7f)
        text += static_cast<char>(profile[i]);
      else if (profile[i] != 0)
        break;
    }
    return text;
  }
  return "";
}

std::optional<ColorSpace> ColorFromIcc(const uint8_t* profile, size_t size) {
  const std::string text = IccDescription(profile, size);
  if (text.find("Display P3") != text.npos) return ColorSpace{.primaries = 12, .transfer = 13};
  if (text.find("sRGB") != text.npos) return ColorSpace{};
  return std::nullopt;
}

}  // namespace weft::media
