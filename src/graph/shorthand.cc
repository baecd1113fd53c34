// SPDX-License-Identifier: Apache-2.0
#include "graph/shorthand.h"

#include <algorithm>

#include "base/fail.h"

namespace weft::graph {
namespace {

// "PATH[=binding | @id][:settings]": cuts at the first ':' and the last mark before it, outside quotes.
struct Argument {
  std::string path;
  std::string mark;  // what stands behind '=' or '@'
  std::string settings;
};

Result<Argument> Cut(std::string_view text, char mark) {
  Argument out;
  size_t colon = std::string_view::npos, at = std::string_view::npos;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (quoted) continue;
    if (text[i] == ':') {
      colon = i;
      break;
    }
    if (text[i] == mark) at = i;
  }
  if (quoted) return Fail(ErrorKind::InvalidArgument, "'{}' has a double quote without its partner", text);
  if (colon != std::string_view::npos) out.settings = std::string(text.substr(colon + 1));
  const std::string_view head = text.substr(0, colon);
  std::string_view path = head.substr(0, at);
  if (at != std::string_view::npos) out.mark = std::string(head.substr(at + 1));
  if (at != std::string_view::npos && out.mark.empty()) {
    return Fail(ErrorKind::InvalidArgument, "'{}' ends its name with '{}'; {} is expected behind it, or quotes around the name", text, mark,
                mark == '@' ? "a node id" : "id.port");
  }
  if (path.size() >= 2 && path.front() == '"' && path.back() == '"') path = path.substr(1, path.size() - 2);
  if (path.empty()) return Fail(ErrorKind::InvalidArgument, "'{}' names no file", text);
  out.path = std::string(path);
  return out;
}

Status AddSettings(std::string_view text, NodeSpec* node) {
  for (const std::string& part : SplitSettings(text)) {
    if (part.empty()) continue;
    WEFT_TRY_ASSIGN(Setting s, ParseSetting(part));
    const auto same = [&](const Setting& o) { return o.name == s.name; };
    if (std::ranges::any_of(node->settings, same)) return Fail(ErrorKind::InvalidArgument, "'{}' is set twice", s.name);
    node->settings.push_back(std::move(s));
  }
  return {};
}

// The file's name without folders and extension, with what an id must not hold replaced.
std::string Stem(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  if (const size_t slash = path.rfind('/'); slash != std::string_view::npos) path.remove_prefix(slash + 1);
  path = path.substr(0, path.find('.'));
  std::string id(path);
  for (char& c : id) {
    if (c == '.' || c == '#' || c == '=' || c == ':' || c == ',' || c == ' ') c = '-';
  }
  return id.empty() ? "plugin" : id;
}

}  // namespace

Result<Document> FromShorthand(const Shorthand& shorthand) {
  Document doc;
  if (shorthand.inputs.empty())
    return Fail(ErrorKind::InvalidArgument, "no INPUT is given; name at least one file to read, or - for stdin");
  if (shorthand.outputs.empty()) return Fail(ErrorKind::InvalidArgument, "no output is given; name one with -o FILE");
  for (size_t i = 0; i < shorthand.inputs.size(); ++i) {
    const std::string what = fmt::format("input '{}'", shorthand.inputs[i]);
    WEFT_TRY_ASSIGN(Argument cut, Cut(shorthand.inputs[i], '\0').Context(what));
    NodeSpec node{fmt::format("in{}", i + 1), cut.path.ends_with(".wasm") ? "window" : "source", cut.path, {}};
    if (auto ok = AddSettings(cut.settings, &node); !ok) return std::move(ok.error()).Context(what);
    doc.nodes.push_back(std::move(node));
  }
  std::string last = doc.nodes[0].id;
  for (const std::string& text : shorthand.plugins) {
    const std::string what = fmt::format("plugin '{}'", text);
    WEFT_TRY_ASSIGN(Argument cut, Cut(text, '@').Context(what));
    std::string id = cut.mark.empty() ? Stem(cut.path) : cut.mark;
    if (cut.mark.empty()) {
      const std::string base = id;
      for (int n = 2; doc.Find(id); ++n) id = fmt::format("{}-{}", base, n);
    } else if (doc.Find(id)) {
      return Fail(ErrorKind::InvalidArgument, "the id '{}' is given to two nodes; choose another behind '@'", id).Context(what);
    } else if (id.find_first_of(".#") != std::string::npos) {
      return Fail(ErrorKind::InvalidArgument, "'{}' cannot be a node's id: it has '.' or '#'", id).Context(what);
    }
    NodeSpec node{id, "plugin", cut.path, {}};
    if (auto ok = AddSettings(cut.settings, &node); !ok) return std::move(ok.error()).Context(what);
    doc.nodes.push_back(std::move(node));
    doc.edges.push_back({{last, ""}, {id, ""}, /*implied=*/true});
    last = id;
  }
  if (!shorthand.resize.empty()) {
    std::string id = "resize";
    for (int n = 2; doc.Find(id); ++n) id = fmt::format("resize-{}", n);
    doc.nodes.push_back({id, "resize", "", shorthand.resize});
    doc.edges.push_back({{last, ""}, {id, ""}, false});
    last = id;
  }
  for (size_t i = 0; i < shorthand.outputs.size(); ++i) {
    const std::string what = fmt::format("output '{}'", shorthand.outputs[i]);
    WEFT_TRY_ASSIGN(Argument cut, Cut(shorthand.outputs[i], '=').Context(what));
    NodeSpec node{fmt::format("out{}", i + 1), "sink", cut.path, {}};
    if (auto ok = AddSettings(cut.settings, &node); !ok) return std::move(ok.error()).Context(what);
    EndPoint from{last, ""};
    if (!cut.mark.empty()) {
      WEFT_TRY_ASSIGN(from, ParseEndPoint(cut.mark).Context(what));
    }
    doc.edges.push_back({from, {node.id, ""}, false});
    doc.nodes.push_back(std::move(node));
  }
  return doc;
}

}  // namespace weft::graph
