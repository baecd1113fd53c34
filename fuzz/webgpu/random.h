// SPDX-License-Identifier: Apache-2.0
// The one source of chance of a sequence: all that a sequence does follows from its seed.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace weft::fuzz {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  // SplitMix64.
  uint64_t Next() { return Mix(state_ += 0x9E3779B97F4A7C15ull); }
  static uint64_t Mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  // [0, n); 0 for n = 0.
  uint64_t Below(uint64_t n) { return n ? Next() % n : 0; }
  uint64_t Between(uint64_t low, uint64_t high) { return low + Below(high - low + 1); }
  bool Chance(uint32_t percent) { return Below(100) < percent; }
  template <class T>
  T OneOf(std::initializer_list<T> all) {
    return all.begin()[Below(all.size())];
  }
  template <class T>
  const T& OneOf(const std::vector<T>& all) {
    return all[Below(all.size())];
  }
  // An index, by weights.
  size_t Weighted(std::initializer_list<uint32_t> weights) {
    uint64_t sum = 0;
    for (const uint32_t w : weights) sum += w;
    uint64_t at = Below(sum);
    for (size_t i = 0; i < weights.size(); ++i) {
      if (at < weights.begin()[i]) return i;
      at -= weights.begin()[i];
    }
    return 0;
  }

 private:
  uint64_t state_;
};

}  // namespace weft::fuzz
