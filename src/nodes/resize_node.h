// SPDX-License-Identifier: Apache-2.0
// ResizeNode: the host's own `resize`: width, height, fit. Lanczos in linear light on premultiplied alpha, whatever comes in.
#pragma once

#include <memory>

#include "gpu/texture_pool.h"
#include "graph/node.h"
#include "nodes/context.h"
#include "nodes/gpu_span.h"

namespace weft::nodes {

class ResizeNode final : public graph::Node {
 public:
  explicit ResizeNode(const NodeContext& context);

  const graph::Description& description() const override { return description_; }
  void Configure(graph::ConfigureJob job, graph::Done<graph::NodePlan> done) override;
  void Process(graph::FrameJob job, graph::Done<graph::FrameOutput> done) override;
  graph::NodeStats stats() const override { return {frames_, cpu_ns_, spans_ ? spans_->total_ns() : std::nullopt}; }

 private:
  Result<graph::NodePlan> Configured(const graph::ConfigureJob& job);
  Result<graph::FrameOutput> Made(const graph::FrameJob& job);

  const NodeContext& context_;
  graph::Description description_;
  Ref<gpu::Device> device_;
  Ref<media::Converter> converter_;
  std::unique_ptr<gpu::TextureWriter> writer_;
  std::unique_ptr<GpuSpans> spans_;
  graph::TextureInfo to_;
  media::ResizeOptions how_;
  bool same_ = false;
  std::atomic<uint64_t> frames_{0}, cpu_ns_{0};
};

// Which part of the source goes to which part of the target. `fit`: 0 contain, 1 cover, 2 fill.
media::ResizeOptions FitOptions(uint32_t width, uint32_t height, uint32_t to_width, uint32_t to_height, uint32_t fit);

}  // namespace weft::nodes
