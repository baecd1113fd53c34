// SPDX-License-Identifier: Apache-2.0
#include "media/convert/color_math.h"

#include <cmath>
#include <optional>

#include "base/fail.h"
#include "media/color.h"

namespace weft::media {
namespace {

constexpr Matrix3 kIdentity{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

std::array<double, 3> Apply(const Matrix3& m, const std::array<double, 3>& v) {
  std::array<double, 3> out{};
  for (int i = 0; i < 3; ++i) out[i] = m[i][0] * v[0] + m[i][1] * v[1] + m[i][2] * v[2];
  return out;
}

Matrix3 RgbToXyz(const Chromaticities& c) {
  auto xyz = [](double x, double y) { return std::array<double, 3>{x / y, 1.0, (1 - x - y) / y}; };
  const auto r = xyz(c.rx, c.ry), g = xyz(c.gx, c.gy), b = xyz(c.bx, c.by);
  Matrix3 m{};
  for (int i = 0; i < 3; ++i) m[i] = {r[i], g[i], b[i]};
  const auto scale = Apply(Inverse(m), xyz(c.wx, c.wy));
  for (auto& row : m) {
    for (int j = 0; j < 3; ++j) row[j] *= scale[j];
  }
  return m;
}

Matrix3 Bradford(const Chromaticities& from, const Chromaticities& to) {
  constexpr Matrix3 kCone{{{0.8951, 0.2664, -0.1614}, {-0.7502, 1.7135, 0.0367}, {0.0389, -0.0685, 1.0296}}};
  auto white = [&](const Chromaticities& c) { return Apply(kCone, {c.wx / c.wy, 1.0, (1 - c.wx - c.wy) / c.wy}); };
  const auto a = white(from), b = white(to);
  const Matrix3 scale{{{b[0] / a[0], 0, 0}, {0, b[1] / a[1], 0}, {0, 0, b[2] / a[2]}}};
  return Multiply(Inverse(kCone), Multiply(scale, kCone));
}

// Kr, Kb of H.273 table 4.
std::optional<std::array<double, 2>> LumaWeights(uint8_t matrix) {
  switch (matrix) {
    case 1: return {{0.2126, 0.0722}};
    case 4: return {{0.30, 0.11}};
    case 5:
    case 6: return {{0.299, 0.114}};
    case 7: return {{0.212, 0.087}};
    case 9: return {{0.2627, 0.0593}};
    default: return std::nullopt;
  }
}

// R'G'B' to Y in 0..1 and Cb, Cr in -0.5..0.5.
Result<Matrix3> RgbToYuv(uint8_t matrix) {
  // Identity: the planes are G, B, R.
  if (matrix == 0) return Matrix3{{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}};
  const auto k = LumaWeights(matrix);
  if (!k) {
    return Fail(ErrorKind::Unsupported,
                "The colour matrix {} of ITU-T H.273 cannot be converted; 0 (RGB), 1 (BT.709), 4 (FCC), 5 and 6 (BT.601), 7 (SMPTE 240M) "
                "and 9 (BT.2020) can.",
                matrix);
  }
  const double r = (*k)[0], b = (*k)[1], g = 1 - r - b;
  return Matrix3{{{r, g, b}, {-r / (2 * (1 - b)), -g / (2 * (1 - b)), 0.5}, {0.5, -g / (2 * (1 - r)), -b / (2 * (1 - r))}}};
}

// A component is code = value * scale + offset, in codes of `bits` bits.
struct Code {
  double scale, offset;
};
Code CodeOf(bool full_range, bool chroma, int bits) {
  const double step = std::ldexp(1.0, bits - 8), top = std::ldexp(1.0, bits) - 1;
  if (full_range) return chroma ? Code{top, 128 * step} : Code{top, 0};
  return chroma ? Code{224 * step, 128 * step} : Code{219 * step, 16 * step};
}

}  // namespace

Matrix3 Multiply(const Matrix3& a, const Matrix3& b) {
  Matrix3 out{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 3; ++k) out[i][j] += a[i][k] * b[k][j];
    }
  }
  return out;
}

