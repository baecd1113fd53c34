// SPDX-License-Identifier: Apache-2.0
// What flows along edges: Payload (one frame's thing), PortInfo (what a port's frames are), FrameTime, Project. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "base/ref.h"
#include "media/frame.h"
#include "media/media.h"

namespace weft::graph {

// A picture in GPU memory.
struct TextureInfo {
  uint32_t width = 0;
  uint32_t height = 0;
  std::string format;  // as WebGPU spells it, "rgba16float"
  media::ColorSpace color;
  media::AlphaMode alpha = media::AlphaMode::Opaque;
  Rational pixel_aspect = {1, 1};
  // The layout that the picture had in its file, so that a sink can keep a depth; None where it was made here.
  media::PixelFormat origin = media::PixelFormat::None;
  friend bool operator==(const TextureInfo&, const TextureInfo&) = default;
};

struct BufferInfo {
  uint64_t size = 0;
  friend bool operator==(const BufferInfo&, const BufferInfo&) = default;
};
struct DataInfo {
  friend bool operator==(const DataInfo&, const DataInfo&) = default;
};

// What is connected to an input or what an output is going to be. monostate: nothing. media::FrameInfo: a picture in CPU memory.
using PortInfo = std::variant<std::monostate, media::FrameInfo, TextureInfo, BufferInfo, DataInfo>;
// "1920x1080 rgba16float", for messages and plans.
std::string DescribeInfo(const PortInfo& info);

// One thing on an edge for one frame: a CPU picture, a texture, a buffer, bytes. Who makes nodes derives from it; the scheduler only holds
// it. Immutable once a node has handed it out; any thread.
class Payload : public RefCounted {
 public:
  // What it really is, which may differ from what was planned (pictures of a sequence may change size).
  virtual const PortInfo& info() const = 0;
};

struct FrameTime {
  uint64_t number = 0;  // as the source counts: the number in a sequence's file name
  Rational pts;
  Rational duration;
  media::Metadata metadata;
};

// What a source reads, for ramps, sinks and messages.
struct SourceInfo {
  media::StreamInfo stream;
  std::string path;
};

// What the graph is making, as one node sees it.
struct Project {
  TextureInfo frame;                   // size and colour of the node's own source; `format` is the work format
  Rational rate;                       // 0/1 where there is no constant rate
  std::optional<SourceInfo> source;    // the source that the node's first input comes from
  std::optional<int64_t> frame_count;  // of the run, where it is known
};

}  // namespace weft::graph
