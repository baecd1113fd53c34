// SPDX-License-Identifier: Apache-2.0
// Every deed of the hostile guest beside a bystander on the same device. The guest either goes on giving right pictures, or its frame fails
// with one sentence that names it; the bystander's pictures and the input that both share stay bit-equal.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/fail.h"
#include "graph/shorthand.h"
#include "hostile/bed.h"
#include "media/sink.h"

namespace weft::hostile {
namespace {

namespace fs = std::filesystem;

// What is right for a deed, a letter a frame: R the input's picture comes out, Z a picture of zeros, F the frame fails, C it cannot even be
// configured. W: the GPU would be busy for ever, so it runs in a worker, which is ended.
struct Right {
  const char* deed;
  const char* frames;
  const char* words;  // in the first failure's message
};

const Right kRight[] = {
    {"none", "RRRR", ""},
    // Kept from the first frame: every later frame fails, unless the deed is done once only.
    {"keep-command-buffer", "RFFF", "'input' belongs to a frame that is over"},
    {"keep-view", "RFFF", "'input' was lent for frame 0 and is revoked"},
    {"keep-bind-group", "RFFF", "'input' was lent for frame 0 and is revoked"},
    {"keep-bundle", "RFFF", "'input' was lent for frame 0 and is revoked"},
    {"keep-encoder", "RFRR", "'input' was lent for frame 0 and is revoked"},
    {"keep-texture", "RFFF", "'input' was lent for frame 0 and is revoked"},
    // The input may be read and nothing else.
    {"write-input-storage", "FFFF", "usage"},
    {"write-input-attachment", "FFFF", "usage"},
    {"write-input-resolve", "FFFF", "usage"},
    {"write-input-copy", "FFFF", "usage"},
    {"write-input-texture", "FFFF", "usage"},
    {"write-input-buffer-copy", "FFFF", "usage"},
    {"destroy-input", "RRRR", ""},
    {"read-output-first", "ZZZZ", ""},
    {"out-of-bounds", "RRRR", ""},
    {"guess-handle", "FFFF", "handle"},
    {"guess-drop", "FFFF", "handle"},
    {"double-submit", "FFFF", "submitted"},
    {"submit-destroyed", "FFFF", "destroyed"},
    {"submit-mapped", "FFFF", "mapped"},
    {"submit-invalid", "FFFF", "COPY_DST"},
    {"range-unmapped", "RRRR", ""},
    {"map-pending", "RRRR", ""},
    {"mapped-at-end", "RRRR", ""},
    {"bad-bundle", "FFFF", "format"},
    {"destroy-device", "RFRF", "it destroyed its GPU device"},
    {"validation-error", "FFFF", "map-read"},
    {"quota-bytes", "FFFF", "quota: gpu memory"},
    {"quota-objects", "FFFF", "quota: gpu objects"},
    {"leak", "RRRR", ""},
    {"no-leak", "RRRR", ""},
    {"memory", "FFFF", "The wasm memory is used up."},
    {"log-flood", "RRRR", ""},
    {"recursion", "FFFF", "called from Deeper"},
    {"endless-shader", "W", "made no progress"},
    {"loop", "FF", "within its limit"},
    {"trap", "FFFF", "unreachable"},
    {"trap-on-third", "RRFR", "unreachable"},
    {"error", "FFFF", "This plugin never wants to make a frame."},
    {"configure-loop", "C", "within its limit"},
    {"configure-trap", "CC", "unreachable"},
    {"configure-error", "CC", "This plugin never wants to be configured."},
    {"plan-size-zero", "CC", "0x24"},
    {"plan-size-huge", "CC", "4000000000"},
    {"plan-format", "CC", "depth32float"},
    {"plan-pass-through", "CC", "output 7 is input 9"},
    {"wgsl-syntax", "CC", "expected"},
    {"wgsl-nesting", "CC", "nest"},
    {"await-scope", "RRRR", ""},
    {"await-map", "RRRR", ""},
    {"await-done", "RRRR", ""},
    {"await-for-ever", "W", "made no progress"},
};

// A failure has to be one sentence that names node and plugin. WGSL errors show the line in question below it.
void CheckMessage(const std::string& text, const std::string& deed, const std::string& guest, const char* words) {
  EXPECT_NE(text.find("guest"), std::string::npos) << text;
  EXPECT_NE(text.find(guest), std::string::npos) << text;
  EXPECT_NE(text.find(words), std::string::npos) << "'" << words << "' is not in: " << text;
  EXPECT_TRUE(deed.starts_with("wgsl") || text.find('\n') == std::string::npos) << text;
}

// Pushes to the hostile guest and to the bystander in turn, with all frames under way at once. Answers a letter a frame.
std::string RunBeside(Line& hostile, int frames, std::vector<std::string>* messages) {
  Bystander& bystander = Bystander::Get();
  std::string seen(static_cast<size_t>(frames), ' ');
  for (int i = 0; i < frames; ++i) {
    if (const Status pushed = hostile.Push(*bystander.source(i), static_cast<uint64_t>(i)); !pushed) {
      seen[i] = 'C';
      messages->push_back(pushed.error().ToString());
    }
    bystander.Push(i);
  }
  for (int i = 0; i < frames; ++i) {
    if (seen[i] != 'C') {
      auto picture = hostile.Pull();
      if (!picture) {
        seen[i] = 'F';
        messages->push_back(picture.error().ToString());
      } else {
        seen[i] = *picture == bystander.content(i) ? 'R' : AllZero(*picture) ? 'Z' : '?';
      }
    }
    bystander.PullAndCompare(i);
  }
  return seen;
}

void CheckDeed(const std::string& deed, const std::string& guest, const Right* right) {
  auto line = HostileLine(deed, guest);
  ASSERT_TRUE(line) << line.error().ToString();
  std::vector<std::string> messages;
  const std::string seen =
      RunBeside(*line, right ? static_cast<int>(std::string_view(right->frames).size()) : Bystander::kFrames, &messages);
  for (size_t m = 0; m < messages.size(); ++m) CheckMessage(messages[m], deed, guest, right && m == 0 ? right->words : "");
  if (right) {
    EXPECT_EQ(seen, right->frames) << (messages.empty() ? "" : messages[0]);
  } else {
    EXPECT_EQ(seen.find('?'), std::string::npos) << seen << ": neither the input's picture nor zeros nor an error";
  }
}

const Right* RightOf(const std::string& deed) {
  auto it = std::ranges::find_if(kRight, [&](const Right& r) { return deed == r.deed; });
  return it == std::end(kRight) ? nullptr : it;
}

std::vector<std::string> Deeds() {
  auto details = SharedRuntime()->Inspect(Guest("hostile.wasm"));
  if (!details) ADD_FAILURE() << details.error().ToString();
  if (!details) return {};
  return details->description.parameters.at(0).choices;
}

TEST(HostileGuest, HarmsNobodyByAnyDeed) {
  const std::vector<std::string> deeds = Deeds();
  ASSERT_FALSE(deeds.empty());
  for (const std::string& deed : deeds) {
    SCOPED_TRACE("deed " + deed);
    const Right* right = RightOf(deed);
    if (right && right->frames[0] == 'W') continue;
    CheckDeed(deed, "hostile.wasm", right);
  }
  for (const Right& right : kRight) EXPECT_NE(std::ranges::find(deeds, right.deed), deeds.end()) << "there is no deed " << right.deed;
}

TEST(HostileGuest, HarmsNobodyByPromisingToOverwriteItsOutput) {
  for (const char* deed : {"none", "keep-view", "write-input-copy", "read-output-first", "trap", "error"}) {
    SCOPED_TRACE(deed);
    CheckDeed(deed, "hostile-overwrites.wasm", RightOf(deed));
  }
}

// Sees zeros in its output where the pool's textures hold a neighbour's picture. A guest that promises to overwrite its output gets its own
// old textures back uncleared, and a texture counts as its own only when it was cleared, also where that frame trapped.
TEST(HostileGuest, NeverSeesANeighboursPicture) {
  auto device = SharedDevice();
  int number = Bystander::kFrames;
  for (const char* guest : {"hostile.wasm", "hostile-overwrites.wasm"}) {
    SCOPED_TRACE(guest);
    Bystander& bystander = Bystander::Get();
    for (const char* deed : {"none", "trap", "error", "validation-error", "quota-objects"}) {
      SCOPED_TRACE(deed);
      // Another than any that anybody else ever had: the bystander's first node hands on what it gets.
      const Picture my_picture = MakePicture(++number);
      const auto mine = Upload(my_picture);
      auto line = HostileLine("none", guest);  // has no textures of its own yet
      ASSERT_TRUE(line) << line.error().ToString();
      bystander.FillPool();
      auto frame_of = [&](const char* mode) {
        EXPECT_TRUE(line->chain().Set("guest", "mode", graph::Literal::Word(mode)));
        EXPECT_TRUE(line->Push(*mine, 0));
        return line->Pull();
      };
      const bool good = frame_of(deed).has_value();
      EXPECT_EQ(good, std::string(deed) == "none");
      const auto before = device->counters().Snapshot();
      auto seen = frame_of("read-output-first");
      ASSERT_TRUE(seen) << seen.error().ToString();
      // What it wrote itself it may see, also where the frame failed afterwards.
      const bool own = guest == std::string("hostile-overwrites.wasm");
      EXPECT_TRUE(AllZero(*seen) || (own && *seen == my_picture));
      // One is the guest's own.
      EXPECT_EQ(device->counters().Snapshot().textures_created, before.textures_created + 1) << "the output was to come from the pool";
    }
  }
}

// An endless shader cannot be stopped in this process; a worker can be ended. Both deeds that start one.
TEST(HostileGuest, IsEndedWithItsWorkerWhenItsShaderIsEndless) {
  const fs::path folder = fs::temp_directory_path() / fmt::format("weft-hostile-{}", getpid());
  fs::create_directories(folder);
  {
    auto frame =
        media::CpuFrame::Create({.width = 16, .height = 16, .format = media::PixelFormat::Rgba8, .alpha = media::AlphaMode::Straight});
    ASSERT_TRUE(frame);
    std::fill_n((*frame)->mutable_data(0), 16 * (*frame)->stride(0), uint8_t{200});
    auto sink = media::Sink::Open((folder / "in.png").string(), {});
    ASSERT_TRUE(sink) << sink.error().ToString();
    ASSERT_TRUE((*sink)->Write(**frame));
    ASSERT_TRUE((*sink)->Finish());
  }
  for (const Right& right : kRight) {
    if (right.frames[0] != 'W') continue;
    SCOPED_TRACE(right.deed);
    runtime::RuntimeOptions options;
    options.worker_path = WEFT_TEST_WORKER;
    options.limits["gpu-time"] = 5'000'000'000;
    auto supervised = runtime::Runtime::Create(options);
    ASSERT_TRUE(supervised) << supervised.error().ToString();
    const std::string out = (folder / "out.png").string();
    auto document =
        graph::FromShorthand({{(folder / "in.png").string()}, {Guest("hostile.wasm") + "@guest:mode=" + right.deed}, {out}, {}});
    ASSERT_TRUE(document) << document.error().ToString();
    runtime::RunOptions run;
    auto cancel = MakeRef<runtime::CancelToken>();
    auto outcome = (*supervised)->Run(*document, run, *cancel);
    ASSERT_FALSE(outcome);
    EXPECT_NE(outcome.error().ToString().find("node 'guest'"), std::string::npos) << outcome.error().ToString();
    EXPECT_NE(outcome.error().ToString().find(right.words), std::string::npos) << outcome.error().ToString();
    EXPECT_FALSE(fs::exists(out));
  }
  fs::remove_all(folder);
  Bystander::Get().FillPool();
}

}  // namespace
}  // namespace weft::hostile
