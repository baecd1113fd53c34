// SPDX-License-Identifier: Apache-2.0
// Events from and to JSON, for the document's own reader and writer.
#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "graph/events.h"

namespace weft::graph {

Result<std::vector<SurfaceEvent>> TakeEvents(const nlohmann::ordered_json& list);
nlohmann::ordered_json PutEvents(std::span<const SurfaceEvent> events);

}  // namespace weft::graph
