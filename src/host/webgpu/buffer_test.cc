// SPDX-License-Identifier: Apache-2.0
#include <future>

#include "host/webgpu/encoder_test_guest.h"
#include "host/webgpu/test_answer.h"

namespace weft::host {
namespace {

using MapAnswer = Res<Unit, wit::MapAsyncError>;
using MapState = wit::GpuBufferMapState;

// What creating a buffer like that says.
std::string Refusal(TestGuest& g, uint64_t size, uint32_t usage, bool mapped = false) {
  g.Buffer(size, usage, "odd", mapped);
  return g.Errors();
}

void Map(TestGuest& g, Rep buffer, uint32_t mode, Answer<MapAnswer>& answer, Opt<uint64_t> offset = {}, Opt<uint64_t> size = {}) {
  g.gpu->OnGpuBufferMapAsync(buffer, {mode}, offset, size, answer.done());
}

std::vector<uint8_t> Bytes(TestGuest& g, Rep buffer, Opt<uint64_t> offset = {}, Opt<uint64_t> size = {}) {
  auto r = g.gpu->OnGpuBufferGetMappedRangeGetWithCopy(buffer, offset, size);
  EXPECT_TRUE(r && !r->is_err) << (r ? std::string(r->err.message.view()) : r.error().ToString());
  return r && !r->is_err ? std::vector<uint8_t>(r->ok.begin(), r->ok.end()) : std::vector<uint8_t>();
}

TEST(Buffer, AnswersWhatItWasMadeWith) {
  TestGuest g;
  const Rep b = g.Buffer(256, BU::Storage | BU::CopyDst, "mine");
  EXPECT_EQ(*g.gpu->OnGpuBufferSize(b), 256u);
  EXPECT_EQ(g.gpu->OnGpuBufferUsage(b)->bits, BU::Storage | BU::CopyDst);
  EXPECT_EQ(g.gpu->OnGpuBufferLabel(b)->view(), "mine");
  EXPECT_EQ(*g.gpu->OnGpuBufferMapState(b), MapState::Unmapped);
  EXPECT_EQ(g.Errors(), "");
}

TEST(Buffer, RefusesBadDescriptorsWithASentence) {
  TestGuest g;
  EXPECT_EQ(Refusal(g, 16, 0), "creating gpu-buffer 'odd': the usage of a buffer must not be empty\n");
  EXPECT_EQ(Refusal(g, 16, BU::MapRead | BU::Storage),
            "creating gpu-buffer 'odd': a buffer with usage map-read may have copy-dst beside it and nothing else (usage 0x81)\n");
  EXPECT_EQ(Refusal(g, 16, BU::MapWrite | BU::CopyDst),
            "creating gpu-buffer 'odd': a buffer with usage map-write may have copy-src beside it and nothing else (usage 0xa)\n");
  EXPECT_NE(Refusal(g, uint64_t{1} << 40, BU::Storage).find("maxBufferSize"), std::string::npos);
  EXPECT_EQ(Refusal(g, 6, BU::CopySrc, true),
            "creating gpu-buffer 'odd': a buffer that is mapped at creation must have a size that is a multiple of 4, not 6\n");
}

TEST(Buffer, OfNoBytesCanBeMadeMappedAndDropped) {
  TestGuest g;
  const Rep b = g.Buffer(0, BU::MapRead | BU::CopyDst);
  Answer<MapAnswer> map;
  Map(g, b, wit::GpuMapMode::Read, map);
  EXPECT_FALSE(map.Wait().is_err);
  EXPECT_EQ(*g.gpu->OnGpuBufferMapState(b), MapState::Mapped);
  EXPECT_TRUE(Bytes(g, b).empty());
  EXPECT_TRUE(g.gpu->OnGpuBufferUnmap(b));
  g.gpu->OnDropGpuBuffer(b);
  g.Buffer(0, BU::Storage, "empty", true);
  EXPECT_EQ(g.Errors(), "");
}

TEST(Buffer, MappedAtCreationTakesBytesThatTheGpuSees) {
  TestGuest g;
  const Rep b = g.Buffer(16, BU::CopySrc, "init", true);
  EXPECT_EQ(*g.gpu->OnGpuBufferMapState(b), MapState::Mapped);
  const std::vector<uint8_t> bytes = {1, 2, 3, 4, 5, 6, 7, 8};
  auto set = g.gpu->OnGpuBufferGetMappedRangeSetWithCopy(b, {bytes.data(), bytes.size()}, uint64_t{8}, {});
  ASSERT_TRUE(set && !set->is_err);
  EXPECT_TRUE(g.gpu->OnGpuBufferUnmap(b));
  EXPECT_EQ(*g.gpu->OnGpuBufferMapState(b), MapState::Unmapped);
  EXPECT_EQ(g.Read(b), (std::vector<uint32_t>{0, 0, 0x04030201, 0x08070605}));
  EXPECT_EQ(g.Errors(), "");
}

TEST(Buffer, MapReadShowsWhatWasWritten) {
  TestGuest g;
  const Rep b = g.Buffer(16, BU::MapRead | BU::CopyDst);
  g.Write(b, {7, 8, 9, 10});
  Answer<MapAnswer> map;
  Map(g, b, wit::GpuMapMode::Read, map);
  EXPECT_FALSE(map.Wait().is_err);
  EXPECT_EQ(Bytes(g, b, uint64_t{8}, uint64_t{4}), (std::vector<uint8_t>{9, 0, 0, 0}));
  // Bytes set in a mapping for reading are lost.
  const std::vector<uint8_t> bytes(4, 0xFF);
  EXPECT_FALSE(g.gpu->OnGpuBufferGetMappedRangeSetWithCopy(b, {bytes.data(), 4}, {}, {})->is_err);
  EXPECT_EQ(Bytes(g, b, {}, uint64_t{4}), (std::vector<uint8_t>{7, 0, 0, 0}));
  EXPECT_TRUE(g.gpu->OnGpuBufferUnmap(b));
  EXPECT_EQ(g.Errors(), "");
}

TEST(Buffer, MapWriteIsUploadedByUnmap) {
  TestGuest g;
  const Rep b = g.Buffer(32, BU::MapWrite | BU::CopySrc);
  Answer<MapAnswer> map;
  Map(g, b, wit::GpuMapMode::Write, map, uint64_t{8}, uint64_t{8});
  EXPECT_FALSE(map.Wait().is_err);
  const std::vector<uint8_t> bytes = {1, 0, 0, 0, 2, 0, 0, 0};
  EXPECT_FALSE(g.gpu->OnGpuBufferGetMappedRangeSetWithCopy(b, {bytes.data(), 8}, uint64_t{8}, {})->is_err);
  auto outside = g.gpu->OnGpuBufferGetMappedRangeSetWithCopy(b, {bytes.data(), 8}, uint64_t{16}, {});
  ASSERT_TRUE(outside && outside->is_err);
  EXPECT_EQ(outside->err.message.view(), "the range 16 + 8 lies outside of the mapped range 8 + 8 of gpu-buffer 'b'");
  auto too_long = g.gpu->OnGpuBufferGetMappedRangeSetWithCopy(b, {bytes.data(), 8}, uint64_t{8}, uint64_t{4});
  ASSERT_TRUE(too_long && too_long->is_err);
  EXPECT_EQ(too_long->err.kind.tag, wit::GetMappedRangeErrorKind::Tag::RangeError);
  EXPECT_TRUE(g.gpu->OnGpuBufferUnmap(b));
  EXPECT_EQ(g.Read(b)[2], 1u);
  EXPECT_EQ(g.Read(b)[3], 2u);
}

TEST(Buffer, MapRefusesWhatTheSpecificationRefuses) {
  TestGuest g;
  const Rep b = g.Buffer(16, BU::MapRead | BU::CopyDst, "m");
  auto refused = [&](uint32_t mode, Opt<uint64_t> offset, Opt<uint64_t> size) {
    Answer<MapAnswer> a;
    Map(g, b, mode, a, offset, size);
    EXPECT_TRUE(a.Wait().is_err);
    EXPECT_EQ(a.Wait().err.kind.tag, wit::MapAsyncErrorKind::Tag::OperationError);
    EXPECT_EQ(g.Errors(), "map-async: " + a.message() + "\n");
    return a.message();
  };
  EXPECT_EQ(refused(wit::GpuMapMode::Write, {}, {}), "gpu-buffer 'm' has no usage map-write");
  EXPECT_EQ(refused(0, {}, {}), "the map mode must be either read or write");
  EXPECT_EQ(refused(3, {}, {}), "the map mode must be either read or write");
  EXPECT_EQ(refused(wit::GpuMapMode::Read, uint64_t{4}, {}), "map offset 4 is not a multiple of 8");
  EXPECT_EQ(refused(wit::GpuMapMode::Read, {}, uint64_t{6}), "map size 6 is not a multiple of 4");
  EXPECT_EQ(refused(wit::GpuMapMode::Read, uint64_t{8}, uint64_t{12}), "the range 8 + 12 lies outside of gpu-buffer 'm' with 16 bytes");
  EXPECT_EQ(refused(wit::GpuMapMode::Read, uint64_t{8}, ~uint64_t{3}),
            "the range 8 + 18446744073709551612 lies outside of gpu-buffer 'm' with 16 bytes");
  auto get = g.gpu->OnGpuBufferGetMappedRangeGetWithCopy(b, {}, {});
  ASSERT_TRUE(get && get->is_err);
  EXPECT_EQ(get->err.message.view(), "gpu-buffer 'm' is not mapped");
}

TEST(Buffer, SecondMapIsRefusedWhileOneIsPendingOrHeld) {
  TestGuest g;
  const Rep b = g.Buffer(16, BU::MapRead | BU::CopyDst, "m");
  Answer<MapAnswer> first, second, third;
  Map(g, b, wit::GpuMapMode::Read, first);
  Map(g, b, wit::GpuMapMode::Read, second);
  EXPECT_TRUE(second.Wait().is_err);
  EXPECT_FALSE(first.Wait().is_err);
  Map(g, b, wit::GpuMapMode::Read, third);
  EXPECT_TRUE(third.Wait().is_err);
  EXPECT_NE(third.message().find("is mapped already"), std::string::npos) << third.message();
}

TEST(Buffer, PendingMapIsAbortedByUnmapDestroyDropAndTheEnd) {
  using Tag = wit::MapAsyncErrorKind::Tag;
  auto aborted = [](Answer<MapAnswer>& a) {
    ASSERT_TRUE(a.ready());
    EXPECT_TRUE(a.Wait().is_err);
    EXPECT_EQ(a.Wait().err.kind.tag, Tag::AbortError);
  };
  Answer<MapAnswer> unmapped, destroyed, dropped, ended;
  {
    TestGuest g;
    auto pending = [&](Answer<MapAnswer>& a) {
      const Rep b = g.Buffer(16, BU::MapRead | BU::CopyDst, "m");
      // Work that keeps the map from being done at once.
      const Rep big = g.Buffer(uint64_t{64} << 20, BU::CopySrc | BU::CopyDst);
      const Rep e = g.Encoder();
      g.Ok(g.gpu->OnGpuCommandEncoderClearBuffer(e, big, {}, {}));
      g.Ok(g.gpu->OnGpuCommandEncoderCopyBufferToBuffer(e, big, {}, b, {}, uint64_t{16}));
      g.FinishAndSubmit(e);
      Map(g, b, wit::GpuMapMode::Read, a);
      return b;
    };
    const Rep u = pending(unmapped);
    EXPECT_TRUE(g.gpu->OnGpuBufferUnmap(u));
    aborted(unmapped);
    EXPECT_EQ(*g.gpu->OnGpuBufferMapState(u), MapState::Unmapped);
    const Rep d = pending(destroyed);
    EXPECT_TRUE(g.gpu->OnGpuBufferDestroy(d));
    aborted(destroyed);
    g.gpu->OnDropGpuBuffer(pending(dropped));
    aborted(dropped);
    pending(ended);
    EXPECT_EQ(g.Errors(), "");
  }
  aborted(ended);
  EXPECT_TRUE(gpu::TestDevice()->WaitIdle());
}

TEST(Buffer, DestroyGivesItsBytesBackAndRefusesUse) {
  TestGuest g;
  const Rep b = g.Buffer(1024, BU::CopyDst | BU::MapRead, "gone");
  EXPECT_EQ(g.gpu->stats().gpu_bytes, 1024u);
  EXPECT_TRUE(g.gpu->OnGpuBufferDestroy(b));
  EXPECT_TRUE(g.gpu->OnGpuBufferDestroy(b));
  EXPECT_EQ(g.gpu->stats().gpu_bytes, 0u);
  const uint32_t word = 1;
  EXPECT_TRUE(g.gpu->OnGpuQueueWriteBufferWithCopy(g.queue, b, 0, {reinterpret_cast<const uint8_t*>(&word), 4}, {}, {}));
  EXPECT_EQ(g.Errors(), "write-buffer: gpu-buffer 'gone' was destroyed\n");
  Answer<MapAnswer> map;
  Map(g, b, wit::GpuMapMode::Read, map);
  EXPECT_TRUE(map.Wait().is_err);
}

TEST(Buffer, WriteChecksTheRangeOfTheBytesAndOfTheBuffer) {
  TestGuest g;
  const Rep b = g.Buffer(16, BU::CopyDst, "w");
  std::vector<uint8_t> bytes(32);
  auto write = [&](uint64_t at, Opt<uint64_t> from, Opt<uint64_t> size) {
    auto r = g.gpu->OnGpuQueueWriteBufferWithCopy(g.queue, b, at, {bytes.data(), bytes.size()}, from, size);
    EXPECT_TRUE(r);
    return r && r->is_err ? std::string(r->err.message.view()) : g.Errors();
  };
  EXPECT_EQ(write(0, uint64_t{33}, {}), "write-buffer: data offset 33 is beyond the 32 bytes of data");
  EXPECT_EQ(write(0, uint64_t{16}, uint64_t{20}), "write-buffer: size 20 from offset 16 is more than the 32 bytes of data");
  EXPECT_EQ(write(0, {}, uint64_t{3}), "write-buffer: size 3 is not a multiple of 4");
  EXPECT_EQ(write(2, {}, uint64_t{4}), "write-buffer: buffer offset 2 is not a multiple of 4\n");
  EXPECT_EQ(write(8, {}, uint64_t{12}), "write-buffer: the range 8 + 12 lies outside of gpu-buffer 'w' with 16 bytes\n");
  EXPECT_EQ(write(~uint64_t{3}, {}, uint64_t{4}),
            "write-buffer: the range 18446744073709551612 + 4 lies outside of gpu-buffer 'w' with 16 bytes\n");
  EXPECT_EQ(write(0, {}, uint64_t{16}), "");
  EXPECT_EQ(write(16, {}, uint64_t{0}), "");
}

TEST(Buffer, WriteBeforeADestroyAndASubmitIsSafe) {
  TestGuest g;
  const Rep b = g.BufferOf({1, 2, 3}, BU::Storage);
  EXPECT_TRUE(g.gpu->OnGpuBufferDestroy(b));
  g.gpu->OnDropGpuBuffer(b);
  g.FinishAndSubmit(g.Encoder());
  EXPECT_EQ(g.Errors(), "");
}

TEST(Queue, WorkDoneIsAnsweredWhenTheGpuIs) {
  TestGuest g;
  // Answers come in the order of the submits, so none comes before the one that is held up here.
  std::promise<void> go_on;
  gpu::TestDevice()->OnSubmittedWorkDone([held = go_on.get_future().share()](const Status&) { held.wait(); });
  g.BufferOf({1, 2, 3}, BU::Storage);
  Answer<Unit> done;
  g.gpu->OnGpuQueueOnSubmittedWorkDone(g.queue, done.done());
  EXPECT_FALSE(done.ready());
  go_on.set_value();
  done.Wait();
  EXPECT_TRUE(done.ready());
  EXPECT_EQ(done.trap(), "");
}

TEST(Queue, WriteTextureChecksRowsUsageAndBounds) {
  TestGuest g;
  const Rep t = g.Texture(TF::Rgba8unorm, 4, 4, TU::CopyDst | TU::CopySrc);
  const Rep locked = g.Texture(TF::Rgba8unorm, 4, 4, TU::TextureBinding, 1, 1, 1, wit::GpuTextureDimension::D2, "input");
  std::vector<uint8_t> bytes(64);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i);
  auto write = [&](Rep texture, Opt<uint32_t> row, wit::GpuExtent3D size, size_t count, uint32_t x = 0) {
    wit::GpuTexelCopyTextureInfo to;
    to.texture = texture;
    to.origin = wit::GpuOrigin3D{x, 0u, 0u};
    wit::GpuTexelCopyBufferLayout layout;
    layout.bytes_per_row = row;
    EXPECT_TRUE(g.gpu->OnGpuQueueWriteTextureWithCopy(g.queue, to, {bytes.data(), count}, layout, size));
    return g.Errors();
  };
  EXPECT_EQ(write(t, 16u, {4, 4u, 1u}, 64), "");
  EXPECT_EQ(write(locked, 16u, {4, 4u, 1u}, 64), "write-texture: gpu-texture 'input' has no usage copy-dst\n");
  EXPECT_NE(write(t, {}, {4, 4u, 1u}, 64).find("bytes-per-row must be given"), std::string::npos);
  EXPECT_NE(write(t, 12u, {4, 4u, 1u}, 64).find("is less than the 16 bytes of a row"), std::string::npos);
  EXPECT_NE(write(t, 16u, {4, 4u, 1u}, 63).find("needs 64 bytes"), std::string::npos);
  EXPECT_NE(write(t, 16u, {4, 4u, 1u}, 64, 1), "");
  EXPECT_EQ(write(t, 16u, {0, 4u, 1u}, 64), "");
  const auto pixels = g.Pixels(t);
  ASSERT_EQ(pixels.size(), 64u);
  EXPECT_EQ(static_cast<int>(pixels[37]), 37);
}

}  // namespace
}  // namespace weft::host
