// SPDX-License-Identifier: Apache-2.0
#include "runtime/exec.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <mutex>

#include "base/fail.h"
#include "gpu/device.h"
#include "host/webgpu/virtual_gpu.h"
#include "nodes/context.h"
#include "nodes/plugin_file.h"
#include "wasm/engine.h"

namespace weft::runtime {

struct Exec::State {
  Ref<Runtime> runtime;
  std::string name;
  // In this order: hosts outlive the instance.
  std::unique_ptr<host::VirtualGpu> gpu;
  std::unique_ptr<nodes::PluginLog> log;
  std::unique_ptr<wasm::Instance> instance;

  Status WithinQuotas() const {
    if (const auto quota = gpu ? gpu->quota_failure() : std::nullopt) {
      return Fail(ErrorKind::OutOfMemory, "component '{}': {}", name, *quota);
    }
    return {};
  }
};

Status ParseGrant(std::string_view text, wasm::Grants* grants) {
  const size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  const std::string_view value = equals == text.npos ? "" : text.substr(equals + 1);
  if (name == "network" && equals == text.npos) {
    grants->network = true;
    return {};
  }
  if (name == "env" && !value.empty() && value.front() != '=') {
    const size_t second = value.find('=');
    const std::string key(value.substr(0, second));
    if (second != value.npos) {
      grants->variables.emplace_back(key, value.substr(second + 1));
    } else if (const char* own = std::getenv(key.c_str())) {
      grants->variables.emplace_back(key, own);
    } else {
      return Fail(ErrorKind::NotFound, "the grant '{}' gives the variable {} of this process, which has none of that name", text, key);
    }
    return {};
  }
  if ((name == "files" || name == "write") && !value.empty()) {
    const size_t colon = value.find(':');
    wasm::Folder folder{std::string(value.substr(0, colon)), std::string(colon == value.npos ? value : value.substr(colon + 1)),
                        name == "write"};
    if (folder.host.empty() || folder.guest.empty()) {
      return Fail(ErrorKind::InvalidArgument, "the grant '{}' names no folder; {}=FOLDER or {}=FOLDER:AS is expected", text, name, name);
    }
    std::error_code error;
    if (!std::filesystem::is_directory(folder.host, error)) {
      return Fail(ErrorKind::NotFound, "the grant '{}' names '{}', which is no folder", text, folder.host);
    }
    grants->files = true;
    grants->folders.push_back(std::move(folder));
    return {};
  }
  return Fail(ErrorKind::InvalidArgument, "'{}' is no grant; there are files=FOLDER[:AS], write=FOLDER[:AS], network and env=NAME[=VALUE]",
              text);
}

Exec::Exec(std::unique_ptr<State> state) : state_(std::move(state)) {}
Exec::~Exec() = default;

Result<Ref<Exec>> Exec::Create(Ref<Runtime> runtime, const ExecOptions& options) {
  auto state = std::make_unique<State>();
  state->runtime = runtime;
  state->name = options.path;
  const std::string what = fmt::format("component '{}'", options.path);
  WEFT_TRY_ASSIGN(wasm::Engine * engine, runtime->Engine());
  WEFT_TRY_ASSIGN(wasm::Component component, engine->CompileFile(options.path));
  const nodes::NodeContext context = runtime->NodesContext();
  wasm::Grants grants = context.grants;
  grants.clocks = grants.random = grants.environment = true;
  grants.stdio = options.inherit_output;
  grants.closed_stdio = true;
  grants.arguments = options.arguments;
  for (const std::string& grant : options.grants) WEFT_TRY(ParseGrant(grant, &grants));
  const auto& imports = component.imports();
  if (std::ranges::any_of(imports, [](const std::string& i) { return i.starts_with("wasi-gfx:surface/"); })) {
    return Fail(ErrorKind::InvalidArgument, "{} shows pictures in a window, which nobody would see here; 'weft run' makes files of them",
                what);
  }
  WEFT_TRY(component.Check(grants).Context(what));
  if (std::ranges::any_of(imports, [](const std::string& i) { return i.starts_with("wasi:webgpu/"); })) {
    host::VirtualGpuOptions gpu;
    WEFT_TRY_ASSIGN(gpu.device, runtime->Device());
    gpu.mode = host::GpuMode::Exec;
    gpu.quotas = context.quotas;
    gpu.log = runtime->options().log;
    state->gpu = std::make_unique<host::VirtualGpu>(std::move(gpu));
  }
  state->log = std::make_unique<nodes::PluginLog>(runtime->options().log, component.name());
  WEFT_TRY_ASSIGN(state->instance, component.Instantiate(grants, context.limits, {state->gpu.get(), state->log.get()}).Context(what));
  return Ref<Exec>::Acquire(new Exec(std::move(state)));
}

Result<std::string> Exec::Invoke(const std::string& function, std::span<const std::string> arguments) {
  auto call = state_->instance->Invoke(function, arguments);
  auto value = call.Wait();
  if (state_->gpu) state_->gpu->FlushSubmits();
  // A trap on the way over a quota is told as what it is.
  WEFT_TRY(state_->WithinQuotas());
  if (!value) return std::move(value.error()).Context(fmt::format("component '{}'", state_->name));
  return std::string((*value)->view());
}

Result<uint32_t> Exec::RunCommand() {
  auto call = state_->instance->RunCommand();
  auto value = call.Wait();
  if (state_->gpu) state_->gpu->FlushSubmits();
  WEFT_TRY(state_->WithinQuotas());
  if (!value) return std::move(value.error()).Context(fmt::format("component '{}'", state_->name));
  return **value;
}

}  // namespace weft::runtime
