// SPDX-License-Identifier: Apache-2.0
#include "graph/check.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/fail.h"

namespace weft::graph {
namespace {

std::string List(std::span<const std::string> names) {
  std::string out;
  for (const std::string& n : names) out += (out.empty() ? "" : ", ") + n;
  return out.empty() ? "none" : out;
}

// "there is no X 'blr'; did you mean 'blur'?" or the list of what there is.
Error Unknown(std::string_view what, std::string_view written, std::span<const std::string> known) {
  const std::string near = NearestName(written, known);
  if (!near.empty()) return Fail(ErrorKind::NotFound, "there is no {} '{}'; did you mean '{}'?", what, written, near);
  return Fail(ErrorKind::NotFound, "there is no {} '{}'; there are: {}", what, written, List(known));
}

std::vector<std::string> Ids(const auto& things) {
  std::vector<std::string> out;
  for (const auto& t : things) out.push_back(t.id);
  return out;
}

std::string FoundText(const Literal& l) {
  switch (l.kind) {
    case Literal::Kind::Number: return fmt::format("the number {}", l.text);
    case Literal::Kind::Vector: return fmt::format("{}", l.text);
    case Literal::Kind::File: return fmt::format("the file '{}'", l.text);
    case Literal::Kind::Bytes: return "bytes";
    case Literal::Kind::Word: break;
  }
  return fmt::format("'{}'", l.text);
}

std::string RangeText(const ParamSpec& p) {
  if (p.minimum && p.maximum) return fmt::format("between {} and {}", *p.minimum, *p.maximum);
  if (p.minimum) return fmt::format("at least {}", *p.minimum);
  return fmt::format("at most {}", *p.maximum);
}

Status InRange(const ParamSpec& p, double v) {
  if ((p.minimum && v < *p.minimum) || (p.maximum && v > *p.maximum)) {
    return Fail(ErrorKind::InvalidArgument, "parameter '{}' is {}; it must be {}", p.id, v, RangeText(p));
  }
  return {};
}

Error Expected(const ParamSpec& p, std::string_view what, const Literal& found) {
  return Fail(ErrorKind::InvalidArgument, "parameter '{}' expects {}, but {} was given", p.id, what, FoundText(found));
}

Status TypesMatch(const PortSpec& from, const PortSpec& to) {
  auto is_image = [](PortKind k) { return k == PortKind::Texture || k == PortKind::Picture; };
  if (from.kind == to.kind || (is_image(from.kind) && is_image(to.kind))) {
    if (from.kind == PortKind::Data && from.media_type != to.media_type && !from.media_type.empty() && !to.media_type.empty()) {
      return Fail(ErrorKind::InvalidArgument, "it expects data of type {}, but gets {}", to.media_type, from.media_type);
    }
    return {};
  }
  return Fail(ErrorKind::InvalidArgument, "it expects a {}, but gets a {}", PortKindName(to.kind), PortKindName(from.kind));
}

// Works through one document; members are what the steps share.
class Checker {
 public:
  Checker(const Document& document, std::span<const Description> descriptions) : doc_(document), desc_(descriptions) {}

  Result<CheckedGraph> Run() {
    WEFT_TRY(CheckIds());
    out_.nodes.resize(doc_.nodes.size());
    for (size_t n = 0; n < doc_.nodes.size(); ++n) {
      if (auto ok = TakeSettings(n); !ok) return std::move(ok.error()).Context(fmt::format("node '{}'", doc_.nodes[n].id));
    }
    // Edges that name their port, and bindings, come first; those that mean "the first input" give way to them.
    for (const EdgeSpec& e : doc_.edges) {
      if (!e.to.port.empty()) WEFT_TRY(AddEdge(e));
    }
    for (const EdgeSpec& e : doc_.edges) {
      if (e.to.port.empty()) WEFT_TRY(AddEdge(e));
    }
    WEFT_TRY(CheckInputs());
    std::ranges::sort(out_.edges, {}, [](const Edge& e) { return std::pair(e.to_node, e.to_port); });
    WEFT_TRY(Order());
    return std::move(out_);
  }

 private:
  const std::string& Id(size_t node) const { return doc_.nodes[node].id; }

  Status CheckIds() {
    std::set<std::string> seen;
    for (const NodeSpec& node : doc_.nodes) {
      if (!seen.insert(node.id).second) return Fail(ErrorKind::InvalidArgument, "two nodes have the id '{}'; ids are given once", node.id);
    }
    if (doc_.nodes.empty()) return Fail(ErrorKind::InvalidArgument, "the graph has no nodes");
    return {};
  }

