// SPDX-License-Identifier: Apache-2.0
// What every texture format of WebGPU is: sizes, abilities, names. The tables of "Texture Format Capabilities" (WebGPU §26.1) as data;
// a device's features widen them (AbilitiesOf in texture_pool.h). Pure; any thread.
#pragma once

#include <webgpu.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace weft::gpu {

enum class FormatKind { Color, Depth, Stencil, DepthStencil, Compressed };
enum class SampleKind { Float, UnfilterableFloat, Uint, Sint, Depth };

struct FormatInfo {
  WGPUTextureFormat format;
  std::string_view name;  // as WebGPU spells it: "rgba8unorm-srgb"
  FormatKind kind;
  SampleKind sample;
  uint8_t channels;
  uint8_t block_width, block_height;
  uint8_t block_bytes;  // of one block (texel unless compressed); 0 where WebGPU leaves it to the implementation (depth24plus)
  bool renderable, blendable, multisample, resolvable;
  bool storage_write, storage_read, storage_read_write;
  WGPUTextureFormat srgb_twin;  // rgba8unorm <-> rgba8unorm-srgb, both ways; Undefined where there is none
  WGPUFeatureName feature;      // needed to create one at all; 0 = none
};

// Null for a value that is no format of webgpu.h.
const FormatInfo* FindFormat(WGPUTextureFormat format);
const FormatInfo* FindFormat(std::string_view name);
// "rgba8unorm", or "unknown" for a value that is no format.
std::string_view FormatName(WGPUTextureFormat format);

// Bytes of one texel; 0 for compressed or implementation-defined ones.
uint32_t BytesPerTexel(WGPUTextureFormat format);
// The sRGB twin, either way; Undefined where there is none.
WGPUTextureFormat SrgbTwin(WGPUTextureFormat format);
bool IsSrgb(WGPUTextureFormat format);
// Bytes of a 2D texture without mip levels.
uint64_t TextureBytes(WGPUTextureFormat format, uint32_t width, uint32_t height);

}  // namespace weft::gpu
