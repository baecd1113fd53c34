// SPDX-License-Identifier: Apache-2.0
// Through libweft's interface alone. WEFT_TEST_PLUGINS is the folder with misbehave.wasm (tests/cli), which copies its input.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "weft/weft.hpp"

namespace weft {
namespace {

std::string Misbehave() {
  const char* folder = std::getenv("WEFT_TEST_PLUGINS");
  return std::string(folder ? folder : "test-plugins") + "/misbehave.wasm";
}

template <class T>
std::string TextOf(const Result<T>& result) {
  return result ? "(no error)" : std::string(result.error().text());
}
std::string TextOf(const Failure& failure) { return failure ? std::string(failure->text()) : "(no error)"; }
bool Has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// One device for all tests of this file.
const Runtime& InProcess() {
  static const Runtime runtime = *Runtime::Create({.mode = WeftRuntimeMode_InProcess});
  return runtime;
}
Runtime Supervised() { return *Runtime::Create({}); }

TEST(Runtime, RefusesStructsThatDoNotBelongInItsChain) {
  WeftChained foreign = {.next = nullptr, .sType = static_cast<WeftSType>(77)};
  WeftRuntimeDescriptor descriptor{};
  descriptor.nextInChain = &foreign;
  EXPECT_TRUE(Has(TextOf(Runtime::Create(descriptor)), "type 77"));
}

TEST(Runtime, RefusesACallersDeviceInSupervisedMode) {
  WeftExternalDevice device{};
  device.chain.sType = WeftSType_ExternalDevice;
  WeftRuntimeDescriptor descriptor{};
  descriptor.nextInChain = &device.chain;
  EXPECT_TRUE(Has(TextOf(Runtime::Create(descriptor)), "WeftRuntimeMode_InProcess"));
  descriptor.mode = WeftRuntimeMode_InProcess;
  EXPECT_TRUE(Has(TextOf(Runtime::Create(descriptor)), "needs all of library, instance, adapter, device and queue"));
}

TEST(Runtime, LendsItsDeviceInProcessOnly) {
  const auto device = InProcess().Device();
  ASSERT_TRUE(device) << TextOf(device);
  EXPECT_TRUE(device->instance && device->adapter && device->device && device->queue);
  EXPECT_GT(device->library.length, 0u);
  EXPECT_FALSE(Supervised().Device());
}

TEST(Runtime, MarksTheAdapterThatItWouldTake) {
  const auto adapters = InProcess().Adapters();
  ASSERT_TRUE(adapters) << TextOf(adapters);
  size_t chosen = 0;
  for (size_t i = 0; i < adapters->size(); ++i) chosen += (*adapters)[i].chosen;
  EXPECT_EQ(chosen, 1u);
  EXPECT_EQ(weftAdapterListGet(adapters->get(), adapters->size()), nullptr);
}

TEST(Error, KeepsKindTextAndName) {
  const auto plugin = InProcess().OpenPlugin("nowhere.wasm");
  ASSERT_FALSE(plugin);
  EXPECT_EQ(plugin.error().kind(), WeftErrorKind_NotFound);
  EXPECT_EQ(plugin.error().kind_name(), "not-found");
  EXPECT_TRUE(Has(TextOf(plugin), "nowhere.wasm"));
}

TEST(Plugin, TellsItsPortsAndParameters) {
  const auto plugin = InProcess().OpenPlugin(Misbehave());
  ASSERT_TRUE(plugin) << TextOf(plugin);
  const WeftPluginInfo& info = plugin->info();
  EXPECT_EQ(View(info.id), "org.weft.test.misbehave");
  EXPECT_EQ(info.sha256.length, 64u);
  ASSERT_EQ(info.inputCount, 2u);
  EXPECT_TRUE(info.inputs[1].optional);
  ASSERT_EQ(info.parameterCount, 5u);
  EXPECT_EQ(View(info.parameters[0].choices[1]), "trap");
  EXPECT_EQ(View(info.parameters[0].defaultValue.text), "none");
  EXPECT_EQ(info.parameters[2].defaultValue.number, 0.5);
  EXPECT_EQ(info.parameters[2].maximum, 1.0);
}

TEST(Graph, RefusesIdsThatAreTakenOrCannotBe) {
  const Graph graph = *Graph::Create(Supervised());
  EXPECT_EQ(TextOf(graph.AddPlugin("a", "a.wasm")), "(no error)");
  EXPECT_TRUE(Has(TextOf(graph.AddPlugin("a", "b.wasm")), "'a' already"));
  EXPECT_TRUE(Has(TextOf(graph.AddPlugin("a.b", "b.wasm")), "'a.b' cannot be the id"));
  EXPECT_TRUE(Has(TextOf(graph.AddPlugin("", "b.wasm")), "cannot be the id"));
}

TEST(Graph, BuiltByCallsIsTheDocumentThatItsJsonSays) {
  const Graph graph = *Graph::Create(Supervised());
  ASSERT_FALSE(graph.AddSource("in", "in.png"));
  ASSERT_FALSE(graph.AddPlugin("blur", "blur.wasm"));
  const WeftOption options[] = {{View("crf"), View("16")}};
  ASSERT_FALSE(graph.AddSink("out", "out.mp4", options));
  ASSERT_FALSE(graph.Bind("blur", "input", "in"));
  ASSERT_FALSE(graph.Bind("out", "", "blur", "output"));
  ASSERT_FALSE(graph.SetRamp("blur", "radius", Number(0), Number(64)));
  ASSERT_FALSE(graph.Set("blur", "tint", Color(1, 0, 0)));
  EXPECT_TRUE(Has(TextOf(graph.Set("bulr", "radius", Number(1))), "no node 'bulr'"));
  const auto json = graph.Json();
  ASSERT_TRUE(json) << TextOf(json);
  const auto again = Graph::FromJson(Supervised(), json->view());
  ASSERT_TRUE(again) << TextOf(again);
  EXPECT_EQ(again->Json()->view(), json->view());
}

TEST(Graph, RunOfAMissingInputIsAnErrorThatNamesIt) {
  for (const Runtime& runtime : {Supervised(), InProcess()}) {
    const Graph graph = *Graph::Create(runtime);
    ASSERT_FALSE(graph.AddSource("in", "nowhere.png"));
    ASSERT_FALSE(graph.AddSink("out", "nowhere-out.png"));
    ASSERT_FALSE(graph.Bind("out", "", "in"));
    const auto report = graph.Run();
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().kind(), WeftErrorKind_NotFound);
    EXPECT_TRUE(Has(TextOf(report), "nowhere.png"));
  }
}

TEST(Graph, CancelledBeforeItsRunEndsAtOnceAndCanRunAgain) {
  const Graph graph = *Graph::Create(InProcess());
  ASSERT_FALSE(graph.AddSource("in", "nowhere.png"));
  ASSERT_FALSE(graph.AddSink("out", "nowhere-out.png"));
  ASSERT_FALSE(graph.Bind("out", "", "in"));
  graph.Cancel();
  auto report = graph.Run();
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind(), WeftErrorKind_Cancelled) << TextOf(report);
  report = graph.Run();
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind(), WeftErrorKind_NotFound) << TextOf(report);
}

