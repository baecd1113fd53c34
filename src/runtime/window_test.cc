// SPDX-License-Identifier: Apache-2.0
// Window components of examples/windows in graph documents, in this process and in a worker.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/fail.h"
#include "gpu/device.h"
#include "media/source.h"
#include "runtime/test_runtime.h"

namespace weft::runtime {
namespace {

namespace fs = std::filesystem;

class WindowRun : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / fmt::format("weft-window-run-{}", getpid());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static std::string Window(const std::string& name) { return std::string(WEFT_WINDOWS) + "/" + name + ".wasm"; }
  Result<RunOutcome> Run(Ref<Runtime> runtime, const std::string& json, media::FrameRange frames) {
    WEFT_TRY_ASSIGN(auto document, graph::ParseDocument(json, "test"));
    RunOptions options;
    options.frames = frames;
    options.folder = folder_.string();
    options.overwrite = true;
    auto cancel = MakeRef<CancelToken>();
    return runtime->Run(document, options, *cancel);
  }
  // The first three samples at (x, y).
  std::vector<int> Pixel(const std::string& name, int x, int y) {
    auto source = media::Source::Open((folder_ / name).string());
    EXPECT_TRUE(source) << (source ? "" : source.error().ToString());
    if (!source) return {};
    auto frame = (*source)->Next();
    EXPECT_TRUE(frame && *frame);
    const media::CpuFrame& f = ***frame;
    const uint8_t* at = f.data(0) + static_cast<size_t>(y) * f.stride(0) + static_cast<size_t>(x) * f.layout().components;
    return {at[0], at[1], at[2]};
  }

  fs::path folder_;
};

const std::vector<int> kGrey{128, 128, 128}, kRed{255, 0, 0}, kGreen{0, 255, 0};

TEST_F(WindowRun, EventsOfADocumentReachTheComponentInEitherMode) {
  const std::string json = fmt::format(R"({{"weft": 1, "nodes": {{
    "w": {{"kind": "window", "path": "{}", "events": [{{"frame": 1, "pointer-down": [10, 20]}}, {{"frame": 2, "key-down": "KeyX"}}]}},
    "out": {{"kind": "sink", "path": "%d.png"}}}}, "edges": [["w", "out"]]}})",
                                       Window("rectangle"));
  RuntimeOptions supervised;
  supervised.worker_path = WEFT_TEST_WORKER;
  supervised.log = TestLog();
  for (Ref<Runtime> runtime : {TestRuntime(), *Runtime::Create(supervised)}) {
    auto outcome = Run(runtime, json, {0, 2, 1});
    ASSERT_TRUE(outcome) << outcome.error().ToString();
    EXPECT_EQ(outcome->frames, 3u);
    EXPECT_EQ(Pixel("0.png", 32, 24), kRed);
    EXPECT_EQ(Pixel("0.png", 10, 20), kGrey);
    EXPECT_EQ(Pixel("1.png", 32, 24), kGrey);
    EXPECT_EQ(Pixel("1.png", 10, 20), kRed);
    EXPECT_EQ(Pixel("2.png", 10, 20), kGreen);
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
}

// What a window draws with the GPU goes to the sink without an upload, and its textures go round.
TEST_F(WindowRun, PicturesOfTheGpuStayThere) {
  const std::string json = fmt::format(R"({{"weft": 1, "nodes": {{"w": {{"kind": "window", "path": "{}"}},
    "out": {{"kind": "sink", "path": "%02d.png"}}}}, "edges": [["w", "out"]]}})",
                                       Window("compute"));
  Ref<gpu::Device> device = *TestRuntime()->Device();
  ASSERT_TRUE(Run(TestRuntime(), json, {0, 9, 1}));
  const gpu::CounterValues before = device->counters().Snapshot();
  auto outcome = Run(TestRuntime(), json, {0, 39, 1});
  ASSERT_TRUE(outcome) << outcome.error().ToString();
  const gpu::CounterValues after = device->counters().Snapshot();
  EXPECT_EQ(after.upload_bytes - before.upload_bytes, 40u * 16) << "the guest's own uniforms alone";
  EXPECT_EQ(after.texture_copies, before.texture_copies);
  EXPECT_EQ(after.downloads - before.downloads, 40u);
  // In two runs the frames in flight may differ a little; forty of them make no forty textures.
  EXPECT_LE(after.textures_created - before.textures_created, 10u);
}

TEST_F(WindowRun, BindsByItsNumberLikeAnyInput) {
  const std::string json = fmt::format(R"({{"weft": 1, "nodes": {{
    "a": {{"kind": "window", "path": "{}"}}, "b": {{"kind": "window", "path": "{}", "parameters": {{"size": "64x48"}}}},
    "c": {{"kind": "plugin", "path": "{}/composite.wasm", "parameters": {{"background": "#2", "operator": "destination"}}}},
    "out": {{"kind": "sink", "path": "o%d.png"}}}}, "edges": [["a", "c.foreground"], ["c", "out"]]}})",
                                       Window("triangle"), Window("rectangle"), WEFT_PLUGINS);
  auto outcome = Run(TestRuntime(), json, {0, 0, 1});
  ASSERT_TRUE(outcome) << outcome.error().ToString();
  EXPECT_EQ(Pixel("o0.png", 32, 24), kRed);
}

}  // namespace
}  // namespace weft::runtime
