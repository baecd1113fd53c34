// SPDX-License-Identifier: Apache-2.0
#include "bystander.h"

#include <cstring>

#include "gpu/texture_pool.h"
#include "gpu/transfer.h"
#include "needs.h"

namespace weft::fuzz {

namespace {
constexpr std::string_view kShader = R"(
@group(0) @binding(0) var<uniform> tint: vec4f;
@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i32(i & 1u) * 4 - 1), f32(i32(i >> 1u) * 4 - 1), 0.0, 1.0);
}
@fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f { return vec4f(p.x / 16.0, p.y / 16.0, tint.x, 1.0); }
)";
}  // namespace

gpu::TextureKey LentKey(const gpu::Device& device) {
  return {kSide, kSide, WGPUTextureFormat_RGBA8Unorm, gpu::FullUsage(device, WGPUTextureFormat_RGBA8Unorm)};
}

host::TextureInfo LentInfo() {
  host::TextureInfo info;
  info.format = TF::Rgba8unorm;
  info.width = info.height = kSide;
  info.view_formats = {TF::Rgba8unormSrgb};
  return info;
}

Bystander::Bystander(const Ref<gpu::Device>& device) : device_(device), gpu_({device, host::GpuMode::Plugin, {}, {}}) {}

Result<std::unique_ptr<Bystander>> Bystander::Create(const Ref<gpu::Device>& device) {
  std::unique_ptr<Bystander> b(new Bystander(device));
  WEFT_TRY(b->Prepare());
  WEFT_TRY_ASSIGN(b->first_, b->Draw());
  return b;
}

Status Bystander::Errors() {
  const auto errors = gpu_.TakeUncapturedErrors();
  if (errors.empty()) return {};
  return Fail(ErrorKind::Internal, "the bystander got an error: {}", errors.front().message);
}

Status Bystander::Prepare() {
  WEFT_TRY_ASSIGN(handle_, gpu_.CreateDeviceRep());
  WEFT_TRY_ASSIGN(queue_, gpu_.OnGpuDeviceQueue(handle_));
  wit::GpuShaderModuleDescriptor m;
  m.code = Str(kShader);
  WEFT_TRY_ASSIGN(const Rep module, gpu_.OnGpuDeviceCreateShaderModule(handle_, m));
  const Opt<wit::GpuColorTargetState> target(wit::GpuColorTargetState{TF::Rgba8unorm, {}, {}});
  wit::GpuRenderPipelineDescriptor d;
  d.vertex.module = module;
  wit::GpuFragmentState f;
  f.module = module;
  f.targets = {&target, 1};
  d.fragment = f;
  d.layout.tag = wit::GpuLayoutMode::Tag::Auto;
  WEFT_TRY_ASSIGN(pipeline_, gpu_.OnGpuDeviceCreateRenderPipeline(handle_, d));
  WEFT_TRY_ASSIGN(const Rep layout, gpu_.OnGpuRenderPipelineGetBindGroupLayout(pipeline_, 0));
  wit::GpuBufferDescriptor b;
  b.size = 16;
  b.usage.bits = BU::Uniform | BU::CopyDst;
  WEFT_TRY_ASSIGN(uniform_, gpu_.OnGpuDeviceCreateBuffer(handle_, b));
  wit::GpuBindGroupEntry entry;
  entry.resource.tag = wit::GpuBindingResource::Tag::GpuBuffer;
  entry.resource.gpu_buffer = uniform_;
  wit::GpuBindGroupDescriptor g;
  g.layout = layout;
  g.entries = {&entry, 1};
  WEFT_TRY_ASSIGN(group_, gpu_.OnGpuDeviceCreateBindGroup(handle_, g));
  return Errors();
}

Result<std::vector<std::byte>> Bystander::Draw() {
  ++frame_;
  WEFT_TRY_ASSIGN(auto texture, device_->textures().Acquire(LentKey(*device_)));
  WEFT_TRY_ASSIGN(const Rep lent, gpu_.ImportTexture(texture->texture(), LentInfo(), {TU::RenderAttachment}, frame_, "out"));
  WEFT_TRY_ASSIGN(const Rep view, gpu_.OnGpuTextureCreateView(lent, {}));
  const float tint[4] = {0.5f, 0, 0, 0};
  WEFT_TRY(gpu_.OnGpuQueueWriteBufferWithCopy(queue_, uniform_, 0, {reinterpret_cast<const uint8_t*>(tint), sizeof tint}, {}, {}));
  WEFT_TRY_ASSIGN(const Rep encoder, gpu_.OnGpuDeviceCreateCommandEncoder(handle_, {}));
  wit::GpuRenderPassColorAttachment a;
  a.view = view;
  a.load_op = wit::GpuLoadOp::Clear;
  a.store_op = wit::GpuStoreOp::Store;
  const Opt<wit::GpuRenderPassColorAttachment> color(a);
  wit::GpuRenderPassDescriptor d;
  d.color_attachments = {&color, 1};
  WEFT_TRY_ASSIGN(const Rep pass, gpu_.OnGpuCommandEncoderBeginRenderPass(encoder, d));
  WEFT_TRY(gpu_.OnGpuRenderPassEncoderSetPipeline(pass, pipeline_));
  WEFT_TRY(gpu_.OnGpuRenderPassEncoderSetBindGroup(pass, 0, Opt<Rep>(group_), {}, {}, {}));
  WEFT_TRY(gpu_.OnGpuRenderPassEncoderDraw(pass, 3, {}, {}, {}));
  WEFT_TRY(gpu_.OnGpuRenderPassEncoderEnd(pass));
  WEFT_TRY_ASSIGN(const Rep commands, gpu_.OnGpuCommandEncoderFinish(encoder, {}));
  WEFT_TRY(gpu_.OnGpuQueueSubmit(queue_, {&commands, 1}));
  gpu_.RevokeFrame(frame_);
  gpu_.OnDropGpuRenderPassEncoder(pass);
  gpu_.OnDropGpuCommandEncoder(encoder);
  gpu_.OnDropGpuCommandBuffer(commands);
  gpu_.OnDropGpuTextureView(view);
  gpu_.OnDropGpuTexture(lent);
  WEFT_TRY(Errors());
  return gpu::ReadTextureNow(*texture);
}

Status Bystander::Check() {
  WEFT_TRY_ASSIGN(const auto pixels, Draw());
  if (pixels == first_) return {};
  size_t at = 0;
  while (at < pixels.size() && at < first_.size() && pixels[at] == first_[at]) ++at;
  return Fail(ErrorKind::Internal, "the bystander's frame differs from its first one, from byte {} on", at);
}

}  // namespace weft::fuzz
