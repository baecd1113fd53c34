// SPDX-License-Identifier: Apache-2.0
#include <deque>
#include <vector>

#include "capi/object.h"
#include "capi/value.h"
#include "nodes/limits.h"

struct WeftPluginImpl : weft::RefCounted {
  weft::runtime::PluginDetails details;  // what all views point to
  std::deque<std::string> strings;       // and those that are made here; a deque, since it never moves what it holds
  std::deque<std::vector<WeftStringView>> choices;
  std::vector<WeftPort> inputs, outputs;
  std::vector<WeftParameter> parameters;
  std::vector<WeftStringView> imports;
  std::vector<WeftLimit> limits;
  WeftPluginInfo info{};
};

namespace weft::capi {
namespace {

WeftStringView S(const std::string& s) { return Str(std::string_view(s)); }

WeftPort ToC(const graph::PortSpec& p, WeftPluginImpl* owner) {
  WeftPort port{};
  port.id = S(p.id);
  port.label = S(p.label);
  port.kind = p.kind == graph::PortKind::Buffer ? WeftPortKind_Buffer
              : p.kind == graph::PortKind::Data ? WeftPortKind_Data
                                                : WeftPortKind_Texture;
  port.optional = p.optional;
  std::string formats = p.media_type;
  for (const std::string& format : p.formats) formats += (formats.empty() ? "" : " ") + format;
  port.formats = S(owner->strings.emplace_back(std::move(formats)));
  port.windowFirst = p.window.first;
  port.windowLast = p.window.second;
  return port;
}

WeftParameter ToC(const graph::ParamSpec& p, WeftPluginImpl* owner) {
  WeftParameter parameter{};
  parameter.id = S(p.id);
  parameter.label = S(p.label);
  parameter.description = S(p.description);
  parameter.group = S(p.group);
  parameter.look = S(p.look);
  parameter.defaultValue = capi::ToC(p.default_value, p.choices);
  parameter.hasMinimum = p.minimum.has_value();
  parameter.hasMaximum = p.maximum.has_value();
  parameter.minimum = p.minimum.value_or(0);
  parameter.maximum = p.maximum.value_or(0);
  std::vector<WeftStringView>& choices = owner->choices.emplace_back();
  for (const std::string& choice : p.choices) choices.push_back(S(choice));
  parameter.choiceCount = choices.size();
  parameter.choices = choices.data();
  parameter.animatable = p.animatable;
  return parameter;
}

Ref<WeftPluginImpl> MakePlugin(runtime::PluginDetails details) {
  auto plugin = MakeRef<WeftPluginImpl>();
  plugin->details = std::move(details);
  const runtime::PluginDetails& d = plugin->details;
  for (const auto& port : d.description.inputs) plugin->inputs.push_back(ToC(port, plugin.get()));
  for (const auto& port : d.description.outputs) plugin->outputs.push_back(ToC(port, plugin.get()));
  for (const auto& parameter : d.description.parameters) plugin->parameters.push_back(ToC(parameter, plugin.get()));
  for (const auto& import : d.imports) plugin->imports.push_back(S(import));
  for (size_t i = 0; i < d.limits.size(); ++i) plugin->limits.push_back({Str(nodes::LimitRows()[i].name), d.limits[i]});
  plugin->info = {.path = S(d.path),
                  .sha256 = S(d.sha256),
                  .id = S(d.description.id),
                  .label = S(d.description.label),
                  .version = S(d.description.version),
                  .description = S(d.description.description),
                  .sequential = d.description.sequential,
                  .inputCount = plugin->inputs.size(),
                  .inputs = plugin->inputs.data(),
                  .outputCount = plugin->outputs.size(),
                  .outputs = plugin->outputs.data(),
                  .parameterCount = plugin->parameters.size(),
                  .parameters = plugin->parameters.data(),
                  .importCount = plugin->imports.size(),
                  .imports = plugin->imports.data(),
                  .limitCount = plugin->limits.size(),
                  .limits = plugin->limits.data(),
                  .bindings = S(d.bindings)};
  return plugin;
}

}  // namespace
}  // namespace weft::capi

using namespace weft;
using namespace weft::capi;

extern "C" {

WeftError* weftPluginOpen(WeftRuntime runtime, WeftStringView path, WeftPlugin* out) noexcept {
  return Enter([&]() -> Status {
    WEFT_CAPI_REQUIRE(runtime, "weftPluginOpen: runtime");
    WEFT_CAPI_REQUIRE(out, "weftPluginOpen: plugin");
    WEFT_TRY_ASSIGN(auto details, runtime->runtime->Inspect(capi::Str(path)));
    auto plugin = MakePlugin(std::move(details));
    plugin->AddRef();
    *out = plugin.get();
    return {};
  });
}
const WeftPluginInfo* weftPluginGetInfo(WeftPlugin plugin) noexcept { return &plugin->info; }
void weftPluginAddRef(WeftPlugin plugin) noexcept { plugin->AddRef(); }
void weftPluginRelease(WeftPlugin plugin) noexcept {
  if (plugin) plugin->Release();
}

}  // extern "C"
