// SPDX-License-Identifier: Apache-2.0
#include "nodes/plugin_file.h"

#include "base/fail.h"
#include "nodes/plugin_values.h"
#include "wasm/gen/effect.h"
#include "wasm/gen/webgpu.h"

namespace weft::nodes {
namespace {

// The GPU of a plugin that only describes itself: every call traps with the function's name. Nobody gets a handle, so none is dropped.
class NoGpu final : public wasm::webgpu::WebgpuHost {
 public:
  void OnDropGpu(wasm::Rep) noexcept override {}
  void OnDropGpuAdapter(wasm::Rep) noexcept override {}
  void OnDropGpuAdapterInfo(wasm::Rep) noexcept override {}
  void OnDropGpuBindGroup(wasm::Rep) noexcept override {}
  void OnDropGpuBindGroupLayout(wasm::Rep) noexcept override {}
  void OnDropGpuBuffer(wasm::Rep) noexcept override {}
  void OnDropGpuCanvasContext(wasm::Rep) noexcept override {}
  void OnDropGpuCommandBuffer(wasm::Rep) noexcept override {}
  void OnDropGpuCommandEncoder(wasm::Rep) noexcept override {}
  void OnDropGpuCompilationInfo(wasm::Rep) noexcept override {}
  void OnDropGpuCompilationMessage(wasm::Rep) noexcept override {}
  void OnDropGpuComputePassEncoder(wasm::Rep) noexcept override {}
  void OnDropGpuComputePipeline(wasm::Rep) noexcept override {}
  void OnDropGpuDevice(wasm::Rep) noexcept override {}
  void OnDropGpuDeviceLostInfo(wasm::Rep) noexcept override {}
  void OnDropGpuError(wasm::Rep) noexcept override {}
  void OnDropGpuPipelineLayout(wasm::Rep) noexcept override {}
  void OnDropGpuQuerySet(wasm::Rep) noexcept override {}
  void OnDropGpuQueue(wasm::Rep) noexcept override {}
  void OnDropGpuRenderBundle(wasm::Rep) noexcept override {}
  void OnDropGpuRenderBundleEncoder(wasm::Rep) noexcept override {}
  void OnDropGpuRenderPassEncoder(wasm::Rep) noexcept override {}
  void OnDropGpuRenderPipeline(wasm::Rep) noexcept override {}
  void OnDropGpuSampler(wasm::Rep) noexcept override {}
  void OnDropGpuShaderModule(wasm::Rep) noexcept override {}
  void OnDropGpuSupportedFeatures(wasm::Rep) noexcept override {}
  void OnDropGpuSupportedLimits(wasm::Rep) noexcept override {}
  void OnDropGpuTexture(wasm::Rep) noexcept override {}
  void OnDropGpuTextureView(wasm::Rep) noexcept override {}
  void OnDropGpuUncapturedErrorEvent(wasm::Rep) noexcept override {}
  void OnDropRecordGpuPipelineConstantValue(wasm::Rep) noexcept override {}
  void OnDropRecordOptionGpuSize64(wasm::Rep) noexcept override {}
  void OnDropWgslLanguageFeatures(wasm::Rep) noexcept override {}
};

}  // namespace

Status PluginLog::OnWrite(wasm::plugin::Level level, wasm::Str message) {
  static constexpr LogLevel kLevels[] = {LogLevel::Debug, LogLevel::Info, LogLevel::Warning, LogLevel::Error};
  if (full_) return {};
  if (message.size > left_) {
    full_ = true;
    log_.Write(LogLevel::Warning, fmt::format("{}: it has written too much to the log; the rest is dropped", name_));
    return {};
  }
  left_ -= message.size;
  log_.Write(kLevels[static_cast<size_t>(level)], fmt::format("{}: {}", name_, message.view()));
  return {};
}

Result<std::shared_ptr<const PluginFile>> LoadPlugin(wasm::Engine& engine, const wasm::Grants& grants, const wasm::Limits& limits,
                                                     const std::string& path, const Log& log) {
  const std::string what = fmt::format("plugin '{}'", path);
  WEFT_TRY_ASSIGN(wasm::Component component, engine.CompileFile(path));
  if (auto ok = component.CheckExport(wasm::plugin::kEffectInterface); !ok) return std::move(ok.error()).Context(what);
  if (auto ok = component.Check(grants); !ok) return std::move(ok.error()).Context(what);
  NoGpu no_gpu;
  PluginLog plugin_log(log, component.name());
  WEFT_TRY_ASSIGN(auto instance, component.Instantiate(grants, limits, {&no_gpu, &plugin_log}).Context(what));
  WEFT_TRY_ASSIGN(auto effect, wasm::plugin::Effect::Bind(*instance).Context(what));
  auto call = effect.Describe();
  auto described = call.Wait();
  if (!described) return std::move(described.error()).Context(what + ", describe");
  WEFT_TRY_ASSIGN(auto description, FromContract(**described).Context(what));
  return std::make_shared<const PluginFile>(PluginFile{std::move(component), std::move(description)});
}

}  // namespace weft::nodes
