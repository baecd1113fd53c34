// SPDX-License-Identifier: Apache-2.0
// Needs: modules, pipelines, encoders, passes, bundles and command buffers.
#include <algorithm>

#include "host/webgpu/render_pipeline_rules.h"
#include "needs.h"

namespace weft::fuzz {

using host::TargetLayout;
namespace c = calls;

Rep Needs::Module(const Kit& kit) {
  const Rep found = FindUsable<host::VShaderModule>(Resource::GpuShaderModule, [&](Rep rep, host::VShaderModule&) {
    const auto known = g_.module_kit.find(rep);
    return known != g_.module_kit.end() && known->second == &kit;
  });
  if (found) return found;
  c::GpuDeviceCreateShaderModuleCall::Args a{g_.device, {}};
  a.descriptor.code = g_.arena.Text(kit.wgsl);
  a.descriptor.label = Label();
  const Rep made = g_.Make<c::GpuDeviceCreateShaderModuleCall>(a);
  if (made) g_.module_kit[made] = &kit;
  return made;
}

Rep Needs::Constants() {
  c::RecordGpuPipelineConstantValueNewCall::Args none;
  const Rep record = g_.Make<c::RecordGpuPipelineConstantValueNewCall>(none);
  if (!record) return 0;
  c::RecordGpuPipelineConstantValueAddCall::Args a{record, g_.arena.Text("k"), 0.5};
  g_.Do<c::RecordGpuPipelineConstantValueAddCall>(a);
  return record;
}

bool Needs::ComputeDescriptor(wit::GpuComputePipelineDescriptor& d, const Kit** out) {
  const auto& kits = g_.session().kits.compute();
  const Kit& kit = r_.OneOf(kits);
  if (kit.immediate_size > device()->limits().maxImmediateSize) return false;
  const Rep module = Module(kit);
  if (!module) return false;
  d.label = Label();
  d.compute.module = module;
  if (r_.Chance(40)) d.compute.entry_point = g_.arena.Text("main");
  d.layout.tag = wit::GpuLayoutMode::Tag::Auto;
  if (kit.immediate_size || r_.Chance(30)) {
    d.layout.tag = wit::GpuLayoutMode::Tag::Specific;
    d.layout.specific = PipelineLayout(kit);
    if (!d.layout.specific) return false;
  }
  if (kit.constants && r_.Chance(50)) {
    const Rep record = Constants();
    if (record) d.compute.constants = record;
  }
  *out = &kit;
  return true;
}

Rep Needs::ComputePipeline() {
  if (r_.Chance(60)) {
    const Rep found = FindUsable<host::VComputePipeline>(Resource::GpuComputePipeline,
                                                         [&](Rep rep, host::VComputePipeline&) { return g_.pipeline_kit.contains(rep); });
    if (found) return found;
  }
  c::GpuDeviceCreateComputePipelineCall::Args a{g_.device, {}};
  const Kit* kit = nullptr;
  if (!ComputeDescriptor(a.descriptor, &kit)) return 0;
  const Rep made = g_.Make<c::GpuDeviceCreateComputePipelineCall>(a);
  if (made) g_.pipeline_kit[made] = kit;
  return made;
}

TargetLayout Needs::RandomTargets() {
  const auto& features = device()->features();
  TargetLayout t;
  if (r_.Chance(10)) t.samples = 4;
  auto color = [&] {
    TF format = TF::Rgba8unorm;
    if (r_.Chance(30)) format = static_cast<TF>(r_.Below(wit::kGpuTextureFormatCount));
    const auto f = host::Abilities(format, features);
    return f.supported && f.color() && f.renderable && (t.samples == 1 || f.multisample) ? format : TF::Rgba8unorm;
  };
  if (!r_.Chance(8)) t.colors.emplace_back(color());
  if (r_.Chance(12)) {
    if (r_.Chance(30)) t.colors.emplace_back();
    t.colors.emplace_back(color());
  }
  if (host::BytesPerSample(t.colors) > device()->limits().maxColorAttachmentBytesPerSample) t.colors.resize(1);
  if (t.colors.empty() || r_.Chance(30)) {
    const TF format =
        r_.OneOf({TF::Depth16unorm, TF::Depth24plus, TF::Depth24plusStencil8, TF::Depth32float, TF::Stencil8, TF::Depth32floatStencil8});
    if (host::Abilities(format, features).supported) t.depth_stencil = format;
  }
  if (t.colors.empty() && !t.depth_stencil) t.colors.emplace_back(TF::Rgba8unorm);
  t.Trim();
  return t;
}

bool Needs::RenderDescriptor(const TargetLayout& targets, bool depth_read_only, bool stencil_read_only, wit::GpuRenderPipelineDescriptor& d,
                             const Kit** out) {
  const auto& features = device()->features();
  const Kit& kit = g_.session().kits.Render(targets.colors, static_cast<uint32_t>(r_.Weighted({50, 20, 15, 15})));
  const Rep module = Module(kit);
  if (!module) return false;
  d.label = Label();
  d.vertex.module = module;
  if (r_.Chance(50)) d.vertex.entry_point = g_.arena.Text("vs");
  if (!kit.vertex_buffers.empty()) {
    std::vector<Opt<wit::GpuVertexBufferLayout>> buffers;
    for (const auto& b : kit.vertex_buffers) {
      wit::GpuVertexBufferLayout l;
      l.array_stride = b.stride;
      l.step_mode = b.step;
      l.attributes = g_.arena.List(b.attributes);
      buffers.emplace_back(l);
    }
    d.vertex.buffers = g_.arena.List(buffers);
  }
  if (kit.fragment) {
    wit::GpuFragmentState f;
    f.module = module;
    std::vector<Opt<wit::GpuColorTargetState>> states;
    for (const auto& format : targets.colors) {
      if (!format) {
        states.emplace_back();
        continue;
      }
      wit::GpuColorTargetState s;
      s.format = *format;
      if (host::Abilities(*format, features).blendable && r_.Chance(20)) {
        using F = wit::GpuBlendFactor;
        const wit::GpuBlendComponent blend{wit::GpuBlendOperation::Add, r_.OneOf({F::One, F::SrcAlpha, F::Constant}),
                                           r_.OneOf({F::Zero, F::OneMinusSrcAlpha})};
        s.blend = wit::GpuBlendState{blend, blend};
      }
      if (r_.Chance(10)) s.write_mask = wit::GpuColorWrite{static_cast<uint32_t>(r_.Below(16))};
      states.emplace_back(s);
    }
    f.targets = g_.arena.List(states);
    d.fragment = f;
  }
  wit::GpuPrimitiveState p;
  if (r_.Chance(25)) {
    p.topology = static_cast<wit::GpuPrimitiveTopology>(r_.Below(5));
    if (host::IsStrip(*p.topology)) p.strip_index_format = static_cast<wit::GpuIndexFormat>(r_.Below(2));
    p.cull_mode = static_cast<wit::GpuCullMode>(r_.Below(3));
    d.primitive = p;
  }
  if (targets.depth_stencil) {
    const auto f = host::Abilities(*targets.depth_stencil, features);
    wit::GpuDepthStencilState s;
    s.format = *targets.depth_stencil;
    if (f.has_depth()) {
      s.depth_write_enabled = !depth_read_only && r_.Chance(50);
      s.depth_compare = static_cast<wit::GpuCompareFunction>(r_.Below(8));
    }
    if (f.has_stencil() && !stencil_read_only && r_.Chance(50)) {
      wit::GpuStencilFaceState face;
      face.pass_op = static_cast<wit::GpuStencilOperation>(r_.Below(8));
      s.stencil_front = face;
    }
    d.depth_stencil = s;
  }
  if (targets.samples != 1) d.multisample = wit::GpuMultisampleState{targets.samples, {}, {}};
  d.layout.tag = wit::GpuLayoutMode::Tag::Auto;
  if (r_.Chance(25)) {
    d.layout.tag = wit::GpuLayoutMode::Tag::Specific;
    d.layout.specific = PipelineLayout(kit);
    if (!d.layout.specific) return false;
  }
  if (kit.constants && r_.Chance(30)) {
    const Rep record = Constants();
    if (record) d.vertex.constants = record;
  }
  *out = &kit;
  return true;
}

Rep Needs::RenderPipeline(const TargetLayout& targets, bool depth_read_only, bool stencil_read_only) {
  if (r_.Chance(70)) {
    const Rep found = FindUsable<host::VRenderPipeline>(Resource::GpuRenderPipeline, [&](Rep rep, host::VRenderPipeline& p) {
      return targets.Matches(p.colors, p.depth_stencil, p.samples) && !(p.writes_depth && depth_read_only) &&
             !(p.writes_stencil && stencil_read_only) && g_.pipeline_kit.contains(rep);
    });
    if (found) return found;
  }
  c::GpuDeviceCreateRenderPipelineCall::Args a{g_.device, {}};
  const Kit* kit = nullptr;
  if (!RenderDescriptor(targets, depth_read_only, stencil_read_only, a.descriptor, &kit)) return 0;
  const Rep made = g_.Make<c::GpuDeviceCreateRenderPipelineCall>(a);
  if (made) g_.pipeline_kit[made] = kit;
  return made;
}

Rep Needs::GroupLayout(Resource kind, Rep pipeline, uint32_t index) {
  auto& known = g_.auto_layouts[pipeline];
  if (const auto at = known.find(index); at != known.end() && UsableObject<VBindGroupLayout>(at->second)) return at->second;
  Rep made = 0;
  if (kind == Resource::GpuComputePipeline) {
    c::GpuComputePipelineGetBindGroupLayoutCall::Args a{pipeline, index};
    made = g_.Make<c::GpuComputePipelineGetBindGroupLayoutCall>(a);
  } else {
    c::GpuRenderPipelineGetBindGroupLayoutCall::Args a{pipeline, index};
    made = g_.Make<c::GpuRenderPipelineGetBindGroupLayoutCall>(a);
  }
  if (!made) return 0;
  g_.auto_layouts[pipeline][index] = made;
  const auto kit = g_.pipeline_kit.find(pipeline);
  g_.layout_kit[made] = {kit == g_.pipeline_kit.end() ? nullptr : kit->second, index};
  return made;
}

Rep Needs::Encoder() {
  const Rep found = FindUsable<host::VCommandEncoder>(Resource::GpuCommandEncoder, [&](Rep, host::VCommandEncoder& e) {
    return e.state == host::VCommandEncoder::State::Open && !e.failed() && e.feed();
  });
  if (found) return found;
  c::GpuDeviceCreateCommandEncoderCall::Args a{g_.device, {}};
  if (r_.Chance(30)) a.descriptor = wit::GpuCommandEncoderDescriptor{Label()};
  return g_.Make<c::GpuDeviceCreateCommandEncoderCall>(a);
}

Rep Needs::ComputePass() {
  const Rep found = FindUsable<host::VComputePass>(
      Resource::GpuComputePassEncoder, [&](Rep, host::VComputePass& p) { return !p.ended && !p.encoder().failed() && p.encoder().feed(); });
  if (found) return found;
  const Rep encoder = Encoder();
  if (!encoder) return 0;
  c::GpuCommandEncoderBeginComputePassCall::Args a{encoder, {}};
  if (r_.Chance(15)) {
    const Rep set = QuerySet(wit::GpuQueryType::Timestamp);
    wit::GpuComputePassDescriptor d;
    d.label = Label();
    if (set) d.timestamp_writes = wit::GpuComputePassTimestampWrites{set, 0u, 1u};
    a.descriptor = d;
  }
  return g_.Make<c::GpuCommandEncoderBeginComputePassCall>(a);
}

bool Needs::PassDescriptor(wit::GpuRenderPassDescriptor& d, bool with_occlusion) {
  const auto& features = device()->features();
  const TargetLayout targets = RandomTargets();
  std::vector<const host::VTexture*> taken;
  std::vector<Opt<wit::GpuRenderPassColorAttachment>> colors;
  auto attachment = [&](TF format, uint32_t samples) -> Rep {
    const Rep t = Texture({.format = format, .samples = samples, .usage = TU::RenderAttachment}, taken);
    const auto texture = g_.Object<host::VTexture>(t);
    if (texture) taken.push_back(texture.get());
    return View(t, wit::GpuTextureViewDimension::D2, TU::RenderAttachment);
  };
  for (const auto& format : targets.colors) {
    if (!format) {
      colors.emplace_back();
      continue;
    }
    wit::GpuRenderPassColorAttachment a;
    a.view = attachment(*format, targets.samples);
    if (!a.view) return false;
    if (targets.samples > 1 && host::Abilities(*format, features).resolvable && r_.Chance(60)) {
      const Rep resolve = attachment(*format, 1);
      if (!resolve) return false;
      a.resolve_target = resolve;
    }
    a.load_op = r_.Chance(70) ? wit::GpuLoadOp::Clear : wit::GpuLoadOp::Load;
    a.store_op = r_.Chance(90) ? wit::GpuStoreOp::Store : wit::GpuStoreOp::Discard;
    if (r_.Chance(50)) a.clear_value = wit::GpuColor{0.25, 1, 0, 1};
    colors.emplace_back(a);
  }
  d.color_attachments = g_.arena.List(colors);
  if (targets.depth_stencil) {
    const auto f = host::Abilities(*targets.depth_stencil, features);
    wit::GpuRenderPassDepthStencilAttachment a;
    a.view = attachment(*targets.depth_stencil, targets.samples);
    if (!a.view) return false;
    auto load = [&] { return Opt<wit::GpuLoadOp>(r_.Chance(80) ? wit::GpuLoadOp::Clear : wit::GpuLoadOp::Load); };
    if (f.has_depth()) {
      if (r_.Chance(20)) {
        a.depth_read_only = true;
      } else {
        a.depth_load_op = load();
        a.depth_store_op = wit::GpuStoreOp::Store;
        a.depth_clear_value = 0.5f;
      }
    }
    if (f.has_stencil()) {
      // The library keeps depth and stencil of one attachment in one state.
      if (a.depth_read_only || (!f.has_depth() && r_.Chance(20))) {
        a.stencil_read_only = true;
      } else {
        a.stencil_load_op = load();
        a.stencil_store_op = wit::GpuStoreOp::Store;
      }
    }
    d.depth_stencil_attachment = a;
  }
  if (with_occlusion || r_.Chance(20)) {
    const Rep set = QuerySet(wit::GpuQueryType::Occlusion);
    if (set) d.occlusion_query_set = set;
  }
  if (r_.Chance(10)) {
    const Rep set = QuerySet(wit::GpuQueryType::Timestamp);
    if (set) d.timestamp_writes = wit::GpuRenderPassTimestampWrites{set, 0u, 1u};
  }
  if (r_.Chance(10)) d.max_draw_count = uint64_t{1000};
  d.label = Label();
  return true;
}

Rep Needs::RenderPass(bool with_occlusion) {
  const Rep found = FindUsable<host::VRenderPass>(Resource::GpuRenderPassEncoder, [&](Rep, host::VRenderPass& p) {
    return !p.ended && !p.encoder().failed() && p.encoder().feed() && (!with_occlusion || p.occlusion);
  });
  if (found) return found;
  const Rep encoder = Encoder();
  if (!encoder) return 0;
  c::GpuCommandEncoderBeginRenderPassCall::Args a{encoder, {}};
  if (!PassDescriptor(a.descriptor, with_occlusion)) return 0;
  return g_.Make<c::GpuCommandEncoderBeginRenderPassCall>(a);
}

bool Needs::BundleDescriptor(const TargetLayout& targets, wit::GpuRenderBundleEncoderDescriptor& d) {
  std::vector<Opt<TF>> formats;
  for (const auto& f : targets.colors) formats.push_back(f ? Opt<TF>(*f) : Opt<TF>());
  d.color_formats = g_.arena.List(formats);
  if (targets.depth_stencil) d.depth_stencil_format = *targets.depth_stencil;
  if (targets.samples != 1) d.sample_count = targets.samples;
  d.label = Label();
  return true;
}

Rep Needs::BundleEncoder(const TargetLayout* targets) {
  const Rep found = FindUsable<host::VRenderBundleEncoder>(Resource::GpuRenderBundleEncoder, [&](Rep, host::VRenderBundleEncoder& e) {
    return !e.ended && !e.failed() && e.feed() &&
           (!targets || e.targets.Matches(targets->colors, targets->depth_stencil, targets->samples));
  });
  if (found && !targets) return found;
  c::GpuDeviceCreateRenderBundleEncoderCall::Args a{g_.device, {}};
  BundleDescriptor(targets ? *targets : RandomTargets(), a.descriptor);
  return g_.Make<c::GpuDeviceCreateRenderBundleEncoderCall>(a);
}

Rep Needs::Bundle(const host::VRenderPass& pass) {
  const Rep found = FindUsable<host::VRenderBundle>(Resource::GpuRenderBundle, [&](Rep, host::VRenderBundle& b) {
    const auto& items = b.reach().items();
    return pass.targets.Matches(b.targets.colors, b.targets.depth_stencil, b.targets.samples) &&
           (!pass.depth_read_only || b.depth_read_only) && (!pass.stencil_read_only || b.stencil_read_only) &&
           std::all_of(items.begin(), items.end(), [](const auto& r) { return r->alive() && !r->mapped(); });
  });
  if (found) return found;
  c::GpuDeviceCreateRenderBundleEncoderCall::Args a{g_.device, {}};
  BundleDescriptor(pass.targets, a.descriptor);
  if (pass.depth_read_only) a.descriptor.depth_read_only = true;
  if (pass.stencil_read_only) a.descriptor.stencil_read_only = true;
  const Rep encoder = g_.Make<c::GpuDeviceCreateRenderBundleEncoderCall>(a);
  if (!encoder) return 0;
  if (PrepareBundle(encoder)) {
    c::GpuRenderBundleEncoderDrawCall::Args draw{encoder, 3, {}, {}, {}};
    g_.Do<c::GpuRenderBundleEncoderDrawCall>(draw);
  }
  c::GpuRenderBundleEncoderFinishCall::Args finish{encoder, {}};
  return g_.Make<c::GpuRenderBundleEncoderFinishCall>(finish);
}

bool Needs::WorkFor(Rep encoder) {
  const Rep buffer = Buffer(BU::CopyDst, 64, BU::MapRead | BU::MapWrite);
  if (!buffer) return false;
  c::GpuCommandEncoderClearBufferCall::Args a{encoder, buffer, {}, {}};
  return g_.Do<c::GpuCommandEncoderClearBufferCall>(a);
}

Rep Needs::CommandBuffer() {
  const Rep found = FindUsable<host::VCommandBuffer>(
      Resource::GpuCommandBuffer, [&](Rep, host::VCommandBuffer& b) { return !b.submitted && b.native && !b.reach().SubmitRefusal(); });
  if (found) return found;
  const Rep encoder = Encoder();
  if (!encoder) return 0;
  if (!g_.worked[encoder] && r_.Chance(90) && !WorkFor(encoder)) return 0;
  auto e = g_.Object<host::VCommandEncoder>(encoder);
  for (uint32_t n = e->debug_depth; n > 0; --n) {
    c::GpuCommandEncoderPopDebugGroupCall::Args pop{encoder};
    g_.Do<c::GpuCommandEncoderPopDebugGroupCall>(pop);
  }
  if (e->reach().SubmitRefusal()) return 0;
  c::GpuCommandEncoderFinishCall::Args a{encoder, {}};
  return g_.Make<c::GpuCommandEncoderFinishCall>(a);
}

namespace {

struct ComputeCalls {
  using SetPipeline = c::GpuComputePassEncoderSetPipelineCall;
  using SetGroup = c::GpuComputePassEncoderSetBindGroupCall;
};
struct RenderCalls {
  using SetPipeline = c::GpuRenderPassEncoderSetPipelineCall;
  using SetGroup = c::GpuRenderPassEncoderSetBindGroupCall;
  using SetVertex = c::GpuRenderPassEncoderSetVertexBufferCall;
  using SetIndex = c::GpuRenderPassEncoderSetIndexBufferCall;
};
struct BundleCalls {
  using SetPipeline = c::GpuRenderBundleEncoderSetPipelineCall;
  using SetGroup = c::GpuRenderBundleEncoderSetBindGroupCall;
  using SetVertex = c::GpuRenderBundleEncoderSetVertexBufferCall;
  using SetIndex = c::GpuRenderBundleEncoderSetIndexBufferCall;
};

}  // namespace

template <class P>
bool Needs::Prepare(Rep pass, Rep pipeline, Resource kind) {
  if (!pipeline) return false;
  const Kit& kit = *g_.pipeline_kit[pipeline];
  typename P::SetPipeline::Args set{pass, pipeline};
  if (!g_.Do<typename P::SetPipeline>(set)) return false;
  for (uint32_t i = 0; i < kit.groups(); ++i) {
    if (kit.Group(i).empty()) continue;
    const Rep group = Group(GroupLayout(kind, pipeline, i));
    const auto object = g_.Object<host::VBindGroup>(group);
    if (!object) return false;
    typename P::SetGroup::Args a{pass, i, group, {}, {}, {}};
    if (!object->dynamic.empty()) a.dynamic_offsets_data = g_.arena.List(std::vector<uint32_t>(object->dynamic.size()));
    if (!g_.Do<typename P::SetGroup>(a)) return false;
  }
  if constexpr (requires { typename P::SetVertex; }) {
    for (uint32_t slot = 0; slot < kit.vertex_buffers.size(); ++slot) {
      const Rep buffer = Buffer(BU::Vertex, 256, BU::MapRead | BU::MapWrite);
      if (!buffer) return false;
      typename P::SetVertex::Args a{pass, slot, buffer, {}, {}};
      if (r_.Chance(30)) a.offset = uint64_t{0}, a.size = uint64_t{256};
      if (!g_.Do<typename P::SetVertex>(a)) return false;
    }
    const auto p = g_.Object<host::VRenderPipeline>(pipeline);
    if (p->strip_index_format || r_.Chance(50)) {
      const Rep buffer = Buffer(BU::Index, 64, BU::MapRead | BU::MapWrite);
      if (!buffer) return false;
      typename P::SetIndex::Args a{pass, buffer, p->strip_index_format.value_or(static_cast<wit::GpuIndexFormat>(r_.Below(2))), {}, {}};
      if (!g_.Do<typename P::SetIndex>(a)) return false;
    }
  }
  g_.prepared[pass] = pipeline;
  return true;
}

bool Needs::PrepareCompute(Rep pass) { return pass && Prepare<ComputeCalls>(pass, ComputePipeline(), Resource::GpuComputePipeline); }

bool Needs::PrepareRender(Rep pass) {
  const auto p = g_.Object<host::VRenderPass>(pass);
  if (!p) return false;
  return Prepare<RenderCalls>(pass, RenderPipeline(p->targets, p->depth_read_only, p->stencil_read_only), Resource::GpuRenderPipeline);
}

bool Needs::PrepareBundle(Rep encoder) {
  const auto e = g_.Object<host::VRenderBundleEncoder>(encoder);
  if (!e) return false;
  return Prepare<BundleCalls>(encoder, RenderPipeline(e->targets, e->depth_read_only, e->stencil_read_only), Resource::GpuRenderPipeline);
}

}  // namespace weft::fuzz
