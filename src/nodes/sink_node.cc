// SPDX-License-Identifier: Apache-2.0
#include "nodes/sink_node.h"

#include "base/fail.h"
#include "nodes/cpu_time.h"
#include "nodes/options.h"
#include "nodes/payload.h"

namespace weft::nodes {

Result<std::unique_ptr<SinkNode>> SinkNode::Make(const NodeContext& context, const graph::NodeSpec& spec) {
  auto node = std::unique_ptr<SinkNode>(new SinkNode(context));
  node->description_.id = "sink";
  node->description_.inputs = {{.id = "in", .label = "Picture", .kind = graph::PortKind::Picture}};
  node->description_.open_parameters = true;
  node->path_ = context.Path(spec.path);
  WEFT_TRY_ASSIGN(node->options_, MediaOptions(spec));
  return node;
}

Status SinkNode::Open(const graph::Project& project, Rational origin) {
  media::SinkOptions options;
  options.values = options_;
  options.overwrite = context_.overwrite;
  options.frame_count = project.frame_count;
  options.origin = origin;
  options.log = context_.log;
  if (project.source) {
    options.source = project.source->stream;
    if (project.source->stream.has_audio) options.audio = {project.source->path, context_.frames.has_value()};
  }
  sink_.reset();  // lets go of its temporary file first
  WEFT_TRY_ASSIGN(sink_, media::Sink::Open(path_, std::move(options)));
  return {};
}

Result<graph::PortInfo> SinkNode::Want(size_t, const graph::PortInfo& offered, const graph::Project& project) {
  media::FrameInfo picture;
  if (auto* cpu = std::get_if<media::FrameInfo>(&offered)) {
    picture = *cpu;
  } else if (auto* texture = std::get_if<graph::TextureInfo>(&offered)) {
    picture.width = static_cast<int>(texture->width);
    picture.height = static_cast<int>(texture->height);
    picture.format = texture->origin;
    picture.color = texture->color;
    // Linear light is how nodes work, not how a file of display-referred pictures is to be written: the source says how.
    if (texture->color.transfer == 8) picture.color.transfer = project.frame.color.transfer;
    picture.alpha = texture->alpha;
    picture.pixel_aspect = texture->pixel_aspect;
  } else {
    return Fail(ErrorKind::InvalidArgument, "it writes pictures, but {} is connected to it", graph::DescribeInfo(offered));
  }
  project_ = project;
  if (!sink_) WEFT_TRY(Open(project, {0, 1}));
  WEFT_TRY_ASSIGN(media::FrameInfo wanted, sink_->Wanted(picture));
  return graph::PortInfo(wanted);
}

void SinkNode::Configure(graph::ConfigureJob job, graph::Done<graph::NodePlan> done) {
  (void)job;
  graph::NodePlan plan;
  plan.windows = {{0, 0}};
  done(std::move(plan));
}

Status SinkNode::Write(const graph::FrameJob& job) {
  CpuTimer timer(&cpu_ns_);
  auto* picture = dynamic_cast<PicturePayload*>(job.inputs.front().payload.get());
  if (!picture) return Fail(ErrorKind::Internal, "a sink got something that is no picture");
  // A clip's part begins at 0; when its first frame is, only that frame tells.
  if (frames_ == 0 && context_.frames && context_.frames->first > 0 && job.time.pts.num != 0) WEFT_TRY(Open(project_, job.time.pts));
  const media::CpuFrame& made = *picture->frame();
  // The frame's time is the run's, not what the pixels came with (a still repeated has one of its own).
  std::vector<media::CpuFrame::Plane> planes;
  for (int p = 0; p < made.planes(); ++p) planes.push_back({const_cast<uint8_t*>(made.data(p)), made.stride(p)});
  Ref<media::CpuFrame> frame = media::CpuFrame::Wrap(made.info(), planes, nullptr);
  frame->number = static_cast<int64_t>(job.time.number);
  frame->pts = job.time.pts;
  frame->duration = job.time.duration;
  frame->metadata = job.time.metadata;
  WEFT_TRY(sink_->Write(*frame));
  ++frames_;
  return {};
}

void SinkNode::Process(graph::FrameJob job, graph::Done<graph::FrameOutput> done) {
  if (auto ok = Write(job); !ok) return done(std::move(ok.error()));
  done(graph::FrameOutput{});
}

void SinkNode::Finish(graph::Done<void> done) {
  Status finished;
  {
    CpuTimer timer(&cpu_ns_);
    finished = sink_->Finish();
  }
  done(std::move(finished));
}

void SinkNode::Abort() {
  if (sink_) sink_->Abort();
}

}  // namespace weft::nodes
