// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "capi/object.h"
#include "nodes/limits.h"

struct WeftAdapterListImpl : weft::RefCounted {
  std::vector<weft::runtime::Adapter> adapters;  // what the views in `infos` point to
  std::vector<WeftAdapterInfo> infos;
};

namespace weft::capi {
namespace {

Log ToLog(WeftLogCallback callback, void* userdata) {
  if (!callback) return Log();
  return Log([callback, userdata](LogLevel level, std::string_view message) {
    const auto c_level = level == LogLevel::Debug     ? WeftLogLevel_Debug
                         : level == LogLevel::Info    ? WeftLogLevel_Info
                         : level == LogLevel::Warning ? WeftLogLevel_Warning
                                                      : WeftLogLevel_Error;
    callback(c_level, Str(message), userdata);
  });
}

Status ReadChain(const WeftChained* chain, runtime::RuntimeOptions* options) {
  for (; chain; chain = chain->next) {
    if (chain->sType != WeftSType_ExternalDevice) {
      return Fail(ErrorKind::InvalidArgument,
                  "weftRuntimeCreate: nextInChain holds a struct of type {}; only WeftSType_ExternalDevice ({}) is defined here",
                  static_cast<uint32_t>(chain->sType), static_cast<uint32_t>(WeftSType_ExternalDevice));
    }
    const auto& e = *reinterpret_cast<const WeftExternalDevice*>(chain);
    if (options->supervised) {
      return Error(
          ErrorKind::InvalidArgument,
          "weftRuntimeCreate: a WeftExternalDevice needs mode WeftRuntimeMode_InProcess, since a device cannot cross to a worker process");
    }
    if (!e.instance || !e.adapter || !e.device || !e.queue || View(e.library).empty()) {
      return Error(ErrorKind::InvalidArgument,
                   "weftRuntimeCreate: a WeftExternalDevice needs all of library, instance, adapter, device and queue");
    }
    options->external = runtime::ExternalDevice{Str(e.library), e.instance, e.adapter, e.device, e.queue, e.poll != 0};
  }
  return {};
}

WeftLimitUnit UnitToC(nodes::LimitUnit unit) {
  switch (unit) {
    case nodes::LimitUnit::Count: return WeftLimitUnit_Count;
    case nodes::LimitUnit::Bytes: return WeftLimitUnit_Bytes;
    case nodes::LimitUnit::Nanoseconds: return WeftLimitUnit_Nanoseconds;
  }
  return WeftLimitUnit_Count;
}

const std::vector<WeftLimitInfo>& LimitInfos() {
  static const std::vector<WeftLimitInfo> kInfos = [] {
    std::vector<WeftLimitInfo> infos;
    for (const nodes::LimitRow& row : nodes::LimitRows()) infos.push_back({Str(row.name), UnitToC(row.unit), row.most, Str(row.text)});
    return infos;
  }();
  return kInfos;
}

WeftAdapterType TypeToC(std::string_view type) {
  if (type == "discrete") return WeftAdapterType_Discrete;
  if (type == "integrated") return WeftAdapterType_Integrated;
  if (type == "software") return WeftAdapterType_Software;
  return WeftAdapterType_Unknown;
}

}  // namespace
}  // namespace weft::capi

using namespace weft;
using namespace weft::capi;

extern "C" {

size_t weftGetLimitCount(void) noexcept { return LimitInfos().size(); }
const WeftLimitInfo* weftGetLimit(size_t index) noexcept { return index < LimitInfos().size() ? &LimitInfos()[index] : nullptr; }

WeftError* weftRuntimeCreate(const WeftRuntimeDescriptor* descriptor, WeftRuntime* out) noexcept {
  return Enter([&]() -> Status {
    WEFT_CAPI_REQUIRE(out, "weftRuntimeCreate: runtime");
    const WeftRuntimeDescriptor d = descriptor ? *descriptor : WeftRuntimeDescriptor{};
    if (d.mode != WeftRuntimeMode_Supervised && d.mode != WeftRuntimeMode_InProcess) {
      return Fail(ErrorKind::InvalidArgument, "weftRuntimeCreate: mode {} is not a WeftRuntimeMode", static_cast<uint32_t>(d.mode));
    }
    runtime::RuntimeOptions options;
    options.supervised = d.mode == WeftRuntimeMode_Supervised;
    options.gpu = Str(d.gpu);
    options.gpu_library = Str(d.gpuLibrary);
    options.worker_path = Str(d.workerPath);
    options.cache_dir = Str(d.cachePath);
    options.deny_gpu = d.denyGpu != 0;
    if (d.limitCount > 0) WEFT_CAPI_REQUIRE(d.limits, "weftRuntimeCreate: limits");
    for (size_t i = 0; i < d.limitCount; ++i) options.limits[Str(d.limits[i].name)] = d.limits[i].value;
    options.log = ToLog(d.log, d.logUserdata);
    WEFT_TRY(ReadChain(d.nextInChain, &options));
    WEFT_TRY_ASSIGN(auto runtime, runtime::Runtime::Create(std::move(options)));
    *out = new WeftRuntimeImpl(std::move(runtime));
    return {};
  });
}
void weftRuntimeAddRef(WeftRuntime runtime) noexcept { runtime->AddRef(); }
void weftRuntimeRelease(WeftRuntime runtime) noexcept {
  if (runtime) runtime->Release();
}

WeftError* weftRuntimeGetAdapters(WeftRuntime runtime, WeftAdapterList* out) noexcept {
  return Enter([&]() -> Status {
    WEFT_CAPI_REQUIRE(runtime, "weftRuntimeGetAdapters: runtime");
    WEFT_CAPI_REQUIRE(out, "weftRuntimeGetAdapters: adapters");
    WEFT_TRY_ASSIGN(auto adapters, runtime->runtime->Adapters());
    auto list = MakeRef<WeftAdapterListImpl>();
    list->adapters = std::move(adapters);
    for (const runtime::Adapter& a : list->adapters) {
      list->infos.push_back({.name = Str(std::string_view(a.name)),
                             .vendor = Str(std::string_view(a.vendor)),
                             .driver = Str(std::string_view(a.driver)),
                             .backend = Str(std::string_view(a.backend)),
                             .type = TypeToC(a.type),
                             .chosen = a.chosen});
    }
    list->AddRef();
    *out = list.get();
    return {};
  });
}
size_t weftAdapterListGetCount(WeftAdapterList adapters) noexcept { return adapters->infos.size(); }
const WeftAdapterInfo* weftAdapterListGet(WeftAdapterList adapters, size_t index) noexcept {
  return index < adapters->infos.size() ? &adapters->infos[index] : nullptr;
}
void weftAdapterListAddRef(WeftAdapterList adapters) noexcept { adapters->AddRef(); }
void weftAdapterListRelease(WeftAdapterList adapters) noexcept {
  if (adapters) adapters->Release();
}

WeftError* weftRuntimeGetDevice(WeftRuntime runtime, WeftDeviceInfo* out) noexcept {
  return Enter([&]() -> Status {
    WEFT_CAPI_REQUIRE(runtime, "weftRuntimeGetDevice: runtime");
    WEFT_CAPI_REQUIRE(out, "weftRuntimeGetDevice: device");
    WEFT_TRY_ASSIGN(auto handles, runtime->runtime->Handles());
    const std::lock_guard lock(runtime->mutex);
    if (runtime->library.empty()) runtime->library = handles.library;
    *out = {.instance = handles.instance,
            .adapter = handles.adapter,
            .device = handles.device,
            .queue = handles.queue,
            .library = Str(std::string_view(runtime->library))};
    return {};
  });
}

}  // extern "C"