  Result<size_t> NodeIndex(const std::string& name) const {
    if (name.starts_with('#')) {
      std::vector<size_t> sources;
      for (size_t i = 0; i < doc_.nodes.size(); ++i) {
        if (doc_.nodes[i].is_input()) sources.push_back(i);
      }
      size_t number = 0;
      for (char c : name.substr(1)) number = c >= '0' && c <= '9' && number < 1000 ? number * 10 + static_cast<size_t>(c - '0') : 1001;
      if (name.size() < 2 || number < 1 || number > sources.size()) {
        return Fail(ErrorKind::NotFound, "there is no input {}; the inputs are numbered from #1, and {} {} given", name, sources.size(),
                    sources.size() == 1 ? "is" : "are");
      }
      return sources[number - 1];
    }
    for (size_t i = 0; i < doc_.nodes.size(); ++i) {
      if (doc_.nodes[i].id == name) return i;
    }
    return Unknown("node", name, Ids(doc_.nodes));
  }

  static Result<size_t> PortIndex(const std::vector<PortSpec>& ports, const EndPoint& end, std::string_view direction) {
    if (ports.empty()) return Fail(ErrorKind::InvalidArgument, "node '{}' has no {}", end.node, direction);
    if (end.port.empty()) return size_t{0};
    for (size_t i = 0; i < ports.size(); ++i) {
      if (ports[i].id == end.port) return i;
    }
    return Unknown(direction, end.port, Ids(ports)).Context(fmt::format("node '{}'", end.node));
  }

  Status TakeSettings(size_t n) {
    const NodeSpec& spec = doc_.nodes[n];
    const Description& desc = desc_[n];
    CheckedNode& node = out_.nodes[n];
    for (const ParamSpec& p : desc.parameters) node.parameters.push_back({p.default_value, std::nullopt});
    std::set<std::string> seen;
    for (const Setting& s : spec.settings) {
      if (!seen.insert(s.name).second) return Fail(ErrorKind::InvalidArgument, "'{}' is set twice", s.name);
      auto param = std::ranges::find(desc.parameters, s.name, &ParamSpec::id);
      if (param != desc.parameters.end()) {
        WEFT_TRY_ASSIGN(node.parameters[static_cast<size_t>(param - desc.parameters.begin())], TakeParameter(*param, s));
        continue;
      }
      auto port = std::ranges::find(desc.inputs, s.name, &PortSpec::id);
      if (port != desc.inputs.end()) {
        if (s.from.kind != Literal::Kind::Word || s.to) {
          return Fail(ErrorKind::InvalidArgument, "input '{}' expects the number of an input (#1) or a node's id, but {} was given", s.name,
                      FoundText(s.from));
        }
        WEFT_TRY_ASSIGN(EndPoint from, ParseEndPoint(s.from.text));
        WEFT_TRY(AddEdge({from, {spec.id, s.name}}));
        continue;
      }
      if (desc.open_parameters) {
        if (s.to) return Fail(ErrorKind::InvalidArgument, "'{}' cannot be a ramp here", s.name);
        node.open_parameters.emplace_back(s.name, s.from);
        continue;
      }
      std::vector<std::string> known = Ids(desc.parameters);
      for (const PortSpec& in : desc.inputs) known.push_back(in.id);
      return Unknown(desc.inputs.empty() ? "parameter" : "parameter or input", s.name, known);
    }
    return {};
  }

  static Result<Animation> TakeParameter(const ParamSpec& param, const Setting& s) {
    Animation a;
    WEFT_TRY_ASSIGN(a.from, TypedValue(param, s.from));
    if (!s.to) return a;
    const ValueType type = TypeOf(param.default_value);
    if (type != ValueType::Integer && type != ValueType::Number && type != ValueType::Vector) {
      return Fail(ErrorKind::InvalidArgument, "parameter '{}' is a {} and cannot run from one value to another", param.id,
                  ValueTypeName(type));
    }
    if (!param.animatable) {
      return Fail(ErrorKind::InvalidArgument, "parameter '{}' cannot change during a run; give it one value instead of a ramp", param.id);
    }
    WEFT_TRY_ASSIGN(a.to, TypedValue(param, *s.to));
    return a;
  }

