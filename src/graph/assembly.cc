// SPDX-License-Identifier: Apache-2.0
#include "graph/assembly.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>

#include "base/fail.h"

namespace weft::graph {
namespace {

// Waits for the one answer of a call that may come from another thread.
template <class T>
class Answer {
 public:
  Done<T> MakeDone() {
    return [this](Result<T> result) {
      std::lock_guard lock(mutex_);
      result_.emplace(std::move(result));
      arrived_.notify_all();  // under the lock: the waiter owns this object and may destroy it at once
    };
  }
  Result<T> Wait() {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [&] { return result_.has_value(); });
    return std::move(*result_);
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::optional<Result<T>> result_;
};

std::string NodeContext(const std::string& id) { return fmt::format("node '{}'", id); }

// Puts one document together; members are what the steps share.
class Assembler {
 public:
  Assembler(const Document& document, NodeFactory& factory, const AssembleOptions& options)
      : doc_(document), factory_(factory), options_(options) {}

  Result<Assembly> Run() {
    WEFT_TRY(MakeNodes());
    std::vector<Description> descriptions;
    for (const auto& node : nodes_) descriptions.push_back(node->description());
    WEFT_TRY_ASSIGN(checked_, Check(doc_, descriptions));
    WEFT_TRY(CountFrames());
    place_.resize(nodes_.size());
    source_of_.resize(nodes_.size());
    for (size_t n : checked_.order) {
      if (auto ok = Place(n); !ok) return std::move(ok.error()).Context(NodeContext(doc_.nodes[n].id));
    }
    return std::move(out_);
  }

 private:
  // A port of a node that stands in the assembly.
  struct Output {
    size_t node = 0, port = 0;
    bool operator<(const Output& o) const { return std::pair(node, port) < std::pair(o.node, o.port); }
  };

  Status MakeNodes() {
    for (const NodeSpec& spec : doc_.nodes) {
      auto node = factory_.Make(spec);
      if (!node) return std::move(node.error()).Context(NodeContext(spec.id));
      nodes_.push_back(std::move(*node));
    }
    return {};
  }

  // The longest source that is no still decides.
  Status CountFrames() {
    bool any = false, known = true;
    int64_t longest = 0;
    for (const auto& node : nodes_) {
      if (!node->is_source()) continue;
      if (!first_source_ && node->source_info()) first_source_ = *node->source_info();
      if (node->still()) continue;
      any = true;
      const SourceInfo* info = node->source_info();
      if (!info || !info->stream.frame_count) {
        known = false;
      } else {
        longest = std::max(longest, *info->stream.frame_count);
      }
    }
    if (std::ranges::none_of(nodes_, [](const auto& n) { return n->is_source(); })) {
      return Fail(ErrorKind::InvalidArgument, "the graph has no source, so there are no frames to make");
    }
    if (!any) {
      out_.frame_count = 1;
    } else if (known) {
      out_.frame_count = longest;
    }
    if (out_.frame_count) return {};
    for (size_t n = 0; n < nodes_.size(); ++n) {
      const auto& parameters = checked_.nodes[n].parameters;
      for (size_t p = 0; p < parameters.size(); ++p) {
        if (!parameters[p].animated()) continue;
        return Fail(
            ErrorKind::InvalidArgument,
            "node '{}': parameter '{}' runs from one value to another over the run, but how many frames there are is not known before "
            "the input's end; name the frames with --frames, or give one value",
            doc_.nodes[n].id, nodes_[n]->description().parameters[p].id);
      }
    }
    return {};
  }

  Project ProjectOf(const std::optional<SourceInfo>& source) const {
    Project project;
    project.frame.format = options_.work_format;
    project.frame_count = out_.frame_count;
    project.rate = {0, 1};
    const std::optional<SourceInfo>& s = source ? source : first_source_;
    project.source = s;
    if (s) {
      const media::FrameInfo& f = s->stream.frame;
      project.frame.width = static_cast<uint32_t>(f.width);
      project.frame.height = static_cast<uint32_t>(f.height);
      project.frame.color = f.color;
      project.frame.color.matrix = 0;
      project.frame.color.full_range = true;
      project.frame.alpha = f.alpha;
      project.frame.pixel_aspect = f.pixel_aspect;
      project.frame.origin = f.format;
      if (s->stream.constant_rate && !s->stream.still) project.rate = s->stream.rate;
    }
    return project;
  }

