// SPDX-License-Identifier: Apache-2.0
#include "graph/scheduler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "base/fail.h"

namespace weft::graph {
namespace {

class NumberPayload final : public Payload {
 public:
  explicit NumberPayload(double v) : value(v) { ++alive; }
  ~NumberPayload() override { --alive; }
  const PortInfo& info() const override { return info_; }
  const double value;
  static inline std::atomic<int> alive{0};

 private:
  PortInfo info_ = DataInfo{};
};

double ValueOf(const Ref<Payload>& p) { return static_cast<const NumberPayload&>(*p).value; }

// What the tests see and steer.
struct World {
  std::mutex mutex;
  std::vector<double> written;     // by the sink, in order
  std::vector<std::string> calls;  // "sum 3"
  std::vector<uint64_t> failed;    // FrameFailed of the sink
  bool finished = false, aborted = false;
  std::atomic<int> sources_ahead{0}, most_ahead{0};
  std::map<std::string, uint64_t> fail_at;   // node -> frame
  std::set<std::string> slow;                // answers from another thread, late
  std::map<std::string, uint64_t> stuck_at;  // does not answer until it is cancelled
  std::map<std::string, int64_t> lengths;    // of sources; -1: a still
  std::pair<int, int> window = {0, 0};
  Ends ends = Ends::Clamp;
  bool knows_length = true;
};

class FakeNode final : public Node {
 public:
  FakeNode(World& world, const NodeSpec& spec) : world_(world), id_(spec.id), kind_(spec.kind) {
    if (kind_ == "source") {
      length_ = world.lengths.contains(id_) ? world.lengths[id_] : 10;
      description_.outputs = {{.id = "out", .kind = PortKind::Data}};
      if (world.knows_length && length_ >= 0) info_.stream.frame_count = length_;
    } else if (kind_ == "sink") {
      description_.inputs = {{.id = "in", .kind = PortKind::Data}};
    } else {
      description_.inputs = {{.id = "a", .kind = PortKind::Data, .window = world.window, .ends = world.ends},
                             {.id = "b", .kind = PortKind::Data, .optional = true}};
      description_.outputs = {{.id = "out", .kind = PortKind::Data}};
      description_.parameters = {{.id = "add", .default_value = 0.0, .animatable = true}};
    }
  }
  const Description& description() const override { return description_; }
  bool is_source() const override { return kind_ == "source"; }
  bool still() const override { return length_ < 0; }
  const SourceInfo* source_info() const override { return is_source() ? &info_ : nullptr; }

  void Configure(ConfigureJob job, Done<NodePlan> done) override {
    for (const auto& [index, value] : job.changes) add_ = std::get<double>(value);
    NodePlan plan;
    plan.outputs.resize(description_.outputs.size(), DataInfo{});
    for (const PortSpec& in : description_.inputs) plan.windows.push_back(in.window);
    done(std::move(plan));
  }

  void Process(FrameJob job, Done<FrameOutput> done) override {
    for (const auto& [index, value] : job.changes) add_ = std::get<double>(value);
    {
      std::lock_guard lock(world_.mutex);
      EXPECT_FALSE(busy_) << "one call at a time for a node";
      busy_ = true;
      world_.calls.push_back(fmt::format("{} {}", id_, job.index));
      if (auto it = world_.stuck_at.find(id_); it != world_.stuck_at.end() && it->second == job.index) {
        stuck_ = std::move(done);
        return;
      }
    }
    if (world_.slow.contains(id_)) {
      std::lock_guard lock(threads_mutex_);  // the answer may come, and with it the next frame, before this returns
      threads_.push_back(std::async(std::launch::async, [this, job = std::move(job), done = std::move(done)]() mutable {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        Answer(std::move(job), std::move(done));
      }));
      return;
    }
    Answer(std::move(job), std::move(done));
  }

