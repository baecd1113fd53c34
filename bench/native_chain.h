// SPDX-License-Identifier: Apache-2.0
// The rival of bench/chain: the same passes written straight on webgpu.h, as somebody would who trusts all code: pipelines, views and bind
// groups made once, one command encoder and one submit a frame (or one a pass, or with a clear before each pass).
#pragma once

#include <webgpu.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "gpu/device.h"
#include "gpu/texture_pool.h"

namespace weft::bench {

struct NativeChainOptions {
  int passes = 1;
  uint32_t width = 1920, height = 1080;
  WGPUTextureFormat format = WGPUTextureFormat_RGBA8Unorm;
  std::string format_name = "rgba8unorm";
  std::string shader;  // path of trivial.wgsl
  bool submit_each_pass = false;
  bool clear_each_pass = false;
  int frames = 100;
  int in_flight = 3;
};

struct ChainTiming {
  double seconds = 0;      // wall time of all frames
  double cpu_seconds = 0;  // of this process, all threads
  int frames = 0;
  double fps() const { return frames / seconds; }
  double ms() const { return 1e3 * seconds / frames; }
  double cpu_ms() const { return 1e3 * cpu_seconds / frames; }
};

// The WGSL of one pass: the file that the guest `trivial` of tests/guests is built from.
Result<std::string> TrivialShader(const std::string& path, const std::string& format);
double ProcessCpuSeconds();
Result<ChainTiming> RunNativeChain(gpu::Device& device, const NativeChainOptions& options);

}  // namespace weft::bench
