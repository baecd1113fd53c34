// SPDX-License-Identifier: Apache-2.0
// What a hostile guest submits, and what it does with textures that were lent to it. After each deed a bystander, another instance on the
// same real device, draws a frame that must be equal to the bit.
#include <unistd.h>

#include <fstream>

#include "host/webgpu/encoder_refusals.h"

namespace weft::host {
namespace {

constexpr std::string_view kSampled = R"(
@group(0) @binding(0) var t: texture_2d<f32>;
@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i32(i & 1u) * 4 - 1), f32(i32(i >> 1u) * 4 - 1), 0.0, 1.0);
}
@fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f { return textureLoad(t, vec2i(p.xy), 0); }
)";

// A guest, and the host that lends it an input and an output of 16x16 for a frame.
struct Frames {
  TestGuest host, g;
  Rep in_native, out_native;
  uint64_t frame = 0;
  Rep input = 0, output = 0;

  Frames()
      : in_native(host.Texture(TF::Rgba8unorm, 16, 16,
                               TU::CopyDst | TU::CopySrc | TU::TextureBinding | TU::StorageBinding | TU::RenderAttachment)),
        out_native(host.Texture(TF::Rgba8unorm, 16, 16,
                                TU::CopyDst | TU::CopySrc | TU::TextureBinding | TU::StorageBinding | TU::RenderAttachment)) {
    const std::vector<uint8_t> texels(16 * 16 * 4, 0x55);
    TestGuest::Ok(host.gpu->OnGpuQueueWriteTextureWithCopy(host.queue, {in_native, {}, {}, {}}, {texels.data(), texels.size()},
                                                           {{}, 64u, {}}, {16, 16, {}}));
    Lend();
  }
  WGPUTexture Native(Rep rep) { return host.gpu->Get<VTexture>(rep).value()->native.get(); }
  void Lend() {
    TextureInfo info;
    info.format = TF::Rgba8unorm;
    info.width = info.height = 16;
    input = TestGuest::Take(g.gpu->ImportTexture(Native(in_native), info, {TU::TextureBinding | TU::CopySrc}, frame, "in"));
    output = TestGuest::Take(
        g.gpu->ImportTexture(Native(out_native), info, {TU::RenderAttachment | TU::StorageBinding | TU::CopyDst}, frame, "out"));
  }
  void NextFrame() {
    g.gpu->RevokeFrame(frame++);
    Lend();
  }
  // Draws the input into the output, as a decent plugin does.
  Rep Sampled() { return g.Render(kSampled, {.targets = {TestGuest::Target(TF::Rgba8unorm)}}); }
  Rep GroupOf(Rep pipeline, Rep texture) {
    return g.Group(TestGuest::Take(g.gpu->OnGpuRenderPipelineGetBindGroupLayout(pipeline, 0)), {TestGuest::BindView(0, g.View(texture))});
  }
  void Copy(Rep e, Rep pipeline, Rep group, Rep view) {
    const Rep pass = g.BeginRender(e, view);
    TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderSetPipeline(pass, pipeline));
    EXPECT_TRUE(g.gpu->OnGpuRenderPassEncoderSetBindGroup(pass, 0, group, {}, {}, {}));
    TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderDraw(pass, 3, {}, {}, {}));
    TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderEnd(pass));
  }
};

std::vector<std::byte> BystanderFrame(TestGuest& g) {
  const Rep t = g.Texture(TF::Rgba8unorm, 16, 16, TU::RenderAttachment | TU::CopySrc);
  const Rep e = g.Encoder();
  const Rep pass = g.BeginRender(e, g.View(t));
  TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderSetPipeline(pass, g.Render(kTriangle, {.targets = {TestGuest::Target(TF::Rgba8unorm)}})));
  TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderDraw(pass, 3, {}, {}, {}));
  TestGuest::Ok(g.gpu->OnGpuRenderPassEncoderEnd(pass));
  g.FinishAndSubmit(e);
  auto pixels = g.Pixels(t);
  EXPECT_EQ(g.Errors(), "");
  return pixels;
}

