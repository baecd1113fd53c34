// SPDX-License-Identifier: Apache-2.0
// Shader modules (specification 9). Compiled on the device's threads with a big stack, behind a gate of length and nesting; the compiler's
// messages are read from its error text, since the library's own function for them ends the process.
#include "host/webgpu/shader_messages.h"
#include "host/webgpu/values.h"
#include "host/webgpu/virtual_gpu.h"
#include "host/webgpu/wgsl_reflect.h"

namespace weft::host {

namespace {
// What people write stays below 100, what generators write below some hundreds. The compiler itself was seen to need more than 256 MiB of
// stack beyond some ten thousand, and minutes of time long before.
constexpr uint32_t kMaxNesting = 2000;

bool MayEnable(const VDevice& device, std::string_view extension) {
  using F = wit::GpuFeatureName;
  constexpr std::pair<std::string_view, F> kFeatures[] = {{"f16", F::ShaderF16},
                                                          {"clip_distances", F::ClipDistances},
                                                          {"dual_source_blending", F::DualSourceBlending},
                                                          {"subgroups", F::Subgroups},
                                                          {"primitive_index", F::PrimitiveIndex}};
  for (const auto& [name, feature] : kFeatures) {
    if (name == extension) return device.Has(feature);
  }
  return false;  // the library's own extensions are no part of the standard
}
}  // namespace

Result<Rep> VirtualGpu::OnGpuDeviceCreateShaderModule(Rep self, const wit::GpuShaderModuleDescriptor& d) {
  WEFT_TRY_ASSIGN(auto device, Get<VDevice>(self));
  auto module = Make<VShaderModule>(device, d.label);
  if (!module->valid()) return Add(std::move(module));
  if (device->lost()) {
    module->Invalidate();
    return Add(std::move(module));
  }
  const std::string_view code = d.code.view();
  const bool fits = account_->FitsShader(code.size());
  if (fits) module->charged = code.size();
  if (!fits || !account_->MayCompile(/*pipeline=*/false)) {
    module->Invalidate();
    device->Report(ErrorType::OutOfMemory, fmt::format("creating {}: {}", module->Name(), QuotaSentence()));
    return Add(std::move(module));
  }
  if (const uint32_t deep = WgslNesting(code); deep > kMaxNesting) {
    module->Invalidate();
    CompilationMessage message;
    message.message = fmt::format("the WGSL nests {} levels deep; at most {} are compiled", deep, kMaxNesting);
    device->Validation(fmt::format("creating {}: {}", module->Name(), message.message));
    module->messages.push_back(std::move(message));
    return Add(std::move(module));
  }
  NativeErrors errors(device.get());
  WGPUShaderSourceWGSL source = WGPU_SHADER_SOURCE_WGSL_INIT;
  source.code = gpu::Str(code);
  WGPUShaderModuleDescriptor n = WGPU_SHADER_MODULE_DESCRIPTOR_INIT;
  n.nextInChain = &source.chain;
  n.label = gpu::Str(module->label());
  module->native = gpu_->Own(Compile([&] { return wgpu().DeviceCreateShaderModule(gpu_->handle(), &n); }));
  const auto raised = errors.TakeRaw();
  if (raised.empty() && module->native) {
    module->reflected = ReflectWgsl(code);
    const auto missing = std::ranges::find_if(module->reflected.enables, [&](const auto& e) { return !MayEnable(*device, e.extension); });
    if (missing == module->reflected.enables.end()) return Add(std::move(module));
    // The real device may have what this one was not made with.
    module->Invalidate();
    module->native.Reset();
    CompilationMessage message = MessageAt(code, missing->at, missing->extension.size());
    message.message = fmt::format("the device has no feature for `enable {}`", missing->extension);
    device->Validation(fmt::format("creating {}: {}", module->Name(), ShowWithLine(message, code)));
    module->messages.push_back(std::move(message));
    return Add(std::move(module));
  }
  module->Invalidate();
  module->native.Reset();
  for (const DeviceError& error : raised) {
    CompilationMessage message = ReadCompilerText(error.message, code);
    device->Report(error.type, fmt::format("creating {}: {}", module->Name(), ShowWithLine(message, code)));
    module->messages.push_back(std::move(message));
  }
  return Add(std::move(module));
}

void VirtualGpu::OnGpuShaderModuleGetCompilationInfo(Rep self, Completion<Rep> done) {
  auto module = Get<VShaderModule>(self);
  if (!module) return done.Trap(module.error().message());
  auto rep = Add(MakeRef<VCompilationInfo>(account_, (*module)->messages));
  if (!rep) return done.Trap(rep.error().message());
  done.Done(*rep);
}

Result<List<Rep>> VirtualGpu::OnGpuCompilationInfoMessages(Rep self) {
  WEFT_TRY_ASSIGN(auto info, Get<VCompilationInfo>(self));
  kept_reps_.clear();
  for (const CompilationMessage& m : info->messages) {
    WEFT_TRY_ASSIGN(const Rep rep, Add(MakeRef<VCompilationMessage>(account_, m)));
    kept_reps_.push_back(rep);
  }
  return List<Rep>(std::span<const Rep>(kept_reps_));
}

Result<Str> VirtualGpu::OnGpuCompilationMessageMessage(Rep self) {
  WEFT_TRY_ASSIGN(auto m, Get<VCompilationMessage>(self));
  return Str(m->message.message);
}

Result<wit::GpuCompilationMessageType> VirtualGpu::OnGpuCompilationMessageType(Rep self) {
  WEFT_TRY_ASSIGN(auto m, Get<VCompilationMessage>(self));
  return m->message.type;
}

Result<uint64_t> VirtualGpu::OnGpuCompilationMessageLineNum(Rep self) {
  WEFT_TRY_ASSIGN(auto m, Get<VCompilationMessage>(self));
  return m->message.line;
}

Result<uint64_t> VirtualGpu::OnGpuCompilationMessageLinePos(Rep self) {
  WEFT_TRY_ASSIGN(auto m, Get<VCompilationMessage>(self));
  return m->message.column;
}

Result<uint64_t> VirtualGpu::OnGpuCompilationMessageOffset(Rep self) {
  WEFT_TRY_ASSIGN(auto m, Get<VCompilationMessage>(self));
  return m->message.offset;
}

Result<uint64_t> VirtualGpu::OnGpuCompilationMessageLength(Rep self) {
  WEFT_TRY_ASSIGN(auto m, Get<VCompilationMessage>(self));
  return m->message.length;
}

}  // namespace weft::host
