// SPDX-License-Identifier: Apache-2.0
// Documents from and to JSON. The one place of the graph that sees nlohmann.
#include <nlohmann/json.hpp>

#include "base/fail.h"
#include "graph/document.h"
#include "graph/events_json.h"

namespace weft::graph {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string ToBase64(const std::vector<uint8_t>& bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t n = std::min<size_t>(3, bytes.size() - i);
    uint32_t v = 0;
    for (size_t k = 0; k < 3; ++k) v = v << 8 | (k < n ? bytes[i + k] : 0u);
    for (size_t k = 0; k < 4; ++k) out += k <= n ? kBase64[v >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

std::optional<std::vector<uint8_t>> FromBase64(std::string_view text) {
  if (text.size() % 4) return std::nullopt;
  std::vector<uint8_t> out;
  out.reserve(text.size() / 4 * 3);
  for (size_t i = 0; i < text.size(); i += 4) {
    uint32_t v = 0;
    size_t pads = 0;
    for (size_t k = 0; k < 4; ++k) {
      const char c = text[i + k];
      const size_t digit = c == '=' ? 0 : kBase64.find(c);
      if (c == '=') ++pads;
      if (digit == std::string_view::npos || (pads && c != '=')) return std::nullopt;
      v = v << 6 | static_cast<uint32_t>(digit);
    }
    if (pads > 2 || (pads && i + 4 != text.size())) return std::nullopt;
    for (size_t k = 0; k < 3 - pads; ++k) out.push_back(static_cast<uint8_t>(v >> (16 - 8 * k)));
  }
  return out;
}

// Answers what was found, for "expected a string, got a list".
std::string Found(const Json& j) {
  if (j.is_string()) return "a string";
  if (j.is_number()) return "a number";
  if (j.is_boolean()) return "true or false";
  if (j.is_array()) return "a list";
  if (j.is_object()) return "an object";
  return "null";
}

Result<std::string> TakeString(const Json& j, std::string_view where) {
  if (!j.is_string()) return Fail(ErrorKind::InvalidArgument, "{} must be a string, but is {}", where, Found(j));
  return j.get<std::string>();
}

Result<Literal> TakeLiteral(const Json& j, const std::string& where) {
  if (j.is_boolean()) return Literal::Word(j.get<bool>() ? "true" : "false");
  if (j.is_number()) return Literal::Number(j.get<double>());
  if (j.is_string()) {
    auto text = j.get<std::string>();
    if (text.starts_with('#') && text.size() > 4) return ParseLiteral(text);
    return Literal::Word(std::move(text));
  }
  if (j.is_array()) {
    std::array<double, 4> v{};
    if (j.empty() || j.size() > 4) return Fail(ErrorKind::InvalidArgument, "{} must have one to four numbers, but has {}", where, j.size());
    for (size_t i = 0; i < j.size(); ++i) {
      if (!j[i].is_number()) return Fail(ErrorKind::InvalidArgument, "{} must be a list of numbers, but holds {}", where, Found(j[i]));
      v[i] = j[i].get<double>();
    }
    return Literal::Vector(v, static_cast<int>(j.size()));
  }
  if (j.is_object() && j.size() == 1 && j.contains("file")) {
    WEFT_TRY_ASSIGN(auto path, TakeString(j["file"], where + ".file"));
    return Literal::File(std::move(path));
  }
  if (j.is_object() && j.size() == 1 && j.contains("text")) {
    WEFT_TRY_ASSIGN(auto text, TakeString(j["text"], where + ".text"));
    Literal l = Literal::Word(std::move(text));
    l.quoted = true;
    return l;
  }
  if (j.is_object() && j.size() == 1 && j.contains("base64")) {
    WEFT_TRY_ASSIGN(auto text, TakeString(j["base64"], where + ".base64"));
    auto bytes = FromBase64(text);
    if (!bytes) return Fail(ErrorKind::InvalidArgument, "{}.base64 is not base64", where);
    Literal l;
    l.kind = Literal::Kind::Bytes;
    l.bytes = std::make_shared<const std::vector<uint8_t>>(std::move(*bytes));
    return l;
  }
  return Fail(
      ErrorKind::InvalidArgument,
      "{} must be a number, a string, true or false, a list of numbers, {{\"file\": path}} or {{\"from\": a, \"to\": b}}, but is {}", where,
      Found(j));
}

Json PutLiteral(const Literal& l) {
  switch (l.kind) {
    case Literal::Kind::Number: return l.number;
    case Literal::Kind::Vector: {
      Json list = Json::array();
      for (int i = 0; i < l.count; ++i) list.push_back(l.vector[static_cast<size_t>(i)]);
      return list;
    }
    case Literal::Kind::File: return Json{{"file", l.text}};
    case Literal::Kind::Bytes: return Json{{"base64", ToBase64(*l.bytes)}};
    case Literal::Kind::Word: break;
  }
  return l.quoted ? Json{{"text", l.text}} : Json(l.text);
}

Result<NodeSpec> TakeNode(const std::string& id, const Json& j) {
  const std::string where = fmt::format("node '{}'", id);
  if (!j.is_object()) return Fail(ErrorKind::InvalidArgument, "{} must be an object, but is {}", where, Found(j));
  if (id.empty() || id.find_first_of(".#") != std::string::npos) {
    return Fail(ErrorKind::InvalidArgument, "'{}' cannot be a node's id: an id is not empty and has neither '.' nor '#'", id);
  }
  NodeSpec node;
  node.id = id;
  for (const auto& [key, value] : j.items()) {
    if (key == "kind") {
      WEFT_TRY_ASSIGN(node.kind, TakeString(value, where + ", kind"));
    } else if (key == "path") {
      WEFT_TRY_ASSIGN(node.path, TakeString(value, where + ", path"));
    } else if (key == "parameters") {
      if (!value.is_object()) return Fail(ErrorKind::InvalidArgument, "{}, parameters must be an object, but is {}", where, Found(value));
      for (const auto& [name, written] : value.items()) {
        const std::string what = fmt::format("{}, parameter '{}'", where, name);
        Setting setting;
        setting.name = name;
        if (written.is_object() && written.size() == 2 && written.contains("from") && written.contains("to")) {
          WEFT_TRY_ASSIGN(setting.from, TakeLiteral(written["from"], what));
          WEFT_TRY_ASSIGN(setting.to, TakeLiteral(written["to"], what));
        } else {
          WEFT_TRY_ASSIGN(setting.from, TakeLiteral(written, what));
        }
        node.settings.push_back(std::move(setting));
      }
    } else if (key == "events") {
      WEFT_TRY_ASSIGN(node.events, TakeEvents(value).Context(where + ", events"));
    } else {
      return Fail(ErrorKind::InvalidArgument, "{} has the unknown member '{}'; known are kind, path, parameters and events", where, key);
    }
  }
  if (node.kind.empty())
    return Fail(ErrorKind::InvalidArgument, "{} has no kind; \"source\", \"window\", \"plugin\", \"resize\" or \"sink\" is expected",
                where);
  return node;
}

}  // namespace

Result<Document> ParseDocument(std::string_view text, std::string_view name) {
  // The parser throws only from its error handler, which is off here; a second pass with it on finds the place.
  const Json root = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false, /*ignore_comments=*/true);
  auto fail = [&](Error e) { return std::move(e).Context(fmt::format("graph document '{}'", name)); };
  if (root.is_discarded()) {
    std::string why = "it is not JSON";
    try {
      why = Json::parse(text.begin(), text.end(), nullptr, true, true).type_name();
    } catch (const std::exception& e) {
      why = e.what();
      if (const size_t at = why.find("] "); at != std::string::npos) why = why.substr(at + 2);
    }
    return fail(Fail(ErrorKind::InvalidArgument, "{}", why));
  }
  if (!root.is_object()) return fail(Fail(ErrorKind::InvalidArgument, "the document must be an object, but is {}", Found(root)));
  if (!root.contains("weft") || root["weft"] != 1) {
    return fail(Fail(ErrorKind::InvalidArgument, "\"weft\": 1 is expected, the version of the document; this build knows no other"));
  }
  Document document;
  for (const auto& [key, value] : root.items()) {
    if (key == "weft") continue;
    if (key == "nodes") {
      if (!value.is_object())
        return fail(Fail(ErrorKind::InvalidArgument, "nodes must be an object of nodes by id, but is {}", Found(value)));
      for (const auto& [id, node] : value.items()) {
        auto spec = TakeNode(id, node);
        if (!spec) return fail(std::move(spec.error()));
        document.nodes.push_back(std::move(*spec));
      }
    } else if (key == "edges") {
      if (!value.is_array()) return fail(Fail(ErrorKind::InvalidArgument, "edges must be a list of [from, to], but is {}", Found(value)));
      for (const Json& edge : value) {
        const bool implied = edge.is_array() && edge.size() == 3 && edge[2] == "implied";
        if (!edge.is_array() || (edge.size() != 2 && !implied) || !edge[0].is_string() || !edge[1].is_string()) {
          return fail(Fail(ErrorKind::InvalidArgument, "edge {} must be a pair of strings like [\"in\", \"blur.input\"]", edge.dump()));
        }
        auto from = ParseEndPoint(edge[0].get<std::string>());
        if (!from) return fail(std::move(from.error()));
        auto to = ParseEndPoint(edge[1].get<std::string>());
        if (!to) return fail(std::move(to.error()));
        document.edges.push_back({std::move(*from), std::move(*to), implied});
      }
    } else {
      return fail(Fail(ErrorKind::InvalidArgument, "the document has the unknown member '{}'; known are weft, nodes and edges", key));
    }
  }
  return document;
}

std::string ToJson(const Document& document) {
  Json root;
  root["weft"] = 1;
  Json& nodes = root["nodes"] = Json::object();
  for (const NodeSpec& spec : document.nodes) {
    Json& node = nodes[spec.id] = Json{{"kind", spec.kind}};
    if (!spec.path.empty()) node["path"] = spec.path;
    if (!spec.events.empty()) node["events"] = PutEvents(spec.events);
    for (const Setting& s : spec.settings) {
      Json& at = node["parameters"][s.name];
      if (s.to) {
        at = Json{{"from", PutLiteral(s.from)}, {"to", PutLiteral(*s.to)}};
      } else {
        at = PutLiteral(s.from);
      }
    }
  }
  Json& edges = root["edges"] = Json::array();
  for (const EdgeSpec& e : document.edges) {
    Json edge = Json::array({e.from.ToString(), e.to.ToString()});
    if (e.implied) edge.push_back("implied");
    edges.push_back(std::move(edge));
  }
  return root.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace weft::graph
