// SPDX-License-Identifier: Apache-2.0
// The window that is not there, and what draws into it.
#include <deque>

#include "host/surface/canvas.h"
#include "host/surface/finish.h"
#include "host/surface/frame_buffer.h"
#include "host/webgpu/encoder_test_guest.h"

namespace weft::host {
namespace {

// The guest's end of a stream, as the engine would serve it. It outlives the window that sends to it.
template <class T>
struct End {
  std::deque<T> items;
  bool wanted = false, gone = false;
  int closed = 0;

  wasm::StreamSource<T> source() {
    return wasm::StreamSource<T>({this,
                                  [](void* self, const void* v) { static_cast<End*>(self)->items.push_back(*static_cast<const T*>(v)); },
                                  [](void* self) { ++static_cast<End*>(self)->closed; },
                                  [](void* self) -> uint32_t {
                                    auto* e = static_cast<End*>(self);
                                    return e->gone ? 1 : !e->items.empty() ? 4 : e->wanted ? 2 : 0;
                                  }});
  }
};

wsf::CreateDesc Desc(Opt<uint32_t> width, Opt<uint32_t> height) {
  wsf::CreateDesc d;
  d.width = width;
  d.height = height;
  return d;
}

TEST(WindowSize, IsTheHostsElseTheGuestsElseAStandard) {
  {
    Window w({});
    ASSERT_TRUE(w.OnSurfaceNew({}));
    EXPECT_EQ(*w.OnSurfaceWidth(1), 640u);
    EXPECT_EQ(*w.OnSurfaceHeight(1), 480u);
  }
  {
    End<wsf::ResizeEvent> end;
    Window w({});
    ASSERT_TRUE(w.OnSurfaceNew(Desc(20u, 10u)));
    ASSERT_TRUE(w.OnSurfaceOnResize(1, end.source()));
    ASSERT_TRUE(w.OnSurfaceRequestSetSize(1, 30u, {}));
    EXPECT_EQ(w.width(), 20u);
    EXPECT_EQ(w.height(), 30u);
    ASSERT_EQ(end.items.size(), 1u);
    EXPECT_EQ(end.items[0].height, 30u);
    ASSERT_TRUE(w.OnSurfaceRequestSetSize(1, 30u, 20u));  // as it is: no event
    EXPECT_EQ(end.items.size(), 1u);
  }
  {
    Window w({.width = 7, .height = 5});
    ASSERT_TRUE(w.OnSurfaceNew(Desc(4000000000u, 0u)));  // not asked
    ASSERT_TRUE(w.OnSurfaceRequestSetSize(1, 100u, 100u));
    EXPECT_EQ(w.width(), 7u);
    EXPECT_EQ(w.height(), 5u);
  }
}

TEST(WindowSize, HasLimits) {
  Window w({.largest_side = 100, .most_bytes = 8 * 50 * 100});
  EXPECT_FALSE(w.OnSurfaceNew(Desc(101u, 1u)));
  EXPECT_FALSE(w.OnSurfaceNew(Desc(0u, 1u)));
  ASSERT_TRUE(w.OnSurfaceNew(Desc(50u, 100u)));
  EXPECT_FALSE(w.OnSurfaceRequestSetSize(1, 100u, 51u));
  EXPECT_EQ(w.SendResize(101, 100).error().kind(), ErrorKind::InvalidArgument);
  EXPECT_EQ(w.width(), 50u);
  EXPECT_FALSE(w.OnSurfaceNew({}));
  EXPECT_FALSE(w.OnSurfaceWidth(2));
}

TEST(WindowEvents, AFrameIsSentOnceAndWaitedForByThoseWhoAsked) {
  End<wsf::PointerEvent> pointer;
  End<wsf::FrameEvent> one, two;
  Window w({});
  ASSERT_TRUE(w.OnSurfaceNew({}));
  EXPECT_FALSE(w.Waits());
  ASSERT_TRUE(w.OnSurfaceOnPointerUp(1, pointer.source()));
  EXPECT_FALSE(w.Waits());
  pointer.wanted = true;
  EXPECT_TRUE(w.Waits());
  // Once it takes frames, frames are what counts.
  ASSERT_TRUE(w.OnSurfaceOnFrame(1, one.source()));
  ASSERT_TRUE(w.OnSurfaceOnFrame(1, two.source()));
  EXPECT_FALSE(w.Waits());
  one.wanted = true;
  EXPECT_TRUE(w.Waits());
  w.SendFrame();
  w.SendFrame();
  EXPECT_EQ(one.items.size(), 1u);
  EXPECT_EQ(two.items.size(), 1u);
  EXPECT_TRUE(w.Unread());
  one.items.clear();
  EXPECT_FALSE(w.Waits());  // the other has not read it
  two.gone = true;
  EXPECT_TRUE(w.Waits());
  w.SendPointerUp(1.5, 2);
  ASSERT_EQ(pointer.items.size(), 1u);
  EXPECT_EQ(pointer.items[0].x, 1.5);
}

TEST(WindowEvents, StreamsThatAreGoneAreForgotten) {
  std::vector<std::unique_ptr<End<wsf::KeyEvent>>> ends;
  End<wsf::KeyEvent> more, again;
  Window w({});
  ASSERT_TRUE(w.OnSurfaceNew({}));
  for (int i = 0; i < 64; ++i) {
    ends.push_back(std::make_unique<End<wsf::KeyEvent>>());
    ASSERT_TRUE(w.OnSurfaceOnKeyDown(1, ends.back()->source()));
  }
  EXPECT_FALSE(w.OnSurfaceOnKeyDown(1, more.source()));
  for (auto& e : ends) e->gone = true;
  EXPECT_TRUE(w.OnSurfaceOnKeyDown(1, again.source()));
  EXPECT_EQ(ends[0]->closed, 1);
}

class Surface : public gpu::GpuTest {
 protected:
  void SetUp() override {
    gpu::GpuTest::SetUp();
    g = std::make_unique<TestGuest>(GpuMode::Exec);
    window = std::make_unique<Window>(WindowOptions{.width = 4, .height = 2});
    ASSERT_TRUE(window->OnSurfaceNew({}));
    canvas = std::make_unique<Canvas>(Ref<gpu::Device>(device), g->gpu.get(), window.get());
    frame_buffer = std::make_unique<FrameBuffer>(window.get());
    finisher = std::make_unique<PictureFinisher>(Ref<gpu::Device>(device));
    context = *canvas->OnContextNew(1);
  }
  Status Configure(TF format, uint32_t usage = TU::RenderAttachment, bool premultiplied = false) {
    wsf::ContextConfiguration c;
    c.device = g->device;
    c.format = format;
    c.usage = wit::GpuTextureUsage{usage};
    if (premultiplied) c.alpha_mode = wit::GpuCanvasAlphaMode::Premultiplied;
    return canvas->OnContextConfigure(context, c);
  }
  void Paint(Rep texture, wit::GpuColor color) {
    const Rep encoder = g->Encoder();
    auto attachment = TestGuest::Color(g->View(texture));
    attachment.value.clear_value = color;
    const Rep pass = g->BeginRender(encoder, TestGuest::PassOptions{.colors = {attachment}});
    TestGuest::Ok(g->gpu->OnGpuRenderPassEncoderEnd(pass));
    g->FinishAndSubmit(encoder);
  }
  // The first pixel of what comes out, as bytes.
  std::vector<int> Shown(std::string* format = nullptr) {
    auto texture = finisher->Finish(*window->picture());
    EXPECT_TRUE(texture) << texture.error().ToString();
    if (format) *format = gpu::FormatName((*texture)->format());
    auto bytes = gpu::ReadTextureNow(**texture);
    EXPECT_TRUE(bytes);
    std::vector<int> out;
    for (size_t i = 0; i < gpu::BytesPerTexel((*texture)->format()); ++i) out.push_back(static_cast<int>((*bytes)[i]));
    return out;
  }

