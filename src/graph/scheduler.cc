// SPDX-License-Identifier: Apache-2.0
#include "graph/scheduler.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

#include "base/fail.h"

namespace weft::graph {
namespace {

constexpr uint64_t kNever = UINT64_MAX;
// A sleeping worker is called for so many seconds of work that wait, and not for less: to wake it takes some ten microseconds, and threads
// that record small passes side by side get in each other's way inside the GPU library. With 40 us about three record trivial nodes, which
// keeps a fast GPU busy (bench/results.md).
constexpr double kWorthAWake = 40e-6;
// Who works on a frame that takes less than this is about to look for more.
constexpr double kBrisk = 500e-6;

// What a node made of one frame.
struct Made {
  std::vector<Ref<Payload>> outputs;
  std::optional<Error> error;  // only where runs keep going
};

struct Pending {
  uint64_t from = 0;
  uint32_t parameter = 0;
  Value value;
};

struct NodeState {
  // Fixed at the start.
  std::vector<Edge> inputs;
  std::vector<size_t> consumers;
  bool source = false, still = false;

  // Under the mutex.
  uint64_t next = 0;  // the frame to begin or, while busy, in hand
  bool busy = false;
  bool queued = false;            // stands in State::ready
  double seconds = 1;             // what a frame takes on its worker, about
  bool passing_error = false;     // its frame is not made, because an input failed
  std::optional<uint64_t> ended;  // sources: there is no frame with this index
  std::map<uint64_t, Made> made;  // what consumers may still need
  std::vector<Animation> parameters;
  std::vector<std::optional<Value>> told;  // values the node was told last
  std::deque<Pending> pending;
};

}  // namespace

// All of it is under `mutex`, but for the nodes' own calls.
struct Scheduler::State {
  Assembly assembly;
  ScheduleOptions options;
  RunObserver* observer = nullptr;
  std::vector<NodeState> nodes;
  std::vector<size_t> sources;
  uint64_t in_flight = 1;

  mutable std::mutex mutex;
  std::condition_variable work;      // workers with nothing to do
  std::condition_variable finished;  // Run(), until nothing is left to do
  std::vector<size_t> ready;         // nodes that can begin their next frame; few, so a list
  int idle = 0;                      // workers that wait and were not called
  int called = 0;                    // workers that were called and have not woken yet
  size_t brisk = 0;                  // workers that have a node in hand which will not take long
  int running = 0;                   // calls in nodes' hands
  uint64_t low = 0;                  // the slowest node's frame: all before it are finished everywhere
  bool cancelled = false, stop = false;
  uint64_t limit = kNever;  // frames from here on are not begun, since this one failed
  std::optional<uint64_t> total;
  std::optional<Error> error;
  uint64_t done = 0;
  std::map<uint64_t, FrameTime> times;
  std::chrono::steady_clock::time_point begun;
  std::optional<double> seconds;

  State(Assembly a, ScheduleOptions o, RunObserver* w) : assembly(std::move(a)), options(o), observer(w) {
    nodes.resize(assembly.nodes.size());
    in_flight = static_cast<uint64_t>(std::max(1, options.in_flight));
    for (size_t k = 0; k < nodes.size(); ++k) {
      const AssembledNode& from = assembly.nodes[k];
      nodes[k].source = from.node->is_source();
      nodes[k].still = nodes[k].source && from.node->still();
      if (nodes[k].source) sources.push_back(k);
      nodes[k].parameters = from.parameters;
      for (uint32_t p = 0; p < from.parameters.size(); ++p) nodes[k].told.emplace_back(from.parameters[p].At(0));  // Configure told these
      for (const auto& window : from.windows) in_flight += static_cast<uint64_t>(window.second);
    }
    for (const Edge& e : assembly.edges) {
      nodes[e.to_node].inputs.push_back(e);
      auto& consumers = nodes[e.from_node].consumers;
      if (std::ranges::find(consumers, e.to_node) == consumers.end()) consumers.push_back(e.to_node);
    }
  }

  uint64_t Low() const {
    uint64_t low = kNever;
    for (const NodeState& node : nodes) {
      if (!node.source) low = std::min(low, node.next);
    }
    if (low != kNever) return low;
    for (const NodeState& node : nodes) {
      if (!node.ended) low = std::min(low, node.next);
    }
    return low;
  }

