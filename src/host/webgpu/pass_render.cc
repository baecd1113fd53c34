// SPDX-License-Identifier: Apache-2.0
// gpu-render-pass-encoder (WebGPU 17). The whole pass is one usage scope.
#include <cmath>

#include "host/webgpu/pass_render_common.h"

namespace weft::host {

Status VirtualGpu::OnGpuRenderPassEncoderSetViewport(Rep self, float x, float y, float width, float height, float min_depth,
                                                     float max_depth) {
  constexpr std::string_view kMethod = "set-viewport";
  WEFT_TRY_ASSIGN(Ref<VRenderPass> pass, Get<VRenderPass>(self));
  if (!Ready(*pass, kMethod)) return {};
  const double max_size = pass->device()->limits().maxTextureDimension2D;
  const double range = 2 * max_size;
  // Written so that a NaN is refused everywhere.
  std::string why;
  if (!(x >= -range && y >= -range && x + double{width} <= range - 1 && y + double{height} <= range - 1)) {
    why = fmt::format("the rectangle {}x{} at ({}, {}) is not within [{}, {}].", width, height, x, y, -range, range - 1);
  } else if (!(width >= 0 && width <= max_size && height >= 0 && height <= max_size)) {
    why = fmt::format("the size {}x{} is not between 0 and maxTextureDimension2D, {}.", width, height, max_size);
  } else if (!(min_depth >= 0 && min_depth <= 1 && max_depth >= 0 && max_depth <= 1 && min_depth <= max_depth)) {
    why = fmt::format("the depths {} and {} are not a range within [0, 1].", min_depth, max_depth);
  }
  if (!why.empty()) {
    FailCall(*pass, kMethod, why);
  } else if (pass->encoder().feed()) {
    wgpu().RenderPassEncoderSetViewport(pass->native.get(), x, y, width, height, min_depth, max_depth);
  }
  return {};
}

Status VirtualGpu::OnGpuRenderPassEncoderSetScissorRect(Rep self, uint32_t x, uint32_t y, uint32_t width, uint32_t height) {
  constexpr std::string_view kMethod = "set-scissor-rect";
  WEFT_TRY_ASSIGN(Ref<VRenderPass> pass, Get<VRenderPass>(self));
  if (!Ready(*pass, kMethod)) return {};
  if (uint64_t{x} + width > pass->width || uint64_t{y} + height > pass->height) {
    FailCall(*pass, kMethod,
             fmt::format("the rectangle {}x{} at ({}, {}) reaches beyond the attachments, which are {}x{}.", width, height, x, y,
                         pass->width, pass->height));
  } else if (pass->encoder().feed()) {
    wgpu().RenderPassEncoderSetScissorRect(pass->native.get(), x, y, width, height);
  }
  return {};
}

Status VirtualGpu::OnGpuRenderPassEncoderSetBlendConstant(Rep self, const wit::GpuColor& color) {
  constexpr std::string_view kMethod = "set-blend-constant";
  WEFT_TRY_ASSIGN(Ref<VRenderPass> pass, Get<VRenderPass>(self));
  if (!Ready(*pass, kMethod)) return {};
  if (!std::isfinite(color.r) || !std::isfinite(color.g) || !std::isfinite(color.b) || !std::isfinite(color.a)) {
    FailCall(*pass, kMethod, fmt::format("({}, {}, {}, {}) holds what is no finite number.", color.r, color.g, color.b, color.a));
  } else if (pass->encoder().feed()) {
    const WGPUColor c{color.r, color.g, color.b, color.a};
    wgpu().RenderPassEncoderSetBlendConstant(pass->native.get(), &c);
    pass->blend_constant_set = true;
  }
  return {};
}

Status VirtualGpu::OnGpuRenderPassEncoderSetStencilReference(Rep self, uint32_t reference) {
  WEFT_TRY_ASSIGN(Ref<VRenderPass> pass, Get<VRenderPass>(self));
  if (Ready(*pass, "set-stencil-reference") && pass->encoder().feed()) {
    wgpu().RenderPassEncoderSetStencilReference(pass->native.get(), reference);
  }
  return {};
}

Status VirtualGpu::OnGpuRenderPassEncoderBeginOcclusionQuery(Rep self, uint32_t query_index) {
  constexpr std::string_view kMethod = "begin-occlusion-query";
  WEFT_TRY_ASSIGN(Ref<VRenderPass> pass, Get<VRenderPass>(self));
  if (!Ready(*pass, kMethod)) return {};
  std::string why;
  if (!pass->occlusion) {
    why = "the pass was begun without an occlusion-query-set.";
  } else if (query_index >= pass->occlusion->count) {
    why = fmt::format("the index {} is not below the {} queries of {}.", query_index, pass->occlusion->count, pass->occlusion->Name());
  } else if (pass->occlusion_active) {
    why = "another occlusion query is active. End it first.";
  } else if (pass->occlusion_used[query_index]) {
    why = fmt::format("query {} was used in this pass already.", query_index);
  }
  if (!why.empty()) {
    FailCall(*pass, kMethod, why);
    return {};
  }
  pass->occlusion_active = true;
  pass->occlusion_used[query_index] = true;
  if (pass->encoder().feed()) wgpu().RenderPassEncoderBeginOcclusionQuery(pass->native.get(), query_index);
  return {};
}

Status VirtualGpu::OnGpuRenderPassEncoderEndOcclusionQuery(Rep self) {
  constexpr std::string_view kMethod = "end-occlusion-query";
  WEFT_TRY_ASSIGN(Ref<VRenderPass> pass, Get<VRenderPass>(self));
  if (!Ready(*pass, kMethod)) return {};
  if (!pass->occlusion_active) {
    FailCall(*pass, kMethod, "no occlusion query is active.");
    return {};
  }
  pass->occlusion_active = false;
  if (pass->encoder().feed()) wgpu().RenderPassEncoderEndOcclusionQuery(pass->native.get());
  return {};
}

Status VirtualGpu::OnGpuRenderPassEncoderExecuteBundles(Rep self, const List<Rep>& bundles) {
  constexpr std::string_view kMethod = "execute-bundles";
  WEFT_TRY_ASSIGN(Ref<VRenderPass> pass, Get<VRenderPass>(self));
  std::vector<Ref<VRenderBundle>> all;
  for (Rep rep : bundles) {
    WEFT_TRY_ASSIGN(Ref<VRenderBundle> b, Get<VRenderBundle>(rep));
    all.push_back(std::move(b));
  }
  if (!Ready(*pass, kMethod)) return {};
  std::vector<WGPURenderBundle> natives;
  for (const auto& b : all) {
    if (!UseObject(pass->encoder(), *b, *pass, kMethod)) return {};
    if (pass->seen.Add(b.get())) {
      std::string why;
      if (!pass->targets.Matches(b->targets.colors, b->targets.depth_stencil, b->targets.samples)) {
        why = fmt::format("{} was made for colour formats {}, but the pass has {}.", b->Name(),
                          DescribeTargets(b->targets.colors, b->targets.depth_stencil, b->targets.samples),
                          DescribeTargets(pass->targets.colors, pass->targets.depth_stencil, pass->targets.samples));
      } else if ((pass->depth_read_only && !b->depth_read_only) || (pass->stencil_read_only && !b->stencil_read_only)) {
        why = fmt::format("{} is read-only in the pass, and {} was not made with that.",
                          pass->depth_read_only && !b->depth_read_only ? "depth" : "stencil", b->Name());
      } else if (pass->encoder().Use(b->reach(), *pass, kMethod)) {
        NoteWritten(pass->encoder().written, b->written);
        WatchIfLent(*this, pass->encoder());
        why = AddBundleToScope(pass->scope, b->uses);
      }
      if (!why.empty()) FailCall(*pass, kMethod, why);
      if (pass->encoder().failed()) return {};
    }
    pass->draws += b->draws;
    if (b->uses_blend_constant && pass->encoder().feed()) SetDefaultBlendConstant(wgpu(), *pass);
    natives.push_back(b->native.get());
  }
  pass->bindings.Reset();
  pass->buffers.Reset();
  if (!natives.empty() && pass->encoder().feed()) {
    wgpu().RenderPassEncoderExecuteBundles(pass->native.get(), natives.size(), natives.data());
  }
  return {};
}

Status VirtualGpu::OnGpuRenderPassEncoderEnd(Rep self) {
  constexpr std::string_view kMethod = "end";
  WEFT_TRY_ASSIGN(Ref<VRenderPass> pass, Get<VRenderPass>(self));
  if (pass->ended) {
    pass->device()->Validation(fmt::format("{}.end: it has ended already.", pass->Name()));
    return {};
  }
  pass->ended = true;
  if (pass->debug_depth != 0) {
    FailCall(*pass, kMethod, fmt::format("{} debug groups were pushed and not popped.", pass->debug_depth));
  } else if (pass->occlusion_active) {
    FailCall(*pass, kMethod, "an occlusion query is still active. End it first.");
  } else if (pass->draws > pass->max_draws) {
    FailCall(*pass, kMethod, fmt::format("{} draws were made, more than max-draw-count, {}.", pass->draws, pass->max_draws));
  }
  if (pass->encoder().feed() && pass->native) {
    DeferredErrors errors(pass->encoder(), "end-render-pass");
    wgpu().RenderPassEncoderEnd(pass->native.get());
  }
  pass->native.Reset();
  pass->Unlock();
  return {};
}

// --- shared with bundle encoders: pass_render_common.h ---

Status VirtualGpu::OnGpuRenderPassEncoderPushDebugGroup(Rep self, Str group_label) {
  return PushDebugGroup<VRenderPass>(*this, self, group_label);
}
Status VirtualGpu::OnGpuRenderPassEncoderPopDebugGroup(Rep self) { return PopDebugGroup<VRenderPass>(*this, self); }
Status VirtualGpu::OnGpuRenderPassEncoderInsertDebugMarker(Rep self, Str marker_label) {
  return InsertDebugMarker<VRenderPass>(*this, self, marker_label);
}
Result<Res<Unit, wit::SetBindGroupError>> VirtualGpu::OnGpuRenderPassEncoderSetBindGroup(Rep self, uint32_t index,
                                                                                         const Opt<Rep>& bind_group,
                                                                                         const Opt<List<uint32_t>>& dynamic_offsets_data,
                                                                                         const Opt<uint64_t>& dynamic_offsets_data_start,
                                                                                         const Opt<uint32_t>& dynamic_offsets_data_length) {
  return SetBindGroup<VRenderPass>(*this, self, index, bind_group, dynamic_offsets_data, dynamic_offsets_data_start,
                                   dynamic_offsets_data_length);
}
Status VirtualGpu::OnGpuRenderPassEncoderSetImmediates(Rep self, uint32_t range_offset, const List<uint8_t>& data,
                                                       const Opt<uint64_t>& data_offset, const Opt<uint64_t>& data_size) {
  return SetImmediates<VRenderPass>(*this, self, range_offset, data, data_offset, data_size);
}
Status VirtualGpu::OnGpuRenderPassEncoderSetPipeline(Rep self, Rep pipeline) {
  return SetRenderPipeline<VRenderPass>(*this, self, pipeline);
}
Status VirtualGpu::OnGpuRenderPassEncoderSetIndexBuffer(Rep self, Rep buffer, wit::GpuIndexFormat index_format, const Opt<uint64_t>& offset,
                                                        const Opt<uint64_t>& size) {
  return SetIndexBuffer<VRenderPass>(*this, self, buffer, index_format, offset, size);
}
Status VirtualGpu::OnGpuRenderPassEncoderSetVertexBuffer(Rep self, uint32_t slot, const Opt<Rep>& buffer, const Opt<uint64_t>& offset,
                                                         const Opt<uint64_t>& size) {
  return SetVertexBuffer<VRenderPass>(*this, self, slot, buffer, offset, size);
}
Status VirtualGpu::OnGpuRenderPassEncoderDraw(Rep self, uint32_t vertex_count, const Opt<uint32_t>& instance_count,
                                              const Opt<uint32_t>& first_vertex, const Opt<uint32_t>& first_instance) {
  return Draw<VRenderPass>(*this, self, vertex_count, instance_count, first_vertex, first_instance);
}
Status VirtualGpu::OnGpuRenderPassEncoderDrawIndexed(Rep self, uint32_t index_count, const Opt<uint32_t>& instance_count,
                                                     const Opt<uint32_t>& first_index, const Opt<int32_t>& base_vertex,
                                                     const Opt<uint32_t>& first_instance) {
  return DrawIndexed<VRenderPass>(*this, self, index_count, instance_count, first_index, base_vertex, first_instance);
}
Status VirtualGpu::OnGpuRenderPassEncoderDrawIndirect(Rep self, Rep indirect_buffer, uint64_t indirect_offset) {
  return DrawIndirect<VRenderPass>(*this, self, indirect_buffer, indirect_offset, false);
}
Status VirtualGpu::OnGpuRenderPassEncoderDrawIndexedIndirect(Rep self, Rep indirect_buffer, uint64_t indirect_offset) {
  return DrawIndirect<VRenderPass>(*this, self, indirect_buffer, indirect_offset, true);
}

}  // namespace weft::host
