// SPDX-License-Identifier: Apache-2.0
// Clearing a pool texture to zero when it changes its owner, so that nobody sees a neighbour's picture. Any thread; an encoder one at a
// time.
#pragma once

#include "base/result.h"
#include "gpu/texture_pool.h"

namespace weft::gpu {

// Records a clear to zero of the whole texture: a render pass where the texture has RenderAttachment, else the library's clear command,
// else a copy from a buffer of zeros. Unsupported where the usage allows none of them.
Status EncodeClear(WGPUCommandEncoder encoder, const PoolTexture& texture);
// The same with its own encoder and submit.
Status ClearNow(const PoolTexture& texture);

}  // namespace weft::gpu
