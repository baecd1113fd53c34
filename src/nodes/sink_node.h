// SPDX-License-Identifier: Apache-2.0
// SinkNode: a file, a sequence or stdout as a Node; takes pictures in CPU memory, of the layout that the file wants. Encodes on the
// scheduler's thread. The output is opened while the graph is planned, so that one that cannot be written fails before any work.
#pragma once

#include <memory>
#include <optional>

#include "graph/node.h"
#include "media/sink.h"
#include "nodes/context.h"

namespace weft::nodes {

class SinkNode final : public graph::Node {
 public:
  static Result<std::unique_ptr<SinkNode>> Make(const NodeContext& context, const graph::NodeSpec& spec);

  const graph::Description& description() const override { return description_; }
  Result<graph::PortInfo> Want(size_t input, const graph::PortInfo& offered, const graph::Project& project) override;
  void Configure(graph::ConfigureJob job, graph::Done<graph::NodePlan> done) override;
  void Process(graph::FrameJob job, graph::Done<graph::FrameOutput> done) override;
  void Finish(graph::Done<void> done) override;
  void Abort() override;
  graph::NodeStats stats() const override { return {frames_, cpu_ns_, std::nullopt}; }

 private:
  explicit SinkNode(const NodeContext& context) : context_(context) {}
  Status Open(const graph::Project& project, Rational origin);
  Status Write(const graph::FrameJob& job);

  const NodeContext& context_;
  graph::Description description_;
  std::string path_;
  media::Options options_;
  graph::Project project_;
  std::unique_ptr<media::Sink> sink_;
  std::atomic<uint64_t> frames_{0}, cpu_ns_{0};
};

}  // namespace weft::nodes
