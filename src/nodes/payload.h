// SPDX-License-Identifier: Apache-2.0
// The payloads that real nodes pass on: a CPU picture, a texture, a buffer, bytes.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "gpu/buffer_pool.h"
#include "gpu/texture_pool.h"
#include "graph/types.h"
#include "media/frame.h"

namespace weft::nodes {

class PicturePayload final : public graph::Payload {
 public:
  explicit PicturePayload(Ref<media::CpuFrame> frame) : frame_(std::move(frame)), info_(frame_->info()) {}
  const graph::PortInfo& info() const override { return info_; }
  const Ref<media::CpuFrame>& frame() const { return frame_; }

 private:
  Ref<media::CpuFrame> frame_;
  graph::PortInfo info_;
};

// All GPU work that writes it is submitted when it is handed out.
class TexturePayload final : public graph::Payload {
 public:
  TexturePayload(Ref<gpu::PoolTexture> texture, graph::TextureInfo info) : texture_(std::move(texture)), info_(std::move(info)) {}
  // A texture of the embedding program, kept alive by `native`.
  TexturePayload(gpu::Owned<WGPUTexture> native, graph::TextureInfo info) : native_(std::move(native)), info_(std::move(info)) {}
  const graph::PortInfo& info() const override { return info_; }
  const graph::TextureInfo& texture_info() const { return std::get<graph::TextureInfo>(info_); }
  WGPUTexture native() const { return texture_ ? texture_->texture() : native_.get(); }
  const Ref<gpu::PoolTexture>& texture() const { return texture_; }  // null of an embedder's own

 private:
  Ref<gpu::PoolTexture> texture_;
  gpu::Owned<WGPUTexture> native_;
  graph::PortInfo info_;
};

class BufferPayload final : public graph::Payload {
 public:
  BufferPayload(Ref<gpu::PoolBuffer> buffer, uint64_t size) : buffer_(std::move(buffer)), info_(graph::BufferInfo{size}) {}
  const graph::PortInfo& info() const override { return info_; }
  const Ref<gpu::PoolBuffer>& buffer() const { return buffer_; }
  uint64_t size() const { return std::get<graph::BufferInfo>(info_).size; }

 private:
  Ref<gpu::PoolBuffer> buffer_;
  graph::PortInfo info_;
};

class BytesPayload final : public graph::Payload {
 public:
  explicit BytesPayload(std::vector<uint8_t> bytes) : bytes_(std::move(bytes)) {}
  const graph::PortInfo& info() const override { return info_; }
  const std::vector<uint8_t>& bytes() const { return bytes_; }

 private:
  std::vector<uint8_t> bytes_;
  graph::PortInfo info_ = graph::DataInfo{};
};

}  // namespace weft::nodes
