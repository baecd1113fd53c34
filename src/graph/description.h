// SPDX-License-Identifier: Apache-2.0
// Description: what a node says of itself: ports and parameters with types. The same words as weft:plugin's `description`, as values that
// own what they hold, so that host nodes have one too. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "graph/literal.h"
#include "media/frame.h"

namespace weft::graph {

struct Choice {
  uint32_t index = 0;
  friend bool operator==(Choice, Choice) = default;
};
using Vec4 = std::array<double, 4>;

// A parameter's value of the type that the description gives it.
using Value = std::variant<bool, int64_t, double, std::string, Choice, Vec4, Bytes>;
enum class ValueType { Boolean, Integer, Number, Text, Choice, Vector, Bytes };  // in the order of Value
inline ValueType TypeOf(const Value& v) { return static_cast<ValueType>(v.index()); }
std::string_view ValueTypeName(ValueType type);

struct ParamSpec {
  std::string id, label, description, group;
  std::string look = "plain";  // plain, slider, angle, point, size, color, file, hidden
  Value default_value = 0.0;   // its type is the parameter's type
  std::optional<double> minimum, maximum, step;
  std::vector<std::string> choices;
  bool animatable = false;
  bool reconfigures = false;
};

enum class ColorWant { AsIs, Linear, Display };
enum class Ends { Clamp, Mirror, Absent };

// Picture is a texture port whose frames lie in CPU memory: what sources give and sinks take. Plugins have none.
enum class PortKind { Texture, Picture, Buffer, Data };
std::string_view PortKindName(PortKind kind);

struct PortSpec {
  std::string id, label;
  PortKind kind = PortKind::Texture;
  std::vector<std::string> formats;  // of Texture: as WebGPU spells them; empty: any colour format
  std::string media_type;            // of Data
  bool optional = false;
  ColorWant color = ColorWant::AsIs;
  std::optional<media::AlphaMode> alpha;
  std::pair<int, int> window = {0, 0};
  Ends ends = Ends::Clamp;
  bool overwrites = false;
};

struct Description {
  std::string id, label, version, description;
  std::vector<PortSpec> inputs, outputs;
  std::vector<ParamSpec> parameters;
  bool sequential = false;
  // Host nodes whose parameters depend on the file's kind (a sink's crf): any name is taken, and the node itself checks it.
  bool open_parameters = false;
};

}  // namespace weft::graph
