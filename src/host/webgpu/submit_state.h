// SPDX-License-Identifier: Apache-2.0
// What an instance has submitted and the host has not sent yet. A virtual submit is checked when it is called and sent later, many in one:
// at the end of the frame, or before anything that needs it. Order is that of the calls. Threads: the instance's own.
#pragma once

#include <functional>
#include <vector>

#include "host/webgpu/encoder_state.h"

namespace weft::host {

class SubmitState {
 public:
  struct Pending {
    Ref<VDevice> device;
    gpu::Owned<WGPUCommandBuffer> native;
  };
  std::vector<Pending> pending;
  // Lent resources that submitted work, or a write, may have written; alive ones only are of interest.
  WrittenSet written;
  std::function<void()> before_flush;
  std::vector<WGPUCommandBuffer> handles;  // kept for its memory
};

}  // namespace weft::host
