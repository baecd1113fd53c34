// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <vector>

#include "capi/object.h"
#include "capi/value.h"
#include "graph/shorthand.h"

struct WeftReportImpl : weft::RefCounted {
  weft::runtime::RunOutcome outcome;           // what all views point to
  std::deque<std::vector<WeftLimitUse>> uses;  // one for each node
  std::vector<WeftNodeReport> nodes;
  std::vector<WeftStringView> files;
  WeftReportInfo info{};
};

namespace weft::capi {
namespace {

Result<std::string> FitName(WeftFit fit) {
  switch (fit) {
    case WeftFit_Default:
    case WeftFit_Contain: return std::string("contain");
    case WeftFit_Cover: return std::string("cover");
    case WeftFit_Fill: return std::string("fill");
    default: return Fail(ErrorKind::InvalidArgument, "{} is not a WeftFit", static_cast<uint32_t>(fit));
  }
}

std::vector<graph::Setting> ResizeSettings(uint32_t width, uint32_t height, const std::string& fit) {
  return {
      {"width", graph::Literal::Number(width), {}}, {"height", graph::Literal::Number(height), {}}, {"fit", graph::Literal::Word(fit), {}}};
}

Status AddNode(WeftGraph graph, std::string kind, WeftStringView id_view, WeftStringView path, std::vector<graph::Setting> settings) {
  WEFT_CAPI_REQUIRE(graph, "the graph that a node is added to");
  const std::string id = Str(id_view);
  const auto good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  };
  if (id.empty() || !std::ranges::all_of(id, good)) {
    return Fail(ErrorKind::InvalidArgument, "'{}' cannot be the id of a node: ids are letters, digits, '-' and '_', at least one", id);
  }
  if (graph->document.Find(id)) return Fail(ErrorKind::InvalidArgument, "the graph has a node '{}' already: give each node its own id", id);
  graph->document.nodes.push_back({id, std::move(kind), Str(path), std::move(settings)});
  return {};
}

Result<std::vector<graph::Setting>> OptionsToSettings(size_t count, const WeftOption* options) {
  if (count > 0 && !options) return Fail(ErrorKind::InvalidArgument, "options is NULL but optionCount is {}", count);
  std::vector<graph::Setting> settings;
  for (size_t i = 0; i < count; ++i) {
    // As the command line reads it, so that crf=16 is a number and codec=ffv1 a word.
    WEFT_TRY_ASSIGN(auto literal, graph::ParseLiteral(View(options[i].value)));
    settings.push_back({Str(options[i].key), std::move(literal), {}});
  }
  return settings;
}

Result<graph::NodeSpec*> FindNode(WeftGraph graph, WeftStringView id) {
  for (graph::NodeSpec& node : graph->document.nodes) {
    if (node.id == View(id)) return &node;
  }
  return Fail(ErrorKind::NotFound, "the graph has no node '{}'", View(id));
}

void SetSetting(graph::NodeSpec* node, graph::Setting setting) {
  std::erase_if(node->settings, [&](const graph::Setting& s) { return s.name == setting.name; });
  node->settings.push_back(std::move(setting));
}

std::vector<std::string> Strings(size_t count, const WeftStringView* views) {
  std::vector<std::string> strings;
  for (size_t i = 0; views && i < count; ++i) strings.push_back(Str(views[i]));
  return strings;
}

void FillReport(WeftReportImpl* report) {
  const runtime::RunOutcome& o = report->outcome;
  for (const runtime::NodeOutcome& n : o.nodes) {
    std::vector<WeftLimitUse>& uses = report->uses.emplace_back();
    for (const graph::LimitUse& u : n.uses) uses.push_back({Str(std::string_view(u.limit)), u.used, u.most});
    report->nodes.push_back({.id = Str(std::string_view(n.id)),
                             .kind = Str(std::string_view(n.kind)),
                             .conversion = n.conversion,
                             .frames = n.frames,
                             .cpuNanoseconds = n.cpu_ns,
                             .hasGpuTime = n.gpu_ns.has_value(),
                             .gpuNanoseconds = n.gpu_ns.value_or(0),
                             .gpuTimeReason = Str(std::string_view(n.gpu_reason)),
                             .useCount = uses.size(),
                             .uses = uses.data()});
  }
  for (const std::string& file : o.files) report->files.push_back(Str(std::string_view(file)));
  report->info = {.frames = o.frames,
                  .elapsedNanoseconds = o.elapsed_ns,
                  .gpu = Str(std::string_view(o.gpu)),
                  .nodeCount = report->nodes.size(),
                  .nodes = report->nodes.data(),
                  .fileCount = report->files.size(),
                  .files = report->files.data()};
}

}  // namespace
}  // namespace weft::capi

