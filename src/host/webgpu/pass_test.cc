// SPDX-License-Identifier: Apache-2.0
#include "host/webgpu/encoder_refusals.h"

namespace weft::host {
namespace {

// A compute pass of kAddOne around what a test does, with layout and group made by hand.
struct ComputeScene {
  TestGuest& g;
  Rep layout, pipeline, pass;
  explicit ComputeScene(TestGuest& guest, Rep e, bool dynamic = false)
      : g(guest),
        layout(g.Layout({TestGuest::BufferEntry(0, wit::GpuBufferBindingType::Storage, dynamic)})),
        pipeline(g.Compute(kAddOne, TestGuest::With(g.PipelineLayout({layout})))),
        pass(g.BeginCompute(e)) {}
  ~ComputeScene() { TestGuest::Ok(g.gpu->OnGpuComputePassEncoderEnd(pass)); }
  void SetPipeline() { TestGuest::Ok(g.gpu->OnGpuComputePassEncoderSetPipeline(pass, pipeline)); }
  void SetGroup(uint32_t index, Rep group, std::vector<uint32_t> offsets = {}) {
    auto r = g.gpu->OnGpuComputePassEncoderSetBindGroup(pass, index, group, List<uint32_t>{offsets.data(), offsets.size()}, {}, {});
    EXPECT_TRUE(r && !r->is_err);
  }
  void Dispatch(uint32_t x) { TestGuest::Ok(g.gpu->OnGpuComputePassEncoderDispatchWorkgroups(pass, x, {}, {})); }
};

TEST(ComputePass, RefusesWrongDispatches) {
  CheckRefusals({
      {"no pipeline", [](TestGuest& g, Rep e) { ComputeScene(g, e).Dispatch(1); }, "dispatch-workgroups: no pipeline is set"},
      {"no group",
       [](TestGuest& g, Rep e) {
         ComputeScene s(g, e);
         s.SetPipeline();
         s.Dispatch(1);
       },
       "gpu-compute-pipeline 'p' needs a bind group at index 0, and none is set"},
      {"group of another layout",
       [](TestGuest& g, Rep e) {
         ComputeScene s(g, e);
         const Rep other = g.Layout({TestGuest::BufferEntry(0, wit::GpuBufferBindingType::Uniform)});
         s.SetPipeline();
         s.SetGroup(0, g.Group(other, {TestGuest::BindBuffer(0, g.Buffer(256, BU::Uniform))}));
         s.Dispatch(1);
       },
       "which does not fit"},
      {"too many workgroups",
       [](TestGuest& g, Rep e) {
         ComputeScene s(g, e);
         s.SetPipeline();
         s.SetGroup(0, g.Group(s.layout, {TestGuest::BindBuffer(0, g.Buffer(256, BU::Storage))}));
         s.Dispatch(0xFFFFFFFF);
       },
       "more than the limit maxComputeWorkgroupsPerDimension"},
      {"index out of range",
       [](TestGuest& g, Rep e) {
         ComputeScene s(g, e);
         s.SetGroup(8, g.Group(s.layout, {TestGuest::BindBuffer(0, g.Buffer(256, BU::Storage))}));
       },
       "set-bind-group: the index 8 is not below the limit maxBindGroups"},
      {"too few dynamic offsets",
       [](TestGuest& g, Rep e) {
         ComputeScene s(g, e, true);
         s.SetGroup(0, g.Group(s.layout, {TestGuest::BindBuffer(0, g.Buffer(1024, BU::Storage), {}, 256u)}));
       },
       "gpu-bind-group 'g' takes 1 dynamic offsets, but 0 were given"},
      {"dynamic offset not aligned",
       [](TestGuest& g, Rep e) {
         ComputeScene s(g, e, true);
         s.SetGroup(0, g.Group(s.layout, {TestGuest::BindBuffer(0, g.Buffer(1024, BU::Storage), {}, 256u)}), {4});
       },
       "the dynamic offset 4 of binding 0 is not a multiple of"},
      {"dynamic offset too far",
       [](TestGuest& g, Rep e) {
         ComputeScene s(g, e, true);
         s.SetGroup(0, g.Group(s.layout, {TestGuest::BindBuffer(0, g.Buffer(1024, BU::Storage), {}, 256u)}), {1024});
       },
       "the dynamic offset 1024 of binding 0 reaches beyond the buffer: 0 + 1024 + 256 bytes of 1024"},
      {"indirect without usage",
       [](TestGuest& g, Rep e) {
         ComputeScene s(g, e);
         TestGuest::Ok(g.gpu->OnGpuComputePassEncoderDispatchWorkgroupsIndirect(s.pass, g.Buffer(64, BU::Storage), 0));
       },
       "does not include INDIRECT"},
      {"indirect offset",
       [](TestGuest& g, Rep e) {
         ComputeScene s(g, e);
         TestGuest::Ok(g.gpu->OnGpuComputePassEncoderDispatchWorkgroupsIndirect(s.pass, g.Buffer(64, BU::Indirect), 2));
       },
       "the offset 2 is not a multiple of 4"},
      {"indirect bounds",
       [](TestGuest& g, Rep e) {
         ComputeScene s(g, e);
         TestGuest::Ok(g.gpu->OnGpuComputePassEncoderDispatchWorkgroupsIndirect(s.pass, g.Buffer(64, BU::Indirect), 56));
       },
       "12 bytes at offset 56 reach beyond the 64 bytes"},
      {"indirect buffer that the dispatch writes",
       [](TestGuest& g, Rep e) {
         ComputeScene s(g, e);
         const Rep b = g.Buffer(256, BU::Storage | BU::Indirect, "both");
         s.SetPipeline();
         s.SetGroup(0, g.Group(s.layout, {TestGuest::BindBuffer(0, b)}));
         TestGuest::Ok(g.gpu->OnGpuComputePassEncoderDispatchWorkgroupsIndirect(s.pass, b, 0));
       },
       "gpu-buffer 'both' is used as a read-write storage binding and as a vertex, index or indirect buffer in one usage scope"},
      {"read and write of one buffer in one dispatch",
       [](TestGuest& g, Rep e) {
         const Rep layout = g.Layout({TestGuest::BufferEntry(0, wit::GpuBufferBindingType::Storage),
                                      TestGuest::BufferEntry(1, wit::GpuBufferBindingType::ReadOnlyStorage)});
         const Rep pipeline = g.Compute(kAddOne, TestGuest::With(g.PipelineLayout({layout})));
         const Rep b = g.Buffer(1024, BU::Storage, "both");
         const Rep group = g.Group(layout, {TestGuest::BindBuffer(0, b, 0u, 256u), TestGuest::BindBuffer(1, b, 512u, 256u)});
         const Rep pass = g.BeginCompute(e);
         TestGuest::Ok(g.gpu->OnGpuComputePassEncoderSetPipeline(pass, pipeline));
         EXPECT_TRUE(g.gpu->OnGpuComputePassEncoderSetBindGroup(pass, 0, group, {}, {}, {}));
         TestGuest::Ok(g.gpu->OnGpuComputePassEncoderDispatchWorkgroups(pass, 1, {}, {}));
         TestGuest::Ok(g.gpu->OnGpuComputePassEncoderEnd(pass));
       },
       "gpu-buffer 'both' is used as"},
      {"timestamps of an occlusion set",
       [](TestGuest& g, Rep e) {
         wit::GpuComputePassDescriptor d;
         d.timestamp_writes = wit::GpuComputePassTimestampWrites{g.Queries(wit::GpuQueryType::Occlusion, 2), 0u, 1u};
         const Rep pass = TestGuest::Take(g.gpu->OnGpuCommandEncoderBeginComputePass(e, d));
         TestGuest::Ok(g.gpu->OnGpuComputePassEncoderEnd(pass));
       },
       "timestamp-writes names gpu-query-set 'q', which holds no timestamps"},
      {"immediates not aligned",
       [](TestGuest& g, Rep e) {
         ComputeScene s(g, e);
         const uint8_t bytes[8] = {};
         TestGuest::Ok(g.gpu->OnGpuComputePassEncoderSetImmediates(s.pass, 2, {bytes, 8}, {}, {}));
       },
       "set-immediates: the range offset 2 is not a multiple of 4"},
      {"immediates too many",
       [](TestGuest& g, Rep e) {
         ComputeScene s(g, e);
         std::vector<uint8_t> bytes(65536);
         TestGuest::Ok(g.gpu->OnGpuComputePassEncoderSetImmediates(s.pass, 0, {bytes.data(), bytes.size()}, {}, {}));
       },
       "reach beyond the limit maxImmediateSize"},
  });
}

TEST(ComputePass, DynamicOffsetsComeFromTheGivenPartOfTheList) {
  TestGuest g;
  const Rep e = g.Encoder();
  const Rep data = g.BufferOf(std::vector<uint32_t>(128, 7), BU::Storage | BU::CopySrc);
  {
    ComputeScene s(g, e, true);
    s.SetPipeline();
    const Rep group = g.Group(s.layout, {TestGuest::BindBuffer(0, data, {}, 256u)});
    const uint32_t list[] = {99, 256, 5};
    auto bad = g.gpu->OnGpuComputePassEncoderSetBindGroup(s.pass, 0, group, List<uint32_t>{list, 3}, 2u, 2u);
    ASSERT_TRUE(bad);
    EXPECT_TRUE(bad->is_err);
    auto good = g.gpu->OnGpuComputePassEncoderSetBindGroup(s.pass, 0, group, List<uint32_t>{list, 3}, 1u, 1u);
    ASSERT_TRUE(good);
    EXPECT_FALSE(good->is_err);
    s.Dispatch(1);
    s.Dispatch(0);  // nothing, and right
  }
  g.FinishAndSubmit(e);
  const auto words = g.Read(data);
  EXPECT_EQ(words[0], 7u);
  EXPECT_EQ(words[64], 8u);
  EXPECT_EQ(g.Errors(), "");
}

// --- render passes ---

Rep Attachment(TestGuest& g, TF format = TF::Rgba8unorm, uint32_t w = 16, uint32_t h = 16, uint32_t samples = 1,
               uint32_t usage = TU::RenderAttachment | TU::CopySrc) {
  return g.View(g.Texture(format, w, h, usage, samples));
}

void End(TestGuest& g, Rep pass) { TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderEnd(pass)); }

Refusal BeginRefusal(const char* what, std::function<TestGuest::PassOptions(TestGuest&)> make, const char* expect) {
  return {what, [make](TestGuest& g, Rep e) { End(g, g.BeginRender(e, make(g))); }, expect};
}

TEST(RenderPass, DrawsATriangle) {
  TestGuest g;
  const Rep t = g.Texture(TF::Rgba8unorm, 16, 16, TU::RenderAttachment | TU::CopySrc);
  const Rep p = g.Render(kTriangle, {.targets = {TestGuest::Target(TF::Rgba8unorm)}});
  const Rep e = g.Encoder();
  const Rep pass = g.BeginRender(e, g.View(t));
  TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderSetPipeline(pass, p));
  TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderSetScissorRect(pass, 8, 0, 8, 16));
  TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderDraw(pass, 3, {}, {}, {}));
  End(g, pass);
  g.FinishAndSubmit(e);
  const auto pixels = g.Pixels(t);
  EXPECT_EQ(g.Errors(), "");
  ASSERT_EQ(pixels.size(), 16u * 16 * 4);
  auto at = [&](int x, int y, int c) { return static_cast<int>(pixels[(y * 16 + x) * 4 + c]); };
  EXPECT_EQ(at(2, 4, 2), 0);  // outside the scissor
  EXPECT_NEAR(at(12, 4, 0), 12.5 / 16 * 255, 1);
  EXPECT_NEAR(at(12, 4, 1), 4.5 / 16 * 255, 1);
  EXPECT_NEAR(at(12, 4, 2), 128, 1);
}

