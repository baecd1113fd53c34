// SPDX-License-Identifier: Apache-2.0
// Node: what the scheduler drives. It knows no kind of node: a plugin, a decoder and a converter look the same from here.
//
// Life: made by a NodeFactory -> Want and Configure once or more -> Process for frame after frame, in order, one call at a time ->
// Finish (all went well) or Abort -> destroyed. Configure, Process and Finish may answer later, from any thread; each answers exactly once.
// Different nodes are called side by side.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "graph/check.h"
#include "graph/description.h"
#include "graph/types.h"

namespace weft::graph {

template <class T>
using Done = std::move_only_function<void(Result<T>)>;

// (place in the description, value) of parameters that changed.
using ParamChanges = std::vector<std::pair<uint32_t, Value>>;

struct ConfigureJob {
  Project project;
  std::vector<PortInfo> inputs;         // one for each input of the description, after conversion
  std::vector<bool> connected_outputs;  // one for each output of the description
  ParamChanges changes;                 // all parameters the first time
};

struct NodePlan {
  std::vector<PortInfo> outputs;             // one for each output
  std::vector<std::pair<int, int>> windows;  // one for each input: frames wanted around the current one
};

struct InputItem {
  size_t port = 0;
  int offset = 0;  // 0 = this frame, -1 = the one before
  Ref<Payload> payload;
};

struct FrameJob {
  uint64_t index = 0;  // 0, 1, 2... in the run
  FrameTime time;      // of sources: empty, they answer it
  std::vector<InputItem> inputs;
  ParamChanges changes;
};

struct FrameOutput {
  std::vector<Ref<Payload>> outputs;  // one for each output of the description; null where nobody takes it
  std::optional<FrameTime> time;      // of sources
  bool end = false;                   // of sources: there is no such frame; outputs are empty
};

// The most that a plugin used of one of its limits, and the limit.
struct LimitUse {
  std::string limit;
  uint64_t used = 0, most = 0;
};

// Totals so far. Times in nanoseconds.
struct NodeStats {
  uint64_t frames = 0;
  uint64_t cpu_ns = 0;
  std::optional<uint64_t> gpu_ns;  // not set where the node has no GPU work or the device no timestamps
  std::vector<LimitUse> uses = {};
};

class Node {
 public:
  virtual ~Node() = default;
  virtual const Description& description() const = 0;
  // A source is asked for frame after frame until it answers `end`; all other nodes make a frame from their inputs.
  virtual bool is_source() const { return false; }
  // Sources only, where they read something.
  virtual const SourceInfo* source_info() const { return nullptr; }
  // A source that has one picture for all frames does not decide how long a run is.
  virtual bool still() const { return false; }

  // What the node makes of `offered` at an input: the same, or what a conversion must make of it. The default asks WantedTexture().
  virtual Result<PortInfo> Want(size_t input, const PortInfo& offered, const Project& project);
  virtual void Configure(ConfigureJob job, Done<NodePlan> done) = 0;
  virtual void Process(FrameJob job, Done<FrameOutput> done) = 0;
  // Instead of Process where runs go on after failures (ScheduleOptions::keep_going) and the node has no outputs: an input failed.
  virtual void FrameFailed(uint64_t index, const Error& why) { (void)index, (void)why; }
  // After the last frame: sinks write and rename.
  virtual void Finish(Done<void> done) { done({}); }
  // Somebody asked for the end: calls in flight answer soon, with an Error of kind Cancelled if they cannot finish. Any thread.
  virtual void Cancel() {}
  // After a failure or a cancel: sinks leave nothing behind. No call is in flight.
  virtual void Abort() {}
  virtual NodeStats stats() const { return {}; }
};

class NodeFactory {
 public:
  virtual ~NodeFactory() = default;
  // Loads or opens what the document names; nodes with open parameters read them from `spec`. Errors need no node id; the caller adds it.
  virtual Result<std::unique_ptr<Node>> Make(const NodeSpec& spec) = 0;
  // One input, one output: pictures from CPU to GPU, back, or from one kind of texture to another.
  virtual Result<std::unique_ptr<Node>> MakeConversion(const PortInfo& from, const PortInfo& to) = 0;
};

}  // namespace weft::graph
