// SPDX-License-Identifier: Apache-2.0
#include "generate.h"

#include <limits>

namespace weft::fuzz {

List<uint8_t> Generator::Bytes(size_t n) {
  auto* all = g_.arena.Array<uint8_t>(n);
  const uint64_t chance = r_.Next();
  for (size_t i = 0; i < n; i += 4) all[i] = static_cast<uint8_t>(chance >> (i / 4 % 31) & 3);
  return {all, n};
}

uint64_t Generator::Number() {
  if (polite_) return r_.OneOf<uint64_t>({0, 0, 1, 1, 2, 3, 4, 8, 16, 256});
  switch (r_.Below(4)) {
    case 0: return r_.Below(300);
    case 1: {
      const uint64_t power = 1ull << r_.Below(64);
      return power + r_.Below(3) - 1;
    }
    case 2:
      return r_.OneOf<uint64_t>({0, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x100000000, 0xFFFFFFFFFFFFFFFF, 0x7FFFFFFFFFFFFFFF, 0xFFFFFFFC,
                                 0xFFFFFFFFFFFFFFFC, 0xFFFFFFFFFFFFFF00, 65535, 65536, 8192, 8193, 2048, 2049, 4096, 4097});
    default: return r_.Next();
  }
}

double Generator::Real() {
  if (polite_) return r_.OneOf({0.0, 0.25, 0.5, 1.0});
  using L = std::numeric_limits<double>;
  return r_.OneOf({0.0, -0.0, 1.0, -1.0, 0.5, 1.0000001, -1e-30, 8192.0, 1e9, 1e38, -1e38, 1e300, 1e-310, L::quiet_NaN(), L::infinity(),
                   -L::infinity(), 65535.0, 16383.0, -16384.0});
}

Str Generator::Text() {
  static const std::vector<std::string> kPolite = {"a",          "vertices",        "main",
                                                   "shader-f16", "maxBindGroups",   "maxTextureDimension2D",
                                                   "k",          "timestamp-query", "packed_4x8_integer_dot_product"};
  if (polite_) return g_.arena.Text(r_.OneOf(kPolite));
  static const std::vector<std::string> kStrange = {"",
                                                    std::string(1, '\0'),
                                                    std::string("a\0b", 3),
                                                    "\xE2\x80\xAE \xF0\x9F\x98\x80",
                                                    "%s%n{}{0}",
                                                    "rgba",
                                                    "rrrr",
                                                    "rgbx",
                                                    "fs",
                                                    "vs",
                                                    "main",
                                                    "no such",
                                                    "minUniformBufferOffsetAlignment",
                                                    "maxBufferSize",
                                                    std::string(300, 'x'),
                                                    std::string(70000, 'y'),
                                                    "core",
                                                    "compatibility",
                                                    "xr"};
  return g_.arena.Text(r_.OneOf(kStrange));
}

}  // namespace weft::fuzz
