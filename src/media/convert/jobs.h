// SPDX-License-Identifier: Apache-2.0
// Jobs: compute passes that are kept by what they are made from: pipeline, parameters, bind groups. What a steady run needs is found here
// again. Thread-safe. A Job must not outlive its Jobs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "gpu/buffer_pool.h"
#include "gpu/device.h"
#include "gpu/kernel.h"
#include "gpu/texture_pool.h"

namespace weft::media {

// Unpack4 and PackPairs: second entries of their files, for the layouts of video.
enum class Kernel : uint8_t { Unpack, Unpack4, Convert, Pack, PackPairs, Resize };

struct JobSpec {
  Kernel kernel;
  WGPUTextureFormat target = WGPUTextureFormat_Undefined;  // of the storage texture, where the kernel writes one
  std::vector<gpu::KernelConstant> constants;              // names are literals
  std::vector<std::byte> params;                           // the uniform block
  std::function<std::vector<float>()> weights;             // Resize: made when the job is new; params and `geometry` determine them
  std::vector<double> geometry;

  template <class T>
  void SetParams(const T& block) {
    static_assert(sizeof(T) % 16 == 0);
    const auto* p = reinterpret_cast<const std::byte*>(&block);
    params.assign(p, p + sizeof(T));
  }
};

// What bindings 1 and 2 are: a texture (by its view) or a part of a pool buffer from its beginning.
struct Bound {
  uint64_t id;
  WGPUTextureView view = nullptr;
  WGPUBuffer buffer = nullptr;
  uint64_t size = 0;

  static Bound Of(const gpu::PoolTexture& t) { return {.id = t.id(), .view = t.View()}; }
  static Bound Of(const gpu::PoolBuffer& b, uint64_t size) { return {.id = b.id(), .buffer = b.buffer(), .size = size}; }
};

class Jobs {
 public:
  explicit Jobs(Ref<gpu::Device> device) : device_(std::move(device)) {}
  ~Jobs();

  // Records one pass of the job.
  Status Encode(WGPUCommandEncoder encoder, const JobSpec& spec, const Bound& in, const Bound& out, uint32_t x, uint32_t y, uint32_t z = 1);
  void Trim();
  gpu::Device& device() const { return *device_; }

 private:
  struct Layout {
    gpu::Owned<WGPUBindGroupLayout> group;
    gpu::Owned<WGPUPipelineLayout> pipeline;
  };
  struct Job {
    WGPUComputePipeline pipeline = nullptr;
    const Layout* layout = nullptr;
    gpu::Owned<WGPUBuffer> params, weights;
    uint64_t params_size = 0, weights_size = 0;
    std::map<std::pair<uint64_t, uint64_t>, gpu::Owned<WGPUBindGroup>> groups;
  };
  using LayoutKey = std::pair<Kernel, WGPUTextureFormat>;

  Result<Job*> FindLocked(const JobSpec& spec);
  Result<const Layout*> LayoutLocked(Kernel kernel, WGPUTextureFormat target);
  Result<WGPUBindGroup> GroupLocked(Job& job, const Bound& in, const Bound& out);
  Result<gpu::Owned<WGPUBuffer>> MakeBuffer(WGPUBufferUsage usage, const void* data, size_t size);
  void TrimLocked();

  Ref<gpu::Device> device_;
  std::mutex mutex_;
  std::map<LayoutKey, Layout> layouts_;
  std::map<std::string, gpu::Owned<WGPUComputePipeline>> pipelines_;
  std::map<std::string, std::unique_ptr<Job>> jobs_;
};

}  // namespace weft::media