WeftFrame FrameOf(const std::vector<uint8_t>& pixels, uint32_t width, uint32_t height, uint64_t number = 0) {
  WeftFrame frame{};
  frame.width = width;
  frame.height = height;
  frame.format = WeftPixelFormat_Rgba8Unorm;
  frame.planes[0] = {pixels.data(), 0};
  frame.number = number;
  return frame;
}

std::vector<uint8_t> Ramp(uint32_t width, uint32_t height, uint8_t seed) {
  std::vector<uint8_t> pixels(width * height * 4);
  for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = i % 4 == 3 ? 255 : static_cast<uint8_t>(i * 3 + seed);
  return pixels;
}

TEST(Chain, IsRefusedInSupervisedMode) {
  const auto chain = Chain::Create(Supervised(), {"a.wasm"});
  ASSERT_FALSE(chain);
  EXPECT_EQ(chain.error().kind(), WeftErrorKind_Unsupported);
}

TEST(Chain, GivesFramesBackInOrderWithTheirNumbersAndPixels) {
  const auto chain = Chain::Create(InProcess(), {Misbehave(), Misbehave()});
  ASSERT_TRUE(chain) << TextOf(chain);
  for (uint64_t n = 0; n < 3; ++n) {
    const auto pixels = Ramp(33, 7, static_cast<uint8_t>(n));
    ASSERT_EQ(TextOf(chain->Push(FrameOf(pixels, 33, 7, n))), "(no error)");
  }
  for (uint64_t n = 0; n < 3; ++n) {
    const auto image = chain->Pull();
    ASSERT_TRUE(image) << TextOf(image);
    const WeftFrame& frame = image->frame();
    EXPECT_EQ(frame.number, n);
    ASSERT_EQ(frame.width, 33u);
    const auto pixels = Ramp(33, 7, static_cast<uint8_t>(n));
    for (uint32_t y = 0; y < 7; ++y) {
      const auto* row = static_cast<const uint8_t*>(frame.planes[0].data) + y * frame.planes[0].stride;
      EXPECT_EQ(std::memcmp(row, pixels.data() + y * 33 * 4, 33 * 4), 0) << "frame " << n << ", row " << y;
    }
  }
}

