// SPDX-License-Identifier: Apache-2.0
// What compute and render pipelines share: the programmable stage, the layout, and the answer to get-bind-group-layout.
#pragma once

#include <string>
#include <vector>

#include "host/webgpu/values.h"
#include "host/webgpu/virtual_gpu.h"

namespace weft::host {

// A stage as the library takes it; keeps what the native struct points to.
struct NativeStage {
  WGPUShaderModule module = nullptr;
  WGPUStringView entry_point = {nullptr, WGPU_STRLEN};  // null: the only entry point of the stage
  std::vector<WGPUConstantEntry> constants;
  Ref<VShaderModule> owner;
  const WgslEntry* entry = nullptr;  // in the owner
  Ref<VRecordConstants> record;
};

// Reads module, entry point and constants. A trap when a handle is wrong; `why` when a rule is broken.
template <class Stage>
Status ReadStage(const VirtualGpu& gpu, const VDevice* device, const Stage& stage, WgslEntry::Stage kind, NativeStage* out,
                 std::optional<std::string>* why);
Status ReadStageParts(const VirtualGpu& gpu, const VDevice* device, Rep module, const Opt<Str>& entry, const Opt<Rep>& constants,
                      WgslEntry::Stage kind, NativeStage* out, std::optional<std::string>* why);

template <class Stage>
Status ReadStage(const VirtualGpu& gpu, const VDevice* device, const Stage& stage, WgslEntry::Stage kind, NativeStage* out,
                 std::optional<std::string>* why) {
  return ReadStageParts(gpu, device, stage.module, stage.entry_point, stage.constants, kind, out, why);
}

// What a compute stage asks of this device's limits, which may be lower than those of the real one.
std::optional<std::string> WorkgroupRefusal(const NativeStage& stage, const WGPULimits& limits);
// The same of the layout that is made of a stage where none is given.
std::optional<std::string> AutoLayoutRefusal(const NativeStage& stage, const WGPULimits& limits);
// Notes a stage's bindings for layout "auto".
void AddUsed(PipelineGroups& groups, const NativeStage& stage);

// The async forms' answer to a failure.
Res<Rep, wit::CreatePipelineError> PipelineFailure(const std::vector<DeviceError>& errors);

// The layout: fills `groups` and the native handle (null: "auto").
Status ReadLayout(const VirtualGpu& gpu, const VDevice* device, const wit::GpuLayoutMode& mode, PipelineGroups* groups,
                  WGPUPipelineLayout* native, std::optional<std::string>* why);

}  // namespace weft::host
