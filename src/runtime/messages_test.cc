// SPDX-License-Identifier: Apache-2.0
#include "runtime/messages.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include "runtime/breadcrumbs.h"
#include "runtime/channel.h"

namespace weft::runtime {
namespace {

TEST(Messages, ComeBackAsTheyWereSent) {
  StartMessage start;
  start.runtime.gpu = "software";
  start.runtime.limits["time"] = 5;
  start.run.frames = media::FrameRange{3, 9, 2};
  start.run.overwrite = true;
  start.document = "{}";
  auto back = ParseFromSupervisor(ToText(start));
  ASSERT_TRUE(back);
  const auto& s = std::get<StartMessage>(*back);
  EXPECT_EQ(s.runtime.gpu, "software");
  EXPECT_EQ(s.runtime.limits, start.runtime.limits);
  EXPECT_EQ(s.run.frames->last, 9);
  EXPECT_TRUE(s.run.overwrite);
  EXPECT_FALSE(s.runtime.supervised);

  ResultMessage result;
  result.error = Error(ErrorKind::GuestTrap, "it broke").Context("frame 3").Context("node 'a'");
  auto failed = ParseFromWorker(ToText(result));
  ASSERT_TRUE(failed);
  EXPECT_EQ(std::get<ResultMessage>(*failed).error->ToString(), "node 'a': frame 3: it broke");
  EXPECT_EQ(std::get<ResultMessage>(*failed).error->kind(), ErrorKind::GuestTrap);

  ResultMessage good;
  good.outcome.nodes.push_back({"a", "plugin", false, 4, 5, 6, "", {{"memory", 7, 8}}});
  auto fine = ParseFromWorker(ToText(good));
  ASSERT_TRUE(fine);
  EXPECT_EQ(std::get<ResultMessage>(*fine).outcome.nodes[0].gpu_ns, 6u);
  ASSERT_EQ(std::get<ResultMessage>(*fine).outcome.nodes[0].uses.size(), 1u);
  EXPECT_EQ(std::get<ResultMessage>(*fine).outcome.nodes[0].uses[0].most, 8u);
}

TEST(Messages, AreRefusedWhenTheyAreNonsense) {
  EXPECT_FALSE(ParseFromWorker("nonsense"));
  EXPECT_FALSE(ParseFromWorker("{\"type\": \"start\"}"));
  EXPECT_TRUE(ParseFromWorker("{\"type\": \"result\", \"nodes\": 7, \"error\": {\"context\": 3}, \"frames\": \"x\"}"));
}

TEST(Channel, KeepsMessagesApart) {
  int pair[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  Channel a(pair[0]);
  std::string text;
  {
    Channel b(pair[1]);
    ASSERT_TRUE(a.Send("one"));
    ASSERT_TRUE(a.Send(""));
    ASSERT_TRUE(a.Send(std::string(100000, 'x')));
    EXPECT_EQ(b.Receive(&text, std::chrono::milliseconds(0)), Channel::Got::Message);
    EXPECT_EQ(text, "one");
    EXPECT_EQ(b.Receive(&text, std::chrono::milliseconds(-1)), Channel::Got::Message);
    EXPECT_EQ(text, "");
    EXPECT_EQ(b.Receive(&text, std::chrono::milliseconds(-1)), Channel::Got::Message);
    EXPECT_EQ(text.size(), 100000u);
    EXPECT_EQ(b.Receive(&text, std::chrono::milliseconds(0)), Channel::Got::Nothing);
  }
  EXPECT_EQ(a.Receive(&text, std::chrono::milliseconds(-1)), Channel::Got::Closed);
  EXPECT_FALSE(a.Send("late"));
}

TEST(Breadcrumbs, ShowTheOldestThatIsNotFinished) {
  auto memory = CrumbMemory::Create();
  ASSERT_TRUE(memory);
  CrumbWriter writer(memory->ring());
  EXPECT_FALSE(OldestCrumb(*memory->ring()));
  writer.Begun("blur", 4);
  writer.Begun("grade", 3);
  EXPECT_EQ(OldestCrumb(*memory->ring())->node, "blur");
  writer.Submitted("grade", 3);
  EXPECT_EQ(OldestCrumb(*memory->ring(), Stage::Submitted)->node, "grade");
  writer.Released("grade", 3);
  writer.Released("blur", 4);
  EXPECT_EQ(Describe(*OldestCrumb(*memory->ring())), "node 'grade' was making frame 3 (its GPU work was sent and has not finished)");
  writer.Finished("grade", 3);
  EXPECT_FALSE(OldestCrumb(*memory->ring()));
}

}  // namespace
}  // namespace weft::runtime
