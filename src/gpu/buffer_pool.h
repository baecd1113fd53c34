// SPDX-License-Identifier: Apache-2.0
// BufferPool: staging and scratch buffers that are lent and come back. Sizes are rounded up (to 4 KiB, then to an eighth of the next power
// of two), so that frames of one size always find theirs. A loan may end when all that uses the buffer is submitted, as with textures; a
// mapped buffer is unmapped before it comes back. Any thread.
#pragma once

#include <webgpu.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "base/ref.h"
#include "base/result.h"
#include "gpu/device.h"
#include "gpu/handle.h"

namespace weft::gpu {

class PoolBuffer : public RefCounted {
 public:
  WGPUBuffer buffer() const { return native_->buffer.get(); }
  uint64_t size() const { return native_->size; }  // at least what was asked for
  WGPUBufferUsage usage() const { return native_->usage; }
  uint64_t id() const { return native_->id; }  // of the native buffer, for caches of bind groups
  Device& device() const { return *device_; }

 private:
  friend class BufferPool;
  struct Native {
    uint64_t size = 0;
    WGPUBufferUsage usage = WGPUBufferUsage_None;
    uint64_t id = 0;
    Owned<WGPUBuffer> buffer;
  };
  PoolBuffer(Ref<Device> device, std::unique_ptr<Native> native) : device_(std::move(device)), native_(std::move(native)) {}
  ~PoolBuffer() override;

  Ref<Device> device_;
  std::unique_ptr<Native> native_;
};

class BufferPool {
 public:
  explicit BufferPool(Device& device) : device_(device) {}
  ~BufferPool();

  // InvalidArgument past maxBufferSize, OutOfMemory by the driver, DeviceLost. Old content; a new one holds zeros.
  Result<Ref<PoolBuffer>> Acquire(uint64_t size, WGPUBufferUsage usage);
  void Trim();
  static uint64_t RoundedSize(uint64_t size);

 private:
  friend class PoolBuffer;
  using Key = std::pair<uint64_t, WGPUBufferUsage>;
  void Return(std::unique_ptr<PoolBuffer::Native> native);

  Device& device_;
  std::mutex mutex_;
  std::map<Key, std::vector<std::unique_ptr<PoolBuffer::Native>>> free_;
};

}  // namespace weft::gpu
