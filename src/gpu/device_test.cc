// SPDX-License-Identifier: Apache-2.0
#include "gpu/device.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "gpu/buffer_pool.h"
#include "gpu/kernel.h"
#include "gpu/test_device.h"
#include "gpu/texture_pool.h"
#include "gpu/transfer.h"

namespace weft::gpu {
namespace {

class DeviceTest : public GpuTest {
 protected:
  // A call that the library refuses, with `mark` in the message.
  void Misuse(const std::string& mark) {
    WGPUBufferDescriptor descriptor = WGPU_BUFFER_DESCRIPTOR_INIT;
    descriptor.label = Str(mark);
    descriptor.size = 16;
    descriptor.usage = WGPUBufferUsage_MapRead | WGPUBufferUsage_MapWrite | WGPUBufferUsage_Storage;
    device->Own(device->procs().DeviceCreateBuffer(device->handle(), &descriptor));
  }
};

TEST_F(DeviceTest, TellsWhatItIs) {
  EXPECT_FALSE(device->info().device.empty());
  EXPECT_FALSE(device->info().backend.empty());
  EXPECT_GE(device->limits().maxTextureDimension2D, 8192u);
  EXPECT_TRUE(std::is_sorted(device->features().begin(), device->features().end()));
  std::string names;
  for (const auto f : device->features()) names += FeatureName(f) + " ";
  RecordProperty("features", names);
  EXPECT_EQ(device->Has(WGPUFeatureName_Subgroups), device->Has(NativeTwin(WGPUFeatureName_Subgroups)));
}

TEST_F(DeviceTest, AdaptersAreListedAndCanBeChosenByNumberAndName) {
  auto list = ListAdapters(device->library());
  ASSERT_TRUE(list);
  ASSERT_FALSE(list->empty());
  DeviceOptions options{.library = device->library(), .adapter = "no such gpu"};
  auto none = Device::Create(options);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind(), ErrorKind::NotFound);
  EXPECT_NE(none.error().message().find((*list)[0].device), std::string::npos) << none.error().message();
  options.adapter = std::to_string(list->size());
  EXPECT_FALSE(Device::Create(options));
  options.adapter = "0";
  auto first = Device::Create(options);
  ASSERT_TRUE(first) << first.error().ToString();
  EXPECT_EQ((*first)->info().device, (*list)[0].device);
}

TEST_F(DeviceTest, TwoThreadsGetTheirOwnErrors) {
  std::barrier both(2);
  auto run = [&](const char* mark, int* own, int* foreign) {
    ErrorCollector errors;
    for (int i = 0; i < 50; ++i) {
      both.arrive_and_wait();
      Misuse(mark);
    }
    for (const GpuError& e : errors.errors()) {
      EXPECT_EQ(e.kind, GpuErrorKind::Validation);
      ++(e.message.find(mark) != std::string::npos ? *own : *foreign);
    }
  };
  int own_a = 0, own_b = 0, foreign = 0, foreign_b = 0;
  std::thread a([&] { run("mark-alpha", &own_a, &foreign); });
  std::thread b([&] { run("mark-beta", &own_b, &foreign_b); });
  a.join();
  b.join();
  EXPECT_EQ(own_a, 50);
  EXPECT_EQ(own_b, 50);
  EXPECT_EQ(foreign + foreign_b, 0);
}

TEST_F(DeviceTest, InnerScopeTakesTheErrorAndTheOuterStaysClean) {
  ErrorCollector outer;
  {
    ErrorCollector inner;
    Misuse("inner");
    EXPECT_EQ(inner.errors().size(), 1u);
    auto status = inner.ToStatus("a buffer");
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().kind(), ErrorKind::InvalidArgument);
  }
  EXPECT_TRUE(outer.empty());
}

TEST_F(DeviceTest, CallbacksRunOnTheGpuThreadAndOnce) {
  std::atomic<int> calls{0};
  std::thread::id where;
  device->OnSubmittedWorkDone([&](Status s) {
    EXPECT_TRUE(s);
    where = std::this_thread::get_id();
    ++calls;
  });
  ASSERT_TRUE(device->WaitIdle());
  EXPECT_EQ(calls, 1);
  EXPECT_NE(where, std::this_thread::get_id());
}

