// SPDX-License-Identifier: Apache-2.0
// The supported limits of WebGPU as data: name, where it stands in WGPULimits, default, and which way is better.
#pragma once

#include <webgpu.h>

#include <span>
#include <string_view>

#include "gpu/device.h"
#include "host/webgpu/virtual_device.h"

namespace weft::host {

struct LimitInfo {
  std::string_view name;  // as required-limits spells it
  uint32_t WGPULimits::* u32 = nullptr;
  uint64_t WGPULimits::* u64 = nullptr;
  uint64_t standard = 0;   // what a device has that asks for nothing
  bool alignment = false;  // lower is better, and a power of two

  uint64_t Get(const WGPULimits& l) const { return u32 ? l.*u32 : l.*u64; }
  void Set(WGPULimits& l, uint64_t v) const {
    if (u32) {
      l.*u32 = static_cast<uint32_t>(v);
    } else {
      l.*u64 = v;
    }
  }
};
std::span<const LimitInfo> AllLimits();
const LimitInfo* FindLimit(std::string_view name);

// What instances may use of the real device: its limits, with the standard value where the library is silent.
WGPULimits GrantedLimits(const gpu::Device& device);
Features GrantedFeatures(const gpu::Device& device);

}  // namespace weft::host
