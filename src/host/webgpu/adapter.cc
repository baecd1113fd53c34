// SPDX-License-Identifier: Apache-2.0
// From get-gpu to a device (specification 4). Every step is virtual: the one real device exists already.
#include <algorithm>

#include "host/webgpu/convert.h"
#include "host/webgpu/limits.h"
#include "host/webgpu/values.h"
#include "host/webgpu/virtual_gpu.h"

namespace weft::host {

Result<Rep> VirtualGpu::OnGetGpu() { return Add(MakeRef<VGpu>(account_)); }

Result<wit::GpuTextureFormat> VirtualGpu::OnGpuGetPreferredCanvasFormat(Rep self) {
  WEFT_TRY_ASSIGN(auto gpu, Get<VGpu>(self));
  return wit::GpuTextureFormat::Bgra8unorm;
}

void VirtualGpu::OnGpuRequestAdapter(Rep self, const Opt<wit::GpuRequestAdapterOptions>& options, Completion<Opt<Rep>> done) {
  if (auto gpu = Get<VGpu>(self); !gpu) return done.Trap(gpu.error().message());
  if (options) {
    const std::string_view level = options->feature_level ? options->feature_level->view() : "core";
    if (level != "core" && level != "compatibility") return done.Done({});
    // A fallback adapter is a software one; there is one adapter only, so it fits or there is none.
    if (options->force_fallback_adapter.value_or(false) && !gpu_->info().software()) return done.Done({});
  }
  auto rep = Add(MakeRef<VAdapter>(account_));
  if (!rep) return done.Trap(rep.error().message());
  done.Done(Opt<Rep>(*rep));
}

Result<Rep> VirtualGpu::OnGpuAdapterFeatures(Rep self) {
  WEFT_TRY_ASSIGN(auto adapter, Get<VAdapter>(self));
  return Add(MakeRef<VSupportedFeatures>(account_, granted_features_));
}

Result<Rep> VirtualGpu::OnGpuAdapterLimits(Rep self) {
  WEFT_TRY_ASSIGN(auto adapter, Get<VAdapter>(self));
  return Add(MakeRef<VSupportedLimits>(account_, granted_limits_));
}

Result<Rep> VirtualGpu::OnGpuAdapterInfo(Rep self) {
  WEFT_TRY_ASSIGN(auto adapter, Get<VAdapter>(self));
  return Add(MakeRef<VAdapterInfo>(account_));
}

namespace {

using DeviceAnswer = Res<Rep, wit::RequestDeviceError>;

struct Refusal {
  wit::RequestDeviceErrorKind::Tag tag;
  std::string message;
};

std::optional<Refusal> CheckLimit(const LimitInfo* limit, std::string_view name, uint64_t asked, const WGPULimits& granted) {
  using Tag = wit::RequestDeviceErrorKind::Tag;
  if (!limit) return Refusal{Tag::OperationError, fmt::format("'{}' is not the name of a limit", name)};
  const uint64_t best = limit->Get(granted);
  if (limit->alignment) {
    if (asked == 0 || (asked & (asked - 1)) != 0 || asked > UINT32_MAX) {
      return Refusal{Tag::OperationError, fmt::format("limit {}: {} is not a power of two below 2^32", name, asked)};
    }
    if (asked < best)
      return Refusal{Tag::OperationError, fmt::format("limit {}: {} was asked for, the lowest granted is {}", name, asked, best)};
  } else if (asked > best) {
    return Refusal{Tag::OperationError, fmt::format("limit {}: {} was asked for, {} is granted", name, asked, best)};
  }
  return std::nullopt;
}

}  // namespace

void VirtualGpu::OnGpuAdapterRequestDevice(Rep self, const Opt<wit::GpuDeviceDescriptor>& descriptor, Completion<DeviceAnswer> done) {
  using Tag = wit::RequestDeviceErrorKind::Tag;
  auto refuse = [&](Tag tag, const std::string& message) { done.Done(DeviceAnswer::Err({{tag}, Str(message)})); };
  auto adapter = Get<VAdapter>(self);
  if (!adapter) return done.Trap(adapter.error().message());

  Features features;
  features[static_cast<size_t>(wit::GpuFeatureName::CoreFeaturesAndLimits)] = true;
  if (descriptor && descriptor->required_features) {
    for (const wit::GpuFeatureName f : *descriptor->required_features) {
      if (!Has(granted_features_, f)) return refuse(Tag::TypeError, fmt::format("feature '{}' is not granted", wit::ToString(f)));
      features[static_cast<size_t>(f)] = true;
    }
  }
  if ((*adapter)->consumed) return refuse(Tag::OperationError, "this adapter has given its device already; request another adapter");

  WGPULimits limits = granted_limits_;
  for (const LimitInfo& l : AllLimits()) {
    const uint64_t best = l.Get(granted_limits_);
    l.Set(limits, l.alignment ? std::max(l.standard, best) : std::min(l.standard, best));
  }
  if (descriptor && descriptor->required_limits) {
    auto record = Get<VRecordSize64>(*descriptor->required_limits);
    if (!record) return done.Trap(record.error().message());
    for (const auto& [name, value] : (*record)->entries) {
      if (!value) continue;
      const LimitInfo* limit = FindLimit(name);
      if (auto r = CheckLimit(limit, name, *value, granted_limits_)) return refuse(r->tag, r->message);
      if (limit->alignment ? *value < limit->Get(limits) : *value > limit->Get(limits)) limit->Set(limits, *value);
    }
  }

  (*adapter)->consumed = true;
  Ref<VDevice> device = plugin_device_;
  if (mode_ == GpuMode::Exec) {
    if (!account_->FitsObject(Kind::Device)) return done.Trap(QuotaSentence());
    const Opt<Str> label = descriptor ? descriptor->label : Opt<Str>();
    device = MakeDevice(label ? label->view() : std::string_view(), limits, features);
    const Opt<wit::GpuQueueDescriptor> queue = descriptor ? descriptor->default_queue : Opt<wit::GpuQueueDescriptor>();
    if (queue && queue->label) device->queue = MakeRef<VQueue>(account_, device, queue->label->view());
  }
  auto rep = Add(std::move(device));
  if (!rep) return done.Trap(rep.error().message());
  done.Done(DeviceAnswer::Ok(*rep));
}

// --- adapter info ---

Result<Str> VirtualGpu::OnGpuAdapterInfoVendor(Rep self) {
  WEFT_TRY_ASSIGN(auto info, Get<VAdapterInfo>(self));
  return Str(gpu_->info().vendor);
}

Result<Str> VirtualGpu::OnGpuAdapterInfoArchitecture(Rep self) {
  WEFT_TRY_ASSIGN(auto info, Get<VAdapterInfo>(self));
  return Str(gpu_->info().architecture);
}

Result<Str> VirtualGpu::OnGpuAdapterInfoDevice(Rep self) {
  WEFT_TRY_ASSIGN(auto info, Get<VAdapterInfo>(self));
  return Str(gpu_->info().device);
}

Result<Str> VirtualGpu::OnGpuAdapterInfoDescription(Rep self) {
  WEFT_TRY_ASSIGN(auto info, Get<VAdapterInfo>(self));
  return Str(gpu_->info().description);
}

Result<uint32_t> VirtualGpu::OnGpuAdapterInfoSubgroupMinSize(Rep self) {
  WEFT_TRY_ASSIGN(auto info, Get<VAdapterInfo>(self));
  return gpu_->info().subgroup_min_size ? gpu_->info().subgroup_min_size : 4;  // 4 and 128: the bounds of WGSL, where nothing is known
}

Result<uint32_t> VirtualGpu::OnGpuAdapterInfoSubgroupMaxSize(Rep self) {
  WEFT_TRY_ASSIGN(auto info, Get<VAdapterInfo>(self));
  return gpu_->info().subgroup_max_size ? gpu_->info().subgroup_max_size : 128;
}

Result<bool> VirtualGpu::OnGpuAdapterInfoIsFallbackAdapter(Rep self) {
  WEFT_TRY_ASSIGN(auto info, Get<VAdapterInfo>(self));
  return gpu_->info().software();
}

// --- what a device tells of itself ---

Result<Rep> VirtualGpu::OnGpuDeviceFeatures(Rep self) {
  WEFT_TRY_ASSIGN(auto device, Get<VDevice>(self));
  return Add(MakeRef<VSupportedFeatures>(account_, device->features()));
}

Result<Rep> VirtualGpu::OnGpuDeviceLimits(Rep self) {
  WEFT_TRY_ASSIGN(auto device, Get<VDevice>(self));
  return Add(MakeRef<VSupportedLimits>(account_, device->limits()));
}

Result<Rep> VirtualGpu::OnGpuDeviceAdapterInfo(Rep self) {
  WEFT_TRY_ASSIGN(auto device, Get<VDevice>(self));
  return Add(MakeRef<VAdapterInfo>(account_));
}

Result<Rep> VirtualGpu::OnGpuDeviceQueue(Rep self) {
  WEFT_TRY_ASSIGN(auto device, Get<VDevice>(self));
  if (!device->queue) device->queue = MakeRef<VQueue>(account_, device, std::string_view());
  return Add(device->queue);
}

}  // namespace weft::host
