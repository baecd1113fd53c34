// SPDX-License-Identifier: Apache-2.0
#include "wasm/engine.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <utility>

#include "base/fail.h"
#include "wasm/engine_abi.h"
#include "wasm/gen/frame_buffer.h"
#include "wasm/gen/plugin_log.h"
#include "wasm/gen/surface.h"
#include "wasm/gen/surface_frame_buffer.h"
#include "wasm/gen/surface_webgpu.h"
#include "wasm/gen/webgpu.h"
#include "wasm/layout.h"
#include "wasm/serve.h"

namespace weft::wasm {

// The engine's way back to the hosts; lives as long as the Instance and its Calls, which share it with the store.
struct HostBindings {
  HostBinding<webgpu::WebgpuHost> webgpu;
  HostBinding<plugin::LogHost> log;
  HostBinding<surface::FrameBufferHost> frame_buffer;
  HostBinding<surface::SurfaceHost> surface;
  HostBinding<surface::SurfaceFrameBufferHost> surface_frame_buffer;
  HostBinding<surface::SurfaceWebgpuHost> surface_webgpu;
};

namespace {

void AppendText(void* to, Str text) { static_cast<std::vector<std::string>*>(to)->emplace_back(text.view()); }
void SetText(void* to, Str text) { *static_cast<std::string*>(to) = text.view(); }

struct GrantsView {
  std::vector<Str> arguments;
  std::vector<AbiPair> variables;
  std::vector<AbiFolder> folders;
  AbiGrants abi;

  explicit GrantsView(const Grants& g) {
    for (const auto& a : g.arguments) arguments.emplace_back(a);
    for (const auto& [key, value] : g.variables) variables.push_back({Str(key), Str(value)});
    for (const auto& f : g.folders) folders.push_back({Str(f.host), Str(f.guest), f.writable});
    abi = {g.gpu,
           g.log,
           g.stdio,
           g.environment,
           g.clocks,
           g.random,
           g.files,
           g.network,
           g.surface,
           g.closed_stdio,
           {arguments.data(), arguments.size()},
           {variables.data(), variables.size()},
           {folders.data(), folders.size()}};
  }
};

}  // namespace

Status TakeError(ErrorHandle* error) {
  if (!error) return {};
  static constexpr ErrorKind kKinds[] = {ErrorKind::InvalidArgument, ErrorKind::Unsupported, ErrorKind::NotFound, ErrorKind::Io,
                                         ErrorKind::OutOfMemory,     ErrorKind::GuestTrap,   ErrorKind::Internal};
  const uint32_t kind = weft_error_kind(error);
  Error e(kind < std::size(kKinds) ? kKinds[kind] : ErrorKind::Internal, std::string(weft_error_text(error).view()));
  weft_error_free(error);
  return e;
}

std::string DefaultCacheDir() {
  if (const char* x = std::getenv("XDG_CACHE_HOME"); x && *x) return std::string(x) + "/weft/compiled";
  if (const char* h = std::getenv("HOME"); h && *h) return std::string(h) + "/.cache/weft/compiled";
  return {};
}

Grants Grants::Nothing() {
  Grants g;
  g.gpu = g.log = false;
  return g;
}

Grants Grants::Everything() {
  Grants g;
  g.stdio = g.environment = g.clocks = g.random = g.files = g.network = true;
  return g;
}

Result<std::unique_ptr<Engine>> Engine::Create(const EngineOptions& options) {
  EngineHandle* handle = nullptr;
  WEFT_TRY(TakeError(weft_engine_new(Str(options.cache_dir), options.fuel, &handle)));
  return std::unique_ptr<Engine>(new Engine(handle));
}

Engine::~Engine() { weft_engine_free(handle_); }

uint64_t Engine::cache_hits() const { return weft_engine_cache_hits(handle_); }
uint64_t Engine::compilations() const { return weft_engine_compilations(handle_); }

Result<Component> Engine::Compile(std::span<const uint8_t> wasm, std::string_view name) {
  ComponentHandle* handle = nullptr;
  WEFT_TRY(TakeError(weft_component_compile(handle_, wasm.data(), wasm.size(), Str(name), &handle)));
  return Component(handle, std::string(name));
}

Result<Component> Engine::CompileFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    const int e = errno;
    return Fail(e == ENOENT ? ErrorKind::NotFound : ErrorKind::Io, "'{}' cannot be opened: {}", path, std::strerror(e));
  }
  std::vector<uint8_t> bytes;
  char block[1 << 16];
  while (in.read(block, sizeof block) || in.gcount() > 0) bytes.insert(bytes.end(), block, block + in.gcount());
  if (in.bad()) return Fail(ErrorKind::Io, "'{}' cannot be read: {}", path, std::strerror(errno));
  return Compile(bytes, path);
}

Component::Component(ComponentHandle* handle, std::string name) : handle_(handle), name_(std::move(name)) {
  weft_component_sha256(handle_, &sha256_, SetText);
  weft_component_imports(handle_, &imports_, AppendText);
  weft_component_exports(handle_, &exports_, AppendText);
}

