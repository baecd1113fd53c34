// SPDX-License-Identifier: Apache-2.0
// Quotas: what is over one is an out-of-memory error, it sticks, and it is nobody else's.
#include "host/webgpu/encoder_test_guest.h"
#include "host/webgpu/test_answer.h"
#include "host/webgpu/virtual_gpu.h"

namespace weft::host {
namespace {

TEST(Quota, OfBytesIsAnOutOfMemoryErrorAndSticks) {
  Quotas quotas;
  quotas[Quota::Bytes] = 1024;
  TestGuest g(GpuMode::Plugin, quotas), bystander;
  const Rep fits = g.Buffer(1000, BU::Storage);
  EXPECT_FALSE(g.gpu->quota_failure());
  g.Ok(g.gpu->OnGpuDevicePushErrorScope(g.device, wit::GpuErrorFilter::OutOfMemory));
  const Rep b = g.Buffer(100, BU::Storage, "more");
  Answer<Res<Opt<Rep>, wit::PopErrorScopeError>> popped;
  g.gpu->OnGpuDevicePopErrorScope(g.device, popped.done());
  ASSERT_TRUE(popped.Wait().ok.has);
  EXPECT_EQ(g.gpu->OnGpuErrorKind(popped.Wait().ok.value)->tag, wit::GpuErrorKind::Tag::OutOfMemoryError);
  EXPECT_EQ(g.gpu->quota_failure(),
            "quota: gpu memory: 100 more than the 1000 in use do not fit into the plugin's limit of 1024 bytes (--max-gpu-memory)");
  EXPECT_EQ(*g.gpu->OnGpuBufferSize(b), 100u);
  // What was given back fits again, but the failure stays.
  g.gpu->OnDropGpuBuffer(fits);
  g.Buffer(1000, BU::Storage);
  EXPECT_EQ(g.Errors(), "");
  g.Texture(TF::Rgba8unorm, 64, 64, TU::TextureBinding);
  EXPECT_NE(g.Errors(), "");
  EXPECT_TRUE(g.gpu->quota_failure());
  bystander.Buffer(4096, BU::Storage);
  EXPECT_EQ(bystander.Errors(), "");
  EXPECT_FALSE(bystander.gpu->quota_failure());
}

TEST(Quota, OfObjectsEndsInATrapAndNotInTheHostsMemory) {
  Quotas quotas;
  quotas[Quota::Objects] = 100;
  TestGuest g(GpuMode::Plugin, quotas);
  int made = 0;
  std::string trap;
  for (; made < 5000; ++made) {
    auto r = g.gpu->OnGpuDeviceCreateSampler(g.device, {});
    if (!r) {
      trap = r.error().message();
      break;
    }
  }
  EXPECT_LT(made, 2000);
  EXPECT_EQ(trap.find("quota: gpu objects: "), 0u) << trap;
  ASSERT_TRUE(g.gpu->quota_failure());
  EXPECT_EQ(g.gpu->quota_failure()->find("quota: gpu objects: the plugin already has 100, its limit is 100"), 0u)
      << *g.gpu->quota_failure();
}

// For a quota that is counted by the plugin's work: the sentence with which the account fails.
std::string Failure(TestGuest& g) { return g.gpu->quota_failure().value_or("none"); }

void Unmap(TestGuest& g, Rep buffer) {
  auto unmapped = g.gpu->OnGpuBufferUnmap(buffer);
  EXPECT_TRUE(unmapped && !unmapped->is_err);
}

TEST(Quota, OfMappedBytesCountsWhatIsMappedAtATime) {
  Quotas quotas;
  quotas[Quota::MappedBytes] = 1024;
  TestGuest g(GpuMode::Plugin, quotas);
  const Rep first = g.Buffer(1024, BU::MapWrite | BU::CopySrc, "first", /*mapped=*/true);
  Unmap(g, first);
  for (int i = 0; i < 3; ++i) {
    Answer<Res<Unit, wit::MapAsyncError>> mapped;
    g.gpu->OnGpuBufferMapAsync(first, {wit::GpuMapMode::Write}, 0, 1024, mapped.done());
    EXPECT_FALSE(mapped.Wait().is_err) << i;
    Unmap(g, first);
  }
  // A map that is given up, a buffer destroyed and a buffer dropped while mapped give it back too.
  Answer<Res<Unit, wit::MapAsyncError>> given_up;
  g.gpu->OnGpuBufferMapAsync(first, {wit::GpuMapMode::Write}, 0, 1024, given_up.done());
  Unmap(g, first);
  given_up.Wait();
  const Rep second = g.Buffer(1024, BU::CopySrc, "second", true);
  g.Ok(g.gpu->OnGpuBufferDestroy(second));
  const Rep third = g.Buffer(1024, BU::CopySrc, "third", true);
  g.gpu->OnDropGpuBuffer(third);
  g.Buffer(1000, BU::CopySrc, "fourth", true);
  EXPECT_EQ(g.Errors(), "");
  EXPECT_EQ(Failure(g), "none");
  Answer<Res<Unit, wit::MapAsyncError>> refused;
  g.gpu->OnGpuBufferMapAsync(first, {wit::GpuMapMode::Write}, 0, 32, refused.done());
  EXPECT_TRUE(refused.Wait().is_err);
  EXPECT_EQ(Failure(g),
            "quota: gpu mapped memory: 32 more than the 1000 in use do not fit into the plugin's limit of 1024 bytes (--max-gpu-mapped)");
  EXPECT_NE(g.Errors().find("map-async of gpu-buffer 'first': quota: gpu mapped memory"), std::string::npos);
}

TEST(Quota, OfBindGroupEntriesCountsThoseThatAreHeld) {
  Quotas quotas;
  quotas[Quota::BindGroupEntries] = 2;
  TestGuest g(GpuMode::Plugin, quotas);
  const Rep layout = g.Layout({g.BufferEntry(0, wit::GpuBufferBindingType::Storage)});
  const Rep buffer = g.Buffer(16, BU::Storage);
  for (int i = 0; i < 5; ++i) g.gpu->OnDropGpuBindGroup(g.Group(layout, {g.BindBuffer(0, buffer)}));
  g.Group(layout, {g.BindBuffer(0, buffer)});
  g.Group(layout, {g.BindBuffer(0, buffer)});
  EXPECT_EQ(g.Errors(), "");
  g.Group(layout, {g.BindBuffer(0, buffer)});
  EXPECT_NE(g.Errors().find("quota: gpu bindings: 1 more than the 2 in use"), std::string::npos);
  EXPECT_NE(Failure(g).find("(--max-gpu-bindings)"), std::string::npos) << Failure(g);
}

TEST(Quota, OfPipelinesIsPerMinute) {
  Quotas quotas;
  quotas[Quota::Pipelines] = 2;
  TestGuest g(GpuMode::Plugin, quotas);
  constexpr std::string_view kNothing = "@compute @workgroup_size(1) fn main() {}";
  g.gpu->OnDropGpuComputePipeline(g.Compute(kNothing));
  g.gpu->OnDropGpuComputePipeline(g.Compute(kNothing));
  EXPECT_EQ(g.Errors(), "");
  g.Compute(kNothing);
  EXPECT_NE(g.Errors().find("quota: gpu pipelines: the plugin has made 2 in one minute, its limit is 2 (--max-gpu-pipelines)"),
            std::string::npos);

  Account account(quotas);
  const Account::Clock::time_point begin{};
  EXPECT_TRUE(account.MayCompile(true, begin));
  EXPECT_TRUE(account.MayCompile(true, begin + std::chrono::seconds(59)));
  EXPECT_TRUE(account.MayCompile(true, begin + std::chrono::seconds(60)));
  EXPECT_TRUE(account.MayCompile(true, begin + std::chrono::seconds(61)));
  EXPECT_FALSE(account.failure());
  EXPECT_FALSE(account.MayCompile(true, begin + std::chrono::seconds(119)));
  EXPECT_TRUE(account.MayCompile(true, begin + std::chrono::seconds(120)));
  EXPECT_EQ(account.most(Quota::Pipelines), 2u);
}

TEST(Quota, OfCompileTimeIsPerMinute) {
  Quotas quotas;
  quotas[Quota::CompileTime] = 1;  // nanosecond: whatever is compiled takes longer
  TestGuest g(GpuMode::Plugin, quotas);
  constexpr std::string_view kNothing = "@compute @workgroup_size(1) fn main() {}";
  g.Shader(kNothing);
  EXPECT_EQ(g.Errors(), "");
  g.Shader(kNothing);
  EXPECT_NE(g.Errors().find("quota: gpu compile time: "), std::string::npos);

  Account account(quotas);
  const Account::Clock::time_point begin{};
  EXPECT_TRUE(account.MayCompile(false, begin));
  account.Compiled(std::chrono::seconds(2), begin + std::chrono::seconds(2));
  EXPECT_FALSE(account.MayCompile(false, begin + std::chrono::seconds(59)));
  EXPECT_TRUE(account.MayCompile(false, begin + std::chrono::seconds(60)));
  EXPECT_EQ(account.most(Quota::CompileTime), 2'000'000'000u);
}

TEST(Quota, OfCountsAndShaderBytes) {
  Quotas quotas;
  quotas[Quota::Buffers] = 2;
  quotas[Quota::OneShaderBytes] = 64;
  TestGuest g(GpuMode::Plugin, quotas);
  g.Buffer(16, BU::Storage);
  g.Buffer(16, BU::Storage);
  g.Buffer(16, BU::Storage, "third");
  EXPECT_EQ(g.Errors(),
            "creating gpu-buffer 'third': quota: gpu buffers: 1 more than the 2 in use do not fit into the plugin's limit of 2 "
            "(--max-gpu-buffers)\n");
  g.Shader("// " + std::string(100, 'x'));
  EXPECT_NE(g.Errors(), "");
}

}  // namespace
}  // namespace weft::host
