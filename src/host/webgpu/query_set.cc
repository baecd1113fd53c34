// SPDX-License-Identifier: Apache-2.0
// Query sets (specification 20).
#include "host/webgpu/convert.h"
#include "host/webgpu/virtual_gpu.h"

namespace weft::host {

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
  } else if (set->valid() && (d.count == 0 || d.count > kMaxQueries)) {
    set->Invalidate();
    device->Validation(fmt::format("creating {}: the count {} must be from 1 to {}", set->Name(), d.count, kMaxQueries));
  } else if (set->valid()) {
    NativeErrors errors(device.get());
    WGPUQuerySetDescriptor n = WGPU_QUERY_SET_DESCRIPTOR_INIT;
    n.label = gpu::Str(set->label());
    n.type = ToNative(d.type);
    n.count = d.count;
    set->native = gpu_->Own(wgpu().DeviceCreateQuerySet(gpu_->handle(), &n));
    if (errors.Flush(fmt::format("creating {}: ", set->Name())) || !set->native) {
      set->Invalidate();
      set->native.Reset();
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
