// SPDX-License-Identifier: Apache-2.0
#include "gpu/library.h"

#include <dlfcn.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "base/fail.h"

namespace weft::gpu {
namespace {

constexpr ProcEntry kTable[] = {
#define WEFT_GPU_REQUIRED(Name) {"wgpu" #Name, ProcKind::Required},
#define WEFT_GPU_OPTIONAL(Name) {"wgpu" #Name, ProcKind::Optional},
#define WEFT_GPU_NEVER(Name) {"wgpu" #Name, ProcKind::Never},
#include "gpu/procs.inc"
};

// Fills both tables by `get`; answers the first required name that is missing, or null.
template <class Get>
const char* Fill(Get get, Procs& procs, NativeProcs& native) {
  const char* missing = nullptr;
#define WEFT_GPU_REQUIRED(Name)                                     \
  procs.Name = reinterpret_cast<WGPUProc##Name>(get("wgpu" #Name)); \
  if (!procs.Name && !missing) missing = "wgpu" #Name;
#define WEFT_GPU_OPTIONAL(Name) procs.Name = reinterpret_cast<WGPUProc##Name>(get("wgpu" #Name));
#include "gpu/procs.inc"
  native.DevicePoll = get("wgpuDevicePoll");
  native.InstanceEnumerateAdapters = get("wgpuInstanceEnumerateAdapters");
  native.CommandEncoderClearTexture = get("wgpuCommandEncoderClearTexture");
  native.DeviceCreateShaderModuleTrusted = get("wgpuDeviceCreateShaderModuleTrusted");
  native.GetVersion = get("wgpuGetVersion");
  return missing;
}

std::string Parent(const std::string& path) { return std::filesystem::path(path).parent_path().string(); }

std::vector<std::string> Candidates() {
  std::vector<std::string> out;
  if (const char* env = std::getenv("WEFT_GPU_LIBRARY"); env && *env) return {env};
#ifdef WEFT_DEFAULT_GPU_LIBRARY
  out.push_back(WEFT_DEFAULT_GPU_LIBRARY);
#endif
  Dl_info self{};
  if (dladdr(reinterpret_cast<void*>(&ProcTable), &self) && self.dli_fname) {
    out.push_back(Parent(self.dli_fname) + "/libwgpu_native.so");
    out.push_back(Parent(self.dli_fname) + "/weft/libwgpu_native.so");
  }
  char exe[PATH_MAX];
  if (const ssize_t n = readlink("/proc/self/exe", exe, sizeof exe); n > 0) {
    const std::string folder = Parent(std::string(exe, static_cast<size_t>(n)));
    out.push_back(folder + "/../lib/libwgpu_native.so");
    out.push_back(folder + "/../lib/weft/libwgpu_native.so");
  }
  return out;
}

}  // namespace

std::span<const ProcEntry> ProcTable() { return kTable; }

Result<Ref<Library>> Library::Open(const std::string& path) {
  const std::vector<std::string> candidates = path.empty() ? Candidates() : std::vector<std::string>{path};
  std::string tried;
  for (const std::string& candidate : candidates) {
    void* handle = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      const char* why = dlerror();
      tried += fmt::format("\n  {}", why ? why : candidate.c_str());
      continue;
    }
    auto library = Ref<Library>::Acquire(new Library);
    library->path_ = candidate;
    library->handle_ = handle;
    const char* missing = Fill([&](const char* name) { return dlsym(handle, name); }, library->procs_, library->native_);
    if (missing) {
      return Fail(ErrorKind::Unsupported,
                  "'{}' is no webgpu.h library that weft can use: it lacks the function '{}'. Use the library that tools/setup brings, or "
                  "one with the "
                  "same webgpu.h.",
                  candidate, missing);
    }
    return library;
  }
  return Fail(ErrorKind::NotFound,
              "No WebGPU library could be loaded. Name one with --gpu-library or WEFT_GPU_LIBRARY, or run tools/setup. Tried:{}", tried);
}

Result<Ref<Library>> Library::FromLookup(void* (*get_proc)(const char* name, void* user), void* user, std::string name) {
  auto library = Ref<Library>::Acquire(new Library);
  library->path_ = std::move(name);
  const char* missing = Fill([&](const char* proc) { return get_proc(proc, user); }, library->procs_, library->native_);
  if (missing) {
    return Fail(ErrorKind::Unsupported, "The WebGPU library '{}' that the program handed in lacks the function '{}'.", library->path_,
                missing);
  }
  return library;
}

Library::~Library() {
  // Never dlclose: driver threads may still run code of it, and Mesa's thread-local destructors would point into nothing.
}

std::string Library::Version() const {
  if (!native_.GetVersion) return "unknown";
  const uint32_t v = reinterpret_cast<uint32_t (*)()>(native_.GetVersion)();
  return fmt::format("wgpu-native {}.{}.{}.{}", v >> 24, (v >> 16) & 255, (v >> 8) & 255, v & 255);
}

}  // namespace weft::gpu
