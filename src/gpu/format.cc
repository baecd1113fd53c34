// SPDX-License-Identifier: Apache-2.0
#include "gpu/format.h"

#include <algorithm>
#include <iterator>

#include "gpu/native.h"

namespace weft::gpu {
namespace {

constexpr WGPUFeatureName kNoFeature = static_cast<WGPUFeatureName>(0);

constexpr bool In(std::string_view abilities, char c) { return abilities.find(c) != std::string_view::npos; }

// Abilities: R renderable, B blendable, M multisample, V resolvable, W storage write-only, D read-only, X read-write.
#define F(Name, text, kind, sample, channels, w, h, bytes, can, twin, feature)                                                             \
  FormatInfo {                                                                                                                             \
    WGPUTextureFormat_##Name, text, FormatKind::kind, SampleKind::sample, channels, w, h, bytes, In(can, 'R'), In(can, 'B'), In(can, 'M'), \
        In(can, 'V'), In(can, 'W'), In(can, 'D'), In(can, 'X'), WGPUTextureFormat_##twin, feature                                          \
  }
// Sorted by number, without gaps.
// clang-format off
constexpr FormatInfo kFormats[] = {
    F(R8Unorm, "r8unorm", Color, Float, 1, 1, 1, 1, "RBMV", Undefined, kNoFeature),
    F(R8Snorm, "r8snorm", Color, Float, 1, 1, 1, 1, "", Undefined, kNoFeature),
    F(R8Uint, "r8uint", Color, Uint, 1, 1, 1, 1, "RM", Undefined, kNoFeature),
    F(R8Sint, "r8sint", Color, Sint, 1, 1, 1, 1, "RM", Undefined, kNoFeature),
    F(R16Unorm, "r16unorm", Color, Float, 1, 1, 1, 2, "RBMVWD", Undefined, kFeatureNorm16),
    F(R16Snorm, "r16snorm", Color, Float, 1, 1, 1, 2, "RBMVWD", Undefined, kFeatureNorm16),
    F(R16Uint, "r16uint", Color, Uint, 1, 1, 1, 2, "RM", Undefined, kNoFeature),
    F(R16Sint, "r16sint", Color, Sint, 1, 1, 1, 2, "RM", Undefined, kNoFeature),
    F(R16Float, "r16float", Color, Float, 1, 1, 1, 2, "RBMV", Undefined, kNoFeature),
    F(RG8Unorm, "rg8unorm", Color, Float, 2, 1, 1, 2, "RBMV", Undefined, kNoFeature),
    F(RG8Snorm, "rg8snorm", Color, Float, 2, 1, 1, 2, "", Undefined, kNoFeature),
    F(RG8Uint, "rg8uint", Color, Uint, 2, 1, 1, 2, "RM", Undefined, kNoFeature),
    F(RG8Sint, "rg8sint", Color, Sint, 2, 1, 1, 2, "RM", Undefined, kNoFeature),
    F(R32Float, "r32float", Color, UnfilterableFloat, 1, 1, 1, 4, "RMWDX", Undefined, kNoFeature),
    F(R32Uint, "r32uint", Color, Uint, 1, 1, 1, 4, "RWDX", Undefined, kNoFeature),
    F(R32Sint, "r32sint", Color, Sint, 1, 1, 1, 4, "RWDX", Undefined, kNoFeature),
    F(RG16Unorm, "rg16unorm", Color, Float, 2, 1, 1, 4, "RBMVWD", Undefined, kFeatureNorm16),
    F(RG16Snorm, "rg16snorm", Color, Float, 2, 1, 1, 4, "RBMVWD", Undefined, kFeatureNorm16),
    F(RG16Uint, "rg16uint", Color, Uint, 2, 1, 1, 4, "RM", Undefined, kNoFeature),
    F(RG16Sint, "rg16sint", Color, Sint, 2, 1, 1, 4, "RM", Undefined, kNoFeature),
    F(RG16Float, "rg16float", Color, Float, 2, 1, 1, 4, "RBMV", Undefined, kNoFeature),
    F(RGBA8Unorm, "rgba8unorm", Color, Float, 4, 1, 1, 4, "RBMVWD", RGBA8UnormSrgb, kNoFeature),
    F(RGBA8UnormSrgb, "rgba8unorm-srgb", Color, Float, 4, 1, 1, 4, "RBMV", RGBA8Unorm, kNoFeature),
    F(RGBA8Snorm, "rgba8snorm", Color, Float, 4, 1, 1, 4, "WD", Undefined, kNoFeature),
    F(RGBA8Uint, "rgba8uint", Color, Uint, 4, 1, 1, 4, "RMWD", Undefined, kNoFeature),
    F(RGBA8Sint, "rgba8sint", Color, Sint, 4, 1, 1, 4, "RMWD", Undefined, kNoFeature),
    F(BGRA8Unorm, "bgra8unorm", Color, Float, 4, 1, 1, 4, "RBMV", BGRA8UnormSrgb, kNoFeature),
    F(BGRA8UnormSrgb, "bgra8unorm-srgb", Color, Float, 4, 1, 1, 4, "RBMV", BGRA8Unorm, kNoFeature),
    F(RGB10A2Uint, "rgb10a2uint", Color, Uint, 4, 1, 1, 4, "RM", Undefined, kNoFeature),
    F(RGB10A2Unorm, "rgb10a2unorm", Color, Float, 4, 1, 1, 4, "RBMV", Undefined, kNoFeature),
    F(RG11B10Ufloat, "rg11b10ufloat", Color, Float, 3, 1, 1, 4, "", Undefined, kNoFeature),
    F(RGB9E5Ufloat, "rgb9e5ufloat", Color, Float, 3, 1, 1, 4, "", Undefined, kNoFeature),
    F(RG32Float, "rg32float", Color, UnfilterableFloat, 2, 1, 1, 8, "RWD", Undefined, kNoFeature),
    F(RG32Uint, "rg32uint", Color, Uint, 2, 1, 1, 8, "RWD", Undefined, kNoFeature),
    F(RG32Sint, "rg32sint", Color, Sint, 2, 1, 1, 8, "RWD", Undefined, kNoFeature),
    F(RGBA16Unorm, "rgba16unorm", Color, Float, 4, 1, 1, 8, "RBMVWD", Undefined, kFeatureNorm16),
    F(RGBA16Snorm, "rgba16snorm", Color, Float, 4, 1, 1, 8, "RBMVWD", Undefined, kFeatureNorm16),
    F(RGBA16Uint, "rgba16uint", Color, Uint, 4, 1, 1, 8, "RMWD", Undefined, kNoFeature),
    F(RGBA16Sint, "rgba16sint", Color, Sint, 4, 1, 1, 8, "RMWD", Undefined, kNoFeature),
    F(RGBA16Float, "rgba16float", Color, Float, 4, 1, 1, 8, "RBMVWD", Undefined, kNoFeature),
    F(RGBA32Float, "rgba32float", Color, UnfilterableFloat, 4, 1, 1, 16, "RWD", Undefined, kNoFeature),
    F(RGBA32Uint, "rgba32uint", Color, Uint, 4, 1, 1, 16, "RWD", Undefined, kNoFeature),
    F(RGBA32Sint, "rgba32sint", Color, Sint, 4, 1, 1, 16, "RWD", Undefined, kNoFeature),
    F(Stencil8, "stencil8", Stencil, Uint, 1, 1, 1, 1, "RM", Undefined, kNoFeature),
    F(Depth16Unorm, "depth16unorm", Depth, Depth, 1, 1, 1, 2, "RM", Undefined, kNoFeature),
    F(Depth24Plus, "depth24plus", Depth, Depth, 1, 1, 1, 0, "RM", Undefined, kNoFeature),
    F(Depth24PlusStencil8, "depth24plus-stencil8", DepthStencil, Depth, 2, 1, 1, 0, "RM", Undefined, kNoFeature),
    F(Depth32Float, "depth32float", Depth, Depth, 1, 1, 1, 4, "RM", Undefined, kNoFeature),
    F(Depth32FloatStencil8, "depth32float-stencil8", DepthStencil, Depth, 2, 1, 1, 0, "RM", Undefined, WGPUFeatureName_Depth32FloatStencil8),
    F(BC1RGBAUnorm, "bc1-rgba-unorm", Compressed, Float, 4, 4, 4, 8, "", BC1RGBAUnormSrgb, WGPUFeatureName_TextureCompressionBC),
    F(BC1RGBAUnormSrgb, "bc1-rgba-unorm-srgb", Compressed, Float, 4, 4, 4, 8, "", BC1RGBAUnorm, WGPUFeatureName_TextureCompressionBC),
    F(BC2RGBAUnorm, "bc2-rgba-unorm", Compressed, Float, 4, 4, 4, 16, "", BC2RGBAUnormSrgb, WGPUFeatureName_TextureCompressionBC),
    F(BC2RGBAUnormSrgb, "bc2-rgba-unorm-srgb", Compressed, Float, 4, 4, 4, 16, "", BC2RGBAUnorm, WGPUFeatureName_TextureCompressionBC),
    F(BC3RGBAUnorm, "bc3-rgba-unorm", Compressed, Float, 4, 4, 4, 16, "", BC3RGBAUnormSrgb, WGPUFeatureName_TextureCompressionBC),
    F(BC3RGBAUnormSrgb, "bc3-rgba-unorm-srgb", Compressed, Float, 4, 4, 4, 16, "", BC3RGBAUnorm, WGPUFeatureName_TextureCompressionBC),
    F(BC4RUnorm, "bc4-r-unorm", Compressed, Float, 1, 4, 4, 8, "", Undefined, WGPUFeatureName_TextureCompressionBC),
    F(BC4RSnorm, "bc4-r-snorm", Compressed, Float, 1, 4, 4, 8, "", Undefined, WGPUFeatureName_TextureCompressionBC),
    F(BC5RGUnorm, "bc5-rg-unorm", Compressed, Float, 2, 4, 4, 16, "", Undefined, WGPUFeatureName_TextureCompressionBC),
    F(BC5RGSnorm, "bc5-rg-snorm", Compressed, Float, 2, 4, 4, 16, "", Undefined, WGPUFeatureName_TextureCompressionBC),
    F(BC6HRGBUfloat, "bc6h-rgb-ufloat", Compressed, Float, 3, 4, 4, 16, "", Undefined, WGPUFeatureName_TextureCompressionBC),
    F(BC6HRGBFloat, "bc6h-rgb-float", Compressed, Float, 3, 4, 4, 16, "", Undefined, WGPUFeatureName_TextureCompressionBC),
    F(BC7RGBAUnorm, "bc7-rgba-unorm", Compressed, Float, 4, 4, 4, 16, "", BC7RGBAUnormSrgb, WGPUFeatureName_TextureCompressionBC),
    F(BC7RGBAUnormSrgb, "bc7-rgba-unorm-srgb", Compressed, Float, 4, 4, 4, 16, "", BC7RGBAUnorm, WGPUFeatureName_TextureCompressionBC),
    F(ETC2RGB8Unorm, "etc2-rgb8unorm", Compressed, Float, 3, 4, 4, 8, "", ETC2RGB8UnormSrgb, WGPUFeatureName_TextureCompressionETC2),
    F(ETC2RGB8UnormSrgb, "etc2-rgb8unorm-srgb", Compressed, Float, 3, 4, 4, 8, "", ETC2RGB8Unorm, WGPUFeatureName_TextureCompressionETC2),
    F(ETC2RGB8A1Unorm, "etc2-rgb8a1unorm", Compressed, Float, 4, 4, 4, 8, "", ETC2RGB8A1UnormSrgb, WGPUFeatureName_TextureCompressionETC2),
    F(ETC2RGB8A1UnormSrgb, "etc2-rgb8a1unorm-srgb", Compressed, Float, 4, 4, 4, 8, "", ETC2RGB8A1Unorm, WGPUFeatureName_TextureCompressionETC2),
    F(ETC2RGBA8Unorm, "etc2-rgba8unorm", Compressed, Float, 4, 4, 4, 16, "", ETC2RGBA8UnormSrgb, WGPUFeatureName_TextureCompressionETC2),
    F(ETC2RGBA8UnormSrgb, "etc2-rgba8unorm-srgb", Compressed, Float, 4, 4, 4, 16, "", ETC2RGBA8Unorm, WGPUFeatureName_TextureCompressionETC2),
    F(EACR11Unorm, "eac-r11unorm", Compressed, Float, 1, 4, 4, 8, "", Undefined, WGPUFeatureName_TextureCompressionETC2),
    F(EACR11Snorm, "eac-r11snorm", Compressed, Float, 1, 4, 4, 8, "", Undefined, WGPUFeatureName_TextureCompressionETC2),
    F(EACRG11Unorm, "eac-rg11unorm", Compressed, Float, 2, 4, 4, 16, "", Undefined, WGPUFeatureName_TextureCompressionETC2),
    F(EACRG11Snorm, "eac-rg11snorm", Compressed, Float, 2, 4, 4, 16, "", Undefined, WGPUFeatureName_TextureCompressionETC2),
    F(ASTC4x4Unorm, "astc-4x4-unorm", Compressed, Float, 4, 4, 4, 16, "", ASTC4x4UnormSrgb, WGPUFeatureName_TextureCompressionASTC),
    F(ASTC4x4UnormSrgb, "astc-4x4-unorm-srgb", Compressed, Float, 4, 4, 4, 16, "", ASTC4x4Unorm, WGPUFeatureName_TextureCompressionASTC),
    F(ASTC5x4Unorm, "astc-5x4-unorm", Compressed, Float, 4, 5, 4, 16, "", ASTC5x4UnormSrgb, WGPUFeatureName_TextureCompressionASTC),
    F(ASTC5x4UnormSrgb, "astc-5x4-unorm-srgb", Compressed, Float, 4, 5, 4, 16, "", ASTC5x4Unorm, WGPUFeatureName_TextureCompressionASTC),
    F(ASTC5x5Unorm, "astc-5x5-unorm", Compressed, Float, 4, 5, 5, 16, "", ASTC5x5UnormSrgb, WGPUFeatureName_TextureCompressionASTC),
    F(ASTC5x5UnormSrgb, "astc-5x5-unorm-srgb", Compressed, Float, 4, 5, 5, 16, "", ASTC5x5Unorm, WGPUFeatureName_TextureCompressionASTC),
    F(ASTC6x5Unorm, "astc-6x5-unorm", Compressed, Float, 4, 6, 5, 16, "", ASTC6x5UnormSrgb, WGPUFeatureName_TextureCompressionASTC),
    F(ASTC6x5UnormSrgb, "astc-6x5-unorm-srgb", Compressed, Float, 4, 6, 5, 16, "", ASTC6x5Unorm, WGPUFeatureName_TextureCompressionASTC),
    F(ASTC6x6Unorm, "astc-6x6-unorm", Compressed, Float, 4, 6, 6, 16, "", ASTC6x6UnormSrgb, WGPUFeatureName_TextureCompressionASTC),
    F(ASTC6x6UnormSrgb, "astc-6x6-unorm-srgb", Compressed, Float, 4, 6, 6, 16, "", ASTC6x6Unorm, WGPUFeatureName_TextureCompressionASTC),
    F(ASTC8x5Unorm, "astc-8x5-unorm", Compressed, Float, 4, 8, 5, 16, "", ASTC8x5UnormSrgb, WGPUFeatureName_TextureCompressionASTC),
    F(ASTC8x5UnormSrgb, "astc-8x5-unorm-srgb", Compressed, Float, 4, 8, 5, 16, "", ASTC8x5Unorm, WGPUFeatureName_TextureCompressionASTC),
    F(ASTC8x6Unorm, "astc-8x6-unorm", Compressed, Float, 4, 8, 6, 16, "", ASTC8x6UnormSrgb, WGPUFeatureName_TextureCompressionASTC),
    F(ASTC8x6UnormSrgb, "astc-8x6-unorm-srgb", Compressed, Float, 4, 8, 6, 16, "", ASTC8x6Unorm, WGPUFeatureName_TextureCompressionASTC),
    F(ASTC8x8Unorm, "astc-8x8-unorm", Compressed, Float, 4, 8, 8, 16, "", ASTC8x8UnormSrgb, WGPUFeatureName_TextureCompressionASTC),
    F(ASTC8x8UnormSrgb, "astc-8x8-unorm-srgb", Compressed, Float, 4, 8, 8, 16, "", ASTC8x8Unorm, WGPUFeatureName_TextureCompressionASTC),
    F(ASTC10x5Unorm, "astc-10x5-unorm", Compressed, Float, 4, 10, 5, 16, "", ASTC10x5UnormSrgb, WGPUFeatureName_TextureCompressionASTC),
    F(ASTC10x5UnormSrgb, "astc-10x5-unorm-srgb", Compressed, Float, 4, 10, 5, 16, "", ASTC10x5Unorm, WGPUFeatureName_TextureCompressionASTC),
    F(ASTC10x6Unorm, "astc-10x6-unorm", Compressed, Float, 4, 10, 6, 16, "", ASTC10x6UnormSrgb, WGPUFeatureName_TextureCompressionASTC),
    F(ASTC10x6UnormSrgb, "astc-10x6-unorm-srgb", Compressed, Float, 4, 10, 6, 16, "", ASTC10x6Unorm, WGPUFeatureName_TextureCompressionASTC),
    F(ASTC10x8Unorm, "astc-10x8-unorm", Compressed, Float, 4, 10, 8, 16, "", ASTC10x8UnormSrgb, WGPUFeatureName_TextureCompressionASTC),
    F(ASTC10x8UnormSrgb, "astc-10x8-unorm-srgb", Compressed, Float, 4, 10, 8, 16, "", ASTC10x8Unorm, WGPUFeatureName_TextureCompressionASTC),
    F(ASTC10x10Unorm, "astc-10x10-unorm", Compressed, Float, 4, 10, 10, 16, "", ASTC10x10UnormSrgb, WGPUFeatureName_TextureCompressionASTC),
    F(ASTC10x10UnormSrgb, "astc-10x10-unorm-srgb", Compressed, Float, 4, 10, 10, 16, "", ASTC10x10Unorm, WGPUFeatureName_TextureCompressionASTC),
    F(ASTC12x10Unorm, "astc-12x10-unorm", Compressed, Float, 4, 12, 10, 16, "", ASTC12x10UnormSrgb, WGPUFeatureName_TextureCompressionASTC),
    F(ASTC12x10UnormSrgb, "astc-12x10-unorm-srgb", Compressed, Float, 4, 12, 10, 16, "", ASTC12x10Unorm, WGPUFeatureName_TextureCompressionASTC),
    F(ASTC12x12Unorm, "astc-12x12-unorm", Compressed, Float, 4, 12, 12, 16, "", ASTC12x12UnormSrgb, WGPUFeatureName_TextureCompressionASTC),
    F(ASTC12x12UnormSrgb, "astc-12x12-unorm-srgb", Compressed, Float, 4, 12, 12, 16, "", ASTC12x12Unorm, WGPUFeatureName_TextureCompressionASTC),
};
// clang-format on
#undef F

constexpr bool NumberedFromOne() {
  for (size_t i = 0; i < std::size(kFormats); ++i) {
    if (static_cast<size_t>(kFormats[i].format) != i + 1) return false;
  }
  return true;
}
static_assert(NumberedFromOne());

}  // namespace

const FormatInfo* FindFormat(WGPUTextureFormat format) {
  const auto i = static_cast<size_t>(format);
  return i >= 1 && i <= std::size(kFormats) ? &kFormats[i - 1] : nullptr;
}

const FormatInfo* FindFormat(std::string_view name) {
  const auto* it = std::find_if(std::begin(kFormats), std::end(kFormats), [&](const FormatInfo& f) { return f.name == name; });
  return it == std::end(kFormats) ? nullptr : it;
}

std::string_view FormatName(WGPUTextureFormat format) {
  const FormatInfo* info = FindFormat(format);
  return info ? info->name : "unknown";
}

uint32_t BytesPerTexel(WGPUTextureFormat format) {
  const FormatInfo* info = FindFormat(format);
  return info && info->block_width == 1 ? info->block_bytes : 0;
}

WGPUTextureFormat SrgbTwin(WGPUTextureFormat format) {
  const FormatInfo* info = FindFormat(format);
  return info ? info->srgb_twin : WGPUTextureFormat_Undefined;
}

bool IsSrgb(WGPUTextureFormat format) { return FormatName(format).ends_with("-srgb"); }

uint64_t TextureBytes(WGPUTextureFormat format, uint32_t width, uint32_t height) {
  const FormatInfo* info = FindFormat(format);
  if (!info) return 0;
  const uint64_t across = (uint64_t{width} + info->block_width - 1) / info->block_width;
  const uint64_t down = (uint64_t{height} + info->block_height - 1) / info->block_height;
  // Where WebGPU leaves the size open, drivers take 4 bytes, or 8 beside a stencil.
  const uint64_t bytes = info->block_bytes ? info->block_bytes : info->kind == FormatKind::DepthStencil ? 8 : 4;
  return across * down * bytes;
}

}  // namespace weft::gpu
