// SPDX-License-Identifier: Apache-2.0
// Document: a graph as data. Nodes by id, edges from port to port, parameters as written. Nothing here is checked against a plugin yet:
// that is check.h, which has the descriptions.
//
// JSON (with // comments):
//   {
//     "weft": 1,
//     "nodes": {
//       "in":   {"kind": "source", "path": "in.mp4"},
//       "blur": {"kind": "plugin", "path": "gaussian-blur.wasm", "parameters": {"radius": {"from": 0, "to": 64}}},
//       "out":  {"kind": "sink", "path": "out.mp4", "parameters": {"crf": 18}}
//     },
//     "edges": [["in", "blur.input"], ["blur", "out"]]
//   }
// An end without a port means the node's first free one. ["a", "b", "implied"]: gives way where b's inputs are bound otherwise
// (shorthand.h). Plain values; pure (no threads, files, GPU).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "graph/events.h"
#include "graph/literal.h"

namespace weft::graph {

struct NodeSpec {
  std::string id;
  std::string kind;  // "source", "window", "sink", "plugin", "resize"; what kinds there are is the factory's business, not the graph's
  std::string path;  // of plugins: the .wasm file or the folder; of sources and sinks: the file, "-" for stdin or stdout
  std::vector<Setting> settings;
  std::vector<SurfaceEvent> events;  // of windows, by frame

  // Gives frames by itself: what "#1" counts.
  bool is_input() const { return kind == "source" || kind == "window"; }
};

// "id" or "id.port".
struct EndPoint {
  std::string node;
  std::string port;  // empty: the node's first

  std::string ToString() const { return port.empty() ? node : node + "." + port; }
};

struct EdgeSpec {
  EndPoint from;
  EndPoint to;
  bool implied = false;
};

struct Document {
  std::vector<NodeSpec> nodes;  // in the order written, which is also the order of reports
  std::vector<EdgeSpec> edges;

  const NodeSpec* Find(std::string_view id) const;
};

// `name` is what messages call the text, a file name for example.
Result<Document> ParseDocument(std::string_view json, std::string_view name);
// Loaded bytes are written as base64, so that a document can cross to another process whole.
std::string ToJson(const Document& document);
Result<EndPoint> ParseEndPoint(std::string_view text);

// Replaces each File literal by the bytes that `read` answers.
using ReadFile = std::function<Result<std::vector<uint8_t>>(const std::string& path)>;
Status LoadFiles(Document* document, const ReadFile& read);

}  // namespace weft::graph
