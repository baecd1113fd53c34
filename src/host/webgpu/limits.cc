// SPDX-License-Identifier: Apache-2.0
#include "host/webgpu/limits.h"

#include <algorithm>
#include <array>

#include "host/webgpu/convert.h"
#include "host/webgpu/values.h"
#include "host/webgpu/virtual_gpu.h"

namespace weft::host {

namespace {

using L = WGPULimits;
constexpr LimitInfo U32(std::string_view name, uint32_t L::* at, uint64_t standard, bool alignment = false) {
  return {name, at, nullptr, standard, alignment};
}
constexpr LimitInfo U64(std::string_view name, uint64_t L::* at, uint64_t standard) { return {name, nullptr, at, standard, false}; }

constexpr LimitInfo kLimits[] = {
    U32("maxTextureDimension1D", &L::maxTextureDimension1D, 8192),
    U32("maxTextureDimension2D", &L::maxTextureDimension2D, 8192),
    U32("maxTextureDimension3D", &L::maxTextureDimension3D, 2048),
    U32("maxTextureArrayLayers", &L::maxTextureArrayLayers, 256),
    U32("maxBindGroups", &L::maxBindGroups, 4),
    U32("maxBindGroupsPlusVertexBuffers", &L::maxBindGroupsPlusVertexBuffers, 24),
    U32("maxBindingsPerBindGroup", &L::maxBindingsPerBindGroup, 1000),
    U32("maxDynamicUniformBuffersPerPipelineLayout", &L::maxDynamicUniformBuffersPerPipelineLayout, 8),
    U32("maxDynamicStorageBuffersPerPipelineLayout", &L::maxDynamicStorageBuffersPerPipelineLayout, 4),
    U32("maxSampledTexturesPerShaderStage", &L::maxSampledTexturesPerShaderStage, 16),
    U32("maxSamplersPerShaderStage", &L::maxSamplersPerShaderStage, 16),
    U32("maxStorageBuffersPerShaderStage", &L::maxStorageBuffersPerShaderStage, 8),
    U32("maxStorageTexturesPerShaderStage", &L::maxStorageTexturesPerShaderStage, 4),
    U32("maxUniformBuffersPerShaderStage", &L::maxUniformBuffersPerShaderStage, 12),
    U64("maxUniformBufferBindingSize", &L::maxUniformBufferBindingSize, 65536),
    U64("maxStorageBufferBindingSize", &L::maxStorageBufferBindingSize, 134217728),
    U32("minUniformBufferOffsetAlignment", &L::minUniformBufferOffsetAlignment, 256, true),
    U32("minStorageBufferOffsetAlignment", &L::minStorageBufferOffsetAlignment, 256, true),
    U32("maxVertexBuffers", &L::maxVertexBuffers, 8),
    U64("maxBufferSize", &L::maxBufferSize, 268435456),
    U32("maxVertexAttributes", &L::maxVertexAttributes, 16),
    U32("maxVertexBufferArrayStride", &L::maxVertexBufferArrayStride, 2048),
    U32("maxInterStageShaderVariables", &L::maxInterStageShaderVariables, 16),
    U32("maxColorAttachments", &L::maxColorAttachments, 8),
    U32("maxColorAttachmentBytesPerSample", &L::maxColorAttachmentBytesPerSample, 32),
    U32("maxComputeWorkgroupStorageSize", &L::maxComputeWorkgroupStorageSize, 16384),
    U32("maxComputeInvocationsPerWorkgroup", &L::maxComputeInvocationsPerWorkgroup, 256),
    U32("maxComputeWorkgroupSizeX", &L::maxComputeWorkgroupSizeX, 256),
    U32("maxComputeWorkgroupSizeY", &L::maxComputeWorkgroupSizeY, 256),
    U32("maxComputeWorkgroupSizeZ", &L::maxComputeWorkgroupSizeZ, 64),
    U32("maxComputeWorkgroupsPerDimension", &L::maxComputeWorkgroupsPerDimension, 65535),
    U32("maxImmediateSize", &L::maxImmediateSize, 64),
    // What one stage may have is the same as in all stages but on compatibility-mode devices, which there are none of here.
    U32("maxStorageBuffersInVertexStage", &L::maxStorageBuffersPerShaderStage, 8),
    U32("maxStorageBuffersInFragmentStage", &L::maxStorageBuffersPerShaderStage, 8),
    U32("maxStorageTexturesInVertexStage", &L::maxStorageTexturesPerShaderStage, 4),
    U32("maxStorageTexturesInFragmentStage", &L::maxStorageTexturesPerShaderStage, 4),
};

// WGSL extensions that the library's compiler has; it cannot list them itself (the function ends the process).
constexpr std::array<std::string_view, 3> kWgslFeatures = {"readonly_and_readwrite_storage_textures", "packed_4x8_integer_dot_product",
                                                           "pointer_composite_access"};

}  // namespace

std::span<const LimitInfo> AllLimits() { return kLimits; }

const LimitInfo* FindLimit(std::string_view name) {
  for (const LimitInfo& l : kLimits) {
    if (l.name == name) return &l;
  }
  return nullptr;
}

WGPULimits GrantedLimits(const gpu::Device& device) {
  WGPULimits granted = device.limits();
  granted.nextInChain = nullptr;
  for (const LimitInfo& l : kLimits) {
    const uint64_t v = l.Get(granted);
    const bool silent = l.u32 ? v == WGPU_LIMIT_U32_UNDEFINED : v == WGPU_LIMIT_U64_UNDEFINED;
    if (silent || (l.alignment && v == 0)) l.Set(granted, l.standard);
  }
  // One answer of the library takes part in 32-bit sums below.
  granted.maxBindGroups = std::min(granted.maxBindGroups, 16u);
  granted.maxVertexBuffers = std::min(granted.maxVertexBuffers, 64u);
  granted.maxColorAttachments = std::min(granted.maxColorAttachments, 8u);
  return granted;
}

Features GrantedFeatures(const gpu::Device& device) {
  Features granted;
  for (uint32_t i = 0; i < wit::kGpuFeatureNameCount; ++i) {
    granted[i] = device.Has(ToNative(static_cast<wit::GpuFeatureName>(i)));
  }
  granted[static_cast<size_t>(wit::GpuFeatureName::CoreFeaturesAndLimits)] = true;
  return granted;
}

// --- handles ---

Result<bool> VirtualGpu::OnGpuSupportedFeaturesHas(Rep self, Str value) {
  WEFT_TRY_ASSIGN(auto set, Get<VSupportedFeatures>(self));
  // The WIT may not begin a word with a digit and writes "sliced3d"; the specification, whose names these are, has "sliced-3d".
  auto same = [](std::string_view wit_name, std::string_view asked) {
    constexpr std::string_view kInWit = "-sliced3d", kInText = "-sliced-3d";
    if (!asked.ends_with(kInText)) return wit_name == asked;
    asked.remove_suffix(kInText.size());
    return wit_name.ends_with(kInWit) && wit_name.substr(0, wit_name.size() - kInWit.size()) == asked;
  };
  for (uint32_t i = 0; i < wit::kGpuFeatureNameCount; ++i) {
    if (same(wit::ToString(static_cast<wit::GpuFeatureName>(i)), value.view())) return set->features[i];
  }
  return false;
}

Result<Rep> VirtualGpu::OnGpuWgslLanguageFeatures(Rep self) {
  WEFT_TRY_ASSIGN(auto gpu, Get<VGpu>(self));
  return Add(MakeRef<VWgslLanguageFeatures>(account_));
}

Result<bool> VirtualGpu::OnWgslLanguageFeaturesHas(Rep self, Str value) {
  WEFT_TRY_ASSIGN(auto set, Get<VWgslLanguageFeatures>(self));
  return std::find(kWgslFeatures.begin(), kWgslFeatures.end(), value.view()) != kWgslFeatures.end();
}

#define WEFT_LIMIT(Type, Name, field)                             \
  Result<Type> VirtualGpu::OnGpuSupportedLimits##Name(Rep self) { \
    WEFT_TRY_ASSIGN(auto limits, Get<VSupportedLimits>(self));    \
    return limits->limits.field;                                  \
  }
