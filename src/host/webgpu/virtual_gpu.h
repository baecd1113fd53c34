// SPDX-License-Identifier: Apache-2.0
// VirtualGpu: what one plugin instance sees as its GPU: the whole of wasi:webgpu, served over the one real device that all share.
//
// A guest can name only what stands in its own table. Every call is checked here by the rules of the WebGPU specification before the
// library hears of it, because the library ends the process on some misuse, and because a guest's rights (virtual usage, a frame's lease,
// quotas) are narrower than the real device's. Errors go to the scopes of the guest's own virtual device.
//
// Lifetime: made with the instance, ended with it; everything that the guest holds ends with it. The real device is shared (Ref).
// Threads: one at a time, the thread that runs the instance; only maps, work-done and loss are answered from the GPU thread.
//
// The class is one, its parts are files: each group of functions below names its own.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "gpu/device.h"
#include "host/webgpu/native_cache.h"
#include "host/webgpu/objects.h"
#include "host/webgpu/table.h"
#include "host/webgpu/virtual_device.h"

namespace weft::host {

class SubmitState;  // submit_state.h: command buffers that were submitted and not sent yet

enum class GpuMode {
  Plugin,  // every request-device gives another handle to the instance's one virtual device
  Exec,    // each request-device makes a virtual device of its own; their objects do not mix
};

struct VirtualGpuOptions {
  Ref<gpu::Device> device;
  GpuMode mode = GpuMode::Plugin;
  Quotas quotas;
  // Gets uncaptured errors. Called on the instance's thread.
  Log log;
};

// What a frame's texture or buffer may be used for by the guest that it is lent to.
struct Rights {
  uint32_t usage = 0;    // bits of wit::GpuTextureUsage or wit::GpuBufferUsage
  bool writable = true;  // buffers: false refuses read-write storage bindings, COPY_DST and maps
};

// Not final: tools/mutate-host tests a class over it of which one function does nothing.
class VirtualGpu : public wit::WebgpuHost {
 public:
  explicit VirtualGpu(VirtualGpuOptions options);
  ~VirtualGpu() override;

  // --- for the node (virtual_gpu.cc) ---

  // The handle that instance.create(device) gets; the guest owns the row. Plugin mode.
  Result<Rep> CreateDeviceRep();
  // A native reference is added; info.usage is replaced by rights.usage. The row belongs to the guest.
  Result<Rep> ImportTexture(WGPUTexture native, TextureInfo info, const Rights& rights, uint64_t frame, std::string_view label);
  Result<Rep> ImportBuffer(WGPUBuffer native, uint64_t size, const Rights& rights, uint64_t frame, std::string_view label);
  // The same for a texture of `device`, with the rights in info.usage and without a handle yet: see Add.
  Ref<VTexture> LendTexture(Ref<VDevice> device, WGPUTexture native, TextureInfo info, uint64_t frame, std::string_view label);
  // The frame is over: sends what was submitted, then revokes what was lent for it and drops the native side of all that was made from it.
  void RevokeFrame(uint64_t frame);
  // Sends all that was submitted and not sent yet (submit.cc).
  void FlushSubmits();
  // The caller of TakePending gave this instance's work to Device::SubmitLater, which answered this position: what has to come after it
  // (FlushSubmits) sends it first.
  void NoteKept(uint64_t position) { kept_ = position; }
  // Instead of sending: appends what was submitted and not sent yet, in call order, and its references become the caller's
  // (CommandBufferRelease after the submit). For a scheduler that sends several nodes' work in one submit; to be called before RevokeFrame.
  // How many they were.
  size_t TakePending(std::vector<WGPUCommandBuffer>& out);
  // Called at the start of every FlushSubmits: a scheduler that took work and has not sent it yet sends it now, since what comes next (a
  // map, a write, a destroy) must come after it.
  void SetFlushHook(std::function<void()> before_flush);
  // Whether work submitted in this frame, or a queue write, may have written the lent texture. To be asked before RevokeFrame.
  bool FrameWrote(WGPUTexture native) const;
  // For queue writes: they count as written too.
  void NoteLentWrite(VResource* resource);

  // Uncaptured errors since the last call: the node fails its frame with them.
  std::vector<DeviceError> TakeUncapturedErrors();
  // Errors of all its devices so far, captured ones too.
  uint64_t errors_reported() const;
  // "quota: gpu objects: ..."; sticky: from then on the node is failed.
  std::optional<std::string> quota_failure() const { return account_->failure(); }
  // The guest destroyed its device (plugin mode): the node fails at its next process.
  bool device_destroyed() const;

  struct Stats {
    size_t rows = 0;
    uint32_t objects = 0, buffers = 0, textures = 0;
    uint64_t gpu_bytes = 0, shader_bytes = 0;
    size_t frames = 0;         // with something lent
    size_t frame_objects = 0;  // objects made from what is lent
  };
  Stats stats() const;
  uint32_t objects_of(Kind kind) const { return account_->objects_of(kind); }

  // --- for the parts of this class ---

