// SPDX-License-Identifier: Apache-2.0
// WindowNode: a component that was written for a screen as a source of frames: what it presents is the frame's texture, on the same device
// and never through the CPU. Frame 0 alone, unless the run names frames. Threads: as Node says.
#pragma once

#include <memory>

#include "graph/node.h"
#include "host/surface/finish.h"
#include "nodes/context.h"
#include "nodes/gpu_span.h"
#include "nodes/window_guest.h"

namespace weft::nodes {

class WindowNode final : public graph::Node {
 public:
  // Starts the component, up to its first wait for a frame: only it knows what it will show. `context` outlives the node.
  static Result<std::unique_ptr<WindowNode>> Open(const NodeContext& context, const graph::NodeSpec& spec);
  ~WindowNode() override;

  const graph::Description& description() const override { return description_; }
  bool is_source() const override { return true; }
  const graph::SourceInfo* source_info() const override { return &info_; }
  void Configure(graph::ConfigureJob job, graph::Done<graph::NodePlan> done) override;
  void Process(graph::FrameJob job, graph::Done<graph::FrameOutput> done) override;
  void Cancel() override { guest_->Stop(); }
  graph::NodeStats stats() const override { return {frames_, cpu_ns_, spans_ ? spans_->total_ns() : std::nullopt}; }

 private:
  explicit WindowNode(const NodeContext& context) : context_(context) {}
  Status Read(const graph::NodeSpec& spec);
  // What was presented last, as the plan says; null before the first.
  Result<Ref<graph::Payload>> Shown();
  Result<graph::FrameOutput> Answer(uint64_t number, Result<bool> more);

  const NodeContext& context_;
  graph::Description description_;
  graph::SourceInfo info_;
  graph::TextureInfo planned_;
  std::string name_, path_;
  media::FrameRange range_{0, 0, 1};
  std::shared_ptr<WindowGuest> guest_;
  std::unique_ptr<host::PictureFinisher> finisher_;
  std::unique_ptr<GpuSpans> spans_;
  std::unique_ptr<gpu::TextureWriter> writer_;
  bool ended_ = false;
  Ref<graph::Payload> shown_;  // of the picture number shown_number_
  uint64_t shown_number_ = 0;
  std::atomic<uint64_t> frames_{0}, cpu_ns_{0};
};

}  // namespace weft::nodes
