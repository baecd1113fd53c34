// SPDX-License-Identifier: Apache-2.0
#include "runtime/breadcrumbs.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/fail.h"

namespace weft::runtime {

void CrumbWriter::Begun(const std::string& node, uint64_t frame) {
  std::lock_guard lock(mutex_);
  const uint64_t serial = ring_->next.fetch_add(1) + 1;
  CrumbRing::Slot& slot = ring_->slots[serial % CrumbRing::kSlots];
  slot.stage.store(static_cast<uint32_t>(Stage::Free));
  std::strncpy(slot.node, node.c_str(), CrumbRing::kNameBytes - 1);
  slot.frame.store(frame);
  slot.serial.store(serial);
  slot.stage.store(static_cast<uint32_t>(Stage::Recording));
  open_[{node, frame}] = &slot;
}

void CrumbWriter::Submitted(const std::string& node, uint64_t frame) {
  std::lock_guard lock(mutex_);
  if (auto it = open_.find({node, frame}); it != open_.end()) it->second->stage.store(static_cast<uint32_t>(Stage::Submitted));
}

void CrumbWriter::Released(const std::string& node, uint64_t frame) {
  std::lock_guard lock(mutex_);
  auto it = open_.find({node, frame});
  if (it != open_.end() && it->second->stage.load() == static_cast<uint32_t>(Stage::Recording)) End({node, frame});
}

void CrumbWriter::Finished(const std::string& node, uint64_t frame) {
  std::lock_guard lock(mutex_);
  End({node, frame});
}

void CrumbWriter::End(const Key& key) {
  auto it = open_.find(key);
  if (it == open_.end()) return;
  it->second->stage.store(static_cast<uint32_t>(Stage::Free));
  open_.erase(it);
}

std::optional<Crumb> OldestCrumb(const CrumbRing& ring, std::optional<Stage> stage) {
  std::optional<Crumb> oldest;
  for (const CrumbRing::Slot& slot : ring.slots) {
    const auto s = static_cast<Stage>(slot.stage.load());
    if (s != Stage::Recording && s != Stage::Submitted) continue;
    if (stage && s != *stage) continue;
    const uint64_t serial = slot.serial.load();
    if (oldest && oldest->serial <= serial) continue;
    // The worker may be a liar: nothing here trusts more than the sizes.
    oldest = Crumb{serial, std::string(slot.node, strnlen(slot.node, CrumbRing::kNameBytes)), slot.frame.load(), s};
  }
  return oldest;
}

std::string Describe(const Crumb& crumb) {
  return fmt::format("node '{}' was making frame {}{}", crumb.node, crumb.frame,
                     crumb.stage == Stage::Submitted ? " (its GPU work was sent and has not finished)" : "");
}

Result<CrumbMemory> CrumbMemory::Create() {
  const int fd = memfd_create("weft-breadcrumbs", MFD_CLOEXEC);
  if (fd < 0 || ftruncate(fd, sizeof(CrumbRing)) != 0) {
    const int error = errno;
    if (fd >= 0) close(fd);
    return Fail(ErrorKind::Io, "no shared memory can be made: {}", std::strerror(error));
  }
  return Adopt(fd);
}

Result<CrumbMemory> CrumbMemory::Adopt(int fd) {
  void* memory = mmap(nullptr, sizeof(CrumbRing), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) {
    const int error = errno;
    close(fd);
    return Fail(ErrorKind::Io, "shared memory cannot be mapped: {}", std::strerror(error));
  }
  return CrumbMemory(fd, static_cast<CrumbRing*>(memory));
}

CrumbMemory::~CrumbMemory() {
  if (ring_) munmap(ring_, sizeof(CrumbRing));
  if (fd_ >= 0) close(fd_);
}

}  // namespace weft::runtime
