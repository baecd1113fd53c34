// SPDX-License-Identifier: Apache-2.0
// Limits, features and what an adapter tells of itself: the values that the specification says, and those that were asked for.
#include "host/webgpu/limits.h"

#include "host/webgpu/encoder_test_guest.h"
#include "host/webgpu/test_answer.h"

namespace weft::host {
namespace {

using H = wit::WebgpuHost;

template <auto kGetter>
uint64_t Get(H& host, Rep limits) {
  const auto r = (host.*kGetter)(limits);
  EXPECT_TRUE(r) << r.error().ToString();
  return r ? uint64_t{*r} : 0;
}

// The specification's table of limits (3.6.2), with the defaults of core devices.
struct Limit {
  const char* name;
  uint64_t standard;
  uint64_t (*get)(H&, Rep limits);
  bool alignment() const { return std::string_view(name).starts_with("min"); }
  // The better one.
  uint64_t Best(uint64_t a, uint64_t b) const { return alignment() ? std::min(a, b) : std::max(a, b); }
};

const Limit kTable[] = {
    {"maxTextureDimension1D", 8192, Get<&H::OnGpuSupportedLimitsMaxTextureDimension1D>},
    {"maxTextureDimension2D", 8192, Get<&H::OnGpuSupportedLimitsMaxTextureDimension2D>},
    {"maxTextureDimension3D", 2048, Get<&H::OnGpuSupportedLimitsMaxTextureDimension3D>},
    {"maxTextureArrayLayers", 256, Get<&H::OnGpuSupportedLimitsMaxTextureArrayLayers>},
    {"maxBindGroups", 4, Get<&H::OnGpuSupportedLimitsMaxBindGroups>},
    {"maxBindGroupsPlusVertexBuffers", 24, Get<&H::OnGpuSupportedLimitsMaxBindGroupsPlusVertexBuffers>},
    {"maxImmediateSize", 64, Get<&H::OnGpuSupportedLimitsMaxImmediateSize>},
    {"maxBindingsPerBindGroup", 1000, Get<&H::OnGpuSupportedLimitsMaxBindingsPerBindGroup>},
    {"maxDynamicUniformBuffersPerPipelineLayout", 8, Get<&H::OnGpuSupportedLimitsMaxDynamicUniformBuffersPerPipelineLayout>},
    {"maxDynamicStorageBuffersPerPipelineLayout", 4, Get<&H::OnGpuSupportedLimitsMaxDynamicStorageBuffersPerPipelineLayout>},
    {"maxSampledTexturesPerShaderStage", 16, Get<&H::OnGpuSupportedLimitsMaxSampledTexturesPerShaderStage>},
    {"maxSamplersPerShaderStage", 16, Get<&H::OnGpuSupportedLimitsMaxSamplersPerShaderStage>},
    {"maxStorageBuffersPerShaderStage", 8, Get<&H::OnGpuSupportedLimitsMaxStorageBuffersPerShaderStage>},
    {"maxStorageBuffersInVertexStage", 8, Get<&H::OnGpuSupportedLimitsMaxStorageBuffersInVertexStage>},
    {"maxStorageBuffersInFragmentStage", 8, Get<&H::OnGpuSupportedLimitsMaxStorageBuffersInFragmentStage>},
    {"maxStorageTexturesPerShaderStage", 4, Get<&H::OnGpuSupportedLimitsMaxStorageTexturesPerShaderStage>},
    {"maxStorageTexturesInVertexStage", 4, Get<&H::OnGpuSupportedLimitsMaxStorageTexturesInVertexStage>},
    {"maxStorageTexturesInFragmentStage", 4, Get<&H::OnGpuSupportedLimitsMaxStorageTexturesInFragmentStage>},
    {"maxUniformBuffersPerShaderStage", 12, Get<&H::OnGpuSupportedLimitsMaxUniformBuffersPerShaderStage>},
    {"maxUniformBufferBindingSize", 65536, Get<&H::OnGpuSupportedLimitsMaxUniformBufferBindingSize>},
    {"maxStorageBufferBindingSize", 134217728, Get<&H::OnGpuSupportedLimitsMaxStorageBufferBindingSize>},
    {"minUniformBufferOffsetAlignment", 256, Get<&H::OnGpuSupportedLimitsMinUniformBufferOffsetAlignment>},
    {"minStorageBufferOffsetAlignment", 256, Get<&H::OnGpuSupportedLimitsMinStorageBufferOffsetAlignment>},
    {"maxVertexBuffers", 8, Get<&H::OnGpuSupportedLimitsMaxVertexBuffers>},
    {"maxBufferSize", 268435456, Get<&H::OnGpuSupportedLimitsMaxBufferSize>},
    {"maxVertexAttributes", 16, Get<&H::OnGpuSupportedLimitsMaxVertexAttributes>},
    {"maxVertexBufferArrayStride", 2048, Get<&H::OnGpuSupportedLimitsMaxVertexBufferArrayStride>},
    {"maxInterStageShaderVariables", 16, Get<&H::OnGpuSupportedLimitsMaxInterStageShaderVariables>},
    {"maxColorAttachments", 8, Get<&H::OnGpuSupportedLimitsMaxColorAttachments>},
    {"maxColorAttachmentBytesPerSample", 32, Get<&H::OnGpuSupportedLimitsMaxColorAttachmentBytesPerSample>},
    {"maxComputeWorkgroupStorageSize", 16384, Get<&H::OnGpuSupportedLimitsMaxComputeWorkgroupStorageSize>},
    {"maxComputeInvocationsPerWorkgroup", 256, Get<&H::OnGpuSupportedLimitsMaxComputeInvocationsPerWorkgroup>},
    {"maxComputeWorkgroupSizeX", 256, Get<&H::OnGpuSupportedLimitsMaxComputeWorkgroupSizeX>},
    {"maxComputeWorkgroupSizeY", 256, Get<&H::OnGpuSupportedLimitsMaxComputeWorkgroupSizeY>},
    {"maxComputeWorkgroupSizeZ", 64, Get<&H::OnGpuSupportedLimitsMaxComputeWorkgroupSizeZ>},
    {"maxComputeWorkgroupsPerDimension", 65535, Get<&H::OnGpuSupportedLimitsMaxComputeWorkgroupsPerDimension>},
};

Rep Adapter(TestGuest& g) {
  Answer<Opt<Rep>> answer;
  g.gpu->OnGpuRequestAdapter(g.Take(g.gpu->OnGetGpu()), {}, answer.done());
  return answer.Wait().value;
}

// A request for a device with those limits.
struct Required {
  Answer<Res<Rep, wit::RequestDeviceError>> answer;
  Required(TestGuest& g, const std::vector<std::pair<const char*, uint64_t>>& limits) {
    const Rep record = g.Take(g.gpu->OnRecordOptionGpuSize64New());
    for (const auto& [name, value] : limits) g.Ok(g.gpu->OnRecordOptionGpuSize64Add(record, Str(std::string_view(name)), Opt(value)));
    wit::GpuDeviceDescriptor d;
    d.required_limits = record;
    g.gpu->OnGpuAdapterRequestDevice(Adapter(g), d, answer.done());
  }
  Rep limits(TestGuest& g) {
    EXPECT_FALSE(answer.Wait().is_err) << answer.message();
    return g.Take(g.gpu->OnGpuDeviceLimits(answer.Wait().ok));
  }
};

TEST(Limits, OfADeviceThatAskedForNoneAreTheDefaults) {
  TestGuest g(GpuMode::Exec);
  const Rep limits = g.Take(g.gpu->OnGpuDeviceLimits(g.device));
  for (const Limit& l : kTable) EXPECT_EQ(l.get(*g.gpu, limits), l.standard) << l.name;
}

TEST(Limits, ThatTheAdapterHasCanBeHad) {
  TestGuest g(GpuMode::Exec);
  const Rep best = g.Take(g.gpu->OnGpuAdapterLimits(Adapter(g)));
  std::vector<std::pair<const char*, uint64_t>> all;
  for (const Limit& l : kTable) {
    const uint64_t v = l.get(*g.gpu, best);
    EXPECT_EQ(l.Best(v, l.standard), v) << l.name << ": an adapter has at least the default";
    all.emplace_back(l.name, v);
  }
  const Rep had = Required(g, all).limits(g);
  for (const Limit& l : kTable) EXPECT_EQ(l.get(*g.gpu, had), l.get(*g.gpu, best)) << l.name;
}

TEST(Limits, AreAskedForOneByOne) {
  for (const Limit& l : kTable) {
    SCOPED_TRACE(l.name);
    TestGuest g(GpuMode::Exec);
    const uint64_t best = l.get(*g.gpu, g.Take(g.gpu->OnGpuAdapterLimits(Adapter(g))));
    // The one that was asked for is the best there is, others are the default still; those of one stage go with those of all.
    const Rep had = Required(g, {{l.name, best}}).limits(g);
    const auto stage = [](std::string_view name) {
      return name.substr(0, std::min(name.find("InVertex"), std::min(name.find("InFragment"), name.find("PerShader"))));
    };
    for (const Limit& other : kTable) {
      const bool same = stage(other.name) == stage(l.name);
      EXPECT_EQ(other.get(*g.gpu, had), same ? l.Best(best, l.standard) : other.standard) << other.name;
    }
    // Less than the default is the default; better than the best is refused with its name.
    EXPECT_EQ(l.get(*g.gpu, Required(g, {{l.name, l.alignment() ? l.standard * 2 : l.standard / 2}}).limits(g)), l.standard);
    Required beyond(g, {{l.name, l.alignment() ? best / 2 : best + 1}});
    EXPECT_TRUE(beyond.answer.Wait().is_err);
    EXPECT_EQ(beyond.answer.Wait().err.kind.tag, wit::RequestDeviceErrorKind::Tag::OperationError);
    EXPECT_NE(beyond.answer.message().find(l.name), std::string::npos) << beyond.answer.message();
  }
}

TEST(Features, OfADeviceAreThoseThatWereAskedFor) {
  TestGuest g(GpuMode::Exec);
  const auto has = [&](Rep set, wit::GpuFeatureName f) { return *g.gpu->OnGpuSupportedFeaturesHas(set, Str(wit::ToString(f))); };
  const Rep offered = g.Take(g.gpu->OnGpuAdapterFeatures(Adapter(g)));
  const Rep plain = g.Take(g.gpu->OnGpuDeviceFeatures(g.device));
  EXPECT_TRUE(has(offered, wit::GpuFeatureName::CoreFeaturesAndLimits));
  for (uint32_t i = 0; i < wit::kGpuFeatureNameCount; ++i) {
    const auto feature = static_cast<wit::GpuFeatureName>(i);
    SCOPED_TRACE(wit::ToString(feature));
    const bool core = feature == wit::GpuFeatureName::CoreFeaturesAndLimits;
    EXPECT_EQ(has(offered, feature), core || gpu::TestDevice()->Has(ToNative(feature)));
    EXPECT_EQ(has(plain, feature), core);
    wit::GpuDeviceDescriptor d;
    d.required_features = List<wit::GpuFeatureName>(&feature, 1);
    Answer<Res<Rep, wit::RequestDeviceError>> answer;
    g.gpu->OnGpuAdapterRequestDevice(Adapter(g), d, answer.done());
    ASSERT_EQ(answer.Wait().is_err, !has(offered, feature));
    if (answer.Wait().is_err) {
      EXPECT_EQ(answer.Wait().err.kind.tag, wit::RequestDeviceErrorKind::Tag::TypeError);
      continue;
    }
    const Rep had = g.Take(g.gpu->OnGpuDeviceFeatures(answer.Wait().ok));
    for (uint32_t j = 0; j < wit::kGpuFeatureNameCount; ++j) {
      const auto other = static_cast<wit::GpuFeatureName>(j);
      EXPECT_EQ(has(had, other), j == i || other == wit::GpuFeatureName::CoreFeaturesAndLimits) << wit::ToString(other);
    }
  }
}

TEST(AdapterInfo, IsThatOfTheRealDeviceByBothWays) {
  TestGuest g;
  const gpu::AdapterInfo& real = gpu::TestDevice()->info();
  for (const Rep info : {g.Take(g.gpu->OnGpuAdapterInfo(Adapter(g))), g.Take(g.gpu->OnGpuDeviceAdapterInfo(g.device))}) {
    EXPECT_EQ(g.gpu->OnGpuAdapterInfoVendor(info)->view(), real.vendor);
    EXPECT_EQ(g.gpu->OnGpuAdapterInfoArchitecture(info)->view(), real.architecture);
    EXPECT_FALSE(g.gpu->OnGpuAdapterInfoArchitecture(g.device)) << "empty on some GPUs, but never of what is no adapter info";
    EXPECT_EQ(g.gpu->OnGpuAdapterInfoDevice(info)->view(), real.device);
    EXPECT_EQ(g.gpu->OnGpuAdapterInfoDescription(info)->view(), real.description);
    EXPECT_EQ(*g.gpu->OnGpuAdapterInfoIsFallbackAdapter(info), real.software());
    const uint32_t least = *g.gpu->OnGpuAdapterInfoSubgroupMinSize(info), most = *g.gpu->OnGpuAdapterInfoSubgroupMaxSize(info);
    EXPECT_TRUE(4 <= least && least <= most && most <= 128) << least << " to " << most;
  }
}

TEST(Gpu, PrefersAFormatThatACanvasCanHave) {
  TestGuest g;
  const auto format = *g.gpu->OnGpuGetPreferredCanvasFormat(g.Take(g.gpu->OnGetGpu()));
  EXPECT_TRUE(format == TF::Bgra8unorm || format == TF::Rgba8unorm) << wit::ToString(format);
}

}  // namespace
}  // namespace weft::host
