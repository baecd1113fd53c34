// SPDX-License-Identifier: Apache-2.0
// CpuTimer: adds this thread's CPU time between its start and its end to a counter. Inside another timer of the same counter, and on the
// same thread, it does nothing: reading the thread's clock is a call into the kernel.
#pragma once

#include <time.h>

#include <atomic>
#include <cstdint>
#include <utility>

namespace weft::nodes {

class CpuTimer {
 public:
  explicit CpuTimer(std::atomic<uint64_t>* total) : total_(total == current_ ? nullptr : total) {
    if (!total_) return;
    outer_ = std::exchange(current_, total_);
    begun_ = Now();
  }
  ~CpuTimer() {
    if (!total_) return;
    total_->fetch_add(Now() - begun_, std::memory_order_relaxed);
    current_ = outer_;
  }
  CpuTimer(const CpuTimer&) = delete;
  CpuTimer& operator=(const CpuTimer&) = delete;

  static uint64_t Now() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(t.tv_nsec);
  }

 private:
  static inline thread_local std::atomic<uint64_t>* current_ = nullptr;

  std::atomic<uint64_t>* total_;
  std::atomic<uint64_t>* outer_ = nullptr;
  uint64_t begun_ = 0;
};

}  // namespace weft::nodes
