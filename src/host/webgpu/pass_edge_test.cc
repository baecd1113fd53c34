// SPDX-License-Identifier: Apache-2.0
// What is right by the specification but at the edge, where the library might take it for a mistake: each must run without an error.
#include "host/webgpu/encoder_refusals.h"

namespace weft::host {
namespace {

Rep Attachment(TestGuest& g) { return g.View(g.Texture(TF::Rgba8unorm, 16, 16, TU::RenderAttachment | TU::CopySrc)); }
void End(TestGuest& g, Rep pass) { TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderEnd(pass)); }

struct Edge {
  const char* what;
  std::function<void(TestGuest&, Rep encoder)> record;
};

TEST(PassEdges, RunWithoutAnError) {
  auto in_pass = [](const char* what, std::function<void(TestGuest&, Rep)> act) {
    return Edge{what, [act](TestGuest& g, Rep e) {
                  const Rep pass = g.BeginRender(e, Attachment(g));
                  TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderSetPipeline(
                      pass, g.Render(kTriangle, {.targets = {TestGuest::Target(TF::Rgba8unorm)}})));
                  act(g, pass);
                  TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderDraw(pass, 3, {}, {}, {}));
                  End(g, pass);
                }};
  };
  const Edge table[] = {
      {"nothing at all", [](TestGuest&, Rep) {}},
      {"an empty pass", [](TestGuest& g, Rep e) { TestGuest::Ok(g.gpu->OnGpuComputePassEncoderEnd(g.BeginCompute(e))); }},
      in_pass("viewport outside the target",
              [](TestGuest& g, Rep p) { TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderSetViewport(p, -100, -100, 4000, 4000, 0, 1)); }),
      in_pass("viewport of nothing",
              [](TestGuest& g, Rep p) { TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderSetViewport(p, 0, 0, 0, 0, 0, 0)); }),
      in_pass("scissor of nothing",
              [](TestGuest& g, Rep p) { TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderSetScissorRect(p, 16, 16, 0, 0)); }),
      in_pass("stencil reference without stencil",
              [](TestGuest& g, Rep p) { TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderSetStencilReference(p, 0xFFFFFFFF)); }),
      in_pass("empty vertex and index buffers",
              [](TestGuest& g, Rep p) {
                const Rep b = g.Buffer(64, BU::Vertex | BU::Index);
                TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderSetVertexBuffer(p, 0, b, 64u, {}));
                TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderSetVertexBuffer(p, 0, b, 0u, 0u));
                TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderSetIndexBuffer(p, b, wit::GpuIndexFormat::Uint32, 64u, {}));
                TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderDrawIndexed(p, 0, {}, {}, {}, {}));
              }),
      in_pass("buffers of no bytes",
              [](TestGuest& g, Rep p) {
                TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderSetVertexBuffer(p, 0, g.Buffer(0, BU::Vertex), {}, {}));
                TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderSetIndexBuffer(p, g.Buffer(0, BU::Index), wit::GpuIndexFormat::Uint16, {}, {}));
              }),
      in_pass("unset what was never set",
              [](TestGuest& g, Rep p) {
                TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderSetVertexBuffer(p, 3, {}, {}, {}));
                EXPECT_TRUE(g.gpu->OnGpuRenderPassEncoderSetBindGroup(p, 1, {}, {}, {}, {}));
              }),
      in_pass("counts at their greatest",
              [](TestGuest& g, Rep p) {
                TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderSetScissorRect(p, 0, 0, 0, 0));
                TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderDraw(p, 0, 0xFFFFFFFFu, 0xFFFFFFFFu, 0xFFFFFFFFu));
              }),
      {"discard and load",
       [](TestGuest& g, Rep e) {
         auto c = TestGuest::Color(Attachment(g));
         c.value.load_op = wit::GpuLoadOp::Load;
         c.value.store_op = wit::GpuStoreOp::Discard;
         c.value.clear_value = {};
         End(g, g.BeginRender(e, {.colors = {c}}));
       }},
      {"queries that were never written",
       [](TestGuest& g, Rep e) {
         const Rep q = g.Queries(wit::GpuQueryType::Occlusion, 4);
         TestGuest::Ok(g.gpu->OnGpuCommandEncoderResolveQuerySet(e, q, 0, 4, g.Buffer(256, BU::QueryResolve | BU::CopySrc), 0));
         TestGuest::Ok(g.gpu->OnGpuCommandEncoderResolveQuerySet(e, q, 0, 0, g.Buffer(256, BU::QueryResolve), 0));
       }},
      {"timestamps that were never written",
       [](TestGuest& g, Rep e) {
         const Rep q = g.Queries(wit::GpuQueryType::Timestamp, 4);
         TestGuest::Ok(g.gpu->OnGpuCommandEncoderResolveQuerySet(e, q, 1, 3, g.Buffer(256, BU::QueryResolve | BU::CopySrc), 0));
       }},
      {"timestamps of which one half is given",
       [](TestGuest& g, Rep e) {
         const Rep q = g.Queries(wit::GpuQueryType::Timestamp, 2);
         wit::GpuComputePassDescriptor d;
         d.timestamp_writes = wit::GpuComputePassTimestampWrites{q, {}, 1u};
         TestGuest::Ok(g.gpu->OnGpuComputePassEncoderEnd(TestGuest::Take(g.gpu->OnGpuCommandEncoderBeginComputePass(e, d))));
         End(g, g.BeginRender(e, {.colors = {TestGuest::Color(Attachment(g))}, .times = wit::GpuRenderPassTimestampWrites{q, 0u, {}}}));
         TestGuest::Ok(g.gpu->OnGpuCommandEncoderResolveQuerySet(e, q, 0, 2, g.Buffer(256, BU::QueryResolve), 0));
       }},
      {"an empty bundle",
       [](TestGuest& g, Rep e) {
         const Opt<TF> colors[] = {TF::Rgba8unorm};
         wit::GpuRenderBundleEncoderDescriptor d;
         d.color_formats = {colors, 1};
         const Rep bundle = TestGuest::Take(
             g.gpu->OnGpuRenderBundleEncoderFinish(TestGuest::Take(g.gpu->OnGpuDeviceCreateRenderBundleEncoder(g.device, d)), {}));
         const Rep pass = g.BeginRender(e, Attachment(g));
         TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderExecuteBundles(pass, {&bundle, 1}));
         End(g, pass);
       }},
      {"a dispatch of nothing",
       [](TestGuest& g, Rep e) {
         const Rep p = g.Compute("@compute @workgroup_size(1) fn main() {}");
         const Rep pass = g.BeginCompute(e);
         TestGuest::Ok(g.gpu->OnGpuComputePassEncoderSetPipeline(pass, p));
         TestGuest::Ok(g.gpu->OnGpuComputePassEncoderDispatchWorkgroups(pass, 0, 5u, 0u));
         TestGuest::Ok(g.gpu->OnGpuComputePassEncoderDispatchWorkgroupsIndirect(pass, g.BufferOf({70000, 1, 1}, BU::Indirect), 0));
         TestGuest::Ok(g.gpu->OnGpuComputePassEncoderEnd(pass));
       }},
  };
  for (const auto& edge : table) {
    SCOPED_TRACE(edge.what);
    TestGuest g;
    const Rep e = g.Encoder();
    edge.record(g, e);
    g.FinishAndSubmit(e);
    EXPECT_EQ(g.Errors(), "");
    EXPECT_TRUE(gpu::TestDevice()->WaitIdle());
  }
}

