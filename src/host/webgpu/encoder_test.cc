// SPDX-License-Identifier: Apache-2.0
#include "host/webgpu/encoder_refusals.h"

namespace weft::host {
namespace {

TEST(Encoder, ComputePassAddsOneToEachWord) {
  TestGuest g;
  const Rep p = g.Compute(kAddOne);
  const Rep data = g.BufferOf({1, 2, 3, 40}, BU::Storage | BU::CopySrc);
  const Rep group = g.Group(TestGuest::Take(g.gpu->OnGpuComputePipelineGetBindGroupLayout(p, 0)), {TestGuest::BindBuffer(0, data)});
  const Rep e = g.Encoder();
  const Rep pass = g.BeginCompute(e);
  TestGuest::Ok(g.gpu->OnGpuComputePassEncoderSetPipeline(pass, p));
  EXPECT_TRUE(g.gpu->OnGpuComputePassEncoderSetBindGroup(pass, 0, group, {}, {}, {}));
  TestGuest::Ok(g.gpu->OnGpuComputePassEncoderDispatchWorkgroups(pass, 4, {}, {}));
  TestGuest::Ok(g.gpu->OnGpuComputePassEncoderEnd(pass));
  g.FinishAndSubmit(e);
  EXPECT_EQ(g.Read(data), (std::vector<uint32_t>{2, 3, 4, 41}));
  EXPECT_EQ(g.Errors(), "");
}

TEST(Encoder, CopiesGoThroughBuffersAndTextures) {
  TestGuest g;
  const Rep a = g.BufferOf(std::vector<uint32_t>(64 * 4, 0x04030201), BU::CopySrc);
  const Rep t = g.Texture(TF::Rgba8unorm, 4, 4, TU::CopyDst | TU::CopySrc);
  const Rep u = g.Texture(TF::Rgba8unormSrgb, 4, 4, TU::CopyDst | TU::CopySrc);
  const Rep b = g.Buffer(1024, BU::CopyDst | BU::CopySrc);
  const Rep c = g.Buffer(1024, BU::CopyDst | BU::CopySrc);
  const Rep e = g.Encoder();
  const wit::GpuExtent3D size{4, 4, {}};
  TestGuest::Ok(g.gpu->OnGpuCommandEncoderCopyBufferToTexture(e, {a, {}, 256u, {}}, {t, {}, {}, {}}, size));
  TestGuest::Ok(g.gpu->OnGpuCommandEncoderCopyTextureToTexture(e, {t, {}, {}, {}}, {u, {}, {}, {}}, size));
  TestGuest::Ok(g.gpu->OnGpuCommandEncoderCopyTextureToBuffer(e, {u, {}, {}, {}}, {b, {}, 256u, {}}, size));
  TestGuest::Ok(g.gpu->OnGpuCommandEncoderCopyBufferToBuffer(e, b, {}, c, {}, {}));
  TestGuest::Ok(g.gpu->OnGpuCommandEncoderClearBuffer(e, c, 4u, 4u));
  // Copies of nothing are right and do nothing.
  TestGuest::Ok(g.gpu->OnGpuCommandEncoderClearBuffer(e, c, 4u, 0u));
  TestGuest::Ok(g.gpu->OnGpuCommandEncoderCopyBufferToBuffer(e, b, {}, c, {}, 0u));
  TestGuest::Ok(g.gpu->OnGpuCommandEncoderCopyTextureToBuffer(e, {u, {}, {}, {}}, {b, {}, 256u, {}}, {0, 0, {}}));
  g.FinishAndSubmit(e);
  const auto words = g.Read(c);
  EXPECT_EQ(g.Errors(), "");
  EXPECT_EQ(words[0], 0x04030201u);
  EXPECT_EQ(words[1], 0u);
  EXPECT_EQ(words[3], 0x04030201u);
  EXPECT_EQ(words[64], 0x04030201u);
}

TEST(Encoder, StateErrors) {
  TestGuest g;
  const Rep e = g.Encoder();
  const Rep buffer = g.Buffer(16, BU::CopyDst);
  g.Finish(e);
  EXPECT_EQ(g.Errors(), "");
  // After finish errors come at once.
  TestGuest::Ok(g.gpu->OnGpuCommandEncoderClearBuffer(e, buffer, {}, {}));
  EXPECT_NE(g.Errors().find("gpu-command-encoder 'e'.clear-buffer: the encoder is finished"), std::string::npos);
  g.Finish(e);
  EXPECT_NE(g.Errors().find("finished already"), std::string::npos);
  const Rep pass = g.BeginCompute(e);
  EXPECT_NE(g.Errors().find("begin-compute-pass: the encoder is finished"), std::string::npos);
  TestGuest::Ok(g.gpu->OnGpuComputePassEncoderDispatchWorkgroups(pass, 1, {}, {}));
  TestGuest::Ok(g.gpu->OnGpuComputePassEncoderEnd(pass));
  EXPECT_EQ(g.Errors(), "");
  TestGuest::Ok(g.gpu->OnGpuComputePassEncoderEnd(pass));
  EXPECT_NE(g.Errors().find("ended already"), std::string::npos);
}

TEST(Encoder, RefusesWhatIsNotPairedOrOutOfOrder) {
  CheckRefusals({
      {"command while a pass is open",
       [](TestGuest& g, Rep e) {
         const Rep pass = g.BeginCompute(e);
         TestGuest::Ok(g.gpu->OnGpuCommandEncoderClearBuffer(e, g.Buffer(16, BU::CopyDst), {}, {}));
         TestGuest::Ok(g.gpu->OnGpuComputePassEncoderEnd(pass));
       },
       "gpu-compute-pass-encoder without a label of this encoder is open. End it first."},
      {"pass inside a pass",
       [](TestGuest& g, Rep e) {
         const Rep outer = g.BeginCompute(e);
         const Rep inner = g.BeginCompute(e);
         TestGuest::Ok(g.gpu->OnGpuComputePassEncoderEnd(inner));
         TestGuest::Ok(g.gpu->OnGpuComputePassEncoderEnd(outer));
       },
       "begin-compute-pass: gpu-compute-pass-encoder without a label of this encoder is open"},
      {"finish with an open pass", [](TestGuest& g, Rep e) { g.BeginCompute(e); },
       "gpu-compute-pass-encoder without a label is still open. End it first."},
      {"finish with a dropped pass", [](TestGuest& g, Rep e) { g.gpu->OnDropGpuComputePassEncoder(g.BeginCompute(e)); },
       "a pass is still open"},
      {"debug group not popped", [](TestGuest& g, Rep e) { TestGuest::Ok(g.gpu->OnGpuCommandEncoderPushDebugGroup(e, Str("x"))); },
       "1 debug groups were pushed and not popped"},
      {"debug group popped too often", [](TestGuest& g, Rep e) { TestGuest::Ok(g.gpu->OnGpuCommandEncoderPopDebugGroup(e)); },
       "no debug group is open"},
      {"debug group left open in a pass",
       [](TestGuest& g, Rep e) {
         const Rep pass = g.BeginCompute(e);
         TestGuest::Ok(g.gpu->OnGpuComputePassEncoderPushDebugGroup(pass, Str("x")));
         TestGuest::Ok(g.gpu->OnGpuComputePassEncoderEnd(pass));
       },
       "1 debug groups were pushed and not popped"},
      {"debug group of the encoder popped in a pass",
       [](TestGuest& g, Rep e) {
         TestGuest::Ok(g.gpu->OnGpuCommandEncoderPushDebugGroup(e, Str("x")));
         const Rep pass = g.BeginCompute(e);
         TestGuest::Ok(g.gpu->OnGpuComputePassEncoderPopDebugGroup(pass));
         TestGuest::Ok(g.gpu->OnGpuComputePassEncoderEnd(pass));
         TestGuest::Ok(g.gpu->OnGpuCommandEncoderPopDebugGroup(e));
       },
       "no debug group is open here"},
  });
}

TEST(Encoder, DebugGroupsThatAreBalancedAreFine) {
  TestGuest g;
  const Rep e = g.Encoder();
  TestGuest::Ok(g.gpu->OnGpuCommandEncoderPushDebugGroup(e, Str("frame \xC3\xA4")));
  TestGuest::Ok(g.gpu->OnGpuCommandEncoderInsertDebugMarker(e, Str(std::string_view("a\0b", 3))));
  const Rep pass = g.BeginCompute(e);
  TestGuest::Ok(g.gpu->OnGpuComputePassEncoderPushDebugGroup(pass, Str(std::string(1000, 'x'))));
  TestGuest::Ok(g.gpu->OnGpuComputePassEncoderInsertDebugMarker(pass, Str("m")));
  TestGuest::Ok(g.gpu->OnGpuComputePassEncoderPopDebugGroup(pass));
  TestGuest::Ok(g.gpu->OnGpuComputePassEncoderEnd(pass));
  TestGuest::Ok(g.gpu->OnGpuCommandEncoderPopDebugGroup(e));
  g.FinishAndSubmit(e);
  EXPECT_EQ(g.Errors(), "");
}

// --- copies ---

Refusal BufferCopy(const char* what, uint64_t from_size, uint32_t from_usage, uint64_t at, uint64_t to_size, uint32_t to_usage,
                   uint64_t to_at, Opt<uint64_t> size, const char* expect) {
  return {what,
          [=](TestGuest& g, Rep e) {
            const Rep a = g.Buffer(from_size, from_usage, "a"), b = g.Buffer(to_size, to_usage, "b");
            TestGuest::Ok(g.gpu->OnGpuCommandEncoderCopyBufferToBuffer(e, a, at, b, to_at, size));
          },
          expect};
}

TEST(Encoder, RefusesBufferCopies) {
  CheckRefusals({
      BufferCopy("no COPY_SRC", 64, BU::CopyDst, 0, 64, BU::CopyDst, 0, 16u, "the usage of gpu-buffer 'a' does not include COPY_SRC"),
      BufferCopy("no COPY_DST", 64, BU::CopySrc, 0, 64, BU::CopySrc, 0, 16u, "the usage of gpu-buffer 'b' does not include COPY_DST"),
      BufferCopy("odd size", 64, BU::CopySrc, 0, 64, BU::CopyDst, 0, 6u, "the size 6 is not a multiple of 4"),
      BufferCopy("odd source offset", 64, BU::CopySrc, 2, 64, BU::CopyDst, 0, 4u, "the source offset 2 is not a multiple of 4"),
      BufferCopy("odd destination offset", 64, BU::CopySrc, 0, 64, BU::CopyDst, 2, 4u, "the destination offset 2 is not a multiple of 4"),
      BufferCopy("source too small", 64, BU::CopySrc, 60, 64, BU::CopyDst, 0, 8u,
                 "8 bytes at offset 60 reach beyond the 64 bytes of gpu-buffer 'a'"),
      BufferCopy("destination too small", 64, BU::CopySrc, 0, 32, BU::CopyDst, 0, {},
                 "64 bytes at offset 0 reach beyond the 32 bytes of gpu-buffer 'b'"),
      BufferCopy("offset that wraps", 64, BU::CopySrc, ~uint64_t{3}, 64, BU::CopyDst, 0, 8u, "reach beyond the 64 bytes"),
      {"onto itself",
       [](TestGuest& g, Rep e) {
         const Rep a = g.Buffer(64, BU::CopySrc | BU::CopyDst, "a");
         TestGuest::Ok(g.gpu->OnGpuCommandEncoderCopyBufferToBuffer(e, a, {}, a, 32u, 16u));
       },
       "source and destination are both gpu-buffer 'a'"},
      {"clear without COPY_DST",
       [](TestGuest& g, Rep e) { TestGuest::Ok(g.gpu->OnGpuCommandEncoderClearBuffer(e, g.Buffer(64, BU::CopySrc), {}, {})); },
       "does not include COPY_DST"},
      {"clear of an odd offset",
       [](TestGuest& g, Rep e) { TestGuest::Ok(g.gpu->OnGpuCommandEncoderClearBuffer(e, g.Buffer(64, BU::CopyDst), 2u, 4u)); },
       "the offset 2 is not a multiple of 4"},
      {"clear of an odd size",
       [](TestGuest& g, Rep e) { TestGuest::Ok(g.gpu->OnGpuCommandEncoderClearBuffer(e, g.Buffer(64, BU::CopyDst), 0u, 7u)); },
       "the size 7 is not a multiple of 4"},
      {"clear beyond the end",
       [](TestGuest& g, Rep e) { TestGuest::Ok(g.gpu->OnGpuCommandEncoderClearBuffer(e, g.Buffer(64, BU::CopyDst), 68u, {})); },
       "reach beyond the 64 bytes"},
  });
}

struct TexCase {
  const char* what;
  TF format = TF::Rgba8unorm;
  uint32_t width = 8, height = 8;
  uint32_t usage = TU::CopySrc | TU::CopyDst;
  uint32_t samples = 1;
  uint32_t mip = 0;
  uint32_t x = 0, y = 0, z = 0;
  Opt<wit::GpuTextureAspect> aspect;
  uint64_t offset = 0;
  Opt<uint32_t> pitch = 256u, rows;
  wit::GpuExtent3D size{8, 8, {}};
  uint64_t bytes = 4096;
  uint32_t buffer_usage = BU::CopySrc | BU::CopyDst;
  bool to_texture = true;
  const char* expect = "";
};

Refusal ToRefusal(const TexCase& c) {
  return {c.what,
          [c](TestGuest& g, Rep e) {
            const uint32_t attachment = c.samples > 1 ? TU::RenderAttachment : 0;
            const Rep t = g.Texture(c.format, c.width, c.height, c.usage | attachment, c.samples);
            const Rep b = g.Buffer(c.bytes, c.buffer_usage);
            const wit::GpuTexelCopyTextureInfo ti{t, c.mip, wit::GpuOrigin3D{c.x, c.y, c.z}, c.aspect};
            const wit::GpuTexelCopyBufferInfo bi{b, c.offset, c.pitch, c.rows};
            if (c.to_texture) {
              TestGuest::Ok(g.gpu->OnGpuCommandEncoderCopyBufferToTexture(e, bi, ti, c.size));
            } else {
              TestGuest::Ok(g.gpu->OnGpuCommandEncoderCopyTextureToBuffer(e, ti, bi, c.size));
            }
          },
          c.expect};
}

TEST(Encoder, RefusesCopiesBetweenBuffersAndTextures) {
  using A = wit::GpuTextureAspect;
  const TexCase table[] = {
      {.what = "buffer without COPY_SRC", .buffer_usage = BU::CopyDst, .expect = "the usage of gpu-buffer 'b' does not include COPY_SRC"},
      {.what = "buffer without COPY_DST", .buffer_usage = BU::CopySrc, .to_texture = false, .expect = "does not include COPY_DST"},
      {.what = "texture without COPY_DST", .usage = TU::CopySrc, .expect = "the usage of gpu-texture 't' does not include COPY_DST"},
      {.what = "texture without COPY_SRC", .usage = TU::CopyDst, .to_texture = false, .expect = "does not include COPY_SRC"},
      {.what = "multisampled", .usage = TU::TextureBinding | TU::CopySrc | TU::CopyDst, .samples = 4, .expect = "is multisampled"},
      {.what = "mip level", .mip = 1, .expect = "mip level 1 is not below the 1 levels"},
      {.what = "beyond the width", .x = 4, .expect = "8x8x1 at (4, 0, 0), reaches beyond mip level 0 of gpu-texture 't', which is 8x8x1"},
      {.what = "beyond the layers", .z = 1, .expect = "reaches beyond mip level 0"},
      {.what = "huge origin", .x = 0xFFFFFFF8u, .expect = "reaches beyond mip level 0"},
      {.what = "pitch not a multiple of 256", .pitch = 260u, .expect = "bytes-per-row, 260, is not a multiple of 256"},
      {.what = "no pitch", .pitch = {}, .expect = "bytes-per-row must be given"},
      {.what = "pitch less than a row",
       .width = 128,
       .pitch = 256u,
       .size = {128, 2, {}},
       .expect = "bytes-per-row, 256, is less than the 512 bytes of a row"},
      {.what = "rows less than the height", .rows = 4u, .expect = "rows-per-image, 4, is less than the 8 rows"},
      {.what = "offset not on a texel", .offset = 2, .expect = "the offset 2 is not a multiple of 4"},
      {.what = "buffer too small", .bytes = 256, .expect = "the copy needs 1824 bytes from the start, but there are 256"},
      {.what = "offset that wraps", .offset = ~uint64_t{3}, .expect = "the copy needs"},
      {.what = "depth only of a colour", .aspect = A::DepthOnly, .expect = "the aspect depth-only is not one of rgba8unorm"},
      {.what = "a part of a depth texture", .format = TF::Depth16unorm, .size = {4, 8, {}}, .expect = "copied whole"},
      {.what = "both aspects", .format = TF::Depth24plusStencil8, .expect = "the aspect \"all\" of depth24plus-stencil8 is two aspects"},
      {.what = "depth24plus",
       .format = TF::Depth24plus,
       .to_texture = false,
       .expect = "the depth of depth24plus cannot be copied to a buffer"},
      {.what = "into depth32float", .format = TF::Depth32float, .expect = "the depth of depth32float cannot be copied from bytes"},
      {.what = "stencil of depth",
       .format = TF::Depth16unorm,
       .aspect = A::StencilOnly,
       .expect = "the aspect stencil-only is not one of depth16unorm"},
  };
  std::vector<Refusal> rows;
  for (const auto& c : table) rows.push_back(ToRefusal(c));
  CheckRefusals(rows);
}

TEST(Encoder, RefusesCopiesBetweenTextures) {
  const wit::GpuExtent3D four{4, 4, {}};
  auto copy = [four](const char* what, TF a, uint32_t a_usage, TF b, uint32_t b_usage, const char* expect) {
    return Refusal{what,
                   [=](TestGuest& g, Rep e) {
                     const Rep s = g.Texture(a, 4, 4, a_usage), d = g.Texture(b, 4, 4, b_usage);
                     TestGuest::Ok(g.gpu->OnGpuCommandEncoderCopyTextureToTexture(e, {s, {}, {}, {}}, {d, {}, {}, {}}, four));
                   },
                   expect};
  };
  CheckRefusals({
      copy("source usage", TF::Rgba8unorm, TU::CopyDst, TF::Rgba8unorm, TU::CopyDst, "does not include COPY_SRC"),
      copy("destination usage", TF::Rgba8unorm, TU::CopySrc, TF::Rgba8unorm, TU::CopySrc, "does not include COPY_DST"),
      copy("formats", TF::Rgba8unorm, TU::CopySrc, TF::Bgra8unorm, TU::CopyDst, "rgba8unorm cannot be copied to bgra8unorm"),
      {"samples",
       [four](TestGuest& g, Rep e) {
         const Rep s = g.Texture(TF::Rgba8unorm, 4, 4, TU::CopySrc | TU::RenderAttachment, 4),
                   d = g.Texture(TF::Rgba8unorm, 4, 4, TU::CopyDst);
         TestGuest::Ok(g.gpu->OnGpuCommandEncoderCopyTextureToTexture(e, {s, {}, {}, {}}, {d, {}, {}, {}}, four));
       },
       "the source has 4 samples a texel, the destination 1"},
      {"the same layer",
       [four](TestGuest& g, Rep e) {
         const Rep t = g.Texture(TF::Rgba8unorm, 4, 4, TU::CopySrc | TU::CopyDst);
         TestGuest::Ok(g.gpu->OnGpuCommandEncoderCopyTextureToTexture(e, {t, {}, {}, {}}, {t, {}, {}, {}}, four));
       },
       "source and destination overlap"},
      {"one aspect of two",
       [four](TestGuest& g, Rep e) {
         const Rep s = g.Texture(TF::Depth24plusStencil8, 4, 4, TU::CopySrc), d = g.Texture(TF::Depth24plusStencil8, 4, 4, TU::CopyDst);
         const Opt<wit::GpuTextureAspect> depth = wit::GpuTextureAspect::DepthOnly;
         TestGuest::Ok(g.gpu->OnGpuCommandEncoderCopyTextureToTexture(e, {s, {}, {}, depth}, {d, {}, {}, depth}, four));
       },
       "all aspects of depth24plus-stencil8 must be copied together"},
  });
}

TEST(Encoder, CopiesBetweenLayersAndMipsOfOneTexture) {
  TestGuest g;
  const Rep t = g.Texture(TF::Rgba8unorm, 8, 8, TU::CopySrc | TU::CopyDst, 1, 2, 2);
  const Rep e = g.Encoder();
  const wit::GpuExtent3D four{4, 4, {}};
  TestGuest::Ok(g.gpu->OnGpuCommandEncoderCopyTextureToTexture(e, {t, 0u, wit::GpuOrigin3D{0u, 0u, 1u}, {}}, {t, 0u, {}, {}}, four));
  TestGuest::Ok(g.gpu->OnGpuCommandEncoderCopyTextureToTexture(e, {t, 0u, {}, {}}, {t, 1u, {}, {}}, four));
  g.FinishAndSubmit(e);
  EXPECT_EQ(g.Errors(), "");
}

TEST(Encoder, QuerySets) {
  CheckRefusals({
      {"usage",
       [](TestGuest& g, Rep e) {
         const Rep q = g.Queries(wit::GpuQueryType::Occlusion, 4), b = g.Buffer(1024, BU::CopyDst);
         TestGuest::Ok(g.gpu->OnGpuCommandEncoderResolveQuerySet(e, q, 0, 1, b, 0));
       },
       "does not include QUERY_RESOLVE"},
      {"count",
       [](TestGuest& g, Rep e) {
         const Rep q = g.Queries(wit::GpuQueryType::Occlusion, 4), b = g.Buffer(1024, BU::QueryResolve);
         TestGuest::Ok(g.gpu->OnGpuCommandEncoderResolveQuerySet(e, q, 2, 0xFFFFFFFF, b, 0));
       },
       "4294967295 queries from 2 reach beyond the 4 of gpu-query-set 'q'"},
      {"alignment",
       [](TestGuest& g, Rep e) {
         const Rep q = g.Queries(wit::GpuQueryType::Occlusion, 4), b = g.Buffer(1024, BU::QueryResolve);
         TestGuest::Ok(g.gpu->OnGpuCommandEncoderResolveQuerySet(e, q, 0, 1, b, 8));
       },
       "the destination offset 8 is not a multiple of 256"},
      {"bounds",
       [](TestGuest& g, Rep e) {
         const Rep q = g.Queries(wit::GpuQueryType::Occlusion, 4), b = g.Buffer(264, BU::QueryResolve);
         TestGuest::Ok(g.gpu->OnGpuCommandEncoderResolveQuerySet(e, q, 0, 4, b, 256));
       },
       "32 bytes at offset 256 reach beyond the 264 bytes"},
  });
}

}  // namespace
}  // namespace weft::host
