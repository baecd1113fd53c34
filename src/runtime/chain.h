// SPDX-License-Identifier: Apache-2.0
// Chain: an embedding program's own frames through plugins, in this process. One thread may push while another pulls and a third sets.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "graph/literal.h"
#include "media/frame.h"
#include "runtime/runtime.h"

typedef struct WGPUTextureImpl* WGPUTexture;

namespace weft::runtime {

struct ChainNode {
  std::string id;  // empty: the file's stem
  std::string path;
};

struct ChainOptions {
  std::vector<ChainNode> nodes;
  std::string work_format = "rgba16float";
  Rational rate = {0, 1};
  int queue_depth = 4;
};

// One pulled frame: its pixels on the CPU, or its texture.
class Image : public RefCounted {
 public:
  virtual const graph::FrameTime& time() const = 0;
  virtual const media::CpuFrame* cpu() const = 0;              // null of PullTexture
  virtual const graph::TextureInfo* texture_info() const = 0;  // null of Pull
  virtual WGPUTexture texture() const = 0;                     // usable until the Image is released
};

class Chain : public RefCounted {
 public:
  // Loads the plugins; they are configured at the first frame.
  static Result<Ref<Chain>> Create(Ref<Runtime> runtime, const ChainOptions& options);
  ~Chain() override;

  // From the next pushed frame on. Checked here.
  Status Set(const std::string& node, const std::string& parameter, const graph::Literal& value);
  // Waits while queue_depth frames are under way. `frame` must not change any more (copy first if it might).
  Status Push(Ref<media::CpuFrame> frame, graph::FrameTime time);
  // A texture of the runtime's device, referenced until the frame has been pulled.
  Status PushTexture(WGPUTexture texture, media::ColorSpace color, media::AlphaMode alpha, graph::FrameTime time);
  // In the order of the pushes. InvalidArgument when no frame is under way. A failed frame's error comes here; later frames go on.
  Result<Ref<Image>> Pull(media::PixelFormat format, media::AlphaMode alpha = media::AlphaMode::Straight);
  Result<Ref<Image>> PullTexture();

 private:
  struct State;
  Chain(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace weft::runtime