  gpu::Device& gpu() const { return *gpu_; }
  const gpu::Procs& wgpu() const { return gpu_->procs(); }
  const Ref<Account>& account() const { return account_; }
  template <class T>
  Result<Ref<T>> Get(Rep rep) const {
    return table_->Get<T>(rep);
  }
  Result<Rep> Add(Ref<VObject> object) { return table_->Add(std::move(object)); }
  // A new object of `device`. Over the quota of objects it is not valid, and the out-of-memory error is reported.
  template <class T, class... A>
  Ref<T> Make(const Ref<VDevice>& device, const Opt<Str>& label, A&&... args) {
    const bool fits = account_->FitsObject(T::kKind);
    Ref<T> object = MakeRef<T>(account_, device, label ? label->view() : std::string_view(), std::forward<A>(args)...);
    object->born = frames_over_;
    if (!fits) {
      object->Invalidate();
      device->Report(ErrorType::OutOfMemory, QuotaSentence());
    }
    return object;
  }
  // To be called when an object's reach has grown: if it reaches something lent, RevokeFrame will find it. Idempotent.
  void Watch(VReaching* object);
  // A view by the rules of create-view (texture_view.cc); also for bindings that name a texture.
  Ref<VTextureView> MakeView(const Ref<VTexture>& texture, const Opt<wit::GpuTextureViewDescriptor>& descriptor);
  // The rule "valid to use with" of the specification: alive, valid and of this device. A sentence when not.
  static std::optional<std::string> UseRefusal(const VDevice* device, const VObject& object);
  std::string QuotaSentence() const;
  // Runs the library's compiler; its time counts against the quota.
  template <class F>
  auto Compile(F&& create) {
    const auto begun = Account::Clock::now();
    auto made = gpu_->RunOnBigStack(std::forward<F>(create));
    const auto now = Account::Clock::now();
    account_->Compiled(now - begun, now);
    return made;
  }

 private:
  Result<Str> LabelOf(Rep self, Kind kind);
  Status SetLabelOf(Rep self, Kind kind, Str label);
  void Drop(Rep rep, Kind kind) noexcept;
  void CountWrite(uint64_t bytes);
  // FlushSubmits, and what was written since: the library keeps writes until a submit.
  void SendAll();
  // Made and checked; what went wrong is in `failures`, unreported. An Error is a trap.
  Result<Ref<VComputePipeline>> BuildComputePipeline(const Ref<VDevice>& device, const wit::GpuComputePipelineDescriptor& d,
                                                     std::vector<DeviceError>* failures);
  Result<Ref<VRenderPipeline>> BuildRenderPipeline(const Ref<VDevice>& device, const wit::GpuRenderPipelineDescriptor& d,
                                                   std::vector<DeviceError>* failures);
  // The sync forms' failures; an object that did not fit the quota was reported when it was made.
  void ReportPipeline(VDevice& device, std::vector<DeviceError>& failures);
  // get-bind-group-layout; `ask` asks the library, for layout "auto" (pipeline_stage.cc).
  Ref<VBindGroupLayout> GroupLayoutOf(const VObject& pipeline, PipelineGroups& groups, uint32_t index,
                                      const std::function<WGPUBindGroupLayout()>& ask);
  Ref<VDevice> MakeDevice(std::string_view label, const WGPULimits& limits, Features features);
  // Whether the native sides of what is made of it may be kept for later frames: it is the guest's own and older than this frame, so likely
  // to be there in the next, or lent: then its native side comes again.
  bool Settled(const VObject& object) const { return object.born < frames_over_; }
  bool Settled(const VResource& resource) const { return resource.imported() || resource.born < frames_over_; }
  // Keeps a text alive until the next call.
  Str Keep(std::string text);

