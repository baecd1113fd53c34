// SPDX-License-Identifier: Apache-2.0
// Real files through real plugins on whatever GPU there is (software Vulkan in CI).
#include "runtime/runtime.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/fail.h"
#include "gpu/device.h"
#include "graph/shorthand.h"
#include "media/sink.h"
#include "media/source.h"
#include "runtime/supervisor.h"
#include "runtime/test_runtime.h"

namespace weft::runtime {
namespace {

namespace fs = std::filesystem;
using graph::Shorthand;

class RunTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::temp_directory_path() / fmt::format("weft-run-{}-{}", getpid(), testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  static std::string Plugin(const std::string& name) { return std::string(WEFT_PLUGINS) + "/" + name; }

  // A picture with a value for each sample.
  template <class Value>
  void WritePicture(const std::string& name, media::FrameInfo info, Value value) {
    auto frame = media::CpuFrame::Create(info);
    ASSERT_TRUE(frame);
    const auto& layout = (*frame)->layout();
    for (int y = 0; y < info.height; ++y) {
      for (int x = 0; x < info.width * layout.components; ++x) {
        uint8_t* row = (*frame)->mutable_data(0) + static_cast<size_t>(y) * (*frame)->stride(0);
        const int v = value(x / layout.components, y, x % layout.components);
        if (layout.bytes_per_sample == 2) {
          const auto wide = static_cast<uint16_t>(v);
          std::memcpy(row + 2 * x, &wide, 2);
        } else {
          row[x] = static_cast<uint8_t>(v);
        }
      }
    }
    media::SinkOptions options;
    options.overwrite = true;
    auto sink = media::Sink::Open(Path(name), options);
    ASSERT_TRUE(sink) << sink.error().ToString();
    ASSERT_TRUE((*sink)->Write(**frame));
    ASSERT_TRUE((*sink)->Finish());
  }

  Ref<media::CpuFrame> ReadPicture(const std::string& name) {
    auto source = media::Source::Open(Path(name));
    EXPECT_TRUE(source) << (source ? "" : source.error().ToString());
    if (!source) return nullptr;
    auto frame = (*source)->Next();
    EXPECT_TRUE(frame && *frame);
    return frame && *frame ? **frame : nullptr;
  }

  Result<RunOutcome> Run(const Shorthand& line, RunOptions options = {}) {
    WEFT_TRY_ASSIGN(auto document, graph::FromShorthand(line));
    auto cancel = MakeRef<CancelToken>();
    return TestRuntime()->Run(document, options, *cancel);
  }
  Result<RunOutcome> RunSupervised(const Shorthand& line, RunOptions options, CancelToken& cancel) {
    RuntimeOptions runtime;
    runtime.worker_path = WEFT_TEST_WORKER;
    runtime.log = TestLog();
    runtime.limits = limits_;
    WEFT_TRY_ASSIGN(auto document, graph::FromShorthand(line));
    WEFT_TRY_ASSIGN(auto supervised, Runtime::Create(runtime));
    return supervised->Run(document, options, cancel);
  }

  // A plugin whose shader runs for a minute or more over WriteLarge()'s picture. Not endless: software Vulkan ends loops after 65,535
  // turns.
  std::string EndlessPlugin() {
    fs::create_directories(folder_ / "endless");
    std::ofstream(folder_ / "endless" / "plugin.json") << R"({"weft-wgsl": 1, "id": "test.endless", "shader": "s.wgsl",
      "inputs": [{"id": "input"}], "outputs": [{"id": "output"}], "passes": [{"entry": "main", "reads": ["input"], "writes": ["output"]}]})";
    std::ofstream(folder_ / "endless" / "s.wgsl") << R"(
@compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) id: vec3u) {
  var sum = textureLoad(input, id.xy, 0);
  for (var i = 0u; i < 60000u; i++) {
    sum = fract(sin(sum * 1.37 + vec4f(f32(i) * 0.001)) * cos(sum) + exp(sum) * 0.1);
  }
  textureStore(output, id.xy, sum);
})";
    return Path("endless");
  }

  void WriteLarge(const std::string& name) {
    WritePicture(name, {.width = 1500, .height = 1500, .format = media::PixelFormat::Rgba8, .alpha = media::AlphaMode::Straight},
                 [](int x, int y, int c) { return c == 3 ? 255 : (x ^ y) % 256; });
  }

  LimitValues limits_;  // of supervised runs
  fs::path folder_;
};

const media::FrameInfo kRgba8{.width = 40, .height = 24, .format = media::PixelFormat::Rgba8, .alpha = media::AlphaMode::Straight};

int Square(int x, int y, int c) { return c == 3 ? 255 : (x >= 16 && x < 24 && y >= 8 && y < 16 ? 255 : 0); }

