// SPDX-License-Identifier: Apache-2.0
#include "gpu/device.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <condition_variable>
#include <mutex>

#include "base/fail.h"
#include "gpu/buffer_pool.h"
#include "gpu/device_core.h"
#include "gpu/texture_pool.h"

namespace weft::gpu {
namespace {

constexpr int kCompilerThreads = 4;

std::string_view BackendName(WGPUBackendType backend) {
  switch (backend) {
    case WGPUBackendType_Null: return "null";
    case WGPUBackendType_WebGPU: return "webgpu";
    case WGPUBackendType_D3D11: return "d3d11";
    case WGPUBackendType_D3D12: return "d3d12";
    case WGPUBackendType_Metal: return "metal";
    case WGPUBackendType_Vulkan: return "vulkan";
    case WGPUBackendType_OpenGL: return "opengl";
    case WGPUBackendType_OpenGLES: return "opengles";
    default: return "unknown";
  }
}

std::string_view TypeName(WGPUAdapterType type) {
  switch (type) {
    case WGPUAdapterType_DiscreteGPU: return "discrete";
    case WGPUAdapterType_IntegratedGPU: return "integrated";
    case WGPUAdapterType_CPU: return "software";
    default: return "unknown";
  }
}

AdapterInfo ReadInfo(const Procs& procs, WGPUAdapter adapter) {
  AdapterInfo out;
  WGPUAdapterInfo info = WGPU_ADAPTER_INFO_INIT;
  if (!adapter || procs.AdapterGetInfo(adapter, &info) != WGPUStatus_Success) return out;
  out.vendor = View(info.vendor);
  out.architecture = View(info.architecture);
  out.device = View(info.device);
  out.description = View(info.description);
  out.backend = BackendName(info.backendType);
  out.type = TypeName(info.adapterType);
  out.vendor_id = info.vendorID;
  out.device_id = info.deviceID;
  out.subgroup_min_size = info.subgroupMinSize;
  out.subgroup_max_size = info.subgroupMaxSize;
  procs.AdapterInfoFreeMembers(info);
  return out;
}

std::string Lower(std::string_view s) {
  std::string out(s);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

// Smaller is better.
int Rank(const AdapterInfo& info) {
  const int type = info.type == "discrete" ? 0 : info.type == "integrated" ? 1 : info.type == "unknown" ? 2 : 3;
  const bool full = info.backend == "vulkan" || info.backend == "metal" || info.backend == "d3d12";
  return type * 2 + (full ? 0 : 1);
}

// The adapters of an instance with what they say; released at the end, except what was taken.
class Adapters {
 public:
  Adapters(const Ref<Library>& library, WGPUInstance instance) : library_(library) {
    for (WGPUAdapter adapter : EnumerateAdapters(*library, instance)) entries.push_back({adapter, ReadInfo(library->procs(), adapter)});
  }
  ~Adapters() {
    for (auto& entry : entries) {
      if (entry.adapter) library_->procs().AdapterRelease(entry.adapter);
    }
  }
  struct Entry {
    WGPUAdapter adapter;
    AdapterInfo info;
  };
  std::vector<Entry> entries;

  std::string List() const {
    std::string out;
    for (size_t i = 0; i < entries.size(); ++i) {
      out += fmt::format("\n  {}: {} ({}, {})", i, entries[i].info.device, entries[i].info.type, entries[i].info.backend);
    }
    return out;
  }

 private:
  const Ref<Library>& library_;
};

Result<WGPUInstance> MakeInstance(const Ref<Library>& library) {
  WGPUInstance instance = library->procs().CreateInstance(nullptr);
  if (!instance) return Fail(ErrorKind::Unsupported, "The GPU library '{}' cannot make a WebGPU instance.", library->path());
  return instance;
}

Result<size_t> Choose(const Adapters& adapters, const std::string& selector, const Log& log) {
  const auto& entries = adapters.entries;
  if (entries.empty()) {
    return Fail(ErrorKind::NotFound,
                "No GPU and no software Vulkan driver was found. Install a Vulkan driver for the GPU, or mesa-vulkan-drivers for the "
                "software one.");
  }
  const std::string wanted = Lower(selector);
  std::vector<size_t> fit;
  size_t index = 0;
  if (wanted.empty()) {
    for (size_t i = 0; i < entries.size(); ++i) fit.push_back(i);
  } else if (const auto [end, ec] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), index);
             ec == std::errc{} && end == wanted.data() + wanted.size()) {
    if (index < entries.size()) fit.push_back(index);
  } else {
    for (size_t i = 0; i < entries.size(); ++i) {
      const AdapterInfo& info = entries[i].info;
      if (wanted == "software" ? info.software() : Lower(info.device).find(wanted) != std::string::npos) fit.push_back(i);
    }
  }
  if (fit.empty()) {
    return Fail(ErrorKind::NotFound, "There is no GPU '{}'. Give 'software', a number or a part of a name of:{}", selector,
                adapters.List());
  }
  const size_t best =
      *std::min_element(fit.begin(), fit.end(), [&](size_t a, size_t b) { return Rank(entries[a].info) < Rank(entries[b].info); });
  if (wanted.empty() && entries[best].info.software()) {
    log.Write(LogLevel::Warning,
              fmt::format("No hardware GPU was found: using the software one, {}. Expect it to be slow.", entries[best].info.device));
  }
  return best;
}

std::vector<WGPUFeatureName> WantedFeatures(const Procs& procs, WGPUAdapter adapter) {
  const std::vector<WGPUFeatureName> native = WantedNativeFeatures();
  WGPUSupportedFeatures has = WGPU_SUPPORTED_FEATURES_INIT;
  procs.AdapterGetFeatures(adapter, &has);
  std::vector<WGPUFeatureName> out;
  for (size_t i = 0; i < has.featureCount; ++i) {
    const WGPUFeatureName f = has.features[i];
    const bool standard = f >= WGPUFeatureName_CoreFeaturesAndLimits && f <= WGPUFeatureName_TextureComponentSwizzle;
    if (standard || std::find(native.begin(), native.end(), f) != native.end()) out.push_back(f);
  }
  procs.SupportedFeaturesFreeMembers(has);
  return out;
}

struct DeviceAnswer {
  WGPUDevice device = nullptr;
  std::string message;
  bool done = false;
};

void OnDevice(WGPURequestDeviceStatus status, WGPUDevice device, WGPUStringView message, void* user, void*) {
  auto* answer = static_cast<DeviceAnswer*>(user);
  if (status == WGPURequestDeviceStatus_Success) answer->device = device;
  answer->message = View(message);
  answer->done = true;
}

}  // namespace

