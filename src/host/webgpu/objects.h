// SPDX-License-Identifier: Apache-2.0
// The objects behind a guest's handles: what the virtual GPU knows of each, beside the native handle.
//
// Ownership: reference counted. The instance's table holds one reference a handle; objects hold what they reach. An object may outlive its
// handle (a view keeps its texture), but no object but a buffer whose map is pending outlives the instance.
// Threads: the instance's own (one at a time). The GPU thread touches only VBuffer's map state, and may drop the last reference to one.
// Validity: a failed creation makes an object that is not valid ("error object" of the specification); using it is a validation error.
// Include virtual_device.h (or virtual_gpu.h) rather than this file alone: destructors need VDevice whole.
// The command side (encoders, passes, bundles, command buffers) derives its own classes from VReaching in encoder_state.h and others.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/ref.h"
#include "gpu/handle.h"
#include "gpu/library.h"
#include "host/webgpu/account.h"
#include "host/webgpu/reach.h"
#include "host/webgpu/usage_scope.h"
#include "host/webgpu/wgsl_reflect.h"
#include "wasm/gen/webgpu.h"

namespace weft::host {

namespace wit = ::weft::wasm::webgpu;
using wasm::Completion;
using wasm::List;
using wasm::Opt;
using wasm::Rep;
using wasm::Res;
using wasm::Str;
using wasm::StreamSource;
using wasm::Tuple2;
using wasm::Unit;

class VDevice;
class VBindGroupLayout;

inline constexpr uint64_t kNoFrame = std::numeric_limits<uint64_t>::max();

class VObject : public RefCounted {
 public:
  Kind kind() const { return kind_; }
  const std::string& label() const { return label_; }
  // A label is the guest's text in our memory: what is longer than any message can show is cut.
  static constexpr size_t kMaxLabel = 4096;
  void set_label(std::string_view label) { label_ = label.substr(0, kMaxLabel); }
  // gpu-buffer 'vertices', or gpu-buffer without a label: for messages.
  std::string Name() const;

  // The virtual device that it belongs to; null for adapters and plain values.
  VDevice* device() const { return device_.get(); }
  // False: an error object. Native handles of an invalid object must not be used.
  bool valid() const { return valid_; }
  void Invalidate() { valid_ = false; }
  // How many of the instance's frames were over when it was made.
  uint64_t born = 0;

 protected:
  VObject(Kind kind, Ref<Account> account, Ref<VDevice> device, std::string_view label);
  ~VObject() override;
  const Ref<Account>& account() const { return account_; }

 private:
  const Kind kind_;
  bool valid_ = true;
  const Ref<Account> account_;
  const Ref<VDevice> device_;
  std::string label_;
};

// A buffer, texture or query set: what a Reach is made of.
class VResource : public VObject {
 public:
  enum class State : uint8_t {
    Alive,
    Destroyed,  // by the guest
    Revoked,    // the frame that lent it is over
  };
  State state() const { return state_; }
  bool alive() const { return state_ == State::Alive; }
  // A frame's resource that the host lent; kNoFrame: the guest made it itself.
  uint64_t frame() const { return frame_; }
  bool imported() const { return frame_ != kNoFrame; }
  // Mapped, or waiting for its map: must not be used by the GPU.
  virtual bool mapped() const { return false; }
  // Ends the native side: destroys it when it is the guest's own, lets go of it when it is lent.
  virtual void End(State how) = 0;

 protected:
  VResource(Kind kind, Ref<Account> account, Ref<VDevice> device, std::string_view label, uint64_t frame)
      : VObject(kind, std::move(account), std::move(device), label), frame_(frame) {}
  State state_ = State::Alive;

 private:
  const uint64_t frame_;
};

// What reaches resources. When it reaches one of a frame it stands in the instance's list of frame objects, so that revoking the frame
// finds it and drops its native handle.
class VReaching : public VObject {
 public:
  const Reach& reach() const { return reach_; }
  // Drops the native handle: what it reaches was revoked. The object stays, and every use of it is refused.
  virtual void DropNative() = 0;

  // Intrusive list, see VirtualGpu::Watch(). The links are to the neighbours; the list head is one of them.
  struct Link {
    Link* prev = nullptr;
    Link* next = nullptr;
    VReaching* owner = nullptr;
    ~Link() { Unlink(); }
    void Unlink() {
      if (!next) return;
      prev->next = next;
      next->prev = prev;
      prev = next = nullptr;
    }
  };

