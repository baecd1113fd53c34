// SPDX-License-Identifier: Apache-2.0
// gpu-compute-pass-encoder (WebGPU 16). A usage scope is one dispatch: the groups that the pipeline uses, and the indirect buffer.
#include "host/webgpu/pass_common.h"

namespace weft::host {

namespace {

// Groups and scope. Empty when the dispatch may go on.
std::string CheckDispatch(VComputePass& pass, const VBuffer* indirect) {
  const bool changed = pass.bindings.dirty();
  if (std::string why = pass.bindings.CheckGroups(); !why.empty()) return why;
  if (changed || !pass.scope_good) {
    pass.scope.Clear();
    pass.scope_good = false;
    for (uint32_t i = 0, used = pass.bindings.used_groups(); used != 0; ++i, used >>= 1) {
      if (!(used & 1)) continue;
      if (std::string why = AddGroupToScope(pass.scope, *pass.bindings.group(i)); !why.empty()) return why;
    }
    pass.scope_good = true;
  }
  if (indirect != nullptr) {
    pass.scope_good = false;  // the next dispatch does not have it
    return AddBufferToScope(pass.scope, *indirect, Use::Input);
  }
  return {};
}

}  // namespace

Status VirtualGpu::OnGpuComputePassEncoderSetPipeline(Rep self, Rep pipeline) {
  constexpr std::string_view kMethod = "set-pipeline";
  WEFT_TRY_ASSIGN(Ref<VComputePass> pass, Get<VComputePass>(self));
  WEFT_TRY_ASSIGN(Ref<VComputePipeline> p, Get<VComputePipeline>(pipeline));
  if (!Ready(*pass, kMethod) || !UseObject(pass->encoder(), *p, *pass, kMethod)) return {};
  pass->seen.Add(p.get());
  pass->bindings.SetPipeline(p.get(), &p->groups);
  if (pass->encoder().feed()) wgpu().ComputePassEncoderSetPipeline(pass->native.get(), p->native.get());
  return {};
}

Status VirtualGpu::OnGpuComputePassEncoderDispatchWorkgroups(Rep self, uint32_t workgroup_count_x, const Opt<uint32_t>& workgroup_count_y,
                                                             const Opt<uint32_t>& workgroup_count_z) {
  constexpr std::string_view kMethod = "dispatch-workgroups";
  WEFT_TRY_ASSIGN(Ref<VComputePass> pass, Get<VComputePass>(self));
  if (!Ready(*pass, kMethod)) return {};
  const uint32_t x = workgroup_count_x, y = workgroup_count_y.value_or(1), z = workgroup_count_z.value_or(1);
  const uint32_t max = pass->device()->limits().maxComputeWorkgroupsPerDimension;
  std::string why = CheckDispatch(*pass, nullptr);
  if (why.empty() && (x > max || y > max || z > max)) {
    why = fmt::format("({}, {}, {}) workgroups are more than the limit maxComputeWorkgroupsPerDimension, {}.", x, y, z, max);
  }
  if (!why.empty()) {
    FailCall(*pass, kMethod, why);
    return {};
  }
  if (!pass->encoder().feed() || x == 0 || y == 0 || z == 0) return {};
  FlushImmediates(wgpu(), *pass);
  wgpu().ComputePassEncoderDispatchWorkgroups(pass->native.get(), x, y, z);
  return {};
}

Status VirtualGpu::OnGpuComputePassEncoderDispatchWorkgroupsIndirect(Rep self, Rep indirect_buffer, uint64_t indirect_offset) {
  constexpr std::string_view kMethod = "dispatch-workgroups-indirect";
  WEFT_TRY_ASSIGN(Ref<VComputePass> pass, Get<VComputePass>(self));
  WEFT_TRY_ASSIGN(Ref<VBuffer> buffer, Get<VBuffer>(indirect_buffer));
  if (!Ready(*pass, kMethod) || !UseObject(pass->encoder(), *buffer, *pass, kMethod)) return {};
  std::string why = CheckIndirect(*buffer, indirect_offset, 12);
  if (why.empty()) why = CheckDispatch(*pass, buffer.get());
  if (!why.empty()) {
    FailCall(*pass, kMethod, why);
    return {};
  }
  if (!pass->encoder().Use(buffer.get(), false, *pass, kMethod)) return {};
  pass->seen.Add(buffer.get());
  WatchIfLent(*this, pass->encoder());
  if (!pass->encoder().feed()) return {};
  FlushImmediates(wgpu(), *pass);
  wgpu().ComputePassEncoderDispatchWorkgroupsIndirect(pass->native.get(), buffer->native.get(), indirect_offset);
  return {};
}

Status VirtualGpu::OnGpuComputePassEncoderEnd(Rep self) {
  WEFT_TRY_ASSIGN(Ref<VComputePass> pass, Get<VComputePass>(self));
  if (pass->ended) {
    pass->device()->Validation(fmt::format("{}.end: it has ended already.", pass->Name()));
    return {};
  }
  pass->ended = true;
  if (pass->debug_depth != 0) FailCall(*pass, "end", fmt::format("{} debug groups were pushed and not popped.", pass->debug_depth));
  if (pass->encoder().feed() && pass->native) {
    DeferredErrors errors(pass->encoder(), "end-compute-pass");
    wgpu().ComputePassEncoderEnd(pass->native.get());
  }
  pass->native.Reset();
  pass->Unlock();
  return {};
}

Status VirtualGpu::OnGpuComputePassEncoderPushDebugGroup(Rep self, Str group_label) {
  return PushDebugGroup<VComputePass>(*this, self, group_label);
}
Status VirtualGpu::OnGpuComputePassEncoderPopDebugGroup(Rep self) { return PopDebugGroup<VComputePass>(*this, self); }
Status VirtualGpu::OnGpuComputePassEncoderInsertDebugMarker(Rep self, Str marker_label) {
  return InsertDebugMarker<VComputePass>(*this, self, marker_label);
}
Result<Res<Unit, wit::SetBindGroupError>> VirtualGpu::OnGpuComputePassEncoderSetBindGroup(
    Rep self, uint32_t index, const Opt<Rep>& bind_group, const Opt<List<uint32_t>>& dynamic_offsets_data,
    const Opt<uint64_t>& dynamic_offsets_data_start, const Opt<uint32_t>& dynamic_offsets_data_length) {
  return SetBindGroup<VComputePass>(*this, self, index, bind_group, dynamic_offsets_data, dynamic_offsets_data_start,
                                    dynamic_offsets_data_length);
}
Status VirtualGpu::OnGpuComputePassEncoderSetImmediates(Rep self, uint32_t range_offset, const List<uint8_t>& data,
                                                        const Opt<uint64_t>& data_offset, const Opt<uint64_t>& data_size) {
  return SetImmediates<VComputePass>(*this, self, range_offset, data, data_offset, data_size);
}

}  // namespace weft::host