Result<std::vector<AdapterInfo>> ListAdapters(const Ref<Library>& library) {
  WEFT_TRY_ASSIGN(WGPUInstance instance, MakeInstance(library));
  std::vector<AdapterInfo> out;
  {
    Adapters adapters(library, instance);
    for (auto& entry : adapters.entries) out.push_back(entry.info);
  }
  library->procs().InstanceRelease(instance);
  return out;
}

Result<Ref<Device>> Device::Create(const DeviceOptions& options) {
  Ref<Library> library = options.library;
  if (!library) {
    WEFT_TRY_ASSIGN(library, Library::Open(options.library_path));
  }
  const Procs& procs = library->procs();
  auto core = std::make_shared<Core>(library, options.log);
  WEFT_TRY_ASSIGN(core->instance, MakeInstance(library));
  AdapterInfo info;
  {
    Adapters adapters(library, core->instance);
    WEFT_TRY_ASSIGN(const size_t chosen, Choose(adapters, options.adapter, options.log));
    core->adapter = std::exchange(adapters.entries[chosen].adapter, nullptr);
    info = adapters.entries[chosen].info;
  }

  WGPULimits limits = WGPU_LIMITS_INIT;
  procs.AdapterGetLimits(core->adapter, &limits);
  limits.nextInChain = nullptr;
  const std::vector<WGPUFeatureName> features = WantedFeatures(procs, core->adapter);
  WGPUDeviceDescriptor descriptor = WGPU_DEVICE_DESCRIPTOR_INIT;
  descriptor.label = Str("weft");
  descriptor.requiredFeatureCount = features.size();
  descriptor.requiredFeatures = features.data();
  descriptor.requiredLimits = &limits;
  descriptor.uncapturedErrorCallbackInfo = core->ErrorCallback();
  descriptor.deviceLostCallbackInfo = core->LostCallbackInfo();

  DeviceAnswer answer;
  WGPURequestDeviceCallbackInfo callback = WGPU_REQUEST_DEVICE_CALLBACK_INFO_INIT;
  callback.mode = WGPUCallbackMode_AllowProcessEvents;
  callback.callback = OnDevice;
  callback.userdata1 = &answer;
  procs.AdapterRequestDevice(core->adapter, &descriptor, callback);
  while (!answer.done) procs.InstanceProcessEvents(core->instance);
  if (!answer.device) return Fail(ErrorKind::Unsupported, "The GPU '{}' gives no device: {}", info.device, answer.message);
  core->device = answer.device;
  core->queue = procs.DeviceGetQueue(core->device);

  auto device = Ref<Device>::Acquire(new Device(library, core, options.log, false));
  device->info_ = std::move(info);
  return device;
}

Result<Ref<Device>> Device::Adopt(const AdoptOptions& options) {
  if (!options.library || !options.device) {
    return Fail(ErrorKind::InvalidArgument,
                "Sharing a WebGPU device needs the device and the library that it belongs to; one of them is null.");
  }
  if (options.poll_allowed && !options.instance && !options.library->native().DevicePoll) {
    return Fail(ErrorKind::InvalidArgument, "To poll the shared device weft needs its instance; the instance is null.");
  }
  const Procs& procs = options.library->procs();
  auto core = std::make_shared<Core>(options.library, options.log);
  core->destroys = false;
  core->polls = options.poll_allowed;
  procs.DeviceAddRef(options.device);
  core->device = options.device;
  core->instance = options.instance;
  if (core->instance) procs.InstanceAddRef(core->instance);
  core->adapter = options.adapter;
  if (core->adapter) procs.AdapterAddRef(core->adapter);
  if (options.queue) {
    procs.QueueAddRef(options.queue);
    core->queue = options.queue;
  } else {
    core->queue = procs.DeviceGetQueue(core->device);
  }
  auto device = Ref<Device>::Acquire(new Device(options.library, core, options.log, true));
  device->info_ = ReadInfo(procs, options.adapter);
  return device;
}