  void Answer(FrameJob job, Done<FrameOutput> done) {
    {
      std::lock_guard lock(world_.mutex);
      busy_ = false;
    }
    if (auto it = world_.fail_at.find(id_); it != world_.fail_at.end() && it->second == job.index) {
      done(Fail(ErrorKind::GuestTrap, "it broke"));
      return;
    }
    FrameOutput out;
    if (is_source()) {
      if (length_ >= 0 && job.index >= static_cast<uint64_t>(length_)) {
        out.end = true;
      } else {
        if (id_ == "in") world_.most_ahead = std::max(world_.most_ahead.load(), ++world_.sources_ahead);
        out.outputs = {MakeRef<NumberPayload>(static_cast<double>(job.index) + (length_ < 0 ? 100 : 0))};
        out.time = FrameTime{.number = job.index + (length_ < 0 ? 1000 : 0)};
      }
    } else {
      double sum = add_;
      for (const InputItem& in : job.inputs) sum += ValueOf(in.payload) * (in.offset == 0 ? 1 : 1000);
      if (kind_ == "sink") {
        std::lock_guard lock(world_.mutex);
        EXPECT_LT(job.time.number, 1000u) << "a clip's time counts, not a still's";
        world_.written.push_back(sum);
        --world_.sources_ahead;
      } else {
        out.outputs = {MakeRef<NumberPayload>(sum)};
      }
    }
    done(std::move(out));
  }

  void FrameFailed(uint64_t index, const Error&) override {
    std::lock_guard lock(world_.mutex);
    world_.failed.push_back(index);
  }
  void Cancel() override {
    Done<FrameOutput> stuck;
    {
      std::lock_guard lock(world_.mutex);
      stuck = std::move(stuck_);
      stuck_ = nullptr;
    }
    if (stuck) stuck(Fail(ErrorKind::Cancelled, "cancelled"));
  }
  void Finish(Done<void> done) override {
    if (kind_ == "sink") world_.finished = true;
    done({});
  }
  void Abort() override {
    if (kind_ == "sink") world_.aborted = true;
  }

 private:
  World& world_;
  const std::string id_, kind_;
  Description description_;
  SourceInfo info_;
  int64_t length_ = 0;
  double add_ = 0;
  bool busy_ = false;
  Done<FrameOutput> stuck_;
  std::mutex threads_mutex_;
  std::vector<std::future<void>> threads_;
};

class FakeFactory final : public NodeFactory {
 public:
  explicit FakeFactory(World& world) : world_(world) {}
  Result<std::unique_ptr<Node>> Make(const NodeSpec& spec) override { return std::unique_ptr<Node>(new FakeNode(world_, spec)); }
  Result<std::unique_ptr<Node>> MakeConversion(const PortInfo&, const PortInfo&) override {
    return Fail(ErrorKind::Internal, "data needs no conversion");
  }

