// SPDX-License-Identifier: Apache-2.0
#include "host/webgpu/encoder_refusals.h"

namespace weft::host {
namespace {

wit::GpuRenderBundleEncoderDescriptor Formats(const std::vector<Opt<TF>>& colors, Opt<TF> depth = {}, uint32_t samples = 1) {
  wit::GpuRenderBundleEncoderDescriptor d;
  d.color_formats = {colors.data(), colors.size()};
  d.depth_stencil_format = depth;
  d.sample_count = samples;
  d.label = Str("be");
  return d;
}

Rep FinishBundle(TestGuest& g, Rep encoder) {
  wit::GpuRenderBundleDescriptor d;
  d.label = Str("bundle");
  return TestGuest::Take(g.gpu->OnGpuRenderBundleEncoderFinish(encoder, d));
}

Rep Begin(TestGuest& g, TF format = TF::Rgba8unorm) {
  const std::vector<Opt<TF>> colors = {format};
  return TestGuest::Take(g.gpu->OnGpuDeviceCreateRenderBundleEncoder(g.device, Formats(colors)));
}

Rep TriangleBundle(TestGuest& g, TF format = TF::Rgba8unorm) {
  const Rep p = g.Render(kTriangle, {.targets = {TestGuest::Target(format)}});
  const Rep e = Begin(g, format);
  TestGuest::Ok(g.gpu->OnGpuRenderBundleEncoderSetPipeline(e, p));
  TestGuest::Ok(g.gpu->OnGpuRenderBundleEncoderDraw(e, 3, {}, {}, {}));
  return FinishBundle(g, e);
}

TEST(RenderBundle, DrawsTheSameAsThePassItself) {
  TestGuest g;
  const Rep t = g.Texture(TF::Rgba8unorm, 16, 16, TU::RenderAttachment | TU::CopySrc);
  const Rep bundle = TriangleBundle(g);
  for (int i = 0; i < 2; ++i) {  // a bundle can be used again
    const Rep e = g.Encoder();
    const Rep pass = g.BeginRender(e, g.View(t));
    TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderExecuteBundles(pass, {&bundle, 1}));
    TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderExecuteBundles(pass, {}));
    TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderEnd(pass));
    g.FinishAndSubmit(e);
  }
  const auto pixels = g.Pixels(t);
  EXPECT_EQ(g.Errors(), "");
  EXPECT_NEAR(static_cast<int>(pixels[(4 * 16 + 12) * 4]), 12.5 / 16 * 255, 1);
}

TEST(RenderBundle, BadDescriptorsNeverReachTheLibrary) {
  struct Case {
    std::vector<Opt<TF>> colors;
    Opt<TF> depth;
    uint32_t samples;
    const char* expect;
  };
  const Case table[] = {
      {{}, {}, 1, "it has neither a colour format nor a depth-stencil format"},
      {{Opt<TF>()}, {}, 1, "it has neither a colour format"},
      {{TF::Rgba8unorm}, {}, 3, "the sample-count 3 is neither 1 nor 4"},
      {{TF::Rgba8unorm}, {}, 0, "the sample-count 0 is neither 1 nor 4"},
      {{TF::Depth16unorm}, {}, 1, "depth16unorm cannot be a colour attachment"},
      {{TF::Rgb9e5ufloat}, {}, 1, "rgb9e5ufloat cannot be a colour attachment"},
      {{TF::Bc1RgbaUnorm}, {}, 1, "bc1-rgba-unorm cannot be a colour attachment"},
      {{TF::Rgba8unorm}, TF::Rgba8unorm, 1, "rgba8unorm cannot be a depth-stencil attachment"},
      {{TF::Rgba32float}, {}, 4, "rgba32float cannot be multisampled"},
      {std::vector<Opt<TF>>(64, TF::R8unorm), {}, 1, "64 colour formats are more than the limit maxColorAttachments"},
  };
  for (const auto& c : table) {
    SCOPED_TRACE(c.expect);
    TestGuest g;
    const Rep e = TestGuest::Take(g.gpu->OnGpuDeviceCreateRenderBundleEncoder(g.device, Formats(c.colors, c.depth, c.samples)));
    const std::string errors = g.Errors();
    EXPECT_NE(errors.find(c.expect), std::string::npos) << errors;
    TestGuest::Ok(g.gpu->OnGpuRenderBundleEncoderDraw(e, 3, {}, {}, {}));
    FinishBundle(g, e);
    EXPECT_NE(g.Errors().find("its creation had failed"), std::string::npos);
  }
}

