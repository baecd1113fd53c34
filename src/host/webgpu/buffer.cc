// SPDX-License-Identifier: Apache-2.0
// Buffers (specification 5). The map state machine is ours: the library's own answers end the process when asked out of turn.
#include <cstring>

#include "host/webgpu/convert.h"
#include "host/webgpu/virtual_gpu.h"

namespace weft::host {

namespace {

using U = wit::GpuBufferUsage;
constexpr uint32_t kAllUsages = (1u << 10) - 1;

std::optional<std::string> BufferRefusal(const wit::GpuBufferDescriptor& d, const WGPULimits& limits) {
  const uint32_t usage = d.usage.bits;
  if (usage == 0) return "the usage of a buffer must not be empty";
  if (usage & ~kAllUsages) return fmt::format("usage 0x{:x} has bits that are no buffer usage", usage);
  if ((usage & U::MapRead) && (usage & ~(U::MapRead | U::CopyDst))) {
    return fmt::format("a buffer with usage map-read may have copy-dst beside it and nothing else (usage 0x{:x})", usage);
  }
  if ((usage & U::MapWrite) && (usage & ~(U::MapWrite | U::CopySrc))) {
    return fmt::format("a buffer with usage map-write may have copy-src beside it and nothing else (usage 0x{:x})", usage);
  }
  if (d.size > limits.maxBufferSize) return fmt::format("size {} is more than the limit maxBufferSize {}", d.size, limits.maxBufferSize);
  if (d.mapped_at_creation.value_or(false) && d.size % 4 != 0) {
    return fmt::format("a buffer that is mapped at creation must have a size that is a multiple of 4, not {}", d.size);
  }
  return std::nullopt;
}

}  // namespace

Result<Rep> VirtualGpu::OnGpuDeviceCreateBuffer(Rep self, const wit::GpuBufferDescriptor& d) {
  WEFT_TRY_ASSIGN(auto device, Get<VDevice>(self));
  auto buffer = Make<VBuffer>(device, d.label, d.size, d.usage.bits);
  const bool mapped = d.mapped_at_creation.value_or(false);
  if (mapped) {
    buffer->map_state = wit::GpuBufferMapState::Mapped;
    buffer->at_creation = true;
    buffer->map_mode = wit::GpuMapMode::Write;
    buffer->map_size = d.size;
  }
  if (!buffer->valid()) return Add(std::move(buffer));
  if (device->lost()) {
    buffer->Invalidate();
    return Add(std::move(buffer));
  }
  if (auto why = BufferRefusal(d, device->limits())) {
    buffer->Invalidate();
    device->Validation(fmt::format("creating {}: {}", buffer->Name(), *why));
    return Add(std::move(buffer));
  }
  const bool fits = account_->ChargeMemory(Quota::Buffers, d.size);
  if (fits) buffer->Charged();
  if (!fits || (mapped && !buffer->ChargeMap(d.size))) {
    buffer->Invalidate();
    device->Report(ErrorType::OutOfMemory, fmt::format("creating {}: {}", buffer->Name(), QuotaSentence()));
    return Add(std::move(buffer));
  }
  NativeErrors errors(device.get());
  WGPUBufferDescriptor n = WGPU_BUFFER_DESCRIPTOR_INIT;
  n.label = gpu::Str(buffer->label());
  // resolve-query-set also clears (encoder_copy.cc). The guest sees its own usage only.
  n.usage = d.usage.bits | (d.usage.bits & U::QueryResolve ? U::CopyDst : 0u);
  n.size = d.size;
  n.mappedAtCreation = mapped && d.size > 0;
  buffer->native = gpu_->Own(wgpu().DeviceCreateBuffer(gpu_->handle(), &n));
  if (errors.Flush(fmt::format("creating {}: ", buffer->Name())) || !buffer->native) {
    buffer->Invalidate();
    buffer->native.Reset();
  }
  return Add(std::move(buffer));
}

Result<uint64_t> VirtualGpu::OnGpuBufferSize(Rep self) {
  WEFT_TRY_ASSIGN(auto buffer, Get<VBuffer>(self));
  return buffer->size();
}

Result<wit::GpuBufferUsage> VirtualGpu::OnGpuBufferUsage(Rep self) {
  WEFT_TRY_ASSIGN(auto buffer, Get<VBuffer>(self));
  return wit::GpuBufferUsage{buffer->usage()};
}

Result<wit::GpuBufferMapState> VirtualGpu::OnGpuBufferMapState(Rep self) {
  WEFT_TRY_ASSIGN(auto buffer, Get<VBuffer>(self));
  return buffer->map_state.load();
}

// --- map-async ---

namespace {

std::optional<std::string> MapRefusal(const VBuffer& b, uint32_t mode, uint64_t offset, uint64_t size) {
  if (!b.valid()) return fmt::format("{} is invalid: its creation failed", b.Name());
  if (!b.alive()) return fmt::format("{} was destroyed or its frame is over", b.Name());
  if (b.map_state != wit::GpuBufferMapState::Unmapped) return fmt::format("{} is mapped already", b.Name());
  if (offset % 8 != 0) return fmt::format("map offset {} is not a multiple of 8", offset);
  if (size % 4 != 0) return fmt::format("map size {} is not a multiple of 4", size);
  if (offset > b.size() || size > b.size() - offset) {
    return fmt::format("the range {} + {} lies outside of {} with {} bytes", offset, size, b.Name(), b.size());
  }
  if (mode != wit::GpuMapMode::Read && mode != wit::GpuMapMode::Write) return "the map mode must be either read or write";
  if (mode == wit::GpuMapMode::Read && !(b.usage() & U::MapRead)) return fmt::format("{} has no usage map-read", b.Name());
  if (mode == wit::GpuMapMode::Write && !(b.usage() & U::MapWrite)) return fmt::format("{} has no usage map-write", b.Name());
  return std::nullopt;
}

using MapAnswer = Res<Unit, wit::MapAsyncError>;
MapAnswer MapErr(wit::MapAsyncErrorKind::Tag tag, const std::string& message) { return MapAnswer::Err({{tag}, Str(message)}); }

// On the GPU thread. The buffer may have been unmapped, destroyed or dropped meanwhile: then `generation` has moved on and somebody else
// has answered.
void FinishMap(const Ref<VBuffer>& buffer, uint64_t generation, const Status& status) {
  VBuffer::MapDone done;
  {
    std::lock_guard lock(buffer->map_mutex);
    if (buffer->generation != generation) return;
    buffer->map_state.store(status ? wit::GpuBufferMapState::Mapped : wit::GpuBufferMapState::Unmapped, std::memory_order_release);
    if (!status) buffer->RefundMap();
    done = std::move(buffer->pending);
  }
  if (status) return done.Done(MapAnswer::Ok());
  const bool aborted = status.error().kind() == ErrorKind::Cancelled || status.error().kind() == ErrorKind::DeviceLost;
  using Tag = wit::MapAsyncErrorKind::Tag;
  done.Done(MapErr(aborted ? Tag::AbortError : Tag::OperationError, status.error().message()));
}

}  // namespace

void VirtualGpu::OnGpuBufferMapAsync(Rep self, wit::GpuMapMode mode, const Opt<uint64_t>& offset_opt, const Opt<uint64_t>& size_opt,
                                     Completion<MapAnswer> done) {
  using Tag = wit::MapAsyncErrorKind::Tag;
  auto found = Get<VBuffer>(self);
  if (!found) return done.Trap(found.error().message());
  const Ref<VBuffer>& buffer = *found;
  VDevice* device = buffer->device();
  if (device->lost()) return done.Done(MapErr(Tag::AbortError, "the device is lost"));
  // An early refusal without a validation error, as the specification has it.
  if (buffer->map_state == wit::GpuBufferMapState::Pending) {
    return done.Done(MapErr(Tag::OperationError, fmt::format("{} waits for an earlier map", buffer->Name())));
  }
  const uint64_t offset = offset_opt.value_or(0);
  const uint64_t size = size_opt.value_or(offset > buffer->size() ? 0 : buffer->size() - offset);
  if (auto why = MapRefusal(*buffer, mode.bits, offset, size)) {
    device->Validation("map-async: " + *why);
    return done.Done(MapErr(Tag::OperationError, *why));
  }
  if (!buffer->ChargeMap(size)) {
    device->Report(ErrorType::OutOfMemory, fmt::format("map-async of {}: {}", buffer->Name(), QuotaSentence()));
    return done.Done(MapErr(Tag::OperationError, QuotaSentence()));
  }
  // What was submitted and written before must be done before the map is.
  SendAll();
  uint64_t generation;
  {
    std::lock_guard lock(buffer->map_mutex);
    generation = ++buffer->generation;
    buffer->pending = std::move(done);
    buffer->map_state.store(wit::GpuBufferMapState::Pending, std::memory_order_release);
  }
  buffer->at_creation = false;
  buffer->map_mode = mode.bits;
  buffer->map_offset = offset;
  buffer->map_size = size;
  buffer->mapped_data = nullptr;
  auto finish = [buffer, generation](Status status) { FinishMap(buffer, generation, status); };
  if (size == 0) {
    // The library takes 0 for "the whole buffer": an empty mapping is only ours.
    gpu_->OnSubmittedWorkDone(std::move(finish));
    return;
  }
  NativeErrors errors(device);
  gpu_->MapAsync(buffer->native.get(), mode.bits, offset, size, std::move(finish));
}

// --- the mapped range ---

namespace {

using RangeTag = wit::GetMappedRangeErrorKind::Tag;

struct RangeRefusal {
  RangeTag tag;
  std::string message;
};

std::optional<RangeRefusal> CheckRange(const VBuffer& b, uint64_t offset, uint64_t size) {
  if (b.map_state != wit::GpuBufferMapState::Mapped)
    return RangeRefusal{RangeTag::OperationError, fmt::format("{} is not mapped", b.Name())};
  if (offset % 8 != 0) return RangeRefusal{RangeTag::OperationError, fmt::format("offset {} is not a multiple of 8", offset)};
  if (size % 4 != 0) return RangeRefusal{RangeTag::OperationError, fmt::format("size {} is not a multiple of 4", size)};
  if (offset < b.map_offset || offset - b.map_offset > b.map_size || size > b.map_size - (offset - b.map_offset)) {
    return RangeRefusal{RangeTag::OperationError, fmt::format("the range {} + {} lies outside of the mapped range {} + {} of {}", offset,
                                                              size, b.map_offset, b.map_size, b.Name())};
  }
  return std::nullopt;
}

// The library's memory of the whole mapping, asked for once. Null for an empty mapping or an invalid buffer.
std::byte* MappedData(VBuffer& b, const gpu::Procs& procs) {
  if (b.mapped_data || !b.native || b.map_size == 0) return b.mapped_data;
  void* data = b.map_mode == wit::GpuMapMode::Read
                   ? const_cast<void*>(procs.BufferGetConstMappedRange(b.native.get(), b.map_offset, b.map_size))
                   : procs.BufferGetMappedRange(b.native.get(), b.map_offset, b.map_size);
  return b.mapped_data = static_cast<std::byte*>(data);
}

}  // namespace

Result<Res<List<uint8_t>, wit::GetMappedRangeError>> VirtualGpu::OnGpuBufferGetMappedRangeGetWithCopy(Rep self,
                                                                                                      const Opt<uint64_t>& offset_opt,
                                                                                                      const Opt<uint64_t>& size_opt) {
  using Answer = Res<List<uint8_t>, wit::GetMappedRangeError>;
  WEFT_TRY_ASSIGN(auto buffer, Get<VBuffer>(self));
  const uint64_t offset = offset_opt.value_or(0);
  // Without a size: to the end of the buffer, as the specification has it.
  const uint64_t size = size_opt.value_or(offset > buffer->size() ? 0 : buffer->size() - offset);
  if (auto r = CheckRange(*buffer, offset, size)) return Answer::Err({{r->tag}, Keep(r->message)});
  if (size == 0) return Answer::Ok();
  NativeErrors errors(buffer->device());
  const std::byte* data = MappedData(*buffer, wgpu());
  if (!data) return Answer::Err({{RangeTag::OperationError}, Keep(fmt::format("{} has no memory that could be read", buffer->Name()))});
  // The engine copies at once.
  return Answer::Ok(List<uint8_t>(reinterpret_cast<const uint8_t*>(data + (offset - buffer->map_offset)), size));
}

Result<Res<Unit, wit::GetMappedRangeError>> VirtualGpu::OnGpuBufferGetMappedRangeSetWithCopy(Rep self, const List<uint8_t>& bytes,
                                                                                             const Opt<uint64_t>& offset_opt,
                                                                                             const Opt<uint64_t>& size_opt) {
  using Answer = Res<Unit, wit::GetMappedRangeError>;
  WEFT_TRY_ASSIGN(auto buffer, Get<VBuffer>(self));
  const uint64_t offset = offset_opt.value_or(0);
  // Without a size the range is as long as the bytes.
  const uint64_t size = size_opt.value_or((bytes.size + 3) / 4 * 4);
  if (auto r = CheckRange(*buffer, offset, size)) return Answer::Err({{r->tag}, Keep(r->message)});
  if (bytes.size > size) {
    return Answer::Err({{RangeTag::RangeError}, Keep(fmt::format("{} bytes do not fit into a range of {}", bytes.size, size))});
  }
  // Bytes written to a mapping for reading are lost, as are those of an invalid buffer.
  if (bytes.size == 0 || buffer->map_mode == wit::GpuMapMode::Read) return Answer::Ok();
  NativeErrors errors(buffer->device());
  if (std::byte* data = MappedData(*buffer, wgpu())) std::memcpy(data + (offset - buffer->map_offset), bytes.data, bytes.size);
  return Answer::Ok();
}

Result<Res<Unit, wit::UnmapError>> VirtualGpu::OnGpuBufferUnmap(Rep self) {
  using Answer = Res<Unit, wit::UnmapError>;
  WEFT_TRY_ASSIGN(auto buffer, Get<VBuffer>(self));
  if (buffer->map_state == wit::GpuBufferMapState::Unmapped) return Answer::Ok();
  buffer->AbortMap("the buffer was unmapped before its map was done");
  buffer->mapped_data = nullptr;
  if (buffer->native && buffer->map_size > 0) {
    NativeErrors errors(buffer->device());
    wgpu().BufferUnmap(buffer->native.get());
  }
  return Answer::Ok();
}

Status VirtualGpu::OnGpuBufferDestroy(Rep self) {
  WEFT_TRY_ASSIGN(auto buffer, Get<VBuffer>(self));
  if (!buffer->alive()) return {};
  // What was submitted with it before is still done.
  FlushSubmits();
  NativeErrors errors(buffer->device());
  buffer->End(VResource::State::Destroyed);
  return {};
}

}  // namespace weft::host
