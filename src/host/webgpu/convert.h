// SPDX-License-Identifier: Apache-2.0
// Values of the WIT as webgpu.h has them. Most enums of webgpu.h are those of the WIT with one or two values ("undefined", "not used") put
// in front; Shifted says so and is checked at both ends at compile time. The engine admits only values that the WIT names.
#pragma once

#include <webgpu.h>

#include <optional>

#include "wasm/gen/webgpu.h"

namespace weft::host {

namespace wit = ::weft::wasm::webgpu;

WGPUTextureFormat ToNative(wit::GpuTextureFormat v);
std::optional<wit::GpuTextureFormat> FromNative(WGPUTextureFormat v);
WGPUColorWriteMask ToNative(wit::GpuColorWrite v);

#define WEFT_SHIFTED(Name, first, nativeFirst, last, nativeLast)                                 \
  inline WGPU##Name ToNative(wit::Gpu##Name v) {                                                 \
    constexpr int kShift = WGPU##Name##_##nativeFirst - static_cast<int>(wit::Gpu##Name::first); \
    static_assert(static_cast<int>(wit::Gpu##Name::first) == 0);                                 \
    static_assert(static_cast<uint32_t>(wit::Gpu##Name::last) + 1 == wit::kGpu##Name##Count);    \
    static_assert(static_cast<int>(wit::Gpu##Name::last) + kShift == WGPU##Name##_##nativeLast); \
    return static_cast<WGPU##Name>(static_cast<int>(v) + kShift);                                \
  }
WEFT_SHIFTED(AddressMode, ClampToEdge, ClampToEdge, MirrorRepeat, MirrorRepeat)
WEFT_SHIFTED(BlendFactor, Zero, Zero, OneMinusSrc1Alpha, OneMinusSrc1Alpha)
WEFT_SHIFTED(BlendOperation, Add, Add, Max, Max)
WEFT_SHIFTED(BufferBindingType, Uniform, Uniform, ReadOnlyStorage, ReadOnlyStorage)
WEFT_SHIFTED(CompareFunction, Never, Never, Always, Always)
WEFT_SHIFTED(CullMode, None, None, Back, Back)
WEFT_SHIFTED(FeatureName, CoreFeaturesAndLimits, CoreFeaturesAndLimits, TextureComponentSwizzle, TextureComponentSwizzle)
WEFT_SHIFTED(FilterMode, Nearest, Nearest, Linear, Linear)
WEFT_SHIFTED(FrontFace, Ccw, CCW, Cw, CW)
WEFT_SHIFTED(IndexFormat, Uint16, Uint16, Uint32, Uint32)
WEFT_SHIFTED(LoadOp, Load, Load, Clear, Clear)
WEFT_SHIFTED(MipmapFilterMode, Nearest, Nearest, Linear, Linear)
WEFT_SHIFTED(PrimitiveTopology, PointList, PointList, TriangleStrip, TriangleStrip)
WEFT_SHIFTED(QueryType, Occlusion, Occlusion, Timestamp, Timestamp)
WEFT_SHIFTED(SamplerBindingType, Filtering, Filtering, Comparison, Comparison)
WEFT_SHIFTED(StencilOperation, Keep, Keep, DecrementWrap, DecrementWrap)
WEFT_SHIFTED(StorageTextureAccess, WriteOnly, WriteOnly, ReadWrite, ReadWrite)
WEFT_SHIFTED(StoreOp, Store, Store, Discard, Discard)
WEFT_SHIFTED(TextureAspect, All, All, DepthOnly, DepthOnly)
WEFT_SHIFTED(TextureDimension, D1, 1D, D3, 3D)
WEFT_SHIFTED(TextureSampleType, Float, Float, Uint, Uint)
WEFT_SHIFTED(TextureViewDimension, D1, 1D, D3, 3D)
WEFT_SHIFTED(VertexFormat, Uint8, Uint8, Unorm8x4Bgra, Unorm8x4BGRA)
WEFT_SHIFTED(VertexStepMode, Vertex, Vertex, Instance, Instance)
#undef WEFT_SHIFTED

// Flags have the same bits on both sides.
static_assert(wit::GpuBufferUsage::MapRead == WGPUBufferUsage_MapRead && wit::GpuBufferUsage::QueryResolve == WGPUBufferUsage_QueryResolve);
static_assert(wit::GpuTextureUsage::CopySrc == WGPUTextureUsage_CopySrc &&
              wit::GpuTextureUsage::TransientAttachment == WGPUTextureUsage_TransientAttachment);
static_assert(wit::GpuShaderStage::Vertex == WGPUShaderStage_Vertex && wit::GpuShaderStage::Compute == WGPUShaderStage_Compute);
static_assert(wit::GpuMapMode::Read == WGPUMapMode_Read && wit::GpuMapMode::Write == WGPUMapMode_Write);
static_assert(wit::GpuColorWrite::Red == WGPUColorWriteMask_Red && wit::GpuColorWrite::Alpha == WGPUColorWriteMask_Alpha);

}  // namespace weft::host