  Status Place(size_t n) {
    Node& node = *nodes_[n];
    const Description& desc = node.description();
    std::vector<Edge> incoming;
    for (const Edge& e : checked_.edges) {
      if (e.to_node == n) incoming.push_back(e);
    }
    if (node.is_source() && node.source_info()) {
      source_of_[n] = *node.source_info();
    } else if (!incoming.empty()) {
      // A clip goes before stills laid over it: its rate, sound and size are the run's.
      source_of_[n] = source_of_[incoming.front().from_node];
      for (const auto& edge : incoming) {
        const auto& source = source_of_[edge.from_node];
        if (source && !source->stream.still) {
          source_of_[n] = source;
          break;
        }
      }
    }
    ConfigureJob job;
    job.project = ProjectOf(source_of_[n]);
    job.inputs.resize(desc.inputs.size());
    std::vector<std::pair<Output, size_t>> feeds;  // (from, input port)
    for (const Edge& e : incoming) {
      const Output from{place_[e.from_node], e.from_port};
      const PortInfo offered = infos_.at(from);
      const std::string where = fmt::format("input '{}'", desc.inputs[e.to_port].id);
      WEFT_TRY_ASSIGN(PortInfo want, node.Want(e.to_port, offered, job.project).Context(where));
      PlannedEdge planned{doc_.nodes[e.from_node].id + "." + nodes_desc(e.from_node).outputs[e.from_port].id,
                          doc_.nodes[n].id + "." + desc.inputs[e.to_port].id, offered, want, NeedsConversion(offered, want)};
      Output feed = from;
      if (planned.converts) {
        WEFT_TRY_ASSIGN(feed, Convert(from, want, planned.to, job.project).Context(where));
      }
      job.inputs[e.to_port] = want;
      feeds.emplace_back(feed, e.to_port);
      out_.plan.push_back(std::move(planned));
    }
    job.connected_outputs.resize(desc.outputs.size());
    for (const Edge& e : checked_.edges) {
      if (e.from_node == n) job.connected_outputs[e.from_port] = true;
    }
    const auto& parameters = checked_.nodes[n].parameters;
    for (uint32_t p = 0; p < parameters.size(); ++p) job.changes.emplace_back(p, parameters[p].At(0));
    WEFT_TRY(Add(doc_.nodes[n].id, std::move(nodes_[n]), false, std::move(job), parameters));
    place_[n] = out_.nodes.size() - 1;
    for (const auto& [from, port] : feeds) out_.edges.push_back({from.node, from.port, place_[n], port});
    return {};
  }

  const Description& nodes_desc(size_t document_node) const { return out_.nodes[place_[document_node]].node->description(); }

  // Two consumers that want the same share one conversion.
  Result<Output> Convert(const Output& from, const PortInfo& want, const std::string& to, const Project& project) {
    for (const auto& [key, made] : conversions_) {
      if (key.first.node == from.node && key.first.port == from.port && !NeedsConversion(key.second, want)) return made;
    }
    const PortInfo offered = infos_.at(from);
    WEFT_TRY_ASSIGN(auto node, factory_.MakeConversion(offered, want));
    ConfigureJob job;
    job.project = project;
    job.inputs = {offered};
    job.connected_outputs = {true};
    WEFT_TRY(Add(to + " (convert)", std::move(node), true, std::move(job), {}));
    const Output made{out_.nodes.size() - 1, 0};
    out_.edges.push_back({from.node, from.port, made.node, 0});
    conversions_.push_back({{from, want}, made});
    return made;
  }

  Status Add(std::string id, std::unique_ptr<Node> node, bool conversion, ConfigureJob job, std::vector<Animation> parameters) {
    AssembledNode placed;
    placed.project = job.project;
    Answer<NodePlan> answer;
    node->Configure(std::move(job), answer.MakeDone());
    WEFT_TRY_ASSIGN(NodePlan plan, answer.Wait());
    const Description& desc = node->description();
    if (plan.outputs.size() != desc.outputs.size() || plan.windows.size() != desc.inputs.size()) {
      return Fail(ErrorKind::GuestTrap, "its plan has {} outputs and {} inputs, but it described {} and {}", plan.outputs.size(),
                  plan.windows.size(), desc.outputs.size(), desc.inputs.size());
    }
    for (size_t i = 0; i < plan.windows.size(); ++i) {
      const auto [first, last] = plan.windows[i];
      if (first > 0 || last < 0 || first < desc.inputs[i].window.first || last > desc.inputs[i].window.second) {
        return Fail(ErrorKind::GuestTrap, "its plan wants frames {} to {} of input '{}', but it described {} to {}", first, last,
                    desc.inputs[i].id, desc.inputs[i].window.first, desc.inputs[i].window.second);
      }
    }
    for (size_t i = 0; i < plan.outputs.size(); ++i) infos_[{out_.nodes.size(), i}] = plan.outputs[i];
    placed.id = std::move(id);
    placed.node = std::move(node);
    placed.conversion = conversion;
    placed.parameters = std::move(parameters);
    placed.windows = std::move(plan.windows);
    out_.nodes.push_back(std::move(placed));
    return {};
  }

  const Document& doc_;
  NodeFactory& factory_;
  const AssembleOptions& options_;
  std::vector<std::unique_ptr<Node>> nodes_;  // as in the document, until placed
  CheckedGraph checked_;
  Assembly out_;
  std::vector<size_t> place_;  // document's node -> assembly's
  std::vector<std::optional<SourceInfo>> source_of_;
  std::optional<SourceInfo> first_source_;
  std::map<Output, PortInfo> infos_;
  std::vector<std::pair<std::pair<Output, PortInfo>, Output>> conversions_;
};

}  // namespace

Result<Assembly> Assemble(const Document& document, NodeFactory& factory, const AssembleOptions& options) {
  return Assembler(document, factory, options).Run();
}

}  // namespace weft::graph
