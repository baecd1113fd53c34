// SPDX-License-Identifier: Apache-2.0
#include "nodes/wgsl_plugin.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <set>

#include "base/fail.h"
#include "nodes/sha256.h"

namespace weft::nodes {
namespace {

using Json = nlohmann::ordered_json;

template <class... A>
Error Bad(fmt::format_string<A...> format, A&&... args) {
  return Error(ErrorKind::InvalidArgument, fmt::format(format, std::forward<A>(args)...));
}

bool IsKebab(std::string_view id) {
  if (id.empty() || !(id[0] >= 'a' && id[0] <= 'z') || id.ends_with('-')) return false;
  return std::ranges::all_of(id, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
}

std::string Snake(std::string_view id) {
  std::string out(id);
  std::ranges::replace(out, '-', '_');
  return out;
}

// One object of the file and where it stands, for messages.
class Object {
 public:
  static Result<Object> Of(const Json& json, std::string where, std::initializer_list<std::string_view> known) {
    if (!json.is_object()) return Bad("{} must be an object", where);
    for (const auto& [key, value] : json.items()) {
      if (std::ranges::find(known, std::string_view(key)) == known.end()) return Bad("{} has the unknown key '{}'", where, key);
    }
    return Object(json, std::move(where));
  }
  const std::string& where() const { return where_; }
  const Json* Find(const char* key) const {
    auto it = json_->find(key);
    return it == json_->end() ? nullptr : &*it;
  }
  Result<std::string> Text(const char* key, std::optional<std::string> otherwise = std::nullopt) const {
    const Json* j = Find(key);
    if (!j && otherwise) return *otherwise;
    if (!j) return Bad("{} lacks the key '{}'", where_, key);
    if (!j->is_string()) return Bad("{}, '{}' must be a string", where_, key);
    return j->get<std::string>();
  }
  Result<bool> Flag(const char* key, bool otherwise) const {
    const Json* j = Find(key);
    if (!j) return otherwise;
    if (!j->is_boolean()) return Bad("{}, '{}' must be true or false", where_, key);
    return j->get<bool>();
  }
  Result<std::optional<double>> Number(const char* key) const {
    const Json* j = Find(key);
    if (!j) return std::optional<double>();
    if (!j->is_number()) return Bad("{}, '{}' must be a number", where_, key);
    return std::optional(j->get<double>());
  }
  Result<std::vector<std::string>> Texts(const char* key) const {
    std::vector<std::string> out;
    const Json* j = Find(key);
    if (!j) return out;
    if (!j->is_array()) return Bad("{}, '{}' must be a list of strings", where_, key);
    for (const Json& item : *j) {
      if (!item.is_string()) return Bad("{}, '{}' must be a list of strings", where_, key);
      out.push_back(item.get<std::string>());
    }
    return out;
  }

 private:
  Object(const Json& json, std::string where) : json_(&json), where_(std::move(where)) {}
  const Json* json_;
  std::string where_;
};

Result<graph::PortSpec> TakePort(const Json& json, const std::string& where, bool input) {
  WEFT_TRY_ASSIGN(Object o, Object::Of(json, where, {"id", "label", "optional", "color", "alpha", "overwrites"}));
  graph::PortSpec port;
  WEFT_TRY_ASSIGN(port.id, o.Text("id"));
  WEFT_TRY_ASSIGN(port.label, o.Text("label", port.id));
  WEFT_TRY_ASSIGN(port.optional, o.Flag("optional", false));
  if (port.optional && !input) return Bad("{}: outputs are not optional", where);
  WEFT_TRY_ASSIGN(std::string color, o.Text("color", "linear"));
  if (color == "as-is")
    port.color = graph::ColorWant::AsIs;
  else if (color == "linear")
    port.color = graph::ColorWant::Linear;
  else if (color == "display")
    port.color = graph::ColorWant::Display;
  else
    return Bad("{}, 'color' is '{}'; as-is, linear or display is expected", where, color);
  WEFT_TRY_ASSIGN(std::string alpha, o.Text("alpha", ""));
  if (alpha == "opaque")
    port.alpha = media::AlphaMode::Opaque;
  else if (alpha == "straight")
    port.alpha = media::AlphaMode::Straight;
  else if (alpha == "premultiplied")
    port.alpha = media::AlphaMode::Premultiplied;
  else if (!alpha.empty())
    return Bad("{}, 'alpha' is '{}'; opaque, straight or premultiplied is expected", where, alpha);
  WEFT_TRY_ASSIGN(port.overwrites, o.Flag("overwrites", !input));
  if (input) port.formats = {"rgba16float", "rgba8unorm", "rgba32float"};
  return port;
}

Result<graph::Value> TakeDefault(const Object& o, const graph::ParamSpec& param) {
  const Json* j = o.Find("default");
  if (!j || !j->is_object() || j->size() != 1) {
    return Bad("{}, 'default' must be an object like {{\"number\": 0.5}}", o.where());
  }
  const std::string type = j->begin().key();
  const Json& v = j->begin().value();
  if (type == "number" && v.is_number()) return graph::Value(v.get<double>());
  if (type == "integer" && v.is_number_integer() && std::abs(v.get<double>()) < 2147483648.0) return graph::Value(v.get<int64_t>());
  if (type == "boolean" && v.is_boolean()) return graph::Value(v.get<bool>());
  if (type == "choice" && v.is_number_unsigned() && v.get<uint64_t>() < param.choices.size()) {
    return graph::Value(graph::Choice{v.get<uint32_t>()});
  }
  if (type == "vector" && v.is_array() && v.size() == 4 && std::ranges::all_of(v, [](const Json& n) { return n.is_number(); })) {
    return graph::Value(graph::Vec4{v[0].get<double>(), v[1].get<double>(), v[2].get<double>(), v[3].get<double>()});
  }
  return Bad("{}, 'default' is {}; a number, an integer, a boolean, a choice (place in 'choices') or a vector of four is expected",
             o.where(), j->dump());
}

Result<graph::ParamSpec> TakeParameter(const Json& json, const std::string& where) {
  WEFT_TRY_ASSIGN(Object o, Object::Of(json, where,
                                       {"id", "label", "description", "group", "look", "default", "minimum", "maximum", "step", "choices",
                                        "animatable"}));
  graph::ParamSpec p;
  WEFT_TRY_ASSIGN(p.id, o.Text("id"));
  if (!IsKebab(p.id)) return Bad("{}: '{}' is no kebab-case id", where, p.id);
  WEFT_TRY_ASSIGN(p.label, o.Text("label", p.id));
  WEFT_TRY_ASSIGN(p.description, o.Text("description", ""));
  WEFT_TRY_ASSIGN(p.group, o.Text("group", ""));
  WEFT_TRY_ASSIGN(p.look, o.Text("look", "plain"));
  static constexpr std::string_view kLooks[] = {"plain", "slider", "angle", "point", "size", "color", "hidden"};
  if (std::ranges::find(kLooks, std::string_view(p.look)) == std::end(kLooks))
    return Bad("{}, 'look' is '{}', which is none", where, p.look);
  WEFT_TRY_ASSIGN(p.choices, o.Texts("choices"));
  WEFT_TRY_ASSIGN(p.default_value, TakeDefault(o, p));
  WEFT_TRY_ASSIGN(p.minimum, o.Number("minimum"));
  WEFT_TRY_ASSIGN(p.maximum, o.Number("maximum"));
  WEFT_TRY_ASSIGN(p.step, o.Number("step"));
  WEFT_TRY_ASSIGN(p.animatable, o.Flag("animatable", true));
  return p;
}

Result<WgslPlugin::Intermediate> TakeIntermediate(const Json& json, const std::string& where) {
  WEFT_TRY_ASSIGN(Object o, Object::Of(json, where, {"id", "scale", "format"}));
  WgslPlugin::Intermediate m;
  WEFT_TRY_ASSIGN(m.id, o.Text("id"));
  WEFT_TRY_ASSIGN(m.format, o.Text("format", "work"));
  static constexpr std::string_view kFormats[] = {"rgba8unorm", "rgba16float", "rgba32float", "work"};
  if (std::ranges::find(kFormats, std::string_view(m.format)) == std::end(kFormats)) {
    return Bad("{}, 'format' is '{}'; rgba8unorm, rgba16float, rgba32float or work is expected", where, m.format);
  }
  if (const Json* scale = o.Find("scale")) {
    const bool pair = scale->is_array() && scale->size() == 2 && (*scale)[0].is_number() && (*scale)[1].is_number();
    if (!pair && !scale->is_number()) return Bad("{}, 'scale' must be a number or a pair of numbers", where);
    m.scale_x = pair ? (*scale)[0].get<double>() : scale->get<double>();
    m.scale_y = pair ? (*scale)[1].get<double>() : scale->get<double>();
    if (!(m.scale_x > 0 && m.scale_y > 0 && m.scale_x <= 16 && m.scale_y <= 16))
      return Bad("{}, 'scale' must be above 0 and at most 16", where);
  }
  return m;
}

Result<WgslPlugin::Pass> TakePass(const Json& json, const std::string& where, const WgslPlugin& plugin) {
  WEFT_TRY_ASSIGN(Object o, Object::Of(json, where, {"entry", "reads", "writes", "workgroup"}));
  WgslPlugin::Pass pass;
  WEFT_TRY_ASSIGN(pass.entry, o.Text("entry"));
  for (const char* key : {"reads", "writes"}) {
    const bool reads = key == std::string_view("reads");
    WEFT_TRY_ASSIGN(auto ids, o.Texts(key));
    for (const std::string& id : ids) {
      size_t texture = 0;
      while (texture < plugin.textures() && plugin.TextureId(texture) != id) ++texture;
      if (texture == plugin.textures()) return Bad("{}, '{}' names '{}', which is not declared", where, key, id);
      if (reads && plugin.IsOutput(texture)) return Bad("{} reads the output '{}'; use an intermediate", where, id);
      if (!reads && plugin.IsInput(texture)) return Bad("{} writes the input '{}'; inputs are only read", where, id);
      if (!reads && std::ranges::find(pass.reads, texture) != pass.reads.end())
        return Bad("{} reads and writes '{}'; a pass cannot do both", where, id);
      auto& list = reads ? pass.reads : pass.writes;
      if (std::ranges::find(list, texture) != list.end()) return Bad("{}, '{}' names '{}' twice", where, key, id);
      list.push_back(texture);
    }
  }
  if (pass.writes.empty()) return Bad("{} writes nothing", where);
  if (const Json* w = o.Find("workgroup")) {
    auto good = [](const Json& n) { return n.is_number_unsigned() && n.get<uint64_t>() >= 1 && n.get<uint64_t>() <= 1024; };
    if (!w->is_array() || w->size() != 2 || !good((*w)[0]) || !good((*w)[1]))
      return Bad("{}, 'workgroup' must be a pair of numbers from 1 to 1024", where);
    pass.workgroup_x = (*w)[0].get<uint32_t>();
    pass.workgroup_y = (*w)[1].get<uint32_t>();
  }
  return pass;
}

// Each item of the list under `key` through `take`.
template <class T, class Take>
Status TakeList(const Object& o, const char* key, std::vector<T>* out, Take take) {
  const Json* list = o.Find(key);
  if (!list) return {};
  if (!list->is_array()) return Bad("'{}' must be a list", key);
  for (size_t i = 0; i < list->size(); ++i) {
    WEFT_TRY_ASSIGN(T item, take((*list)[i], fmt::format("{}[{}]", key, i)));
    out->push_back(std::move(item));
  }
  return {};
}

std::string TypeInWgsl(const graph::Value& v) {
  switch (graph::TypeOf(v)) {
    case graph::ValueType::Number: return "f32";
    case graph::ValueType::Integer: return "i32";
    case graph::ValueType::Vector: return "vec4<f32>";
    default: return "u32";
  }
}

Result<std::string> ReadText(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return Fail(ErrorKind::NotFound, "the file '{}' cannot be opened", path);
  return std::string((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
}

}  // namespace

const std::string& WgslPlugin::TextureId(size_t t) const {
  if (t < inputs()) return description.inputs[t].id;
  if (t < inputs() + intermediates.size()) return intermediates[t - inputs()].id;
  return description.outputs[t - inputs() - intermediates.size()].id;
}

uint32_t WgslPlugin::WriteBinding(size_t t) const {
  if (IsOutput(t)) return static_cast<uint32_t>(1 + t);
  return static_cast<uint32_t>(1 + textures() + t - inputs());
}

WgslPlugin::Uniform WgslPlugin::UniformLayout() const {
  Uniform u;
  u.size = 20;  // size, frame, time, duration
  for (const graph::ParamSpec& p : description.parameters) {
    const uint32_t bytes = graph::TypeOf(p.default_value) == graph::ValueType::Vector ? 16 : 4;
    u.size = (u.size + bytes - 1) / bytes * bytes;
    u.offsets.push_back(u.size);
    u.size += bytes;
  }
  u.size = (u.size + 15) / 16 * 16;
  return u;
}

std::string WgslPlugin::Prelude(const std::vector<std::string>& formats) const {
  std::string out = "struct Weft {\n  size: vec2<u32>,\n  frame: u32,\n  time: f32,\n  duration: f32,\n";
  for (const graph::ParamSpec& p : description.parameters) out += fmt::format("  {}: {},\n", Snake(p.id), TypeInWgsl(p.default_value));
  out += "}\n@group(0) @binding(0) var<uniform> weft: Weft;\n";
  for (size_t t = 0; t < textures(); ++t) {
    if (IsOutput(t)) {
      out +=
          fmt::format("@group(0) @binding({}) var {}: texture_storage_2d<{}, write>;\n", WriteBinding(t), Snake(TextureId(t)), formats[t]);
      continue;
    }
    out += fmt::format("@group(0) @binding({}) var {}: texture_2d<f32>;\n", ReadBinding(t), Snake(TextureId(t)));
    if (!IsInput(t)) {
      out += fmt::format("@group(0) @binding({}) var {}_out: texture_storage_2d<{}, write>;\n", WriteBinding(t), Snake(TextureId(t)),
                         formats[t]);
    }
  }
  return out;
}

std::string WgslPlugin::BindingText() const {
  std::vector<std::string> formats;
  for (size_t t = 0; t < textures(); ++t) {
    const bool between = !IsInput(t) && !IsOutput(t);
    formats.push_back(between && intermediates[t - inputs()].format != "work" ? intermediates[t - inputs()].format : "rgba16float");
  }
  std::string out = Prelude(formats);
  for (size_t p = 0; p < passes.size(); ++p) {
    out += fmt::format("// pass {}: {}, workgroup {}x{}; bindings 0", p, passes[p].entry, passes[p].workgroup_x, passes[p].workgroup_y);
    for (size_t t : passes[p].reads) out += fmt::format(", {} {}", ReadBinding(t), Snake(TextureId(t)));
    for (size_t t : passes[p].writes) out += fmt::format(", {} {}{}", WriteBinding(t), Snake(TextureId(t)), IsOutput(t) ? "" : "_out");
    out += "\n";
  }
  return out;
}

bool IsWgslPlugin(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  return fs::path(path).filename() == "plugin.json" || fs::is_directory(path, ignored);
}

Result<WgslPlugin> ParseWgslPlugin(const std::string& text) {
  Json root = Json::parse(text, nullptr, false, true);
  if (root.is_discarded()) {
    std::string why = "it is not JSON";
    try {
      root = Json::parse(text, nullptr, true, true);
    } catch (const std::exception& e) {
      why = e.what();
      if (const size_t at = why.find("] "); at != std::string::npos) why = why.substr(at + 2);
    }
    return Bad("{}", why);
  }
  WEFT_TRY_ASSIGN(Object o, Object::Of(root, "the document",
                                       {"weft-wgsl", "id", "label", "version", "description", "inputs", "outputs", "parameters",
                                        "intermediates", "shader", "passes"}));
  if (const Json* version = o.Find("weft-wgsl"); !version || *version != 1)
    return Bad("\"weft-wgsl\": 1 is expected, the version of the format");
  WgslPlugin plugin;
  graph::Description& d = plugin.description;
  WEFT_TRY_ASSIGN(d.id, o.Text("id"));
  WEFT_TRY_ASSIGN(d.label, o.Text("label", d.id));
  WEFT_TRY_ASSIGN(d.version, o.Text("version", ""));
  WEFT_TRY_ASSIGN(d.description, o.Text("description", ""));
  WEFT_TRY_ASSIGN(plugin.shader_path, o.Text("shader"));
  if (plugin.shader_path.find('/') != std::string::npos)
    return Bad("'shader' is '{}'; the name of a file in the same folder is expected", plugin.shader_path);
  WEFT_TRY(TakeList(o, "inputs", &d.inputs, [](const Json& j, const std::string& where) { return TakePort(j, where, true); }));
  WEFT_TRY(TakeList(o, "outputs", &d.outputs, [](const Json& j, const std::string& where) { return TakePort(j, where, false); }));
  WEFT_TRY(TakeList(o, "parameters", &d.parameters, TakeParameter));
  WEFT_TRY(TakeList(o, "intermediates", &plugin.intermediates, TakeIntermediate));
  if (d.outputs.empty()) return Bad("'outputs' is missing or empty; at least one is expected");
  std::set<std::string> seen;
  for (size_t t = 0; t < plugin.textures(); ++t) {
    const std::string& id = plugin.TextureId(t);
    if (!IsKebab(id)) return Bad("'{}' is no kebab-case id", id);
    if (!seen.insert(id).second) return Bad("two of the inputs, outputs and intermediates have the id '{}'", id);
  }
  seen = {"size", "frame", "time", "duration"};
  for (const graph::ParamSpec& p : d.parameters) {
    if (!seen.insert(p.id).second) return Bad("a parameter cannot have the id '{}', which is taken", p.id);
  }
  WEFT_TRY(TakeList(o, "passes", &plugin.passes, [&](const Json& j, const std::string& where) { return TakePass(j, where, plugin); }));
  if (plugin.passes.empty()) return Bad("'passes' is missing or empty; at least one is expected");
  return plugin;
}

Result<std::shared_ptr<const WgslPlugin>> LoadWgslPlugin(const std::string& path) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(path).filename() == "plugin.json" ? fs::path(path).parent_path() : fs::path(path);
  const std::string json_path = (folder / "plugin.json").string();
  WEFT_TRY_ASSIGN(std::string json, ReadText(json_path));
  WEFT_TRY_ASSIGN(WgslPlugin plugin, ParseWgslPlugin(json).Context(fmt::format("plugin '{}'", json_path)));
  plugin.path = folder.string();
  plugin.shader_path = (folder / plugin.shader_path).string();
  WEFT_TRY_ASSIGN(plugin.shader, ReadText(plugin.shader_path).Context(fmt::format("plugin '{}', shader", json_path)));
  plugin.sha256 = Sha256(json + plugin.shader);
  return std::make_shared<const WgslPlugin>(std::move(plugin));
}

}  // namespace weft::nodes
