// SPDX-License-Identifier: Apache-2.0
// PictureFinisher: makes of what a window showed what a graph passes on: rgba8unorm or rgba16float, and alpha 1 where it had no meaning.
// One thread at a time.
#pragma once

#include "gpu/device.h"
#include "gpu/texture_pool.h"
#include "host/surface/window.h"

namespace weft::host {

class PictureFinisher {
 public:
  explicit PictureFinisher(Ref<gpu::Device> device);

  // The picture's own texture where it can be (with its alpha set to 1 in place, if it is opaque), else a drawn copy. The work is handed to
  // the device. Once a picture.
  Result<Ref<gpu::PoolTexture>> Finish(const Picture& picture);

 private:
  Result<Ref<gpu::PoolTexture>> Upload(const Picture& picture);
  // Draws over `to`: from `from`, or alpha 1 alone where that is null.
  Status Draw(const gpu::PoolTexture* from, const gpu::PoolTexture& to, WGPURenderPipeline pipeline);
  Result<WGPURenderPipeline> Pipeline(gpu::Owned<WGPURenderPipeline>& kept, WGPUTextureFormat format, std::string_view entry,
                                      bool alpha_only);

  const Ref<gpu::Device> device_;
  gpu::TextureWriter writer_;
  gpu::Owned<WGPUShaderModule> shader_;
  gpu::Owned<WGPURenderPipeline> copy_, copy_opaque_, alpha8_, alpha16_;
};

}  // namespace weft::host