 protected:
  using VObject::VObject;
  Reach reach_;

 private:
  friend class VirtualGpu;
  Link frame_link_;
};

class VBuffer final : public VResource {
 public:
  static constexpr Kind kKind = Kind::Buffer;
  VBuffer(Ref<Account> account, Ref<VDevice> device, std::string_view label, uint64_t size, uint32_t usage, uint64_t frame = kNoFrame)
      : VResource(kKind, std::move(account), std::move(device), label, frame), size_(size), usage_(usage) {}
  ~VBuffer() override;

  uint64_t size() const { return size_; }
  // Virtual usage, bits of wit::GpuBufferUsage (equal to WGPUBufferUsage).
  uint32_t usage() const { return usage_; }
  // A lent buffer that only may be read: read-write storage bindings of it are refused.
  bool writable() const { return writable_; }
  bool mapped() const override { return map_state.load(std::memory_order_acquire) != wit::GpuBufferMapState::Unmapped; }
  void set_writable(bool writable) { writable_ = writable; }
  void End(State how) override;

  // Its bytes were charged to the account; given back at its end.
  void Charged();
  // The same for what is mapped, or waits for it; given back when it no longer is. False: it did not fit.
  bool ChargeMap(uint64_t bytes);
  void RefundMap();
  // Answers a pending map with an abort-error, and unmaps without a word to the library. Any thread.
  void AbortMap(std::string_view why);

  gpu::Owned<WGPUBuffer> native;

  // The map state machine of the specification. map_mutex guards pending and generation; never held over a call of the library, whose
  // callbacks take it.
  using MapDone = wasm::Completion<wit::Res<wit::Unit, wit::MapAsyncError>>;
  std::atomic<wit::GpuBufferMapState> map_state{wit::GpuBufferMapState::Unmapped};
  std::mutex map_mutex;
  MapDone pending;
  uint64_t generation = 0;  // grows when a pending map is given up, so that its late answer is ignored
  uint32_t map_mode = 0;    // bits of wit::GpuMapMode of the mapping that is pending or held
  uint64_t map_offset = 0, map_size = 0;
  bool at_creation = false;          // the mapping comes from mappedAtCreation: writable, and unmap uploads it
  std::byte* mapped_data = nullptr;  // the library's memory of the held mapping, once asked for; the instance's thread only

 private:
  void GiveBack();
  const uint64_t size_;
  const uint32_t usage_;
  bool writable_ = true;
  uint64_t charged_ = 0;
  std::atomic<uint64_t> map_charged_{0};
  bool counted_ = false;
};

struct TextureInfo {
  wit::GpuTextureFormat format{};
  wit::GpuTextureDimension dimension = wit::GpuTextureDimension::D2;
  uint32_t width = 1, height = 1, depth_or_layers = 1;
  uint32_t mips = 1;
  uint32_t samples = 1;
  uint32_t usage = 0;  // virtual; bits of wit::GpuTextureUsage (equal to WGPUTextureUsage)
  std::vector<wit::GpuTextureFormat> view_formats;
};

class VTexture final : public VResource {
 public:
  static constexpr Kind kKind = Kind::Texture;
  VTexture(Ref<Account> account, Ref<VDevice> device, std::string_view label, TextureInfo info, uint64_t frame = kNoFrame)
      : VResource(kKind, std::move(account), std::move(device), label, frame), info_(std::move(info)) {}
  ~VTexture() override;

  const TextureInfo& info() const { return info_; }
  uint32_t layers() const { return info_.dimension == wit::GpuTextureDimension::D2 ? info_.depth_or_layers : 1; }
  void End(State how) override;

  // So many bytes were charged to the account; given back at its end.
  void Charged(uint64_t bytes);

  gpu::Owned<WGPUTexture> native;

 private:
  void GiveBack();
  uint64_t charged_ = 0;
  bool counted_ = false;
  const TextureInfo info_;
};

class VQuerySet final : public VResource {
 public:
  static constexpr Kind kKind = Kind::QuerySet;
  VQuerySet(Ref<Account> account, Ref<VDevice> device, std::string_view label, wit::GpuQueryType type, uint32_t count)
      : VResource(kKind, std::move(account), std::move(device), label, kNoFrame),
        type(type),
        count(count),
        recorded(type == wit::GpuQueryType::Timestamp ? count : 0) {}
  ~VQuerySet() override;
  void End(State how) override;