TEST(Submit, LentTexturesArriveAndTheWrittenOnesAreKnown) {
  Frames f;
  const Rep p = f.Sampled();
  const Rep e = f.g.Encoder();
  f.Copy(e, p, f.GroupOf(p, f.input), f.g.View(f.output));
  EXPECT_FALSE(f.g.gpu->FrameWrote(f.Native(f.out_native)));
  f.g.FinishAndSubmit(e);
  EXPECT_TRUE(f.g.gpu->FrameWrote(f.Native(f.out_native)));
  EXPECT_FALSE(f.g.gpu->FrameWrote(f.Native(f.in_native)));
  f.NextFrame();
  EXPECT_FALSE(f.g.gpu->FrameWrote(f.Native(f.out_native)));
  const auto pixels = f.host.Pixels(f.out_native);
  EXPECT_EQ(f.g.Errors(), "");
  EXPECT_EQ(static_cast<int>(pixels[0]), 0x55);
  EXPECT_EQ(static_cast<int>(pixels[1020]), 0x55);
}

TEST(Submit, PendingWorkCanBeTakenAndSentByAnother) {
  TestGuest g;
  const Rep b = g.BufferOf({1, 2}, BU::CopySrc);
  for (int i = 0; i < 2; ++i) {
    const Rep e = g.Encoder();
    TestGuest::Ok(g.gpu->OnGpuCommandEncoderClearBuffer(e, b, 4u * i, 4u));
    g.FinishAndSubmit(e);
  }
  std::vector<WGPUCommandBuffer> taken;
  EXPECT_EQ(g.gpu->TakePending(taken), 2u);
  EXPECT_EQ(g.gpu->TakePending(taken), 0u);
  int flushes = 0;
  g.gpu->SetFlushHook([&] {
    if (++flushes == 1) gpu::TestDevice()->Submit(taken);
  });
  EXPECT_EQ(g.Read(b), (std::vector<uint32_t>{0, 0}));
  EXPECT_GE(flushes, 1);
  for (auto c : taken) g.gpu->wgpu().CommandBufferRelease(c);
  EXPECT_EQ(g.Errors(), "");
}

struct Deed {
  const char* what;
  std::function<void(Frames&)> act;
  const char* expect;
};

void RecordClear(TestGuest& g, Rep e, Rep buffer) { TestGuest::Ok(g.gpu->OnGpuCommandEncoderClearBuffer(e, buffer, {}, {})); }

