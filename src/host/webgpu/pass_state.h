// SPDX-License-Identifier: Apache-2.0
// Passes: what a compute pass and a render pass hold while they are open (WebGPU 16, 17).
// A pass of which the begin was refused is an ordinary object that is not valid: its calls do nothing, its `end` unlocks the encoder.
// Ownership: a pass holds its encoder. Threads: the instance's own.
#pragma once

#include <string>
#include <vector>

#include "host/webgpu/encoder_state.h"
#include "host/webgpu/pass_bindings.h"
#include "host/webgpu/usage_scope.h"

namespace weft::host {

class VPass : public VObject {
 public:
  ~VPass() override;
  VEncoder& encoder() const { return *parent_; }
  VCommandEncoder* parent() const { return parent_.get(); }
  virtual void DropNativePass() = 0;
  // Gives the encoder back its lock.
  void Unlock();

  bool ended = false;
  uint32_t debug_depth = 0;
  Bindings bindings;
  Seen seen;
  UsageScope scope;

 protected:
  VPass(Kind kind, Ref<Account> account, Ref<VDevice> device, std::string_view label, Ref<VCommandEncoder> parent)
      : VObject(kind, std::move(account), std::move(device), label), parent_(std::move(parent)) {}

 private:
  const Ref<VCommandEncoder> parent_;
};

class VComputePass final : public VPass {
 public:
  static constexpr Kind kKind = Kind::ComputePass;
  VComputePass(Ref<Account> account, Ref<VDevice> device, std::string_view label, Ref<VCommandEncoder> parent)
      : VPass(kKind, std::move(account), std::move(device), label, std::move(parent)) {}
  void DropNativePass() override { native.Reset(); }

  Ref<VComputePipeline> pipeline;
  bool scope_good = false;  // nothing changed since the last dispatch was found right
  gpu::Owned<WGPUComputePassEncoder> native;
};

// What a render pass, a bundle and a pipeline must have in common (GPURenderPassLayout).
using OptFormat = std::optional<wit::GpuTextureFormat>;
struct TargetLayout {
  std::vector<OptFormat> colors;  // without holes at the end
  OptFormat depth_stencil;
  uint32_t samples = 1;

  void Trim() {
    while (!colors.empty() && !colors.back()) colors.pop_back();
  }
  bool Matches(const std::vector<OptFormat>& their_colors, const OptFormat& their_depth_stencil, uint32_t their_samples) const;
};
// "[rgba8unorm, none], depth-stencil none, 4 samples a pixel": for messages.
std::string DescribeTargets(const std::vector<OptFormat>& colors, const OptFormat& depth_stencil, uint32_t samples);

class VRenderPass final : public VPass {
 public:
  static constexpr Kind kKind = Kind::RenderPass;
  VRenderPass(Ref<Account> account, Ref<VDevice> device, std::string_view label, Ref<VCommandEncoder> parent)
      : VPass(kKind, std::move(account), std::move(device), label, std::move(parent)) {}
  void DropNativePass() override { native.Reset(); }

  // A bundle encoder keeps these, see bundle_state.h; a pass has its scope already.
  void OnNewGroup(VBindGroup&) {}
  void OnNewInput(VBuffer&) {}

  TargetLayout targets;
  bool depth_read_only = false, stencil_read_only = false;
  uint32_t width = 0, height = 0;
  DrawBuffers buffers;
  uint64_t draws = 0, max_draws = 0;

  Ref<VQuerySet> occlusion;
  std::vector<bool> occlusion_used;
  bool occlusion_active = false;
  bool blend_constant_set = false;  // the library was told one
  gpu::Owned<WGPURenderPassEncoder> native;
};

}  // namespace weft::host
