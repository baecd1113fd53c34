// SPDX-License-Identifier: Apache-2.0
// Between the graph's words and the contract's: descriptions, values, port infos. The contract's side is views; what they point to is
// the graph value given.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "graph/description.h"
#include "graph/node.h"
#include "graph/types.h"
#include "wasm/gen/plugin_types.h"

namespace weft::nodes {

// Checks all that a plugin says of itself; the Error names what is wrong with it.
Result<graph::Description> FromContract(const wasm::plugin::Description& d);
// Sizes, formats and enums checked; used for what configure answers.
Result<graph::PortInfo> FromContract(const wasm::plugin::PortInfo& info);

wasm::plugin::Value ToContract(const graph::Value& value);
// CPU pictures have no place in the contract.
wasm::plugin::PortInfo ToContract(const graph::PortInfo& info);
wasm::plugin::FrameInfo ToContract(const graph::TextureInfo& info);

std::optional<wasm::plugin::GpuTextureFormat> FormatByName(std::string_view name);

}  // namespace weft::nodes
