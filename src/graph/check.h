// SPDX-License-Identifier: Apache-2.0
// Check: a Document against the descriptions of its nodes. Answers the graph with indices instead of names and with typed parameters, or
// one sentence that names node, port or parameter, what was expected and what was found.
//
// Three conveniences are settled here, because they need the descriptions: a setting whose name is an input port's binds that port (its
// value is "#1" for the first source, "id" or "id.port"); an edge that names no output means the first; one that names no input means the
// first required input that nothing else is bound to, and is left out where it is only implied and there is none. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graph/description.h"
#include "graph/document.h"

namespace weft::graph {

struct Edge {
  size_t from_node = 0, from_port = 0;
  size_t to_node = 0, to_port = 0;
  friend bool operator==(const Edge&, const Edge&) = default;
};

// A parameter over the run: constant, or a line from `from` at the first frame to `to` at the last.
struct Animation {
  Value from;
  std::optional<Value> to;

  bool animated() const { return to.has_value(); }
  // `position` 0 is the first frame, 1 the last.
  Value At(double position) const;
};

struct CheckedNode {
  std::vector<Animation> parameters;                             // one for each of the description's, defaults filled in
  std::vector<std::pair<std::string, Literal>> open_parameters;  // of nodes with open parameters, as written
};

struct CheckedGraph {
  std::vector<CheckedNode> nodes;  // as in the document
  std::vector<Edge> edges;         // by to_node, to_port
  std::vector<size_t> order;       // indices of nodes; each after all that it takes from
};

// `descriptions` stand in the order of the document's nodes.
Result<CheckedGraph> Check(const Document& document, std::span<const Description> descriptions);

// One written value as the parameter's type, range checked. Also for values that come while a graph runs.
Result<Value> TypedValue(const ParamSpec& param, const Literal& literal);

// The nearest of `names` to what was written, for "did you mean"; empty when none is near.
std::string NearestName(std::string_view written, std::span<const std::string> names);

}  // namespace weft::graph
