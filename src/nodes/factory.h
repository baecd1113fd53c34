// SPDX-License-Identifier: Apache-2.0
// Factory: nodes by the kinds that documents name: source, window, sink, plugin, resize.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "graph/node.h"
#include "nodes/context.h"
#include "nodes/plugin_file.h"

namespace weft::nodes {

class Factory : public graph::NodeFactory {
 public:
  // `context` outlives the factory and its nodes.
  explicit Factory(const NodeContext& context) : context_(context) {}

  Result<std::unique_ptr<graph::Node>> Make(const graph::NodeSpec& spec) override;
  Result<std::unique_ptr<graph::Node>> MakeConversion(const graph::PortInfo& from, const graph::PortInfo& to) override;

 private:
  Result<std::unique_ptr<graph::Node>> MakePlugin(const graph::NodeSpec& spec);

  const NodeContext& context_;
  std::map<std::string, std::shared_ptr<const PluginFile>> plugins_;  // by path: one that stands in several nodes is compiled once
};

}  // namespace weft::nodes
