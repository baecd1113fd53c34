// SPDX-License-Identifier: Apache-2.0
#include "kits.h"

#include <fmt/format.h>

#include "gpu/format.h"
#include "host/webgpu/convert.h"

namespace weft::fuzz {

namespace {

using Layout = host::BindingLayout;
using Stage = wit::GpuShaderStage;

Kit::Binding Buffer(uint32_t group, uint32_t binding, wit::GpuBufferBindingType type, uint32_t stages = Stage::Compute) {
  Layout l;
  l.binding = binding;
  l.visibility = stages;
  l.type = Layout::Type::Buffer;
  l.buffer = type;
  return {group, l};
}

Kit::Binding Texture(uint32_t group, uint32_t binding, uint32_t stages = Stage::Compute) {
  Layout l;
  l.binding = binding;
  l.visibility = stages;
  l.type = Layout::Type::Texture;
  return {group, l};
}

Kit::Binding Sampler(uint32_t group, uint32_t binding, uint32_t stages = Stage::Compute) {
  Layout l;
  l.binding = binding;
  l.visibility = stages;
  l.type = Layout::Type::Sampler;
  return {group, l};
}

Kit::Binding Storage(uint32_t group, uint32_t binding, wit::GpuTextureFormat format) {
  Layout l;
  l.binding = binding;
  l.visibility = Stage::Compute;
  l.type = Layout::Type::StorageTexture;
  l.format = format;
  return {group, l};
}

Kit Compute(std::string_view wgsl, std::vector<Kit::Binding> bindings) {
  Kit k;
  k.wgsl = wgsl;
  k.compute = true;
  k.bindings = std::move(bindings);
  return k;
}

// "vec4f", and the value of it that fills a target of the format.
std::pair<std::string_view, std::string_view> Output(wit::GpuTextureFormat format) {
  const auto* info = gpu::FindFormat(host::ToNative(format));
  switch (info->sample) {
    case gpu::SampleKind::Uint: return {"vec4u", "vec4u(1u, 2u, 3u, 1u)"};
    case gpu::SampleKind::Sint: return {"vec4i", "vec4i(1, -2, 3, 1)"};
    default: return {"vec4f", "vec4f(0.25, 0.5, 0.75, 1.0) * shade"};
  }
}

}  // namespace

Kits::Kits() {
  using B = wit::GpuBufferBindingType;
  // Values in buffers stay below 4: they may be taken for counts of an indirect call.
  compute_.push_back(Compute("@compute @workgroup_size(1) fn main() {}", {}));
  compute_.push_back(Compute(R"(
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < arrayLength(&data)) { data[id.x] = (data[id.x] + 1u) & 3u; }
})",
                             {Buffer(0, 0, B::Storage)}));
  compute_.push_back(Compute(R"(
struct Parameters { scale: u32, bias: u32, rest: vec2u }
@group(0) @binding(0) var<uniform> p: Parameters;
@group(0) @binding(1) var<storage, read> from_: array<u32>;
@group(1) @binding(0) var<storage, read_write> to: array<u32>;
@compute @workgroup_size(4, 2) fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x % arrayLength(&to);
  to[i] = (from_[id.x % arrayLength(&from_)] * p.scale + p.bias) & 3u;
})",
                             {Buffer(0, 0, B::Uniform), Buffer(0, 1, B::ReadOnlyStorage), Buffer(1, 0, B::Storage)}));
  compute_.push_back(Compute(R"(
@group(0) @binding(0) var image: texture_2d<f32>;
@group(0) @binding(1) var out: texture_storage_2d<rgba8unorm, write>;
@compute @workgroup_size(4, 4) fn main(@builtin(global_invocation_id) id: vec3u) {
  textureStore(out, id.xy, textureLoad(image, id.xy, 0).bgra);
})",
                             {Texture(0, 0), Storage(0, 1, wit::GpuTextureFormat::Rgba8unorm)}));
  compute_.push_back(Compute(R"(
override k: f32 = 1.0;
var<workgroup> shared_: array<f32, 8>;
@group(0) @binding(3) var<storage, read_write> data: array<atomic<u32>, 4>;
@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
  shared_[i] = f32(i) * k;
  workgroupBarrier();
  if (shared_[7u - i] > 2.0) { atomicMax(&data[i & 3u], 2u); }
})",
                             {Buffer(0, 3, B::Storage)}));
  compute_.back().constants = true;
  compute_.push_back(Compute(R"(
@group(0) @binding(0) var image: texture_2d<f32>;
@group(0) @binding(1) var how: sampler;
@group(2) @binding(5) var<storage, read_write> sum: array<u32>;
@compute @workgroup_size(1) fn main(@builtin(workgroup_id) id: vec3u) {
  let c = textureSampleLevel(image, how, vec2f(id.xy) * 0.25, 0.0);
  if (c.r > 0.5) { sum[0] = 1u; }
})",
                             {Texture(0, 0), Sampler(0, 1), Buffer(2, 5, B::Storage)}));
  compute_.push_back(Compute(R"(
var<immediate> bias: vec2u;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(1) fn main() { data[0] = (bias.x + bias.y) & 3u; })",
                             {Buffer(0, 0, B::Storage)}));
  compute_.back().immediate_size = 8;
}

