// SPDX-License-Identifier: Apache-2.0
// What WGSL text says of its bindings and entry points, read without a compiler: enough to know, for a pipeline with layout "auto", how a
// binding is used, and what a pipeline asks of the device's limits, before the library hears of it. Only what is certain is answered; what
// hangs on an expression is left out. Meant for text that compiles. Pure; never fails, whatever the text.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::host {

struct WgslBinding {
  enum class Kind : uint8_t { Uniform, StorageRead, StorageReadWrite, Sampler, Texture, StorageTexture };
  enum class Access : uint8_t { Read, Write, ReadWrite };
  uint32_t group = 0, binding = 0;
  Kind kind{};
  std::string name;
  Access access = Access::Write;  // of a storage texture
};

// A type as its tokens; a size that is to be found when the constants are known.
using WgslType = std::vector<std::string>;

struct WgslMember {
  WgslType type;
  std::optional<uint32_t> location, size, align;
  bool vague = false;  // an attribute's number is no literal
};

struct WgslEntry {
  enum class Stage : uint8_t { Vertex, Fragment, Compute };
  Stage stage{};
  std::string name;
  // What the entry point and the functions that it calls name: indexes into `bindings`, and the types of workgroup variables.
  std::vector<uint32_t> uses;
  std::vector<WgslType> workgroup;
  std::vector<WgslType> workgroup_size;
  // @location of what it returns; nothing where they are not certain.
  std::optional<std::vector<uint32_t>> outputs;
};

// `const` and `override` at module scope.
struct WgslNumber {
  bool is_override = false;
  std::optional<uint32_t> id;
  std::optional<uint32_t> value;  // where the initializer is a literal
};

struct WgslModule {
  std::vector<WgslBinding> bindings;
  std::vector<WgslEntry> entries;
  struct Enable {
    std::string extension;
    size_t at = 0;  // byte in the text
  };
  std::vector<Enable> enables;
  std::map<std::string, WgslNumber, std::less<>> numbers;
  std::map<std::string, std::vector<WgslMember>, std::less<>> structs;
  std::map<std::string, WgslType, std::less<>> aliases;
  // A resource was met whose kind, or whose `@group(...)` or `@binding(...)`, is not certain.
  bool uncertain = false;
  bool immediates = false;  // there is a `var<immediate>`

  const WgslEntry* Find(WgslEntry::Stage stage, std::string_view name) const;
};

WgslModule ReflectWgsl(std::string_view code);

// A pipeline's constant by name or by id.
using WgslConstants = std::function<std::optional<double>(std::string_view key)>;
// An integer that is written as a literal or as the name of a constant.
std::optional<uint64_t> WgslInteger(const WgslModule& module, const WgslType& tokens, const WgslConstants& constants);
// SizeOf(type), where it is certain.
std::optional<uint64_t> WgslSizeOf(const WgslModule& module, const WgslType& type, const WgslConstants& constants);

// How deep brackets, braces and operators of the text nest, at most; the compiler's stack grows with it.
uint32_t WgslNesting(std::string_view code);

}  // namespace weft::host
