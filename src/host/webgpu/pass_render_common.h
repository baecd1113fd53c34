// SPDX-License-Identifier: Apache-2.0
// The commands that render passes and bundle encoders have in common (GPURenderCommandsMixin), written once. These are the hot ones: ten
// thousand a frame are ordinary, so a call that is right allocates nothing.
#pragma once

#include "host/webgpu/convert.h"
#include "host/webgpu/pass_common.h"

namespace weft::host {

// A pass begins with the blend constant (0, 0, 0, 0) (WebGPU 17.1); the library wants to be told of it before a draw that uses it.
inline void SetDefaultBlendConstant(const gpu::Procs& procs, VRenderPass& pass) {
  if (std::exchange(pass.blend_constant_set, true)) return;
  const WGPUColor zero{};
  procs.RenderPassEncoderSetBlendConstant(pass.native.get(), &zero);
}
// A bundle has that of the pass that executes it.
inline void SetDefaultBlendConstant(const gpu::Procs&, VRenderBundleEncoder& encoder) { encoder.uses_blend_constant = true; }

template <class T>
Status SetRenderPipeline(VirtualGpu& gpu, Rep rep, Rep pipeline) {
  constexpr std::string_view kMethod = "set-pipeline";
  WEFT_TRY_ASSIGN(Ref<T> self, gpu.Get<T>(rep));
  WEFT_TRY_ASSIGN(Ref<VRenderPipeline> p, gpu.Get<VRenderPipeline>(pipeline));
  if (!Ready(*self, kMethod) || !UseObject(self->encoder(), *p, *self, kMethod)) return {};
  if (self->seen.Add(p.get())) {
    if (!self->targets.Matches(p->colors, p->depth_stencil, p->samples)) {
      FailCall(*self, kMethod,
               fmt::format("{} was made for colour formats {}, but here they are {}.", p->Name(),
                           DescribeTargets(p->colors, p->depth_stencil, p->samples),
                           DescribeTargets(self->targets.colors, self->targets.depth_stencil, self->targets.samples)));
      return {};
    }
    if ((p->writes_depth && self->depth_read_only) || (p->writes_stencil && self->stencil_read_only)) {
      FailCall(
          *self, kMethod,
          fmt::format("{} writes {}, which is read-only here.", p->Name(), p->writes_depth && self->depth_read_only ? "depth" : "stencil"));
      return {};
    }
  }
  self->bindings.SetPipeline(p.get(), &p->groups);
  self->buffers.SetPipeline(p.get());
  if (p->uses_blend_constant && self->encoder().feed()) [[unlikely]]
    SetDefaultBlendConstant(gpu.wgpu(), *self);
  if (self->encoder().feed()) (gpu.wgpu().*NativeOf<T>::kSetPipeline)(self->native.get(), p->native.get());
  return {};
}

// A vertex, index or indirect buffer is used. False: the encoder has failed.
template <class T>
bool UseInput(VirtualGpu& gpu, T& self, VBuffer& buffer, std::string_view method) {
  if (!self.seen.Add(&buffer)) {
    // Destroyed since it was met: submit refuses that, and there is nothing left that the library could be given.
    if (!buffer.alive()) self.encoder().Starve();
    return true;
  }
  if (!self.encoder().Use(&buffer, false, self, method)) return false;
  WatchIfLent(gpu, self.encoder());
  if (std::string why = AddBufferToScope(self.scope, buffer, Use::Input); !why.empty()) {
    FailCall(self, method, why);
    return false;
  }
  self.OnNewInput(buffer);
  return true;
}

template <class T>
Status SetIndexBuffer(VirtualGpu& gpu, Rep rep, Rep buffer, wit::GpuIndexFormat format, const Opt<uint64_t>& offset,
                      const Opt<uint64_t>& size) {
  constexpr std::string_view kMethod = "set-index-buffer";
  WEFT_TRY_ASSIGN(Ref<T> self, gpu.Get<T>(rep));
  WEFT_TRY_ASSIGN(Ref<VBuffer> b, gpu.Get<VBuffer>(buffer));
  if (!Ready(*self, kMethod) || !UseObject(self->encoder(), *b, *self, kMethod)) return {};
  uint64_t bytes = 0;
  const uint64_t at = offset.value_or(0);
  if (std::string why = DrawBuffers::CheckIndex(*b, format, at, size, &bytes); !why.empty()) {
    FailCall(*self, kMethod, why);
    return {};
  }
  if (!UseInput(gpu, *self, *b, kMethod)) return {};
  self->buffers.SetIndex(format, bytes);
  // The library ends the process for a size of 0; with nothing to read, no draw that reads passes our own check.
  if (bytes != 0 && self->encoder().feed()) {
    // Before the submit it writes zeros where nobody has written, and ends the process where that would begin in the middle of a word. The
    // whole buffer, named first, leaves nothing to be written.
    if (at % 4 != 0) {
      (gpu.wgpu().*NativeOf<T>::kSetIndexBuffer)(self->native.get(), b->native.get(), ToNative(format), 0, WGPU_WHOLE_SIZE);
    }
    (gpu.wgpu().*NativeOf<T>::kSetIndexBuffer)(self->native.get(), b->native.get(), ToNative(format), at, bytes);
  }
  return {};
}

template <class T>
Status SetVertexBuffer(VirtualGpu& gpu, Rep rep, uint32_t slot, const Opt<Rep>& buffer, const Opt<uint64_t>& offset,
                       const Opt<uint64_t>& size) {
  constexpr std::string_view kMethod = "set-vertex-buffer";
  WEFT_TRY_ASSIGN(Ref<T> self, gpu.Get<T>(rep));
  Ref<VBuffer> b;
  if (buffer) {
    WEFT_TRY_ASSIGN(b, gpu.Get<VBuffer>(*buffer));
  }
  if (!Ready(*self, kMethod) || (b && !UseObject(self->encoder(), *b, *self, kMethod))) return {};
  uint64_t bytes = 0;
  const uint64_t at = offset.value_or(0);
  if (std::string why = DrawBuffers::CheckVertex(self->device()->limits(), slot, b.get(), at, size, &bytes); !why.empty()) {
    FailCall(*self, kMethod, why);
    return {};
  }
  if (b && !UseInput(gpu, *self, *b, kMethod)) return {};
  self->buffers.SetVertex(slot, static_cast<bool>(b), bytes);
  if (b && bytes != 0 && self->encoder().feed()) {
    (gpu.wgpu().*NativeOf<T>::kSetVertexBuffer)(self->native.get(), slot, b->native.get(), at, bytes);
  }
  return {};
}

template <class T>
Status Draw(VirtualGpu& gpu, Rep rep, uint32_t vertex_count, const Opt<uint32_t>& instance_count, const Opt<uint32_t>& first_vertex,
            const Opt<uint32_t>& first_instance) {
  constexpr std::string_view kMethod = "draw";
  WEFT_TRY_ASSIGN(Ref<T> self, gpu.Get<T>(rep));
  if (!Ready(*self, kMethod)) return {};
  const uint32_t instances = instance_count.value_or(1), first = first_vertex.value_or(0), first_i = first_instance.value_or(0);
  std::string why = self->bindings.CheckGroups();
  if (why.empty()) why = self->buffers.CheckDraw(uint64_t{first} + vertex_count, uint64_t{first_i} + instances);
  if (!why.empty()) [[unlikely]] {
    FailCall(*self, kMethod, why);
    return {};
  }
  ++self->draws;
  if (!self->encoder().feed() || vertex_count == 0 || instances == 0) return {};
  FlushImmediates(gpu.wgpu(), *self);
  (gpu.wgpu().*NativeOf<T>::kDraw)(self->native.get(), vertex_count, instances, first, first_i);
  return {};
}

template <class T>
Status DrawIndexed(VirtualGpu& gpu, Rep rep, uint32_t index_count, const Opt<uint32_t>& instance_count, const Opt<uint32_t>& first_index,
                   const Opt<int32_t>& base_vertex, const Opt<uint32_t>& first_instance) {
  constexpr std::string_view kMethod = "draw-indexed";
  WEFT_TRY_ASSIGN(Ref<T> self, gpu.Get<T>(rep));
  if (!Ready(*self, kMethod)) return {};
  const uint32_t instances = instance_count.value_or(1), first = first_index.value_or(0), first_i = first_instance.value_or(0);
  std::string why = self->bindings.CheckGroups();
  if (why.empty()) why = self->buffers.CheckDrawIndexed(uint64_t{first} + index_count, uint64_t{first_i} + instances);
  if (!why.empty()) [[unlikely]] {
    FailCall(*self, kMethod, why);
    return {};
  }
  ++self->draws;
  if (!self->encoder().feed() || index_count == 0 || instances == 0) return {};
  FlushImmediates(gpu.wgpu(), *self);
  (gpu.wgpu().*NativeOf<T>::kDrawIndexed)(self->native.get(), index_count, instances, first, base_vertex.value_or(0), first_i);
  return {};
}

template <class T>
Status DrawIndirect(VirtualGpu& gpu, Rep rep, Rep buffer, uint64_t offset, bool indexed) {
  const std::string_view method = indexed ? "draw-indexed-indirect" : "draw-indirect";
  WEFT_TRY_ASSIGN(Ref<T> self, gpu.Get<T>(rep));
  WEFT_TRY_ASSIGN(Ref<VBuffer> b, gpu.Get<VBuffer>(buffer));
  if (!Ready(*self, method) || !UseObject(self->encoder(), *b, *self, method)) return {};
  std::string why = CheckIndirect(*b, offset, indexed ? 20 : 16);
  if (why.empty()) why = self->bindings.CheckGroups();
  if (why.empty()) why = self->buffers.CheckDrawIndirect(indexed);
  if (!why.empty()) {
    FailCall(*self, method, why);
    return {};
  }
  if (!UseInput(gpu, *self, *b, method)) return {};
  ++self->draws;
  if (!self->encoder().feed()) return {};
  FlushImmediates(gpu.wgpu(), *self);
  if (indexed) {
    (gpu.wgpu().*NativeOf<T>::kDrawIndexedIndirect)(self->native.get(), b->native.get(), offset);
  } else {
    (gpu.wgpu().*NativeOf<T>::kDrawIndirect)(self->native.get(), b->native.get(), offset);
  }
  return {};
}

}  // namespace weft::host
