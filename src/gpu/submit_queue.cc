// SPDX-License-Identifier: Apache-2.0
#include "gpu/submit_queue.h"

#include <utility>

namespace weft::gpu {

uint64_t SubmitQueue::Keep(std::span<const WGPUCommandBuffer> commands) {
  uint64_t position;
  bool full;
  {
    std::lock_guard lock(kept_mutex_);
    for (WGPUCommandBuffer c : commands) {
      procs_.CommandBufferAddRef(c);
      kept_.emplace_back(c, procs_.CommandBufferRelease);
    }
    position = kept_end_.load(std::memory_order_relaxed) + commands.size();
    kept_end_.store(position, std::memory_order_release);
    full = kept_.size() >= kMost;
  }
  if (full) Send();
  return position;
}

bool SubmitQueue::Send(bool even_nothing) {
  std::lock_guard sending(send_mutex_);
  uint64_t end;
  {
    std::lock_guard lock(kept_mutex_);
    std::swap(kept_, sending_);
    end = kept_end_.load(std::memory_order_relaxed);
  }
  if (sending_.empty() && !even_nothing) return false;
  handles_.clear();
  for (const auto& c : sending_) handles_.push_back(c.get());
  procs_.QueueSubmit(queue_, handles_.size(), handles_.data());
  counters_.Submit();
  sending_.clear();
  sent_.store(end, std::memory_order_release);
  return true;
}

}  // namespace weft::gpu
