// SPDX-License-Identifier: Apache-2.0
#include "host/webgpu/objects.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/webgpu/virtual_device.h"

namespace weft::host {

VObject::VObject(Kind kind, Ref<Account> account, Ref<VDevice> device, std::string_view label)
    : kind_(kind), account_(std::move(account)), device_(std::move(device)), label_(label.substr(0, kMaxLabel)) {
  account_->ObjectBorn(kind_);
}

VObject::~VObject() { account_->ObjectGone(kind_); }

std::string VObject::Name() const {
  if (label_.empty()) return fmt::format("{} without a label", KindName(kind_));
  return fmt::format("{} '{}'", KindName(kind_), label_);
}

// --- buffers ---

void VBuffer::GiveBack() {
  if (charged_) {
    account()->Refund(Quota::Bytes, charged_);
    device()->gpu().counters().BufferGone(charged_);
  }
  charged_ = 0;
}

void VBuffer::Charged() {
  charged_ = size_;
  counted_ = true;
  if (size_) device()->gpu().counters().BufferCreated(size_);
}

bool VBuffer::ChargeMap(uint64_t bytes) {
  if (!account()->Charge(Quota::MappedBytes, bytes)) return false;
  map_charged_ += bytes;
  return true;
}

void VBuffer::RefundMap() {
  if (const uint64_t bytes = map_charged_.exchange(0)) account()->Refund(Quota::MappedBytes, bytes);
}

VBuffer::~VBuffer() {
  RefundMap();
  GiveBack();
  if (counted_) account()->Refund(Quota::Buffers, 1);
}

void VBuffer::End(State how) {
  if (state_ != State::Alive) return;
  state_ = how;
  AbortMap("the buffer was destroyed");
  if (native && !imported()) device()->wgpu().BufferDestroy(native.get());
  native.Reset();
  mapped_data = nullptr;
  GiveBack();
}

void VBuffer::AbortMap(std::string_view why) {
  MapDone done;
  {
    std::lock_guard lock(map_mutex);
    map_state.store(wit::GpuBufferMapState::Unmapped, std::memory_order_release);
    ++generation;
    RefundMap();
    done = std::move(pending);
  }
  if (done) done.Done(wit::Res<Unit, wit::MapAsyncError>::Err({{wit::MapAsyncErrorKind::Tag::AbortError}, Str(why)}));
}

// --- textures ---

void VTexture::GiveBack() {
  if (charged_) {
    account()->Refund(Quota::Bytes, charged_);
    device()->gpu().counters().TextureGone(charged_);
  }
  charged_ = 0;
}

void VTexture::Charged(uint64_t bytes) {
  charged_ = bytes;
  counted_ = true;
  if (bytes) device()->gpu().counters().TextureCreated(bytes);
}

VTexture::~VTexture() {
  GiveBack();
  if (counted_) account()->Refund(Quota::Textures, 1);
}

void VTexture::End(State how) {
  if (state_ != State::Alive) return;
  state_ = how;
  if (native && !imported()) device()->wgpu().TextureDestroy(native.get());
  native.Reset();
  GiveBack();
}

VTextureView::VTextureView(Ref<Account> account, Ref<VDevice> device, std::string_view label, Ref<VTexture> texture)
    : VReaching(kKind, std::move(account), std::move(device), label), texture_(std::move(texture)) {
  reach_.Add(texture_.get());
}

uint32_t VTextureView::width() const { return std::max(1u, texture_->info().width >> base_mip); }
uint32_t VTextureView::height() const {
  return texture_->info().dimension == wit::GpuTextureDimension::D1 ? 1 : std::max(1u, texture_->info().height >> base_mip);
}
uint32_t VTextureView::depth() const {
  return texture_->info().dimension == wit::GpuTextureDimension::D3 ? std::max(1u, texture_->info().depth_or_layers >> base_mip) : 1;
}

void VQuerySet::End(State how) {
  if (state_ != State::Alive) return;
  state_ = how;
  // Not by its destroy function: the library ends the process when a set is released after that; release alone frees it too.
  device()->gpu().Retire(std::move(native));
}

VQuerySet::~VQuerySet() { device()->gpu().Retire(std::move(native)); }

// --- layouts, shaders ---

const BindingLayout* VBindGroupLayout::Find(uint32_t binding) const {
  const auto it =
      std::lower_bound(entries.begin(), entries.end(), binding, [](const BindingLayout& e, uint32_t b) { return e.binding < b; });
  return it != entries.end() && it->binding == binding ? &*it : nullptr;
}

bool VBindGroupLayout::Equivalent(const VBindGroupLayout& o) const {
  if (this == &o) return true;
  return exclusive == o.exclusive && exclusive_index == o.exclusive_index && entries == o.entries;
}

VShaderModule::~VShaderModule() { account()->Refund(Quota::ShaderBytes, charged); }

VBindGroup::~VBindGroup() { account()->Refund(Quota::BindGroupEntries, charged); }

}  // namespace weft::host
