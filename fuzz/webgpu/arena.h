// SPDX-License-Identifier: Apache-2.0
// Memory of one sequence's arguments: views (Str, List) point into it. Everything in it is plain data and may be written after.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <type_traits>
#include <vector>

#include "wasm/abi.h"

namespace weft::fuzz {

class Arena {
 public:
  template <class T>
  T* Array(size_t n) {
    static_assert(std::is_trivially_destructible_v<T>);
    auto* p = static_cast<T*>(Take(n * sizeof(T)));
    for (size_t i = 0; i < n; ++i) new (p + i) T();
    return p;
  }
  template <class T>
  wasm::List<T> List(const std::vector<T>& from) {
    T* p = Array<T>(from.size());
    for (size_t i = 0; i < from.size(); ++i) p[i] = from[i];
    return {p, from.size()};
  }
  wasm::Str Text(std::string_view s) {
    char* p = Array<char>(s.size());
    if (!s.empty()) std::memcpy(p, s.data(), s.size());
    return {p, s.size()};
  }
  // All that was given out ends.
  void Clear() {
    blocks_.resize(blocks_.empty() ? 0 : 1);
    if (!blocks_.empty()) left_ = kBlock, next_ = blocks_[0].get();
  }

 private:
  static constexpr size_t kBlock = 1 << 18;
  void* Take(size_t bytes) {
    bytes = (bytes + 15) / 16 * 16;
    if (bytes > left_) {
      // A great one gets a block of its own, after the current one.
      const bool own = bytes > kBlock / 4 && !blocks_.empty();
      blocks_.push_back(std::make_unique<std::byte[]>(own ? bytes : std::max(bytes, kBlock)));
      if (own) return blocks_.back().get();
      next_ = blocks_.back().get();
      left_ = std::max(bytes, kBlock);
    }
    void* p = next_;
    next_ += bytes;
    left_ -= bytes;
    return p;
  }
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::byte* next_ = nullptr;
  size_t left_ = 0;
};

}  // namespace weft::fuzz
