// SPDX-License-Identifier: Apache-2.0
#include "media/output.h"

#include <unistd.h>

namespace weft::media {

std::string OutputName(const std::string& spec) { return spec == "-" ? "standard output" : spec; }

Result<std::unique_ptr<Output>> Output::Create(const std::string& spec, bool overwrite) {
  auto out = std::make_unique<Output>();
  if (spec != "-") {
    WEFT_TRY_ASSIGN(out->file_, AtomicFile::Create(spec, overwrite));
  }
  return out;
}

Status Output::Write(std::span<const uint8_t> bytes) {
  return WriteAll(fd(), std::as_bytes(bytes), file_ ? file_->path() : OutputName("-"));
}

Status Output::Commit() { return file_ ? file_->Commit() : Status(); }

void Output::Abort() {
  if (file_) file_->Abort();
}

}  // namespace weft::media