 public:
  // --- labels.cc: labels of all objects, and drops ---
  void OnDropGpu(Rep rep) noexcept override;
  void OnDropGpuAdapter(Rep rep) noexcept override;
  void OnDropGpuAdapterInfo(Rep rep) noexcept override;
  void OnDropGpuBindGroup(Rep rep) noexcept override;
  void OnDropGpuBindGroupLayout(Rep rep) noexcept override;
  void OnDropGpuBuffer(Rep rep) noexcept override;
  void OnDropGpuCanvasContext(Rep rep) noexcept override;
  void OnDropGpuCommandBuffer(Rep rep) noexcept override;
  void OnDropGpuCommandEncoder(Rep rep) noexcept override;
  void OnDropGpuCompilationInfo(Rep rep) noexcept override;
  void OnDropGpuCompilationMessage(Rep rep) noexcept override;
  void OnDropGpuComputePassEncoder(Rep rep) noexcept override;
  void OnDropGpuComputePipeline(Rep rep) noexcept override;
  void OnDropGpuDevice(Rep rep) noexcept override;
  void OnDropGpuDeviceLostInfo(Rep rep) noexcept override;
  void OnDropGpuError(Rep rep) noexcept override;
  void OnDropGpuPipelineLayout(Rep rep) noexcept override;
  void OnDropGpuQuerySet(Rep rep) noexcept override;
  void OnDropGpuQueue(Rep rep) noexcept override;
  void OnDropGpuRenderBundle(Rep rep) noexcept override;
  void OnDropGpuRenderBundleEncoder(Rep rep) noexcept override;
  void OnDropGpuRenderPassEncoder(Rep rep) noexcept override;
  void OnDropGpuRenderPipeline(Rep rep) noexcept override;
  void OnDropGpuSampler(Rep rep) noexcept override;
  void OnDropGpuShaderModule(Rep rep) noexcept override;
  void OnDropGpuSupportedFeatures(Rep rep) noexcept override;
  void OnDropGpuSupportedLimits(Rep rep) noexcept override;
  void OnDropGpuTexture(Rep rep) noexcept override;
  void OnDropGpuTextureView(Rep rep) noexcept override;
  void OnDropGpuUncapturedErrorEvent(Rep rep) noexcept override;
  void OnDropRecordGpuPipelineConstantValue(Rep rep) noexcept override;
  void OnDropRecordOptionGpuSize64(Rep rep) noexcept override;
  void OnDropWgslLanguageFeatures(Rep rep) noexcept override;
  Result<Str> OnGpuBindGroupLabel(Rep self) override;
  Status OnGpuBindGroupSetLabel(Rep self, Str label) override;
  Result<Str> OnGpuBindGroupLayoutLabel(Rep self) override;
  Status OnGpuBindGroupLayoutSetLabel(Rep self, Str label) override;
  Result<Str> OnGpuBufferLabel(Rep self) override;
  Status OnGpuBufferSetLabel(Rep self, Str label) override;
  Result<Str> OnGpuComputePipelineLabel(Rep self) override;
  Status OnGpuComputePipelineSetLabel(Rep self, Str label) override;
  Result<Str> OnGpuDeviceLabel(Rep self) override;
  Status OnGpuDeviceSetLabel(Rep self, Str label) override;
  Result<Str> OnGpuPipelineLayoutLabel(Rep self) override;
  Status OnGpuPipelineLayoutSetLabel(Rep self, Str label) override;
  Result<Str> OnGpuQuerySetLabel(Rep self) override;
  Status OnGpuQuerySetSetLabel(Rep self, Str label) override;
  Result<Str> OnGpuQueueLabel(Rep self) override;
  Status OnGpuQueueSetLabel(Rep self, Str label) override;
  Result<Str> OnGpuRenderPipelineLabel(Rep self) override;
  Status OnGpuRenderPipelineSetLabel(Rep self, Str label) override;
  Result<Str> OnGpuSamplerLabel(Rep self) override;
  Status OnGpuSamplerSetLabel(Rep self, Str label) override;
  Result<Str> OnGpuShaderModuleLabel(Rep self) override;
  Status OnGpuShaderModuleSetLabel(Rep self, Str label) override;
  Result<Str> OnGpuTextureLabel(Rep self) override;
  Status OnGpuTextureSetLabel(Rep self, Str label) override;
  Result<Str> OnGpuTextureViewLabel(Rep self) override;
  Status OnGpuTextureViewSetLabel(Rep self, Str label) override;
  Result<Str> OnGpuCommandBufferLabel(Rep self) override;
  Status OnGpuCommandBufferSetLabel(Rep self, Str label) override;
  Result<Str> OnGpuCommandEncoderLabel(Rep self) override;
  Status OnGpuCommandEncoderSetLabel(Rep self, Str label) override;
  Result<Str> OnGpuComputePassEncoderLabel(Rep self) override;
  Status OnGpuComputePassEncoderSetLabel(Rep self, Str label) override;
  Result<Str> OnGpuRenderBundleLabel(Rep self) override;
  Status OnGpuRenderBundleSetLabel(Rep self, Str label) override;
  Result<Str> OnGpuRenderBundleEncoderLabel(Rep self) override;
  Status OnGpuRenderBundleEncoderSetLabel(Rep self, Str label) override;
  Result<Str> OnGpuRenderPassEncoderLabel(Rep self) override;
  Status OnGpuRenderPassEncoderSetLabel(Rep self, Str label) override;

