// SPDX-License-Identifier: Apache-2.0
// NodeContext: what nodes are made with. Plain references to things that outlive all nodes.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/log.h"
#include "base/ref.h"
#include "base/result.h"
#include "gpu/device.h"
#include "host/webgpu/account.h"
#include "media/convert/converter.h"
#include "media/media.h"
#include "nodes/executor.h"
#include "nodes/gpu_span.h"
#include "wasm/engine.h"

namespace weft::nodes {

// Told what the GPU has in hand, for breadcrumbs. Any thread; must not block.
class GpuWatch {
 public:
  virtual ~GpuWatch() = default;
  virtual void Submitted(const std::string& node, uint64_t frame) = 0;
  // Called on the GPU thread.
  virtual void Finished(const std::string& node, uint64_t frame) = 0;
};

struct NodeContext {
  std::function<Result<Ref<gpu::Device>>()> device;          // starts it at the first use
  std::function<Result<Ref<media::Converter>>()> converter;  // of that device
  std::function<Result<wasm::Engine*>()> engine;
  Executor* executor = nullptr;
  wasm::Grants grants;
  wasm::Limits limits;
  host::Quotas quotas;
  Log log;
  GpuWatch* watch = nullptr;
  std::shared_ptr<GpuLedger> gpu_times;  // set: GPU time is measured
  std::string folder;                    // relative paths lie here; empty: the current folder
  std::optional<media::FrameRange> frames;
  bool overwrite = false;

  std::string Path(const std::string& path) const {
    return folder.empty() || path.empty() || path.front() == '/' || path == "-" ? path : folder + "/" + path;
  }
};

}  // namespace weft::nodes
