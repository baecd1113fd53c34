// SPDX-License-Identifier: Apache-2.0
// Adapters, virtual devices, limits, features, error scopes, loss.
#include "host/webgpu/encoder_test_guest.h"
#include "host/webgpu/test_answer.h"
#include "host/webgpu/values.h"

namespace weft::host {
namespace {

using AdapterAnswer = Opt<Rep>;
using DeviceAnswer = Res<Rep, wit::RequestDeviceError>;
using PopAnswer = Res<Opt<Rep>, wit::PopErrorScopeError>;

Rep Adapter(TestGuest& g, Opt<wit::GpuRequestAdapterOptions> options = {}) {
  Answer<AdapterAnswer> answer;
  g.gpu->OnGpuRequestAdapter(g.Take(g.gpu->OnGetGpu()), options, answer.done());
  return answer.Wait().has ? answer.Wait().value : 0;
}

struct Request {
  Answer<DeviceAnswer> answer;
  Request(TestGuest& g, Rep adapter, const wit::GpuDeviceDescriptor& d = {}) {
    g.gpu->OnGpuAdapterRequestDevice(adapter, d, answer.done());
  }
  bool refused() { return answer.Wait().is_err; }
  Rep rep() { return answer.Wait().ok; }
};

Rep Limits(TestGuest& g, const std::vector<std::pair<std::string, Opt<uint64_t>>>& limits) {
  const Rep record = g.Take(g.gpu->OnRecordOptionGpuSize64New());
  for (const auto& [name, value] : limits) g.Ok(g.gpu->OnRecordOptionGpuSize64Add(record, Str(name), value));
  return record;
}

// What popping the innermost scope brings: "", "none" when there is no scope.
std::string Pop(TestGuest& g, Rep device) {
  Answer<PopAnswer> answer;
  g.gpu->OnGpuDevicePopErrorScope(device, answer.done());
  if (answer.Wait().is_err) return "none";
  if (!answer.Wait().ok) return "";
  return std::string(g.gpu->OnGpuErrorMessage(*answer.Wait().ok)->view());
}

TEST(Adapter, GivesOneDeviceAndIsThenUsedUp) {
  TestGuest g;
  const Rep adapter = Adapter(g);
  Request first(g, adapter), second(g, adapter);
  EXPECT_FALSE(first.refused());
  EXPECT_TRUE(second.refused());
  EXPECT_EQ(second.answer.message(), "this adapter has given its device already; request another adapter");
}

TEST(Adapter, InAPluginLeadsToTheOneVirtualDevice) {
  TestGuest g;
  Request r(g, Adapter(g));
  EXPECT_EQ(g.gpu->Get<VDevice>(r.rep())->get(), g.gpu->Get<VDevice>(g.device)->get());
  // So what one handle made goes with the other.
  const Rep shader = g.Shader(kAddOne);
  wit::GpuComputePipelineDescriptor d;
  d.compute.module = shader;
  d.layout = g.Auto();
  g.Take(g.gpu->OnGpuDeviceCreateComputePipeline(r.rep(), d));
  EXPECT_EQ(g.Errors(), "");
}

TEST(Adapter, InExecLeadsToDevicesWhoseObjectsDoNotMix) {
  TestGuest g(GpuMode::Exec);
  const Rep other = g.NewDevice();
  const Rep layout = g.Layout({g.BufferEntry(0, wit::GpuBufferBindingType::Storage)});
  const Rep mine = g.Buffer(16, BU::Storage, "mine");
  std::swap(g.device, const_cast<Rep&>(other));
  g.Group(layout, {g.BindBuffer(0, mine)});
  EXPECT_NE(g.Errors().find("belongs to another device"), std::string::npos);
}

TEST(Adapter, RefusesMoreThanIsGranted) {
  TestGuest g;
  auto refusal = [&](const wit::GpuDeviceDescriptor& d) {
    Request r(g, Adapter(g), d);
    EXPECT_TRUE(r.refused());
    return r.answer.message();
  };
  wit::GpuDeviceDescriptor d;
  d.required_limits = Limits(g, {{"maxBindGroups", uint64_t{1000}}});
  EXPECT_NE(refusal(d).find("limit maxBindGroups: 1000 was asked for, "), std::string::npos);
  d.required_limits = Limits(g, {{"maxMagic", uint64_t{1}}});
  EXPECT_EQ(refusal(d), "'maxMagic' is not the name of a limit");
  d.required_limits = Limits(g, {{"minStorageBufferOffsetAlignment", uint64_t{100}}});
  EXPECT_EQ(refusal(d), "limit minStorageBufferOffsetAlignment: 100 is not a power of two below 2^32");
  d.required_limits = Limits(g, {{"maxMagic", Opt<uint64_t>()}, {"maxBindGroups", uint64_t{4}}});
  Request fine(g, Adapter(g), d);
  EXPECT_FALSE(fine.refused());
  d = {};
  const std::vector<wit::GpuFeatureName> features = {wit::GpuFeatureName::TextureCompressionAstc};
  d.required_features = List<wit::GpuFeatureName>(std::span(features));
  const auto why = refusal(d);
  EXPECT_EQ(why, "feature 'texture-compression-astc' is not granted");
}

TEST(Adapter, InExecADeviceHasTheStandardLimitsUnlessItAsks) {
  TestGuest g(GpuMode::Exec);
  wit::GpuDeviceDescriptor d;
  d.required_limits = Limits(g, {{"maxTextureDimension2D", uint64_t{8200}}});
  Request asked(g, Adapter(g), d);
  ASSERT_FALSE(asked.refused()) << asked.answer.message();
  auto dimension = [&](Rep device) { return *g.gpu->OnGpuSupportedLimitsMaxTextureDimension2D(g.Take(g.gpu->OnGpuDeviceLimits(device))); };
  EXPECT_EQ(dimension(g.device), 8192u);
  EXPECT_EQ(dimension(asked.rep()), 8200u);
  EXPECT_EQ(*g.gpu->OnGpuSupportedLimitsMinUniformBufferOffsetAlignment(g.Take(g.gpu->OnGpuDeviceLimits(g.device))), 256u);
  g.Texture(TF::Rgba8unorm, 8193, 1, TU::TextureBinding);
  EXPECT_NE(g.Errors().find("width 8193 is more than the limit maxTextureDimension2D 8192"), std::string::npos);
}

TEST(Adapter, GivesTheQueueItsLabel) {
  TestGuest g(GpuMode::Exec);
  wit::GpuDeviceDescriptor d;
  d.default_queue = wit::GpuQueueDescriptor{Str("first")};
  Request asked(g, Adapter(g), d);
  ASSERT_FALSE(asked.refused()) << asked.answer.message();
  EXPECT_EQ(g.gpu->OnGpuQueueLabel(g.Take(g.gpu->OnGpuDeviceQueue(asked.rep())))->view(), "first");
}

TEST(Adapter, AnswersFallbackRequestsByWhatThereIs) {
  TestGuest g;
  wit::GpuRequestAdapterOptions o;
  o.force_fallback_adapter = true;
  EXPECT_EQ(Adapter(g, o) != 0, gpu::TestDevice()->info().software());
  o = {};
  o.feature_level = Str("nonsense");
  EXPECT_EQ(Adapter(g, o), 0u);
}

TEST(Adapter, TellsInfoFeaturesAndLanguage) {
  TestGuest g;
  const Rep adapter = Adapter(g);
  const Rep info = g.Take(g.gpu->OnGpuAdapterInfo(adapter));
  EXPECT_EQ(g.gpu->OnGpuAdapterInfoDevice(info)->view(), gpu::TestDevice()->info().device);
  EXPECT_EQ(*g.gpu->OnGpuAdapterInfoIsFallbackAdapter(info), gpu::TestDevice()->info().software());
  const Rep features = g.Take(g.gpu->OnGpuAdapterFeatures(adapter));
  EXPECT_TRUE(*g.gpu->OnGpuSupportedFeaturesHas(features, Str("core-features-and-limits")));
  EXPECT_FALSE(*g.gpu->OnGpuSupportedFeaturesHas(features, Str("telepathy")));
  // The names are the specification's, also where the WIT cannot write them.
  const auto& granted = (*g.gpu->Get<VSupportedFeatures>(features))->features;
  EXPECT_EQ(*g.gpu->OnGpuSupportedFeaturesHas(features, Str("texture-compression-bc-sliced-3d")),
            Has(granted, wit::GpuFeatureName::TextureCompressionBcSliced3d));
  const Rep language = g.Take(g.gpu->OnGpuWgslLanguageFeatures(g.Take(g.gpu->OnGetGpu())));
  const auto has = [&](std::string_view name) {
    const auto r = g.gpu->OnWgslLanguageFeaturesHas(language, Str(name));
    EXPECT_TRUE(r) << r.error().ToString();
    return r && *r;
  };
  EXPECT_TRUE(has("pointer_composite_access"));
  EXPECT_FALSE(has("unrestricted_pointer_parameters"));
}

TEST(ErrorScope, CatchesTheFirstErrorOfItsKind) {
  TestGuest g;
  g.Ok(g.gpu->OnGpuDevicePushErrorScope(g.device, wit::GpuErrorFilter::Validation));
  g.Ok(g.gpu->OnGpuDevicePushErrorScope(g.device, wit::GpuErrorFilter::OutOfMemory));
  g.Buffer(16, 0, "first");
  g.Buffer(16, 0, "second");
  EXPECT_EQ(Pop(g, g.device), "");
  EXPECT_EQ(Pop(g, g.device), "creating gpu-buffer 'first': the usage of a buffer must not be empty");
  EXPECT_EQ(Pop(g, g.device), "none");
  EXPECT_EQ(g.Errors(), "");
}

TEST(ErrorScope, CatchesWhatTheLibraryRaises) {
  TestGuest g;
  g.Ok(g.gpu->OnGpuDevicePushErrorScope(g.device, wit::GpuErrorFilter::Validation));
  g.Shader("fn f() { let x = ; }");
  EXPECT_NE(Pop(g, g.device).find("expected expression"), std::string::npos);
  EXPECT_EQ(g.Errors(), "");
}

TEST(UncapturedErrors, GoToTheStreamOnceTakenUpToTheQuota) {
  Quotas quotas;
  quotas[Quota::UnreadErrors] = 3;
  TestGuest g(GpuMode::Plugin, quotas);
  Pushed pushed;
  g.Ok(g.gpu->OnGpuDeviceOnUncapturedError(g.device, pushed.source()));
  for (int i = 0; i < 10; ++i) g.Buffer(16, 0);
  ASSERT_EQ(pushed.reps.size(), 3u);
  EXPECT_EQ(g.gpu->OnGpuErrorMessage(pushed.reps[0])->view(), "creating gpu-buffer 'b': the usage of a buffer must not be empty");
  EXPECT_EQ(g.Errors(), "");
  g.gpu->OnDropGpuError(pushed.reps[0]);
  g.Buffer(16, 0);
  g.Buffer(16, 0);
  EXPECT_EQ(pushed.reps.size(), 4u);
}

TEST(UncapturedErrors, AreLoggedAndBounded) {
  std::vector<std::string> lines;
  VirtualGpuOptions o;
  o.device = Ref<gpu::Device>(gpu::TestDevice());
  o.log = Log([&](LogLevel, std::string_view text) { lines.emplace_back(text); });
  TestedGpu gpu(std::move(o));
  const Rep device = *gpu.CreateDeviceRep();
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(gpu.OnGpuDeviceCreateBuffer(device, {}));
  EXPECT_EQ(gpu.TakeUncapturedErrors().size(), 16u);
  ASSERT_EQ(lines.size(), 16u);
  EXPECT_EQ(lines[0], "WebGPU validation error: creating gpu-buffer without a label: the usage of a buffer must not be empty");
}

TEST(DeviceDestroy, EndsThisInstancesObjectsAndTellsItSo) {
  TestGuest g, bystander;
  Answer<Rep> lost, late;
  g.gpu->OnGpuDeviceLost(g.device, lost.done());
  EXPECT_FALSE(lost.ready());
  const Rep b = g.BufferOf({1, 2, 3, 4}, BU::Storage);
  const Rep theirs = bystander.BufferOf({5}, BU::Storage | BU::CopySrc);
  EXPECT_FALSE(g.gpu->device_destroyed());
  g.Ok(g.gpu->OnGpuDeviceDestroy(g.device));
  g.Ok(g.gpu->OnGpuDeviceDestroy(g.device));
  EXPECT_TRUE(g.gpu->device_destroyed());
  ASSERT_TRUE(lost.ready());
  EXPECT_EQ(*g.gpu->OnGpuDeviceLostInfoReason(lost.Wait()), wit::GpuDeviceLostReason::Destroyed);
  EXPECT_EQ(g.gpu->OnGpuDeviceLostInfoMessage(lost.Wait())->view(), "the plugin destroyed its device");
  g.gpu->OnGpuDeviceLost(g.device, late.done());
  EXPECT_TRUE(late.ready());
  EXPECT_FALSE((*g.gpu->Get<VBuffer>(b))->alive());
  // Everything goes on without effect and without errors.
  const Rep dead = g.Buffer(16, BU::Storage);
  EXPECT_FALSE((*g.gpu->Get<VBuffer>(dead))->valid());
  g.Texture(TF::Rgba8unorm, 4, 4, TU::TextureBinding);
  g.Shader(kAddOne);
  g.FinishAndSubmit(g.Encoder());
  EXPECT_EQ(g.Errors(), "");
  EXPECT_EQ(bystander.Read(theirs), std::vector<uint32_t>{5});
  EXPECT_EQ(bystander.Errors(), "");
  EXPECT_FALSE(bystander.gpu->device_destroyed());
}

TEST(DeviceLost, WaitingAnswersEndWithTheInstance) {
  Answer<Rep> lost;
  {
    TestGuest g;
    g.gpu->OnGpuDeviceLost(g.device, lost.done());
  }
  ASSERT_TRUE(lost.ready());
  EXPECT_EQ(lost.trap(), "the instance has ended");
}

TEST(DeviceLost, OfTheRealDeviceReachesEverybody) {
  // The test's device under another name, so that its loss is ours alone.
  gpu::AdoptOptions adopt;
  adopt.library = gpu::TestDevice()->library();
  adopt.device = gpu::TestDevice()->handle();
  adopt.queue = gpu::TestDevice()->queue();
  auto shared = gpu::Device::Adopt(adopt);
  ASSERT_TRUE(shared) << shared.error().ToString();
  auto guest = [&] {
    VirtualGpuOptions o;
    o.device = *shared;
    return std::make_unique<TestedGpu>(std::move(o));
  };
  auto a = guest(), b = guest();
  const Rep da = *a->CreateDeviceRep(), db = *b->CreateDeviceRep();
  Answer<Rep> lost_a, lost_b, late;
  a->OnGpuDeviceLost(da, lost_a.done());
  b->OnGpuDeviceLost(db, lost_b.done());
  guest();  // one that has ended before
  (*shared)->ReportLoss(gpu::LossReason::Unknown, "the driver gave up");
  EXPECT_EQ(*a->OnGpuDeviceLostInfoReason(lost_a.Wait()), wit::GpuDeviceLostReason::Unknown);
  EXPECT_EQ(b->OnGpuDeviceLostInfoMessage(lost_b.Wait())->view(), "the driver gave up");
  EXPECT_FALSE(a->device_destroyed());
  wit::GpuBufferDescriptor d;
  d.size = 16;
  EXPECT_TRUE(a->OnGpuDeviceCreateBuffer(da, d));
  EXPECT_TRUE(a->TakeUncapturedErrors().empty());
  auto c = guest();
  c->OnGpuDeviceLost(*c->CreateDeviceRep(), late.done());
  // From the GPU thread, soon.
  EXPECT_EQ(*c->OnGpuDeviceLostInfoReason(late.Wait()), wit::GpuDeviceLostReason::Unknown);
}

TEST(Record, KeepsKeysInOrder) {
  TestGuest g;
  const Rep r = g.Take(g.gpu->OnRecordGpuPipelineConstantValueNew());
  g.Ok(g.gpu->OnRecordGpuPipelineConstantValueAdd(r, Str("b"), 1));
  g.Ok(g.gpu->OnRecordGpuPipelineConstantValueAdd(r, Str("a"), 2));
  g.Ok(g.gpu->OnRecordGpuPipelineConstantValueAdd(r, Str("b"), 3));
  EXPECT_TRUE(*g.gpu->OnRecordGpuPipelineConstantValueHas(r, Str("a")));
  EXPECT_EQ(g.gpu->OnRecordGpuPipelineConstantValueGet(r, Str("b"))->value, 3);
  auto entries = g.gpu->OnRecordGpuPipelineConstantValueEntries(r);
  ASSERT_EQ(entries->size, 2u);
  EXPECT_EQ((*entries)[0].f0.view(), "b");
  EXPECT_EQ((*entries)[1].f1, 2);
  g.Ok(g.gpu->OnRecordGpuPipelineConstantValueRemove(r, Str("b")));
  EXPECT_EQ(g.gpu->OnRecordGpuPipelineConstantValueKeys(r)->size, 1u);
  EXPECT_EQ(g.gpu->OnRecordGpuPipelineConstantValueValues(r)->size, 1u);
  EXPECT_FALSE(g.gpu->OnRecordGpuPipelineConstantValueAdd(r, Str(std::string(2000, 'k')), 1));
}

TEST(Record, OfLimitsKeepsValuesAndHoles) {
  TestGuest g;
  const Rep r = Limits(g, {{"b", uint64_t{1} << 40}, {"hole", Opt<uint64_t>()}, {"a", uint64_t{2}}, {"b", uint64_t{3}}});
  const auto get = [&](std::string_view key) { return *g.gpu->OnRecordOptionGpuSize64Get(r, Str(key)); };
  EXPECT_TRUE(*g.gpu->OnRecordOptionGpuSize64Has(r, Str("hole")));
  EXPECT_FALSE(*g.gpu->OnRecordOptionGpuSize64Has(r, Str("none")));
  EXPECT_EQ(get("b").value.value, 3u);
  EXPECT_TRUE(get("hole").has && !get("hole").value.has);
  EXPECT_FALSE(get("none").has);
  const auto keys = g.gpu->OnRecordOptionGpuSize64Keys(r);
  ASSERT_EQ(keys->size, 3u);
  EXPECT_EQ((*keys)[0].view(), "b");
  EXPECT_EQ((*keys)[1].view(), "hole");
  const auto values = g.gpu->OnRecordOptionGpuSize64Values(r);
  ASSERT_EQ(values->size, 3u);
  EXPECT_FALSE((*values)[1].has);
  EXPECT_EQ((*values)[2].value, 2u);
  const auto entries = g.gpu->OnRecordOptionGpuSize64Entries(r);
  ASSERT_EQ(entries->size, 3u);
  EXPECT_EQ((*entries)[2].f0.view(), "a");
  EXPECT_EQ((*entries)[2].f1.value, 2u);
  g.Ok(g.gpu->OnRecordOptionGpuSize64Remove(r, Str("b")));
  EXPECT_FALSE(*g.gpu->OnRecordOptionGpuSize64Has(r, Str("b")));
  EXPECT_EQ(g.gpu->OnRecordOptionGpuSize64Keys(r)->size, 2u);
  EXPECT_FALSE(g.gpu->OnRecordOptionGpuSize64Add(r, Str(std::string(2000, 'k')), {}));
}

}  // namespace
}  // namespace weft::host
