// SPDX-License-Identifier: Apache-2.0
#include "nodes/factory.h"

#include "base/fail.h"
#include "nodes/convert_node.h"
#include "nodes/plugin_node.h"
#include "nodes/resize_node.h"
#include "nodes/sink_node.h"
#include "nodes/source_node.h"
#include "nodes/wgsl_node.h"
#include "nodes/window_node.h"

namespace weft::nodes {
namespace {

template <class T>
Result<std::unique_ptr<graph::Node>> AsNode(Result<std::unique_ptr<T>> made) {
  if (!made) return std::move(made.error());
  return std::unique_ptr<graph::Node>(std::move(*made));
}

}  // namespace

Result<std::unique_ptr<graph::Node>> Factory::Make(const graph::NodeSpec& spec) {
  if (spec.kind == "source") return AsNode(SourceNode::Open(context_, spec));
  if (spec.kind == "window") return AsNode(WindowNode::Open(context_, spec));
  if (spec.kind == "sink") return AsNode(SinkNode::Make(context_, spec));
  if (spec.kind == "resize") return std::unique_ptr<graph::Node>(new ResizeNode(context_));
  if (spec.kind == "plugin") return MakePlugin(spec);
  return Fail(ErrorKind::InvalidArgument, "'{}' is no kind of node; source, window, plugin, resize and sink are", spec.kind);
}

Result<std::unique_ptr<graph::Node>> Factory::MakePlugin(const graph::NodeSpec& spec) {
  const std::string path = context_.Path(spec.path);
  if (IsWgslPlugin(path)) return AsNode(WgslNode::Load(context_, path, spec.id));
  auto& file = plugins_[path];
  if (!file) {
    WEFT_TRY_ASSIGN(wasm::Engine * engine, context_.engine());
    WEFT_TRY_ASSIGN(file, LoadPlugin(*engine, context_.grants, context_.limits, path, context_.log));
  }
  return std::unique_ptr<graph::Node>(new PluginNode(context_, file, spec.id));
}

Result<std::unique_ptr<graph::Node>> Factory::MakeConversion(const graph::PortInfo& from, const graph::PortInfo& to) {
  return AsNode(ConvertNode::Make(context_, from, to));
}

}  // namespace weft::nodes
