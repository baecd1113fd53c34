// SPDX-License-Identifier: Apache-2.0
#include "gpu/submit_queue.h"

#include <utility>

#include "gpu/errors.h"

namespace weft::gpu {

uint64_t SubmitQueue::Keep(std::vector<Work>& work) {
  uint64_t position;
  bool full;
  {
    std::lock_guard lock(kept_mutex_);
    position = kept_end_.load(std::memory_order_relaxed) + work.size();
    for (Work& w : work) kept_.push_back(std::move(w));
    kept_end_.store(position, std::memory_order_release);
    full = kept_.size() >= kMost;
  }
  work.clear();
  if (full) Send();
  return position;
}

void SubmitQueue::FinishLocked(Work& work) {
  ErrorCollector errors;
  work.commands = {procs_.CommandEncoderFinish(work.encoder.get(), nullptr), procs_.CommandBufferRelease};
  work.encoder.Reset();
  auto outcome = errors.ToStatus("finishing commands");
  if (outcome && work.commands) return;
  // To submit it would end the process.
  work.commands.Reset();
  if (work.refused) work.refused->Add(outcome ? "it gave no command buffer" : outcome.error().message());
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
  for (Work& work : sending_) {
    if (work.encoder) FinishLocked(work);
    if (work.commands) handles_.push_back(work.commands.get());
  }
  procs_.QueueSubmit(queue_, handles_.size(), handles_.data());
  counters_.Submit();
  sending_.clear();
  sent_.store(end, std::memory_order_release);
  return true;
}

}  // namespace weft::gpu
