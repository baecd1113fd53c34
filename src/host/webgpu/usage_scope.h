// SPDX-License-Identifier: Apache-2.0
// A usage scope of the WebGPU specification (3.4.5): which way each buffer and texture subresource is used within one dispatch or one
// render pass. A writable use excludes every other kind of use of the same subresource. The GPU library checks this too, but only when an
// encoder finishes, and a command buffer that it refused must never be submitted; so the conflict is found here, where it is made.
//
// Resources are plain addresses: a scope owns nothing and must not outlive what was added. Reused through Clear(), which keeps the memory.
// One thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace weft::host {

enum class Use : uint8_t {
  Input = 1,           // vertex, index, indirect
  Constant = 2,        // uniform buffer, sampled texture
  StorageRead = 4,     // read-only storage
  AttachmentRead = 8,  // depth or stencil attachment that is read only
  Storage = 16,        // read-write storage
  StorageWrite = 32,  // write-only storage texture. With Storage on one subresource the library sees two states, so it counts as a conflict
  Attachment = 64,    // colour, depth-stencil or resolve attachment that is written
};

inline constexpr uint8_t kReadUses = 1 | 2 | 4 | 8;

// "a read-write storage binding", for messages.
const char* UseName(Use use);

// Mip levels and array layers of one texture; end is exclusive. Aspects are not told apart, as in the library.
struct SubresourceRange {
  uint32_t mip_begin = 0, mip_end = 1;
  uint32_t layer_begin = 0, layer_end = 1;

  bool Overlaps(const SubresourceRange& o) const {
    return mip_begin < o.mip_end && o.mip_begin < mip_end && layer_begin < o.layer_end && o.layer_begin < layer_end;
  }
  bool operator==(const SubresourceRange&) const = default;
};

class UsageScope {
 public:
  struct Conflict {
    bool found = false;
    Use was{};
    Use now{};
    explicit operator bool() const { return found; }
  };

  // True in `found` when the use does not go together with an earlier one; the scope is then unchanged for that resource.
  Conflict AddBuffer(const void* buffer, Use use);
  Conflict AddTexture(const void* texture, uint32_t mip_count, uint32_t layer_count, const SubresourceRange& range, Use use);

  void Clear();
  size_t size() const { return used_; }

 private:
  struct Part {
    SubresourceRange range;
    uint8_t uses = 0;
  };
  struct Entry {
    const void* key = nullptr;
    uint32_t next = 0;           // the next entry of the same bucket + 1
    uint8_t uses = 0;            // all uses of all subresources
    uint32_t layers = 1;         // of the texture: the row length of `dense`
    std::vector<Part> parts;     // while few
    std::vector<uint8_t> dense;  // uses by mip * layers + layer, once `parts` became many
  };
  Entry& At(const void* key);
  void Rehash(size_t buckets);
  static Conflict Check(uint8_t uses, Use use);

  std::vector<uint32_t> buckets_;  // index into entries_ + 1; power of two
  std::vector<Entry> entries_;     // the first used_ are alive, the others keep their vectors' memory
  size_t used_ = 0;
};

}  // namespace weft::host
