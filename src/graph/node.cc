// SPDX-License-Identifier: Apache-2.0
#include "graph/node.h"

#include "graph/plan.h"

namespace weft::graph {

Result<PortInfo> Node::Want(size_t input, const PortInfo& offered, const Project& project) {
  const PortSpec& port = description().inputs[input];
  if (port.kind != PortKind::Texture) return offered;
  WEFT_TRY_ASSIGN(TextureInfo want, WantedTexture(port, offered, project));
  return PortInfo(std::move(want));
}

}  // namespace weft::graph