TEST(Chain, PullWithoutAFrameUnderWayIsAnError) {
  const auto chain = Chain::Create(InProcess(), {Misbehave()});
  ASSERT_TRUE(chain) << TextOf(chain);
  const auto image = chain->Pull();
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().kind(), WeftErrorKind_InvalidArgument);
}

TEST(Chain, ChecksParametersWhenTheyAreSet) {
  const auto chain = Chain::Create(InProcess(), {Misbehave()});
  ASSERT_TRUE(chain) << TextOf(chain);
  EXPECT_EQ(TextOf(chain->Set("misbehave", "level", Number(1))), "(no error)");
  EXPECT_EQ(TextOf(chain->Set("misbehave", "how", Text("none"))), "(no error)");
  EXPECT_EQ(TextOf(chain->Set("misbehave", "tint", Color(1, 0.5, 0))), "(no error)");
  EXPECT_TRUE(Has(TextOf(chain->Set("misbehave", "level", Number(2))), "'level'"));
  EXPECT_TRUE(Has(TextOf(chain->Set("misbehave", "levle", Number(1))), "did you mean 'level'?"));
  EXPECT_TRUE(Has(TextOf(chain->Set("nobody", "level", Number(1))), "'nobody'"));
}

TEST(Chain, AFailedFrameIsAnErrorOfItsPull) {
  const auto chain = Chain::Create(InProcess(), {Misbehave()});
  ASSERT_TRUE(chain) << TextOf(chain);
  ASSERT_FALSE(chain->Set("misbehave", "how", Text("error")));
  const auto pixels = Ramp(8, 8, 0);
  ASSERT_FALSE(chain->Push(FrameOf(pixels, 8, 8)));
  const auto image = chain->Pull();
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().kind(), WeftErrorKind_GuestTrap);
  EXPECT_TRUE(Has(TextOf(image), "the moon is full")) << TextOf(image);
}

TEST(Chain, RefusesFramesThatCannotBe) {
  const auto chain = Chain::Create(InProcess(), {Misbehave()});
  ASSERT_TRUE(chain) << TextOf(chain);
  const auto pixels = Ramp(8, 8, 0);
  WeftFrame frame = FrameOf(pixels, 8, 8);
  frame.planes[0].stride = 31;
  EXPECT_TRUE(Has(TextOf(chain->Push(frame)), "stride is 31"));
  frame = FrameOf(pixels, 0, 8);
  EXPECT_TRUE(Has(TextOf(chain->Push(frame)), "0x8"));
  frame = FrameOf(pixels, 8, 8);
  frame.planes[0].data = nullptr;
  EXPECT_TRUE(Has(TextOf(chain->Push(frame)), "planes[0].data is NULL"));
}

TEST(Chain, GivesTexturesThatCanBePushedAgainWithoutTheCpu) {
  const auto chain = Chain::Create(InProcess(), {Misbehave()});
  ASSERT_TRUE(chain) << TextOf(chain);
  const auto pixels = Ramp(64, 4, 9);
  ASSERT_FALSE(chain->Push(FrameOf(pixels, 64, 4)));
  const auto texture = chain->PullTexture();
  ASSERT_TRUE(texture) << TextOf(texture);
  EXPECT_NE(texture->frame().texture, nullptr);
  EXPECT_EQ(texture->frame().planes[0].data, nullptr);
  ASSERT_EQ(TextOf(chain->Push(texture->frame())), "(no error)");
  const auto image = chain->Pull();
  ASSERT_TRUE(image) << TextOf(image);
  EXPECT_EQ(std::memcmp(image->frame().planes[0].data, pixels.data(), 64 * 4), 0);
}

TEST(Exec, RefusesAFileThatIsNotThere) {
  WeftExecDescriptor descriptor{};
  descriptor.path = View("nowhere.wasm");
  const auto exec = Exec::Create(InProcess(), descriptor);
  ASSERT_FALSE(exec);
  EXPECT_EQ(exec.error().kind(), WeftErrorKind_NotFound);
}

}  // namespace
}  // namespace weft
