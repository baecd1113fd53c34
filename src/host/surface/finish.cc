// SPDX-License-Identifier: Apache-2.0
#include "host/surface/finish.h"

#include "base/fail.h"
#include "gpu/kernel.h"
#include "gpu/transfer.h"

namespace weft::host {

namespace {

constexpr std::string_view kWgsl = R"(
@group(0) @binding(0) var picture: texture_2d<f32>;
@vertex fn cover(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i & 1u) * 4.0 - 1.0, f32(i >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}
@fragment fn copy(@builtin(position) at: vec4f) -> @location(0) vec4f { return textureLoad(picture, vec2u(at.xy), 0); }
@fragment fn copy_opaque(@builtin(position) at: vec4f) -> @location(0) vec4f {
  return vec4f(textureLoad(picture, vec2u(at.xy), 0).rgb, 1.0);
}
@fragment fn one() -> @location(0) vec4f { return vec4f(1.0); }
)";

}  // namespace

PictureFinisher::PictureFinisher(Ref<gpu::Device> device) : device_(std::move(device)), writer_(device_) {}

Result<WGPURenderPipeline> PictureFinisher::Pipeline(gpu::Owned<WGPURenderPipeline>& kept, WGPUTextureFormat format, std::string_view entry,
                                                     bool alpha_only) {
  if (kept) return kept.get();
  if (!shader_) {
    WEFT_TRY_ASSIGN(shader_, gpu::MakeShaderModule(*device_, kWgsl, "presented picture"));
  }
  WEFT_TRY_ASSIGN(kept, device_->RunOnBigStack([&]() -> Result<gpu::Owned<WGPURenderPipeline>> {
    WGPUColorTargetState target = WGPU_COLOR_TARGET_STATE_INIT;
    target.format = format;
    target.writeMask = alpha_only ? WGPUColorWriteMask_Alpha : WGPUColorWriteMask_All;
    WGPUFragmentState fragment = WGPU_FRAGMENT_STATE_INIT;
    fragment.module = shader_.get();
    fragment.entryPoint = gpu::Str(entry);
    fragment.targetCount = 1;
    fragment.targets = &target;
    WGPURenderPipelineDescriptor d = WGPU_RENDER_PIPELINE_DESCRIPTOR_INIT;
    d.label = gpu::Str("presented picture");
    d.vertex.module = shader_.get();
    d.vertex.entryPoint = gpu::Str("cover");
    d.primitive.topology = WGPUPrimitiveTopology_TriangleList;
    d.multisample.count = 1;
    d.multisample.mask = 0xFFFFFFFFu;
    d.fragment = &fragment;
    gpu::ErrorCollector errors;
    auto pipeline = device_->Own(device_->procs().DeviceCreateRenderPipeline(device_->handle(), &d));
    WEFT_TRY(device_->Outcome(errors, "the pipeline of presented pictures"));
    return pipeline;
  }));
  return kept.get();
}

Status PictureFinisher::Draw(const gpu::PoolTexture* from, const gpu::PoolTexture& to, WGPURenderPipeline pipeline) {
  const gpu::Procs& wgpu = device_->procs();
  gpu::ErrorCollector errors;
  auto encoder = device_->Own(wgpu.DeviceCreateCommandEncoder(device_->handle(), nullptr));
  WGPURenderPassColorAttachment attachment = WGPU_RENDER_PASS_COLOR_ATTACHMENT_INIT;
  attachment.view = to.View();
  attachment.loadOp = from ? WGPULoadOp_Clear : WGPULoadOp_Load;
  attachment.storeOp = WGPUStoreOp_Store;
  WGPURenderPassDescriptor pass_descriptor = WGPU_RENDER_PASS_DESCRIPTOR_INIT;
  pass_descriptor.colorAttachmentCount = 1;
  pass_descriptor.colorAttachments = &attachment;
  auto pass = device_->Own(wgpu.CommandEncoderBeginRenderPass(encoder.get(), &pass_descriptor));
  wgpu.RenderPassEncoderSetPipeline(pass.get(), pipeline);
  gpu::Owned<WGPUBindGroup> group;
  if (from) {
    auto layout = device_->Own(wgpu.RenderPipelineGetBindGroupLayout(pipeline, 0));
    WGPUBindGroupEntry entry = WGPU_BIND_GROUP_ENTRY_INIT;
    entry.textureView = from->View();
    WGPUBindGroupDescriptor d = WGPU_BIND_GROUP_DESCRIPTOR_INIT;
    d.layout = layout.get();
    d.entryCount = 1;
    d.entries = &entry;
    group = device_->Own(wgpu.DeviceCreateBindGroup(device_->handle(), &d));
    wgpu.RenderPassEncoderSetBindGroup(pass.get(), 0, group.get(), 0, nullptr);
  }
  wgpu.RenderPassEncoderDraw(pass.get(), 3, 1, 0, 0);
  wgpu.RenderPassEncoderEnd(pass.get());
  auto commands = device_->Own(wgpu.CommandEncoderFinish(encoder.get(), nullptr));
  WEFT_TRY(device_->Outcome(errors, "finishing a presented picture"));
  device_->SubmitLater(commands.get());
  return {};
}

Result<Ref<gpu::PoolTexture>> PictureFinisher::Upload(const Picture& picture) {
  constexpr WGPUTextureFormat kFormat = WGPUTextureFormat_BGRA8Unorm;
  WEFT_TRY_ASSIGN(auto texture,
                  device_->textures().Acquire({picture.width, picture.height, kFormat, gpu::FullUsage(*device_, kFormat)}, writer_.id()));
  texture->set_last_writer(writer_.id());
  WEFT_TRY(gpu::UploadTexture(*texture, picture.pixels->data(), static_cast<ptrdiff_t>(picture.width) * 4));
  return texture;
}

Result<Ref<gpu::PoolTexture>> PictureFinisher::Finish(const Picture& picture) {
  Ref<gpu::PoolTexture> shown = picture.texture;
  if (!shown) {
    WEFT_TRY_ASSIGN(shown, Upload(picture));
  }
  if (shown->format() != WGPUTextureFormat_BGRA8Unorm) {
    if (!picture.opaque) return shown;
    const bool half = shown->format() == WGPUTextureFormat_RGBA16Float;
    WEFT_TRY_ASSIGN(auto pipeline, Pipeline(half ? alpha16_ : alpha8_, shown->format(), "one", true));
    WEFT_TRY(Draw(nullptr, *shown, pipeline));
    return shown;
  }
  constexpr WGPUTextureFormat kFormat = WGPUTextureFormat_RGBA8Unorm;
  WEFT_TRY_ASSIGN(auto pipeline, Pipeline(picture.opaque ? copy_opaque_ : copy_, kFormat, picture.opaque ? "copy_opaque" : "copy", false));
  WEFT_TRY_ASSIGN(auto texture,
                  device_->textures().Acquire({shown->width(), shown->height(), kFormat, gpu::FullUsage(*device_, kFormat)}, writer_.id()));
  texture->set_last_writer(writer_.id());
  WEFT_TRY(Draw(shown.get(), *texture, pipeline));
  device_->counters().TextureCopy();
  return texture;
}

}  // namespace weft::host
