// SPDX-License-Identifier: Apache-2.0
#include "runtime/runtime.h"

#include <algorithm>
#include <thread>

#include "base/fail.h"
#include "gpu/device.h"
#include "media/convert/converter.h"
#include "nodes/context.h"
#include "nodes/limits.h"
#include "nodes/plugin_file.h"
#include "nodes/wgsl_node.h"
#include "runtime/in_process.h"
#include "runtime/supervisor.h"
#include "wasm/engine.h"

namespace weft::runtime {

// Under the lock, so that Clear() waits: what `stop` refers to may end after it.
void CancelToken::Cancel() {
  std::lock_guard lock(mutex_);
  cancelled_ = true;
  if (auto stop = std::exchange(stop_, nullptr)) stop();
}

bool CancelToken::cancelled() const {
  std::lock_guard lock(mutex_);
  return cancelled_;
}

void CancelToken::Reset() {
  std::lock_guard lock(mutex_);
  cancelled_ = false;
}

void CancelToken::Attach(std::function<void()> stop) {
  std::lock_guard lock(mutex_);
  if (cancelled_) {
    stop();
  } else {
    stop_ = std::move(stop);
  }
}

void CancelToken::Clear() {
  std::lock_guard lock(mutex_);
  stop_ = nullptr;
}

Runtime::Runtime(RuntimeOptions options) : options_(std::move(options)) {}
Runtime::~Runtime() = default;

Result<Ref<Runtime>> Runtime::Create(RuntimeOptions options) {
  if (options.supervised && options.external) {
    return Fail(ErrorKind::InvalidArgument, "a device of the program's own cannot be used by a worker process; ask for in-process mode");
  }
  if (auto limits = nodes::ReadLimits(options.limits); !limits) return std::move(limits.error());
  return Ref<Runtime>::Acquire(new Runtime(std::move(options)));
}

Result<Ref<gpu::Device>> Runtime::DeviceLocked() {
  if (device_) return device_;
  if (options_.external) {
    const ExternalDevice& e = *options_.external;
    gpu::AdoptOptions adopt;
    WEFT_TRY_ASSIGN(adopt.library, gpu::Library::Open(e.library));
    adopt.instance = e.instance;
    adopt.adapter = e.adapter;
    adopt.device = e.device;
    adopt.queue = e.queue;
    adopt.poll_allowed = e.poll;
    adopt.log = options_.log;
    WEFT_TRY_ASSIGN(device_, gpu::Device::Adopt(adopt));
  } else {
    gpu::DeviceOptions create;
    create.library_path = options_.gpu_library;
    create.adapter = options_.gpu;
    create.log = options_.log;
    WEFT_TRY_ASSIGN(device_, gpu::Device::Create(create));
  }
  return device_;
}

Result<Ref<gpu::Device>> Runtime::Device() {
  std::lock_guard lock(mutex_);
  return DeviceLocked();
}

bool Runtime::device_started() const {
  std::lock_guard lock(mutex_);
  return static_cast<bool>(device_);
}

Result<Ref<media::Converter>> Runtime::Converter() {
  std::lock_guard lock(mutex_);
  if (!converter_) {
    WEFT_TRY_ASSIGN(auto device, DeviceLocked());
    WEFT_TRY_ASSIGN(converter_, media::Converter::Create(std::move(device)));
  }
  return converter_;
}

Result<wasm::Engine*> Runtime::Engine() {
  std::lock_guard lock(mutex_);
  if (!engine_) {
    wasm::EngineOptions options;
    options.cache_dir = options_.cache_dir.empty() ? wasm::DefaultCacheDir() : options_.cache_dir;
    options.fuel = options_.limits.contains("fuel");
    WEFT_TRY_ASSIGN(engine_, wasm::Engine::Create(options));
  }
  return engine_.get();
}

nodes::NodeContext Runtime::NodesContext() {
  nodes::NodeContext context;
  context.device = [this] { return Device(); };
  context.converter = [this] { return Converter(); };
  context.engine = [this] { return Engine(); };
  {
    std::lock_guard lock(mutex_);
    if (!executor_)
      executor_ = std::make_unique<nodes::Executor>(static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 2u, 16u)));
    context.executor = executor_.get();
  }
  context.grants.gpu = !options_.deny_gpu;
  if (auto limits = nodes::ReadLimits(options_.limits)) {  // checked by Create
    context.limits = limits->wasm;
    context.quotas = limits->quotas;
  }
  context.log = options_.log;
  return context;
}

Result<std::vector<Adapter>> Runtime::Adapters() {
  WEFT_TRY_ASSIGN(auto device, Device());
  WEFT_TRY_ASSIGN(auto all, gpu::ListAdapters(device->library()));
  const gpu::AdapterInfo& mine = device->info();
  std::vector<Adapter> out;
  bool chosen = false;
  for (const gpu::AdapterInfo& a : all) {
    Adapter adapter{a.device, a.vendor, a.description, a.backend, a.type, false};
    adapter.chosen = !chosen && a.device == mine.device && a.backend == mine.backend && a.device_id == mine.device_id;
    chosen = chosen || adapter.chosen;
    out.push_back(std::move(adapter));
  }
  return out;
}

Result<DeviceHandles> Runtime::Handles() {
  if (options_.supervised) {
    return Fail(ErrorKind::InvalidArgument,
                "in supervised mode the device lives in a worker process and has no handles here; ask for in-process mode");
  }
  WEFT_TRY_ASSIGN(auto device, Device());
  return DeviceHandles{device->instance(), device->adapter(), device->handle(), device->queue(), device->library()->path()};
}

Result<PluginDetails> Runtime::Inspect(const std::string& path) {
  PluginDetails details;
  details.path = path;
  details.limits = nodes::MostOf(options_.limits);
  if (nodes::IsWgslPlugin(path)) {
    WEFT_TRY_ASSIGN(auto plugin, nodes::LoadWgslPlugin(path));
    details.description = plugin->description;
    details.bindings = plugin->BindingText();
    details.sha256 = plugin->sha256;
    return details;
  }
  const nodes::NodeContext context = NodesContext();
  WEFT_TRY_ASSIGN(wasm::Engine * engine, Engine());
  WEFT_TRY_ASSIGN(auto file, nodes::LoadPlugin(*engine, context.grants, context.limits, path, options_.log));
  details.description = file->description;
  details.sha256 = file->component.sha256();
  details.imports = file->component.imports();
  return details;
}

Result<RunOutcome> Runtime::Run(const graph::Document& document, const RunOptions& options, CancelToken& cancel) {
  if (options_.supervised) return RunSupervised(options_, document, options, cancel);
  return RunInProcess(*this, document, options, cancel, nullptr);
}

}  // namespace weft::runtime
