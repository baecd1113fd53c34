// SPDX-License-Identifier: Apache-2.0
// bench/chain: N trivial nodes at 1080p, each a wasm instance of its own, against the same passes written on webgpu.h. One table, Markdown.
//
// Both sides are warmed up, run alternately, and their best of three runs is compared, since other work on the machine only ever slows
// down. weft's side is the embedding API: a texture of the device pushed, a texture pulled, up to `in_flight` frames under way.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/fail.h"
#include "gpu/counters.h"
#include "native_chain.h"
#include "runtime/chain.h"
#include "runtime/runtime.h"

namespace weft::bench {
namespace {

struct WeftChainTiming {
  ChainTiming timing;
  gpu::CounterValues before, after;
};

struct Options {
  uint32_t width = 1920, height = 1080;
  int in_flight = 6;
  double seconds = 2;  // of each run, about
  int runs = 3;
  int nodes = 0;                               // not 0: chains of this length only
  int profile = 0;                             // not 0: weft's side alone, so many frames of rgba8unorm, for a profiler; prints one line
  std::string wasm = WEFT_BENCH_TRIVIAL_WASM;  // the guest; its shader is the native side's too
  std::string wgsl = WEFT_BENCH_TRIVIAL_WGSL;
};

Result<WeftChainTiming> RunWeftChain(const Ref<runtime::Runtime>& runtime, gpu::Device& device, int nodes, const std::string& format_name,
                                     WGPUTextureFormat format, int frames, const Options& o) {
  runtime::ChainOptions options;
  options.work_format = format_name;
  options.queue_depth = o.in_flight;
  options.rate = {25, 1};
  for (int i = 0; i < nodes; ++i) options.nodes.push_back({"n" + std::to_string(i), o.wasm});
  WEFT_TRY_ASSIGN(auto chain, runtime::Chain::Create(runtime, options));
  const gpu::TextureKey key{o.width, o.height, format, gpu::FullUsage(device, format)};
  WEFT_TRY_ASSIGN(auto source, device.textures().Acquire(key));

  // What the pulled frames hold keeps the pool's textures lent until the GPU has them; a real consumer lets go likewise.
  uint64_t number = 0;
  int under_way = 0;
  auto push = [&]() -> Status {
    graph::FrameTime time;
    time.number = number;
    time.pts = Rational::Make(static_cast<int64_t>(number), 25);
    time.duration = {1, 25};
    ++number;
    ++under_way;
    return chain->PushTexture(source->texture(), {.primaries = 1, .transfer = 13, .matrix = 0, .full_range = true},
                              media::AlphaMode::Opaque, time);
  };
  auto pull = [&]() -> Status {
    --under_way;
    WEFT_TRY_ASSIGN(auto image, chain->PullTexture());
    (void)image;
    return {};
  };
  auto run = [&](int count) -> Status {
    for (int i = 0; i < count; ++i) {
      if (under_way == o.in_flight) WEFT_TRY(pull());
      WEFT_TRY(push());
    }
    while (under_way > 0) WEFT_TRY(pull());
    return device.WaitIdle();
  };
  WEFT_TRY(run(60));
  WeftChainTiming t;
  t.before = device.counters().Snapshot();
  t.timing.frames = frames;
  const double cpu = ProcessCpuSeconds();
  const auto start = std::chrono::steady_clock::now();
  WEFT_TRY(run(frames));
  t.timing.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  t.timing.cpu_seconds = ProcessCpuSeconds() - cpu;
  t.after = device.counters().Snapshot();
  return t;
}

double Seconds(const timeval& t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); }

Status Run(const Options& o) {
  runtime::RuntimeOptions ro;
  ro.supervised = false;
  WEFT_TRY_ASSIGN(auto runtime, runtime::Runtime::Create(ro));
  WEFT_TRY_ASSIGN(auto device, runtime->Device());
  if (o.profile > 0) {
    const int nodes = std::max(1, o.nodes);
    WEFT_TRY_ASSIGN(const auto w, RunWeftChain(runtime, *device, nodes, "rgba8unorm", WGPUTextureFormat_RGBA8Unorm, o.profile, o));
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    std::printf(
        "%d nodes: %.3f ms and %.3f ms of CPU a frame, %.1f us of CPU a node, %.2f submits and %.2f clears a frame; since the start %.2f s "
        "of CPU "
        "in the program, %.2f s in the kernel, %ld waits, %ld interruptions\n",
        nodes, w.timing.ms(), w.timing.cpu_ms(), 1e3 * w.timing.cpu_ms() / nodes,
        static_cast<double>(w.after.submits - w.before.submits) / o.profile,
        static_cast<double>(w.after.clears - w.before.clears) / o.profile, Seconds(used.ru_utime), Seconds(used.ru_stime), used.ru_nvcsw,
        used.ru_nivcsw);
    return {};
  }
  std::printf("### Chain of trivial nodes, %ux%u, on %s (%s)\n\n", o.width, o.height, device->info().device.c_str(),
              device->info().description.c_str());
  std::printf(
      "Native: bind groups and views made once, one encoder and one submit a frame. weft: every node a wasm instance with its own submit. "
      "%d frames in flight; best of %d runs each.\n\n",
      o.in_flight, o.runs);
  std::printf(
      "| format | nodes | native ms/frame | one submit a pass | with clearing | weft ms/frame | weft / native fps | CPU ms/frame native | "
      "CPU weft | "
      "CPU us/node above native | textures/frame | buffers/frame | copies/frame |\n");
  std::printf("|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  struct F {
    const char* name;
    WGPUTextureFormat format;
  };
  for (const F f : {F{"rgba8unorm", WGPUTextureFormat_RGBA8Unorm}, F{"rgba16float", WGPUTextureFormat_RGBA16Float}}) {
    for (const int nodes : {1, 2, 4, 8, 32}) {
      if (o.nodes != 0 && nodes != o.nodes) continue;
      NativeChainOptions n;
      n.passes = nodes;
      n.width = o.width;
      n.height = o.height;
      n.format = f.format;
      n.format_name = f.name;
      n.in_flight = o.in_flight;
      n.shader = o.wgsl;
      n.frames = 8;
      WEFT_TRY_ASSIGN(const auto probe, RunNativeChain(*device, n));
      const int frames = std::max(8, std::min(2000, static_cast<int>(o.seconds / (probe.seconds / probe.frames))));
      n.frames = frames;
      ChainTiming native, each, clear;
      WeftChainTiming weft;
      auto keep = [](ChainTiming& best, const ChainTiming& t) {
        if (best.frames == 0 || t.seconds < best.seconds) best = t;
      };
      for (int r = 0; r < o.runs; ++r) {
        n.submit_each_pass = n.clear_each_pass = false;
        WEFT_TRY_ASSIGN(const auto a, RunNativeChain(*device, n));
        keep(native, a);
        WEFT_TRY_ASSIGN(const auto w, RunWeftChain(runtime, *device, nodes, f.name, f.format, frames, o));
        if (weft.timing.frames == 0 || w.timing.seconds < weft.timing.seconds) weft = w;
        n.submit_each_pass = true;
        WEFT_TRY_ASSIGN(const auto b, RunNativeChain(*device, n));
        keep(each, b);
        n.submit_each_pass = false;
        n.clear_each_pass = true;
        WEFT_TRY_ASSIGN(const auto c, RunNativeChain(*device, n));
        keep(clear, c);
      }
      auto per_frame = [&](uint64_t a, uint64_t b) { return static_cast<double>(b - a) / frames; };
      std::printf("| %s | %d | %.3f | %.3f | %.3f | %.3f | %.2f | %.3f | %.3f | %.1f | %.2f | %.2f | %.2f |\n", f.name, nodes, native.ms(),
                  each.ms(), clear.ms(), weft.timing.ms(), weft.timing.fps() / native.fps(), native.cpu_ms(), weft.timing.cpu_ms(),
                  1e3 * (weft.timing.cpu_ms() - native.cpu_ms()) / nodes,
                  per_frame(weft.before.textures_created, weft.after.textures_created),
                  per_frame(weft.before.buffers_created, weft.after.buffers_created),
                  per_frame(weft.before.texture_copies + weft.before.uploads + weft.before.downloads,
                            weft.after.texture_copies + weft.after.uploads + weft.after.downloads));
      std::fflush(stdout);
    }
  }
  std::printf("\n");
  return {};
}

}  // namespace
}  // namespace weft::bench

int main(int argc, char** argv) {
  weft::bench::Options o;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string a = argv[i];
    if (a == "--seconds") o.seconds = std::atof(argv[i + 1]);
    if (a == "--runs") o.runs = std::atoi(argv[i + 1]);
    if (a == "--wasm") o.wasm = argv[i + 1];
    if (a == "--wgsl") o.wgsl = argv[i + 1];
    if (a == "--in-flight") o.in_flight = std::atoi(argv[i + 1]);
    if (a == "--nodes") o.nodes = std::atoi(argv[i + 1]);
    if (a == "--profile") o.profile = std::atoi(argv[i + 1]);
    if (a == "--width") o.width = static_cast<uint32_t>(std::atoi(argv[i + 1]));
    if (a == "--height") o.height = static_cast<uint32_t>(std::atoi(argv[i + 1]));
  }
  if (auto s = weft::bench::Run(o); !s) {
    std::fprintf(stderr, "chain_bench: %s\n", s.error().ToString().c_str());
    return 1;
  }
  return 0;
}
