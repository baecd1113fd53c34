// SPDX-License-Identifier: Apache-2.0
// Sizes of WGSL types (WGSL 14.4.1), for the limit of workgroup memory.
#include <algorithm>
#include <array>

#include "host/webgpu/wgsl_reflect.h"
#include "host/webgpu/wgsl_tokens.h"

namespace weft::host {

namespace {

struct Layout {
  uint64_t align = 1, size = 0;
};

uint64_t RoundUp(uint64_t align, uint64_t size) { return (size + align - 1) / align * align; }

class Sizes {
 public:
  Sizes(const WgslModule& module, const WgslConstants& constants) : module_(module), constants_(constants) {}

  std::optional<Layout> Of(const WgslType& type, int depth) {
    if (type.empty() || depth > 32) return std::nullopt;
    const std::string_view name = type.front();
    if (name == "f32" || name == "i32" || name == "u32" || name == "bool") return Layout{4, 4};
    if (name == "f16") return Layout{2, 2};
    if (const auto alias = module_.aliases.find(name); alias != module_.aliases.end()) return Of(alias->second, depth + 1);
    if (const auto s = module_.structs.find(name); s != module_.structs.end()) return Struct(s->second, depth);
    const auto arguments = Split(type);
    if (name == "atomic" && arguments.size() == 1) return Of(arguments[0], depth + 1);
    if (name == "array" && arguments.size() == 2) {
      const auto element = Of(arguments[0], depth + 1);
      const auto count = WgslInteger(module_, arguments[1], constants_);
      if (!element || !count || *count > UINT32_MAX) return std::nullopt;
      return Layout{element->align, *count * RoundUp(element->align, element->size)};
    }
    if (name.size() >= 4 && name.starts_with("vec")) return Vector(name[3] - '0', Scalar(name.substr(4), arguments, depth));
    if (name.size() >= 6 && name.starts_with("mat") && name[4] == 'x') {
      const auto column = Vector(name[5] - '0', Scalar(name.substr(6), arguments, depth));
      if (!column) return std::nullopt;
      return Layout{column->align, static_cast<uint64_t>(name[3] - '0') * RoundUp(column->align, column->size)};
    }
    return std::nullopt;
  }

 private:
  // "array < f32 , 4 >" -> {"f32"}, {"4"}.
  static std::vector<WgslType> Split(const WgslType& type) {
    std::vector<WgslType> all;
    if (type.size() < 3 || type[1] != "<") return all;
    all.emplace_back();
    int depth = 0;
    for (size_t i = 2; i + 1 < type.size(); ++i) {
      if (type[i] == "," && depth == 0) {
        all.emplace_back();
        continue;
      }
      if (type[i] == "<" || type[i] == "(") ++depth;
      if (type[i] == ">" || type[i] == ")") --depth;
      all.back().push_back(type[i]);
    }
    if (all.back().empty()) all.pop_back();
    return all;
  }

  // Bytes of a component: the f of vec4f, or what stands in vec4<...>.
  std::optional<uint64_t> Scalar(std::string_view suffix, const std::vector<WgslType>& arguments, int depth) {
    if (suffix == "h") return 2;
    if (suffix == "f" || suffix == "i" || suffix == "u") return 4;
    if (!suffix.empty() || arguments.size() != 1) return std::nullopt;
    const auto scalar = Of(arguments[0], depth + 1);
    if (!scalar) return std::nullopt;
    return scalar->size;
  }

  static std::optional<Layout> Vector(int count, std::optional<uint64_t> scalar) {
    if (!scalar || count < 2 || count > 4) return std::nullopt;
    return Layout{(count == 2 ? 2 : 4) * *scalar, static_cast<uint64_t>(count) * *scalar};
  }

  std::optional<Layout> Struct(const std::vector<WgslMember>& members, int depth) {
    Layout all;
    for (const WgslMember& m : members) {
      auto one = Of(m.type, depth + 1);
      if (!one || m.vague || m.align == 0u) return std::nullopt;
      if (m.align) one->align = std::max(one->align, uint64_t{*m.align});
      if (m.size) one->size = std::max(one->size, uint64_t{*m.size});
      all.align = std::max(all.align, one->align);
      all.size = RoundUp(one->align, all.size) + one->size;
    }
    all.size = RoundUp(all.align, all.size);
    return all;
  }

  const WgslModule& module_;
  const WgslConstants& constants_;
};

}  // namespace

std::optional<uint64_t> WgslInteger(const WgslModule& module, const WgslType& tokens, const WgslConstants& constants) {
  if (tokens.size() != 1) return std::nullopt;
  if (const auto literal = WgslLiteral(tokens[0])) return *literal;
  const auto found = module.numbers.find(tokens[0]);
  if (found == module.numbers.end()) return std::nullopt;
  const WgslNumber& n = found->second;
  if (n.is_override) {
    if (const auto given = constants(n.id ? std::to_string(*n.id) : tokens[0])) {
      if (*given < 0 || *given > UINT32_MAX) return std::nullopt;
      return static_cast<uint64_t>(*given);
    }
  }
  if (!n.value) return std::nullopt;
  return *n.value;
}

std::optional<uint64_t> WgslSizeOf(const WgslModule& module, const WgslType& type, const WgslConstants& constants) {
  const auto layout = Sizes(module, constants).Of(type, 0);
  if (!layout) return std::nullopt;
  return layout->size;
}

}  // namespace weft::host
