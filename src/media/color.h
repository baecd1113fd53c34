// SPDX-License-Identifier: Apache-2.0
// Colour: what a file means when it does not say, and what names and chromaticities mean.
#pragma once

#include <optional>
#include <string>

#include "media/frame.h"

namespace weft::media {

inline constexpr uint8_t kUnspecified = 2;

// `tagged` as the file has it (2 = unspecified). Fills what is missing the way players do: YCbCr is limited range; its matrix follows the
// primaries, else BT.709 from 720 lines or 1280 columns on and BT.601 below; RGB and gray are full range sRGB.
// `range_known`: the file said which range. *guessed tells whether anything was filled.
ColorSpace ResolveColor(ColorSpace tagged, bool range_known, const PixelLayout& layout, int width, int height, bool* guessed);

// The matrix that video of these primaries has.
uint8_t MatrixForPrimaries(uint8_t primaries);

// CIE xy of white, red, green, blue, as cHRM says them.
struct Chromaticities {
  double wx, wy, rx, ry, gx, gy, bx, by;
};
std::optional<uint8_t> PrimariesFromChromaticities(const Chromaticities& c);
std::optional<Chromaticities> ChromaticitiesOf(uint8_t primaries);

// Description of an ICC profile that is one of ours: "Display P3", "sRGB". Only the profile's description is read.
std::optional<ColorSpace> ColorFromIcc(const uint8_t* profile, size_t size);
// "Adobe RGB (1998)"; "" where there is none.
std::string IccDescription(const uint8_t* profile, size_t size);

}  // namespace weft::media
