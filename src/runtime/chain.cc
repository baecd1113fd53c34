// SPDX-License-Identifier: Apache-2.0
#include "runtime/chain.h"

#include <algorithm>
#include <condition_variable>
#include <filesystem>
#include <map>
#include <thread>

#include "base/fail.h"
#include "gpu/device.h"
#include "graph/scheduler.h"
#include "nodes/convert_node.h"
#include "nodes/factory.h"
#include "nodes/payload.h"
#include "nodes/textures.h"
#include "runtime/chain_nodes.h"

namespace weft::runtime {
namespace {

class PulledImage final : public Image {
 public:
  PulledImage(Ref<graph::Payload> payload, graph::FrameTime time, Ref<media::CpuFrame> cpu)
      : payload_(std::move(payload)), time_(std::move(time)), cpu_(std::move(cpu)) {}
  const graph::FrameTime& time() const override { return time_; }
  const media::CpuFrame* cpu() const override { return cpu_.get(); }
  const graph::TextureInfo* texture_info() const override { return cpu_ ? nullptr : &texture_payload().texture_info(); }
  WGPUTexture texture() const override { return cpu_ ? nullptr : texture_payload().native(); }

 private:
  const nodes::TexturePayload& texture_payload() const { return static_cast<const nodes::TexturePayload&>(*payload_); }
  Ref<graph::Payload> payload_;  // null with cpu_
  graph::FrameTime time_;
  Ref<media::CpuFrame> cpu_;
};

}  // namespace

struct Chain::State {
  // One Assembly's life: as long as the pushed frames keep their size and format.
  struct Round {
    graph::PortInfo frame;
    PushNode* push = nullptr;  // the scheduler's
    std::unique_ptr<graph::Scheduler> scheduler;
    uint64_t pushed = 0;
    std::jthread thread;
  };

  // Hands out the ends of one round and wrappers of the plugins.
  class RoundFactory final : public graph::NodeFactory {
   public:
    RoundFactory(State& state, std::unique_ptr<PushNode> push) : state_(state), push_(std::move(push)) {}
    Result<std::unique_ptr<graph::Node>> Make(const graph::NodeSpec& spec) override {
      if (spec.kind == "push") return std::unique_ptr<graph::Node>(std::move(push_));
      if (spec.kind == "pull") return std::unique_ptr<graph::Node>(new PullNode(state_.results, state_.device));
      return std::unique_ptr<graph::Node>(new BorrowedNode(*state_.plugins.at(spec.id)));
    }
    Result<std::unique_ptr<graph::Node>> MakeConversion(const graph::PortInfo& from, const graph::PortInfo& to) override {
      return state_.factory.MakeConversion(from, to);
    }

   private:
    State& state_;
    std::unique_ptr<PushNode> push_;
  };

  State(Ref<Runtime> r, ChainOptions o)
      : runtime(std::move(r)), options(std::move(o)), context(runtime->NodesContext()), factory(context) {}

  const Ref<Runtime> runtime;
  const ChainOptions options;
  const nodes::NodeContext context;
  nodes::Factory factory;
  Ref<gpu::Device> device;  // since the first round
  std::map<std::string, std::unique_ptr<graph::Node>> plugins;
  ResultQueue results;

  std::mutex mutex;  // guards what follows
  std::condition_variable room;
  graph::Document document;  // with today's parameters
  std::unique_ptr<Round> round;
  uint64_t pushed = 0, pulled = 0;

  ~State() { EndRound(/*cancel=*/true); }

  // Waits until the round's frames are made (or given up).
  void EndRound(bool cancel) {
    if (!round) return;
    if (cancel) {
      round->scheduler->Cancel();
    } else {
      round->push->End();
    }
    round->thread.join();
    round = nullptr;
  }

