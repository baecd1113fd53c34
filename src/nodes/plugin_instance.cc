// SPDX-License-Identifier: Apache-2.0
#include "nodes/plugin_instance.h"

#include "base/fail.h"
#include "nodes/plugin_values.h"

namespace weft::nodes {
namespace {

namespace wp = ::weft::wasm::plugin;

wp::Rational ToContract(Rational r) { return {r.num, r.den}; }

// A guest's own error text, kept short: it goes into one sentence.
Error Refused(std::string_view function, std::string_view text) {
  constexpr size_t kMost = 2000;
  return Fail(ErrorKind::GuestTrap, "{} failed: {}{}", function, text.substr(0, kMost), text.size() > kMost ? "..." : "");
}

}  // namespace

Result<std::unique_ptr<PluginInstance>> PluginInstance::Create(const NodeContext& context, const PluginFile& file, Ref<gpu::Device> device,
                                                               const std::string& name, std::atomic<uint64_t>* cpu_ns) {
  CpuTimer timer(cpu_ns);
  host::VirtualGpuOptions options;
  options.device = std::move(device);
  options.quotas = context.quotas;
  // A plugin's WebGPU errors come back as its node's error; the log has them for those who ask for details.
  options.log = Log([log = context.log](LogLevel, std::string_view message) { log.Write(LogLevel::Debug, message); });
  auto gpu = std::make_unique<host::VirtualGpu>(std::move(options));
  auto log = std::make_unique<PluginLog>(context.log, name);
  WEFT_TRY_ASSIGN(auto instance, file.component.Instantiate(context.grants, context.limits, {gpu.get(), log.get()}));
  WEFT_TRY_ASSIGN(auto effect, wp::Effect::Bind(*instance));
  auto self = std::unique_ptr<PluginInstance>(new PluginInstance(std::move(gpu), std::move(log), std::move(instance), effect, cpu_ns));
  WEFT_TRY_ASSIGN(wasm::Rep device_rep, self->gpu_->CreateDeviceRep());
  {
    auto call = self->effect_.InstanceCreate(device_rep);
    auto result = call.Wait();
    if (!result) return std::move(result.error()).Context("create");
    if ((*result)->is_err) {
      Error refused = Refused("create", (*result)->err.view());
      if (auto gpu_errors = self->TakeGpuErrors(); !gpu_errors) {
        return Fail(ErrorKind::GuestTrap, "{}; its GPU calls failed before: {}", refused.message(), gpu_errors.error().message());
      }
      return refused;
    }
    self->self_ = (*result)->ok;
  }
  if (auto ok = self->TakeGpuErrors(); !ok) return std::move(ok.error()).Context("create");
  return self;
}

PluginInstance::~PluginInstance() {
  // The guest's own destructor runs where it still can; what it says no longer matters.
  if (instance_->alive() && self_) {
    auto call = effect_.DropInstance(*self_);
    (void)call.Wait();
  }
}

Status PluginInstance::Set(const graph::ParamChanges& changes) {
  if (changes.empty()) return {};
  CpuTimer timer(cpu_ns_);
  std::vector<wasm::Tuple2<uint32_t, wp::Value>> values;
  for (const auto& [index, value] : changes) values.push_back({index, nodes::ToContract(value)});
  auto call = effect_.InstanceSet(*self_, std::span<const wasm::Tuple2<uint32_t, wp::Value>>(values));
  auto result = call.Wait();
  if (!result) return std::move(result.error()).Context("set");
  if ((*result)->is_err) return Refused("set", (*result)->err.view());
  return {};
}

Result<PluginInstance::Plan> PluginInstance::Configure(const graph::Project& project, std::span<const graph::PortInfo> inputs,
                                                       size_t outputs) {
  CpuTimer timer(cpu_ns_);
  wp::Project p;
  p.frame = nodes::ToContract(project.frame);
  p.rate = ToContract(project.rate);
  std::vector<wp::PortInfo> infos;
  for (const graph::PortInfo& info : inputs) infos.push_back(nodes::ToContract(info));
  auto call = effect_.InstanceConfigure(*self_, p, std::span<const wp::PortInfo>(infos));
  auto result = call.Wait();
  if (!result) return std::move(result.error()).Context("configure");
  WEFT_TRY(TakeGpuErrors().Context("configure"));
  if ((*result)->is_err) return Refused("configure", (*result)->err.view());
  const wp::Plan& answer = (*result)->ok;
  if (answer.inputs.size != inputs.size() || answer.outputs.size != outputs) {
    return Fail(ErrorKind::GuestTrap, "configure answered a plan of {} inputs and {} outputs, but the description has {} and {}",
                answer.inputs.size, answer.outputs.size, inputs.size(), outputs);
  }
  Plan plan;
  for (const wp::InputPlan& in : answer.inputs) plan.plan.windows.emplace_back(in.window.f0, in.window.f1);
  for (const wp::PortInfo& out : answer.outputs) {
    auto info = FromContract(out);
    if (!info) return std::move(info.error());
    plan.plan.outputs.push_back(*info);  // copied: g++ 12 warns falsely of an uninitialized value where it is moved
  }
  for (const auto& [output, input] : answer.pass_through) {
    if (output >= outputs || input >= inputs.size()) {
      return Fail(ErrorKind::GuestTrap, "configure answered that output {} is input {}, but there are {} and {}", output, input, outputs,
                  inputs.size());
    }
    plan.pass_through.emplace_back(output, input);
  }
  return plan;
}

wasm::Call<wasm::Res<wp::FrameResult, wasm::Str>> PluginInstance::Process(const graph::FrameTime& time, Rational rate,
                                                                          std::span<const wp::Input> inputs,
                                                                          std::span<const wp::Output> outputs) {
  std::vector<wasm::Tuple2<wasm::Str, wasm::Str>> metadata;
  for (const auto& [key, value] : time.metadata) metadata.push_back({wasm::Str(key), wasm::Str(value)});
  wp::FrameTime t;
  t.number = time.number;
  t.pts = ToContract(time.pts);
  t.duration = ToContract(time.duration);
  t.rate = ToContract(rate);
  t.metadata = std::span<const wasm::Tuple2<wasm::Str, wasm::Str>>(metadata);
  return effect_.InstanceProcess(*self_, t, inputs, outputs);
}

Status PluginInstance::TakeGpuErrors() {
  if (auto quota = gpu_->quota_failure()) return Fail(ErrorKind::OutOfMemory, "{}", *quota);
  auto errors = gpu_->TakeUncapturedErrors();
  if (errors.empty()) return {};
  std::string more = errors.size() > 1 ? fmt::format(" (and {} more)", errors.size() - 1) : "";
  const bool memory = errors[0].type == host::ErrorType::OutOfMemory;
  return Fail(memory ? ErrorKind::OutOfMemory : ErrorKind::GuestTrap, "WebGPU {} error: {}{}", host::ErrorTypeName(errors[0].type),
              errors[0].message, more);
}

}  // namespace weft::nodes
