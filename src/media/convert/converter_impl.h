// SPDX-License-Identifier: Apache-2.0
// Converter::Impl, shared by converter.cc (checks, convert, resize), upload.cc and download.cc.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fail.h"
#include "gpu/format.h"
#include "gpu/transfer.h"
#include "media/convert/color_math.h"
#include "media/convert/converter.h"
#include "media/convert/jobs.h"

namespace weft::media {

// Rows of a matrix as a uniform block has them.
using Rows3 = std::array<std::array<float, 4>, 3>;
inline Rows3 AsRows(const Matrix3& m) {
  Rows3 out{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) out[i][j] = static_cast<float>(m[i][j]);
  }
  return out;
}

// What color.wgsl needs to go from one meaning to another.
struct Recolor {
  Rows3 primaries{};
  uint32_t from_curve = 8, to_curve = 8, from_alpha = 0, to_alpha = 0;
  bool recolors = false, changes_primaries = false;

  bool IsIdentity() const { return !recolors && from_alpha == to_alpha; }
  void AddTo(std::vector<gpu::KernelConstant>& constants) const {
    constants.insert(constants.end(), {{"FROM_TRANSFER", double(from_curve)},
                                       {"TO_TRANSFER", double(to_curve)},
                                       {"RECOLOR", double(recolors)},
                                       {"PRIMARIES", double(changes_primaries)},
                                       {"FROM_ALPHA", double(from_alpha)},
                                       {"TO_ALPHA", double(to_alpha)}});
  }
};
struct Meaning {
  uint8_t primaries, transfer;
  AlphaMode alpha;
};
inline Meaning MeaningOf(const WorkInfo& w) { return {w.primaries, w.transfer, w.alpha}; }
Result<Recolor> MakeRecolor(const Meaning& from, const Meaning& to);

// The meaning of a frame's samples once they are R'G'B'A.
inline Meaning MeaningOf(const FrameInfo& info) {
  return {info.color.primaries, info.color.transfer, LayoutOf(info.format).has_alpha ? info.alpha : AlphaMode::Opaque};
}

// The texture format whose texels are this layout's pixels byte for byte; Undefined where there is none.
WGPUTextureFormat TwinOf(PixelFormat format);

class Converter::Impl {
 public:
  explicit Impl(Ref<gpu::Device> d)
      : device(std::move(d)),
        jobs(device),
        strip_bytes(std::min(device->limits().maxStorageBufferBindingSize, device->limits().maxBufferSize) / 2) {}

  Status Upload(const CpuFrame& frame, const gpu::PoolTexture& target, const WorkInfo& want);
  void Download(const gpu::PoolTexture& source, const WorkInfo& have, const FrameInfo& want, FrameCallback done);
  Status Convert(const gpu::PoolTexture& from, const gpu::PoolTexture& to, const Recolor& recolor);
  Status Resize(const gpu::PoolTexture& from, const WorkInfo& have, const gpu::PoolTexture& to, const WorkInfo& want,
                const ResizeOptions& options);
  Status CheckTexture(const gpu::PoolTexture& texture, const WorkInfo& info, std::string_view what) const;

  // Encoder, what `record` puts into it, submit.
  template <class Record>
  Status Send(std::string_view doing, Record record) {
    const gpu::Procs& procs = device->procs();
    gpu::ErrorCollector errors;
    auto encoder = device->Own(procs.DeviceCreateCommandEncoder(device->handle(), nullptr));
    WEFT_TRY(record(encoder.get()));
    auto commands = device->Own(procs.CommandEncoderFinish(encoder.get(), nullptr));
    WEFT_TRY(device->Outcome(errors, doing));
    device->Submit(commands.get());
    return device->Outcome(errors, doing);
  }

  Ref<gpu::Device> device;
  Jobs jobs;
  std::atomic<uint64_t> strip_bytes;

 private:
  Status UploadStrip(const CpuFrame& frame, const gpu::PoolTexture& target, JobSpec& spec, void* params, uint32_t first, uint32_t rows);
};

}  // namespace weft::media