TEST(RenderBundle, RefusesWhatAPassWouldRefuse) {
  struct Case {
    const char* what;
    std::function<void(TestGuest&, Rep)> record;
    const char* expect;
  };
  const Case table[] = {
      {"no pipeline", [](TestGuest& g, Rep e) { TestGuest::Ok(g.gpu->OnGpuRenderBundleEncoderDraw(e, 3, {}, {}, {})); },
       "no pipeline is set"},
      {"format",
       [](TestGuest& g, Rep e) {
         TestGuest::Ok(
             g.gpu->OnGpuRenderBundleEncoderSetPipeline(e, g.Render(kTriangle, {.targets = {TestGuest::Target(TF::Bgra8unorm)}})));
       },
       "was made for colour formats [bgra8unorm]"},
      {"index usage",
       [](TestGuest& g, Rep e) {
         TestGuest::Ok(g.gpu->OnGpuRenderBundleEncoderSetIndexBuffer(e, g.Buffer(64, BU::Vertex), wit::GpuIndexFormat::Uint16, {}, {}));
       },
       "does not include INDEX"},
      {"empty index buffer",
       [](TestGuest& g, Rep e) {
         TestGuest::Ok(
             g.gpu->OnGpuRenderBundleEncoderSetPipeline(e, g.Render(kTriangle, {.targets = {TestGuest::Target(TF::Rgba8unorm)}})));
         TestGuest::Ok(g.gpu->OnGpuRenderBundleEncoderSetIndexBuffer(e, g.Buffer(64, BU::Index), wit::GpuIndexFormat::Uint16, 64u, 0u));
         TestGuest::Ok(g.gpu->OnGpuRenderBundleEncoderDrawIndexed(e, 1, {}, {}, {}, {}));
       },
       "first and count of indices reach 1, but the index buffer that is set holds 0"},
      {"debug group", [](TestGuest& g, Rep e) { TestGuest::Ok(g.gpu->OnGpuRenderBundleEncoderPushDebugGroup(e, Str("x"))); },
       "1 debug groups were pushed"},
      {"indirect", [](TestGuest& g, Rep e) { TestGuest::Ok(g.gpu->OnGpuRenderBundleEncoderDrawIndirect(e, g.Buffer(8, BU::Indirect), 0)); },
       "16 bytes at offset 0 reach beyond the 8 bytes"},
  };
  for (const auto& c : table) {
    SCOPED_TRACE(c.what);
    TestGuest g;
    const Rep e = Begin(g);
    c.record(g, e);
    EXPECT_EQ(g.Errors(), "");
    const Rep bundle = FinishBundle(g, e);
    const std::string errors = g.Errors();
    EXPECT_NE(errors.find(c.expect), std::string::npos) << errors;
    // The invalid bundle makes the encoder that executes it invalid.
    const Rep ce = g.Encoder();
    const Rep pass = g.BeginRender(ce, g.View(g.Texture(TF::Rgba8unorm, 16, 16, TU::RenderAttachment)));
    TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderExecuteBundles(pass, {&bundle, 1}));
    TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderEnd(pass));
    g.Finish(ce);
    EXPECT_NE(g.Errors().find("gpu-render-bundle 'bundle' is invalid"), std::string::npos);
    // Calls after finish are errors at once.
    TestGuest::Ok(g.gpu->OnGpuRenderBundleEncoderDraw(e, 3, {}, {}, {}));
    EXPECT_NE(g.Errors().find("has ended already"), std::string::npos);
    FinishBundle(g, e);
    EXPECT_NE(g.Errors().find("finished already"), std::string::npos);
  }
}

TEST(RenderBundle, MustFitThePass) {
  CheckRefusals({
      {"format",
       [](TestGuest& g, Rep e) {
         const Rep bundle = TriangleBundle(g, TF::Bgra8unorm);
         const Rep pass = g.BeginRender(e, g.View(g.Texture(TF::Rgba8unorm, 16, 16, TU::RenderAttachment)));
         TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderExecuteBundles(pass, {&bundle, 1}));
         TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderEnd(pass));
       },
       "gpu-render-bundle 'bundle' was made for colour formats [bgra8unorm]"},
      {"state after it is unset",
       [](TestGuest& g, Rep e) {
         const Rep bundle = TriangleBundle(g);
         const Rep pass = g.BeginRender(e, g.View(g.Texture(TF::Rgba8unorm, 16, 16, TU::RenderAttachment)));
         TestGuest::Ok(
             g.gpu->OnGpuRenderPassEncoderSetPipeline(pass, g.Render(kTriangle, {.targets = {TestGuest::Target(TF::Rgba8unorm)}})));
         TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderExecuteBundles(pass, {&bundle, 1}));
         TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderDraw(pass, 3, {}, {}, {}));
         TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderEnd(pass));
       },
       "draw: no pipeline is set"},
  });
}

}  // namespace
}  // namespace weft::host
