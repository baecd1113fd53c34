// SPDX-License-Identifier: Apache-2.0
// That what a pass or a bundle is told reaches the GPU: pixels of every way to draw, of the state that draws depend on, and debug groups.
#include "host/webgpu/encoder_test_guest.h"

namespace weft::host {
namespace {

uint32_t Bits(float v) {
  uint32_t w;
  std::memcpy(&w, &v, 4);
  return w;
}

// A colour target of 16x16, all zeros before and where nothing was drawn.
struct Canvas {
  TestGuest& g;
  Rep texture;
  explicit Canvas(TestGuest& guest) : g(guest), texture(g.Texture(TF::Rgba8unorm, 16, 16, TU::RenderAttachment | TU::CopySrc)) {}
  TestGuest::PassOptions Pass() {
    auto color = TestGuest::Color(g.View(texture));
    color.value.clear_value = wit::GpuColor{0, 0, 0, 0};
    return {.colors = {color}};
  }
  std::vector<int> At(uint32_t x, uint32_t y) {
    const auto pixels = g.Pixels(texture);
    std::vector<int> out;
    for (size_t c = 0; c < 4 && pixels.size() == 1024; ++c) out.push_back(static_cast<int>(pixels[(y * 16 + x) * 4 + c]));
    return out;
  }
};

const std::vector<int> kNothing = {0, 0, 0, 0};
const std::vector<int> kRed = {255, 0, 0, 255};

// Draws with `draw` in a pass of its own; what a pass is and what a bundle is differ only in which functions are called.
void InPass(TestGuest& g, Canvas& canvas, const std::function<void(Rep)>& draw) {
  const Rep e = g.Encoder();
  const Rep pass = g.BeginRender(e, canvas.Pass());
  draw(pass);
  g.Ok(g.gpu->OnGpuRenderPassEncoderEnd(pass));
  g.FinishAndSubmit(e);
}

void InBundle(TestGuest& g, Canvas& canvas, const std::function<void(Rep)>& draw) {
  const Opt<TF> format[] = {TF::Rgba8unorm};
  wit::GpuRenderBundleEncoderDescriptor d;
  d.color_formats = {format, 1};
  const Rep e = g.Take(g.gpu->OnGpuDeviceCreateRenderBundleEncoder(g.device, d));
  draw(e);
  const Rep bundle = g.Take(g.gpu->OnGpuRenderBundleEncoderFinish(e, {}));
  InPass(g, canvas, [&](Rep pass) { g.Ok(g.gpu->OnGpuRenderPassEncoderExecuteBundles(pass, {&bundle, 1})); });
}

// A triangle over everything as vertices 3 to 5, behind one that is nowhere; indices 7 to 9 of the list name them.
struct Triangle {
  Rep pipeline, vertices, indices, args;
  explicit Triangle(TestGuest& g) {
    static constexpr wit::GpuVertexAttribute kAttribute{wit::GpuVertexFormat::Float32x2, 0, 0};
    wit::GpuVertexBufferLayout layout;
    layout.array_stride = 8;
    layout.attributes = {&kAttribute, 1};
    pipeline = g.Render(kFromBuffer, {.targets = {TestGuest::Target(TF::Rgba8unorm)}, .buffers = {layout}});
    const uint32_t out = Bits(9), low = Bits(-1), high = Bits(3);
    vertices = g.BufferOf({out, out, out, out, out, out, low, low, high, low, low, high}, BU::Vertex);
    indices = g.BufferOf({0, 0, 0, 0, 0, 0, 0, 2, 3, 4}, BU::Index);
    // vertex-count, instance-count, first-vertex, first-instance; then index-count, instance-count, first-index, base-vertex,
    // first-instance.
    args = g.BufferOf({3, 1, 3, 0, 3, 1, 7, 1, 0}, BU::Indirect);
  }
};

TEST(Draw, EveryWayOfAPassReachesTheGpu) {
  using Way = std::function<void(TestGuest&, const Triangle&, Rep pass)>;
  const std::pair<const char*, Way> ways[] = {
      {"draw", [](TestGuest& g, const Triangle&, Rep p) { g.Ok(g.gpu->OnGpuRenderPassEncoderDraw(p, 3, {}, 3u, {})); }},
      {"draw-indexed", [](TestGuest& g, const Triangle&, Rep p) { g.Ok(g.gpu->OnGpuRenderPassEncoderDrawIndexed(p, 3, {}, 7u, 1, {})); }},
      {"draw-indirect", [](TestGuest& g, const Triangle& t, Rep p) { g.Ok(g.gpu->OnGpuRenderPassEncoderDrawIndirect(p, t.args, 0)); }},
      {"draw-indexed-indirect",
       [](TestGuest& g, const Triangle& t, Rep p) { g.Ok(g.gpu->OnGpuRenderPassEncoderDrawIndexedIndirect(p, t.args, 16)); }},
  };
  for (const auto& [name, draw] : ways) {
    SCOPED_TRACE(name);
    TestGuest g;
    const Triangle t(g);
    Canvas canvas(g);
    InPass(g, canvas, [&](Rep p) {
      g.Ok(g.gpu->OnGpuRenderPassEncoderSetPipeline(p, t.pipeline));
      g.Ok(g.gpu->OnGpuRenderPassEncoderSetVertexBuffer(p, 0, t.vertices, {}, {}));
      g.Ok(g.gpu->OnGpuRenderPassEncoderSetIndexBuffer(p, t.indices, wit::GpuIndexFormat::Uint32, {}, {}));
      draw(g, t, p);
    });
    EXPECT_EQ(canvas.At(2, 13), kRed);
    EXPECT_EQ(g.Errors(), "");
  }
}

TEST(Draw, EveryWayOfABundleReachesTheGpu) {
  using Way = std::function<void(TestGuest&, const Triangle&, Rep encoder)>;
  const std::pair<const char*, Way> ways[] = {
      {"draw", [](TestGuest& g, const Triangle&, Rep e) { g.Ok(g.gpu->OnGpuRenderBundleEncoderDraw(e, 3, {}, 3u, {})); }},
      {"draw-indexed", [](TestGuest& g, const Triangle&, Rep e) { g.Ok(g.gpu->OnGpuRenderBundleEncoderDrawIndexed(e, 3, {}, 7u, 1, {})); }},
      {"draw-indirect", [](TestGuest& g, const Triangle& t, Rep e) { g.Ok(g.gpu->OnGpuRenderBundleEncoderDrawIndirect(e, t.args, 0)); }},
      {"draw-indexed-indirect",
       [](TestGuest& g, const Triangle& t, Rep e) { g.Ok(g.gpu->OnGpuRenderBundleEncoderDrawIndexedIndirect(e, t.args, 16)); }},
  };
  for (const auto& [name, draw] : ways) {
    SCOPED_TRACE(name);
    TestGuest g;
    const Triangle t(g);
    Canvas canvas(g);
    InBundle(g, canvas, [&](Rep e) {
      g.Ok(g.gpu->OnGpuRenderBundleEncoderSetPipeline(e, t.pipeline));
      g.Ok(g.gpu->OnGpuRenderBundleEncoderSetVertexBuffer(e, 0, t.vertices, {}, {}));
      g.Ok(g.gpu->OnGpuRenderBundleEncoderSetIndexBuffer(e, t.indices, wit::GpuIndexFormat::Uint32, {}, {}));
      draw(g, t, e);
    });
    EXPECT_EQ(canvas.At(2, 13), kRed);
    EXPECT_EQ(g.Errors(), "");
  }
}

constexpr std::string_view kBound = R"(
@group(0) @binding(0) var<uniform> color: vec4f;
@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i32(i & 1u) * 4 - 1), f32(i32(i >> 1u) * 4 - 1), 0.0, 1.0);
}
@fragment fn fs() -> @location(0) vec4f { return color; })";

