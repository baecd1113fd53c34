// SPDX-License-Identifier: Apache-2.0
#include "media/byte_stream.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/fail.h"
#include "media/atomic_file.h"

namespace weft::media {
namespace {
constexpr size_t kBuffer = 1 << 16;
}

Result<std::unique_ptr<ByteStream>> ByteStream::Open(const std::string& path) {
  std::unique_ptr<ByteStream> s(new ByteStream(path == "-" ? "standard input" : path));
  if (path == "-") {
    s->fd_ = STDIN_FILENO;
  } else {
    s->fd_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (s->fd_ < 0) {
      if (errno == ENOENT || errno == ENOTDIR) return Fail(ErrorKind::NotFound, "The input '{}' does not exist.", path);
      return Fail(ErrorKind::Io, "The input '{}' cannot be opened: {}.", path, ErrnoText(errno));
    }
    s->own_fd_ = true;
  }
  struct stat st{};
  if (fstat(s->fd_, &st) == 0) {
    if (S_ISDIR(st.st_mode))
      return Fail(ErrorKind::InvalidArgument, "The input '{}' is a folder; name a file, or a sequence such as '{}/%06d.png'.", path, path);
    // A redirected stdin may be a file that was read from before; it is treated as the pipe it claims to be.
    if (S_ISREG(st.st_mode) && s->own_fd_) {
      s->seekable_ = true;
      s->size_ = st.st_size;
    }
  }
  s->buffer_.resize(kBuffer);
  return s;
}

std::unique_ptr<ByteStream> ByteStream::OfMemory(std::span<const uint8_t> bytes, std::string name) {
  std::unique_ptr<ByteStream> s(new ByteStream(std::move(name)));
  s->memory_ = bytes;
  s->seekable_ = true;
  s->size_ = static_cast<int64_t>(bytes.size());
  s->buffer_.resize(kBuffer);
  return s;
}

ByteStream::~ByteStream() {
  if (own_fd_) close(fd_);
}

Result<size_t> ByteStream::ReadRaw(uint8_t* out, size_t n) {
  if (fd_ < 0) {
    n = std::min(n, memory_.size() - memory_at_);
    if (n) std::memcpy(out, memory_.data() + memory_at_, n);
    memory_at_ += n;
    return n;
  }
  while (true) {
    const ssize_t got = ::read(fd_, out, n);
    if (got >= 0) return static_cast<size_t>(got);
    if (errno != EINTR) return Fail(ErrorKind::Io, "'{}' cannot be read: {}.", name_, ErrnoText(errno));
  }
}

Status ByteStream::Fill(size_t n) {
  if (end_ - begin_ >= n) return {};
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  while (end_ < n && !at_end_) {
    WEFT_TRY_ASSIGN(const size_t got, ReadRaw(buffer_.data() + end_, buffer_.size() - end_));
    at_end_ = got == 0;
    end_ += got;
  }
  return {};
}

Result<std::span<const uint8_t>> ByteStream::Peek(size_t n) {
  n = std::min(n, buffer_.size());
  WEFT_TRY(Fill(n));
  return std::span<const uint8_t>(buffer_).subspan(begin_, std::min(n, end_ - begin_));
}

Result<size_t> ByteStream::Read(std::span<uint8_t> out) {
  size_t done = 0;
  while (done < out.size()) {
    if (end_ > begin_) {
      const size_t n = std::min(out.size() - done, end_ - begin_);
      std::memcpy(out.data() + done, buffer_.data() + begin_, n);
      begin_ += n;
      done += n;
      continue;
    }
    if (at_end_) break;
    if (out.size() - done >= buffer_.size()) {
      WEFT_TRY_ASSIGN(const size_t got, ReadRaw(out.data() + done, out.size() - done));
      at_end_ = got == 0;
      done += got;
    } else {
      WEFT_TRY(Fill(1));
    }
  }
  position_ += static_cast<int64_t>(done);
  return done;
}

Result<std::vector<uint8_t>> ByteStream::ReadAll(int64_t max) {
  auto too_big = [&] { return Fail(ErrorKind::InvalidArgument, "'{}' is larger than {} bytes, the limit for a picture.", name_, max); };
  if (size_ > max) return too_big();
  std::vector<uint8_t> all;
  if (size_ > position_) all.reserve(static_cast<size_t>(size_ - position_));
  while (true) {
    const size_t at = all.size();
    if (static_cast<int64_t>(at) > max) return too_big();
    const size_t chunk = size_ > position_ ? static_cast<size_t>(size_ - position_) : kBuffer * 4;
    all.resize(at + chunk);
    WEFT_TRY_ASSIGN(const size_t got, Read(std::span(all).subspan(at)));
    all.resize(at + got);
    if (got < chunk) return all;
  }
}

Status ByteStream::Seek(int64_t position) {
  WEFT_CHECK(seekable_);
  begin_ = end_ = 0;
  at_end_ = false;
  position_ = position;
  if (fd_ < 0) {
    memory_at_ = std::min(static_cast<size_t>(std::max<int64_t>(position, 0)), memory_.size());
  } else if (lseek(fd_, position, SEEK_SET) < 0) {
    return Fail(ErrorKind::Io, "'{}' cannot be read at byte {}: {}.", name_, position, ErrnoText(errno));
  }
  return {};
}

}  // namespace weft::media