TEST(RenderPass, ResolvesMultisampledAndKeepsDepth) {
  TestGuest g;
  const Rep ms = g.Texture(TF::Rgba8unorm, 16, 16, TU::RenderAttachment, 4);
  const Rep out = g.Texture(TF::Rgba8unorm, 16, 16, TU::RenderAttachment | TU::CopySrc);
  const Rep depth = g.Texture(TF::Depth24plusStencil8, 16, 16, TU::RenderAttachment, 4);
  wit::GpuDepthStencilState ds;
  ds.format = TF::Depth24plusStencil8;
  ds.depth_write_enabled = true;
  ds.depth_compare = wit::GpuCompareFunction::Less;
  const Rep p = g.Render(kTriangle, {.targets = {TestGuest::Target(TF::Rgba8unorm)}, .depth = ds, .samples = 4});
  wit::GpuRenderPassDepthStencilAttachment a;
  a.view = g.View(depth);
  a.depth_load_op = a.stencil_load_op = wit::GpuLoadOp::Clear;
  a.depth_store_op = a.stencil_store_op = wit::GpuStoreOp::Store;
  a.depth_clear_value = 1.0f;
  const Rep e = g.Encoder();
  Rep pass = g.BeginRender(e, {.colors = {TestGuest::Color(g.View(ms), g.View(out))}, .depth = a});
  TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderSetPipeline(pass, p));
  TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderSetStencilReference(pass, 3));
  TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderSetBlendConstant(pass, {1, 1, 1, 1}));
  TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderSetViewport(pass, 0, 0, 16, 16, 0, 1));
  TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderDraw(pass, 3, {}, {}, {}));
  End(g, pass);
  // A second pass that only reads depth and stencil.
  wit::GpuRenderPassDepthStencilAttachment read;
  read.view = a.view;
  read.depth_read_only = true;
  read.stencil_read_only = true;
  pass = g.BeginRender(e, {.depth = read});
  End(g, pass);
  g.FinishAndSubmit(e);
  const auto pixels = g.Pixels(out);
  EXPECT_EQ(g.Errors(), "");
  EXPECT_NEAR(static_cast<int>(pixels[(4 * 16 + 12) * 4]), 12.5 / 16 * 255, 2);
}

