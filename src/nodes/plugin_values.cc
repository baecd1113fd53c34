// SPDX-License-Identifier: Apache-2.0
#include "nodes/plugin_values.h"

#include <cmath>
#include <set>

#include "base/fail.h"

namespace weft::nodes {
namespace {

namespace wp = ::weft::wasm::plugin;
using graph::Value;

template <class... A>
Error Wrong(fmt::format_string<A...> format, A&&... args) {
  return Error(ErrorKind::GuestTrap, "its description is wrong: " + fmt::format(format, std::forward<A>(args)...));
}

Value FromContract(const wp::Value& v) {
  switch (v.tag) {
    case wp::Value::Tag::Boolean: return v.boolean;
    case wp::Value::Tag::Integer: return v.integer;
    case wp::Value::Tag::Number: return v.number;
    case wp::Value::Tag::Text: return std::string(v.text.view());
    case wp::Value::Tag::Choice: return graph::Choice{v.choice};
    case wp::Value::Tag::Vector: return graph::Vec4{v.vector.f0, v.vector.f1, v.vector.f2, v.vector.f3};
    case wp::Value::Tag::Bytes: return std::make_shared<const std::vector<uint8_t>>(v.bytes.begin(), v.bytes.end());
  }
  return 0.0;
}

std::optional<double> FromContract(const wasm::Opt<double>& v) { return v ? std::optional(*v) : std::nullopt; }

Result<graph::PortSpec> FromContract(const wp::Port& p, bool input) {
  graph::PortSpec port;
  port.id = p.id.view();
  port.label = p.label.view();
  if (port.id.empty() || port.id.find_first_of(".=:,# ") != std::string::npos) {
    return Wrong("'{}' cannot be a port's id; kebab-case is expected", port.id);
  }
  switch (p.kind.tag) {
    case wp::PortKind::Tag::Texture:
      port.kind = graph::PortKind::Texture;
      for (wp::GpuTextureFormat f : p.kind.texture) port.formats.emplace_back(ToString(f));
      break;
    case wp::PortKind::Tag::Buffer: port.kind = graph::PortKind::Buffer; break;
    case wp::PortKind::Tag::Data:
      port.kind = graph::PortKind::Data;
      port.media_type = p.kind.data.view();
      break;
  }
  port.optional = p.optional;
  port.color = static_cast<graph::ColorWant>(p.color);
  if (p.alpha) port.alpha = static_cast<media::AlphaMode>(*p.alpha);
  port.window = {p.window.f0, p.window.f1};
  if (input && (port.window.first > 0 || port.window.second < 0 || port.window.first < -64 || port.window.second > 64)) {
    return Wrong("input '{}' has a window from {} to {}; it must hold 0 and reach at most 64 frames either way", port.id, port.window.first,
                 port.window.second);
  }
  if (!input) port.window = {0, 0};
  port.ends = static_cast<graph::Ends>(p.ends);
  port.overwrites = p.overwrites;
  return port;
}

Result<graph::ParamSpec> FromContract(const wp::Parameter& p) {
  graph::ParamSpec param;
  param.id = p.id.view();
  if (param.id.empty() || param.id.find_first_of(".=:,# ") != std::string::npos) {
    return Wrong("'{}' cannot be a parameter's id; kebab-case is expected", param.id);
  }
  param.label = p.label.view();
  param.description = p.description.view();
  param.group = p.group.view();
  param.look = ToString(p.look);
  param.default_value = FromContract(p.default_);
  param.minimum = FromContract(p.minimum);
  param.maximum = FromContract(p.maximum);
  param.step = FromContract(p.step);
  for (wasm::Str c : p.choices) param.choices.emplace_back(c.view());
  param.animatable = p.animatable;
  param.reconfigures = p.reconfigures;
  if (param.minimum && param.maximum && !(*param.minimum <= *param.maximum)) {
    return Wrong("parameter '{}' has the minimum {} above its maximum {}", param.id, *param.minimum, *param.maximum);
  }
  if (auto* choice = std::get_if<graph::Choice>(&param.default_value)) {
    if (choice->index >= param.choices.size()) {
      return Wrong("parameter '{}' has choice {} as its default, but only {} choices", param.id, choice->index, param.choices.size());
    }
  }
  if (auto* number = std::get_if<double>(&param.default_value)) {
    if (!std::isfinite(*number) || (param.minimum && *number < *param.minimum) || (param.maximum && *number > *param.maximum)) {
      return Wrong("parameter '{}' has the default {}, which is not in its range", param.id, *number);
    }
  }
  return param;
}

}  // namespace

std::optional<wp::GpuTextureFormat> FormatByName(std::string_view name) {
  for (uint32_t i = 0; i < wp::kGpuTextureFormatCount; ++i) {
    if (ToString(static_cast<wp::GpuTextureFormat>(i)) == name) return static_cast<wp::GpuTextureFormat>(i);
  }
  return std::nullopt;
}

Result<graph::Description> FromContract(const wp::Description& d) {
  graph::Description out;
  out.id = d.id.view();
  out.label = d.label.view();
  out.version = d.version.view();
  out.description = d.description.view();
  out.sequential = d.sequential;
  std::set<std::string> names;
  for (const wp::Port& p : d.inputs) {
    WEFT_TRY_ASSIGN(auto port, FromContract(p, true));
    if (!names.insert(port.id).second) return Wrong("two inputs have the id '{}'", port.id);
    out.inputs.push_back(std::move(port));
  }
  names.clear();
  for (const wp::Port& p : d.outputs) {
    WEFT_TRY_ASSIGN(auto port, FromContract(p, false));
    if (!names.insert(port.id).second) return Wrong("two outputs have the id '{}'", port.id);
    out.outputs.push_back(std::move(port));
  }
  if (out.outputs.empty()) return Wrong("it has no outputs");
  names.clear();
  for (const wp::Parameter& p : d.parameters) {
    WEFT_TRY_ASSIGN(auto param, FromContract(p));
    if (!names.insert(param.id).second) return Wrong("two parameters have the id '{}'", param.id);
    out.parameters.push_back(std::move(param));
  }
  return out;
}

Result<graph::PortInfo> FromContract(const wp::PortInfo& info) {
  switch (info.tag) {
    case wp::PortInfo::Tag::Absent: return graph::PortInfo();
    case wp::PortInfo::Tag::Data: return graph::PortInfo(graph::DataInfo{});
    case wp::PortInfo::Tag::Buffer:
      if (info.buffer == 0) return Fail(ErrorKind::GuestTrap, "its plan has a buffer of 0 bytes");
      return graph::PortInfo(graph::BufferInfo{info.buffer});
    case wp::PortInfo::Tag::Texture: break;
  }
  const wp::FrameInfo& f = info.texture;
  if (f.width == 0 || f.height == 0)
    return Fail(ErrorKind::GuestTrap, "its plan has a picture of {}x{}; both sides must be at least 1", f.width, f.height);
  if (f.pixel_aspect.num <= 0 || f.pixel_aspect.den <= 0) {
    return Fail(ErrorKind::GuestTrap, "its plan has the pixel aspect {}/{}; both must be above 0", f.pixel_aspect.num, f.pixel_aspect.den);
  }
  graph::TextureInfo out;
  out.width = f.width;
  out.height = f.height;
  out.format = ToString(f.format);
  out.color = {f.color.primaries, f.color.transfer, f.color.matrix, f.color.full_range};
  out.alpha = static_cast<media::AlphaMode>(f.alpha);
  out.pixel_aspect = {f.pixel_aspect.num, f.pixel_aspect.den};
  return graph::PortInfo(out);
}

wp::Value ToContract(const Value& value) {
  wp::Value out;
  out.tag = static_cast<wp::Value::Tag>(value.index());
  static_assert(static_cast<size_t>(wp::Value::Tag::Bytes) == static_cast<size_t>(graph::ValueType::Bytes));
  switch (graph::TypeOf(value)) {
    case graph::ValueType::Boolean: out.boolean = std::get<bool>(value); break;
    case graph::ValueType::Integer: out.integer = std::get<int64_t>(value); break;
    case graph::ValueType::Number: out.number = std::get<double>(value); break;
    case graph::ValueType::Text: out.text = wasm::Str(std::get<std::string>(value)); break;
    case graph::ValueType::Choice: out.choice = std::get<graph::Choice>(value).index; break;
    case graph::ValueType::Vector: {
      const graph::Vec4& v = std::get<graph::Vec4>(value);
      out.vector = {v[0], v[1], v[2], v[3]};
      break;
    }
    case graph::ValueType::Bytes: {
      const graph::Bytes& b = std::get<graph::Bytes>(value);
      if (b) out.bytes = wasm::List<uint8_t>(b->data(), b->size());
      break;
    }
  }
  return out;
}

wp::FrameInfo ToContract(const graph::TextureInfo& info) {
  wp::FrameInfo out;
  out.width = info.width;
  out.height = info.height;
  out.format = FormatByName(info.format).value_or(wp::GpuTextureFormat::Rgba16float);
  out.color = {info.color.primaries, info.color.transfer, info.color.matrix, info.color.full_range};
  out.alpha = static_cast<wp::AlphaMode>(info.alpha);
  out.pixel_aspect = {info.pixel_aspect.num, info.pixel_aspect.den};
  return out;
}

wp::PortInfo ToContract(const graph::PortInfo& info) {
  wp::PortInfo out;
  if (auto* texture = std::get_if<graph::TextureInfo>(&info)) {
    out.tag = wp::PortInfo::Tag::Texture;
    out.texture = ToContract(*texture);
  } else if (auto* buffer = std::get_if<graph::BufferInfo>(&info)) {
    out.tag = wp::PortInfo::Tag::Buffer;
    out.buffer = buffer->size;
  } else if (std::holds_alternative<graph::DataInfo>(info)) {
    out.tag = wp::PortInfo::Tag::Data;
  }
  return out;
}

}  // namespace weft::nodes
