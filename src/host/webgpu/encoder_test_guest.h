// SPDX-License-Identifier: Apache-2.0
// A guest for tests of the command side: a VirtualGpu called as the engine calls it, with short words for what tests make all the time.
// Every wrong handle is a test failure; errors of the virtual device are collected until Errors() takes them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "gpu/test_device.h"
#include "gpu/transfer.h"
#include "host/webgpu/convert.h"
#include "host/webgpu/tested_gpu.h"

namespace weft::host {

using BU = wit::GpuBufferUsage;
using TU = wit::GpuTextureUsage;
using TF = wit::GpuTextureFormat;

class TestGuest {
 public:
  explicit TestGuest(GpuMode mode = GpuMode::Plugin, Quotas quotas = {}) {
    VirtualGpuOptions options;
    options.device = Ref<gpu::Device>(gpu::TestDevice());
    options.mode = mode;
    options.quotas = quotas;
    gpu = std::make_unique<TestedGpu>(std::move(options));
    if (mode == GpuMode::Plugin) device = Take(gpu->CreateDeviceRep());
    if (mode == GpuMode::Exec) device = NewDevice();
    queue = Take(gpu->OnGpuDeviceQueue(device));
  }

  // --- answers ---
  static Rep Take(Result<Rep> r) {
    EXPECT_TRUE(r) << r.error().ToString();
    return r ? *r : 0;
  }
  static void Ok(const Status& s) { EXPECT_TRUE(s) << s.error().ToString(); }
  // All messages since the last call, one a line.
  std::string Errors() {
    std::string all;
    gpu->FlushSubmits();
    for (const auto& e : gpu->TakeUncapturedErrors()) all += e.message + "\n";
    return all;
  }

