// SPDX-License-Identifier: Apache-2.0
// Frame -> work texture: planes go as bytes into a buffer, unpack.wgsl makes texels of them.
#include <cstring>

#include "media/convert/converter_impl.h"

namespace weft::media {
namespace {

struct UnpackParams {
  uint32_t width, height, first_row, shift;
  uint32_t planes[4][4];
  uint32_t component[4][4];
  uint32_t chroma_last[4];
  float chroma_map[4];
  Rows3 to_rgb;
  Rows3 primaries;
  float top[4];
};

// Chroma column (row) = luma column (row) * scale + bias.
struct SitingMap {
  float scale, bias;
};
SitingMap MapOf(int log2, bool co_sited_first, bool co_sited_last) {
  const float s = static_cast<float>(1 << log2);
  const float first = co_sited_first ? 0.0f : co_sited_last ? s - 1 : (s - 1) / 2;  // luma place of chroma sample 0
  return {1 / s, -first / s};
}

// Rows of a plane that a strip of luma rows needs, with the neighbours that interpolation looks at.
struct RowRange {
  uint32_t first, count;
};
RowRange RowsOf(const PixelLayout& layout, int plane, int height, uint32_t y, uint32_t rows) {
  const auto all = static_cast<uint32_t>(layout.PlaneHeight(plane, height));
  if (!layout.IsChromaPlane(plane) || layout.log2_chroma_h == 0) return {y, rows};
  const uint32_t from = y >> layout.log2_chroma_h, to = (y + rows - 1) >> layout.log2_chroma_h;
  const uint32_t first = from > 0 ? from - 1 : 0;
  return {first, std::min(all, to + 2) - first};
}

uint64_t Aligned(uint64_t n) { return (n + 15) & ~uint64_t{15}; }

}  // namespace

Status Converter::Impl::Upload(const CpuFrame& frame, const gpu::PoolTexture& target, const WorkInfo& want) {
  const FrameInfo& info = frame.info();
  WEFT_TRY(CheckFrame(info));
  const PixelLayout& layout = frame.layout();
  if (target.width() != static_cast<uint32_t>(info.width) || target.height() != static_cast<uint32_t>(info.height)) {
    return Fail(ErrorKind::InvalidArgument, "The frame is {}x{}, but the texture for it is {}x{}.", info.width, info.height, target.width(),
                target.height());
  }
  const Meaning samples = MeaningOf(info);
  WEFT_TRY_ASSIGN(const SampleMatrix matrix, ToRgb(layout, info.color));
  WEFT_TRY_ASSIGN(const Recolor recolor, MakeRecolor(samples, MeaningOf(want)));
  // Byte for byte, unless an alpha that means nothing must become 1.
  if (TwinOf(info.format) == target.format() && recolor.IsIdentity() && matrix.as_is && samples.alpha != AlphaMode::Opaque) {
    return gpu::UploadTexture(target, frame.data(0), static_cast<ptrdiff_t>(frame.stride(0)));
  }

  JobSpec spec{.kernel = Kernel::Unpack, .target = target.format()};
  const bool subsampled = layout.model == ColorModel::Yuv && (layout.log2_chroma_w || layout.log2_chroma_h);
  spec.constants = {{"MODEL", double(layout.model == ColorModel::Gray  ? 0
                                     : layout.model == ColorModel::Rgb ? 1
                                                                       : 2)},
                    {"SAMPLE", double(layout.type == SampleType::Unorm  ? 0
                                      : layout.type == SampleType::Half ? 1
                                                                        : 2)},
                    {"BYTES", double(layout.bytes_per_sample)},
                    {"HAS_ALPHA", double(layout.has_alpha)},
                    {"SUBSAMPLED", double(subsampled)},
                    {"AFFINE", double(!matrix.as_is)}};
  recolor.AddTo(spec.constants);

  // The fast entry: planar integers, no or paired chroma columns.
  bool fast = layout.type == SampleType::Unorm && layout.planes == layout.components && layout.log2_chroma_w <= 1 &&
              layout.log2_chroma_h <= 1 && layout.model != ColorModel::Gray && (!subsampled || layout.log2_chroma_w == 1);
  for (int p = 0; p < layout.planes; ++p) fast = fast && frame.stride(p) % 4 == 0;
  if (fast) {
    spec.kernel = Kernel::Unpack4;
    spec.constants.push_back({"CENTER_X", double(info.chroma == ChromaSiting::Center || info.chroma == ChromaSiting::Top ||
                                                 info.chroma == ChromaSiting::Bottom)});
  }

  UnpackParams params{};
  params.width = target.width();
  params.shift = layout.shift;
  for (int c = 0; c < layout.components; ++c) {
    const Component& component = layout.component[c];
    params.component[c][0] = component.plane;
    params.component[c][1] = component.step;
    params.component[c][2] = component.offset;
  }
  if (subsampled) {
    const ChromaSiting s = info.chroma;
    const bool left =
        s == ChromaSiting::Unspecified || s == ChromaSiting::Left || s == ChromaSiting::TopLeft || s == ChromaSiting::BottomLeft;
    const bool top = s == ChromaSiting::TopLeft || s == ChromaSiting::Top;
    const bool bottom = s == ChromaSiting::BottomLeft || s == ChromaSiting::Bottom;
    const SitingMap x = MapOf(layout.log2_chroma_w, left, false), y = MapOf(layout.log2_chroma_h, top, bottom);
    params.chroma_map[0] = x.scale, params.chroma_map[1] = x.bias, params.chroma_map[2] = y.scale, params.chroma_map[3] = y.bias;
  }
  if (layout.model == ColorModel::Yuv) {
    params.chroma_last[0] = static_cast<uint32_t>(layout.PlaneWidth(1, info.width) - 1);
    params.chroma_last[1] = static_cast<uint32_t>(layout.PlaneHeight(1, info.height) - 1);
  }
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) params.to_rgb[i][j] = static_cast<float>(matrix.matrix[i][j]);
  }
  params.primaries = recolor.primaries;
  params.top[0] = static_cast<float>((1u << layout.bits) - 1);

  // One strip, unless a binding cannot hold the frame.
  const uint64_t most = strip_bytes;
  uint64_t bytes = 0;
  for (int p = 0; p < layout.planes; ++p) bytes += uint64_t{frame.stride(p)} * static_cast<uint64_t>(frame.rows(p)) + 16;
  uint32_t rows = target.height();
  while (bytes / target.height() * rows > most && rows > 16) rows = (rows / 2 + 15) / 16 * 16;
  for (uint32_t y = 0; y < target.height(); y += rows) {
    params.first_row = y;
    params.height = std::min(rows, target.height() - y);
    WEFT_TRY(UploadStrip(frame, target, spec, &params, y, params.height));
  }
  uint64_t sent = 0;
  for (int p = 0; p < layout.planes; ++p) sent += uint64_t{frame.row_bytes(p)} * static_cast<uint64_t>(frame.rows(p));
  device->counters().Upload(sent);
  return {};
}

