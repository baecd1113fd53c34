// SPDX-License-Identifier: Apache-2.0
#include "host/webgpu/pipeline_stage.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace weft::host {

namespace {
std::string_view StageName(WgslEntry::Stage s) {
  switch (s) {
    case WgslEntry::Stage::Vertex: return "vertex";
    case WgslEntry::Stage::Fragment: return "fragment";
    case WgslEntry::Stage::Compute: break;
  }
  return "compute";
}

Use UseOf(const WgslBinding& b) {
  using K = WgslBinding::Kind;
  using A = WgslBinding::Access;
  switch (b.kind) {
    case K::StorageRead: return Use::StorageRead;
    case K::StorageReadWrite: return Use::Storage;
    case K::StorageTexture: return b.access == A::Read ? Use::StorageRead : b.access == A::Write ? Use::StorageWrite : Use::Storage;
    default: return Use::Constant;
  }
}

WgslConstants ConstantsOf(const NativeStage& stage) {
  return [&stage](std::string_view key) -> std::optional<double> {
    for (const WGPUConstantEntry& c : stage.constants) {
      if (std::string_view(c.key.data, c.key.length) == key) return c.value;
    }
    return std::nullopt;
  };
}
}  // namespace

std::optional<std::string> WorkgroupRefusal(const NativeStage& stage, const WGPULimits& l) {
  const WgslModule& module = stage.owner->reflected;
  const WgslConstants constants = ConstantsOf(stage);
  const uint32_t most[3] = {l.maxComputeWorkgroupSizeX, l.maxComputeWorkgroupSizeY, l.maxComputeWorkgroupSizeZ};
  uint64_t all = 1;
  for (size_t i = 0; i < stage.entry->workgroup_size.size() && i < 3; ++i) {
    const auto size = WgslInteger(module, stage.entry->workgroup_size[i], constants);
    if (!size) return std::nullopt;  // an expression: the library knows
    if (*size > most[i]) {
      return fmt::format("the workgroup size is {} in {}, the limit maxComputeWorkgroupSize{} is {}", *size, "XYZ"[i], "XYZ"[i], most[i]);
    }
    all *= *size;
  }
  if (all > l.maxComputeInvocationsPerWorkgroup) {
    return fmt::format("a workgroup has {} invocations, the limit maxComputeInvocationsPerWorkgroup is {}", all,
                       l.maxComputeInvocationsPerWorkgroup);
  }
  uint64_t bytes = 0;
  for (const WgslType& type : stage.entry->workgroup) {
    const auto size = WgslSizeOf(module, type, constants);
    if (!size) return std::nullopt;
    bytes += (*size + 15) / 16 * 16;
  }
  if (bytes > l.maxComputeWorkgroupStorageSize) {
    return fmt::format("a workgroup has {} bytes of memory, the limit maxComputeWorkgroupStorageSize is {}", bytes,
                       l.maxComputeWorkgroupStorageSize);
  }
  return std::nullopt;
}

std::optional<std::string> AutoLayoutRefusal(const NativeStage& stage, const WGPULimits& l) {
  using K = WgslBinding::Kind;
  std::map<K, std::set<std::pair<uint32_t, uint32_t>>> seen;
  for (const uint32_t i : stage.entry->uses) {
    const WgslBinding& b = stage.owner->reflected.bindings[i];
    if (b.group >= l.maxBindGroups)
      return fmt::format("'{}' is in group {}, the limit maxBindGroups is {}", b.name, b.group, l.maxBindGroups);
    if (b.binding >= l.maxBindingsPerBindGroup) {
      return fmt::format("'{}' has binding {}, the limit maxBindingsPerBindGroup is {}", b.name, b.binding, l.maxBindingsPerBindGroup);
    }
    seen[b.kind == K::StorageRead ? K::StorageReadWrite : b.kind].emplace(b.group, b.binding);
  }
  const struct {
    K kind;
    uint32_t most;
    std::string_view limit;
  } kinds[] = {{K::Uniform, l.maxUniformBuffersPerShaderStage, "maxUniformBuffersPerShaderStage"},
               {K::StorageReadWrite, l.maxStorageBuffersPerShaderStage, "maxStorageBuffersPerShaderStage"},
               {K::Sampler, l.maxSamplersPerShaderStage, "maxSamplersPerShaderStage"},
               {K::Texture, l.maxSampledTexturesPerShaderStage, "maxSampledTexturesPerShaderStage"},
               {K::StorageTexture, l.maxStorageTexturesPerShaderStage, "maxStorageTexturesPerShaderStage"}};
  for (const auto& [kind, most, limit] : kinds) {
    if (seen[kind].size() > most)
      return fmt::format("'{}' uses {} of what {} allows {} of", stage.entry->name, seen[kind].size(), limit, most);
  }
  return std::nullopt;
}

void AddUsed(PipelineGroups& groups, const NativeStage& stage) {
  const WgslModule& module = stage.owner->reflected;
  groups.named.insert(groups.named.end(), module.bindings.begin(), module.bindings.end());
  groups.uncertain |= module.uncertain;
  groups.immediates |= module.immediates;
  for (const uint32_t i : stage.entry->uses) groups.used.push_back(module.bindings[i]);
}

