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
  // Whoever wrote it last, over loans: a TextureWriter's id, kStranger, or 0: nobody, it holds zeros. The owner of the loan sets it;
  // clearing when it changes hands is the owner's job (clear.h). Needs the owner's own order of reads and writes.
  static constexpr uint64_t kStranger = UINT64_MAX;
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
  // make it (the sentence names the limit), OutOfMemory past the budget or by the driver, DeviceLost.
  // `writer`: one that this TextureWriter wrote last comes first, for it need not be cleared, which costs more than most nodes' work. Where
  // none is free, a writer gets kOwn textures of a kind for itself before it has to take what others wrote.
  Result<Ref<PoolTexture>> Acquire(const TextureKey& key, uint64_t writer = 0);
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

  friend class TextureWriter;
  // How many textures of each kind were given to a writer that had none free; also the list of the writers that live.
  using Given = std::unordered_map<TextureKey, int, KeyHash>;
  static constexpr int kOwn = 3;

  void BeginWriter(uint64_t id);
  void EndWriter(uint64_t id);
  void Return(std::unique_ptr<PoolTexture::Native> native);
  void TrimLocked(uint64_t idle_bytes, std::vector<std::unique_ptr<PoolTexture::Native>>* out);
  Result<std::unique_ptr<PoolTexture::Native>> Make(const TextureKey& key);
  void Gone(std::vector<std::unique_ptr<PoolTexture::Native>> natives);

  Device& device_;
  mutable std::mutex mutex_;
  Free free_;
  std::unordered_map<uint64_t, Given> writers_;
  uint64_t total_bytes_ = 0, idle_bytes_ = 0, budget_ = 0;
};

// Somebody who writes pool textures whole, over and over: the id in PoolTexture::last_writer. At its end what it wrote is everybody's
// again.
class TextureWriter {
 public:
  explicit TextureWriter(Ref<Device> device) : device_(std::move(device)), id_(device_->NewId()) { device_->textures().BeginWriter(id_); }
  ~TextureWriter() { device_->textures().EndWriter(id_); }
  TextureWriter(const TextureWriter&) = delete;
  uint64_t id() const { return id_; }

 private:
  const Ref<Device> device_;
  const uint64_t id_;
};

}  // namespace weft::gpu