// Buffers of four bytes, and copies between them that are kept.
class KeptSubmitsTest : public DeviceTest {
 protected:
  Owned<WGPUBuffer> Make(uint32_t value) {
    WGPUBufferDescriptor descriptor = WGPU_BUFFER_DESCRIPTOR_INIT;
    descriptor.size = 4;
    descriptor.usage = WGPUBufferUsage_CopySrc | WGPUBufferUsage_CopyDst;
    auto buffer = device->Own(device->procs().DeviceCreateBuffer(device->handle(), &descriptor));
    device->WriteBuffer(buffer.get(), 0, &value, 4);
    return buffer;
  }
  uint64_t CopyLater(const Owned<WGPUBuffer>& from, const Owned<WGPUBuffer>& to) {
    const Procs& p = device->procs();
    auto encoder = device->Own(p.DeviceCreateCommandEncoder(device->handle(), nullptr));
    p.CommandEncoderCopyBufferToBuffer(encoder.get(), from.get(), 0, to.get(), 0, 4);
    return device->SubmitLater(device->Own(p.CommandEncoderFinish(encoder.get(), nullptr)).get());
  }
  uint32_t Read(const Owned<WGPUBuffer>& buffer) {
    auto bytes = ReadBufferNow(*device, buffer.get(), 0, 4);
    uint32_t value = UINT32_MAX;
    if (bytes) std::memcpy(&value, bytes->data(), 4);
    return value;
  }
  uint64_t Submits() { return device->counters().Snapshot().submits; }
};

TEST_F(KeptSubmitsTest, GoAsOneInTheOrderOfTheCallsAndBeforeALaterWrite) {
  const auto a = Make(1), b = Make(2), c = Make(3);
  device->Submit(std::span<const WGPUCommandBuffer>());
  const uint64_t before = Submits();
  CopyLater(a, b);
  CopyLater(b, c);
  EXPECT_EQ(Submits(), before);
  const uint32_t four = 4;
  device->WriteBuffer(a.get(), 0, &four, 4);  // what is kept reads the old value
  EXPECT_EQ(Submits(), before + 1);
  EXPECT_EQ(Read(c), 1u);
  EXPECT_EQ(Read(b), 1u);
  EXPECT_EQ(Read(a), 4u);
}

TEST_F(KeptSubmitsTest, AreSentByAWaitAndByAPosition) {
  const auto a = Make(5), b = Make(6);
  CopyLater(a, b);
  ASSERT_TRUE(device->WaitIdle());  // would wait for nothing, and b be read too early, if it did not send
  const uint64_t before = Submits();
  device->Send();
  EXPECT_EQ(Submits(), before) << "nothing is kept";
  const uint64_t first = CopyLater(a, b);
  device->SendUpTo(first);
  EXPECT_EQ(Submits(), before + 1);
  device->SendUpTo(first);
  EXPECT_EQ(Submits(), before + 1) << "it is sent already";
  EXPECT_EQ(Read(b), 5u);
}

TEST_F(KeptSubmitsTest, AreSentWhenTheGpuRunsDry) {
  ASSERT_TRUE(device->WaitIdle());
  const auto a = Make(7), b = Make(8);
  const uint64_t before = Submits();
  CopyLater(a, b);
  device->SendIfIdle();
  for (int i = 0; i < 2000 && Submits() == before; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_GT(Submits(), before);
}

TEST_F(DeviceTest, ARefusedMapIsAnErrorValue) {
  auto buffer = device->buffers().Acquire(256, WGPUBufferUsage_CopyDst);
  ASSERT_TRUE(buffer);
  ErrorCollector errors;
  std::mutex mutex;
  std::condition_variable came;
  std::optional<Status> got;
  device->MapAsync((*buffer)->buffer(), WGPUMapMode_Read, 0, 256, [&](Status s) {
    std::lock_guard lock(mutex);
    got = std::move(s);
    came.notify_one();
  });
  std::unique_lock lock(mutex);
  came.wait(lock, [&] { return got.has_value(); });
  ASSERT_FALSE(*got);
  EXPECT_EQ(got->error().kind(), ErrorKind::InvalidArgument) << got->error().ToString();
}

TEST_F(DeviceTest, NestedWgslIsCompiledOnTheBigStackAndErrorsComeBack) {
  std::string deep = "@compute @workgroup_size(1) fn main() { let a = ";
  for (int i = 0; i < 2000; ++i) deep += "(1 + ";
  deep += "1";
  for (int i = 0; i < 2000; ++i) deep += ")";
  deep += "; }";
  auto module = MakeShaderModule(*device, deep, "deep");  // must not end the process; either answer will do
  if (!module) {
    EXPECT_EQ(module.error().kind(), ErrorKind::InvalidArgument);
  }
  auto bad = MakeShaderModule(*device, "fn main() { let x = ; }", "bad");
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().message().find("bad"), std::string::npos);
  EXPECT_NE(bad.error().message().find("^"), std::string::npos) << bad.error().message();
}

