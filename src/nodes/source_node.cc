// SPDX-License-Identifier: Apache-2.0
#include "nodes/source_node.h"

#include "nodes/cpu_time.h"
#include "nodes/options.h"
#include "nodes/payload.h"

namespace weft::nodes {

Result<std::unique_ptr<SourceNode>> SourceNode::Open(const NodeContext& context, const graph::NodeSpec& spec) {
  auto node = std::unique_ptr<SourceNode>(new SourceNode);
  CpuTimer timer(&node->cpu_ns_);  // pictures are decoded when they are opened
  node->description_.id = "source";
  node->description_.outputs = {{.id = "out", .label = "Picture", .kind = graph::PortKind::Picture}};
  node->description_.open_parameters = true;
  media::SourceOptions options;
  WEFT_TRY_ASSIGN(options.values, MediaOptions(spec));
  options.log = context.log;
  node->info_.path = context.Path(spec.path);
  // A range of frames is one of streams; a still is there for all of them. Only opening tells, and stdin cannot be opened twice.
  if (spec.path == "-") options.frames = context.frames;
  WEFT_TRY_ASSIGN(node->source_, media::Source::Open(node->info_.path, options));
  if (context.frames && spec.path != "-" && !node->source_->info().still) {
    options.frames = context.frames;
    WEFT_TRY_ASSIGN(node->source_, media::Source::Open(node->info_.path, std::move(options)));
  }
  node->info_.stream = node->source_->info();
  return node;
}

void SourceNode::Configure(graph::ConfigureJob, graph::Done<graph::NodePlan> done) {
  graph::NodePlan plan;
  plan.outputs = {info_.stream.frame};
  done(std::move(plan));
}

void SourceNode::Process(graph::FrameJob, graph::Done<graph::FrameOutput> done) {
  auto next = [&] {
    CpuTimer timer(&cpu_ns_);
    return source_->Next();
  }();
  if (!next) return done(std::move(next.error()));
  graph::FrameOutput out;
  if (!*next) {
    out.end = true;
    return done(std::move(out));
  }
  const Ref<media::CpuFrame>& frame = **next;
  ++frames_;
  out.time = graph::FrameTime{static_cast<uint64_t>(frame->number), frame->pts, frame->duration, frame->metadata};
  out.outputs = {MakeRef<PicturePayload>(frame)};
  done(std::move(out));
}

}  // namespace weft::nodes
