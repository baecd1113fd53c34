// SPDX-License-Identifier: Apache-2.0
// Pixels and bytes in and out of the GPU, without anybody waiting. Each call is one upload or download in the counters. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/result.h"
#include "gpu/buffer_pool.h"
#include "gpu/device.h"
#include "gpu/texture_pool.h"

namespace weft::gpu {

// Copies `height` rows of texels into the texture, in queue order: after what is submitted, before what is submitted later. `stride`: bytes
// from one row to the next, any value (negative: bottom-up, `data` is still the first row). `data` is read before it returns.
Status UploadTexture(Device& device, WGPUTexture texture, WGPUTextureFormat format, uint32_t width, uint32_t height, const void* data,
                     ptrdiff_t stride);
Status UploadTexture(const PoolTexture& texture, const void* data, ptrdiff_t stride);

// Rows that the GPU thread mapped. Stay readable while a Ref lives, on any thread; then unmapped and back in the pool.
class MappedRows : public RefCounted {
 public:
  const std::byte* data() const { return data_; }
  std::span<const std::byte> row(uint32_t y) const { return {data_ + size_t{y} * stride_, row_bytes_}; }
  std::span<const std::byte> bytes() const { return {data_, size_t{stride_} * (height_ - 1) + row_bytes_}; }
  size_t stride() const { return stride_; }        // a multiple of 256 for textures
  size_t row_bytes() const { return row_bytes_; }  // width in bytes
  uint32_t height() const { return height_; }

 private:
  friend class RowReader;
  MappedRows() = default;
  ~MappedRows() override;

  Ref<PoolBuffer> buffer_;
  const std::byte* data_ = nullptr;
  size_t stride_ = 0, row_bytes_ = 0;
  uint32_t height_ = 0;
};

// On the GPU thread, once.
using RowsCallback = std::function<void(Result<Ref<MappedRows>>)>;

// Encodes a copy of the whole texture (which needs CopySrc), submits it and calls back with its rows. An error comes through the callback
// too, then perhaps on this thread before the call returns. The texture may be released when the call returns.
void ReadTexture(Device& device, WGPUTexture texture, WGPUTextureFormat format, uint32_t width, uint32_t height, RowsCallback done);
void ReadTexture(const PoolTexture& texture, RowsCallback done);
// The same for bytes of a buffer with CopySrc; offset and size are multiples of 4. They come as one row.
void ReadBuffer(Device& device, WGPUBuffer buffer, uint64_t offset, uint64_t size, RowsCallback done);
// Maps a buffer that is MapRead already, after what was submitted to fill it.
void MapRows(Ref<PoolBuffer> buffer, size_t stride, size_t row_bytes, uint32_t height, RowsCallback done);

// For tests and tools: the same, waiting. Rows packed without gaps. Never on the GPU thread.
Result<std::vector<std::byte>> ReadTextureNow(Device& device, WGPUTexture texture, WGPUTextureFormat format, uint32_t width,
                                              uint32_t height);
Result<std::vector<std::byte>> ReadTextureNow(const PoolTexture& texture);
Result<std::vector<std::byte>> ReadBufferNow(Device& device, WGPUBuffer buffer, uint64_t offset, uint64_t size);

// Copies all of `from` into `to` (same size; same format or sRGB twin): a texture-texture copy in the counters.
Status CopyTexture(const PoolTexture& from, const PoolTexture& to);

}  // namespace weft::gpu
