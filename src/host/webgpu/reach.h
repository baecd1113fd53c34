// SPDX-License-Identifier: Apache-2.0
// Reach: the virtual resources (buffers, textures, query sets) that an object would touch if it were used. A view reaches its texture, a
// bind group its buffers and textures, a bundle, encoder or command buffer the union of what was recorded into it. What is destroyed,
// revoked or mapped is found through it before anything reaches the library. Used on the instance's own thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/ref.h"

namespace weft::host {

class VResource;

class Reach {
 public:
  void Add(VResource* resource);
  void Merge(const Reach& other);
  const std::vector<Ref<VResource>>& items() const { return items_; }
  bool empty() const { return items_.empty(); }
  bool Contains(const VResource* resource) const;
  void Clear() { items_.clear(), index_.clear(); }

  // Why this cannot be recorded into an encoder: something reached is revoked or destroyed. A sentence that names it, or nothing.
  std::optional<std::string> RecordRefusal() const;
  // Why this cannot be submitted: also what is mapped or waits for its map.
  std::optional<std::string> SubmitRefusal() const;

 private:
  static constexpr size_t kScan = 16;  // up to here a scan is quicker than the index
  std::vector<Ref<VResource>> items_;
  std::unordered_set<const VResource*> index_;  // only when there are more than kScan
};

}  // namespace weft::host
