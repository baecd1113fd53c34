// SPDX-License-Identifier: Apache-2.0
// Owned<WGPUBuffer>: sole owner of one native object, released by the library it came from. A value; one thread at a time.
// The library must outlive it (hold a Ref<Device>).
#pragma once

#include <utility>

namespace weft::gpu {

template <class Handle>
class Owned {
 public:
  using ReleaseProc = void (*)(Handle);

  Owned() = default;
  // Takes over the reference that the library gave with `handle`; null is fine.
  Owned(Handle handle, ReleaseProc release) : handle_(handle), release_(release) {}
  Owned(Owned&& o) noexcept : handle_(std::exchange(o.handle_, nullptr)), release_(o.release_) {}
  Owned& operator=(Owned&& o) noexcept {
    std::swap(handle_, o.handle_);
    std::swap(release_, o.release_);
    return *this;
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { Reset(); }

  Handle get() const { return handle_; }
  explicit operator bool() const { return handle_ != nullptr; }
  Handle Take() { return std::exchange(handle_, nullptr); }
  void Reset() {
    if (handle_) release_(std::exchange(handle_, nullptr));
  }

 private:
  Handle handle_ = nullptr;
  ReleaseProc release_ = nullptr;
};

}  // namespace weft::gpu
