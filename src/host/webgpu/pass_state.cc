// SPDX-License-Identifier: Apache-2.0
#include "host/webgpu/pass_state.h"

namespace weft::host {

VPass::~VPass() {
  // Dropped without an end: the encoder stays locked, as the specification says.
  if (parent_->open_pass == this) parent_->open_pass = nullptr;
}

void VPass::Unlock() {
  if (parent_->open_pass != this) return;
  parent_->open_pass = nullptr;
  if (parent_->state == VCommandEncoder::State::Locked) parent_->state = VCommandEncoder::State::Open;
}

bool TargetLayout::Matches(const std::vector<OptFormat>& their_colors, const OptFormat& their_depth_stencil, uint32_t their_samples) const {
  if (samples != their_samples || depth_stencil != their_depth_stencil) return false;
  size_t n = their_colors.size();
  while (n > 0 && !their_colors[n - 1]) --n;
  if (n != colors.size()) return false;
  for (size_t i = 0; i < n; ++i) {
    if (colors[i] != their_colors[i]) return false;
  }
  return true;
}

std::string DescribeTargets(const std::vector<OptFormat>& colors, const OptFormat& depth_stencil, uint32_t samples) {
  std::string out = "[";
  for (const auto& c : colors) {
    if (out.size() > 1) out += ", ";
    out += c ? wit::ToString(*c) : "none";
  }
  out += "], depth-stencil ";
  out += depth_stencil ? wit::ToString(*depth_stencil) : "none";
  out += fmt::format(", {} sample{}", samples, samples == 1 ? "" : "s");
  return out;
}

}  // namespace weft::host
