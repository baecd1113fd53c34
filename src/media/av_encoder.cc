// SPDX-License-Identifier: Apache-2.0
#include "media/av_encoder.h"

extern "C" {
#include <libavutil/opt.h>
}

#include <algorithm>
#include <cstring>
#include <thread>

#include "base/fail.h"
#include "media/sink_checks.h"

namespace weft::media {
namespace {

// Options of libav's own that are ours to set.
bool IsReserved(std::string_view key) {
  return key == "pixel_format" || key == "video_size" || key == "time_base" || key == "threads" || key == "color_range" ||
         key == "colorspace" || key == "color_primaries" || key == "color_trc" || key == "chroma_sample_location" || key == "pkt_timebase";
}

const AVOption* FindOption(const AVClass* cls, const char* key) {
  if (!cls) return nullptr;
  const AVOption* o = av_opt_find(&cls, key, nullptr, 0, AV_OPT_SEARCH_FAKE_OBJ);
  return o && o->type != AV_OPT_TYPE_CONST && (o->flags & AV_OPT_FLAG_ENCODING_PARAM) ? o : nullptr;
}

std::string OptionNames(const AVClass* cls) {
  std::string list;
  const AVOption* o = nullptr;
  while (cls && (o = av_opt_next(&cls, o))) {
    if (o->type != AV_OPT_TYPE_CONST && (o->flags & AV_OPT_FLAG_ENCODING_PARAM))
      list += fmt::format("{}{}", list.empty() ? "" : ", ", o->name);
  }
  return list;
}

// "one of a, b" or "a number from 0 to 51".
std::string ValuesOf(const AVClass* cls, const AVOption* option) {
  std::string list;
  const AVOption* o = nullptr;
  while (option->unit && (o = av_opt_next(&cls, o))) {
    if (o->type == AV_OPT_TYPE_CONST && o->unit && std::strcmp(o->unit, option->unit) == 0)
      list += fmt::format("{}{}", list.empty() ? "" : ", ", o->name);
  }
  switch (option->type) {
    case AV_OPT_TYPE_INT:
    case AV_OPT_TYPE_INT64:
    case AV_OPT_TYPE_UINT64:
    case AV_OPT_TYPE_FLOAT:
    case AV_OPT_TYPE_DOUBLE: return list.empty() ? fmt::format("a number from {:g} to {:g}", option->min, option->max) : "one of " + list;
    case AV_OPT_TYPE_FLAGS: return "any of " + list + " joined by +";
    case AV_OPT_TYPE_BOOL: return "0 or 1";
    default: return "a value that libav understands";
  }
}

// x264 and x265 find a wrong preset only when they are opened, and tell the terminal: so it is found here.
struct NamedChoice {
  std::string_view codec, key, names;
};
constexpr std::string_view kPresets = "ultrafast, superfast, veryfast, faster, fast, medium, slow, slower, veryslow, placebo";
constexpr NamedChoice kNamedChoices[] = {
    {"libx264", "preset", kPresets},
    {"libx264rgb", "preset", kPresets},
    {"libx265", "preset", kPresets},
    {"libx264", "tune", "film, animation, grain, stillimage, psnr, ssim, fastdecode, zerolatency"},
    {"libx264rgb", "tune", "film, animation, grain, stillimage, psnr, ssim, fastdecode, zerolatency"},
    {"libx265", "tune", "psnr, ssim, grain, fastdecode, zerolatency, animation"},
    {"libx264", "profile", "baseline, main, high, high10, high422, high444"},
};

bool IsOneOf(std::string_view names, std::string_view value) {
  while (!names.empty()) {
    const size_t comma = std::min(names.find(", "), names.size());
    if (names.substr(0, comma) == value) return true;
    names.remove_prefix(std::min(comma + 2, names.size()));
  }
  return false;
}

// How far `to` is from holding all of `from`; 0 = the same.
int Distance(const PixelLayout& from, bool alpha, const PixelLayout& to) {
  if (from.format == to.format) return 0;
  int d = 1;
  if (alpha && !to.has_alpha) d += 4000;
  if (!alpha && to.has_alpha) d += 40;
  if (from.model != to.model) d += to.model == ColorModel::Gray ? 20000 : from.model == ColorModel::Gray ? 300 : 2000;
  if (to.bits < from.bits)
    d += 500 + 20 * (from.bits - to.bits);
  else
    d += 10 * (to.bits - from.bits);
  if (to.model == ColorModel::Yuv) {
    const int fw = from.model == ColorModel::Yuv ? from.log2_chroma_w : 0, fh = from.model == ColorModel::Yuv ? from.log2_chroma_h : 0;
    d += 400 * (std::max(0, to.log2_chroma_w - fw) + std::max(0, to.log2_chroma_h - fh));
    d += 5 * (std::max(0, fw - to.log2_chroma_w) + std::max(0, fh - to.log2_chroma_h));
  }
  return d;
}

}  // namespace

Result<AvEncoder> AvEncoder::Choose(const AVCodec* codec, const AVOutputFormat* muxer, const Options& values, std::string name) {
  AvEncoder e;
  AvLog log;
  e.codec_ = codec;
  e.name_ = std::move(name);
  const std::string what = fmt::format("'{}' ({})", e.name_, codec->name);
  for (const AVPixelFormat* f = codec->pix_fmts; f && *f != AV_PIX_FMT_NONE; ++f) {
    const PixelFormat ours = FromAv(*f);
    if (ours != PixelFormat::None && std::find(e.accepted_.begin(), e.accepted_.end(), ours) == e.accepted_.end())
      e.accepted_.push_back(ours);
  }
  if (!codec->pix_fmts) {
    for (const PixelLayout& l : AllLayouts()) {
      if (ToAv(l.format) != AV_PIX_FMT_NONE) e.accepted_.push_back(l.format);
    }
  }
  // GIF takes colours only from a palette, which weft does not make; what is left would be gray.
  if (codec->id == AV_CODEC_ID_GIF) e.accepted_.clear();
  // A picture file is RGB to whoever opens it; YCbCr in TIFF or JPEG 2000 is rarely read. pix_fmt= still gives it.
  const auto is_yuv = [](PixelFormat f) { return LayoutOf(f).model == ColorModel::Yuv; };
  const bool asked = std::any_of(values.begin(), values.end(), [](const auto& v) { return v.first == "pix_fmt"; });
  if (!muxer && !asked && !std::all_of(e.accepted_.begin(), e.accepted_.end(), is_yuv)) std::erase_if(e.accepted_, is_yuv);
  if (e.accepted_.empty()) return Fail(ErrorKind::Unsupported, "{} takes no layout of samples that weft can deliver.", what);
  AvCodecPtr scratch(avcodec_alloc_context3(codec));
  const AVClass* general = avcodec_get_class();
  for (const auto& [key, value] : values) {
    if (key == "pix_fmt") {
      const PixelFormat format = PixelFormatByName(value);
      if (std::find(e.accepted_.begin(), e.accepted_.end(), format) == e.accepted_.end() || format == PixelFormat::None) {
        return Fail(ErrorKind::InvalidArgument, "The option pix_fmt={} of {} is wrong: one of {} is expected.", value, what,
                    NameList(e.accepted_));
      }
      e.accepted_ = {format};
      e.format_asked_ = true;
      continue;
    }
    for (const NamedChoice& c : kNamedChoices) {
      if (c.codec == codec->name && c.key == key && !IsOneOf(c.names, value)) {
        return Fail(ErrorKind::InvalidArgument, "The option {}={} of {} is wrong: one of {} is expected.", key, value, what, c.names);
      }
    }
    const AVClass* owner = codec->priv_class;
    const AVOption* option = FindOption(owner, key.c_str());
    void* target = scratch->priv_data;
    if (!option && !IsReserved(key)) {
      option = FindOption(owner = general, key.c_str());
      target = scratch.get();
      if (option && !(option->flags & AV_OPT_FLAG_VIDEO_PARAM)) option = nullptr;
    }
    if (option) {
      if (av_opt_set(target, key.c_str(), value.c_str(), 0) < 0) {
        return Fail(ErrorKind::InvalidArgument, "The option {}={} of {} is wrong: {} is expected.", key, value, what,
                    ValuesOf(owner, option));
      }
      e.encoder_options_.emplace_back(key, value);
      continue;
    }
    if (muxer && FindOption(muxer->priv_class, key.c_str())) {
      e.muxer_options_.emplace_back(key, value);  // its value is checked with the container, which exists before the first frame
      continue;
    }
    const std::string of_muxer = muxer ? OptionNames(muxer->priv_class) : "";
    return Fail(ErrorKind::InvalidArgument,
                "'{}' is not an option of {}; valid are: format, codec, pix_fmt; of the encoder: {}; of every encoder: b, g, bf, qmin, "
                "qmax, flags, profile, level{}{}.",
                key, what, OptionNames(codec->priv_class), of_muxer.empty() ? "" : "; of the container: ", of_muxer);
  }
  auto has = [&](std::string_view key) { return std::any_of(values.begin(), values.end(), [&](const auto& v) { return v.first == key; }); };
  const std::string_view codec_name = codec->name;
  // Better than the library's 23 for results that are looked at; whoever names any rate control gets just that.
  if ((codec_name == "libx264" || codec_name == "libx264rgb") && !has("crf") && !has("qp") && !has("b") && !has("x264-params") &&
      !has("x264opts")) {
    e.encoder_options_.emplace_back("crf", "18");
  }
  // Four times as fast as x264's own default at nearly the same size; the encoder must not be what a render waits for.
  if ((codec_name == "libx264" || codec_name == "libx264rgb") && !has("preset")) e.encoder_options_.emplace_back("preset", "veryfast");
  // libvpx's default is 200 kbit/s, whatever the size.
  if (codec_name == "libvpx-vp9" && !has("b") && !has("crf") && !has("lossless")) {
    e.encoder_options_.emplace_back("crf", "24");
    e.encoder_options_.emplace_back("b", "0");
  }
  // x265 writes to the terminal by itself unless it is told not to.
  if (codec_name == "libx265") {
    auto params =
        std::find_if(e.encoder_options_.begin(), e.encoder_options_.end(), [](const auto& o) { return o.first == "x265-params"; });
    if (params == e.encoder_options_.end())
      e.encoder_options_.emplace_back("x265-params", "log-level=none");
    else if (params->second.find("log") == std::string::npos)
      params->second += ":log-level=none";
  }
  // Version 3 has slices (threads) and checksums.
  if (codec_name == "ffv1" && !has("level")) e.encoder_options_.emplace_back("level", "3");
  return e;
}

Result<FrameInfo> AvEncoder::Wanted(const FrameInfo& picture) const {
  const PixelLayout source = LayoutOf(picture.format != PixelFormat::None  ? picture.format
                                      : picture.alpha != AlphaMode::Opaque ? PixelFormat::Rgba8
                                                                           : PixelFormat::Rgb24);
  const bool alpha = picture.alpha != AlphaMode::Opaque;
  PixelFormat best = accepted_.front();
  const AVCodecDescriptor* d = avcodec_descriptor_get(codec_->id);
  const bool lossy_video = d && (d->props & AV_CODEC_PROP_LOSSY) && !(d->props & AV_CODEC_PROP_INTRA_ONLY);
  const bool has_420 = std::find(accepted_.begin(), accepted_.end(), PixelFormat::Yuv420p8) != accepted_.end();
  if (lossy_video && has_420 && !format_asked_ && source.model != ColorModel::Yuv && !(alpha && codec_->id == AV_CODEC_ID_VP9)) {
    best = PixelFormat::Yuv420p8;  // what every player can show
  } else {
    for (PixelFormat f : accepted_) {
      if (Distance(source, alpha, LayoutOf(f)) < Distance(source, alpha, LayoutOf(best))) best = f;
    }
  }
  FrameInfo want = picture;
  want.format = best;
  const PixelLayout& layout = LayoutOf(best);
  SetColorFor(layout, picture, &want);
  want.alpha = alpha && layout.has_alpha ? AlphaMode::Straight : AlphaMode::Opaque;
  if (IsFullRangeName(AvFormatFor(best))) want.color.full_range = true;
  const bool needs_even = codec_->id == AV_CODEC_ID_H264 || codec_->id == AV_CODEC_ID_HEVC;
  if (needs_even && ((layout.log2_chroma_w && want.width % 2) || (layout.log2_chroma_h && want.height % 2))) {
    return Fail(ErrorKind::InvalidArgument,
                "'{}' cannot be {}x{}: {} with {} needs an even width and height; give another size, or pix_fmt=yuv444p.", name_,
                want.width, want.height, codec_->name, layout.name);
  }
  return want;
}

AVPixelFormat AvEncoder::AvFormatFor(PixelFormat format) const {
  AVPixelFormat found = AV_PIX_FMT_NONE;
  for (const AVPixelFormat* f = codec_->pix_fmts; f && *f != AV_PIX_FMT_NONE; ++f) {
    if (FromAv(*f) == format && (found == AV_PIX_FMT_NONE || IsFullRangeName(found))) found = *f;
  }
  return found != AV_PIX_FMT_NONE ? found : ToAv(format);
}

Result<AvCodecPtr> AvEncoder::Open(const FrameInfo& info, AVRational time_base, Rational rate, int threads, bool global_header) const {
  AvLog log;
  AvCodecPtr c(avcodec_alloc_context3(codec_));
  if (!c) return Fail(ErrorKind::OutOfMemory, "There is no memory to encode '{}'.", name_);
  c->width = info.width;
  c->height = info.height;
  c->pix_fmt = AvFormatFor(info.format);
  c->time_base = time_base;
  if (rate.num > 0 && rate.num <= INT32_MAX && rate.den <= INT32_MAX)
    c->framerate = {static_cast<int>(rate.num), static_cast<int>(rate.den)};
  if (info.pixel_aspect.num > 0 && info.pixel_aspect.num <= INT32_MAX && info.pixel_aspect.den <= INT32_MAX) {
    c->sample_aspect_ratio = {static_cast<int>(info.pixel_aspect.num), static_cast<int>(info.pixel_aspect.den)};
  }
  c->color_primaries = static_cast<AVColorPrimaries>(info.color.primaries);
  c->color_trc = static_cast<AVColorTransferCharacteristic>(info.color.transfer);
  c->colorspace = static_cast<AVColorSpace>(info.color.matrix);
  c->color_range = info.color.full_range ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
  c->chroma_sample_location = ToAv(info.chroma);
  c->thread_count = threads;
  if (codec_->id == AV_CODEC_ID_FFV1 && threads == 0)
    c->thread_count = std::max(1, static_cast<int>(std::min(16u, std::thread::hardware_concurrency())));
  // Old encoders aim at 200 kbit/s unless they are told a rate; a fifth of a bit a pixel suits any size. Options below go over it.
  if (codec_->id == AV_CODEC_ID_MPEG4 || codec_->id == AV_CODEC_ID_MPEG2VIDEO || codec_->id == AV_CODEC_ID_MPEG1VIDEO ||
      codec_->id == AV_CODEC_ID_VP8) {
    c->bit_rate = static_cast<int64_t>(0.2 * info.width * info.height * std::clamp(rate.ToDouble(), 1.0, 240.0));
  }
  c->flags |= AV_CODEC_FLAG_BITEXACT;  // the same input gives the same file
  if (global_header) c->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
  AVDictionary* dict = nullptr;
  for (const auto& [key, value] : encoder_options_) av_dict_set(&dict, key.c_str(), value.c_str(), 0);
  const int rc = avcodec_open2(c.get(), codec_, &dict);
  av_dict_free(&dict);
  if (rc < 0) {
    return Fail(ErrorKind::InvalidArgument, "'{}' cannot be encoded by {} as {}: {}.", name_, codec_->name, Describe(info), log.Reason(rc));
  }
  return c;
}

Result<AvFramePtr> AvEncoder::Frame(const CpuFrame& frame) const {
  AvFramePtr f(av_frame_alloc());
  auto* ref = new Ref<const CpuFrame>(&frame);
  f->buf[0] = av_buffer_create(
      const_cast<uint8_t*>(frame.data(0)), frame.stride(0) * static_cast<size_t>(frame.rows(0)),
      [](void* p, uint8_t*) noexcept { delete static_cast<Ref<const CpuFrame>*>(p); }, ref, AV_BUFFER_FLAG_READONLY);
  if (!f->buf[0]) {
    delete ref;
    return Fail(ErrorKind::OutOfMemory, "There is no memory to encode '{}'.", name_);
  }
  f->format = AvFormatFor(frame.info().format);
  f->width = frame.width();
  f->height = frame.height();
  for (int p = 0; p < frame.planes(); ++p) {
    f->data[p] = const_cast<uint8_t*>(frame.data(p));
    f->linesize[p] = static_cast<int>(frame.stride(p));
  }
  const ColorSpace& c = frame.info().color;
  f->color_primaries = static_cast<AVColorPrimaries>(c.primaries);
  f->color_trc = static_cast<AVColorTransferCharacteristic>(c.transfer);
  f->colorspace = static_cast<AVColorSpace>(c.matrix);
  f->color_range = c.full_range ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
  f->chroma_location = ToAv(frame.info().chroma);
  return f;
}

}  // namespace weft::media
