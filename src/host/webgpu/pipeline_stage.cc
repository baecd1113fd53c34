// SPDX-License-Identifier: Apache-2.0
#include "host/webgpu/pipeline_stage.h"

#include <algorithm>
#include <cmath>

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
}  // namespace

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
  if (groups.layout) {
    if (index < groups.layout->groups.size() && groups.layout->groups[index]) return groups.layout->groups[index];
    return invalid(fmt::format("the pipeline's layout has {} groups", groups.layout->groups.size()));
  }
  if (index >= device->limits().maxBindGroups) return invalid(fmt::format("the limit maxBindGroups is {}", device->limits().maxBindGroups));
  if (auto made = groups.automatic.find(index); made != groups.automatic.end()) return made->second;
  auto layout = Make<VBindGroupLayout>(device, {});
  if (!layout->valid()) return layout;
  layout->exclusive = groups.id;
  layout->exclusive_index = index;
  // A binding that some entry point could write is not for reading only, whichever of the shader's variables stands there.
  for (const WgslBinding& b : groups.reflected.bindings) {
    if (groups.reflected.uncertain || b.group != index) continue;
    const bool reads = std::all_of(groups.reflected.bindings.begin(), groups.reflected.bindings.end(), [&](const WgslBinding& o) {
      return o.group != b.group || o.binding != b.binding || o.kind == WgslBinding::Kind::Uniform ||
             o.kind == WgslBinding::Kind::StorageRead;
    });
    if (reads) layout->read_only.push_back(b.binding);
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