TEST(Submit, HostileGuestsGetAnErrorAndNobodyElseNotices) {
  const Deed table[] = {
      {"submit what was submitted",
       [](Frames& f) {
         const Rep cb = f.g.Finish(f.g.Encoder());
         f.g.Submit({cb});
         f.g.Submit({cb});
       },
       "gpu-command-buffer 'cb' was submitted already"},
      {"submit one twice in a list",
       [](Frames& f) {
         const Rep cb = f.g.Finish(f.g.Encoder());
         f.g.Submit({cb, cb});
       },
       "gpu-command-buffer 'cb' was submitted already"},
      {"submit what is invalid",
       [](Frames& f) {
         const Rep e = f.g.Encoder();
         f.g.BeginCompute(e);
         const Rep cb = f.g.Finish(e);
         f.g.Errors();
         f.g.Submit({cb});
       },
       "gpu-command-buffer 'cb' is invalid"},
      {"submit with a destroyed buffer",
       [](Frames& f) {
         const Rep e = f.g.Encoder(), b = f.g.Buffer(64, BU::CopyDst, "gone");
         RecordClear(f.g, e, b);
         const Rep cb = f.g.Finish(e);
         TestGuest::Ok(f.g.gpu->OnGpuBufferDestroy(b));
         f.g.Submit({cb});
       },
       "gpu-command-buffer 'cb' cannot run: gpu-buffer 'gone' was destroyed"},
      {"record with a destroyed buffer",
       [](Frames& f) {
         const Rep e = f.g.Encoder(), b = f.g.Buffer(64, BU::CopyDst, "gone");
         TestGuest::Ok(f.g.gpu->OnGpuBufferDestroy(b));
         RecordClear(f.g, e, b);
         const Rep cb = f.g.Finish(e);
         EXPECT_EQ(f.g.Errors(), "") << "to record is no error, to submit is";
         f.g.Submit({cb});
       },
       "gpu-buffer 'gone' was destroyed"},
      {"destroy between record and finish",
       [](Frames& f) {
         const Rep e = f.g.Encoder(), b = f.g.Buffer(64, BU::CopyDst, "gone");
         RecordClear(f.g, e, b);
         TestGuest::Ok(f.g.gpu->OnGpuBufferDestroy(b));
         f.g.Submit({f.g.Finish(e)});
       },
       "gpu-buffer 'gone' was destroyed"},
      {"destroy in an open pass",
       [](Frames& f) {
         const Rep t = f.g.Texture(TF::Rgba8unorm, 16, 16, TU::RenderAttachment);
         const Rep e = f.g.Encoder();
         const Rep pass = f.g.BeginRender(e, f.g.View(t));
         TestGuest::Ok(f.g.gpu->OnGpuTextureDestroy(t));
         TestGuest::Ok(f.g.gpu->OnGpuRenderPassEncoderEnd(pass));
         f.g.Submit({f.g.Finish(e)});
       },
       "gpu-texture 't' was destroyed"},
      {"begin a pass on a destroyed texture",
       [](Frames& f) {
         const Rep t = f.g.Texture(TF::Rgba8unorm, 16, 16, TU::RenderAttachment);
         const Rep v = f.g.View(t);
         TestGuest::Ok(f.g.gpu->OnGpuTextureDestroy(t));
         const Rep e = f.g.Encoder();
         TestGuest::Ok(f.g.gpu->OnGpuRenderPassEncoderEnd(f.g.BeginRender(e, v)));
         f.g.Submit({f.g.Finish(e)});
       },
       "gpu-texture 't' was destroyed"},
      {"destroyed query set",
       [](Frames& f) {
         const Rep q = f.g.Queries(wit::GpuQueryType::Occlusion, 2);
         const Rep e = f.g.Encoder();
         TestGuest::Ok(f.g.gpu->OnGpuCommandEncoderResolveQuerySet(e, q, 0, 1, f.g.Buffer(64, BU::QueryResolve), 0));
         const Rep cb = f.g.Finish(e);
         TestGuest::Ok(f.g.gpu->OnGpuQuerySetDestroy(q));
         f.g.Submit({cb});
       },
       "gpu-query-set 'q' was destroyed"},
      {"destroy what is pending",
       [](Frames& f) {
         const Rep e = f.g.Encoder(), b = f.g.Buffer(64, BU::CopyDst);
         RecordClear(f.g, e, b);
         f.g.FinishAndSubmit(e);
         TestGuest::Ok(f.g.gpu->OnGpuBufferDestroy(b));
       },
       ""},
      {"submit with a mapped buffer",
       [](Frames& f) {
         const Rep b = f.g.Buffer(64, BU::CopyDst | BU::MapRead, "mapped", true);
         const Rep e = f.g.Encoder();
         RecordClear(f.g, e, b);
         f.g.FinishAndSubmit(e);
       },
       "gpu-buffer 'mapped' is mapped or waits for its map"},
      {"submit with a pending map",
       [](Frames& f) {
         const Rep b = f.g.Buffer(64, BU::CopyDst | BU::MapRead, "pending");
         const Rep e = f.g.Encoder();
         RecordClear(f.g, e, b);
         const Rep cb = f.g.Finish(e);
         using Done = Completion<Res<Unit, wit::MapAsyncError>>;
         static const wasm::RawCompletion kIgnore{&f, [](void*, const void*, Str) {}};
         f.g.gpu->OnGpuBufferMapAsync(b, {wit::GpuMapMode::Read}, {}, {}, Done(kIgnore));
         f.g.Submit({cb});
       },
       "gpu-buffer 'pending' is mapped or waits for its map"},
      {"input as attachment",
       [](Frames& f) {
         const Rep e = f.g.Encoder();
         TestGuest::Ok(f.g.gpu->OnGpuRenderPassEncoderEnd(f.g.BeginRender(e, f.g.View(f.input))));
         f.g.Finish(e);
       },
       "does not include RENDER_ATTACHMENT, because the host lends gpu-texture 'in' for other uses only"},
      {"input as resolve target",
       [](Frames& f) {
         const Rep e = f.g.Encoder();
         const Rep ms = f.g.View(f.g.Texture(TF::Rgba8unorm, 16, 16, TU::RenderAttachment, 4));
         TestGuest::Ok(f.g.gpu->OnGpuRenderPassEncoderEnd(f.g.BeginRender(e, {.colors = {TestGuest::Color(ms, f.g.View(f.input))}})));
         f.g.Finish(e);
       },
       "resolve target 0: the usage of gpu-texture-view without a label does not include RENDER_ATTACHMENT"},
      {"input written by a storage view",
       [](Frames& f) {
         wit::GpuBindGroupLayoutEntry entry;
         entry.visibility.bits = wit::GpuShaderStage::Compute;
         wit::GpuStorageTextureBindingLayout storage;
         storage.format = TF::Rgba8unorm;
         entry.storage_texture = storage;
         f.g.Group(f.g.Layout({entry}), {TestGuest::BindView(0, f.g.View(f.input))});
       },
       "storage"},
      {"view of the input that asks for more",
       [](Frames& f) {
         wit::GpuTextureViewDescriptor d;
         d.usage = wit::GpuTextureUsage{TU::StorageBinding};
         f.g.View(f.input, d);
       },
       "usage"},
      {"copy into the input",
       [](Frames& f) {
         const Rep e = f.g.Encoder();
         TestGuest::Ok(f.g.gpu->OnGpuCommandEncoderCopyBufferToTexture(e, {f.g.Buffer(4096, BU::CopySrc), {}, 256u, {}},
                                                                       {f.input, {}, {}, {}}, {16, 16, {}}));
         f.g.Finish(e);
       },
       "the usage of gpu-texture 'in' does not include COPY_DST, because the host lends it for other uses only"},
      {"copy a texture into the input",
       [](Frames& f) {
         const Rep e = f.g.Encoder(), t = f.g.Texture(TF::Rgba8unorm, 16, 16, TU::CopySrc);
         TestGuest::Ok(f.g.gpu->OnGpuCommandEncoderCopyTextureToTexture(e, {t, {}, {}, {}}, {f.input, {}, {}, {}}, {16, 16, {}}));
         f.g.Finish(e);
       },
       "the usage of gpu-texture 'in' does not include COPY_DST"},
      {"write-texture into the input",
       [](Frames& f) {
         const std::vector<uint8_t> texels(16 * 16 * 4, 0xFF);
         TestGuest::Ok(f.g.gpu->OnGpuQueueWriteTextureWithCopy(f.g.queue, {f.input, {}, {}, {}}, {texels.data(), texels.size()},
                                                               {{}, 64u, {}}, {16, 16, {}}));
       },
       "copy-dst"},
      {"read the output back",
       [](Frames& f) {
         const Rep e = f.g.Encoder();
         TestGuest::Ok(f.g.gpu->OnGpuCommandEncoderCopyTextureToBuffer(e, {f.output, {}, {}, {}},
                                                                       {f.g.Buffer(4096, BU::CopyDst), {}, 256u, {}}, {16, 16, {}}));
         f.g.Finish(e);
       },
       "the usage of gpu-texture 'out' does not include COPY_SRC"},
      {"a command buffer kept from the frame before",
       [](Frames& f) {
         const Rep e = f.g.Encoder();
         TestGuest::Ok(f.g.gpu->OnGpuRenderPassEncoderEnd(f.g.BeginRender(e, f.g.View(f.output))));
         const Rep cb = f.g.Finish(e);
         f.NextFrame();
         f.g.Submit({cb});
       },
       "gpu-texture 'out'"},
      {"a view kept",
       [](Frames& f) {
         const Rep v = f.g.View(f.output);
         f.NextFrame();
         const Rep e = f.g.Encoder();
         TestGuest::Ok(f.g.gpu->OnGpuRenderPassEncoderEnd(f.g.BeginRender(e, v)));
         f.g.Finish(e);
       },
       "gpu-texture 'out' was lent for frame 0 and is revoked"},
      {"a bind group kept",
       [](Frames& f) {
         const Rep p = f.Sampled();
         const Rep group = f.GroupOf(p, f.input);
         f.NextFrame();
         const Rep e = f.g.Encoder();
         f.Copy(e, p, group, f.g.View(f.output));
         f.g.Finish(e);
       },
       "set-bind-group: gpu-texture 'in' was lent for frame 0 and is revoked"},
      {"an encoder kept",
       [](Frames& f) {
         const Rep e = f.g.Encoder();
         TestGuest::Ok(f.g.gpu->OnGpuRenderPassEncoderEnd(f.g.BeginRender(e, f.g.View(f.output))));
         f.NextFrame();
         f.g.Finish(e);
       },
       "was lent for frame 0 and is revoked; gpu-command-encoder 'e' has used it"},
      {"an open pass kept",
       [](Frames& f) {
         const Rep e = f.g.Encoder();
         const Rep pass = f.g.BeginRender(e, f.g.View(f.output));
         f.NextFrame();
         TestGuest::Ok(f.g.gpu->OnGpuRenderPassEncoderSetPipeline(pass, f.Sampled()));
         TestGuest::Ok(f.g.gpu->OnGpuRenderPassEncoderDraw(pass, 3, {}, {}, {}));
         TestGuest::Ok(f.g.gpu->OnGpuRenderPassEncoderEnd(pass));
         f.g.Finish(e);
       },
       "gpu-texture 'out' was lent for frame 0 and is revoked"},
      {"a bundle kept",
       [](Frames& f) {
         const Rep p = f.Sampled();
         const std::vector<Opt<TF>> colors = {TF::Rgba8unorm};
         wit::GpuRenderBundleEncoderDescriptor d;
         d.color_formats = {colors.data(), colors.size()};
         const Rep be = TestGuest::Take(f.g.gpu->OnGpuDeviceCreateRenderBundleEncoder(f.g.device, d));
         TestGuest::Ok(f.g.gpu->OnGpuRenderBundleEncoderSetPipeline(be, p));
         EXPECT_TRUE(f.g.gpu->OnGpuRenderBundleEncoderSetBindGroup(be, 0, f.GroupOf(p, f.input), {}, {}, {}));
         TestGuest::Ok(f.g.gpu->OnGpuRenderBundleEncoderDraw(be, 3, {}, {}, {}));
         const Rep bundle = TestGuest::Take(f.g.gpu->OnGpuRenderBundleEncoderFinish(be, {}));
         EXPECT_EQ(f.g.Errors(), "");
         f.NextFrame();
         const Rep e = f.g.Encoder();
         const Rep pass = f.g.BeginRender(e, f.g.View(f.output));
         TestGuest::Ok(f.g.gpu->OnGpuRenderPassEncoderExecuteBundles(pass, {&bundle, 1}));
         TestGuest::Ok(f.g.gpu->OnGpuRenderPassEncoderEnd(pass));
         f.g.Finish(e);
       },
       "execute-bundles: gpu-texture 'in' was lent for frame 0 and is revoked"},
      {"a texture handle kept",
       [](Frames& f) {
         const Rep kept = f.output;
         f.NextFrame();
         const Rep e = f.g.Encoder(), b = f.g.Buffer(4096, BU::CopySrc);
         TestGuest::Ok(f.g.gpu->OnGpuCommandEncoderCopyBufferToTexture(e, {b, {}, 256u, {}}, {kept, {}, {}, {}}, {16, 16, {}}));
         f.g.Finish(e);
       },
       "gpu-texture 'out' was lent for frame 0 and is revoked"},
      {"destroy the device with work pending",
       [](Frames& f) {
         const Rep e = f.g.Encoder();
         RecordClear(f.g, e, f.g.Buffer(64, BU::CopyDst));
         const Rep cb = f.g.Finish(e);
         TestGuest::Ok(f.g.gpu->OnGpuDeviceDestroy(f.g.device));
         f.g.Submit({cb});
         f.g.FinishAndSubmit(f.g.Encoder());
       },
       ""},
  };
  TestGuest bystander;
  const auto reference = BystanderFrame(bystander);
  for (const auto& deed : table) {
    SCOPED_TRACE(deed.what);
    Frames f;
    deed.act(f);
    const std::string errors = f.g.Errors();
    if (*deed.expect == '\0') {
      EXPECT_EQ(errors, "");
    } else {
      EXPECT_NE(errors.find(deed.expect), std::string::npos) << "got: " << errors;
    }
    EXPECT_EQ(static_cast<int>(f.host.Pixels(f.in_native)[7]), 0x55) << "the input is as it was";
    EXPECT_EQ(BystanderFrame(bystander), reference);
  }
}