  Status BeginRound(const graph::PortInfo& frame) {
    EndRound(false);
    WEFT_TRY_ASSIGN(device, runtime->Device());
    graph::SourceInfo source;
    media::FrameInfo& info = source.stream.frame;
    if (auto* cpu = std::get_if<media::FrameInfo>(&frame)) {
      info = *cpu;
    } else {
      const auto& texture = std::get<graph::TextureInfo>(frame);
      info.width = static_cast<int>(texture.width);
      info.height = static_cast<int>(texture.height);
      info.color = texture.color;
      info.alpha = texture.alpha;
    }
    source.stream.constant_rate = options.rate.num > 0;
    if (options.rate.num > 0) source.stream.rate = options.rate;
    auto made = std::make_unique<Round>();
    made->frame = frame;
    auto push = std::make_unique<PushNode>(frame, std::move(source));
    made->push = push.get();
    RoundFactory nodes(*this, std::move(push));
    graph::AssembleOptions assemble;
    assemble.work_format = options.work_format;
    WEFT_TRY_ASSIGN(graph::Assembly assembly, graph::Assemble(document, nodes, assemble));
    graph::ScheduleOptions schedule;
    schedule.in_flight = options.queue_depth;
    schedule.keep_going = true;
    schedule.idle = [device = device] { device->SendIfIdle(); };
    made->scheduler = std::make_unique<graph::Scheduler>(std::move(assembly), schedule, nullptr);
    made->thread = std::jthread([scheduler = made->scheduler.get()] {
      // Frames that fail say so to the sink; a round itself ends early only when it is cancelled, and then nobody pulls any more.
      auto report = scheduler->Run();
      (void)report;
    });
    round = std::move(made);
    return {};
  }

  Status Push(Ref<graph::Payload> payload, graph::FrameTime time) {
    std::unique_lock lock(mutex);
    room.wait(lock, [&] { return pushed - pulled < static_cast<uint64_t>(options.queue_depth); });
    if (!round || round->frame != payload->info()) WEFT_TRY(BeginRound(payload->info()));
    round->push->Push(std::move(payload), std::move(time));
    ++round->pushed;
    ++pushed;
    return {};
  }

