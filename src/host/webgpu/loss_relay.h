// SPDX-License-Identifier: Apache-2.0
// LossRelay: takes the real device's loss to the virtual devices of one instance, and forgets them when the instance ends (the real
// device keeps its callbacks for good). Any thread.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "host/webgpu/virtual_gpu.h"

namespace weft::host {

struct VirtualGpu::LossRelay : RefCounted {
  void Add(Ref<VDevice> device) {
    std::string message;
    {
      std::lock_guard lock(mutex);
      if (!lost) {
        devices.push_back(std::move(device));
        return;
      }
      message = loss_message;
    }
    device->Lose(wit::GpuDeviceLostReason::Unknown, message);
  }
  void Lose(const std::string& message) {
    std::vector<Ref<VDevice>> all;
    {
      std::lock_guard lock(mutex);
      lost = true;
      loss_message = message;
      all.swap(devices);
    }
    for (auto& device : all) device->Lose(wit::GpuDeviceLostReason::Unknown, message);
  }
  void Close() {
    std::vector<Ref<VDevice>> all;
    std::lock_guard lock(mutex);
    all.swap(devices);
  }

  std::mutex mutex;
  std::vector<Ref<VDevice>> devices;
  bool lost = false;
  std::string loss_message;
};

}  // namespace weft::host
