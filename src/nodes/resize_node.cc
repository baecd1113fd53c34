// SPDX-License-Identifier: Apache-2.0
#include "nodes/resize_node.h"

#include <algorithm>
#include <cmath>

#include "base/fail.h"
#include "nodes/convert_node.h"
#include "nodes/cpu_time.h"
#include "nodes/payload.h"
#include "nodes/textures.h"

namespace weft::nodes {

media::ResizeOptions FitOptions(uint32_t width, uint32_t height, uint32_t to_width, uint32_t to_height, uint32_t fit) {
  media::ResizeOptions how;
  const double w = width, h = height, tw = to_width, th = to_height;
  if (fit == 0) {
    const double scale = std::min(tw / w, th / h);
    how.target_width = std::clamp(static_cast<int>(std::lround(w * scale)), 1, static_cast<int>(to_width));
    how.target_height = std::clamp(static_cast<int>(std::lround(h * scale)), 1, static_cast<int>(to_height));
    how.target_x = (static_cast<int>(to_width) - how.target_width) / 2;
    how.target_y = (static_cast<int>(to_height) - how.target_height) / 2;
  } else if (fit == 1) {
    const double scale = std::max(tw / w, th / h);
    how.source_width = std::min(w, tw / scale);
    how.source_height = std::min(h, th / scale);
    how.source_x = (w - how.source_width) / 2;
    how.source_y = (h - how.source_height) / 2;
  }
  return how;
}

ResizeNode::ResizeNode(const NodeContext& context) : context_(context) {
  description_.id = "resize";
  description_.label = "Resize";
  description_.inputs = {{.id = "in", .label = "Picture", .formats = {"rgba16float", "rgba8unorm", "rgba32float"}}};
  description_.outputs = {{.id = "out", .label = "Resized", .overwrites = true}};
  description_.parameters = {{.id = "width",
                              .label = "Width",
                              .description = "Pixels; 0: by the height.",
                              .default_value = int64_t{0},
                              .minimum = 0,
                              .maximum = 65535},
                             {.id = "height",
                              .label = "Height",
                              .description = "Pixels; 0: by the width.",
                              .default_value = int64_t{0},
                              .minimum = 0,
                              .maximum = 65535},
                             {.id = "fit", .label = "Fit", .default_value = graph::Choice{0}, .choices = {"contain", "cover", "fill"}}};
}

Result<graph::NodePlan> ResizeNode::Configured(const graph::ConfigureJob& job) {
  int64_t width = 0, height = 0;
  uint32_t fit = 0;
  for (const auto& [index, value] : job.changes) {
    if (index == 0) width = std::get<int64_t>(value);
    if (index == 1) height = std::get<int64_t>(value);
    if (index == 2) fit = std::get<graph::Choice>(value).index;
  }
  const auto* from = std::get_if<graph::TextureInfo>(&job.inputs[0]);
  if (!from) return Fail(ErrorKind::InvalidArgument, "it resizes pictures, but {} is connected to it", graph::DescribeInfo(job.inputs[0]));
  if (width == 0 && height == 0) return Fail(ErrorKind::InvalidArgument, "neither width nor height is given; give at least one");
  if (width == 0) width = std::max<int64_t>(1, std::llround(static_cast<double>(from->width) * static_cast<double>(height) / from->height));
  if (height == 0)
    height = std::max<int64_t>(1, std::llround(static_cast<double>(from->height) * static_cast<double>(width) / from->width));
  WEFT_TRY_ASSIGN(device_, context_.device());
  WEFT_TRY_ASSIGN(converter_, context_.converter());
  writer_ = std::make_unique<gpu::TextureWriter>(device_);
  spans_ = std::make_unique<GpuSpans>(device_, context_.gpu_times);
  to_ = *from;
  to_.width = static_cast<uint32_t>(width);
  to_.height = static_cast<uint32_t>(height);
  same_ = to_.width == from->width && to_.height == from->height;
  how_ = FitOptions(from->width, from->height, to_.width, to_.height, fit);
  WEFT_TRY_ASSIGN(gpu::TextureKey key, KeyOf(*device_, to_));
  WEFT_TRY(device_->textures().Check(key));
  graph::NodePlan plan;
  plan.outputs = {to_};
  plan.windows = {{0, 0}};
  return plan;
}

void ResizeNode::Configure(graph::ConfigureJob job, graph::Done<graph::NodePlan> done) { done(Configured(job)); }

Result<graph::FrameOutput> ResizeNode::Made(const graph::FrameJob& job) {
  CpuTimer timer(&cpu_ns_);
  ++frames_;
  auto* from = dynamic_cast<TexturePayload*>(job.inputs.front().payload.get());
  if (!from) return Fail(ErrorKind::Internal, "resize got something that is no texture");
  graph::FrameOutput out;
  if (same_) {
    out.outputs = {job.inputs.front().payload};
    return out;
  }
  WEFT_TRY_ASSIGN(gpu::TextureKey key, KeyOf(*device_, to_));
  WEFT_TRY_ASSIGN(auto texture, device_->textures().Acquire(key, writer_->id()));
  texture->set_last_writer(writer_->id());
  WEFT_TRY_ASSIGN(auto pool, AsPoolTexture(*device_, *from));
  GpuSpans::Span span = spans_->Begin();
  if (auto m = span.Mark()) device_->SubmitLater(m.get());
  WEFT_TRY(converter_->Resize(*pool, WorkOf(from->texture_info()), *texture, WorkOf(to_), how_));
  if (auto m = span.Mark()) device_->SubmitLater(m.get());
  span.Finish();
  out.outputs = {MakeRef<TexturePayload>(std::move(texture), to_)};
  return out;
}

void ResizeNode::Process(graph::FrameJob job, graph::Done<graph::FrameOutput> done) { done(Made(job)); }

}  // namespace weft::nodes
