// SPDX-License-Identifier: Apache-2.0
#include "gpu/kernel.h"

#include <vector>

#include "base/fail.h"

namespace weft::gpu {
namespace {

Result<Owned<WGPUShaderModule>> Make(Device& device, std::string_view wgsl, std::string_view label, bool trusted) {
  return device.RunOnBigStack([&]() -> Result<Owned<WGPUShaderModule>> {
    WGPUShaderSourceWGSL source = WGPU_SHADER_SOURCE_WGSL_INIT;
    source.code = Str(wgsl);
    WGPUShaderModuleDescriptor descriptor = WGPU_SHADER_MODULE_DESCRIPTOR_INIT;
    descriptor.nextInChain = &source.chain;
    descriptor.label = Str(label);
    ErrorCollector errors;
    auto module = device.Own(trusted ? CreateTrustedShaderModule(*device.library(), device.handle(), descriptor)
                                     : device.procs().DeviceCreateShaderModule(device.handle(), &descriptor));
    WEFT_TRY(device.Outcome(errors, fmt::format("the shader '{}'", label)));
    return module;
  });
}

}  // namespace

Result<Owned<WGPUShaderModule>> MakeShaderModule(Device& device, std::string_view wgsl, std::string_view label) {
  return Make(device, wgsl, label, false);
}

Result<Owned<WGPUComputePipeline>> MakeComputeKernel(Device& device, std::string_view wgsl, std::string_view entry, std::string_view label,
                                                     std::span<const KernelConstant> constants, WGPUPipelineLayout layout) {
  WEFT_TRY_ASSIGN(auto module, Make(device, wgsl, label, true));
  return device.RunOnBigStack([&]() -> Result<Owned<WGPUComputePipeline>> {
    std::vector<WGPUConstantEntry> entries;
    for (const KernelConstant& constant : constants) {
      WGPUConstantEntry e = WGPU_CONSTANT_ENTRY_INIT;
      e.key = Str(constant.name);
      e.value = constant.value;
      entries.push_back(e);
    }
    WGPUComputePipelineDescriptor descriptor = WGPU_COMPUTE_PIPELINE_DESCRIPTOR_INIT;
    descriptor.label = Str(label);
    descriptor.layout = layout;
    descriptor.compute.module = module.get();
    descriptor.compute.entryPoint = Str(entry);
    descriptor.compute.constantCount = entries.size();
    descriptor.compute.constants = entries.data();
    ErrorCollector errors;
    auto pipeline = device.Own(device.procs().DeviceCreateComputePipeline(device.handle(), &descriptor));
    WEFT_TRY(device.Outcome(errors, fmt::format("the pipeline '{}'", label)));
    return pipeline;
  });
}

}  // namespace weft::gpu
