// SPDX-License-Identifier: Apache-2.0
// bench/calls: what one call from a guest to wasi:webgpu costs, against the same call of the library. One table, Markdown.
//
// The guest (bench/guests/calls.c) repeats a call inside one export; the time of the export with 0 turns is taken off. Medians of `runs`.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "base/fail.h"
#include "gpu/device.h"
#include "gpu/texture_pool.h"
#include "host/webgpu/virtual_gpu.h"
#include "runtime/exec.h"
#include "runtime/runtime.h"

namespace weft::bench {
namespace {

constexpr int kRuns = 7;
constexpr uint64_t kUploadBytes = 64 << 20;

double Seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}
double Median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

// Nanoseconds of one turn.
Result<double> Guest(runtime::Exec& exec, const std::string& function, uint32_t times) {
  std::vector<double> turns;
  for (int r = 0; r < kRuns; ++r) {
    double with = 0, without = 0;
    Status status;
    auto call = [&](uint32_t n) {
      const std::string argument[] = {std::to_string(n)};
      if (auto got = exec.Invoke(function, argument); !got) status = got.error();
    };
    without = Seconds([&] { call(0); });
    with = Seconds([&] { call(times); });
    WEFT_TRY(std::move(status).Context("function '" + function + "'"));
    turns.push_back(1e9 * (with - without) / times);
  }
  return Median(turns);
}
double Native(uint32_t times, const std::function<void(uint32_t)>& work) {
  std::vector<double> turns;
  for (int r = 0; r < kRuns; ++r) turns.push_back(1e9 * Seconds([&] { work(times); }) / times);
  return Median(turns);
}

class Natives {
 public:
  explicit Natives(Ref<gpu::Device> device) : d_(std::move(device)), p_(d_->procs()) {}

  Status Prepare() {
    gpu::ErrorCollector errors;
    auto buffer = [&](uint64_t size, WGPUBufferUsage usage) {
      WGPUBufferDescriptor bd = WGPU_BUFFER_DESCRIPTOR_INIT;
      bd.size = size;
      bd.usage = usage;
      return d_->Own(p_.DeviceCreateBuffer(d_->handle(), &bd));
    };
    uniform_ = buffer(1024, WGPUBufferUsage_Uniform | WGPUBufferUsage_CopyDst);
    vertices_ = buffer(64, WGPUBufferUsage_Vertex | WGPUBufferUsage_CopyDst);
    upload_ = buffer(kUploadBytes, WGPUBufferUsage_CopyDst);
    bytes_.assign(kUploadBytes, 0x5a);
    layout_ = MakeLayout();
    WGPUBindGroupEntry entries[2] = {WGPU_BIND_GROUP_ENTRY_INIT, WGPU_BIND_GROUP_ENTRY_INIT};
    for (uint32_t i = 0; i < 2; ++i) entries[i].binding = i, entries[i].buffer = uniform_.get(), entries[i].size = 256;
    WGPUBindGroupDescriptor gd = WGPU_BIND_GROUP_DESCRIPTOR_INIT;
    gd.layout = layout_.get();
    gd.entryCount = 2;
    gd.entries = entries;
    group_ = d_->Own(p_.DeviceCreateBindGroup(d_->handle(), &gd));
    const std::string code =
        "@group(0) @binding(0) var<uniform> color: vec4f;\n"
        "@vertex fn vs(@location(0) at: vec2f) -> @builtin(position) vec4f { return vec4f(at, 0.0, 1.0); }\n"
        "@fragment fn fs() -> @location(0) vec4f { return color; }\n";
    WGPUShaderSourceWGSL wgsl = WGPU_SHADER_SOURCE_WGSL_INIT;
    wgsl.code = {code.data(), code.size()};
    WGPUShaderModuleDescriptor md = WGPU_SHADER_MODULE_DESCRIPTOR_INIT;
    md.nextInChain = &wgsl.chain;
    auto module = d_->Own(p_.DeviceCreateShaderModule(d_->handle(), &md));
    WGPUPipelineLayoutDescriptor pld = WGPU_PIPELINE_LAYOUT_DESCRIPTOR_INIT;
    const WGPUBindGroupLayout one = layout_.get();
    pld.bindGroupLayoutCount = 1;
    pld.bindGroupLayouts = &one;
    auto pipeline_layout = d_->Own(p_.DeviceCreatePipelineLayout(d_->handle(), &pld));
    WGPUVertexAttribute attribute = WGPU_VERTEX_ATTRIBUTE_INIT;
    attribute.format = WGPUVertexFormat_Float32x2;
    WGPUVertexBufferLayout vl = WGPU_VERTEX_BUFFER_LAYOUT_INIT;
    vl.stepMode = WGPUVertexStepMode_Vertex;
    vl.arrayStride = 8;
    vl.attributeCount = 1;
    vl.attributes = &attribute;
    WGPUColorTargetState target = WGPU_COLOR_TARGET_STATE_INIT;
    target.format = WGPUTextureFormat_RGBA8Unorm;
    WGPUFragmentState fragment = WGPU_FRAGMENT_STATE_INIT;
    fragment.module = module.get();
    fragment.targetCount = 1;
    fragment.targets = &target;
    WGPURenderPipelineDescriptor rd = WGPU_RENDER_PIPELINE_DESCRIPTOR_INIT;
    rd.layout = pipeline_layout.get();
    rd.vertex.module = module.get();
    rd.vertex.bufferCount = 1;
    rd.vertex.buffers = &vl;
    rd.fragment = &fragment;
    pipeline_ = d_->Own(p_.DeviceCreateRenderPipeline(d_->handle(), &rd));
    WEFT_TRY_ASSIGN(target_,
                    d_->textures().Acquire({64, 64, WGPUTextureFormat_RGBA8Unorm, gpu::FullUsage(*d_, WGPUTextureFormat_RGBA8Unorm)}));
    return d_->Outcome(errors, "preparing the native side");
  }