constexpr std::string_view kImmediate = R"(
var<immediate> color: vec4f;
@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i32(i & 1u) * 4 - 1), f32(i32(i >> 1u) * 4 - 1), 0.0, 1.0);
}
@fragment fn fs() -> @location(0) vec4f { return color; })";

TEST(Draw, TakesWhatItsBindGroupHolds) {
  TestGuest g;
  const Rep pipeline = g.Render(kBound, {.targets = {TestGuest::Target(TF::Rgba8unorm)}});
  const Rep layout = g.Take(g.gpu->OnGpuRenderPipelineGetBindGroupLayout(pipeline, 0));
  const Rep group = g.Group(layout, {TestGuest::BindBuffer(0, g.BufferOf({Bits(1), 0, 0, Bits(1)}, BU::Uniform))});
  Canvas canvas(g), bundled(g);
  InPass(g, canvas, [&](Rep p) {
    g.Ok(g.gpu->OnGpuRenderPassEncoderSetPipeline(p, pipeline));
    EXPECT_TRUE(g.gpu->OnGpuRenderPassEncoderSetBindGroup(p, 0, group, {}, {}, {}));
    g.Ok(g.gpu->OnGpuRenderPassEncoderDraw(p, 3, {}, {}, {}));
  });
  EXPECT_EQ(canvas.At(8, 8), kRed);
  InBundle(g, bundled, [&](Rep e) {
    g.Ok(g.gpu->OnGpuRenderBundleEncoderSetPipeline(e, pipeline));
    EXPECT_TRUE(g.gpu->OnGpuRenderBundleEncoderSetBindGroup(e, 0, group, {}, {}, {}));
    g.Ok(g.gpu->OnGpuRenderBundleEncoderDraw(e, 3, {}, {}, {}));
  });
  EXPECT_EQ(bundled.At(8, 8), kRed);
  EXPECT_EQ(g.Errors(), "");
}