TEST(Submit, DevicesOfOneInstanceDoNotMix) {
  TestGuest g(GpuMode::Exec);
  const Rep second = g.NewDevice();
  const Rep second_queue = TestGuest::Take(g.gpu->OnGpuDeviceQueue(second));
  const Rep cb = g.Finish(g.Encoder());
  TestGuest::Ok(g.gpu->OnGpuQueueSubmit(second_queue, {&cb, 1}));
  EXPECT_NE(g.Errors().find("gpu-command-buffer 'cb' belongs to another device"), std::string::npos);
  g.Submit({cb});  // its own queue takes it
  EXPECT_EQ(g.Errors(), "");
  const Rep b = g.Buffer(64, BU::CopyDst);
  const Rep e = TestGuest::Take(g.gpu->OnGpuDeviceCreateCommandEncoder(second, {}));
  TestGuest::Ok(g.gpu->OnGpuCommandEncoderClearBuffer(e, b, {}, {}));
  g.Finish(e);
  EXPECT_NE(g.Errors().find("gpu-buffer 'b' belongs to another device"), std::string::npos);
}

TEST(Submit, AFrameLeavesNothingBehind) {
  Frames f;
  const Rep p = f.Sampled();
  VirtualGpu::Stats first;
  for (int i = 0; i < 20; ++i) {
    const Rep e = f.g.Encoder(), view = f.g.View(f.output), in_view = f.g.View(f.input);
    const Rep layout = TestGuest::Take(f.g.gpu->OnGpuRenderPipelineGetBindGroupLayout(p, 0));
    const Rep group = f.g.Group(layout, {TestGuest::BindView(0, in_view)});
    const Rep pass = f.g.BeginRender(e, view);
    TestGuest::Ok(f.g.gpu->OnGpuRenderPassEncoderSetPipeline(pass, p));
    EXPECT_TRUE(f.g.gpu->OnGpuRenderPassEncoderSetBindGroup(pass, 0, group, {}, {}, {}));
    TestGuest::Ok(f.g.gpu->OnGpuRenderPassEncoderDraw(pass, 3, {}, {}, {}));
    TestGuest::Ok(f.g.gpu->OnGpuRenderPassEncoderEnd(pass));
    const Rep cb = f.g.Finish(e);
    f.g.Submit({cb});
    auto& v = *f.g.gpu;
    v.OnDropGpuRenderPassEncoder(pass), v.OnDropGpuCommandEncoder(e), v.OnDropGpuCommandBuffer(cb), v.OnDropGpuBindGroup(group);
    v.OnDropGpuBindGroupLayout(layout), v.OnDropGpuTextureView(view), v.OnDropGpuTextureView(in_view);
    v.OnDropGpuTexture(f.input), v.OnDropGpuTexture(f.output);
    f.NextFrame();
    if (i == 1) first = v.stats();
  }
  const auto last = f.g.gpu->stats();
  EXPECT_EQ(last.rows, first.rows);
  EXPECT_EQ(last.objects, first.objects);
  EXPECT_EQ(last.frame_objects, first.frame_objects);
  EXPECT_EQ(f.g.Errors(), "");
}