const Kit& Kits::Render(const std::vector<host::OptFormat>& colors, uint32_t variant) {
  std::string key = std::to_string(variant);
  std::string members, values;
  for (size_t i = 0; i < colors.size(); ++i) {
    if (!colors[i]) continue;
    const auto [type, value] = Output(*colors[i]);
    key += fmt::format(" {}{}", i, type);
    members += fmt::format("  @location({}) c{}: {},\n", i, i, type);
    values += fmt::format("  out.c{} = {};\n", i, value);
  }
  auto& kept = render_[key];
  if (kept) return *kept;
  kept = std::make_unique<Kit>();
  Kit& k = *kept;
  k.fragment = !members.empty();
  std::string head, position = "vec4f(f32(i32(i & 1u) * 4 - 1), f32(i32(i >> 1u) * 4 - 1), 0.5, 1.0)", parameters, shade = "1.0";
  const uint32_t both = Stage::Vertex | Stage::Fragment;
  switch (variant) {
    case 1:
      parameters = ", @location(0) p: vec2f, @location(1) size: vec4f";
      position = "vec4f(p * size.xy, size.z, 1.0)";
      k.vertex_buffers = {{8, wit::GpuVertexStepMode::Vertex, {{wit::GpuVertexFormat::Float32x2, 0, 0}}},
                          {16, wit::GpuVertexStepMode::Instance, {{wit::GpuVertexFormat::Unorm8x4, 4, 1}}}};
      break;
    case 2:
      head =
          "@group(0) @binding(0) var<uniform> tint: vec4f;\n"
          "@group(1) @binding(0) var image: texture_2d<f32>;\n"
          "@group(1) @binding(1) var how: sampler;\n";
      position = position.insert(0, "tint.x * ");
      // A fragment stage that is not there uses nothing; then an "auto" layout has no group 1.
      if (k.fragment) {
        shade = "textureSampleLevel(image, how, at.xy * 0.05, 0.0).x + tint.y";
        k.bindings = {Buffer(0, 0, wit::GpuBufferBindingType::Uniform, both), Texture(1, 0, Stage::Fragment),
                      Sampler(1, 1, Stage::Fragment)};
      } else {
        k.bindings = {Buffer(0, 0, wit::GpuBufferBindingType::Uniform, both)};
      }
      break;
    case 3:
      head =
          "override k: f32 = 1.0;\n"
          "@group(0) @binding(2) var<storage, read> table: array<vec4f>;\n";
      position = position.insert(0, "k * table[0].w + ");
      k.bindings = {Buffer(0, 2, wit::GpuBufferBindingType::ReadOnlyStorage, both)};
      k.constants = true;
      break;
    default: break;
  }
  k.wgsl = fmt::format("{}@vertex fn vs(@builtin(vertex_index) i: u32{}) -> @builtin(position) vec4f {{\n  return {};\n}}\n", head,
                       parameters, position);
  if (k.fragment) {
    k.wgsl += fmt::format(
        "struct Out {{\n{}}}\n@fragment fn fs(@builtin(position) at: vec4f) -> Out {{\n  var out: Out;\n  let shade = {};\n{}  return "
        "out;\n}}\n",
        members, shade, values);
  }
  return k;
}

}  // namespace weft::fuzz
