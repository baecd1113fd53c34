// SPDX-License-Identifier: Apache-2.0
// GPU time of nodes, frame by frame, by timestamps before and after what each submits.
//
// Marks of different nodes may lie within each other, since nodes submit side by side and a conversion's work and its marks are submits of
// their own. So spans are not simply added up: a moment belongs to the node whose span began last, and the times of all nodes together are
// the time that the GPU was busy with them.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "gpu/timestamps.h"

namespace weft::nodes {

// One for all nodes of a run, since spans are weighed against each other. Any thread.
class GpuLedger {
 public:
  // Shared with callbacks that come after the node is gone.
  struct Total {
    std::atomic<uint64_t> ns{0}, frames{0};
  };
  void Add(std::shared_ptr<Total> node, uint64_t begin, uint64_t end);
  // Gives every moment up to now to its node.
  void Settle();

 private:
  struct Span {
    uint64_t begin = 0, end = 0;
    std::shared_ptr<Total> node;
  };
  // Settles what lies before `until`; spans that reach beyond it are cut.
  void SettleUntil(uint64_t until);

  static constexpr size_t kMostPending = 512;
  std::mutex mutex_;
  std::vector<Span> pending_;
  uint64_t settled_ = 0;  // nothing before this moment is given again
};

// One node's.
class GpuSpans {
 public:
  // Without a ledger nothing is measured.
  GpuSpans(Ref<gpu::Device> device, std::shared_ptr<GpuLedger> ledger);

  // Begin's and End's marks are submitted before and after the work, in the order of the queue; both may be empty.
  class Span {
   public:
    Span() = default;
    gpu::Owned<WGPUCommandBuffer> Mark() {
      if (!frame_) return {};
      return frame_->marks() == 0 ? frame_->Mark() : frame_->LastMark();
    }
    // After both marks are submitted. Without it nothing is counted.
    void Finish();

   private:
    friend class GpuSpans;
    std::unique_ptr<gpu::TimestampFrame> frame_;
    std::shared_ptr<GpuLedger> ledger_;
    std::shared_ptr<GpuLedger::Total> total_;
  };
  Span Begin();

  // Of all frames begun; frames without timestamps (too many under way at once) count as the mean of the others. Not set where nothing was
  // measured.
  std::optional<uint64_t> total_ns() const;

 private:
  std::shared_ptr<gpu::Timestamps> timestamps_;
  std::shared_ptr<GpuLedger> ledger_;
  std::shared_ptr<GpuLedger::Total> total_;
  std::atomic<uint64_t> begun_{0};
};

}  // namespace weft::nodes
