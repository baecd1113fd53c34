// SPDX-License-Identifier: Apache-2.0
#include "host/webgpu/virtual_gpu.h"

#include <algorithm>

#include "host/webgpu/convert.h"
#include "host/webgpu/limits.h"
#include "host/webgpu/loss_relay.h"
#include "host/webgpu/submit_state.h"
#include "host/webgpu/values.h"

namespace weft::host {

VirtualGpu::VirtualGpu(VirtualGpuOptions options)
    : gpu_(std::move(options.device)),
      mode_(options.mode),
      log_(std::move(options.log)),
      account_(MakeRef<Account>(options.quotas)),
      table_(MakeRef<Table>(account_)),
      granted_limits_(GrantedLimits(*gpu_)),
      granted_features_(GrantedFeatures(*gpu_)),
      loss_(MakeRef<LossRelay>()) {
  frame_objects_.prev = frame_objects_.next = &frame_objects_;
  gpu_->OnLost([relay = loss_](gpu::LossReason, const std::string& message) { relay->Lose(message); });
  if (mode_ == GpuMode::Plugin) plugin_device_ = MakeDevice({}, granted_limits_, granted_features_);
}

VirtualGpu::~VirtualGpu() {
  submits_.reset();
  groups_.Clear();
  views_.Clear();
  loss_->Close();
  for (auto& device : devices_) device->Close();
  for (auto& object : table_->Close()) {
    if (object && object->kind() == Kind::Buffer) static_cast<VBuffer*>(object.get())->AbortMap("the instance has ended");
  }
  frames_.clear();
  // Nothing is left in the ring: what stood there was reached from the table only.
  frame_objects_.prev = frame_objects_.next = nullptr;
}

Ref<VDevice> VirtualGpu::MakeDevice(std::string_view label, const WGPULimits& limits, Features features) {
  auto device = MakeRef<VDevice>(account_, gpu_, table_, log_, label, limits, features);
  devices_.push_back(device);
  loss_->Add(device);
  return device;
}

Result<Rep> VirtualGpu::CreateDeviceRep() {
  WEFT_CHECK(plugin_device_);
  return Add(plugin_device_);
}

Result<Rep> VirtualGpu::ImportTexture(WGPUTexture native, TextureInfo info, const Rights& rights, uint64_t frame, std::string_view label) {
  WEFT_CHECK(plugin_device_);
  info.usage = rights.usage;
  return Add(LendTexture(plugin_device_, native, std::move(info), frame, label));
}

Ref<VTexture> VirtualGpu::LendTexture(Ref<VDevice> device, WGPUTexture native, TextureInfo info, uint64_t frame, std::string_view label) {
  WEFT_CHECK(native && frame != kNoFrame);
  auto texture = MakeRef<VTexture>(account_, std::move(device), label, std::move(info), frame);
  wgpu().TextureAddRef(native);
  texture->native = gpu_->Own(native);
  frames_[frame].push_back(texture);
  return texture;
}

Result<Rep> VirtualGpu::ImportBuffer(WGPUBuffer native, uint64_t size, const Rights& rights, uint64_t frame, std::string_view label) {
  WEFT_CHECK(plugin_device_ && native && frame != kNoFrame);
  using U = wit::GpuBufferUsage;
  uint32_t usage = rights.usage & ~(U::MapRead | U::MapWrite);
  if (!rights.writable) usage &= ~(U::CopyDst | U::QueryResolve);
  auto buffer = MakeRef<VBuffer>(account_, plugin_device_, label, size, usage, frame);
  buffer->set_writable(rights.writable);
  wgpu().BufferAddRef(native);
  buffer->native = gpu_->Own(native);
  frames_[frame].push_back(buffer);
  return Add(std::move(buffer));
}

void VirtualGpu::RevokeFrame(uint64_t frame) {
  if (submits_ && !submits_->pending.empty()) FlushSubmits();
  const auto lent = frames_.find(frame);
  ++frames_over_;
  views_.NextFrame();
  groups_.NextFrame();
  if (lent == frames_.end()) return;
  for (auto& resource : lent->second) resource->End(VResource::State::Revoked);
  for (VReaching::Link* link = frame_objects_.next; link != &frame_objects_;) {
    VReaching::Link* next = link->next;
    VReaching* object = link->owner;
    const auto& items = object->reach().items();
    if (std::any_of(items.begin(), items.end(), [&](const Ref<VResource>& r) { return r->frame() == frame; })) {
      link->Unlink();
      object->DropNative();
    }
    link = next;
  }
  frames_.erase(lent);
}

void VirtualGpu::Watch(VReaching* object) {
  VReaching::Link& link = object->frame_link_;
  if (link.next) return;
  const auto& items = object->reach().items();
  if (std::none_of(items.begin(), items.end(), [](const Ref<VResource>& r) { return r->imported(); })) return;
  link.owner = object;
  link.prev = frame_objects_.prev;
  link.next = &frame_objects_;
  link.prev->next = &link;
  frame_objects_.prev = &link;
}

std::vector<DeviceError> VirtualGpu::TakeUncapturedErrors() {
  std::vector<DeviceError> all;
  for (auto& device : devices_) {
    for (auto& error : device->TakeUncaptured()) all.push_back(std::move(error));
  }
  return all;
}

uint64_t VirtualGpu::errors_reported() const {
  uint64_t n = 0;
  for (const auto& device : devices_) n += device->reported();
  return n;
}

bool VirtualGpu::device_destroyed() const { return plugin_device_ && plugin_device_->lost() && !gpu_->lost(); }

VirtualGpu::Stats VirtualGpu::stats() const {
  Stats s;
  s.rows = table_->rows();
  s.objects = account_->objects();
  s.buffers = static_cast<uint32_t>(account_->held(Quota::Buffers));
  s.textures = static_cast<uint32_t>(account_->held(Quota::Textures));
  s.gpu_bytes = account_->held(Quota::Bytes);
  s.shader_bytes = account_->held(Quota::ShaderBytes);
  s.frames = frames_.size();
  for (const VReaching::Link* link = frame_objects_.next; link != &frame_objects_; link = link->next) ++s.frame_objects;
  return s;
}

std::optional<std::string> VirtualGpu::UseRefusal(const VDevice* device, const VObject& object) {
  if (object.device() != device) return fmt::format("{} belongs to another device", object.Name());
  if (!object.valid()) return fmt::format("{} is invalid: its creation failed", object.Name());
  if (device->lost()) return std::string("the device is lost");
  return std::nullopt;
}

std::string VirtualGpu::QuotaSentence() const { return account_->failure().value_or("quota: the plugin's limit is reached"); }

Str VirtualGpu::Keep(std::string text) {
  kept_text_ = std::move(text);
  return Str(kept_text_);
}

}  // namespace weft::host