// Guests forget things and drop them in any order.
TEST(PassEdges, DroppedInAnyOrder) {
  TestGuest g;
  for (int order = 0; order < 4; ++order) {
    const Rep e = g.Encoder();
    const Rep pass = g.BeginRender(e, Attachment(g));
    TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderSetPipeline(pass, g.Render(kTriangle, {.targets = {TestGuest::Target(TF::Rgba8unorm)}})));
    TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderDraw(pass, 3, {}, {}, {}));
    if (order & 1) g.gpu->OnDropGpuCommandEncoder(e);
    if (order & 2) {
      End(g, pass);
      g.gpu->OnDropGpuRenderPassEncoder(pass);
    } else {
      g.gpu->OnDropGpuRenderPassEncoder(pass);
    }
    if (!(order & 1)) g.gpu->OnDropGpuCommandEncoder(e);
  }
  EXPECT_EQ(g.Errors(), "");
}

TEST(PassEdges, ImmediatesReachTheShader) {
  TestGuest g;
  const auto device = g.gpu->Get<VDevice>(g.device);
  const uint32_t max = (*device)->limits().maxImmediateSize;
  if (max == 0 || max == WGPU_LIMIT_U32_UNDEFINED) GTEST_SKIP() << "this device has no immediates";
  const Rep layout = g.Layout({TestGuest::BufferEntry(0, wit::GpuBufferBindingType::Storage)});
  const Rep p = g.Compute(R"(
    var<immediate> v: vec2u;
    @group(0) @binding(0) var<storage, read_write> data: array<u32>;
    @compute @workgroup_size(1) fn main() { data[0] += v.x; data[1] += v.y; })",
                          TestGuest::With(g.PipelineLayout({layout}, 8u)));
  ASSERT_EQ(g.Errors(), "");
  const Rep data = g.BufferOf({100, 200}, BU::Storage | BU::CopySrc);
  const Rep group = g.Group(layout, {TestGuest::BindBuffer(0, data)});
  const Rep e = g.Encoder();
  const Rep pass = g.BeginCompute(e);
  const uint32_t values[] = {9, 3, 4};
  // Before the pipeline, and only a part of the data.
  TestGuest::Ok(g.gpu->OnGpuComputePassEncoderSetImmediates(pass, 0, {reinterpret_cast<const uint8_t*>(values), 12}, 4u, {}));
  TestGuest::Ok(g.gpu->OnGpuComputePassEncoderSetPipeline(pass, p));
  EXPECT_TRUE(g.gpu->OnGpuComputePassEncoderSetBindGroup(pass, 0, group, {}, {}, {}));
  TestGuest::Ok(g.gpu->OnGpuComputePassEncoderDispatchWorkgroups(pass, 1, {}, {}));
  TestGuest::Ok(g.gpu->OnGpuComputePassEncoderSetImmediates(pass, 4, {reinterpret_cast<const uint8_t*>(values), 4}, {}, {}));
  TestGuest::Ok(g.gpu->OnGpuComputePassEncoderDispatchWorkgroups(pass, 1, {}, {}));
  TestGuest::Ok(g.gpu->OnGpuComputePassEncoderEnd(pass));
  g.FinishAndSubmit(e);
  const auto words = g.Read(data);
  EXPECT_EQ(g.Errors(), "");
  EXPECT_EQ(words, (std::vector<uint32_t>{106, 213}));
}