  gpu::Owned<WGPUBindGroupLayout> MakeLayout() {
    WGPUBindGroupLayoutEntry entries[2] = {WGPU_BIND_GROUP_LAYOUT_ENTRY_INIT, WGPU_BIND_GROUP_LAYOUT_ENTRY_INIT};
    for (uint32_t i = 0; i < 2; ++i) {
      entries[i].binding = i;
      entries[i].visibility = i ? WGPUShaderStage_Compute : WGPUShaderStage_Compute | WGPUShaderStage_Fragment;
      entries[i].buffer.type = WGPUBufferBindingType_Uniform;
      entries[i].buffer.hasDynamicOffset = i == 0;
    }
    WGPUBindGroupLayoutDescriptor ld = WGPU_BIND_GROUP_LAYOUT_DESCRIPTOR_INIT;
    ld.entryCount = 2;
    ld.entries = entries;
    return d_->Own(p_.DeviceCreateBindGroupLayout(d_->handle(), &ld));
  }

  uint64_t Scalar(uint32_t times) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < times; ++i) sum += p_.BufferGetSize(uniform_.get());
    return sum;
  }
  void Offsets(uint32_t times) {
    WGPUCommandEncoderDescriptor ed = WGPU_COMMAND_ENCODER_DESCRIPTOR_INIT;
    auto encoder = d_->Own(p_.DeviceCreateCommandEncoder(d_->handle(), &ed));
    WGPUComputePassDescriptor cd = WGPU_COMPUTE_PASS_DESCRIPTOR_INIT;
    auto pass = d_->Own(p_.CommandEncoderBeginComputePass(encoder.get(), &cd));
    for (uint32_t i = 0; i < times; ++i) {
      const uint32_t offset = (i & 1) * 256;
      p_.ComputePassEncoderSetBindGroup(pass.get(), 0, group_.get(), 1, &offset);
    }
    p_.ComputePassEncoderEnd(pass.get());
  }
  void Layouts(uint32_t times) {
    for (uint32_t i = 0; i < times; ++i) MakeLayout();
  }
  void WaitDone() {
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;
    d_->OnSubmittedWorkDone([&](Status) {
      std::lock_guard lock(mutex);
      done = true;
      changed.notify_all();
    });
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return done; });
  }
  void Upload(uint32_t times) {
    for (uint32_t i = 0; i < times; ++i) {
      p_.QueueWriteBuffer(d_->queue(), upload_.get(), 0, bytes_.data(), bytes_.size());
      d_->Submit(std::span<const WGPUCommandBuffer>{});
      WaitDone();
    }
  }
  void Draws(uint32_t count) {
    Record(count, false);
    WaitDone();
  }
  void Frames(uint32_t frames, uint32_t count) {
    for (uint32_t f = 0; f < frames; ++f) Record(count, true);
    WaitDone();
  }
  void Record(uint32_t count, bool pipeline_each) {
    WGPUCommandEncoderDescriptor ed = WGPU_COMMAND_ENCODER_DESCRIPTOR_INIT;
    auto encoder = d_->Own(p_.DeviceCreateCommandEncoder(d_->handle(), &ed));
    WGPURenderPassColorAttachment a = WGPU_RENDER_PASS_COLOR_ATTACHMENT_INIT;
    a.view = target_->View();
    a.loadOp = WGPULoadOp_Clear;
    a.storeOp = WGPUStoreOp_Store;
    WGPURenderPassDescriptor rd = WGPU_RENDER_PASS_DESCRIPTOR_INIT;
    rd.colorAttachmentCount = 1;
    rd.colorAttachments = &a;
    auto pass = d_->Own(p_.CommandEncoderBeginRenderPass(encoder.get(), &rd));
    p_.RenderPassEncoderSetPipeline(pass.get(), pipeline_.get());
    p_.RenderPassEncoderSetVertexBuffer(pass.get(), 0, vertices_.get(), 0, 64);
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t offset = (i & 1) * 256;
      p_.RenderPassEncoderSetBindGroup(pass.get(), 0, group_.get(), 1, &offset);
      if (pipeline_each) {
        p_.RenderPassEncoderSetPipeline(pass.get(), pipeline_.get());
      } else {
        p_.RenderPassEncoderSetVertexBuffer(pass.get(), 0, vertices_.get(), 0, 64);
      }
      p_.RenderPassEncoderDraw(pass.get(), 3, 1, 0, 0);
    }
    p_.RenderPassEncoderEnd(pass.get());
    WGPUCommandBufferDescriptor fd = WGPU_COMMAND_BUFFER_DESCRIPTOR_INIT;
    auto commands = d_->Own(p_.CommandEncoderFinish(encoder.get(), &fd));
    d_->Submit(commands.get());
  }

 private:
  Ref<gpu::Device> d_;
  const gpu::Procs& p_;
  gpu::Owned<WGPUBuffer> uniform_, vertices_, upload_;
  gpu::Owned<WGPUBindGroupLayout> layout_;
  gpu::Owned<WGPUBindGroup> group_;
  gpu::Owned<WGPURenderPipeline> pipeline_;
  Ref<gpu::PoolTexture> target_;
  std::vector<uint8_t> bytes_;
};

