// SPDX-License-Identifier: Apache-2.0
// Converter: frames into work textures and back, and between work textures, on the GPU.
//
//   CpuFrame  --Upload-->  work texture  --Convert / Resize-->  work texture  --Download-->  CpuFrame
//
// A work texture holds R, G, B, A; its WorkInfo says what they mean. All steps are compute kernels in f32; a step whose two sides are the
// same is left out, so that nothing is lost that the formats can hold:
//   rgba8unorm    8-bit RGB exact
//   rgba16unorm   16-bit RGB exact, where the device has it (ExactWorkFormat)
//   rgba16float   half floats exact; 11 bits of a 16-bit integer
//   rgba32float   everything exact: 16-bit integers come back as they went in
// Light: linear 1.0 is SDR white. PQ is scaled so that 203 cd/m2 = 1.0 (BT.2408); HLG is scene light with its 75 % signal = 1.0, no OOTF.
// BT.709, 601 and 2020 are undone by the inverse of their OETF. Nothing is tone-mapped: what a target cannot hold is clipped.
// Alpha: premultiplied means multiplied in the texture's own transfer. Opaque: the picture over black, alpha 1. Making straight from
// premultiplied, alpha 0 gives 0,0,0,0.
//
// Pipelines, parameters and bind groups are kept by what they are made from: a steady run makes none, and all buffers come from the
// device's pool. Any thread. Nothing waits for the GPU; every call sends its work in queue order.
#pragma once

#include <functional>
#include <memory>

#include "base/ref.h"
#include "base/result.h"
#include "gpu/device.h"
#include "gpu/texture_pool.h"
#include "media/frame.h"

namespace weft::media {

// What the texels of a work texture mean: a property of each edge of a graph.
struct WorkInfo {
  WGPUTextureFormat format = WGPUTextureFormat_RGBA16Float;  // rgba8unorm, rgba16float, rgba32float, rgba16unorm
  uint8_t primaries = 1;                                     // H.273 code points, as in ColorSpace
  uint8_t transfer = 13;                                     // 8 = linear light
  AlphaMode alpha = AlphaMode::Premultiplied;
  friend bool operator==(const WorkInfo&, const WorkInfo&) = default;
};
// "rgba16float, linear, BT.709, premultiplied", for plans and messages.
std::string Describe(const WorkInfo& info);

// The cheapest work format that holds every value of the layout, for identity paths.
WGPUTextureFormat ExactWorkFormat(const gpu::Device& device, PixelFormat format);
// Whether a node that wants `want` may be given a texture of `have` as it is.
inline bool SameWork(const WorkInfo& have, const WorkInfo& want) { return have == want; }

struct ResizeOptions {
  // Part of the source, in its pixels, that is mapped onto `target`; empty width = all of it. May lie between pixels.
  double source_x = 0, source_y = 0, source_width = 0, source_height = 0;
  // Part of the target texture that it fills, in pixels; width 0 = all of it. Outside: transparent black (opaque black for opaque targets).
  int target_x = 0, target_y = 0, target_width = 0, target_height = 0;
};

class Converter : public RefCounted {
 public:
  static Result<Ref<Converter>> Create(Ref<gpu::Device> device);

  // Sends the frame to the GPU and writes all of `target`, whose size is the frame's and whose format is want.format. The frame is read
  // before it returns. Unsupported names a colour that cannot be converted.
  Status Upload(const CpuFrame& frame, const gpu::PoolTexture& target, const WorkInfo& want);

  // Makes a frame of `want` (same size) from the texture; `have` says what that holds. The callback gets it on the GPU thread, or the error
  // there or at once. The frame is mapped GPU memory: it goes back to the pool when its last Ref goes, so do not hoard. pts and number are
  // the caller's.
  using FrameCallback = std::function<void(Result<Ref<CpuFrame>>)>;
  void Download(const gpu::PoolTexture& source, const WorkInfo& have, const FrameInfo& want, FrameCallback done);
  Result<Ref<CpuFrame>> DownloadNow(const gpu::PoolTexture& source, const WorkInfo& have, const FrameInfo& want);  // tests and tools

  // All of `to` (same size) from `from`. Counts as a texture copy.
  Status Convert(const gpu::PoolTexture& from, const WorkInfo& have, const gpu::PoolTexture& to, const WorkInfo& want);

  // Lanczos (3 lobes, widened where it shrinks, so nothing aliases), separable, in linear light with premultiplied alpha, whatever the two
  // sides are. Counts as a texture copy.
  Status Resize(const gpu::PoolTexture& from, const WorkInfo& have, const gpu::PoolTexture& to, const WorkInfo& want,
                const ResizeOptions& options = {});

  // Whether a frame like that can be uploaded, or made by Download: for plans.
  static Status CheckFrame(const FrameInfo& info);
  Status CheckWork(const WorkInfo& info) const;

  // The most bytes of a frame that one kernel works on; larger frames go in strips. By default half of what the device can bind.
  void set_strip_bytes(uint64_t bytes);

  // Drops kept bind groups and parameters, which hold on to textures and buffers of the pools.
  void Trim();

 private:
  class Impl;
  explicit Converter(std::unique_ptr<Impl> impl);
  ~Converter() override;
  std::unique_ptr<Impl> impl_;
};

}  // namespace weft::media
