// SPDX-License-Identifier: Apache-2.0
// Kits: shaders with all that goes with them: bindings, vertex buffers, targets. The hints make pipelines, layouts and bind groups of one
// kit, so that they fit together. All are free of long loops: a guest that keeps the GPU busy is another test's.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/webgpu/pass_state.h"

namespace weft::fuzz {

namespace wit = ::weft::wasm::webgpu;

struct Kit {
  struct Binding {
    uint32_t group = 0;
    host::BindingLayout layout;
  };
  struct VertexBuffer {
    uint64_t stride = 0;
    wit::GpuVertexStepMode step{};
    std::vector<wit::GpuVertexAttribute> attributes;
  };
  std::string wgsl;
  bool compute = false;
  std::vector<Binding> bindings;
  std::vector<VertexBuffer> vertex_buffers;
  bool fragment = false;
  bool constants = false;  // has `override k: f32`
  uint32_t immediate_size = 0;

  uint32_t groups() const {
    uint32_t n = 0;
    for (const auto& b : bindings) n = std::max(n, b.group + 1);
    return n;
  }
  // Of one group, by binding number.
  std::vector<host::BindingLayout> Group(uint32_t group) const {
    std::vector<host::BindingLayout> out;
    for (const auto& b : bindings) {
      if (b.group == group) out.push_back(b.layout);
    }
    return out;
  }
};

class Kits {
 public:
  Kits();
  const std::vector<Kit>& compute() const { return compute_; }
  // A kit that draws to such colours (sample kinds are read from the formats). Variants: 0 nothing bound, 1 vertex and instance buffers, 2
  // a uniform buffer, a texture and a sampler, 3 read-only storage and a constant.
  static constexpr uint32_t kRenderVariants = 4;
  const Kit& Render(const std::vector<host::OptFormat>& colors, uint32_t variant);

 private:
  std::vector<Kit> compute_;
  std::map<std::string, std::unique_ptr<Kit>> render_;
};

}  // namespace weft::fuzz
