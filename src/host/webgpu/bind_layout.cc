// SPDX-License-Identifier: Apache-2.0
// Bind group layouts and pipeline layouts (specification 8.1, 8.3).
#include <algorithm>
#include <array>

#include "host/webgpu/convert.h"
#include "host/webgpu/formats.h"
#include "host/webgpu/virtual_gpu.h"

namespace weft::host {

namespace {

using Stage = wit::GpuShaderStage;
using Type = BindingLayout::Type;

// "Exceeds the binding slot limits": what one layout, or all groups of a pipeline layout together, take.
class SlotCounts {
 public:
  void Add(const BindingLayout& e) {
    switch (e.type) {
      case Type::Buffer:
        if (e.buffer == wit::GpuBufferBindingType::Uniform) {
          dynamic_uniform_ += e.dynamic;
          Bump(uniform_buffers_, e.visibility);
        } else {
          dynamic_storage_ += e.dynamic;
          Bump(storage_buffers_, e.visibility);
        }
        break;
      case Type::Sampler: Bump(samplers_, e.visibility); break;
      case Type::Texture: Bump(sampled_, e.visibility); break;
      case Type::StorageTexture: Bump(storage_textures_, e.visibility); break;
    }
  }
  std::optional<std::string> Refusal(const WGPULimits& l) const {
    auto over = [](uint32_t n, uint32_t max, std::string_view limit) -> std::optional<std::string> {
      if (n <= max) return std::nullopt;
      return fmt::format("{} bindings are more than the limit {} {}", n, limit, max);
    };
    auto most = [](const std::array<uint32_t, 3>& a) { return *std::max_element(a.begin(), a.end()); };
    if (auto r = over(dynamic_uniform_, l.maxDynamicUniformBuffersPerPipelineLayout, "maxDynamicUniformBuffersPerPipelineLayout")) return r;
    if (auto r = over(dynamic_storage_, l.maxDynamicStorageBuffersPerPipelineLayout, "maxDynamicStorageBuffersPerPipelineLayout")) return r;
    if (auto r = over(most(uniform_buffers_), l.maxUniformBuffersPerShaderStage, "maxUniformBuffersPerShaderStage")) return r;
    if (auto r = over(most(storage_buffers_), l.maxStorageBuffersPerShaderStage, "maxStorageBuffersPerShaderStage")) return r;
    if (auto r = over(most(samplers_), l.maxSamplersPerShaderStage, "maxSamplersPerShaderStage")) return r;
    if (auto r = over(most(sampled_), l.maxSampledTexturesPerShaderStage, "maxSampledTexturesPerShaderStage")) return r;
    return over(most(storage_textures_), l.maxStorageTexturesPerShaderStage, "maxStorageTexturesPerShaderStage");
  }

