// SPDX-License-Identifier: Apache-2.0
// Plan: what each edge carries, and where a conversion must stand. The rules that turn a port's wishes into the picture that it gets. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "graph/description.h"
#include "graph/types.h"

namespace weft::graph {

// The picture that a texture port gets, when `offered` comes along the edge:
//   format   what was offered if the port takes it, else the work format, else the first that the port lists;
//   colour   RGB, full range; linear where the port asks for it; display-referred (the project's transfer) where it asks for that and
//            the picture is linear; else as offered;
//   alpha    as the port asks; an opaque picture stays opaque, since it is both straight and premultiplied.
Result<TextureInfo> WantedTexture(const PortSpec& port, const PortInfo& offered, const Project& project);

// False when the pixels can be handed on as they are.
bool NeedsConversion(const PortInfo& offered, const PortInfo& wanted);

// One line of `explain`.
struct PlannedEdge {
  std::string from, to;  // "blur.output"
  PortInfo offered;
  PortInfo taken;
  bool converts = false;
};

}  // namespace weft::graph
