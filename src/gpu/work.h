// SPDX-License-Identifier: Apache-2.0
// Work: one command buffer's worth of commands on its way into the queue: finished, or an encoder that is complete and that whoever sends
// finishes. Threads that finish side by side mostly wait for each other inside the library and the driver, so that one thread at a time
// is both the fastest and the cheapest way.
#pragma once

#include <webgpu.h>

#include <atomic>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/ref.h"
#include "gpu/handle.h"

namespace weft::gpu {

// What the library refused when it was finished; it is not sent, the rest is. Any thread.
class RefusedWork : public RefCounted {
 public:
  void Add(std::string message) {
    std::lock_guard lock(mutex_);
    messages_.push_back(std::move(message));
    any_.store(true, std::memory_order_release);
  }
  // The messages since the last call.
  std::vector<std::string> Take() {
    if (!any_.load(std::memory_order_acquire)) return {};
    std::lock_guard lock(mutex_);
    any_.store(false, std::memory_order_relaxed);
    return std::exchange(messages_, {});
  }

 private:
  std::mutex mutex_;
  std::atomic<bool> any_{false};
  std::vector<std::string> messages_;
};

// A value; one thread at a time.
struct Work {
  Owned<WGPUCommandBuffer> commands;
  Owned<WGPUCommandEncoder> encoder;  // where `commands` is null
  Ref<RefusedWork> refused;           // of the encoder; null: the device's log hears of it
};

}  // namespace weft::gpu
