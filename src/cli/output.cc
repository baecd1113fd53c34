// SPDX-License-Identifier: Apache-2.0
#include "cli/output.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/json.h"
#include "cli/text.h"

namespace weft::cli {
namespace {

std::string Str(WeftStringView s) { return std::string(View(s)); }

// Columns as wide as their widest cell; all but the first and the last are right-aligned.
std::string Table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      if (i > 0) line += "  ";
      const bool left = i == 0 || i + 1 == widths.size();
      line += left ? fmt::format("{:<{}}", row[i], widths[i]) : fmt::format("{:>{}}", row[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += text.empty() ? line : "\n" + line;
  }
  return text;
}

std::string_view ValueKindName(const WeftParameter& p) {
  if (p.choiceCount > 0) return "choice";
  switch (p.defaultValue.kind) {
    case WeftValueKind_Boolean: return "boolean";
    case WeftValueKind_Integer: return "integer";
    case WeftValueKind_Number: return "number";
    case WeftValueKind_Text: return "text";
    case WeftValueKind_Vector: return View(p.look) == "color" ? "color" : "vector";
    case WeftValueKind_Color: return "color";
    case WeftValueKind_Bytes: return "bytes";
    default: return "unknown";
  }
}

// As the command line writes it.
std::string ValueText(const WeftValue& v) {
  switch (v.kind) {
    case WeftValueKind_Boolean: return v.boolean ? "true" : "false";
    case WeftValueKind_Integer: return fmt::format("{}", v.integer);
    case WeftValueKind_Number: return fmt::format("{}", v.number);
    case WeftValueKind_Text: return fmt::format("{}", View(v.text));
    case WeftValueKind_Vector:
    case WeftValueKind_Color: return fmt::format("({},{},{},{})", v.vector[0], v.vector[1], v.vector[2], v.vector[3]);
    case WeftValueKind_Bytes: return v.byteCount == 0 ? "none" : fmt::format("{} bytes", v.byteCount);
    default: return "";
  }
}

std::string ValueJson(const WeftValue& v) {
  switch (v.kind) {
    case WeftValueKind_Boolean: return Json(v.boolean != 0);
    case WeftValueKind_Integer: return Json(v.integer);
    case WeftValueKind_Number: return Json(v.number);
    case WeftValueKind_Text: return Json(View(v.text));
    case WeftValueKind_Vector:
    case WeftValueKind_Color: return JsonArray({Json(v.vector[0]), Json(v.vector[1]), Json(v.vector[2]), Json(v.vector[3])});
    case WeftValueKind_Bytes: return JsonObject({{"bytes", Json(uint64_t{v.byteCount})}});
    default: return "null";
  }
}

// One element for each of `items`, which a C array of `count` holds.
template <class T, class F>
std::string JsonList(const T* items, size_t count, F&& element) {
  std::vector<std::string> values;
  for (size_t i = 0; i < count; ++i) values.push_back(element(items[i]));
  return JsonArray(values);
}
std::string JsonText(const WeftStringView& text) { return Json(View(text)); }

std::string_view PortKindName(WeftPortKind kind) {
  return kind == WeftPortKind_Texture ? "texture" : kind == WeftPortKind_Buffer ? "buffer" : "data";
}

std::vector<std::string> PortRow(const WeftPort& port) {
  std::string notes = Str(port.formats);
  if (notes.empty() && port.kind == WeftPortKind_Texture) notes = "any format";
  if (port.optional) notes += ", optional";
  if (port.windowFirst != 0 || port.windowLast != 0) notes += fmt::format(", frames {} to {}", port.windowFirst, port.windowLast);
  return {fmt::format("  {}", View(port.id)), std::string(PortKindName(port.kind)), fmt::format("{}  {}", View(port.label), notes)};
}

std::string PortJson(const WeftPort& port) {
  return JsonObject({{"id", Json(View(port.id))},
                     {"label", Json(View(port.label))},
                     {"kind", Json(PortKindName(port.kind))},
                     {"optional", Json(port.optional != 0)},
                     {"formats", Json(View(port.formats))},
                     {"window", JsonArray({Json(int64_t{port.windowFirst}), Json(int64_t{port.windowLast})})}});
}

std::vector<std::string> ParameterRow(const WeftParameter& p) {
  std::string range;
  if (p.choiceCount > 0) {
    for (size_t i = 0; i < p.choiceCount; ++i) range += (i ? "|" : "") + Str(p.choices[i]);
  } else if (p.hasMinimum && p.hasMaximum) {
    range = fmt::format("{} to {}", p.minimum, p.maximum);
  } else if (p.hasMinimum) {
    range = fmt::format("from {}", p.minimum);
  } else if (p.hasMaximum) {
    range = fmt::format("up to {}", p.maximum);
  }
  std::string notes = Str(p.description.length ? p.description : p.label);
  if (!range.empty()) notes = range + (notes.empty() ? "" : ": " + notes);
  if (p.animatable) notes += " (animatable)";
  return {fmt::format("  {}", View(p.id)), std::string(ValueKindName(p)), ValueText(p.defaultValue), notes};
}

std::string ParameterJson(const WeftParameter& p) {
  std::vector<JsonMember> members = {{"id", Json(View(p.id))},
                                     {"label", Json(View(p.label))},
                                     {"description", Json(View(p.description))},
                                     {"group", Json(View(p.group))},
                                     {"look", Json(View(p.look))},
                                     {"type", Json(ValueKindName(p))},
                                     {"default", ValueJson(p.defaultValue)},
                                     {"animatable", Json(p.animatable != 0)}};
  if (p.hasMinimum) members.push_back({"minimum", Json(p.minimum)});
  if (p.hasMaximum) members.push_back({"maximum", Json(p.maximum)});
  if (p.choiceCount > 0) members.push_back({"choices", JsonList(p.choices, p.choiceCount, JsonText)});
  return JsonObject(members);
}

const WeftLimitInfo* LimitOf(WeftStringView name) {
  for (size_t i = 0; i < weftGetLimitCount(); ++i) {
    if (View(weftGetLimit(i)->name) == View(name)) return weftGetLimit(i);
  }
  return nullptr;
}
WeftLimitUnit UnitOf(WeftStringView name) {
  const WeftLimitInfo* info = LimitOf(name);
  return info ? info->unit : WeftLimitUnit_Count;
}

std::vector<std::string> LimitRow(const WeftLimit& limit) {
  const WeftLimitInfo* info = LimitOf(limit.name);
  return {fmt::format("  {}", View(limit.name)), limit.value ? LimitText(UnitOf(limit.name), limit.value) : "none",
          info ? Str(info->description) : ""};
}
std::string LimitJson(const WeftLimit& limit) {
  return JsonObject({{"name", Json(View(limit.name))}, {"value", limit.value ? Json(limit.value) : "null"}});
}
std::string UseJson(const WeftLimitUse& use) {
  return JsonObject({{"limit", Json(View(use.name))}, {"used", Json(use.used)}, {"most", use.limit ? Json(use.limit) : "null"}});
}

std::string_view AdapterTypeName(WeftAdapterType type) {
  switch (type) {
    case WeftAdapterType_Discrete: return "discrete";
    case WeftAdapterType_Integrated: return "integrated";
    case WeftAdapterType_Software: return "software";
    default: return "unknown";
  }
}

}  // namespace

std::string ReportText(const WeftReportInfo& report) {
  std::vector<std::vector<std::string>> rows = {{"node", "frames", "CPU", "a frame", "GPU", "a frame", ""}};
  for (size_t i = 0; i < report.nodeCount; ++i) {
    const WeftNodeReport& n = report.nodes[i];
    const uint64_t frames = std::max<uint64_t>(1, n.frames);
    std::vector<std::string> row = {Str(n.id), fmt::format("{}", n.frames), FormatTime(n.cpuNanoseconds),
                                    FormatTime(n.cpuNanoseconds / frames)};
    if (n.hasGpuTime) {
      row.insert(row.end(), {FormatTime(n.gpuNanoseconds), FormatTime(n.gpuNanoseconds / frames), ""});
    } else {
      row.insert(row.end(), {"-", "-", Str(n.gpuTimeReason)});
    }
    rows.push_back(std::move(row));
  }
  std::string text = Table(rows);
  const double seconds = static_cast<double>(report.elapsedNanoseconds) / 1e9;
  std::string files;
  for (size_t i = 0; i < report.fileCount; ++i) files += fmt::format("{}'{}'", i ? ", " : "", View(report.files[i]));
  text += fmt::format("\n{} {} in {}", report.frames, report.frames == 1 ? "frame" : "frames", FormatTime(report.elapsedNanoseconds));
  if (report.frames > 1 && seconds > 0) text += fmt::format(" ({:.1f} fps)", static_cast<double>(report.frames) / seconds);
  if (report.gpu.length > 0) text += fmt::format(" on {}", View(report.gpu));
  if (!files.empty()) text += ": wrote " + files;
  return text;
}

std::string ReportJson(const WeftReportInfo& report) {
  const auto node = [](const WeftNodeReport& n) {
    std::vector<JsonMember> members = {{"id", Json(View(n.id))},
                                       {"kind", Json(View(n.kind))},
                                       {"conversion", Json(n.conversion != 0)},
                                       {"frames", Json(n.frames)},
                                       {"cpu", Json(static_cast<double>(n.cpuNanoseconds) / 1e9)},
                                       {"gpu", n.hasGpuTime ? Json(static_cast<double>(n.gpuNanoseconds) / 1e9) : "null"}};
    if (!n.hasGpuTime) members.push_back({"gpuReason", Json(View(n.gpuTimeReason))});
    if (n.useCount > 0) members.push_back({"uses", JsonList(n.uses, n.useCount, UseJson)});
    return JsonObject(members);
  };
  return JsonObject({{"event", Json("done")},
                     {"frames", Json(report.frames)},
                     {"elapsed", Json(static_cast<double>(report.elapsedNanoseconds) / 1e9)},
                     {"gpu", Json(View(report.gpu))},
                     {"nodes", JsonList(report.nodes, report.nodeCount, node)},
                     {"files", JsonList(report.files, report.fileCount, JsonText)}});
}

std::string LimitText(WeftLimitUnit unit, uint64_t value) {
  if (unit == WeftLimitUnit_Nanoseconds) return FormatTime(value);
  if (unit == WeftLimitUnit_Count) return fmt::format("{}", value);
  constexpr std::string_view kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  size_t u = 0;
  double n = static_cast<double>(value);
  for (; n >= 1024 && u + 1 < std::size(kUnits); ++u) n /= 1024;
  return fmt::format("{:.4g} {}", n, kUnits[u]);
}

std::string UsesText(const WeftReportInfo& report) {
  std::vector<std::vector<std::string>> rows = {{"node", "limit", "most used", "of"}};
  for (size_t i = 0; i < report.nodeCount; ++i) {
    const WeftNodeReport& n = report.nodes[i];
    for (size_t u = 0; u < n.useCount; ++u) {
      const WeftLimitUse& use = n.uses[u];
      if (use.used == 0) continue;
      const WeftLimitUnit unit = UnitOf(use.name);
      rows.push_back({Str(n.id), Str(use.name), LimitText(unit, use.used), use.limit ? LimitText(unit, use.limit) : "no limit"});
    }
  }
  return rows.size() > 1 ? Table(rows) : std::string();
}

std::string PluginText(const WeftPluginInfo& p) {
  std::string text = fmt::format("{} {}", View(p.id), View(p.version));
  if (p.label.length > 0) text += fmt::format(": {}", View(p.label));
  if (p.description.length > 0) text += fmt::format("\n{}", View(p.description));
  text += fmt::format("\n\nfile    {}\nsha256  {}\nframes  {}", View(p.path), View(p.sha256), p.sequential ? "in order" : "in any order");
  const auto section = [&text](std::string_view title, std::vector<std::vector<std::string>> rows) {
    text += fmt::format("\n\n{}\n{}", title, rows.empty() ? "  none" : Table(rows));
  };
  std::vector<std::vector<std::string>> rows;
  for (size_t i = 0; i < p.inputCount; ++i) rows.push_back(PortRow(p.inputs[i]));
  section("inputs", std::move(rows));
  rows.clear();
  for (size_t i = 0; i < p.outputCount; ++i) rows.push_back(PortRow(p.outputs[i]));
  section("outputs", std::move(rows));
  rows.clear();
  for (size_t i = 0; i < p.parameterCount; ++i) rows.push_back(ParameterRow(p.parameters[i]));
  section("parameters", std::move(rows));
  rows.clear();
  for (size_t i = 0; i < p.importCount; ++i) rows.push_back({fmt::format("  {}", View(p.imports[i]))});
  section("imports", std::move(rows));
  rows.clear();
  for (size_t i = 0; i < p.limitCount; ++i) rows.push_back(LimitRow(p.limits[i]));
  section("limits", std::move(rows));
  if (p.bindings.length > 0) text += fmt::format("\n\nbindings\n{}", View(p.bindings));
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

std::string PluginJson(const WeftPluginInfo& p) {
  std::vector<JsonMember> members = {{"path", Json(View(p.path))},
                                     {"sha256", Json(View(p.sha256))},
                                     {"id", Json(View(p.id))},
                                     {"label", Json(View(p.label))},
                                     {"version", Json(View(p.version))},
                                     {"description", Json(View(p.description))},
                                     {"sequential", Json(p.sequential != 0)},
                                     {"inputs", JsonList(p.inputs, p.inputCount, PortJson)},
                                     {"outputs", JsonList(p.outputs, p.outputCount, PortJson)},
                                     {"parameters", JsonList(p.parameters, p.parameterCount, ParameterJson)},
                                     {"imports", JsonList(p.imports, p.importCount, JsonText)},
                                     {"limits", JsonList(p.limits, p.limitCount, LimitJson)}};
  if (p.bindings.length > 0) members.push_back({"bindings", Json(View(p.bindings))});
  return JsonObject(members);
}

std::string AdaptersText(const AdapterList& adapters) {
  std::vector<std::vector<std::string>> rows = {{"", "number", "type", "backend", "name"}};
  for (size_t i = 0; i < adapters.size(); ++i) {
    const WeftAdapterInfo& a = adapters[i];
    std::string name = Str(a.name);
    if (a.driver.length > 0) name += fmt::format(" ({})", View(a.driver));
    rows.push_back({a.chosen ? "*" : "", fmt::format("{}", i), std::string(AdapterTypeName(a.type)), Str(a.backend), name});
  }
  return Table(rows);
}

std::string AdaptersJson(const AdapterList& adapters) {
  std::vector<std::string> values;
  for (size_t i = 0; i < adapters.size(); ++i) {
    const WeftAdapterInfo& a = adapters[i];
    values.push_back(JsonObject({{"number", Json(uint64_t{i})},
                                 {"name", Json(View(a.name))},
                                 {"vendor", Json(View(a.vendor))},
                                 {"driver", Json(View(a.driver))},
                                 {"backend", Json(View(a.backend))},
                                 {"type", Json(AdapterTypeName(a.type))},
                                 {"chosen", Json(a.chosen != 0)}}));
  }
  return JsonArray(values);
}

std::string ErrorJson(std::string_view kind, int exit_code, std::string_view text) {
  return JsonObject({{"event", Json("error")}, {"kind", Json(kind)}, {"exit", Json(int64_t{exit_code})}, {"message", Json(text)}});
}
std::string ResultJson(std::string_view name, std::string_view wave) {
  return JsonObject({{"event", Json("result")}, {"invoke", Json(name)}, {"value", Json(wave)}});
}

}  // namespace weft::cli
