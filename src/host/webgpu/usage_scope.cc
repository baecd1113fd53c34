// SPDX-License-Identifier: Apache-2.0
#include "host/webgpu/usage_scope.h"

#include <algorithm>

namespace weft::host {

namespace {

// Beyond this many different ranges of one texture, a table of its subresources is cheaper than a list.
constexpr size_t kMaxParts = 16;

size_t HashPointer(const void* p) { return (reinterpret_cast<uintptr_t>(p) >> 4) * 0x9E3779B97F4A7C15ull >> 20; }

// The most telling of several uses: a write before reads.
Use Strongest(uint8_t uses) {
  for (int bit = 6; bit >= 0; --bit) {
    if (uses & (1u << bit)) return static_cast<Use>(1u << bit);
  }
  return Use::Input;
}

}  // namespace

const char* UseName(Use use) {
  switch (use) {
    case Use::Input: return "a vertex, index or indirect buffer";
    case Use::Constant: return "a uniform buffer or sampled texture";
    case Use::StorageRead: return "a read-only storage binding";
    case Use::AttachmentRead: return "a read-only attachment";
    case Use::Storage: return "a read-write storage binding";
    case Use::StorageWrite: return "a write-only storage binding";
    case Use::Attachment: return "an attachment that is written";
  }
  return "an unknown use";
}

UsageScope::Conflict UsageScope::Check(uint8_t uses, Use use) {
  const auto now = static_cast<uint8_t>(use);
  if (uses == 0 || ((uses | now) & ~kReadUses) == 0 || uses == now) return {};
  return {true, Strongest(uses), use};
}

UsageScope::Entry& UsageScope::At(const void* key) {
  if (used_ + 1 > buckets_.size()) Rehash(std::max<size_t>(16, buckets_.size() * 2));
  uint32_t& head = buckets_[HashPointer(key) & (buckets_.size() - 1)];
  for (uint32_t i = head; i != 0; i = entries_[i - 1].next) {
    if (entries_[i - 1].key == key) return entries_[i - 1];
  }
  if (used_ == entries_.size()) entries_.emplace_back();
  Entry& e = entries_[used_];
  e.key = key;
  e.uses = 0;
  e.parts.clear();
  e.dense.clear();
  e.next = head;
  head = static_cast<uint32_t>(++used_);
  return e;
}

void UsageScope::Rehash(size_t buckets) {
  buckets_.assign(buckets, 0);
  for (size_t i = 0; i < used_; ++i) {
    uint32_t& head = buckets_[HashPointer(entries_[i].key) & (buckets - 1)];
    entries_[i].next = head;
    head = static_cast<uint32_t>(i + 1);
  }
}

void UsageScope::Clear() {
  // Only the buckets in use are touched, so that a dispatch with two buffers costs two writes.
  if (buckets_.empty()) return;
  for (size_t i = 0; i < used_; ++i) buckets_[HashPointer(entries_[i].key) & (buckets_.size() - 1)] = 0;
  used_ = 0;
}

UsageScope::Conflict UsageScope::AddBuffer(const void* buffer, Use use) {
  Entry& e = At(buffer);
  if (auto c = Check(e.uses, use)) return c;
  e.uses |= static_cast<uint8_t>(use);
  return {};
}

UsageScope::Conflict UsageScope::AddTexture(const void* texture, uint32_t mip_count, uint32_t layer_count, const SubresourceRange& range,
                                            Use use) {
  Entry& e = At(texture);
  e.layers = layer_count;
  const auto bit = static_cast<uint8_t>(use);
  if (!e.dense.empty()) {
    // Check all before changing any, so that a conflict leaves no trace.
    for (uint32_t m = range.mip_begin; m < range.mip_end; ++m) {
      for (uint32_t l = range.layer_begin; l < range.layer_end; ++l) {
        if (auto c = Check(e.dense[m * e.layers + l], use)) return c;
      }
    }
    for (uint32_t m = range.mip_begin; m < range.mip_end; ++m) {
      for (uint32_t l = range.layer_begin; l < range.layer_end; ++l) e.dense[m * e.layers + l] |= bit;
    }
    e.uses |= bit;
    return {};
  }
  Part* same = nullptr;
  const bool conflict_possible = static_cast<bool>(Check(e.uses, use));
  for (Part& p : e.parts) {
    if (conflict_possible && p.range.Overlaps(range)) {
      if (auto c = Check(p.uses, use)) return c;
    }
    if (p.range == range) same = &p;
  }
  e.uses |= bit;
  if (same != nullptr) {
    same->uses |= bit;
    return {};
  }
  e.parts.push_back({range, bit});
  if (e.parts.size() > kMaxParts) {
    e.dense.assign(size_t{mip_count} * layer_count, 0);
    for (const Part& p : e.parts) {
      for (uint32_t m = p.range.mip_begin; m < p.range.mip_end; ++m) {
        for (uint32_t l = p.range.layer_begin; l < p.range.layer_end; ++l) e.dense[m * e.layers + l] |= p.uses;
      }
    }
    e.parts.clear();
  }
  return {};
}

}  // namespace weft::host