TEST_F(RunTest, BlursAPictureWithAPluginInC) {
  WritePicture("in.png", kRgba8, Square);
  auto outcome = Run({{Path("in.png")}, {Plugin("gaussian-blur.wasm") + ":radius=6"}, {Path("out.png")}, {}});
  ASSERT_TRUE(outcome) << outcome.error().ToString();
  EXPECT_EQ(outcome->frames, 1u);
  EXPECT_EQ(outcome->files, (std::vector<std::string>{Path("out.png")}));
  auto out = ReadPicture("out.png");
  ASSERT_TRUE(out);
  ASSERT_EQ(out->info().format, media::PixelFormat::Rgba8);
  auto at = [&](int x, int y) { return out->data(0)[static_cast<size_t>(y) * out->stride(0) + static_cast<size_t>(x) * 4]; };
  EXPECT_EQ(at(0, 0), 0);
  EXPECT_GT(at(20, 12), 200) << "the middle stays bright";
  EXPECT_GT(at(15, 12), 60) << "the edge is soft";
  EXPECT_LT(at(15, 12), 200);
  EXPECT_EQ(at(15, 12), at(24, 12)) << "and the same on both sides";
}

TEST_F(RunTest, PassesThePictureThroughWhereThePluginSaysSo) {
  WritePicture("in.png", kRgba8, [](int x, int y, int c) { return c == 3 ? 255 : (x * 7 + y * 13 + c * 29) % 256; });
  RunOptions options;
  options.work_format = "rgba32float";
  auto outcome = Run({{Path("in.png")}, {Plugin("gaussian-blur.wasm") + ":radius=0"}, {Path("out.png")}, {}}, options);
  ASSERT_TRUE(outcome) << outcome.error().ToString();
  auto in = ReadPicture("in.png"), out = ReadPicture("out.png");
  ASSERT_TRUE(in && out);
  ASSERT_EQ(out->info().format, in->info().format);
  for (int y = 0; y < 24; ++y) {
    for (int x = 0; x < 160; ++x) {
      ASSERT_EQ(int{in->data(0)[y * in->stride(0) + x]}, int{out->data(0)[y * out->stride(0) + x]}) << "sample " << x << ", row " << y;
    }
  }
}

TEST_F(RunTest, Keeps16BitsWithoutAnyPlugin) {
  for (auto [w, h] : {std::pair(1, 1), {1, 7}, {63, 65}, {1919, 3}}) {
    media::FrameInfo info{.width = w, .height = h, .format = media::PixelFormat::Rgb48};
    WritePicture("in.png", info, [](int x, int y, int c) { return (x * 257 + y * 4099 + c * 21001) % 65536; });
    RunOptions options;
    options.overwrite = true;
    auto outcome = Run({{Path("in.png")}, {}, {Path("out.png")}, {}}, options);
    ASSERT_TRUE(outcome) << outcome.error().ToString();
    auto in = ReadPicture("in.png"), out = ReadPicture("out.png");
    ASSERT_TRUE(in && out);
    ASSERT_EQ(out->info().format, media::PixelFormat::Rgb48);
    for (int y = 0; y < h; ++y) {
      ASSERT_EQ(std::memcmp(in->data(0) + y * in->stride(0), out->data(0) + y * out->stride(0), in->row_bytes(0)), 0)
          << w << "x" << h << " row " << y;
    }
  }
}

TEST_F(RunTest, RunsAPluginOfWgslAndJson) {
  WritePicture("in.png", kRgba8, Square);
  auto outcome = Run({{Path("in.png")}, {std::string(WEFT_SOURCE_DIR) + "/plugins/glow:amount=2,threshold=0.2"}, {Path("out.png")}, {}});
  ASSERT_TRUE(outcome) << outcome.error().ToString();
  auto out = ReadPicture("out.png");
  ASSERT_TRUE(out);
  EXPECT_GT(out->data(0)[12 * out->stride(0) + 13 * 4], 0) << "light spills over the square's edge";
}

TEST_F(RunTest, RampsAParameterOverASequence) {
  for (int i = 0; i < 5; ++i) WritePicture(fmt::format("in{:03}.png", i + 10), kRgba8, Square);
  auto outcome = Run({{Path("in%03d.png")}, {Plugin("gaussian-blur.wasm") + ":radius=0..12"}, {Path("out%03d.png")}, {}});
  ASSERT_TRUE(outcome) << outcome.error().ToString();
  EXPECT_EQ(outcome->frames, 5u);
  int last = 256;
  for (int i = 10; i < 15; ++i) {
    auto out = ReadPicture(fmt::format("out{:03}.png", i));
    ASSERT_TRUE(out);
    const int middle = out->data(0)[12 * out->stride(0) + 16 * 4];
    EXPECT_LT(middle, last) << "frame " << i << " is softer than the one before";
    last = middle;
  }
}

