// SPDX-License-Identifier: Apache-2.0
// gpu-command-encoder: copies, clear-buffer, resolve-query-set (WebGPU 13.5, 13.6, 13.7). The rules: encoder_copy_rules.h.
// The library is never asked to copy nothing: it takes a size of 0 for a mistake in some of these.
#include <algorithm>

#include "host/webgpu/convert.h"
#include "host/webgpu/encoder_copy_rules.h"
#include "host/webgpu/encoder_util.h"
#include "host/webgpu/virtual_gpu.h"

namespace weft::host {

namespace {

void FailCopy(VEncoder& e, std::string_view method, const std::string& why) { e.Fail(fmt::format("{}.{}: {}", e.Name(), method, why)); }

}  // namespace

Status VirtualGpu::OnGpuCommandEncoderCopyBufferToBuffer(Rep self, Rep source, const Opt<uint64_t>& source_offset, Rep destination,
                                                         const Opt<uint64_t>& destination_offset, const Opt<uint64_t>& size) {
  constexpr std::string_view kMethod = "copy-buffer-to-buffer";
  WEFT_TRY_ASSIGN(Ref<VCommandEncoder> e, Get<VCommandEncoder>(self));
  WEFT_TRY_ASSIGN(Ref<VBuffer> from, Get<VBuffer>(source));
  WEFT_TRY_ASSIGN(Ref<VBuffer> to, Get<VBuffer>(destination));
  if (!EncoderOpen(*e, kMethod) || !UseObject(*e, *from, *e, kMethod) || !UseObject(*e, *to, *e, kMethod)) return {};
  const uint64_t at = source_offset.value_or(0), to_at = destination_offset.value_or(0);
  const uint64_t bytes = size ? *size : from->size() - std::min(at, from->size());
  if (std::string why = CheckCopyBuffers(*from, at, *to, to_at, bytes); !why.empty()) {
    FailCopy(*e, kMethod, why);
    return {};
  }
  if (!e->Use(from.get(), false, *e, kMethod) || !e->Use(to.get(), true, *e, kMethod)) return {};
  WatchIfLent(*this, *e);
  if (bytes == 0 || !e->feed()) return {};
  DeferredErrors errors(*e, kMethod);
  wgpu().CommandEncoderCopyBufferToBuffer(e->native.get(), from->native.get(), at, to->native.get(), to_at, bytes);
  return {};
}

Status VirtualGpu::OnGpuCommandEncoderCopyBufferToTexture(Rep self, const wit::GpuTexelCopyBufferInfo& source,
                                                          const wit::GpuTexelCopyTextureInfo& destination,
                                                          const wit::GpuExtent3D& copy_size) {
  constexpr std::string_view kMethod = "copy-buffer-to-texture";
  WEFT_TRY_ASSIGN(Ref<VCommandEncoder> e, Get<VCommandEncoder>(self));
  WEFT_TRY_ASSIGN(Ref<VBuffer> from, Get<VBuffer>(source.buffer));
  WEFT_TRY_ASSIGN(Ref<VTexture> to, Get<VTexture>(destination.texture));
  if (!EncoderOpen(*e, kMethod) || !UseObject(*e, *from, *e, kMethod) || !UseObject(*e, *to, *e, kMethod)) return {};
  const TexelRows rows{source.offset.value_or(0), source.bytes_per_row, source.rows_per_image};
  const TexelSide side = ToSide(*to, destination);
  const Extent size = ToExtent(copy_size);
  if (std::string why = CheckCopyBufferTexture(*from, rows, side, size, CopyWay::ToTexture); !why.empty()) {
    FailCopy(*e, kMethod, why);
    return {};
  }
  if (!e->Use(from.get(), false, *e, kMethod) || !e->Use(to.get(), true, *e, kMethod)) return {};
  WatchIfLent(*this, *e);
  if (size.empty() || !e->feed()) return {};
  const WGPUTexelCopyBufferInfo n_from{ToNative(rows), from->native.get()};
  const WGPUTexelCopyTextureInfo n_to = ToNative(side);
  const WGPUExtent3D n_size{size.width, size.height, size.depth};
  DeferredErrors errors(*e, kMethod);
  wgpu().CommandEncoderCopyBufferToTexture(e->native.get(), &n_from, &n_to, &n_size);
  return {};
}

Status VirtualGpu::OnGpuCommandEncoderCopyTextureToBuffer(Rep self, const wit::GpuTexelCopyTextureInfo& source,
                                                          const wit::GpuTexelCopyBufferInfo& destination,
                                                          const wit::GpuExtent3D& copy_size) {
  constexpr std::string_view kMethod = "copy-texture-to-buffer";
  WEFT_TRY_ASSIGN(Ref<VCommandEncoder> e, Get<VCommandEncoder>(self));
  WEFT_TRY_ASSIGN(Ref<VTexture> from, Get<VTexture>(source.texture));
  WEFT_TRY_ASSIGN(Ref<VBuffer> to, Get<VBuffer>(destination.buffer));
  if (!EncoderOpen(*e, kMethod) || !UseObject(*e, *from, *e, kMethod) || !UseObject(*e, *to, *e, kMethod)) return {};
  const TexelRows rows{destination.offset.value_or(0), destination.bytes_per_row, destination.rows_per_image};
  const TexelSide side = ToSide(*from, source);
  const Extent size = ToExtent(copy_size);
  if (std::string why = CheckCopyBufferTexture(*to, rows, side, size, CopyWay::FromTexture); !why.empty()) {
    FailCopy(*e, kMethod, why);
    return {};
  }
  if (!e->Use(from.get(), false, *e, kMethod) || !e->Use(to.get(), true, *e, kMethod)) return {};
  WatchIfLent(*this, *e);
  if (size.empty() || !e->feed()) return {};
  const WGPUTexelCopyTextureInfo n_from = ToNative(side);
  const WGPUTexelCopyBufferInfo n_to{ToNative(rows), to->native.get()};
  const WGPUExtent3D n_size{size.width, size.height, size.depth};
  DeferredErrors errors(*e, kMethod);
  wgpu().CommandEncoderCopyTextureToBuffer(e->native.get(), &n_from, &n_to, &n_size);
  return {};
}

Status VirtualGpu::OnGpuCommandEncoderCopyTextureToTexture(Rep self, const wit::GpuTexelCopyTextureInfo& source,
                                                           const wit::GpuTexelCopyTextureInfo& destination,
                                                           const wit::GpuExtent3D& copy_size) {
  constexpr std::string_view kMethod = "copy-texture-to-texture";
  WEFT_TRY_ASSIGN(Ref<VCommandEncoder> e, Get<VCommandEncoder>(self));
  WEFT_TRY_ASSIGN(Ref<VTexture> from, Get<VTexture>(source.texture));
  WEFT_TRY_ASSIGN(Ref<VTexture> to, Get<VTexture>(destination.texture));
  if (!EncoderOpen(*e, kMethod) || !UseObject(*e, *from, *e, kMethod) || !UseObject(*e, *to, *e, kMethod)) return {};
  const TexelSide a = ToSide(*from, source), b = ToSide(*to, destination);
  const Extent size = ToExtent(copy_size);
  if (std::string why = CheckCopyTextures(a, b, size); !why.empty()) {
    FailCopy(*e, kMethod, why);
    return {};
  }
  if (!e->Use(from.get(), false, *e, kMethod) || !e->Use(to.get(), true, *e, kMethod)) return {};
  WatchIfLent(*this, *e);
  if (size.empty() || !e->feed()) return {};
  const WGPUTexelCopyTextureInfo n_a = ToNative(a), n_b = ToNative(b);
  const WGPUExtent3D n_size{size.width, size.height, size.depth};
  DeferredErrors errors(*e, kMethod);
  wgpu().CommandEncoderCopyTextureToTexture(e->native.get(), &n_a, &n_b, &n_size);
  return {};
}

Status VirtualGpu::OnGpuCommandEncoderClearBuffer(Rep self, Rep buffer, const Opt<uint64_t>& offset, const Opt<uint64_t>& size) {
  constexpr std::string_view kMethod = "clear-buffer";
  WEFT_TRY_ASSIGN(Ref<VCommandEncoder> e, Get<VCommandEncoder>(self));
  WEFT_TRY_ASSIGN(Ref<VBuffer> b, Get<VBuffer>(buffer));
  if (!EncoderOpen(*e, kMethod) || !UseObject(*e, *b, *e, kMethod)) return {};
  const uint64_t at = offset.value_or(0);
  const uint64_t bytes = size ? *size : b->size() - std::min(at, b->size());
  std::string why;
  if (!(b->usage() & wit::GpuBufferUsage::CopyDst)) {
    why = fmt::format("the usage of {} does not include COPY_DST.", b->Name());
  } else if (bytes % 4 != 0) {
    why = fmt::format("the size {} is not a multiple of 4.", bytes);
  } else if (at % 4 != 0) {
    why = fmt::format("the offset {} is not a multiple of 4.", at);
  } else if (at > b->size() || bytes > b->size() - at) {
    why = fmt::format("{} bytes at offset {} reach beyond the {} bytes of {}.", bytes, at, b->size(), b->Name());
  }
  if (!why.empty()) {
    FailCopy(*e, kMethod, why);
    return {};
  }
  if (!e->Use(b.get(), true, *e, kMethod)) return {};
  WatchIfLent(*this, *e);
  if (bytes == 0 || !e->feed()) return {};
  DeferredErrors errors(*e, kMethod);
  wgpu().CommandEncoderClearBuffer(e->native.get(), b->native.get(), at, bytes);
  return {};
}

Status VirtualGpu::OnGpuCommandEncoderResolveQuerySet(Rep self, Rep query_set, uint32_t first_query, uint32_t query_count, Rep destination,
                                                      uint64_t destination_offset) {
  constexpr std::string_view kMethod = "resolve-query-set";
  WEFT_TRY_ASSIGN(Ref<VCommandEncoder> e, Get<VCommandEncoder>(self));
  WEFT_TRY_ASSIGN(Ref<VQuerySet> set, Get<VQuerySet>(query_set));
  WEFT_TRY_ASSIGN(Ref<VBuffer> to, Get<VBuffer>(destination));
  if (!EncoderOpen(*e, kMethod) || !UseObject(*e, *set, *e, kMethod) || !UseObject(*e, *to, *e, kMethod)) return {};
  const uint64_t bytes = uint64_t{query_count} * 8;
  std::string why;
  if (!(to->usage() & wit::GpuBufferUsage::QueryResolve)) {
    why = fmt::format("the usage of {} does not include QUERY_RESOLVE.", to->Name());
  } else if (first_query >= set->count || query_count > set->count - first_query) {
    why = fmt::format("{} queries from {} reach beyond the {} of {}.", query_count, first_query, set->count, set->Name());
  } else if (destination_offset % 256 != 0) {
    why = fmt::format("the destination offset {} is not a multiple of 256.", destination_offset);
  } else if (destination_offset > to->size() || bytes > to->size() - destination_offset) {
    why = fmt::format("{} bytes at offset {} reach beyond the {} bytes of {}.", bytes, destination_offset, to->size(), to->Name());
  }
  if (!why.empty()) {
    FailCopy(*e, kMethod, why);
    return {};
  }
  if (!e->Use(set.get(), false, *e, kMethod) || !e->Use(to.get(), true, *e, kMethod)) return {};
  WatchIfLent(*this, *e);
  if (query_count == 0 || !e->feed()) return {};
  DeferredErrors errors(*e, kMethod);
  wgpu().CommandEncoderResolveQuerySet(e->native.get(), set->native.get(), first_query, query_count, to->native.get(), destination_offset);
  // A timestamp that nobody wrote is zero.
  for (uint32_t i = 0; i < query_count && !set->recorded.empty(); ++i) {
    if (!set->recorded[first_query + i]) wgpu().CommandEncoderClearBuffer(e->native.get(), to->native.get(), destination_offset + i * 8, 8);
  }
  return {};
}

}  // namespace weft::host
