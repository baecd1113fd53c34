// SPDX-License-Identifier: Apache-2.0
#include "runtime/chain.h"

#include <cstring>

#include "capi/object.h"
#include "capi/value.h"

namespace weft::capi {
namespace {

using media::PixelFormat;

struct FormatPair {
  WeftPixelFormat c;
  PixelFormat format;
};
constexpr FormatPair kFormats[] = {
    {WeftPixelFormat_Rgba8Unorm, PixelFormat::Rgba8},
    {WeftPixelFormat_Bgra8Unorm, PixelFormat::Bgra8},
    {WeftPixelFormat_Rgba16Unorm, PixelFormat::Rgba64},
    {WeftPixelFormat_Rgba16Float, PixelFormat::RgbaHalf},
    {WeftPixelFormat_Rgba32Float, PixelFormat::RgbaFloat},
    {WeftPixelFormat_Rgb8Unorm, PixelFormat::Rgb24},
    {WeftPixelFormat_R8Unorm, PixelFormat::Gray8},
    {WeftPixelFormat_Yuv420p8, PixelFormat::Yuv420p8},
    {WeftPixelFormat_Yuv422p8, PixelFormat::Yuv422p8},
    {WeftPixelFormat_Yuv444p8, PixelFormat::Yuv444p8},
    {WeftPixelFormat_Yuv420p10, PixelFormat::Yuv420p10},
    {WeftPixelFormat_Nv12, PixelFormat::Nv12},
    {WeftPixelFormat_P010, PixelFormat::P010},
};

Result<PixelFormat> FromC(WeftPixelFormat format) {
  for (const FormatPair& pair : kFormats) {
    if (pair.c == format) return pair.format;
  }
  return Fail(ErrorKind::InvalidArgument, "{} is not a WeftPixelFormat that a frame can have", static_cast<uint32_t>(format));
}
WeftPixelFormat ToC(PixelFormat format) {
  for (const FormatPair& pair : kFormats) {
    if (pair.format == format) return pair.c;
  }
  return WeftPixelFormat_Undefined;
}

media::AlphaMode FromC(WeftAlphaMode alpha, bool has_alpha) {
  switch (alpha) {
    case WeftAlphaMode_Opaque: return media::AlphaMode::Opaque;
    case WeftAlphaMode_Premultiplied: return media::AlphaMode::Premultiplied;
    case WeftAlphaMode_Straight: return media::AlphaMode::Straight;
    default: return has_alpha ? media::AlphaMode::Straight : media::AlphaMode::Opaque;
  }
}
WeftAlphaMode ToC(media::AlphaMode alpha) {
  return alpha == media::AlphaMode::Opaque     ? WeftAlphaMode_Opaque
         : alpha == media::AlphaMode::Straight ? WeftAlphaMode_Straight
                                               : WeftAlphaMode_Premultiplied;
}

media::ColorSpace FromC(const WeftColorSpace& c, bool is_float, bool is_yuv) {
  const auto code = [](uint32_t given, uint8_t fallback) { return given == 0 || given > 255 ? fallback : static_cast<uint8_t>(given); };
  media::ColorSpace color;
  color.primaries = code(c.primaries, 1);
  color.transfer = code(c.transfer, is_float ? 8 : is_yuv ? 1 : 13);
  color.matrix = is_yuv ? code(c.matrix, 1) : 0;
  color.full_range = c.range == WeftColorRange_Default ? !is_yuv : c.range == WeftColorRange_Full;
  return color;
}
WeftColorSpace ToC(const media::ColorSpace& color) {
  return {.primaries = color.primaries,
          .transfer = color.transfer,
          .matrix = color.matrix,
          .range = color.full_range ? WeftColorRange_Full : WeftColorRange_Limited};
}

Result<Rational> FromC(WeftRational r, Rational fallback, std::string_view what) {
  if (r.den == 0 && r.num == 0) return fallback;
  if (r.den == 0) return Fail(ErrorKind::InvalidArgument, "{} is {}/0; a rational's denominator must not be 0", what, r.num);
  return Rational::Make(r.num, r.den);
}
WeftRational ToC(Rational r) { return {r.num, r.den}; }

Result<graph::FrameTime> TimeOf(const WeftFrame& frame, Rational rate) {
  graph::FrameTime time;
  time.number = frame.number;
  const bool constant = rate.num > 0;
  const auto number = static_cast<int64_t>(frame.number);
  WEFT_TRY_ASSIGN(time.pts,
                  FromC(frame.pts, constant ? Rational::Make(number * rate.den, rate.num) : Rational{number, 1}, "weftChainPush: pts"));
  WEFT_TRY_ASSIGN(time.duration,
                  FromC(frame.duration, constant ? Rational::Make(rate.den, rate.num) : Rational{0, 1}, "weftChainPush: duration"));
  return time;
}

// A copy in weft's own memory, so that the caller's may change at once.
Result<Ref<media::CpuFrame>> CopyPlanes(const WeftFrame& f) {
  WEFT_TRY_ASSIGN(const PixelFormat format, FromC(f.format));
  if (f.width == 0 || f.height == 0 || f.width > 65535 || f.height > 65535) {
    return Fail(ErrorKind::InvalidArgument, "weftChainPush: the frame is {}x{}; each side must be 1 to 65535 pixels", f.width, f.height);
  }
  const media::PixelLayout& layout = media::LayoutOf(format);
  media::FrameInfo info;
  info.width = static_cast<int>(f.width);
  info.height = static_cast<int>(f.height);
  info.format = format;
  info.color = FromC(f.color, layout.type != media::SampleType::Unorm, layout.model == media::ColorModel::Yuv);
  info.alpha = FromC(f.alpha, layout.has_alpha);
  WEFT_TRY_ASSIGN(auto copy, media::CpuFrame::Create(info));
  for (int p = 0; p < layout.planes; ++p) {
    const size_t row = copy->row_bytes(p);
    const size_t stride = f.planes[p].stride == 0 ? row : f.planes[p].stride;
    if (!f.planes[p].data)
      return Fail(ErrorKind::InvalidArgument, "weftChainPush: planes[{}].data is NULL; {} has {} planes", p, layout.name, layout.planes);
    if (stride < row) {
      return Fail(ErrorKind::InvalidArgument, "weftChainPush: planes[{}].stride is {}; a row of {} pixels of {} takes {} bytes", p, stride,
                  f.width, layout.name, row);
    }
    const auto* from = static_cast<const uint8_t*>(f.planes[p].data);
    for (int y = 0; y < copy->rows(p); ++y) {
      std::memcpy(copy->mutable_data(p) + static_cast<size_t>(y) * copy->stride(p), from + static_cast<size_t>(y) * stride, row);
    }
  }
  return copy;
}

WeftImage MakeImage(Ref<runtime::Image> image) {
  auto out = MakeRef<WeftImageImpl>();
  WeftFrame& f = out->frame;
  if (const media::CpuFrame* cpu = image->cpu()) {
    f.width = static_cast<uint32_t>(cpu->width());
    f.height = static_cast<uint32_t>(cpu->height());
    f.format = ToC(cpu->info().format);
    for (int p = 0; p < cpu->planes(); ++p) f.planes[p] = {cpu->data(p), cpu->stride(p)};
    f.color = ToC(cpu->info().color);
    f.alpha = ToC(cpu->info().alpha);
  } else if (const graph::TextureInfo* info = image->texture_info()) {
    f.width = info->width;
    f.height = info->height;
    f.texture = image->texture();
    f.color = ToC(info->color);
    f.alpha = ToC(info->alpha);
  }
  f.number = image->time().number;
  f.pts = ToC(image->time().pts);
  f.duration = ToC(image->time().duration);
  out->image = std::move(image);
  out->AddRef();
  return out.get();
}

}  // namespace
}  // namespace weft::capi

