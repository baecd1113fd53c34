// SPDX-License-Identifier: Apache-2.0
// Rational: times and rates, exact. den > 0; reduced by Make(); compared by cross-multiplication in 128 bits.
#pragma once

#include <cstdint>
#include <numeric>

namespace weft {

__extension__ typedef __int128 Int128;

struct Rational {
  int64_t num = 0;
  int64_t den = 1;

  // den != 0.
  static constexpr Rational Make(int64_t num, int64_t den) {
    if (den < 0) num = -num, den = -den;
    const int64_t g = std::gcd(num, den);
    return g > 1 ? Rational{num / g, den / g} : Rational{num, den};
  }
  constexpr double ToDouble() const { return static_cast<double>(num) / static_cast<double>(den); }
  // Equal as values: 1/2 == 2/4.
  friend constexpr bool operator==(Rational a, Rational b) {
    return static_cast<Int128>(a.num) * b.den == static_cast<Int128>(b.num) * a.den;
  }
  friend constexpr bool operator<(Rational a, Rational b) {
    return static_cast<Int128>(a.num) * b.den < static_cast<Int128>(b.num) * a.den;
  }
};

}  // namespace weft
