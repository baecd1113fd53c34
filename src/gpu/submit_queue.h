// SPDX-License-Identifier: Apache-2.0
// SubmitQueue: command buffers on their way into a device's queue. A submit costs the driver some microseconds and the GPU a gap, so what
// nobody waits for is kept and goes with the next: many nodes' work, one submit. The order is that of the calls. Private to the module.
//
// Any thread. Calls of the library are made under a lock of their own, so that others can go on keeping.
#pragma once

#include <webgpu.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "gpu/counters.h"
#include "gpu/handle.h"
#include "gpu/library.h"

namespace weft::gpu {

class SubmitQueue {
 public:
  // The queue outlives this.
  SubmitQueue(const Procs& procs, WGPUQueue queue, Counters& counters) : procs_(procs), queue_(queue), counters_(counters) {}

  // Takes references. Answers a position for SendUpTo: that after these. Kept are at most kMost command buffers; the call that reaches
  // that sends.
  uint64_t Keep(std::span<const WGPUCommandBuffer> commands);
  // Whether anything is kept, as far as one can say who holds no lock.
  bool empty() const { return kept_end_.load(std::memory_order_acquire) <= sent_.load(std::memory_order_acquire); }
  // Sends all that is kept; `even_nothing`: makes a submit of it in any case, with which the library sends what was written. Whether there
  // was a submit.
  bool Send(bool even_nothing = false);
  bool SendUpTo(uint64_t position) { return sent_.load(std::memory_order_acquire) < position && Send(); }

 private:
  static constexpr size_t kMost = 64;

  const Procs& procs_;
  const WGPUQueue queue_;
  Counters& counters_;

  std::mutex send_mutex_;  // before kept_mutex_
  std::vector<Owned<WGPUCommandBuffer>> sending_;
  std::vector<WGPUCommandBuffer> handles_;

  std::mutex kept_mutex_;
  std::vector<Owned<WGPUCommandBuffer>> kept_;

  std::atomic<uint64_t> kept_end_{0}, sent_{0};  // counts of command buffers
};

}  // namespace weft::gpu
