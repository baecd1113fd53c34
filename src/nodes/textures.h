// SPDX-License-Identifier: Apache-2.0
// From the graph's TextureInfo to what the pool and the converter want.
#pragma once

#include "base/fail.h"
#include "gpu/texture_pool.h"
#include "graph/types.h"
#include "media/convert/converter.h"

namespace weft::nodes {

inline Result<gpu::TextureKey> KeyOf(const gpu::Device& device, const graph::TextureInfo& info) {
  const gpu::FormatInfo* format = gpu::FindFormat(info.format);
  if (!format) return Fail(ErrorKind::InvalidArgument, "'{}' is no texture format", info.format);
  return gpu::TextureKey{info.width, info.height, format->format, gpu::FullUsage(device, format->format)};
}

inline media::WorkInfo WorkOf(const graph::TextureInfo& info) {
  media::WorkInfo work;
  if (const gpu::FormatInfo* format = gpu::FindFormat(info.format)) work.format = format->format;
  work.primaries = info.color.primaries;
  work.transfer = info.color.transfer;
  work.alpha = info.alpha;
  return work;
}

}  // namespace weft::nodes
