// SPDX-License-Identifier: Apache-2.0
// Runtime: what a program has of weft: options, and once they are needed the GPU device and the wasm engine. Runs documents, in this
// process or in a worker process that it watches.
//
// Shared by Ref; all functions from any thread. Nothing is started at Create.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/ref.h"
#include "base/result.h"
#include "graph/description.h"
#include "graph/document.h"
#include "graph/node.h"
#include "graph/scheduler.h"
#include "media/media.h"

// As webgpu.h declares them; that header stays out of here.
typedef struct WGPUInstanceImpl* WGPUInstance;
typedef struct WGPUAdapterImpl* WGPUAdapter;
typedef struct WGPUDeviceImpl* WGPUDevice;
typedef struct WGPUQueueImpl* WGPUQueue;

namespace weft::gpu {
class Device;
}
namespace weft::wasm {
class Engine;
}
namespace weft::media {
class Converter;
}
namespace weft::nodes {
class Executor;
struct NodeContext;
}  // namespace weft::nodes

namespace weft::runtime {

// A device that the embedding program made. In-process only.
struct ExternalDevice {
  std::string library;  // path of the webgpu.h library that the handles belong to
  WGPUInstance instance = nullptr;
  WGPUAdapter adapter = nullptr;
  WGPUDevice device = nullptr;
  WGPUQueue queue = nullptr;
  bool poll = false;
};

// What one plugin instance may use, by the names of nodes::LimitRows(); what is not named has its default.
using LimitValues = std::map<std::string, uint64_t, std::less<>>;

struct RuntimeOptions {
  bool supervised = true;
  std::string gpu;          // which adapter, see gpu::DeviceOptions
  std::string gpu_library;  // empty: default
  std::string worker_path;  // empty: WEFT_WORKER, else libexec/weft-worker beside this library
  std::string cache_dir;    // empty: default
  bool deny_gpu = false;
  LimitValues limits;
  std::optional<ExternalDevice> external;
  Log log;
};

struct Adapter {
  std::string name, vendor, driver, backend, type;  // type: "discrete", "integrated", "software", "unknown"
  bool chosen = false;
};

struct PluginDetails {
  std::string path, sha256;
  graph::Description description;
  std::vector<std::string> imports;
  std::vector<uint64_t> limits;  // in force, in the order of nodes::LimitRows()
  std::string bindings;          // of a plugin of WGSL and JSON: its binding layout as WGSL text
};

struct DeviceHandles {
  WGPUInstance instance = nullptr;
  WGPUAdapter adapter = nullptr;
  WGPUDevice device = nullptr;
  WGPUQueue queue = nullptr;
  std::string library;
};

struct Progress {
  uint64_t frames_done = 0;
  uint64_t frames_total = 0;  // 0: not known
  uint64_t elapsed_ns = 0;
};

struct RunOptions {
  std::string work_format = "rgba16float";
  std::optional<media::FrameRange> frames;
  bool overwrite = false;
  std::string folder;                             // relative paths of the document lie here; empty: the current folder
  int in_flight = 0;                              // 0: default
  std::function<void(const Progress&)> progress;  // from one of weft's threads, one call at a time, about ten a second
};

struct NodeOutcome {
  std::string id, kind;
  bool conversion = false;
  uint64_t frames = 0;
  uint64_t cpu_ns = 0;
  std::optional<uint64_t> gpu_ns;
  std::string gpu_reason;             // why gpu_ns is not set
  std::vector<graph::LimitUse> uses;  // of plugins
};

struct RunOutcome {
  uint64_t frames = 0;
  uint64_t elapsed_ns = 0;
  std::string gpu;                 // adapter's name; empty: none was used
  std::vector<NodeOutcome> nodes;  // in the order in which a frame passes them
  std::vector<std::string> files;  // what was written
};

// Ends a run from another thread (or a signal's thread): the one that uses it now, or else the next that will.
class CancelToken : public RefCounted {
 public:
  CancelToken() = default;
  void Cancel();
  bool cancelled() const;
  // Makes the token good for another run.
  void Reset();
  // `stop` is called once, at Cancel or at once, and never after Clear has returned. It must not call this token.
  void Attach(std::function<void()> stop);
  void Clear();

 private:
  mutable std::mutex mutex_;
  bool cancelled_ = false;
  std::function<void()> stop_;
};

class Runtime : public RefCounted {
 public:
  static Result<Ref<Runtime>> Create(RuntimeOptions options);
  ~Runtime() override;

  const RuntimeOptions& options() const { return options_; }
  Result<std::vector<Adapter>> Adapters();
  // The shared device, started if need be; in process only.
  Result<DeviceHandles> Handles();
  // Loads, checks and describes a .wasm file, a folder of a WGSL plugin or its plugin.json. Needs no GPU.
  Result<PluginDetails> Inspect(const std::string& path);

  // Blocks until the run has ended. Supervised or in process as the options say.
  Result<RunOutcome> Run(const graph::Document& document, const RunOptions& options, CancelToken& cancel);

  // For this module's other files: started if need be.
  Result<Ref<gpu::Device>> Device();
  Result<Ref<media::Converter>> Converter();
  Result<wasm::Engine*> Engine();
  bool device_started() const;
  // What nodes of this runtime are made with. The runtime outlives them.
  nodes::NodeContext NodesContext();

 private:
  explicit Runtime(RuntimeOptions options);
  Result<Ref<gpu::Device>> DeviceLocked();

  const RuntimeOptions options_;
  mutable std::mutex mutex_;
  Ref<gpu::Device> device_;
  Ref<media::Converter> converter_;
  std::unique_ptr<wasm::Engine> engine_;
  std::unique_ptr<nodes::Executor> executor_;  // last: its threads may still use the rest
};

}  // namespace weft::runtime