Status Converter::Impl::UploadStrip(const CpuFrame& frame, const gpu::PoolTexture& target, JobSpec& spec, void* block, uint32_t first,
                                    uint32_t rows) {
  auto& params = *static_cast<UnpackParams*>(block);
  const PixelLayout& layout = frame.layout();
  struct Piece {
    uint64_t at, stride;
    RowRange rows;
    bool packed;
  };
  Piece pieces[CpuFrame::kMaxPlanes];
  uint64_t size = 0;
  for (int p = 0; p < layout.planes; ++p) {
    Piece& piece = pieces[p];
    piece.rows = RowsOf(layout, p, frame.height(), first, rows);
    // A row that begins in the middle of a sample, or rows far apart, are packed.
    piece.packed = frame.stride(p) % layout.bytes_per_sample != 0 || frame.stride(p) > 2 * frame.row_bytes(p) + 256;
    piece.stride = piece.packed ? (frame.row_bytes(p) + 3) & ~size_t{3} : frame.stride(p);
    piece.at = size;
    size = Aligned(size + piece.stride * (piece.rows.count - 1) + frame.row_bytes(p));
    params.planes[p][0] = static_cast<uint32_t>(piece.at);
    params.planes[p][1] = static_cast<uint32_t>(piece.stride);
    params.planes[p][2] = piece.rows.first;
  }
  size += 16;  // unpack4 loads a word or two behind the last sample
  WEFT_TRY_ASSIGN(auto buffer, device->buffers().Acquire(size, WGPUBufferUsage_Storage | WGPUBufferUsage_CopyDst));

  gpu::ErrorCollector errors;
  std::vector<uint8_t> packed;
  for (int p = 0; p < layout.planes; ++p) {
    const Piece& piece = pieces[p];
    const uint8_t* data = frame.data(p) + size_t{piece.rows.first} * frame.stride(p);
    uint64_t bytes = piece.stride * (piece.rows.count - 1) + frame.row_bytes(p);
    if (piece.packed) {
      packed.assign(bytes, 0);
      for (uint32_t y = 0; y < piece.rows.count; ++y)
        std::memcpy(packed.data() + y * piece.stride, data + y * frame.stride(p), frame.row_bytes(p));
      data = packed.data();
    }
    // The queue writes whole words; the bytes behind the last sample are not ours to read.
    const uint64_t whole = bytes & ~uint64_t{3};
    if (whole) device->WriteBuffer(buffer->buffer(), piece.at, data, whole);
    if (whole < bytes) {
      uint8_t tail[4] = {};
      std::memcpy(tail, data + whole, bytes - whole);
      device->WriteBuffer(buffer->buffer(), piece.at + whole, tail, sizeof tail);
    }
  }
  WEFT_TRY(device->Outcome(errors, "the upload of a frame"));
  spec.SetParams(params);
  return Send("the unpacking of a frame", [&](WGPUCommandEncoder encoder) {
    return jobs.Encode(encoder, spec, Bound::Of(*buffer, size), Bound::Of(target),
                       spec.kernel == Kernel::Unpack4 ? (params.width + 3) / 4 : params.width, params.height);
  });
}

}  // namespace weft::media
