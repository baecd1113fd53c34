// SPDX-License-Identifier: Apache-2.0
// The C++ side of the engine: compile a component, ask what it imports, instantiate it with grants and limits, call it.
//
// Ownership: Engine outlives its Components, they may outlive nothing else; an Instance owns one store. A host object given in Hosts must
// outlive the Instance and every Call made from it. Threads: Engine and Component from any thread at once; an Instance and its Calls move
// between threads, but one uses them at a time, and one call runs at a time. Typed calls stand in generated headers (wasm/gen/effect.h).
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wasm/call.h"

namespace weft::wasm {

namespace webgpu {
class WebgpuHost;
}
namespace plugin {
class LogHost;
}
namespace surface {
class FrameBufferHost;
class SurfaceHost;
class SurfaceFrameBufferHost;
class SurfaceWebgpuHost;
}  // namespace surface

struct EngineOptions {
  // Folder of compiled code, made with mode 0700; empty: no cache on disk. What lies there is used only if it is ours and unchanged.
  std::string cache_dir;
  // Count instructions, which Limits::fuel needs; runs become repeatable and about a third slower.
  bool fuel = false;
};

// ${XDG_CACHE_HOME:-~/.cache}/weft/compiled; empty where neither is set.
std::string DefaultCacheDir();

// A folder that a guest may see.
struct Folder {
  std::string host;
  std::string guest;
  bool writable = false;
};

// What a component may import. An import that is not granted makes Component::Check fail with the grant's name.
struct Grants {
  bool gpu = true;           // wasi:webgpu
  bool log = true;           // weft:plugin/log
  bool stdio = false;        // wasi:cli stdin, stdout, stderr: this process's own
  bool environment = false;  // wasi:cli environment and exit: `arguments` and `variables`, nothing of this process
  bool clocks = false;       // wasi:clocks
  bool random = false;       // wasi:random
  bool files = false;        // wasi:filesystem: `folders`
  bool network = false;      // wasi:sockets
  bool surface = false;      // wasi-gfx:surface and wasi-gfx:frame-buffer
  // Where stdio is not granted: the interfaces are there all the same; input is empty and what is written is lost.
  bool closed_stdio = false;

  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> variables;
  std::vector<Folder> folders;

  static Grants Nothing();
  static Grants Everything();
};

struct Limits {
  uint64_t memory_bytes = uint64_t{1} << 30;    // of all memories of the instance together
  uint64_t table_elements = 200'000;            // of all tables together
  uint32_t instances = 100;                     // core instances in the component
  std::chrono::milliseconds call_time{10'000};  // wall time of each call: instantiation, describe, process, destructors
  uint64_t fuel = 0;                            // for each call, 0 = no limit; needs EngineOptions::fuel
};

// Who serves the imports. An import without its host fails in Instantiate.
struct SurfaceHosts {
  surface::FrameBufferHost* frame_buffer = nullptr;
  surface::SurfaceHost* surface = nullptr;
  surface::SurfaceFrameBufferHost* surface_frame_buffer = nullptr;
  surface::SurfaceWebgpuHost* surface_webgpu = nullptr;
};
struct Hosts {
  webgpu::WebgpuHost* webgpu = nullptr;
  plugin::LogHost* log = nullptr;
  SurfaceHosts surface = {};
};

struct EngineHandle;
struct ComponentHandle;
struct InstanceHandle;

class Component;

class Engine {
 public:
  static Result<std::unique_ptr<Engine>> Create(const EngineOptions& options = {});
  ~Engine();

  // `name` is what errors call it, such as the file's name. Takes seconds without the cache, milliseconds with it.
  Result<Component> Compile(std::span<const uint8_t> wasm, std::string_view name);
  Result<Component> CompileFile(const std::string& path);

  // How often compiled code came from the cache folder, and how often it was compiled.
  uint64_t cache_hits() const;
  uint64_t compilations() const;

 private:
  explicit Engine(EngineHandle* handle) : handle_(handle) {}
  EngineHandle* handle_;
};

class Instance;

// Compiled code. A value: copies share it.
class Component {
 public:
  Component(const Component& other);
  Component(Component&& other) noexcept;
  Component& operator=(Component other) noexcept;
  ~Component();

  const std::string& name() const { return name_; }
  // Hex of the file's SHA-256.
  const std::string& sha256() const { return sha256_; }
  // As the component spells them: "wasi:webgpu/webgpu@0.3.0-rc.2".
  const std::vector<std::string>& imports() const { return imports_; }
  const std::vector<std::string>& exports() const { return exports_; }
  // A person's lines about the exported functions: "weft:plugin/effect@0.1.0#describe: func() -> …".
  std::vector<std::string> Signatures() const;
  bool HasExport(std::string_view name) const;

  // Whether every import is granted and known; the Error names the import and the grant.
  Status Check(const Grants& grants) const;
  // Whether it exports the interface; the Error says what it exports instead.
  Status CheckExport(std::string_view interface) const;

  // Runs the component's start code on this thread, under `limits`.
  Result<std::unique_ptr<Instance>> Instantiate(const Grants& grants, const Limits& limits, const Hosts& hosts) const;

 private:
  friend class Engine;
  explicit Component(ComponentHandle* handle, std::string name);
  ComponentHandle* handle_ = nullptr;
  std::string name_, sha256_;
  std::vector<std::string> imports_, exports_;
};

// One store with one instance of a component. It ends with a trap, a timeout, or the drop of an unfinished Call; later calls fail with why.
// At its end every handle that the guest still held is dropped through the host's OnDrop functions.
class Instance {
 public:
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  bool alive() const;
  // Of the calls that start from now on.
  void SetCallTime(std::chrono::milliseconds limit);
  // Bytes of linear memory now.
  uint64_t memory_bytes() const;
  // The most that all its memories and all its tables held; also after its end.
  struct Used {
    uint64_t memory_bytes = 0, table_elements = 0;
  };
  Used used() const;
  // Handles of host resources that the guest holds now.
  uint64_t handles() const;

  // An exported function by name ("add", "iface#add", "pkg:name/iface@1.0.0#add"), arguments and result as WAVE text.
  Call<Str> Invoke(std::string_view function, std::span<const std::string> wave_args);
  // wasi:cli/run of a command component; the value is the exit code.
  Call<uint32_t> RunCommand();

  InstanceHandle* handle() const { return handle_; }

 private:
  friend class Component;
  Instance(InstanceHandle* handle, std::unique_ptr<HostBindings> bindings);
  InstanceHandle* handle_;
  std::unique_ptr<HostBindings> bindings_;
};

}  // namespace weft::wasm