TEST(Draw, TakesImmediates) {
  TestGuest g;
  TestGuest::RenderOptions options{.targets = {TestGuest::Target(TF::Rgba8unorm)}};
  options.layout = TestGuest::With(g.PipelineLayout({}, 16u));
  const Rep pipeline = g.Render(kImmediate, options);
  ASSERT_EQ(g.Errors(), "");
  const uint32_t color[] = {Bits(1), 0, 0, Bits(1)};
  const List<uint8_t> bytes(reinterpret_cast<const uint8_t*>(color), 16);
  Canvas canvas(g), bundled(g);
  InPass(g, canvas, [&](Rep p) {
    g.Ok(g.gpu->OnGpuRenderPassEncoderSetPipeline(p, pipeline));
    g.Ok(g.gpu->OnGpuRenderPassEncoderSetImmediates(p, 0, bytes, {}, {}));
    g.Ok(g.gpu->OnGpuRenderPassEncoderDraw(p, 3, {}, {}, {}));
  });
  EXPECT_EQ(canvas.At(8, 8), kRed);
  InBundle(g, bundled, [&](Rep e) {
    g.Ok(g.gpu->OnGpuRenderBundleEncoderSetPipeline(e, pipeline));
    g.Ok(g.gpu->OnGpuRenderBundleEncoderSetImmediates(e, 0, bytes, {}, {}));
    g.Ok(g.gpu->OnGpuRenderBundleEncoderDraw(e, 3, {}, {}, {}));
  });
  EXPECT_EQ(bundled.At(8, 8), kRed);
  EXPECT_EQ(g.Errors(), "");
}

TEST(Draw, KeepsToTheViewportAndTheScissor) {
  TestGuest g;
  const Triangle t(g);
  Canvas canvas(g);
  InPass(g, canvas, [&](Rep p) {
    g.Ok(g.gpu->OnGpuRenderPassEncoderSetPipeline(p, t.pipeline));
    g.Ok(g.gpu->OnGpuRenderPassEncoderSetVertexBuffer(p, 0, t.vertices, {}, {}));
    g.Ok(g.gpu->OnGpuRenderPassEncoderSetViewport(p, 4, 0, 12, 16, 0, 1));
    g.Ok(g.gpu->OnGpuRenderPassEncoderSetScissorRect(p, 0, 8, 16, 8));
    g.Ok(g.gpu->OnGpuRenderPassEncoderDraw(p, 3, {}, 3u, {}));
  });
  EXPECT_EQ(canvas.At(2, 12), kNothing) << "left of the viewport";
  EXPECT_EQ(canvas.At(12, 2), kNothing) << "above the scissor";
  EXPECT_EQ(canvas.At(12, 12), kRed);
  EXPECT_EQ(g.Errors(), "");
}

