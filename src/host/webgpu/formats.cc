// SPDX-License-Identifier: Apache-2.0
#include "host/webgpu/formats.h"

#include <algorithm>
#include <array>

#include "host/webgpu/convert.h"

namespace weft::host {

using F = wit::GpuTextureFormat;
using Feature = wit::GpuFeatureName;

namespace {

const gpu::FormatInfo* InfoOf(F format) {
  static const auto kInfos = [] {
    std::array<const gpu::FormatInfo*, wit::kGpuTextureFormatCount> infos{};
    for (uint32_t i = 0; i < infos.size(); ++i) infos[i] = gpu::FindFormat(ToNative(static_cast<F>(i)));
    return infos;
  }();
  const gpu::FormatInfo* info = kInfos[static_cast<size_t>(format)];
  WEFT_CHECK(info);
  return info;
}

bool HasNative(const Features& features, WGPUFeatureName needed) {
  if (!needed) return true;
  for (uint32_t i = 0; i < wit::kGpuFeatureNameCount; ++i) {
    if (ToNative(static_cast<Feature>(i)) == needed) return features[i];
  }
  return false;  // a feature of the library's own, which no guest can be granted
}

bool Norm16(F f) {
  switch (f) {
    case F::R16unorm:
    case F::R16snorm:
    case F::Rg16unorm:
    case F::Rg16snorm:
    case F::Rgba16unorm:
    case F::Rgba16snorm: return true;
    default: return false;
  }
}

bool Snorm8(F f) { return f == F::R8snorm || f == F::Rg8snorm || f == F::Rgba8snorm; }

}  // namespace

FormatAbilities Abilities(F format, const Features& features) {
  const gpu::FormatInfo* info = InfoOf(format);
  FormatAbilities a;
  a.info = info;
  a.renderable = info->renderable;
  a.blendable = info->blendable;
  a.multisample = info->multisample;
  a.resolvable = info->resolvable;
  a.storage_write = info->storage_write;
  a.storage_read = info->storage_read;
  a.storage_read_write = info->storage_read_write;
  a.filterable = info->sample == gpu::SampleKind::Float && (a.color() || a.compressed());
  const bool tier2 = Has(features, Feature::TextureFormatsTier2);
  const bool tier1 = tier2 || Has(features, Feature::TextureFormatsTier1);
  a.supported = Norm16(format) ? tier1 : HasNative(features, info->feature);

  if (format == F::Rg11b10ufloat && (tier1 || Has(features, Feature::Rg11b10ufloatRenderable))) {
    a.renderable = a.blendable = a.multisample = a.resolvable = true;
  }
  if (format == F::Bgra8unorm && Has(features, Feature::Bgra8unormStorage)) a.storage_write = true;
  const bool float32 = format == F::R32float || format == F::Rg32float || format == F::Rgba32float;
  if (float32) {
    a.filterable = Has(features, Feature::Float32Filterable);
    if (Has(features, Feature::Float32Blendable)) a.blendable = true;
  }
  if (tier1) {
    if (Snorm8(format)) a.renderable = a.blendable = a.multisample = a.resolvable = true;
    if (Norm16(format)) a.renderable = a.blendable = a.multisample = true;
    switch (format) {
      case F::R8unorm:
      case F::R8snorm:
      case F::R8uint:
      case F::R8sint:
      case F::Rg8unorm:
      case F::Rg8snorm:
      case F::Rg8uint:
      case F::Rg8sint:
      case F::R16uint:
      case F::R16sint:
      case F::R16float:
      case F::Rg16uint:
      case F::Rg16sint:
      case F::Rg16float:
      case F::R16unorm:
      case F::R16snorm:
      case F::Rg16unorm:
      case F::Rg16snorm:
      case F::Rgba16unorm:
      case F::Rgba16snorm:
      case F::Rgb10a2uint:
      case F::Rgb10a2unorm:
      case F::Rg11b10ufloat: a.storage_write = a.storage_read = true; break;
      default: break;
    }
  }
  if (tier2) {
    switch (format) {
      case F::R8unorm:
      case F::R8uint:
      case F::R8sint:
      case F::Rgba8unorm:
      case F::Rgba8uint:
      case F::Rgba8sint:
      case F::R16uint:
      case F::R16sint:
      case F::R16float:
      case F::Rgba16uint:
      case F::Rgba16sint:
      case F::Rgba16float:
      case F::Rgba32uint:
      case F::Rgba32sint:
      case F::Rgba32float: a.storage_read_write = true; break;
      default: break;
    }
  }
  return a;
}

uint32_t CopyBytes(F format, wit::GpuTextureAspect aspect) {
  using A = wit::GpuTextureAspect;
  switch (format) {
    case F::Stencil8: return 1;
    case F::Depth16unorm: return 2;
    case F::Depth32float: return 4;
    case F::Depth24plus: return 0;
    case F::Depth24plusStencil8: return aspect == A::StencilOnly ? 1 : 0;
    case F::Depth32floatStencil8: return aspect == A::StencilOnly ? 1 : aspect == A::DepthOnly ? 4 : 0;
    default: return InfoOf(format)->block_bytes;
  }
}

bool ViewCompatible(F a, F b) {
  if (a == b) return true;
  const WGPUTextureFormat twin = InfoOf(a)->srgb_twin;
  return twin != WGPUTextureFormat_Undefined && twin == ToNative(b);
}

std::optional<F> AspectFormat(F format, wit::GpuTextureAspect aspect) {
  using A = wit::GpuTextureAspect;
  if (aspect == A::All) return format;
  switch (format) {
    case F::Stencil8: return aspect == A::StencilOnly ? std::optional(format) : std::nullopt;
    case F::Depth16unorm:
    case F::Depth24plus:
    case F::Depth32float: return aspect == A::DepthOnly ? std::optional(format) : std::nullopt;
    case F::Depth24plusStencil8: return aspect == A::DepthOnly ? F::Depth24plus : F::Stencil8;
    case F::Depth32floatStencil8: return aspect == A::DepthOnly ? F::Depth32float : F::Stencil8;
    default: return std::nullopt;
  }
}

uint32_t RenderTargetCost(F format) {
  switch (format) {
    case F::Rgba8unorm:
    case F::Rgba8unormSrgb:
    case F::Bgra8unorm:
    case F::Bgra8unormSrgb:
    case F::Rgba8snorm:
    case F::Rgb10a2unorm:
    case F::Rgb10a2uint:
    case F::Rg11b10ufloat: return 8;
    default: return InfoOf(format)->block_bytes;
  }
}

uint32_t RenderTargetAlignment(F format) {
  const gpu::FormatInfo* info = InfoOf(format);
  switch (format) {
    case F::Rgb10a2unorm:
    case F::Rgb10a2uint:
    case F::Rg11b10ufloat: return 4;
    default: return info->channels ? std::max(1, info->block_bytes / info->channels) : 1;
  }
}

uint32_t BytesPerSample(std::span<const std::optional<F>> formats) {
  uint32_t sum = 0;
  for (const auto& f : formats) {
    if (!f) continue;
    const uint32_t align = RenderTargetAlignment(*f);
    sum = (sum + align - 1) / align * align + RenderTargetCost(*f);
  }
  return sum;
}

uint64_t TextureBytes(const TextureInfo& info) {
  const gpu::FormatInfo* f = InfoOf(info.format);
  // depth24plus takes 4 bytes a texel, and up to 8 together with a stencil.
  uint64_t block = f->block_bytes;
  if (info.format == F::Depth24plus) block = 4;
  if (info.format == F::Depth24plusStencil8 || info.format == F::Depth32floatStencil8) block = 8;
  const bool d3 = info.dimension == wit::GpuTextureDimension::D3;
  uint64_t sum = 0;
  for (uint32_t mip = 0; mip < info.mips; ++mip) {
    const uint64_t w = std::max(1u, info.width >> mip), h = std::max(1u, info.height >> mip);
    const uint64_t d = d3 ? std::max(1u, info.depth_or_layers >> mip) : info.depth_or_layers;
    sum += (w + f->block_width - 1) / f->block_width * ((h + f->block_height - 1) / f->block_height) * d * block;
  }
  return sum * info.samples;
}

}  // namespace weft::host