TEST(RenderPass, DepthOnlyStencilOnlyAndHoles) {
  TestGuest g;
  const Rep e = g.Encoder();
  wit::GpuRenderPassDepthStencilAttachment d;
  d.view = g.View(g.Texture(TF::Depth32float, 16, 16, TU::RenderAttachment));
  d.depth_load_op = wit::GpuLoadOp::Clear;
  d.depth_store_op = wit::GpuStoreOp::Store;
  d.depth_clear_value = 0.5f;
  End(g, g.BeginRender(e, {.depth = d}));
  wit::GpuRenderPassDepthStencilAttachment s;
  s.view = g.View(g.Texture(TF::Stencil8, 16, 16, TU::RenderAttachment));
  s.stencil_load_op = wit::GpuLoadOp::Load;
  s.stencil_store_op = wit::GpuStoreOp::Discard;
  End(g, g.BeginRender(e, {.colors = {{}, TestGuest::Color(Attachment(g)), {}}, .depth = s}));
  g.FinishAndSubmit(e);
  EXPECT_EQ(g.Errors(), "");
}

TEST(RenderPass, DrawsIntoASliceOfAVolume) {
  TestGuest g;
  const Rep t = g.Texture(TF::Rgba8unorm, 16, 16, TU::RenderAttachment, 1, 1, 4, wit::GpuTextureDimension::D3);
  const Rep v = g.View(t);
  const Rep e = g.Encoder();
  End(g, g.BeginRender(e, {.colors = {TestGuest::Color(v, {}, 2u), TestGuest::Color(v, {}, 3u)}}));
  g.FinishAndSubmit(e);
  EXPECT_EQ(g.Errors(), "");
}

