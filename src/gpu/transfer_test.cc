// SPDX-License-Identifier: Apache-2.0
#include "gpu/transfer.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <cstring>
#include <mutex>

#include "gpu/clear.h"
#include "gpu/test_device.h"
#include "gpu/timestamps.h"

namespace weft::gpu {
namespace {

class TransferTest : public GpuTest {
 protected:
  // Finite in every format: no NaN or infinity, which a driver might change.
  static std::vector<std::byte> Pattern(size_t bytes) {
    std::vector<std::byte> out(bytes);
    uint32_t state = 12345;
    for (auto& b : out) {
      state = state * 1664525 + 1013904223;
      b = static_cast<std::byte>((state >> 24) & 0x3F);
    }
    return out;
  }
  Ref<PoolTexture> Acquire(uint32_t w, uint32_t h, WGPUTextureFormat format) {
    auto texture = device->textures().Acquire({w, h, format, FullUsage(*device, format)});
    EXPECT_TRUE(texture) << texture.error().ToString();
    return texture ? std::move(*texture) : nullptr;
  }
};

TEST_F(TransferTest, WhatGoesUpComesBackBitExact) {
  for (const WGPUTextureFormat format :
       {WGPUTextureFormat_R8Unorm, WGPUTextureFormat_RGBA8Unorm, WGPUTextureFormat_RGBA16Float, WGPUTextureFormat_RGBA32Float}) {
    for (const uint32_t w : {1, 2, 3, 5, 63, 64, 65, 127, 257}) {
      for (const uint32_t h : {1, 3, 7}) {
        auto texture = Acquire(w, h, format);
        ASSERT_TRUE(texture);
        const size_t row = size_t{w} * BytesPerTexel(format);
        const auto pixels = Pattern(row * h);
        ASSERT_TRUE(UploadTexture(*texture, pixels.data(), static_cast<ptrdiff_t>(row)));
        auto back = ReadTextureNow(*texture);
        ASSERT_TRUE(back) << back.error().ToString();
        EXPECT_EQ(*back, pixels) << FormatName(format) << " " << w << "x" << h;
      }
    }
  }
}

TEST_F(TransferTest, UploadTakesAnyStride) {
  const uint32_t w = 5, h = 4;
  const size_t row = w * 4;
  for (const size_t stride : {row, row + 4, row + 1, row + 13, size_t{256}}) {
    const auto pixels = Pattern(stride * h);
    auto texture = Acquire(w, h, WGPUTextureFormat_RGBA8Unorm);
    ASSERT_TRUE(UploadTexture(*texture, pixels.data(), static_cast<ptrdiff_t>(stride)));
    auto back = ReadTextureNow(*texture);
    ASSERT_TRUE(back);
    for (uint32_t y = 0; y < h; ++y)
      EXPECT_EQ(std::memcmp(back->data() + y * row, pixels.data() + y * stride, row), 0) << stride << " row " << y;
    ASSERT_TRUE(UploadTexture(*texture, pixels.data() + (h - 1) * stride, -static_cast<ptrdiff_t>(stride)));
    back = ReadTextureNow(*texture);
    ASSERT_TRUE(back);
    for (uint32_t y = 0; y < h; ++y) EXPECT_EQ(std::memcmp(back->data() + y * row, pixels.data() + (h - 1 - y) * stride, row), 0);
  }
}

TEST_F(TransferTest, ASteadyLoopCreatesNothing) {
  const auto pixels = Pattern(64 * 48 * 8);
  CounterValues warm;
  for (int i = 0; i < 6; ++i) {
    if (i == 2) warm = device->counters().Snapshot();
    auto a = Acquire(64, 48, WGPUTextureFormat_RGBA16Float);
    auto b = Acquire(64, 48, WGPUTextureFormat_RGBA16Float);
    ASSERT_TRUE(UploadTexture(*a, pixels.data(), 64 * 8));
    ASSERT_TRUE(CopyTexture(*a, *b));
    auto back = ReadTextureNow(*b);
    ASSERT_TRUE(back);
    EXPECT_EQ(*back, pixels);
  }
  const CounterValues end = device->counters().Snapshot();
  EXPECT_EQ(end.textures_created, warm.textures_created);
  EXPECT_EQ(end.buffers_created, warm.buffers_created);
  EXPECT_EQ(end.uploads - warm.uploads, 4u);
  EXPECT_EQ(end.downloads - warm.downloads, 4u);
  EXPECT_EQ(end.texture_copies - warm.texture_copies, 4u);
  EXPECT_EQ(end.upload_bytes - warm.upload_bytes, 4u * 64 * 48 * 8);
}

TEST_F(TransferTest, MappedRowsStayReadableOnOtherThreadsAfterTheTextureIsGone) {
  const auto pixels = Pattern(7 * 3 * 4);
  std::mutex mutex;
  std::condition_variable came;
  Ref<MappedRows> rows;
  {
    auto texture = Acquire(7, 3, WGPUTextureFormat_RGBA8Unorm);
    ASSERT_TRUE(UploadTexture(*texture, pixels.data(), 28));
    ReadTexture(*texture, [&](Result<Ref<MappedRows>> r) {
      std::lock_guard lock(mutex);
      ASSERT_TRUE(r);
      rows = *r;
      came.notify_one();
    });
  }
  device->textures().Trim();
  std::unique_lock lock(mutex);
  came.wait(lock, [&] { return static_cast<bool>(rows); });
  EXPECT_EQ(rows->row_bytes(), 28u);
  EXPECT_EQ(rows->stride() % 256, 0u);
  EXPECT_EQ(std::memcmp(rows->row(2).data(), pixels.data() + 56, 28), 0);
}

TEST_F(TransferTest, BuffersComeBackToo) {
  const auto bytes = Pattern(1024);
  auto buffer = device->buffers().Acquire(1024, WGPUBufferUsage_Storage | WGPUBufferUsage_CopyDst | WGPUBufferUsage_CopySrc);
  ASSERT_TRUE(buffer);
  device->procs().QueueWriteBuffer(device->queue(), (*buffer)->buffer(), 0, bytes.data(), bytes.size());
  auto back = ReadBufferNow(*device, (*buffer)->buffer(), 256, 512);
  ASSERT_TRUE(back);
  EXPECT_EQ(std::memcmp(back->data(), bytes.data() + 256, 512), 0);
  EXPECT_FALSE(ReadBufferNow(*device, (*buffer)->buffer(), 2, 4));
}

TEST_F(TransferTest, ReadingFromATextureWithoutCopySrcIsAnErrorValue) {
  auto texture =
      device->textures().Acquire({4, 4, WGPUTextureFormat_RGBA8Unorm, WGPUTextureUsage_TextureBinding | WGPUTextureUsage_CopyDst});
  ASSERT_TRUE(texture);
  auto back = ReadTextureNow(**texture);
  ASSERT_FALSE(back);
  EXPECT_EQ(back.error().kind(), ErrorKind::InvalidArgument);
  EXPECT_FALSE(device->lost());
}

TEST_F(TransferTest, EveryWayOfClearingGivesZeros) {
  const WGPUTextureUsage plain = WGPUTextureUsage_TextureBinding | WGPUTextureUsage_CopySrc | WGPUTextureUsage_CopyDst;
  for (const WGPUTextureUsage usage : {plain, plain | WGPUTextureUsage_RenderAttachment}) {
    for (const WGPUTextureFormat format : {WGPUTextureFormat_RGBA8Unorm, WGPUTextureFormat_RGBA16Float, WGPUTextureFormat_RGBA32Float}) {
      auto texture = device->textures().Acquire({65, 3, format, usage});
      ASSERT_TRUE(texture);
      const auto pixels = Pattern(65 * 3 * BytesPerTexel(format));
      ASSERT_TRUE(UploadTexture(**texture, pixels.data(), static_cast<ptrdiff_t>(65 * BytesPerTexel(format))));
      ASSERT_TRUE(ClearNow(**texture));
      auto back = ReadTextureNow(**texture);
      ASSERT_TRUE(back);
      EXPECT_EQ(*back, std::vector<std::byte>(pixels.size())) << FormatName(format);
    }
  }
}

class PoolTest : public TransferTest {};

TEST_F(PoolTest, RemembersTheLastWriterAndPrefersItsOwn) {
  const TextureWriter me{Ref<Device>(device)}, other{Ref<Device>(device)};
  const TextureKey key{31, 17, WGPUTextureFormat_RGBA8Unorm, FullUsage(*device, WGPUTextureFormat_RGBA8Unorm)};
  uint64_t mine_id;
  {
    auto mine = device->textures().Acquire(key, me.id());
    auto theirs = device->textures().Acquire(key, other.id());
    ASSERT_TRUE(mine && theirs);
    EXPECT_EQ((*mine)->last_writer(), 0u);
    (*mine)->set_last_writer(me.id());
    (*theirs)->set_last_writer(other.id());
    mine_id = (*mine)->id();
  }
  auto again = device->textures().Acquire(key, me.id());
  ASSERT_TRUE(again);
  EXPECT_EQ((*again)->last_writer(), me.id());
  EXPECT_EQ((*again)->id(), mine_id);
}

TEST_F(PoolTest, AWriterGetsSomeOfItsOwnBeforeItTakesOthersAndWhatItLeavesIsUsedAgain) {
  const TextureKey key{33, 17, WGPUTextureFormat_RGBA8Unorm, FullUsage(*device, WGPUTextureFormat_RGBA8Unorm)};
  auto write = [&](const TextureWriter& writer, int count) {
    std::vector<Ref<PoolTexture>> all;
    for (int i = 0; i < count; ++i) {
      auto texture = device->textures().Acquire(key, writer.id());
      ASSERT_TRUE(texture);
      (*texture)->set_last_writer(writer.id());
      all.push_back(std::move(*texture));
    }
  };
  auto created = [&] { return device->counters().Snapshot().textures_created; };
  auto first = std::make_unique<TextureWriter>(Ref<Device>(device));
  auto second = std::make_unique<TextureWriter>(Ref<Device>(device));
  write(*first, 5);
  const uint64_t before = created();
  write(*second, 5);
  EXPECT_EQ(created() - before, 3u) << "three of its own, two of the first's";
  write(*second, 5);
  EXPECT_EQ(created() - before, 3u) << "now all five are its own";
  first.reset();
  second.reset();
  const TextureWriter third{Ref<Device>(device)};
  write(third, 8);
  EXPECT_EQ(created() - before, 3u) << "what the dead have left comes before anything new";
}

TEST_F(PoolTest, ViewsAreMadeOnceAlsoOfTheSrgbTwin) {
  auto texture = Acquire(8, 8, WGPUTextureFormat_RGBA8Unorm);
  EXPECT_NE(texture->View(), nullptr);
  EXPECT_EQ(texture->View(), texture->View());
  EXPECT_NE(texture->ViewAs(WGPUTextureFormat_RGBA8UnormSrgb), nullptr);
  EXPECT_EQ(texture->ViewAs(WGPUTextureFormat_R8Unorm), nullptr);
}

TEST_F(PoolTest, ImpossibleTexturesAreRefusedWithTheLimit) {
  const uint32_t most = device->limits().maxTextureDimension2D;
  auto big = device->textures().Acquire({most + 1, 4, WGPUTextureFormat_RGBA8Unorm, WGPUTextureUsage_CopyDst});
  ASSERT_FALSE(big);
  EXPECT_NE(big.error().message().find(std::to_string(most)), std::string::npos) << big.error().message();
  EXPECT_FALSE(device->textures().Acquire({0, 4, WGPUTextureFormat_RGBA8Unorm, WGPUTextureUsage_CopyDst}));
  auto storage = device->textures().Acquire({4, 4, WGPUTextureFormat_RGBA8UnormSrgb, WGPUTextureUsage_StorageBinding});
  ASSERT_FALSE(storage);
  EXPECT_NE(storage.error().message().find("storage"), std::string::npos);
  EXPECT_FALSE(device->textures().Acquire({4, 4, static_cast<WGPUTextureFormat>(4711), WGPUTextureUsage_CopyDst}));
}

TEST_F(PoolTest, ABudgetDropsIdleTexturesFirstAndThenRefuses) {
  device->textures().Trim();
  const CounterValues before = device->counters().Snapshot();
  const uint64_t one = 128 * 128 * 4;
  device->textures().set_budget(before.texture_bytes_alive + 2 * one);
  {
    Acquire(128, 128, WGPUTextureFormat_RGBA8Unorm);
    auto a = Acquire(128, 128, WGPUTextureFormat_R32Float);
    auto b = Acquire(128, 128, WGPUTextureFormat_RGBA8Snorm);  // the idle first one has to go
    auto c = device->textures().Acquire({128, 128, WGPUTextureFormat_RGBA8Uint, WGPUTextureUsage_CopyDst});
    ASSERT_FALSE(c);
    EXPECT_EQ(c.error().kind(), ErrorKind::OutOfMemory);
  }
  device->textures().set_budget(0);
  device->textures().Trim();
  EXPECT_EQ(device->counters().Snapshot().texture_bytes_alive, before.texture_bytes_alive);
}

class TimestampsTest : public TransferTest {};

TEST_F(TimestampsTest, MarksGrowAndSurroundTheWork) {
  auto timestamps = Timestamps::Create(Ref<Device>(device), 8, 2);
  if (!timestamps->available()) {
    EXPECT_EQ(timestamps->Begin(), nullptr);
    return;
  }
  CounterValues warm;
  for (int round = 0; round < 4; ++round) {
    if (round == 2) warm = device->counters().Snapshot();
    auto frame = timestamps->Begin();
    ASSERT_NE(frame, nullptr);
    auto first = frame->Mark();
    auto second = frame->LastMark();
    ASSERT_TRUE(first && second);
    EXPECT_FALSE(frame->Mark()) << "after the last";
    device->Submit(first.get());
    auto texture = Acquire(256, 256, WGPUTextureFormat_RGBA8Unorm);
    ASSERT_TRUE(ClearNow(*texture));
    device->Submit(second.get());
    std::vector<uint64_t> got;
    frame->Finish([&](std::span<const uint64_t> ns) { got.assign(ns.begin(), ns.end()); });
    ASSERT_TRUE(device->WaitIdle());
    ASSERT_TRUE(device->WaitIdle());  // the map was asked for before the first wait ended
    ASSERT_EQ(got.size(), 2u);
    EXPECT_GT(got[0], 0u);
    EXPECT_GE(got[1], got[0]);
  }
  EXPECT_EQ(device->counters().Snapshot().buffers_created, warm.buffers_created);
}

TEST_F(TimestampsTest, TheRingIsBounded) {
  auto timestamps = Timestamps::Create(Ref<Device>(device), 4, 2);
  if (!timestamps->available()) return;
  auto a = timestamps->Begin(), b = timestamps->Begin();
  ASSERT_TRUE(a && b);
  EXPECT_EQ(timestamps->Begin(), nullptr);
  a = nullptr;
  EXPECT_NE(timestamps->Begin(), nullptr);
}

}  // namespace
}  // namespace weft::gpu
