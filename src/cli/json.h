// SPDX-License-Identifier: Apache-2.0
// JSON out, from the inside to the outside: Object({{"frames", Json(3)}, {"files", Array(list)}}). Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::cli {

// Quoted and escaped; bytes that are no UTF-8 become U+FFFD.
std::string Json(std::string_view text);
inline std::string Json(const char* text) { return Json(std::string_view(text)); }
inline std::string Json(bool value) { return value ? "true" : "false"; }
std::string Json(int64_t value);
std::string Json(uint64_t value);
// null where it is not finite.
std::string Json(double value);

using JsonMember = std::pair<std::string_view, std::string>;
std::string JsonObject(const std::vector<JsonMember>& members);
std::string JsonArray(const std::vector<std::string>& values);

}  // namespace weft::cli
