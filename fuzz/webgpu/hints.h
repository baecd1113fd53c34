// SPDX-License-Identifier: Apache-2.0
// Hints: what a call needs beside its types to be right. Hint(guest, args) fills the arguments so that the call should be valid, and may
// make other calls first; false: not now. A function without one gets polite values made from its types, which is enough for most.
// Tame(guest, args) is applied to all calls, right and wrong: it takes away what is valid but would keep the GPU busy for hours.
#pragma once

#include "needs.h"

namespace weft::fuzz {

#define WEFT_HINT(F) bool Hint(Guest& g, calls::F##Call::Args& a);
// hints_device.cc
WEFT_HINT(GpuRequestAdapter)
WEFT_HINT(GpuAdapterRequestDevice)
WEFT_HINT(GpuDeviceDestroy)
WEFT_HINT(GpuDevicePopErrorScope)
WEFT_HINT(GpuErrorMessage)
WEFT_HINT(GpuErrorKind)
WEFT_HINT(GpuDeviceLostInfoReason)
WEFT_HINT(GpuDeviceLostInfoMessage)
WEFT_HINT(GpuShaderModuleGetCompilationInfo)
WEFT_HINT(GpuCompilationInfoMessages)
WEFT_HINT(GpuCompilationMessageMessage)
WEFT_HINT(GpuCompilationMessageType)
WEFT_HINT(GpuCompilationMessageLineNum)
WEFT_HINT(GpuCompilationMessageLinePos)
WEFT_HINT(GpuCompilationMessageOffset)
WEFT_HINT(GpuCompilationMessageLength)
WEFT_HINT(GpuDeviceCreateShaderModule)
WEFT_HINT(GpuDeviceCreateBindGroupLayout)
WEFT_HINT(GpuDeviceCreatePipelineLayout)
WEFT_HINT(GpuDeviceCreateBindGroup)
WEFT_HINT(GpuDeviceCreateComputePipeline)
WEFT_HINT(GpuDeviceCreateRenderPipeline)
WEFT_HINT(GpuDeviceCreateComputePipelineAsync)
WEFT_HINT(GpuDeviceCreateRenderPipelineAsync)
WEFT_HINT(GpuComputePipelineGetBindGroupLayout)
WEFT_HINT(GpuRenderPipelineGetBindGroupLayout)
WEFT_HINT(GpuDeviceCreateQuerySet)
WEFT_HINT(GpuDeviceCreateCommandEncoder)
WEFT_HINT(GpuDeviceCreateRenderBundleEncoder)
// hints_resources.cc
WEFT_HINT(GpuDeviceCreateBuffer)
WEFT_HINT(GpuDeviceCreateTexture)
WEFT_HINT(GpuDeviceCreateSampler)
WEFT_HINT(GpuTextureCreateView)
WEFT_HINT(GpuTextureDestroy)
WEFT_HINT(GpuBufferDestroy)
WEFT_HINT(GpuQuerySetDestroy)
WEFT_HINT(GpuBufferMapAsync)
WEFT_HINT(GpuBufferGetMappedRangeGetWithCopy)
WEFT_HINT(GpuBufferGetMappedRangeSetWithCopy)
WEFT_HINT(GpuBufferUnmap)
WEFT_HINT(GpuQueueSubmit)
WEFT_HINT(GpuQueueWriteBufferWithCopy)
WEFT_HINT(GpuQueueWriteTextureWithCopy)
WEFT_HINT(GpuCommandEncoderCopyBufferToBuffer)
WEFT_HINT(GpuCommandEncoderCopyBufferToTexture)
WEFT_HINT(GpuCommandEncoderCopyTextureToBuffer)
WEFT_HINT(GpuCommandEncoderCopyTextureToTexture)
WEFT_HINT(GpuCommandEncoderClearBuffer)
WEFT_HINT(GpuCommandEncoderResolveQuerySet)
// hints_passes.cc
WEFT_HINT(GpuCommandEncoderBeginRenderPass)
WEFT_HINT(GpuCommandEncoderBeginComputePass)
WEFT_HINT(GpuCommandEncoderFinish)
WEFT_HINT(GpuCommandEncoderPushDebugGroup)
WEFT_HINT(GpuCommandEncoderPopDebugGroup)
WEFT_HINT(GpuCommandEncoderInsertDebugMarker)
WEFT_HINT(GpuComputePassEncoderSetPipeline)
WEFT_HINT(GpuComputePassEncoderDispatchWorkgroups)
WEFT_HINT(GpuComputePassEncoderDispatchWorkgroupsIndirect)
WEFT_HINT(GpuComputePassEncoderEnd)
WEFT_HINT(GpuComputePassEncoderPushDebugGroup)
WEFT_HINT(GpuComputePassEncoderPopDebugGroup)
WEFT_HINT(GpuComputePassEncoderInsertDebugMarker)
WEFT_HINT(GpuComputePassEncoderSetBindGroup)
WEFT_HINT(GpuComputePassEncoderSetImmediates)
WEFT_HINT(GpuRenderPassEncoderSetViewport)
WEFT_HINT(GpuRenderPassEncoderSetScissorRect)
WEFT_HINT(GpuRenderPassEncoderSetBlendConstant)
WEFT_HINT(GpuRenderPassEncoderSetStencilReference)
WEFT_HINT(GpuRenderPassEncoderBeginOcclusionQuery)
WEFT_HINT(GpuRenderPassEncoderEndOcclusionQuery)
WEFT_HINT(GpuRenderPassEncoderExecuteBundles)
WEFT_HINT(GpuRenderPassEncoderEnd)
WEFT_HINT(GpuRenderBundleEncoderFinish)
#define WEFT_RENDER_HINTS(T)      \
  WEFT_HINT(T##PushDebugGroup)    \
  WEFT_HINT(T##PopDebugGroup)     \
  WEFT_HINT(T##InsertDebugMarker) \
  WEFT_HINT(T##SetBindGroup)      \
  WEFT_HINT(T##SetImmediates)     \
  WEFT_HINT(T##SetPipeline)       \
  WEFT_HINT(T##SetIndexBuffer)    \
  WEFT_HINT(T##SetVertexBuffer)   \
  WEFT_HINT(T##Draw)              \
  WEFT_HINT(T##DrawIndexed)       \
  WEFT_HINT(T##DrawIndirect)      \
  WEFT_HINT(T##DrawIndexedIndirect)
WEFT_RENDER_HINTS(GpuRenderPassEncoder)
WEFT_RENDER_HINTS(GpuRenderBundleEncoder)
#undef WEFT_RENDER_HINTS
#undef WEFT_HINT

#define WEFT_TAME(F) void Tame(Guest& g, calls::F##Call::Args& a);
WEFT_TAME(GpuComputePassEncoderDispatchWorkgroups)
WEFT_TAME(GpuComputePassEncoderDispatchWorkgroupsIndirect)
WEFT_TAME(GpuRenderPassEncoderDraw)
WEFT_TAME(GpuRenderPassEncoderDrawIndexed)
WEFT_TAME(GpuRenderPassEncoderDrawIndirect)
WEFT_TAME(GpuRenderPassEncoderDrawIndexedIndirect)
WEFT_TAME(GpuRenderBundleEncoderDraw)
WEFT_TAME(GpuRenderBundleEncoderDrawIndexed)
WEFT_TAME(GpuRenderBundleEncoderDrawIndirect)
WEFT_TAME(GpuRenderBundleEncoderDrawIndexedIndirect)
#undef WEFT_TAME

// Texts that are no shaders: broken, deep, long.
Str BadShader(Guest& g);

}  // namespace weft::fuzz