TEST(Draw, BlendsWithTheConstant) {
  TestGuest g;
  wit::GpuBlendComponent by_constant;
  by_constant.src_factor = wit::GpuBlendFactor::Constant;
  by_constant.dst_factor = wit::GpuBlendFactor::Zero;
  auto target = TestGuest::Target(TF::Rgba8unorm);
  target.value.blend = wit::GpuBlendState{by_constant, by_constant};
  const Rep pipeline = g.Render(kBound, {.targets = {target}});
  const Rep layout = g.Take(g.gpu->OnGpuRenderPipelineGetBindGroupLayout(pipeline, 0));
  const Rep white = g.Group(layout, {TestGuest::BindBuffer(0, g.BufferOf(std::vector<uint32_t>(4, Bits(1)), BU::Uniform))});
  Canvas canvas(g);
  InPass(g, canvas, [&](Rep p) {
    g.Ok(g.gpu->OnGpuRenderPassEncoderSetPipeline(p, pipeline));
    EXPECT_TRUE(g.gpu->OnGpuRenderPassEncoderSetBindGroup(p, 0, white, {}, {}, {}));
    g.Ok(g.gpu->OnGpuRenderPassEncoderSetBlendConstant(p, {1, 0, 0.2, 1}));
    g.Ok(g.gpu->OnGpuRenderPassEncoderDraw(p, 3, {}, {}, {}));
  });
  EXPECT_EQ(canvas.At(8, 8), (std::vector<int>{255, 0, 51, 255}));
  EXPECT_EQ(g.Errors(), "");
}

TEST(Draw, ComparesTheStencilWithTheReference) {
  TestGuest g;
  wit::GpuStencilFaceState equal;
  equal.compare = wit::GpuCompareFunction::Equal;
  wit::GpuDepthStencilState stencil;
  stencil.format = TF::Stencil8;
  stencil.stencil_front = stencil.stencil_back = equal;
  const Rep pipeline = g.Render(kTriangle, {.targets = {TestGuest::Target(TF::Rgba8unorm)}, .depth = stencil});
  for (const uint32_t reference : {7u, 6u}) {
    Canvas canvas(g);
    auto options = canvas.Pass();
    wit::GpuRenderPassDepthStencilAttachment sevens;
    sevens.view = g.View(g.Texture(TF::Stencil8, 16, 16, TU::RenderAttachment));
    sevens.stencil_load_op = wit::GpuLoadOp::Clear;
    sevens.stencil_clear_value = 7u;
    sevens.stencil_store_op = wit::GpuStoreOp::Discard;
    options.depth = sevens;
    const Rep e = g.Encoder();
    const Rep pass = g.BeginRender(e, options);
    g.Ok(g.gpu->OnGpuRenderPassEncoderSetPipeline(pass, pipeline));
    g.Ok(g.gpu->OnGpuRenderPassEncoderSetStencilReference(pass, reference));
    g.Ok(g.gpu->OnGpuRenderPassEncoderDraw(pass, 3, {}, {}, {}));
    g.Ok(g.gpu->OnGpuRenderPassEncoderEnd(pass));
    g.FinishAndSubmit(e);
    EXPECT_EQ(canvas.At(8, 8) != kNothing, reference == 7u) << reference;
  }
  EXPECT_EQ(g.Errors(), "");
}

TEST(Dispatch, IndirectTakesItsCountsFromTheBuffer) {
  TestGuest g;
  const Rep pipeline = g.Compute(kAddOne);
  const Rep data = g.BufferOf({1, 1, 1, 1}, BU::Storage | BU::CopySrc);
  const Rep group = g.Group(g.Take(g.gpu->OnGpuComputePipelineGetBindGroupLayout(pipeline, 0)), {TestGuest::BindBuffer(0, data)});
  const Rep e = g.Encoder();
  const Rep pass = g.BeginCompute(e);
  g.Ok(g.gpu->OnGpuComputePassEncoderSetPipeline(pass, pipeline));
  EXPECT_TRUE(g.gpu->OnGpuComputePassEncoderSetBindGroup(pass, 0, group, {}, {}, {}));
  g.Ok(g.gpu->OnGpuComputePassEncoderDispatchWorkgroupsIndirect(pass, g.BufferOf({9, 3, 1, 1}, BU::Indirect), 4));
  g.Ok(g.gpu->OnGpuComputePassEncoderEnd(pass));
  g.FinishAndSubmit(e);
  EXPECT_EQ(g.Read(data), (std::vector<uint32_t>{2, 2, 2, 1}));
  EXPECT_EQ(g.Errors(), "");
}

// --- debug groups ---

