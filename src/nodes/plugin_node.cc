// SPDX-License-Identifier: Apache-2.0
#include "nodes/plugin_node.h"

#include <algorithm>

#include "base/fail.h"
#include "gpu/clear.h"
#include "graph/plan.h"
#include "nodes/payload.h"
#include "nodes/plugin_values.h"
#include "nodes/textures.h"

namespace weft::nodes {
namespace {

namespace wp = ::weft::wasm::plugin;
namespace wit = ::weft::wasm::webgpu;

// The same for the plugin: where a picture came from is no concern of its.
bool Same(const graph::PortInfo& a, const graph::PortInfo& b) {
  auto *x = std::get_if<graph::TextureInfo>(&a), *y = std::get_if<graph::TextureInfo>(&b);
  if (!x || !y) return a == b;
  graph::TextureInfo z = *y;
  z.origin = x->origin;
  return *x == z;
}

host::TextureInfo HostInfo(const graph::TextureInfo& info) {
  host::TextureInfo out;
  out.format = FormatByName(info.format).value_or(wit::GpuTextureFormat::Rgba16float);
  out.width = info.width;
  out.height = info.height;
  const gpu::FormatInfo* format = gpu::FindFormat(info.format);
  if (format && format->srgb_twin) {
    if (auto twin = FormatByName(gpu::FormatName(format->srgb_twin))) out.view_formats.push_back(*twin);
  }
  return out;
}

}  // namespace

struct PluginNode::Frame {
  graph::FrameJob job;
  graph::Done<graph::FrameOutput> done;
  std::vector<wp::Input> inputs;
  std::vector<wp::Output> lent;
  std::vector<Ref<graph::Payload>> outputs;
  std::vector<Ref<gpu::PoolTexture>> written;
  // Sent before the guest's work: the first timestamp, and clears.
  std::vector<gpu::Owned<WGPUCommandBuffer>> prologue;
  bool clears = false;
  GpuSpans::Span span;
  std::optional<graph::FrameTime> time;
  std::optional<std::chrono::steady_clock::time_point> called;
};

PluginNode::PluginNode(const NodeContext& context, std::shared_ptr<const PluginFile> file, std::string name)
    : context_(context), file_(std::move(file)), name_(std::move(name)), use_(context.limits, context.quotas) {}

PluginNode::~PluginNode() = default;

void PluginNode::Configure(graph::ConfigureJob job, graph::Done<graph::NodePlan> done) {
  auto configure = [&]() -> Result<graph::NodePlan> {
    if (!device_) {
      WEFT_TRY_ASSIGN(device_, context_.device());
      writer_ = std::make_unique<gpu::TextureWriter>(device_);
      spans_ = std::make_unique<GpuSpans>(device_, context_.gpu_times);
      for (const graph::ParamSpec& p : description().parameters) values_.push_back(p.default_value);
    }
    project_ = job.project;
    connected_ = job.connected_outputs;
    configured_once_ = false;
    for (const auto& [index, value] : job.changes) values_[index] = value;
    inputs_ = job.inputs;
    if (!instance_ || !instance_->alive()) {
      WEFT_TRY(BeginLife());
    } else {
      WEFT_TRY(instance_->Set(job.changes));
      WEFT_TRY(Reconfigure(inputs_));
    }
    configured_once_ = true;
    return plan_->plan;
  };
  auto plan = configure();
  if (!plan) return done(std::move(plan.error()).Context(fmt::format("plugin '{}'", file_->component.name())));
  done(std::move(plan));
}

Status PluginNode::BeginLife() {
  instance_.reset();
  ++lives_;
  WEFT_TRY_ASSIGN(instance_, PluginInstance::Create(context_, *file_, device_, name_, &cpu_ns_));
  graph::ParamChanges all;
  for (uint32_t p = 0; p < values_.size(); ++p) all.emplace_back(p, values_[p]);
  WEFT_TRY(instance_->Set(all));
  return Reconfigure(inputs_);
}

Status PluginNode::Reconfigure(std::vector<graph::PortInfo> inputs) {
  WEFT_TRY_ASSIGN(auto plan, instance_->Configure(project_, inputs, description().outputs.size()));
  for (size_t o = 0; o < plan.plan.outputs.size(); ++o) {
    const graph::PortSpec& port = description().outputs[o];
    graph::PortInfo& info = plan.plan.outputs[o];
    if (auto* texture = std::get_if<graph::TextureInfo>(&info)) {
      if (port.kind != graph::PortKind::Texture)
        return Fail(ErrorKind::GuestTrap, "its plan makes a picture of output '{}', which is none", port.id);
      for (const graph::PortInfo& in : inputs) {
        if (auto* from = std::get_if<graph::TextureInfo>(&in)) {
          texture->origin = from->origin;
          break;
        }
      }
      WEFT_TRY_ASSIGN(gpu::TextureKey key, KeyOf(*device_, *texture));
      if (gpu::FindFormat(key.format)->kind != gpu::FormatKind::Color) {
        return Fail(ErrorKind::GuestTrap, "its plan makes output '{}' {}, which is no format of colour", port.id, texture->format);
      }
      WEFT_TRY(device_->textures().Check(key).Context(fmt::format("output '{}'", port.id)));
    } else if (port.kind == graph::PortKind::Texture && !(port.optional && std::holds_alternative<std::monostate>(info))) {
      return Fail(ErrorKind::GuestTrap, "its plan makes no picture of output '{}'", port.id);
    }
    if (configured_once_ && !Same(info, plan_->plan.outputs[o])) {
      return Fail(ErrorKind::GuestTrap, "output '{}' was {} and is to be {} now; outputs keep their size and format for a whole run",
                  port.id, graph::DescribeInfo(plan_->plan.outputs[o]), graph::DescribeInfo(info));
    }
  }
  for (const auto& [o, i] : plan.pass_through) {
    if (inputs[i].index() == 0)
      return Fail(ErrorKind::GuestTrap, "its plan passes input '{}' through, to which nothing is connected", description().inputs[i].id);
    auto *out = std::get_if<graph::TextureInfo>(&plan.plan.outputs[o]), *in = std::get_if<graph::TextureInfo>(&inputs[i]);
    if (out && in && (out->width != in->width || out->height != in->height || out->format != in->format)) {
      return Fail(ErrorKind::GuestTrap, "its plan passes input '{}' ({}) through as output '{}' ({}); they must be alike",
                  description().inputs[i].id, graph::DescribeInfo(inputs[i]), description().outputs[o].id,
                  graph::DescribeInfo(plan.plan.outputs[o]));
    }
  }
  inputs_ = std::move(inputs);
  plan_ = std::move(plan);
  return {};
}

void PluginNode::Process(graph::FrameJob job, graph::Done<graph::FrameOutput> done) {
  auto frame = std::make_unique<Frame>();
  frame->job = std::move(job);
  frame->done = std::move(done);
  CpuTimer timer(&cpu_ns_);
  Status ready = Prepare(*frame);
  if (!ready) return Finish(std::move(frame), std::move(ready));
  if (auto passed = PassThrough(*frame)) {
    frame->outputs = std::move(*passed);
    auto answer = std::move(frame->done);
    graph::FrameOutput out;
    out.outputs = std::move(frame->outputs);
    frame.reset();
    ++frames_;
    answer(std::move(out));
    return;
  }
  ready = Lend(*frame);
  if (!ready) return Finish(std::move(frame), std::move(ready));
  Frame* f = frame.get();
  instance_->gpu().SetFlushHook([this, f] { Send(*f, false); });
  f->called = std::chrono::steady_clock::now();
  auto call = instance_->Process(f->job.time, project_.rate, f->inputs, f->lent);
  auto driver = MakeDriver<wasm::Res<wp::FrameResult, wasm::Str>>(
      *context_.executor, std::move(call), &cpu_ns_,
      [this,
       frame = std::move(frame)](Result<const wasm::Res<wp::FrameResult, wasm::Str>*> result) mutable -> std::move_only_function<void()> {
        Status outcome;
        if (!result) {
          outcome = std::move(result.error());
        } else if ((*result)->is_err) {
          outcome = Fail(ErrorKind::GuestTrap, "process failed: {}", (*result)->err.view().substr(0, 2000));
        } else {
          for (const wp::DataOutput& data : (*result)->ok.data) {
            if (data.port >= description().outputs.size() || description().outputs[data.port].kind != graph::PortKind::Data) {
              outcome = Fail(ErrorKind::GuestTrap, "process answered data for output {}, which takes none", data.port);
              break;
            }
            frame->outputs[data.port] = MakeRef<BytesPayload>(std::vector<uint8_t>(data.bytes.begin(), data.bytes.end()));
          }
        }
        return [this, frame = std::move(frame), outcome = std::move(outcome)]() mutable { Finish(std::move(frame), std::move(outcome)); };
      });
  {
    std::lock_guard lock(mutex_);
    under_way_ = driver;
    if (cancelled_) driver->Stop();
  }
  driver->Start();
}

// Brings the plugin to where it can make this frame: alive, with today's values, configured for these inputs.
Status PluginNode::Prepare(Frame& frame) {
  WEFT_TRY(device_->CheckAlive());
  for (const auto& [index, value] : frame.job.changes) values_[index] = value;
  std::vector<graph::PortInfo> inputs(description().inputs.size());
  for (const graph::InputItem& item : frame.job.inputs) inputs[item.port] = item.payload->info();
  for (size_t i = 0; i < inputs.size(); ++i) {
    // A window's frames may all be absent at the ends; what is connected stays connected.
    if (inputs[i].index() == 0) inputs[i] = inputs_[i];
  }
  if (instance_ && instance_->alive() && instance_->gpu().device_destroyed()) {
    instance_.reset();
    return Fail(ErrorKind::GuestTrap, "it destroyed its GPU device, so it cannot make this frame");
  }
  bool other_inputs = false;
  for (size_t i = 0; i < inputs.size(); ++i) other_inputs = other_inputs || !Same(inputs[i], inputs_[i]);
  if (!instance_ || !instance_->alive()) {
    context_.log.Write(LogLevel::Warning, fmt::format("node '{}': the plugin is started again", name_));
    inputs_ = std::move(inputs);
    return BeginLife();
  }
  WEFT_TRY(instance_->Set(frame.job.changes));
  const bool reconfigure =
      other_inputs || std::ranges::any_of(frame.job.changes, [&](const auto& c) { return description().parameters[c.first].reconfigures; });
  if (reconfigure) WEFT_TRY(Reconfigure(std::move(inputs)));
  return {};
}

// The outputs, where all that are connected are inputs; else an error that nobody reads.
Result<std::vector<Ref<graph::Payload>>> PluginNode::PassThrough(const Frame& frame) const {
  const Error no(ErrorKind::Internal, "");
  std::vector<Ref<graph::Payload>> outputs(description().outputs.size());
  if (plan_->pass_through.empty()) return no;
  for (size_t o = 0; o < outputs.size(); ++o) {
    if (!connected_[o]) continue;
    auto through = std::ranges::find(plan_->pass_through, static_cast<uint32_t>(o), &std::pair<uint32_t, uint32_t>::first);
    if (through == plan_->pass_through.end()) return no;
    for (const graph::InputItem& item : frame.job.inputs) {
      if (item.port == through->second && item.offset == 0) outputs[o] = item.payload;
    }
    if (!outputs[o]) return no;
  }
  return outputs;
}

// Gives handles of this frame's things to the guest.
Status PluginNode::Lend(Frame& frame) {
  using U = wit::GpuTextureUsage;
  using B = wit::GpuBufferUsage;
  host::VirtualGpu& gpu = instance_->gpu();
  for (const graph::InputItem& item : frame.job.inputs) {
    wp::Input input;
    input.port = static_cast<uint32_t>(item.port);
    input.offset = item.offset;
    const std::string& label = description().inputs[item.port].id;
    if (auto* texture = dynamic_cast<TexturePayload*>(item.payload.get())) {
      WEFT_TRY_ASSIGN(input.item.texture, gpu.ImportTexture(texture->native(), HostInfo(texture->texture_info()),
                                                            {U::TextureBinding | U::CopySrc}, frame.job.index, label));
    } else if (auto* buffer = dynamic_cast<BufferPayload*>(item.payload.get())) {
      input.item.tag = wp::Item::Tag::Buffer;
      WEFT_TRY_ASSIGN(input.item.buffer, gpu.ImportBuffer(buffer->buffer()->buffer(), buffer->size(),
                                                          {B::Storage | B::Uniform | B::Vertex | B::Index | B::CopySrc, /*writable=*/false},
                                                          frame.job.index, label));
    } else if (auto* bytes = dynamic_cast<BytesPayload*>(item.payload.get())) {
      input.item.tag = wp::Item::Tag::Data;
      input.item.data = wasm::List<uint8_t>(bytes->bytes().data(), bytes->bytes().size());
    } else {
      return Fail(ErrorKind::Internal, "input '{}' got something that is no texture", label);
    }
    frame.inputs.push_back(input);
  }
  frame.outputs.resize(description().outputs.size());
  std::vector<Ref<gpu::PoolTexture>> to_clear;
  for (size_t o = 0; o < frame.outputs.size(); ++o) {
    const graph::PortSpec& port = description().outputs[o];
    wp::Output output;
    output.port = static_cast<uint32_t>(o);
    if (!connected_[o] && port.optional) continue;
    if (auto* info = std::get_if<graph::TextureInfo>(&plan_->plan.outputs[o])) {
      WEFT_TRY_ASSIGN(gpu::TextureKey key, KeyOf(*device_, *info));
      WEFT_TRY_ASSIGN(auto texture, device_->textures().Acquire(key, port.overwrites ? writer_->id() : 0));
      if (texture->last_writer() != 0 && !(port.overwrites && texture->last_writer() == writer_->id())) to_clear.push_back(texture);
      WEFT_TRY_ASSIGN(output.item.texture,
                      gpu.ImportTexture(texture->texture(), HostInfo(*info), {static_cast<uint32_t>(key.usage)}, frame.job.index, port.id));
      frame.written.push_back(texture);
      frame.outputs[o] = MakeRef<TexturePayload>(std::move(texture), *info);
    } else if (auto* size = std::get_if<graph::BufferInfo>(&plan_->plan.outputs[o])) {
      const uint64_t bytes = (size->size + 3) / 4 * 4;
      WEFT_TRY_ASSIGN(auto buffer,
                      device_->buffers().Acquire(bytes, WGPUBufferUsage_Storage | WGPUBufferUsage_Uniform | WGPUBufferUsage_Vertex |
                                                            WGPUBufferUsage_Index | WGPUBufferUsage_CopySrc | WGPUBufferUsage_CopyDst));
      auto encoder = device_->Own(device_->procs().DeviceCreateCommandEncoder(device_->handle(), nullptr));
      device_->procs().CommandEncoderClearBuffer(encoder.get(), buffer->buffer(), 0, bytes);
      frame.prologue.push_back(device_->Own(device_->procs().CommandEncoderFinish(encoder.get(), nullptr)));
      frame.clears = true;
      output.item.tag = wp::Item::Tag::Buffer;
      WEFT_TRY_ASSIGN(output.item.buffer,
                      gpu.ImportBuffer(buffer->buffer(), size->size, {B::Storage | B::CopySrc | B::CopyDst}, frame.job.index, port.id));
      frame.outputs[o] = MakeRef<BufferPayload>(std::move(buffer), size->size);
    } else {
      continue;
    }
    frame.lent.push_back(output);
  }
  frame.span = spans_->Begin();
  if (auto mark = frame.span.Mark()) frame.prologue.insert(frame.prologue.begin(), std::move(mark));
  if (!to_clear.empty()) {
    gpu::ErrorCollector errors;
    auto encoder = device_->Own(device_->procs().DeviceCreateCommandEncoder(device_->handle(), nullptr));
    for (const auto& texture : to_clear) WEFT_TRY(gpu::EncodeClear(encoder.get(), *texture));
    frame.prologue.push_back(device_->Own(device_->procs().CommandEncoderFinish(encoder.get(), nullptr)));
    frame.clears = true;
    WEFT_TRY(errors.ToStatus("clearing the outputs"));
  }
  for (const auto& texture : frame.written) texture->set_last_writer(writer_->id());
  return {};
}

// What comes before the guest's work, the work that it has submitted, and at the frame's end the last timestamp. At the end it need not
// be sent at once and may go with other nodes' work; under a supervisor it is, so that a driver that hangs has one node's work in hand.
// Not at the end it is because the guest's queue does something at once (a write, a map); then what need not come before that waits.
void PluginNode::Send(Frame& frame, bool last) {
  std::vector<WGPUCommandBuffer> pending;
  instance_->gpu().TakePending(pending);
  if (!last && pending.empty() && !frame.clears) return;
  std::vector<gpu::Owned<WGPUCommandBuffer>> owned = std::exchange(frame.prologue, {});
  frame.clears = false;
  for (WGPUCommandBuffer c : pending) owned.push_back(device_->Own(c));
  if (last) {
    if (auto mark = frame.span.Mark()) owned.push_back(std::move(mark));
  }
  std::vector<WGPUCommandBuffer> commands;
  for (const auto& c : owned) commands.push_back(c.get());
  if (commands.empty()) return;
  if (!last || context_.watch) return device_->Submit(commands);
  instance_->gpu().NoteKept(device_->SubmitLater(commands));
}

void PluginNode::Finish(std::unique_ptr<Frame> frame, Status outcome) {
  graph::Done<graph::FrameOutput> done = std::move(frame->done);
  graph::FrameOutput out;
  {
    CpuTimer timer(&cpu_ns_);
    {
      std::lock_guard lock(mutex_);
      under_way_ = nullptr;
    }
    if (instance_) {
      const bool alive = instance_->alive();
      if (frame->called) use_.NoteCall(std::chrono::steady_clock::now() - *frame->called);
      instance_->NoteUse(use_);
      gpu::ErrorCollector errors;
      const uint64_t index = frame->job.index;
      // Before it is sent: a driver that hangs or dies in the call is at this work already.
      if (context_.watch) context_.watch->Submitted(name_, index);
      // Also of a life that has just ended: the library never frees commands that were not sent, nor what they use. And the clears are
      // among them: without them the outputs would hold a neighbour's picture as if this node had written it.
      Send(*frame, true);
      if (context_.watch) {
        device_->OnSubmittedWorkDone([watch = context_.watch, name = name_, index](const Status&) { watch->Finished(name, index); });
      }
      frame->span.Finish();
      instance_->gpu().SetFlushHook(nullptr);
      instance_->gpu().RevokeFrame(frame->job.index);
      const auto quota = instance_->gpu().quota_failure();
      if (alive) {
        Status gpu_errors = instance_->TakeGpuErrors();
        if (outcome && !gpu_errors) outcome = std::move(gpu_errors);
        if (outcome) outcome = errors.ToStatus("submitting the frame's work");
        if (outcome) outcome = device_->CheckAlive();
      } else if (quota && !outcome && outcome.error().kind() == ErrorKind::GuestTrap) {
        // A trap on the way over a quota is told as what it is, so that it has the quota's exit code.
        outcome = Fail(ErrorKind::OutOfMemory, "{}", *quota);
      }
      if (!alive || quota) instance_.reset();  // a quota's failure is sticky: this life is over
    }
    if (outcome) {
      ++frames_;
      out.outputs = std::move(frame->outputs);
    }
    frame.reset();
  }
  if (!outcome) return done(std::move(outcome.error()).Context(fmt::format("plugin '{}'", file_->component.name())));
  done(std::move(out));
}

void PluginNode::Cancel() {
  std::lock_guard lock(mutex_);
  cancelled_ = true;
  if (under_way_) under_way_->Stop();
}

graph::NodeStats PluginNode::stats() const { return {frames_, cpu_ns_, spans_ ? spans_->total_ns() : std::nullopt, use_.Read()}; }

std::optional<host::VirtualGpu::Stats> PluginNode::gpu_stats() const {
  return instance_ ? std::optional(instance_->gpu().stats()) : std::nullopt;
}

}  // namespace weft::nodes
