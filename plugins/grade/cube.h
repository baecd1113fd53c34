// SPDX-License-Identifier: Apache-2.0
// Reader of .cube files (Adobe Cube LUT 1.0, 3D tables). No state; the text is only read during the call.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

struct Cube {
  uint32_t size = 0;  // entries along an edge
  std::array<float, 3> domain_min = {0, 0, 0}, domain_max = {1, 1, 1};
  std::vector<float> texels;  // rgba, red fastest
};

struct CubeError {
  int64_t line = 0;            // from 1; 0: of the whole file
  const char* what = nullptr;  // null: no error
};

CubeError ParseCube(std::string_view text, Cube& cube);