// Frames of 10,000 draws, recorded one after the other while the GPU works on those before.
Status Pipelined(runtime::Exec& exec, Natives& native) {
  constexpr uint32_t kFrames = 12, kDraws = 10'000;
  const std::string arguments[] = {std::to_string(kFrames), std::to_string(kDraws)};
  std::vector<double> weft, plain;
  for (int r = 0; r < kRuns; ++r) {
    Status status;
    weft.push_back(kFrames / Seconds([&] {
                     if (auto got = exec.Invoke("frames", arguments); !got) status = got.error();
                   }));
    WEFT_TRY(std::move(status));
    plain.push_back(kFrames / Seconds([&] { native.Frames(kFrames, kDraws); }));
  }
  std::printf("| frames of 10,000 draws (set-pipeline, set-bind-group, draw), pipelined | weft fps | native fps | weft / native |\n");
  std::printf("|---|---|---|---|\n| %u frames | %.1f | %.1f | %.2f |\n\n", kFrames, Median(weft), Median(plain),
              Median(weft) / Median(plain));
  return {};
}

// What each `process` pays so that its WebGPU errors come to its own node.
void Capture(const Ref<gpu::Device>& device) {
  host::VirtualGpuOptions options;
  options.device = device;
  host::VirtualGpu gpu(std::move(options));
  constexpr uint32_t kTimes = 200'000;
  volatile bool failed = false;
  const double ns = Native(kTimes, [&](uint32_t times) {
    for (uint32_t i = 0; i < times; ++i) {
      gpu::ErrorCollector errors;
      failed = gpu.quota_failure() || !gpu.TakeUncapturedErrors().empty() || !errors.ToStatus("a frame");
    }
  });
  std::printf("| error capture of one `process` |\n|---|\n| %.0f ns |\n\n", ns);
}