WEFT_LIMIT(uint32_t, MaxTextureDimension1D, maxTextureDimension1D)
WEFT_LIMIT(uint32_t, MaxTextureDimension2D, maxTextureDimension2D)
WEFT_LIMIT(uint32_t, MaxTextureDimension3D, maxTextureDimension3D)
WEFT_LIMIT(uint32_t, MaxTextureArrayLayers, maxTextureArrayLayers)
WEFT_LIMIT(uint32_t, MaxBindGroups, maxBindGroups)
WEFT_LIMIT(uint32_t, MaxBindGroupsPlusVertexBuffers, maxBindGroupsPlusVertexBuffers)
WEFT_LIMIT(uint32_t, MaxImmediateSize, maxImmediateSize)
WEFT_LIMIT(uint32_t, MaxBindingsPerBindGroup, maxBindingsPerBindGroup)
WEFT_LIMIT(uint32_t, MaxDynamicUniformBuffersPerPipelineLayout, maxDynamicUniformBuffersPerPipelineLayout)
WEFT_LIMIT(uint32_t, MaxDynamicStorageBuffersPerPipelineLayout, maxDynamicStorageBuffersPerPipelineLayout)
WEFT_LIMIT(uint32_t, MaxSampledTexturesPerShaderStage, maxSampledTexturesPerShaderStage)
WEFT_LIMIT(uint32_t, MaxSamplersPerShaderStage, maxSamplersPerShaderStage)
WEFT_LIMIT(uint32_t, MaxStorageBuffersPerShaderStage, maxStorageBuffersPerShaderStage)
// Only a compatibility-mode device has fewer in one stage; weft's devices are core devices.
WEFT_LIMIT(uint32_t, MaxStorageBuffersInVertexStage, maxStorageBuffersPerShaderStage)
WEFT_LIMIT(uint32_t, MaxStorageBuffersInFragmentStage, maxStorageBuffersPerShaderStage)
WEFT_LIMIT(uint32_t, MaxStorageTexturesPerShaderStage, maxStorageTexturesPerShaderStage)
WEFT_LIMIT(uint32_t, MaxStorageTexturesInVertexStage, maxStorageTexturesPerShaderStage)
WEFT_LIMIT(uint32_t, MaxStorageTexturesInFragmentStage, maxStorageTexturesPerShaderStage)
WEFT_LIMIT(uint32_t, MaxUniformBuffersPerShaderStage, maxUniformBuffersPerShaderStage)
WEFT_LIMIT(uint64_t, MaxUniformBufferBindingSize, maxUniformBufferBindingSize)
WEFT_LIMIT(uint64_t, MaxStorageBufferBindingSize, maxStorageBufferBindingSize)
WEFT_LIMIT(uint32_t, MinUniformBufferOffsetAlignment, minUniformBufferOffsetAlignment)
WEFT_LIMIT(uint32_t, MinStorageBufferOffsetAlignment, minStorageBufferOffsetAlignment)
WEFT_LIMIT(uint32_t, MaxVertexBuffers, maxVertexBuffers)
WEFT_LIMIT(uint64_t, MaxBufferSize, maxBufferSize)
WEFT_LIMIT(uint32_t, MaxVertexAttributes, maxVertexAttributes)
WEFT_LIMIT(uint32_t, MaxVertexBufferArrayStride, maxVertexBufferArrayStride)
WEFT_LIMIT(uint32_t, MaxInterStageShaderVariables, maxInterStageShaderVariables)
WEFT_LIMIT(uint32_t, MaxColorAttachments, maxColorAttachments)
WEFT_LIMIT(uint32_t, MaxColorAttachmentBytesPerSample, maxColorAttachmentBytesPerSample)
WEFT_LIMIT(uint32_t, MaxComputeWorkgroupStorageSize, maxComputeWorkgroupStorageSize)
WEFT_LIMIT(uint32_t, MaxComputeInvocationsPerWorkgroup, maxComputeInvocationsPerWorkgroup)
WEFT_LIMIT(uint32_t, MaxComputeWorkgroupSizeX, maxComputeWorkgroupSizeX)
WEFT_LIMIT(uint32_t, MaxComputeWorkgroupSizeY, maxComputeWorkgroupSizeY)
WEFT_LIMIT(uint32_t, MaxComputeWorkgroupSizeZ, maxComputeWorkgroupSizeZ)
WEFT_LIMIT(uint32_t, MaxComputeWorkgroupsPerDimension, maxComputeWorkgroupsPerDimension)
#undef WEFT_LIMIT

}  // namespace weft::host
