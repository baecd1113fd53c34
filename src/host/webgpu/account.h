// SPDX-License-Identifier: Apache-2.0
// Account: what one plugin instance holds of the GPU, against its quotas. Shared by the instance's objects, which give back what they
// were charged when they end, on whichever thread that is: all counters are atomic. The first refusal is kept for the node to read.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "base/ref.h"

namespace weft::host {

// What a resource-table row may be. The names are those of the WIT.
enum class Kind : uint8_t {
  Gpu,
  Adapter,
  AdapterInfo,
  Device,
  Queue,
  Buffer,
  Texture,
  TextureView,
  Sampler,
  BindGroupLayout,
  PipelineLayout,
  BindGroup,
  ShaderModule,
  ComputePipeline,
  RenderPipeline,
  QuerySet,
  CommandEncoder,
  ComputePass,
  RenderPass,
  RenderBundleEncoder,
  RenderBundle,
  CommandBuffer,
  SupportedFeatures,
  SupportedLimits,
  WgslLanguageFeatures,
  CompilationInfo,
  CompilationMessage,
  DeviceLostInfo,
  GpuError,
  RecordConstants,
  RecordSize64,
};
inline constexpr size_t kKindCount = 31;
// "gpu-buffer", "gpu-texture-view", ...
std::string_view KindName(Kind kind);

struct Quotas {
  uint64_t buffer_bytes = uint64_t{4} << 30;
  uint64_t texture_bytes = uint64_t{8} << 30;
  uint32_t buffers = 16384;
  uint32_t textures = 4096;
  // Live objects of all kinds, and rows in the handle table.
  uint32_t objects = 65536;
  // WGSL text of all live shader modules together.
  uint64_t shader_bytes = uint64_t{16} << 20;
  // WGSL text of one module.
  uint64_t one_shader_bytes = uint64_t{4} << 20;
  // Events of on-uncaptured-error that the guest has not dropped.
  uint32_t unread_errors = 64;
};

class Account : public RefCounted {
 public:
  explicit Account(const Quotas& quotas) : quotas_(quotas) {}

  const Quotas& quotas() const { return quotas_; }

  // Each answers whether the charge fits; if not nothing was charged, and a sentence is kept for failure().
  bool ChargeBuffer(uint64_t bytes);
  bool ChargeTexture(uint64_t bytes);
  bool ChargeShader(uint64_t bytes);
  bool FitsObject(Kind kind);

  void RefundBufferBytes(uint64_t bytes) { buffer_bytes_ -= bytes; }
  void RefundTextureBytes(uint64_t bytes) { texture_bytes_ -= bytes; }
  void RefundBuffer() { --buffers_; }
  void RefundTexture() { --textures_; }
  void RefundShader(uint64_t bytes) { shader_bytes_ -= bytes; }
  void ObjectBorn(Kind kind) { ++objects_, ++kinds_[static_cast<size_t>(kind)]; }
  void ObjectGone(Kind kind) { --objects_, --kinds_[static_cast<size_t>(kind)]; }

  // The first refusal, "quota: gpu objects: ..."; sticky. Any thread.
  std::optional<std::string> failure() const;
  void Fail(std::string sentence);

  uint64_t buffer_bytes() const { return buffer_bytes_; }
  uint64_t texture_bytes() const { return texture_bytes_; }
  uint64_t shader_bytes() const { return shader_bytes_; }
  uint32_t buffers() const { return buffers_; }
  uint32_t textures() const { return textures_; }
  uint32_t objects() const { return objects_; }
  uint32_t objects_of(Kind kind) const { return kinds_[static_cast<size_t>(kind)]; }

 private:
  const Quotas quotas_;
  std::atomic<uint64_t> buffer_bytes_{0}, texture_bytes_{0}, shader_bytes_{0};
  std::atomic<uint32_t> buffers_{0}, textures_{0}, objects_{0};
  std::array<std::atomic<uint32_t>, kKindCount> kinds_{};
  mutable std::mutex mutex_;
  std::optional<std::string> failure_;
};

}  // namespace weft::host
