// SPDX-License-Identifier: Apache-2.0
// Errors and loss of a virtual device (specification 22).
#include "host/webgpu/values.h"
#include "host/webgpu/virtual_gpu.h"

namespace weft::host {

Status VirtualGpu::OnGpuDeviceDestroy(Rep self) {
  WEFT_TRY_ASSIGN(auto device, Get<VDevice>(self));
  if (device->lost()) return {};
  // Work that was submitted before the destroy is still done.
  FlushSubmits();
  device->Lose(wit::GpuDeviceLostReason::Destroyed, "the plugin destroyed its device");
  for (auto& object : table_->All()) {
    if (object->device() != device.get()) continue;
    switch (object->kind()) {
      case Kind::Buffer:
      case Kind::Texture:
      case Kind::QuerySet: static_cast<VResource*>(object.get())->End(VResource::State::Destroyed); break;
      default: break;
    }
  }
  return {};
}

void VirtualGpu::OnGpuDeviceLost(Rep self, Completion<Rep> done) {
  auto device = Get<VDevice>(self);
  if (!device) return done.Trap(device.error().message());
  (*device)->WhenLost(std::move(done));
}

Status VirtualGpu::OnGpuDevicePushErrorScope(Rep self, wit::GpuErrorFilter filter) {
  WEFT_TRY_ASSIGN(auto device, Get<VDevice>(self));
  device->PushScope(filter);
  return {};
}

void VirtualGpu::OnGpuDevicePopErrorScope(Rep self, Completion<Res<Opt<Rep>, wit::PopErrorScopeError>> done) {
  using Answer = Res<Opt<Rep>, wit::PopErrorScopeError>;
  auto device = Get<VDevice>(self);
  if (!device) return done.Trap(device.error().message());
  // What was submitted and not sent yet may still raise an error that belongs to this scope.
  FlushSubmits();
  auto popped = (*device)->PopScope();
  if (!popped) {
    return done.Done(Answer::Err({{wit::PopErrorScopeErrorKind::Tag::OperationError}, Str("no error scope is open on this device")}));
  }
  if (!*popped) return done.Done(Answer::Ok({}));
  auto rep = Add(MakeRef<VError>(account_, *device, std::move(**popped), false));
  if (!rep) return done.Trap(rep.error().message());
  done.Done(Answer::Ok(Opt<Rep>(*rep)));
}

Status VirtualGpu::OnGpuDeviceOnUncapturedError(Rep self, StreamSource<Rep> stream) {
  WEFT_TRY_ASSIGN(auto device, Get<VDevice>(self));
  device->TakeStream(std::move(stream));
  return {};
}

Result<wit::GpuDeviceLostReason> VirtualGpu::OnGpuDeviceLostInfoReason(Rep self) {
  WEFT_TRY_ASSIGN(auto info, Get<VDeviceLostInfo>(self));
  return info->reason;
}

Result<Str> VirtualGpu::OnGpuDeviceLostInfoMessage(Rep self) {
  WEFT_TRY_ASSIGN(auto info, Get<VDeviceLostInfo>(self));
  return Str(info->message);
}

Result<Str> VirtualGpu::OnGpuErrorMessage(Rep self) {
  WEFT_TRY_ASSIGN(auto error, Get<VError>(self));
  return Str(error->error.message);
}

Result<wit::GpuErrorKind> VirtualGpu::OnGpuErrorKind(Rep self) {
  using Tag = wit::GpuErrorKind::Tag;
  WEFT_TRY_ASSIGN(auto error, Get<VError>(self));
  switch (error->error.type) {
    case ErrorType::Validation: return wit::GpuErrorKind{Tag::ValidationError};
    case ErrorType::OutOfMemory: return wit::GpuErrorKind{Tag::OutOfMemoryError};
    case ErrorType::Internal: break;
  }
  return wit::GpuErrorKind{Tag::InternalError};
}

}  // namespace weft::host
