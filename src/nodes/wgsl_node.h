// SPDX-License-Identifier: Apache-2.0
// WgslNode: a WgslPlugin as a Node: the host encodes its passes. Its shaders see this frame's textures and its own intermediates, nothing
// else.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gpu/texture_pool.h"
#include "graph/node.h"
#include "nodes/context.h"
#include "nodes/gpu_span.h"
#include "nodes/wgsl_plugin.h"

namespace weft::nodes {

class WgslNode final : public graph::Node {
 public:
  static Result<std::unique_ptr<WgslNode>> Load(const NodeContext& context, const std::string& path, std::string name);

  const graph::Description& description() const override { return plugin_->description; }
  void Configure(graph::ConfigureJob job, graph::Done<graph::NodePlan> done) override;
  void Process(graph::FrameJob job, graph::Done<graph::FrameOutput> done) override;
  graph::NodeStats stats() const override { return {frames_, cpu_ns_, spans_ ? spans_->total_ns() : std::nullopt}; }

 private:
  struct BuiltPass {
    gpu::Owned<WGPUBindGroupLayout> layout;
    gpu::Owned<WGPUComputePipeline> pipeline;
    gpu::Owned<WGPUBuffer> uniform;
    std::map<std::vector<uint64_t>, gpu::Owned<WGPUBindGroup>> groups;  // by the ids of the textures bound
  };

  WgslNode(const NodeContext& context, std::shared_ptr<const WgslPlugin> plugin, std::string name)
      : context_(context), plugin_(std::move(plugin)), name_(std::move(name)) {}
  Status Configured(const graph::ConfigureJob& job);
  Status BuildPass(const WgslPlugin::Pass& pass, WGPUShaderModule module, BuiltPass* out);
  Result<graph::FrameOutput> Made(const graph::FrameJob& job);
  // The textures of the frame by their place in the plugin, and the clears that they need.
  Result<std::vector<Ref<gpu::PoolTexture>>> Textures(const graph::FrameJob& job, WGPUCommandEncoder encoder);
  std::vector<std::byte> UniformBytes(const graph::FrameTime& time, uint32_t width, uint32_t height) const;
  Result<WGPUBindGroup> BindGroup(BuiltPass& pass, const WgslPlugin::Pass& spec, const std::vector<Ref<gpu::PoolTexture>>& textures);

  const NodeContext& context_;
  const std::shared_ptr<const WgslPlugin> plugin_;
  const std::string name_;
  Ref<gpu::Device> device_;
  std::unique_ptr<gpu::TextureWriter> writer_;
  std::vector<graph::Value> values_;
  std::vector<graph::PortInfo> inputs_;
  graph::TextureInfo output_;
  std::vector<std::string> formats_;                  // by texture; of inputs unused
  std::vector<Ref<gpu::PoolTexture>> intermediates_;  // kept from frame to frame
  Ref<gpu::PoolTexture> nothing_;                     // stands for inputs that are not connected
  std::vector<BuiltPass> passes_;
  std::unique_ptr<GpuSpans> spans_;
  std::atomic<uint64_t> frames_{0}, cpu_ns_{0};
};

}  // namespace weft::nodes
