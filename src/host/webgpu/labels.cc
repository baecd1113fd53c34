// SPDX-License-Identifier: Apache-2.0
// Labels (kept here: the library's functions for them end the process) and the ends of handles.
#include "host/webgpu/values.h"
#include "host/webgpu/virtual_gpu.h"

namespace weft::host {

Result<Str> VirtualGpu::LabelOf(Rep self, Kind kind) {
  WEFT_TRY_ASSIGN(auto object, table_->Find(self, kind));
  return Str(object->label());
}

Status VirtualGpu::SetLabelOf(Rep self, Kind kind, Str label) {
  WEFT_TRY_ASSIGN(auto object, table_->Find(self, kind));
  object->set_label(label.view());
  return {};
}

#define WEFT_LABEL(Name, kind)                                                         \
  Result<Str> VirtualGpu::OnGpu##Name##Label(Rep self) { return LabelOf(self, kind); } \
  Status VirtualGpu::OnGpu##Name##SetLabel(Rep self, Str label) { return SetLabelOf(self, kind, label); }
WEFT_LABEL(BindGroup, Kind::BindGroup)
WEFT_LABEL(BindGroupLayout, Kind::BindGroupLayout)
WEFT_LABEL(Buffer, Kind::Buffer)
WEFT_LABEL(CommandBuffer, Kind::CommandBuffer)
WEFT_LABEL(CommandEncoder, Kind::CommandEncoder)
WEFT_LABEL(ComputePassEncoder, Kind::ComputePass)
WEFT_LABEL(ComputePipeline, Kind::ComputePipeline)
WEFT_LABEL(Device, Kind::Device)
WEFT_LABEL(PipelineLayout, Kind::PipelineLayout)
WEFT_LABEL(QuerySet, Kind::QuerySet)
WEFT_LABEL(Queue, Kind::Queue)
WEFT_LABEL(RenderBundle, Kind::RenderBundle)
WEFT_LABEL(RenderBundleEncoder, Kind::RenderBundleEncoder)
WEFT_LABEL(RenderPassEncoder, Kind::RenderPass)
WEFT_LABEL(RenderPipeline, Kind::RenderPipeline)
WEFT_LABEL(Sampler, Kind::Sampler)
WEFT_LABEL(ShaderModule, Kind::ShaderModule)
WEFT_LABEL(Texture, Kind::Texture)
WEFT_LABEL(TextureView, Kind::TextureView)
#undef WEFT_LABEL

void VirtualGpu::Drop(Rep rep, Kind kind) noexcept {
  const Ref<VObject> object = table_->Drop(rep, kind);
  if (!object) return;
  if (kind == Kind::Buffer) {
    // Nobody can ask for the mapping any more, and an object that still reaches the buffer must be able to use it.
    auto* buffer = static_cast<VBuffer*>(object.get());
    if (buffer->map_state == wit::GpuBufferMapState::Pending) {
      buffer->AbortMap("the buffer's handle was dropped while its map was pending");
      gpu::ErrorCollector errors;  // a map that the library had refused: nobody's any more
      if (buffer->native && buffer->map_size > 0) wgpu().BufferUnmap(buffer->native.get());
    }
  } else if (kind == Kind::GpuError) {
    if (static_cast<VError*>(object.get())->from_stream) object->device()->StreamErrorRead();
  }
}

#define WEFT_DROP(Name, kind) \
  void VirtualGpu::OnDrop##Name(Rep rep) noexcept { Drop(rep, kind); }
WEFT_DROP(Gpu, Kind::Gpu)
WEFT_DROP(GpuAdapter, Kind::Adapter)
WEFT_DROP(GpuAdapterInfo, Kind::AdapterInfo)
WEFT_DROP(GpuBindGroup, Kind::BindGroup)
WEFT_DROP(GpuBindGroupLayout, Kind::BindGroupLayout)
WEFT_DROP(GpuBuffer, Kind::Buffer)
WEFT_DROP(GpuCommandBuffer, Kind::CommandBuffer)
WEFT_DROP(GpuCommandEncoder, Kind::CommandEncoder)
WEFT_DROP(GpuCompilationInfo, Kind::CompilationInfo)
WEFT_DROP(GpuCompilationMessage, Kind::CompilationMessage)
WEFT_DROP(GpuComputePassEncoder, Kind::ComputePass)
WEFT_DROP(GpuComputePipeline, Kind::ComputePipeline)
WEFT_DROP(GpuDevice, Kind::Device)
WEFT_DROP(GpuDeviceLostInfo, Kind::DeviceLostInfo)
WEFT_DROP(GpuError, Kind::GpuError)
WEFT_DROP(GpuPipelineLayout, Kind::PipelineLayout)
WEFT_DROP(GpuQuerySet, Kind::QuerySet)
WEFT_DROP(GpuQueue, Kind::Queue)
WEFT_DROP(GpuRenderBundle, Kind::RenderBundle)
WEFT_DROP(GpuRenderBundleEncoder, Kind::RenderBundleEncoder)
WEFT_DROP(GpuRenderPassEncoder, Kind::RenderPass)
WEFT_DROP(GpuRenderPipeline, Kind::RenderPipeline)
WEFT_DROP(GpuSampler, Kind::Sampler)
WEFT_DROP(GpuShaderModule, Kind::ShaderModule)
WEFT_DROP(GpuSupportedFeatures, Kind::SupportedFeatures)
WEFT_DROP(GpuSupportedLimits, Kind::SupportedLimits)
WEFT_DROP(GpuTexture, Kind::Texture)
WEFT_DROP(GpuTextureView, Kind::TextureView)
WEFT_DROP(RecordGpuPipelineConstantValue, Kind::RecordConstants)
WEFT_DROP(RecordOptionGpuSize64, Kind::RecordSize64)
WEFT_DROP(WgslLanguageFeatures, Kind::WgslLanguageFeatures)
#undef WEFT_DROP
// Nothing hands these out (dead leftovers of the interface), so there is nothing to drop.
void VirtualGpu::OnDropGpuCanvasContext(Rep) noexcept {}
void VirtualGpu::OnDropGpuUncapturedErrorEvent(Rep) noexcept {}

}  // namespace weft::host
