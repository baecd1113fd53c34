// SPDX-License-Identifier: Apache-2.0
// NativeCache: the library's views and bind groups of an instance, found again by what they were made of. A plugin makes the same few each
// frame, of the few pool textures that go round; making one costs the library microseconds under locks that all instances share. Only the
// native side is kept: the guest's objects are made and checked anew each time.
//
// A key holds addresses of native handles, so an entry keeps what its key names: no address can come to mean something else. Entries not
// used for some frames go. Threads: the instance's own.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/ref.h"
#include "gpu/handle.h"
#include "host/webgpu/objects.h"

namespace weft::host {

class CacheKey {
 public:
  void Add(uint64_t word) {
    words_.push_back(word);
    hash_ = (hash_ ^ word) * 0x9E3779B97F4A7C15u;
    hash_ ^= hash_ >> 29;
  }
  template <class H>
    requires std::is_pointer_v<H>
  void Add(H handle) {
    Add(uint64_t{reinterpret_cast<uintptr_t>(handle)});
  }
  // To be called before Put for each handle that was added.
  template <class H>
  void Keep(H handle, void (*add_ref)(H), void (*release)(H)) {
    add_ref(handle);
    keeps_.emplace_back(handle, [release](H h) { release(h); });
  }
  // An object of the guest's own stays charged to it as long as the entry keeps its native side.
  void Charge(Ref<VObject> object) { charged_.push_back(std::move(object)); }

  size_t hash() const { return hash_; }
  bool operator==(const CacheKey& o) const { return words_ == o.words_; }

 private:
  std::vector<uint64_t> words_;
  std::vector<std::shared_ptr<void>> keeps_;
  std::vector<Ref<VObject>> charged_;
  uint64_t hash_ = 0;
};

template <class H>
class NativeCache {
 public:
  // Null where there is none. The cache keeps its reference.
  H Find(const CacheKey& key) {
    auto it = entries_.find(key);
    if (it == entries_.end()) return nullptr;
    it->second.used = frame_;
    return it->second.native.get();
  }
  // Takes over a reference.
  void Put(CacheKey key, gpu::Owned<H> native) {
    if (entries_.size() < kMost) entries_.emplace(std::move(key), Entry{std::move(native), frame_});
  }
  void NextFrame() {
    if (++frame_ % kKeptFrames != 0) return;
    std::erase_if(entries_, [&](const auto& e) { return e.second.used + kKeptFrames < frame_; });
  }
  void Clear() { entries_.clear(); }

 private:
  static constexpr size_t kMost = 128;
  static constexpr uint64_t kKeptFrames = 16;
  struct Hash {
    size_t operator()(const CacheKey& k) const { return k.hash(); }
  };
  struct Entry {
    gpu::Owned<H> native;
    uint64_t used = 0;
  };
  std::unordered_map<CacheKey, Entry, Hash> entries_;
  uint64_t frame_ = 0;
};

}  // namespace weft::host
