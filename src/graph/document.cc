// SPDX-License-Identifier: Apache-2.0
#include "graph/document.h"

#include "base/fail.h"

namespace weft::graph {

const NodeSpec* Document::Find(std::string_view id) const {
  for (const NodeSpec& node : nodes) {
    if (node.id == id) return &node;
  }
  return nullptr;
}

Result<EndPoint> ParseEndPoint(std::string_view text) {
  const size_t dot = text.find('.');
  EndPoint end{std::string(text.substr(0, dot)), dot == std::string_view::npos ? "" : std::string(text.substr(dot + 1))};
  if (end.node.empty() || (dot != std::string_view::npos && end.port.empty())) {
    return Fail(ErrorKind::InvalidArgument, "'{}' names no node and port; write id or id.port", text);
  }
  return end;
}

Status LoadFiles(Document* document, const ReadFile& read) {
  for (NodeSpec& node : document->nodes) {
    for (Setting& setting : node.settings) {
      if (setting.from.kind != Literal::Kind::File) continue;
      auto bytes = read(setting.from.text);
      if (!bytes) return std::move(bytes.error()).Context(fmt::format("node '{}', parameter '{}'", node.id, setting.name));
      setting.from.kind = Literal::Kind::Bytes;
      setting.from.bytes = std::make_shared<const std::vector<uint8_t>>(std::move(*bytes));
    }
  }
  return {};
}

}  // namespace weft::graph
