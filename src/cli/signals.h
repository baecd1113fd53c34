// SPDX-License-Identifier: Apache-2.0
// SignalGuard: SIGINT and SIGTERM as a call on a thread of its own, while it lives. A second signal ends the process at once, and so does a
// run that has not ended kGraceSeconds after the first. One at a time in a process.
#pragma once

#include <functional>
#include <thread>

namespace weft::cli {

class SignalGuard {
 public:
  static constexpr double kGraceSeconds = 1.9;

  explicit SignalGuard(std::function<void()> on_signal);
  ~SignalGuard();
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;

  // Which signal came, 0 = none.
  int signal() const;

 private:
  std::function<void()> on_signal_;
  std::thread thread_;
};

}  // namespace weft::cli
