// SPDX-License-Identifier: Apache-2.0
#include "native_chain.h"

#include <sys/resource.h>

#include <chrono>
#include <condition_variable>
#include <fstream>
#include <iterator>
#include <mutex>

#include "base/fail.h"

namespace weft::bench {

Result<std::string> TrivialShader(const std::string& path, const std::string& format) {
  std::ifstream in(path);
  std::string code((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (code.empty()) return Fail(ErrorKind::NotFound, "the shader '{}' cannot be read", path);
  const std::string mark = "OUTPUT_FORMAT";
  for (size_t at; (at = code.find(mark)) != std::string::npos;) code.replace(at, mark.size(), format);
  return code;
}

double ProcessCpuSeconds() {
  rusage u{};
  getrusage(RUSAGE_SELF, &u);
  return static_cast<double>(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6 * static_cast<double>(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

namespace {

// Counts frames on the GPU, so that no more than `limit` are under way.
class Gate {
 public:
  explicit Gate(int limit) : limit_(limit) {}
  void Enter() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return under_way_ < limit_; });
    ++under_way_;
  }
  void Leave() {
    std::lock_guard lock(mutex_);
    --under_way_;
    changed_.notify_all();
  }
  void Drain() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return under_way_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int under_way_ = 0;
  int limit_;
};

}  // namespace

Result<ChainTiming> RunNativeChain(gpu::Device& device, const NativeChainOptions& o) {
  const gpu::Procs& p = device.procs();
  gpu::ErrorCollector errors;

  WEFT_TRY_ASSIGN(const std::string code, TrivialShader(o.shader, o.format_name));
  WGPUShaderSourceWGSL wgsl = WGPU_SHADER_SOURCE_WGSL_INIT;
  wgsl.code = {code.data(), code.size()};
  WGPUShaderModuleDescriptor md = WGPU_SHADER_MODULE_DESCRIPTOR_INIT;
  md.nextInChain = &wgsl.chain;
  auto module = device.Own(p.DeviceCreateShaderModule(device.handle(), &md));
  WGPUComputePipelineDescriptor pd = WGPU_COMPUTE_PIPELINE_DESCRIPTOR_INIT;
  pd.compute.module = module.get();
  pd.compute.entryPoint = {"trivial", 7};
  auto pipeline = device.Own(p.DeviceCreateComputePipeline(device.handle(), &pd));
  WEFT_TRY(device.Outcome(errors, "making the pipeline of the native chain"));
  auto layout = device.Own(p.ComputePipelineGetBindGroupLayout(pipeline.get(), 0));

  // One line of textures is enough: one queue orders the frames.
  const gpu::TextureKey key{o.width, o.height, o.format, gpu::FullUsage(device, o.format)};
  std::vector<Ref<gpu::PoolTexture>> textures;
  for (int i = 0; i <= o.passes; ++i) {
    WEFT_TRY_ASSIGN(auto t, device.textures().Acquire(key));
    textures.push_back(std::move(t));
  }
  std::vector<gpu::Owned<WGPUBindGroup>> groups;
  for (int i = 0; i < o.passes; ++i) {
    WGPUBindGroupEntry entries[2] = {WGPU_BIND_GROUP_ENTRY_INIT, WGPU_BIND_GROUP_ENTRY_INIT};
    entries[0].binding = 0;
    entries[0].textureView = textures[static_cast<size_t>(i)]->View();
    entries[1].binding = 1;
    entries[1].textureView = textures[static_cast<size_t>(i) + 1]->View();
    WGPUBindGroupDescriptor bd = WGPU_BIND_GROUP_DESCRIPTOR_INIT;
    bd.layout = layout.get();
    bd.entryCount = 2;
    bd.entries = entries;
    groups.push_back(device.Own(p.DeviceCreateBindGroup(device.handle(), &bd)));
  }
  WEFT_TRY(device.Outcome(errors, "making the bind groups of the native chain"));

  auto encode_pass = [&](WGPUCommandEncoder encoder, int i) {
    if (o.clear_each_pass) {
      WGPURenderPassColorAttachment a = WGPU_RENDER_PASS_COLOR_ATTACHMENT_INIT;
      a.view = textures[static_cast<size_t>(i) + 1]->View();
      a.loadOp = WGPULoadOp_Clear;
      a.storeOp = WGPUStoreOp_Store;
      WGPURenderPassDescriptor rd = WGPU_RENDER_PASS_DESCRIPTOR_INIT;
      rd.colorAttachmentCount = 1;
      rd.colorAttachments = &a;
      auto pass = device.Own(p.CommandEncoderBeginRenderPass(encoder, &rd));
      p.RenderPassEncoderEnd(pass.get());
    }
    WGPUComputePassDescriptor cd = WGPU_COMPUTE_PASS_DESCRIPTOR_INIT;
    auto pass = device.Own(p.CommandEncoderBeginComputePass(encoder, &cd));
    p.ComputePassEncoderSetPipeline(pass.get(), pipeline.get());
    p.ComputePassEncoderSetBindGroup(pass.get(), 0, groups[static_cast<size_t>(i)].get(), 0, nullptr);
    p.ComputePassEncoderDispatchWorkgroups(pass.get(), (o.width + 7) / 8, (o.height + 7) / 8, 1);
    p.ComputePassEncoderEnd(pass.get());
  };
  auto encoder_of = [&] {
    WGPUCommandEncoderDescriptor ed = WGPU_COMMAND_ENCODER_DESCRIPTOR_INIT;
    return device.Own(p.DeviceCreateCommandEncoder(device.handle(), &ed));
  };
  auto send = [&](WGPUCommandEncoder encoder) {
    WGPUCommandBufferDescriptor fd = WGPU_COMMAND_BUFFER_DESCRIPTOR_INIT;
    auto commands = device.Own(p.CommandEncoderFinish(encoder, &fd));
    device.Submit(commands.get());
  };

  Gate gate(o.in_flight);
  auto frame = [&] {
    gate.Enter();
    if (o.submit_each_pass) {
      for (int i = 0; i < o.passes; ++i) {
        auto encoder = encoder_of();
        encode_pass(encoder.get(), i);
        send(encoder.get());
      }
    } else {
      auto encoder = encoder_of();
      for (int i = 0; i < o.passes; ++i) encode_pass(encoder.get(), i);
      send(encoder.get());
    }
    device.OnSubmittedWorkDone([&gate](Status) { gate.Leave(); });
  };

  for (int i = 0; i < 5; ++i) frame();
  gate.Drain();
  ChainTiming t;
  t.frames = o.frames;
  const double cpu = ProcessCpuSeconds();
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < o.frames; ++i) frame();
  gate.Drain();
  t.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  t.cpu_seconds = ProcessCpuSeconds() - cpu;
  WEFT_TRY(device.Outcome(errors, "running the native chain"));
  return t;
}

}  // namespace weft::bench
