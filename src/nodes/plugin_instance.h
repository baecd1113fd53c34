// SPDX-License-Identifier: Apache-2.0
// PluginInstance: one life of a plugin: its store, its virtual GPU and the calls of the contract. A trap, a timeout or a cancel ends the
// life; PluginNode begins another. One thread at a time.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "graph/node.h"
#include "host/webgpu/virtual_gpu.h"
#include "nodes/call_driver.h"
#include "nodes/context.h"
#include "nodes/limits.h"
#include "nodes/plugin_file.h"
#include "wasm/gen/effect.h"

namespace weft::nodes {

class PluginInstance {
 public:
  // Instantiates and creates; waits for the guest on this thread.
  static Result<std::unique_ptr<PluginInstance>> Create(const NodeContext& context, const PluginFile& file, Ref<gpu::Device> device,
                                                        const std::string& name, std::atomic<uint64_t>* cpu_ns);
  ~PluginInstance();

  // False after a trap, a timeout or a cancel: nothing more can be called.
  bool alive() const { return instance_->alive(); }
  host::VirtualGpu& gpu() { return *gpu_; }
  // Handles of host resources that the guest holds now.
  uint64_t handles() const { return instance_->handles(); }
  void NoteUse(LimitUse& use) const { use.Note(*instance_, *gpu_); }

  Status Set(const graph::ParamChanges& changes);

  struct Plan {
    graph::NodePlan plan;
    std::vector<std::pair<uint32_t, uint32_t>> pass_through;  // (output, input)
  };
  // `inputs`: one for each input of the description. Waits for the guest on this thread.
  Result<Plan> Configure(const graph::Project& project, std::span<const graph::PortInfo> inputs, size_t outputs);

  using ProcessCall = CallDriver<wasm::Res<wasm::plugin::FrameResult, wasm::Str>>;
  // The arguments are copied before it returns.
  wasm::Call<wasm::Res<wasm::plugin::FrameResult, wasm::Str>> Process(const graph::FrameTime& time, Rational rate,
                                                                      std::span<const wasm::plugin::Input> inputs,
                                                                      std::span<const wasm::plugin::Output> outputs);

  // What went wrong on the GPU since the last time, as one Error: a quota, a validation error that the guest did not catch.
  Status TakeGpuErrors();

 private:
  PluginInstance(std::unique_ptr<host::VirtualGpu> gpu, std::unique_ptr<PluginLog> log, std::unique_ptr<wasm::Instance> instance,
                 wasm::plugin::Effect effect, std::atomic<uint64_t>* cpu_ns)
      : gpu_(std::move(gpu)), log_(std::move(log)), instance_(std::move(instance)), effect_(effect), cpu_ns_(cpu_ns) {}

  // In this order: the hosts outlive the instance.
  std::unique_ptr<host::VirtualGpu> gpu_;
  std::unique_ptr<PluginLog> log_;
  std::unique_ptr<wasm::Instance> instance_;
  wasm::plugin::Effect effect_;
  std::optional<wasm::Rep> self_;  // 0 is a number like any other
  std::atomic<uint64_t>* cpu_ns_;
};

}  // namespace weft::nodes
