// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "wasm/layout.h"
#include "wasm/test_guests.h"

namespace weft::wasm {
namespace {

TEST(Layout, IsTheSameInRustAndCpp) { EXPECT_EQ(CppLayout(), RustLayout()); }

TEST(Instance, CallsByNameWithWaveText) {
  Guest g;
  EXPECT_EQ(g.Call("add", {"2", "40"}), "-> 42");
  EXPECT_EQ(g.Call("greet", {"\"weft\""}), "-> \"hello, weft\"");
  EXPECT_EQ(g.Call("add", {"4294967295", "2"}), "-> 1") << "one instance keeps serving";
}

TEST(Instance, SaysWhatIsWrongWithAnInvocation) {
  Guest g;
  EXPECT_NE(g.Call("nope").find("exports no function 'nope'; it exports add, greet"), std::string::npos) << g.Call("nope");
  EXPECT_NE(g.Call("add", {"1"}).find("takes 2 arguments, and 1 are given"), std::string::npos);
  EXPECT_NE(g.Call("add", {"1", "cat"}).find("'cat' is no value for 'b'"), std::string::npos) << g.Call("add", {"1", "cat"});
  EXPECT_EQ(g.Call("add", {"1", "1"}), "-> 2") << "none of these ended the instance";
}

TEST(Instance, CallsTheHostWithTextAndRecords) {
  Guest g;
  EXPECT_EQ(g.Call("write-log", {"\"a line\""}), "-> ");
  EXPECT_EQ(g.log.lines, std::vector<std::string>{"info: a line"});
  EXPECT_EQ(g.Call("upload", {"1000"}), "-> 1000");
  EXPECT_EQ(g.gpu.feature_level, "core");
  EXPECT_EQ(g.gpu.device_label, "the device");
  EXPECT_EQ(g.gpu.queue_label, "the queue");
  EXPECT_EQ(g.gpu.buffer_label, "bytes");
  ASSERT_EQ(g.gpu.features.size(), 2u);
  EXPECT_EQ(ToString(g.gpu.features[1]), "shader-f16");
  ASSERT_EQ(g.gpu.bytes.size(), 1000u);
  for (size_t i = 0; i < 1000; i++) ASSERT_EQ(g.gpu.bytes[i], i & 255);
}

TEST(Instance, TrapNamesFunctionFileAndLine) {
  Guest g;
  const std::string text = g.Call("crash");
  EXPECT_NE(text.find("unreachable"), std::string::npos) << text;
  EXPECT_NE(text.find("in the_function_that_crashes, called from crash (testdata/guest.c:"), std::string::npos) << text;
  EXPECT_FALSE(g.instance->alive());
  const std::string later = g.Call("add", {"1", "1"});
  EXPECT_NE(later.find("the instance has ended before"), std::string::npos) << later;
}

TEST(Instance, ExceptionOfAHostFunctionBecomesATrap) {
  Guest g;
  g.gpu.throws = true;
  const std::string text = g.Call("hold", {"1"});
  EXPECT_NE(text.find("threw an exception: thrown on purpose"), std::string::npos) << text;
  Guest next;
  EXPECT_EQ(next.Call("hold", {"1"}), "-> ");
}

TEST(Instance, FunctionThatTheHostLacksTrapsWithItsName) {
  Guest g;
  const std::string text = g.Call("call-missing");
  EXPECT_NE(text.find("wasi:webgpu/webgpu@0.3.0-rc.2 [method]gpu-buffer.destroy is not implemented"), std::string::npos) << text;
}

TEST(Instance, EachHandleIsDroppedOnceAtTheEnd) {
  Guest g;
  EXPECT_EQ(g.Call("hold", {"5"}), "-> ");
  EXPECT_EQ(g.Call("let-go"), "-> ");
  EXPECT_EQ(g.gpu.live["gpu"], 4);
  EXPECT_EQ(g.instance->handles(), 4u);
  EXPECT_EQ(g.Call("upload", {"16"}), "-> 16");
  EXPECT_GT(g.gpu.Total(), 4);
  g.instance.reset();
  EXPECT_EQ(g.gpu.Total(), 0);
}

TEST(Instance, HandlesAreDroppedWhenTheGuestTraps) {
  Guest g;
  EXPECT_EQ(g.Call("hold", {"3"}), "-> ");
  EXPECT_NE(g.Call("crash").find("trapped"), std::string::npos);
  EXPECT_EQ(g.gpu.Total(), 0);
}

TEST(Await, IsCompletedByAnotherThreadWhileAnotherInstanceRuns) {
  Guest waiting, other;
  waiting.gpu.answer = false;
  auto call = waiting.instance->Invoke("find-adapter", {});
  std::atomic<int> wakes = 0;
  call.OnWake([&] { wakes++; });
  ASSERT_FALSE(call.Poll());
  EXPECT_EQ(other.Call("add", {"1", "2"}), "-> 3");
  std::thread gpu_thread([&] { waiting.gpu.pending->Done(waiting.gpu.Give("adapter")); });
  EXPECT_EQ(other.Call("upload", {"8"}), "-> 8");
  gpu_thread.join();
  EXPECT_GE(wakes, 1);
  EXPECT_TRUE(call.Poll());
  auto r = call.Get();
  ASSERT_TRUE(r) << r.error().ToString();
  EXPECT_EQ((*r)->view(), "true");
}

TEST(Await, WaitBlocksUntilTheOtherThreadAnswers) {
  Guest g;
  g.gpu.answer = false;
  std::thread gpu_thread([&] {
    for (;;) {
      {
        const std::lock_guard lock(g.gpu.mutex);
        if (g.gpu.pending) {
          g.gpu.pending->Done({});
          return;
        }
      }
      std::this_thread::yield();
    }
  });
  EXPECT_EQ(g.Call("find-adapter"), "-> false");
  gpu_thread.join();
}

TEST(Await, InAFunctionThatMayNotAwaitTraps) {
  Guest g;
  g.gpu.answer = false;
  const std::string text = g.Call("find-adapter-sync");
  EXPECT_NE(text.find("trapped"), std::string::npos) << text;
}

TEST(Await, TrapOfTheHostReachesTheGuest) {
  Guest g;
  g.gpu.answer = false;
  auto call = g.instance->Invoke("find-adapter", {});
  ASSERT_FALSE(call.Poll());
  g.gpu.pending->Trap("the adapter is on fire");
  auto r = call.Wait();
  ASSERT_FALSE(r);
  EXPECT_NE(r.error().message().find("the adapter is on fire"), std::string::npos) << r.error().message();
}

TEST(Await, AbandonedCompletionTraps) {
  Guest g;
  g.gpu.answer = false;
  auto call = g.instance->Invoke("find-adapter", {});
  ASSERT_FALSE(call.Poll());
  g.gpu.pending.reset();
  auto r = call.Wait();
  ASSERT_FALSE(r);
  EXPECT_NE(r.error().message().find("gave up this call without an answer"), std::string::npos) << r.error().message();
}

TEST(Await, CompletionAfterTheGuestIsGoneDoesNothing) {
  Guest g;
  g.gpu.answer = false;
  {
    auto call = g.instance->Invoke("find-adapter", {});
    ASSERT_FALSE(call.Poll());
  }
  EXPECT_FALSE(g.instance->alive()) << "dropping an unfinished call ends the instance";
  g.instance.reset();
  std::thread([&] { g.gpu.pending->Done(Rep{1}); }).join();
}

TEST(Limits, EndALoopAndAFreshInstanceWorks) {
  Guest g("guest", CallTime(50));
  const std::string text = g.Call("spin");
  EXPECT_NE(text.find("within its limit of 50 ms"), std::string::npos) << text;
  EXPECT_NE(text.find("spin"), std::string::npos) << text;
  EXPECT_FALSE(g.instance->alive());
  Guest fresh;
  EXPECT_EQ(fresh.Call("add", {"1", "1"}), "-> 2");
}

TEST(Limits, EndAnAwaitAndAFreshInstanceWorks) {
  Guest g("guest", CallTime(50));
  g.gpu.answer = false;
  EXPECT_EQ(g.Call("hold", {"2"}), "-> ");
  const std::string text = g.Call("find-adapter");
  EXPECT_NE(text.find("did not finish the invoked function within its limit of 50 ms"), std::string::npos) << text;
  EXPECT_EQ(g.gpu.live["gpu"], 0) << "the store is gone, with its handles";
  g.gpu.pending->Done({});
  Guest fresh;
  EXPECT_EQ(fresh.Call("find-adapter"), "-> true");
}

TEST(Limits, WakeAPolledCallWhenItsTimeIsOver) {
  Guest g("guest", CallTime(50));
  g.gpu.answer = false;
  auto call = g.instance->Invoke("find-adapter", {});
  std::mutex m;
  std::condition_variable changed;
  bool woken = false;
  call.OnWake([&] {
    const std::lock_guard lock(m);
    woken = true;
    changed.notify_all();
  });
  std::unique_lock lock(m);
  for (;;) {
    lock.unlock();
    if (call.Poll()) break;
    lock.lock();
    changed.wait(lock, [&] { return woken; });
    woken = false;
  }
  EXPECT_FALSE(call.Get());
}

TEST(Limits, RefuseMemory) {
  Limits l;
  l.memory_bytes = 4 << 20;
  Guest g("guest", l);
  const uint64_t before = g.instance->memory_bytes();
  EXPECT_GT(before, 0u);
  EXPECT_EQ(g.Call("grow", {"1000"}), "-> -1");
  EXPECT_NE(g.Call("grow", {"1"}), "-> -1");
  EXPECT_EQ(g.instance->memory_bytes(), before + 65536);
  EXPECT_EQ(g.instance->used().memory_bytes, before + 65536);
}

TEST(Limits, RefuseAnInstanceThatIsTooBigToStart) {
  Limits l;
  l.memory_bytes = 1000;
  CountingGpu gpu;
  KeepingLog log;
  auto i = TestComponent("guest").Instantiate(Grants{}, l, Hosts{&gpu, &log});
  ASSERT_FALSE(i);
  EXPECT_NE(i.error().message().find("its limit is 1000"), std::string::npos) << i.error().message();
}

TEST(Limits, EndAStartThatLoops) {
  CountingGpu gpu;
  KeepingLog log;
  auto i = TestComponent("loops_at_start").Instantiate(Grants{}, CallTime(50), Hosts{&gpu, &log});
  ASSERT_FALSE(i);
  EXPECT_NE(i.error().message().find("did not finish its start within its limit of 50 ms"), std::string::npos) << i.error().message();
}

TEST(Limits, FuelEndsALoopAtTheSamePlace) {
  EngineOptions o;
  o.fuel = true;
  auto engine = Engine::Create(o);
  ASSERT_TRUE(engine) << engine.error().ToString();
  auto c = (*engine)->CompileFile(GuestPath("guest"));
  ASSERT_TRUE(c) << c.error().ToString();
  Limits l;
  l.fuel = 100'000;
  CountingGpu gpu;
  KeepingLog log;
  auto i = c->Instantiate(Grants{}, l, Hosts{&gpu, &log});
  ASSERT_TRUE(i) << i.error().ToString();
  auto call = (*i)->Invoke("spin", {});
  auto r = call.Wait();
  ASSERT_FALSE(r);
  EXPECT_NE(r.error().message().find("used up its fuel of 100000"), std::string::npos) << r.error().message();
}

}  // namespace
}  // namespace weft::wasm
