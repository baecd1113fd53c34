// SPDX-License-Identifier: Apache-2.0
#include "runtime/chain_nodes.h"

#include "base/fail.h"
#include "graph/plan.h"

namespace weft::runtime {

PushNode::PushNode(graph::PortInfo frame, graph::SourceInfo info) : frame_(std::move(frame)), info_(std::move(info)) {
  const bool texture = std::holds_alternative<graph::TextureInfo>(frame_);
  description_.id = "push";
  description_.outputs = {{.id = "out", .kind = texture ? graph::PortKind::Texture : graph::PortKind::Picture}};
}

void PushNode::Configure(graph::ConfigureJob, graph::Done<graph::NodePlan> done) {
  graph::NodePlan plan;
  plan.outputs = {frame_};
  done(std::move(plan));
}

void PushNode::Push(Ref<graph::Payload> frame, graph::FrameTime time) {
  std::unique_lock lock(mutex_);
  graph::FrameOutput out;
  out.outputs = {std::move(frame)};
  out.time = std::move(time);
  queue_.push_back(std::move(out));
  Serve(std::move(lock));
}

void PushNode::End() {
  std::unique_lock lock(mutex_);
  ended_ = true;
  Serve(std::move(lock));
}

void PushNode::Cancel() {
  std::unique_lock lock(mutex_);
  cancelled_ = true;
  Serve(std::move(lock));
}

void PushNode::Process(graph::FrameJob, graph::Done<graph::FrameOutput> done) {
  std::unique_lock lock(mutex_);
  waiting_ = std::move(done);
  Serve(std::move(lock));
}

void PushNode::Serve(std::unique_lock<std::mutex> lock) {
  if (!waiting_ || (queue_.empty() && !ended_ && !cancelled_)) return;
  auto done = std::exchange(waiting_, nullptr);
  if (cancelled_) {
    lock.unlock();
    return done(Fail(ErrorKind::Cancelled, "the chain is being released"));
  }
  graph::FrameOutput out;
  if (queue_.empty()) {
    out.end = true;
  } else {
    out = std::move(queue_.front());
    queue_.pop_front();
  }
  lock.unlock();
  done(std::move(out));
}

void ResultQueue::Put(Result<Frame> result) {
  std::lock_guard lock(mutex_);
  queue_.push_back(std::move(result));
  arrived_.notify_all();
}

Result<ResultQueue::Frame> ResultQueue::Take() {
  std::unique_lock lock(mutex_);
  arrived_.wait(lock, [&] { return !queue_.empty(); });
  Result<Frame> result = std::move(queue_.front());
  queue_.pop_front();
  return result;
}

PullNode::PullNode(ResultQueue& results, Ref<gpu::Device> device) : results_(results), device_(std::move(device)) {
  description_.id = "pull";
  description_.inputs = {{.id = "in"}};
}

Result<graph::PortInfo> PullNode::Want(size_t input, const graph::PortInfo& offered, const graph::Project& project) {
  WEFT_TRY_ASSIGN(graph::TextureInfo want, graph::WantedTexture(description_.inputs[input], offered, project));
  want.format = project.frame.format;
  want.color = project.frame.color;
  return graph::PortInfo(want);
}

void PullNode::Configure(graph::ConfigureJob, graph::Done<graph::NodePlan> done) {
  graph::NodePlan plan;
  plan.windows = {{0, 0}};
  done(std::move(plan));
}

void PullNode::Process(graph::FrameJob job, graph::Done<graph::FrameOutput> done) {
  device_->Send();  // who pulls it may read it by a submit of his own
  results_.Put(ResultQueue::Frame{std::move(job.inputs.front().payload), std::move(job.time)});
  done(graph::FrameOutput{});
}

void PullNode::FrameFailed(uint64_t, const Error& why) { results_.Put(why); }

}  // namespace weft::runtime
