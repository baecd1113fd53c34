// SPDX-License-Identifier: Apache-2.0
#include "host/webgpu/encoder_copy_rules.h"

#include <algorithm>

#include "base/fail.h"
#include "gpu/library.h"
#include "host/webgpu/convert.h"
#include "host/webgpu/virtual_device.h"

namespace weft::host {

namespace {

using Aspect = wit::GpuTextureAspect;

bool HasDepth(gpu::FormatKind k) { return k == gpu::FormatKind::Depth || k == gpu::FormatKind::DepthStencil; }
bool HasStencil(gpu::FormatKind k) { return k == gpu::FormatKind::Stencil || k == gpu::FormatKind::DepthStencil; }
bool IsColor(gpu::FormatKind k) { return !HasDepth(k) && !HasStencil(k); }

__extension__ using U128 = unsigned __int128;  // three factors of 32 bits do not fit in 64

uint32_t RoundUp(uint32_t v, uint32_t to) { return (v + to - 1) / to * to; }

// Of a mip level, in whole blocks; layers count as depth.
Extent PhysicalSize(const VTexture& t, uint32_t mip) {
  const auto& i = t.info();
  const auto& f = InfoOf(i.format);
  const uint32_t w = std::max(1u, i.width >> mip);
  const uint32_t h = i.dimension == wit::GpuTextureDimension::D1 ? 1 : std::max(1u, i.height >> mip);
  const uint32_t d = i.dimension == wit::GpuTextureDimension::D3 ? std::max(1u, i.depth_or_layers >> mip) : i.depth_or_layers;
  return {RoundUp(w, f.block_width), RoundUp(h, f.block_height), i.dimension == wit::GpuTextureDimension::D1 ? 1 : d};
}

std::string CheckUsage(const VTexture& t, uint32_t bit, std::string_view name) {
  if (t.info().usage & bit) return {};
  return fmt::format("the usage of {} does not include {}{}.", t.Name(), name,
                     t.imported() ? ", because the host lends it for other uses only" : "");
}

std::string CheckUsage(const VBuffer& b, uint32_t bit, std::string_view name) {
  if (b.usage() & bit) return {};
  return fmt::format("the usage of {} does not include {}{}.", b.Name(), name,
                     b.imported() ? ", because the host lends it for other uses only" : "");
}

// Whether `aspect` names every aspect that the format has.
bool AllAspects(gpu::FormatKind kind, Aspect aspect) {
  if (aspect == Aspect::All) return true;
  if (aspect == Aspect::DepthOnly) return kind == gpu::FormatKind::Depth;
  return kind == gpu::FormatKind::Stencil;
}

bool SrgbTwins(wit::GpuTextureFormat a, wit::GpuTextureFormat b) { return a == b || gpu::SrgbTwin(ToNative(a)) == ToNative(b); }

}  // namespace

Extent ToExtent(const wit::GpuExtent3D& e) { return {e.width, e.height.value_or(1), e.depth_or_array_layers.value_or(1)}; }

Origin ToOrigin(const Opt<wit::GpuOrigin3D>& o) {
  if (!o) return {};
  return {o->x.value_or(0), o->y.value_or(0), o->z.value_or(0)};
}

TexelSide ToSide(const VTexture& texture, const wit::GpuTexelCopyTextureInfo& info) {
  return {&texture, info.mip_level.value_or(0), ToOrigin(info.origin), info.aspect.value_or(Aspect::All)};
}

WGPUTexelCopyTextureInfo ToNative(const TexelSide& side) {
  WGPUTexelCopyTextureInfo n = WGPU_TEXEL_COPY_TEXTURE_INFO_INIT;
  n.texture = side.texture->native.get();
  n.mipLevel = side.mip;
  n.origin = {side.origin.x, side.origin.y, side.origin.z};
  n.aspect = ToNative(side.aspect);
  return n;
}

WGPUTexelCopyBufferLayout ToNative(const TexelRows& rows) {
  WGPUTexelCopyBufferLayout n = WGPU_TEXEL_COPY_BUFFER_LAYOUT_INIT;
  n.offset = rows.offset;
  n.bytesPerRow = rows.bytes_per_row.value_or(WGPU_COPY_STRIDE_UNDEFINED);
  n.rowsPerImage = rows.rows_per_image.value_or(WGPU_COPY_STRIDE_UNDEFINED);
  return n;
}

const gpu::FormatInfo& InfoOf(wit::GpuTextureFormat format) {
  const gpu::FormatInfo* info = gpu::FindFormat(ToNative(format));
  WEFT_CHECK(info != nullptr);
  return *info;
}

std::string CheckTexelSide(const TexelSide& side, const Extent& size, std::string_view what) {
  const auto& info = side.texture->info();
  const auto& f = InfoOf(info.format);
  if (side.mip >= info.mips) {
    return fmt::format("the {}'s mip level {} is not below the {} levels of {}.", what, side.mip, info.mips, side.texture->Name());
  }
  if (side.origin.x % f.block_width != 0 || side.origin.y % f.block_height != 0) {
    return fmt::format("the {}'s origin ({}, {}) is not at a corner of the {}x{} blocks of {}.", what, side.origin.x, side.origin.y,
                       f.block_width, f.block_height, f.name);
  }
  if (size.width % f.block_width != 0 || size.height % f.block_height != 0) {
    return fmt::format("the copy of {}x{} texels is not whole {}x{} blocks of {}.", size.width, size.height, f.block_width, f.block_height,
                       f.name);
  }
  const Extent have = PhysicalSize(*side.texture, side.mip);
  const bool inside = side.origin.x <= have.width && size.width <= have.width - side.origin.x && side.origin.y <= have.height &&
                      size.height <= have.height - side.origin.y && side.origin.z <= have.depth && size.depth <= have.depth - side.origin.z;
  if (!inside) {
    return fmt::format("the {}'s region, {}x{}x{} at ({}, {}, {}), reaches beyond mip level {} of {}, which is {}x{}x{}.", what, size.width,
                       size.height, size.depth, side.origin.x, side.origin.y, side.origin.z, side.mip, side.texture->Name(), have.width,
                       have.height, have.depth);
  }
  if ((!IsColor(f.kind) || info.samples > 1) && (size.width != have.width || size.height != have.height)) {
    return fmt::format("depth, stencil and multisampled textures are copied whole: {}x{} was asked of {}, which is {}x{} at mip level {}.",
                       size.width, size.height, side.texture->Name(), have.width, have.height, side.mip);
  }
  return {};
}

std::string CopyBlockBytes(const TexelSide& side, CopyWay way, uint32_t* bytes) {
  const auto format = side.texture->info().format;
  const auto& f = InfoOf(format);
  if (IsColor(f.kind)) {
    if (side.aspect != Aspect::All) return fmt::format("the aspect {} is not one of {}.", wit::ToString(side.aspect), f.name);
    *bytes = f.block_bytes;
    return {};
  }
  const bool depth = side.aspect == Aspect::DepthOnly || (side.aspect == Aspect::All && !HasStencil(f.kind));
  const bool stencil = side.aspect == Aspect::StencilOnly || (side.aspect == Aspect::All && !HasDepth(f.kind));
  if (!depth && !stencil) return fmt::format("the aspect \"all\" of {} is two aspects; name one of them.", f.name);
  if ((depth && !HasDepth(f.kind)) || (stencil && !HasStencil(f.kind))) {
    return fmt::format("the aspect {} is not one of {}.", wit::ToString(side.aspect), f.name);
  }
  if (stencil) {
    *bytes = 1;
    return {};
  }
  using F = wit::GpuTextureFormat;
  const bool depth32 = format == F::Depth32float || format == F::Depth32floatStencil8;
  if (format != F::Depth16unorm && !(depth32 && way == CopyWay::FromTexture)) {
    return fmt::format("the depth of {} cannot be copied {}.", f.name, way == CopyWay::FromTexture ? "to a buffer" : "from bytes");
  }
  *bytes = format == F::Depth16unorm ? 2 : 4;
  return {};
}

std::string CheckRows(const TexelRows& rows, uint64_t byte_size, const gpu::FormatInfo& format, uint32_t block_bytes, const Extent& size,
                      uint32_t row_alignment) {
  const uint64_t width = size.width / format.block_width, height = size.height / format.block_height;
  const uint64_t last_row = width * block_bytes;
  if (row_alignment > 1) {
    const uint32_t align = IsColor(format.kind) ? block_bytes : 4;
    if (rows.offset % align != 0) return fmt::format("the offset {} is not a multiple of {}.", rows.offset, align);
    if (rows.bytes_per_row && *rows.bytes_per_row % row_alignment != 0) {
      return fmt::format("bytes-per-row, {}, is not a multiple of {}.", *rows.bytes_per_row, row_alignment);
    }
  }
  if (!rows.bytes_per_row && (height > 1 || size.depth > 1)) return "bytes-per-row must be given where there is more than one row.";
  if (!rows.rows_per_image && size.depth > 1) return "rows-per-image must be given where there is more than one image.";
  if (rows.bytes_per_row && *rows.bytes_per_row < last_row) {
    return fmt::format("bytes-per-row, {}, is less than the {} bytes of a row.", *rows.bytes_per_row, last_row);
  }
  if (rows.rows_per_image && *rows.rows_per_image < height) {
    return fmt::format("rows-per-image, {}, is less than the {} rows of an image.", *rows.rows_per_image, height);
  }
  const U128 pitch = rows.bytes_per_row.value_or(0);
  U128 need = 0;
  if (size.depth > 0) {
    need = pitch * rows.rows_per_image.value_or(0) * (size.depth - 1);
    if (height > 0) need += pitch * (height - 1) + last_row;
  }
  need += rows.offset;
  if (need > byte_size) {
    const auto shown = need > std::numeric_limits<uint64_t>::max() ? std::numeric_limits<uint64_t>::max() : static_cast<uint64_t>(need);
    return fmt::format("the copy needs {} bytes from the start, but there are {}.", shown, byte_size);
  }
  return {};
}

std::string CheckCopyBuffers(const VBuffer& source, uint64_t source_offset, const VBuffer& destination, uint64_t destination_offset,
                             uint64_t size) {
  if (std::string why = CheckUsage(source, wit::GpuBufferUsage::CopySrc, "COPY_SRC"); !why.empty()) return why;
  if (std::string why = CheckUsage(destination, wit::GpuBufferUsage::CopyDst, "COPY_DST"); !why.empty()) return why;
  if (&source == &destination) return fmt::format("source and destination are both {}.", source.Name());
  if (size % 4 != 0) return fmt::format("the size {} is not a multiple of 4.", size);
  if (source_offset % 4 != 0) return fmt::format("the source offset {} is not a multiple of 4.", source_offset);
  if (destination_offset % 4 != 0) return fmt::format("the destination offset {} is not a multiple of 4.", destination_offset);
  for (const auto& [b, offset] : {std::pair(&source, source_offset), std::pair(&destination, destination_offset)}) {
    if (offset > b->size() || size > b->size() - offset) {
      return fmt::format("{} bytes at offset {} reach beyond the {} bytes of {}.", size, offset, b->size(), b->Name());
    }
  }
  return {};
}

std::string CheckCopyBufferTexture(const VBuffer& buffer, const TexelRows& rows, const TexelSide& side, const Extent& size, CopyWay way) {
  const bool to = way == CopyWay::ToTexture;
  std::string why =
      to ? CheckUsage(buffer, wit::GpuBufferUsage::CopySrc, "COPY_SRC") : CheckUsage(buffer, wit::GpuBufferUsage::CopyDst, "COPY_DST");
  if (why.empty()) {
    why = to ? CheckUsage(*side.texture, wit::GpuTextureUsage::CopyDst, "COPY_DST")
             : CheckUsage(*side.texture, wit::GpuTextureUsage::CopySrc, "COPY_SRC");
  }
  if (why.empty() && side.texture->info().samples > 1) {
    why = fmt::format("{} is multisampled, and texels are not copied to or from bytes then.", side.texture->Name());
  }
  uint32_t bytes = 0;
  if (why.empty()) why = CheckTexelSide(side, size, to ? "destination" : "source");
  if (why.empty()) why = CopyBlockBytes(side, way, &bytes);
  if (why.empty()) why = CheckRows(rows, buffer.size(), InfoOf(side.texture->info().format), bytes, size, 256);
  return why;
}

std::string CheckCopyTextures(const TexelSide& source, const TexelSide& destination, const Extent& size) {
  std::string why = CheckUsage(*source.texture, wit::GpuTextureUsage::CopySrc, "COPY_SRC");
  if (why.empty()) why = CheckUsage(*destination.texture, wit::GpuTextureUsage::CopyDst, "COPY_DST");
  if (why.empty()) why = CheckTexelSide(source, size, "source");
  if (why.empty()) why = CheckTexelSide(destination, size, "destination");
  if (!why.empty()) return why;
  const auto& s = source.texture->info();
  const auto& d = destination.texture->info();
  if (!SrgbTwins(s.format, d.format)) {
    return fmt::format("{} cannot be copied to {}: the formats must be the same but for -srgb.", wit::ToString(s.format),
                       wit::ToString(d.format));
  }
  if (s.samples != d.samples) return fmt::format("the source has {} samples a texel, the destination {}.", s.samples, d.samples);
  const auto& f = InfoOf(s.format);
  if (IsColor(f.kind) && (source.aspect != Aspect::All || destination.aspect != Aspect::All)) {
    return fmt::format("an aspect was named, but {} has only one: say \"all\".", f.name);
  }
  if (!AllAspects(f.kind, source.aspect) || !AllAspects(f.kind, destination.aspect)) {
    return fmt::format("all aspects of {} must be copied together.", f.name);
  }
  if (source.texture == destination.texture && source.mip == destination.mip) {
    const bool volume = s.dimension != wit::GpuTextureDimension::D2;
    const bool apart =
        source.origin.z + uint64_t{size.depth} <= destination.origin.z || destination.origin.z + uint64_t{size.depth} <= source.origin.z;
    if (volume || !apart)
      return fmt::format("source and destination overlap: both are in mip level {} of {}.", source.mip, source.texture->Name());
  }
  return {};
}

}  // namespace weft::host