  Result<ResultQueue::Frame> Take() {
    {
      std::lock_guard lock(mutex);
      if (pushed == pulled) return Fail(ErrorKind::InvalidArgument, "no frame is under way: push one before each pull");
    }
    auto frame = results.Take();
    std::lock_guard lock(mutex);
    ++pulled;
    room.notify_all();
    return frame;
  }
};

Chain::Chain(std::unique_ptr<State> state) : state_(std::move(state)) {}
Chain::~Chain() = default;

Result<Ref<Chain>> Chain::Create(Ref<Runtime> runtime, const ChainOptions& options) {
  if (runtime->options().supervised) {
    return Fail(ErrorKind::InvalidArgument, "a chain runs in this process, but the runtime is a supervised one; ask for in-process mode");
  }
  if (options.nodes.empty()) return Fail(ErrorKind::InvalidArgument, "a chain needs at least one plugin");
  if (options.queue_depth < 1)
    return Fail(ErrorKind::InvalidArgument, "a chain's queue depth is {}; at least 1 is expected", options.queue_depth);
  auto state = std::make_unique<State>(std::move(runtime), options);
  graph::Document& doc = state->document;
  doc.nodes.push_back({"push", "push", "", {}});
  for (const ChainNode& node : options.nodes) {
    std::string id = node.id.empty() ? std::filesystem::path(node.path).stem().string() : node.id;
    const std::string base = id;
    for (int n = 2; node.id.empty() && doc.Find(id); ++n) id = fmt::format("{}-{}", base, n);
    if (doc.Find(id) || id.empty() || id == "pull") {
      return Fail(ErrorKind::InvalidArgument, "'{}' cannot be a node's id here: it is empty or taken", id);
    }
    graph::NodeSpec spec{id, "plugin", node.path, {}};
    auto made = state->factory.Make(spec);
    if (!made) return std::move(made.error()).Context(fmt::format("node '{}'", id));
    state->plugins[id] = std::move(*made);
    doc.edges.push_back({{doc.nodes.back().id, ""}, {id, ""}, false});
    doc.nodes.push_back(std::move(spec));
  }
  doc.edges.push_back({{doc.nodes.back().id, ""}, {"pull", ""}, false});
  doc.nodes.push_back({"pull", "pull", "", {}});
  return Ref<Chain>::Acquire(new Chain(std::move(state)));
}

Status Chain::Set(const std::string& node, const std::string& parameter, const graph::Literal& value) {
  State& s = *state_;
  std::vector<std::string> ids;
  for (const auto& [id, plugin] : s.plugins) ids.push_back(id);
  auto plugin = s.plugins.find(node);
  if (plugin == s.plugins.end()) {
    const std::string near = graph::NearestName(node, ids);
    return Fail(ErrorKind::NotFound, "there is no node '{}' in the chain{}", node,
                near.empty() ? "" : fmt::format("; did you mean '{}'?", near));
  }
  const auto& specs = plugin->second->description().parameters;
  auto spec = std::ranges::find(specs, parameter, &graph::ParamSpec::id);
  if (spec == specs.end()) {
    std::vector<std::string> names;
    for (const auto& p : specs) names.push_back(p.id);
    const std::string near = graph::NearestName(parameter, names);
    return Fail(ErrorKind::NotFound, "node '{}' has no parameter '{}'{}", node, parameter,
                near.empty() ? "" : fmt::format("; did you mean '{}'?", near));
  }
  if (auto typed = graph::TypedValue(*spec, value); !typed) return std::move(typed.error()).Context(fmt::format("node '{}'", node));
  std::lock_guard lock(s.mutex);
  auto in_document = std::ranges::find(s.document.nodes, node, &graph::NodeSpec::id);
  std::erase_if(in_document->settings, [&](const graph::Setting& set) { return set.name == parameter; });
  in_document->settings.push_back({parameter, value, std::nullopt});
  if (s.round) return s.round->scheduler->SetParameter(node, parameter, value, s.round->pushed);
  return {};
}

Status Chain::Push(Ref<media::CpuFrame> frame, graph::FrameTime time) {
  return state_->Push(MakeRef<nodes::PicturePayload>(std::move(frame)), std::move(time));
}

Status Chain::PushTexture(WGPUTexture texture, media::ColorSpace color, media::AlphaMode alpha, graph::FrameTime time) {
  WEFT_TRY_ASSIGN(auto device, state_->runtime->Device());
  const gpu::Procs& wgpu = device->procs();
  graph::TextureInfo info;
  info.width = wgpu.TextureGetWidth(texture);
  info.height = wgpu.TextureGetHeight(texture);
  info.format = gpu::FormatName(wgpu.TextureGetFormat(texture));
  info.color = color;
  info.alpha = alpha;
  const WGPUTextureUsage need = WGPUTextureUsage_TextureBinding | WGPUTextureUsage_CopySrc;
  if ((wgpu.TextureGetUsage(texture) & need) != need) {
    return Fail(ErrorKind::InvalidArgument, "the pushed texture lacks a usage; TextureBinding and CopySrc are needed");
  }
  wgpu.TextureAddRef(texture);
  return state_->Push(MakeRef<nodes::TexturePayload>(device->Own(texture), std::move(info)), std::move(time));
}

Result<Ref<Image>> Chain::Pull(media::PixelFormat format, media::AlphaMode alpha) {
  WEFT_TRY_ASSIGN(auto frame, state_->Take());
  const auto& texture = static_cast<const nodes::TexturePayload&>(*frame.payload);
  const graph::TextureInfo& info = texture.texture_info();
  media::FrameInfo want;
  want.width = static_cast<int>(info.width);
  want.height = static_cast<int>(info.height);
  want.format = format;
  want.color = info.color;
  want.alpha = alpha;
  want.pixel_aspect = info.pixel_aspect;
  WEFT_TRY_ASSIGN(auto device, state_->runtime->Device());
  WEFT_TRY_ASSIGN(auto converter, state_->runtime->Converter());
  WEFT_TRY_ASSIGN(auto pool, nodes::AsPoolTexture(*device, texture));
  WEFT_TRY_ASSIGN(auto cpu, converter->DownloadNow(*pool, nodes::WorkOf(info), want));
  return Ref<Image>(MakeRef<PulledImage>(nullptr, std::move(frame.time), std::move(cpu)));
}

Result<Ref<Image>> Chain::PullTexture() {
  WEFT_TRY_ASSIGN(auto frame, state_->Take());
  return Ref<Image>(MakeRef<PulledImage>(std::move(frame.payload), std::move(frame.time), nullptr));
}

}  // namespace weft::runtime