  // --- limits.cc: limits and features ---
  Result<Rep> OnGpuWgslLanguageFeatures(Rep self) override;
  Result<bool> OnGpuSupportedFeaturesHas(Rep self, Str value) override;
  Result<uint32_t> OnGpuSupportedLimitsMaxTextureDimension1D(Rep self) override;
  Result<uint32_t> OnGpuSupportedLimitsMaxTextureDimension2D(Rep self) override;
  Result<uint32_t> OnGpuSupportedLimitsMaxTextureDimension3D(Rep self) override;
  Result<uint32_t> OnGpuSupportedLimitsMaxTextureArrayLayers(Rep self) override;
  Result<uint32_t> OnGpuSupportedLimitsMaxBindGroups(Rep self) override;
  Result<uint32_t> OnGpuSupportedLimitsMaxBindGroupsPlusVertexBuffers(Rep self) override;
  Result<uint32_t> OnGpuSupportedLimitsMaxImmediateSize(Rep self) override;
  Result<uint32_t> OnGpuSupportedLimitsMaxBindingsPerBindGroup(Rep self) override;
  Result<uint32_t> OnGpuSupportedLimitsMaxDynamicUniformBuffersPerPipelineLayout(Rep self) override;
  Result<uint32_t> OnGpuSupportedLimitsMaxDynamicStorageBuffersPerPipelineLayout(Rep self) override;
  Result<uint32_t> OnGpuSupportedLimitsMaxSampledTexturesPerShaderStage(Rep self) override;
  Result<uint32_t> OnGpuSupportedLimitsMaxSamplersPerShaderStage(Rep self) override;
  Result<uint32_t> OnGpuSupportedLimitsMaxStorageBuffersPerShaderStage(Rep self) override;
  Result<uint32_t> OnGpuSupportedLimitsMaxStorageBuffersInVertexStage(Rep self) override;
  Result<uint32_t> OnGpuSupportedLimitsMaxStorageBuffersInFragmentStage(Rep self) override;
  Result<uint32_t> OnGpuSupportedLimitsMaxStorageTexturesPerShaderStage(Rep self) override;
  Result<uint32_t> OnGpuSupportedLimitsMaxStorageTexturesInVertexStage(Rep self) override;
  Result<uint32_t> OnGpuSupportedLimitsMaxStorageTexturesInFragmentStage(Rep self) override;
  Result<uint32_t> OnGpuSupportedLimitsMaxUniformBuffersPerShaderStage(Rep self) override;
  Result<uint64_t> OnGpuSupportedLimitsMaxUniformBufferBindingSize(Rep self) override;
  Result<uint64_t> OnGpuSupportedLimitsMaxStorageBufferBindingSize(Rep self) override;
  Result<uint32_t> OnGpuSupportedLimitsMinUniformBufferOffsetAlignment(Rep self) override;
  Result<uint32_t> OnGpuSupportedLimitsMinStorageBufferOffsetAlignment(Rep self) override;
  Result<uint32_t> OnGpuSupportedLimitsMaxVertexBuffers(Rep self) override;
  Result<uint64_t> OnGpuSupportedLimitsMaxBufferSize(Rep self) override;
  Result<uint32_t> OnGpuSupportedLimitsMaxVertexAttributes(Rep self) override;
  Result<uint32_t> OnGpuSupportedLimitsMaxVertexBufferArrayStride(Rep self) override;
  Result<uint32_t> OnGpuSupportedLimitsMaxInterStageShaderVariables(Rep self) override;
  Result<uint32_t> OnGpuSupportedLimitsMaxColorAttachments(Rep self) override;
  Result<uint32_t> OnGpuSupportedLimitsMaxColorAttachmentBytesPerSample(Rep self) override;
  Result<uint32_t> OnGpuSupportedLimitsMaxComputeWorkgroupStorageSize(Rep self) override;
  Result<uint32_t> OnGpuSupportedLimitsMaxComputeInvocationsPerWorkgroup(Rep self) override;
  Result<uint32_t> OnGpuSupportedLimitsMaxComputeWorkgroupSizeX(Rep self) override;
  Result<uint32_t> OnGpuSupportedLimitsMaxComputeWorkgroupSizeY(Rep self) override;
  Result<uint32_t> OnGpuSupportedLimitsMaxComputeWorkgroupSizeZ(Rep self) override;
  Result<uint32_t> OnGpuSupportedLimitsMaxComputeWorkgroupsPerDimension(Rep self) override;
  Result<bool> OnWgslLanguageFeaturesHas(Rep self, Str value) override;

  // --- adapter.cc: from get-gpu to a device ---
  void OnGpuRequestAdapter(Rep self, const Opt<wit::GpuRequestAdapterOptions>& options, Completion<Opt<Rep>> done) override;
  Result<wit::GpuTextureFormat> OnGpuGetPreferredCanvasFormat(Rep self) override;
  Result<Rep> OnGpuAdapterFeatures(Rep self) override;
  Result<Rep> OnGpuAdapterLimits(Rep self) override;
  Result<Rep> OnGpuAdapterInfo(Rep self) override;
  void OnGpuAdapterRequestDevice(Rep self, const Opt<wit::GpuDeviceDescriptor>& descriptor,
                                 Completion<Res<Rep, wit::RequestDeviceError>> done) override;
  Result<Str> OnGpuAdapterInfoVendor(Rep self) override;
  Result<Str> OnGpuAdapterInfoArchitecture(Rep self) override;
  Result<Str> OnGpuAdapterInfoDevice(Rep self) override;
  Result<Str> OnGpuAdapterInfoDescription(Rep self) override;
  Result<uint32_t> OnGpuAdapterInfoSubgroupMinSize(Rep self) override;
  Result<uint32_t> OnGpuAdapterInfoSubgroupMaxSize(Rep self) override;
  Result<bool> OnGpuAdapterInfoIsFallbackAdapter(Rep self) override;
  Result<Rep> OnGpuDeviceFeatures(Rep self) override;
  Result<Rep> OnGpuDeviceLimits(Rep self) override;
  Result<Rep> OnGpuDeviceAdapterInfo(Rep self) override;
  Result<Rep> OnGpuDeviceQueue(Rep self) override;
  Result<Rep> OnGetGpu() override;

