// SPDX-License-Identifier: Apache-2.0
#include "gpu/timestamps.h"

#include <algorithm>

#include "gpu/transfer.h"

namespace weft::gpu {

// What one frame needs; goes round in the ring.
struct TimestampFrame::Slot {
  Owned<WGPUQuerySet> queries;
  Ref<PoolBuffer> resolved;
};

TimestampFrame::TimestampFrame(std::shared_ptr<Timestamps> owner, std::unique_ptr<Slot> slot)
    : owner_(std::move(owner)), slot_(std::move(slot)) {}

TimestampFrame::~TimestampFrame() {
  if (slot_) owner_->Return(std::move(slot_));
}

Owned<WGPUCommandBuffer> TimestampFrame::Mark() { return Encode(false); }
Owned<WGPUCommandBuffer> TimestampFrame::LastMark() { return Encode(true); }

Owned<WGPUCommandBuffer> TimestampFrame::Encode(bool last) {
  if (!slot_ || staging_ || next_ >= owner_->marks_) return {};
  Device& device = *owner_->device_;
  const Procs& procs = device.procs();
  const uint64_t bytes = uint64_t{next_ + 1} * sizeof(uint64_t);
  Ref<PoolBuffer> staging;
  if (last) {
    auto acquired = device.buffers().Acquire(bytes, WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst);
    if (!acquired) return {};
    staging = std::move(*acquired);
  }
  WGPUPassTimestampWrites writes = WGPU_PASS_TIMESTAMP_WRITES_INIT;
  writes.querySet = slot_->queries.get();
  writes.beginningOfPassWriteIndex = next_;
  writes.endOfPassWriteIndex = WGPU_QUERY_SET_INDEX_UNDEFINED;
  WGPUComputePassDescriptor descriptor = WGPU_COMPUTE_PASS_DESCRIPTOR_INIT;
  descriptor.timestampWrites = &writes;
  ErrorCollector errors;
  auto encoder = device.Own(procs.DeviceCreateCommandEncoder(device.handle(), nullptr));
  auto pass = device.Own(procs.CommandEncoderBeginComputePass(encoder.get(), &descriptor));
  procs.ComputePassEncoderEnd(pass.get());
  if (last) {
    procs.CommandEncoderResolveQuerySet(encoder.get(), slot_->queries.get(), 0, next_ + 1, slot_->resolved->buffer(), 0);
    procs.CommandEncoderCopyBufferToBuffer(encoder.get(), slot_->resolved->buffer(), 0, staging->buffer(), 0, bytes);
  }
  auto commands = device.Own(procs.CommandEncoderFinish(encoder.get(), nullptr));
  if (!device.Outcome(errors, "a timestamp")) return {};
  ++next_;
  staging_ = std::move(staging);
  return commands;
}

void TimestampFrame::Finish(Callback done) {
  if (!slot_) return done({});
  // Queue order makes the slot free as soon as its work is on its way.
  owner_->Return(std::move(slot_));
  if (!staging_) return done({});
  const uint64_t bytes = uint64_t{next_} * sizeof(uint64_t);
  MapRows(std::move(staging_), bytes, bytes, 1, [done = std::move(done)](Result<Ref<MappedRows>> rows) {
    if (!rows) return done({});
    done({reinterpret_cast<const uint64_t*>((*rows)->data()), (*rows)->row_bytes() / sizeof(uint64_t)});
  });
}

Timestamps::Timestamps(Ref<Device> device, uint32_t marks, uint32_t frames)
    : device_(std::move(device)),
      marks_(std::clamp(marks, 2u, 4096u)),
      max_slots_(frames),
      available_(device_->Has(WGPUFeatureName_TimestampQuery)) {}

Timestamps::~Timestamps() = default;

std::shared_ptr<Timestamps> Timestamps::Create(Ref<Device> device, uint32_t marks_per_frame, uint32_t frames) {
  return std::shared_ptr<Timestamps>(new Timestamps(std::move(device), marks_per_frame, frames));
}

std::unique_ptr<TimestampFrame> Timestamps::Begin() {
  if (!available_ || device_->lost()) return nullptr;
  std::unique_ptr<TimestampFrame::Slot> slot;
  {
    std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      slot = std::move(free_.back());
      free_.pop_back();
    } else if (slots_ < max_slots_) {
      ++slots_;
    } else {
      return nullptr;
    }
  }
  if (!slot) slot = MakeSlot();
  if (!slot) {
    std::lock_guard lock(mutex_);
    --slots_;
    return nullptr;
  }
  return std::unique_ptr<TimestampFrame>(new TimestampFrame(shared_from_this(), std::move(slot)));
}

std::unique_ptr<TimestampFrame::Slot> Timestamps::MakeSlot() {
  auto resolved = device_->buffers().Acquire(uint64_t{marks_} * sizeof(uint64_t), WGPUBufferUsage_QueryResolve | WGPUBufferUsage_CopySrc);
  if (!resolved) return nullptr;
  WGPUQuerySetDescriptor descriptor = WGPU_QUERY_SET_DESCRIPTOR_INIT;
  descriptor.type = WGPUQueryType_Timestamp;
  descriptor.count = marks_;
  auto slot = std::make_unique<TimestampFrame::Slot>();
  ErrorCollector errors;
  slot->queries = device_->Own(device_->procs().DeviceCreateQuerySet(device_->handle(), &descriptor));
  slot->resolved = std::move(*resolved);
  if (!device_->Outcome(errors, "a query set")) return nullptr;
  return slot;
}

void Timestamps::Return(std::unique_ptr<TimestampFrame::Slot> slot) {
  std::lock_guard lock(mutex_);
  free_.push_back(std::move(slot));
}

}  // namespace weft::gpu
