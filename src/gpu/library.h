// SPDX-License-Identifier: Apache-2.0
// Library: a webgpu.h implementation, loaded at run time.
//
// No part of weft links one: every call goes through Procs, `device->procs().DeviceCreateBuffer(...)`. Several libraries may be open at
// once (an embedder's own beside ours); objects of one must never reach another's functions. A Library is never unloaded before the
// last Ref goes, and Device holds one. Any thread.
#pragma once

#include <webgpu.h>

#include <span>
#include <string>

#include "base/ref.h"
#include "base/result.h"
#include "gpu/native.h"

namespace weft::gpu {

// One member for each function of webgpu.h that may be called; procs.inc says which are optional (null where missing).
struct Procs {
#define WEFT_GPU_REQUIRED(Name) WGPUProc##Name Name = nullptr;
#define WEFT_GPU_OPTIONAL(Name) WGPUProc##Name Name = nullptr;
#include "gpu/procs.inc"
};

class Library : public RefCounted {
 public:
  // An empty path means: $WEFT_GPU_LIBRARY, else the library the build was set up with, else libwgpu_native.so beside libweft or in
  // ../lib of the executable. NotFound names every place that was tried; Unsupported names a missing symbol.
  static Result<Ref<Library>> Open(const std::string& path = {});

  // A library that is already in the process, by its own lookup (an embedder that links it statically). `get_proc` gets names such as
  // "wgpuDeviceCreateBuffer" and answers null for what it lacks.
  static Result<Ref<Library>> FromLookup(void* (*get_proc)(const char* name, void* user), void* user, std::string name);

  const Procs& procs() const { return procs_; }
  const NativeProcs& native() const { return native_; }
  // Where it was loaded from.
  const std::string& path() const { return path_; }
  // "wgpu-native 29.0.1.1", or "unknown" where the library does not tell.
  std::string Version() const;

 private:
  Library() = default;
  ~Library() override;

  Procs procs_;
  NativeProcs native_;
  std::string path_;
  void* handle_ = nullptr;  // of dlopen; null after FromLookup
};

// The table as data, for tests and `weft gpus --verbose`.
enum class ProcKind { Required, Optional, Never };
struct ProcEntry {
  const char* name;  // with "wgpu" in front
  ProcKind kind;
};
std::span<const ProcEntry> ProcTable();

// WGPUStringView <-> C++.
inline std::string_view View(WGPUStringView s) {
  if (!s.data) return {};
  return s.length == WGPU_STRLEN ? std::string_view(s.data) : std::string_view(s.data, s.length);
}
inline WGPUStringView Str(std::string_view s) { return {s.data(), s.size()}; }

}  // namespace weft::gpu
