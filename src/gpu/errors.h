// SPDX-License-Identifier: Apache-2.0
// Which errors of the GPU library belong to whom.
//
// The library's own error scopes are one stack for all threads, so weft never pushes one. Instead: the library raises an error inside
// the call that caused it, on the thread that made the call; a thread-local sink, set by ScopedErrors around the call, gets it. An error
// raised outside any scope goes to the device's log. A sink runs inside the library: it must not call the library, nor block.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace weft::gpu {

enum class GpuErrorKind { Validation, OutOfMemory, Internal, Unknown };
std::string_view GpuErrorKindName(GpuErrorKind kind);

struct GpuError {
  GpuErrorKind kind;
  std::string message;
};

class ErrorSink {
 public:
  // On the thread that made the call, inside the call.
  virtual void OnGpuError(GpuErrorKind kind, std::string_view message) noexcept = 0;

 protected:
  ~ErrorSink() = default;
};

// While it lives, errors raised by calls of this thread (also those made for it on the compiler threads by RunOnBigStack) go to `sink`.
// Scopes nest; the innermost gets the error. Stack objects only.
class ScopedErrors {
 public:
  explicit ScopedErrors(ErrorSink& sink) : ScopedErrors(&sink) {}
  // Null: errors go to the device's log again.
  explicit ScopedErrors(ErrorSink* sink);
  ~ScopedErrors();
  ScopedErrors(const ScopedErrors&) = delete;
  ScopedErrors& operator=(const ScopedErrors&) = delete;

 private:
  ErrorSink* previous_;
};

// This thread's innermost sink, or null.
ErrorSink* CurrentErrorSink();

// The usual sink: keeps what comes. Use as
//   ErrorCollector errors;           // scope begins
//   ... calls ...
//   WEFT_TRY(errors.ToStatus("creating the texture"));
class ErrorCollector final : public ErrorSink {
 public:
  ErrorCollector() : scope_(*this) {}
  void OnGpuError(GpuErrorKind kind, std::string_view message) noexcept override;

  const std::vector<GpuError>& errors() const { return errors_; }
  bool empty() const { return errors_.empty() && !lost_errors_; }
  // The first error as an Error: validation becomes InvalidArgument, out-of-memory OutOfMemory, the others Internal.
  Status ToStatus(std::string_view doing) const;

 private:
  std::vector<GpuError> errors_;
  bool lost_errors_ = false;
  ScopedErrors scope_;
};

}  // namespace weft::gpu
