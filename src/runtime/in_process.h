// SPDX-License-Identifier: Apache-2.0
// A run in this process: what the worker program does for its supervisor, and what embedding programs may ask for.
#pragma once

#include "nodes/context.h"
#include "runtime/runtime.h"

namespace weft::runtime {

// Told what is in hand. Any thread; must not block.
class RunWatch : public nodes::GpuWatch {
 public:
  // A plugin, resize or conversion has the frame; until Released or, once Submitted, until Finished.
  virtual void Begun(const std::string& node, uint64_t frame) = 0;
  // The node's call has ended, whether or not it submitted work.
  virtual void Released(const std::string& node, uint64_t frame) = 0;
};

// `watch` may be null, else outlives the runtime's device.
Result<RunOutcome> RunInProcess(Runtime& runtime, const graph::Document& document, const RunOptions& options, CancelToken& cancel,
                                RunWatch* watch);

}  // namespace weft::runtime
