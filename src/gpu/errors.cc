// SPDX-License-Identifier: Apache-2.0
#include "gpu/errors.h"

#include <utility>

#include "base/fail.h"

namespace weft::gpu {
namespace {

// The one thread-local of the module: whose call this thread is in. See errors.h for why it must be one.
thread_local ErrorSink* current_sink = nullptr;

}  // namespace

std::string_view GpuErrorKindName(GpuErrorKind kind) {
  switch (kind) {
    case GpuErrorKind::Validation: return "validation";
    case GpuErrorKind::OutOfMemory: return "out-of-memory";
    case GpuErrorKind::Internal: return "internal";
    case GpuErrorKind::Unknown: return "unknown";
  }
  return "unknown";
}

ScopedErrors::ScopedErrors(ErrorSink* sink) : previous_(std::exchange(current_sink, sink)) {}
ScopedErrors::~ScopedErrors() { current_sink = previous_; }

ErrorSink* CurrentErrorSink() { return current_sink; }

void ErrorCollector::OnGpuError(GpuErrorKind kind, std::string_view message) noexcept {
  try {
    errors_.push_back({kind, std::string(message)});
  } catch (...) {  // no memory for the message: the error itself must not be lost
    lost_errors_ = true;
  }
}

Status ErrorCollector::ToStatus(std::string_view doing) const {
  if (errors_.empty()) {
    if (lost_errors_) return Fail(ErrorKind::OutOfMemory, "The GPU library refused {}; there was no memory left for its message.", doing);
    return {};
  }
  const GpuError& first = errors_.front();
  const ErrorKind kind = first.kind == GpuErrorKind::Validation    ? ErrorKind::InvalidArgument
                         : first.kind == GpuErrorKind::OutOfMemory ? ErrorKind::OutOfMemory
                                                                   : ErrorKind::Internal;
  return Fail(kind, "The GPU library refused {} ({} error): {}", doing, GpuErrorKindName(first.kind), first.message);
}

}  // namespace weft::gpu
