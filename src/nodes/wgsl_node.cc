// SPDX-License-Identifier: Apache-2.0
#include "nodes/wgsl_node.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/fail.h"
#include "gpu/clear.h"
#include "gpu/kernel.h"
#include "nodes/convert_node.h"
#include "nodes/cpu_time.h"
#include "nodes/payload.h"
#include "nodes/textures.h"

namespace weft::nodes {
namespace {

constexpr size_t kMostBindGroups = 64;

// What is bound of a texture that a pass reads.
WGPUBindGroupLayoutEntry ReadEntry(uint32_t binding) {
  WGPUBindGroupLayoutEntry e = WGPU_BIND_GROUP_LAYOUT_ENTRY_INIT;
  e.binding = binding;
  e.visibility = WGPUShaderStage_Compute;
  e.texture.sampleType = WGPUTextureSampleType_UnfilterableFloat;
  e.texture.viewDimension = WGPUTextureViewDimension_2D;
  return e;
}

WGPUBindGroupLayoutEntry WriteEntry(uint32_t binding, WGPUTextureFormat format) {
  WGPUBindGroupLayoutEntry e = WGPU_BIND_GROUP_LAYOUT_ENTRY_INIT;
  e.binding = binding;
  e.visibility = WGPUShaderStage_Compute;
  e.storageTexture.access = WGPUStorageTextureAccess_WriteOnly;
  e.storageTexture.format = format;
  e.storageTexture.viewDimension = WGPUTextureViewDimension_2D;
  return e;
}

template <class T>
void Put(std::vector<std::byte>& bytes, size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

}  // namespace

Result<std::unique_ptr<WgslNode>> WgslNode::Load(const NodeContext& context, const std::string& path, std::string name) {
  if (!context.grants.gpu)
    return Fail(ErrorKind::InvalidArgument, "plugin '{}' is made of shaders, but the GPU is denied to plugins", path);
  WEFT_TRY_ASSIGN(auto plugin, LoadWgslPlugin(path));
  return std::unique_ptr<WgslNode>(new WgslNode(context, std::move(plugin), std::move(name)));
}

void WgslNode::Configure(graph::ConfigureJob job, graph::Done<graph::NodePlan> done) {
  CpuTimer timer(&cpu_ns_);
  if (auto ok = Configured(job); !ok) return done(std::move(ok.error()).Context(fmt::format("plugin '{}'", plugin_->path)));
  graph::NodePlan plan;
  plan.outputs.assign(plugin_->outputs(), output_);
  plan.windows.assign(plugin_->inputs(), {0, 0});
  done(std::move(plan));
}

Status WgslNode::Configured(const graph::ConfigureJob& job) {
  if (!device_) {
    WEFT_TRY_ASSIGN(device_, context_.device());
    writer_ = std::make_unique<gpu::TextureWriter>(device_);
    spans_ = std::make_unique<GpuSpans>(device_, context_.gpu_times);
    for (const graph::ParamSpec& p : description().parameters) values_.push_back(p.default_value);
  }
  for (const auto& [index, value] : job.changes) values_[index] = value;
  inputs_ = job.inputs;
  output_ = job.project.frame;
  for (const graph::PortInfo& in : inputs_) {
    if (auto* texture = std::get_if<graph::TextureInfo>(&in)) {
      output_ = *texture;
      break;
    }
  }
  if (output_.format != "rgba8unorm" && output_.format != "rgba32float") output_.format = "rgba16float";
  WEFT_TRY_ASSIGN(gpu::TextureKey out_key, KeyOf(*device_, output_));
  WEFT_TRY(device_->textures().Check(out_key));

  formats_.assign(plugin_->textures(), output_.format);
  intermediates_.clear();
  for (size_t m = 0; m < plugin_->intermediates.size(); ++m) {
    const WgslPlugin::Intermediate& spec = plugin_->intermediates[m];
    graph::TextureInfo info = output_;
    info.width = static_cast<uint32_t>(std::max(1.0, std::ceil(spec.scale_x * output_.width)));
    info.height = static_cast<uint32_t>(std::max(1.0, std::ceil(spec.scale_y * output_.height)));
    if (spec.format != "work") info.format = spec.format;
    formats_[plugin_->inputs() + m] = info.format;
    WEFT_TRY_ASSIGN(gpu::TextureKey key, KeyOf(*device_, info));
    WEFT_TRY_ASSIGN(auto texture, device_->textures().Acquire(key, writer_->id()));
    if (texture->last_writer() != 0) WEFT_TRY(gpu::ClearNow(*texture));
    texture->set_last_writer(writer_->id());
    intermediates_.push_back(std::move(texture));
  }
  if (std::ranges::any_of(inputs_, [](const auto& in) { return in.index() == 0; })) {
    graph::TextureInfo one = output_;
    one.width = one.height = 1;
    WEFT_TRY_ASSIGN(gpu::TextureKey key, KeyOf(*device_, one));
    WEFT_TRY_ASSIGN(nothing_, device_->textures().Acquire(key, writer_->id()));
    if (nothing_->last_writer() != 0) WEFT_TRY(gpu::ClearNow(*nothing_));
    nothing_->set_last_writer(writer_->id());
  }

  // The prelude stands behind the file (the order of declarations means nothing in WGSL), so that lines in messages are the file's own.
  const std::string wgsl = plugin_->shader + "\n" + plugin_->Prelude(formats_);
  WEFT_TRY_ASSIGN(auto module, gpu::MakeShaderModule(*device_, wgsl, plugin_->shader_path));
  passes_.clear();
  for (const WgslPlugin::Pass& pass : plugin_->passes) {
    BuiltPass built;
    if (auto ok = BuildPass(pass, module.get(), &built); !ok) return std::move(ok.error()).Context(fmt::format("pass '{}'", pass.entry));
    passes_.push_back(std::move(built));
  }
  return {};
}

Status WgslNode::BuildPass(const WgslPlugin::Pass& pass, WGPUShaderModule module, BuiltPass* out) {
  const gpu::Procs& wgpu = device_->procs();
  gpu::ErrorCollector errors;
  std::vector<WGPUBindGroupLayoutEntry> entries;
  WGPUBindGroupLayoutEntry uniform = WGPU_BIND_GROUP_LAYOUT_ENTRY_INIT;
  uniform.visibility = WGPUShaderStage_Compute;
  uniform.buffer.type = WGPUBufferBindingType_Uniform;
  entries.push_back(uniform);
  for (size_t t : pass.reads) entries.push_back(ReadEntry(plugin_->ReadBinding(t)));
  for (size_t t : pass.writes) entries.push_back(WriteEntry(plugin_->WriteBinding(t), gpu::FindFormat(formats_[t])->format));
  WGPUBindGroupLayoutDescriptor layout = WGPU_BIND_GROUP_LAYOUT_DESCRIPTOR_INIT;
  layout.entryCount = entries.size();
  layout.entries = entries.data();
  out->layout = device_->Own(wgpu.DeviceCreateBindGroupLayout(device_->handle(), &layout));
  WEFT_TRY(errors.ToStatus("making the layout of its bindings"));

  WGPUPipelineLayoutDescriptor all = WGPU_PIPELINE_LAYOUT_DESCRIPTOR_INIT;
  const WGPUBindGroupLayout layouts[] = {out->layout.get()};
  all.bindGroupLayoutCount = 1;
  all.bindGroupLayouts = layouts;
  auto pipeline_layout = device_->Own(wgpu.DeviceCreatePipelineLayout(device_->handle(), &all));
  WGPUComputePipelineDescriptor pipeline = WGPU_COMPUTE_PIPELINE_DESCRIPTOR_INIT;
  pipeline.layout = pipeline_layout.get();
  pipeline.compute.module = module;
  pipeline.compute.entryPoint = gpu::Str(pass.entry);
  out->pipeline = device_->Own(device_->RunOnBigStack([&] { return wgpu.DeviceCreateComputePipeline(device_->handle(), &pipeline); }));
  WEFT_TRY(errors.ToStatus("making its pipeline"));

  WGPUBufferDescriptor buffer = WGPU_BUFFER_DESCRIPTOR_INIT;
  buffer.size = plugin_->UniformLayout().size;
  buffer.usage = WGPUBufferUsage_Uniform | WGPUBufferUsage_CopyDst;
  out->uniform = device_->Own(wgpu.DeviceCreateBuffer(device_->handle(), &buffer));
  return errors.ToStatus("making its uniform buffer");
}

std::vector<std::byte> WgslNode::UniformBytes(const graph::FrameTime& time, uint32_t width, uint32_t height) const {
  const WgslPlugin::Uniform layout = plugin_->UniformLayout();
  std::vector<std::byte> bytes(layout.size);
  Put(bytes, 0, width);
  Put(bytes, 4, height);
  Put(bytes, 8, static_cast<uint32_t>(time.number));
  Put(bytes, 12, static_cast<float>(time.pts.ToDouble()));
  Put(bytes, 16, static_cast<float>(time.duration.ToDouble()));
  for (size_t p = 0; p < values_.size(); ++p) {
    const graph::Value& v = values_[p];
    const size_t at = layout.offsets[p];
    if (auto* number = std::get_if<double>(&v)) Put(bytes, at, static_cast<float>(*number));
    if (auto* integer = std::get_if<int64_t>(&v)) Put(bytes, at, static_cast<int32_t>(*integer));
    if (auto* flag = std::get_if<bool>(&v)) Put(bytes, at, uint32_t{*flag});
    if (auto* choice = std::get_if<graph::Choice>(&v)) Put(bytes, at, choice->index);
    if (auto* vector = std::get_if<graph::Vec4>(&v)) {
      for (size_t i = 0; i < 4; ++i) Put(bytes, at + 4 * i, static_cast<float>((*vector)[i]));
    }
  }
  return bytes;
}

Result<std::vector<Ref<gpu::PoolTexture>>> WgslNode::Textures(const graph::FrameJob& job, WGPUCommandEncoder encoder) {
  std::vector<Ref<gpu::PoolTexture>> textures(plugin_->textures());
  for (size_t i = 0; i < plugin_->inputs(); ++i) textures[i] = nothing_;
  for (const graph::InputItem& item : job.inputs) {
    auto* payload = dynamic_cast<TexturePayload*>(item.payload.get());
    if (!payload) return Fail(ErrorKind::Internal, "input '{}' got something that is no texture", description().inputs[item.port].id);
    WEFT_TRY_ASSIGN(textures[item.port], AsPoolTexture(*device_, *payload));
  }
  std::ranges::copy(intermediates_, textures.begin() + static_cast<ptrdiff_t>(plugin_->inputs()));
  WEFT_TRY_ASSIGN(gpu::TextureKey key, KeyOf(*device_, output_));
  for (size_t o = 0; o < plugin_->outputs(); ++o) {
    const bool overwrites = description().outputs[o].overwrites;
    WEFT_TRY_ASSIGN(auto texture, device_->textures().Acquire(key, overwrites ? writer_->id() : 0));
    if (texture->last_writer() != 0 && !(overwrites && texture->last_writer() == writer_->id()))
      WEFT_TRY(gpu::EncodeClear(encoder, *texture));
    texture->set_last_writer(writer_->id());
    textures[plugin_->inputs() + intermediates_.size() + o] = std::move(texture);
  }
  return textures;
}

Result<WGPUBindGroup> WgslNode::BindGroup(BuiltPass& pass, const WgslPlugin::Pass& spec,
                                          const std::vector<Ref<gpu::PoolTexture>>& textures) {
  std::vector<uint64_t> key;
  for (size_t t : spec.reads) key.push_back(textures[t]->id());
  for (size_t t : spec.writes) key.push_back(textures[t]->id());
  if (auto it = pass.groups.find(key); it != pass.groups.end()) return it->second.get();
  std::vector<WGPUBindGroupEntry> entries;
  WGPUBindGroupEntry uniform = WGPU_BIND_GROUP_ENTRY_INIT;
  uniform.buffer = pass.uniform.get();
  uniform.size = plugin_->UniformLayout().size;
  entries.push_back(uniform);
  auto view = [&](uint32_t binding, size_t t) {
    WGPUBindGroupEntry e = WGPU_BIND_GROUP_ENTRY_INIT;
    e.binding = binding;
    e.textureView = textures[t]->View();
    entries.push_back(e);
  };
  for (size_t t : spec.reads) view(plugin_->ReadBinding(t), t);
  for (size_t t : spec.writes) view(plugin_->WriteBinding(t), t);
  WGPUBindGroupDescriptor descriptor = WGPU_BIND_GROUP_DESCRIPTOR_INIT;
  descriptor.layout = pass.layout.get();
  descriptor.entryCount = entries.size();
  descriptor.entries = entries.data();
  gpu::ErrorCollector errors;
  auto group = device_->Own(device_->procs().DeviceCreateBindGroup(device_->handle(), &descriptor));
  WEFT_TRY(errors.ToStatus("binding its textures"));
  if (pass.groups.size() >= kMostBindGroups) pass.groups.clear();
  return pass.groups.emplace(std::move(key), std::move(group)).first->second.get();
}

Result<graph::FrameOutput> WgslNode::Made(const graph::FrameJob& job) {
  CpuTimer timer(&cpu_ns_);
  WEFT_TRY(device_->CheckAlive());
  for (const auto& [index, value] : job.changes) values_[index] = value;
  const gpu::Procs& wgpu = device_->procs();
  gpu::ErrorCollector errors;
  auto encoder = device_->Own(wgpu.DeviceCreateCommandEncoder(device_->handle(), nullptr));
  WEFT_TRY_ASSIGN(auto textures, Textures(job, encoder.get()));
  for (size_t p = 0; p < passes_.size(); ++p) {
    const WgslPlugin::Pass& spec = plugin_->passes[p];
    const gpu::PoolTexture& target = *textures[spec.writes.front()];
    const auto bytes = UniformBytes(job.time, target.width(), target.height());
    device_->WriteBuffer(passes_[p].uniform.get(), 0, bytes.data(), bytes.size());
    WEFT_TRY_ASSIGN(WGPUBindGroup group, BindGroup(passes_[p], spec, textures));
    auto pass = device_->Own(wgpu.CommandEncoderBeginComputePass(encoder.get(), nullptr));
    wgpu.ComputePassEncoderSetPipeline(pass.get(), passes_[p].pipeline.get());
    wgpu.ComputePassEncoderSetBindGroup(pass.get(), 0, group, 0, nullptr);
    wgpu.ComputePassEncoderDispatchWorkgroups(pass.get(), (target.width() + spec.workgroup_x - 1) / spec.workgroup_x,
                                              (target.height() + spec.workgroup_y - 1) / spec.workgroup_y, 1);
    wgpu.ComputePassEncoderEnd(pass.get());
  }
  auto commands = device_->Own(wgpu.CommandEncoderFinish(encoder.get(), nullptr));
  WEFT_TRY(errors.ToStatus("recording its passes"));
  GpuSpans::Span span = spans_->Begin();
  std::vector<gpu::Owned<WGPUCommandBuffer>> all;
  if (auto m = span.Mark()) all.push_back(std::move(m));
  all.push_back(std::move(commands));
  if (auto m = span.Mark()) all.push_back(std::move(m));
  std::vector<WGPUCommandBuffer> handles;
  for (const auto& c : all) handles.push_back(c.get());
  if (context_.watch) context_.watch->Submitted(name_, job.index);
  device_->SubmitLater(handles);
  if (context_.watch) {
    device_->OnSubmittedWorkDone(
        [watch = context_.watch, name = name_, index = job.index](const Status&) { watch->Finished(name, index); });
  }
  span.Finish();
  WEFT_TRY(errors.ToStatus("submitting its passes"));
  ++frames_;
  graph::FrameOutput out;
  for (size_t o = 0; o < plugin_->outputs(); ++o) {
    out.outputs.push_back(MakeRef<TexturePayload>(std::move(textures[plugin_->inputs() + intermediates_.size() + o]), output_));
  }
  return out;
}

void WgslNode::Process(graph::FrameJob job, graph::Done<graph::FrameOutput> done) {
  auto made = Made(job);
  if (!made) return done(std::move(made.error()).Context(fmt::format("plugin '{}'", plugin_->path)));
  done(std::move(made));
}

}  // namespace weft::nodes