  // Which frame of `from` stands in for frame `m`, or nothing where the port wants none; kNever: not known yet.
  std::optional<uint64_t> Stand(const NodeState& from, int64_t m, Ends ends) const {
    const std::optional<uint64_t> end = from.ended ? from.ended : total;
    if (m < 0) {
      if (ends == Ends::Absent) return std::nullopt;
      m = ends == Ends::Mirror ? -m : 0;
    }
    auto u = static_cast<uint64_t>(m);
    if (end && u >= *end) {
      // A source that ended early repeats its last frame; the window's rule holds at the end of the run.
      if (ends == Ends::Absent && (!total || u >= *total)) return std::nullopt;
      const uint64_t last = *end - 1;
      u = ends == Ends::Mirror && total && *end == *total && u - last <= last ? last - (u - last) : last;
    }
    if (from.next <= u && !(from.ended && u < *from.ended)) return kNever;
    return u;
  }

  bool Ready(size_t k) const {
    const NodeState& node = nodes[k];
    const uint64_t n = node.next;
    if (node.busy || n >= limit || (total && n >= *total)) return false;
    if (node.source) return !node.ended && (low == kNever || n < low + in_flight);
    for (size_t s : sources) {
      if (!nodes[s].ended && nodes[s].next <= n) return false;
    }
    if (!times.contains(n)) return false;
    for (const Edge& e : node.inputs) {
      const auto [first, last] = assembly.nodes[k].windows[e.to_port];
      const Ends ends = assembly.nodes[k].node->description().inputs[e.to_port].ends;
      for (int off = first; off <= last; ++off) {
        if (Stand(nodes[e.from_node], static_cast<int64_t>(n) + off, ends) == kNever) return false;
      }
    }
    return true;
  }

  // Notes node k as ready, if it has become so.
  void Offer(size_t k) {
    if (nodes[k].queued || !Ready(k)) return;
    nodes[k].queued = true;
    ready.push_back(k);
  }
  void OfferAll() {
    for (size_t k = 0; k < nodes.size(); ++k) Offer(k);
  }

  // The oldest frame first; of one frame the node furthest along.
  std::optional<size_t> Pick() {
    while (!ready.empty()) {
      auto best = ready.begin();
      for (auto it = best + 1; it != ready.end(); ++it) {
        if (nodes[*it].next < nodes[*best].next || (nodes[*it].next == nodes[*best].next && *it > *best)) best = it;
      }
      const size_t k = *best;
      *best = ready.back();
      ready.pop_back();
      nodes[k].queued = false;
      if (!cancelled && Ready(k)) return k;  // a failure since then may have made the frame pointless
    }
    return std::nullopt;
  }

  // Calls workers for what is ready, so many that it is worth while, but for those that are awake and will come to it by themselves.
  // `here`: the caller is a worker and will look for work itself, and is not among the brisk.
  void CallWorkers(bool here) {
    const size_t cared_for = brisk + (here ? 1 : 0) + static_cast<size_t>(called);
    if (ready.size() <= cared_for) return;
    double seconds = 0;
    for (size_t k : ready) seconds += nodes[k].seconds;
    const size_t wanted = std::min(ready.size(), static_cast<size_t>(std::min(seconds / kWorthAWake, 1e6)) + 1);
    if (wanted <= cared_for) return;
    for (size_t n = wanted - cared_for; n > 0 && idle > 0; --n) {
      --idle;
      ++called;
      work.notify_one();
    }
  }