TEST(RenderPass, RefusesWrongAttachments) {
  using P = TestGuest::PassOptions;
  auto color = [](Rep view, Opt<Rep> resolve = {}, Opt<uint32_t> slice = {}) { return TestGuest::Color(view, resolve, slice); };
  CheckRefusals({
      BeginRefusal(
          "none", [](TestGuest&) { return P{}; }, "the pass has no attachment"),
      BeginRefusal(
          "holes only", [](TestGuest&) { return P{.colors = {{}, {}}}; }, "the pass has no attachment"),
      BeginRefusal(
          "too many",
          [=](TestGuest& g) {
            P p;
            p.colors.resize(33, color(Attachment(g)));
            return p;
          },
          "33 colour attachments are more than the limit maxColorAttachments"),
      BeginRefusal(
          "usage", [=](TestGuest& g) { return P{.colors = {color(Attachment(g, TF::Rgba8unorm, 16, 16, 1, TU::TextureBinding))}}; },
          "colour attachment 0: the usage of gpu-texture-view without a label does not include RENDER_ATTACHMENT"),
      BeginRefusal(
          "depth as colour", [=](TestGuest& g) { return P{.colors = {color(Attachment(g, TF::Depth16unorm))}}; },
          "depth16unorm cannot be a colour attachment"),
      BeginRefusal(
          "sizes", [=](TestGuest& g) { return P{.colors = {color(Attachment(g)), color(Attachment(g, TF::Rgba8unorm, 8, 16))}}; },
          "colour attachment 1 is 8x16, but an attachment before it is 16x16"),
      BeginRefusal(
          "samples",
          [=](TestGuest& g) {
            return P{.colors = {color(Attachment(g)), color(Attachment(g, TF::Rgba8unorm, 16, 16, 4, TU::RenderAttachment))}};
          },
          "colour attachment 1 has 4 samples, but an attachment before it has 1"),
      BeginRefusal(
          "mips", [=](TestGuest& g) { return P{.colors = {color(g.View(g.Texture(TF::Rgba8unorm, 16, 16, TU::RenderAttachment, 1, 2)))}}; },
          "has 2 mip levels and 1 array layers"),
      BeginRefusal(
          "the same view twice",
          [=](TestGuest& g) {
            const Rep v = Attachment(g);
            return P{.colors = {color(v), color(v)}};
          },
          "colour attachment 1 is a part of gpu-texture 't' that is an attachment of this pass already"),
      BeginRefusal(
          "the same slice twice",
          [=](TestGuest& g) {
            const Rep v = g.View(g.Texture(TF::Rgba8unorm, 16, 16, TU::RenderAttachment, 1, 1, 4, wit::GpuTextureDimension::D3));
            return P{.colors = {color(v, {}, 1u), color(v, {}, 1u)}};
          },
          "colour attachment 1 is a part of gpu-texture 't'"),
      BeginRefusal(
          "slice missing",
          [=](TestGuest& g) {
            return P{
                .colors = {color(g.View(g.Texture(TF::Rgba8unorm, 16, 16, TU::RenderAttachment, 1, 1, 4, wit::GpuTextureDimension::D3)))}};
          },
          "is 3d, so depth-slice must be given"),
      BeginRefusal(
          "slice out of range",
          [=](TestGuest& g) {
            return P{.colors = {color(
                         g.View(g.Texture(TF::Rgba8unorm, 16, 16, TU::RenderAttachment, 1, 1, 4, wit::GpuTextureDimension::D3)), {}, 4u)}};
          },
          "depth-slice 4 is not below the depth"),
      BeginRefusal(
          "slice of a 2d view", [=](TestGuest& g) { return P{.colors = {color(Attachment(g), {}, 0u)}}; }, "depth-slice was given, but"),
      BeginRefusal(
          "resolve of one sample", [=](TestGuest& g) { return P{.colors = {color(Attachment(g), Attachment(g))}}; },
          "resolve target 0 was given, but gpu-texture-view without a label is not multisampled"),
      BeginRefusal(
          "resolve to another size",
          [=](TestGuest& g) {
            return P{
                .colors = {color(Attachment(g, TF::Rgba8unorm, 16, 16, 4, TU::RenderAttachment), Attachment(g, TF::Rgba8unorm, 8, 8))}};
          },
          "resolve target 0 is 8x8, but its colour attachment is 16x16"),
      BeginRefusal(
          "resolve to another format",
          [=](TestGuest& g) {
            return P{.colors = {color(Attachment(g, TF::Rgba8unorm, 16, 16, 4, TU::RenderAttachment), Attachment(g, TF::Bgra8unorm))}};
          },
          "resolve target 0 is bgra8unorm, but its colour attachment is rgba8unorm"),
      BeginRefusal(
          "resolve without usage",
          [=](TestGuest& g) {
            return P{.colors = {color(Attachment(g, TF::Rgba8unorm, 16, 16, 4, TU::RenderAttachment),
                                      Attachment(g, TF::Rgba8unorm, 16, 16, 1, TU::CopySrc))}};
          },
          "resolve target 0: the usage of gpu-texture-view without a label does not include RENDER_ATTACHMENT"),
      BeginRefusal(
          "clear value",
          [=](TestGuest& g) {
            auto c = color(Attachment(g));
            c.value.clear_value = wit::GpuColor{0, std::numeric_limits<double>::quiet_NaN(), 0, 0};
            return P{.colors = {c}};
          },
          "holds what is no finite number"),
      BeginRefusal(
          "occlusion set of timestamps",
          [=](TestGuest& g) { return P{.colors = {color(Attachment(g))}, .occlusion = g.Queries(wit::GpuQueryType::Timestamp, 2)}; },
          "is of type timestamp"),
      BeginRefusal(
          "timestamp index",
          [=](TestGuest& g) {
            return P{.colors = {color(Attachment(g))},
                     .times = wit::GpuRenderPassTimestampWrites{g.Queries(wit::GpuQueryType::Timestamp, 2), 2u, {}}};
          },
          "the timestamp index 2 is not below the 2 queries"),
      BeginRefusal(
          "timestamp index twice",
          [=](TestGuest& g) {
            return P{.colors = {color(Attachment(g))},
                     .times = wit::GpuRenderPassTimestampWrites{g.Queries(wit::GpuQueryType::Timestamp, 2), 1u, 1u}};
          },
          "has the index 1 for both"),
  });
}

