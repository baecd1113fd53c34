// SPDX-License-Identifier: Apache-2.0
// PluginFile: a component that was compiled, checked against the world and the grants, and asked to describe itself. Needs no GPU.
#pragma once

#include <memory>
#include <string>

#include "base/log.h"
#include "base/result.h"
#include "graph/description.h"
#include "wasm/engine.h"
#include "wasm/gen/plugin_log.h"

namespace weft::nodes {

struct PluginFile {
  wasm::Component component;
  graph::Description description;
};

// Runs the plugin's start code and `describe` under `limits`, with a GPU that only traps.
Result<std::shared_ptr<const PluginFile>> LoadPlugin(wasm::Engine& engine, const wasm::Grants& grants, const wasm::Limits& limits,
                                                     const std::string& path, const Log& log);

// What a plugin writes to weft:plugin/log, with its name in front. At most 64 KiB; then one line says that the rest is dropped.
class PluginLog final : public wasm::plugin::LogHost {
 public:
  PluginLog(const Log& log, std::string name) : log_(log), name_(std::move(name)) {}
  Status OnWrite(wasm::plugin::Level level, wasm::Str message) override;

 private:
  const Log log_;
  const std::string name_;
  size_t left_ = 64 << 10;
  bool full_ = false;
};

}  // namespace weft::nodes