  // The job, or the error of an input that failed.
  Result<FrameJob> MakeJob(size_t k) {
    NodeState& node = nodes[k];
    FrameJob job;
    job.index = node.next;
    if (node.source) return job;
    job.time = times.at(job.index);
    for (const Edge& e : node.inputs) {
      const auto [first, last] = assembly.nodes[k].windows[e.to_port];
      const Ends ends = assembly.nodes[k].node->description().inputs[e.to_port].ends;
      for (int off = first; off <= last; ++off) {
        const auto u = Stand(nodes[e.from_node], static_cast<int64_t>(job.index) + off, ends);
        if (!u) continue;
        const Made& made = nodes[e.from_node].made.at(*u);
        if (made.error) return *made.error;
        job.inputs.push_back({e.to_port, off, made.outputs[e.from_port]});
      }
    }
    while (!node.pending.empty() && node.pending.front().from <= job.index) {
      Pending p = std::move(node.pending.front());
      node.pending.pop_front();
      node.parameters[p.parameter] = {std::move(p.value), std::nullopt};
    }
    const int64_t count = assembly.frame_count.value_or(1);
    const double position = count > 1 ? static_cast<double>(job.index) / static_cast<double>(count - 1) : 0;
    for (uint32_t p = 0; p < node.parameters.size(); ++p) {
      Value value = node.parameters[p].At(position);
      if (node.told[p] == value) continue;
      node.told[p] = value;
      job.changes.emplace_back(p, std::move(value));
    }
    return job;
  }

  // Frame n of node k cannot be. The error of the earliest frame is the run's.
  void FailAt(size_t k, uint64_t n, Error e) {
    if (cancelled || (error && n >= limit)) return;
    limit = n;
    error = std::move(e).Context(fmt::format("node '{}'", assembly.nodes[k].id));
  }

  // The answer of node k for its frame. Under the mutex.
  void Take(size_t k, Result<FrameOutput> result) {
    NodeState& node = nodes[k];
    const uint64_t n = node.next;
    node.busy = false;
    --running;
    if (!result && !(options.keep_going && !node.source)) {
      FailAt(k, n, std::move(result.error()).Context(FrameName(k, n)));
      return;
    }
    if (result && result->end) {
      node.ended = n;
      if (n == 0) FailAt(k, n, Fail(ErrorKind::InvalidArgument, "it has no frames"));
    } else {
      Made made;
      if (result) {
        made.outputs = std::move(result->outputs);
        made.outputs.resize(assembly.nodes[k].node->description().outputs.size());
        if (node.source) TellTime(k, n, result->time ? std::move(*result->time) : FrameTime{.number = n});
      } else if (node.inputs.empty() || !node.passing_error) {
        made.error = std::move(result.error()).Context(FrameName(k, n)).Context(fmt::format("node '{}'", assembly.nodes[k].id));
      } else {
        made.error = std::move(result.error());
      }
      if (!node.consumers.empty()) node.made.emplace(n, std::move(made));
      ++node.next;
      if (node.still) node.ended = 1;
    }
    SettleEnd();
    if (node.source || n == low) low = Low();
    for (const Edge& e : node.inputs) Forget(e.from_node);
    const bool moved = low != kNever && low > done;
    if (moved) {
      done = low;
      times.erase(times.begin(), times.lower_bound(low));
    }
    // Whom this can have made ready: a source's frame or end, every node; else this one, who reads it, and sources that had to wait.
    if (node.source) return OfferAll();
    for (size_t consumer : node.consumers) Offer(consumer);
    Offer(k);
    if (!moved) return;
    for (size_t s : sources) Offer(s);
  }

  // Stills count for frames that nobody else times.
  void TellTime(size_t k, uint64_t n, FrameTime time) {
    if (nodes[k].still && times.contains(n)) return;
    for (size_t j = 0; j < k; ++j) {
      // An earlier source that is no still has this frame, or will: its time counts.
      if (nodes[j].source && !nodes[j].still && (!nodes[j].ended || n < *nodes[j].ended)) {
        if (times.contains(n)) return;
        if (nodes[j].next <= n) break;
      }
    }
    times[n] = std::move(time);
  }

  void SettleEnd() {
    bool all = true, only_stills = true;
    uint64_t longest = 0;
    for (const NodeState& node : nodes) {
      if (!node.source) continue;
      all = all && node.ended.has_value();
      only_stills = only_stills && node.still;
      if (!node.still && node.ended) longest = std::max(longest, *node.ended);
    }
    if (all && !total) total = only_stills ? 1 : longest;
  }

