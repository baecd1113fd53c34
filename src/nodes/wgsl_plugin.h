// SPDX-License-Identifier: Apache-2.0
// WgslPlugin: a plugin of WGSL and JSON, read and checked (docs/reference/wgsl-plugin.md). Plain data; needs no GPU.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "graph/description.h"

namespace weft::nodes {

struct WgslPlugin {
  struct Intermediate {
    std::string id;
    double scale_x = 1, scale_y = 1;
    std::string format;  // "work": the first output's
  };
  // Textures of the plugin: inputs, then intermediates, then outputs. A pass names them by their place here.
  struct Pass {
    std::string entry;
    std::vector<size_t> reads, writes;
    uint32_t workgroup_x = 8, workgroup_y = 8;
  };

  std::string path;         // of the folder
  std::string shader_path;  // for messages
  graph::Description description;
  std::vector<Intermediate> intermediates;
  std::vector<Pass> passes;
  std::string shader;  // the file's text
  std::string sha256;  // of plugin.json and the shader

  size_t inputs() const { return description.inputs.size(); }
  size_t outputs() const { return description.outputs.size(); }
  size_t textures() const { return inputs() + intermediates.size() + outputs(); }
  const std::string& TextureId(size_t texture) const;
  bool IsInput(size_t texture) const { return texture < inputs(); }
  bool IsOutput(size_t texture) const { return texture >= inputs() + intermediates.size(); }

  // Bindings of group 0; 0 is the uniform.
  uint32_t ReadBinding(size_t texture) const { return static_cast<uint32_t>(1 + texture); }
  uint32_t WriteBinding(size_t texture) const;

  // Bytes of the uniform, and where each parameter lies in it.
  struct Uniform {
    uint32_t size = 0;
    std::vector<uint32_t> offsets;
  };
  Uniform UniformLayout() const;

  // Declarations of the uniform and the textures, for these formats of the outputs and intermediates (by place among `textures()`).
  std::string Prelude(const std::vector<std::string>& formats) const;
  // For people: the prelude and what each pass binds.
  std::string BindingText() const;
};

// A folder with a plugin.json, or that file itself.
bool IsWgslPlugin(const std::string& path);
Result<std::shared_ptr<const WgslPlugin>> LoadWgslPlugin(const std::string& path);
// The text of a plugin.json alone; `shader` stays empty and `shader_path` is the name that the file gives.
Result<WgslPlugin> ParseWgslPlugin(const std::string& json);

}  // namespace weft::nodes
