// SPDX-License-Identifier: Apache-2.0
// The one in-process runtime of a test binary, since a device takes a while to start on software Vulkan. Tests only.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>

#include "runtime/runtime.h"

namespace weft::runtime {

inline Log TestLog() {
  return Log([](LogLevel level, std::string_view text) {
    if (level >= LogLevel::Warning) std::fprintf(stderr, "%.*s\n", static_cast<int>(text.size()), text.data());
  });
}

inline Ref<Runtime> TestRuntime() {
  struct Holder : testing::Environment {
    Ref<Runtime> runtime;
    void TearDown() override { runtime = nullptr; }
  };
  static Holder* holder = [] {
    auto* h = new Holder;
    testing::AddGlobalTestEnvironment(h);
    RuntimeOptions options;
    options.supervised = false;
    options.log = TestLog();
    h->runtime = *Runtime::Create(options);
    return h;
  }();
  return holder->runtime;
}

}  // namespace weft::runtime
