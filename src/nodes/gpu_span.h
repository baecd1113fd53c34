// SPDX-License-Identifier: Apache-2.0
// GpuSpans: the GPU time of one node, frame by frame, by timestamps before and after what it submits.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "gpu/timestamps.h"

namespace weft::nodes {

class GpuSpans {
  // Shared with callbacks that come after the node is gone.
  struct Total {
    std::atomic<uint64_t> ns{0}, frames{0};
  };

 public:
  GpuSpans(Ref<gpu::Device> device, bool wanted)
      : timestamps_(wanted ? gpu::Timestamps::Create(std::move(device), 2, 16) : nullptr), total_(std::make_shared<Total>()) {}

  // Begin() and End() are submitted before and after the work, in the order of the queue; both may be empty.
  class Span {
   public:
    Span() = default;
    gpu::Owned<WGPUCommandBuffer> Mark() { return frame_ ? frame_->Mark() : gpu::Owned<WGPUCommandBuffer>(); }
    // After both marks are submitted. Without it nothing is counted.
    void Finish() {
      if (!frame_) return;
      frame_->Finish([total = total_](std::span<const uint64_t> ns) {
        if (ns.size() == 2 && ns[1] >= ns[0]) {
          total->ns += ns[1] - ns[0];
          ++total->frames;
        }
      });
      frame_.reset();
    }

   private:
    friend class GpuSpans;
    std::unique_ptr<gpu::TimestampFrame> frame_;
    std::shared_ptr<Total> total_;
  };

  Span Begin() {
    Span span;
    if (timestamps_ && timestamps_->available()) span.frame_ = timestamps_->Begin();
    span.total_ = total_;
    ++begun_;
    return span;
  }

  // Of all frames begun; frames without timestamps (too many under way at once) count as the mean of the others.
  std::optional<uint64_t> total_ns() const {
    const uint64_t frames = total_->frames;
    if (frames == 0) return std::nullopt;
    return static_cast<uint64_t>(static_cast<double>(total_->ns) / static_cast<double>(frames) * static_cast<double>(begun_.load()));
  }

 private:
  std::shared_ptr<gpu::Timestamps> timestamps_;
  std::shared_ptr<Total> total_;
  std::atomic<uint64_t> begun_{0};
};

}  // namespace weft::nodes
