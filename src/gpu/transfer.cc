// SPDX-License-Identifier: Apache-2.0
#include "gpu/transfer.h"

#include <condition_variable>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>

#include "base/fail.h"

namespace weft::gpu {
namespace {

// WebGPU's alignment of rows in copies between textures and buffers.
constexpr uint64_t kRowPitch = 256;

WGPUTexelCopyTextureInfo WholeTexture(WGPUTexture texture) {
  WGPUTexelCopyTextureInfo info = WGPU_TEXEL_COPY_TEXTURE_INFO_INIT;
  info.texture = texture;
  info.aspect = WGPUTextureAspect_All;
  return info;
}

// Blocks a thread until the callback came.
template <class T>
class Waiter {
 public:
  void Set(T value) {
    std::lock_guard lock(mutex_);
    value_.emplace(std::move(value));
    finished_.notify_one();
  }
  T Wait() {
    std::unique_lock lock(mutex_);
    finished_.wait(lock, [&] { return value_.has_value(); });
    return std::move(*value_);
  }

 private:
  std::mutex mutex_;
  std::condition_variable finished_;
  std::optional<T> value_;
};

Result<std::vector<std::byte>> Packed(Result<Ref<MappedRows>> rows) {
  if (!rows) return std::move(rows.error());
  const MappedRows& r = **rows;
  std::vector<std::byte> out(r.row_bytes() * r.height());
  for (uint32_t y = 0; y < r.height(); ++y) std::memcpy(out.data() + y * r.row_bytes(), r.row(y).data(), r.row_bytes());
  return out;
}

template <class Start>
Result<std::vector<std::byte>> Now(Start start) {
  Waiter<Result<Ref<MappedRows>>> waiter;
  start([&waiter](Result<Ref<MappedRows>> rows) { waiter.Set(std::move(rows)); });
  return Packed(waiter.Wait());
}

}  // namespace

// May make MappedRows.
class RowReader {
 public:
  static void Map(Ref<PoolBuffer> buffer, size_t stride, size_t row_bytes, uint32_t height, RowsCallback done) {
    Device& device = buffer->device();
    const size_t size = (stride * (height - 1) + row_bytes + 3) & ~size_t{3};
    const WGPUBuffer handle = buffer->buffer();
    device.MapAsync(
        handle, WGPUMapMode_Read, 0, size,
        [buffer = std::move(buffer), stride, row_bytes, height, size, done = std::move(done)](Status status) mutable {
          if (!status) return done(std::move(status.error()).Context("reading back from the GPU"));
          auto rows = Ref<MappedRows>::Acquire(new MappedRows);
          const void* data = buffer->device().procs().BufferGetConstMappedRange(buffer->buffer(), 0, size);
          rows->buffer_ = std::move(buffer);  // the only reference: back in the pool as soon as the rows are dropped
          rows->data_ = static_cast<const std::byte*>(data);
          rows->stride_ = stride;
          rows->row_bytes_ = row_bytes;
          rows->height_ = height;
          if (!data)
            return done(Fail(ErrorKind::Internal, "The GPU library mapped a buffer of {} bytes and gives no address for it.", size));
          done(std::move(rows));
        });
  }
};

MappedRows::~MappedRows() { buffer_->device().procs().BufferUnmap(buffer_->buffer()); }

void MapRows(Ref<PoolBuffer> buffer, size_t stride, size_t row_bytes, uint32_t height, RowsCallback done) {
  RowReader::Map(std::move(buffer), stride, row_bytes, height, std::move(done));
}

Status UploadTexture(Device& device, WGPUTexture texture, WGPUTextureFormat format, uint32_t width, uint32_t height, const void* data,
                     ptrdiff_t stride) {
  WEFT_TRY(device.CheckAlive());
  const uint64_t row = uint64_t{width} * BytesPerTexel(format);
  if (!row || !height) {
    return Fail(ErrorKind::InvalidArgument, "Nothing can be uploaded into a texture of {}x{} {}.", width, height, FormatName(format));
  }
  const WGPUTexelCopyTextureInfo target = WholeTexture(texture);
  WGPUTexelCopyBufferLayout layout = WGPU_TEXEL_COPY_BUFFER_LAYOUT_INIT;
  const WGPUExtent3D size{width, height, 1};
  std::vector<std::byte> packed;
  // The queue takes rows of any pitch in texels; what runs backwards, or breaks in the middle of a texel, is packed first.
  const bool direct = stride >= static_cast<ptrdiff_t>(row) && stride % BytesPerTexel(format) == 0;
  if (!direct && height > 1) {
    packed.resize(row * height);
    const auto* source = static_cast<const std::byte*>(data);
    for (uint32_t y = 0; y < height; ++y) std::memcpy(packed.data() + y * row, source + static_cast<ptrdiff_t>(y) * stride, row);
    data = packed.data();
  }
  layout.bytesPerRow = static_cast<uint32_t>(direct && height > 1 ? static_cast<uint64_t>(stride) : row);
  layout.rowsPerImage = height;
  const uint64_t bytes = uint64_t{layout.bytesPerRow} * (height - 1) + row;
  ErrorCollector errors;
  device.WriteTexture(target, data, bytes, layout, size);
  WEFT_TRY(device.Outcome(errors, fmt::format("an upload into a texture of {}x{} {}", width, height, FormatName(format))));
  device.counters().Upload(row * height);
  return {};
}

Status UploadTexture(const PoolTexture& texture, const void* data, ptrdiff_t stride) {
  return UploadTexture(texture.device(), texture.texture(), texture.format(), texture.width(), texture.height(), data, stride);
}

void ReadTexture(Device& device, WGPUTexture texture, WGPUTextureFormat format, uint32_t width, uint32_t height, RowsCallback done) {
  const uint64_t row = uint64_t{width} * BytesPerTexel(format);
  if (!row || !height) {
    return done(Fail(ErrorKind::InvalidArgument, "Nothing can be read from a texture of {}x{} {}.", width, height, FormatName(format)));
  }
  const uint64_t pitch = (row + kRowPitch - 1) / kRowPitch * kRowPitch;
  auto buffer = device.buffers().Acquire(pitch * height, WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst);
  if (!buffer) return done(std::move(buffer.error()));

  const Procs& procs = device.procs();
  Status sent;
  {
    ErrorCollector errors;
    auto encoder = device.Own(procs.DeviceCreateCommandEncoder(device.handle(), nullptr));
    const WGPUTexelCopyTextureInfo from = WholeTexture(texture);
    WGPUTexelCopyBufferInfo to = WGPU_TEXEL_COPY_BUFFER_INFO_INIT;
    to.buffer = (*buffer)->buffer();
    to.layout.bytesPerRow = static_cast<uint32_t>(pitch);
    to.layout.rowsPerImage = height;
    const WGPUExtent3D size{width, height, 1};
    procs.CommandEncoderCopyTextureToBuffer(encoder.get(), &from, &to, &size);
    auto commands = device.Own(procs.CommandEncoderFinish(encoder.get(), nullptr));
    sent = device.Outcome(errors, fmt::format("a copy from a texture of {}x{} {}", width, height, FormatName(format)));
    if (sent) {  // a command buffer that failed must never be submitted
      device.Submit(commands.get());
      sent = device.Outcome(errors, "the submit of a read-back");
    }
  }
  if (!sent) return done(std::move(sent.error()));
  device.counters().Download(row * height);
  MapRows(std::move(*buffer), pitch, row, height, std::move(done));
}

void ReadTexture(const PoolTexture& texture, RowsCallback done) {
  ReadTexture(texture.device(), texture.texture(), texture.format(), texture.width(), texture.height(), std::move(done));
}

void ReadBuffer(Device& device, WGPUBuffer buffer, uint64_t offset, uint64_t size, RowsCallback done) {
  if (!size || size % 4 || offset % 4) {
    return done(Fail(ErrorKind::InvalidArgument,
                     "{} bytes from byte {} of a GPU buffer cannot be read: both must be multiples of 4 and some bytes be asked for.", size,
                     offset));
  }
  auto staging = device.buffers().Acquire(size, WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst);
  if (!staging) return done(std::move(staging.error()));
  const Procs& procs = device.procs();
  Status sent;
  {
    ErrorCollector errors;
    auto encoder = device.Own(procs.DeviceCreateCommandEncoder(device.handle(), nullptr));
    procs.CommandEncoderCopyBufferToBuffer(encoder.get(), buffer, offset, (*staging)->buffer(), 0, size);
    auto commands = device.Own(procs.CommandEncoderFinish(encoder.get(), nullptr));
    sent = device.Outcome(errors, fmt::format("a copy of {} bytes from a buffer", size));
    if (sent) {
      device.Submit(commands.get());
      sent = device.Outcome(errors, "the submit of a read-back");
    }
  }
  if (!sent) return done(std::move(sent.error()));
  device.counters().Download(size);
  MapRows(std::move(*staging), size, size, 1, std::move(done));
}

Result<std::vector<std::byte>> ReadTextureNow(Device& device, WGPUTexture texture, WGPUTextureFormat format, uint32_t width,
                                              uint32_t height) {
  return Now([&](RowsCallback done) { ReadTexture(device, texture, format, width, height, std::move(done)); });
}

Result<std::vector<std::byte>> ReadTextureNow(const PoolTexture& texture) {
  return Now([&](RowsCallback done) { ReadTexture(texture, std::move(done)); });
}

Result<std::vector<std::byte>> ReadBufferNow(Device& device, WGPUBuffer buffer, uint64_t offset, uint64_t size) {
  return Now([&](RowsCallback done) { ReadBuffer(device, buffer, offset, size, std::move(done)); });
}

Status CopyTexture(const PoolTexture& from, const PoolTexture& to) {
  if (from.width() != to.width() || from.height() != to.height()) {
    return Fail(ErrorKind::InvalidArgument, "A texture of {}x{} cannot be copied into one of {}x{}.", from.width(), from.height(),
                to.width(), to.height());
  }
  Device& device = from.device();
  const Procs& procs = device.procs();
  ErrorCollector errors;
  auto encoder = device.Own(procs.DeviceCreateCommandEncoder(device.handle(), nullptr));
  const WGPUTexelCopyTextureInfo source = WholeTexture(from.texture());
  const WGPUTexelCopyTextureInfo target = WholeTexture(to.texture());
  const WGPUExtent3D size{from.width(), from.height(), 1};
  procs.CommandEncoderCopyTextureToTexture(encoder.get(), &source, &target, &size);
  auto commands = device.Own(procs.CommandEncoderFinish(encoder.get(), nullptr));
  WEFT_TRY(device.Outcome(errors, fmt::format("a copy from {} to {}", FormatName(from.format()), FormatName(to.format()))));
  device.Submit(commands.get());
  device.counters().TextureCopy();
  return device.Outcome(errors, "the submit of a copy");
}

}  // namespace weft::gpu