Status Run(const std::string& wasm) {
  runtime::RuntimeOptions ro;
  ro.supervised = false;
  WEFT_TRY_ASSIGN(auto runtime, runtime::Runtime::Create(ro));
  WEFT_TRY_ASSIGN(auto device, runtime->Device());
  runtime::ExecOptions eo;
  eo.path = wasm;
  WEFT_TRY_ASSIGN(auto exec, runtime::Exec::Create(runtime, eo));
  const std::string bytes[] = {std::to_string(kUploadBytes)};
  WEFT_TRY_ASSIGN(const auto prepared, exec->Invoke("prepare", bytes));
  if (prepared.find("err") != std::string::npos) return Fail(ErrorKind::Internal, "the guest could not prepare: {}", prepared);
  Natives native(device);
  WEFT_TRY(native.Prepare());

  std::printf("### Calls from a guest, on %s (%s)\n\nMedians of %d runs, all validation on.\n\n", device->info().device.c_str(),
              device->info().description.c_str(), kRuns);
  std::printf("| call | weft ns | native ns | above native ns |\n|---|---|---|---|\n");
  auto row = [&](const char* what, double weft, double plain) {
    std::printf("| %s | %.0f | %.0f | %.0f |\n", what, weft, plain, weft - plain);
    std::fflush(stdout);
  };
  volatile uint64_t sink = 0;
  WEFT_TRY_ASSIGN(double t, Guest(*exec, "scalar", 300'000));
  row("scalar: buffer.size", t, Native(300'000, [&](uint32_t n) { sink = native.Scalar(n); }));
  WEFT_TRY_ASSIGN(t, Guest(*exec, "offsets", 100'000));
  row("list: set-bind-group with a dynamic offset", t, Native(100'000, [&](uint32_t n) { native.Offsets(n); }));
  WEFT_TRY_ASSIGN(t, Guest(*exec, "layout", 20'000));
  row("record with list: create-bind-group-layout and drop", t, Native(20'000, [&](uint32_t n) { native.Layouts(n); }));
  WEFT_TRY_ASSIGN(t, Guest(*exec, "scope", 50'000));
  row("awaited: push-error-scope, pop-error-scope", t, 0);
  WEFT_TRY_ASSIGN(t, Guest(*exec, "upload", 6));
  const double plain = Native(6, [&](uint32_t n) { native.Upload(n); });
  std::printf("| 64 MiB write-buffer and work done | %.0f (%.2f GB/s) | %.0f (%.2f GB/s) | %.2f of native's speed |\n", t,
              static_cast<double>(kUploadBytes) / t, plain, static_cast<double>(kUploadBytes) / plain, plain / t);
  std::vector<double> draws;
  for (int r = 0; r < kRuns; ++r) {
    const std::string count[] = {"10000"};
    Status status;
    draws.push_back(1e3 * Seconds([&] {
                      if (auto got = exec->Invoke("draws", count); !got) status = got.error();
                    }));
    WEFT_TRY(std::move(status));
  }
  std::vector<double> plain_draws;
  for (int r = 0; r < kRuns; ++r) plain_draws.push_back(1e3 * Seconds([&] { native.Draws(10000); }));
  std::printf("| 10,000 draws of three calls, submitted and done | %.2f ms | %.2f ms | %.2f ms |\n\n", Median(draws), Median(plain_draws),
              Median(draws) - Median(plain_draws));
  WEFT_TRY(Pipelined(*exec, native));
  Capture(device);
  return {};
}

}  // namespace
}  // namespace weft::bench

int main(int argc, char** argv) {
  if (auto s = weft::bench::Run(argc > 1 ? argv[1] : WEFT_BENCH_CALLS_WASM); !s) {
    std::fprintf(stderr, "calls_bench: %s\n", s.error().ToString().c_str());
    return 1;
  }
  return 0;
}