TEST(RenderPass, RefusesWrongDepthStencil) {
  using P = TestGuest::PassOptions;
  using D = wit::GpuRenderPassDepthStencilAttachment;
  auto with = [](const char* what, TF format, std::function<void(D&)> change, const char* expect) {
    return BeginRefusal(
        what,
        [=](TestGuest& g) {
          D d;
          d.view = Attachment(g, format, 16, 16, 1, TU::RenderAttachment);
          change(d);
          return P{.depth = d};
        },
        expect);
  };
  CheckRefusals({
      with(
          "colour format", TF::Rgba8unorm, [](D&) {}, "rgba8unorm cannot be a depth-stencil attachment"),
      with(
          "no ops", TF::Depth16unorm, [](D&) {}, "depth-load-op and depth-store-op must be given"),
      with(
          "ops of a missing aspect", TF::Depth16unorm,
          [](D& d) {
            d.depth_load_op = d.stencil_load_op = wit::GpuLoadOp::Load;
            d.depth_store_op = d.stencil_store_op = wit::GpuStoreOp::Store;
          },
          "stencil-load-op or stencil-store-op was given, but the format has no stencil"),
      with(
          "ops though read-only", TF::Depth16unorm,
          [](D& d) {
            d.depth_read_only = true;
            d.depth_load_op = wit::GpuLoadOp::Load;
            d.depth_store_op = wit::GpuStoreOp::Store;
          },
          "was given, but depth is read-only"),
      with(
          "no clear value", TF::Depth16unorm,
          [](D& d) {
            d.depth_load_op = wit::GpuLoadOp::Clear;
            d.depth_store_op = wit::GpuStoreOp::Store;
          },
          "depth-clear-value must be given"),
      with(
          "clear value", TF::Depth16unorm,
          [](D& d) {
            d.depth_load_op = wit::GpuLoadOp::Clear;
            d.depth_store_op = wit::GpuStoreOp::Store;
            d.depth_clear_value = 1.5f;
          },
          "depth-clear-value 1.5 is not within [0, 1]"),
      with(
          "NaN", TF::Depth16unorm,
          [](D& d) {
            d.depth_load_op = wit::GpuLoadOp::Clear;
            d.depth_store_op = wit::GpuStoreOp::Store;
            d.depth_clear_value = std::numeric_limits<float>::quiet_NaN();
          },
          "is not within [0, 1]"),
  });
}

