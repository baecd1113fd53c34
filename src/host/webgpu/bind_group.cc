// SPDX-License-Identifier: Apache-2.0
// Bind groups (specification 8.2). Here a guest's rights to what it was lent are decided: by virtual usage, never by what the real resource
// could do.
#include <algorithm>
#include <set>

#include "host/webgpu/convert.h"
#include "host/webgpu/formats.h"
#include "host/webgpu/virtual_gpu.h"
#include "host/webgpu/wgsl_reflect.h"

namespace weft::host {

namespace {

using Type = BindingLayout::Type;
using Tag = wit::GpuBindingResource::Tag;
using Why = std::optional<std::string>;
using BU = wit::GpuBufferUsage;
using TU = wit::GpuTextureUsage;

std::string_view TypeName(Type type) {
  switch (type) {
    case Type::Buffer: return "a buffer";
    case Type::Sampler: return "a sampler";
    case Type::Texture: return "a texture";
    case Type::StorageTexture: break;
  }
  return "a storage texture";
}

// A resource as given, looked up.
struct Given {
  Ref<VBuffer> buffer;
  uint64_t offset = 0, size = 0;
  Ref<VSampler> sampler;
  Ref<VTextureView> view;
};

Why BufferRefusal(const Given& g, const BindingLayout& e, const WGPULimits& l) {
  const VBuffer& b = *g.buffer;
  const bool uniform = e.buffer == wit::GpuBufferBindingType::Uniform;
  if (!(b.usage() & (uniform ? BU::Uniform : BU::Storage)))
    return fmt::format("{} has no usage {}", b.Name(), uniform ? "uniform" : "storage");
  if (e.buffer == wit::GpuBufferBindingType::Storage && !b.writable()) {
    return fmt::format("{} is lent for reading: it may be bound as read-only-storage, not as storage", b.Name());
  }
  if (g.offset > b.size() || g.size > b.size() - g.offset) {
    return fmt::format("the range {} + {} lies outside of {} with {} bytes", g.offset, g.size, b.Name(), b.size());
  }
  if (g.size == 0) return fmt::format("the range of {} is empty", b.Name());
  const uint32_t align = uniform ? l.minUniformBufferOffsetAlignment : l.minStorageBufferOffsetAlignment;
  if (g.offset % align != 0) return fmt::format("offset {} is not a multiple of {}", g.offset, align);
  const uint64_t max = uniform ? l.maxUniformBufferBindingSize : l.maxStorageBufferBindingSize;
  if (g.size > max) {
    return fmt::format("{} bytes are more than the limit {} {}", g.size,
                       uniform ? "maxUniformBufferBindingSize" : "maxStorageBufferBindingSize", max);
  }
  if (!uniform && g.size % 4 != 0) return fmt::format("a storage binding has a size that is a multiple of 4, not {}", g.size);
  if (g.size < e.min_size) return fmt::format("{} bytes are less than the layout's min-binding-size {}", g.size, e.min_size);
  return std::nullopt;
}

Why SamplerRefusal(const VSampler& s, const BindingLayout& e) {
  using T = wit::GpuSamplerBindingType;
  if (e.sampler == T::Comparison && !s.comparison)
    return fmt::format("{} has no compare function, but the layout wants a comparison sampler", s.Name());
  if (e.sampler != T::Comparison && s.comparison)
    return fmt::format("{} is a comparison sampler, but the layout wants a {} one", s.Name(), wit::ToString(e.sampler));
  if (e.sampler == T::NonFiltering && s.filtering) return fmt::format("{} filters, but the layout wants a non-filtering one", s.Name());
  return std::nullopt;
}

bool SampleTypeFits(wit::GpuTextureFormat format, wit::GpuTextureSampleType want, const Features& features) {
  using S = wit::GpuTextureSampleType;
  const FormatAbilities f = Abilities(format, features);
  if (f.depth_or_stencil()) {
    if (f.info->kind == gpu::FormatKind::Stencil) return want == S::Uint;
    return want == S::Depth || want == S::UnfilterableFloat;
  }
  switch (f.info->sample) {
    case gpu::SampleKind::Uint: return want == S::Uint;
    case gpu::SampleKind::Sint: return want == S::Sint;
    default: return want == S::UnfilterableFloat || (want == S::Float && f.filterable);
  }
}

Why TextureRefusal(const VTextureView& v, const BindingLayout& e, const VDevice& device) {
  const bool storage = e.type == Type::StorageTexture;
  const auto name = v.texture()->Name();
  if (!(v.usage & (storage ? TU::StorageBinding : TU::TextureBinding))) {
    return fmt::format("the view of {} has no usage {}", name, storage ? "storage-binding" : "texture-binding");
  }
  if (v.dimension != e.view) {
    return fmt::format("the view of {} is {}, but the layout wants {}", name, wit::ToString(v.dimension), wit::ToString(e.view));
  }
  if (storage) {
    if (v.format != e.format)
      return fmt::format("the view of {} has format {}, but the layout wants {}", name, wit::ToString(v.format), wit::ToString(e.format));
    if (v.mips != 1) return fmt::format("a storage texture view has one mip level, that of {} has {}", name, v.mips);
    return std::nullopt;
  }
  const FormatAbilities f = Abilities(v.texture()->info().format, device.features());
  if (v.aspect == wit::GpuTextureAspect::All && f.has_depth() && f.has_stencil()) {
    return fmt::format("the view of {} has a depth and a stencil aspect; only one can be sampled", name);
  }
  const auto format = AspectFormat(v.format, v.aspect).value_or(v.format);
  if (!SampleTypeFits(format, e.sample, device.features())) {
    return fmt::format("format {} of {} cannot be sampled as {}", wit::ToString(v.format), name, wit::ToString(e.sample));
  }
  if (e.multisampled != (v.samples() > 1)) {
    return fmt::format("{} is {}multisampled, but the layout wants {}", name, v.samples() > 1 ? "" : "not ",
                       e.multisampled ? "it to be" : "it not to be");
  }
  return std::nullopt;
}

Use UseOf(const BindingLayout& e) {
  switch (e.type) {
    case Type::Buffer:
      switch (e.buffer) {
        case wit::GpuBufferBindingType::Uniform: return Use::Constant;
        case wit::GpuBufferBindingType::Storage: return Use::Storage;
        case wit::GpuBufferBindingType::ReadOnlyStorage: return Use::StorageRead;
      }
      break;
    case Type::StorageTexture:
      switch (e.access) {
        case wit::GpuStorageTextureAccess::WriteOnly: return Use::StorageWrite;
        case wit::GpuStorageTextureAccess::ReadOnly: return Use::StorageRead;
        case wit::GpuStorageTextureAccess::ReadWrite: return Use::Storage;
      }
      break;
    default: break;
  }
  return Use::Constant;
}

// Of a layout "auto" the shader's text knows the uses; where a binding has two (of two stages), both count.
void Bind(VBindGroup& group, uint32_t binding, const Given& g, const BindingLayout* e) {
  std::vector<Use> uses;
  if (e) uses.push_back(UseOf(*e));
  for (const auto& [of, use] : group.layout()->uses) {
    if (of == binding) uses.push_back(use);
  }
  if (g.buffer) {
    group.mutable_reach().Add(g.buffer.get());
    for (const Use use : uses) group.bound.push_back({g.buffer, use, {}});
    if (e && e->dynamic) group.dynamic.push_back({e->binding, e->buffer, g.buffer->size(), g.offset, g.size});
  } else if (g.view) {
    group.mutable_reach().Merge(g.view->reach());
    group.holds.emplace_back(g.view);
    const SubresourceRange range{g.view->base_mip, g.view->base_mip + g.view->mips, g.view->base_layer,
                                 g.view->base_layer + g.view->layers};
    for (const Use use : uses) group.bound.push_back({Ref<VResource>(g.view->texture()), use, range});
  } else if (g.sampler) {
    group.holds.emplace_back(g.sampler);
  }
}

}  // namespace

Result<Rep> VirtualGpu::OnGpuDeviceCreateBindGroup(Rep self, const wit::GpuBindGroupDescriptor& d) {
  WEFT_TRY_ASSIGN(auto device, Get<VDevice>(self));
  WEFT_TRY_ASSIGN(auto layout, Get<VBindGroupLayout>(d.layout));
  auto group = Make<VBindGroup>(device, d.label, layout);
  if (!group->valid()) return Add(std::move(group));
  auto refuse = [&](std::string_view why) {
    group->Invalidate();
    device->Validation(fmt::format("creating {}: {}", group->Name(), why));
    return Add(std::move(group));
  };
  if (auto why = UseRefusal(device.get(), *layout)) return refuse(*why);
  if (!layout->exclusive && d.entries.size != layout->entries.size()) {
    return refuse(fmt::format("{} entries were given, but the layout has {}", d.entries.size, layout->entries.size()));
  }
  if (d.entries.size > device->limits().maxBindingsPerBindGroup) return refuse("there are more entries than a layout can have");

  if (!account_->Charge(Quota::BindGroupEntries, d.entries.size)) {
    group->Invalidate();
    device->Report(ErrorType::OutOfMemory, fmt::format("creating {}: {}", group->Name(), QuotaSentence()));
    return Add(std::move(group));
  }
  group->charged = d.entries.size;

  std::vector<WGPUBindGroupEntry> natives;
  std::vector<std::pair<uint32_t, Given>> all;
  bool dead = false;  // something is destroyed or revoked: a valid object whose every use is refused
  std::set<uint32_t> seen;
  for (const wit::GpuBindGroupEntry& entry : d.entries) {
    Given g;
    const BindingLayout* e = layout->Find(entry.binding);
    auto entry_refuse = [&](std::string_view why) { return refuse(fmt::format("binding {}: {}", entry.binding, why)); };
    if (!layout->exclusive && !e) return entry_refuse("the layout has no such binding");
    if (!seen.insert(entry.binding).second) return entry_refuse("it was given twice");
    const wit::GpuBindingResource& r = entry.resource;
    WGPUBindGroupEntry n = WGPU_BIND_GROUP_ENTRY_INIT;
    n.binding = entry.binding;
    Type type = Type::Buffer;
    switch (r.tag) {
      case Tag::GpuBuffer:
      case Tag::GpuBufferBinding: {
        const bool whole = r.tag == Tag::GpuBuffer;
        WEFT_TRY_ASSIGN(g.buffer, Get<VBuffer>(whole ? r.gpu_buffer : r.gpu_buffer_binding.buffer));
        if (auto why = UseRefusal(device.get(), *g.buffer)) return entry_refuse(*why);
        g.offset = whole ? 0 : r.gpu_buffer_binding.offset.value_or(0);
        const uint64_t rest = g.offset > g.buffer->size() ? 0 : g.buffer->size() - g.offset;
        g.size = whole ? rest : r.gpu_buffer_binding.size.value_or(rest);
        dead |= !g.buffer->alive();
        n.buffer = g.buffer->native.get();
        n.offset = g.offset;
        n.size = g.size;
        break;
      }
      case Tag::GpuSampler: {
        type = Type::Sampler;
        WEFT_TRY_ASSIGN(g.sampler, Get<VSampler>(r.gpu_sampler));
        if (auto why = UseRefusal(device.get(), *g.sampler)) return entry_refuse(*why);
        n.sampler = g.sampler->native.get();
        break;
      }
      case Tag::GpuTexture:
      case Tag::GpuTextureView: {
        type = Type::Texture;
        if (r.tag == Tag::GpuTexture) {
          WEFT_TRY_ASSIGN(auto texture, Get<VTexture>(r.gpu_texture));
          if (auto why = UseRefusal(device.get(), *texture)) return entry_refuse(*why);
          g.view = MakeView(texture, {});
        } else {
          WEFT_TRY_ASSIGN(g.view, Get<VTextureView>(r.gpu_texture_view));
        }
        if (auto why = UseRefusal(device.get(), *g.view)) return entry_refuse(*why);
        dead |= !g.view->texture()->alive();
        n.textureView = g.view->native.get();
        break;
      }
    }
    if (e) {
      if (type != e->type && !(type == Type::Texture && e->type == Type::StorageTexture)) {
        return entry_refuse(fmt::format("the layout wants {}, {} was given", TypeName(e->type), TypeName(type)));
      }
      Why why = g.buffer    ? BufferRefusal(g, *e, device->limits())
                : g.sampler ? SamplerRefusal(*g.sampler, *e)
                            : TextureRefusal(*g.view, *e, *device);
      if (why) return entry_refuse(*why);
    } else if (g.buffer) {
      // Layout "auto": the library checks the types, but it does not know that a lent buffer is for reading only.
      if (!g.buffer->writable() && !layout->ReadsOnly(entry.binding)) {
        return entry_refuse(
            fmt::format("{} is lent for reading, and the shader's binding is not seen to be var<storage, read> or var<uniform>; "
                        "if it is, make the bind group layout yourself",
                        g.buffer->Name()));
      }
      if (!(g.buffer->usage() & (BU::Uniform | BU::Storage))) {
        return entry_refuse(fmt::format("{} has neither usage uniform nor usage storage", g.buffer->Name()));
      }
      if (g.offset > g.buffer->size() || g.size > g.buffer->size() - g.offset || g.size == 0) {
        return entry_refuse(fmt::format("the range {} + {} is empty or lies outside of {} with {} bytes", g.offset, g.size,
                                        g.buffer->Name(), g.buffer->size()));
      }
    }
    natives.push_back(n);
    all.emplace_back(entry.binding, std::move(g));
  }
  // Offsets of set-bind-group come in the order of the binding numbers.
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [binding, g] : all) Bind(*group, binding, g, layout->Find(binding));
  Watch(group.get());
  if (dead) return Add(std::move(group));

