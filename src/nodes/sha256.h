// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4) of bytes in memory, as 64 hexadecimal digits.
#pragma once

#include <string>
#include <string_view>

namespace weft::nodes {

std::string Sha256(std::string_view bytes);

}  // namespace weft::nodes
