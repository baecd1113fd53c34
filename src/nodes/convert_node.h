// SPDX-License-Identifier: Apache-2.0
// ConvertNode: one edge's conversion by the GPU: pictures up, textures down, textures to another format, colour or alpha. The planner puts
// it in; documents never name it.
#pragma once

#include <memory>

#include "gpu/texture_pool.h"
#include "graph/node.h"
#include "nodes/context.h"
#include "nodes/gpu_span.h"
#include "nodes/payload.h"

namespace weft::nodes {

class ConvertNode final : public graph::Node {
 public:
  // Fails where the converter or the device cannot do it.
  static Result<std::unique_ptr<ConvertNode>> Make(const NodeContext& context, const graph::PortInfo& from, const graph::PortInfo& to);

  const graph::Description& description() const override { return description_; }
  void Configure(graph::ConfigureJob job, graph::Done<graph::NodePlan> done) override;
  void Process(graph::FrameJob job, graph::Done<graph::FrameOutput> done) override;
  graph::NodeStats stats() const override { return {frames_, cpu_ns_, spans_->total_ns()}; }

 private:
  ConvertNode() = default;
  // Sends the work; the texture is ready in queue order.
  Result<Ref<TexturePayload>> ToTexture(graph::Payload& from, const graph::TextureInfo& to);

  graph::Description description_;
  graph::PortInfo to_;
  graph::TextureInfo between_;  // of a picture that becomes another picture
  Ref<gpu::Device> device_;
  Ref<media::Converter> converter_;
  Ref<graph::Payload> last_picture_;  // what came last, where it was a CPU picture,
  Ref<TexturePayload> last_texture_;  // and what it became
  std::unique_ptr<gpu::TextureWriter> writer_;
  std::unique_ptr<GpuSpans> spans_;
  std::atomic<uint64_t> frames_{0}, cpu_ns_{0};
};

// The picture of a texture payload as a pool texture: the converter reads no other. An embedder's own texture is copied.
Result<Ref<gpu::PoolTexture>> AsPoolTexture(gpu::Device& device, const TexturePayload& payload);

}  // namespace weft::nodes
