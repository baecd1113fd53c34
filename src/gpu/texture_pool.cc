// SPDX-License-Identifier: Apache-2.0
#include "gpu/texture_pool.h"

#include <algorithm>
#include <utility>

#include "base/fail.h"

namespace weft::gpu {

FormatAbilities AbilitiesOf(const Device& device, WGPUTextureFormat format) {
  FormatAbilities out;
  const FormatInfo* info = FindFormat(format);
  if (!info) return out;
  const bool norm16 = info->feature == kFeatureNorm16;
  out.creatable = !info->feature || device.Has(info->feature) || (norm16 && device.Has(WGPUFeatureName_TextureFormatsTier1));
  if (!out.creatable) return out;
  out.renderable = info->renderable || (format == WGPUTextureFormat_RG11B10Ufloat && device.Has(WGPUFeatureName_RG11B10UfloatRenderable));
  const bool float32 = info->sample == SampleKind::UnfilterableFloat;
  out.blendable = info->blendable || (float32 && info->renderable && device.Has(WGPUFeatureName_Float32Blendable));
  out.filterable = info->sample == SampleKind::Float || (float32 && device.Has(WGPUFeatureName_Float32Filterable));
  out.storage = info->storage_write || (format == WGPUTextureFormat_BGRA8Unorm && device.Has(WGPUFeatureName_BGRA8UnormStorage));
  return out;
}

WGPUTextureUsage FullUsage(const Device& device, WGPUTextureFormat format) {
  const FormatAbilities can = AbilitiesOf(device, format);
  WGPUTextureUsage usage = WGPUTextureUsage_TextureBinding | WGPUTextureUsage_CopySrc | WGPUTextureUsage_CopyDst;
  if (can.storage) usage |= WGPUTextureUsage_StorageBinding;
  if (can.renderable) usage |= WGPUTextureUsage_RenderAttachment;
  return usage;
}

WGPUTextureView PoolTexture::ViewAs(WGPUTextureFormat format) const {
  const bool own = format == native_->key.format;
  if (!own && format != SrgbTwin(native_->key.format)) return nullptr;
  std::lock_guard lock(native_->view_mutex);
  Owned<WGPUTextureView>& view = own ? native_->view : native_->twin_view;
  if (!view) {
    WGPUTextureViewDescriptor descriptor = WGPU_TEXTURE_VIEW_DESCRIPTOR_INIT;
    descriptor.format = format;
    descriptor.dimension = WGPUTextureViewDimension_2D;
    descriptor.mipLevelCount = 1;
    descriptor.arrayLayerCount = 1;
    // sRGB formats have no storage; a twin of a storage texture must not ask for it.
    if (!own) descriptor.usage = native_->key.usage & ~WGPUTextureUsage_StorageBinding;
    view = device_->Own(device_->procs().TextureCreateView(native_->texture.get(), &descriptor));
  }
  return view.get();
}

PoolTexture::~PoolTexture() { device_->textures().Return(std::move(native_)); }

size_t TexturePool::KeyHash::operator()(const TextureKey& k) const {
  uint64_t h = (uint64_t{k.width} << 32 | k.height) * 0x9E3779B97F4A7C15u;
  h ^= (uint64_t{static_cast<uint32_t>(k.format)} << 20 ^ k.usage) * 0xC2B2AE3D27D4EB4Fu;
  return static_cast<size_t>(h ^ (h >> 29));
}

TexturePool::~TexturePool() { Trim(); }

Status TexturePool::Check(const TextureKey& key) const {
  const WGPULimits& limits = device_.limits();
  const FormatInfo* format = FindFormat(key.format);
  if (!format)
    return Fail(ErrorKind::InvalidArgument, "There is no texture format with the number {:#x}.", static_cast<unsigned>(key.format));
  const FormatAbilities can = AbilitiesOf(device_, key.format);
  if (!can.creatable) {
    return Fail(ErrorKind::Unsupported, "The GPU '{}' has no textures of format {}: it lacks the feature '{}'.", device_.info().device,
                format->name, FeatureName(format->feature));
  }
  if (key.width == 0 || key.height == 0) {
    return Fail(ErrorKind::InvalidArgument, "A texture of {}x{} is asked for: both sides must be at least 1.", key.width, key.height);
  }
  const uint32_t most = limits.maxTextureDimension2D;
  if (key.width > most || key.height > most) {
    return Fail(ErrorKind::InvalidArgument,
                "A texture of {}x{} is asked for, but the GPU '{}' makes none with a side above {}. Make the frame smaller (--size), or "
                "choose another GPU.",
                key.width, key.height, device_.info().device, most);
  }
  if (key.width % format->block_width || key.height % format->block_height) {
    return Fail(ErrorKind::InvalidArgument, "A texture of {}x{} cannot have format {}: its sides must be multiples of {} and {}.",
                key.width, key.height, format->name, format->block_width, format->block_height);
  }
  if ((key.usage & WGPUTextureUsage_StorageBinding) && !can.storage) {
    return Fail(ErrorKind::InvalidArgument, "The format {} cannot be a storage texture on the GPU '{}'.", format->name,
                device_.info().device);
  }
  if ((key.usage & WGPUTextureUsage_RenderAttachment) && !can.renderable) {
    return Fail(ErrorKind::InvalidArgument, "The format {} cannot be rendered to on the GPU '{}'.", format->name, device_.info().device);
  }
  return {};
}

Result<Ref<PoolTexture>> TexturePool::Acquire(const TextureKey& key, uint64_t writer) {
  WEFT_TRY(device_.CheckAlive());
  std::unique_ptr<PoolTexture::Native> native;
  {
    std::lock_guard lock(mutex_);
    const auto known = writers_.find(writer);
    int* given = known == writers_.end() ? nullptr : &known->second[key];
    const auto it = free_.find(key);
    if (it != free_.end() && !it->second.empty()) {
      // Its own, else one that nobody has written, else one of a writer that is gone, else another writer's.
      auto& list = it->second;
      auto rank = [&](const auto& n) {
        const uint64_t last = n->last_writer;
        return given && last == writer ? 0 : last == 0 ? 1 : last == PoolTexture::kStranger ? 2 : 3;
      };
      const auto best = std::ranges::min_element(list, {}, rank);
      const int how = rank(*best);
      const bool room = !budget_ || total_bytes_ + (*best)->bytes <= budget_;
      if (how < 3 || !given || *given >= kOwn || !room) {
        // Who loses one may have another made: else the two would take it from each other for ever.
        if (const auto loser = writers_.find((*best)->last_writer); how == 3 && loser != writers_.end()) --loser->second[key];
        native = std::move(*best);
        list.erase(best);
        idle_bytes_ -= native->bytes;
        if (how == 0) given = nullptr;
      }
    }
    if (given) ++*given;
  }
  if (!native) {
    WEFT_TRY(Check(key));
    WEFT_TRY_ASSIGN(native, Make(key));
  }
  return Ref<PoolTexture>::Acquire(new PoolTexture(Ref<Device>(&device_), std::move(native)));
}

void TexturePool::BeginWriter(uint64_t id) {
  std::lock_guard lock(mutex_);
  writers_[id];
}

void TexturePool::EndWriter(uint64_t id) {
  std::lock_guard lock(mutex_);
  writers_.erase(id);
  for (auto& [key, list] : free_) {
    for (auto& native : list) {
      if (native->last_writer == id) native->last_writer = PoolTexture::kStranger;
    }
  }
}

Result<std::unique_ptr<PoolTexture::Native>> TexturePool::Make(const TextureKey& key) {
  const uint64_t bytes = TextureBytes(key.format, key.width, key.height);
  std::vector<std::unique_ptr<PoolTexture::Native>> dropped;
  {
    std::lock_guard lock(mutex_);
    if (budget_ && total_bytes_ + bytes > budget_) {
      const uint64_t over = total_bytes_ + bytes - budget_;
      TrimLocked(idle_bytes_ > over ? idle_bytes_ - over : 0, &dropped);
      if (total_bytes_ + bytes > budget_) {
        return Fail(ErrorKind::OutOfMemory,
                    "A texture of {}x{} {} needs {} bytes, but {} of the {} bytes that textures may take are in use. Allow more, or have "
                    "fewer frames under way.",
                    key.width, key.height, FormatName(key.format), bytes, total_bytes_, budget_);
      }
    }
    total_bytes_ += bytes;
  }
  Gone(std::move(dropped));

  const WGPUTextureFormat twin = SrgbTwin(key.format);
  WGPUTextureDescriptor descriptor = WGPU_TEXTURE_DESCRIPTOR_INIT;
  descriptor.label = Str("weft pool");
  descriptor.size = {key.width, key.height, 1};
  descriptor.format = key.format;
  descriptor.usage = key.usage;
  descriptor.dimension = WGPUTextureDimension_2D;
  descriptor.mipLevelCount = 1;
  descriptor.sampleCount = 1;
  if (twin != WGPUTextureFormat_Undefined) {
    descriptor.viewFormatCount = 1;
    descriptor.viewFormats = &twin;
  }
  auto native = std::make_unique<PoolTexture::Native>();
  Status made;
  {
    ErrorCollector errors;
    native->texture = device_.Own(device_.procs().DeviceCreateTexture(device_.handle(), &descriptor));
    made = device_.Outcome(errors, fmt::format("a texture of {}x{} {}", key.width, key.height, FormatName(key.format)));
  }
  if (!made) {
    std::lock_guard lock(mutex_);
    total_bytes_ -= bytes;
    return std::move(made.error());
  }
  native->key = key;
  native->id = device_.NewId();
  native->bytes = bytes;
  device_.counters().TextureCreated(bytes);
  return native;
}

void TexturePool::Return(std::unique_ptr<PoolTexture::Native> native) {
  std::lock_guard lock(mutex_);
  if (native->last_writer != 0 && !writers_.contains(native->last_writer)) native->last_writer = PoolTexture::kStranger;
  idle_bytes_ += native->bytes;
  free_[native->key].push_back(std::move(native));
}

void TexturePool::set_budget(uint64_t bytes) {
  std::lock_guard lock(mutex_);
  budget_ = bytes;
}

void TexturePool::Trim(uint64_t idle_bytes) {
  std::vector<std::unique_ptr<PoolTexture::Native>> dropped;
  {
    std::lock_guard lock(mutex_);
    TrimLocked(idle_bytes, &dropped);
  }
  Gone(std::move(dropped));
}

void TexturePool::TrimLocked(uint64_t idle_bytes, std::vector<std::unique_ptr<PoolTexture::Native>>* out) {
  for (auto it = free_.begin(); it != free_.end() && idle_bytes_ > idle_bytes;) {
    auto& list = it->second;
    while (!list.empty() && idle_bytes_ > idle_bytes) {
      idle_bytes_ -= list.back()->bytes;
      total_bytes_ -= list.back()->bytes;
      out->push_back(std::move(list.back()));
      list.pop_back();
    }
    it = list.empty() ? free_.erase(it) : std::next(it);
  }
}

void TexturePool::Gone(std::vector<std::unique_ptr<PoolTexture::Native>> natives) {
  for (const auto& n : natives) device_.counters().TextureGone(n->bytes);
}

}  // namespace weft::gpu
