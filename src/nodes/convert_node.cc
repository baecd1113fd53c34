// SPDX-License-Identifier: Apache-2.0
#include "nodes/convert_node.h"

#include "base/fail.h"
#include "nodes/cpu_time.h"
#include "nodes/textures.h"

namespace weft::nodes {

Result<std::unique_ptr<ConvertNode>> ConvertNode::Make(const NodeContext& context, const graph::PortInfo& from, const graph::PortInfo& to) {
  auto node = std::unique_ptr<ConvertNode>(new ConvertNode);
  node->description_.id = "convert";
  node->description_.inputs = {{.id = "in"}};
  node->description_.outputs = {{.id = "out"}};
  node->to_ = to;
  WEFT_TRY_ASSIGN(node->device_, context.device());
  WEFT_TRY_ASSIGN(node->converter_, context.converter());
  node->writer_ = std::make_unique<gpu::TextureWriter>(node->device_);
  node->spans_ = std::make_unique<GpuSpans>(node->device_, context.gpu_times);
  for (const graph::PortInfo* side : {&from, &to}) {
    if (auto* picture = std::get_if<media::FrameInfo>(side)) {
      WEFT_TRY(media::Converter::CheckFrame(*picture));
    } else if (auto* texture = std::get_if<graph::TextureInfo>(side)) {
      WEFT_TRY_ASSIGN(gpu::TextureKey key, KeyOf(*node->device_, *texture));
      WEFT_TRY(node->device_->textures().Check(key));
      WEFT_TRY(node->converter_->CheckWork(WorkOf(*texture)));
    } else {
      return Fail(ErrorKind::InvalidArgument, "a {} cannot be converted", graph::DescribeInfo(*side));
    }
  }
  auto *a = std::get_if<media::FrameInfo>(&from), *b = std::get_if<media::FrameInfo>(&to);
  if (a && b) {
    node->between_.width = static_cast<uint32_t>(a->width);
    node->between_.height = static_cast<uint32_t>(a->height);
    node->between_.format = gpu::FormatName(media::ExactWorkFormat(*node->device_, a->format));
    node->between_.color = a->color;
    node->between_.alpha = a->alpha;
    WEFT_TRY_ASSIGN(gpu::TextureKey key, KeyOf(*node->device_, node->between_));
    WEFT_TRY(node->device_->textures().Check(key));
  }
  return node;
}

void ConvertNode::Configure(graph::ConfigureJob job, graph::Done<graph::NodePlan> done) {
  (void)job;
  graph::NodePlan plan;
  plan.outputs = {to_};
  plan.windows = {{0, 0}};
  done(std::move(plan));
}

Result<Ref<TexturePayload>> ConvertNode::ToTexture(graph::Payload& from, const graph::TextureInfo& to) {
  WEFT_TRY_ASSIGN(gpu::TextureKey key, KeyOf(*device_, to));
  WEFT_TRY_ASSIGN(auto texture, device_->textures().Acquire(key, writer_->id()));
  texture->set_last_writer(writer_->id());
  if (auto* picture = dynamic_cast<PicturePayload*>(&from)) {
    WEFT_TRY(converter_->Upload(*picture->frame(), *texture, WorkOf(to)));
  } else if (auto* other = dynamic_cast<TexturePayload*>(&from)) {
    WEFT_TRY_ASSIGN(auto pool, AsPoolTexture(*device_, *other));
    WEFT_TRY(converter_->Convert(*pool, WorkOf(other->texture_info()), *texture, WorkOf(to)));
  } else {
    return Fail(ErrorKind::Internal, "a conversion got something that is no picture");
  }
  return MakeRef<TexturePayload>(std::move(texture), to);
}

void ConvertNode::Process(graph::FrameJob job, graph::Done<graph::FrameOutput> done) {
  Ref<graph::Payload> from = std::move(job.inputs.front().payload);
  auto* target = std::get_if<graph::TextureInfo>(&to_);
  // A still beside a clip comes again each frame: its texture is kept.
  if (target && last_picture_ && last_picture_ == from) {
    ++frames_;
    graph::FrameOutput out;
    out.outputs = {last_texture_};
    return done(std::move(out));
  }
  Ref<TexturePayload> texture;
  GpuSpans::Span span;
  auto mark = [&] {
    if (auto m = span.Mark()) device_->SubmitLater(m.get());
  };
  ++frames_;
  {
    CpuTimer timer(&cpu_ns_);
    span = spans_->Begin();
    mark();
    if (target || dynamic_cast<PicturePayload*>(from.get())) {
      auto made = ToTexture(*from, target ? *target : between_);
      if (!made) return done(std::move(made.error()));
      texture = std::move(*made);
    } else if (auto* given = dynamic_cast<TexturePayload*>(from.get())) {
      texture = Ref<TexturePayload>(given);
    } else {
      return done(Fail(ErrorKind::Internal, "a conversion got something that is no picture"));
    }
    if (target) {
      mark();
      span.Finish();
      const bool picture = dynamic_cast<PicturePayload*>(from.get()) != nullptr;
      last_picture_ = picture ? from : nullptr;
      last_texture_ = picture ? texture : nullptr;
    }
  }
  if (target) {
    graph::FrameOutput out;
    out.outputs = {std::move(texture)};
    return done(std::move(out));
  }
  auto pool = AsPoolTexture(*device_, *texture);
  if (!pool) return done(std::move(pool.error()));
  auto shared = std::make_shared<graph::Done<graph::FrameOutput>>(std::move(done));
  CpuTimer timer(&cpu_ns_);
  // After this call the answer may have come, and with it the next frame: nothing of the node may be touched but what is counted
  // atomically.
  const Ref<gpu::Device> device = device_;
  Ref<media::Converter> converter = converter_;
  converter->Download(**pool, WorkOf(texture->texture_info()), std::get<media::FrameInfo>(to_),
                      [shared](Result<Ref<media::CpuFrame>> frame) {
                        if (!frame) return (*shared)(std::move(frame.error()));
                        graph::FrameOutput out;
                        out.outputs = {MakeRef<PicturePayload>(std::move(*frame))};
                        (*shared)(std::move(out));
                      });
  if (auto m = span.Mark()) device->Submit(m.get());
  span.Finish();
}

Result<Ref<gpu::PoolTexture>> AsPoolTexture(gpu::Device& device, const TexturePayload& payload) {
  if (payload.texture()) return payload.texture();
  const graph::TextureInfo& info = payload.texture_info();
  WEFT_TRY_ASSIGN(gpu::TextureKey key, KeyOf(device, info));
  WEFT_TRY_ASSIGN(auto texture, device.textures().Acquire(key));
  texture->set_last_writer(gpu::PoolTexture::kStranger);
  gpu::ErrorCollector errors;
  const gpu::Procs& wgpu = device.procs();
  auto encoder = device.Own(wgpu.DeviceCreateCommandEncoder(device.handle(), nullptr));
  WGPUTexelCopyTextureInfo from = WGPU_TEXEL_COPY_TEXTURE_INFO_INIT, to = WGPU_TEXEL_COPY_TEXTURE_INFO_INIT;
  from.texture = payload.native();
  to.texture = texture->texture();
  const WGPUExtent3D size{info.width, info.height, 1};
  wgpu.CommandEncoderCopyTextureToTexture(encoder.get(), &from, &to, &size);
  auto commands = device.Own(wgpu.CommandEncoderFinish(encoder.get(), nullptr));
  WEFT_TRY(errors.ToStatus("copying the given texture"));
  device.Submit(commands.get());
  device.counters().TextureCopy();
  return texture;
}

}  // namespace weft::nodes
