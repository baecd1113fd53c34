// SPDX-License-Identifier: Apache-2.0
#include "host/webgpu/pass_bindings.h"

#include <algorithm>
#include <cstring>

#include "base/fail.h"
#include "host/webgpu/virtual_device.h"

namespace weft::host {

namespace {

constexpr uint64_t kUnlimited = std::numeric_limits<uint64_t>::max();

size_t HashPointer(const void* p) { return (reinterpret_cast<uintptr_t>(p) >> 4) * 0x9E3779B97F4A7C15ull >> 20; }

const char* FormatText(wit::GpuIndexFormat f) { return f == wit::GpuIndexFormat::Uint16 ? "uint16" : "uint32"; }

}  // namespace

bool Seen::Insert(VObject* object) {
  if ((kept_.size() + 1) * 2 > table_.size()) {
    table_.assign(std::max<size_t>(32, table_.size() * 2), nullptr);
    for (const auto& k : kept_) {
      size_t i = HashPointer(k.get()) & (table_.size() - 1);
      while (table_[i] != nullptr) i = (i + 1) & (table_.size() - 1);
      table_[i] = k.get();
    }
  }
  size_t i = HashPointer(object) & (table_.size() - 1);
  for (; table_[i] != nullptr; i = (i + 1) & (table_.size() - 1)) {
    if (table_[i] == object) return false;
  }
  table_[i] = object;
  kept_.push_back(Ref<VObject>(object));
  return true;
}

bool SliceOffsets(const wasm::Opt<wasm::List<uint32_t>>& data, const wasm::Opt<uint64_t>& start, const wasm::Opt<uint32_t>& length,
                  std::span<const uint32_t>* out) {
  const std::span<const uint32_t> all = data ? data->span() : std::span<const uint32_t>();
  const uint64_t from = start.value_or(0);
  if (from > all.size()) return false;
  const uint64_t count = length ? *length : all.size() - from;
  if (count > all.size() - from) return false;
  *out = all.subspan(from, count);
  return true;
}

std::string Bindings::CheckGroup(const WGPULimits& limits, uint32_t index, const VBindGroup* group, std::span<const uint32_t> offsets) {
  const uint32_t max = std::min<uint32_t>(limits.maxBindGroups, kMaxGroups);
  if (index >= max) return fmt::format("the index {} is not below the limit maxBindGroups, {}.", index, max);
  const size_t want = group != nullptr ? group->dynamic.size() : 0;
  if (offsets.size() != want) {
    return fmt::format("{} takes {} dynamic offsets, but {} were given.", group != nullptr ? group->Name() : "no bind group", want,
                       offsets.size());
  }
  for (size_t i = 0; i < want; ++i) {
    const auto& d = group->dynamic[i];
    const bool uniform = d.type == wit::GpuBufferBindingType::Uniform;
    const uint32_t align = uniform ? limits.minUniformBufferOffsetAlignment : limits.minStorageBufferOffsetAlignment;
    if (align != 0 && offsets[i] % align != 0) {
      return fmt::format("the dynamic offset {} of binding {} is not a multiple of {} ({}).", offsets[i], d.binding, align,
                         uniform ? "minUniformBufferOffsetAlignment" : "minStorageBufferOffsetAlignment");
    }
    // offset + size lie within the buffer since the group's creation, so nothing wraps.
    if (offsets[i] > d.buffer_size - d.offset - d.size) {
      return fmt::format("the dynamic offset {} of binding {} reaches beyond the buffer: {} + {} + {} bytes of {}.", offsets[i], d.binding,
                         d.offset, offsets[i], d.size, d.buffer_size);
    }
  }
  return {};
}

std::string Bindings::Update() {
  if (pipeline_ == nullptr) return "no pipeline is set. Call set-pipeline first.";
  used_groups_ = 0;
  if (pipeline_groups_->layout) {
    const auto& layouts = pipeline_groups_->layout->groups;
    for (uint32_t i = 0; i < layouts.size() && i < kMaxGroups; ++i) {
      const VBindGroupLayout* want = layouts[i].get();
      if (want == nullptr || (want->exclusive == 0 && want->entries.empty())) continue;
      const VBindGroup* have = groups_[i];
      if (have == nullptr) return fmt::format("{} needs a bind group at index {}, and none is set.", pipeline_->Name(), i);
      if (have->layout() != want && !have->layout()->Equivalent(*want)) {
        return fmt::format("{} at index {} was made with {}, which does not fit {} of {}.", have->Name(), i, have->layout()->Name(),
                           want->Name(), pipeline_->Name());
      }
      used_groups_ |= 1u << i;
    }
  } else {
    // Layout "auto": only its own layouts fit. Where the text is not certain, the library knows which groups the entry points need; it says
    // so at submit.
    const PipelineGroups& own = *pipeline_groups_;
    const std::vector<WgslBinding>& wanted = own.uncertain ? own.named : own.used;
    for (uint32_t i = 0; i < kMaxGroups; ++i) {
      const bool wants = std::ranges::any_of(wanted, [i](const WgslBinding& b) { return b.group == i; });
      if (groups_[i] == nullptr) {
        if (wants && !own.uncertain) return fmt::format("{} needs a bind group at index {}, and none is set.", pipeline_->Name(), i);
        continue;
      }
      const VBindGroupLayout& layout = *groups_[i]->layout();
      if (layout.exclusive == pipeline_groups_->id && layout.exclusive_index == i) {
        used_groups_ |= 1u << i;
      } else if (wants) {
        return fmt::format("{} at index {} was not made with a layout that get-bind-group-layout({}) of {} gave; its layout is \"auto\".",
                           groups_[i]->Name(), i, i, pipeline_->Name());
      }
    }
  }
  dirty_ = false;
  return {};
}

std::string Bindings::SetImmediates(const WGPULimits& limits, uint32_t range_offset, std::span<const uint8_t> data,
                                    const wasm::Opt<uint64_t>& data_offset, const wasm::Opt<uint64_t>& data_size) {
  const uint64_t from = data_offset.value_or(0);
  if (from > data.size()) return fmt::format("the data offset {} lies beyond the {} bytes given.", from, data.size());
  const uint64_t size = data_size ? *data_size : data.size() - from;
  if (size > data.size() - from) return fmt::format("{} bytes from offset {} reach beyond the {} bytes given.", size, from, data.size());
  const uint32_t max = limits.maxImmediateSize == WGPU_LIMIT_U32_UNDEFINED ? 0 : limits.maxImmediateSize / 4 * 4;
  if (range_offset % 4 != 0) return fmt::format("the range offset {} is not a multiple of 4.", range_offset);
  if (size % 4 != 0) return fmt::format("the size {} is not a multiple of 4.", size);
  if (range_offset > max || size > max - range_offset) {
    return fmt::format("{} bytes at range offset {} reach beyond the limit maxImmediateSize, {}.", size, range_offset, max);
  }
  if (size == 0) return {};
  const uint32_t begin = range_offset / 4, end = begin + static_cast<uint32_t>(size / 4);
  if (immediates_.empty()) {
    immediates_.resize(max / 4);
    immediates_begin_ = begin;
    immediates_end_ = end;
  }
  immediates_begin_ = std::min(immediates_begin_, begin);
  immediates_end_ = std::max(immediates_end_, end);
  std::memcpy(immediates_.data() + begin, data.data() + from, size);
  immediates_dirty_ = true;
  return {};
}

std::span<const uint32_t> Bindings::TakeImmediates(uint32_t* byte_offset) {
  immediates_dirty_ = false;
  uint32_t end = immediates_end_;
  // What the pipeline has no room for is not given to the library. Layout "auto" has none in today's library, also where the shader wants
  // it: then the library says so, which is better than a shader that reads zeros.
  if (pipeline_groups_->layout) {
    end = std::min(end, pipeline_groups_->layout->immediate_size / 4);
  } else if (!pipeline_groups_->immediates) {
    return {};
  }
  if (end <= immediates_begin_) return {};
  *byte_offset = immediates_begin_ * 4;
  return std::span<const uint32_t>(immediates_).subspan(immediates_begin_, end - immediates_begin_);
}

std::string ConflictSentence(const VResource& resource, const UsageScope::Conflict& conflict) {
  return fmt::format("{} is used as {} and as {} in one usage scope. What is written there must not be used in another way beside.",
                     resource.Name(), UseName(conflict.was), UseName(conflict.now));
}

std::string AddBufferToScope(UsageScope& scope, const VBuffer& buffer, Use use) {
  if (auto c = scope.AddBuffer(&buffer, use)) return ConflictSentence(buffer, c);
  return {};
}

std::string AddGroupToScope(UsageScope& scope, const VBindGroup& group) {
  for (const auto& b : group.bound) {
    UsageScope::Conflict c;
    if (b.resource->kind() == Kind::Texture) {
      const auto& t = static_cast<const VTexture&>(*b.resource);
      c = scope.AddTexture(&t, t.info().mips, t.layers(), b.range, b.use);
    } else {
      c = scope.AddBuffer(b.resource.get(), b.use);
    }
    if (c) return ConflictSentence(*b.resource, c);
  }
  return {};
}

std::string DrawBuffers::CheckVertex(const WGPULimits& limits, uint32_t slot, const VBuffer* buffer, uint64_t offset,
                                     const wasm::Opt<uint64_t>& size, uint64_t* bound_size) {
  const uint32_t max = std::min<uint32_t>(limits.maxVertexBuffers, kMaxVertexBuffers);
  if (slot >= max) return fmt::format("the slot {} is not below the limit maxVertexBuffers, {}.", slot, max);
  if (offset % 4 != 0) return fmt::format("the offset {} is not a multiple of 4.", offset);
  if (buffer != nullptr && !(buffer->usage() & wit::GpuBufferUsage::Vertex)) {
    return fmt::format("the usage of {} does not include VERTEX.", buffer->Name());
  }
  const uint64_t have = buffer != nullptr ? buffer->size() : 0;
  *bound_size = size ? *size : have - std::min(have, offset);
  if (offset > have || *bound_size > have - offset) {
    return fmt::format("offset {} and size {} reach beyond the {} bytes of {}.", offset, *bound_size, have,
                       buffer != nullptr ? buffer->Name() : "no buffer");
  }
  return {};
}

std::string DrawBuffers::CheckIndex(const VBuffer& buffer, wit::GpuIndexFormat format, uint64_t offset, const wasm::Opt<uint64_t>& size,
                                    uint64_t* bound_size) {
  const uint64_t align = format == wit::GpuIndexFormat::Uint16 ? 2 : 4;
  if (!(buffer.usage() & wit::GpuBufferUsage::Index)) return fmt::format("the usage of {} does not include INDEX.", buffer.Name());
  if (offset % align != 0) return fmt::format("the offset {} is not a multiple of {}, the size of an index.", offset, align);
  *bound_size = size ? *size : buffer.size() - std::min(buffer.size(), offset);
  if (offset > buffer.size() || *bound_size > buffer.size() - offset) {
    return fmt::format("offset {} and size {} reach beyond the {} bytes of {}.", offset, *bound_size, buffer.size(), buffer.Name());
  }
  return {};
}

std::string DrawBuffers::Update() {
  if (pipeline_ == nullptr) return "no pipeline is set. Call set-pipeline first.";
  max_vertices_ = max_instances_ = kUnlimited;
  for (uint32_t slot = 0; slot < pipeline_->vertex_buffers.size(); ++slot) {
    const auto& want = pipeline_->vertex_buffers[slot];
    if (!want.used) continue;
    if (slot >= kMaxVertexBuffers || !vertex_[slot].set) {
      return fmt::format("{} needs a vertex buffer in slot {}, and none is set.", pipeline_->Name(), slot);
    }
    const uint64_t size = vertex_[slot].size;
    uint64_t fits = 0;
    if (want.last_end <= size) fits = want.stride == 0 ? kUnlimited : (size - want.last_end) / want.stride + 1;
    if (want.step == wit::GpuVertexStepMode::Vertex) {
      if (fits < max_vertices_) max_vertices_ = fits, vertex_slot_ = slot;
    } else if (fits < max_instances_) {
      max_instances_ = fits, instance_slot_ = slot;
    }
  }
  dirty_ = false;
  return {};
}

std::string DrawBuffers::TooMany(uint64_t vertices, uint64_t instances) const {
  if (vertices > max_vertices_) {
    return fmt::format("first and count of vertices reach {}, but the {} bytes bound to slot {} hold {}.", vertices,
                       vertex_[vertex_slot_].size, vertex_slot_, max_vertices_);
  }
  return fmt::format("first and count of instances reach {}, but the {} bytes bound to slot {} hold {}.", instances,
                     vertex_[instance_slot_].size, instance_slot_, max_instances_);
}

std::string DrawBuffers::CheckIndexSet() const {
  if (!index_set_) return "no index buffer is set. Call set-index-buffer first.";
  const bool strip =
      pipeline_->topology == wit::GpuPrimitiveTopology::LineStrip || pipeline_->topology == wit::GpuPrimitiveTopology::TriangleStrip;
  if (strip && pipeline_->strip_index_format != index_format_) {
    return fmt::format("the index format {} is not the strip-index-format of {}, {}.", FormatText(index_format_), pipeline_->Name(),
                       pipeline_->strip_index_format ? FormatText(*pipeline_->strip_index_format) : "none");
  }
  return {};
}

std::string DrawBuffers::CheckDrawIndexed(uint64_t indices, uint64_t instances) {
  if (std::string why = CheckDraw(0, instances); !why.empty()) return why;
  if (std::string why = CheckIndexSet(); !why.empty()) return why;
  if (indices > index_count_) {
    return fmt::format("first and count of indices reach {}, but the index buffer that is set holds {}.", indices, index_count_);
  }
  return {};
}

std::string DrawBuffers::CheckDrawIndirect(bool indexed) {
  if (dirty_) {
    if (std::string why = Update(); !why.empty()) return why;
  }
  return indexed ? CheckIndexSet() : std::string();
}

std::string CheckIndirect(const VBuffer& buffer, uint64_t offset, uint64_t bytes) {
  if (!(buffer.usage() & wit::GpuBufferUsage::Indirect)) return fmt::format("the usage of {} does not include INDIRECT.", buffer.Name());
  if (offset % 4 != 0) return fmt::format("the offset {} is not a multiple of 4.", offset);
  if (offset > buffer.size() || bytes > buffer.size() - offset) {
    return fmt::format("{} bytes at offset {} reach beyond the {} bytes of {}.", bytes, offset, buffer.size(), buffer.Name());
  }
  return {};
}

}  // namespace weft::host
