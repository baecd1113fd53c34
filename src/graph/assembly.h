// SPDX-License-Identifier: Apache-2.0
// Assembly: a document made ready to run: nodes made, checked against their descriptions, configured in order, conversions put in.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graph/check.h"
#include "graph/node.h"
#include "graph/plan.h"

namespace weft::graph {

struct AssembledNode {
  std::string id;  // of the document; of conversions "blur.input (convert)"
  std::unique_ptr<Node> node;
  bool conversion = false;
  std::vector<Animation> parameters;
  Project project;
  std::vector<std::pair<int, int>> windows;  // one for each input
};

// Nodes stand in an order in which each comes after all that it takes from.
struct Assembly {
  std::vector<AssembledNode> nodes;
  std::vector<Edge> edges;        // between `nodes`
  std::vector<PlannedEdge> plan;  // as the document's edges, for people
  std::optional<int64_t> frame_count;
};

struct AssembleOptions {
  std::string work_format = "rgba16float";
};

// Blocks until all nodes are configured. Reads files and compiles plugins through the factory.
Result<Assembly> Assemble(const Document& document, NodeFactory& factory, const AssembleOptions& options);

}  // namespace weft::graph
