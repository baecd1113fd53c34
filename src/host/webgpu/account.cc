// SPDX-License-Identifier: Apache-2.0
#include "host/webgpu/account.h"

#include <fmt/format.h>

namespace weft::host {

std::string_view KindName(Kind kind) {
  static constexpr std::string_view kNames[kKindCount] = {
      "gpu",
      "gpu-adapter",
      "gpu-adapter-info",
      "gpu-device",
      "gpu-queue",
      "gpu-buffer",
      "gpu-texture",
      "gpu-texture-view",
      "gpu-sampler",
      "gpu-bind-group-layout",
      "gpu-pipeline-layout",
      "gpu-bind-group",
      "gpu-shader-module",
      "gpu-compute-pipeline",
      "gpu-render-pipeline",
      "gpu-query-set",
      "gpu-command-encoder",
      "gpu-compute-pass-encoder",
      "gpu-render-pass-encoder",
      "gpu-render-bundle-encoder",
      "gpu-render-bundle",
      "gpu-command-buffer",
      "gpu-supported-features",
      "gpu-supported-limits",
      "wgsl-language-features",
      "gpu-compilation-info",
      "gpu-compilation-message",
      "gpu-device-lost-info",
      "gpu-error",
      "record-gpu-pipeline-constant-value",
      "record-option-gpu-size64",
  };
  return kNames[static_cast<size_t>(kind)];
}

namespace {

constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kMiB = uint64_t{1} << 20;

constexpr QuotaRow kQuotas[kQuotaCount] = {
    {"gpu-memory", "gpu memory", QuotaUnit::Bytes, 8192 * kMiB, "its buffers and textures together"},
    {"gpu-objects", "gpu objects", QuotaUnit::Count, 65536, "WebGPU objects of all kinds that it holds"},
    {"gpu-buffers", "gpu buffers", QuotaUnit::Count, 16384, "buffers that it holds"},
    {"gpu-textures", "gpu textures", QuotaUnit::Count, 4096, "textures that it holds"},
    {"gpu-mapped", "gpu mapped memory", QuotaUnit::Bytes, 1024 * kMiB, "ranges of buffers that are mapped at a time"},
    {"gpu-bindings", "gpu bindings", QuotaUnit::Count, 262'144, "entries of its bind groups together"},
    {"gpu-shader", "gpu shader size", QuotaUnit::Bytes, 4 * kMiB, "WGSL text of one shader module"},
    {"gpu-shaders", "gpu shaders", QuotaUnit::Bytes, 16 * kMiB, "WGSL text of its shader modules together"},
    {"gpu-pipelines", "gpu pipelines", QuotaUnit::Count, 2000, "pipelines that it makes in one minute"},
    {"gpu-compile-time", "gpu compile time", QuotaUnit::Nanoseconds, 50 * kSecond, "compiling its shaders and pipelines, of one minute"},
    {"gpu-errors", "gpu errors", QuotaUnit::Count, 64, "errors in its stream of them that it has not read; later ones are lost"},
};

std::string Amount(Quota quota, uint64_t n) {
  switch (RowOf(quota).unit) {
    case QuotaUnit::Count: return fmt::format("{}", n);
    case QuotaUnit::Bytes: return fmt::format("{} bytes", n);
    case QuotaUnit::Nanoseconds: return fmt::format("{:.3g} s", static_cast<double>(n) / kSecond);
  }
  return {};
}

}  // namespace

const QuotaRow& RowOf(Quota quota) { return kQuotas[static_cast<size_t>(quota)]; }

Quotas::Quotas() {
  for (size_t i = 0; i < kQuotaCount; ++i) most_[i] = kQuotas[i].most;
}

bool Account::Refuse(Quota quota, uint64_t n, uint64_t now) {
  Fail(fmt::format("quota: {}: {} more than the {} in use do not fit into the plugin's limit of {} (--max-{})", RowOf(quota).what, n, now,
                   Amount(quota, quotas_[quota]), RowOf(quota).name));
  return false;
}

bool Account::Charge(Quota quota, uint64_t n) {
  const uint64_t limit = quotas_[quota];
  auto& counter = held_[static_cast<size_t>(quota)];
  uint64_t now = counter.load();
  do {
    if (n > limit || now > limit - n) return Refuse(quota, n, now);
  } while (!counter.compare_exchange_weak(now, now + n));
  NoteMost(quota, now + n);
  return true;
}

bool Account::ChargeMemory(Quota kind, uint64_t bytes) {
  if (!Charge(kind, 1)) return false;
  if (Charge(Quota::Bytes, bytes)) return true;
  Refund(kind, 1);
  return false;
}

bool Account::FitsShader(uint64_t bytes) {
  if (bytes > quotas_[Quota::OneShaderBytes]) {
    Fail(fmt::format("quota: gpu shader size: a shader module has {} bytes of WGSL, the limit for one is {} (--max-{})", bytes,
                     quotas_[Quota::OneShaderBytes], RowOf(Quota::OneShaderBytes).name));
    return false;
  }
  NoteMost(Quota::OneShaderBytes, bytes);
  return Charge(Quota::ShaderBytes, bytes);
}

bool Account::FitsObject(Kind kind) {
  if (held(Quota::Objects) < quotas_[Quota::Objects]) return true;
  Fail(fmt::format("quota: gpu objects: the plugin already has {}, its limit is {} (--max-{}); the last that it asked for is a {}",
                   objects(), quotas_[Quota::Objects], RowOf(Quota::Objects).name, KindName(kind)));
  return false;
}

void Account::BeginMinute(Clock::time_point now) {
  if (minute_ && now - *minute_ < std::chrono::minutes(1)) return;
  minute_ = now;
  held_[static_cast<size_t>(Quota::Pipelines)] = 0;
  held_[static_cast<size_t>(Quota::CompileTime)] = 0;
}

bool Account::MayCompile(bool pipeline, Clock::time_point now) {
  BeginMinute(now);
  const uint64_t used = held(Quota::CompileTime);
  if (used >= quotas_[Quota::CompileTime]) {
    Fail(fmt::format("quota: gpu compile time: the plugin's shaders and pipelines took {} of one minute, its limit is {} (--max-{})",
                     Amount(Quota::CompileTime, used), Amount(Quota::CompileTime, quotas_[Quota::CompileTime]),
                     RowOf(Quota::CompileTime).name));
    return false;
  }
  if (!pipeline) return true;
  if (held(Quota::Pipelines) >= quotas_[Quota::Pipelines]) {
    Fail(fmt::format("quota: gpu pipelines: the plugin has made {} in one minute, its limit is {} (--max-{})", held(Quota::Pipelines),
                     quotas_[Quota::Pipelines], RowOf(Quota::Pipelines).name));
    return false;
  }
  return Charge(Quota::Pipelines, 1);
}

void Account::Compiled(Clock::duration took, Clock::time_point now) {
  BeginMinute(now);
  auto& used = held_[static_cast<size_t>(Quota::CompileTime)];
  used += static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(took).count());
  NoteMost(Quota::CompileTime, used);
}

std::optional<std::string> Account::failure() const {
  std::lock_guard lock(mutex_);
  return failure_;
}

void Account::Fail(std::string sentence) {
  std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::move(sentence);
}

}  // namespace weft::host