  const wit::GpuQueryType type;
  const uint32_t count;
  std::vector<bool> recorded;  // timestamps that some pass writes
  gpu::Owned<WGPUQuerySet> native;
};

class VTextureView final : public VReaching {
 public:
  static constexpr Kind kKind = Kind::TextureView;
  VTextureView(Ref<Account> account, Ref<VDevice> device, std::string_view label, Ref<VTexture> texture);
  void DropNative() override { native.Reset(); }

  VTexture* texture() const { return texture_.get(); }
  wit::GpuTextureFormat format{};
  wit::GpuTextureViewDimension dimension{};
  wit::GpuTextureAspect aspect{};
  uint32_t usage = 0;
  uint32_t base_mip = 0, mips = 1, base_layer = 0, layers = 1;
  // Of the base mip level.
  uint32_t width() const;
  uint32_t height() const;
  uint32_t depth() const;  // of a 3D view
  uint32_t samples() const { return texture_->info().samples; }
  gpu::Owned<WGPUTextureView> native;

 private:
  const Ref<VTexture> texture_;
};

class VSampler final : public VObject {
 public:
  static constexpr Kind kKind = Kind::Sampler;
  VSampler(Ref<Account> account, Ref<VDevice> device, std::string_view label)
      : VObject(kKind, std::move(account), std::move(device), label) {}
  bool comparison = false;
  bool filtering = false;
  gpu::Owned<WGPUSampler> native;
};

// One entry of a bind group layout, defaults filled in. Only the members of its type count.
struct BindingLayout {
  enum class Type : uint8_t { Buffer, Sampler, Texture, StorageTexture };
  uint32_t binding = 0;
  uint32_t visibility = 0;  // bits of wit::GpuShaderStage
  Type type = Type::Buffer;
  wit::GpuBufferBindingType buffer = wit::GpuBufferBindingType::Uniform;
  bool dynamic = false;
  uint64_t min_size = 0;
  wit::GpuSamplerBindingType sampler = wit::GpuSamplerBindingType::Filtering;
  wit::GpuTextureSampleType sample = wit::GpuTextureSampleType::Float;
  wit::GpuTextureViewDimension view = wit::GpuTextureViewDimension::D2;
  bool multisampled = false;
  wit::GpuStorageTextureAccess access = wit::GpuStorageTextureAccess::WriteOnly;
  wit::GpuTextureFormat format{};
  bool operator==(const BindingLayout&) const = default;
};

class VBindGroupLayout final : public VObject {
 public:
  static constexpr Kind kKind = Kind::BindGroupLayout;
  VBindGroupLayout(Ref<Account> account, Ref<VDevice> device, std::string_view label)
      : VObject(kKind, std::move(account), std::move(device), label) {}

  std::vector<BindingLayout> entries;  // by binding number
  // The number of the pipeline with layout "auto" that it was taken from; 0 otherwise. Then only the library knows the entries: `entries`
  // is empty and bind groups are checked by the library, with the views' explicit usage as the rights.
  uint64_t exclusive = 0;
  uint32_t exclusive_index = 0;
  std::vector<std::pair<uint32_t, Use>> uses;  // of an "auto" layout: how its bindings are used, as far as the shader's text is certain
  std::vector<uint32_t> read_only;             // of an "auto" layout: bindings that the shader's text says it only reads
  bool ReadsOnly(uint32_t binding) const { return std::find(read_only.begin(), read_only.end(), binding) != read_only.end(); }
  gpu::Owned<WGPUBindGroupLayout> native;

  const BindingLayout* Find(uint32_t binding) const;
  // "Group-equivalent" of the specification: a bind group of one may be used where the pipeline has the other.
  bool Equivalent(const VBindGroupLayout& o) const;
};

class VPipelineLayout final : public VObject {
 public:
  static constexpr Kind kKind = Kind::PipelineLayout;
  VPipelineLayout(Ref<Account> account, Ref<VDevice> device, std::string_view label)
      : VObject(kKind, std::move(account), std::move(device), label) {}
  std::vector<Ref<VBindGroupLayout>> groups;  // null: no layout at that index
  uint32_t immediate_size = 0;
  gpu::Owned<WGPUBindGroupLayout> empty_group;  // what the library gets where a group is absent
  gpu::Owned<WGPUPipelineLayout> native;
};

class VBindGroup final : public VReaching {
 public:
  static constexpr Kind kKind = Kind::BindGroup;
  VBindGroup(Ref<Account> account, Ref<VDevice> device, std::string_view label, Ref<VBindGroupLayout> layout)
      : VReaching(kKind, std::move(account), std::move(device), label), layout_(std::move(layout)) {}
  ~VBindGroup() override;
  void DropNative() override { native.Reset(); }
  VBindGroupLayout* layout() const { return layout_.get(); }
  Reach& mutable_reach() { return reach_; }

