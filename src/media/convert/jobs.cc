// SPDX-License-Identifier: Apache-2.0
#include "media/convert/jobs.h"

#include <cstring>
#include <string_view>

#include "base/fail.h"
#include "gpu/format.h"
#include "media/convert/wgsl.h"

namespace weft::media {
namespace {

// Enough for all sizes and formats of a graph; past it something varies without end, and all are dropped.
constexpr size_t kMostJobs = 256;
constexpr size_t kMostGroups = 64;
constexpr uint32_t kGroupX = 16, kGroupY = 8;  // @workgroup_size of all kernels

struct Source {
  std::string_view text;
  std::string_view entry;
};
Source SourceOf(Kernel kernel) {
  switch (kernel) {
    case Kernel::Unpack: return {wgsl::k_unpack, "unpack"};
    case Kernel::Unpack4: return {wgsl::k_unpack, "unpack4"};
    case Kernel::Convert: return {wgsl::k_convert, "convert"};
    case Kernel::Pack: return {wgsl::k_pack, "pack"};
    case Kernel::PackPairs: return {wgsl::k_pack, "pack_pairs"};
    case Kernel::Resize: return {wgsl::k_resize, "resize"};
  }
  return {};
}

// A storage texture's format cannot be an override: the one in the file is the placeholder.
std::string WithFormat(std::string_view kernel, WGPUTextureFormat target) {
  constexpr std::string_view kPlaceholder = "texture_storage_2d<rgba16float, write>";
  std::string text = std::string(wgsl::k_color) + std::string(kernel);
  if (const size_t at = text.find(kPlaceholder); at != std::string::npos) {
    text.replace(at, kPlaceholder.size(), fmt::format("texture_storage_2d<{}, write>", gpu::FormatName(target)));
  }
  return text;
}

template <class T>
void Append(std::string& key, const T& value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace

Jobs::~Jobs() { Trim(); }

Status Jobs::Encode(WGPUCommandEncoder encoder, const JobSpec& spec, const Bound& in, const Bound& out, uint32_t x, uint32_t y,
                    uint32_t z) {
  const gpu::Procs& procs = device_->procs();
  std::lock_guard lock(mutex_);
  WEFT_TRY_ASSIGN(Job * job, FindLocked(spec));
  WEFT_TRY_ASSIGN(WGPUBindGroup group, GroupLocked(*job, in, out));
  auto pass = device_->Own(procs.CommandEncoderBeginComputePass(encoder, nullptr));
  procs.ComputePassEncoderSetPipeline(pass.get(), job->pipeline);
  procs.ComputePassEncoderSetBindGroup(pass.get(), 0, group, 0, nullptr);
  procs.ComputePassEncoderDispatchWorkgroups(pass.get(), (x + kGroupX - 1) / kGroupX, (y + kGroupY - 1) / kGroupY, z);
  procs.ComputePassEncoderEnd(pass.get());
  return {};
}

Result<Jobs::Job*> Jobs::FindLocked(const JobSpec& spec) {
  std::string key;
  Append(key, spec.kernel);
  Append(key, spec.target);
  for (const auto& c : spec.constants) Append(key, c.value);
  const std::string pipeline_key = key;
  for (const double g : spec.geometry) Append(key, g);
  key.append(reinterpret_cast<const char*>(spec.params.data()), spec.params.size());
  if (const auto it = jobs_.find(key); it != jobs_.end()) return it->second.get();
  if (jobs_.size() >= kMostJobs) TrimLocked();

  auto job = std::make_unique<Job>();
  WEFT_TRY_ASSIGN(job->layout, LayoutLocked(spec.kernel, spec.target));
  auto& pipeline = pipelines_[pipeline_key];
  if (!pipeline) {
    const Source source = SourceOf(spec.kernel);
    WEFT_TRY_ASSIGN(pipeline, gpu::MakeComputeKernel(*device_, WithFormat(source.text, spec.target), source.entry, source.entry,
                                                     spec.constants, job->layout->pipeline.get()));
  }
  job->pipeline = pipeline.get();
  job->params_size = spec.params.size();
  WEFT_TRY_ASSIGN(job->params, MakeBuffer(WGPUBufferUsage_Uniform, spec.params.data(), spec.params.size()));
  if (spec.weights) {
    const std::vector<float> weights = spec.weights();
    job->weights_size = weights.size() * sizeof(float);
    WEFT_TRY_ASSIGN(job->weights, MakeBuffer(WGPUBufferUsage_Storage, weights.data(), job->weights_size));
  }
  return (jobs_[key] = std::move(job)).get();
}

Result<gpu::Owned<WGPUBuffer>> Jobs::MakeBuffer(WGPUBufferUsage usage, const void* data, size_t size) {
  WGPUBufferDescriptor descriptor = WGPU_BUFFER_DESCRIPTOR_INIT;
  descriptor.label = gpu::Str("weft convert");
  descriptor.size = size;
  descriptor.usage = usage | WGPUBufferUsage_CopyDst;
  gpu::ErrorCollector errors;
  auto buffer = device_->Own(device_->procs().DeviceCreateBuffer(device_->handle(), &descriptor));
  WEFT_TRY(device_->Outcome(errors, fmt::format("a buffer of {} bytes", size)));
  device_->WriteBuffer(buffer.get(), 0, data, size);
  WEFT_TRY(device_->Outcome(errors, "parameters of a kernel"));
  device_->counters().BufferCreated(size);
  return buffer;
}

Result<const Jobs::Layout*> Jobs::LayoutLocked(Kernel kernel, WGPUTextureFormat target) {
  const LayoutKey key{kernel, target};
  if (const auto it = layouts_.find(key); it != layouts_.end()) return &it->second;
  std::vector<WGPUBindGroupLayoutEntry> entries;
  auto add = [&]() -> WGPUBindGroupLayoutEntry& {
    WGPUBindGroupLayoutEntry e = WGPU_BIND_GROUP_LAYOUT_ENTRY_INIT;
    e.binding = static_cast<uint32_t>(entries.size());
    e.visibility = WGPUShaderStage_Compute;
    return entries.emplace_back(e);
  };
  add().buffer.type = WGPUBufferBindingType_Uniform;
  if (kernel == Kernel::Unpack || kernel == Kernel::Unpack4) {
    add().buffer.type = WGPUBufferBindingType_ReadOnlyStorage;
  } else {
    auto& texture = add().texture;
    texture.sampleType = WGPUTextureSampleType_UnfilterableFloat;  // any format of float; kernels only load
    texture.viewDimension = WGPUTextureViewDimension_2D;
  }
  if (kernel == Kernel::Pack || kernel == Kernel::PackPairs) {
    add().buffer.type = WGPUBufferBindingType_Storage;
  } else {
    auto& texture = add().storageTexture;
    texture.access = WGPUStorageTextureAccess_WriteOnly;
    texture.format = target;
    texture.viewDimension = WGPUTextureViewDimension_2D;
  }
  if (kernel == Kernel::Resize) add().buffer.type = WGPUBufferBindingType_ReadOnlyStorage;

  Layout layout;
  gpu::ErrorCollector errors;
  WGPUBindGroupLayoutDescriptor group = WGPU_BIND_GROUP_LAYOUT_DESCRIPTOR_INIT;
  group.entryCount = entries.size();
  group.entries = entries.data();
  layout.group = device_->Own(device_->procs().DeviceCreateBindGroupLayout(device_->handle(), &group));
  WEFT_TRY(device_->Outcome(errors, "the bindings of a kernel"));
  const WGPUBindGroupLayout handle = layout.group.get();
  WGPUPipelineLayoutDescriptor pipeline = WGPU_PIPELINE_LAYOUT_DESCRIPTOR_INIT;
  pipeline.bindGroupLayoutCount = 1;
  pipeline.bindGroupLayouts = &handle;
  layout.pipeline = device_->Own(device_->procs().DeviceCreatePipelineLayout(device_->handle(), &pipeline));
  WEFT_TRY(device_->Outcome(errors, "the layout of a kernel"));
  return &(layouts_[key] = std::move(layout));
}

Result<WGPUBindGroup> Jobs::GroupLocked(Job& job, const Bound& in, const Bound& out) {
  const std::pair key{in.id, out.id};
  if (const auto it = job.groups.find(key); it != job.groups.end()) return it->second.get();
  if (job.groups.size() >= kMostGroups) job.groups.clear();
  WGPUBindGroupEntry entries[4];
  for (uint32_t i = 0; i < 4; ++i) entries[i] = WGPU_BIND_GROUP_ENTRY_INIT, entries[i].binding = i;
  entries[0].buffer = job.params.get();
  entries[0].size = job.params_size;
  for (const auto& [i, bound] : {std::pair{1, &in}, {2, &out}}) {
    entries[i].textureView = bound->view;
    entries[i].buffer = bound->buffer;
    if (bound->buffer) entries[i].size = bound->size;
  }
  entries[3].buffer = job.weights.get();
  if (job.weights) entries[3].size = job.weights_size;
  WGPUBindGroupDescriptor descriptor = WGPU_BIND_GROUP_DESCRIPTOR_INIT;
  descriptor.layout = job.layout->group.get();
  descriptor.entryCount = job.weights ? 4 : 3;
  descriptor.entries = entries;
  gpu::ErrorCollector errors;
  auto group = device_->Own(device_->procs().DeviceCreateBindGroup(device_->handle(), &descriptor));
  WEFT_TRY(device_->Outcome(errors, "the bindings of a conversion"));
  return (job.groups[key] = std::move(group)).get();
}

void Jobs::Trim() {
  std::lock_guard lock(mutex_);
  TrimLocked();
}

void Jobs::TrimLocked() {
  for (const auto& [key, job] : jobs_) {
    device_->counters().BufferGone(job->params_size);
    if (job->weights) device_->counters().BufferGone(job->weights_size);
  }
  jobs_.clear();
}

}  // namespace weft::media
