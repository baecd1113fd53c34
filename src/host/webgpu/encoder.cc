// SPDX-License-Identifier: Apache-2.0
// gpu-command-encoder: its states, debug groups and finish (WebGPU 13.2, 13.3, 13.7). Copies: encoder_copy.cc; passes: pass_*.cc.
#include "host/webgpu/encoder_util.h"
#include "host/webgpu/pass_state.h"

namespace weft::host {

bool EncoderOpen(VCommandEncoder& encoder, std::string_view method) {
  switch (encoder.state) {
    case VCommandEncoder::State::Open: break;
    case VCommandEncoder::State::Locked:
      encoder.Fail(fmt::format("{}.{}: {} of this encoder is open. End it first.", encoder.Name(), method,
                               encoder.open_pass != nullptr ? encoder.open_pass->Name() : "a pass"));
      return false;
    case VCommandEncoder::State::Ended:
      encoder.device()->Validation(fmt::format("{}.{}: the encoder is finished. Make a new one.", encoder.Name(), method));
      return false;
  }
  return !encoder.failed() && encoder.valid();
}

DeferredErrors::~DeferredErrors() {
  for (const auto& e : errors_.Take()) {
    if (e.type == ErrorType::OutOfMemory) encoder_.device()->Report(e.type, e.message);
    encoder_.Fail(fmt::format("{}.{}: {}", encoder_.Name(), method_, e.message));
  }
}

Result<Rep> VirtualGpu::OnGpuDeviceCreateCommandEncoder(Rep self, const Opt<wit::GpuCommandEncoderDescriptor>& descriptor) {
  WEFT_TRY_ASSIGN(Ref<VDevice> device, Get<VDevice>(self));
  auto encoder = Make<VCommandEncoder>(device, descriptor ? descriptor->label : Opt<Str>());
  if (encoder->valid() && !device->lost()) {
    NativeErrors errors(device.get());
    WGPUCommandEncoderDescriptor d = WGPU_COMMAND_ENCODER_DESCRIPTOR_INIT;
    d.label = gpu::Str(encoder->label());
    encoder->native = {wgpu().DeviceCreateCommandEncoder(gpu().handle(), &d), wgpu().CommandEncoderRelease};
    if (errors.Flush("gpu-device.create-command-encoder: ") || !encoder->native) {
      encoder->Invalidate();
    } else {
      encoder->StartFeed();
    }
  }
  return Add(std::move(encoder));
}

Status VirtualGpu::OnGpuCommandEncoderPushDebugGroup(Rep self, Str group_label) {
  WEFT_TRY_ASSIGN(Ref<VCommandEncoder> e, Get<VCommandEncoder>(self));
  if (!EncoderOpen(*e, "push-debug-group")) return {};
  ++e->debug_depth;
  if (e->feed()) wgpu().CommandEncoderPushDebugGroup(e->native.get(), gpu::Str(ShortLabel(group_label)));
  return {};
}

Status VirtualGpu::OnGpuCommandEncoderPopDebugGroup(Rep self) {
  WEFT_TRY_ASSIGN(Ref<VCommandEncoder> e, Get<VCommandEncoder>(self));
  if (!EncoderOpen(*e, "pop-debug-group")) return {};
  if (e->debug_depth == 0) {
    e->Fail(fmt::format("{}.pop-debug-group: no debug group is open.", e->Name()));
    return {};
  }
  --e->debug_depth;
  if (e->feed()) wgpu().CommandEncoderPopDebugGroup(e->native.get());
  return {};
}

Status VirtualGpu::OnGpuCommandEncoderInsertDebugMarker(Rep self, Str marker_label) {
  WEFT_TRY_ASSIGN(Ref<VCommandEncoder> e, Get<VCommandEncoder>(self));
  if (!EncoderOpen(*e, "insert-debug-marker")) return {};
  if (e->feed()) wgpu().CommandEncoderInsertDebugMarker(e->native.get(), gpu::Str(ShortLabel(marker_label)));
  return {};
}

namespace {

// Why finish must answer an invalid command buffer; empty: it need not.
std::string FinishProblem(const VCommandEncoder& e) {
  if (e.state == VCommandEncoder::State::Ended) return fmt::format("{}.finish: the encoder is finished already.", e.Name());
  if (!e.valid()) return fmt::format("{}.finish: the encoder is invalid: its creation had failed.", e.Name());
  if (e.failed()) return fmt::format("{}.finish: the encoder holds an error: {}", e.Name(), e.error());
  if (e.state == VCommandEncoder::State::Locked) {
    return fmt::format("{}.finish: {} is still open. End it first.", e.Name(), e.open_pass != nullptr ? e.open_pass->Name() : "a pass");
  }
  if (e.debug_depth != 0) return fmt::format("{}.finish: {} debug groups were pushed and not popped.", e.Name(), e.debug_depth);
  return {};
}

}  // namespace

Result<Rep> VirtualGpu::OnGpuCommandEncoderFinish(Rep self, const Opt<wit::GpuCommandBufferDescriptor>& descriptor) {
  WEFT_TRY_ASSIGN(Ref<VCommandEncoder> e, Get<VCommandEncoder>(self));
  const Ref<VDevice> device(e->device());
  auto buffer = Make<VCommandBuffer>(device, descriptor ? descriptor->label : Opt<Str>());
  std::string problem = FinishProblem(*e);
  const bool was_ended = e->state == VCommandEncoder::State::Ended;
  e->state = VCommandEncoder::State::Ended;
  if (!problem.empty()) {
    buffer->Invalidate();
    buffer->invalid_because = problem;
    device->Validation(std::move(problem));
    if (!was_ended) {
      if (e->open_pass != nullptr) e->open_pass->DropNativePass();
      e->native.Reset();
      e->Starve();
      e->mutable_reach().Clear();
    }
    return Add(std::move(buffer));
  }
  // The library must not see what reaches something destroyed. It may be finished all the same: submit is what refuses it.
  bool all_alive = true;
  for (const auto& r : e->reach().items()) all_alive = all_alive && r->alive();
  if (e->feed() && all_alive && buffer->valid()) buffer->native = std::move(e->native);
  e->native.Reset();
  e->Starve();
  buffer->mutable_reach() = std::move(e->mutable_reach());
  e->mutable_reach() = Reach();
  buffer->written = std::move(e->written);
  e->written.clear();
  Watch(buffer.get());
  return Add(std::move(buffer));
}

}  // namespace weft::host