TEST_F(RunTest, CreatesNoTextureAndNoBufferInASteadyRun) {
  for (int i = 0; i < 60; ++i) WritePicture(fmt::format("in{:03}.png", i), kRgba8, Square);
  auto device = TestRuntime()->Device();
  ASSERT_TRUE(device);
  auto created = [&](int64_t last) {
    const auto before = (*device)->counters().Snapshot();
    RunOptions options;
    options.overwrite = true;
    options.frames = media::FrameRange{0, last, 1};
    auto outcome =
        Run({{Path("in%03d.png")}, {Plugin("gaussian-blur.wasm"), Plugin("gaussian-blur.wasm")}, {Path("out%03d.png")}, {}}, options);
    EXPECT_TRUE(outcome) << (outcome ? "" : outcome.error().ToString());
    const auto after = (*device)->counters().Snapshot();
    return std::pair(after.textures_created - before.textures_created, after.buffers_created - before.buffers_created);
  };
  created(59);  // fills the pools
  const auto few = created(9), many = created(59);
  // How many frames overlap differs from run to run, and with it what the pools need: a dozen at most, where one texture or one buffer a
  // frame would be fifty more.
  EXPECT_LT(many.first, few.first + 25);
  EXPECT_LT(many.second, few.second + 25);
}

TEST_F(RunTest, ResizesInTheHost) {
  WritePicture("in.png", kRgba8, [](int, int, int c) { return c == 3 ? 255 : 100 + c; });
  Shorthand line{
      {Path("in.png")}, {}, {Path("out.png")}, {{"width", graph::Literal::Number(20), {}}, {"height", graph::Literal::Number(20), {}}}};
  auto outcome = Run(line);
  ASSERT_TRUE(outcome) << outcome.error().ToString();
  auto out = ReadPicture("out.png");
  ASSERT_TRUE(out);
  EXPECT_EQ(out->width(), 20);
  EXPECT_EQ(out->height(), 20);
  const uint8_t* middle = out->data(0) + 10 * out->stride(0) + 40;
  EXPECT_NEAR(middle[0], 100, 1);
  EXPECT_NEAR(middle[2], 102, 1);
  EXPECT_EQ(middle[3], 255);
  EXPECT_EQ(out->data(0)[3], 0) << "the border of a contained picture is transparent";
}

TEST_F(RunTest, SaysWhatIsWrongBeforeAnythingIsWritten) {
  WritePicture("in.png", kRgba8, Square);
  auto message = [&](std::string input, std::string plugin, std::string output) {
    auto outcome = Run({{input}, plugin.empty() ? std::vector<std::string>{} : std::vector<std::string>{plugin}, {output}, {}});
    return outcome ? std::string("no error") : outcome.error().ToString();
  };
  const std::string in = Path("in.png"), out = Path("out.png"), blur = Plugin("gaussian-blur.wasm");
  EXPECT_NE(message(Path("none.png"), blur, out).find("none.png"), std::string::npos);
  EXPECT_NE(message(in, Path("none.wasm"), out).find("none.wasm"), std::string::npos);
  EXPECT_NE(message(in, Path("in.png"), out).find("in.png"), std::string::npos);
  EXPECT_EQ(message(in, blur + ":raduis=3", out), "node 'gaussian-blur': there is no parameter or input 'raduis'; did you mean 'radius'?");
  EXPECT_EQ(message(in, blur + ":radius=99", out), "node 'gaussian-blur': parameter 'radius' is 99; it must be between 0 and 64");
  EXPECT_NE(message(in, blur, in).find("in.png"), std::string::npos) << "an output that exists is refused";
  EXPECT_NE(message(in, blur, Path("no/out.png")).find("no"), std::string::npos);
  EXPECT_FALSE(fs::exists(out));
}

TEST_F(RunTest, InspectsPluginsWithoutAGpu) {
  auto blur = TestRuntime()->Inspect(Plugin("gaussian-blur.wasm"));
  ASSERT_TRUE(blur) << blur.error().ToString();
  EXPECT_EQ(blur->description.id, "org.weft.gaussian-blur");
  EXPECT_EQ(blur->sha256.size(), 64u);
  EXPECT_FALSE(blur->imports.empty());
  auto glow = TestRuntime()->Inspect(std::string(WEFT_SOURCE_DIR) + "/plugins/glow");
  ASSERT_TRUE(glow) << glow.error().ToString();
  EXPECT_NE(glow->bindings.find("@group(0) @binding(0) var<uniform> weft: Weft;"), std::string::npos);
}