 private:
  static void Bump(std::array<uint32_t, 3>& counts, uint32_t visibility) {
    for (uint32_t s = 0; s < 3; ++s) counts[s] += (visibility >> s) & 1;
  }
  uint32_t dynamic_uniform_ = 0, dynamic_storage_ = 0;
  std::array<uint32_t, 3> uniform_buffers_{}, storage_buffers_{}, samplers_{}, sampled_{}, storage_textures_{};
};

BindingLayout ToLayout(const wit::GpuBindGroupLayoutEntry& e) {
  BindingLayout b;
  b.binding = e.binding;
  b.visibility = e.visibility.bits;
  if (e.buffer) {
    b.type = Type::Buffer;
    b.buffer = e.buffer->type.value_or(wit::GpuBufferBindingType::Uniform);
    b.dynamic = e.buffer->has_dynamic_offset.value_or(false);
    b.min_size = e.buffer->min_binding_size.value_or(0);
  } else if (e.sampler) {
    b.type = Type::Sampler;
    b.sampler = e.sampler->type.value_or(wit::GpuSamplerBindingType::Filtering);
  } else if (e.texture) {
    b.type = Type::Texture;
    b.sample = e.texture->sample_type.value_or(wit::GpuTextureSampleType::Float);
    b.view = e.texture->view_dimension.value_or(wit::GpuTextureViewDimension::D2);
    b.multisampled = e.texture->multisampled.value_or(false);
  } else if (e.storage_texture) {
    b.type = Type::StorageTexture;
    b.access = e.storage_texture->access.value_or(wit::GpuStorageTextureAccess::WriteOnly);
    b.format = e.storage_texture->format;
    b.view = e.storage_texture->view_dimension.value_or(wit::GpuTextureViewDimension::D2);
  }
  return b;
}

std::optional<std::string> EntryRefusal(const wit::GpuBindGroupLayoutEntry& given, const BindingLayout& e, const VDevice& device) {
  const uint32_t max = device.limits().maxBindingsPerBindGroup;
  if (e.binding >= max) return fmt::format("the number is not below the limit maxBindingsPerBindGroup {}", max);
  if (e.visibility & ~(Stage::Vertex | Stage::Fragment | Stage::Compute)) return "the visibility has bits that are no shader stage";
  const int kinds = given.buffer.has + given.sampler.has + given.texture.has + given.storage_texture.has;
  if (kinds != 1) return fmt::format("exactly one of buffer, sampler, texture and storage-texture must be given, not {}", kinds);
  const bool vertex = e.visibility & Stage::Vertex;
  switch (e.type) {
    case Type::Buffer:
      if (vertex && e.buffer == wit::GpuBufferBindingType::Storage) return "a vertex shader cannot see a writable storage buffer";
      break;
    case Type::Sampler: break;
    case Type::Texture:
      if (e.multisampled && e.view != wit::GpuTextureViewDimension::D2) return "a multisampled texture has view dimension d2";
      if (e.multisampled && e.sample == wit::GpuTextureSampleType::Float) {
        return "a multisampled texture cannot have sample type float; unfilterable-float can";
      }
      break;
    case Type::StorageTexture: {
      using Access = wit::GpuStorageTextureAccess;
      using View = wit::GpuTextureViewDimension;
      if (e.view == View::Cube || e.view == View::CubeArray) return "a storage texture cannot have view dimension cube or cube-array";
      if (vertex && e.access != Access::ReadOnly) return "a vertex shader cannot see a writable storage texture";
      const FormatAbilities f = Abilities(e.format, device.features());
      const bool can = f.supported && (e.access == Access::WriteOnly  ? f.storage_write
                                       : e.access == Access::ReadOnly ? f.storage_read
                                                                      : f.storage_read_write);
      if (!can) return fmt::format("format {} cannot be a {} storage texture", wit::ToString(e.format), wit::ToString(e.access));
      break;
    }
  }
  return std::nullopt;
}

WGPUBindGroupLayoutEntry ToNativeEntry(const BindingLayout& e) {
  WGPUBindGroupLayoutEntry n = WGPU_BIND_GROUP_LAYOUT_ENTRY_INIT;
  n.binding = e.binding;
  n.visibility = e.visibility;
  switch (e.type) {
    case Type::Buffer:
      n.buffer.type = ToNative(e.buffer);
      n.buffer.hasDynamicOffset = e.dynamic;
      // The library ends the process for the greatest number. More than any buffer has is all the same to it; our own check has the true
      // one.
      n.buffer.minBindingSize = std::min(e.min_size, uint64_t{1} << 48);
      break;
    case Type::Sampler: n.sampler.type = ToNative(e.sampler); break;
    case Type::Texture:
      n.texture.sampleType = ToNative(e.sample);
      n.texture.viewDimension = ToNative(e.view);
      n.texture.multisampled = e.multisampled;
      break;
    case Type::StorageTexture:
      n.storageTexture.access = ToNative(e.access);
      n.storageTexture.format = ToNative(e.format);
      n.storageTexture.viewDimension = ToNative(e.view);
      break;
  }
  return n;
}

}  // namespace

Result<Rep> VirtualGpu::OnGpuDeviceCreateBindGroupLayout(Rep self, const wit::GpuBindGroupLayoutDescriptor& d) {
  WEFT_TRY_ASSIGN(auto device, Get<VDevice>(self));
  auto layout = Make<VBindGroupLayout>(device, d.label);
  if (!layout->valid()) return Add(std::move(layout));
  auto refuse = [&](const std::string& why) {
    layout->Invalidate();
    layout->entries.clear();
    device->Validation(fmt::format("creating {}: {}", layout->Name(), why));
    return Add(std::move(layout));
  };
  if (device->lost()) return refuse({});
  const WGPULimits& limits = device->limits();
  if (d.entries.size > limits.maxBindingsPerBindGroup) {
    return refuse(
        fmt::format("{} entries are more than the limit maxBindingsPerBindGroup {}", d.entries.size, limits.maxBindingsPerBindGroup));
  }
  SlotCounts counts;
  for (const auto& given : d.entries) {
    const BindingLayout e = ToLayout(given);
    if (auto why = EntryRefusal(given, e, *device)) return refuse(fmt::format("binding {}: {}", e.binding, *why));
    counts.Add(e);
    layout->entries.push_back(e);
  }
  std::sort(layout->entries.begin(), layout->entries.end(), [](const auto& a, const auto& b) { return a.binding < b.binding; });
  const auto twice = std::adjacent_find(layout->entries.begin(), layout->entries.end(),
                                        [](const auto& a, const auto& b) { return a.binding == b.binding; });
  if (twice != layout->entries.end()) return refuse(fmt::format("binding {} is there twice", twice->binding));
  if (auto why = counts.Refusal(limits)) return refuse(*why);

  std::vector<WGPUBindGroupLayoutEntry> entries;
  for (const BindingLayout& e : layout->entries) entries.push_back(ToNativeEntry(e));
  NativeErrors errors(device.get());
  WGPUBindGroupLayoutDescriptor n = WGPU_BIND_GROUP_LAYOUT_DESCRIPTOR_INIT;
  n.label = gpu::Str(layout->label());
  n.entryCount = entries.size();
  n.entries = entries.data();
  layout->native = gpu_->Own(wgpu().DeviceCreateBindGroupLayout(gpu_->handle(), &n));
  if (errors.Flush(fmt::format("creating {}: ", layout->Name())) || !layout->native) {
    layout->Invalidate();
    layout->native.Reset();
  }
  return Add(std::move(layout));
}

Result<Rep> VirtualGpu::OnGpuDeviceCreatePipelineLayout(Rep self, const wit::GpuPipelineLayoutDescriptor& d) {
  WEFT_TRY_ASSIGN(auto device, Get<VDevice>(self));
  auto layout = Make<VPipelineLayout>(device, d.label);
  if (!layout->valid()) return Add(std::move(layout));
  auto refuse = [&](const std::string& why) {
    layout->Invalidate();
    layout->groups.clear();
    device->Validation(fmt::format("creating {}: {}", layout->Name(), why));
    return Add(std::move(layout));
  };
  if (device->lost()) return refuse({});
  const WGPULimits& limits = device->limits();
  if (d.bind_group_layouts.size > limits.maxBindGroups) {
    return refuse(
        fmt::format("{} bind group layouts are more than the limit maxBindGroups {}", d.bind_group_layouts.size, limits.maxBindGroups));
  }
  SlotCounts counts;
  std::vector<WGPUBindGroupLayout> natives;
  for (size_t i = 0; i < d.bind_group_layouts.size; ++i) {
    if (!d.bind_group_layouts[i]) {
      layout->groups.emplace_back();
      natives.push_back(nullptr);
      continue;
    }
    WEFT_TRY_ASSIGN(auto group, Get<VBindGroupLayout>(*d.bind_group_layouts[i]));
    if (auto why = UseRefusal(device.get(), *group)) return refuse(fmt::format("bind group layout {}: {}", i, *why));
    if (group->exclusive) {
      return refuse(fmt::format("bind group layout {}: {} belongs to a pipeline with layout auto and goes with that pipeline only", i,
                                group->Name()));
    }
    for (const BindingLayout& e : group->entries) counts.Add(e);
    natives.push_back(group->native.get());
    layout->groups.push_back(std::move(group));
  }
  if (auto why = counts.Refusal(limits)) return refuse(*why);
  layout->immediate_size = d.immediate_size.value_or(0);
  if (layout->immediate_size > limits.maxImmediateSize || layout->immediate_size % 4 != 0) {
    return refuse(fmt::format("immediate size {} must be a multiple of 4 and at most the limit maxImmediateSize {}", layout->immediate_size,
                              limits.maxImmediateSize));
  }

  NativeErrors errors(device.get());
  // Where a group is absent the library gets an empty layout; null ones it does not take.
  if (std::find(natives.begin(), natives.end(), nullptr) != natives.end()) {
    WGPUBindGroupLayoutDescriptor empty = WGPU_BIND_GROUP_LAYOUT_DESCRIPTOR_INIT;
    layout->empty_group = gpu_->Own(wgpu().DeviceCreateBindGroupLayout(gpu_->handle(), &empty));
    std::replace(natives.begin(), natives.end(), WGPUBindGroupLayout(nullptr), layout->empty_group.get());
  }
  WGPUPipelineLayoutDescriptor n = WGPU_PIPELINE_LAYOUT_DESCRIPTOR_INIT;
  n.label = gpu::Str(layout->label());
  n.bindGroupLayoutCount = natives.size();
  n.bindGroupLayouts = natives.data();
  n.immediateSize = layout->immediate_size;
  layout->native = gpu_->Own(wgpu().DeviceCreatePipelineLayout(gpu_->handle(), &n));
  if (errors.Flush(fmt::format("creating {}: ", layout->Name())) || !layout->native) {
    layout->Invalidate();
    layout->native.Reset();
  }
  return Add(std::move(layout));
}

}  // namespace weft::host