  // --- device.cc: errors, loss ---
  Status OnGpuDeviceDestroy(Rep self) override;
  void OnGpuDeviceLost(Rep self, Completion<Rep> done) override;
  Status OnGpuDevicePushErrorScope(Rep self, wit::GpuErrorFilter filter) override;
  void OnGpuDevicePopErrorScope(Rep self, Completion<Res<Opt<Rep>, wit::PopErrorScopeError>> done) override;
  Status OnGpuDeviceOnUncapturedError(Rep self, StreamSource<Rep> stream) override;
  Result<wit::GpuDeviceLostReason> OnGpuDeviceLostInfoReason(Rep self) override;
  Result<Str> OnGpuDeviceLostInfoMessage(Rep self) override;
  Result<Str> OnGpuErrorMessage(Rep self) override;
  Result<wit::GpuErrorKind> OnGpuErrorKind(Rep self) override;

  // --- buffer.cc: buffers and their maps ---
  Result<uint64_t> OnGpuBufferSize(Rep self) override;
  Result<wit::GpuBufferUsage> OnGpuBufferUsage(Rep self) override;
  Result<wit::GpuBufferMapState> OnGpuBufferMapState(Rep self) override;
  void OnGpuBufferMapAsync(Rep self, wit::GpuMapMode mode, const Opt<uint64_t>& offset, const Opt<uint64_t>& size,
                           Completion<Res<Unit, wit::MapAsyncError>> done) override;
  Result<Res<List<uint8_t>, wit::GetMappedRangeError>> OnGpuBufferGetMappedRangeGetWithCopy(Rep self, const Opt<uint64_t>& offset,
                                                                                            const Opt<uint64_t>& size) override;
  Result<Res<Unit, wit::UnmapError>> OnGpuBufferUnmap(Rep self) override;
  Status OnGpuBufferDestroy(Rep self) override;
  Result<Res<Unit, wit::GetMappedRangeError>> OnGpuBufferGetMappedRangeSetWithCopy(Rep self, const List<uint8_t>& data,
                                                                                   const Opt<uint64_t>& offset,
                                                                                   const Opt<uint64_t>& size) override;
  Result<Rep> OnGpuDeviceCreateBuffer(Rep self, const wit::GpuBufferDescriptor& descriptor) override;

  // --- texture.cc, texture_view.cc: textures, views, samplers ---
  Result<Rep> OnGpuDeviceCreateTexture(Rep self, const wit::GpuTextureDescriptor& descriptor) override;
  Result<Rep> OnGpuDeviceCreateSampler(Rep self, const Opt<wit::GpuSamplerDescriptor>& descriptor) override;
  Result<Rep> OnGpuTextureCreateView(Rep self, const Opt<wit::GpuTextureViewDescriptor>& descriptor) override;
  Status OnGpuTextureDestroy(Rep self) override;
  Result<uint32_t> OnGpuTextureWidth(Rep self) override;
  Result<uint32_t> OnGpuTextureHeight(Rep self) override;
  Result<uint32_t> OnGpuTextureDepthOrArrayLayers(Rep self) override;
  Result<uint32_t> OnGpuTextureMipLevelCount(Rep self) override;
  Result<uint32_t> OnGpuTextureSampleCount(Rep self) override;
  Result<wit::GpuTextureDimension> OnGpuTextureDimension(Rep self) override;
  Result<wit::GpuTextureFormat> OnGpuTextureFormat(Rep self) override;
  Result<wit::GpuTextureUsage> OnGpuTextureUsage(Rep self) override;
  Result<Opt<wit::GpuTextureViewDimension>> OnGpuTextureTextureBindingViewDimension(Rep self) override;

  // --- query_set.cc: query sets ---
  Result<Res<Rep, wit::CreateQuerySetError>> OnGpuDeviceCreateQuerySet(Rep self, const wit::GpuQuerySetDescriptor& descriptor) override;
  Status OnGpuQuerySetDestroy(Rep self) override;
  Result<wit::GpuQueryType> OnGpuQuerySetType(Rep self) override;
  Result<uint32_t> OnGpuQuerySetCount(Rep self) override;

  // --- bind_layout.cc, bind_group.cc: what shaders are bound to ---
  Result<Rep> OnGpuDeviceCreateBindGroupLayout(Rep self, const wit::GpuBindGroupLayoutDescriptor& descriptor) override;
  Result<Rep> OnGpuDeviceCreatePipelineLayout(Rep self, const wit::GpuPipelineLayoutDescriptor& descriptor) override;
  Result<Rep> OnGpuDeviceCreateBindGroup(Rep self, const wit::GpuBindGroupDescriptor& descriptor) override;

  // --- shader.cc: shader modules and their messages ---
  Result<List<Rep>> OnGpuCompilationInfoMessages(Rep self) override;
  Result<Str> OnGpuCompilationMessageMessage(Rep self) override;
  Result<wit::GpuCompilationMessageType> OnGpuCompilationMessageType(Rep self) override;
  Result<uint64_t> OnGpuCompilationMessageLineNum(Rep self) override;
  Result<uint64_t> OnGpuCompilationMessageLinePos(Rep self) override;
  Result<uint64_t> OnGpuCompilationMessageOffset(Rep self) override;
  Result<uint64_t> OnGpuCompilationMessageLength(Rep self) override;
  Result<Rep> OnGpuDeviceCreateShaderModule(Rep self, const wit::GpuShaderModuleDescriptor& descriptor) override;
  void OnGpuShaderModuleGetCompilationInfo(Rep self, Completion<Rep> done) override;

