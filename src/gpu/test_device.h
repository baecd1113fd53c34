// SPDX-License-Identifier: Apache-2.0
// The one device of a test binary (its start takes a while on software Vulkan). Tests only.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>

#include "gpu/device.h"

namespace weft::gpu {

// Null only when no device can be made; the test fails then and says why.
inline Device* TestDevice() {
  struct Holder : testing::Environment {
    Ref<Device> device;
    void TearDown() override { device = nullptr; }
  };
  static Holder* holder = [] {
    auto* h = new Holder;
    testing::AddGlobalTestEnvironment(h);
    DeviceOptions options;
    options.log = Log([](LogLevel, std::string_view text) { std::fprintf(stderr, "%.*s\n", static_cast<int>(text.size()), text.data()); });
    auto device = Device::Create(options);
    if (device) {
      h->device = std::move(*device);
    } else {
      ADD_FAILURE() << device.error().ToString();
    }
    return h;
  }();
  return holder->device.get();
}

class GpuTest : public testing::Test {
 protected:
  void SetUp() override {
    device = TestDevice();
    ASSERT_NE(device, nullptr);
  }
  Device* device = nullptr;
};

}  // namespace weft::gpu
