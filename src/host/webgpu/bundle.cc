// SPDX-License-Identifier: Apache-2.0
// gpu-render-bundle-encoder (WebGPU 18). The library ends the process for a descriptor that it does not like, so none such reaches it.
#include "host/webgpu/encoder_copy_rules.h"
#include "host/webgpu/pass_render_common.h"
#include "host/webgpu/pass_targets.h"

namespace weft::host {

std::string AddBundleToScope(UsageScope& scope, const BundleUses& uses) {
  for (const auto& g : uses.groups) {
    if (std::string why = AddGroupToScope(scope, *g); !why.empty()) return why;
  }
  for (const auto& b : uses.inputs) {
    if (std::string why = AddBufferToScope(scope, *b, Use::Input); !why.empty()) return why;
  }
  return {};
}

void VRenderBundleEncoder::DropNative() {
  FailRevoked();
  native.Reset();
}

namespace {

std::string CheckBundleTargets(const VDevice& device, const wit::GpuRenderBundleEncoderDescriptor& d) {
  const uint32_t samples = d.sample_count.value_or(1);
  if (samples != 1 && samples != 4) return fmt::format("the sample-count {} is neither 1 nor 4.", samples);
  const uint32_t max = device.limits().maxColorAttachments;
  if (d.color_formats.size > max) {
    return fmt::format("{} colour formats are more than the limit maxColorAttachments, {}.", d.color_formats.size, max);
  }
  std::vector<OptFormat> formats;
  bool any = false;
  for (const auto& f : d.color_formats) {
    formats.push_back(f ? OptFormat(*f) : OptFormat());
    if (!f) continue;
    any = true;
    if (std::string why = CheckColorTarget(device, *f, samples); !why.empty()) return why;
  }
  if (std::string why = CheckColorBytes(device.limits(), formats); !why.empty()) return why;
  if (d.depth_stencil_format) {
    any = true;
    if (std::string why = CheckDepthStencilTarget(device, *d.depth_stencil_format); !why.empty()) return why;
  }
  return any ? std::string() : "it has neither a colour format nor a depth-stencil format.";
}

}  // namespace

Result<Rep> VirtualGpu::OnGpuDeviceCreateRenderBundleEncoder(Rep self, const wit::GpuRenderBundleEncoderDescriptor& descriptor) {
  constexpr std::string_view kWhere = "gpu-device.create-render-bundle-encoder";
  WEFT_TRY_ASSIGN(Ref<VDevice> device, Get<VDevice>(self));
  auto e = Make<VRenderBundleEncoder>(device, descriptor.label);
  if (!e->valid() || device->lost()) return Add(std::move(e));
  if (std::string why = CheckBundleTargets(*device, descriptor); !why.empty()) {
    e->Invalidate();
    device->Validation(fmt::format("{}: {}", kWhere, why));
    return Add(std::move(e));
  }
  std::vector<WGPUTextureFormat> formats;
  for (const auto& f : descriptor.color_formats) {
    e->targets.colors.push_back(f ? OptFormat(*f) : OptFormat());
    formats.push_back(f ? ToNative(*f) : WGPUTextureFormat_Undefined);
  }
  e->targets.Trim();
  if (descriptor.depth_stencil_format) e->targets.depth_stencil = *descriptor.depth_stencil_format;
  e->targets.samples = descriptor.sample_count.value_or(1);
  e->depth_read_only = descriptor.depth_read_only.value_or(false);
  e->stencil_read_only = descriptor.stencil_read_only.value_or(false);

  formats.resize(e->targets.colors.size());  // see RenderBegin::BeginNative

  WGPURenderBundleEncoderDescriptor d = WGPU_RENDER_BUNDLE_ENCODER_DESCRIPTOR_INIT;
  d.label = gpu::Str(e->label());
  d.colorFormatCount = formats.size();
  d.colorFormats = formats.data();
  d.depthStencilFormat = e->targets.depth_stencil ? ToNative(*e->targets.depth_stencil) : WGPUTextureFormat_Undefined;
  d.sampleCount = e->targets.samples;
  d.depthReadOnly = e->depth_read_only;
  d.stencilReadOnly = e->stencil_read_only;
  NativeErrors errors(device.get());
  e->native = {wgpu().DeviceCreateRenderBundleEncoder(gpu().handle(), &d), wgpu().RenderBundleEncoderRelease};
  if (errors.Flush(fmt::format("{}: ", kWhere)) || !e->native) {
    e->Invalidate();
  } else {
    e->StartFeed();
  }
  return Add(std::move(e));
}

Result<Rep> VirtualGpu::OnGpuRenderBundleEncoderFinish(Rep self, const Opt<wit::GpuRenderBundleDescriptor>& descriptor) {
  WEFT_TRY_ASSIGN(Ref<VRenderBundleEncoder> e, Get<VRenderBundleEncoder>(self));
  const Ref<VDevice> device(e->device());
  auto bundle = Make<VRenderBundle>(device, descriptor ? descriptor->label : Opt<Str>());
  std::string problem;
  if (e->ended) {
    problem = fmt::format("{}.finish: it is finished already.", e->Name());
  } else if (!e->valid()) {
    problem = fmt::format("{}.finish: the encoder is invalid: its creation had failed.", e->Name());
  } else if (e->failed()) {
    problem = fmt::format("{}.finish: the encoder holds an error: {}", e->Name(), e->error());
  } else if (e->debug_depth != 0) {
    problem = fmt::format("{}.finish: {} debug groups were pushed and not popped.", e->Name(), e->debug_depth);
  }
  const bool was_ended = std::exchange(e->ended, true);
  if (!problem.empty()) {
    bundle->Invalidate();
    device->Validation(std::move(problem));
    if (!was_ended) {
      e->native.Reset();
      e->Starve();
    }
    return Add(std::move(bundle));
  }
  bool all_alive = true;
  for (const auto& r : e->reach().items()) all_alive = all_alive && r->alive();
  if (e->feed() && all_alive && bundle->valid()) {
    NativeErrors errors(device.get());
    WGPURenderBundleDescriptor d = WGPU_RENDER_BUNDLE_DESCRIPTOR_INIT;
    d.label = gpu::Str(bundle->label());
    bundle->native = {wgpu().RenderBundleEncoderFinish(e->native.get(), &d), wgpu().RenderBundleRelease};
    if (errors.Flush(e->Name() + ".finish: ") || !bundle->native) {
      bundle->Invalidate();
      bundle->native.Reset();
    }
  }
  e->native.Reset();
  e->Starve();
  bundle->targets = std::move(e->targets);
  bundle->depth_read_only = e->depth_read_only;
  bundle->stencil_read_only = e->stencil_read_only;
  bundle->uses = std::move(e->uses);
  bundle->written = std::move(e->written);
  bundle->draws = e->draws;
  bundle->uses_blend_constant = e->uses_blend_constant;
  bundle->mutable_reach() = std::move(e->mutable_reach());
  e->mutable_reach() = Reach();
  Watch(bundle.get());
  return Add(std::move(bundle));
}

Status VirtualGpu::OnGpuRenderBundleEncoderPushDebugGroup(Rep self, Str group_label) {
  return PushDebugGroup<VRenderBundleEncoder>(*this, self, group_label);
}
Status VirtualGpu::OnGpuRenderBundleEncoderPopDebugGroup(Rep self) { return PopDebugGroup<VRenderBundleEncoder>(*this, self); }
Status VirtualGpu::OnGpuRenderBundleEncoderInsertDebugMarker(Rep self, Str marker_label) {
  return InsertDebugMarker<VRenderBundleEncoder>(*this, self, marker_label);
}
Result<Res<Unit, wit::SetBindGroupError>> VirtualGpu::OnGpuRenderBundleEncoderSetBindGroup(
    Rep self, uint32_t index, const Opt<Rep>& bind_group, const Opt<List<uint32_t>>& dynamic_offsets_data,
    const Opt<uint64_t>& dynamic_offsets_data_start, const Opt<uint32_t>& dynamic_offsets_data_length) {
  return SetBindGroup<VRenderBundleEncoder>(*this, self, index, bind_group, dynamic_offsets_data, dynamic_offsets_data_start,
                                            dynamic_offsets_data_length);
}
Status VirtualGpu::OnGpuRenderBundleEncoderSetImmediates(Rep self, uint32_t range_offset, const List<uint8_t>& data,
                                                         const Opt<uint64_t>& data_offset, const Opt<uint64_t>& data_size) {
  return SetImmediates<VRenderBundleEncoder>(*this, self, range_offset, data, data_offset, data_size);
}
Status VirtualGpu::OnGpuRenderBundleEncoderSetPipeline(Rep self, Rep pipeline) {
  return SetRenderPipeline<VRenderBundleEncoder>(*this, self, pipeline);
}
Status VirtualGpu::OnGpuRenderBundleEncoderSetIndexBuffer(Rep self, Rep buffer, wit::GpuIndexFormat index_format,
                                                          const Opt<uint64_t>& offset, const Opt<uint64_t>& size) {
  return SetIndexBuffer<VRenderBundleEncoder>(*this, self, buffer, index_format, offset, size);
}
Status VirtualGpu::OnGpuRenderBundleEncoderSetVertexBuffer(Rep self, uint32_t slot, const Opt<Rep>& buffer, const Opt<uint64_t>& offset,
                                                           const Opt<uint64_t>& size) {
  return SetVertexBuffer<VRenderBundleEncoder>(*this, self, slot, buffer, offset, size);
}
Status VirtualGpu::OnGpuRenderBundleEncoderDraw(Rep self, uint32_t vertex_count, const Opt<uint32_t>& instance_count,
                                                const Opt<uint32_t>& first_vertex, const Opt<uint32_t>& first_instance) {
  return Draw<VRenderBundleEncoder>(*this, self, vertex_count, instance_count, first_vertex, first_instance);
}
Status VirtualGpu::OnGpuRenderBundleEncoderDrawIndexed(Rep self, uint32_t index_count, const Opt<uint32_t>& instance_count,
                                                       const Opt<uint32_t>& first_index, const Opt<int32_t>& base_vertex,
                                                       const Opt<uint32_t>& first_instance) {
  return DrawIndexed<VRenderBundleEncoder>(*this, self, index_count, instance_count, first_index, base_vertex, first_instance);
}
Status VirtualGpu::OnGpuRenderBundleEncoderDrawIndirect(Rep self, Rep indirect_buffer, uint64_t indirect_offset) {
  return DrawIndirect<VRenderBundleEncoder>(*this, self, indirect_buffer, indirect_offset, false);
}
Status VirtualGpu::OnGpuRenderBundleEncoderDrawIndexedIndirect(Rep self, Rep indirect_buffer, uint64_t indirect_offset) {
  return DrawIndirect<VRenderBundleEncoder>(*this, self, indirect_buffer, indirect_offset, true);
}

}  // namespace weft::host
