// SPDX-License-Identifier: Apache-2.0
// For this folder's tests: the built guests, one engine, and a WebGPU host that only counts.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "wasm/engine.h"
#include "wasm/gen/effect.h"
#include "wasm/gen/plugin_log.h"
#include "wasm/gen/webgpu.h"

namespace weft::wasm {

inline std::string GuestPath(const std::string& name) { return std::string(WEFT_TEST_GUESTS) + "/" + name + ".wasm"; }

// Without a cache on disk; one for all tests, since compiling takes its time.
inline Engine& TestEngine() {
  static std::unique_ptr<Engine> engine = [] {
    auto e = Engine::Create();
    return e ? std::move(*e) : nullptr;
  }();
  WEFT_CHECK(engine);
  return *engine;
}

inline const Component& TestComponent(const std::string& name) {
  static std::map<std::string, Component> all;
  auto it = all.find(name);
  if (it == all.end()) {
    auto c = TestEngine().CompileFile(GuestPath(name));
    if (!c) ADD_FAILURE() << c.error().ToString();
    WEFT_CHECK(c);
    it = all.emplace(name, std::move(*c)).first;
  }
  return it->second;
}

class CountingGpu : public webgpu::WebgpuHost {
 public:
  // What each kind of handle is worth: given minus dropped.
  std::map<std::string, int> live;
  int drops = 0;
  // Answers request-adapter at once, or keeps it for the test.
  bool answer = true;
  std::optional<Completion<Opt<Rep>>> pending;
  std::mutex mutex;
  std::string buffer_label, device_label, queue_label, feature_level;
  std::vector<webgpu::GpuFeatureName> features;
  std::vector<uint8_t> bytes;
  uint64_t size = 0;
  bool throws = false;

  Rep Give(const char* kind) {
    live[kind]++;
    return next_++;
  }
  void Took(const char* kind) {
    live[kind]--;
    drops++;
  }
  int Total() const {
    int n = 0;
    for (const auto& [kind, count] : live) n += count;
    return n;
  }

