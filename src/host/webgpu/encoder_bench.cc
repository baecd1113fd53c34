// SPDX-License-Identifier: Apache-2.0
// What validation costs: 10,000 draws of three calls (set-bind-group, set-vertex-buffer, draw) encoded and finished, natively and through a
// VirtualGpu called as the engine calls it. Prints milliseconds of this thread's CPU time a frame, the
// least of several rounds (what else runs on the machine counts little then); nothing is submitted.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "gpu/device.h"
#include "host/webgpu/virtual_gpu.h"

namespace weft::host {
namespace {

constexpr int kDraws = 10'000, kGroups = 16, kRounds = 15;

constexpr std::string_view kShader = R"(
@group(0) @binding(0) var<uniform> offset: vec4f;
@vertex fn vs(@location(0) p: vec2f) -> @builtin(position) vec4f { return vec4f(p + offset.xy, 0.0, 1.0); }
@fragment fn fs() -> @location(0) vec4f { return vec4f(1.0, 0.0, 0.0, 1.0); }
)";

template <class T>
T Must(Result<T> r) {
  if (r) return std::move(*r);
  std::fprintf(stderr, "%s\n", r.error().ToString().c_str());
  std::exit(1);
}

double NowMs() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) * 1e-6;
}

struct Times {
  double all = 1e9, calls = 1e9;
};
// `f` answers the time of the calls alone.
template <class F>
Times Least(F&& f) {
  Times least;
  for (int i = 0; i < kRounds; ++i) {
    const double begin = NowMs();
    least.calls = std::min(least.calls, f());
    least.all = std::min(least.all, NowMs() - begin);
  }
  return least;
}