Component::Component(const Component& o)
    : handle_(o.handle_ ? weft_component_clone(o.handle_) : nullptr),
      name_(o.name_),
      sha256_(o.sha256_),
      imports_(o.imports_),
      exports_(o.exports_) {}

Component::Component(Component&& o) noexcept
    : handle_(std::exchange(o.handle_, nullptr)),
      name_(std::move(o.name_)),
      sha256_(std::move(o.sha256_)),
      imports_(std::move(o.imports_)),
      exports_(std::move(o.exports_)) {}

Component& Component::operator=(Component o) noexcept {
  std::swap(handle_, o.handle_);
  std::swap(name_, o.name_);
  std::swap(sha256_, o.sha256_);
  std::swap(imports_, o.imports_);
  std::swap(exports_, o.exports_);
  return *this;
}

Component::~Component() {
  if (handle_) weft_component_free(handle_);
}

std::vector<std::string> Component::Signatures() const {
  std::vector<std::string> out;
  weft_component_signatures(handle_, &out, AppendText);
  return out;
}

bool Component::HasExport(std::string_view name) const {
  for (const auto& e : exports_)
    if (e == name) return true;
  return false;
}

Status Component::Check(const Grants& grants) const {
  const GrantsView view(grants);
  return TakeError(weft_component_check(handle_, &view.abi));
}

Status Component::CheckExport(std::string_view interface) const { return TakeError(weft_component_check_export(handle_, Str(interface))); }

Result<std::unique_ptr<Instance>> Component::Instantiate(const Grants& grants, const Limits& limits, const Hosts& hosts) const {
  const GrantsView view(grants);
  auto bindings = std::make_unique<HostBindings>();
  bindings->webgpu.host = hosts.webgpu;
  bindings->log.host = hosts.log;
  const SurfaceHosts& window = hosts.surface;
  bindings->frame_buffer.host = window.frame_buffer;
  bindings->surface.host = window.surface;
  bindings->surface_frame_buffer.host = window.surface_frame_buffer;
  bindings->surface_webgpu.host = window.surface_webgpu;
  const AbiHost abi_hosts[] = {
      {hosts.webgpu ? webgpu::WebgpuHostTable() : nullptr, &bindings->webgpu},
      {hosts.log ? plugin::LogHostTable() : nullptr, &bindings->log},
      {window.frame_buffer ? surface::FrameBufferHostTable() : nullptr, &bindings->frame_buffer},
      {window.surface ? surface::SurfaceHostTable() : nullptr, &bindings->surface},
      {window.surface_frame_buffer ? surface::SurfaceFrameBufferHostTable() : nullptr, &bindings->surface_frame_buffer},
      {window.surface_webgpu ? surface::SurfaceWebgpuHostTable() : nullptr, &bindings->surface_webgpu},
  };
  const int64_t ms = limits.call_time.count();
  const AbiLimits abi_limits = {limits.memory_bytes, limits.table_elements, limits.instances, ms > 0 ? static_cast<uint64_t>(ms) : 1,
                                limits.fuel};
  InstanceHandle* handle = nullptr;
  WEFT_TRY(TakeError(weft_component_instantiate(handle_, &view.abi, &abi_limits, abi_hosts, std::size(abi_hosts), &handle)));
  return std::unique_ptr<Instance>(new Instance(handle, std::move(bindings)));
}

Instance::Instance(InstanceHandle* handle, std::unique_ptr<HostBindings> bindings) : handle_(handle), bindings_(std::move(bindings)) {}

Instance::~Instance() { weft_instance_free(handle_); }

bool Instance::alive() const { return weft_instance_alive(handle_); }
void Instance::SetCallTime(std::chrono::milliseconds limit) {
  weft_instance_set_call_ms(handle_, limit.count() > 0 ? static_cast<uint64_t>(limit.count()) : 1);
}
uint64_t Instance::memory_bytes() const { return weft_instance_memory_bytes(handle_); }
Instance::Used Instance::used() const {
  Used used;
  weft_instance_used(handle_, &used.memory_bytes, &used.table_elements);
  return used;
}
uint64_t Instance::handles() const { return weft_instance_handles(handle_); }

Call<Str> Instance::Invoke(std::string_view function, std::span<const std::string> wave_args) {
  const std::vector<Str> args(wave_args.begin(), wave_args.end());
  const List<Str> list(args.data(), args.size());
  return Call<Str>(weft_instance_invoke(handle_, Str(function), &list));
}

Call<uint32_t> Instance::RunCommand() { return Call<uint32_t>(weft_instance_run_command(handle_)); }

std::vector<uint32_t> RustLayout() {
  std::vector<uint32_t> out(weft_layout(nullptr, 0));
  weft_layout(out.data(), out.size());
  return out;
}

}  // namespace weft::wasm
