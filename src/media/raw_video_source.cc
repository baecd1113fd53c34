// SPDX-License-Identifier: Apache-2.0
#include <charconv>

#include "base/fail.h"
#include "media/color.h"
#include "media/options.h"
#include "media/picture.h"
#include "media/raw_video.h"

namespace weft::media {
namespace {

using F = PixelFormat;
constexpr size_t kMaxLine = 1024;

struct Tag {
  std::string_view name;
  F format;
  ChromaSiting chroma;
};
constexpr Tag kTags[] = {
    {"420jpeg", F::Yuv420p8, ChromaSiting::Center},
    {"420mpeg2", F::Yuv420p8, ChromaSiting::Left},
    {"420paldv", F::Yuv420p8, ChromaSiting::TopLeft},
    {"420", F::Yuv420p8, ChromaSiting::Center},
    {"420p9", F::Yuv420p9, ChromaSiting::Left},
    {"420p10", F::Yuv420p10, ChromaSiting::Left},
    {"420p12", F::Yuv420p12, ChromaSiting::Left},
    {"420p14", F::Yuv420p14, ChromaSiting::Left},
    {"420p16", F::Yuv420p16, ChromaSiting::Left},
    {"422", F::Yuv422p8, ChromaSiting::Left},
    {"422p9", F::Yuv422p9, ChromaSiting::Left},
    {"422p10", F::Yuv422p10, ChromaSiting::Left},
    {"422p12", F::Yuv422p12, ChromaSiting::Left},
    {"422p14", F::Yuv422p14, ChromaSiting::Left},
    {"422p16", F::Yuv422p16, ChromaSiting::Left},
    {"444", F::Yuv444p8, ChromaSiting::Unspecified},
    {"444p9", F::Yuv444p9, ChromaSiting::Unspecified},
    {"444p10", F::Yuv444p10, ChromaSiting::Unspecified},
    {"444p12", F::Yuv444p12, ChromaSiting::Unspecified},
    {"444p14", F::Yuv444p14, ChromaSiting::Unspecified},
    {"444p16", F::Yuv444p16, ChromaSiting::Unspecified},
    {"411", F::Yuv411p8, ChromaSiting::Left},
    {"444alpha", F::Yuva444p8, ChromaSiting::Unspecified},
    {"mono", F::Gray8, ChromaSiting::Unspecified},
    {"mono10", F::Gray10, ChromaSiting::Unspecified},
    {"mono12", F::Gray12, ChromaSiting::Unspecified},
    {"mono16", F::Gray16, ChromaSiting::Unspecified},
};

bool ParseRatio(std::string_view text, int64_t* num, int64_t* den) {
  const size_t colon = text.find(':');
  if (colon == text.npos) return false;
  const auto a = std::from_chars(text.data(), text.data() + colon, *num);
  const auto b = std::from_chars(text.data() + colon + 1, text.data() + text.size(), *den);
  return a.ec == std::errc() && b.ec == std::errc();
}

// Frames of one fixed size, one after the other, each behind a "FRAME" line in y4m.
class PlainSource final : public Source {
 public:
  PlainSource(std::unique_ptr<ByteStream> bytes, SourceOptions options, bool y4m)
      : Source(bytes->name()), bytes_(std::move(bytes)), options_(std::move(options)), y4m_(y4m) {}

  StreamInfo& mutable_info() { return info_; }

  // After info_.frame, format and rate are set and the header is read.
  Status Begin() {
    data_start_ = bytes_->position();
    const PixelLayout& l = LayoutOf(info_.frame.format);
    for (int p = 0; p < l.planes; ++p) {
      frame_bytes_ += l.RowBytes(p, info_.frame.width) * static_cast<size_t>(l.PlaneHeight(p, info_.frame.height));
    }
    info_.time_base = Rational::Make(info_.rate.den, info_.rate.num);
    const int64_t unit = static_cast<int64_t>(frame_bytes_) + (y4m_ ? 6 : 0);
    std::optional<int64_t> all;
    // Frames of y4m may carry parameters; then the count shows only on the way.
    if (bytes_->size() >= 0 && (bytes_->size() - data_start_) % unit == 0) all = (bytes_->size() - data_start_) / unit;
    const FrameRange range = options_.frames.value_or(FrameRange{});
    info_.first_number = range.first;
    if (all) {
      const int64_t end = range.last ? std::min(*all, *range.last + 1) : *all;
      info_.frame_count = end > range.first ? (end - range.first + range.step - 1) / range.step : 0;
    } else if (range.last) {
      info_.frame_count = (*range.last - range.first) / range.step + 1;
    }
    if (info_.frame_count) info_.duration = Rational::Make(*info_.frame_count * info_.rate.den, info_.rate.num);
    return {};
  }

  Result<std::optional<Ref<CpuFrame>>> Next() override {
    if (done_) return std::optional<Ref<CpuFrame>>();
    auto frame = Take();
    if (!frame || !*frame) done_ = true;
    return frame;
  }

