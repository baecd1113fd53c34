// SPDX-License-Identifier: Apache-2.0
// Result<T> and Error: how every fallible function of weft answers.
//
// An Error has a kind (which decides the CLI's exit code and the C enum), one sentence for a person, and the context that callers
// added on the way up. Wording: docs/errors.md. No function of weft throws; third-party code that may throw is caught at the call.
// Values; any thread.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

enum class ErrorKind {
  InvalidArgument,  // the caller asked for something that cannot be: a bad option, parameter, graph or file content
  Unsupported,      // well-formed, but this build, library or device cannot do it
  NotFound,         // a file, plugin, parameter or device that is not there
  Io,               // the operating system refused: reading, writing, renaming
  OutOfMemory,      // RAM, GPU memory or a quota
  DeviceLost,       // the GPU device is gone
  GuestTrap,        // a plugin trapped, timed out, returned an error or broke its contract
  Cancelled,        // somebody asked for the end
  Internal,         // our bug
};

// Stable lower-case name of a kind, such as "invalid-argument".
std::string_view ErrorKindName(ErrorKind kind);

class [[nodiscard]] Error {
 public:
  Error(ErrorKind kind, std::string message) : kind_(kind), message_(std::move(message)) {}

  ErrorKind kind() const { return kind_; }
  const std::string& message() const { return message_; }
  // Outermost last, e.g. {"reading 'a.png'", "node 'src'"}.
  const std::vector<std::string>& context() const { return context_; }

  Error Context(std::string what) && {
    context_.push_back(std::move(what));
    return std::move(*this);
  }
  // "node 'blur': while configuring: <message>".
  std::string ToString() const;

 private:
  ErrorKind kind_;
  std::string message_;
  std::vector<std::string> context_;
};

template <class T>
class [[nodiscard]] Result : public std::expected<T, Error> {
 public:
  using std::expected<T, Error>::expected;
  Result(Error e) : std::expected<T, Error>(std::unexpect, std::move(e)) {}  // NOLINT: implicit on purpose
  Result Context(std::string what) && {
    if (!this->has_value()) return std::move(this->error()).Context(std::move(what));
    return std::move(*this);
  }
};
using Status = Result<void>;

// fmt::format in the message: Fail(ErrorKind::NotFound, "'{}' is not a file", path).
#define WEFT_CONCAT_(a, b) a##b
#define WEFT_CONCAT(a, b) WEFT_CONCAT_(a, b)
#define WEFT_TRY(expr)                                                   \
  do {                                                                   \
    if (auto weft_r = (expr); !weft_r) return std::move(weft_r.error()); \
  } while (0)
// WEFT_TRY_ASSIGN(auto x, F());
#define WEFT_TRY_ASSIGN(decl, expr) WEFT_TRY_ASSIGN_(WEFT_CONCAT(weft_t_, __LINE__), decl, expr)
#define WEFT_TRY_ASSIGN_(tmp, decl, expr)  \
  auto tmp = (expr);                       \
  if (!tmp) return std::move(tmp.error()); \
  decl = std::move(*tmp)

[[noreturn]] void CheckFailed(const char* expr, const char* file, int line);
// Our own invariants, always on.
#define WEFT_CHECK(cond)                                         \
  do {                                                           \
    if (!(cond)) ::weft::CheckFailed(#cond, __FILE__, __LINE__); \
  } while (0)

}  // namespace weft