// WebGPU 19.2: what is destroyed within a pass is no error before submit, however often the pass names it.
TEST(PassEdges, ABufferThatIsDestroyedBetweenTwoUsesIsRefusedAtSubmit) {
  for (const bool index : {false, true}) {
    TestGuest g;
    const Rep buffer = g.Buffer(64, BU::Vertex | BU::Index);
    const Rep t = g.Texture(TF::Rgba8unorm, 4, 4, TU::RenderAttachment);
    const Rep e = g.Encoder();
    const Rep pass = g.BeginRender(e, g.View(t));
    for (const bool destroyed : {false, true}) {
      if (destroyed) TestGuest::Ok(g.gpu->OnGpuBufferDestroy(buffer));
      if (index) {
        TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderSetIndexBuffer(pass, buffer, wit::GpuIndexFormat::Uint32, {}, {}));
      } else {
        TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderSetVertexBuffer(pass, 0, Opt<Rep>(buffer), {}, {}));
      }
    }
    TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderEnd(pass));
    const Rep commands = g.Finish(e);
    EXPECT_EQ(g.Errors(), "");
    g.Submit({commands});
    EXPECT_NE(g.Errors().find("destroyed"), std::string::npos);
  }
}

TEST(PassEdges, ImmediatesThatNoShaderReadsAreNoError) {
  TestGuest g;
  const auto device = g.gpu->Get<VDevice>(g.device);
  if ((*device)->limits().maxImmediateSize < 8) GTEST_SKIP() << "this device has no immediates";
  const Rep p = g.Compute("@compute @workgroup_size(1) fn main() {}");
  const uint32_t values[] = {1, 2};
  for (const uint32_t offset : {0u, 4u}) {
    const Rep e = g.Encoder();
    const Rep pass = g.BeginCompute(e);
    TestGuest::Ok(g.gpu->OnGpuComputePassEncoderSetPipeline(pass, p));
    TestGuest::Ok(g.gpu->OnGpuComputePassEncoderSetImmediates(pass, offset, {reinterpret_cast<const uint8_t*>(values), 4}, {}, {}));
    TestGuest::Ok(g.gpu->OnGpuComputePassEncoderDispatchWorkgroups(pass, 1, {}, {}));
    TestGuest::Ok(g.gpu->OnGpuComputePassEncoderEnd(pass));
    g.FinishAndSubmit(e);
    EXPECT_EQ(g.Errors(), "");
  }
}