// The library frees nothing of a command buffer that was finished and never submitted; so it must not see one.
TEST(Submit, WhatIsFinishedAndNotSubmittedIsFreed) {
  auto resident = [] {
    std::ifstream file("/proc/self/statm");
    uint64_t all = 0, pages = 0;
    file >> all >> pages;
    return pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  };
  TestGuest g;
  const std::vector<uint32_t> words(1 << 20, 1);
  uint64_t before = 0;
  for (int i = 0; i < 120; ++i) {
    if (i == 20) before = resident();
    const Rep buffer = g.Buffer(4 << 20, BU::CopyDst);
    const Rep e = g.Encoder();
    TestGuest::Ok(g.gpu->OnGpuCommandEncoderClearBuffer(e, buffer, {}, {}));
    const Rep commands = g.Finish(e);
    g.Write(buffer, words);  // so that its memory is really there
    g.gpu->OnDropGpuCommandEncoder(e);
    g.gpu->OnDropGpuCommandBuffer(commands);
    g.gpu->OnDropGpuBuffer(buffer);
    g.FinishAndSubmit(g.Encoder());
    ASSERT_TRUE(gpu::TestDevice()->WaitIdle());
  }
  const uint64_t after = resident();
  EXPECT_LT(after, before + (uint64_t{100} << 20)) << "of 400 MiB that 100 of them used";
}

}  // namespace
}  // namespace weft::host
