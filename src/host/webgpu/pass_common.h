// SPDX-License-Identifier: Apache-2.0
// The commands that compute passes, render passes and bundle encoders have in common (GPUBindingCommandsMixin, GPUDebugCommandsMixin),
// written once. T is VComputePass, VRenderPass or VRenderBundleEncoder; NativeOf<T> names the library's functions for it.
#pragma once

#include "gpu/library.h"
#include "host/webgpu/bundle_state.h"
#include "host/webgpu/encoder_util.h"
#include "host/webgpu/pass_bindings.h"
#include "host/webgpu/pass_state.h"

namespace weft::host {

template <class T>
struct NativeOf;

#define WEFT_COMMON_PROCS(Prefix)                                            \
  static constexpr auto kSetPipeline = &gpu::Procs::Prefix##SetPipeline;     \
  static constexpr auto kSetBindGroup = &gpu::Procs::Prefix##SetBindGroup;   \
  static constexpr auto kSetImmediates = &gpu::Procs::Prefix##SetImmediates; \
  static constexpr auto kPushGroup = &gpu::Procs::Prefix##PushDebugGroup;    \
  static constexpr auto kPopGroup = &gpu::Procs::Prefix##PopDebugGroup;      \
  static constexpr auto kInsertMarker = &gpu::Procs::Prefix##InsertDebugMarker;
#define WEFT_RENDER_PROCS(Prefix)                                                \
  static constexpr auto kSetIndexBuffer = &gpu::Procs::Prefix##SetIndexBuffer;   \
  static constexpr auto kSetVertexBuffer = &gpu::Procs::Prefix##SetVertexBuffer; \
  static constexpr auto kDraw = &gpu::Procs::Prefix##Draw;                       \
  static constexpr auto kDrawIndexed = &gpu::Procs::Prefix##DrawIndexed;         \
  static constexpr auto kDrawIndirect = &gpu::Procs::Prefix##DrawIndirect;       \
  static constexpr auto kDrawIndexedIndirect = &gpu::Procs::Prefix##DrawIndexedIndirect;

template <>
struct NativeOf<VComputePass> {
  WEFT_COMMON_PROCS(ComputePassEncoder)
};
template <>
struct NativeOf<VRenderPass> {
  WEFT_COMMON_PROCS(RenderPassEncoder)
  WEFT_RENDER_PROCS(RenderPassEncoder)
};
template <>
struct NativeOf<VRenderBundleEncoder> {
  WEFT_COMMON_PROCS(RenderBundleEncoder)
  WEFT_RENDER_PROCS(RenderBundleEncoder)
};
#undef WEFT_COMMON_PROCS
#undef WEFT_RENDER_PROCS

// A compute pass has one usage scope a dispatch, the others one in all.
template <class T>
inline constexpr bool kScopePerPass = !std::is_same_v<T, VComputePass>;

// Whether the call is to be looked at: false after `end` or `finish` (a validation error at once) and when the encoder has failed.
template <class T>
bool Ready(T& self, std::string_view method) {
  if (self.ended) [[unlikely]] {
    self.device()->Validation(fmt::format("{}.{}: it has ended already. Begin a new one.", self.Name(), method));
    return false;
  }
  return self.valid() && !self.encoder().failed();
}

template <class T>
void FailCall(T& self, std::string_view method, std::string_view why) {
  self.encoder().Fail(fmt::format("{}.{}: {}", self.Name(), method, why));
}

template <class T>
Status PushDebugGroup(VirtualGpu& gpu, Rep rep, Str label) {
  WEFT_TRY_ASSIGN(Ref<T> self, gpu.Get<T>(rep));
  if (!Ready(*self, "push-debug-group")) return {};
  ++self->debug_depth;
  if (self->encoder().feed()) (gpu.wgpu().*NativeOf<T>::kPushGroup)(self->native.get(), gpu::Str(ShortLabel(label)));
  return {};
}

template <class T>
Status PopDebugGroup(VirtualGpu& gpu, Rep rep) {
  WEFT_TRY_ASSIGN(Ref<T> self, gpu.Get<T>(rep));
  if (!Ready(*self, "pop-debug-group")) return {};
  if (self->debug_depth == 0) {
    FailCall(*self, "pop-debug-group", "no debug group is open here.");
    return {};
  }
  --self->debug_depth;
  if (self->encoder().feed()) (gpu.wgpu().*NativeOf<T>::kPopGroup)(self->native.get());
  return {};
}

template <class T>
Status InsertDebugMarker(VirtualGpu& gpu, Rep rep, Str label) {
  WEFT_TRY_ASSIGN(Ref<T> self, gpu.Get<T>(rep));
  if (!Ready(*self, "insert-debug-marker")) return {};
  if (self->encoder().feed()) (gpu.wgpu().*NativeOf<T>::kInsertMarker)(self->native.get(), gpu::Str(ShortLabel(label)));
  return {};
}

template <class T>
Result<Res<Unit, wit::SetBindGroupError>> SetBindGroup(VirtualGpu& gpu, Rep rep, uint32_t index, const Opt<Rep>& bind_group,
                                                       const Opt<List<uint32_t>>& offsets_data, const Opt<uint64_t>& offsets_start,
                                                       const Opt<uint32_t>& offsets_length) {
  using R = Res<Unit, wit::SetBindGroupError>;
  constexpr std::string_view kMethod = "set-bind-group";
  WEFT_TRY_ASSIGN(Ref<T> self, gpu.Get<T>(rep));
  Ref<VBindGroup> group;
  if (bind_group) {
    WEFT_TRY_ASSIGN(group, gpu.Get<VBindGroup>(*bind_group));
  }
  std::span<const uint32_t> offsets;
  if (!SliceOffsets(offsets_data, offsets_start, offsets_length, &offsets)) {
    return R::Err({{wit::SetBindGroupErrorKind::Tag::RangeError}, Str("start and length reach beyond the list of dynamic offsets")});
  }
  if (!Ready(*self, kMethod)) return R::Ok();
  VEncoder& encoder = self->encoder();
  if (group && !UseObject(encoder, *group, *self, kMethod)) return R::Ok();
  if (std::string why = Bindings::CheckGroup(self->device()->limits(), index, group.get(), offsets); !why.empty()) {
    FailCall(*self, kMethod, why);
    return R::Ok();
  }
  if (group && self->seen.Add(group.get())) {
    if (!encoder.Use(group->reach(), *self, kMethod)) return R::Ok();
    for (const auto& b : group->bound) {
      if ((b.use == Use::Storage || b.use == Use::StorageWrite) && b.resource->imported()) NoteWritten(encoder.written, b.resource.get());
    }
    WatchIfLent(gpu, encoder);
    if constexpr (kScopePerPass<T>) {
      if (std::string why = AddGroupToScope(self->scope, *group); !why.empty()) {
        FailCall(*self, kMethod, why);
        return R::Ok();
      }
      self->OnNewGroup(*group);
    }
  }
  self->bindings.SetGroup(index, group.get());
  // Unsetting is not told: our own check keeps later calls from using what was there.
  if (group && encoder.feed()) {
    (gpu.wgpu().*NativeOf<T>::kSetBindGroup)(self->native.get(), index, group->native.get(), offsets.size(), offsets.data());
  }
  return R::Ok();
}

template <class T>
Status SetImmediates(VirtualGpu& gpu, Rep rep, uint32_t range_offset, const List<uint8_t>& data, const Opt<uint64_t>& data_offset,
                     const Opt<uint64_t>& data_size) {
  constexpr std::string_view kMethod = "set-immediates";
  WEFT_TRY_ASSIGN(Ref<T> self, gpu.Get<T>(rep));
  if (!Ready(*self, kMethod)) return {};
  std::string why = self->bindings.SetImmediates(self->device()->limits(), range_offset, data.span(), data_offset, data_size);
  if (why.empty() && (gpu.wgpu().*NativeOf<T>::kSetImmediates) == nullptr) why = "the GPU library of this host has no immediates.";
  if (!why.empty()) FailCall(*self, kMethod, why);
  return {};
}

// Just before a dispatch or draw goes to the library.
template <class T>
void FlushImmediates(const gpu::Procs& procs, T& self) {
  if (!self.bindings.immediates_dirty()) [[likely]]
    return;
  uint32_t offset = 0;
  const auto words = self.bindings.TakeImmediates(&offset);
  if (!words.empty()) (procs.*NativeOf<T>::kSetImmediates)(self.native.get(), offset, words.data(), words.size_bytes());
}

}  // namespace weft::host
