// SPDX-License-Identifier: Apache-2.0
// AtomicFile: a file that appears whole or not at all.
//
// While it is written it has no name (Linux O_TMPFILE: a killed process leaves nothing), or, where the file system cannot do that, a
// hidden temporary name in the same folder. Commit() syncs it and gives it its name in one step. One thread at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"

namespace weft::media {

// Whether `path` can be written at all: its folder is there and writable, it is not a folder, and it does not exist unless `overwrite`.
Status CheckWritable(const std::string& path, bool overwrite);

class AtomicFile {
 public:
  static Result<std::unique_ptr<AtomicFile>> Create(const std::string& path, bool overwrite);
  ~AtomicFile() { Abort(); }
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  int fd() const { return fd_; }
  const std::string& path() const { return path_; }
  // A name under which this process can open the unfinished file once more.
  std::string ReadablePath() const;
  Status Write(std::span<const std::byte> bytes);
  Status Commit();
  // Drops what was written. Nothing happens after Commit().
  void Abort();

 private:
  AtomicFile(std::string path, std::string target, bool overwrite)
      : path_(std::move(path)), target_(std::move(target)), overwrite_(overwrite) {}
  Status Place();
  std::string path_;    // as the caller says it
  std::string target_;  // with symbolic links resolved, so that the link survives
  std::string temp_;    // "" while the file has no name
  int fd_ = -1;
  bool overwrite_ = false;
};

// "No space left on device", for messages.
std::string ErrnoText(int error);
// Writes all, also to pipes. `name` for the message.
Status WriteAll(int fd, std::span<const std::byte> bytes, const std::string& name);

}  // namespace weft::media
