// SPDX-License-Identifier: Apache-2.0
#include "media/convert/converter.h"

#include <bit>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <numbers>
#include <optional>

#include "media/convert/converter_impl.h"

namespace weft::media {
namespace {

uint32_t AlphaCode(AlphaMode mode) { return mode == AlphaMode::Opaque ? 0 : mode == AlphaMode::Straight ? 1 : 2; }

std::string_view AlphaName(AlphaMode mode) {
  return mode == AlphaMode::Opaque ? "opaque" : mode == AlphaMode::Straight ? "straight" : "premultiplied";
}

bool IsWorkFormat(WGPUTextureFormat format) {
  return format == WGPUTextureFormat_RGBA8Unorm || format == WGPUTextureFormat_RGBA16Float || format == WGPUTextureFormat_RGBA32Float ||
         format == WGPUTextureFormat_RGBA16Unorm;
}

double Lanczos3(double x) {
  x = std::abs(x);
  if (x < 1e-9) return 1;
  if (x >= 3) return 0;
  const double p = std::numbers::pi * x;
  return 3 * std::sin(p) * std::sin(p / 3) / (p * p);
}

// How one direction of a resize looks.
struct Axis {
  double source_first, source_length;  // the part of the source, in its pixels
  int places;                          // of the target
  double scale() const { return source_length / places; }
  double width() const { return std::max(scale(), 1.0); }  // the filter grows where the picture shrinks
  uint32_t taps() const { return static_cast<uint32_t>(std::ceil(6 * width())) + 1; }

