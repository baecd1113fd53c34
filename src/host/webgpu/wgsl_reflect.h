// SPDX-License-Identifier: Apache-2.0
// What WGSL text says of its bindings and entry points, read without a compiler: enough to know, for a pipeline with layout "auto", how a
// binding is used, before the library hears of it. Only what is certain is answered; a binding whose numbers are no literals is left out.
// Pure; never fails, whatever the text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft::host {

struct WgslBinding {
  enum class Kind : uint8_t { Uniform, StorageRead, StorageReadWrite, Sampler, Texture, StorageTexture };
  uint32_t group = 0, binding = 0;
  Kind kind{};
  std::string name;
};

struct WgslEntry {
  enum class Stage : uint8_t { Vertex, Fragment, Compute };
  Stage stage{};
  std::string name;
};

struct WgslModule {
  std::vector<WgslBinding> bindings;
  std::vector<WgslEntry> entries;
  // A `@group(...)` or `@binding(...)` was met whose number is not a literal.
  bool uncertain = false;
};

WgslModule ReflectWgsl(std::string_view code);

// How deep brackets, braces and operators of the text nest, at most; the compiler's stack grows with it.
uint32_t WgslNesting(std::string_view code);

}  // namespace weft::host