Device::Device(Ref<Library> library, std::shared_ptr<Core> core, Log log, bool adopted)
    : library_(std::move(library)), core_(std::move(core)), log_(std::move(log)), adopted_(adopted) {
  const Procs& p = procs();
  p.DeviceGetLimits(core_->device, &limits_);
  limits_.nextInChain = nullptr;
  WGPUSupportedFeatures has = WGPU_SUPPORTED_FEATURES_INIT;
  p.DeviceGetFeatures(core_->device, &has);
  features_.assign(has.features, has.features + has.featureCount);
  p.SupportedFeaturesFreeMembers(has);
  std::sort(features_.begin(), features_.end());
  compilers_ = std::make_unique<BigStack>(kCompilerThreads);
  textures_ = std::make_unique<TexturePool>(*this);
  buffers_ = std::make_unique<BufferPool>(*this);
  core_->Start();
}

Device::~Device() {
  compilers_.reset();
  textures_.reset();
  buffers_.reset();
  core_->Stop();
}

WGPUInstance Device::instance() const { return core_->instance; }
WGPUAdapter Device::adapter() const { return core_->adapter; }
WGPUDevice Device::handle() const { return core_->device; }
WGPUQueue Device::queue() const { return core_->queue; }

bool Device::Has(WGPUFeatureName feature) const {
  const auto has = [&](WGPUFeatureName f) { return f && std::binary_search(features_.begin(), features_.end(), f); };
  return has(feature) || has(NativeTwin(feature));
}

Counters& Device::counters() { return core_->counters; }

void Device::Submit(std::span<const WGPUCommandBuffer> commands) {
  core_->submits->Keep(commands);
  core_->submits->Send(/*even_nothing=*/commands.empty());
  core_->Poke();
}

uint64_t Device::SubmitLater(std::span<const WGPUCommandBuffer> commands) { return core_->submits->Keep(commands); }

void Device::Send() { core_->Send(); }

void Device::SendIfIdle() { core_->SendIfIdle(); }

void Device::SendUpTo(uint64_t position) {
  if (core_->submits->SendUpTo(position)) core_->Poke();
}

void Device::WriteBuffer(WGPUBuffer buffer, uint64_t offset, const void* data, size_t size) {
  core_->Send();
  procs().QueueWriteBuffer(queue(), buffer, offset, data, size);
}

void Device::WriteTexture(const WGPUTexelCopyTextureInfo& to, const void* data, size_t size, const WGPUTexelCopyBufferLayout& layout,
                          const WGPUExtent3D& extent) {
  core_->Send();
  procs().QueueWriteTexture(queue(), &to, data, size, &layout, &extent);
}

void Device::OnSubmittedWorkDone(DoneCallback done) { core_->OnSubmittedWorkDone(std::move(done)); }

void Device::MapAsync(WGPUBuffer buffer, WGPUMapMode mode, size_t offset, size_t size, DoneCallback done) {
  core_->MapAsync(buffer, mode, offset, size, std::move(done));
}

void Device::Retire(Owned<WGPUQuerySet> set) {
  if (set) core_->Retire(std::move(set));
}

void Device::Poke() { core_->Poke(); }

Status Device::WaitIdle() {
  WEFT_CHECK(!core_->OnGpuThread());
  struct Wait {
    std::mutex mutex;
    std::condition_variable finished;
    std::optional<Status> status;
  } wait;
  OnSubmittedWorkDone([&wait](Status status) {
    std::lock_guard lock(wait.mutex);
    wait.status = std::move(status);
    wait.finished.notify_one();
  });
  std::unique_lock lock(wait.mutex);
  wait.finished.wait(lock, [&] { return wait.status.has_value(); });
  return std::move(*wait.status);
}

bool Device::lost() const { return core_->lost(); }
LossReason Device::loss_reason() const { return core_->loss_reason(); }
std::string Device::loss_message() const { return core_->loss_message(); }
Status Device::CheckAlive() const { return core_->CheckAlive(); }

Status Device::Outcome(const ErrorCollector& errors, std::string_view doing) const {
  WEFT_TRY(core_->CheckAlive());
  // A call on a lost device may fail with an ordinary error before the library tells of the loss: ask once more.
  for (const GpuError& e : errors.errors()) {
    if (e.message.find("device is lost") == std::string::npos) continue;
    core_->Probe();
    WEFT_TRY(core_->CheckAlive());
    break;
  }
  return errors.ToStatus(doing);
}

void Device::OnLost(std::function<void(LossReason, const std::string&)> callback) { core_->OnLost(std::move(callback)); }
void Device::ReportLoss(LossReason reason, std::string message) { core_->Lose(reason, message); }
void Device::RouteError(GpuErrorKind kind, std::string_view message) { core_->RouteError(kind, message); }

}  // namespace weft::gpu
