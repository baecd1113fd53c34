// SPDX-License-Identifier: Apache-2.0
// Textures (specification 6.1). Views: texture_view.cc.
#include <algorithm>
#include <bit>

#include "host/webgpu/convert.h"
#include "host/webgpu/formats.h"
#include "host/webgpu/texture_rules.h"
#include "host/webgpu/virtual_gpu.h"

namespace weft::host {

namespace {

using U = wit::GpuTextureUsage;
using Dim = wit::GpuTextureDimension;
constexpr uint32_t kAllUsages = (1u << 6) - 1;

std::optional<std::string> SizeRefusal(const TextureInfo& t, const FormatAbilities& f, const VDevice& device) {
  const WGPULimits& l = device.limits();
  if (t.width == 0 || t.height == 0 || t.depth_or_layers == 0) {
    return fmt::format("the size {}x{}x{} has a zero", t.width, t.height, t.depth_or_layers);
  }
  auto beyond = [](std::string_view what, uint32_t v, std::string_view limit, uint32_t max) -> std::optional<std::string> {
    if (v <= max) return std::nullopt;
    return fmt::format("{} {} is more than the limit {} {}", what, v, limit, max);
  };
  uint32_t largest = 1;
  switch (t.dimension) {
    case Dim::D1:
      if (auto r = beyond("width", t.width, "maxTextureDimension1D", l.maxTextureDimension1D)) return r;
      if (t.height != 1 || t.depth_or_layers != 1) return "a 1D texture has height 1 and one layer";
      if (t.samples != 1) return "a 1D texture cannot be multisampled";
      if (f.compressed() || f.depth_or_stencil()) return fmt::format("a 1D texture cannot have format {}", wit::ToString(t.format));
      break;
    case Dim::D2:
      if (auto r = beyond("width", t.width, "maxTextureDimension2D", l.maxTextureDimension2D)) return r;
      if (auto r = beyond("height", t.height, "maxTextureDimension2D", l.maxTextureDimension2D)) return r;
      if (auto r = beyond("array layer count", t.depth_or_layers, "maxTextureArrayLayers", l.maxTextureArrayLayers)) return r;
      largest = std::max(t.width, t.height);
      break;
    case Dim::D3: {
      if (auto r = beyond("width", t.width, "maxTextureDimension3D", l.maxTextureDimension3D)) return r;
      if (auto r = beyond("height", t.height, "maxTextureDimension3D", l.maxTextureDimension3D)) return r;
      if (auto r = beyond("depth", t.depth_or_layers, "maxTextureDimension3D", l.maxTextureDimension3D)) return r;
      if (t.samples != 1) return "a 3D texture cannot be multisampled";
      const std::string_view name = wit::ToString(t.format);
      const bool sliced = (name.starts_with("bc") && device.Has(wit::GpuFeatureName::TextureCompressionBcSliced3d)) ||
                          (name.starts_with("astc") && device.Has(wit::GpuFeatureName::TextureCompressionAstcSliced3d));
      if (f.depth_or_stencil() || (f.compressed() && !sliced)) return fmt::format("a 3D texture cannot have format {}", name);
      largest = std::max({t.width, t.height, t.depth_or_layers});
      break;
    }
  }
  if (t.width % f.info->block_width != 0 || t.height % f.info->block_height != 0) {
    return fmt::format("the size {}x{} is not a multiple of the {}x{} blocks of format {}", t.width, t.height, f.info->block_width,
                       f.info->block_height, wit::ToString(t.format));
  }
  const uint32_t max_mips = std::bit_width(largest);
  if (t.mips == 0 || t.mips > max_mips) return fmt::format("mip level count {} must be from 1 to {}", t.mips, max_mips);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> TextureRefusal(const TextureInfo& t, const VDevice& device) {
  const FormatAbilities f = Abilities(t.format, device.features());
  const std::string_view format = wit::ToString(t.format);
  if (!f.supported) return fmt::format("format {} needs a feature that this device does not have", format);
  if (t.usage == 0) return "the usage of a texture must not be empty";
  if (t.usage & ~kAllUsages) return fmt::format("usage 0x{:x} has bits that are no texture usage", t.usage);
  if (auto r = SizeRefusal(t, f, device)) return r;
  if (t.samples != 1 && t.samples != 4) return fmt::format("sample count {} must be 1 or 4", t.samples);
  if (t.samples > 1) {
    if (t.mips != 1) return fmt::format("a multisampled texture has one mip level, not {}", t.mips);
    if (t.depth_or_layers != 1) return fmt::format("a multisampled texture has one layer, not {}", t.depth_or_layers);
    if (t.usage & U::StorageBinding) return "a multisampled texture cannot have usage storage-binding";
    if (!(t.usage & U::RenderAttachment)) return "a multisampled texture needs usage render-attachment";
    if (!f.multisample) return fmt::format("format {} cannot be multisampled", format);
  }
  if (t.usage & U::RenderAttachment) {
    if (!f.renderable) return fmt::format("format {} cannot have usage render-attachment", format);
    if (t.dimension == Dim::D1) return "a 1D texture cannot have usage render-attachment";
    if (t.dimension == Dim::D3 && !f.color()) return fmt::format("a 3D texture of format {} cannot have usage render-attachment", format);
  }
  if ((t.usage & U::StorageBinding) && !f.storage()) return fmt::format("format {} cannot have usage storage-binding", format);
  if (t.usage & U::TransientAttachment) {
    if (t.usage != (U::TransientAttachment | U::RenderAttachment)) {
      return "usage transient-attachment goes with render-attachment and nothing else";
    }
    if (t.dimension != Dim::D2 || t.mips != 1 || t.depth_or_layers != 1) {
      return "a texture with usage transient-attachment is 2D with one mip level and one layer";
    }
  }
  for (const auto v : t.view_formats) {
    if (!ViewCompatible(t.format, v)) {
      return fmt::format("view format {} does not go with format {}: only the same format with or without srgb does", wit::ToString(v),
                         format);
    }
  }
  return std::nullopt;
}

Result<Rep> VirtualGpu::OnGpuDeviceCreateTexture(Rep self, const wit::GpuTextureDescriptor& d) {
  WEFT_TRY_ASSIGN(auto device, Get<VDevice>(self));
  TextureInfo info;
  info.format = d.format;
  info.dimension = d.dimension.value_or(Dim::D2);
  info.width = d.size.width;
  info.height = d.size.height.value_or(1);
  info.depth_or_layers = d.size.depth_or_array_layers.value_or(1);
  info.mips = d.mip_level_count.value_or(1);
  info.samples = d.sample_count.value_or(1);
  info.usage = d.usage.bits;
  constexpr size_t kMaxViewFormats = 2 * wit::kGpuTextureFormatCount;
  const bool too_many = d.view_formats && d.view_formats->size > kMaxViewFormats;
  if (d.view_formats && !too_many) info.view_formats.assign(d.view_formats->begin(), d.view_formats->end());
  auto texture = Make<VTexture>(device, d.label, info);
  if (!texture->valid()) return Add(std::move(texture));
  if (device->lost()) {
    texture->Invalidate();
    return Add(std::move(texture));
  }
  auto why = TextureRefusal(info, *device);
  if (too_many) why = fmt::format("{} view formats are more than there are formats", d.view_formats->size);
  if (why) {
    texture->Invalidate();
    device->Validation(fmt::format("creating {}: {}", texture->Name(), *why));
    return Add(std::move(texture));
  }
  const uint64_t bytes = TextureBytes(info);
  if (!account_->ChargeMemory(Quota::Textures, bytes)) {
    texture->Invalidate();
    device->Report(ErrorType::OutOfMemory, fmt::format("creating {}: {}", texture->Name(), QuotaSentence()));
    return Add(std::move(texture));
  }
  texture->Charged(bytes);

  std::vector<WGPUTextureFormat> view_formats;
  for (const auto v : info.view_formats) {
    const WGPUTextureFormat n = ToNative(v);
    if (std::find(view_formats.begin(), view_formats.end(), n) == view_formats.end()) view_formats.push_back(n);
  }
  NativeErrors errors(device.get());
  WGPUTextureDescriptor n = WGPU_TEXTURE_DESCRIPTOR_INIT;
  n.label = gpu::Str(texture->label());
  // Transient is a hint about memory; the library need not know it.
  n.usage = info.usage & ~U::TransientAttachment;
  n.dimension = ToNative(info.dimension);
  n.size = {info.width, info.height, info.depth_or_layers};
  n.format = ToNative(info.format);
  n.mipLevelCount = info.mips;
  n.sampleCount = info.samples;
  n.viewFormatCount = view_formats.size();
  n.viewFormats = view_formats.data();
  texture->native = gpu_->Own(wgpu().DeviceCreateTexture(gpu_->handle(), &n));
  if (errors.Flush(fmt::format("creating {}: ", texture->Name())) || !texture->native) {
    texture->Invalidate();
    texture->native.Reset();
  }
  return Add(std::move(texture));
}

Status VirtualGpu::OnGpuTextureDestroy(Rep self) {
  WEFT_TRY_ASSIGN(auto texture, Get<VTexture>(self));
  if (!texture->alive()) return {};
  // What was submitted with it before is still done.
  FlushSubmits();
  NativeErrors errors(texture->device());
  texture->End(VResource::State::Destroyed);
  return {};
}

Result<uint32_t> VirtualGpu::OnGpuTextureWidth(Rep self) {
  WEFT_TRY_ASSIGN(auto texture, Get<VTexture>(self));
  return texture->info().width;
}

Result<uint32_t> VirtualGpu::OnGpuTextureHeight(Rep self) {
  WEFT_TRY_ASSIGN(auto texture, Get<VTexture>(self));
  return texture->info().height;
}

Result<uint32_t> VirtualGpu::OnGpuTextureDepthOrArrayLayers(Rep self) {
  WEFT_TRY_ASSIGN(auto texture, Get<VTexture>(self));
  return texture->info().depth_or_layers;
}

Result<uint32_t> VirtualGpu::OnGpuTextureMipLevelCount(Rep self) {
  WEFT_TRY_ASSIGN(auto texture, Get<VTexture>(self));
  return texture->info().mips;
}

Result<uint32_t> VirtualGpu::OnGpuTextureSampleCount(Rep self) {
  WEFT_TRY_ASSIGN(auto texture, Get<VTexture>(self));
  return texture->info().samples;
}

Result<wit::GpuTextureDimension> VirtualGpu::OnGpuTextureDimension(Rep self) {
  WEFT_TRY_ASSIGN(auto texture, Get<VTexture>(self));
  return texture->info().dimension;
}

Result<wit::GpuTextureFormat> VirtualGpu::OnGpuTextureFormat(Rep self) {
  WEFT_TRY_ASSIGN(auto texture, Get<VTexture>(self));
  return texture->info().format;
}

Result<wit::GpuTextureUsage> VirtualGpu::OnGpuTextureUsage(Rep self) {
  WEFT_TRY_ASSIGN(auto texture, Get<VTexture>(self));
  return wit::GpuTextureUsage{texture->info().usage};
}

Result<Opt<wit::GpuTextureViewDimension>> VirtualGpu::OnGpuTextureTextureBindingViewDimension(Rep self) {
  // Undefined on core devices (specification 6.1): only compatibility mode fixes the dimension with the texture.
  WEFT_TRY_ASSIGN(auto texture, Get<VTexture>(self));
  return Opt<wit::GpuTextureViewDimension>();
}

}  // namespace weft::host
