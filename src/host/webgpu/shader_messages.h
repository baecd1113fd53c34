// SPDX-License-Identifier: Apache-2.0
// The WGSL compiler's error text, read back into messages with line and column. Pure.
#pragma once

#include <string>
#include <string_view>

#include "host/webgpu/virtual_device.h"

namespace weft::host {

// `text` as the library raised it. Line and column count from 1; offset and length are in UTF-16 units, as the specification has them; all
// are 0 where the text does not say.
CompilationMessage ReadCompilerText(std::string_view text, std::string_view code);

// An error at a byte of the code, still without words.
CompilationMessage MessageAt(std::string_view code, size_t at, size_t length);

// "2:14: expected expression, found ";"" and below it the line with a caret. Long lines are cut around the place.
std::string ShowWithLine(const CompilationMessage& message, std::string_view code);

}  // namespace weft::host