// The four that have debug groups: how one is begun, its functions, and its end, after which it must not be used.
struct Grouping {
  const char* kind;
  std::function<Rep(TestGuest&, Rep encoder)> begin;
  Status (wit::WebgpuHost::*push)(Rep, Str);
  Status (wit::WebgpuHost::*pop)(Rep);
  Status (wit::WebgpuHost::*mark)(Rep, Str);
  std::function<void(TestGuest&, Rep self)> end;
};

std::vector<Grouping> Groupings() {
  using H = wit::WebgpuHost;
  return {
      {"gpu-command-encoder", [](TestGuest&, Rep e) { return e; }, &H::OnGpuCommandEncoderPushDebugGroup,
       &H::OnGpuCommandEncoderPopDebugGroup, &H::OnGpuCommandEncoderInsertDebugMarker, [](TestGuest& g, Rep e) { g.Finish(e); }},
      {"gpu-compute-pass-encoder", [](TestGuest& g, Rep e) { return g.BeginCompute(e); }, &H::OnGpuComputePassEncoderPushDebugGroup,
       &H::OnGpuComputePassEncoderPopDebugGroup, &H::OnGpuComputePassEncoderInsertDebugMarker,
       [](TestGuest& g, Rep p) { g.Ok(g.gpu->OnGpuComputePassEncoderEnd(p)); }},
      {"gpu-render-pass-encoder", [](TestGuest& g, Rep e) { return g.BeginRender(e, Canvas(g).Pass()); },
       &H::OnGpuRenderPassEncoderPushDebugGroup, &H::OnGpuRenderPassEncoderPopDebugGroup, &H::OnGpuRenderPassEncoderInsertDebugMarker,
       [](TestGuest& g, Rep p) { g.Ok(g.gpu->OnGpuRenderPassEncoderEnd(p)); }},
      {"gpu-render-bundle-encoder",
       [](TestGuest& g, Rep) {
         const Opt<TF> format[] = {TF::Rgba8unorm};
         wit::GpuRenderBundleEncoderDescriptor d;
         d.color_formats = {format, 1};
         return g.Take(g.gpu->OnGpuDeviceCreateRenderBundleEncoder(g.device, d));
       },
       &H::OnGpuRenderBundleEncoderPushDebugGroup, &H::OnGpuRenderBundleEncoderPopDebugGroup, &H::OnGpuRenderBundleEncoderInsertDebugMarker,
       [](TestGuest& g, Rep e) { g.Take(g.gpu->OnGpuRenderBundleEncoderFinish(e, {})); }},
  };
}

TEST(DebugGroups, NestAndMustBeBalanced) {
  for (const auto& kind : Groupings()) {
    SCOPED_TRACE(kind.kind);
    TestGuest g;
    wit::WebgpuHost& host = *g.gpu;
    // Begins, pushes and pops, ends; what is said until the command buffer is finished.
    const auto run = [&](int pushes, int pops) {
      const Rep e = g.Encoder();
      const Rep self = kind.begin(g, e);
      for (int i = 0; i < pushes; ++i) g.Ok((host.*kind.push)(self, Str("group")));
      g.Ok((host.*kind.mark)(self, Str("mark")));
      for (int i = 0; i < pops; ++i) g.Ok((host.*kind.pop)(self));
      kind.end(g, self);
      if (self != e) g.FinishAndSubmit(e);
      return g.Errors();
    };
    EXPECT_EQ(run(2, 2), "");
    EXPECT_NE(run(2, 1).find("1 debug groups were pushed and not popped"), std::string::npos);
    EXPECT_NE(run(1, 2).find("no debug group is open"), std::string::npos);
  }
}

TEST(DebugGroups, AfterTheEndAreErrorsAtOnce) {
  for (const auto& kind : Groupings()) {
    SCOPED_TRACE(kind.kind);
    TestGuest g;
    wit::WebgpuHost& host = *g.gpu;
    const Rep self = kind.begin(g, g.Encoder());
    kind.end(g, self);
    EXPECT_EQ(g.Errors(), "");
    g.Ok((host.*kind.push)(self, Str("late")));
    EXPECT_NE(g.Errors().find("push-debug-group"), std::string::npos);
    g.Ok((host.*kind.pop)(self));
    EXPECT_NE(g.Errors().find("pop-debug-group"), std::string::npos);
    g.Ok((host.*kind.mark)(self, Str("late")));
    EXPECT_NE(g.Errors().find("insert-debug-marker"), std::string::npos);
  }
}

}  // namespace
}  // namespace weft::host
