// SPDX-License-Identifier: Apache-2.0
// Shorthand: `weft run INPUT... -p PLUGIN[@id][:name=value,...] ... -o OUTPUT[=id.port][:name=value,...] ...` as a Document.
//
// Inputs are numbered from 1: `background=#1` binds the port `background` to the first INPUT. Each plugin's first input that nothing binds
// takes the node before it (the first plugin takes #1); an INPUT that ends in .wasm is a window component; an output without `=id.port`
// takes the first output of the last plugin. A name with ':', ',', '=' or '@' in it is written in double quotes. Pure.
#pragma once

#include <string>
#include <vector>

#include "graph/document.h"

namespace weft::graph {

struct Shorthand {
  std::vector<std::string> inputs;   // INPUT[:name=value,...]
  std::vector<std::string> plugins;  // -p
  std::vector<std::string> outputs;  // -o
  // Put between the last plugin and the outputs that name no node, when not empty: --size and --fit.
  std::vector<Setting> resize;
};

// Sources get the ids in1, in2...; sinks out1...; plugins their @id or the file's stem (a second one "-2").
Result<Document> FromShorthand(const Shorthand& shorthand);

}  // namespace weft::graph
