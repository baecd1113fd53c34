// SPDX-License-Identifier: Apache-2.0
// Shader modules and pipelines with errors as values, made on the big stack. Any thread.
#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "gpu/device.h"

namespace weft::gpu {

// From WGSL. InvalidArgument carries the compiler's message, with its line and caret.
Result<Owned<WGPUShaderModule>> MakeShaderModule(Device& device, std::string_view wgsl, std::string_view label);

// A compute pipeline from one of weft's own kernels, with `override` constants by name. Layout by the shader where `layout` is null (then
// every texture it loads from must be of a filterable format).
struct KernelConstant {
  std::string_view name;
  double value;
};
Result<Owned<WGPUComputePipeline>> MakeComputeKernel(Device& device, std::string_view wgsl, std::string_view entry, std::string_view label,
                                                     std::span<const KernelConstant> constants = {}, WGPUPipelineLayout layout = nullptr);

}  // namespace weft::gpu
