// SPDX-License-Identifier: Apache-2.0
// Hints for encoders' debug groups and ends, passes and bundles; and what tames draws and dispatches.
#include <algorithm>

#include "generate.h"
#include "hints.h"

namespace weft::fuzz {

namespace c = calls;

// --- encoders ---

bool Hint(Guest& g, c::GpuCommandEncoderBeginRenderPassCall::Args& a) {
  Needs n(g);
  a.self = n.Encoder();
  return a.self && n.PassDescriptor(a.descriptor, g.random.Chance(30));
}

bool Hint(Guest& g, c::GpuCommandEncoderBeginComputePassCall::Args& a) {
  a.self = Needs(g).Encoder();
  return a.self != 0;
}

bool Hint(Guest& g, c::GpuCommandEncoderFinishCall::Args& a) {
  Needs n(g);
  a.self = n.Encoder();
  const auto e = g.Object<host::VCommandEncoder>(a.self);
  if (!e) return false;
  if (!g.worked[a.self] && g.random.Chance(80)) n.WorkFor(a.self);
  for (uint32_t i = e->debug_depth; i > 0; --i) {
    c::GpuCommandEncoderPopDebugGroupCall::Args pop{a.self};
    g.Do<c::GpuCommandEncoderPopDebugGroupCall>(pop);
  }
  if (g.random.Chance(30)) a.descriptor = wit::GpuCommandBufferDescriptor{n.Label()};
  return true;
}

bool Hint(Guest& g, c::GpuCommandEncoderPushDebugGroupCall::Args& a) {
  a = {Needs(g).Encoder(), g.arena.Text("group")};
  return a.self != 0;
}

bool Hint(Guest& g, c::GpuCommandEncoderPopDebugGroupCall::Args& a) {
  a.self = Needs(g).Encoder();
  const auto e = g.Object<host::VCommandEncoder>(a.self);
  if (!e) return false;
  if (e->debug_depth == 0) {
    c::GpuCommandEncoderPushDebugGroupCall::Args push{a.self, g.arena.Text("group")};
    g.Do<c::GpuCommandEncoderPushDebugGroupCall>(push);
  }
  return true;
}

bool Hint(Guest& g, c::GpuCommandEncoderInsertDebugMarkerCall::Args& a) {
  a = {Needs(g).Encoder(), g.arena.Text("marker")};
  return a.self != 0;
}

// --- what passes and bundle encoders share ---

namespace {

Rep Get(Guest& g, Resource kind) {
  Needs n(g);
  switch (kind) {
    case Resource::GpuComputePassEncoder: return n.ComputePass();
    case Resource::GpuRenderPassEncoder: return n.RenderPass();
    default: return n.BundleEncoder();
  }
}

bool Prepare(Guest& g, Resource kind, Rep pass) {
  Needs n(g);
  switch (kind) {
    case Resource::GpuComputePassEncoder: return n.PrepareCompute(pass);
    case Resource::GpuRenderPassEncoder: return n.PrepareRender(pass);
    default: return n.PrepareBundle(pass);
  }
}

// A pass in which a draw or dispatch is right now.
Rep GetPrepared(Guest& g, Resource kind) {
  const Rep pass = Get(g, kind);
  if (!pass) return 0;
  const auto known = g.prepared.find(pass);
  const bool good = known != g.prepared.end() && known->second != 0;
  return (good && g.random.Chance(85)) || Prepare(g, kind, pass) ? pass : 0;
}

template <class Pop, class Push>
bool FillPop(Guest& g, Rep self, uint32_t depth) {
  if (!self) return false;
  if (depth == 0) {
    typename Push::Args push{self, g.arena.Text("group")};
    return g.Do<Push>(push);
  }
  return true;
}

// A group for the pipeline that is set; the one that was there perhaps.
template <class A>
bool FillSetGroup(Guest& g, Resource kind, Resource pipeline_kind, A& a) {
  Needs n(g);
  a.self = GetPrepared(g, kind);
  if (!a.self) return false;
  const Rep pipeline = g.prepared[a.self];
  const auto kit = g.pipeline_kit.find(pipeline);
  if (kit == g.pipeline_kit.end() || kit->second->groups() == 0) {
    a.index = 3;  // empties it
    return true;
  }
  a.index = static_cast<uint32_t>(g.random.Below(kit->second->groups()));
  if (kit->second->Group(a.index).empty()) return true;
  const Rep group = n.Group(n.GroupLayout(pipeline_kind, pipeline, a.index));
  const auto object = g.Object<host::VBindGroup>(group);
  if (!object) return false;
  a.bind_group = group;
  if (!object->dynamic.empty()) a.dynamic_offsets_data = g.arena.List(std::vector<uint32_t>(object->dynamic.size()));
  return true;
}

template <class A>
bool FillImmediates(Guest& g, Resource kind, A& a) {
  Needs n(g);
  a.self = Get(g, kind);
  if (!a.self || n.device()->limits().maxImmediateSize < 16) return false;
  a.range_offset = static_cast<uint32_t>(g.random.Below(3) * 4);
  a.data = Generator(g, true).Bytes(8);
  if (g.random.Chance(30)) a.data_offset = uint64_t{4}, a.data_size = uint64_t{4};
  return true;
}

template <class A>
bool FillVertex(Guest& g, Resource kind, A& a) {
  Needs n(g);
  a.self = Get(g, kind);
  a.slot = static_cast<uint32_t>(g.random.Below(3));
  const Rep buffer = n.Buffer(BU::Vertex, 256, BU::MapRead | BU::MapWrite);
  if (!a.self || !buffer) return false;
  a.buffer = buffer;
  if (g.random.Chance(40)) a.offset = uint64_t{0}, a.size = uint64_t{256};
  return true;
}

template <class A>
bool FillIndex(Guest& g, Resource kind, A& a) {
  Needs n(g);
  a.self = GetPrepared(g, kind);
  a.buffer = n.Buffer(BU::Index, 64, BU::MapRead | BU::MapWrite);
  if (!a.self || !a.buffer) return false;
  const auto p = g.Object<host::VRenderPipeline>(g.prepared[a.self]);
  a.index_format = p && p->strip_index_format ? *p->strip_index_format : static_cast<wit::GpuIndexFormat>(g.random.Below(2));
  if (g.random.Chance(40)) a.offset = uint64_t{4} * g.random.Below(4);
  return true;
}

template <class A>
bool FillDraw(Guest& g, Resource kind, A& a) {
  a.self = GetPrepared(g, kind);
  a.vertex_count = static_cast<uint32_t>(g.random.OneOf<uint64_t>({0, 3, 3, 6, 12}));
  if (g.random.Chance(30)) a.instance_count = static_cast<uint32_t>(g.random.Below(4));
  if (g.random.Chance(20)) a.first_vertex = static_cast<uint32_t>(g.random.Below(4));
  if (g.random.Chance(20)) a.first_instance = static_cast<uint32_t>(g.random.Below(4));
  return a.self != 0;
}

template <class SetIndex, class A>
bool FillDrawIndexed(Guest& g, Resource kind, A& a) {
  typename SetIndex::Args set{};
  if (!FillIndex(g, kind, set)) return false;
  set.offset = {};
  if (!g.Do<SetIndex>(set)) return false;
  a.self = set.self;
  a.index_count = static_cast<uint32_t>(g.random.OneOf<uint64_t>({0, 3, 3, 6, 12}));
  if (g.random.Chance(30)) a.instance_count = static_cast<uint32_t>(g.random.Below(4));
  if (g.random.Chance(20)) a.first_index = static_cast<uint32_t>(g.random.Below(4));
  if (g.random.Chance(20)) a.base_vertex = static_cast<int32_t>(g.random.Below(9)) - 4;
  return true;
}

template <class A>
bool FillIndirect(Guest& g, Resource kind, A& a) {
  a.self = GetPrepared(g, kind);
  a.indirect_buffer = Needs(g).TameBuffer();
  a.indirect_offset = 4 * g.random.Below(4);
  return a.self && a.indirect_buffer;
}

// Whether the library would hear of the draw, were its numbers so great.
template <class T, class F>
bool Refused(Guest& g, Rep pass, F check) {
  const auto p = g.Object<T>(pass);
  if (!p || !p->valid() || p->encoder().failed()) return true;
  return !check(*p).empty();
}

template <class T, class A>
void TameDraw(Guest& g, A& a) {
  if (uint64_t{a.vertex_count} * std::max(1u, a.instance_count.value_or(1)) <= 4096) return;
  auto check = [&](T& p) {
    std::string why = p.bindings.CheckGroups();
    return why.empty() ? p.buffers.CheckDraw(uint64_t{a.first_vertex.value_or(0)} + a.vertex_count,
                                             uint64_t{a.first_instance.value_or(0)} + a.instance_count.value_or(1))
                       : why;
  };
  if (Refused<T>(g, a.self, check)) return;
  a.vertex_count &= 63;
  if (a.instance_count) a.instance_count.value &= 15;
}

template <class T, class A>
void TameDrawIndexed(Guest& g, A& a) {
  if (uint64_t{a.index_count} * std::max(1u, a.instance_count.value_or(1)) <= 4096) return;
  auto check = [&](T& p) {
    std::string why = p.bindings.CheckGroups();
    return why.empty() ? p.buffers.CheckDrawIndexed(uint64_t{a.first_index.value_or(0)} + a.index_count,
                                                    uint64_t{a.first_instance.value_or(0)} + a.instance_count.value_or(1))
                       : why;
  };
  if (Refused<T>(g, a.self, check)) return;
  a.index_count &= 63;
  if (a.instance_count) a.instance_count.value &= 15;
}

// A buffer whose content may be great numbers is exchanged for one whose is not.
template <class A>
void TameIndirect(Guest& g, A& a) {
  const auto b = g.Object<host::VBuffer>(a.indirect_buffer);
  if (!b || !b->valid() || !(b->usage() & BU::Indirect)) return;
  if (!b->imported() && !g.untame.contains(a.indirect_buffer)) return;
  const Rep tame = Needs(g).TameBuffer();
  if (tame) a.indirect_buffer = tame;
  if (!tame) a.indirect_offset = UINT64_MAX;
}

}  // namespace

// --- compute passes ---

bool Hint(Guest& g, c::GpuComputePassEncoderSetPipelineCall::Args& a) {
  Needs n(g);
  a = {n.ComputePass(), n.ComputePipeline()};
  return a.self && a.pipeline;
}
bool Hint(Guest& g, c::GpuComputePassEncoderDispatchWorkgroupsCall::Args& a) {
  a.self = GetPrepared(g, Resource::GpuComputePassEncoder);
  a.workgroup_count_x = static_cast<uint32_t>(g.random.OneOf<uint64_t>({0, 1, 1, 4, 16}));
  if (g.random.Chance(40)) a.workgroup_count_y = static_cast<uint32_t>(g.random.Below(4));
  if (g.random.Chance(20)) a.workgroup_count_z = static_cast<uint32_t>(g.random.Below(3));
  return a.self != 0;
}
bool Hint(Guest& g, c::GpuComputePassEncoderDispatchWorkgroupsIndirectCall::Args& a) {
  return FillIndirect(g, Resource::GpuComputePassEncoder, a);
}
bool Hint(Guest& g, c::GpuComputePassEncoderEndCall::Args& a) {
  a.self = Needs(g).ComputePass();
  const auto p = g.Object<host::VComputePass>(a.self);
  if (!p) return false;
  for (uint32_t n = p->debug_depth; n > 0; --n) {
    c::GpuComputePassEncoderPopDebugGroupCall::Args pop{a.self};
    g.Do<c::GpuComputePassEncoderPopDebugGroupCall>(pop);
  }
  return true;
}
bool Hint(Guest& g, c::GpuComputePassEncoderPushDebugGroupCall::Args& a) {
  a = {Needs(g).ComputePass(), g.arena.Text("group")};
  return a.self != 0;
}
bool Hint(Guest& g, c::GpuComputePassEncoderPopDebugGroupCall::Args& a) {
  a.self = Needs(g).ComputePass();
  const auto p = g.Object<host::VComputePass>(a.self);
  return p && FillPop<c::GpuComputePassEncoderPopDebugGroupCall, c::GpuComputePassEncoderPushDebugGroupCall>(g, a.self, p->debug_depth);
}
bool Hint(Guest& g, c::GpuComputePassEncoderInsertDebugMarkerCall::Args& a) {
  a = {Needs(g).ComputePass(), g.arena.Text("marker")};
  return a.self != 0;
}
bool Hint(Guest& g, c::GpuComputePassEncoderSetBindGroupCall::Args& a) {
  return FillSetGroup(g, Resource::GpuComputePassEncoder, Resource::GpuComputePipeline, a);
}
bool Hint(Guest& g, c::GpuComputePassEncoderSetImmediatesCall::Args& a) { return FillImmediates(g, Resource::GpuComputePassEncoder, a); }

void Tame(Guest& g, c::GpuComputePassEncoderDispatchWorkgroupsCall::Args& a) {
  const uint64_t max = Needs(g).device() ? Needs(g).device()->limits().maxComputeWorkgroupsPerDimension : 0;
  const uint64_t x = a.workgroup_count_x, y = a.workgroup_count_y.value_or(1), z = a.workgroup_count_z.value_or(1);
  if (x > max || y > max || z > max || x * y * z <= 4096) return;
  a.workgroup_count_x &= 15;
  if (a.workgroup_count_y) a.workgroup_count_y.value &= 15;
  if (a.workgroup_count_z) a.workgroup_count_z.value &= 15;
}
void Tame(Guest& g, c::GpuComputePassEncoderDispatchWorkgroupsIndirectCall::Args& a) { TameIndirect(g, a); }

// --- render passes ---

bool Hint(Guest& g, c::GpuRenderPassEncoderSetViewportCall::Args& a) {
  a = {Needs(g).RenderPass(), 0, 0, 8, 8, 0, 1};
  if (g.random.Chance(30)) a.x = -4, a.width = 100.5f, a.min_depth = 0.25f;
  return a.self != 0;
}
bool Hint(Guest& g, c::GpuRenderPassEncoderSetScissorRectCall::Args& a) {
  a = {Needs(g).RenderPass(), static_cast<uint32_t>(g.random.Below(8)), 0, static_cast<uint32_t>(g.random.Below(9)), kSide};
  return a.self != 0;
}
bool Hint(Guest& g, c::GpuRenderPassEncoderSetBlendConstantCall::Args& a) {
  a = {Needs(g).RenderPass(), {0.5, 0.25, 2, 1}};
  return a.self != 0;
}
bool Hint(Guest& g, c::GpuRenderPassEncoderSetStencilReferenceCall::Args& a) {
  a = {Needs(g).RenderPass(), static_cast<uint32_t>(g.random.Next())};
  return a.self != 0;
}
bool Hint(Guest& g, c::GpuRenderPassEncoderBeginOcclusionQueryCall::Args& a) {
  a.self = Needs(g).RenderPass(true);
  const auto p = g.Object<host::VRenderPass>(a.self);
  if (!p || !p->occlusion) return false;
  if (p->occlusion_active) {
    c::GpuRenderPassEncoderEndOcclusionQueryCall::Args end{a.self};
    g.Do<c::GpuRenderPassEncoderEndOcclusionQueryCall>(end);
  }
  for (uint32_t i = 0; i < p->occlusion_used.size(); ++i) {
    if (p->occlusion_used[i]) continue;
    a.query_index = i;
    return true;
  }
  return false;
}
bool Hint(Guest& g, c::GpuRenderPassEncoderEndOcclusionQueryCall::Args& a) {
  a.self = Needs(g).RenderPass(true);
  const auto p = g.Object<host::VRenderPass>(a.self);
  if (!p) return false;
  if (p->occlusion_active) return true;
  c::GpuRenderPassEncoderBeginOcclusionQueryCall::Args begin{};
  return Hint(g, begin) && begin.self == a.self && g.Do<c::GpuRenderPassEncoderBeginOcclusionQueryCall>(begin);
}
bool Hint(Guest& g, c::GpuRenderPassEncoderExecuteBundlesCall::Args& a) {
  Needs n(g);
  a.self = n.RenderPass();
  const auto p = g.Object<host::VRenderPass>(a.self);
  if (!p) return false;
  const Rep bundle = n.Bundle(*p);
  if (!bundle) return false;
  a.bundles = g.arena.List(std::vector<Rep>(g.random.Between(1, 2), bundle));
  return true;
}
bool Hint(Guest& g, c::GpuRenderPassEncoderEndCall::Args& a) {
  a.self = Needs(g).RenderPass();
  const auto p = g.Object<host::VRenderPass>(a.self);
  if (!p) return false;
  for (uint32_t n = p->debug_depth; n > 0; --n) {
    c::GpuRenderPassEncoderPopDebugGroupCall::Args pop{a.self};
    g.Do<c::GpuRenderPassEncoderPopDebugGroupCall>(pop);
  }
  if (p->occlusion_active) {
    c::GpuRenderPassEncoderEndOcclusionQueryCall::Args end{a.self};
    g.Do<c::GpuRenderPassEncoderEndOcclusionQueryCall>(end);
  }
  return p->draws <= p->max_draws;
}

bool Hint(Guest& g, c::GpuRenderBundleEncoderFinishCall::Args& a) {
  a.self = Needs(g).BundleEncoder();
  const auto e = g.Object<host::VRenderBundleEncoder>(a.self);
  if (!e) return false;
  for (uint32_t n = e->debug_depth; n > 0; --n) {
    c::GpuRenderBundleEncoderPopDebugGroupCall::Args pop{a.self};
    g.Do<c::GpuRenderBundleEncoderPopDebugGroupCall>(pop);
  }
  return true;
}

namespace {
uint32_t DebugDepth(Guest& g, Resource kind, Rep rep) {
  if (kind == Resource::GpuRenderPassEncoder) {
    const auto p = g.Object<host::VRenderPass>(rep);
    return p ? p->debug_depth : 0;
  }
  const auto e = g.Object<host::VRenderBundleEncoder>(rep);
  return e ? e->debug_depth : 0;
}
}  // namespace

#define WEFT_RENDER(T, Host)                                                                                                    \
  bool Hint(Guest& g, c::T##PushDebugGroupCall::Args& a) {                                                                      \
    a = {Get(g, Resource::T), g.arena.Text("group")};                                                                           \
    return a.self != 0;                                                                                                         \
  }                                                                                                                             \
  bool Hint(Guest& g, c::T##PopDebugGroupCall::Args& a) {                                                                       \
    a.self = Get(g, Resource::T);                                                                                               \
    return FillPop<c::T##PopDebugGroupCall, c::T##PushDebugGroupCall>(g, a.self, DebugDepth(g, Resource::T, a.self));           \
  }                                                                                                                             \
  bool Hint(Guest& g, c::T##InsertDebugMarkerCall::Args& a) {                                                                   \
    a = {Get(g, Resource::T), g.arena.Text("marker")};                                                                          \
    return a.self != 0;                                                                                                         \
  }                                                                                                                             \
  bool Hint(Guest& g, c::T##SetBindGroupCall::Args& a) { return FillSetGroup(g, Resource::T, Resource::GpuRenderPipeline, a); } \
  bool Hint(Guest& g, c::T##SetImmediatesCall::Args& a) { return FillImmediates(g, Resource::T, a); }                           \
  bool Hint(Guest& g, c::T##SetPipelineCall::Args& a) {                                                                         \
    a.self = GetPrepared(g, Resource::T);                                                                                       \
    a.pipeline = a.self ? g.prepared[a.self] : 0;                                                                               \
    return a.pipeline != 0;                                                                                                     \
  }                                                                                                                             \
  bool Hint(Guest& g, c::T##SetIndexBufferCall::Args& a) { return FillIndex(g, Resource::T, a); }                               \
  bool Hint(Guest& g, c::T##SetVertexBufferCall::Args& a) { return FillVertex(g, Resource::T, a); }                             \
  bool Hint(Guest& g, c::T##DrawCall::Args& a) { return FillDraw(g, Resource::T, a); }                                          \
  bool Hint(Guest& g, c::T##DrawIndexedCall::Args& a) { return FillDrawIndexed<c::T##SetIndexBufferCall>(g, Resource::T, a); }  \
  bool Hint(Guest& g, c::T##DrawIndirectCall::Args& a) { return FillIndirect(g, Resource::T, a); }                              \
  bool Hint(Guest& g, c::T##DrawIndexedIndirectCall::Args& a) {                                                                 \
    c::T##SetIndexBufferCall::Args set{};                                                                                       \
    if (!FillIndex(g, Resource::T, set) || !g.Do<c::T##SetIndexBufferCall>(set)) return false;                                  \
    a = {set.self, Needs(g).TameBuffer(), 0};                                                                                   \
    return a.indirect_buffer != 0;                                                                                              \
  }                                                                                                                             \
  void Tame(Guest& g, c::T##DrawCall::Args& a) { TameDraw<host::Host>(g, a); }                                                  \
  void Tame(Guest& g, c::T##DrawIndexedCall::Args& a) { TameDrawIndexed<host::Host>(g, a); }                                    \
  void Tame(Guest& g, c::T##DrawIndirectCall::Args& a) { TameIndirect(g, a); }                                                  \
  void Tame(Guest& g, c::T##DrawIndexedIndirectCall::Args& a) { TameIndirect(g, a); }
WEFT_RENDER(GpuRenderPassEncoder, VRenderPass)
WEFT_RENDER(GpuRenderBundleEncoder, VRenderBundleEncoder)
#undef WEFT_RENDER

}  // namespace weft::fuzz