// WebGPU 17.1: a pass begins with the blend constant (0, 0, 0, 0), in bundles too.
TEST(PassEdges, TheBlendConstantIsZeroUntilItIsSet) {
  TestGuest g;
  TestGuest::RenderOptions o;
  wit::GpuColorTargetState target;
  target.format = TF::Rgba8unorm;
  const wit::GpuBlendComponent blend{wit::GpuBlendOperation::Add, wit::GpuBlendFactor::Constant, wit::GpuBlendFactor::One};
  target.blend = wit::GpuBlendState{blend, blend};
  o.targets = {target};
  const Rep p = g.Render(kTriangle, o);
  for (const bool bundled : {false, true}) {
    const Rep t = g.Texture(TF::Rgba8unorm, 1, 1, TU::RenderAttachment | TU::CopySrc);
    const Rep e = g.Encoder();
    const Rep pass = g.BeginRender(e, g.View(t));
    if (bundled) {
      const Opt<TF> format = TF::Rgba8unorm;
      wit::GpuRenderBundleEncoderDescriptor d;
      d.color_formats = {&format, 1};
      const Rep b = g.Take(g.gpu->OnGpuDeviceCreateRenderBundleEncoder(g.device, d));
      TestGuest::Ok(g.gpu->OnGpuRenderBundleEncoderSetPipeline(b, p));
      TestGuest::Ok(g.gpu->OnGpuRenderBundleEncoderDraw(b, 3, {}, {}, {}));
      const Rep bundle = g.Take(g.gpu->OnGpuRenderBundleEncoderFinish(b, {}));
      TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderExecuteBundles(pass, {&bundle, 1}));
    } else {
      TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderSetPipeline(pass, p));
      TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderDraw(pass, 3, {}, {}, {}));
    }
    TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderEnd(pass));
    g.FinishAndSubmit(e);
    EXPECT_EQ(g.Errors(), "");
    // Cleared to (0, 0, 0, 1), and nothing times the constant was added.
    EXPECT_EQ(g.Pixels(t), (std::vector<std::byte>{std::byte{0}, std::byte{0}, std::byte{0}, std::byte{255}})) << bundled;
  }
}

// WebGPU 14.4 "validate bind groups": also of what a layout "auto" asks for, and before the library hears of it.
TEST(PassEdges, AGroupThatAnAutomaticLayoutNeedsIsMissed) {
  TestGuest g;
  const Rep p = g.Compute(R"(
    @group(0) @binding(0) var<storage, read_write> unused: array<u32>;
    @group(1) @binding(3) var<storage, read_write> data: array<u32>;
    @compute @workgroup_size(1) fn main() { data[0] = 1u; })");
  const Rep layout = g.Take(g.gpu->OnGpuComputePipelineGetBindGroupLayout(p, 1));
  const Rep buffer = g.Buffer(16, BU::Storage | BU::CopySrc);
  ASSERT_EQ(g.Errors(), "");
  for (const bool set : {false, true}) {
    const Rep e = g.Encoder();
    const Rep pass = g.BeginCompute(e);
    TestGuest::Ok(g.gpu->OnGpuComputePassEncoderSetPipeline(pass, p));
    if (set) {
      const Rep group = g.Group(layout, {TestGuest::BindBuffer(3, buffer)});
      EXPECT_TRUE(g.gpu->OnGpuComputePassEncoderSetBindGroup(pass, 1, group, {}, {}, {}));
    }
    TestGuest::Ok(g.gpu->OnGpuComputePassEncoderDispatchWorkgroups(pass, 1, {}, {}));
    TestGuest::Ok(g.gpu->OnGpuComputePassEncoderEnd(pass));
    const Rep commands = g.Finish(e);
    const std::string errors = g.Errors();
    if (set) {
      EXPECT_EQ(errors, "");
      g.Submit({commands});
      EXPECT_EQ(g.Read(buffer)[0], 1u);
    } else {
      EXPECT_NE(errors.find("needs a bind group at index 1, and none is set"), std::string::npos) << errors;
    }
  }
  EXPECT_EQ(g.Errors(), "");
}

