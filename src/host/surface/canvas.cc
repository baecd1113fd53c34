// SPDX-License-Identifier: Apache-2.0
#include "host/surface/canvas.h"

#include <algorithm>

#include "base/fail.h"
#include "gpu/clear.h"
#include "host/webgpu/convert.h"
#include "host/webgpu/texture_rules.h"

namespace weft::host {

Canvas::Canvas(Ref<gpu::Device> device, VirtualGpu* gpu, Window* window)
    : device_(std::move(device)), gpu_(*gpu), window_(*window), writer_(device_) {}

Result<Canvas::Context*> Canvas::Get(wasm::Rep rep) const {
  if (rep >= 1 && rep <= contexts_.size() && contexts_[rep - 1]) return contexts_[rep - 1].get();
  return Fail(ErrorKind::GuestTrap, "there is no webgpu context {}", rep);
}

void Canvas::Expire(Context& context) {
  if (context.current) gpu_.RevokeFrame(context.lease);
  context.current = nullptr;
  context.texture = nullptr;
}

void Canvas::OnDropContext(wasm::Rep rep) noexcept {
  auto context = Get(rep);
  if (!context) return;
  Expire(**context);
  contexts_[rep - 1].reset();
}

Result<wasm::Rep> Canvas::OnContextNew(wasm::Rep surface) {
  WEFT_TRY(window_.CheckSurface(surface));
  auto free = std::find(contexts_.begin(), contexts_.end(), nullptr);
  if (free == contexts_.end()) {
    if (contexts_.size() >= kMostContexts) {
      return Fail(ErrorKind::GuestTrap, "the component holds {} webgpu contexts, and that is the limit", kMostContexts);
    }
    free = contexts_.insert(free, nullptr);
  }
  *free = std::make_unique<Context>();
  return static_cast<wasm::Rep>(free - contexts_.begin() + 1);
}

Status Canvas::OnContextConfigure(wasm::Rep self, const wsf::ContextConfiguration& c) {
  using F = wit::GpuTextureFormat;
  using U = wit::GpuTextureUsage;
  WEFT_TRY_ASSIGN(Context * context, Get(self));
  WEFT_TRY_ASSIGN(auto device, gpu_.Get<VDevice>(c.device));
  if (c.format != F::Bgra8unorm && c.format != F::Rgba8unorm && c.format != F::Rgba16float) {
    return Fail(ErrorKind::GuestTrap, "context.configure: format {} cannot be shown; bgra8unorm, rgba8unorm and rgba16float can",
                wit::ToString(c.format));
  }
  const uint32_t usage = c.usage ? c.usage->bits : U::RenderAttachment;
  if (usage & U::TransientAttachment) return Fail(ErrorKind::GuestTrap, "context.configure: usage transient-attachment cannot be shown");
  Expire(*context);
  context->info = {};
  context->info.format = c.format;
  context->info.usage = usage;
  constexpr size_t kMaxViewFormats = 2 * wit::kGpuTextureFormatCount;
  if (c.view_formats) {
    if (c.view_formats->size > kMaxViewFormats) {
      return Fail(ErrorKind::GuestTrap, "context.configure: {} view formats are more than there are formats", c.view_formats->size);
    }
    context->info.view_formats.assign(c.view_formats->begin(), c.view_formats->end());
  }
  context->opaque = c.alpha_mode.value_or(wit::GpuCanvasAlphaMode::Opaque) == wit::GpuCanvasAlphaMode::Opaque;
  context->p3 = c.color_space.value_or(wit::PredefinedColorSpace::Srgb) == wit::PredefinedColorSpace::DisplayP3;
  TextureInfo sized = context->info;
  sized.width = window_.width();
  sized.height = window_.height();
  if (!device->lost()) {
    if (auto why = TextureRefusal(sized, *device)) device->Validation(fmt::format("context.configure: {}", *why));
  }
  context->device = std::move(device);
  window_.Expect(ToNative(c.format), context->opaque, context->p3);
  return {};
}

Status Canvas::OnContextUnconfigure(wasm::Rep self) {
  WEFT_TRY_ASSIGN(Context * context, Get(self));
  Expire(*context);
  context->device = nullptr;
  return {};
}

// The specification hands out zeros, and the pool what somebody left.
Result<Ref<gpu::PoolTexture>> Canvas::ClearTexture(const gpu::TextureKey& key) {
  WEFT_TRY_ASSIGN(auto texture, device_->textures().Acquire(key, writer_.id()));
  if (texture->last_writer() != 0) {
    gpu::ErrorCollector errors;
    auto encoder = device_->Own(device_->procs().DeviceCreateCommandEncoder(device_->handle(), nullptr));
    WEFT_TRY(gpu::EncodeClear(encoder.get(), *texture));
    auto commands = device_->Own(device_->procs().CommandEncoderFinish(encoder.get(), nullptr));
    WEFT_TRY(device_->Outcome(errors, "clearing the current texture"));
    device_->SubmitLater(commands.get());
  }
  texture->set_last_writer(writer_.id());
  return texture;
}

Result<wasm::Rep> Canvas::OnContextGetCurrentTexture(wasm::Rep self) {
  WEFT_TRY_ASSIGN(Context * context, Get(self));
  if (!context->device) return Fail(ErrorKind::GuestTrap, "context.get-current-texture: the context is not configured");
  const uint32_t width = window_.width(), height = window_.height();
  if (context->current && (context->current->info().width != width || context->current->info().height != height)) Expire(*context);
  if (context->current) return gpu_.Add(context->current);
  TextureInfo info = context->info;
  info.width = width;
  info.height = height;
  VDevice* device = context->device.get();
  const auto why = device->lost() ? std::nullopt : TextureRefusal(info, *device);
  if (device->lost() || why) {
    auto texture = gpu_.Make<VTexture>(context->device, wasm::Opt<wasm::Str>(), info);
    texture->Invalidate();
    if (why) device->Validation(fmt::format("context.get-current-texture: {}", *why));
    context->current = texture;
    context->lease = ++next_lease_;  // of nothing
    return gpu_.Add(std::move(texture));
  }
  const WGPUTextureFormat format = ToNative(info.format);
  WEFT_TRY_ASSIGN(context->texture, ClearTexture({width, height, format, gpu::FullUsage(*device_, format)}));
  context->lease = ++next_lease_;
  context->current = gpu_.LendTexture(context->device, context->texture->texture(), std::move(info), context->lease, "current texture");
  return gpu_.Add(context->current);
}

Status Canvas::OnContextPresent(wasm::Rep self) {
  WEFT_TRY_ASSIGN(Context * context, Get(self));
  if (!context->current) {
    return Fail(ErrorKind::GuestTrap, "context.present: there is no current texture to show; call get-current-texture before it");
  }
  const VTexture& current = *context->current;
  if (current.device()->lost())
    return Fail(ErrorKind::GuestTrap, "context.present: the device of the current texture is destroyed or lost");
  if (!current.valid()) return Fail(ErrorKind::GuestTrap, "context.present: the current texture is invalid: its creation failed");
  if (!current.alive()) return Fail(ErrorKind::GuestTrap, "context.present: the current texture is destroyed");
  Ref<gpu::PoolTexture> texture = context->texture;
  // Sends what was submitted, and ends the loan.
  gpu_.FlushSubmits();
  Expire(*context);
  Picture picture;
  picture.width = texture->width();
  picture.height = texture->height();
  picture.texture = std::move(texture);
  picture.opaque = context->opaque;
  picture.p3 = context->p3;
  window_.Present(std::move(picture));
  return {};
}

}  // namespace weft::host
