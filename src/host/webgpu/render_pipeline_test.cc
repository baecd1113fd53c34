// SPDX-License-Identifier: Apache-2.0
#include "host/webgpu/encoder_test_guest.h"
#include "host/webgpu/test_answer.h"

namespace weft::host {
namespace {

using Topology = wit::GpuPrimitiveTopology;

std::string Refusal(TestGuest& g, const TestGuest::RenderOptions& o, std::string_view wgsl = kTriangle) {
  g.Render(wgsl, o);
  std::string errors = g.Errors();
  const std::string prefix = "creating gpu-render-pipeline 'rp': ";
  if (errors.starts_with(prefix)) errors = errors.substr(prefix.size());
  if (!errors.empty()) errors.pop_back();
  return errors;
}

Opt<wit::GpuColorTargetState> Blended(TF format, wit::GpuBlendComponent color) {
  wit::GpuColorTargetState t;
  t.format = format;
  wit::GpuBlendState b;
  b.color = color;
  t.blend = b;
  return t;
}

Opt<wit::GpuVertexBufferLayout> Layout(uint64_t stride, const std::vector<wit::GpuVertexAttribute>& attributes) {
  wit::GpuVertexBufferLayout b;
  b.array_stride = stride;
  b.attributes = List<wit::GpuVertexAttribute>(std::span(attributes));
  return b;
}

wit::GpuDepthStencilState Depth(TF format) {
  wit::GpuDepthStencilState d;
  d.format = format;
  d.depth_write_enabled = true;
  d.depth_compare = wit::GpuCompareFunction::Less;
  return d;
}

TEST(RenderPipeline, IsMadeAndKnowsWhatAPassMustMatch) {
  TestGuest g;
  TestGuest::RenderOptions o;
  o.targets = {g.Target(TF::Rgba8unorm)};
  o.depth = Depth(TF::Depth24plus);
  o.topology = Topology::TriangleStrip;
  o.strip = wit::GpuIndexFormat::Uint16;
  const auto p = *g.gpu->Get<VRenderPipeline>(g.Render(kTriangle, o));
  EXPECT_EQ(g.Errors(), "");
  EXPECT_TRUE(p->valid());
  ASSERT_EQ(p->colors.size(), 1u);
  EXPECT_EQ(p->colors[0], TF::Rgba8unorm);
  EXPECT_EQ(p->depth_stencil, TF::Depth24plus);
  EXPECT_TRUE(p->writes_depth);
  EXPECT_FALSE(p->writes_stencil);
  EXPECT_EQ(p->strip_index_format, wit::GpuIndexFormat::Uint16);
}

TEST(RenderPipeline, TakesHolesInTargetsAndBuffers) {
  TestGuest g;
  const std::vector<wit::GpuVertexAttribute> a = {{wit::GpuVertexFormat::Float32x2, 0, 0}};
  TestGuest::RenderOptions o;
  o.targets = {g.Target(TF::Rgba8unorm), {}};
  o.buffers = {{}, Layout(8, a)};
  EXPECT_EQ(Refusal(g, o, kFromBuffer), "");
}

TEST(RenderPipeline, RefusesBadTargets) {
  TestGuest g;
  EXPECT_EQ(Refusal(g, {}), "a render pipeline needs a colour target or a depth-stencil state");
  EXPECT_EQ(Refusal(g, {.targets = {{}}}), "a render pipeline needs a colour target or a depth-stencil state");
  EXPECT_EQ(Refusal(g, {.targets = {g.Target(TF::Rgb9e5ufloat)}}), "target 0: format rgb9e5ufloat cannot be rendered to");
  EXPECT_EQ(Refusal(g, {.targets = {g.Target(TF::Depth32float)}}), "target 0: format depth32float cannot be rendered to");
  EXPECT_EQ(Refusal(g, {.targets = {Blended(TF::Rgba8uint, {})}}), "target 0: format rgba8uint cannot be blended");
  wit::GpuBlendComponent max;
  max.operation = wit::GpuBlendOperation::Max;
  EXPECT_EQ(Refusal(g, {.targets = {Blended(TF::Rgba8unorm, max)}}),
            "target 0: the colour blend operation max needs both factors to be one, not one and zero");
  wit::GpuBlendComponent dual;
  dual.src_factor = wit::GpuBlendFactor::Src1;
  TestGuest exec(GpuMode::Exec);
  EXPECT_EQ(Refusal(exec, {.targets = {Blended(TF::Rgba8unorm, dual)}}),
            "target 0: a blend factor src1 needs the feature dual-source-blending");
  EXPECT_NE(Refusal(g, {.targets = std::vector(9, g.Target(TF::R8unorm))}).find("maxColorAttachments"), std::string::npos);
  EXPECT_EQ(Refusal(exec, {.targets = std::vector(3, g.Target(TF::Rgba32float))}),
            "the targets take 48 bytes a sample, the limit maxColorAttachmentBytesPerSample is 32");
  // What the shader writes does not fit the target: the library says so, and nobody is hurt.
  EXPECT_NE(Refusal(g, {.targets = {g.Target(TF::Rgba8uint)}}), "");
}

TEST(RenderPipeline, RefusesBadDepthAndStencil) {
  TestGuest g;
  auto with = [&](wit::GpuDepthStencilState d, Topology topology = Topology::TriangleList) {
    return Refusal(g, {.targets = {g.Target(TF::Rgba8unorm)}, .depth = d, .topology = topology});
  };
  EXPECT_EQ(with(Depth(TF::Rgba8unorm)), "depth-stencil format rgba8unorm is a colour format");
  EXPECT_EQ(with(Depth(TF::Stencil8)), "depth-stencil format stencil8 has no depth to write or compare");
  wit::GpuDepthStencilState d;
  d.format = TF::Depth24plus;
  EXPECT_EQ(with(d), "depth-write-enabled must be given for format depth24plus");
  d.depth_write_enabled = true;
  EXPECT_EQ(with(d), "depth-compare must be given for format depth24plus where depth is written or a depth-fail-op is used");
  d = Depth(TF::Depth24plus);
  wit::GpuStencilFaceState face;
  face.pass_op = wit::GpuStencilOperation::Replace;
  d.stencil_front = face;
  EXPECT_EQ(with(d), "depth-stencil format depth24plus has no stencil");
  d = Depth(TF::Depth24plus);
  d.depth_bias = 1;
  EXPECT_EQ(with(d, Topology::LineList), "a depth bias goes with triangles, not with line-list");
  wit::GpuDepthStencilState stencil;
  stencil.format = TF::Stencil8;
  stencil.stencil_front = face;
  EXPECT_EQ(with(stencil), "");
  EXPECT_EQ(with(Depth(TF::Depth24plusStencil8)), "");
}

TEST(RenderPipeline, RefusesBadVertexBuffers) {
  TestGuest g;
  using V = wit::GpuVertexFormat;
  auto with = [&](uint64_t stride, std::vector<wit::GpuVertexAttribute> attributes) {
    return Refusal(g, {.targets = {g.Target(TF::Rgba8unorm)}, .buffers = {Layout(stride, attributes)}}, kFromBuffer);
  };
  EXPECT_EQ(with(8, {{V::Float32x2, 0, 0}}), "");
  EXPECT_EQ(with(0, {{V::Float32x2, 0, 0}}), "");
  EXPECT_EQ(with(6, {{V::Float32x2, 0, 0}}), "vertex buffer 0: stride 6 is not a multiple of 4");
  EXPECT_NE(with(1 << 20, {{V::Float32x2, 0, 0}}).find("maxVertexBufferArrayStride"), std::string::npos);
  EXPECT_EQ(with(8, {{V::Float32x4, 0, 0}}), "vertex buffer 0: attribute float32x4 at offset 0 with 16 bytes lies beyond 8");
  EXPECT_EQ(with(8, {{V::Float32x2, ~uint64_t{3}, 0}}),
            "vertex buffer 0: attribute float32x2 at offset 18446744073709551612 with 8 bytes lies beyond 8");
  EXPECT_EQ(with(16, {{V::Float32x2, 2, 0}}), "vertex buffer 0: offset 2 of attribute float32x2 is not a multiple of 4");
  EXPECT_EQ(with(16, {{V::Float32x2, 0, 0}, {V::Float32x2, 8, 0}}), "vertex buffer 0: shader location 0 is used twice");
  EXPECT_NE(with(8, {{V::Float32x2, 0, 4000}}).find("maxVertexAttributes"), std::string::npos);
  // The shader wants a location that no buffer has.
  EXPECT_NE(with(8, {{V::Float32x2, 0, 3}}), "");
}

TEST(RenderPipeline, EveryEnumValueIsTakenOrRefusedAndNeverEndsTheProcess) {
  TestGuest g;
  const auto plain = g.Target(TF::Rgba8unorm);
  for (uint32_t i = 0; i < wit::kGpuVertexFormatCount; ++i) {
    const auto format = static_cast<wit::GpuVertexFormat>(i);
    const std::vector<wit::GpuVertexAttribute> a = {{wit::GpuVertexFormat::Float32x2, 0, 0}, {format, 8, 1}};
    const std::string why = Refusal(g, {.targets = {plain}, .buffers = {Layout(32, a)}}, kFromBuffer);
    EXPECT_EQ(why.empty(), format != wit::GpuVertexFormat::Unorm8x4Bgra) << wit::ToString(format) << ": " << why;
  }
  for (uint32_t i = 0; i < wit::kGpuBlendFactorCount; ++i) {
    wit::GpuBlendComponent c;
    c.src_factor = c.dst_factor = static_cast<wit::GpuBlendFactor>(i);
    const std::string why = Refusal(g, {.targets = {Blended(TF::Rgba8unorm, c)}});
    EXPECT_TRUE(why.empty() || wit::ToString(*c.src_factor).find("src1") != std::string_view::npos)
        << wit::ToString(*c.src_factor) << ": " << why;
  }
  for (uint32_t i = 0; i < wit::kGpuBlendOperationCount; ++i) {
    wit::GpuBlendComponent c;
    c.operation = static_cast<wit::GpuBlendOperation>(i);
    c.dst_factor = wit::GpuBlendFactor::One;
    EXPECT_EQ(Refusal(g, {.targets = {Blended(TF::Rgba8unorm, c)}}), "");
  }
  for (uint32_t i = 0; i < wit::kGpuCompareFunctionCount; ++i) {
    auto d = Depth(TF::Depth24plusStencil8);
    wit::GpuStencilFaceState face;
    face.compare = d.depth_compare = static_cast<wit::GpuCompareFunction>(i);
    face.fail_op = face.depth_fail_op = face.pass_op = static_cast<wit::GpuStencilOperation>(i);  // there are 8 of each
    d.stencil_front = d.stencil_back = face;
    EXPECT_EQ(Refusal(g, {.targets = {plain}, .depth = d}), "");
  }
  for (uint32_t i = 0; i < wit::kGpuPrimitiveTopologyCount; ++i) {
    EXPECT_EQ(Refusal(g, {.targets = {plain}, .topology = static_cast<Topology>(i)}), "");
  }
  for (uint32_t i = 0; i < wit::kGpuTextureFormatCount; ++i) {
    const auto format = static_cast<TF>(i);
    Refusal(g, {.targets = {g.Target(format)}});
    Refusal(g, {.targets = {plain}, .depth = Depth(format)});
  }
}

TEST(RenderPipeline, RefusesBadPrimitivesAndSamples) {
  TestGuest g;
  TestGuest::RenderOptions o;
  o.targets = {g.Target(TF::Rgba8unorm)};
  o.strip = wit::GpuIndexFormat::Uint16;
  EXPECT_EQ(Refusal(g, o), "strip-index-format goes with a strip, not with triangle-list");
  o.strip = {};
  o.samples = 3;
  EXPECT_EQ(Refusal(g, o), "multisample count 3 must be 1 or 4");
  o.samples = 4;
  EXPECT_EQ(Refusal(g, o), "");
  o.targets = {g.Target(TF::Rgba32float)};
  EXPECT_EQ(Refusal(g, o), "target 0: format rgba32float cannot be multisampled");
}

TEST(RenderPipeline, AsyncGivesThePipelineOrTheReason) {
  TestGuest g;
  wit::GpuRenderPipelineDescriptor d;
  d.vertex.module = g.Shader(kTriangle);
  d.layout = g.Auto();
  Answer<Res<Rep, wit::CreatePipelineError>> bad, good;
  g.gpu->OnGpuDeviceCreateRenderPipelineAsync(g.device, d, bad.done());
  EXPECT_TRUE(bad.Wait().is_err);
  EXPECT_NE(bad.message().find("needs a colour target"), std::string::npos);
  const std::vector<Opt<wit::GpuColorTargetState>> targets = {g.Target(TF::Rgba8unorm)};
  wit::GpuFragmentState f;
  f.module = d.vertex.module;
  f.targets = List<Opt<wit::GpuColorTargetState>>(std::span(targets));
  d.fragment = f;
  g.gpu->OnGpuDeviceCreateRenderPipelineAsync(g.device, d, good.done());
  EXPECT_FALSE(good.Wait().is_err) << good.message();
  EXPECT_EQ(g.Errors(), "");
}

}  // namespace
}  // namespace weft::host