  // --- compute_pipeline.cc, render_pipeline.cc, pipeline_stage.cc: pipelines ---
  Result<Rep> OnGpuComputePipelineGetBindGroupLayout(Rep self, uint32_t index) override;
  Result<Rep> OnGpuDeviceCreateComputePipeline(Rep self, const wit::GpuComputePipelineDescriptor& descriptor) override;
  Result<Rep> OnGpuDeviceCreateRenderPipeline(Rep self, const wit::GpuRenderPipelineDescriptor& descriptor) override;
  void OnGpuDeviceCreateComputePipelineAsync(Rep self, const wit::GpuComputePipelineDescriptor& descriptor,
                                             Completion<Res<Rep, wit::CreatePipelineError>> done) override;
  void OnGpuDeviceCreateRenderPipelineAsync(Rep self, const wit::GpuRenderPipelineDescriptor& descriptor,
                                            Completion<Res<Rep, wit::CreatePipelineError>> done) override;
  Result<Rep> OnGpuRenderPipelineGetBindGroupLayout(Rep self, uint32_t index) override;

  // --- queue.cc: writes and work-done ---
  void OnGpuQueueOnSubmittedWorkDone(Rep self, Completion<Unit> done) override;
  Result<Res<Unit, wit::WriteBufferError>> OnGpuQueueWriteBufferWithCopy(Rep self, Rep buffer, uint64_t buffer_offset,
                                                                         const List<uint8_t>& data, const Opt<uint64_t>& data_offset,
                                                                         const Opt<uint64_t>& size) override;
  Status OnGpuQueueWriteTextureWithCopy(Rep self, const wit::GpuTexelCopyTextureInfo& destination, const List<uint8_t>& data,
                                        const wit::GpuTexelCopyBufferLayout& data_layout, const wit::GpuExtent3D& size) override;

  // --- records.cc: maps that the guest fills ---
  Result<Rep> OnRecordGpuPipelineConstantValueNew() override;
  Status OnRecordGpuPipelineConstantValueAdd(Rep self, Str key, double value) override;
  Result<Opt<double>> OnRecordGpuPipelineConstantValueGet(Rep self, Str key) override;
  Result<bool> OnRecordGpuPipelineConstantValueHas(Rep self, Str key) override;
  Status OnRecordGpuPipelineConstantValueRemove(Rep self, Str key) override;
  Result<List<Str>> OnRecordGpuPipelineConstantValueKeys(Rep self) override;
  Result<List<double>> OnRecordGpuPipelineConstantValueValues(Rep self) override;
  Result<List<Tuple2<Str, double>>> OnRecordGpuPipelineConstantValueEntries(Rep self) override;
  Result<Rep> OnRecordOptionGpuSize64New() override;
  Status OnRecordOptionGpuSize64Add(Rep self, Str key, const Opt<uint64_t>& value) override;
  Result<Opt<Opt<uint64_t>>> OnRecordOptionGpuSize64Get(Rep self, Str key) override;
  Result<bool> OnRecordOptionGpuSize64Has(Rep self, Str key) override;
  Status OnRecordOptionGpuSize64Remove(Rep self, Str key) override;
  Result<List<Str>> OnRecordOptionGpuSize64Keys(Rep self) override;
  Result<List<Opt<uint64_t>>> OnRecordOptionGpuSize64Values(Rep self) override;
  Result<List<Tuple2<Str, Opt<uint64_t>>>> OnRecordOptionGpuSize64Entries(Rep self) override;

