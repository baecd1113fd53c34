// SPDX-License-Identifier: Apache-2.0
// Size, alignment and field offsets of all shapes that cross, as each compiler sees them: a test compares the two.
#pragma once

#include <cstdint>
#include <vector>

namespace weft::wasm {

std::vector<uint32_t> CppLayout();
std::vector<uint32_t> RustLayout();

}  // namespace weft::wasm