// WebGPU 17.1.1 "render pass layout": holes at the end of the colours do not count.
TEST(PassEdges, HolesAtTheEndOfTheColoursDoNotCount) {
  TestGuest g;
  for (const size_t pass_holes : {0, 2}) {
    for (const size_t pipeline_holes : {0, 1}) {
      TestGuest::RenderOptions o;
      o.targets = {TestGuest::Target(TF::Rgba8unorm)};
      o.targets.resize(1 + pipeline_holes);
      const Rep p = g.Render(kTriangle, o);
      const Rep t = g.Texture(TF::Rgba8unorm, 4, 4, TU::RenderAttachment);
      TestGuest::PassOptions pass_options{.colors = {TestGuest::Color(g.View(t))}};
      pass_options.colors.resize(1 + pass_holes);
      const std::vector<Opt<TF>> formats = {Opt<TF>(TF::Rgba8unorm), Opt<TF>()};
      wit::GpuRenderBundleEncoderDescriptor d;
      d.color_formats = {formats.data(), 2};
      const Rep b = g.Take(g.gpu->OnGpuDeviceCreateRenderBundleEncoder(g.device, d));
      TestGuest::Ok(g.gpu->OnGpuRenderBundleEncoderSetPipeline(b, p));
      TestGuest::Ok(g.gpu->OnGpuRenderBundleEncoderDraw(b, 3, {}, {}, {}));
      const Rep bundle = g.Take(g.gpu->OnGpuRenderBundleEncoderFinish(b, {}));
      const Rep e = g.Encoder();
      const Rep pass = g.BeginRender(e, pass_options);
      TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderExecuteBundles(pass, {&bundle, 1}));
      TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderSetPipeline(pass, p));
      TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderDraw(pass, 3, {}, {}, {}));
      TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderEnd(pass));
      g.FinishAndSubmit(e);
      EXPECT_EQ(g.Errors(), "") << pass_holes << " " << pipeline_holes;
    }
  }
}

// The library fills what nobody has written with zeros before a submit, in words of four bytes, and ends the process for a range that
// begins or ends within one.
struct OddRange {
  uint64_t size, offset;
  Opt<uint64_t> bytes;
};
const OddRange kOdd[] = {{1024, 222, {}}, {1024, 0, 6u}, {1024, 4, 10u}, {1026, 0, {}}, {1026, 2, {}}, {1022, 1016, 6u}, {2, 0, {}}};

