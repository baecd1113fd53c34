// SPDX-License-Identifier: Apache-2.0
#include "host/webgpu/convert.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "host/webgpu/formats.h"

namespace weft::host {
namespace {

// "astc4x4-unorm" of the WIT is "astc-4x4-unorm" of WebGPU.
std::string Plain(std::string_view name) {
  std::string s;
  for (const char c : name) {
    if (c != '-') s += c;
  }
  return s;
}

TEST(Convert, AllFormatsKeepTheirName) {
  for (uint32_t i = 0; i < wit::kGpuTextureFormatCount; ++i) {
    const auto f = static_cast<wit::GpuTextureFormat>(i);
    EXPECT_EQ(Plain(gpu::FormatName(ToNative(f))), Plain(wit::ToString(f)));
    EXPECT_EQ(FromNative(ToNative(f)), f);
  }
  EXPECT_FALSE(FromNative(WGPUTextureFormat_Undefined));
}

TEST(Convert, ShiftedEnumsMeetTheirNames) {
  EXPECT_EQ(ToNative(wit::GpuAddressMode::Repeat), WGPUAddressMode_Repeat);
  EXPECT_EQ(ToNative(wit::GpuBlendFactor::DstAlpha), WGPUBlendFactor_DstAlpha);
  EXPECT_EQ(ToNative(wit::GpuBlendOperation::ReverseSubtract), WGPUBlendOperation_ReverseSubtract);
  EXPECT_EQ(ToNative(wit::GpuBufferBindingType::Storage), WGPUBufferBindingType_Storage);
  EXPECT_EQ(ToNative(wit::GpuCompareFunction::LessEqual), WGPUCompareFunction_LessEqual);
  EXPECT_EQ(ToNative(wit::GpuCullMode::Front), WGPUCullMode_Front);
  EXPECT_EQ(ToNative(wit::GpuFeatureName::ShaderF16), WGPUFeatureName_ShaderF16);
  EXPECT_EQ(ToNative(wit::GpuFrontFace::Cw), WGPUFrontFace_CW);
  EXPECT_EQ(ToNative(wit::GpuIndexFormat::Uint32), WGPUIndexFormat_Uint32);
  EXPECT_EQ(ToNative(wit::GpuLoadOp::Clear), WGPULoadOp_Clear);
  EXPECT_EQ(ToNative(wit::GpuPrimitiveTopology::LineStrip), WGPUPrimitiveTopology_LineStrip);
  EXPECT_EQ(ToNative(wit::GpuQueryType::Timestamp), WGPUQueryType_Timestamp);
  EXPECT_EQ(ToNative(wit::GpuSamplerBindingType::NonFiltering), WGPUSamplerBindingType_NonFiltering);
  EXPECT_EQ(ToNative(wit::GpuStencilOperation::IncrementClamp), WGPUStencilOperation_IncrementClamp);
  EXPECT_EQ(ToNative(wit::GpuStorageTextureAccess::ReadOnly), WGPUStorageTextureAccess_ReadOnly);
  EXPECT_EQ(ToNative(wit::GpuStoreOp::Discard), WGPUStoreOp_Discard);
  EXPECT_EQ(ToNative(wit::GpuTextureAspect::StencilOnly), WGPUTextureAspect_StencilOnly);
  EXPECT_EQ(ToNative(wit::GpuTextureDimension::D2), WGPUTextureDimension_2D);
  EXPECT_EQ(ToNative(wit::GpuTextureSampleType::Depth), WGPUTextureSampleType_Depth);
  EXPECT_EQ(ToNative(wit::GpuTextureViewDimension::CubeArray), WGPUTextureViewDimension_CubeArray);
  EXPECT_EQ(ToNative(wit::GpuVertexFormat::Float32x3), WGPUVertexFormat_Float32x3);
  EXPECT_EQ(ToNative(wit::GpuVertexStepMode::Instance), WGPUVertexStepMode_Instance);
  EXPECT_EQ(ToNative(wit::GpuColorWrite{wit::GpuColorWrite::All}), WGPUColorWriteMask_All);
  EXPECT_EQ(ToNative(wit::GpuColorWrite{wit::GpuColorWrite::Red | wit::GpuColorWrite::Alpha}),
            WGPUColorWriteMask_Red | WGPUColorWriteMask_Alpha);
}

TEST(Formats, FeaturesWidenAbilities) {
  using F = wit::GpuTextureFormat;
  Features none, wide;
  wide[static_cast<size_t>(wit::GpuFeatureName::Bgra8unormStorage)] = true;
  wide[static_cast<size_t>(wit::GpuFeatureName::Float32Filterable)] = true;
  EXPECT_FALSE(Abilities(F::Bgra8unorm, none).storage_write);
  EXPECT_TRUE(Abilities(F::Bgra8unorm, wide).storage_write);
  EXPECT_FALSE(Abilities(F::Rgba32float, none).filterable);
  EXPECT_TRUE(Abilities(F::Rgba32float, wide).filterable);
  EXPECT_FALSE(Abilities(F::Bc1RgbaUnorm, none).supported);
  EXPECT_FALSE(Abilities(F::Rgba16unorm, none).supported);
  EXPECT_TRUE(Abilities(F::Rgba16float, none).supported);
}

TEST(Formats, BytesPerSampleAlignsLikeTheSpecification) {
  using F = wit::GpuTextureFormat;
  // The specification's example: r8unorm, r32float, rgba8unorm, rgba32float, r8unorm make 1, 8, 16, 32, 33.
  const std::vector<std::optional<F>> formats = {F::R8unorm, F::R32float, F::Rgba8unorm, F::Rgba32float, F::R8unorm};
  EXPECT_EQ(BytesPerSample(formats), 33u);
}

TEST(Formats, TextureBytesCountMipsLayersAndSamples) {
  TextureInfo t;
  t.format = wit::GpuTextureFormat::Rgba8unorm;
  t.width = t.height = 4;
  EXPECT_EQ(TextureBytes(t), 64u);
  t.mips = 3;
  EXPECT_EQ(TextureBytes(t), 64u + 16u + 4u);
  t.depth_or_layers = 2;
  EXPECT_EQ(TextureBytes(t), 168u);
  t = {};
  t.format = wit::GpuTextureFormat::Bc1RgbaUnorm;
  t.width = t.height = 8;
  EXPECT_EQ(TextureBytes(t), 4u * 8u);
}

}  // namespace
}  // namespace weft::host
