// SPDX-License-Identifier: Apache-2.0
#include "gpu/buffer_pool.h"

#include <bit>
#include <utility>

#include "base/fail.h"

namespace weft::gpu {

PoolBuffer::~PoolBuffer() { device_->buffers().Return(std::move(native_)); }

BufferPool::~BufferPool() { Trim(); }

uint64_t BufferPool::RoundedSize(uint64_t size) {
  constexpr uint64_t kSmallest = 4096;
  if (size <= kSmallest) return kSmallest;
  const uint64_t step = std::max<uint64_t>(std::bit_floor(size) / 8, 256);
  return (size + step - 1) / step * step;
}

Result<Ref<PoolBuffer>> BufferPool::Acquire(uint64_t size, WGPUBufferUsage usage) {
  WEFT_TRY(device_.CheckAlive());
  const uint64_t most = device_.limits().maxBufferSize;
  if (size > most) {
    return Fail(ErrorKind::InvalidArgument,
                "A GPU buffer of {} bytes is needed, but the GPU '{}' makes none above {}. Make the frame smaller (--size).", size,
                device_.info().device, most);
  }
  const uint64_t rounded = std::min(RoundedSize(size), most & ~uint64_t{3});
  std::unique_ptr<PoolBuffer::Native> native;
  {
    std::lock_guard lock(mutex_);
    if (const auto it = free_.find({rounded, usage}); it != free_.end() && !it->second.empty()) {
      native = std::move(it->second.back());
      it->second.pop_back();
    }
  }
  if (!native) {
    WGPUBufferDescriptor descriptor = WGPU_BUFFER_DESCRIPTOR_INIT;
    descriptor.label = Str("weft pool");
    descriptor.size = rounded;
    descriptor.usage = usage;
    native = std::make_unique<PoolBuffer::Native>();
    ErrorCollector errors;
    native->buffer = device_.Own(device_.procs().DeviceCreateBuffer(device_.handle(), &descriptor));
    WEFT_TRY(device_.Outcome(errors, fmt::format("a buffer of {} bytes", rounded)));
    native->size = rounded;
    native->usage = usage;
    native->id = device_.NewId();
    device_.counters().BufferCreated(rounded);
  }
  return Ref<PoolBuffer>::Acquire(new PoolBuffer(Ref<Device>(&device_), std::move(native)));
}

void BufferPool::Return(std::unique_ptr<PoolBuffer::Native> native) {
  std::lock_guard lock(mutex_);
  free_[{native->size, native->usage}].push_back(std::move(native));
}

void BufferPool::Trim() {
  std::map<Key, std::vector<std::unique_ptr<PoolBuffer::Native>>> dropped;
  {
    std::lock_guard lock(mutex_);
    dropped.swap(free_);
  }
  for (const auto& [key, list] : dropped) {
    for (const auto& native : list) device_.counters().BufferGone(native->size);
  }
}

}  // namespace weft::gpu
