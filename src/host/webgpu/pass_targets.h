// SPDX-License-Identifier: Apache-2.0
// What may be rendered to: formats, and the bytes that all colour targets together may have (WebGPU 10.1.1, 17.1.1, 26.1). Pure.
// Checks answer an empty string for "right", else the sentence that says why not.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "host/webgpu/objects.h"
#include "host/webgpu/virtual_device.h"

namespace weft::host {

std::string CheckColorTarget(const VDevice& device, wit::GpuTextureFormat format, uint32_t samples);
std::string CheckDepthStencilTarget(const VDevice& device, wit::GpuTextureFormat format);
std::string CheckColorBytes(const WGPULimits& limits, std::span<const std::optional<wit::GpuTextureFormat>> formats);

}  // namespace weft::host