TEST_F(DeviceTest, SeveralThreadsCompileSideBySide) {
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&, t] {
      const std::string wgsl = "@compute @workgroup_size(" + std::to_string(t + 1) + ") fn main() {}";
      if (MakeComputeKernel(*device, wgsl, "main", "k")) ++good;
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(good, 6);
}

TEST(Device, ReportedLossFailsWhatIsPendingAndWhatComes) {
  DeviceOptions options{.library = TestDevice()->library()};
  auto made = Device::Create(options);
  ASSERT_TRUE(made);
  Ref<Device> device = std::move(*made);
  std::mutex mutex;
  std::condition_variable came;
  int losses = 0;
  std::string message;
  device->OnLost([&](LossReason reason, const std::string& text) {
    std::lock_guard lock(mutex);
    EXPECT_EQ(reason, LossReason::Unknown);
    message = text;
    ++losses;
    came.notify_one();
  });
  device->ReportLoss(LossReason::Unknown, "injected");
  device->ReportLoss(LossReason::Unknown, "a second time");
  {
    std::unique_lock lock(mutex);
    came.wait(lock, [&] { return losses == 1; });
  }
  EXPECT_EQ(message, "injected");
  EXPECT_TRUE(device->lost());
  EXPECT_EQ(device->WaitIdle().error().kind(), ErrorKind::DeviceLost);
  auto texture = device->textures().Acquire({4, 4, WGPUTextureFormat_RGBA8Unorm, WGPUTextureUsage_CopyDst});
  ASSERT_FALSE(texture);
  EXPECT_EQ(texture.error().kind(), ErrorKind::DeviceLost);
  EXPECT_EQ(losses, 1);
}

TEST(Device, DestroyedByTheLibraryIsALossWithThatReason) {
  auto made = Device::Create({.library = TestDevice()->library()});
  ASSERT_TRUE(made);
  Ref<Device> device = std::move(*made);
  device->procs().DeviceDestroy(device->handle());
  // wgpu-native tells of it inside the next call that fails for it; the call's helper answers with the loss, not with that call's error.
  auto texture = device->textures().Acquire({4, 4, WGPUTextureFormat_RGBA8Unorm, WGPUTextureUsage_CopyDst});
  ASSERT_FALSE(texture);
  EXPECT_EQ(texture.error().kind(), ErrorKind::DeviceLost) << texture.error().ToString();
  EXPECT_EQ(device->loss_reason(), LossReason::Destroyed) << device->loss_message();
}

TEST(Device, AnAdoptedDeviceWorksAndIsNotDestroyed) {
  Device* owner = TestDevice();
  auto made = Device::Adopt({.library = owner->library(), .instance = owner->instance(), .device = owner->handle(), .poll_allowed = true});
  ASSERT_TRUE(made) << made.error().ToString();
  {
    Ref<Device> adopted = std::move(*made);
    EXPECT_TRUE(adopted->adopted());
    EXPECT_EQ(adopted->limits().maxTextureDimension2D, owner->limits().maxTextureDimension2D);
    auto texture = adopted->textures().Acquire({3, 2, WGPUTextureFormat_RGBA8Unorm, FullUsage(*adopted, WGPUTextureFormat_RGBA8Unorm)});
    ASSERT_TRUE(texture);
    const std::vector<unsigned char> pixels(24, 77);
    ASSERT_TRUE(UploadTexture(**texture, pixels.data(), 12));
    auto back = ReadTextureNow(**texture);
    ASSERT_TRUE(back);
    EXPECT_EQ(std::memcmp(back->data(), pixels.data(), 24), 0);
  }
  EXPECT_FALSE(owner->lost());
  EXPECT_TRUE(owner->WaitIdle());
}

TEST(Device, WithoutPollingTheOwnersPollBringsTheCallbacks) {
  Device* owner = TestDevice();
  auto made = Device::Adopt({.library = owner->library(), .device = owner->handle(), .poll_allowed = false});
  ASSERT_TRUE(made);
  // The owner's GPU thread polls while its own work is pending.
  std::atomic<bool> done{false};
  (*made)->OnSubmittedWorkDone([&](Status) { done = true; });
  while (!done) ASSERT_TRUE(owner->WaitIdle());
}

TEST(Device, TheLastRefMayGoOnTheGpuThread) {
  auto made = Device::Create({.library = TestDevice()->library()});
  ASSERT_TRUE(made);
  std::atomic<bool> ran{false};
  {
    Ref<Device> device = std::move(*made);
    Device* raw = device.get();
    raw->OnSubmittedWorkDone([device = std::move(device), &ran](Status) { ran = true; });
  }
  while (!ran) std::this_thread::yield();
}

}  // namespace
}  // namespace weft::gpu