  // --- making things ---
  Rep NewDevice() {
    struct Answer {
      Rep rep = 0;
      static void Adapter(void* self, const void* v, Str) { static_cast<Answer*>(self)->rep = static_cast<const Opt<Rep>*>(v)->value; }
      static void Device(void* self, const void* v, Str) {
        static_cast<Answer*>(self)->rep = static_cast<const Res<Rep, wit::RequestDeviceError>*>(v)->ok;
      }
    };
    Answer adapter, made;
    gpu->OnGpuRequestAdapter(Take(gpu->OnGetGpu()), {}, Completion<Opt<Rep>>({&adapter, &Answer::Adapter}));
    gpu->OnGpuAdapterRequestDevice(adapter.rep, {}, Completion<Res<Rep, wit::RequestDeviceError>>({&made, &Answer::Device}));
    EXPECT_NE(made.rep, 0u);
    return made.rep;
  }
  Rep Buffer(uint64_t size, uint32_t usage, std::string_view label = "b", bool mapped = false) {
    wit::GpuBufferDescriptor d;
    d.size = size;
    d.usage.bits = usage;
    d.label = Str(label);
    if (mapped) d.mapped_at_creation = true;
    return Take(gpu->OnGpuDeviceCreateBuffer(device, d));
  }
  Rep BufferOf(const std::vector<uint32_t>& words, uint32_t usage, std::string_view label = "b") {
    const Rep b = Buffer(words.size() * 4, usage | BU::CopyDst, label);
    Write(b, words);
    return b;
  }
  void Write(Rep buffer, const std::vector<uint32_t>& words, uint64_t offset = 0) {
    auto r = gpu->OnGpuQueueWriteBufferWithCopy(queue, buffer, offset, {reinterpret_cast<const uint8_t*>(words.data()), words.size() * 4},
                                                {}, {});
    EXPECT_TRUE(r && !r->is_err);
  }
  Rep Texture(TF format, uint32_t w, uint32_t h, uint32_t usage, uint32_t samples = 1, uint32_t mips = 1, uint32_t layers = 1,
              wit::GpuTextureDimension dimension = wit::GpuTextureDimension::D2, std::string_view label = "t") {
    wit::GpuTextureDescriptor d;
    d.size = {w, h, layers};
    d.format = format;
    d.usage.bits = usage;
    d.sample_count = samples;
    d.mip_level_count = mips;
    d.dimension = dimension;
    d.label = Str(label);
    return Take(gpu->OnGpuDeviceCreateTexture(device, d));
  }
  Rep View(Rep texture, Opt<wit::GpuTextureViewDescriptor> d = {}) { return Take(gpu->OnGpuTextureCreateView(texture, d)); }
  Rep Shader(std::string_view wgsl) {
    wit::GpuShaderModuleDescriptor d;
    d.code = Str(wgsl);
    return Take(gpu->OnGpuDeviceCreateShaderModule(device, d));
  }
  Rep Layout(std::vector<wit::GpuBindGroupLayoutEntry> entries) {
    wit::GpuBindGroupLayoutDescriptor d;
    d.entries = {entries.data(), entries.size()};
    return Take(gpu->OnGpuDeviceCreateBindGroupLayout(device, d));
  }
  static wit::GpuBindGroupLayoutEntry BufferEntry(uint32_t binding, wit::GpuBufferBindingType type, bool dynamic = false,
                                                  uint32_t stages = wit::GpuShaderStage::Compute) {
    wit::GpuBindGroupLayoutEntry e;
    e.binding = binding;
    e.visibility.bits = stages;
    wit::GpuBufferBindingLayout b;
    b.type = type;
    b.has_dynamic_offset = dynamic;
    e.buffer = b;
    return e;
  }
  Rep PipelineLayout(std::vector<Rep> groups, Opt<uint32_t> immediate_size = {}) {
    std::vector<Opt<Rep>> list(groups.begin(), groups.end());
    wit::GpuPipelineLayoutDescriptor d;
    d.bind_group_layouts = {list.data(), list.size()};
    d.immediate_size = immediate_size;
    return Take(gpu->OnGpuDeviceCreatePipelineLayout(device, d));
  }
  static wit::GpuLayoutMode Auto() { return {wit::GpuLayoutMode::Tag::Auto, 0}; }
  static wit::GpuLayoutMode With(Rep layout) { return {wit::GpuLayoutMode::Tag::Specific, layout}; }
  Rep Compute(std::string_view wgsl, wit::GpuLayoutMode layout = Auto()) {
    wit::GpuComputePipelineDescriptor d;
    d.compute.module = Shader(wgsl);
    d.layout = layout;
    d.label = Str("p");
    return Take(gpu->OnGpuDeviceCreateComputePipeline(device, d));
  }
  Rep Group(Rep layout, const std::vector<wit::GpuBindGroupEntry>& entries, std::string_view label = "g") {
    wit::GpuBindGroupDescriptor d;
    d.layout = layout;
    d.entries = {entries.data(), entries.size()};
    d.label = Str(label);
    return Take(gpu->OnGpuDeviceCreateBindGroup(device, d));
  }
  static wit::GpuBindGroupEntry BindBuffer(uint32_t binding, Rep buffer, Opt<uint64_t> offset = {}, Opt<uint64_t> size = {}) {
    wit::GpuBindGroupEntry e;
    e.binding = binding;
    e.resource.tag = wit::GpuBindingResource::Tag::GpuBufferBinding;
    e.resource.gpu_buffer_binding = {buffer, offset, size};
    return e;
  }
  static wit::GpuBindGroupEntry BindView(uint32_t binding, Rep view) {
    wit::GpuBindGroupEntry e;
    e.binding = binding;
    e.resource.tag = wit::GpuBindingResource::Tag::GpuTextureView;
    e.resource.gpu_texture_view = view;
    return e;
  }
  struct RenderOptions {
    std::vector<Opt<wit::GpuColorTargetState>> targets;
    std::vector<Opt<wit::GpuVertexBufferLayout>> buffers;
    Opt<wit::GpuDepthStencilState> depth;
    uint32_t samples = 1;
    wit::GpuPrimitiveTopology topology = wit::GpuPrimitiveTopology::TriangleList;
    Opt<wit::GpuIndexFormat> strip;
    wit::GpuLayoutMode layout = Auto();
  };
  static Opt<wit::GpuColorTargetState> Target(TF format) {
    wit::GpuColorTargetState t;
    t.format = format;
    return t;
  }
  Rep Render(std::string_view wgsl, const RenderOptions& o) {
    const Rep module = Shader(wgsl);
    wit::GpuRenderPipelineDescriptor d;
    d.vertex.module = module;
    if (!o.buffers.empty()) d.vertex.buffers = List<Opt<wit::GpuVertexBufferLayout>>{o.buffers.data(), o.buffers.size()};
    wit::GpuFragmentState f;
    f.module = module;
    f.targets = {o.targets.data(), o.targets.size()};
    d.fragment = f;
    d.layout = o.layout;
    d.depth_stencil = o.depth;
    wit::GpuMultisampleState m;
    m.count = o.samples;
    d.multisample = m;
    wit::GpuPrimitiveState p;
    p.topology = o.topology;
    p.strip_index_format = o.strip;
    d.primitive = p;
    d.label = Str("rp");
    return Take(gpu->OnGpuDeviceCreateRenderPipeline(device, d));
  }
  Rep Queries(wit::GpuQueryType type, uint32_t count) {
    wit::GpuQuerySetDescriptor d;
    d.type = type;
    d.count = count;
    d.label = Str("q");
    auto r = gpu->OnGpuDeviceCreateQuerySet(device, d);
    EXPECT_TRUE(r && !r->is_err);
    return r ? r->ok : 0;
  }

