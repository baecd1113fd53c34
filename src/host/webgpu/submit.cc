// SPDX-License-Identifier: Apache-2.0
// gpu-queue.submit, and sending what was submitted (WebGPU 19.2). The library ends the process when it is given a command buffer that is
// invalid, was submitted before, or reaches what is destroyed or mapped: none of these pass here.
#include <algorithm>

#include "host/webgpu/encoder_util.h"
#include "host/webgpu/submit_state.h"
#include "host/webgpu/values.h"

namespace weft::host {

namespace {

// More than any frame needs; a guest that never ends its frame must not fill the host's memory.
constexpr size_t kMaxPending = 512;
constexpr uint32_t kMostRefused = 64;

std::string SubmitProblem(const VDevice* device, const VCommandBuffer& b) {
  if (b.device() != device) return fmt::format("{} belongs to another device.", b.Name());
  if (!b.valid())
    return fmt::format("{} is invalid: {}", b.Name(), b.invalid_because.empty() ? "its creation had failed." : b.invalid_because);
  if (b.submitted) return fmt::format("{} was submitted already. A command buffer can be submitted once.", b.Name());
  if (auto refusal = b.reach().SubmitRefusal()) return fmt::format("{} cannot run: {}.", b.Name(), *refusal);
  if (!b.native) return fmt::format("{} was never given to the GPU library, because its encoder had used something destroyed.", b.Name());
  return {};
}

}  // namespace

Status VirtualGpu::OnGpuQueueSubmit(Rep self, const List<Rep>& command_buffers) {
  WEFT_TRY_ASSIGN(Ref<VQueue> queue, Get<VQueue>(self));
  std::vector<Ref<VCommandBuffer>> all;
  all.reserve(command_buffers.size);
  for (Rep rep : command_buffers) {
    WEFT_TRY_ASSIGN(Ref<VCommandBuffer> b, Get<VCommandBuffer>(rep));
    all.push_back(std::move(b));
  }
  VDevice* device = queue->device();
  if (device->lost()) return {};
  std::string problem;
  std::vector<gpu::Owned<WGPUCommandBuffer>> finished;
  for (const auto& b : all) {
    problem = SubmitProblem(device, *b);
    if (!problem.empty()) break;
    b->submitted = true;  // so that a second mention in this list is found
  }
  for (const auto& b : all) {
    if (!problem.empty()) break;
    NativeErrors errors(device);
    WGPUCommandBufferDescriptor d = WGPU_COMMAND_BUFFER_DESCRIPTOR_INIT;
    d.label = gpu::Str(b->label());
    finished.push_back(gpu_->Own(wgpu().CommandEncoderFinish(b->native.get(), &d)));
    b->native.Reset();
    // What the library refuses although it passed here must not be sent: it would end the process.
    if (errors.Flush(b->Name() + ": ") || !finished.back()) {
      problem = fmt::format("{} was refused by the GPU library when it was finished.", b->Name());
      // The library keeps for ever what it finished before that: a few times may be a fault, many are an attack.
      if (finished.size() > 1 && ++refused_submits_ > kMostRefused) {
        account_->Fail("quota: refused submits: the GPU library refused too many of the plugin's command buffers");
      }
    }
  }
  if (!problem.empty()) {
    // All or nothing: none of them runs, and none can be tried again.
    for (const auto& b : all) {
      if (b->device() != device || !b->valid()) continue;
      b->Invalidate();
      b->invalid_because = "a submit that named it was refused.";
      b->native.Reset();
      b->mutable_reach().Clear();
    }
    device->Validation(fmt::format("gpu-queue.submit: {}", problem));
    return {};
  }
  if (all.empty()) return {};
  if (!submits_) submits_ = std::make_shared<SubmitState>();
  std::erase_if(submits_->written, [](const auto& r) { return !r->alive(); });  // of frames that are over
  for (size_t i = 0; i < all.size(); ++i) {
    const auto& b = all[i];
    submits_->pending.push_back({Ref<VDevice>(device), std::move(finished[i])});
    NoteWritten(submits_->written, b->written);
    b->mutable_reach().Clear();
    b->written.clear();
  }
  if (submits_->pending.size() >= kMaxPending) FlushSubmits();
  return {};
}

void VirtualGpu::FlushSubmits() {
  if (!submits_) return;
  if (submits_->before_flush) submits_->before_flush();
  gpu_->SendUpTo(kept_);
  auto& pending = submits_->pending;
  if (pending.empty()) return;
  auto& handles = submits_->handles;
  handles.clear();
  for (const auto& p : pending) handles.push_back(p.native.get());
  if (!gpu_->lost()) {
    NativeErrors errors(pending.front().device.get());
    gpu_->Submit(handles);
    unsent_bytes_ = 0;
  }
  pending.clear();
}

size_t VirtualGpu::TakePending(std::vector<WGPUCommandBuffer>& out) {
  if (!submits_) return 0;
  const size_t n = submits_->pending.size();
  for (auto& p : submits_->pending) {
    // The list's reference becomes the caller's.
    wgpu().CommandBufferAddRef(p.native.get());
    out.push_back(p.native.get());
  }
  submits_->pending.clear();
  return n;
}

void VirtualGpu::SetFlushHook(std::function<void()> before_flush) {
  if (!submits_) submits_ = std::make_shared<SubmitState>();
  submits_->before_flush = std::move(before_flush);
}

void VirtualGpu::NoteLentWrite(VResource* resource) {
  if (!resource->imported()) return;
  if (!submits_) submits_ = std::make_shared<SubmitState>();
  NoteWritten(submits_->written, resource);
}

bool VirtualGpu::FrameWrote(WGPUTexture native) const {
  if (!submits_) return false;
  return std::any_of(submits_->written.begin(), submits_->written.end(), [&](const Ref<VResource>& r) {
    return r->alive() && r->kind() == Kind::Texture && static_cast<const VTexture&>(*r).native.get() == native;
  });
}

}  // namespace weft::host
