// SPDX-License-Identifier: Apache-2.0
#include "gpu/clear.h"

#include <algorithm>

#include "base/fail.h"
#include "gpu/buffer_pool.h"

namespace weft::gpu {
namespace {

void ClearByRenderPass(const Procs& procs, WGPUCommandEncoder encoder, const PoolTexture& texture) {
  WGPURenderPassColorAttachment attachment = WGPU_RENDER_PASS_COLOR_ATTACHMENT_INIT;
  attachment.view = texture.View();
  attachment.loadOp = WGPULoadOp_Clear;
  attachment.storeOp = WGPUStoreOp_Store;
  attachment.clearValue = {0, 0, 0, 0};
  WGPURenderPassDescriptor descriptor = WGPU_RENDER_PASS_DESCRIPTOR_INIT;
  descriptor.colorAttachmentCount = 1;
  descriptor.colorAttachments = &attachment;
  WGPURenderPassEncoder pass = procs.CommandEncoderBeginRenderPass(encoder, &descriptor);
  procs.RenderPassEncoderEnd(pass);
  procs.RenderPassEncoderRelease(pass);
}

// In strips, so that the zeros take at most a few MiB. New pool buffers hold zeros, and nobody else uses this usage.
Status ClearByCopy(const Procs& procs, WGPUCommandEncoder encoder, const PoolTexture& texture) {
  const uint64_t row = uint64_t{texture.width()} * BytesPerTexel(texture.format());
  const uint64_t pitch = (row + 255) / 256 * 256;
  const uint32_t strip = static_cast<uint32_t>(std::clamp<uint64_t>((uint64_t{4} << 20) / pitch, 1, texture.height()));
  WEFT_TRY_ASSIGN(auto zeros, texture.device().buffers().Acquire(pitch * strip, WGPUBufferUsage_CopySrc | WGPUBufferUsage_CopyDst));
  procs.CommandEncoderClearBuffer(encoder, zeros->buffer(), 0, zeros->size());
  for (uint32_t y = 0; y < texture.height(); y += strip) {
    WGPUTexelCopyBufferInfo from = WGPU_TEXEL_COPY_BUFFER_INFO_INIT;
    from.buffer = zeros->buffer();
    from.layout.bytesPerRow = static_cast<uint32_t>(pitch);
    from.layout.rowsPerImage = strip;
    WGPUTexelCopyTextureInfo to = WGPU_TEXEL_COPY_TEXTURE_INFO_INIT;
    to.texture = texture.texture();
    to.origin = {0, y, 0};
    to.aspect = WGPUTextureAspect_All;
    const WGPUExtent3D size{texture.width(), std::min(strip, texture.height() - y), 1};
    procs.CommandEncoderCopyBufferToTexture(encoder, &from, &to, &size);
  }
  return {};
}

}  // namespace

Status EncodeClear(WGPUCommandEncoder encoder, const PoolTexture& texture) {
  Device& device = texture.device();
  const Procs& procs = device.procs();
  if (texture.usage() & WGPUTextureUsage_RenderAttachment) {
    ClearByRenderPass(procs, encoder, texture);
  } else if (!(texture.usage() & WGPUTextureUsage_CopyDst)) {
    return Fail(ErrorKind::Unsupported, "A texture of format {} cannot be cleared: it needs the usage RENDER_ATTACHMENT or COPY_DST.",
                FormatName(texture.format()));
  } else if (!device.Has(kFeatureClearTexture) || !ClearTexture(*device.library(), encoder, texture.texture())) {
    WEFT_TRY(ClearByCopy(procs, encoder, texture));
  }
  device.counters().Clear();
  return {};
}

Status ClearNow(const PoolTexture& texture) {
  Device& device = texture.device();
  const Procs& procs = device.procs();
  ErrorCollector errors;
  auto encoder = device.Own(procs.DeviceCreateCommandEncoder(device.handle(), nullptr));
  WEFT_TRY(EncodeClear(encoder.get(), texture));
  auto commands = device.Own(procs.CommandEncoderFinish(encoder.get(), nullptr));
  WEFT_TRY(device.Outcome(errors, "the clearing of a texture"));
  device.Submit(commands.get());
  return device.Outcome(errors, "the submit of a clear");
}

}  // namespace weft::gpu