  // --- encoder*.cc, pass*.cc, bundle*.cc, submit*.cc: the command side ---
  Result<Rep> OnGpuCommandEncoderBeginRenderPass(Rep self, const wit::GpuRenderPassDescriptor& descriptor) override;
  Result<Rep> OnGpuCommandEncoderBeginComputePass(Rep self, const Opt<wit::GpuComputePassDescriptor>& descriptor) override;
  Status OnGpuCommandEncoderCopyBufferToBuffer(Rep self, Rep source, const Opt<uint64_t>& source_offset, Rep destination,
                                               const Opt<uint64_t>& destination_offset, const Opt<uint64_t>& size) override;
  Status OnGpuCommandEncoderCopyBufferToTexture(Rep self, const wit::GpuTexelCopyBufferInfo& source,
                                                const wit::GpuTexelCopyTextureInfo& destination,
                                                const wit::GpuExtent3D& copy_size) override;
  Status OnGpuCommandEncoderCopyTextureToBuffer(Rep self, const wit::GpuTexelCopyTextureInfo& source,
                                                const wit::GpuTexelCopyBufferInfo& destination, const wit::GpuExtent3D& copy_size) override;
  Status OnGpuCommandEncoderCopyTextureToTexture(Rep self, const wit::GpuTexelCopyTextureInfo& source,
                                                 const wit::GpuTexelCopyTextureInfo& destination,
                                                 const wit::GpuExtent3D& copy_size) override;
  Status OnGpuCommandEncoderClearBuffer(Rep self, Rep buffer, const Opt<uint64_t>& offset, const Opt<uint64_t>& size) override;
  Status OnGpuCommandEncoderResolveQuerySet(Rep self, Rep query_set, uint32_t first_query, uint32_t query_count, Rep destination,
                                            uint64_t destination_offset) override;
  Result<Rep> OnGpuCommandEncoderFinish(Rep self, const Opt<wit::GpuCommandBufferDescriptor>& descriptor) override;
  Status OnGpuCommandEncoderPushDebugGroup(Rep self, Str group_label) override;
  Status OnGpuCommandEncoderPopDebugGroup(Rep self) override;
  Status OnGpuCommandEncoderInsertDebugMarker(Rep self, Str marker_label) override;
  Status OnGpuComputePassEncoderSetPipeline(Rep self, Rep pipeline) override;
  Status OnGpuComputePassEncoderDispatchWorkgroups(Rep self, uint32_t workgroup_count_x, const Opt<uint32_t>& workgroup_count_y,
                                                   const Opt<uint32_t>& workgroup_count_z) override;
  Status OnGpuComputePassEncoderDispatchWorkgroupsIndirect(Rep self, Rep indirect_buffer, uint64_t indirect_offset) override;
  Status OnGpuComputePassEncoderEnd(Rep self) override;
  Status OnGpuComputePassEncoderPushDebugGroup(Rep self, Str group_label) override;
  Status OnGpuComputePassEncoderPopDebugGroup(Rep self) override;
  Status OnGpuComputePassEncoderInsertDebugMarker(Rep self, Str marker_label) override;
  Result<Res<Unit, wit::SetBindGroupError>> OnGpuComputePassEncoderSetBindGroup(Rep self, uint32_t index, const Opt<Rep>& bind_group,
                                                                                const Opt<List<uint32_t>>& dynamic_offsets_data,
                                                                                const Opt<uint64_t>& dynamic_offsets_data_start,
                                                                                const Opt<uint32_t>& dynamic_offsets_data_length) override;
  Status OnGpuComputePassEncoderSetImmediates(Rep self, uint32_t range_offset, const List<uint8_t>& data, const Opt<uint64_t>& data_offset,
                                              const Opt<uint64_t>& data_size) override;
  Result<Rep> OnGpuDeviceCreateCommandEncoder(Rep self, const Opt<wit::GpuCommandEncoderDescriptor>& descriptor) override;
  Result<Rep> OnGpuDeviceCreateRenderBundleEncoder(Rep self, const wit::GpuRenderBundleEncoderDescriptor& descriptor) override;
  Status OnGpuQueueSubmit(Rep self, const List<Rep>& command_buffers) override;
  Result<Rep> OnGpuRenderBundleEncoderFinish(Rep self, const Opt<wit::GpuRenderBundleDescriptor>& descriptor) override;
  Status OnGpuRenderBundleEncoderPushDebugGroup(Rep self, Str group_label) override;
  Status OnGpuRenderBundleEncoderPopDebugGroup(Rep self) override;
  Status OnGpuRenderBundleEncoderInsertDebugMarker(Rep self, Str marker_label) override;
  Result<Res<Unit, wit::SetBindGroupError>> OnGpuRenderBundleEncoderSetBindGroup(Rep self, uint32_t index, const Opt<Rep>& bind_group,
                                                                                 const Opt<List<uint32_t>>& dynamic_offsets_data,
                                                                                 const Opt<uint64_t>& dynamic_offsets_data_start,
                                                                                 const Opt<uint32_t>& dynamic_offsets_data_length) override;
  Status OnGpuRenderBundleEncoderSetImmediates(Rep self, uint32_t range_offset, const List<uint8_t>& data, const Opt<uint64_t>& data_offset,
                                               const Opt<uint64_t>& data_size) override;
  Status OnGpuRenderBundleEncoderSetPipeline(Rep self, Rep pipeline) override;
  Status OnGpuRenderBundleEncoderSetIndexBuffer(Rep self, Rep buffer, wit::GpuIndexFormat index_format, const Opt<uint64_t>& offset,
                                                const Opt<uint64_t>& size) override;
  Status OnGpuRenderBundleEncoderSetVertexBuffer(Rep self, uint32_t slot, const Opt<Rep>& buffer, const Opt<uint64_t>& offset,
                                                 const Opt<uint64_t>& size) override;
  Status OnGpuRenderBundleEncoderDraw(Rep self, uint32_t vertex_count, const Opt<uint32_t>& instance_count,
                                      const Opt<uint32_t>& first_vertex, const Opt<uint32_t>& first_instance) override;
  Status OnGpuRenderBundleEncoderDrawIndexed(Rep self, uint32_t index_count, const Opt<uint32_t>& instance_count,
                                             const Opt<uint32_t>& first_index, const Opt<int32_t>& base_vertex,
                                             const Opt<uint32_t>& first_instance) override;
  Status OnGpuRenderBundleEncoderDrawIndirect(Rep self, Rep indirect_buffer, uint64_t indirect_offset) override;
  Status OnGpuRenderBundleEncoderDrawIndexedIndirect(Rep self, Rep indirect_buffer, uint64_t indirect_offset) override;
  Status OnGpuRenderPassEncoderSetViewport(Rep self, float x, float y, float width, float height, float min_depth,
                                           float max_depth) override;
  Status OnGpuRenderPassEncoderSetScissorRect(Rep self, uint32_t x, uint32_t y, uint32_t width, uint32_t height) override;
  Status OnGpuRenderPassEncoderSetBlendConstant(Rep self, const wit::GpuColor& color) override;
  Status OnGpuRenderPassEncoderSetStencilReference(Rep self, uint32_t reference) override;
  Status OnGpuRenderPassEncoderBeginOcclusionQuery(Rep self, uint32_t query_index) override;
  Status OnGpuRenderPassEncoderEndOcclusionQuery(Rep self) override;
  Status OnGpuRenderPassEncoderExecuteBundles(Rep self, const List<Rep>& bundles) override;
  Status OnGpuRenderPassEncoderEnd(Rep self) override;
  Status OnGpuRenderPassEncoderPushDebugGroup(Rep self, Str group_label) override;
  Status OnGpuRenderPassEncoderPopDebugGroup(Rep self) override;
  Status OnGpuRenderPassEncoderInsertDebugMarker(Rep self, Str marker_label) override;
  Result<Res<Unit, wit::SetBindGroupError>> OnGpuRenderPassEncoderSetBindGroup(Rep self, uint32_t index, const Opt<Rep>& bind_group,
                                                                               const Opt<List<uint32_t>>& dynamic_offsets_data,
                                                                               const Opt<uint64_t>& dynamic_offsets_data_start,
                                                                               const Opt<uint32_t>& dynamic_offsets_data_length) override;
  Status OnGpuRenderPassEncoderSetImmediates(Rep self, uint32_t range_offset, const List<uint8_t>& data, const Opt<uint64_t>& data_offset,
                                             const Opt<uint64_t>& data_size) override;
  Status OnGpuRenderPassEncoderSetPipeline(Rep self, Rep pipeline) override;
  Status OnGpuRenderPassEncoderSetIndexBuffer(Rep self, Rep buffer, wit::GpuIndexFormat index_format, const Opt<uint64_t>& offset,
                                              const Opt<uint64_t>& size) override;
  Status OnGpuRenderPassEncoderSetVertexBuffer(Rep self, uint32_t slot, const Opt<Rep>& buffer, const Opt<uint64_t>& offset,
                                               const Opt<uint64_t>& size) override;
  Status OnGpuRenderPassEncoderDraw(Rep self, uint32_t vertex_count, const Opt<uint32_t>& instance_count, const Opt<uint32_t>& first_vertex,
                                    const Opt<uint32_t>& first_instance) override;
  Status OnGpuRenderPassEncoderDrawIndexed(Rep self, uint32_t index_count, const Opt<uint32_t>& instance_count,
                                           const Opt<uint32_t>& first_index, const Opt<int32_t>& base_vertex,
                                           const Opt<uint32_t>& first_instance) override;
  Status OnGpuRenderPassEncoderDrawIndirect(Rep self, Rep indirect_buffer, uint64_t indirect_offset) override;
  Status OnGpuRenderPassEncoderDrawIndexedIndirect(Rep self, Rep indirect_buffer, uint64_t indirect_offset) override;

