// SPDX-License-Identifier: Apache-2.0
// Bystander: another instance on the same device, which does the same small frame after every sequence: it must come out the same, bit for
// bit, whatever the sequence did. It draws into pool textures, the same that sequences had lent before.
#pragma once

#include <memory>
#include <vector>

#include "gpu/texture_pool.h"
#include "guest.h"

namespace weft::fuzz {

class Bystander {
 public:
  static Result<std::unique_ptr<Bystander>> Create(const Ref<gpu::Device>& device);
  // A frame, drawn and compared with the first one. An Error says how it differs or failed. All that was submitted before is finished then.
  Status Check();

 private:
  explicit Bystander(const Ref<gpu::Device>& device);
  Status Prepare();
  Result<std::vector<std::byte>> Draw();
  Status Errors();

  const Ref<gpu::Device> device_;
  host::VirtualGpu gpu_;
  Rep handle_ = 0, queue_ = 0, pipeline_ = 0, group_ = 0, uniform_ = 0;
  uint64_t frame_ = 0;
  std::vector<std::byte> first_;
};

// The texture that frames lend to guests, and its description.
gpu::TextureKey LentKey(const gpu::Device& device);
host::TextureInfo LentInfo();

}  // namespace weft::fuzz
