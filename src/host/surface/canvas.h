// SPDX-License-Identifier: Apache-2.0
// Canvas: pictures that a component draws with the GPU (wasi-gfx:surface/surface-webgpu), by the rules of GPUCanvasContext (specification
// 21). The current texture is lent from the pool to the device that the context was configured with; presenting ends the loan, so that the
// guest's handle and all that was made from it are dead, and hands the texture on. Threads: as Window.
#pragma once

#include <memory>
#include <vector>

#include "host/surface/window.h"
#include "host/webgpu/virtual_gpu.h"
#include "wasm/gen/surface_webgpu.h"

namespace weft::host {

class Canvas final : public wsf::SurfaceWebgpuHost {
 public:
  // All outlive it.
  Canvas(Ref<gpu::Device> device, VirtualGpu* gpu, Window* window);

  void OnDropContext(wasm::Rep rep) noexcept override;
  Result<wasm::Rep> OnContextNew(wasm::Rep surface) override;
  Status OnContextConfigure(wasm::Rep self, const wsf::ContextConfiguration& configuration) override;
  Status OnContextUnconfigure(wasm::Rep self) override;
  Result<wasm::Rep> OnContextGetCurrentTexture(wasm::Rep self) override;
  Status OnContextPresent(wasm::Rep self) override;

 private:
  struct Context {
    Ref<VDevice> device;  // null: not configured
    TextureInfo info;     // without a size
    bool opaque = true, p3 = false;
    Ref<VTexture> current;          // what the guest draws into
    Ref<gpu::PoolTexture> texture;  // behind it
    uint64_t lease = 0;
  };
  static constexpr size_t kMostContexts = 64;
  Result<Context*> Get(wasm::Rep rep) const;
  // The current texture is nobody's any more.
  void Expire(Context& context);
  Result<Ref<gpu::PoolTexture>> ClearTexture(const gpu::TextureKey& key);

  const Ref<gpu::Device> device_;
  VirtualGpu& gpu_;
  Window& window_;
  gpu::TextureWriter writer_;
  std::vector<std::unique_ptr<Context>> contexts_;
  uint64_t next_lease_ = 0;
};

}  // namespace weft::host