  // --- recording ---
  Rep Encoder(std::string_view label = "e") {
    wit::GpuCommandEncoderDescriptor d;
    d.label = Str(label);
    return Take(gpu->OnGpuDeviceCreateCommandEncoder(device, d));
  }
  Rep Finish(Rep encoder, std::string_view label = "cb") {
    wit::GpuCommandBufferDescriptor d;
    d.label = Str(label);
    return Take(gpu->OnGpuCommandEncoderFinish(encoder, d));
  }
  void Submit(std::vector<Rep> buffers) { Ok(gpu->OnGpuQueueSubmit(queue, {buffers.data(), buffers.size()})); }
  void FinishAndSubmit(Rep encoder) { Submit({Finish(encoder)}); }
  Rep BeginCompute(Rep encoder) { return Take(gpu->OnGpuCommandEncoderBeginComputePass(encoder, {})); }
  struct PassOptions {
    std::vector<Opt<wit::GpuRenderPassColorAttachment>> colors;
    Opt<wit::GpuRenderPassDepthStencilAttachment> depth;
    Opt<Rep> occlusion;
    Opt<wit::GpuRenderPassTimestampWrites> times;
    Opt<uint64_t> max_draws;
  };
  static Opt<wit::GpuRenderPassColorAttachment> Color(Rep view, Opt<Rep> resolve = {}, Opt<uint32_t> slice = {}) {
    wit::GpuRenderPassColorAttachment a;
    a.view = view;
    a.resolve_target = resolve;
    a.depth_slice = slice;
    a.load_op = wit::GpuLoadOp::Clear;
    a.store_op = wit::GpuStoreOp::Store;
    a.clear_value = wit::GpuColor{0, 0, 0, 1};
    return a;
  }
  Rep BeginRender(Rep encoder, const PassOptions& o) {
    wit::GpuRenderPassDescriptor d;
    d.color_attachments = {o.colors.data(), o.colors.size()};
    d.depth_stencil_attachment = o.depth;
    d.occlusion_query_set = o.occlusion;
    d.timestamp_writes = o.times;
    d.max_draw_count = o.max_draws;
    d.label = Str("pass");
    return Take(gpu->OnGpuCommandEncoderBeginRenderPass(encoder, d));
  }
  Rep BeginRender(Rep encoder, Rep view) { return BeginRender(encoder, PassOptions{.colors = {Color(view)}}); }

  // --- looking ---
  std::vector<uint32_t> Read(Rep buffer) {
    gpu->FlushSubmits();
    auto b = gpu->Get<VBuffer>(buffer);
    EXPECT_TRUE(b);
    auto bytes = gpu::ReadBufferNow(*gpu::TestDevice(), (*b)->native.get(), 0, (*b)->size());
    EXPECT_TRUE(bytes) << bytes.error().ToString();
    std::vector<uint32_t> words(bytes ? bytes->size() / 4 : 0);
    if (bytes) std::memcpy(words.data(), bytes->data(), words.size() * 4);
    return words;
  }
  std::vector<std::byte> Pixels(Rep texture) {
    gpu->FlushSubmits();
    auto t = gpu->Get<VTexture>(texture);
    EXPECT_TRUE(t);
    const auto& i = (*t)->info();
    auto bytes = gpu::ReadTextureNow(*gpu::TestDevice(), (*t)->native.get(), ToNative(i.format), i.width, i.height);
    EXPECT_TRUE(bytes) << bytes.error().ToString();
    return bytes ? std::move(*bytes) : std::vector<std::byte>();
  }

  std::unique_ptr<TestedGpu> gpu;
  Rep device = 0, queue = 0;
};

// What the tests draw with.
inline constexpr std::string_view kAddOne = R"(
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) { data[id.x] += 1u; }
)";
inline constexpr std::string_view kTriangle = R"(
@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i32(i & 1u) * 4 - 1), f32(i32(i >> 1u) * 4 - 1), 0.0, 1.0);
}
@fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f { return vec4f(p.x / 16.0, p.y / 16.0, 0.5, 1.0); }
)";
inline constexpr std::string_view kFromBuffer = R"(
@vertex fn vs(@location(0) p: vec2f) -> @builtin(position) vec4f { return vec4f(p, 0.5, 1.0); }
@fragment fn fs() -> @location(0) vec4f { return vec4f(1.0, 0.0, 0.0, 1.0); }
)";

}  // namespace weft::host