  // The same group, from an earlier frame.
  CacheKey key;
  const bool kept = Settled(*layout) && std::ranges::all_of(all, [&](const auto& given) {
                      const Given& g = given.second;
                      if (g.buffer) return Settled(*g.buffer);
                      if (g.sampler) return Settled(*g.sampler);
                      return Settled(*g.view->texture());
                    });
  if (kept) {
    const gpu::Procs& p = wgpu();
    key.Add(layout->native.get());
    for (const WGPUBindGroupEntry& e : natives) {
      key.Add(e.binding);
      if (e.buffer) {
        key.Add(e.buffer);
        key.Add(e.offset);
        key.Add(e.size);
      } else if (e.sampler) {
        key.Add(e.sampler);
      } else {
        key.Add(e.textureView);
      }
    }
    if (WGPUBindGroup found = groups_.Find(key)) {
      p.BindGroupAddRef(found);
      group->native = gpu_->Own(found);
      return Add(std::move(group));
    }
    key.Keep(layout->native.get(), p.BindGroupLayoutAddRef, p.BindGroupLayoutRelease);
    for (const WGPUBindGroupEntry& e : natives) {
      if (e.buffer) key.Keep(e.buffer, p.BufferAddRef, p.BufferRelease);
      if (e.sampler) key.Keep(e.sampler, p.SamplerAddRef, p.SamplerRelease);
      if (e.textureView) key.Keep(e.textureView, p.TextureViewAddRef, p.TextureViewRelease);
    }
    key.Charge(layout);
    for (const auto& [binding, g] : all) {
      if (g.buffer && !g.buffer->imported()) key.Charge(g.buffer);
      if (g.sampler) key.Charge(g.sampler);
      if (g.view && !g.view->texture()->imported()) key.Charge(Ref<VObject>(g.view->texture()));
    }
  }
  NativeErrors errors(device.get());
  WGPUBindGroupDescriptor n = WGPU_BIND_GROUP_DESCRIPTOR_INIT;
  n.label = gpu::Str(group->label());
  n.layout = layout->native.get();
  n.entryCount = natives.size();
  n.entries = natives.data();
  group->native = gpu_->Own(wgpu().DeviceCreateBindGroup(gpu_->handle(), &n));
  if (errors.Flush(fmt::format("creating {}: ", group->Name())) || !group->native) {
    group->Invalidate();
    group->native.Reset();
  } else if (kept) {
    wgpu().BindGroupAddRef(group->native.get());
    groups_.Put(std::move(key), gpu_->Own(group->native.get()));
  }
  return Add(std::move(group));
}

}  // namespace weft::host
