// SPDX-License-Identifier: Apache-2.0
// What is set in a pass or bundle (GPUBindingCommandsMixin, GPURenderCommandsMixin) and whether a dispatch or draw may use it.
//
// Checks answer an empty string for "right", else the sentence that follows "<pass>.<method>: ". They run at every call, so they are
// made cheap: what depends on pipeline and bindings is worked out once after a change and kept as a few limits to compare with.
// Objects that were set are kept alive by Seen until the pass ends, so that the others here may point at them.
// Threads: the instance's own.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "host/webgpu/objects.h"
#include "host/webgpu/usage_scope.h"

namespace weft::host {

// Objects that a pass has met already: one probe a call instead of merging reaches and scopes again.
class Seen {
 public:
  // True when it is new; then it is kept.
  bool Add(VObject* object) {
    if (object == last_) return false;
    last_ = object;
    return Insert(object);
  }

 private:
  bool Insert(VObject* object);
  VObject* last_ = nullptr;
  std::vector<VObject*> table_;  // open addressing, power of two
  std::vector<Ref<VObject>> kept_;
};

inline constexpr uint32_t kMaxGroups = 8;          // no library has a greater maxBindGroups
inline constexpr uint32_t kMaxVertexBuffers = 32;  // likewise maxVertexBuffers

// The guest's list, start and length of dynamic offsets. False: outside the list (a RangeError of the call).
bool SliceOffsets(const wasm::Opt<wasm::List<uint32_t>>& data, const wasm::Opt<uint64_t>& start, const wasm::Opt<uint32_t>& length,
                  std::span<const uint32_t>* out);

class Bindings {
 public:
  static std::string CheckGroup(const WGPULimits& limits, uint32_t index, const VBindGroup* group, std::span<const uint32_t> offsets);
  void SetGroup(uint32_t index, VBindGroup* group) {
    if (groups_[index] != group) dirty_ = true;
    groups_[index] = group;
  }
  VBindGroup* group(uint32_t index) const { return groups_[index]; }

  void SetPipeline(const VObject* pipeline, const PipelineGroups* groups) {
    if (pipeline == pipeline_) return;
    pipeline_ = pipeline;
    pipeline_groups_ = groups;
    dirty_ = true;
    immediates_dirty_ = !immediates_.empty();
  }
  bool dirty() const { return dirty_; }
  // The groups against the pipeline. Costs only after a change.
  std::string CheckGroups() { return dirty_ ? Update() : std::string(); }
  // Which groups the pipeline uses, bit i; after CheckGroups().
  uint32_t used_groups() const { return used_groups_; }

  std::string SetImmediates(const WGPULimits& limits, uint32_t range_offset, std::span<const uint8_t> data,
                            const wasm::Opt<uint64_t>& data_offset, const wasm::Opt<uint64_t>& data_size);
  // The library forgets immediates when the pipeline changes and wants the pipeline first; so they are given to it just before a dispatch
  // or draw. Empty: nothing to give.
  bool immediates_dirty() const { return immediates_dirty_; }
  std::span<const uint32_t> TakeImmediates(uint32_t* byte_offset);

  // As after execute-bundles: nothing is set.
  void Reset() { *this = Bindings(); }

 private:
  std::string Update();

  std::array<VBindGroup*, kMaxGroups> groups_{};
  const PipelineGroups* pipeline_groups_ = nullptr;
  const VObject* pipeline_ = nullptr;
  bool dirty_ = true;
  bool immediates_dirty_ = false;
  uint32_t used_groups_ = 0;
  std::vector<uint32_t> immediates_;                    // maxImmediateSize / 4 once any was set
  uint32_t immediates_begin_ = 0, immediates_end_ = 0;  // words that were ever set
};

// Adds all that a bind group uses. The sentence of the first conflict, or empty.
std::string AddGroupToScope(UsageScope& scope, const VBindGroup& group);
std::string AddBufferToScope(UsageScope& scope, const VBuffer& buffer, Use use);
std::string ConflictSentence(const VResource& resource, const UsageScope::Conflict& conflict);

// Vertex and index buffers, and what draws may do with them.
class DrawBuffers {
 public:
  // A null buffer unsets the slot. `bound_size` gets the size that the binding has.
  static std::string CheckVertex(const WGPULimits& limits, uint32_t slot, const VBuffer* buffer, uint64_t offset,
                                 const wasm::Opt<uint64_t>& size, uint64_t* bound_size);
  void SetVertex(uint32_t slot, bool set, uint64_t size) {
    vertex_[slot] = {set, size};
    dirty_ = true;
  }
  static std::string CheckIndex(const VBuffer& buffer, wit::GpuIndexFormat format, uint64_t offset, const wasm::Opt<uint64_t>& size,
                                uint64_t* bound_size);
  void SetIndex(wit::GpuIndexFormat format, uint64_t size) {
    index_set_ = true;
    index_format_ = format;
    index_count_ = size / (format == wit::GpuIndexFormat::Uint16 ? 2 : 4);
  }
  void SetPipeline(const VRenderPipeline* pipeline) {
    if (pipeline == pipeline_) return;
    pipeline_ = pipeline;
    dirty_ = true;
  }

  // `vertices` and so on: first + count.
  std::string CheckDraw(uint64_t vertices, uint64_t instances) {
    if (dirty_) {
      if (std::string why = Update(); !why.empty()) return why;
    }
    if (vertices > max_vertices_ || instances > max_instances_) return TooMany(vertices, instances);
    return {};
  }
  std::string CheckDrawIndexed(uint64_t indices, uint64_t instances);
  std::string CheckDrawIndirect(bool indexed);

  void Reset() { *this = DrawBuffers(); }

 private:
  struct Vertex {
    bool set = false;
    uint64_t size = 0;
  };
  std::string Update();
  std::string TooMany(uint64_t vertices, uint64_t instances) const;
  std::string CheckIndexSet() const;

  const VRenderPipeline* pipeline_ = nullptr;
  std::array<Vertex, kMaxVertexBuffers> vertex_{};
  bool index_set_ = false;
  wit::GpuIndexFormat index_format_{};
  uint64_t index_count_ = 0;
  bool dirty_ = true;
  uint64_t max_vertices_ = 0, max_instances_ = 0;
  uint32_t vertex_slot_ = 0, instance_slot_ = 0;  // whose limits these are
};

// An indirect buffer of `bytes` at `offset`: usage, alignment, bounds.
std::string CheckIndirect(const VBuffer& buffer, uint64_t offset, uint64_t bytes);

}  // namespace weft::host
