// SPDX-License-Identifier: Apache-2.0
#include "media/frame.h"

#include <cstdlib>
#include <mutex>

#include "base/fail.h"

namespace weft::media {
namespace {
constexpr size_t kAlign = 64;
constexpr size_t kSlack = 64;  // vector code of codecs may read past the last row

size_t RoundUp(size_t n) { return (n + kAlign - 1) / kAlign * kAlign; }
}  // namespace

struct FramePool::State {
  struct Block {
    uint8_t* data;
    size_t bytes;
  };
  std::mutex mutex;
  std::vector<Block> idle;
  size_t keep = 0;
  ~State() {
    for (Block& b : idle) std::free(b.data);
  }
};

FramePool::FramePool(size_t keep) : state_(std::make_shared<State>()) {
  state_->keep = keep;
  state_->idle.reserve(keep);  // so that giving back never allocates
}
FramePool::~FramePool() = default;

std::shared_ptr<uint8_t> FramePool::Take(size_t bytes) {
  bytes = RoundUp(bytes + kSlack);
  uint8_t* data = nullptr;
  {
    std::lock_guard lock(state_->mutex);
    for (size_t i = 0; i < state_->idle.size(); ++i) {
      if (state_->idle[i].bytes != bytes) continue;
      data = state_->idle[i].data;
      state_->idle.erase(state_->idle.begin() + static_cast<ptrdiff_t>(i));
      break;
    }
  }
  if (!data) data = static_cast<uint8_t*>(std::aligned_alloc(kAlign, bytes));
  if (!data) return nullptr;
  return {data, [state = state_, bytes](uint8_t* p) {
            {
              std::lock_guard lock(state->mutex);
              if (state->idle.size() < state->keep) {
                state->idle.push_back({p, bytes});
                return;
              }
            }
            std::free(p);
          }};
}

Result<Ref<CpuFrame>> CpuFrame::Create(const FrameInfo& info, FramePool* pool) {
  if (info.width <= 0 || info.height <= 0 || info.format == PixelFormat::None) {
    return Fail(ErrorKind::InvalidArgument, "A frame cannot be {}: width and height must be positive and the format set.", Describe(info));
  }
  const PixelLayout& layout = LayoutOf(info.format);
  std::array<size_t, kMaxPlanes> offset{}, stride{};
  size_t total = 0;
  for (int p = 0; p < layout.planes; ++p) {
    offset[p] = total;
    stride[p] = RoundUp(layout.RowBytes(p, info.width));
    total += stride[p] * static_cast<size_t>(layout.PlaneHeight(p, info.height));
  }
  std::shared_ptr<uint8_t> memory;
  if (pool) {
    memory = pool->Take(total);
  } else if (auto* raw = static_cast<uint8_t*>(std::aligned_alloc(kAlign, RoundUp(total + kSlack)))) {
    memory = {raw, [](uint8_t* p) { std::free(p); }};
  }
  if (!memory) {
    return Fail(ErrorKind::OutOfMemory, "There is no memory for a frame of {} ({} bytes).", Describe(info), total);
  }
  auto frame = Ref<CpuFrame>::Acquire(new CpuFrame());
  frame->info_ = info;
  for (int p = 0; p < layout.planes; ++p) frame->planes_[p] = {memory.get() + offset[p], stride[p]};
  frame->owner_ = std::move(memory);
  return frame;
}

Ref<CpuFrame> CpuFrame::Wrap(const FrameInfo& info, std::span<const Plane> planes, std::shared_ptr<void> owner) {
  auto frame = Ref<CpuFrame>::Acquire(new CpuFrame());
  frame->info_ = info;
  const int count = LayoutOf(info.format).planes;
  WEFT_CHECK(planes.size() >= static_cast<size_t>(count));
  for (int p = 0; p < count; ++p) frame->planes_[p] = planes[p];
  frame->owner_ = std::move(owner);
  return frame;
}

}  // namespace weft::media
