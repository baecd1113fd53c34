// SPDX-License-Identifier: Apache-2.0
// The definitions that the kernels are tested against, in doubles and written from the standards, not from the kernels. Tests only.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "media/frame.h"

namespace weft::media {

using Vec3 = std::array<double, 3>;

// Every sample random over its whole range (floats from 0 to 1).
Ref<CpuFrame> RandomFrame(int width, int height, PixelFormat format, ColorSpace color, ChromaSiting siting = ChromaSiting::Unspecified,
                          AlphaMode alpha = AlphaMode::Opaque);
// RGBA from 0 to 1.
std::vector<float> RandomTexels(int width, int height);
// Code of a sample, without shift; component in the layout's order, x and y in the plane.
double SampleAt(const CpuFrame& frame, int component, int x, int y);
// "" or where two frames differ.
std::string FirstDifference(const CpuFrame& a, const CpuFrame& b);

// R'G'B' of a pixel, chroma interpolated linearly.
Vec3 RefYuvToRgb(const CpuFrame& frame, int x, int y);
// The code that a component of a frame is to have, before rounding.
double RefRgbToYuv(const std::vector<float>& texels, const FrameInfo& want, int component, int x, int y);
double RefToLinear(int transfer, double signal);
double RefFromLinear(int transfer, double light);
// sRGB straight -> linear premultiplied, Lanczos3.
std::vector<float> RefResize(const std::vector<float>& texels, int w, int h, int tw, int th);

}  // namespace weft::media
