// SPDX-License-Identifier: Apache-2.0
// Account: what one plugin instance holds of the GPU, against its quotas. Shared by the instance's objects, which give back what they
// were charged when they end, on whichever thread that is: all counters are atomic. The first refusal is kept for the node to read.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

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

// What one plugin instance may hold of the GPU, or use up of it in a minute. The order is that of kQuotas.
enum class Quota : uint8_t {
  Bytes,
  Objects,
  Buffers,
  Textures,
  MappedBytes,
  BindGroupEntries,
  OneShaderBytes,
  ShaderBytes,
  Pipelines,    // a minute
  CompileTime,  // nanoseconds, a minute
  UnreadErrors,
};
inline constexpr size_t kQuotaCount = 11;

enum class QuotaUnit : uint8_t { Count, Bytes, Nanoseconds };

struct QuotaRow {
  std::string_view name;  // as options and reports call it: "gpu-memory"
  std::string_view what;  // as refusals call it: "gpu memory"
  QuotaUnit unit;
  uint64_t most;          // the default
  std::string_view text;  // for people
};
const QuotaRow& RowOf(Quota quota);

class Quotas {
 public:
  Quotas();
  uint64_t& operator[](Quota quota) { return most_[static_cast<size_t>(quota)]; }
  uint64_t operator[](Quota quota) const { return most_[static_cast<size_t>(quota)]; }

 private:
  std::array<uint64_t, kQuotaCount> most_;
};

class Account : public RefCounted {
 public:
  using Clock = std::chrono::steady_clock;
  explicit Account(const Quotas& quotas) : quotas_(quotas) {}

  const Quotas& quotas() const { return quotas_; }

  // Whether `n` more fit; if not nothing was charged, and a sentence is kept for failure(). Not for Objects and the two of a minute.
  bool Charge(Quota quota, uint64_t n);
  void Refund(Quota quota, uint64_t n) { held_[static_cast<size_t>(quota)] -= n; }
  // A buffer or texture of that many bytes: both or neither.
  bool ChargeMemory(Quota kind, uint64_t bytes);
  bool FitsShader(uint64_t bytes);
  bool FitsObject(Kind kind);
  void ObjectBorn(Kind kind) {
    ++kinds_[static_cast<size_t>(kind)];
    NoteMost(Quota::Objects, ++held_[static_cast<size_t>(Quota::Objects)]);
  }
  void ObjectGone(Kind kind) { --held_[static_cast<size_t>(Quota::Objects)], --kinds_[static_cast<size_t>(kind)]; }

  // Quotas of a minute. A minute begins with the first use after the last one was over. Whether more may be compiled, and if `pipeline`
  // another pipeline made, which is charged.
  bool MayCompile(bool pipeline, Clock::time_point now = Clock::now());
  // What it took.
  void Compiled(Clock::duration took, Clock::time_point now = Clock::now());

  // The first refusal, "quota: gpu objects: ..."; sticky. Any thread.
  std::optional<std::string> failure() const;
  void Fail(std::string sentence);

  uint64_t held(Quota quota) const { return held_[static_cast<size_t>(quota)]; }
  // The most that was ever held, or used in a minute.
  uint64_t most(Quota quota) const { return most_[static_cast<size_t>(quota)].load(std::memory_order_relaxed); }
  uint32_t objects() const { return static_cast<uint32_t>(held(Quota::Objects)); }
  uint32_t objects_of(Kind kind) const { return kinds_[static_cast<size_t>(kind)]; }
  // An unread error more, or an own count of somebody else's: for reports.
  void NoteMost(Quota quota, uint64_t now) {
    auto& most = most_[static_cast<size_t>(quota)];
    for (uint64_t was = most.load(std::memory_order_relaxed);
         now > was && !most.compare_exchange_weak(was, now, std::memory_order_relaxed);) {
    }
  }

 private:
  bool Refuse(Quota quota, uint64_t n, uint64_t now);
  void BeginMinute(Clock::time_point now);
  const Quotas quotas_;
  std::array<std::atomic<uint64_t>, kQuotaCount> held_{}, most_{};
  std::array<std::atomic<uint32_t>, kKindCount> kinds_{};
  mutable std::mutex mutex_;
  std::optional<Clock::time_point> minute_;  // the instance's thread only
  std::optional<std::string> failure_;
};

}  // namespace weft::host
