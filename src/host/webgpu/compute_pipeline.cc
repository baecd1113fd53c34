// SPDX-License-Identifier: Apache-2.0
// Compute pipelines (specification 10.2). Made on the device's threads with a big stack, since the library compiles the shader here.
#include <algorithm>

#include "host/webgpu/pipeline_stage.h"

namespace weft::host {

using AsyncAnswer = Res<Rep, wit::CreatePipelineError>;

AsyncAnswer PipelineFailure(const std::vector<DeviceError>& errors) {
  const bool validation = std::all_of(errors.begin(), errors.end(), [](const DeviceError& e) { return e.type == ErrorType::Validation; });
  wit::CreatePipelineError e;
  e.kind.gpu_pipeline_error = validation ? wit::GpuPipelineErrorReason::Validation : wit::GpuPipelineErrorReason::Internal;
  e.message = Str(errors.front().message);
  return AsyncAnswer::Err(e);
}

void VirtualGpu::ReportPipeline(VDevice& device, std::vector<DeviceError>& failures) {
  for (DeviceError& f : failures) {
    if (f.type != ErrorType::OutOfMemory || f.message != QuotaSentence()) device.Report(f.type, std::move(f.message));
  }
}

Result<Ref<VComputePipeline>> VirtualGpu::BuildComputePipeline(const Ref<VDevice>& device, const wit::GpuComputePipelineDescriptor& d,
                                                               std::vector<DeviceError>* failures) {
  auto pipeline = Make<VComputePipeline>(device, d.label);
  std::optional<std::string> why;
  NativeStage stage;
  WGPUComputePipelineDescriptor n = WGPU_COMPUTE_PIPELINE_DESCRIPTOR_INIT;
  WEFT_TRY(ReadLayout(*this, device.get(), d.layout, &pipeline->groups, &n.layout, &why));
  WEFT_TRY(ReadStage(*this, device.get(), d.compute, WgslEntry::Stage::Compute, &stage, &why));
  if (!pipeline->valid()) {
    failures->push_back({ErrorType::OutOfMemory, QuotaSentence()});
    return pipeline;
  }
  if (!why) why = WorkgroupRefusal(stage, device->limits());
  if (!why && !pipeline->groups.layout) why = AutoLayoutRefusal(stage, device->limits());
  if (why) {
    pipeline->Invalidate();
    failures->push_back({ErrorType::Validation, fmt::format("creating {}: {}", pipeline->Name(), *why)});
    return pipeline;
  }
  if (!account_->MayCompile(/*pipeline=*/true)) {
    pipeline->Invalidate();
    failures->push_back({ErrorType::OutOfMemory, fmt::format("creating {}: {}", pipeline->Name(), QuotaSentence())});
    return pipeline;
  }
  n.label = gpu::Str(pipeline->label());
  n.compute.module = stage.module;
  n.compute.entryPoint = stage.entry_point;
  n.compute.constantCount = stage.constants.size();
  n.compute.constants = stage.constants.data();
  if (!pipeline->groups.layout) AddUsed(pipeline->groups, stage);
  NativeErrors errors(device.get());
  pipeline->native = gpu_->Own(Compile([&] { return wgpu().DeviceCreateComputePipeline(gpu_->handle(), &n); }));
  for (DeviceError& e : errors.Take()) {
    failures->push_back({e.type, fmt::format("creating {}: {}", pipeline->Name(), e.message)});
  }
  if (!failures->empty() || !pipeline->native) {
    pipeline->Invalidate();
    pipeline->native.Reset();
  }
  return pipeline;
}

Result<Rep> VirtualGpu::OnGpuDeviceCreateComputePipeline(Rep self, const wit::GpuComputePipelineDescriptor& d) {
  WEFT_TRY_ASSIGN(auto device, Get<VDevice>(self));
  std::vector<DeviceError> failures;
  WEFT_TRY_ASSIGN(auto pipeline, BuildComputePipeline(device, d, &failures));
  ReportPipeline(*device, failures);
  return Add(std::move(pipeline));
}

void VirtualGpu::OnGpuDeviceCreateComputePipelineAsync(Rep self, const wit::GpuComputePipelineDescriptor& d, Completion<AsyncAnswer> done) {
  auto device = Get<VDevice>(self);
  if (!device) return done.Trap(device.error().message());
  std::vector<DeviceError> failures;
  auto pipeline = BuildComputePipeline(*device, d, &failures);
  if (!pipeline) return done.Trap(pipeline.error().message());
  // Failures of the async form are its answer; no error scope sees them.
  if (!failures.empty()) return done.Done(PipelineFailure(failures));
  auto rep = Add(std::move(*pipeline));
  if (!rep) return done.Trap(rep.error().message());
  done.Done(AsyncAnswer::Ok(*rep));
}

Result<Rep> VirtualGpu::OnGpuComputePipelineGetBindGroupLayout(Rep self, uint32_t index) {
  WEFT_TRY_ASSIGN(auto pipeline, Get<VComputePipeline>(self));
  return Add(GroupLayoutOf(*pipeline, pipeline->groups, index,
                           [&] { return wgpu().ComputePipelineGetBindGroupLayout(pipeline->native.get(), index); }));
}

}  // namespace weft::host
