// SPDX-License-Identifier: Apache-2.0
// Query sets (specification 20).
#include "host/webgpu/convert.h"
#include "host/webgpu/virtual_gpu.h"

namespace weft::host {

namespace {

// The specification resolves a query that never ran to zero; the library copies what lies in the driver's memory, which may be somebody
// else's, and a GPU may wait for such a query for ever. So each runs once here: occlusion counts nothing, and a timestamp is a time (until
// one is recorded, resolve-query-set writes zeros).
void StartQueries(gpu::Device& gpu, const VQuerySet& set) {
  const gpu::Procs& p = gpu.procs();
  auto encoder = gpu.Own(p.DeviceCreateCommandEncoder(gpu.handle(), nullptr));
  if (set.type == wit::GpuQueryType::Occlusion) {
    WGPUTextureDescriptor t = WGPU_TEXTURE_DESCRIPTOR_INIT;
    t.size = {1, 1, 1};
    t.format = WGPUTextureFormat_R8Unorm;
    t.usage = WGPUTextureUsage_RenderAttachment;
    auto texture = gpu.Own(p.DeviceCreateTexture(gpu.handle(), &t));
    auto view = gpu.Own(p.TextureCreateView(texture.get(), nullptr));
    WGPURenderPassColorAttachment color = WGPU_RENDER_PASS_COLOR_ATTACHMENT_INIT;
    color.view = view.get();
    color.loadOp = WGPULoadOp_Clear;
    color.storeOp = WGPUStoreOp_Discard;
    WGPURenderPassDescriptor d = WGPU_RENDER_PASS_DESCRIPTOR_INIT;
    d.colorAttachmentCount = 1;
    d.colorAttachments = &color;
    d.occlusionQuerySet = set.native.get();
    auto pass = gpu.Own(p.CommandEncoderBeginRenderPass(encoder.get(), &d));
    for (uint32_t i = 0; i < set.count; ++i) {
      p.RenderPassEncoderBeginOcclusionQuery(pass.get(), i);
      p.RenderPassEncoderEndOcclusionQuery(pass.get());
    }
    p.RenderPassEncoderEnd(pass.get());
  } else {
    for (uint32_t i = 0; i < set.count; i += 2) {
      WGPUPassTimestampWrites times = WGPU_PASS_TIMESTAMP_WRITES_INIT;
      times.querySet = set.native.get();
      times.beginningOfPassWriteIndex = i;
      if (i + 1 < set.count) times.endOfPassWriteIndex = i + 1;
      WGPUComputePassDescriptor d = WGPU_COMPUTE_PASS_DESCRIPTOR_INIT;
      d.timestampWrites = &times;
      auto pass = gpu.Own(p.CommandEncoderBeginComputePass(encoder.get(), &d));
      p.ComputePassEncoderEnd(pass.get());
    }
  }
  auto commands = gpu.Own(p.CommandEncoderFinish(encoder.get(), nullptr));
  if (commands) gpu.Submit(commands.get());
}

}  // namespace

Result<Res<Rep, wit::CreateQuerySetError>> VirtualGpu::OnGpuDeviceCreateQuerySet(Rep self, const wit::GpuQuerySetDescriptor& d) {
  using Answer = Res<Rep, wit::CreateQuerySetError>;
  constexpr uint32_t kMaxQueries = 4096;
  WEFT_TRY_ASSIGN(auto device, Get<VDevice>(self));
  if (d.type == wit::GpuQueryType::Timestamp && !device->Has(wit::GpuFeatureName::TimestampQuery)) {
    return Answer::Err({{wit::CreateQuerySetErrorKind::Tag::TypeError}, Str("timestamp queries need the feature timestamp-query")});
  }
  auto set = Make<VQuerySet>(device, d.label, d.type, d.count);
  if (set->valid() && device->lost()) {
    set->Invalidate();
  } else if (set->valid() && d.count > kMaxQueries) {
    set->Invalidate();
    device->Validation(fmt::format("creating {}: the count {} must be at most {}", set->Name(), d.count, kMaxQueries));
  } else if (set->valid() && d.count > 0) {  // the library refuses a set of none, which has no use either
    NativeErrors errors(device.get());
    WGPUQuerySetDescriptor n = WGPU_QUERY_SET_DESCRIPTOR_INIT;
    n.label = gpu::Str(set->label());
    n.type = ToNative(d.type);
    n.count = d.count;
    set->native = gpu_->Own(wgpu().DeviceCreateQuerySet(gpu_->handle(), &n));
    if (errors.Flush(fmt::format("creating {}: ", set->Name())) || !set->native) {
      set->Invalidate();
      set->native.Reset();
    } else {
      StartQueries(*gpu_, *set);
    }
  }
  WEFT_TRY_ASSIGN(const Rep rep, Add(std::move(set)));
  return Answer::Ok(rep);
}

Status VirtualGpu::OnGpuQuerySetDestroy(Rep self) {
  WEFT_TRY_ASSIGN(auto set, Get<VQuerySet>(self));
  if (!set->alive()) return {};
  FlushSubmits();
  NativeErrors errors(set->device());
  set->End(VResource::State::Destroyed);
  return {};
}

Result<wit::GpuQueryType> VirtualGpu::OnGpuQuerySetType(Rep self) {
  WEFT_TRY_ASSIGN(auto set, Get<VQuerySet>(self));
  return set->type;
}

Result<uint32_t> VirtualGpu::OnGpuQuerySetCount(Rep self) {
  WEFT_TRY_ASSIGN(auto set, Get<VQuerySet>(self));
  return set->count;
}

}  // namespace weft::host
