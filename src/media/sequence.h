// SPDX-License-Identifier: Apache-2.0
// Names of numbered sequences: "shot/%06d.png".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace weft::media {

class SequencePattern {
 public:
  // Nullopt where `spec` holds no %d at all; an error where it holds something else that begins with %. "%%" is a percent sign.
  static Result<std::optional<SequencePattern>> Parse(std::string_view spec);
  std::string Name(int64_t number) const;
  // The numbers of the files that are there, in order.
  Result<std::vector<int64_t>> List() const;

 private:
  std::optional<int64_t> NumberOf(std::string_view name) const;
  std::string folder_;  // with its slash, or ""
  std::string prefix_;
  std::string suffix_;
  int width_ = 0;  // digits at least, filled with zeros
};

// "3, 7-9 and 12" of sorted numbers; long lists end in "and 40 more".
std::string DescribeNumbers(const std::vector<int64_t>& numbers);

}  // namespace weft::media
