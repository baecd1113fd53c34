// SPDX-License-Identifier: Apache-2.0
// Window components that do wrong, beside a bystander on the same device: each gets its own sentence, the frames before it are whole, and
// the bystander's pictures stay bit-equal.
#include <unistd.h>

#include <filesystem>

#include "base/fail.h"
#include "graph/document.h"
#include "hostile/bed.h"
#include "media/source.h"

namespace weft::hostile {
namespace {

namespace fs = std::filesystem;

struct Right {
  const char* start;
  int frames;         // whole ones, of four that are asked for
  const char* words;  // of the error; empty: all is well
  ErrorKind kind = ErrorKind::GuestTrap;
};

const Right kRight[] = {
    {"behaves", 4, ""},
    {"never-presents", 0, "it presented no picture within its limit of 3000 ms"},
    {"reads-nothing", 0, "it presented no picture within its limit of 3000 ms"},
    {"spins", 1, "within its limit of 3000 ms"},
    {"spins-presenting", 1, "within its limit of 3000 ms"},
    {"traps", 1, "unreachable"},
    {"ends-at-once", 0, "it ended without having presented a picture"},
    {"ends-after-two", 2, ""},
    {"answers-an-error", 1, "its start function answered err(\"out of ideas\")"},
    {"two-surfaces", 1, "the component has made its surface already"},
    {"zero-size", 0, "the size 8x0 has no pixels"},
    {"gigantic-size", 0, "the size 4000000000x4000000000 cannot be had: a side has at most"},
    {"gigantic-request", 1, "the size 4000000000x4000000000 cannot be had: a side has at most"},
    {"many-streams", 1, "surface.on-key-up: 64 streams of it are open, and that is the limit"},
    {"many-buffers", 1, "the component holds 256 buffers, and that is the limit"},
    {"presents-nothing", 0, "context.present: there is no current texture to show"},
    {"presents-twice", 1, "context.present: there is no current texture to show"},
    {"presents-destroyed", 0, "context.present: the current texture is destroyed"},
    {"presents-after-device-destroy", 1, "context.present: the device of the current texture is destroyed or lost"},
    {"presents-invalid", 0, "context.present: the current texture is invalid"},
    {"not-configured", 0, "context.get-current-texture: the context is not configured"},
    {"shows-depth", 0, "context.configure: format depth24plus cannot be shown"},
    {"keeps-texture", 4, ""},
    {"short-buffer", 1, "buffer.set-with-copy: 255 bytes were given, and a picture of 8x8 pixels has 256"},
    {"buffer-before-asked", 0, "context.present: no buffer was asked for"},
    {"quota", 0, "quota: gpu memory", ErrorKind::OutOfMemory},
};

class WindowDeeds : public testing::TestWithParam<Right> {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / fmt::format("weft-window-{}-{}", getpid(), GetParam().start);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  Status Run() {
    graph::Document document;
    document.nodes = {{"guest", "window", Guest("hostile-window.wasm"), {{"start", graph::Literal::Word(GetParam().start), {}}}},
                      {"out", "sink", (folder_ / "%d.png").string(), {}}};
    document.edges = {{{"guest", ""}, {"out", ""}, false}};
    runtime::RunOptions options;
    options.frames = media::FrameRange{0, 3, 1};
    auto cancel = MakeRef<runtime::CancelToken>();
    auto outcome = SharedRuntime()->Run(document, options, *cancel);
    if (!outcome) return std::move(outcome.error());
    return {};
  }
  // The left upper pixel's red of frame n; -1: there is no such file.
  int Red(int n) {
    const std::string path = (folder_ / fmt::format("{}.png", n)).string();
    if (!fs::exists(path)) return -1;
    auto source = media::Source::Open(path);
    EXPECT_TRUE(source);
    auto frame = (*source)->Next();
    EXPECT_TRUE(frame && *frame);
    EXPECT_EQ((**frame)->width(), 8);
    return (**frame)->data(0)[0];
  }

  fs::path folder_;
};

TEST_P(WindowDeeds, CostTheirOwnFrameOnly) {
  const Right& right = GetParam();
  Bystander& bystander = Bystander::Get();
  for (int i = 0; i < Bystander::kFrames; ++i) bystander.Push(i);
  const Status ended = Run();
  for (int i = 0; i < Bystander::kFrames; ++i) bystander.PullAndCompare(i);
  if (right.words[0] == 0) {
    EXPECT_TRUE(ended) << ended.error().ToString();
  } else {
    ASSERT_FALSE(ended);
    const std::string text = ended.error().ToString();
    EXPECT_EQ(ended.error().kind(), right.kind) << text;
    EXPECT_NE(text.find("node 'guest'"), std::string::npos) << text;
    EXPECT_NE(text.find("hostile-window.wasm"), std::string::npos) << text;
    EXPECT_NE(text.find(right.words), std::string::npos) << "'" << right.words << "' is not in: " << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  }
  for (int n = 0; n < 4; ++n) EXPECT_EQ(Red(n) >= 0, n < right.frames) << "frame " << n;
  if (std::string_view(right.start) == "behaves") {
    for (int n = 0; n < 4; ++n) EXPECT_EQ(Red(n), 10 * (n + 1));
  }
  // What was shown stays as it was, whatever the guest does to its old handle.
  if (std::string_view(right.start) == "keeps-texture") {
    for (int n = 0; n < 4; ++n) EXPECT_EQ(Red(n), 255);
  }
}

INSTANTIATE_TEST_SUITE_P(All, WindowDeeds, testing::ValuesIn(kRight), [](const auto& info) {
  std::string name = info.param.start;
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
});

}  // namespace
}  // namespace weft::hostile