  Status Seek(int64_t number) override {
    if (!bytes_->seekable())
      return Fail(ErrorKind::Unsupported, "'{}' cannot be read again from frame {}: it is not a file.", name_, number);
    WEFT_TRY(bytes_->Seek(data_start_));
    at_ = 0;
    done_ = false;
    while (at_ < number) {
      WEFT_TRY_ASSIGN(const bool more, Marker());
      if (!more || bytes_->position() + static_cast<int64_t>(frame_bytes_) > bytes_->size()) {
        return Fail(ErrorKind::NotFound, "'{}' ends before frame {}: it has {}.", name_, number, at_);
      }
      WEFT_TRY(bytes_->Seek(bytes_->position() + static_cast<int64_t>(frame_bytes_)));
      ++at_;
    }
    WEFT_TRY_ASSIGN(const auto ahead, bytes_->Peek(1));
    if (ahead.empty()) return Fail(ErrorKind::NotFound, "'{}' ends before frame {}: it has {}.", name_, number, at_);
    return {};
  }

 private:
  // False at the end of the stream.
  Result<bool> Marker() {
    WEFT_TRY_ASSIGN(const auto ahead, bytes_->Peek(1));
    if (ahead.empty()) return false;
    if (!y4m_) return true;
    std::string line;
    uint8_t c = 0;
    while (line.size() < kMaxLine) {
      WEFT_TRY_ASSIGN(const size_t got, bytes_->Read({&c, 1}));
      if (got == 0 || c == '\n') break;
      line += static_cast<char>(c);
    }
    if (c != '\n' || !(line == "FRAME" || line.starts_with("FRAME "))) {
      return Fail(ErrorKind::InvalidArgument, "'{}' is damaged: frame {} does not begin with \"FRAME\".", name_, at_);
    }
    return true;
  }

  Result<std::optional<Ref<CpuFrame>>> Take() {
    const FrameRange range = options_.frames.value_or(FrameRange{});
    while (!range.last || at_ <= *range.last) {
      WEFT_TRY_ASSIGN(const bool more, Marker());
      if (!more) {
        if (range.last || at_ <= range.first) {
          if (options_.frames)
            return Fail(ErrorKind::NotFound, "'{}' has only {} frames, so frame {} is missing.", name_, at_, std::max(at_, range.first));
          if (at_ == 0) return Fail(ErrorKind::InvalidArgument, "'{}' has no frame.", name_);
        }
        return std::optional<Ref<CpuFrame>>();
      }
      WEFT_TRY_ASSIGN(Ref<CpuFrame> frame, CpuFrame::Create(info_.frame, pool_.get()));
      for (int p = 0; p < frame->planes(); ++p) {
        for (int y = 0; y < frame->rows(p); ++y) {
          const size_t n = frame->row_bytes(p);
          WEFT_TRY_ASSIGN(const size_t got, bytes_->Read({frame->mutable_data(p) + static_cast<size_t>(y) * frame->stride(p), n}));
          if (got < n)
            return Fail(ErrorKind::InvalidArgument, "'{}' ends in the middle of frame {}; a frame of {} has {} bytes.", name_, at_,
                        Describe(info_.frame), frame_bytes_);
        }
      }
      const int64_t number = at_++;
      if (!range.Contains(number)) continue;
      frame->number = number;
      frame->pts = Rational::Make(number * info_.rate.den, info_.rate.num);
      frame->duration = Rational::Make(info_.rate.den, info_.rate.num);
      return std::optional(std::move(frame));
    }
    return std::optional<Ref<CpuFrame>>();
  }