Matrix3 Inverse(const Matrix3& m) {
  auto minor = [&](int i, int j) {
    const int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
    return m[a][c] * m[b][d] - m[a][d] * m[b][c];
  };
  const double det = m[0][0] * minor(0, 0) + m[0][1] * minor(0, 1) + m[0][2] * minor(0, 2);
  Matrix3 out{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) out[j][i] = minor(i, j) / det;
  }
  return out;
}

Result<uint32_t> CurveOf(uint8_t transfer) {
  switch (transfer) {
    case 1:
    case 6:
    case 11:
    case 14:
    case 15: return 1;
    case 4:
    case 5:
    case 7:
    case 8:
    case 13:
    case 16:
    case 18: return transfer;
    default:
      return Fail(ErrorKind::Unsupported,
                  "The transfer function {} of ITU-T H.273 cannot be converted; 1, 6, 11, 14, 15 (BT.709 and kin), 4 and 5 (gamma), 7 "
                  "(SMPTE 240M), 8 (linear), 13 "
                  "(sRGB), 16 (PQ) and 18 (HLG) can.",
                  transfer);
  }
}

Result<Matrix3> PrimariesMatrix(uint8_t from, uint8_t to) {
  if (from == 7) from = 6;  // SMPTE 240M has those of BT.601 525
  if (to == 7) to = 6;
  if (from == to) return kIdentity;
  const auto a = ChromaticitiesOf(from), b = ChromaticitiesOf(to);
  if (!a || !b) {
    return Fail(ErrorKind::Unsupported, "Colour primaries {} of ITU-T H.273 cannot be converted to {}; 1, 4, 5, 6, 7, 9, 11 and 12 can.",
                from, to);
  }
  Matrix3 m = RgbToXyz(*a);
  if (a->wx != b->wx || a->wy != b->wy) m = Multiply(Bradford(*a, *b), m);
  return Multiply(Inverse(RgbToXyz(*b)), m);
}

Result<SampleMatrix> FromRgb(const PixelLayout& layout, const ColorSpace& color) {
  const bool integer = layout.type == SampleType::Unorm;
  SampleMatrix out{};
  Matrix3 m = kIdentity;
  // Gray is Y of an RGB picture, by its matrix where it has one.
  if (layout.model != ColorModel::Rgb) {
    const uint8_t matrix = layout.model == ColorModel::Gray && color.matrix == 0 ? 1 : color.matrix;
    WEFT_TRY_ASSIGN(m, RgbToYuv(matrix));
  }
  const bool chroma = layout.model == ColorModel::Yuv && color.matrix != 0;
  for (int i = 0; i < 3; ++i) {
    const Code code = integer ? CodeOf(color.full_range, chroma && i > 0, layout.bits) : Code{1, chroma && i > 0 ? 0.5 : 0};
    for (int j = 0; j < 3; ++j) out.matrix[i][j] = m[i][j] * code.scale;
    out.matrix[i][3] = code.offset;
  }
  return out;
}

Result<SampleMatrix> ToRgb(const PixelLayout& layout, const ColorSpace& color) {
  const bool integer = layout.type == SampleType::Unorm;
  const double top = integer ? std::ldexp(1.0, layout.bits) - 1 : 1;
  SampleMatrix out{};
  Matrix3 m = kIdentity;
  if (layout.model == ColorModel::Yuv) {
    WEFT_TRY_ASSIGN(m, RgbToYuv(color.matrix));
    m = Inverse(m);
  }
  const bool chroma = layout.model == ColorModel::Yuv && color.matrix != 0;
  // v = (sample * top - offset) / scale, then m.
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const Code code = integer ? CodeOf(color.full_range, chroma && j > 0, layout.bits) : Code{1, chroma && j > 0 ? 0.5 : 0};
      out.matrix[i][j] = m[i][j] * top / code.scale;
      out.matrix[i][3] -= m[i][j] * code.offset / code.scale;
    }
  }
  out.as_is = layout.model != ColorModel::Yuv && (color.full_range || !integer);
  return out;
}

}  // namespace weft::media
