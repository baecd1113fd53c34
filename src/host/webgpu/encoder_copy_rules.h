// SPDX-License-Identifier: Apache-2.0
// The rules of copies (WebGPU 13.5, 13.6 and "Copying of images" 14): alignment, bounds, formats, aspects, overlap. Pure; used by the
// encoder's copies and fit for queue.write-texture. Checks answer an empty string for "right", else the sentence that follows
// "<object>.<method>: ".
#pragma once

#include <cstdint>
#include <string>

#include "gpu/format.h"
#include "host/webgpu/objects.h"

namespace weft::host {

struct Extent {
  uint32_t width = 1, height = 1, depth = 1;
  bool empty() const { return width == 0 || height == 0 || depth == 0; }
};
Extent ToExtent(const wit::GpuExtent3D& e);

struct Origin {
  uint32_t x = 0, y = 0, z = 0;
};
Origin ToOrigin(const Opt<wit::GpuOrigin3D>& o);

// One side of a copy that is a texture, defaults filled in.
struct TexelSide {
  const VTexture* texture = nullptr;
  uint32_t mip = 0;
  Origin origin;
  wit::GpuTextureAspect aspect = wit::GpuTextureAspect::All;
};
TexelSide ToSide(const VTexture& texture, const wit::GpuTexelCopyTextureInfo& info);
WGPUTexelCopyTextureInfo ToNative(const TexelSide& side);

// Rows of texels in a buffer or in bytes.
struct TexelRows {
  uint64_t offset = 0;
  Opt<uint32_t> bytes_per_row, rows_per_image;
};
WGPUTexelCopyBufferLayout ToNative(const TexelRows& rows);

const gpu::FormatInfo& InfoOf(wit::GpuTextureFormat format);

// Mip level, origin, extent and blocks; `what` names the side ("source").
std::string CheckTexelSide(const TexelSide& side, const Extent& size, std::string_view what);

enum class CopyWay { FromTexture, ToTexture };
// Which bytes a block of the copied aspect has, for copies between texels and bytes; refuses aspects that cannot be copied that way.
std::string CopyBlockBytes(const TexelSide& side, CopyWay way, uint32_t* bytes);
// Offset, row pitch and bounds of `rows` in `byte_size` bytes. `row_alignment` is 256 for buffers, 1 for write-texture (whose offset needs
// no alignment either).
std::string CheckRows(const TexelRows& rows, uint64_t byte_size, const gpu::FormatInfo& format, uint32_t block_bytes, const Extent& size,
                      uint32_t row_alignment);

std::string CheckCopyBuffers(const VBuffer& source, uint64_t source_offset, const VBuffer& destination, uint64_t destination_offset,
                             uint64_t size);
std::string CheckCopyBufferTexture(const VBuffer& buffer, const TexelRows& rows, const TexelSide& side, const Extent& size, CopyWay way);
std::string CheckCopyTextures(const TexelSide& source, const TexelSide& destination, const Extent& size);

}  // namespace weft::host
