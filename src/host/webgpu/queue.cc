// SPDX-License-Identifier: Apache-2.0
// Writes of the queue and work-done (specification 19). The guest's bytes go to the library as they are, without a copy of ours. Submit:
// submit.cc.
#include "host/webgpu/convert.h"
#include "host/webgpu/encoder_copy_rules.h"
#include "host/webgpu/values.h"
#include "host/webgpu/virtual_gpu.h"

namespace weft::host {

namespace {

std::optional<std::string> WriteBufferRefusal(const VDevice* device, const VBuffer& b, uint64_t offset, uint64_t size) {
  if (auto why = VirtualGpu::UseRefusal(device, b)) return why;
  if (b.state() == VResource::State::Destroyed) return fmt::format("{} was destroyed", b.Name());
  if (b.state() == VResource::State::Revoked) return fmt::format("{} belongs to a frame that is over", b.Name());
  if (b.mapped()) return fmt::format("{} is mapped or waits for its map; unmap it first", b.Name());
  if (!(b.usage() & wit::GpuBufferUsage::CopyDst)) return fmt::format("{} has no usage copy-dst", b.Name());
  if (offset % 4 != 0) return fmt::format("buffer offset {} is not a multiple of 4", offset);
  if (offset > b.size() || size > b.size() - offset) {
    return fmt::format("the range {} + {} lies outside of {} with {} bytes", offset, size, b.Name(), b.size());
  }
  return std::nullopt;
}

}  // namespace

// The library keeps what was written until the next submit: without one, a guest that only writes would fill the memory.
void VirtualGpu::CountWrite(uint64_t bytes) {
  constexpr uint64_t kMostUnsent = uint64_t{128} << 20;
  gpu_->counters().Upload(bytes);
  unsent_bytes_ += bytes;
  if (unsent_bytes_ >= kMostUnsent) SendAll();
}

void VirtualGpu::SendAll() {
  FlushSubmits();
  if (unsent_bytes_ == 0) return;
  unsent_bytes_ = 0;
  if (!gpu_->lost()) gpu_->Submit(std::span<const WGPUCommandBuffer>());
}

Result<Res<Unit, wit::WriteBufferError>> VirtualGpu::OnGpuQueueWriteBufferWithCopy(Rep self, Rep buffer_rep, uint64_t buffer_offset,
                                                                                   const List<uint8_t>& data,
                                                                                   const Opt<uint64_t>& data_offset,
                                                                                   const Opt<uint64_t>& size_opt) {
  using Answer = Res<Unit, wit::WriteBufferError>;
  WEFT_TRY_ASSIGN(auto queue, Get<VQueue>(self));
  WEFT_TRY_ASSIGN(auto buffer, Get<VBuffer>(buffer_rep));
  auto refuse = [&](std::string why) {
    return Answer::Err({{wit::WriteBufferErrorKind::Tag::OperationError}, Keep("write-buffer: " + std::move(why))});
  };
  const uint64_t from = data_offset.value_or(0);
  if (from > data.size) return refuse(fmt::format("data offset {} is beyond the {} bytes of data", from, data.size));
  const uint64_t size = size_opt.value_or(data.size - from);
  if (size > data.size - from)
    return refuse(fmt::format("size {} from offset {} is more than the {} bytes of data", size, from, data.size));
  if (size % 4 != 0) return refuse(fmt::format("size {} is not a multiple of 4", size));
  VDevice* device = queue->device();
  if (auto why = WriteBufferRefusal(device, *buffer, buffer_offset, size)) {
    device->Validation("write-buffer: " + *why);
    return Answer::Ok();
  }
  if (size == 0) return Answer::Ok();
  // The order of the calls is the order of their effects.
  FlushSubmits();
  NativeErrors errors(device);
  // A lent resource may be in others' hands, up to commands that are kept yet; an own one cannot.
  if (buffer->imported()) gpu_->Send();
  wgpu().QueueWriteBuffer(gpu_->queue(), buffer->native.get(), buffer_offset, data.data + from, size);
  CountWrite(size);
  return Answer::Ok();
}

Status VirtualGpu::OnGpuQueueWriteTextureWithCopy(Rep self, const wit::GpuTexelCopyTextureInfo& destination, const List<uint8_t>& data,
                                                  const wit::GpuTexelCopyBufferLayout& layout, const wit::GpuExtent3D& size) {
  WEFT_TRY_ASSIGN(auto queue, Get<VQueue>(self));
  WEFT_TRY_ASSIGN(auto texture, Get<VTexture>(destination.texture));
  VDevice* device = queue->device();
  auto refuse = [&](std::string_view why) {
    device->Validation(fmt::format("write-texture: {}", why));
    return Status();
  };
  if (auto why = UseRefusal(device, *texture)) return refuse(*why);
  if (texture->state() == VResource::State::Destroyed) return refuse(fmt::format("{} was destroyed", texture->Name()));
  if (texture->state() == VResource::State::Revoked) return refuse(fmt::format("{} belongs to a frame that is over", texture->Name()));
  if (!(texture->info().usage & wit::GpuTextureUsage::CopyDst)) return refuse(fmt::format("{} has no usage copy-dst", texture->Name()));
  if (texture->info().samples != 1) return refuse(fmt::format("{} is multisampled", texture->Name()));
  const TexelSide side = ToSide(*texture, destination);
  const Extent extent = ToExtent(size);
  if (auto why = CheckTexelSide(side, extent, "destination"); !why.empty()) return refuse(why);
  uint32_t block_bytes = 0;
  if (auto why = CopyBlockBytes(side, CopyWay::ToTexture, &block_bytes); !why.empty()) return refuse(why);
  const TexelRows rows{layout.offset.value_or(0), layout.bytes_per_row, layout.rows_per_image};
  const gpu::FormatInfo& format = InfoOf(texture->info().format);
  if (auto why = CheckRows(rows, data.size, format, block_bytes, extent, 1); !why.empty()) return refuse(why);
  if (extent.empty()) return {};
  FlushSubmits();
  NativeErrors errors(device);
  const WGPUTexelCopyTextureInfo to = host::ToNative(side);
  const WGPUTexelCopyBufferLayout from = host::ToNative(rows);
  const WGPUExtent3D native_size{extent.width, extent.height, extent.depth};
  if (texture->imported()) gpu_->Send();
  wgpu().QueueWriteTexture(gpu_->queue(), &to, data.data, data.size, &from, &native_size);
  const uint64_t blocks = uint64_t{(extent.width + format.block_width - 1u) / format.block_width} *
                          ((extent.height + format.block_height - 1u) / format.block_height) * extent.depth;
  NoteLentWrite(texture.get());
  CountWrite(blocks * block_bytes);
  return {};
}

void VirtualGpu::OnGpuQueueOnSubmittedWorkDone(Rep self, Completion<Unit> done) {
  if (auto queue = Get<VQueue>(self); !queue) return done.Trap(queue.error().message());
  SendAll();
  // Also answered when the device is lost: nothing is running then. (std::function wants to be copied, hence the shared_ptr.)
  auto shared = std::make_shared<Completion<Unit>>(std::move(done));
  gpu_->OnSubmittedWorkDone([shared](const Status&) { shared->Done({}); });
}

}  // namespace weft::host