  std::unique_ptr<ByteStream> bytes_;
  SourceOptions options_;
  bool y4m_;
  bool done_ = false;
  int64_t data_start_ = 0;
  size_t frame_bytes_ = 0;
  int64_t at_ = 0;
  Ref<FramePool> pool_ = MakeRef<FramePool>();
};

}  // namespace

std::string Y4mTag(PixelFormat format, ChromaSiting chroma) {
  if (format == F::Yuv420p8) {
    return chroma == ChromaSiting::Center ? "420jpeg" : chroma == ChromaSiting::TopLeft ? "420paldv" : "420mpeg2";
  }
  for (const Tag& t : kTags) {
    if (t.format == format) return std::string(t.name);
  }
  return "";
}

Result<std::unique_ptr<Source>> OpenY4m(std::unique_ptr<ByteStream> stream, SourceOptions options) {
  OptionReader reader(options.values, fmt::format("'{}' (y4m video)", stream->name()));
  WEFT_TRY(reader.Check({{"format", "y4m"}}));
  WEFT_TRY_ASSIGN(const auto ahead, stream->Peek(kMaxLine));
  const std::string_view text(reinterpret_cast<const char*>(ahead.data()), ahead.size());
  const size_t end = text.find('\n');
  auto damaged = [&](std::string_view why) {
    return Fail(ErrorKind::InvalidArgument, "'{}' is not a y4m video: {}.", stream->name(), why);
  };
  if (!text.starts_with("YUV4MPEG2 ") || end == text.npos) return damaged("its first line is not a YUV4MPEG2 header");
  std::string_view header = text.substr(10, end - 10);
  int64_t width = 0, height = 0, num = 0, den = 0, aspect_num = 0, aspect_den = 0;
  const Tag* tag = &kTags[0];
  bool full = false, range_known = false;
  while (!header.empty()) {
    const size_t space = std::min(header.find(' '), header.size());
    const std::string_view word = header.substr(0, space);
    header.remove_prefix(std::min(space + 1, header.size()));
    if (word.empty()) continue;
    const std::string_view value = word.substr(1);
    switch (word[0]) {
      case 'W': std::from_chars(value.data(), value.data() + value.size(), width); break;
      case 'H': std::from_chars(value.data(), value.data() + value.size(), height); break;
      case 'F': ParseRatio(value, &num, &den); break;
      case 'A': ParseRatio(value, &aspect_num, &aspect_den); break;
      case 'C': {
        tag = nullptr;
        for (const Tag& t : kTags) {
          if (t.name == value) tag = &t;
        }
        if (!tag) return Fail(ErrorKind::Unsupported, "'{}' has the colour layout C{}, which is not supported.", stream->name(), value);
        break;
      }
      case 'X':
        if (value.starts_with("COLORRANGE=")) {
          range_known = true;
          full = value.ends_with("FULL");
        }
        break;
      default: break;  // I (interlacing) and what others added
    }
  }
  if (width <= 0 || height <= 0) return damaged("its header has no width and height");
  WEFT_TRY(CheckSize(width, height, options.limits, stream->name()));
  if (num <= 0 || den <= 0 || num > 1'000'000'000 || den > 1'000'000'000) {
    options.log.Write(LogLevel::Warning, fmt::format("'{}' does not say its frame rate; 25 a second are assumed.", stream->name()));
    num = 25, den = 1;
  }
  std::vector<uint8_t> line(end + 1);
  WEFT_TRY_ASSIGN(const size_t got, stream->Read(line));
  (void)got;
  auto source = std::make_unique<PlainSource>(std::move(stream), std::move(options), true);
  StreamInfo& info = source->mutable_info();
  info.format = "y4m";
  info.rate = Rational::Make(num, den);
  info.frame = {.width = static_cast<int>(width), .height = static_cast<int>(height), .format = tag->format, .chroma = tag->chroma};
  const PixelLayout& layout = LayoutOf(tag->format);
  // Gray y4m has video's range like the other kinds.
  const bool gray = layout.model == ColorModel::Gray;
  info.frame.color = ResolveColor({kUnspecified, kUnspecified, kUnspecified, full}, range_known || gray, layout, info.frame.width,
                                  info.frame.height, &info.color_guessed);
  if (layout.has_alpha) info.frame.alpha = AlphaMode::Straight;
  if (aspect_num > 0 && aspect_den > 0 && aspect_num < 1'000'000 && aspect_den < 1'000'000)
    info.frame.pixel_aspect = Rational::Make(aspect_num, aspect_den);
  WEFT_TRY(source->Begin());
  return source;
}

Result<std::unique_ptr<Source>> OpenRawVideo(std::unique_ptr<ByteStream> stream, SourceOptions options) {
  OptionReader reader(options.values, fmt::format("'{}' (raw video)", stream->name()));
  WEFT_TRY(reader.Check({{"format", "rawvideo"},
                         {"size", "WIDTHxHEIGHT, needed"},
                         {"pix_fmt", "such as yuv420p or rgba, needed"},
                         {"rate", "frames a second; 25 where not given"}}));
  WEFT_TRY_ASSIGN(const auto size, reader.Size("size"));
  WEFT_TRY_ASSIGN(const auto rate, reader.Rate("rate"));
  const std::string* name = reader.Find("pix_fmt");
  if (!size || !name) {
    return Fail(ErrorKind::InvalidArgument, "Raw video does not say what it is: give '{}' the option{} such as {}.", stream->name(),
                size || name ? "" : "s",
                size   ? "pix_fmt=yuv420p"
                : name ? "size=1920x1080"
                       : "size=1920x1080,pix_fmt=yuv420p");
  }
  const F format = PixelFormatByName(*name);
  if (format == F::None) {
    std::string list;
    for (const PixelLayout& l : AllLayouts()) list += fmt::format("{}{}", list.empty() ? "" : ", ", l.name);
    return reader.Wrong("pix_fmt", *name, fmt::format("one of {}", list));
  }
  WEFT_TRY(CheckSize(size->first, size->second, options.limits, stream->name()));
  auto source = std::make_unique<PlainSource>(std::move(stream), std::move(options), false);
  StreamInfo& info = source->mutable_info();
  const PixelLayout& layout = LayoutOf(format);
  info.format = "rawvideo";
  info.rate = rate.value_or(Rational{25, 1});
  info.frame = {.width = size->first, .height = size->second, .format = format};
  info.frame.color =
      ResolveColor({kUnspecified, kUnspecified, kUnspecified, false}, false, layout, size->first, size->second, &info.color_guessed);
  if (layout.has_alpha) info.frame.alpha = AlphaMode::Straight;
  WEFT_TRY(source->Begin());
  return source;
}

}  // namespace weft::media
