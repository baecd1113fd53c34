// SPDX-License-Identifier: Apache-2.0
// Bed: the one runtime and device of this binary, pictures of known content, and chains that take and give textures, so that nothing is
// converted on the way and every picture can be compared bit by bit. Tests only.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "gpu/device.h"
#include "gpu/texture_pool.h"
#include "runtime/chain.h"
#include "runtime/runtime.h"

namespace weft::hostile {

// Of each call of a guest, in seconds: long enough for a slow machine, short enough to wait for.
inline constexpr uint64_t kCallSeconds = 3;
inline constexpr uint64_t kGpuBytes = uint64_t{64} << 20;
inline constexpr uint64_t kGpuObjects = 3000;
inline constexpr uint32_t kWidth = 40, kHeight = 24;

using Picture = std::vector<std::byte>;

std::string Guest(const std::string& name);   // a built test guest's path
std::string Plugin(const std::string& name);  // a built sample plugin's path

// In process, with the limits above. Ends with the test program.
Ref<runtime::Runtime> SharedRuntime();
Ref<gpu::Device> SharedDevice();

// rgba16float, linear, premultiplied; no texel is zero, and each number makes another picture.
Picture MakePicture(int number);
Ref<gpu::PoolTexture> Upload(const Picture& picture);
Picture Read(WGPUTexture texture);
bool AllZero(const Picture& picture);

// A chain that takes textures as they are and gives textures.
class Line {
 public:
  static Result<Line> Create(std::vector<runtime::ChainNode> nodes);
  runtime::Chain& chain() { return *chain_; }
  Status Push(const gpu::PoolTexture& texture, uint64_t number);
  Result<Picture> Pull();

 private:
  explicit Line(Ref<runtime::Chain> chain) : chain_(std::move(chain)) {}
  Ref<runtime::Chain> chain_;
};

// The hostile guest (or another build of it) as node 'guest', set to a deed.
Result<Line> HostileLine(const std::string& deed, const std::string& guest = "hostile.wasm");

// A neighbour on the same device: identity and a blur. Its pictures of `sources` were made before any hostile guest ran in this program.
class Bystander {
 public:
  static Bystander& Get();
  static constexpr int kFrames = 4;

  const Ref<gpu::PoolTexture>& source(int i) const { return sources_[i]; }
  const Picture& content(int i) const { return contents_[i]; }
  void Push(int i);
  // Fails the test unless the picture is what it was.
  void PullAndCompare(int i);
  // Pictures come and go: the pool's free textures hold the bystander's afterwards.
  void FillPool();

 private:
  Bystander();
  std::vector<Picture> contents_, expected_;
  std::vector<Ref<gpu::PoolTexture>> sources_;
  std::vector<Line> line_;  // one
};

}  // namespace weft::hostile
