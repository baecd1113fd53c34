// SPDX-License-Identifier: Apache-2.0
// What a texture format may be used for on a virtual device: the tables of the specification (26.1), widened by the device's features.
#pragma once

#include "gpu/format.h"
#include "host/webgpu/virtual_device.h"

namespace weft::host {

struct FormatAbilities {
  const gpu::FormatInfo* info = nullptr;
  bool supported = false;  // the feature that it needs is on
  bool renderable = false, blendable = false, multisample = false, resolvable = false;
  bool filterable = false;  // as sample type "float"
  bool storage_write = false, storage_read = false, storage_read_write = false;

  bool color() const { return info->kind == gpu::FormatKind::Color || info->kind == gpu::FormatKind::Compressed; }
  bool compressed() const { return info->kind == gpu::FormatKind::Compressed; }
  bool has_depth() const { return info->kind == gpu::FormatKind::Depth || info->kind == gpu::FormatKind::DepthStencil; }
  bool has_stencil() const { return info->kind == gpu::FormatKind::Stencil || info->kind == gpu::FormatKind::DepthStencil; }
  bool depth_or_stencil() const { return has_depth() || has_stencil(); }
  bool storage() const { return storage_write || storage_read || storage_read_write; }
};
FormatAbilities Abilities(wit::GpuTextureFormat format, const Features& features);

// Bytes of one texel block of one aspect as it is copied; 0 where it cannot be copied (depth of depth24plus). `aspect` must be one that
// the format has, or All for a format with one aspect.
uint32_t CopyBytes(wit::GpuTextureFormat format, wit::GpuTextureAspect aspect);

// "View format compatible": the same, or its twin with or without sRGB.
bool ViewCompatible(wit::GpuTextureFormat a, wit::GpuTextureFormat b);

// The format of one aspect of a texture: depth24plus of depth24plus-stencil8. Nothing when the format lacks the aspect.
std::optional<wit::GpuTextureFormat> AspectFormat(wit::GpuTextureFormat format, wit::GpuTextureAspect aspect);

// "Render target pixel byte cost" and alignment, for maxColorAttachmentBytesPerSample. 0: not renderable as colour.
uint32_t RenderTargetCost(wit::GpuTextureFormat format);
uint32_t RenderTargetAlignment(wit::GpuTextureFormat format);
// Sum of the costs in order, each aligned.
uint32_t BytesPerSample(std::span<const std::optional<wit::GpuTextureFormat>> formats);

// All mip levels, layers and samples; what a texture is charged for.
uint64_t TextureBytes(const TextureInfo& info);

}  // namespace weft::host
