// SPDX-License-Identifier: Apache-2.0
#include "runtime/in_process.h"

#include <chrono>
#include <condition_variable>
#include <fstream>
#include <map>
#include <set>
#include <thread>

#include "base/fail.h"
#include "gpu/device.h"
#include "gpu/timestamps.h"
#include "nodes/factory.h"

namespace weft::runtime {
namespace {

Result<std::vector<uint8_t>> ReadWholeFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return Fail(ErrorKind::NotFound, "the file '{}' cannot be opened", path);
  std::vector<uint8_t> bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (in.bad()) return Fail(ErrorKind::Io, "the file '{}' cannot be read", path);
  return bytes;
}

// Calls `progress` about ten times a second until it is destroyed.
class Ticker {
 public:
  Ticker(const std::function<void(const Progress&)>& progress, std::function<Progress()> now) : progress_(progress), now_(std::move(now)) {
    if (progress_) thread_ = std::jthread([this] { Loop(); });
  }
  ~Ticker() {
    if (!progress_) return;
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    thread_.join();
    progress_(now_());
  }

 private:
  void Loop() {
    std::unique_lock lock(mutex_);
    while (!stop_) {
      lock.unlock();
      progress_(now_());
      lock.lock();
      wake_.wait_for(lock, std::chrono::milliseconds(100), [&] { return stop_; });
    }
  }
  const std::function<void(const Progress&)>& progress_;
  std::function<Progress()> now_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  std::jthread thread_;
};

// Tells the watch of nodes that use the GPU; files may block as long as they like.
class Observer final : public graph::RunObserver {
 public:
  Observer(RunWatch* watch, std::set<std::string> files) : watch_(watch), files_(std::move(files)) {}
  void NodeBegins(const std::string& node, uint64_t index) override {
    if (watch_ && !files_.contains(node)) watch_->Begun(node, index);
  }
  void NodeEnds(const std::string& node, uint64_t index) override {
    if (watch_ && !files_.contains(node)) watch_->Released(node, index);
  }
  void FrameDone(uint64_t) override {}

 private:
  RunWatch* watch_;
  const std::set<std::string> files_;
};

uint64_t Nanoseconds(double seconds) { return seconds > 0 ? static_cast<uint64_t>(seconds * 1e9) : 0; }

RunOutcome MakeOutcome(Runtime& runtime, const graph::Document& document, const nodes::NodeContext& context,
                       const graph::RunReport& report) {
  RunOutcome out;
  out.frames = report.frames;
  out.elapsed_ns = Nanoseconds(report.seconds);
  bool timestamps = false;
  if (runtime.device_started()) {
    if (auto device = runtime.Device()) {
      out.gpu = (*device)->info().device;
      timestamps = gpu::Timestamps::Create(*device, 2, 1)->available();
    }
  }
  for (const graph::NodeReport& n : report.nodes) {
    NodeOutcome node;
    node.id = n.node;
    const graph::NodeSpec* spec = document.Find(n.node);
    node.kind = n.conversion || !spec ? "convert" : spec->kind;
    node.conversion = n.conversion;
    node.frames = n.stats.frames;
    node.cpu_ns = n.stats.cpu_ns;
    node.gpu_ns = n.stats.gpu_ns;
    node.uses = n.stats.uses;
    if (!node.gpu_ns) {
      const bool file = node.kind == "source" || node.kind == "sink";
      node.gpu_reason = file ? "no GPU work" : timestamps ? "not measured" : "the GPU has no timestamps";
    }
    out.nodes.push_back(std::move(node));
  }
  for (const graph::NodeSpec& spec : document.nodes) {
    if (spec.kind == "sink" && spec.path != "-") out.files.push_back(context.Path(spec.path));
  }
  return out;
}

}  // namespace

Result<RunOutcome> RunInProcess(Runtime& runtime, const graph::Document& document, const RunOptions& options, CancelToken& cancel,
                                RunWatch* watch) {
  if (cancel.cancelled()) return Fail(ErrorKind::Cancelled, "the run was cancelled");
  const auto begun = std::chrono::steady_clock::now();
  nodes::NodeContext context = runtime.NodesContext();
  context.watch = watch;
  context.gpu_times = std::make_shared<nodes::GpuLedger>();
  context.folder = options.folder;
  context.frames = options.frames;
  context.overwrite = options.overwrite;
  graph::Document loaded = document;
  WEFT_TRY(graph::LoadFiles(&loaded, [&](const std::string& path) { return ReadWholeFile(context.Path(path)); }));
  std::set<std::string> files;
  for (const graph::NodeSpec& spec : loaded.nodes) {
    if (spec.kind == "source" || spec.kind == "sink") files.insert(spec.id);
  }
  nodes::Factory factory(context);
  graph::AssembleOptions assemble;
  assemble.work_format = options.work_format;
  WEFT_TRY_ASSIGN(graph::Assembly assembly, graph::Assemble(loaded, factory, assemble));
  for (const graph::PlannedEdge& e : assembly.plan) {
    context.log.Write(LogLevel::Debug, fmt::format("{} -> {}: {}{}", e.from, e.to, graph::DescribeInfo(e.offered),
                                                   e.converts ? " converted to " + graph::DescribeInfo(e.taken) : ""));
  }
  const std::optional<int64_t> expected = assembly.frame_count;
  graph::ScheduleOptions schedule;
  if (options.in_flight > 0) schedule.in_flight = options.in_flight;
  schedule.idle = [&runtime] {
    if (!runtime.device_started()) return;
    if (auto device = runtime.Device()) (*device)->SendIfIdle();
  };
  Observer observer(watch, std::move(files));
  graph::Scheduler scheduler(std::move(assembly), schedule, &observer);
  Result<graph::RunReport> report = graph::RunReport{};
  {
    Ticker ticker(options.progress, [&] {
      const auto elapsed = std::chrono::steady_clock::now() - begun;
      return Progress{scheduler.frames_done(), static_cast<uint64_t>(expected.value_or(0)),
                      static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count())};
    });
    cancel.Attach([&] { scheduler.Cancel(); });
    report = scheduler.Run();
    cancel.Clear();
  }
  if (report && runtime.device_started()) {
    // Timestamps of the last frames come with the end of their work.
    if (auto device = runtime.Device(); device && !(*device)->lost()) (void)(*device)->WaitIdle();
  }
  if (!report) return std::move(report.error());
  RunOutcome outcome = MakeOutcome(runtime, loaded, context, scheduler.Report());
  outcome.elapsed_ns =
      static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begun).count());
  return outcome;
}

}  // namespace weft::runtime