Status ReadStageParts(const VirtualGpu& gpu, const VDevice* device, Rep module, const Opt<Str>& entry, const Opt<Rep>& constants,
                      WgslEntry::Stage kind, NativeStage* out, std::optional<std::string>* why) {
  WEFT_TRY_ASSIGN(out->owner, gpu.Get<VShaderModule>(module));
  if (constants) {
    WEFT_TRY_ASSIGN(out->record, gpu.Get<VRecordConstants>(*constants));
  }
  if (*why) return {};
  const VShaderModule& m = *out->owner;
  if ((*why = VirtualGpu::UseRefusal(device, m))) return {};
  out->module = m.native.get();
  // The text's own entry points, for a message that lists them.
  std::vector<std::string> names;
  for (const WgslEntry& e : m.reflected.entries) {
    if (e.stage == kind) names.push_back(e.name);
  }
  const auto list = fmt::format("{}", fmt::join(names, ", "));
  if (entry) {
    out->entry_point = gpu::Str(entry->view());
    if (std::find(names.begin(), names.end(), entry->view()) == names.end()) {
      *why =
          fmt::format("{} has no {} entry point '{}'; it has {}", m.Name(), StageName(kind), entry->view(), names.empty() ? "none" : list);
      return {};
    }
  } else if (names.size() != 1) {
    *why = fmt::format("no {} entry point was named, and {} has {}", StageName(kind), m.Name(), names.empty() ? "none" : list);
    return {};
  } else {
    out->entry_point = gpu::Str(
        std::find_if(m.reflected.entries.begin(), m.reflected.entries.end(), [&](const WgslEntry& e) { return e.stage == kind; })->name);
  }
  out->entry = m.reflected.Find(kind, std::string_view(out->entry_point.data, out->entry_point.length));
  if (!out->record) return {};
  for (const auto& [key, value] : out->record->entries) {
    if (!std::isfinite(value)) {
      *why = fmt::format("the {} stage's constant '{}' is {}, not a finite number", StageName(kind), key, value);
      return {};
    }
    WGPUConstantEntry n = WGPU_CONSTANT_ENTRY_INIT;
    n.key = gpu::Str(key);
    n.value = value;
    out->constants.push_back(n);
  }
  return {};
}

Status ReadLayout(const VirtualGpu& gpu, const VDevice* device, const wit::GpuLayoutMode& mode, PipelineGroups* groups,
                  WGPUPipelineLayout* native, std::optional<std::string>* why) {
  if (mode.tag == wit::GpuLayoutMode::Tag::Auto) {
    groups->id = gpu.gpu().NewId();
    return {};
  }
  WEFT_TRY_ASSIGN(groups->layout, gpu.Get<VPipelineLayout>(mode.specific));
  if (*why) return {};
  if ((*why = VirtualGpu::UseRefusal(device, *groups->layout))) return {};
  *native = groups->layout->native.get();
  return {};
}

Ref<VBindGroupLayout> VirtualGpu::GroupLayoutOf(const VObject& pipeline, PipelineGroups& groups, uint32_t index,
                                                const std::function<WGPUBindGroupLayout()>& ask) {
  const Ref<VDevice> device(pipeline.device());
  auto invalid = [&](std::string_view why) {
    auto layout = Make<VBindGroupLayout>(device, {});
    layout->Invalidate();
    device->Validation(fmt::format("get-bind-group-layout({}) of {}: {}", index, pipeline.Name(), why));
    return layout;
  };
  if (auto why = UseRefusal(device.get(), pipeline)) return invalid(*why);
  if (index >= device->limits().maxBindGroups) return invalid(fmt::format("the limit maxBindGroups is {}", device->limits().maxBindGroups));
  if (groups.layout) {
    if (index < groups.layout->groups.size() && groups.layout->groups[index]) return groups.layout->groups[index];
    // In a gap of the layout and behind its end: a group of no bindings.
    auto empty = Make<VBindGroupLayout>(device, {});
    if (!empty->valid()) return empty;
    const WGPUBindGroupLayoutDescriptor n = WGPU_BIND_GROUP_LAYOUT_DESCRIPTOR_INIT;
    empty->native = gpu_->Own(wgpu().DeviceCreateBindGroupLayout(gpu_->handle(), &n));
    return empty;
  }
  if (auto made = groups.automatic.find(index); made != groups.automatic.end()) return made->second;
  auto layout = Make<VBindGroupLayout>(device, {});
  if (!layout->valid()) return layout;
  layout->exclusive = groups.id;
  layout->exclusive_index = index;
  // A binding that some entry point could write is not for reading only, whichever of the shader's variables stands there.
  for (const WgslBinding& b : groups.named) {
    if (groups.uncertain || b.group != index) continue;
    const bool reads = std::all_of(groups.named.begin(), groups.named.end(), [&](const WgslBinding& o) {
      return o.group != b.group || o.binding != b.binding || o.kind == WgslBinding::Kind::Uniform ||
             o.kind == WgslBinding::Kind::StorageRead;
    });
    if (reads) layout->read_only.push_back(b.binding);
  }
  for (const WgslBinding& b : groups.used) {
    if (!groups.uncertain && b.group == index && b.kind != WgslBinding::Kind::Sampler) layout->uses.emplace_back(b.binding, UseOf(b));
  }
  NativeErrors errors(device.get());
  layout->native = gpu_->Own(ask());
  if (errors.Flush(fmt::format("get-bind-group-layout({}) of {}: ", index, pipeline.Name())) || !layout->native) {
    layout->Invalidate();
    layout->native.Reset();
    return layout;
  }
  groups.automatic[index] = layout;
  return layout;
}

}  // namespace weft::host
