// SPDX-License-Identifier: Apache-2.0
// CpuTimer: adds this thread's CPU time between its start and its end to a counter.
#pragma once

#include <time.h>

#include <atomic>
#include <cstdint>

namespace weft::nodes {

class CpuTimer {
 public:
  explicit CpuTimer(std::atomic<uint64_t>* total) : total_(total), begun_(total ? Now() : 0) {}
  ~CpuTimer() {
    if (total_) total_->fetch_add(Now() - begun_, std::memory_order_relaxed);
  }
  CpuTimer(const CpuTimer&) = delete;
  CpuTimer& operator=(const CpuTimer&) = delete;

  static uint64_t Now() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(t.tv_nsec);
  }

 private:
  std::atomic<uint64_t>* total_;
  uint64_t begun_;
};

}  // namespace weft::nodes
