// SPDX-License-Identifier: Apache-2.0
// Output: where a sink's bytes go, an AtomicFile or stdout.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "media/atomic_file.h"

namespace weft::media {

class Output {
 public:
  // "-" is stdout, which cannot be taken back: what was written before an Abort() stays written.
  static Result<std::unique_ptr<Output>> Create(const std::string& spec, bool overwrite);
  Status Write(std::span<const uint8_t> bytes);
  Status Commit();
  void Abort();
  bool is_file() const { return file_ != nullptr; }
  int fd() const { return file_ ? file_->fd() : 1; }
  AtomicFile* file() { return file_.get(); }

 private:
  std::unique_ptr<AtomicFile> file_;
};

// For messages: "standard output" for "-".
std::string OutputName(const std::string& spec);

}  // namespace weft::media
