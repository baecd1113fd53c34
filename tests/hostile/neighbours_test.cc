// SPDX-License-Identifier: Apache-2.0
// Guests that loop where no parameter reaches, and guests that make errors at the same time.
#include <chrono>
#include <thread>

#include "base/fail.h"
#include "hostile/bed.h"

namespace weft::hostile {
namespace {

// How Create, the first push or the first pull ended; empty: with a picture.
std::string FirstFrame(const std::string& guest) {
  auto line = Line::Create({{"guest", Guest(guest)}});
  if (!line) return line.error().ToString();
  if (const Status pushed = line->Push(*Bystander::Get().source(0), 0); !pushed) return pushed.error().ToString();
  auto picture = line->Pull();
  if (!picture) return picture.error().ToString();
  EXPECT_TRUE(*picture == Bystander::Get().content(0));
  return "";
}

TEST(LoopingGuest, EndsAtItsLimitWhereverItLoops) {
  const std::string limit = fmt::format("within its limit of {} ms", kCallSeconds * 1000);
  for (const char* guest : {"loop-start.wasm", "loop-describe.wasm", "loop-create.wasm"}) {
    SCOPED_TRACE(guest);
    Bystander::Get().Push(0);
    const std::string text = FirstFrame(guest);
    EXPECT_NE(text.find(limit), std::string::npos) << text;
    EXPECT_NE(text.find(guest), std::string::npos) << text;
    Bystander::Get().PullAndCompare(0);
  }
}

TEST(LoopingGuest, InItsDestructorGivesItsPicturesAndLetsGo) {
  Bystander::Get().Push(0);
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_EQ(FirstFrame("loop-destructor.wasm"), "");  // returns: the chain waits for the destructor, but no longer than that
  EXPECT_GE(std::chrono::steady_clock::now() - begun, std::chrono::seconds(kCallSeconds)) << "the destructor did not run";
  Bystander::Get().PullAndCompare(0);
}

TEST(LoopingGuest, IsNotInTheWayOfANeighbourWhileItLoops) {
  auto line = HostileLine("loop");
  ASSERT_TRUE(line) << line.error().ToString();
  ASSERT_TRUE(line->Push(*Bystander::Get().source(0), 0));
  for (int i = 0; i < 3; ++i) Bystander::Get().FillPool();
  auto picture = line->Pull();
  ASSERT_FALSE(picture);
  EXPECT_NE(picture.error().ToString().find("within its limit"), std::string::npos) << picture.error().ToString();
}

// Some errors are found by weft, those of WGSL by the library, whose own scopes are one stack for all threads.
TEST(ErrorsOfGuests, ReachTheirOwnChainWhenSeveralMakeThemAtOnce) {
  struct Case {
    const char* deed;
    const char* words;
  };
  const Case cases[] = {{"validation-error", "map-read"},
                        {"wgsl-syntax", "9:46: expected `)`"},
                        {"wgsl-nesting", "nests 90002 levels deep"},
                        {"keep-view", "was lent for frame 0"}};
  Bystander& bystander = Bystander::Get();
  {
    std::vector<std::jthread> threads;
    for (const Case& c : cases) {
      threads.emplace_back([&c, &cases, &bystander] {
        for (int round = 0; round < 3; ++round) {
          auto line = HostileLine(c.deed);
          ASSERT_TRUE(line) << line.error().ToString();
          int errors = 0;
          for (int i = 0; i < 4; ++i) {
            std::string text;
            if (const Status pushed = line->Push(*bystander.source(i), static_cast<uint64_t>(i)); !pushed) {
              text = pushed.error().ToString();
            } else if (auto picture = line->Pull(); !picture) {
              text = picture.error().ToString();
            } else {
              EXPECT_TRUE(*picture == bystander.content(i)) << c.deed;
              continue;
            }
            ++errors;
            EXPECT_NE(text.find(c.words), std::string::npos) << c.deed << ": " << text;
            for (const Case& other : cases) {
              EXPECT_TRUE(&other == &c || text.find(other.words) == std::string::npos) << c.deed << ": " << text;
            }
          }
          EXPECT_EQ(errors, std::string(c.deed) == "keep-view" ? 3 : 4) << c.deed;
        }
      });
    }
    for (int i = 0; i < 5; ++i) bystander.FillPool();
  }
  bystander.FillPool();
}

}  // namespace
}  // namespace weft::hostile