  Status AddEdge(const EdgeSpec& spec) {
    const std::string where = fmt::format("edge {} -> {}", spec.from.ToString(), spec.to.ToString());
    Edge e;
    WEFT_TRY_ASSIGN(e.from_node, NodeIndex(spec.from.node).Context(where));
    WEFT_TRY_ASSIGN(e.to_node, NodeIndex(spec.to.node).Context(where));
    const Description &from = desc_[e.from_node], &to = desc_[e.to_node];
    WEFT_TRY_ASSIGN(e.from_port, PortIndex(from.outputs, {Id(e.from_node), spec.from.port}, "output").Context(where));
    if (spec.to.port.empty() && !to.inputs.empty()) {
      auto free = FreeInput(e.to_node, spec.implied);
      if (!free && spec.implied) return {};
      if (!free) {
        return Fail(ErrorKind::InvalidArgument, "all inputs of node '{}' are connected already; name the one that is meant, {}.port",
                    spec.to.node, spec.to.node)
            .Context(where);
      }
      e.to_port = *free;
    } else {
      WEFT_TRY_ASSIGN(e.to_port, PortIndex(to.inputs, {Id(e.to_node), spec.to.port}, "input").Context(where));
    }
    for (const Edge& other : out_.edges) {
      if (other.to_node != e.to_node || other.to_port != e.to_port) continue;
      if (other == e) return {};
      return Fail(ErrorKind::InvalidArgument, "node '{}', input '{}' is connected twice: to '{}' and to '{}'", Id(e.to_node),
                  to.inputs[e.to_port].id, Id(other.from_node), Id(e.from_node));
    }
    if (auto ok = TypesMatch(from.outputs[e.from_port], to.inputs[e.to_port]); !ok) {
      return std::move(ok.error())
          .Context(fmt::format("node '{}', input '{}', connected to '{}.{}'", Id(e.to_node), to.inputs[e.to_port].id, Id(e.from_node),
                               from.outputs[e.from_port].id));
    }
    out_.edges.push_back(e);
    return {};
  }

  // Where an edge goes that names no port: the first required input that is free, else (where it is the only edge, or meant so) an optional
  // one.
  std::optional<size_t> FreeInput(size_t node, bool implied) const {
    const auto& inputs = desc_[node].inputs;
    std::vector<bool> taken(inputs.size(), false);
    bool any = false;
    for (const Edge& e : out_.edges) {
      if (e.to_node == node) taken[e.to_port] = any = true;
    }
    for (size_t p = 0; p < inputs.size(); ++p) {
      if (!taken[p] && !inputs[p].optional) return p;
    }
    for (size_t p = 0; p < inputs.size() && !(implied && any); ++p) {
      if (!taken[p]) return p;
    }
    return std::nullopt;
  }

  Status CheckInputs() {
    for (size_t n = 0; n < doc_.nodes.size(); ++n) {
      const Description& desc = desc_[n];
      for (size_t p = 0; p < desc.inputs.size(); ++p) {
        if (desc.inputs[p].optional) continue;
        const bool connected = std::ranges::any_of(out_.edges, [&](const Edge& e) { return e.to_node == n && e.to_port == p; });
        if (connected) continue;
        const auto needed = std::ranges::count_if(desc.inputs, [](const PortSpec& in) { return !in.optional; });
        const auto given = std::ranges::count_if(out_.edges, [&](const Edge& e) { return e.to_node == n; });
        return Fail(
            ErrorKind::InvalidArgument,
            "node '{}' needs {} input{}, but {} connected: nothing is connected to '{}'; bind it to an input by number or to a node by "
            "id, {}=#1",
            Id(n), needed, needed == 1 ? "" : "s", given == 1 ? "1 is" : fmt::format("{} are", given), desc.inputs[p].id,
            desc.inputs[p].id);
      }
    }
    return {};
  }

  // Depth first, in document order; `path_` is for naming a loop.
  Status Order() {
    state_.assign(doc_.nodes.size(), State::New);
    for (size_t n = 0; n < doc_.nodes.size(); ++n) WEFT_TRY(Visit(n));
    return {};
  }

  Status Visit(size_t n) {
    if (state_[n] == State::Done) return {};
    path_.push_back(n);
    if (state_[n] == State::Open) {
      std::string loop;
      for (auto it = std::ranges::find(path_, n); it != path_.end(); ++it) loop += (loop.empty() ? "" : " <- ") + Id(*it);
      return Fail(ErrorKind::InvalidArgument, "the graph has a loop: {}; a node cannot wait for its own result", loop);
    }
    state_[n] = State::Open;
    for (const Edge& e : out_.edges) {
      if (e.to_node == n) WEFT_TRY(Visit(e.from_node));
    }
    state_[n] = State::Done;
    path_.pop_back();
    out_.order.push_back(n);
    return {};
  }

