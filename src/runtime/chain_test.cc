// SPDX-License-Identifier: Apache-2.0
#include "runtime/chain.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "base/fail.h"
#include "gpu/device.h"
#include "gpu/texture_pool.h"
#include "gpu/transfer.h"
#include "runtime/test_runtime.h"

namespace weft::runtime {
namespace {

using graph::Literal;

std::string Plugin(const std::string& name) { return std::string(WEFT_PLUGINS) + "/" + name; }

// All of one value; alpha 255.
Ref<media::CpuFrame> Plain(int width, int height, uint8_t value) {
  auto frame =
      media::CpuFrame::Create({.width = width, .height = height, .format = media::PixelFormat::Rgba8, .alpha = media::AlphaMode::Straight});
  for (int y = 0; y < height; ++y) {
    uint8_t* row = (*frame)->mutable_data(0) + static_cast<size_t>(y) * (*frame)->stride(0);
    for (int x = 0; x < width * 4; ++x) row[x] = x % 4 == 3 ? 255 : value;
  }
  return *frame;
}

Result<Ref<Chain>> Blur(int depth = 4) {
  ChainOptions options;
  options.nodes = {{"soft", Plugin("gaussian-blur.wasm")}};
  options.queue_depth = depth;
  return Chain::Create(TestRuntime(), options);
}

TEST(Chain, GivesFramesBackInTheOrderOfThePushes) {
  auto chain = Blur();
  ASSERT_TRUE(chain) << chain.error().ToString();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE((*chain)->Push(Plain(16, 8, static_cast<uint8_t>(40 * i + 20)), {.number = static_cast<uint64_t>(i)}));
  }
  for (int i = 0; i < 3; ++i) {
    auto image = (*chain)->Pull(media::PixelFormat::Rgba8);
    ASSERT_TRUE(image) << image.error().ToString();
    EXPECT_EQ((*image)->time().number, static_cast<uint64_t>(i));
    ASSERT_EQ((*image)->cpu()->width(), 16);
    EXPECT_NEAR((*image)->cpu()->data(0)[4], 40 * i + 20, 1);
  }
  EXPECT_EQ((*chain)->Pull(media::PixelFormat::Rgba8).error().message(), "no frame is under way: push one before each pull");
}

TEST(Chain, TakesFramesOfAnotherSize) {
  auto chain = Blur();
  ASSERT_TRUE(chain) << chain.error().ToString();
  ASSERT_TRUE((*chain)->Push(Plain(16, 8, 50), {.number = 0}));
  ASSERT_TRUE((*chain)->Push(Plain(9, 33, 60), {.number = 1}));
  ASSERT_EQ((*(*chain)->Pull(media::PixelFormat::Rgba8))->cpu()->width(), 16);
  auto second = (*chain)->Pull(media::PixelFormat::Rgba8);
  ASSERT_TRUE(second) << second.error().ToString();
  EXPECT_EQ((*second)->cpu()->height(), 33);
  EXPECT_NEAR((*second)->cpu()->data(0)[0], 60, 1);
}

TEST(Chain, ChecksParametersWhenTheyAreSet) {
  auto chain = Blur();
  ASSERT_TRUE(chain) << chain.error().ToString();
  EXPECT_TRUE((*chain)->Set("soft", "radius", Literal::Number(3)));
  EXPECT_EQ((*chain)->Set("soft", "radius", Literal::Number(300)).error().ToString(),
            "node 'soft': parameter 'radius' is 300; it must be between 0 and 64");
  EXPECT_EQ((*chain)->Set("soft", "raduis", Literal::Number(3)).error().message(),
            "node 'soft' has no parameter 'raduis'; did you mean 'radius'?");
  EXPECT_EQ((*chain)->Set("sotf", "radius", Literal::Number(3)).error().message(),
            "there is no node 'sotf' in the chain; did you mean 'soft'?");
}

TEST(Chain, HoldsThePusherBackWhileTheQueueIsFull) {
  auto chain = Blur(2);
  ASSERT_TRUE(chain) << chain.error().ToString();
  std::atomic<int> pushed{0};
  std::jthread pusher([&] {
    for (int i = 0; i < 6; ++i) {
      EXPECT_TRUE((*chain)->Push(Plain(8, 8, 10), {.number = static_cast<uint64_t>(i)}));
      ++pushed;
    }
  });
  while (pushed < 2) std::this_thread::yield();
  for (int i = 0; i < 6; ++i) {
    EXPECT_LE(pushed, i + 3) << "the depth, and one that has just been let in";
    auto image = (*chain)->Pull(media::PixelFormat::Rgba8);
    ASSERT_TRUE(image) << image.error().ToString();
  }
}

TEST(Chain, TakesAndGivesTexturesWithoutACopyToTheCpu) {
  auto chain = Blur();
  ASSERT_TRUE(chain) << chain.error().ToString();
  auto device = TestRuntime()->Device();
  ASSERT_TRUE(device) << device.error().ToString();
  const auto format = gpu::FindFormat("rgba16float")->format;
  auto texture = (*device)->textures().Acquire({8, 8, format, gpu::FullUsage(**device, format)});
  ASSERT_TRUE(texture);
  const std::vector<uint16_t> half(8 * 8 * 4, 0x3800);  // 0.5
  ASSERT_TRUE(gpu::UploadTexture(**texture, half.data(), 8 * 8));
  const auto before = (*device)->counters().Snapshot();
  // Linear and premultiplied, as the plugin asks: nothing is converted.
  ASSERT_TRUE((*chain)->PushTexture((*texture)->texture(), {1, 8, 0, true}, media::AlphaMode::Premultiplied, {.number = 7}));
  auto image = (*chain)->PullTexture();
  ASSERT_TRUE(image) << image.error().ToString();
  const auto after = (*device)->counters().Snapshot();
  EXPECT_LT(after.upload_bytes - before.upload_bytes, 8u * 8 * 8 * 2) << "only the plugin's own parameters";
  EXPECT_EQ(after.downloads, before.downloads);
  EXPECT_EQ(after.texture_copies, before.texture_copies);
  ASSERT_TRUE((*image)->texture_info());
  EXPECT_EQ((*image)->texture_info()->format, "rgba16float");
  auto bytes = gpu::ReadTextureNow(**device, (*image)->texture(), format, 8, 8);
  ASSERT_TRUE(bytes);
  uint16_t first;
  std::memcpy(&first, bytes->data(), 2);
  EXPECT_NEAR(first, 0x3800, 2);
}

TEST(Chain, GoesOnAfterAFrameThatFails) {
  // A device that cannot make a texture so large fails that frame's round when it is configured; the next frame is fine.
  auto chain = Blur();
  ASSERT_TRUE(chain) << chain.error().ToString();
  EXPECT_FALSE((*chain)->Push(Plain(60000, 1, 1), {.number = 0}));
  ASSERT_TRUE((*chain)->Push(Plain(8, 8, 90), {.number = 1}));
  auto image = (*chain)->Pull(media::PixelFormat::Rgba8);
  ASSERT_TRUE(image) << image.error().ToString();
  EXPECT_NEAR((*image)->cpu()->data(0)[0], 90, 1);
}

}  // namespace
}  // namespace weft::runtime
