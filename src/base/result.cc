// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

#include <cstdio>
#include <cstdlib>

namespace weft {

std::string_view ErrorKindName(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::InvalidArgument: return "invalid-argument";
    case ErrorKind::Unsupported: return "unsupported";
    case ErrorKind::NotFound: return "not-found";
    case ErrorKind::Io: return "io";
    case ErrorKind::OutOfMemory: return "out-of-memory";
    case ErrorKind::DeviceLost: return "device-lost";
    case ErrorKind::GuestTrap: return "guest-trap";
    case ErrorKind::Cancelled: return "cancelled";
    case ErrorKind::Internal: return "internal";
  }
  return "internal";
}

std::string Error::ToString() const {
  std::string out;
  for (auto it = context_.rbegin(); it != context_.rend(); ++it) {
    out += *it;
    out += ": ";
  }
  out += message_;
  return out;
}

void CheckFailed(const char* expr, const char* file, int line) {
  std::fprintf(stderr, "weft: internal error: %s is false at %s:%d; please report it\n", expr, file, line);
  std::abort();
}

}  // namespace weft
