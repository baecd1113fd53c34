// SPDX-License-Identifier: Apache-2.0
// SurfaceEvent: what happens to the window of a component that was written for a screen, and at which of its frames. As JSON a list:
//   [{"frame": 0, "pointer-move": [12.5, 40]}, {"frame": 3, "pointer-down": [12.5, 40]}, {"frame": 4, "pointer-up": [12.5, 40]},
//    {"frame": 9, "key-down": "key-a", "text": "A", "shift": true}, {"frame": 10, "key-up": "key-a"}, {"frame": 30, "resize": [320, 240]}]
// Keys have the names of wasi-gfx:surface or those of the web ("KeyA"); null is a key without a name. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace weft::graph {

struct SurfaceEvent {
  enum class Kind { Resize, PointerMove, PointerDown, PointerUp, KeyDown, KeyUp };
  uint64_t frame = 0;
  Kind kind{};
  double x = 0, y = 0;             // of Resize: width and height
  std::optional<std::string> key;  // of KeyDown and KeyUp, as do the rest
  std::optional<std::string> text;
  bool alt = false, ctrl = false, meta = false, shift = false;
  friend bool operator==(const SurfaceEvent&, const SurfaceEvent&) = default;
};

// By frame; those of one frame in the order written. `name` is what messages call the text.
Result<std::vector<SurfaceEvent>> ParseEvents(std::string_view json, std::string_view name);

}  // namespace weft::graph