int Main() {
  auto device = Must(gpu::Device::Create({}));
  VirtualGpuOptions options;
  options.device = device;
  VirtualGpu g(std::move(options));
  const Rep dev = Must(g.CreateDeviceRep());

  wit::GpuBufferDescriptor b;
  b.size = 64;
  b.usage.bits = wit::GpuBufferUsage::Vertex | wit::GpuBufferUsage::Uniform;
  const Rep vertices = Must(g.OnGpuDeviceCreateBuffer(dev, b));
  wit::GpuTextureDescriptor t;
  t.size = {64, 64, {}};
  t.format = wit::GpuTextureFormat::Rgba8unorm;
  t.usage.bits = wit::GpuTextureUsage::RenderAttachment;
  const Rep view = Must(g.OnGpuTextureCreateView(Must(g.OnGpuDeviceCreateTexture(dev, t)), {}));
  wit::GpuShaderModuleDescriptor sm;
  sm.code = Str(kShader);
  wit::GpuVertexAttribute attribute{wit::GpuVertexFormat::Float32x2, 0, 0};
  wit::GpuVertexBufferLayout layout;
  layout.array_stride = 8;
  layout.attributes = {&attribute, 1};
  const Opt<wit::GpuVertexBufferLayout> layouts[] = {layout};
  wit::GpuColorTargetState target;
  target.format = t.format;
  const Opt<wit::GpuColorTargetState> targets[] = {target};
  wit::GpuRenderPipelineDescriptor p;
  p.vertex.module = Must(g.OnGpuDeviceCreateShaderModule(dev, sm));
  p.vertex.buffers = List<Opt<wit::GpuVertexBufferLayout>>{layouts, 1};
  wit::GpuFragmentState fragment;
  fragment.module = p.vertex.module;
  fragment.targets = {targets, 1};
  p.fragment = fragment;
  p.layout = {wit::GpuLayoutMode::Tag::Auto, 0};
  const Rep pipeline = Must(g.OnGpuDeviceCreateRenderPipeline(dev, p));
  std::vector<Rep> groups;
  for (int i = 0; i < kGroups; ++i) {
    wit::GpuBindGroupEntry e;
    e.resource.tag = wit::GpuBindingResource::Tag::GpuBuffer;
    e.resource.gpu_buffer = Must(g.OnGpuDeviceCreateBuffer(dev, b));
    wit::GpuBindGroupDescriptor d;
    d.layout = Must(g.OnGpuRenderPipelineGetBindGroupLayout(pipeline, 0));
    d.entries = {&e, 1};
    groups.push_back(Must(g.OnGpuDeviceCreateBindGroup(dev, d)));
  }

  const Times host = Least([&] {
    const Rep encoder = Must(g.OnGpuDeviceCreateCommandEncoder(dev, {}));
    wit::GpuRenderPassColorAttachment c;
    c.view = view;
    c.load_op = wit::GpuLoadOp::Clear;
    c.store_op = wit::GpuStoreOp::Store;
    const Opt<wit::GpuRenderPassColorAttachment> colors[] = {c};
    wit::GpuRenderPassDescriptor d;
    d.color_attachments = {colors, 1};
    const Rep pass = Must(g.OnGpuCommandEncoderBeginRenderPass(encoder, d));
    (void)g.OnGpuRenderPassEncoderSetPipeline(pass, pipeline);
    const double begin = NowMs();
    for (int i = 0; i < kDraws; ++i) {
      (void)g.OnGpuRenderPassEncoderSetBindGroup(pass, 0, groups[i % kGroups], {}, {}, {});
      (void)g.OnGpuRenderPassEncoderSetVertexBuffer(pass, 0, vertices, {}, {});
      (void)g.OnGpuRenderPassEncoderDraw(pass, 3, {}, {}, {});
    }
    const double calls = NowMs() - begin;
    (void)g.OnGpuRenderPassEncoderEnd(pass);
    const Rep cb = Must(g.OnGpuCommandEncoderFinish(encoder, {}));
    g.OnDropGpuRenderPassEncoder(pass), g.OnDropGpuCommandEncoder(encoder), g.OnDropGpuCommandBuffer(cb);
    return calls;
  });
  for (const auto& e : g.TakeUncapturedErrors()) std::fprintf(stderr, "%s\n", e.message.c_str());

  // The same objects, natively.
  const auto& w = device->procs();
  const auto n_view = Must(g.Get<VTextureView>(view))->native.get();
  const auto n_pipeline = Must(g.Get<VRenderPipeline>(pipeline))->native.get();
  const auto n_vertices = Must(g.Get<VBuffer>(vertices))->native.get();
  std::vector<WGPUBindGroup> n_groups;
  for (Rep r : groups) n_groups.push_back(Must(g.Get<VBindGroup>(r))->native.get());
  const Times native = Least([&] {
    auto encoder = w.DeviceCreateCommandEncoder(device->handle(), nullptr);
    WGPURenderPassColorAttachment c = WGPU_RENDER_PASS_COLOR_ATTACHMENT_INIT;
    c.view = n_view;
    c.loadOp = WGPULoadOp_Clear;
    c.storeOp = WGPUStoreOp_Store;
    WGPURenderPassDescriptor d = WGPU_RENDER_PASS_DESCRIPTOR_INIT;
    d.colorAttachmentCount = 1;
    d.colorAttachments = &c;
    auto pass = w.CommandEncoderBeginRenderPass(encoder, &d);
    w.RenderPassEncoderSetPipeline(pass, n_pipeline);
    const double begin = NowMs();
    for (int i = 0; i < kDraws; ++i) {
      w.RenderPassEncoderSetBindGroup(pass, 0, n_groups[i % kGroups], 0, nullptr);
      w.RenderPassEncoderSetVertexBuffer(pass, 0, n_vertices, 0, 64);
      w.RenderPassEncoderDraw(pass, 3, 1, 0, 0);
    }
    const double calls = NowMs() - begin;
    w.RenderPassEncoderEnd(pass);
    w.RenderPassEncoderRelease(pass);
    auto cb = w.CommandEncoderFinish(encoder, nullptr);
    w.CommandEncoderRelease(encoder);
    w.CommandBufferRelease(cb);
    return calls;
  });
  std::printf("%s: %d draws of 3 calls: native %.2f ms (calls %.2f), virtual %.2f ms (calls %.2f), above native %.2f ms\n",
              device->info().device.c_str(), kDraws, native.all, native.calls, host.all, host.calls, host.all - native.all);
  return 0;
}

}  // namespace
}  // namespace weft::host

int main() { return weft::host::Main(); }
