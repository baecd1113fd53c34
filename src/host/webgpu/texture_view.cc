// SPDX-License-Identifier: Apache-2.0
// Texture views (specification 6.2) and samplers (7). The native view always has an explicit usage, the virtual one: the library checks it
// too, which is the second line of a lent texture's rights.
#include <algorithm>

#include "host/webgpu/convert.h"
#include "host/webgpu/formats.h"
#include "host/webgpu/virtual_gpu.h"

namespace weft::host {

namespace {

using U = wit::GpuTextureUsage;
using Dim = wit::GpuTextureDimension;
using View = wit::GpuTextureViewDimension;
using Aspect = wit::GpuTextureAspect;

// The descriptor with its defaults resolved.
struct ViewSpec {
  wit::GpuTextureFormat format{};
  View dimension{};
  uint32_t usage = 0;
  Aspect aspect = Aspect::All;
  uint32_t base_mip = 0, mips = 0, base_layer = 0, layers = 0;
  std::string_view swizzle = "rgba";
};

ViewSpec Resolve(const TextureInfo& t, uint32_t texture_layers, const Opt<wit::GpuTextureViewDescriptor>& given) {
  const wit::GpuTextureViewDescriptor d = given.value_or({});
  ViewSpec v;
  v.aspect = d.aspect.value_or(Aspect::All);
  v.format = d.format ? *d.format : AspectFormat(t.format, v.aspect).value_or(t.format);
  v.usage = d.usage && d.usage->bits ? d.usage->bits : t.usage;
  v.base_mip = d.base_mip_level.value_or(0);
  v.mips = d.mip_level_count.value_or(v.base_mip < t.mips ? t.mips - v.base_mip : 0);
  if (d.dimension) {
    v.dimension = *d.dimension;
  } else {
    switch (t.dimension) {
      case Dim::D1: v.dimension = View::D1; break;
      case Dim::D2: v.dimension = t.depth_or_layers == 1 ? View::D2 : View::D2Array; break;
      case Dim::D3: v.dimension = View::D3; break;
    }
  }
  v.base_layer = d.base_array_layer.value_or(0);
  uint32_t layers = 1;
  if (v.dimension == View::Cube) layers = 6;
  if (v.dimension == View::D2Array || v.dimension == View::CubeArray)
    layers = v.base_layer < texture_layers ? texture_layers - v.base_layer : 0;
  v.layers = d.array_layer_count.value_or(layers);
  if (d.swizzle) v.swizzle = d.swizzle->view();
  return v;
}

std::optional<std::string> DimensionRefusal(const ViewSpec& v, const TextureInfo& t) {
  const auto name = wit::ToString(v.dimension);
  const Dim needed = v.dimension == View::D1 ? Dim::D1 : v.dimension == View::D3 ? Dim::D3 : Dim::D2;
  if (t.dimension != needed)
    return fmt::format("a {} view needs a {} texture, this one is {}", name, wit::ToString(needed), wit::ToString(t.dimension));
  switch (v.dimension) {
    case View::D1:
    case View::D2:
    case View::D3:
      if (v.layers != 1) return fmt::format("a {} view has one array layer, not {}", name, v.layers);
      break;
    case View::D2Array: break;
    case View::Cube:
    case View::CubeArray:
      if (v.dimension == View::Cube ? v.layers != 6 : v.layers % 6 != 0) {
        return fmt::format("a {} view needs {} array layers, not {}", name, v.dimension == View::Cube ? "6" : "a multiple of 6", v.layers);
      }
      if (t.width != t.height) return fmt::format("a {} view needs a square texture, this one is {}x{}", name, t.width, t.height);
      break;
  }
  if (t.samples > 1 && v.dimension != View::D2) return fmt::format("a view of a multisampled texture is d2, not {}", name);
  return std::nullopt;
}

std::optional<std::string> ViewRefusal(const ViewSpec& v, const VTexture& texture, const VDevice& device) {
  const TextureInfo& t = texture.info();
  const auto aspect_format = AspectFormat(t.format, v.aspect);
  if (!aspect_format)
    return fmt::format("format {} has no {} aspect", wit::ToString(t.format), v.aspect == Aspect::DepthOnly ? "depth" : "stencil");
  if (v.aspect == Aspect::All) {
    if (v.format != t.format && std::find(t.view_formats.begin(), t.view_formats.end(), v.format) == t.view_formats.end()) {
      return fmt::format("view format {} is neither the texture's format {} nor one of its view formats", wit::ToString(v.format),
                         wit::ToString(t.format));
    }
  } else if (v.format != *aspect_format) {
    return fmt::format("the {} aspect of {} has format {}, not {}", v.aspect == Aspect::DepthOnly ? "depth" : "stencil",
                       wit::ToString(t.format), wit::ToString(*aspect_format), wit::ToString(v.format));
  }
  if (v.usage & ~t.usage) return fmt::format("view usage 0x{:x} is not a part of the texture's usage 0x{:x}", v.usage, t.usage);
  const FormatAbilities f = Abilities(v.format, device.features());
  if (!f.supported) return fmt::format("format {} needs a feature that this device does not have", wit::ToString(v.format));
  if ((v.usage & U::RenderAttachment) && !f.renderable)
    return fmt::format("a view of format {} cannot have usage render-attachment", wit::ToString(v.format));
  if ((v.usage & U::StorageBinding) && !f.storage()) {
    return fmt::format("a view of format {} cannot have usage storage-binding; name the view's usage without it", wit::ToString(v.format));
  }
  if (v.mips == 0 || v.base_mip >= t.mips || v.mips > t.mips - v.base_mip) {
    return fmt::format("mip levels {} + {} lie outside of the texture's {}", v.base_mip, v.mips, t.mips);
  }
  const uint32_t layers = texture.layers();
  if (v.layers == 0 || v.base_layer >= layers || v.layers > layers - v.base_layer) {
    return fmt::format("array layers {} + {} lie outside of the texture's {}", v.base_layer, v.layers, layers);
  }
  if (auto r = DimensionRefusal(v, t)) return r;
  if (v.swizzle != "rgba") {
    if (!device.Has(wit::GpuFeatureName::TextureComponentSwizzle)) return "a swizzle needs the feature texture-component-swizzle";
    if (v.swizzle.size() != 4 || v.swizzle.find_first_not_of("rgba01") != std::string_view::npos) {
      return fmt::format("swizzle '{}' must be four of the letters r, g, b, a, 0 and 1", v.swizzle.substr(0, 16));
    }
  }
  return std::nullopt;
}

WGPUComponentSwizzle Swizzle(char c) {
  switch (c) {
    case '0': return WGPUComponentSwizzle_Zero;
    case '1': return WGPUComponentSwizzle_One;
    case 'g': return WGPUComponentSwizzle_G;
    case 'b': return WGPUComponentSwizzle_B;
    case 'a': return WGPUComponentSwizzle_A;
    default: return WGPUComponentSwizzle_R;
  }
}

}  // namespace

Result<Rep> VirtualGpu::OnGpuTextureCreateView(Rep self, const Opt<wit::GpuTextureViewDescriptor>& descriptor) {
  WEFT_TRY_ASSIGN(auto texture, Get<VTexture>(self));
  auto view = MakeView(texture, descriptor);
  return Add(std::move(view));
}

Ref<VTextureView> VirtualGpu::MakeView(const Ref<VTexture>& texture, const Opt<wit::GpuTextureViewDescriptor>& descriptor) {
  const Ref<VDevice> device(texture->device());
  auto view = Make<VTextureView>(device, descriptor ? descriptor->label : Opt<Str>(), texture);
  Watch(view.get());
  const ViewSpec v = Resolve(texture->info(), texture->layers(), descriptor);
  view->format = v.format;
  view->dimension = v.dimension;
  view->aspect = v.aspect;
  view->usage = v.usage;
  view->base_mip = v.base_mip;
  view->mips = v.mips;
  view->base_layer = v.base_layer;
  view->layers = v.layers;
  if (!view->valid()) return view;
  auto why = UseRefusal(device.get(), *texture);
  if (!why) why = ViewRefusal(v, *texture, *device);
  if (why) {
    view->Invalidate();
    device->Validation(fmt::format("creating a view of {}: {}", texture->Name(), *why));
    return view;
  }
  // Of what was destroyed or revoked: a valid object whose every use is refused.
  if (!texture->alive()) return view;
  // The same view of the same texture, from an earlier frame.
  CacheKey key;
  const bool kept = v.swizzle == "rgba" && Settled(*texture);
  if (kept) {
    key.Add(texture->native.get());
    for (const uint64_t word : {uint64_t(v.format), uint64_t(v.dimension), uint64_t(v.aspect), uint64_t(v.usage),
                                uint64_t(v.base_mip) << 32 | v.mips, uint64_t(v.base_layer) << 32 | v.layers}) {
      key.Add(word);
    }
    if (WGPUTextureView found = views_.Find(key)) {
      wgpu().TextureViewAddRef(found);
      view->native = gpu_->Own(found);
      return view;
    }
    key.Keep(texture->native.get(), wgpu().TextureAddRef, wgpu().TextureRelease);
    if (!texture->imported()) key.Charge(texture);
  }
  NativeErrors errors(device.get());
  WGPUTextureViewDescriptor n = WGPU_TEXTURE_VIEW_DESCRIPTOR_INIT;
  n.label = gpu::Str(view->label());
  n.format = ToNative(v.format);
  n.dimension = ToNative(v.dimension);
  n.baseMipLevel = v.base_mip;
  n.mipLevelCount = v.mips;
  n.baseArrayLayer = v.base_layer;
  n.arrayLayerCount = v.layers;
  n.aspect = ToNative(v.aspect);
  // wgpu-native 29 forgets STORAGE_BINDING in a view's usage that has other bits too (tried; alone it is kept), so such a view inherits the
  // texture's. Inputs never have that bit: for them the library's own check stays as a second line behind ours.
  n.usage = v.usage & ~U::TransientAttachment;
  if ((n.usage & U::StorageBinding) && n.usage != U::StorageBinding) n.usage = WGPUTextureUsage_None;
  WGPUTextureComponentSwizzleDescriptor swizzle = WGPU_TEXTURE_COMPONENT_SWIZZLE_DESCRIPTOR_INIT;
  if (v.swizzle != "rgba") {
    swizzle.swizzle = {Swizzle(v.swizzle[0]), Swizzle(v.swizzle[1]), Swizzle(v.swizzle[2]), Swizzle(v.swizzle[3])};
    n.nextInChain = &swizzle.chain;
  }
  view->native = gpu_->Own(wgpu().TextureCreateView(texture->native.get(), &n));
  if (errors.Flush(fmt::format("creating a view of {}: ", texture->Name())) || !view->native) {
    view->Invalidate();
    view->native.Reset();
  } else if (kept) {
    wgpu().TextureViewAddRef(view->native.get());
    views_.Put(std::move(key), gpu_->Own(view->native.get()));
  }
  return view;
}

Result<Rep> VirtualGpu::OnGpuDeviceCreateSampler(Rep self, const Opt<wit::GpuSamplerDescriptor>& descriptor) {
  WEFT_TRY_ASSIGN(auto device, Get<VDevice>(self));
  const wit::GpuSamplerDescriptor d = descriptor.value_or({});
  using Filter = wit::GpuFilterMode;
  const Filter mag = d.mag_filter.value_or(Filter::Nearest), min = d.min_filter.value_or(Filter::Nearest);
  const auto mip = d.mipmap_filter.value_or(wit::GpuMipmapFilterMode::Nearest);
  const bool all_linear = mag == Filter::Linear && min == Filter::Linear && mip == wit::GpuMipmapFilterMode::Linear;
  const float lod_min = d.lod_min_clamp.value_or(0), lod_max = d.lod_max_clamp.value_or(32);
  const uint16_t anisotropy = d.max_anisotropy.value_or(1);

  auto sampler = Make<VSampler>(device, d.label);
  sampler->comparison = d.compare.has;
  sampler->filtering = mag == Filter::Linear || min == Filter::Linear || mip == wit::GpuMipmapFilterMode::Linear;
  if (!sampler->valid()) return Add(std::move(sampler));
  if (device->lost()) {
    sampler->Invalidate();
    return Add(std::move(sampler));
  }
  std::optional<std::string> why;
  if (!(lod_min >= 0)) why = fmt::format("lod-min-clamp {} must be at least 0", lod_min);
  if (!why && !(lod_max >= lod_min)) why = fmt::format("lod-max-clamp {} must be at least lod-min-clamp {}", lod_max, lod_min);
  if (!why && anisotropy < 1) why = "max-anisotropy must be at least 1";
  if (!why && anisotropy > 1 && !all_linear)
    why = fmt::format("max-anisotropy {} needs linear mag-filter, min-filter and mipmap-filter", anisotropy);
  if (why) {
    sampler->Invalidate();
    device->Validation(fmt::format("creating {}: {}", sampler->Name(), *why));
    return Add(std::move(sampler));
  }
  NativeErrors errors(device.get());
  WGPUSamplerDescriptor n = WGPU_SAMPLER_DESCRIPTOR_INIT;
  using Address = wit::GpuAddressMode;
  n.label = gpu::Str(sampler->label());
  n.addressModeU = ToNative(d.address_mode_u.value_or(Address::ClampToEdge));
  n.addressModeV = ToNative(d.address_mode_v.value_or(Address::ClampToEdge));
  n.addressModeW = ToNative(d.address_mode_w.value_or(Address::ClampToEdge));
  n.magFilter = ToNative(mag);
  n.minFilter = ToNative(min);
  n.mipmapFilter = ToNative(mip);
  n.lodMinClamp = lod_min;
  n.lodMaxClamp = lod_max;
  if (d.compare) n.compare = ToNative(*d.compare);
  n.maxAnisotropy = std::min<uint16_t>(anisotropy, 16);
  sampler->native = gpu_->Own(wgpu().DeviceCreateSampler(gpu_->handle(), &n));
  if (errors.Flush(fmt::format("creating {}: ", sampler->Name())) || !sampler->native) {
    sampler->Invalidate();
    sampler->native.Reset();
  }
  return Add(std::move(sampler));
}

}  // namespace weft::host
