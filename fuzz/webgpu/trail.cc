// SPDX-License-Identifier: Apache-2.0
#include "trail.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/fail.h"

namespace weft::fuzz {

namespace {
constexpr size_t kFigures = (sizeof(Figures) + 4095) / 4096 * 4096;
}

Result<Trail> Trail::Open(const std::string& path) {
  const size_t bytes = kFigures + sizeof(uint64_t) + kText;
  void* map = MAP_FAILED;
  if (path.empty()) {
    map = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  } else {
    const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) return Fail(ErrorKind::Io, "the trail '{}' could not be opened: {}", path, std::strerror(errno));
    if (ftruncate(fd, static_cast<off_t>(bytes)) == 0) map = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
  }
  if (map == MAP_FAILED) return Fail(ErrorKind::Io, "the trail '{}' could not be mapped: {}", path, std::strerror(errno));
  Trail t;
  t.map_ = map;
  t.figures_ = static_cast<Figures*>(map);
  t.size_ = reinterpret_cast<uint64_t*>(static_cast<char*>(map) + kFigures);
  t.text_ = static_cast<char*>(map) + kFigures + sizeof(uint64_t);
  return t;
}

Trail::Trail(Trail&& o) noexcept
    : map_(std::exchange(o.map_, nullptr)), figures_(o.figures_), size_(o.size_), text_(o.text_), used_(o.used_), echo_(o.echo_) {}

Trail::~Trail() {
  if (map_) munmap(map_, kFigures + sizeof(uint64_t) + kText);
}

void Trail::StartSequence() {
  used_ = 0;
  *size_ = 0;
}

void Trail::Echo(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

}  // namespace weft::fuzz
