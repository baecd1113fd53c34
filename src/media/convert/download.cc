// SPDX-License-Identifier: Apache-2.0
// Work texture -> frame: convert to the frame's colour where it differs, pack.wgsl makes planes in a buffer, the buffer is mapped and
// becomes the frame.
#include "media/convert/converter_impl.h"

namespace weft::media {
namespace {

struct PackParams {
  uint32_t size[4];
  uint32_t planes[4][4];
  uint32_t inside[4][4];
  uint32_t component[4][4];
  int32_t chroma_taps[4];
  uint32_t chroma_kind[4];
  float from_rgb[4][4];
  float top[4];
};

// Texels around a chroma sample: a box of those it stands for where it lies between them, a tent of twice the width where it lies on one.
struct Taps {
  int first, count;
  bool tent;
};
Taps TapsOf(int log2, bool on_first, bool on_last) {
  const int s = 1 << log2;
  if (s == 1) return {0, 1, false};
  if (on_first) return {1 - s, 2 * s - 1, true};
  if (on_last) return {0, 2 * s - 1, true};
  return {0, s, false};
}

// Where the planes lie in the frame's buffer.
struct PlanePlan {
  uint64_t at = 0;      // byte
  uint64_t stride = 0;  // bytes, whole words
  uint32_t rows = 0;
};

// The frame lives as long as its memory is mapped.
Ref<CpuFrame> Wrap(const FrameInfo& info, const std::vector<PlanePlan>& plan, Ref<gpu::MappedRows> rows) {
  std::vector<CpuFrame::Plane> planes;
  auto* base = const_cast<uint8_t*>(reinterpret_cast<const uint8_t*>(rows->data()));  // immutable once handed on, see frame.h
  for (const PlanePlan& p : plan) planes.push_back({base + p.at, static_cast<size_t>(p.stride)});
  return CpuFrame::Wrap(info, planes, std::make_shared<Ref<gpu::MappedRows>>(std::move(rows)));
}

}  // namespace

void Converter::Impl::Download(const gpu::PoolTexture& source, const WorkInfo& have, const FrameInfo& want, FrameCallback done) {
  const PixelLayout& layout = LayoutOf(want.format);
  Ref<gpu::PoolBuffer> staging;
  std::vector<PlanePlan> plan(layout.planes);
  uint64_t total = 0;
  Ref<gpu::PoolTexture> converted;

  auto prepare = [&]() -> Result<bool> {  // true: the texture's bytes are the frame
    if (source.width() != static_cast<uint32_t>(want.width) || source.height() != static_cast<uint32_t>(want.height)) {
      return Fail(ErrorKind::InvalidArgument, "The frame is to be {}x{}, but the texture is {}x{}.", want.width, want.height,
                  source.width(), source.height());
    }
    const Meaning samples = MeaningOf(want);
    WEFT_TRY_ASSIGN(const SampleMatrix matrix, FromRgb(layout, want.color));
    WEFT_TRY_ASSIGN(const Recolor recolor, MakeRecolor(MeaningOf(have), samples));
    // Over black is what premultiplied colour is already; where no alpha is written, nothing has to be made 1.
    const bool same = recolor.IsIdentity() || (!recolor.recolors && !layout.has_alpha && have.alpha == AlphaMode::Premultiplied);
    const bool plain = want.color.full_range || layout.type != SampleType::Unorm;
    if (TwinOf(want.format) == source.format() && plain && recolor.IsIdentity()) return true;
    const gpu::PoolTexture* from = &source;
    if (!same) {
      WEFT_TRY_ASSIGN(converted, device->textures().Acquire({source.width(), source.height(), WGPUTextureFormat_RGBA32Float,
                                                             WGPUTextureUsage_TextureBinding | WGPUTextureUsage_StorageBinding}));
      WEFT_TRY(Convert(source, *converted, recolor));
      from = converted.get();
    }

    JobSpec spec{.kernel = Kernel::Pack};
    // Chroma by its own kernel, two planes at once: planar integers whose columns share chroma in pairs.
    const bool pairs =
        layout.model == ColorModel::Yuv && layout.planes == layout.components && layout.log2_chroma_w == 1 && layout.log2_chroma_h <= 1;
    const bool subsampled = layout.model == ColorModel::Yuv && (layout.log2_chroma_w || layout.log2_chroma_h);
    spec.constants = {{"MODEL", double(layout.model == ColorModel::Gray  ? 0
                                       : layout.model == ColorModel::Rgb ? 1
                                                                         : 2)},
                      {"SAMPLE", double(layout.type == SampleType::Unorm  ? 0
                                        : layout.type == SampleType::Half ? 1
                                                                          : 2)},
                      {"BYTES", double(layout.bytes_per_sample)},
                      {"SUBSAMPLED", double(subsampled && !pairs)},
                      {"PLANAR", double(layout.planes == layout.components && layout.type == SampleType::Unorm)}};
    JobSpec chroma{.kernel = Kernel::PackPairs, .constants = {{"BYTES", double(layout.bytes_per_sample)}}};
    PackParams params{};
    params.size[0] = source.width(), params.size[1] = source.height(), params.size[2] = layout.shift;
    for (auto& plane : params.component) {
      for (uint32_t& c : plane) c = 4;
    }
    for (int c = 0; c < layout.components; ++c) {
      // Alpha is component 3 of a texel; gray has no 1 and 2.
      const bool is_alpha = layout.has_alpha && c == layout.components - 1;
      params.component[layout.component[c].plane][layout.component[c].offset] = is_alpha ? 3 : static_cast<uint32_t>(c);
    }
    if (subsampled) {
      const ChromaSiting s = want.chroma;
      const bool left =
          s == ChromaSiting::Unspecified || s == ChromaSiting::Left || s == ChromaSiting::TopLeft || s == ChromaSiting::BottomLeft;
      const Taps x = TapsOf(layout.log2_chroma_w, left, false);
      const Taps y = TapsOf(layout.log2_chroma_h, s == ChromaSiting::TopLeft || s == ChromaSiting::Top,
                            s == ChromaSiting::BottomLeft || s == ChromaSiting::Bottom);
      params.chroma_taps[0] = x.first, params.chroma_taps[1] = x.count, params.chroma_taps[2] = y.first, params.chroma_taps[3] = y.count;
      params.chroma_kind[0] = 1u << layout.log2_chroma_w, params.chroma_kind[1] = 1u << layout.log2_chroma_h;
      params.chroma_kind[2] = x.tent, params.chroma_kind[3] = y.tent;
      if (pairs) chroma.constants.insert(chroma.constants.end(), {{"TENT_X", double(x.tent)}, {"ROWS", double(y.count)}});
    }
    const float top = static_cast<float>((1u << layout.bits) - 1);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 4; ++j) params.from_rgb[i][j] = static_cast<float>(matrix.matrix[i][j]);
    }
    params.from_rgb[3][0] = layout.type == SampleType::Unorm ? top : 1;
    params.top[0] = top;

