// SPDX-License-Identifier: Apache-2.0
#include "cli/signals.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>

#include "cli/exit_code.h"

namespace weft::cli {
namespace {

// A handler can reach nothing but these.
std::atomic<int> g_signal = 0;
std::atomic<int> g_pipe = -1;

extern "C" void OnSignal(int number) {
  const int before = g_signal.exchange(number);
  if (before != 0) _exit(kExitSignal + number);
  const char byte = 1;
  [[maybe_unused]] const ssize_t n = write(g_pipe.load(), &byte, 1);
}

}  // namespace

SignalGuard::SignalGuard(std::function<void()> on_signal) : on_signal_(std::move(on_signal)) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return;  // signals then end the process as they do by themselves
  g_pipe = ends[1];
  thread_ = std::thread([this, read_end = ends[0]] {
    char byte = 0;
    while (read(read_end, &byte, 1) < 0) {
    }
    if (byte == 1) {
      on_signal_();
      // The destructor's byte ends the wait.
      pollfd waiting = {read_end, POLLIN, 0};
      if (poll(&waiting, 1, static_cast<int>(kGraceSeconds * 1000)) == 0) _exit(kExitSignal + g_signal);
    }
    close(read_end);
  });
  struct sigaction action{};
  action.sa_handler = OnSignal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

SignalGuard::~SignalGuard() {
  if (!thread_.joinable()) return;
  ::signal(SIGINT, SIG_DFL);
  ::signal(SIGTERM, SIG_DFL);
  const char byte = 2;
  [[maybe_unused]] const ssize_t n = write(g_pipe.load(), &byte, 1);
  thread_.join();
  close(g_pipe.exchange(-1));
}

int SignalGuard::signal() const { return g_signal; }

}  // namespace weft::cli