// A pass with kFromBuffer around what a test does: one vertex buffer of vec2f.
struct DrawScene {
  TestGuest& g;
  Rep pipeline, pass;
  DrawScene(TestGuest& guest, Rep e, wit::GpuPrimitiveTopology topology = wit::GpuPrimitiveTopology::TriangleList,
            Opt<wit::GpuIndexFormat> strip = {}, TF format = TF::Rgba8unorm)
      : g(guest) {
    static constexpr wit::GpuVertexAttribute kAttribute{wit::GpuVertexFormat::Float32x2, 0, 0};
    wit::GpuVertexBufferLayout layout;
    layout.array_stride = 8;
    layout.attributes = {&kAttribute, 1};
    pipeline = g.Render(kFromBuffer, {.targets = {TestGuest::Target(format)}, .buffers = {layout}, .topology = topology, .strip = strip});
    pass = g.BeginRender(e, Attachment(g));
  }
  ~DrawScene() { End(g, pass); }
  DrawScene& Pipeline() {
    TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderSetPipeline(pass, pipeline));
    return *this;
  }
  DrawScene& Vertices(uint64_t bytes, Opt<uint64_t> offset = {}, Opt<uint64_t> size = {}, uint32_t usage = BU::Vertex, uint32_t slot = 0) {
    TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderSetVertexBuffer(pass, slot, g.Buffer(bytes, usage, "v"), offset, size));
    return *this;
  }
  DrawScene& Indices(uint64_t bytes, wit::GpuIndexFormat format, Opt<uint64_t> offset = {}, Opt<uint64_t> size = {},
                     uint32_t usage = BU::Index) {
    TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderSetIndexBuffer(pass, g.Buffer(bytes, usage, "i"), format, offset, size));
    return *this;
  }
  DrawScene& Draw(uint32_t n, Opt<uint32_t> instances = {}, Opt<uint32_t> first = {}) {
    TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderDraw(pass, n, instances, first, {}));
    return *this;
  }
  DrawScene& DrawIndexed(uint32_t n, Opt<uint32_t> first = {}) {
    TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderDrawIndexed(pass, n, {}, first, {}, {}));
    return *this;
  }
};

TEST(RenderPass, RefusesWrongDraws) {
  using IF = wit::GpuIndexFormat;
  using T = wit::GpuPrimitiveTopology;
  CheckRefusals({
      {"no pipeline", [](TestGuest& g, Rep e) { DrawScene(g, e).Draw(3); }, "gpu-render-pass-encoder 'pass'.draw: no pipeline is set"},
      {"no vertex buffer", [](TestGuest& g, Rep e) { DrawScene(g, e).Pipeline().Draw(3); },
       "gpu-render-pipeline 'rp' needs a vertex buffer in slot 0, and none is set"},
      {"too many vertices", [](TestGuest& g, Rep e) { DrawScene(g, e).Pipeline().Vertices(24).Draw(4); },
       "first and count of vertices reach 4, but the 24 bytes bound to slot 0 hold 3"},
      {"too many through the first", [](TestGuest& g, Rep e) { DrawScene(g, e).Pipeline().Vertices(24).Draw(1, {}, 0xFFFFFFFF); },
       "first and count of vertices reach 4294967296"},
      {"a bound part that is too small", [](TestGuest& g, Rep e) { DrawScene(g, e).Pipeline().Vertices(64, 8u, 16u).Draw(3); },
       "the 16 bytes bound to slot 0 hold 2"},
      {"an empty binding", [](TestGuest& g, Rep e) { DrawScene(g, e).Pipeline().Vertices(64, 64u).Draw(1); },
       "the 0 bytes bound to slot 0 hold 0"},
      {"vertex usage", [](TestGuest& g, Rep e) { DrawScene(g, e).Vertices(64, {}, {}, BU::Index); },
       "the usage of gpu-buffer 'v' does not include VERTEX"},
      {"vertex offset", [](TestGuest& g, Rep e) { DrawScene(g, e).Vertices(64, 2u); }, "the offset 2 is not a multiple of 4"},
      {"vertex bounds", [](TestGuest& g, Rep e) { DrawScene(g, e).Vertices(64, 32u, 64u); },
       "offset 32 and size 64 reach beyond the 64 bytes of gpu-buffer 'v'"},
      {"vertex slot", [](TestGuest& g, Rep e) { DrawScene(g, e).Vertices(64, {}, {}, BU::Vertex, 32); },
       "the slot 32 is not below the limit maxVertexBuffers"},
      {"no index buffer", [](TestGuest& g, Rep e) { DrawScene(g, e).Pipeline().Vertices(64).DrawIndexed(3); }, "no index buffer is set"},
      {"too many indices", [](TestGuest& g, Rep e) { DrawScene(g, e).Pipeline().Vertices(64).Indices(8, IF::Uint16).DrawIndexed(3, 2u); },
       "first and count of indices reach 5, but the index buffer that is set holds 4"},
      {"index usage", [](TestGuest& g, Rep e) { DrawScene(g, e).Indices(64, IF::Uint16, {}, {}, BU::Vertex); }, "does not include INDEX"},
      {"index offset", [](TestGuest& g, Rep e) { DrawScene(g, e).Indices(64, IF::Uint32, 2u); },
       "the offset 2 is not a multiple of 4, the size of an index"},
      {"index bounds", [](TestGuest& g, Rep e) { DrawScene(g, e).Indices(64, IF::Uint32, 128u); }, "reach beyond the 64 bytes"},
      {"strip format",
       [](TestGuest& g, Rep e) {
         DrawScene(g, e, T::TriangleStrip, IF::Uint32).Pipeline().Vertices(64).Indices(8, IF::Uint16).DrawIndexed(3);
       },
       "the index format uint16 is not the strip-index-format of gpu-render-pipeline 'rp', uint32"},
      {"pipeline for another format", [](TestGuest& g, Rep e) { DrawScene(g, e, T::TriangleList, {}, TF::Bgra8unorm).Pipeline(); },
       "was made for colour formats [bgra8unorm], depth-stencil none, 1 sample, but here they are [rgba8unorm]"},
      {"indirect usage",
       [](TestGuest& g, Rep e) {
         DrawScene s(g, e);
         s.Pipeline().Vertices(64);
         TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderDrawIndirect(s.pass, g.Buffer(64, BU::Vertex), 0));
       },
       "does not include INDIRECT"},
      {"indexed indirect bounds",
       [](TestGuest& g, Rep e) {
         DrawScene s(g, e);
         s.Pipeline().Vertices(64);
         TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderDrawIndexedIndirect(s.pass, g.Buffer(64, BU::Indirect), 48));
       },
       "20 bytes at offset 48 reach beyond"},
      {"max-draw-count",
       [](TestGuest& g, Rep e) {
         const Rep pass = g.BeginRender(e, {.colors = {TestGuest::Color(Attachment(g))}, .max_draws = 1u});
         const Rep p = g.Render(kTriangle, {.targets = {TestGuest::Target(TF::Rgba8unorm)}});
         TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderSetPipeline(pass, p));
         for (int i = 0; i < 2; ++i) TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderDraw(pass, 3, {}, {}, {}));
         End(g, pass);
       },
       "2 draws were made, more than max-draw-count, 1"},
  });
}

