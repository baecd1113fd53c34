// SPDX-License-Identifier: Apache-2.0
// Render pipelines (specification 10.3): the native descriptor, and what passes and bundles need to know of it. Rules:
// render_pipeline_rules.cc.
#include <algorithm>
#include <deque>

#include "host/webgpu/convert.h"
#include "host/webgpu/pipeline_stage.h"
#include "host/webgpu/render_pipeline_rules.h"

namespace weft::host {

namespace {

using Why = std::optional<std::string>;

Why Rules(const wit::GpuRenderPipelineDescriptor& d, const VDevice& device, size_t bind_groups) {
  const WGPULimits& l = device.limits();
  const Features& features = device.features();
  const wit::GpuPrimitiveState primitive = d.primitive.value_or({});
  if (auto r = VertexRefusal(d.vertex, bind_groups, l)) return r;
  if (auto r = PrimitiveRefusal(primitive, features)) return r;
  if (d.depth_stencil) {
    if (auto r = DepthStencilRefusal(*d.depth_stencil, primitive.topology.value_or(wit::GpuPrimitiveTopology::TriangleList), features))
      return r;
  }
  bool attachment = d.depth_stencil.has;
  if (d.fragment) {
    if (auto r = FragmentRefusal(*d.fragment, l, features)) return r;
    for (const auto& t : d.fragment->targets) attachment |= t.has;
  }
  if (!attachment) return "a render pipeline needs a colour target or a depth-stencil state";
  return MultisampleRefusal(d.multisample.value_or({}), d, features);
}

// A target that the shader does not write must be masked, since what would land there is undefined.
Why OutputRefusal(const wit::GpuFragmentState& f, const WgslEntry& entry) {
  for (size_t i = 0; entry.outputs && i < f.targets.size; ++i) {
    const auto& t = f.targets[i];
    if (!t || (t->write_mask && t->write_mask->bits == 0)) continue;
    if (std::find(entry.outputs->begin(), entry.outputs->end(), i) == entry.outputs->end()) {
      return fmt::format("target {}: '{}' has no output @location({}); the target's write mask must be empty", i, entry.name, i);
    }
  }
  return std::nullopt;
}

WGPUStencilFaceState ToNativeFace(const Opt<wit::GpuStencilFaceState>& given) {
  const wit::GpuStencilFaceState f = given.value_or({});
  using Op = wit::GpuStencilOperation;
  WGPUStencilFaceState n = WGPU_STENCIL_FACE_STATE_INIT;
  n.compare = ToNative(f.compare.value_or(wit::GpuCompareFunction::Always));
  n.failOp = ToNative(f.fail_op.value_or(Op::Keep));
  n.depthFailOp = ToNative(f.depth_fail_op.value_or(Op::Keep));
  n.passOp = ToNative(f.pass_op.value_or(Op::Keep));
  return n;
}

WGPUDepthStencilState ToNativeDepth(const wit::GpuDepthStencilState& d) {
  WGPUDepthStencilState n = WGPU_DEPTH_STENCIL_STATE_INIT;
  n.format = ToNative(d.format);
  n.depthWriteEnabled = d.depth_write_enabled.value_or(false) ? WGPUOptionalBool_True : WGPUOptionalBool_False;
  n.depthCompare = ToNative(d.depth_compare.value_or(wit::GpuCompareFunction::Always));
  n.stencilFront = ToNativeFace(d.stencil_front);
  n.stencilBack = ToNativeFace(d.stencil_back);
  n.stencilReadMask = d.stencil_read_mask.value_or(0xFFFFFFFF);
  n.stencilWriteMask = d.stencil_write_mask.value_or(0xFFFFFFFF);
  n.depthBias = d.depth_bias.value_or(0);
  n.depthBiasSlopeScale = d.depth_bias_slope_scale.value_or(0);
  n.depthBiasClamp = d.depth_bias_clamp.value_or(0);
  return n;
}

WGPUBlendComponent ToNativeBlend(const wit::GpuBlendComponent& b) {
  WGPUBlendComponent n = WGPU_BLEND_COMPONENT_INIT;
  n.operation = ToNative(b.operation.value_or(wit::GpuBlendOperation::Add));
  n.srcFactor = ToNative(b.src_factor.value_or(wit::GpuBlendFactor::One));
  n.dstFactor = ToNative(b.dst_factor.value_or(wit::GpuBlendFactor::Zero));
  return n;
}

bool UsesConstant(const wit::GpuBlendComponent& b) {
  auto constant = [](const Opt<wit::GpuBlendFactor>& f) {
    return f && (*f == wit::GpuBlendFactor::Constant || *f == wit::GpuBlendFactor::OneMinusConstant);
  };
  return constant(b.src_factor) || constant(b.dst_factor);
}

// The native descriptor and all that it points to.
struct NativeRender {
  WGPURenderPipelineDescriptor d = WGPU_RENDER_PIPELINE_DESCRIPTOR_INIT;
  NativeStage vertex, fragment;
  std::vector<WGPUVertexBufferLayout> buffers;
  std::deque<std::vector<WGPUVertexAttribute>> attributes;
  std::vector<WGPUColorTargetState> targets;
  std::deque<WGPUBlendState> blends;
  WGPUDepthStencilState depth_stencil = WGPU_DEPTH_STENCIL_STATE_INIT;
  WGPUFragmentState fragment_state = WGPU_FRAGMENT_STATE_INIT;
};

void FillVertex(NativeRender& n, const wit::GpuVertexState& v, VRenderPipeline& pipeline) {
  for (size_t i = 0; v.buffers && i < v.buffers->size; ++i) {
    const auto& given = (*v.buffers)[i];
    WGPUVertexBufferLayout b = WGPU_VERTEX_BUFFER_LAYOUT_INIT;
    VRenderPipeline::VertexBuffer known;
    // A hole: a buffer of no attributes is the same to the library.
    b.stepMode = WGPUVertexStepMode_Vertex;
    if (given) {
      auto& attributes = n.attributes.emplace_back();
      known.used = true;
      known.stride = given->array_stride;
      known.step = given->step_mode.value_or(wit::GpuVertexStepMode::Vertex);
      for (const wit::GpuVertexAttribute& a : given->attributes) {
        WGPUVertexAttribute na = WGPU_VERTEX_ATTRIBUTE_INIT;
        na.format = ToNative(a.format);
        na.offset = a.offset;
        na.shaderLocation = a.shader_location;
        attributes.push_back(na);
        known.last_end = std::max(known.last_end, a.offset + VertexFormatBytes(a.format));
      }
      b.stepMode = ToNative(known.step);
      b.arrayStride = given->array_stride;
      b.attributeCount = attributes.size();
      b.attributes = attributes.data();
    }
    n.buffers.push_back(b);
    pipeline.vertex_buffers.push_back(known);
  }
  n.d.vertex.module = n.vertex.module;
  n.d.vertex.entryPoint = n.vertex.entry_point;
  n.d.vertex.constantCount = n.vertex.constants.size();
  n.d.vertex.constants = n.vertex.constants.data();
  n.d.vertex.bufferCount = n.buffers.size();
  n.d.vertex.buffers = n.buffers.data();
}

void FillFragment(NativeRender& n, const wit::GpuFragmentState& f, VRenderPipeline& pipeline) {
  for (const auto& given : f.targets) {
    WGPUColorTargetState t = WGPU_COLOR_TARGET_STATE_INIT;
    t.format = WGPUTextureFormat_Undefined;  // a hole
    if (given) {
      t.format = ToNative(given->format);
      t.writeMask = given->write_mask ? ToNative(*given->write_mask) : WGPUColorWriteMask_All;
      if (given->blend) {
        t.blend = &n.blends.emplace_back(WGPUBlendState{ToNativeBlend(given->blend->color), ToNativeBlend(given->blend->alpha)});
        pipeline.uses_blend_constant |= UsesConstant(given->blend->color) || UsesConstant(given->blend->alpha);
      }
      pipeline.colors.emplace_back(given->format);
    } else {
      pipeline.colors.emplace_back();
    }
    n.targets.push_back(t);
  }
  // See RenderBegin::BeginNative.
  while (!n.targets.empty() && n.targets.back().format == WGPUTextureFormat_Undefined) n.targets.pop_back();
  n.fragment_state.module = n.fragment.module;
  n.fragment_state.entryPoint = n.fragment.entry_point;
  n.fragment_state.constantCount = n.fragment.constants.size();
  n.fragment_state.constants = n.fragment.constants.data();
  n.fragment_state.targetCount = n.targets.size();
  n.fragment_state.targets = n.targets.data();
  n.d.fragment = &n.fragment_state;
}

void Fill(NativeRender& n, const wit::GpuRenderPipelineDescriptor& d, VRenderPipeline& pipeline) {
  n.d.label = gpu::Str(pipeline.label());
  FillVertex(n, d.vertex, pipeline);
  const wit::GpuPrimitiveState p = d.primitive.value_or({});
  const auto cull = p.cull_mode.value_or(wit::GpuCullMode::None);
  pipeline.topology = p.topology.value_or(wit::GpuPrimitiveTopology::TriangleList);
  if (p.strip_index_format) pipeline.strip_index_format = *p.strip_index_format;
  n.d.primitive.topology = ToNative(pipeline.topology);
  if (p.strip_index_format) n.d.primitive.stripIndexFormat = ToNative(*p.strip_index_format);
  n.d.primitive.frontFace = ToNative(p.front_face.value_or(wit::GpuFrontFace::Ccw));
  n.d.primitive.cullMode = ToNative(cull);
  n.d.primitive.unclippedDepth = p.unclipped_depth.value_or(false);
  if (d.depth_stencil) {
    n.depth_stencil = ToNativeDepth(*d.depth_stencil);
    n.d.depthStencil = &n.depth_stencil;
    pipeline.depth_stencil = d.depth_stencil->format;
    pipeline.writes_depth = d.depth_stencil->depth_write_enabled.value_or(false);
    pipeline.writes_stencil = WritesStencil(*d.depth_stencil, cull);
  }
  const wit::GpuMultisampleState m = d.multisample.value_or({});
  pipeline.samples = m.count.value_or(1);
  n.d.multisample.count = pipeline.samples;
  n.d.multisample.mask = m.mask.value_or(0xFFFFFFFF);
  n.d.multisample.alphaToCoverageEnabled = m.alpha_to_coverage_enabled.value_or(false);
  if (d.fragment) FillFragment(n, *d.fragment, pipeline);
}

}  // namespace

Result<Ref<VRenderPipeline>> VirtualGpu::BuildRenderPipeline(const Ref<VDevice>& device, const wit::GpuRenderPipelineDescriptor& d,
                                                             std::vector<DeviceError>* failures) {
  auto pipeline = Make<VRenderPipeline>(device, d.label);
  NativeRender n;
  Why why;
  WEFT_TRY(ReadLayout(*this, device.get(), d.layout, &pipeline->groups, &n.d.layout, &why));
  WEFT_TRY(ReadStage(*this, device.get(), d.vertex, WgslEntry::Stage::Vertex, &n.vertex, &why));
  if (d.fragment) WEFT_TRY(ReadStage(*this, device.get(), *d.fragment, WgslEntry::Stage::Fragment, &n.fragment, &why));
  if (!pipeline->valid()) {
    failures->push_back({ErrorType::OutOfMemory, QuotaSentence()});
    return pipeline;
  }
  if (!why) why = Rules(d, *device, pipeline->groups.layout ? pipeline->groups.layout->groups.size() : 0);
  if (!why && d.fragment) why = OutputRefusal(*d.fragment, *n.fragment.entry);
  if (!why && !pipeline->groups.layout) {
    why = AutoLayoutRefusal(n.vertex, device->limits());
    if (!why && d.fragment) why = AutoLayoutRefusal(n.fragment, device->limits());
  }
  if (why) {
    pipeline->Invalidate();
    failures->push_back({ErrorType::Validation, fmt::format("creating {}: {}", pipeline->Name(), *why)});
    return pipeline;
  }
  if (!account_->MayCompile(/*pipeline=*/true)) {
    pipeline->Invalidate();
    failures->push_back({ErrorType::OutOfMemory, fmt::format("creating {}: {}", pipeline->Name(), QuotaSentence())});
    return pipeline;
  }
  Fill(n, d, *pipeline);
  if (!pipeline->groups.layout) {
    AddUsed(pipeline->groups, n.vertex);
    if (d.fragment) AddUsed(pipeline->groups, n.fragment);
  }
  NativeErrors errors(device.get());
  pipeline->native = gpu_->Own(Compile([&] { return wgpu().DeviceCreateRenderPipeline(gpu_->handle(), &n.d); }));
  for (DeviceError& e : errors.Take()) {
    failures->push_back({e.type, fmt::format("creating {}: {}", pipeline->Name(), e.message)});
  }
  if (!failures->empty() || !pipeline->native) {
    pipeline->Invalidate();
    pipeline->native.Reset();
  }
  return pipeline;
}

Result<Rep> VirtualGpu::OnGpuDeviceCreateRenderPipeline(Rep self, const wit::GpuRenderPipelineDescriptor& d) {
  WEFT_TRY_ASSIGN(auto device, Get<VDevice>(self));
  std::vector<DeviceError> failures;
  WEFT_TRY_ASSIGN(auto pipeline, BuildRenderPipeline(device, d, &failures));
  ReportPipeline(*device, failures);
  return Add(std::move(pipeline));
}

void VirtualGpu::OnGpuDeviceCreateRenderPipelineAsync(Rep self, const wit::GpuRenderPipelineDescriptor& d,
                                                      Completion<Res<Rep, wit::CreatePipelineError>> done) {
  using Answer = Res<Rep, wit::CreatePipelineError>;
  auto device = Get<VDevice>(self);
  if (!device) return done.Trap(device.error().message());
  std::vector<DeviceError> failures;
  auto pipeline = BuildRenderPipeline(*device, d, &failures);
  if (!pipeline) return done.Trap(pipeline.error().message());
  if (!failures.empty()) return done.Done(PipelineFailure(failures));
  auto rep = Add(std::move(*pipeline));
  if (!rep) return done.Trap(rep.error().message());
  done.Done(Answer::Ok(*rep));
}

Result<Rep> VirtualGpu::OnGpuRenderPipelineGetBindGroupLayout(Rep self, uint32_t index) {
  WEFT_TRY_ASSIGN(auto pipeline, Get<VRenderPipeline>(self));
  return Add(GroupLayoutOf(*pipeline, pipeline->groups, index,
                           [&] { return wgpu().RenderPipelineGetBindGroupLayout(pipeline->native.get(), index); }));
}

}  // namespace weft::host
