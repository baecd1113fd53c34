// SPDX-License-Identifier: Apache-2.0
// TexturePool: 2D textures that are lent and come back, so that a steady graph creates none.
//
// A PoolTexture is a loan: when its last Ref goes, the native texture lies in the pool again and may go to anybody, with its old content.
// One queue orders all work, so the loan may end as soon as everything that uses the texture is SUBMITTED; it need not be finished.
// Whoever defers a submit keeps the Ref until then. A PoolTexture keeps the Device alive. Any thread.
#pragma once

#include <webgpu.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/ref.h"
#include "base/result.h"
#include "gpu/device.h"
#include "gpu/format.h"
#include "gpu/handle.h"

namespace weft::gpu {

struct TextureKey {
  uint32_t width = 0, height = 0;
  WGPUTextureFormat format = WGPUTextureFormat_Undefined;
  WGPUTextureUsage usage = WGPUTextureUsage_None;

  bool operator==(const TextureKey&) const = default;
};

// What a format can do on this device: the table of format.h widened by the device's features.
struct FormatAbilities {
  bool creatable = false, renderable = false, blendable = false, filterable = false;
  bool storage = false;  // write-only at least
};
FormatAbilities AbilitiesOf(const Device& device, WGPUTextureFormat format);

// What nodes' textures are made with: everything the format can do on this device, so that one pool serves all nodes. Always has
// TextureBinding, CopySrc and CopyDst; StorageBinding and RenderAttachment where the format has them.
WGPUTextureUsage FullUsage(const Device& device, WGPUTextureFormat format);

class PoolTexture : public RefCounted {
 public:
  WGPUTexture texture() const { return native_->texture.get(); }
  const TextureKey& key() const { return native_->key; }
  uint32_t width() const { return native_->key.width; }
  uint32_t height() const { return native_->key.height; }
  WGPUTextureFormat format() const { return native_->key.format; }
  WGPUTextureUsage usage() const { return native_->key.usage; }
  // Of the native texture: equal ids mean the same texture, also over loans. For caches of bind groups.
  uint64_t id() const { return native_->id; }
  // Whoever wrote it last, over loans (an id from Device::NewId; 0: nobody, it holds zeros). The owner of the loan sets it; clearing
  // when it changes hands is the owner's job (clear.h). Needs the owner's own order of reads and writes.
  uint64_t last_writer() const { return native_->last_writer; }
  void set_last_writer(uint64_t id) { native_->last_writer = id; }
  // A view of the whole texture in its own format (or its sRGB twin), made once and kept with the texture. Null after a loss.
  WGPUTextureView View() const { return ViewAs(format()); }
  WGPUTextureView ViewAs(WGPUTextureFormat format) const;
  Device& device() const { return *device_; }

 private:
  friend class TexturePool;
  struct Native {
    TextureKey key;
    uint64_t id = 0;
    uint64_t last_writer = 0;
    uint64_t bytes = 0;
    Owned<WGPUTextureView> view, twin_view;  // released before the texture
    Owned<WGPUTexture> texture;
    std::mutex view_mutex;
    ~Native() {
      view.Reset();
      twin_view.Reset();
    }
  };
  PoolTexture(Ref<Device> device, std::unique_ptr<Native> native) : device_(std::move(device)), native_(std::move(native)) {}
  ~PoolTexture() override;

  Ref<Device> device_;
  std::unique_ptr<Native> native_;
};

class TexturePool {
 public:
  explicit TexturePool(Device& device) : device_(device) {}
  ~TexturePool();

  // A texture like that: one from the pool with its old content, else a new one that holds zeros. InvalidArgument where the device cannot
  // make it (the sentence names the limit), OutOfMemory past the budget or by the driver, DeviceLost. `prefer_writer`: where several are
  // free, one that this writer wrote last comes first (it need not be cleared).
  Result<Ref<PoolTexture>> Acquire(const TextureKey& key, uint64_t prefer_writer = 0);
  // Whether Acquire could succeed by the device's limits: plan-time check.
  Status Check(const TextureKey& key) const;

  // Bytes of all textures, lent and free; 0 = no limit. Free ones are dropped before Acquire fails.
  void set_budget(uint64_t bytes);
  // Drops free textures until at most this many bytes lie idle.
  void Trim(uint64_t idle_bytes = 0);

 private:
  friend class PoolTexture;
  struct KeyHash {
    size_t operator()(const TextureKey& k) const;
  };
  using Free = std::unordered_map<TextureKey, std::vector<std::unique_ptr<PoolTexture::Native>>, KeyHash>;

  void Return(std::unique_ptr<PoolTexture::Native> native);
  void TrimLocked(uint64_t idle_bytes, std::vector<std::unique_ptr<PoolTexture::Native>>* out);
  Result<std::unique_ptr<PoolTexture::Native>> Make(const TextureKey& key);
  void Gone(std::vector<std::unique_ptr<PoolTexture::Native>> natives);

  Device& device_;
  mutable std::mutex mutex_;
  Free free_;
  uint64_t total_bytes_ = 0, idle_bytes_ = 0, budget_ = 0;
};

}  // namespace weft::gpu