TEST_F(RunTest, DoesTheSameInAWorkerProcess) {
  WritePicture("in.png", kRgba8, Square);
  const std::string blur = Plugin("gaussian-blur.wasm") + ":radius=5";
  ASSERT_TRUE(Run({{Path("in.png")}, {blur}, {Path("a.png")}, {}}));
  auto cancel = MakeRef<CancelToken>();
  auto outcome = RunSupervised({{Path("in.png")}, {blur}, {Path("b.png")}, {}}, {}, *cancel);
  ASSERT_TRUE(outcome) << outcome.error().ToString();
  EXPECT_EQ(outcome->frames, 1u);
  EXPECT_FALSE(outcome->gpu.empty());
  ASSERT_FALSE(outcome->nodes.empty());
  EXPECT_EQ(outcome->nodes.front().kind, "source");
  auto a = ReadPicture("a.png"), b = ReadPicture("b.png");
  ASSERT_TRUE(a && b);
  for (int y = 0; y < 24; ++y) ASSERT_EQ(std::memcmp(a->data(0) + y * a->stride(0), b->data(0) + y * b->stride(0), 160), 0);
  auto wrong = RunSupervised({{Path("in.png")}, {blur + ",edges=x"}, {Path("c.png")}, {}}, {}, *cancel);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().kind(), ErrorKind::InvalidArgument);
  EXPECT_TRUE(wrong.error().ToString().starts_with("node 'gaussian-blur': parameter 'edges' has no choice")) << wrong.error().ToString();
}

// The worker of this process that runs now.
pid_t FindWorkerPid() {
  for (const auto& task : fs::directory_iterator("/proc/self/task")) {
    std::ifstream children(task.path() / "children");
    pid_t pid;
    while (children >> pid) {
      std::ifstream comm(fmt::format("/proc/{}/comm", pid));
      std::string name;
      std::getline(comm, name);
      if (name == "weft-worker") return pid;
    }
  }
  return 0;
}

TEST_F(RunTest, NamesNodeAndFrameWhenTheWorkerIsKilled) {
  WriteLarge("in.png");
  std::atomic<bool> started{false};
  RunOptions options;
  options.progress = [&](const Progress&) { started = true; };
  std::jthread killer([&] {
    while (!started) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::this_thread::sleep_for(std::chrono::milliseconds(500));  // the frame is with the GPU by now
    kill(FindWorkerPid(), SIGSEGV);
  });
  auto cancel = MakeRef<CancelToken>();
  auto outcome = RunSupervised({{Path("in.png")}, {EndlessPlugin() + "@slow"}, {Path("out.png")}, {}}, options, *cancel);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().ToString(),
            "the worker process was ended by signal 11 (Segmentation fault) while node 'slow' was making frame 0 (its GPU work was sent "
            "and has not "
            "finished)");
  EXPECT_EQ(outcome.error().kind(), ErrorKind::GuestTrap);
  EXPECT_FALSE(fs::exists(Path("out.png")));
}

TEST_F(RunTest, EndsAWorkerThatHangs) {
  WriteLarge("in.png");
  RunOptions options;
  limits_["gpu-time"] = 1'000'000'000;
  auto cancel = MakeRef<CancelToken>();
  auto outcome = RunSupervised({{Path("in.png")}, {EndlessPlugin() + "@slow"}, {Path("out.png")}, {}}, options, *cancel);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().ToString(),
            "node 'slow' was making frame 0 (its GPU work was sent and has not finished) and made no progress for 1 s, its limit "
            "(--max-gpu-time); the worker process was ended");
  EXPECT_FALSE(fs::exists(Path("out.png")));
}

TEST_F(RunTest, CancelsAWorkerThatHangs) {
  WriteLarge("in.png");
  auto cancel = MakeRef<CancelToken>();
  RunOptions options;
  std::atomic<bool> started{false};
  options.progress = [&](const Progress&) { started = true; };
  std::jthread canceller([&] {
    while (!started) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    cancel->Cancel();
  });
  auto outcome = RunSupervised({{Path("in.png")}, {EndlessPlugin()}, {Path("out.png")}, {}}, options, *cancel);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind(), ErrorKind::Cancelled);
  EXPECT_FALSE(fs::exists(Path("out.png")));
  EXPECT_EQ(FindWorkerPid(), 0);
}

TEST_F(RunTest, SaysWhereItLookedForTheWorker) {
  RuntimeOptions options;
  options.worker_path = "/nowhere/weft-worker";
  EXPECT_EQ(FindWorker(options).error().message(), "the worker program '/nowhere/weft-worker' is not there or cannot be run");
}

}  // namespace
}  // namespace weft::runtime
