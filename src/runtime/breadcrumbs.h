// SPDX-License-Identifier: Apache-2.0
// Breadcrumbs: what the worker has in hand, in memory that outlives it. A ring of {serial, node, frame, stage} that the worker writes and
// the supervisor reads at any time, also when the worker is dead.
//
// Writers: any thread of the worker. Readers never wait; a slot that changes while it is read is read as the older or the newer of the two.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"

namespace weft::runtime {

enum class Stage : uint32_t {
  Free,
  Recording,  // the node's code runs
  Submitted,  // its GPU work is sent and not finished
};

struct Crumb {
  uint64_t serial = 0;
  std::string node;
  uint64_t frame = 0;
  Stage stage = Stage::Free;
};

// Lies in shared memory: fixed layout, lock-free atomics only.
struct CrumbRing {
  static constexpr size_t kSlots = 512;
  static constexpr size_t kNameBytes = 64;
  struct Slot {
    std::atomic<uint64_t> serial;
    std::atomic<uint64_t> frame;
    std::atomic<uint32_t> stage;
    char node[kNameBytes];  // cut, zero-terminated
  };
  std::atomic<uint64_t> next;
  Slot slots[kSlots];
};
static_assert(std::atomic<uint64_t>::is_always_lock_free);

// The worker's side.
class CrumbWriter {
 public:
  explicit CrumbWriter(CrumbRing* ring) : ring_(ring) {}
  void Begun(const std::string& node, uint64_t frame);
  void Submitted(const std::string& node, uint64_t frame);
  void Released(const std::string& node, uint64_t frame);  // the call is over; a crumb without submitted work is free
  void Finished(const std::string& node, uint64_t frame);  // its work is done

 private:
  using Key = std::pair<std::string, uint64_t>;
  void End(const Key& key);
  CrumbRing* ring_;
  std::mutex mutex_;
  std::map<Key, CrumbRing::Slot*> open_;
};

// The supervisor's side: the oldest crumb that is not finished, of that stage or of any.
std::optional<Crumb> OldestCrumb(const CrumbRing& ring, std::optional<Stage> stage = std::nullopt);
// "node 'blur' was making frame 12 (its GPU work was sent and has not finished)".
std::string Describe(const Crumb& crumb);

// Anonymous shared memory for one ring.
class CrumbMemory {
 public:
  static Result<CrumbMemory> Create();
  // Of a descriptor that came from another process; takes it over.
  static Result<CrumbMemory> Adopt(int fd);
  CrumbMemory(CrumbMemory&& o) noexcept : fd_(std::exchange(o.fd_, -1)), ring_(std::exchange(o.ring_, nullptr)) {}
  CrumbMemory& operator=(CrumbMemory&& o) noexcept {
    std::swap(fd_, o.fd_);
    std::swap(ring_, o.ring_);
    return *this;
  }
  ~CrumbMemory();
  int fd() const { return fd_; }
  CrumbRing* ring() const { return ring_; }

 private:
  CrumbMemory(int fd, CrumbRing* ring) : fd_(fd), ring_(ring) {}
  int fd_ = -1;
  CrumbRing* ring_ = nullptr;
};

}  // namespace weft::runtime