TEST(RenderPass, RefusesWrongDynamicState) {
  auto in_pass = [](const char* what, std::function<void(TestGuest&, Rep)> act, const char* expect) {
    return Refusal{what,
                   [act](TestGuest& g, Rep e) {
                     const Rep pass = g.BeginRender(e, Attachment(g));
                     act(g, pass);
                     End(g, pass);
                   },
                   expect};
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CheckRefusals({
      in_pass(
          "viewport size", [](TestGuest& g, Rep p) { TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderSetViewport(p, 0, 0, -1, 1, 0, 1)); },
          "the size -1x1 is not between 0 and maxTextureDimension2D"),
      in_pass(
          "viewport place", [](TestGuest& g, Rep p) { TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderSetViewport(p, 1e9f, 0, 1, 1, 0, 1)); },
          "set-viewport: the rectangle"),
      in_pass(
          "viewport NaN", [nan](TestGuest& g, Rep p) { TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderSetViewport(p, nan, 0, 1, 1, 0, 1)); },
          "set-viewport: the rectangle"),
      in_pass(
          "viewport depth", [](TestGuest& g, Rep p) { TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderSetViewport(p, 0, 0, 1, 1, 1, 0)); },
          "the depths 1 and 0 are not a range within [0, 1]"),
      in_pass(
          "scissor", [](TestGuest& g, Rep p) { TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderSetScissorRect(p, 8, 8, 9, 8)); },
          "the rectangle 9x8 at (8, 8) reaches beyond the attachments, which are 16x16"),
      in_pass(
          "scissor that wraps",
          [](TestGuest& g, Rep p) { TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderSetScissorRect(p, 0xFFFFFFFF, 0, 1, 1)); },
          "reaches beyond"),
      in_pass(
          "blend constant", [nan](TestGuest& g, Rep p) { TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderSetBlendConstant(p, {nan, 0, 0, 0})); },
          "holds what is no finite number"),
      in_pass(
          "occlusion query without a set",
          [](TestGuest& g, Rep p) { TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderBeginOcclusionQuery(p, 0)); },
          "the pass was begun without an occlusion-query-set"),
      in_pass(
          "end of no occlusion query", [](TestGuest& g, Rep p) { TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderEndOcclusionQuery(p)); },
          "no occlusion query is active"),
      {"occlusion query left active",
       [](TestGuest& g, Rep e) {
         const Rep p =
             g.BeginRender(e, {.colors = {TestGuest::Color(Attachment(g))}, .occlusion = g.Queries(wit::GpuQueryType::Occlusion, 2)});
         TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderBeginOcclusionQuery(p, 0));
         End(g, p);
       },
       "an occlusion query is still active"},
      {"occlusion query twice",
       [](TestGuest& g, Rep e) {
         const Rep p =
             g.BeginRender(e, {.colors = {TestGuest::Color(Attachment(g))}, .occlusion = g.Queries(wit::GpuQueryType::Occlusion, 2)});
         for (int i = 0; i < 2; ++i) {
           TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderBeginOcclusionQuery(p, 1));
           TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderEndOcclusionQuery(p));
         }
         End(g, p);
       },
       "query 1 was used in this pass already"},
      {"attachment that is sampled in the pass",
       [](TestGuest& g, Rep e) {
         const Rep t =
             g.Texture(TF::Rgba8unorm, 16, 16, TU::RenderAttachment | TU::TextureBinding, 1, 1, 1, wit::GpuTextureDimension::D2, "both");
         wit::GpuBindGroupLayoutEntry entry;
         entry.visibility.bits = wit::GpuShaderStage::Fragment;
         entry.texture = wit::GpuTextureBindingLayout{};
         const Rep group = g.Group(g.Layout({entry}), {TestGuest::BindView(0, g.View(t))});
         const Rep p = g.BeginRender(e, g.View(t));
         EXPECT_TRUE(g.gpu->OnGpuRenderPassEncoderSetBindGroup(p, 0, group, {}, {}, {}));
         End(g, p);
       },
       "gpu-texture 'both' is used as an attachment that is written and as a uniform buffer or sampled texture in one usage scope"},
  });
}

