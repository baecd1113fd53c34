// SPDX-License-Identifier: Apache-2.0
// Device: the one real GPU device that a graph shares, with its queue, its GPU thread, compiler threads, pools and counters.
//
// Lifetime: shared by Ref. Everything made from it must be released before the last Ref goes (pool textures, mapped rows and Timestamps
// hold a Ref themselves). The last Ref may go on any thread, also the GPU thread. All functions may be called from any thread.
// Nothing here blocks on the GPU, except WaitIdle, which sleeps on a condition variable while the GPU thread polls.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/ref.h"
#include "base/result.h"
#include "gpu/big_stack.h"
#include "gpu/counters.h"
#include "gpu/errors.h"
#include "gpu/handle.h"
#include "gpu/library.h"

namespace weft::gpu {

class TexturePool;
class BufferPool;

// Plain copies of what the library says about an adapter.
struct AdapterInfo {
  std::string vendor, architecture, device, description;  // "NVIDIA", …, "llvmpipe (LLVM 15.0.6, 256 bits)", driver
  std::string backend;                                    // "vulkan", "metal", "d3d12", "opengl", "null", "webgpu"
  std::string type;                                       // "discrete", "integrated", "software", "unknown"
  uint32_t vendor_id = 0, device_id = 0;
  uint32_t subgroup_min_size = 0, subgroup_max_size = 0;

  bool software() const { return type == "software"; }
};

// For `weft gpus`: all adapters, in the order that DeviceOptions::adapter counts.
Result<std::vector<AdapterInfo>> ListAdapters(const Ref<Library>& library);

struct DeviceOptions {
  std::string library_path;  // see Library::Open; not read when `library` is set
  Ref<Library> library;
  // Which adapter: empty = the best hardware GPU (discrete, then integrated, Vulkan/Metal/D3D12 before OpenGL), else the software one with
  // one log line; "software"; a number = place in ListAdapters; else a part of the device's name, in any case.
  std::string adapter;
  Log log;
};

struct AdoptOptions {
  Ref<Library> library;             // the one that the handles belong to
  WGPUInstance instance = nullptr;  // may be null where poll_allowed is false
  WGPUAdapter adapter = nullptr;    // optional: only for the info
  WGPUDevice device = nullptr;
  WGPUQueue queue = nullptr;  // null: the device's default queue
  // True: weft's GPU thread polls the device. False: the owner polls, often enough for weft's callbacks to come.
  bool poll_allowed = false;
  Log log;
};

enum class LossReason { None, Unknown, Destroyed };

class Device : public RefCounted {
 public:
  using DoneCallback = std::function<void(Status)>;

  // NotFound when there is no adapter like that (the message lists those that there are).
  static Result<Ref<Device>> Create(const DeviceOptions& options);
  // Shares a caller's device: adds references to all handles, never destroys the device. Its error and lost callbacks are the caller's:
  // he forwards to RouteError and ReportLoss what comes from weft's calls, if he wants weft to know.
  static Result<Ref<Device>> Adopt(const AdoptOptions& options);

  const Procs& procs() const { return library_->procs(); }
  const Ref<Library>& library() const { return library_; }
  WGPUInstance instance() const;
  WGPUAdapter adapter() const;  // null when adopted without
  WGPUDevice handle() const;
  WGPUQueue queue() const;
  bool adopted() const { return adopted_; }

  const AdapterInfo& info() const { return info_; }
  const WGPULimits& limits() const { return limits_; }
  // A feature that the device was made with; standard and native spellings of the same thing count for each other.
  bool Has(WGPUFeatureName feature) const;
  std::span<const WGPUFeatureName> features() const { return features_; }

  // Sends command buffers and counts one submit. What the library would end the process for (a buffer twice, destroyed resources) must be
  // kept from here by the caller. Does not release the command buffers.
  void Submit(std::span<const WGPUCommandBuffer> commands);
  void Submit(WGPUCommandBuffer commands) { Submit({&commands, 1}); }
  // The same, but the commands are kept for a while and go with the next submit, after what was kept before and in one call. They are
  // sent at the latest by what has to come after them: any function here that submits, writes or waits. Whoever hands results to somebody
  // else's queue or has nothing more to do calls Send or SendIfIdle. Answers a position for SendUpTo.
  uint64_t SubmitLater(std::span<const WGPUCommandBuffer> commands);
  uint64_t SubmitLater(WGPUCommandBuffer commands) { return SubmitLater({&commands, 1}); }
  // Sends what is kept.
  void Send();
  // Sends it where the GPU has nothing to do, as far as is known; else the GPU thread does when it sees the GPU run dry.
  void SendIfIdle();
  // Sends what is kept, if what was kept up to `position` is not sent yet.
  void SendUpTo(uint64_t position);

  // Writes take effect before the next submit: commands that are kept, and may use what is written, are sent first. As wgpuQueueWriteBuffer
  // and wgpuQueueWriteTexture. Not counted as uploads.
  void WriteBuffer(WGPUBuffer buffer, uint64_t offset, const void* data, size_t size);
  void WriteTexture(const WGPUTexelCopyTextureInfo& to, const void* data, size_t size, const WGPUTexelCopyBufferLayout& layout,
                    const WGPUExtent3D& extent);