 private:
  struct LossRelay;

  const Ref<gpu::Device> gpu_;
  const GpuMode mode_;
  const Log log_;
  const Ref<Account> account_;
  const Ref<Table> table_;
  WGPULimits granted_limits_ = WGPU_LIMITS_INIT;
  Features granted_features_;
  Ref<VDevice> plugin_device_;         // plugin mode: the one
  std::vector<Ref<VDevice>> devices_;  // all that were made
  Ref<LossRelay> loss_;
  VReaching::Link frame_objects_;  // head of the ring of what was made from lent resources
  std::map<uint64_t, std::vector<Ref<VResource>>> frames_;
  std::shared_ptr<SubmitState> submits_;  // made by submit.cc at first use
  uint64_t kept_ = 0;                     // see NoteKept
  uint64_t frames_over_ = 0;
  uint32_t refused_submits_ = 0;  // by the library, though they passed here
  NativeCache<WGPUTextureView> views_;
  NativeCache<WGPUBindGroup> groups_;
  uint64_t unsent_bytes_ = 0;  // written since the library was last made to send

  // What the last call gave out as a view: kept until the next.
  std::string kept_text_;
  std::vector<Rep> kept_reps_;
  std::vector<Str> kept_strs_;
  std::vector<double> kept_doubles_;
  std::vector<Opt<uint64_t>> kept_sizes_;
  std::vector<Tuple2<Str, double>> kept_double_entries_;
  std::vector<Tuple2<Str, Opt<uint64_t>>> kept_size_entries_;
};

}  // namespace weft::host
