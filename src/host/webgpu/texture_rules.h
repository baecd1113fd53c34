// SPDX-License-Identifier: Apache-2.0
// The rules of create-texture (specification 6.1.3), also for the textures of a canvas. Pure.
#pragma once

#include <optional>
#include <string>

#include "host/webgpu/objects.h"

namespace weft::host {

// Why `device` makes no texture like that, as the end of a sentence; nothing where it does. Sizes count as they are, quotas do not.
std::optional<std::string> TextureRefusal(const TextureInfo& info, const VDevice& device);

}  // namespace weft::host
