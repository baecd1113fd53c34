// SPDX-License-Identifier: Apache-2.0
// Timestamps: GPU time of spans of a frame, such as one node's submits, by empty compute passes with timestamp writes before and after. A
// guest's own command buffers lie between and are not touched.
//
//   auto frame = timestamps->Begin();                 // null where the device has no timestamps, or too many frames are under way
//   queue(frame->Mark());  ...guest's buffers...  queue(frame->LastMark());    // marks are numbered 0, 1, 2, …
//   frame->Finish([](std::span<const uint64_t> ns) { ... });  // on the GPU thread: nanoseconds of each mark, empty on failure
//
// Query sets and buffers are reused in a ring: a steady run creates none. Timestamps: any thread. A frame: one thread at a time.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "gpu/buffer_pool.h"
#include "gpu/device.h"

namespace weft::gpu {

class Timestamps;

class TimestampFrame {
 public:
  ~TimestampFrame();
  TimestampFrame(const TimestampFrame&) = delete;
  TimestampFrame& operator=(const TimestampFrame&) = delete;

  // A command buffer that writes the next mark; its place in the queue is what is measured. Empty when all marks are used up or the device
  // is lost.
  Owned<WGPUCommandBuffer> Mark();
  // The same, and it brings all marks to where they can be read: no mark comes after it.
  Owned<WGPUCommandBuffer> LastMark();
  uint32_t marks() const { return next_; }

  using Callback = std::function<void(std::span<const uint64_t> nanoseconds)>;
  // Call once, after every mark is submitted; the callback comes on the GPU thread, with nothing where there was no last mark. The frame
  // may be dropped at once.
  void Finish(Callback done);

 private:
  friend class Timestamps;
  struct Slot;
  TimestampFrame(std::shared_ptr<Timestamps> owner, std::unique_ptr<Slot> slot);

  Owned<WGPUCommandBuffer> Encode(bool last);

  std::shared_ptr<Timestamps> owner_;
  std::unique_ptr<Slot> slot_;
  Ref<PoolBuffer> staging_;  // once the last mark is recorded
  uint32_t next_ = 0;
};

class Timestamps : public std::enable_shared_from_this<Timestamps> {
 public:
  // marks_per_frame <= 4096; at most `frames` are under way at once.
  static std::shared_ptr<Timestamps> Create(Ref<Device> device, uint32_t marks_per_frame, uint32_t frames = 8);
  ~Timestamps();

  // False: the device lacks timestamp-query; Begin answers null. Say "not available", not 0.
  bool available() const { return available_; }
  std::unique_ptr<TimestampFrame> Begin();

 private:
  friend class TimestampFrame;
  Timestamps(Ref<Device> device, uint32_t marks, uint32_t frames);
  std::unique_ptr<TimestampFrame::Slot> MakeSlot();
  void Return(std::unique_ptr<TimestampFrame::Slot> slot);

  Ref<Device> device_;
  const uint32_t marks_;
  const uint32_t max_slots_;
  const bool available_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<TimestampFrame::Slot>> free_;
  uint32_t slots_ = 0;
};

}  // namespace weft::gpu