  std::unique_ptr<TestGuest> g;
  std::unique_ptr<Window> window;
  std::unique_ptr<Canvas> canvas;
  std::unique_ptr<FrameBuffer> frame_buffer;
  std::unique_ptr<PictureFinisher> finisher;
  Rep context = 0;
};

TEST_F(Surface, ShowsEachFormatAsRgba) {
  using Ints = std::vector<int>;
  const wit::GpuColor color{1, 0.2, 0.4, 0.6};
  ASSERT_TRUE(Configure(TF::Bgra8unorm));
  Paint(*canvas->OnContextGetCurrentTexture(context), color);
  ASSERT_TRUE(canvas->OnContextPresent(context));
  std::string format;
  EXPECT_EQ(Shown(&format), (Ints{255, 51, 102, 255}));
  EXPECT_EQ(format, "rgba8unorm");
  ASSERT_TRUE(Configure(TF::Bgra8unorm, TU::RenderAttachment, /*premultiplied=*/true));
  Paint(*canvas->OnContextGetCurrentTexture(context), color);
  ASSERT_TRUE(canvas->OnContextPresent(context));
  EXPECT_EQ(Shown(), (Ints{255, 51, 102, 153}));
  ASSERT_TRUE(Configure(TF::Rgba8unorm));
  Paint(*canvas->OnContextGetCurrentTexture(context), color);
  ASSERT_TRUE(canvas->OnContextPresent(context));
  EXPECT_EQ(Shown(), (Ints{255, 51, 102, 255}));
  // Nothing has to be done: nothing is.
  ASSERT_TRUE(Configure(TF::Rgba16float, TU::RenderAttachment, /*premultiplied=*/true));
  Paint(*canvas->OnContextGetCurrentTexture(context), {1, 0, 0, 0.5});
  ASSERT_TRUE(canvas->OnContextPresent(context));
  EXPECT_EQ(*finisher->Finish(*window->picture()), window->picture()->texture);
  EXPECT_EQ(Shown(&format), (Ints{0, 0x3c, 0, 0, 0, 0, 0, 0x38}));
  EXPECT_EQ(format, "rgba16float");
  EXPECT_EQ(g->Errors(), "");
}

TEST_F(Surface, TheCurrentTextureIsOneUntilItIsShownAndDeadAfter) {
  EXPECT_FALSE(canvas->OnContextGetCurrentTexture(context));
  ASSERT_TRUE(Configure(TF::Rgba8unorm, TU::RenderAttachment | TU::CopySrc));
  const Rep a = *canvas->OnContextGetCurrentTexture(context), b = *canvas->OnContextGetCurrentTexture(context);
  EXPECT_EQ((*g->gpu->Get<VTexture>(a)).get(), (*g->gpu->Get<VTexture>(b)).get());
  EXPECT_EQ(*g->gpu->OnGpuTextureWidth(a), 4u);
  EXPECT_EQ(g->gpu->OnGpuTextureUsage(a)->bits, TU::RenderAttachment | TU::CopySrc);
  // It comes as zeros, also where the pool's texture was used before.
  for (int i = 0; i < 3; ++i) {
    const Rep t = *canvas->OnContextGetCurrentTexture(context);
    for (std::byte p : g->Pixels(t)) EXPECT_EQ(p, std::byte{0});
    Paint(t, {1, 1, 1, 1});
    ASSERT_TRUE(canvas->OnContextPresent(context));
  }
  EXPECT_FALSE(canvas->OnContextPresent(context));
  EXPECT_EQ(g->Errors(), "");
  Paint(a, {1, 1, 1, 1});
  EXPECT_NE(g->Errors().find("is revoked"), std::string::npos);
  const Rep c = *canvas->OnContextGetCurrentTexture(context);
  EXPECT_NE((*g->gpu->Get<VTexture>(c)).get(), (*g->gpu->Get<VTexture>(a)).get());
  EXPECT_EQ(window->presented(), 3u);
}

TEST_F(Surface, AWindowThatChangesSizeGetsAnotherTexture) {
  ASSERT_TRUE(Configure(TF::Rgba8unorm));
  const Rep a = *canvas->OnContextGetCurrentTexture(context);
  ASSERT_TRUE(window->SendResize(6, 3));
  const Rep b = *canvas->OnContextGetCurrentTexture(context);
  EXPECT_EQ(*g->gpu->OnGpuTextureWidth(b), 6u);
  EXPECT_EQ((*g->gpu->Get<VTexture>(a))->state(), VResource::State::Revoked);
  ASSERT_TRUE(canvas->OnContextUnconfigure(context));
  EXPECT_FALSE(canvas->OnContextGetCurrentTexture(context));
  EXPECT_EQ((*g->gpu->Get<VTexture>(b))->state(), VResource::State::Revoked);
}

TEST_F(Surface, AWrongConfigurationIsAValidationErrorOrATrap) {
  EXPECT_FALSE(Configure(TF::R8unorm));
  EXPECT_FALSE(Configure(TF::Rgba8unorm, TU::TransientAttachment));
  ASSERT_TRUE(Configure(TF::Rgba8unorm, 0));
  EXPECT_NE(g->Errors().find("context.configure: the usage of a texture must not be empty"), std::string::npos);
  const Rep t = *canvas->OnContextGetCurrentTexture(context);
  EXPECT_FALSE((*g->gpu->Get<VTexture>(t))->valid());
  EXPECT_FALSE(canvas->OnContextPresent(context));
  // Of another device of the same guest, what is shown cannot be used.
  ASSERT_TRUE(Configure(TF::Rgba8unorm));
  (void)g->Errors();
  const Rep own = *canvas->OnContextGetCurrentTexture(context);
  EXPECT_EQ((*g->gpu->Get<VTexture>(own))->device(), (*g->gpu->Get<VDevice>(g->device)).get());
  canvas->OnDropContext(context);
  EXPECT_EQ((*g->gpu->Get<VTexture>(own))->state(), VResource::State::Revoked);
  EXPECT_FALSE(canvas->OnContextPresent(context));
}

TEST_F(Surface, AFrameBufferIsBlueGreenRed) {
  const Rep c = *frame_buffer->contexts()->OnContextNew(1);
  const Rep b = *frame_buffer->contexts()->OnContextGetCurrentBuffer(c);
  std::vector<uint8_t> pixels(4 * 2 * 4);
  for (size_t i = 0; i < pixels.size(); i += 4) pixels[i] = 10, pixels[i + 1] = 20, pixels[i + 2] = 30;
  ASSERT_TRUE(frame_buffer->buffers()->OnBufferSetWithCopy(b, {pixels.data(), pixels.size()}));
  ASSERT_TRUE(frame_buffer->contexts()->OnContextPresent(c));
  // What comes after is another picture.
  std::vector<uint8_t> white(pixels.size(), 255);
  ASSERT_TRUE(frame_buffer->buffers()->OnBufferSetWithCopy(b, {white.data(), white.size()}));
  EXPECT_EQ(Shown(), (std::vector<int>{30, 20, 10, 255}));
  const auto kept = frame_buffer->buffers()->OnBufferGetWithCopy(b);
  ASSERT_TRUE(kept);
  EXPECT_EQ((*kept)[0], 255);
  ASSERT_TRUE(frame_buffer->contexts()->OnContextPresent(c));
  EXPECT_EQ(Shown(), (std::vector<int>{255, 255, 255, 255}));
  EXPECT_FALSE(frame_buffer->buffers()->OnBufferSetWithCopy(b, {white.data(), white.size() - 1}));
}

}  // namespace
}  // namespace weft::host
