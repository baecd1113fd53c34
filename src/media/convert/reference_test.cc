// SPDX-License-Identifier: Apache-2.0
#include "media/convert/reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <random>

namespace weft::media {
namespace {

std::mt19937& Random() {
  static std::mt19937 engine(20240229);
  return engine;
}

Vec3 Weights(int matrix) {
  switch (matrix) {
    case 1: return {0.2126, 0.7152, 0.0722};
    case 4: return {0.30, 0.59, 0.11};
    case 5:
    case 6: return {0.299, 0.587, 0.114};
    case 7: return {0.212, 0.701, 0.087};
    default: return {0.2627, 0.6780, 0.0593};
  }
}

// Luma place of chroma sample 0, in luma samples.
double FirstPlace(int log2, bool first, bool last) {
  const double s = 1 << log2;
  return first ? 0 : last ? s - 1 : (s - 1) / 2;
}
struct Siting {
  double x, y;
  bool tent_x, tent_y;
};
Siting SitingOf(const PixelLayout& layout, ChromaSiting s) {
  const bool left =
      s == ChromaSiting::Unspecified || s == ChromaSiting::Left || s == ChromaSiting::TopLeft || s == ChromaSiting::BottomLeft;
  const bool top = s == ChromaSiting::TopLeft || s == ChromaSiting::Top,
             bottom = s == ChromaSiting::BottomLeft || s == ChromaSiting::Bottom;
  return {FirstPlace(layout.log2_chroma_w, left, false), FirstPlace(layout.log2_chroma_h, top, bottom), left, top || bottom};
}

double Chroma(const CpuFrame& f, int c, int x, int y) {
  const PixelLayout& layout = f.layout();
  const Siting s = SitingOf(layout, f.info().chroma);
  const int plane = layout.component[c].plane;
  const int last_x = layout.PlaneWidth(plane, f.width()) - 1, last_y = layout.PlaneHeight(plane, f.height()) - 1;
  const double cx = std::clamp((x - s.x) / (1 << layout.log2_chroma_w), 0.0, double(last_x));
  const double cy = std::clamp((y - s.y) / (1 << layout.log2_chroma_h), 0.0, double(last_y));
  const int x0 = int(cx), y0 = int(cy), x1 = std::min(x0 + 1, last_x), y1 = std::min(y0 + 1, last_y);
  const double fx = cx - x0, fy = cy - y0;
  return (SampleAt(f, c, x0, y0) * (1 - fx) + SampleAt(f, c, x1, y0) * fx) * (1 - fy) +
         (SampleAt(f, c, x0, y1) * (1 - fx) + SampleAt(f, c, x1, y1) * fx) * fy;
}

double Lanczos(double x) {
  if (x == 0) return 1;
  if (std::abs(x) >= 3) return 0;
  const double p = std::numbers::pi * x;
  return std::sin(p) / p * std::sin(p / 3) / (p / 3);
}

}  // namespace

Ref<CpuFrame> RandomFrame(int width, int height, PixelFormat format, ColorSpace color, ChromaSiting siting, AlphaMode alpha) {
  auto made = CpuFrame::Create({.width = width, .height = height, .format = format, .color = color, .chroma = siting, .alpha = alpha});
  EXPECT_TRUE(made);
  const PixelLayout& layout = LayoutOf(format);
  for (int p = 0; p < layout.planes; ++p) {
    for (int y = 0; y < (*made)->rows(p); ++y) {
      uint8_t* row = (*made)->mutable_data(p) + y * (*made)->stride(p);
      for (size_t i = 0; i < (*made)->row_bytes(p) / layout.bytes_per_sample; ++i) {
        const uint32_t r = Random()();
        if (layout.type == SampleType::Float) {
          const float v = float(r >> 8) / float(1 << 24);
          std::memcpy(row + 4 * i, &v, 4);
        } else if (layout.type == SampleType::Half) {
          const uint16_t v = static_cast<uint16_t>(0x0400 + r % 0x3800);  // normal numbers up to 1
          std::memcpy(row + 2 * i, &v, 2);
        } else {
          const uint32_t v = (r >> 8) % (1u << layout.bits) << layout.shift;
          if (layout.bytes_per_sample == 1) {
            row[i] = static_cast<uint8_t>(v);
          } else {
            const auto word = static_cast<uint16_t>(v);
            std::memcpy(row + 2 * i, &word, 2);
          }
        }
      }
    }
  }
  return std::move(*made);
}

std::vector<float> RandomTexels(int width, int height) {
  std::vector<float> out(size_t(width) * height * 4);
  for (float& v : out) v = float(Random()() >> 8) / float(1 << 24);
  return out;
}

double SampleAt(const CpuFrame& frame, int component, int x, int y) {
  const PixelLayout& layout = frame.layout();
  const Component& c = layout.component[component];
  const uint8_t* row = frame.data(c.plane) + y * frame.stride(c.plane);
  const int i = x * c.step + c.offset;
  if (layout.bytes_per_sample == 1) return row[i] >> layout.shift;
  uint16_t v;
  std::memcpy(&v, row + 2 * i, 2);
  return v >> layout.shift;
}

std::string FirstDifference(const CpuFrame& a, const CpuFrame& b) {
  const PixelLayout& layout = a.layout();
  if (b.info().format != a.info().format || a.width() != b.width() || a.height() != b.height()) return "another shape";
  for (int p = 0; p < layout.planes; ++p) {
    for (int y = 0; y < a.rows(p); ++y) {
      const uint8_t *ra = a.data(p) + y * a.stride(p), *rb = b.data(p) + y * b.stride(p);
      for (size_t i = 0; i < a.row_bytes(p); ++i) {
        const bool padding = layout.format == PixelFormat::Bgrx8 && i % 4 == 3;
        if (ra[i] != rb[i] && !padding) {
          return "plane " + std::to_string(p) + " row " + std::to_string(y) + " byte " + std::to_string(i) + ": " + std::to_string(ra[i]) +
                 " became " + std::to_string(rb[i]);
        }
      }
    }
  }
  return "";
}

Vec3 RefYuvToRgb(const CpuFrame& f, int x, int y) {
  const PixelLayout& layout = f.layout();
  const ColorSpace& color = f.info().color;
  const double top = double((1 << layout.bits) - 1), unit = double(1 << layout.bits) / 256;
  const double Y = SampleAt(f, 0, x, y), U = Chroma(f, 1, x, y), V = Chroma(f, 2, x, y);
  auto luma = [&](double c) { return color.full_range ? c / top : (c - 16 * unit) / (219 * unit); };
  auto diff = [&](double c) { return color.full_range ? (c - 128 * unit) / top : (c - 128 * unit) / (224 * unit); };
  if (color.matrix == 0) return {luma(V), luma(Y), luma(U)};
  const Vec3 k = Weights(color.matrix);
  const double e = luma(Y), b = e + 2 * (1 - k[2]) * diff(U), r = e + 2 * (1 - k[0]) * diff(V);
  return {r, (e - k[0] * r - k[2] * b) / k[1], b};
}

double RefRgbToYuv(const std::vector<float>& texels, const FrameInfo& want, int component, int x, int y) {
  const PixelLayout& layout = LayoutOf(want.format);
  const double top = double((1 << layout.bits) - 1), unit = double(1 << layout.bits) / 256;
  auto at = [&](int px, int py, int c) {
    return double(texels[(size_t(std::clamp(py, 0, want.height - 1)) * want.width + std::clamp(px, 0, want.width - 1)) * 4 + c]);
  };
  if (component == 3) return at(x, y, 3) * top;
  Vec3 rgb{};
  if (component == 0) {
    rgb = {at(x, y, 0), at(x, y, 1), at(x, y, 2)};
  } else {
    // A box of the pixels that share the sample, or a tent about the pixel that it lies on.
    const Siting s = SitingOf(layout, want.chroma);
    const int sx = 1 << layout.log2_chroma_w, sy = 1 << layout.log2_chroma_h;
    double sum = 0;
    for (int j = -sy; j <= 2 * sy; ++j) {
      for (int i = -sx; i <= 2 * sx; ++i) {
        auto weight = [](int k, int scale, double place, bool tent) {
          if (scale == 1) return k == 0 ? 1.0 : 0.0;
          if (!tent) return k >= 0 && k < scale ? 1.0 : 0.0;
          return std::max(0.0, scale - std::abs(k - place));
        };
        const double w = weight(i, sx, s.x, s.tent_x) * weight(j, sy, s.y, s.tent_y);
        sum += w;
        for (int c = 0; c < 3; ++c) rgb[c] += w * at(x * sx + i, y * sy + j, c);
      }
    }
    for (double& v : rgb) v /= sum;
  }
  const Vec3 k = Weights(want.color.matrix);
  const double e = k[0] * rgb[0] + k[1] * rgb[1] + k[2] * rgb[2];
  double code;
  if (component == 0) {
    code = want.color.full_range ? e * top : (16 + 219 * e) * unit;
  } else {
    const double d = component == 1 ? (rgb[2] - e) / (2 * (1 - k[2])) : (rgb[0] - e) / (2 * (1 - k[0]));
    code = want.color.full_range ? d * top + 128 * unit : (128 + 224 * d) * unit;
  }
  return std::clamp(code, 0.0, top);
}

double RefToLinear(int transfer, double signal) {
  const double x = std::abs(signal);
  double out = x;
  switch (transfer) {
    case 1:
    case 6:
    case 11:
    case 14:
    case 15: {
      const double a = 1.09929682680944, b = 0.018053968510807;
      out = x < 4.5 * b ? x / 4.5 : std::pow((x + a - 1) / a, 1 / 0.45);
      break;
    }
    case 4: out = std::pow(x, 2.2); break;
    case 5: out = std::pow(x, 2.8); break;
    case 7: out = x < 4 * 0.022821585529445 ? x / 4 : std::pow((x + 0.111572195921731) / 1.111572195921731, 1 / 0.45); break;
    case 13: out = x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4); break;
    case 16: {
      const double m1 = 2610.0 / 16384, m2 = 2523.0 / 32, c1 = 3424.0 / 4096, c2 = 2413.0 / 128, c3 = 2392.0 / 128;
      const double p = std::pow(std::min(x, 1.0), 1 / m2);
      out = std::pow(std::max(p - c1, 0.0) / (c2 - c3 * p), 1 / m1) * 10000 / 203;
      break;
    }
    case 18: {
      const double a = 0.17883277, b = 1 - 4 * a, c = 0.5 - a * std::log(4 * a);
      auto scene = [&](double v) { return v <= 0.5 ? v * v / 3 : (std::exp((v - c) / a) + b) / 12; };
      out = scene(x) / scene(0.75);
      break;
    }
    default: break;
  }
  return std::copysign(out, signal);
}

