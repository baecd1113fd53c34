// SPDX-License-Identifier: Apache-2.0
#include "host/webgpu/pass_targets.h"

#include "base/fail.h"
#include "host/webgpu/formats.h"

namespace weft::host {

std::string CheckColorTarget(const VDevice& device, wit::GpuTextureFormat format, uint32_t samples) {
  const auto f = Abilities(format, device.features());
  if (!f.supported || !f.color() || !f.renderable)
    return fmt::format("{} cannot be a colour attachment on this device.", wit::ToString(format));
  if (samples > 1 && !f.multisample) return fmt::format("{} cannot be multisampled.", wit::ToString(format));
  return {};
}

std::string CheckDepthStencilTarget(const VDevice& device, wit::GpuTextureFormat format) {
  const auto f = Abilities(format, device.features());
  if (!f.supported || !f.depth_or_stencil())
    return fmt::format("{} cannot be a depth-stencil attachment on this device.", wit::ToString(format));
  return {};
}

std::string CheckColorBytes(const WGPULimits& limits, std::span<const std::optional<wit::GpuTextureFormat>> formats) {
  const uint32_t bytes = BytesPerSample(formats);
  if (bytes <= limits.maxColorAttachmentBytesPerSample) return {};
  return fmt::format("the colour attachments need {} bytes a sample, more than the limit maxColorAttachmentBytesPerSample, {}.", bytes,
                     limits.maxColorAttachmentBytesPerSample);
}

}  // namespace weft::host