using namespace weft;
using namespace weft::capi;

extern "C" {

WeftError* weftChainCreate(WeftRuntime runtime, const WeftChainDescriptor* descriptor, WeftChain* out) noexcept {
  return Enter([&]() -> Status {
    WEFT_CAPI_REQUIRE(runtime, "weftChainCreate: runtime");
    WEFT_CAPI_REQUIRE(descriptor, "weftChainCreate: descriptor");
    WEFT_CAPI_REQUIRE(out, "weftChainCreate: chain");
    WEFT_TRY(RefuseChain(descriptor->nextInChain, "weftChainCreate"));
    if (runtime->runtime->options().supervised) {
      return Error(ErrorKind::Unsupported,
                   "weftChainCreate: the runtime is a supervised one; a chain needs mode WeftRuntimeMode_InProcess");
    }
    runtime::ChainOptions options;
    if (descriptor->nodeCount > 0) WEFT_CAPI_REQUIRE(descriptor->nodes, "weftChainCreate: nodes");
    for (size_t i = 0; i < descriptor->nodeCount; ++i) {
      options.nodes.push_back({capi::Str(descriptor->nodes[i].id), capi::Str(descriptor->nodes[i].plugin)});
    }
    WEFT_TRY_ASSIGN(options.work_format, WorkFormatName(descriptor->workFormat));
    WEFT_TRY_ASSIGN(options.rate, FromC(descriptor->rate, Rational{0, 1}, "weftChainCreate: rate"));
    if (descriptor->queueDepth > 1024) {
      return Fail(ErrorKind::InvalidArgument, "weftChainCreate: queueDepth is {}; it may be up to 1024", descriptor->queueDepth);
    }
    if (descriptor->queueDepth > 0) options.queue_depth = static_cast<int>(descriptor->queueDepth);
    WEFT_TRY_ASSIGN(auto chain, runtime::Chain::Create(runtime->runtime, options));
    *out = new WeftChainImpl(std::move(chain), options.rate);
    return {};
  });
}
void weftChainAddRef(WeftChain chain) noexcept { chain->AddRef(); }
void weftChainRelease(WeftChain chain) noexcept {
  if (chain) chain->Release();
}

WeftError* weftChainSet(WeftChain chain, WeftStringView node, WeftStringView parameter, const WeftValue* value) noexcept {
  return Enter([&]() -> Status {
    WEFT_CAPI_REQUIRE(chain, "weftChainSet: chain");
    WEFT_TRY_ASSIGN(auto literal, ToLiteral(value, "weftChainSet"));
    return chain->chain->Set(capi::Str(node), capi::Str(parameter), literal);
  });
}

WeftError* weftChainPush(WeftChain chain, const WeftFrame* frame) noexcept {
  return Enter([&]() -> Status {
    WEFT_CAPI_REQUIRE(chain, "weftChainPush: chain");
    WEFT_CAPI_REQUIRE(frame, "weftChainPush: frame");
    WEFT_TRY(RefuseChain(frame->nextInChain, "weftChainPush"));
    WEFT_TRY_ASSIGN(auto time, TimeOf(*frame, chain->rate));
    if (!frame->texture) {
      WEFT_TRY_ASSIGN(auto copy, CopyPlanes(*frame));
      return chain->chain->Push(std::move(copy), std::move(time));
    }
    if (frame->planes[0].data) {
      return Error(ErrorKind::InvalidArgument, "weftChainPush: the frame has both a texture and planes; give one of them");
    }
    return chain->chain->PushTexture(frame->texture, FromC(frame->color, false, false), FromC(frame->alpha, true), std::move(time));
  });
}

WeftError* weftChainPull(WeftChain chain, WeftPixelFormat format, WeftImage* out) noexcept {
  return Enter([&]() -> Status {
    WEFT_CAPI_REQUIRE(chain, "weftChainPull: chain");
    WEFT_CAPI_REQUIRE(out, "weftChainPull: image");
    WEFT_TRY_ASSIGN(const PixelFormat pixels, FromC(format == WeftPixelFormat_Undefined ? WeftPixelFormat_Rgba8Unorm : format));
    WEFT_TRY_ASSIGN(auto image, chain->chain->Pull(pixels));
    *out = MakeImage(std::move(image));
    return {};
  });
}
WeftError* weftChainPullTexture(WeftChain chain, WeftImage* out) noexcept {
  return Enter([&]() -> Status {
    WEFT_CAPI_REQUIRE(chain, "weftChainPullTexture: chain");
    WEFT_CAPI_REQUIRE(out, "weftChainPullTexture: image");
    WEFT_TRY_ASSIGN(auto image, chain->chain->PullTexture());
    *out = MakeImage(std::move(image));
    return {};
  });
}

const WeftFrame* weftImageGetFrame(WeftImage image) noexcept { return &image->frame; }
void weftImageAddRef(WeftImage image) noexcept { image->AddRef(); }
void weftImageRelease(WeftImage image) noexcept {
  if (image) image->Release();
}

}  // extern "C"