TEST(RenderPass, DrawsIndexedInstancedAndIndirect) {
  TestGuest g;
  auto f = [](float v) {
    uint32_t w;
    std::memcpy(&w, &v, 4);
    return w;
  };
  const Rep t = g.Texture(TF::Rgba8unorm, 16, 16, TU::RenderAttachment | TU::CopySrc);
  const Rep vertices = g.BufferOf({f(-1), f(-1), f(3), f(-1), f(-1), f(3)}, BU::Vertex);
  const Rep indices = g.BufferOf({0, 1, 2}, BU::Index);
  const Rep args = g.BufferOf({3, 1, 0, 0, 0, 3, 1, 0, 0}, BU::Indirect);
  const Rep e = g.Encoder();
  Rep pipeline = 0;
  {
    DrawScene s(g, e);
    pipeline = s.pipeline;
    s.Pipeline().Draw(0);  // even a draw of nothing needs the vertex buffer
  }
  g.Finish(e);
  EXPECT_NE(g.Errors().find("needs a vertex buffer"), std::string::npos);
  const Rep e2 = g.Encoder();
  const Rep pass = g.BeginRender(e2, g.View(t));
  TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderSetPipeline(pass, pipeline));
  TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderSetVertexBuffer(pass, 0, vertices, {}, {}));
  TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderSetIndexBuffer(pass, indices, wit::GpuIndexFormat::Uint32, {}, {}));
  TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderSetScissorRect(pass, 0, 0, 8, 16));
  TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderDrawIndexed(pass, 3, 2u, {}, {}, {}));
  TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderSetScissorRect(pass, 8, 0, 8, 16));
  TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderDrawIndirect(pass, args, 20));
  TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderDrawIndexedIndirect(pass, args, 0));
  TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderDraw(pass, 3, 0u, {}, {}));
  End(g, pass);
  g.FinishAndSubmit(e2);
  const auto pixels = g.Pixels(t);
  EXPECT_EQ(g.Errors(), "");
  for (int x : {2, 12}) EXPECT_EQ(static_cast<int>(pixels[(5 * 16 + x) * 4]), 255) << x;
}

TEST(RenderPass, OcclusionAndTimestampsAreWritten) {
  TestGuest g;
  const Rep q = g.Queries(wit::GpuQueryType::Occlusion, 2);
  const Rep out = g.Buffer(512, BU::QueryResolve | BU::CopySrc);
  const Rep p = g.Render(kTriangle, {.targets = {TestGuest::Target(TF::Rgba8unorm)}});
  const Rep e = g.Encoder();
  const Rep pass = g.BeginRender(e, {.colors = {TestGuest::Color(Attachment(g))}, .occlusion = q});
  TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderSetPipeline(pass, p));
  TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderBeginOcclusionQuery(pass, 0));
  TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderDraw(pass, 3, {}, {}, {}));
  TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderEndOcclusionQuery(pass));
  End(g, pass);
  TestGuest::Ok(g.gpu->OnGpuCommandEncoderResolveQuerySet(e, q, 0, 1, out, 0));
  g.FinishAndSubmit(e);
  EXPECT_GT(g.Read(out)[0], 0u);
  EXPECT_EQ(g.Errors(), "");
}

}  // namespace
}  // namespace weft::host
