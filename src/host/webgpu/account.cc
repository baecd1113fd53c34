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

// Adds n to the counter if the sum stays within the limit.
template <class N>
bool Charge(std::atomic<N>& counter, N n, N limit) {
  N now = counter.load();
  do {
    if (n > limit || now > limit - n) return false;
  } while (!counter.compare_exchange_weak(now, now + n));
  return true;
}

}  // namespace

bool Account::ChargeBuffer(uint64_t bytes) {
  if (!Charge<uint32_t>(buffers_, 1, quotas_.buffers)) {
    Fail(fmt::format("quota: gpu buffers: the plugin already has {}, its limit is {}", buffers_.load(), quotas_.buffers));
    return false;
  }
  if (!Charge<uint64_t>(buffer_bytes_, bytes, quotas_.buffer_bytes)) {
    --buffers_;
    Fail(fmt::format("quota: gpu buffer bytes: {} more than the {} in use do not fit into the plugin's limit of {}", bytes,
                     buffer_bytes_.load(), quotas_.buffer_bytes));
    return false;
  }
  return true;
}

bool Account::ChargeTexture(uint64_t bytes) {
  if (!Charge<uint32_t>(textures_, 1, quotas_.textures)) {
    Fail(fmt::format("quota: gpu textures: the plugin already has {}, its limit is {}", textures_.load(), quotas_.textures));
    return false;
  }
  if (!Charge<uint64_t>(texture_bytes_, bytes, quotas_.texture_bytes)) {
    --textures_;
    Fail(fmt::format("quota: gpu texture bytes: {} more than the {} in use do not fit into the plugin's limit of {}", bytes,
                     texture_bytes_.load(), quotas_.texture_bytes));
    return false;
  }
  return true;
}

bool Account::ChargeShader(uint64_t bytes) {
  if (bytes > quotas_.one_shader_bytes) {
    Fail(fmt::format("quota: gpu shader size: a shader module has {} bytes of WGSL, the limit for one is {}", bytes,
                     quotas_.one_shader_bytes));
    return false;
  }
  if (!Charge<uint64_t>(shader_bytes_, bytes, quotas_.shader_bytes)) {
    Fail(fmt::format("quota: gpu shader bytes: {} more than the {} in use do not fit into the plugin's limit of {}", bytes,
                     shader_bytes_.load(), quotas_.shader_bytes));
    return false;
  }
  return true;
}

bool Account::FitsObject(Kind kind) {
  if (objects_ < quotas_.objects) return true;
  Fail(fmt::format("quota: gpu objects: the plugin already has {}, its limit is {}; the last that it asked for is a {}", objects_.load(),
                   quotas_.objects, KindName(kind)));
  return false;
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
