// SPDX-License-Identifier: Apache-2.0
// The rules for a render pipeline's states (specification 10.3) that need nothing but the descriptor, the limits and the features. Pure.
// Each answers a sentence when a rule is broken.
#pragma once

#include <optional>
#include <string>

#include "host/webgpu/virtual_device.h"

namespace weft::host {

std::optional<std::string> VertexRefusal(const wit::GpuVertexState& v, size_t bind_groups, const WGPULimits& limits);
std::optional<std::string> PrimitiveRefusal(const wit::GpuPrimitiveState& p, const Features& features);
std::optional<std::string> DepthStencilRefusal(const wit::GpuDepthStencilState& d, wit::GpuPrimitiveTopology topology,
                                               const Features& features);
std::optional<std::string> FragmentRefusal(const wit::GpuFragmentState& f, const WGPULimits& limits, const Features& features);
std::optional<std::string> MultisampleRefusal(const wit::GpuMultisampleState& m, const wit::GpuRenderPipelineDescriptor& d,
                                              const Features& features);

uint32_t VertexFormatBytes(wit::GpuVertexFormat format);
bool IsStrip(wit::GpuPrimitiveTopology topology);
// Whether a draw may change the stencil aspect.
bool WritesStencil(const wit::GpuDepthStencilState& d, wit::GpuCullMode cull);

}  // namespace weft::host
