// SPDX-License-Identifier: Apache-2.0
// PluginNode: a component as a Node. Owns the plugin's life (and begins another after a trap), lends it each frame's textures, clears them,
// sends what it submitted and takes everything back.
//
// Threads: as Node says; a frame may end on an executor thread. Cancel from any thread.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "gpu/texture_pool.h"
#include "gpu/timestamps.h"
#include "graph/node.h"
#include "nodes/context.h"
#include "nodes/gpu_span.h"
#include "nodes/plugin_file.h"
#include "nodes/plugin_instance.h"

namespace weft::nodes {

class PluginNode final : public graph::Node {
 public:
  // `context` outlives it. `name` is for the plugin's log lines and breadcrumbs: the node's id.
  PluginNode(const NodeContext& context, std::shared_ptr<const PluginFile> file, std::string name);
  ~PluginNode() override;

  const graph::Description& description() const override { return file_->description; }
  void Configure(graph::ConfigureJob job, graph::Done<graph::NodePlan> done) override;
  void Process(graph::FrameJob job, graph::Done<graph::FrameOutput> done) override;
  void Cancel() override;
  graph::NodeStats stats() const override;

  // Of the life that goes on now; for tests and leak checks.
  std::optional<host::VirtualGpu::Stats> gpu_stats() const;
  uint64_t guest_handles() const { return instance_ ? instance_->handles() : 0; }
  uint64_t lives() const { return lives_; }

 private:
  struct Frame;  // what is under way

  Status BeginLife();
  Status Reconfigure(std::vector<graph::PortInfo> inputs);
  Status Prepare(Frame& frame);
  Status Lend(Frame& frame);
  Result<std::vector<Ref<graph::Payload>>> PassThrough(const Frame& frame) const;
  void Send(Frame& frame, bool last);
  // After the guest's call: sends, revokes, and answers.
  void Finish(std::unique_ptr<Frame> frame, Status outcome);

  const NodeContext& context_;
  const std::shared_ptr<const PluginFile> file_;
  const std::string name_;
  Ref<gpu::Device> device_;
  std::unique_ptr<gpu::TextureWriter> writer_;

  graph::Project project_;
  std::vector<bool> connected_;
  std::vector<graph::Value> values_;     // in force
  std::vector<graph::PortInfo> inputs_;  // configured with
  std::optional<PluginInstance::Plan> plan_;
  std::unique_ptr<PluginInstance> instance_;
  bool configured_once_ = false;
  uint64_t lives_ = 0;

  std::atomic<uint64_t> frames_{0}, cpu_ns_{0};
  LimitUse use_;
  std::unique_ptr<GpuSpans> spans_;

  std::mutex mutex_;
  std::shared_ptr<CallStop> under_way_;  // under the mutex
  bool cancelled_ = false;               // under the mutex
};

}  // namespace weft::nodes