  // For each place: first source place as an int's bits, then taps() weights that sum to 1.
  std::vector<float> Weights() const {
    const uint32_t n = taps();
    std::vector<float> out;
    out.reserve(size_t(places) * (n + 1));
    std::vector<double> w(n);
    for (int i = 0; i < places; ++i) {
      const double center = source_first + (i + 0.5) * scale();  // in pixel edges
      const int first = static_cast<int>(std::ceil(center - 3 * width() - 0.5));
      double sum = 0;
      for (uint32_t k = 0; k < n; ++k) sum += w[k] = Lanczos3((first + static_cast<int>(k) + 0.5 - center) / width());
      out.push_back(std::bit_cast<float>(first));
      for (uint32_t k = 0; k < n; ++k) out.push_back(static_cast<float>(w[k] / sum));
    }
    return out;
  }
};

struct ResizeParams {
  uint32_t width, height, taps, source_last;
  int32_t place[4];
  Rows3 primaries;
};

struct ConvertParams {
  uint32_t size[4];
  Rows3 primaries;
};

}  // namespace

std::string Describe(const WorkInfo& info) {
  auto transfer = [&]() -> std::string {
    switch (info.transfer) {
      case 1:
      case 6:
      case 14:
      case 15: return "BT.709 curve";
      case 4: return "gamma 2.2";
      case 5: return "gamma 2.8";
      case 8: return "linear";
      case 13: return "sRGB curve";
      case 16: return "PQ";
      case 18: return "HLG";
      default: return fmt::format("transfer {}", info.transfer);
    }
  };
  auto primaries = [&]() -> std::string {
    switch (info.primaries) {
      case 1: return "BT.709";
      case 5: return "BT.601 625";
      case 6:
      case 7: return "BT.601 525";
      case 9: return "BT.2020";
      case 11: return "DCI-P3";
      case 12: return "Display P3";
      default: return fmt::format("primaries {}", info.primaries);
    }
  };
  return fmt::format("{}, {}, {}, {}", gpu::FormatName(info.format), transfer(), primaries(), AlphaName(info.alpha));
}

WGPUTextureFormat ExactWorkFormat(const gpu::Device& device, PixelFormat format) {
  const PixelLayout& layout = LayoutOf(format);
  if (layout.type == SampleType::Half) return WGPUTextureFormat_RGBA16Float;
  if (layout.type == SampleType::Float) return WGPUTextureFormat_RGBA32Float;
  if (layout.model == ColorModel::Yuv) return layout.bits <= 8 ? WGPUTextureFormat_RGBA16Float : WGPUTextureFormat_RGBA32Float;
  if (layout.bits <= 8) return WGPUTextureFormat_RGBA8Unorm;
  return gpu::AbilitiesOf(device, WGPUTextureFormat_RGBA16Unorm).storage ? WGPUTextureFormat_RGBA16Unorm : WGPUTextureFormat_RGBA32Float;
}

WGPUTextureFormat TwinOf(PixelFormat format) {
  switch (format) {
    case PixelFormat::Rgba8: return WGPUTextureFormat_RGBA8Unorm;
    case PixelFormat::Rgba64: return WGPUTextureFormat_RGBA16Unorm;
    case PixelFormat::RgbaHalf: return WGPUTextureFormat_RGBA16Float;
    case PixelFormat::RgbaFloat: return WGPUTextureFormat_RGBA32Float;
    default: return WGPUTextureFormat_Undefined;
  }
}

Result<Recolor> MakeRecolor(const Meaning& from, const Meaning& to) {
  Recolor out;
  WEFT_TRY_ASSIGN(out.from_curve, CurveOf(from.transfer));
  WEFT_TRY_ASSIGN(out.to_curve, CurveOf(to.transfer));
  WEFT_TRY_ASSIGN(const Matrix3 m, PrimariesMatrix(from.primaries, to.primaries));
  out.changes_primaries = from.primaries != to.primaries;
  out.recolors = out.changes_primaries || out.from_curve != out.to_curve;
  out.primaries = AsRows(m);
  out.from_alpha = AlphaCode(from.alpha);
  out.to_alpha = AlphaCode(to.alpha);
  // One pipeline for all where nothing is recoloured.
  if (!out.recolors) out.from_curve = out.to_curve = 8, out.primaries = {};
  return out;
}

Status Converter::CheckFrame(const FrameInfo& info) {
  if (info.format == PixelFormat::None || info.format >= PixelFormat::Count || info.width <= 0 || info.height <= 0) {
    return Fail(ErrorKind::InvalidArgument, "A frame of {}x{} without a known layout cannot be converted.", info.width, info.height);
  }
  WEFT_TRY(ToRgb(LayoutOf(info.format), info.color));
  WEFT_TRY(CurveOf(info.color.transfer));
  WEFT_TRY(PrimariesMatrix(info.color.primaries, info.color.primaries));
  return {};
}

Status Converter::CheckWork(const WorkInfo& info) const {
  if (!IsWorkFormat(info.format)) {
    return Fail(ErrorKind::Unsupported,
                "{} is no work format; rgba8unorm, rgba16float, rgba32float and, where the GPU has it, rgba16unorm are.",
                gpu::FormatName(info.format));
  }
  if (!gpu::AbilitiesOf(*impl_->device, info.format).storage) {
    return Fail(ErrorKind::Unsupported, "The GPU '{}' cannot write {} from a kernel; use rgba32float.", impl_->device->info().device,
                gpu::FormatName(info.format));
  }
  WEFT_TRY(CurveOf(info.transfer));
  return {};
}

Result<Ref<Converter>> Converter::Create(Ref<gpu::Device> device) {
  return Ref<Converter>::Acquire(new Converter(std::make_unique<Impl>(std::move(device))));
}

Converter::Converter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Converter::~Converter() = default;

Status Converter::Upload(const CpuFrame& frame, const gpu::PoolTexture& target, const WorkInfo& want) {
  WEFT_TRY(CheckWork(want));
  WEFT_TRY(impl_->CheckTexture(target, want, "the target of an upload"));
  return impl_->Upload(frame, target, want).Context("sending a frame to the GPU");
}

void Converter::Download(const gpu::PoolTexture& source, const WorkInfo& have, const FrameInfo& want, FrameCallback done) {
  auto checked = CheckFrame(want);
  if (checked) checked = impl_->CheckTexture(source, have, "the source of a read-back");
  if (!checked) return done(std::move(checked.error()));
  impl_->Download(source, have, want, std::move(done));
}

Result<Ref<CpuFrame>> Converter::DownloadNow(const gpu::PoolTexture& source, const WorkInfo& have, const FrameInfo& want) {
  std::mutex mutex;
  std::condition_variable came;
  std::optional<Result<Ref<CpuFrame>>> got;
  Download(source, have, want, [&](Result<Ref<CpuFrame>> frame) {
    std::lock_guard lock(mutex);
    got = std::move(frame);
    came.notify_one();
  });
  std::unique_lock lock(mutex);
  came.wait(lock, [&] { return got.has_value(); });
  return std::move(*got);
}

Status Converter::Convert(const gpu::PoolTexture& from, const WorkInfo& have, const gpu::PoolTexture& to, const WorkInfo& want) {
  WEFT_TRY(CheckWork(want));
  WEFT_TRY(impl_->CheckTexture(from, have, "the source of a conversion"));
  WEFT_TRY(impl_->CheckTexture(to, want, "the target of a conversion"));
  if (from.width() != to.width() || from.height() != to.height()) {
    return Fail(ErrorKind::InvalidArgument, "A texture of {}x{} cannot be converted into one of {}x{}: resize it.", from.width(),
                from.height(), to.width(), to.height());
  }
  WEFT_TRY_ASSIGN(const Recolor recolor, MakeRecolor(MeaningOf(have), MeaningOf(want)));
  WEFT_TRY(impl_->Convert(from, to, recolor));
  impl_->device->counters().TextureCopy();
  return {};
}

Status Converter::Resize(const gpu::PoolTexture& from, const WorkInfo& have, const gpu::PoolTexture& to, const WorkInfo& want,
                         const ResizeOptions& options) {
  WEFT_TRY(CheckWork(want));
  WEFT_TRY(impl_->CheckTexture(from, have, "the source of a resize"));
  WEFT_TRY(impl_->CheckTexture(to, want, "the target of a resize"));
  WEFT_TRY(impl_->Resize(from, have, to, want, options));
  impl_->device->counters().TextureCopy();
  return {};
}

void Converter::set_strip_bytes(uint64_t bytes) { impl_->strip_bytes = bytes; }

void Converter::Trim() { impl_->jobs.Trim(); }

Status Converter::Impl::CheckTexture(const gpu::PoolTexture& texture, const WorkInfo& info, std::string_view what) const {
  if (texture.format() == info.format) return {};
  return Fail(ErrorKind::InvalidArgument, "The texture that is {} has the format {}, but {} is announced.", what,
              gpu::FormatName(texture.format()), gpu::FormatName(info.format));
}

Status Converter::Impl::Convert(const gpu::PoolTexture& from, const gpu::PoolTexture& to, const Recolor& recolor) {
  JobSpec spec{.kernel = Kernel::Convert, .target = to.format()};
  recolor.AddTo(spec.constants);
  spec.SetParams(ConvertParams{{to.width(), to.height(), 0, 0}, recolor.primaries});
  return Send("a conversion", [&](WGPUCommandEncoder encoder) {
    return jobs.Encode(encoder, spec, Bound::Of(from), Bound::Of(to), to.width(), to.height());
  });
}

Status Converter::Impl::Resize(const gpu::PoolTexture& from, const WorkInfo& have, const gpu::PoolTexture& to, const WorkInfo& want,
                               const ResizeOptions& options) {
  ResizeOptions o = options;
  if (o.source_width <= 0 || o.source_height <= 0)
    o.source_x = o.source_y = 0, o.source_width = from.width(), o.source_height = from.height();
  if (o.target_width <= 0 || o.target_height <= 0) {
    o.target_x = o.target_y = 0, o.target_width = static_cast<int>(to.width()), o.target_height = static_cast<int>(to.height());
  }
  const bool wide = have.format == WGPUTextureFormat_RGBA32Float || have.format == WGPUTextureFormat_RGBA16Unorm ||
                    want.format == WGPUTextureFormat_RGBA32Float;
  const WGPUTextureFormat between = wide ? WGPUTextureFormat_RGBA32Float : WGPUTextureFormat_RGBA16Float;
  const WGPUTextureUsage usage = WGPUTextureUsage_TextureBinding | WGPUTextureUsage_StorageBinding;
  const Meaning linear{have.primaries, 8, AlphaMode::Premultiplied};

  // 1. Linear and premultiplied, unless it is.
  const gpu::PoolTexture* source = &from;
  Ref<gpu::PoolTexture> prepared;
  WEFT_TRY_ASSIGN(const Recolor to_linear, MakeRecolor(MeaningOf(have), linear));
  if (to_linear.recolors || have.alpha == AlphaMode::Straight) {
    WEFT_TRY_ASSIGN(prepared, device->textures().Acquire({from.width(), from.height(), between, usage}));
    WEFT_TRY(Convert(from, *prepared, to_linear));
    source = prepared.get();
  }
  // 2. Across, all rows of the source. 3. Down, with what the target is to be.
  const Axis across{o.source_x, o.source_width, o.target_width}, down{o.source_y, o.source_height, o.target_height};
  WEFT_TRY_ASSIGN(auto middle, device->textures().Acquire({static_cast<uint32_t>(o.target_width), from.height(), between, usage}));
  Meaning first_from = linear;
  if (have.alpha == AlphaMode::Opaque && !prepared) first_from.alpha = AlphaMode::Opaque;
  WEFT_TRY_ASSIGN(const Recolor keep, MakeRecolor(first_from, linear));
  WEFT_TRY_ASSIGN(const Recolor finish, MakeRecolor(linear, MeaningOf(want)));

  JobSpec first{.kernel = Kernel::Resize, .target = between};
  first.constants.push_back({"VERTICAL", 0});
  keep.AddTo(first.constants);
  first.SetParams(ResizeParams{middle->width(),
                               middle->height(),
                               across.taps(),
                               from.width() - 1,
                               {0, 0, static_cast<int>(middle->width()), static_cast<int>(middle->height())},
                               keep.primaries});
  first.geometry = {across.source_first, across.source_length, double(across.places)};
  first.weights = [&] { return across.Weights(); };
  JobSpec second{.kernel = Kernel::Resize, .target = to.format()};
  second.constants.push_back({"VERTICAL", 1});
  finish.AddTo(second.constants);
  second.SetParams(ResizeParams{to.width(),
                                to.height(),
                                down.taps(),
                                from.height() - 1,
                                {o.target_x, o.target_y, o.target_width, o.target_height},
                                finish.primaries});
  second.geometry = {down.source_first, down.source_length, double(down.places)};
  second.weights = [&] { return down.Weights(); };
  return Send("a resize", [&](WGPUCommandEncoder encoder) -> Status {
    WEFT_TRY(jobs.Encode(encoder, first, Bound::Of(*source), Bound::Of(*middle), middle->width(), middle->height()));
    return jobs.Encode(encoder, second, Bound::Of(*middle), Bound::Of(to), to.width(), to.height());
  });
}

}  // namespace weft::media
