// SPDX-License-Identifier: Apache-2.0
// Any bytes as WGSL text: reflection and the nesting gate answer, whatever it is, with what stands in the text.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "host/webgpu/wgsl_reflect.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace weft::host;
  const std::string_view code(reinterpret_cast<const char*>(data), size);
  const WgslModule module = ReflectWgsl(code);
  for (const auto& b : module.bindings) {
    if (code.find(b.name) == std::string_view::npos) std::abort();
  }
  for (const auto& e : module.entries) {
    if (code.find(e.name) == std::string_view::npos) std::abort();
  }
  if (WgslNesting(code) > size) std::abort();
  return 0;
}
