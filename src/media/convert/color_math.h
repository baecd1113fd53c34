// SPDX-License-Identifier: Apache-2.0
// The numbers behind the kernels: matrices of H.273 in doubles, and which curve a transfer code means. Pure; any thread.
#pragma once

#include <array>
#include <cstdint>

#include "base/result.h"
#include "media/frame.h"

namespace weft::media {

using Matrix3 = std::array<std::array<double, 3>, 3>;
// R = row . (x, y, z) + row[3].
using Affine3 = std::array<std::array<double, 4>, 3>;

Matrix3 Multiply(const Matrix3& a, const Matrix3& b);
Matrix3 Inverse(const Matrix3& m);

// The number of the curve in color.wgsl: H.273's own, with twins folded (6, 14, 15 and 11 are 1). Unsupported for logarithmic and unknown
// ones.
Result<uint32_t> CurveOf(uint8_t transfer);

// Linear RGB of one set of primaries to that of another, whites adapted by Bradford. Unsupported for unknown primaries.
Result<Matrix3> PrimariesMatrix(uint8_t from, uint8_t to);

// Samples as stored (component value / largest value, in the order of PixelLayout) to R'G'B' and back to sample units (0..largest for
// integers). Gray counts as Y; as_is: the samples are R'G'B' from 0 to 1 already.
struct SampleMatrix {
  Affine3 matrix;
  bool as_is = false;
};
Result<SampleMatrix> ToRgb(const PixelLayout& layout, const ColorSpace& color);
Result<SampleMatrix> FromRgb(const PixelLayout& layout, const ColorSpace& color);

}  // namespace weft::media
