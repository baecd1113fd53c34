// SPDX-License-Identifier: Apache-2.0
// weft-worker: the process that holds device, plugins and graph for a supervisor. Not for people: it expects its channel and its
// breadcrumbs as open descriptors (supervisor.h).
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <thread>

#include "runtime/breadcrumbs.h"
#include "runtime/channel.h"
#include "runtime/in_process.h"
#include "runtime/messages.h"
#include "runtime/supervisor.h"

namespace weft::runtime {
namespace {

class Watch final : public RunWatch {
 public:
  explicit Watch(CrumbRing* ring) : crumbs_(ring) {}
  void Begun(const std::string& node, uint64_t frame) override { crumbs_.Begun(node, frame); }
  void Released(const std::string& node, uint64_t frame) override { crumbs_.Released(node, frame); }
  void Submitted(const std::string& node, uint64_t frame) override { crumbs_.Submitted(node, frame); }
  void Finished(const std::string& node, uint64_t frame) override { crumbs_.Finished(node, frame); }

 private:
  CrumbWriter crumbs_;
};

int Main() {
  if (fcntl(kWorkerChannelFd, F_GETFD) < 0 || fcntl(kWorkerCrumbsFd, F_GETFD) < 0) {
    std::fprintf(stderr, "weft-worker is started by weft; it is not a command. Use 'weft run'.\n");
    return 2;
  }
  fcntl(kWorkerChannelFd, F_SETFD, FD_CLOEXEC);
  fcntl(kWorkerCrumbsFd, F_SETFD, FD_CLOEXEC);
  // Ctrl-C goes to the whole group, SIGTERM from a service manager too; the supervisor decides. A worker without its supervisor has no
  // purpose.
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_PDEATHSIG, SIGKILL);

  Channel channel(kWorkerChannelFd);
  auto crumbs = CrumbMemory::Adopt(kWorkerCrumbsFd);
  if (!crumbs) return 2;
  std::string text;
  if (channel.Receive(&text, std::chrono::milliseconds(-1)) != Channel::Got::Message) return 2;
  auto first = ParseFromSupervisor(text);
  auto* start = first ? std::get_if<StartMessage>(&*first) : nullptr;
  if (!start) return 2;

  Ref<CancelToken> cancel = MakeRef<CancelToken>();
  std::thread listener([&] {
    std::string message;
    while (channel.Receive(&message, std::chrono::milliseconds(-1)) == Channel::Got::Message) cancel->Cancel();
    _exit(3);  // the supervisor is gone
  });
  listener.detach();

  start->runtime.log =
      Log([&](LogLevel level, std::string_view message) { channel.Send(ToText(LogMessage{level, std::string(message)})); });
  start->run.progress = [&](const Progress& p) { channel.Send(ToText(p)); };
  Watch watch(crumbs->ring());
  ResultMessage result;
  auto run = [&]() -> Result<RunOutcome> {
    WEFT_TRY_ASSIGN(graph::Document document, graph::ParseDocument(start->document, "from the supervisor"));
    WEFT_TRY_ASSIGN(auto runtime, Runtime::Create(start->runtime));
    auto outcome = RunInProcess(*runtime, document, start->run, *cancel, &watch);
    // All files are whole now. Tearing down a device may take long or fail; nobody waits for it.
    if (outcome) {
      result.outcome = std::move(*outcome);
    } else {
      result.error = std::move(outcome.error());
    }
    channel.Send(ToText(result));
    _exit(0);
  };
  auto failed = run();
  result.error = std::move(failed.error());
  channel.Send(ToText(result));
  _exit(0);
}

}  // namespace
}  // namespace weft::runtime

int main() { return weft::runtime::Main(); }
