// SPDX-License-Identifier: Apache-2.0
// Scheduler: drives an Assembly over its frames, several in flight, so that decoding, GPU work and encoding overlap.
//
// A node works on one frame at a time and in order; frame n+1 may be in node 1 while frame n is in node 2. At most `in_flight` frames
// are anywhere between the sources and the slowest sink, so a slow sink holds back the sources and nothing piles up. A frame starts when
// all sources have given it; the run ends when all sources that are not stills have ended (one that ends earlier repeats its last frame).
// When frame n fails, frames before n are still finished, then all nodes are aborted.
//
// Threads: Run() blocks its caller; nodes are called on the scheduler's own workers; the observer is called under no lock from any worker.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graph/assembly.h"

namespace weft::graph {

struct ScheduleOptions {
  int in_flight = 6;  // at least 1
  int workers = 0;    // 0: one a node, but no more than the machine's cores + 2
  // A frame that fails costs only itself: sinks hear of it (Node::FrameFailed) and the next frames go on. For embedding programs.
  bool keep_going = false;
  // Called, under no lock and from any thread, when a thread that worked finds nothing more to do: what was put off is sent now.
  std::function<void()> idle;
};

class RunObserver {
 public:
  virtual ~RunObserver() = default;
  // The breadcrumbs: which node has which frame in its hands.
  virtual void NodeBegins(const std::string& node, uint64_t index) = 0;
  virtual void NodeEnds(const std::string& node, uint64_t index) = 0;
  // Every sink has frame `index`.
  virtual void FrameDone(uint64_t index) = 0;
};

struct NodeReport {
  std::string node;
  bool conversion = false;
  NodeStats stats;
};

struct RunReport {
  uint64_t frames = 0;
  std::optional<int64_t> frame_count;  // expected, where known
  double seconds = 0;
  std::vector<NodeReport> nodes;
};

class Scheduler {
 public:
  Scheduler(Assembly assembly, ScheduleOptions options, RunObserver* observer);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;

  // Once. On success all sinks are finished; on failure all nodes are aborted. Cancelled when Cancel() came first.
  Result<RunReport> Run();
  // Any thread, any number of times, also before Run.
  void Cancel();
  // Any thread: changes a parameter from frame `from` on, or from the next frame that the node begins if that is later. Checked.
  Status SetParameter(const std::string& node, const std::string& parameter, const Literal& value, uint64_t from = 0);
  uint64_t frames_done() const;
  // Any thread, also while it runs.
  RunReport Report() const;

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with answers that nodes still owe
};

}  // namespace weft::graph