 private:
  World& world_;
};

Document Chain(int plugins) {
  Document d;
  d.nodes.push_back({"in", "source", "", {}});
  std::string last = "in";
  for (int i = 0; i < plugins; ++i) {
    std::string id = fmt::format("p{}", i);
    d.nodes.push_back({id, "plugin", "", {}});
    d.edges.push_back({{last, ""}, {id, "a"}});
    last = id;
  }
  d.nodes.push_back({"out", "sink", "", {}});
  d.edges.push_back({{last, ""}, {"out", ""}});
  return d;
}

std::unique_ptr<Scheduler> Prepare(World& world, const Document& d, ScheduleOptions options = {}) {
  FakeFactory factory(world);
  auto assembly = Assemble(d, factory, {});
  EXPECT_TRUE(assembly) << (assembly ? "" : assembly.error().ToString());
  if (!assembly) return nullptr;
  return std::make_unique<Scheduler>(std::move(*assembly), options, nullptr);
}

std::vector<double> Count(int n) {
  std::vector<double> v;
  for (int i = 0; i < n; ++i) v.push_back(i);
  return v;
}

TEST(Scheduler, PassesEveryFrameThroughInOrder) {
  World world;
  world.slow = {"p0", "p2"};
  auto s = Prepare(world, Chain(3));
  auto report = s->Run();
  ASSERT_TRUE(report) << report.error().ToString();
  EXPECT_EQ(report->frames, 10u);
  EXPECT_EQ(world.written, Count(10));
  EXPECT_TRUE(world.finished);
  EXPECT_FALSE(world.aborted);
  s.reset();
  EXPECT_EQ(NumberPayload::alive, 0);
}

TEST(Scheduler, WorksOnTwoFramesInTwoNodesAtOnce) {
  World world;
  world.stuck_at = {{"p1", 0}};
  auto s = Prepare(world, Chain(2), {.in_flight = 3});
  std::jthread run([&] { (void)s->Run(); });
  auto called = [&](const std::string& what) {
    std::lock_guard lock(world.mutex);
    return std::ranges::find(world.calls, what) != world.calls.end();
  };
  while (!called("p0 2")) std::this_thread::yield();  // while p1 still holds frame 0
  EXPECT_FALSE(called("p1 1"));
  s->Cancel();
}

TEST(Scheduler, HoldsTheSourceBackWhenTheSinkIsSlow) {
  World world;
  world.lengths["in"] = 40;
  world.slow = {"out"};
  auto s = Prepare(world, Chain(2), {.in_flight = 3});
  ASSERT_TRUE(s->Run());
  EXPECT_LE(world.most_ahead, 3);
  EXPECT_EQ(world.written, Count(40));
}

TEST(Scheduler, FinishesTheFramesBeforeOneThatFails) {
  World world;
  world.fail_at = {{"p1", 6}};
  world.slow = {"out"};
  auto s = Prepare(world, Chain(3));
  auto report = s->Run();
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().ToString(), "node 'p1': frame 6: it broke");
  EXPECT_EQ(report.error().kind(), ErrorKind::GuestTrap);
  EXPECT_EQ(world.written, Count(6));
  EXPECT_TRUE(world.aborted);
  EXPECT_FALSE(world.finished);
}

TEST(Scheduler, GoesOnAfterAFailureWhenAskedTo) {
  World world;
  world.fail_at = {{"p0", 2}};
  auto s = Prepare(world, Chain(2), {.keep_going = true});
  ASSERT_TRUE(s->Run());
  EXPECT_EQ(world.written, (std::vector<double>{0, 1, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(world.failed, (std::vector<uint64_t>{2}));
}

TEST(Scheduler, EndsSoonAfterACancel) {
  World world;
  world.stuck_at = {{"p0", 3}};
  auto s = Prepare(world, Chain(1));
  std::jthread cancel([&] {
    while (s->frames_done() < 3) std::this_thread::yield();
    s->Cancel();
  });
  auto report = s->Run();
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind(), ErrorKind::Cancelled);
  EXPECT_TRUE(world.aborted);
}

TEST(Scheduler, CancelledBeforeItRunsDoesNothing) {
  World world;
  auto s = Prepare(world, Chain(1));
  s->Cancel();
  EXPECT_EQ(s->Run().error().kind(), ErrorKind::Cancelled);
  EXPECT_TRUE(world.calls.empty());
}

TEST(Scheduler, RunsParametersFromFirstToLastFrame) {
  World world;
  world.lengths["in"] = 5;
  Document d = Chain(1);
  d.nodes[1].settings.push_back({"add", Literal::Number(0), Literal::Number(40)});
  auto s = Prepare(world, d);
  ASSERT_TRUE(s->Run());
  EXPECT_EQ(world.written, (std::vector<double>{0, 11, 22, 33, 44}));
}

TEST(Scheduler, RefusesARampOverAnUnknownNumberOfFrames) {
  World world;
  world.knows_length = false;
  Document d = Chain(1);
  d.nodes[1].settings.push_back({"add", Literal::Number(0), Literal::Number(40)});
  FakeFactory factory(world);
  auto assembly = Assemble(d, factory, {});
  ASSERT_FALSE(assembly);
  EXPECT_TRUE(assembly.error().message().starts_with("node 'p0': parameter 'add' runs from one value to another over the run"));
}

TEST(Scheduler, ChangesParametersWhileItRuns) {
  World world;
  auto s = Prepare(world, Chain(1));
  ASSERT_TRUE(s->SetParameter("p0", "add", Literal::Number(100), 5));
  EXPECT_EQ(s->SetParameter("p0", "ad", Literal::Number(1)).error().message(), "node 'p0' has no parameter 'ad'; did you mean 'add'?");
  EXPECT_EQ(s->SetParameter("p1", "add", Literal::Number(1)).error().message(), "there is no node 'p1'; did you mean 'p0'?");
  ASSERT_TRUE(s->Run());
  EXPECT_EQ(world.written, (std::vector<double>{0, 1, 2, 3, 4, 105, 106, 107, 108, 109}));
}

Document TwoSources() {
  Document d = Chain(1);
  d.nodes.insert(d.nodes.begin(), {"still", "source", "", {}});
  d.edges.push_back({{"still", ""}, {"p0", "b"}});
  return d;
}

TEST(Scheduler, RepeatsAStillForEveryFrameOfAClip) {
  World world;
  world.lengths["still"] = -1;
  auto s = Prepare(world, TwoSources());
  ASSERT_TRUE(s->Run());
  std::vector<double> expected;
  for (int i = 0; i < 10; ++i) expected.push_back(100 + i);
  EXPECT_EQ(world.written, expected);
}

TEST(Scheduler, RepeatsTheLastFrameOfTheShorterClip) {
  World world;
  world.lengths["still"] = 3;
  auto s = Prepare(world, TwoSources(), {.in_flight = 2});
  ASSERT_TRUE(s->Run());
  EXPECT_EQ(world.written, (std::vector<double>{0, 2, 4, 5, 6, 7, 8, 9, 10, 11}));
}

TEST(Scheduler, MakesOneFrameOfStills) {
  World world;
  world.lengths = {{"in", -1}};
  Document d = Chain(1);
  d.nodes[2].kind = "plugin";  // no sink that checks the time
  d.nodes[2].id = "out";
  auto s = Prepare(world, d);
  auto report = s->Run();
  ASSERT_TRUE(report) << report.error().ToString();
  EXPECT_EQ(report->frames, 1u);
}

TEST(Scheduler, SaysThatASourceIsEmpty) {
  World world;
  world.lengths["in"] = 0;
  auto s = Prepare(world, Chain(1));
  EXPECT_EQ(s->Run().error().ToString(), "node 'in': it has no frames");
}

TEST(Scheduler, GivesTheFramesOfAWindow) {
  World world;
  world.lengths["in"] = 4;
  world.window = {-1, 1};
  auto s = Prepare(world, Chain(1), {.in_flight = 1});
  ASSERT_TRUE(s->Run());
  EXPECT_EQ(world.written, (std::vector<double>{0 + 1000 * (0 + 1), 1 + 1000 * (0 + 2), 2 + 1000 * (1 + 3), 3 + 1000 * (2 + 3)}));
}

TEST(Scheduler, MirrorsOrLeavesOutFramesBeyondTheEnds) {
  World world;
  world.lengths["in"] = 4;
  world.window = {-1, 1};
  world.ends = Ends::Mirror;
  ASSERT_TRUE(Prepare(world, Chain(1))->Run());
  EXPECT_EQ(world.written, (std::vector<double>{0 + 1000 * (1 + 1), 1 + 1000 * (0 + 2), 2 + 1000 * (1 + 3), 3 + 1000 * (2 + 2)}));
  world.written.clear();
  world.ends = Ends::Absent;
  ASSERT_TRUE(Prepare(world, Chain(1))->Run());
  EXPECT_EQ(world.written, (std::vector<double>{0 + 1000 * 1, 1 + 1000 * (0 + 2), 2 + 1000 * (1 + 3), 3 + 1000 * 2}));
}

TEST(Scheduler, StaysRightOverManyShortRuns) {
  for (int i = 0; i < 200; ++i) {
    World world;
    if (i % 2) world.fail_at = {{"p2", static_cast<uint64_t>(i % 10)}};
    auto s = Prepare(world, Chain(4), {.in_flight = 1 + i % 5, .workers = 1 + i % 4});
    auto report = s->Run();
    EXPECT_EQ(report.has_value(), i % 2 == 0);
    EXPECT_EQ(world.written, Count(i % 2 ? i % 10 : 10));
    s.reset();
    ASSERT_EQ(NumberPayload::alive, 0);
  }
}

}  // namespace
}  // namespace weft::graph