  // The callback runs once, on the GPU thread, when everything submitted before the call is finished, or with DeviceLost. It may call
  // the library; it should be short.
  void OnSubmittedWorkDone(DoneCallback done);
  // As wgpuBufferMapAsync. InvalidArgument carries the library's message when the map is refused, Cancelled when the buffer was unmapped or
  // destroyed before. The buffer must stay alive until the callback.
  void MapAsync(WGPUBuffer buffer, WGPUMapMode mode, size_t offset, size_t size, DoneCallback done);
  // Releases a query set, but not at once: lavapipe 22.3 calls a submit finished while its threads still write into the queries of it, and
  // the library frees a set as soon as nothing unfinished holds it. So the last 64 are kept, and all of the last two seconds.
  void Retire(Owned<WGPUQuerySet> set);
  // Tells the GPU thread that work was submitted by other means than Submit(), so that it polls.
  void Poke();

  // Blocks this thread (never the GPU thread) until everything submitted so far is finished. For tests, tools and the end of a run.
  Status WaitIdle();

  bool lost() const;
  LossReason loss_reason() const;
  std::string loss_message() const;
  // OK, or ErrorKind::DeviceLost with the reason.
  Status CheckAlive() const;
  // OK, or what went wrong in calls of this device: DeviceLost first, then the collector's first error.
  Status Outcome(const ErrorCollector& errors, std::string_view doing) const;
  // Runs once on the GPU thread after the loss, also when it is lost already. Not at the device's own end.
  void OnLost(std::function<void(LossReason, const std::string& message)> callback);
  // Behaves from now on as if the driver had lost the device: for tests (`--inject device-lost`) and for an adopted device's owner.
  void ReportLoss(LossReason reason, std::string message);

  // Gives an error to this thread's sink, else to the log. The library's callback ends here.
  void RouteError(GpuErrorKind kind, std::string_view message);

  // Runs fn on a compiler thread with a 256 MiB stack and waits for it: shader modules and pipelines are made so, because WGSL nested some
  // thousand levels deep overflows an ordinary stack. This thread's ErrorSink gets fn's errors. Several callers run side by side.
  template <class F>
  auto RunOnBigStack(F&& fn) {
    return compilers_->Run(std::forward<F>(fn));
  }

  Counters& counters();
  TexturePool& textures() { return *textures_; }
  BufferPool& buffers() { return *buffers_; }
  const Log& log() const { return log_; }
  // A number that no other call of this device gets.
  uint64_t NewId() { return next_id_.fetch_add(1, std::memory_order_relaxed); }

  // Owned handles: device->Own(procs.DeviceCreateBuffer(...)) releases by itself.
  Owned<WGPUBuffer> Own(WGPUBuffer h) const { return {h, procs().BufferRelease}; }
  Owned<WGPUTexture> Own(WGPUTexture h) const { return {h, procs().TextureRelease}; }
  Owned<WGPUTextureView> Own(WGPUTextureView h) const { return {h, procs().TextureViewRelease}; }
  Owned<WGPUSampler> Own(WGPUSampler h) const { return {h, procs().SamplerRelease}; }
  Owned<WGPUBindGroup> Own(WGPUBindGroup h) const { return {h, procs().BindGroupRelease}; }
  Owned<WGPUBindGroupLayout> Own(WGPUBindGroupLayout h) const { return {h, procs().BindGroupLayoutRelease}; }
  Owned<WGPUPipelineLayout> Own(WGPUPipelineLayout h) const { return {h, procs().PipelineLayoutRelease}; }
  Owned<WGPUShaderModule> Own(WGPUShaderModule h) const { return {h, procs().ShaderModuleRelease}; }
  Owned<WGPUComputePipeline> Own(WGPUComputePipeline h) const { return {h, procs().ComputePipelineRelease}; }
  Owned<WGPURenderPipeline> Own(WGPURenderPipeline h) const { return {h, procs().RenderPipelineRelease}; }
  Owned<WGPUQuerySet> Own(WGPUQuerySet h) const { return {h, procs().QuerySetRelease}; }
  Owned<WGPUCommandEncoder> Own(WGPUCommandEncoder h) const { return {h, procs().CommandEncoderRelease}; }
  Owned<WGPUCommandBuffer> Own(WGPUCommandBuffer h) const { return {h, procs().CommandBufferRelease}; }
  Owned<WGPUComputePassEncoder> Own(WGPUComputePassEncoder h) const { return {h, procs().ComputePassEncoderRelease}; }
  Owned<WGPURenderPassEncoder> Own(WGPURenderPassEncoder h) const { return {h, procs().RenderPassEncoderRelease}; }

 private:
  class Core;  // device_core.h: handles, pending callbacks, loss; shared with the GPU thread

  Device(Ref<Library> library, std::shared_ptr<Core> core, Log log, bool adopted);
  ~Device() override;

  Ref<Library> library_;
  std::shared_ptr<Core> core_;
  Log log_;
  bool adopted_;
  AdapterInfo info_;
  WGPULimits limits_ = WGPU_LIMITS_INIT;
  std::vector<WGPUFeatureName> features_;
  std::atomic<uint64_t> next_id_{1};
  std::unique_ptr<BigStack> compilers_;
  std::unique_ptr<TexturePool> textures_;
  std::unique_ptr<BufferPool> buffers_;
};

}  // namespace weft::gpu