  Result<Rep> OnGetGpu() override {
    if (throws) throw std::runtime_error("thrown on purpose");
    return Give("gpu");
  }
  void OnGpuRequestAdapter(Rep, const Opt<webgpu::GpuRequestAdapterOptions>& o, Completion<Opt<Rep>> done) override {
    if (o && o->feature_level) feature_level = o->feature_level->view();
    const std::lock_guard lock(mutex);
    if (answer)
      done.Done(Give("adapter"));
    else
      pending = std::move(done);
  }
  void OnGpuAdapterRequestDevice(Rep, const Opt<webgpu::GpuDeviceDescriptor>& d,
                                 Completion<Res<Rep, webgpu::RequestDeviceError>> done) override {
    if (d) {
      if (d->label) device_label = d->label->view();
      if (d->default_queue && d->default_queue->label) queue_label = d->default_queue->label->view();
      if (d->required_features) features.assign(d->required_features->begin(), d->required_features->end());
    }
    done.Done(Res<Rep, webgpu::RequestDeviceError>::Ok(Give("device")));
  }
  Result<Rep> OnGpuDeviceQueue(Rep) override { return Give("queue"); }
  Result<Rep> OnGpuDeviceCreateBuffer(Rep, const webgpu::GpuBufferDescriptor& d) override {
    if (d.label) buffer_label = d.label->view();
    size = d.size;
    return Give("buffer");
  }
  Result<uint64_t> OnGpuBufferSize(Rep) override { return uint64_t{size}; }
  Result<Res<Unit, webgpu::WriteBufferError>> OnGpuQueueWriteBufferWithCopy(Rep, Rep, uint64_t, const List<uint8_t>& data,
                                                                            const Opt<uint64_t>&, const Opt<uint64_t>&) override {
    bytes.assign(data.begin(), data.end());
    return Res<Unit, webgpu::WriteBufferError>::Ok();
  }
  void OnGpuQueueOnSubmittedWorkDone(Rep, Completion<Unit> done) override { done.Done({}); }
  Result<uint32_t> OnGpuTextureWidth(Rep self) override { return self * 10; }

#define WEFT_TEST_DROP(Kind, name) \
  void OnDrop##Kind(Rep) noexcept override { Took(name); }
  WEFT_TEST_DROP(Gpu, "gpu")
  WEFT_TEST_DROP(GpuAdapter, "adapter")
  WEFT_TEST_DROP(GpuDevice, "device")
  WEFT_TEST_DROP(GpuQueue, "queue")
  WEFT_TEST_DROP(GpuBuffer, "buffer")
  WEFT_TEST_DROP(GpuTexture, "texture")
  WEFT_TEST_DROP(GpuAdapterInfo, "other")
  WEFT_TEST_DROP(GpuBindGroup, "other")
  WEFT_TEST_DROP(GpuBindGroupLayout, "other")
  WEFT_TEST_DROP(GpuCanvasContext, "other")
  WEFT_TEST_DROP(GpuCommandBuffer, "other")
  WEFT_TEST_DROP(GpuCommandEncoder, "other")
  WEFT_TEST_DROP(GpuCompilationInfo, "other")
  WEFT_TEST_DROP(GpuCompilationMessage, "other")
  WEFT_TEST_DROP(GpuComputePassEncoder, "other")
  WEFT_TEST_DROP(GpuComputePipeline, "other")
  WEFT_TEST_DROP(GpuDeviceLostInfo, "other")
  WEFT_TEST_DROP(GpuError, "other")
  WEFT_TEST_DROP(GpuPipelineLayout, "other")
  WEFT_TEST_DROP(GpuQuerySet, "other")
  WEFT_TEST_DROP(GpuRenderBundle, "other")
  WEFT_TEST_DROP(GpuRenderBundleEncoder, "other")
  WEFT_TEST_DROP(GpuRenderPassEncoder, "other")
  WEFT_TEST_DROP(GpuRenderPipeline, "other")
  WEFT_TEST_DROP(GpuSampler, "other")
  WEFT_TEST_DROP(GpuShaderModule, "other")
  WEFT_TEST_DROP(GpuSupportedFeatures, "other")
  WEFT_TEST_DROP(GpuSupportedLimits, "other")
  WEFT_TEST_DROP(GpuTextureView, "other")
  WEFT_TEST_DROP(GpuUncapturedErrorEvent, "other")
  WEFT_TEST_DROP(RecordGpuPipelineConstantValue, "other")
  WEFT_TEST_DROP(RecordOptionGpuSize64, "other")
  WEFT_TEST_DROP(WgslLanguageFeatures, "other")
#undef WEFT_TEST_DROP

 private:
  Rep next_ = 1;
};

class KeepingLog : public plugin::LogHost {
 public:
  std::vector<std::string> lines;
  Status OnWrite(plugin::Level level, Str message) override {
    lines.push_back(std::string(plugin::ToString(level)) + ": " + std::string(message.view()));
    return {};
  }
};

// A guest with its hosts, which outlive it.
struct Guest {
  CountingGpu gpu;
  KeepingLog log;
  std::unique_ptr<Instance> instance;

  explicit Guest(const std::string& name = "guest", const Limits& limits = {}) {
    auto i = TestComponent(name).Instantiate(Grants{}, limits, Hosts{&gpu, &log});
    if (!i) ADD_FAILURE() << i.error().ToString();
    if (i) instance = std::move(*i);
  }
  // "-> value" or the error's text.
  std::string Call(std::string_view function, std::vector<std::string> args = {}) {
    auto call = instance->Invoke(function, args);
    auto r = call.Wait();
    return r ? "-> " + std::string((*r)->view()) : r.error().message();
  }
};

inline Limits CallTime(int ms) {
  Limits l;
  l.call_time = std::chrono::milliseconds(ms);
  return l;
}

}  // namespace weft::wasm