  void Forget(size_t k) {
    NodeState& node = nodes[k];
    uint64_t keep = kNever;
    for (size_t c : node.consumers) {
      const NodeState& consumer = nodes[c];
      for (const Edge& e : consumer.inputs) {
        if (e.from_node != k) continue;
        const auto [first, last] = assembly.nodes[c].windows[e.to_port];
        const int back = std::max(-first, assembly.nodes[c].node->description().inputs[e.to_port].ends == Ends::Mirror ? last : 0);
        keep = std::min(keep, consumer.next - std::min<uint64_t>(consumer.next, static_cast<uint64_t>(back)));
      }
    }
    // Of a source the last frame stays, in case it has to be repeated.
    if (node.source && node.next > 0) keep = std::min(keep, node.next - 1);
    node.made.erase(node.made.begin(), node.made.lower_bound(keep));
  }

  std::string FrameName(size_t k, uint64_t n) const {
    auto it = times.find(n);
    return fmt::format("frame {}", it != times.end() && !nodes[k].source ? it->second.number : n);
  }

  bool Finished() const { return running == 0 && (cancelled || ready.empty()); }

  static void Work(const std::shared_ptr<State>& s);
  static void Answer(State& s, size_t k, Result<FrameOutput> result);
};

Scheduler::Scheduler(Assembly assembly, ScheduleOptions options, RunObserver* observer)
    : state_(std::make_shared<State>(std::move(assembly), options, observer)) {}

// An answer's last step may still be under way on another thread; the nodes must not end within it.
Scheduler::~Scheduler() {
  while (state_.use_count() > 1) std::this_thread::yield();
}

namespace {

// The run whose worker this thread is, while it is one: its answers need not call another worker for what it will take itself.
thread_local const void* working_for = nullptr;
thread_local bool working_briskly = false;  // counted in its State::brisk

}  // namespace

// One worker: takes what is ready, until the run is over.
void Scheduler::State::Work(const std::shared_ptr<State>& s) {
  working_for = s.get();
  bool worked = false;
  std::unique_lock lock(s->mutex);
  while (!s->stop) {
    const std::optional<size_t> k = s->Pick();
    if (!k) {
      if (s->options.idle && std::exchange(worked, false)) {
        lock.unlock();
        s->options.idle();
        lock.lock();
        continue;
      }
      if (s->Finished()) s->finished.notify_all();
      ++s->idle;
      s->work.wait(lock, [&] { return s->stop || s->called > 0; });
      if (s->stop) return;
      --s->called;
      continue;
    }
    NodeState& node = s->nodes[*k];
    AssembledNode& assembled = s->assembly.nodes[*k];
    const uint64_t index = node.next;
    node.busy = true;
    ++s->running;
    Result<FrameJob> job = s->MakeJob(*k);
    node.passing_error = !job;
    worked = true;
    working_briskly = node.seconds < kBrisk;
    if (working_briskly) ++s->brisk;
    lock.unlock();
    const auto begun = std::chrono::steady_clock::now();
    if (job) {
      if (s->observer) s->observer->NodeBegins(assembled.id, index);
      assembled.node->Process(std::move(*job), [s, k = *k, index](Result<FrameOutput> result) {
        if (s->observer) s->observer->NodeEnds(s->assembly.nodes[k].id, index);
        Answer(*s, k, std::move(result));
      });
    } else {
      if (assembled.node->description().outputs.empty()) assembled.node->FrameFailed(index, job.error());
      Answer(*s, *k, std::move(job.error()));
    }
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    lock.lock();
    if (working_briskly) --s->brisk;
    working_briskly = false;
    // Down at once, up slowly: threads that hinder each other make frames look long, and more threads would make them longer.
    node.seconds += (took - node.seconds) / (took < node.seconds ? 4 : 64);
  }
}

void Scheduler::State::Answer(State& s, size_t k, Result<FrameOutput> result) {
  uint64_t before, after;
  const bool worker = working_for == &s;
  bool idle;
  {
    std::lock_guard lock(s.mutex);
    before = s.done;
    s.Take(k, std::move(result));
    after = s.done;
    s.CallWorkers(worker && !working_briskly);
    idle = !worker && s.ready.empty();
    if (s.Finished()) s.finished.notify_all();
  }
  if (idle && s.options.idle) s.options.idle();
  if (!s.observer) return;
  for (uint64_t n = before; n < after; ++n) s.observer->FrameDone(n);
}

Result<RunReport> Scheduler::Run() {
  State& s = *state_;
  const auto begun = std::chrono::steady_clock::now();
  {
    std::lock_guard lock(s.mutex);
    s.begun = begun;
    s.low = s.Low();
    s.OfferAll();
  }
  const auto cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const int count = s.options.workers > 0 ? s.options.workers : std::min(static_cast<int>(s.nodes.size()), cores + 2);
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < count; ++i) workers.emplace_back([state = state_] { State::Work(state); });
    std::unique_lock lock(s.mutex);
    s.finished.wait(lock, [&] { return s.Finished(); });
    s.stop = true;
    s.work.notify_all();
  }
  std::optional<Error> error;
  {
    std::lock_guard lock(s.mutex);
    if (s.cancelled) s.error = Fail(ErrorKind::Cancelled, "the run was cancelled");
    if (!s.error && (!s.total || s.Low() < *s.total)) {
      s.error = Fail(ErrorKind::Internal, "the run stopped at frame {} and nobody knows why; please report it", s.done);
    }
    error = s.error;
  }
  for (AssembledNode& node : s.assembly.nodes) {
    if (error) break;
    struct {
      std::mutex mutex;
      std::condition_variable arrived;
      std::optional<Result<void>> result;
    } answer;
    node.node->Finish([&](Result<void> r) {
      std::lock_guard lock(answer.mutex);
      answer.result = std::move(r);
      answer.arrived.notify_all();
    });
    std::unique_lock lock(answer.mutex);
    answer.arrived.wait(lock, [&] { return answer.result.has_value(); });
    if (!*answer.result) error = std::move(answer.result->error()).Context(fmt::format("node '{}'", node.id));
  }
  if (error) {
    for (AssembledNode& node : s.assembly.nodes) node.node->Abort();
  }
  {
    std::lock_guard lock(s.mutex);
    s.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  }
  if (error) return *error;
  return Report();
}