using namespace weft;
using namespace weft::capi;

extern "C" {

WeftError* weftGraphCreate(WeftRuntime runtime, const WeftGraphDescriptor* descriptor, WeftGraph* out) noexcept {
  return Enter([&]() -> Status {
    WEFT_CAPI_REQUIRE(runtime, "weftGraphCreate: runtime");
    WEFT_CAPI_REQUIRE(out, "weftGraphCreate: graph");
    auto graph = MakeRef<WeftGraphImpl>(runtime->runtime);
    if (descriptor) {
      WEFT_TRY(RefuseChain(descriptor->nextInChain, "weftGraphCreate"));
      WEFT_TRY_ASSIGN(graph->work_format, WorkFormatName(descriptor->workFormat));
    }
    graph->AddRef();
    *out = graph.get();
    return {};
  });
}

WeftError* weftGraphCreateFromShorthand(WeftRuntime runtime, const WeftShorthand* shorthand, WeftGraph* out) noexcept {
  return Enter([&]() -> Status {
    WEFT_CAPI_REQUIRE(runtime, "weftGraphCreateFromShorthand: runtime");
    WEFT_CAPI_REQUIRE(shorthand, "weftGraphCreateFromShorthand: shorthand");
    WEFT_CAPI_REQUIRE(out, "weftGraphCreateFromShorthand: graph");
    WEFT_TRY(RefuseChain(shorthand->nextInChain, "weftGraphCreateFromShorthand"));
    graph::Shorthand s;
    s.inputs = Strings(shorthand->inputCount, shorthand->inputs);
    s.plugins = Strings(shorthand->pluginCount, shorthand->plugins);
    s.outputs = Strings(shorthand->outputCount, shorthand->outputs);
    if (shorthand->width > 0 || shorthand->height > 0) {
      WEFT_TRY_ASSIGN(const std::string fit, FitName(shorthand->fit));
      s.resize = ResizeSettings(shorthand->width, shorthand->height, fit);
    }
    auto graph = MakeRef<WeftGraphImpl>(runtime->runtime);
    WEFT_TRY_ASSIGN(graph->work_format, WorkFormatName(shorthand->workFormat));
    WEFT_TRY_ASSIGN(graph->document, graph::FromShorthand(s));
    graph->AddRef();
    *out = graph.get();
    return {};
  });
}

WeftError* weftGraphCreateFromJson(WeftRuntime runtime, WeftStringView json, WeftStringView folder, WeftGraph* out) noexcept {
  return Enter([&]() -> Status {
    WEFT_CAPI_REQUIRE(runtime, "weftGraphCreateFromJson: runtime");
    WEFT_CAPI_REQUIRE(out, "weftGraphCreateFromJson: graph");
    auto graph = MakeRef<WeftGraphImpl>(runtime->runtime);
    WEFT_TRY_ASSIGN(graph->document, graph::ParseDocument(View(json), "the graph document"));
    graph->folder = capi::Str(folder);
    graph->AddRef();
    *out = graph.get();
    return {};
  });
}

WeftError* weftGraphGetJson(WeftGraph graph, WeftString* out) noexcept {
  return Enter([&]() -> Status {
    WEFT_CAPI_REQUIRE(graph, "weftGraphGetJson: graph");
    WEFT_CAPI_REQUIRE(out, "weftGraphGetJson: json");
    *out = new WeftStringImpl(graph::ToJson(graph->document));
    return {};
  });
}
void weftGraphAddRef(WeftGraph graph) noexcept { graph->AddRef(); }
void weftGraphRelease(WeftGraph graph) noexcept {
  if (graph) graph->Release();
}

WeftError* weftGraphAddSource(WeftGraph graph, WeftStringView id, WeftStringView path, size_t count, const WeftOption* options) noexcept {
  return Enter([&]() -> Status {
    WEFT_TRY_ASSIGN(auto settings, OptionsToSettings(count, options));
    return AddNode(graph, "source", id, path, std::move(settings));
  });
}
WeftError* weftGraphAddPlugin(WeftGraph graph, WeftStringView id, WeftStringView path) noexcept {
  return Enter([&]() -> Status { return AddNode(graph, "plugin", id, path, {}); });
}
WeftError* weftGraphAddSink(WeftGraph graph, WeftStringView id, WeftStringView path, size_t count, const WeftOption* options) noexcept {
  return Enter([&]() -> Status {
    WEFT_TRY_ASSIGN(auto settings, OptionsToSettings(count, options));
    return AddNode(graph, "sink", id, path, std::move(settings));
  });
}
WeftError* weftGraphAddResize(WeftGraph graph, WeftStringView id, uint32_t width, uint32_t height, WeftFit fit) noexcept {
  return Enter([&]() -> Status {
    WEFT_TRY_ASSIGN(const std::string name, FitName(fit));
    return AddNode(graph, "resize", id, {}, ResizeSettings(width, height, name));
  });
}

WeftError* weftGraphBind(WeftGraph graph, WeftStringView to_node, WeftStringView to_port, WeftStringView from_node,
                         WeftStringView from_port) noexcept {
  return Enter([&]() -> Status {
    WEFT_CAPI_REQUIRE(graph, "weftGraphBind: graph");
    WEFT_TRY(FindNode(graph, to_node));
    WEFT_TRY(FindNode(graph, from_node));
    graph->document.edges.push_back({{capi::Str(from_node), capi::Str(from_port)}, {capi::Str(to_node), capi::Str(to_port)}});
    return {};
  });
}

WeftError* weftGraphSetParameter(WeftGraph graph, WeftStringView node_id, WeftStringView parameter, const WeftValue* value) noexcept {
  return Enter([&]() -> Status {
    WEFT_CAPI_REQUIRE(graph, "weftGraphSetParameter: graph");
    WEFT_TRY_ASSIGN(auto* node, FindNode(graph, node_id));
    WEFT_TRY_ASSIGN(auto literal, ToLiteral(value, "weftGraphSetParameter"));
    SetSetting(node, {capi::Str(parameter), std::move(literal), {}});
    return {};
  });
}
WeftError* weftGraphSetRamp(WeftGraph graph, WeftStringView node_id, WeftStringView parameter, const WeftValue* first,
                            const WeftValue* last) noexcept {
  return Enter([&]() -> Status {
    WEFT_CAPI_REQUIRE(graph, "weftGraphSetRamp: graph");
    WEFT_TRY_ASSIGN(auto* node, FindNode(graph, node_id));
    WEFT_TRY_ASSIGN(auto from, ToLiteral(first, "weftGraphSetRamp"));
    WEFT_TRY_ASSIGN(auto to, ToLiteral(last, "weftGraphSetRamp"));
    SetSetting(node, {capi::Str(parameter), std::move(from), std::move(to)});
    return {};
  });
}

WeftError* weftGraphRun(WeftGraph graph, const WeftRunDescriptor* descriptor, WeftReport* out) noexcept {
  return Enter([&]() -> Status {
    WEFT_CAPI_REQUIRE(graph, "weftGraphRun: graph");
    const WeftRunDescriptor d = descriptor ? *descriptor : WeftRunDescriptor{};
    WEFT_TRY(RefuseChain(d.nextInChain, "weftGraphRun"));
    runtime::RunOptions options;
    options.work_format = graph->work_format;
    options.folder = graph->folder;
    options.overwrite = d.overwrite != 0;
    if (!View(d.frames).empty()) {
      WEFT_TRY_ASSIGN(options.frames, media::ParseFrameRange(View(d.frames)));
    }
    if (d.progress) {
      options.progress = [&d](const runtime::Progress& p) {
        const WeftProgress progress = {.framesDone = p.frames_done, .framesTotal = p.frames_total, .elapsedNanoseconds = p.elapsed_ns};
        d.progress(&progress, d.progressUserdata);
      };
    }
    auto outcome = graph->runtime->Run(graph->document, options, *graph->cancel);
    graph->cancel->Reset();
    if (!outcome) return std::move(outcome.error());
    if (!out) return {};
    auto report = MakeRef<WeftReportImpl>();
    report->outcome = std::move(*outcome);
    FillReport(report.get());
    report->AddRef();
    *out = report.get();
    return {};
  });
}

void weftGraphCancel(WeftGraph graph) noexcept {
  // An exception here could only be memory; the token needs none.
  try {
    if (graph) graph->cancel->Cancel();
  } catch (...) {
  }
}

const WeftReportInfo* weftReportGetInfo(WeftReport report) noexcept { return &report->info; }
void weftReportAddRef(WeftReport report) noexcept { report->AddRef(); }
void weftReportRelease(WeftReport report) noexcept {
  if (report) report->Release();
}

}  // extern "C"
