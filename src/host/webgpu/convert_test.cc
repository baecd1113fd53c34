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

}  // namespace
}  // namespace weft::host
