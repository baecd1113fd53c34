// SPDX-License-Identifier: Apache-2.0
// The nodes at the two ends of an embedding program's chain, and the wrapper that lets its plugins outlive one Assembly.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "gpu/device.h"
#include "graph/node.h"

namespace weft::runtime {

// Frames that the program pushes. Push, End from any thread.
class PushNode final : public graph::Node {
 public:
  PushNode(graph::PortInfo frame, graph::SourceInfo info);

  void Push(Ref<graph::Payload> frame, graph::FrameTime time);
  // No more frames come.
  void End();

  const graph::Description& description() const override { return description_; }
  bool is_source() const override { return true; }
  const graph::SourceInfo* source_info() const override { return &info_; }
  void Configure(graph::ConfigureJob job, graph::Done<graph::NodePlan> done) override;
  void Process(graph::FrameJob job, graph::Done<graph::FrameOutput> done) override;
  void Cancel() override;

 private:
  // Answers who waits, if there is something to say.
  void Serve(std::unique_lock<std::mutex> lock);

  graph::Description description_;
  const graph::PortInfo frame_;
  const graph::SourceInfo info_;
  std::mutex mutex_;
  std::deque<graph::FrameOutput> queue_;
  graph::Done<graph::FrameOutput> waiting_;
  bool ended_ = false, cancelled_ = false;
};

// Results in the order of the pushes, over all Assemblies of a chain.
class ResultQueue {
 public:
  struct Frame {
    Ref<graph::Payload> payload;
    graph::FrameTime time;
  };
  void Put(Result<Frame> result);
  Result<Frame> Take();  // waits

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Result<Frame>> queue_;
};

// Takes textures of the work format, in the colour that was pushed.
class PullNode final : public graph::Node {
 public:
  PullNode(ResultQueue& results, Ref<gpu::Device> device);

  const graph::Description& description() const override { return description_; }
  Result<graph::PortInfo> Want(size_t input, const graph::PortInfo& offered, const graph::Project& project) override;
  void Configure(graph::ConfigureJob job, graph::Done<graph::NodePlan> done) override;
  void Process(graph::FrameJob job, graph::Done<graph::FrameOutput> done) override;
  void FrameFailed(uint64_t index, const Error& why) override;

 private:
  ResultQueue& results_;
  const Ref<gpu::Device> device_;
  graph::Description description_;
};

// Passes every call on to a node that lives longer.
class BorrowedNode final : public graph::Node {
 public:
  explicit BorrowedNode(graph::Node& node) : node_(node) {}
  const graph::Description& description() const override { return node_.description(); }
  Result<graph::PortInfo> Want(size_t input, const graph::PortInfo& offered, const graph::Project& project) override {
    return node_.Want(input, offered, project);
  }
  void Configure(graph::ConfigureJob job, graph::Done<graph::NodePlan> done) override { node_.Configure(std::move(job), std::move(done)); }
  void Process(graph::FrameJob job, graph::Done<graph::FrameOutput> done) override { node_.Process(std::move(job), std::move(done)); }
  void Cancel() override { node_.Cancel(); }
  graph::NodeStats stats() const override { return node_.stats(); }

 private:
  graph::Node& node_;
};

}  // namespace weft::runtime
