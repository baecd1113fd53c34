// SPDX-License-Identifier: Apache-2.0
// How a sequence goes: what is called next, and what is looked at when it is over.
#include <unistd.h>

#include "hints.h"
#include "table.h"

namespace weft::fuzz {

namespace c = calls;

namespace {

template <class... F>
size_t Choose(Random& r, std::initializer_list<uint32_t> weights) {
  static constexpr size_t kIndexes[] = {kIndexOf<F>...};
  return kIndexes[r.Weighted(weights)];
}

}  // namespace

// A call that brings the sequence on, by what is open now: towards commands, and towards their submit.
size_t Guest::Goal() {
  Needs n(*this);
  const auto open = [](auto& p) { return !p.ended && !p.encoder().failed() && p.encoder().feed(); };
  if (n.FindUsable<host::VRenderPass>(Resource::GpuRenderPassEncoder, [&](Rep, host::VRenderPass& p) { return open(p); })) {
    return Choose<c::GpuRenderPassEncoderDrawCall, c::GpuRenderPassEncoderDrawIndexedCall, c::GpuRenderPassEncoderDrawIndirectCall,
                  c::GpuRenderPassEncoderDrawIndexedIndirectCall, c::GpuRenderPassEncoderSetViewportCall,
                  c::GpuRenderPassEncoderSetScissorRectCall, c::GpuRenderPassEncoderSetBlendConstantCall,
                  c::GpuRenderPassEncoderBeginOcclusionQueryCall, c::GpuRenderPassEncoderExecuteBundlesCall,
                  c::GpuRenderPassEncoderSetBindGroupCall, c::GpuRenderPassEncoderPushDebugGroupCall, c::GpuRenderPassEncoderEndCall>(
        random, {14, 6, 4, 3, 3, 3, 3, 2, 4, 4, 2, 16});
  }
  if (n.FindUsable<host::VComputePass>(Resource::GpuComputePassEncoder, [&](Rep, host::VComputePass& p) { return open(p); })) {
    return Choose<c::GpuComputePassEncoderDispatchWorkgroupsCall, c::GpuComputePassEncoderDispatchWorkgroupsIndirectCall,
                  c::GpuComputePassEncoderSetBindGroupCall, c::GpuComputePassEncoderSetPipelineCall,
                  c::GpuComputePassEncoderPushDebugGroupCall, c::GpuComputePassEncoderEndCall>(random, {14, 5, 4, 2, 2, 14});
  }
  const Rep ready = n.FindUsable<host::VCommandBuffer>(
      Resource::GpuCommandBuffer, [](Rep, host::VCommandBuffer& b) { return !b.submitted && b.native && !b.reach().SubmitRefusal(); });
  if (ready && random.Chance(60)) return kIndexOf<c::GpuQueueSubmitCall>;
  const Rep encoder = n.FindUsable<host::VCommandEncoder>(Resource::GpuCommandEncoder, [](Rep, host::VCommandEncoder& e) {
    return e.state == host::VCommandEncoder::State::Open && !e.failed() && e.feed();
  });
  if (encoder) {
    return Choose<c::GpuCommandEncoderBeginRenderPassCall, c::GpuCommandEncoderBeginComputePassCall,
                  c::GpuCommandEncoderCopyBufferToBufferCall, c::GpuCommandEncoderCopyBufferToTextureCall,
                  c::GpuCommandEncoderCopyTextureToBufferCall, c::GpuCommandEncoderCopyTextureToTextureCall,
                  c::GpuCommandEncoderClearBufferCall, c::GpuCommandEncoderResolveQuerySetCall, c::GpuCommandEncoderFinishCall>(
        random, {14, 10, 3, 3, 3, 3, 3, 2, 14});
  }
  return Choose<c::GpuDeviceCreateCommandEncoderCall, c::GpuQueueWriteBufferWithCopyCall, c::GpuQueueWriteTextureWithCopyCall,
                c::GpuBufferMapAsyncCall, c::GpuDeviceCreateTextureCall, c::GpuRenderBundleEncoderDrawCall,
                c::GpuQueueOnSubmittedWorkDoneCall>(random, {40, 4, 4, 4, 4, 3, 2});
}

Rep Guest::Produce(Resource r) {
  if (producing_ >= 3) return 0;
  ++producing_;
  const auto table = AllFunctions();
  std::vector<size_t> makers;
  for (size_t i = 0; i < table.size(); ++i) {
    if (table[i].answers(r)) makers.push_back(i);
  }
  if (!makers.empty()) table[random.OneOf(makers)].call(*this, Mode::Right);
  --producing_;
  return Any(r);
}

void Guest::Step() {
  const auto table = AllFunctions();
  TakeReady(false);
  Needs n(*this);
  const host::VDevice* d = n.device();
  if (exec_mode && (!d || d->lost() || !queue)) {
    c::GpuAdapterRequestDeviceCall::Args a;
    if (Hint(*this, a)) device = Make<c::GpuAdapterRequestDeviceCall>(a);
  } else if (!d) {
    auto rep = gpu_->CreateDeviceRep();
    if (rep) live_[static_cast<size_t>(Resource::GpuDevice)].push_back(device = *rep);
  }
  if (device && (!queue || n.UsableObject<host::VQueue>(queue) == nullptr)) {
    c::GpuDeviceQueueCall::Args a{device};
    queue = Make<c::GpuDeviceQueueCall>(a);
  }
  const bool dead = !n.device() || n.device()->lost();
  if (!dead && random.Below(1000) >= wrong_per_mille_) {
    switch (random.Weighted({60, 30, 4, 4, 2})) {
      case 0: table[Goal()].call(*this, Mode::Right); return;
      case 1: table[random.Below(table.size())].call(*this, Mode::Right); return;
      case 2: {
        // Not the device and the queue: a sequence would end with them.
        const auto kind = static_cast<Resource>(random.Below(c::kResourceCount));
        if (kind != Resource::GpuDevice && kind != Resource::GpuQueue && !live(kind).empty()) {
          session_.trail.Write("-- drop\n");
          Drop(kind, Any(kind));
        }
        return;
      }
      case 3:
        if (lent_) {
          EndFrame();
        } else {
          BeginFrame();
        }
        return;
      default: AwaitAnswers(); return;
    }
  }
  const size_t which = !dead && random.Chance(40) ? Goal() : random.Below(table.size());
  table[which].call(*this, random.Chance(dead ? 20 : 60) ? Mode::Spoiled : Mode::Wild) || table[which].call(*this, Mode::Wild);
}

// Most sequences end well: what is open is ended and submitted.
void Guest::Finish() {
  if (random.Chance(20)) return;
  const auto table = AllFunctions();
  for (int i = 0; i < 6; ++i) {
    Needs n(*this);
    if (!n.device() || n.device()->lost()) return;
    const auto open = [](auto& p) { return !p.ended && !p.encoder().failed() && p.encoder().feed(); };
    if (n.FindUsable<host::VRenderPass>(Resource::GpuRenderPassEncoder, [&](Rep, host::VRenderPass& p) { return open(p); })) {
      if (!table[kIndexOf<c::GpuRenderPassEncoderEndCall>].call(*this, Mode::Right)) return;
    } else if (n.FindUsable<host::VComputePass>(Resource::GpuComputePassEncoder, [&](Rep, host::VComputePass& p) { return open(p); })) {
      if (!table[kIndexOf<c::GpuComputePassEncoderEndCall>].call(*this, Mode::Right)) return;
    } else {
      table[kIndexOf<c::GpuQueueSubmitCall>].call(*this, Mode::Right);
      return;
    }
  }
}

void Guest::Run() {
  if (random.Chance(60)) BeginFrame();
  // Steps that make no call must not go on for ever.
  for (uint64_t steps = 0; calls_ < length_ && steps < 2000; ++steps) Step();
  Finish();
  if (random.Chance(50)) AwaitAnswers();
  if (lent_ && random.Chance(70)) EndFrame();
  gpu_->FlushSubmits();
  const Ref<host::Account> account = gpu_->account();
  if (lent_) EndFrame();
  TakeReady(false);
  session_.trail.Write("-- the instance ends\n");
  gpu_ = nullptr;
  CheckEnd(account);
}

void Guest::CheckEnd(const Ref<host::Account>& account) {
  // Answers that were on their way hold their buffers until the GPU is idle.
  if (auto s = session_.device->WaitIdle(); !s) session_.finding("device", s.error().ToString());
  for (int i = 0; i < 200 && account->objects() != 0; ++i) usleep(500);
  if (account->objects() != 0) session_.finding("left behind", fmt::format("{} objects live after the instance's end", account->objects()));
  for (size_t i = 0; i < host::kQuotaCount; ++i) {
    const auto quota = static_cast<host::Quota>(i);
    if (quota == host::Quota::Pipelines || quota == host::Quota::CompileTime || account->held(quota) == 0) continue;
    session_.finding("left behind",
                     fmt::format("{} of {} are charged after the instance's end", account->held(quota), host::RowOf(quota).what));
  }
  TakeReady(true);
  for (const auto& a : awaited_) session_.finding("unanswered", AllFunctions()[a->function].name);
}

}  // namespace weft::fuzz