    uint32_t most_words = 0;
    for (int p = 0; p < layout.planes; ++p) {
      plan[p].at = total;
      plan[p].stride = (layout.RowBytes(p, want.width) + 3) & ~size_t{3};
      plan[p].rows = static_cast<uint32_t>(layout.PlaneHeight(p, want.height));
      total += plan[p].stride * plan[p].rows;
      most_words = std::max(most_words, static_cast<uint32_t>(plan[p].stride / 4));
    }
    WEFT_TRY_ASSIGN(staging, device->buffers().Acquire(total, WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst));

    // One strip, unless a binding cannot hold the frame. Rows are whole chroma rows.
    const uint64_t most = strip_bytes;
    const uint32_t height = source.height();
    uint32_t strip = height;
    while (total / height * strip > most && strip > 16) strip = (strip / 2 + 15) / 16 * 16;
    for (uint32_t y = 0; y < height; y += strip) {
      uint64_t bytes = 0;
      uint32_t most_rows = 0;
      uint32_t first[CpuFrame::kMaxPlanes], rows[CpuFrame::kMaxPlanes];
      uint64_t at[CpuFrame::kMaxPlanes];
      for (int p = 0; p < layout.planes; ++p) {
        const int down = layout.IsChromaPlane(p) ? layout.log2_chroma_h : 0;
        first[p] = y >> down;
        rows[p] = y + strip >= height ? plan[p].rows - first[p] : strip >> down;
        at[p] = bytes;
        params.planes[p][0] = static_cast<uint32_t>(bytes / 4);
        params.planes[p][1] = static_cast<uint32_t>(plan[p].stride / 4);
        params.planes[p][2] = rows[p];
        params.planes[p][3] = static_cast<uint32_t>(layout.PlaneWidth(p, want.width) * layout.PlaneStep(p));
        params.inside[p][0] = static_cast<uint32_t>(layout.PlaneStep(p));
        params.inside[p][1] = layout.IsChromaPlane(p);
        params.inside[p][2] = first[p];
        bytes += plan[p].stride * rows[p];
        most_rows = std::max(most_rows, rows[p]);
      }
      WEFT_TRY_ASSIGN(auto packed, device->buffers().Acquire(bytes, WGPUBufferUsage_Storage | WGPUBufferUsage_CopySrc));
      auto planes = static_cast<uint32_t>(layout.planes);
      if (pairs) {
        chroma.SetParams(params);
        // What is left are plane 0 and alpha.
        PackParams rest = params;
        for (auto* list : {rest.planes, rest.inside, rest.component}) std::copy_n(list[3], 4, list[1]);
        planes = layout.has_alpha ? 2 : 1;
        spec.SetParams(rest);
      } else {
        spec.SetParams(params);
      }
      WEFT_TRY(Send("the packing of a frame", [&](WGPUCommandEncoder encoder) -> Status {
        const Bound in = Bound::Of(*from), out = Bound::Of(*packed, bytes);
        WEFT_TRY(jobs.Encode(encoder, spec, in, out, most_words, most_rows, planes));
        if (pairs) WEFT_TRY(jobs.Encode(encoder, chroma, in, out, static_cast<uint32_t>(plan[1].stride / 4), rows[1]));
        for (int p = 0; p < layout.planes; ++p) {
          device->procs().CommandEncoderCopyBufferToBuffer(encoder, packed->buffer(), at[p], staging->buffer(),
                                                           plan[p].at + first[p] * plan[p].stride, plan[p].stride * rows[p]);
        }
        return {};
      }));
    }
    device->counters().Download(total);
    return false;
  };

  auto direct = prepare();
  if (!direct) return done(std::move(direct.error()).Context("reading a frame back from the GPU"));
  auto finish = [want, done = std::move(done)](std::vector<PlanePlan> planes, Result<Ref<gpu::MappedRows>> rows) {
    if (!rows) return done(std::move(rows.error()));
    if (planes.empty()) planes = {{0, (*rows)->stride(), (*rows)->height()}};
    done(Wrap(want, planes, std::move(*rows)));
  };
  if (*direct) {
    return gpu::ReadTexture(source, [finish = std::move(finish)](Result<Ref<gpu::MappedRows>> rows) { finish({}, std::move(rows)); });
  }
  gpu::MapRows(std::move(staging), total, total, 1,
               [finish = std::move(finish), plan = std::move(plan)](Result<Ref<gpu::MappedRows>> rows) { finish(plan, std::move(rows)); });
}

}  // namespace weft::media