  enum class State { New, Open, Done };
  const Document& doc_;
  std::span<const Description> desc_;
  CheckedGraph out_;
  std::vector<State> state_;
  std::vector<size_t> path_;
};

}  // namespace

std::string_view ValueTypeName(ValueType type) {
  switch (type) {
    case ValueType::Boolean: return "boolean";
    case ValueType::Integer: return "integer";
    case ValueType::Number: return "number";
    case ValueType::Text: return "text";
    case ValueType::Choice: return "choice";
    case ValueType::Vector: return "vector";
    case ValueType::Bytes: return "file";
  }
  return "value";
}

std::string_view PortKindName(PortKind kind) {
  switch (kind) {
    case PortKind::Texture: return "texture";
    case PortKind::Picture: return "picture";
    case PortKind::Buffer: return "buffer";
    case PortKind::Data: return "data";
  }
  return "port";
}

Value Animation::At(double position) const {
  if (!to) return from;
  const double t = std::clamp(position, 0.0, 1.0);
  auto mix = [t](double a, double b) { return t >= 1 ? b : a + (b - a) * t; };
  if (auto* a = std::get_if<double>(&from)) return mix(*a, std::get<double>(*to));
  if (auto* a = std::get_if<int64_t>(&from)) {
    return static_cast<int64_t>(std::llround(mix(static_cast<double>(*a), static_cast<double>(std::get<int64_t>(*to)))));
  }
  if (auto* a = std::get_if<Vec4>(&from)) {
    const Vec4& b = std::get<Vec4>(*to);
    Vec4 v;
    for (size_t i = 0; i < 4; ++i) v[i] = mix((*a)[i], b[i]);
    return v;
  }
  return from;
}

Result<Value> TypedValue(const ParamSpec& param, const Literal& l) {
  using Kind = Literal::Kind;
  switch (TypeOf(param.default_value)) {
    case ValueType::Boolean:
      if (l.text == "true" || l.text == "yes" || l.text == "on" || (l.kind == Kind::Number && l.number == 1)) return Value(true);
      if (l.text == "false" || l.text == "no" || l.text == "off" || (l.kind == Kind::Number && l.number == 0)) return Value(false);
      return Expected(param, "true or false", l);
    case ValueType::Integer: {
      if (l.kind != Kind::Number || l.number != std::floor(l.number) || std::abs(l.number) > 9007199254740992.0) {
        return Expected(param, "a whole number", l);
      }
      WEFT_TRY(InRange(param, l.number));
      return Value(static_cast<int64_t>(l.number));
    }
    case ValueType::Number:
      if (l.kind != Kind::Number) return Expected(param, "a number", l);
      WEFT_TRY(InRange(param, l.number));
      return Value(l.number);
    case ValueType::Text:
      if (l.kind == Kind::File || l.kind == Kind::Bytes) return Expected(param, "text", l);
      return Value(l.text);
    case ValueType::Choice: {
      auto it = std::ranges::find(param.choices, l.text);
      if (it != param.choices.end() && (l.kind == Kind::Word || l.kind == Kind::Number)) {
        return Value(Choice{static_cast<uint32_t>(it - param.choices.begin())});
      }
      const std::string near = NearestName(l.text, param.choices);
      if (!near.empty()) {
        return Fail(ErrorKind::InvalidArgument, "parameter '{}' has no choice '{}'; did you mean '{}'?", param.id, l.text, near);
      }
      return Fail(ErrorKind::InvalidArgument, "parameter '{}' has no choice {}; its choices are: {}", param.id, FoundText(l),
                  List(param.choices));
    }
    case ValueType::Vector: {
      if (l.kind != Kind::Vector) {
        return Expected(param, param.look == "color" ? "a colour like #ff8000 or (1,0.5,0)" : "a point like (0.5,1)", l);
      }
      Vec4 v = l.vector;
      for (int i = 0; i < l.count; ++i) WEFT_TRY(InRange(param, v[static_cast<size_t>(i)]));
      if (param.look == "color" && l.count == 3) v[3] = 1;
      return Value(v);
    }
    case ValueType::Bytes:
      if (l.kind != Kind::Bytes || !l.bytes) return Expected(param, "a file's content, written @file", l);
      return Value(l.bytes);
  }
  return Fail(ErrorKind::Internal, "parameter '{}' has no type", param.id);
}

// Edits between two words: insert, drop, replace, swap two neighbours.
static size_t Distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

std::string NearestName(std::string_view written, std::span<const std::string> names) {
  if (written.size() > 100) return {};
  std::string best;
  size_t best_distance = std::max<size_t>(1, written.size() / 3) + 1;
  for (const std::string& name : names) {
    if (name.size() > 100) continue;
    if (const size_t distance = Distance(written, name); distance < best_distance) {
      best_distance = distance;
      best = name;
    }
  }
  return best;
}

Result<CheckedGraph> Check(const Document& document, std::span<const Description> descriptions) {
  WEFT_CHECK(document.nodes.size() == descriptions.size());
  return Checker(document, descriptions).Run();
}

}  // namespace weft::graph
