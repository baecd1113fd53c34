// SPDX-License-Identifier: Apache-2.0
// SourceNode: a file, a sequence or stdin as a Node; its pictures lie in CPU memory. Decodes on the scheduler's thread.
#pragma once

#include <memory>

#include "graph/node.h"
#include "media/source.h"
#include "nodes/context.h"

namespace weft::nodes {

class SourceNode final : public graph::Node {
 public:
  static Result<std::unique_ptr<SourceNode>> Open(const NodeContext& context, const graph::NodeSpec& spec);

  const graph::Description& description() const override { return description_; }
  bool is_source() const override { return true; }
  const graph::SourceInfo* source_info() const override { return &info_; }
  bool still() const override { return info_.stream.still; }
  void Configure(graph::ConfigureJob job, graph::Done<graph::NodePlan> done) override;
  void Process(graph::FrameJob job, graph::Done<graph::FrameOutput> done) override;
  graph::NodeStats stats() const override { return {frames_, cpu_ns_, std::nullopt}; }

 private:
  SourceNode() = default;

  graph::Description description_;
  graph::SourceInfo info_;
  std::unique_ptr<media::Source> source_;
  std::atomic<uint64_t> frames_{0}, cpu_ns_{0};
};

}  // namespace weft::nodes