  // A buffer with a dynamic offset, in the order in which set-bind-group gives the offsets.
  struct Dynamic {
    uint32_t binding = 0;
    wit::GpuBufferBindingType type{};
    uint64_t buffer_size = 0;
    uint64_t offset = 0, size = 0;
  };
  std::vector<Dynamic> dynamic;
  // How each resource is used, for the usage scope of a dispatch or pass. Empty for a group of an "auto" layout whose entries are not
  // known.
  struct Bound {
    Ref<VResource> resource;
    Use use{};
    SubresourceRange range;  // of a texture
  };
  std::vector<Bound> bound;
  std::vector<Ref<VObject>> holds;  // samplers and views
  uint64_t charged = 0;             // entries, given back at its end
  gpu::Owned<WGPUBindGroup> native;

 private:
  const Ref<VBindGroupLayout> layout_;
};

struct CompilationMessage {
  wit::GpuCompilationMessageType type{};
  std::string message;
  uint64_t line = 0, column = 0, offset = 0, length = 0;  // 1-based line and column; 0: not known
};

class VShaderModule final : public VObject {
 public:
  static constexpr Kind kKind = Kind::ShaderModule;
  VShaderModule(Ref<Account> account, Ref<VDevice> device, std::string_view label)
      : VObject(kKind, std::move(account), std::move(device), label) {}
  ~VShaderModule() override;
  std::vector<CompilationMessage> messages;
  WgslModule reflected;
  uint64_t charged = 0;
  gpu::Owned<WGPUShaderModule> native;
};

// The bind groups that a pipeline takes. For layout "auto" they are made when asked for.
struct PipelineGroups {
  Ref<VPipelineLayout> layout;  // null: "auto"
  std::map<uint32_t, Ref<VBindGroupLayout>> automatic;
  // For "auto": a number of its own, what the shaders' text says of its bindings, and which of them the entry points name (`uncertain`:
  // that is not known of all).
  uint64_t id = 0;
  std::vector<WgslBinding> named, used;
  bool uncertain = false;
  bool immediates = false;  // some text of it has a `var<immediate>`
};

class VComputePipeline final : public VObject {
 public:
  static constexpr Kind kKind = Kind::ComputePipeline;
  VComputePipeline(Ref<Account> account, Ref<VDevice> device, std::string_view label)
      : VObject(kKind, std::move(account), std::move(device), label) {}
  PipelineGroups groups;
  gpu::Owned<WGPUComputePipeline> native;
};

class VRenderPipeline final : public VObject {
 public:
  static constexpr Kind kKind = Kind::RenderPipeline;
  VRenderPipeline(Ref<Account> account, Ref<VDevice> device, std::string_view label)
      : VObject(kKind, std::move(account), std::move(device), label) {}
  PipelineGroups groups;
  // What a pass or bundle must match.
  std::vector<std::optional<wit::GpuTextureFormat>> colors;
  std::optional<wit::GpuTextureFormat> depth_stencil;
  uint32_t samples = 1;
  bool writes_depth = false, writes_stencil = false;
  wit::GpuPrimitiveTopology topology = wit::GpuPrimitiveTopology::TriangleList;
  std::optional<wit::GpuIndexFormat> strip_index_format;
  bool uses_blend_constant = false;
  struct VertexBuffer {
    bool used = false;  // false: a hole in the list
    uint64_t stride = 0;
    uint64_t last_end = 0;  // greatest offset + size of an attribute
    wit::GpuVertexStepMode step = wit::GpuVertexStepMode::Vertex;
  };
  std::vector<VertexBuffer> vertex_buffers;
  gpu::Owned<WGPURenderPipeline> native;
};

}  // namespace weft::host
