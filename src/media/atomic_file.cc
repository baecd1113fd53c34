// SPDX-License-Identifier: Apache-2.0
#include "media/atomic_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <system_error>

#include "base/fail.h"

namespace weft::media {
namespace {

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}
std::string NameOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

// Unique in this process; the process id makes it unique in the folder.
std::string TempName(const std::string& target) {
  static std::atomic<unsigned> counter{0};
  return fmt::format("{}/.{}.{}-{}.part", FolderOf(target), NameOf(target).substr(0, 180), getpid(), counter++);
}

std::string FdPath(int fd) { return fmt::format("/proc/self/fd/{}", fd); }

// write() without SIGPIPE, which would end the embedder's process: the signal is held back on this thread and taken if the write raised it.
ssize_t WriteQuietly(int fd, const void* data, size_t size) {
  sigset_t pipe_set, old_set, pending;
  sigemptyset(&pipe_set);
  sigaddset(&pipe_set, SIGPIPE);
  sigpending(&pending);
  const bool was_pending = sigismember(&pending, SIGPIPE) == 1;
  pthread_sigmask(SIG_BLOCK, &pipe_set, &old_set);
  const ssize_t n = ::write(fd, data, size);
  const int error = errno;
  if (n < 0 && error == EPIPE && !was_pending) {
    const timespec now{};
    sigtimedwait(&pipe_set, nullptr, &now);
  }
  pthread_sigmask(SIG_SETMASK, &old_set, nullptr);
  errno = error;
  return n;
}

Error ExistsError(const std::string& path) {
  return Fail(ErrorKind::InvalidArgument, "The output '{}' exists already and is left as it is; give --overwrite to replace it.", path);
}

Error CannotWrite(const std::string& path, int error) {
  return Fail(ErrorKind::Io, "The output '{}' cannot be written: {}.", path, ErrnoText(error));
}

}  // namespace

std::string ErrnoText(int error) { return std::generic_category().message(error); }

Status WriteAll(int fd, std::span<const std::byte> bytes, const std::string& name) {
  while (!bytes.empty()) {
    const ssize_t n = WriteQuietly(fd, bytes.data(), bytes.size());
    if (n < 0) {
      if (errno == EINTR) continue;
      if (errno == EPIPE) return Fail(ErrorKind::Io, "The reader of '{}' has gone away, so the output cannot be written.", name);
      return CannotWrite(name, errno);
    }
    bytes = bytes.subspan(static_cast<size_t>(n));
  }
  return {};
}

Status CheckWritable(const std::string& path, bool overwrite) {
  struct stat st{};
  if (path.empty() || path.back() == '/') {
    return Fail(ErrorKind::InvalidArgument, "The output '{}' names no file.", path);
  }
  if (stat(path.c_str(), &st) == 0) {
    if (S_ISDIR(st.st_mode)) return Fail(ErrorKind::InvalidArgument, "The output '{}' is a folder; give the name of a file in it.", path);
    if (!S_ISREG(st.st_mode)) {
      return Fail(ErrorKind::InvalidArgument, "The output '{}' is not a regular file; write to '-' and redirect it there.", path);
    }
    if (!overwrite) return ExistsError(path);
  }
  const std::string folder = FolderOf(path);
  if (stat(folder.c_str(), &st) != 0) {
    if (errno == ENOENT) {
      return Fail(ErrorKind::NotFound, "The output '{}' cannot be written: its folder '{}' does not exist.", path, folder);
    }
    return CannotWrite(path, errno);
  }
  if (!S_ISDIR(st.st_mode))
    return Fail(ErrorKind::InvalidArgument, "The output '{}' cannot be written: '{}' is not a folder.", path, folder);
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    return Fail(ErrorKind::Io, "The output '{}' cannot be written: its folder '{}' does not allow it ({}).", path, folder,
                ErrnoText(errno));
  }
  return {};
}

Result<std::unique_ptr<AtomicFile>> AtomicFile::Create(const std::string& path, bool overwrite) {
  WEFT_TRY(CheckWritable(path, overwrite));
  std::string target = path;
  if (char* real = realpath(path.c_str(), nullptr)) {
    target = real;
    std::free(real);
  }
  std::unique_ptr<AtomicFile> file(new AtomicFile(path, target, overwrite));
  if (access("/proc/self/fd", X_OK) == 0) {
    file->fd_ = open(FolderOf(target).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
  }
  if (file->fd_ < 0) {
    file->temp_ = TempName(target);
    file->fd_ = open(file->temp_.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
    if (file->fd_ < 0) {
      const int error = errno;
      file->temp_.clear();
      return CannotWrite(path, error);
    }
  }
  return file;
}

std::string AtomicFile::ReadablePath() const { return temp_.empty() ? FdPath(fd_) : temp_; }

Status AtomicFile::Write(std::span<const std::byte> bytes) { return WriteAll(fd_, bytes, path_); }

Status AtomicFile::Place() {
  if (temp_.empty()) {
    // linkat() refuses an existing name, which is what "no overwrite" means; to replace, the file takes a temporary name first.
    const std::string name = overwrite_ ? TempName(target_) : target_;
    if (linkat(AT_FDCWD, FdPath(fd_).c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) != 0) {
      return errno == EEXIST ? ExistsError(path_) : CannotWrite(path_, errno);
    }
    if (!overwrite_) return {};
    temp_ = name;
  } else if (!overwrite_) {
    // link() does not replace either; Abort() then removes the temporary name.
    if (link(temp_.c_str(), target_.c_str()) == 0) return {};
    if (errno == EEXIST) return ExistsError(path_);
    // A file system without hard links: the check at Create() has to do.
  }
  if (rename(temp_.c_str(), target_.c_str()) != 0) return CannotWrite(path_, errno);
  temp_.clear();
  return {};
}

Status AtomicFile::Commit() {
  WEFT_CHECK(fd_ >= 0);
  Status status = fsync(fd_) == 0 ? Status() : Status(CannotWrite(path_, errno));
  if (status) status = Place();
  Abort();  // closes; removes what is still temporary
  if (!status) return status;
  // The name, too, should survive a power cut. A folder that cannot be synced is not an error: the file is there.
  if (const int folder = open(FolderOf(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); folder >= 0) {
    fsync(folder);
    close(folder);
  }
  return {};
}

void AtomicFile::Abort() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
  if (!temp_.empty()) unlink(temp_.c_str());
  temp_.clear();
}

}  // namespace weft::media
