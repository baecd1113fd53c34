// SPDX-License-Identifier: Apache-2.0
// Render bundles and their encoders (WebGPU 18). A bundle keeps what its usage scope needs, so that the pass that executes it can check it
// against its own. Threads: the instance's own.
#pragma once

#include <vector>

#include "host/webgpu/encoder_state.h"
#include "host/webgpu/pass_bindings.h"
#include "host/webgpu/pass_state.h"
#include "host/webgpu/usage_scope.h"

namespace weft::host {

// What a bundle contributes to the usage scope of a pass.
struct BundleUses {
  std::vector<Ref<VBindGroup>> groups;
  std::vector<Ref<VBuffer>> inputs;  // vertex, index, indirect
};
// The sentence of the first conflict, or empty.
std::string AddBundleToScope(UsageScope& scope, const BundleUses& uses);

class VRenderBundleEncoder final : public VEncoder {
 public:
  static constexpr Kind kKind = Kind::RenderBundleEncoder;
  VRenderBundleEncoder(Ref<Account> account, Ref<VDevice> device, std::string_view label)
      : VEncoder(kKind, std::move(account), std::move(device), label) {}
  void DropNative() override;
  VEncoder& encoder() { return *this; }
  void OnNewGroup(VBindGroup& group) { uses.groups.push_back(Ref<VBindGroup>(&group)); }
  void OnNewInput(VBuffer& buffer) { uses.inputs.push_back(Ref<VBuffer>(&buffer)); }

  bool ended = false;
  TargetLayout targets;
  bool depth_read_only = false, stencil_read_only = false;
  Bindings bindings;
  DrawBuffers buffers;
  Seen seen;
  UsageScope scope;
  BundleUses uses;
  uint64_t draws = 0;
  bool uses_blend_constant = false;
  gpu::Owned<WGPURenderBundleEncoder> native;
};

class VRenderBundle final : public VReaching {
 public:
  static constexpr Kind kKind = Kind::RenderBundle;
  VRenderBundle(Ref<Account> account, Ref<VDevice> device, std::string_view label)
      : VReaching(kKind, std::move(account), std::move(device), label) {}
  void DropNative() override { native.Reset(); }
  Reach& mutable_reach() { return reach_; }

  TargetLayout targets;
  bool depth_read_only = false, stencil_read_only = false;
  BundleUses uses;
  WrittenSet written;
  uint64_t draws = 0;
  bool uses_blend_constant = false;
  gpu::Owned<WGPURenderBundle> native;
};

}  // namespace weft::host