void Scheduler::Cancel() {
  {
    std::lock_guard lock(state_->mutex);
    state_->cancelled = true;
    state_->finished.notify_all();
  }
  for (AssembledNode& node : state_->assembly.nodes) node.node->Cancel();
}

Status Scheduler::SetParameter(const std::string& node, const std::string& parameter, const Literal& value, uint64_t from) {
  State& s = *state_;
  std::vector<std::string> ids;
  for (size_t k = 0; k < s.nodes.size(); ++k) {
    if (s.assembly.nodes[k].conversion) continue;
    ids.push_back(s.assembly.nodes[k].id);
    if (s.assembly.nodes[k].id != node) continue;
    const auto& specs = s.assembly.nodes[k].node->description().parameters;
    std::vector<std::string> names;
    for (uint32_t p = 0; p < specs.size(); ++p) {
      names.push_back(specs[p].id);
      if (specs[p].id != parameter) continue;
      WEFT_TRY_ASSIGN(Value typed, TypedValue(specs[p], value).Context(fmt::format("node '{}'", node)));
      std::lock_guard lock(s.mutex);
      s.nodes[k].pending.push_back({from, p, std::move(typed)});
      return {};
    }
    const std::string near = NearestName(parameter, names);
    return Fail(ErrorKind::NotFound, "node '{}' has no parameter '{}'{}", node, parameter,
                near.empty() ? "" : fmt::format("; did you mean '{}'?", near));
  }
  const std::string near = NearestName(node, ids);
  return Fail(ErrorKind::NotFound, "there is no node '{}'{}", node, near.empty() ? "" : fmt::format("; did you mean '{}'?", near));
}

uint64_t Scheduler::frames_done() const {
  std::lock_guard lock(state_->mutex);
  return state_->done;
}

RunReport Scheduler::Report() const {
  const State& s = *state_;
  RunReport report;
  {
    std::lock_guard lock(s.mutex);
    report.frames = s.done;
    report.frame_count = s.total ? std::optional(static_cast<int64_t>(*s.total)) : s.assembly.frame_count;
    report.seconds = s.seconds ? *s.seconds : std::chrono::duration<double>(std::chrono::steady_clock::now() - s.begun).count();
  }
  for (const AssembledNode& node : s.assembly.nodes) report.nodes.push_back({node.id, node.conversion, node.node->stats()});
  return report;
}

}  // namespace weft::graph
