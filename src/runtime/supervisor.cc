// SPDX-License-Identifier: Apache-2.0
#include "runtime/supervisor.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>

#include "base/fail.h"
#include "nodes/limits.h"
#include "runtime/breadcrumbs.h"
#include "runtime/channel.h"
#include "runtime/messages.h"

extern char** environ;

namespace weft::runtime {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kTick{50};
constexpr std::chrono::milliseconds kCancelGrace{1500};  // of the 2 s that a cancel may take
// The worker itself ends calls that are over their time; more than this (start, create, configure and process, and some rest) means that
// it cannot: a call that is stuck in the driver.
std::chrono::nanoseconds StuckAfter(const nodes::PluginLimits& limits) { return 4 * limits.wasm.call_time + std::chrono::seconds(20); }

std::string ThisLibrary() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&FindWorker), &info) && info.dli_fname) return info.dli_fname;
  return {};
}

// The worker's process. Killed and reaped by the destructor where that has not happened yet.
class Process {
 public:
  static Result<Process> Spawn(const std::string& path, int channel_fd, int crumbs_fd) {
    // Above the numbers they are to have, so that neither dup2 overwrites the other's source.
    const int a = fcntl(channel_fd, F_DUPFD_CLOEXEC, 10), b = fcntl(crumbs_fd, F_DUPFD_CLOEXEC, 10);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, a, kWorkerChannelFd);
    posix_spawn_file_actions_adddup2(&actions, b, kWorkerCrumbsFd);
    char* const argv[] = {const_cast<char*>(path.c_str()), nullptr};
    pid_t pid = -1;
    const int error = posix_spawn(&pid, path.c_str(), &actions, nullptr, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(a);
    close(b);
    if (error) return Fail(ErrorKind::Io, "the worker program '{}' cannot be started: {}", path, std::strerror(error));
    return Process(pid);
  }
  Process(Process&& o) noexcept : pid_(std::exchange(o.pid_, -1)), status_(o.status_) {}
  ~Process() {
    if (pid_ < 0) return;
    Kill();
    Wait();
  }
  void Kill() {
    if (pid_ >= 0) kill(pid_, SIGKILL);
  }
  // Reaps it; the wait status.
  int Wait() {
    while (pid_ >= 0 && waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return status_;
  }
  pid_t pid() const { return pid_; }

 private:
  explicit Process(pid_t pid) : pid_(pid) {}
  pid_t pid_;
  int status_ = 0;
};

// What the death of a worker means to the run.
Error DeathOf(int status, const CrumbRing& ring) {
  // An abort comes from the call that a node makes; a fault rather from work that the driver does.
  const bool abort = WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
  auto crumb = OldestCrumb(ring, abort ? Stage::Recording : Stage::Submitted);
  if (!crumb) crumb = OldestCrumb(ring);
  std::string how;
  if (WIFSIGNALED(status)) {
    how = fmt::format("the worker process was ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  } else {
    how = fmt::format("the worker process ended with exit code {} and without a result", WEXITSTATUS(status));
  }
  if (!crumb) return Fail(ErrorKind::Internal, "{} while no node was at work", how);
  return Fail(ErrorKind::GuestTrap, "{} while {}", how, Describe(*crumb));
}

// One supervised run; members are what its steps share.
class Supervised {
 public:
  Supervised(const RuntimeOptions& options, const nodes::PluginLimits& limits, const RunOptions& run, Channel& channel, Process& process,
             const CrumbRing& ring)
      : options_(options),
        run_(run),
        channel_(channel),
        process_(process),
        ring_(ring),
        gpu_time_(limits.gpu_time),
        stuck_after_(StuckAfter(limits)) {}

  Result<RunOutcome> Follow(CancelToken& cancel) {
    while (true) {
      std::string text;
      switch (channel_.Receive(&text, kTick)) {
        case Channel::Got::Message:
          if (auto result = Take(text)) return std::move(*result);
          break;
        case Channel::Got::Closed: {
          const int status = process_.Wait();
          if (cancelled_) return Fail(ErrorKind::Cancelled, "the run was cancelled");
          return DeathOf(status, ring_);
        }
        case Channel::Got::Nothing: break;
      }
      if (cancel.cancelled() && !cancelled_) {
        cancelled_ = Clock::now();
        channel_.Send(ToText(CancelMessage{}));
      }
      if (cancelled_ && Clock::now() - *cancelled_ > kCancelGrace) {
        process_.Kill();
        process_.Wait();
        return Fail(ErrorKind::Cancelled, "the run was cancelled");
      }
      if (auto hung = Hung()) {
        process_.Kill();
        process_.Wait();
        return std::move(*hung);
      }
    }
  }

 private:
  std::optional<Result<RunOutcome>> Take(const std::string& text) {
    auto message = ParseFromWorker(text);
    if (!message) return Result<RunOutcome>(std::move(message.error()));
    if (auto* log = std::get_if<LogMessage>(&*message)) {
      options_.log.Write(log->level, log->text);
    } else if (auto* progress = std::get_if<Progress>(&*message)) {
      if (run_.progress) run_.progress(*progress);
    } else if (auto* result = std::get_if<ResultMessage>(&*message)) {
      process_.Kill();  // its files are whole; what is left is tearing down a device
      process_.Wait();
      if (result->error) return Result<RunOutcome>(std::move(*result->error));
      return Result<RunOutcome>(std::move(result->outcome));
    }
    return std::nullopt;
  }

  // Time counts from when a piece of work became the oldest.
  std::optional<Error> Hung() {
    const auto oldest = OldestCrumb(ring_);
    const auto now = Clock::now();
    if (!oldest || oldest->serial != oldest_ || oldest->stage != oldest_stage_) {
      oldest_ = oldest ? oldest->serial : 0;
      oldest_stage_ = oldest ? oldest->stage : Stage::Free;
      since_ = now;
      return std::nullopt;
    }
    const bool gpu = oldest->stage == Stage::Submitted;
    const auto limit = gpu ? gpu_time_ : stuck_after_;
    if (now - since_ < limit) return std::nullopt;
    return Fail(ErrorKind::GuestTrap, "{} and made no progress for {:g} s{}; the worker process was ended", Describe(*oldest),
                std::chrono::duration<double>(limit).count(), gpu ? ", its limit (--max-gpu-time)" : "");
  }

  const RuntimeOptions& options_;
  const RunOptions& run_;
  Channel& channel_;
  Process& process_;
  const CrumbRing& ring_;
  const std::chrono::nanoseconds gpu_time_, stuck_after_;
  std::optional<Clock::time_point> cancelled_;
  uint64_t oldest_ = 0;
  Stage oldest_stage_ = Stage::Free;
  Clock::time_point since_ = Clock::now();
};

}  // namespace

Result<std::string> FindWorker(const RuntimeOptions& options) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  std::vector<std::string> tried;
  auto is_there = [&](const std::string& path) {
    tried.push_back(path);
    return access(path.c_str(), X_OK) == 0;
  };
  std::string named = options.worker_path;
  if (const char* env = std::getenv("WEFT_WORKER"); named.empty() && env) named = env;
  if (!named.empty()) {
    if (is_there(named)) return named;
    return Fail(ErrorKind::NotFound, "the worker program '{}' is not there or cannot be run", named);
  }
  for (const std::string& start : {ThisLibrary(), fs::read_symlink("/proc/self/exe", ignored).string()}) {
    fs::path folder = fs::weakly_canonical(start, ignored).parent_path();
    for (int up = 0; up < 4 && !folder.empty(); ++up) {
      const std::string path = (folder / "libexec" / "weft-worker").string();
      if (is_there(path)) return path;
      if (folder == folder.parent_path()) break;
      folder = folder.parent_path();
    }
  }
  std::string all;
  for (const std::string& t : tried) all += (all.empty() ? "" : ", ") + t;
  return Fail(ErrorKind::NotFound, "the worker program was not found; tried {}; set WEFT_WORKER to its path", all);
}

Result<RunOutcome> RunSupervised(const RuntimeOptions& options, const graph::Document& document, const RunOptions& run,
                                 CancelToken& cancel) {
  if (cancel.cancelled()) return Fail(ErrorKind::Cancelled, "the run was cancelled");
  WEFT_TRY_ASSIGN(const std::string path, FindWorker(options));
  WEFT_TRY_ASSIGN(const nodes::PluginLimits limits, nodes::ReadLimits(options.limits));
  WEFT_TRY_ASSIGN(CrumbMemory crumbs, CrumbMemory::Create());
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
    return Fail(ErrorKind::Io, "no socket pair can be made for the worker: {}", std::strerror(errno));
  }
  Channel channel(pair[0]);
  auto process = Process::Spawn(path, pair[1], crumbs.fd());
  close(pair[1]);
  if (!process) return std::move(process.error());
  StartMessage start;
  start.runtime = options;
  start.run = run;
  start.document = ToJson(document);
  channel.Send(ToText(start));  // a worker that is gone already shows in Follow
  return Supervised(options, limits, run, channel, *process, *crumbs.ring()).Follow(cancel);
}

}  // namespace weft::runtime