double RefFromLinear(int transfer, double light) {
  // Inverse by bisection: independent of any formula.
  double low = 0, high = 4;
  for (int i = 0; i < 60; ++i) {
    const double mid = (low + high) / 2;
    (RefToLinear(transfer, mid) < std::abs(light) ? low : high) = mid;
  }
  return std::copysign(low, light);
}

std::vector<float> RefResize(const std::vector<float>& texels, int w, int h, int tw, int th) {
  std::vector<double> linear(texels.begin(), texels.end());
  for (size_t i = 0; i < linear.size(); ++i) {
    if (i % 4 != 3) linear[i] = RefToLinear(13, linear[i]) * texels[i / 4 * 4 + 3];
  }
  auto filter = [](int place, int places, int length, int k) {
    const double scale = double(length) / places, width = std::max(1.0, scale);
    return Lanczos((k + 0.5 - (place + 0.5) * scale) / width);
  };
  std::vector<float> out(size_t(tw) * th * 4);
  for (int y = 0; y < th; ++y) {
    for (int x = 0; x < tw; ++x) {
      double sum[4] = {}, weights = 0;
      const int margin = 4 + 4 * std::max(w / tw, h / th) + 4;
      for (int j = -margin; j < h + margin; ++j) {
        const double wy = filter(y, th, h, j);
        if (wy == 0) continue;
        for (int i = -margin; i < w + margin; ++i) {
          const double weight = wy * filter(x, tw, w, i);
          weights += weight;
          const size_t at = (size_t(std::clamp(j, 0, h - 1)) * w + std::clamp(i, 0, w - 1)) * 4;
          for (int c = 0; c < 4; ++c) sum[c] += weight * linear[at + c];
        }
      }
      for (int c = 0; c < 4; ++c)
        out[(size_t(y) * tw + x) * 4 + c] = float(c == 3 ? std::clamp(sum[c] / weights, 0.0, 1.0) : sum[c] / weights);
    }
  }
  return out;
}

TEST(Reference, CurvesMeetTheStandardsFixedPoints) {
  EXPECT_NEAR(RefToLinear(13, 0.5), 0.21404114, 1e-7);
  EXPECT_NEAR(RefToLinear(16, 1) * 203, 10000, 1e-6);
  EXPECT_NEAR(RefToLinear(16, 0.5806888) * 203, 203, 0.05);  // BT.2408: 58 %
  EXPECT_NEAR(RefToLinear(18, 0.75), 1, 1e-12);
  EXPECT_NEAR(RefFromLinear(1, 0.18), 0.4090, 2e-4);
}

}  // namespace weft::media