TEST(FreshBuffers, AreReadFromAndToTheMiddleOfAWord) {
  TestGuest g;
  constexpr std::string_view kWgsl =
      "@vertex fn vs() -> @builtin(position) vec4f { return vec4f(0.0, 0.0, 0.0, 1.0); }\n"
      "@fragment fn fs() -> @location(0) vec4f { return vec4f(1.0); }";
  TestGuest::RenderOptions o;
  o.targets = {TestGuest::Target(TF::Rgba8unorm)};
  const Rep pipeline = g.Render(kWgsl, o);
  wit::GpuVertexBufferLayout narrow;
  narrow.array_stride = 4;
  wit::GpuVertexAttribute attribute;
  attribute.format = wit::GpuVertexFormat::Unorm8x2;
  narrow.attributes = {&attribute, 1};
  o.buffers = {narrow};
  const Rep with_vertices = g.Render(
      "@vertex fn vs(@location(0) p: vec2f) -> @builtin(position) vec4f { return vec4f(p, 0.0, 1.0); }\n"
      "@fragment fn fs() -> @location(0) vec4f { return vec4f(1.0); }",
      o);
  const Rep target = g.Texture(TF::Rgba8unorm, 4, 4, TU::RenderAttachment | TU::CopySrc);
  for (const OddRange& r : kOdd) {
    SCOPED_TRACE(fmt::format("{} bytes, from {}, {}", r.size, r.offset, r.bytes.value_or(0)));
    for (const bool written : {false, true}) {
      const auto fresh = [&](uint32_t usage) {
        const Rep b = g.Buffer(r.size, usage | BU::CopyDst);
        if (written) g.Write(b, {0}, r.size > 512 ? 512 : 0);
        return b;
      };
      if (written && r.size < 4) continue;
      const Rep e = g.Encoder();
      const Rep p = g.BeginRender(e, g.View(target));
      g.Ok(g.gpu->OnGpuRenderPassEncoderSetPipeline(p, pipeline));
      g.Ok(g.gpu->OnGpuRenderPassEncoderSetIndexBuffer(p, fresh(BU::Index), wit::GpuIndexFormat::Uint16, r.offset, r.bytes));
      g.Ok(g.gpu->OnGpuRenderPassEncoderDrawIndexed(p, 1, {}, {}, {}, {}));
      if (r.offset % 4 == 0) {
        g.Ok(g.gpu->OnGpuRenderPassEncoderSetPipeline(p, with_vertices));
        g.Ok(g.gpu->OnGpuRenderPassEncoderSetVertexBuffer(p, 0, fresh(BU::Vertex), r.offset, r.bytes));
        g.Ok(g.gpu->OnGpuRenderPassEncoderDraw(p, 1, {}, {}, {}));
      }
      wit::GpuRenderBundleEncoderDescriptor bd;
      const Opt<TF> formats[] = {TF::Rgba8unorm};
      bd.color_formats = {formats, 1};
      const Rep be = g.Take(g.gpu->OnGpuDeviceCreateRenderBundleEncoder(g.device, bd));
      g.Ok(g.gpu->OnGpuRenderBundleEncoderSetPipeline(be, pipeline));
      g.Ok(g.gpu->OnGpuRenderBundleEncoderSetIndexBuffer(be, fresh(BU::Index), wit::GpuIndexFormat::Uint16, r.offset, r.bytes));
      g.Ok(g.gpu->OnGpuRenderBundleEncoderDrawIndexed(be, 1, {}, {}, {}, {}));
      const Rep bundle = g.Take(g.gpu->OnGpuRenderBundleEncoderFinish(be, {}));
      g.Ok(g.gpu->OnGpuRenderPassEncoderExecuteBundles(p, {&bundle, 1}));
      g.Ok(g.gpu->OnGpuRenderPassEncoderEnd(p));
      g.FinishAndSubmit(e);
      EXPECT_EQ(g.Errors(), "");
    }
  }
}

TEST(FreshBuffers, AreUniformsWithAnOddEnd) {
  TestGuest g;
  const Rep layout = g.Layout({g.BufferEntry(0, wit::GpuBufferBindingType::Uniform)});
  const Rep pipeline =
      g.Compute("@group(0) @binding(0) var<uniform> u: u32; var<workgroup> w: u32; @compute @workgroup_size(1) fn main() { w = u; }",
                g.With(g.PipelineLayout({layout})));
  for (const uint64_t bytes : {18u, 255u, 5u}) {
    const Rep group = g.Group(layout, {g.BindBuffer(0, g.Buffer(256, BU::Uniform), 0u, bytes)});
    const Rep e = g.Encoder();
    const Rep p = g.BeginCompute(e);
    g.Ok(g.gpu->OnGpuComputePassEncoderSetPipeline(p, pipeline));
    auto set = g.gpu->OnGpuComputePassEncoderSetBindGroup(p, 0, Opt<Rep>(group), {}, {}, {});
    EXPECT_TRUE(set && !set->is_err);
    g.Ok(g.gpu->OnGpuComputePassEncoderDispatchWorkgroups(p, 1, {}, {}));
    g.Ok(g.gpu->OnGpuComputePassEncoderEnd(p));
    g.FinishAndSubmit(e);
    EXPECT_EQ(g.Errors(), "");
  }
}

}  // namespace
}  // namespace weft::host
