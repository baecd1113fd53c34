// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/fail.h"
#include "media/color.h"
#include "media/options.h"
#include "media/output.h"
#include "media/raw_video.h"
#include "media/sink_checks.h"

namespace weft::media {
namespace {

using F = PixelFormat;

class PlainSink final : public Sink {
 public:
  PlainSink(std::string name, std::unique_ptr<Output> out, SinkOptions options, bool y4m, std::vector<F> accepted)
      : Sink(std::move(name)), out_(std::move(out)), options_(std::move(options)), y4m_(y4m), accepted_(std::move(accepted)) {}

  std::vector<PixelFormat> AcceptedFormats() const override { return accepted_; }

  Result<FrameInfo> Wanted(const FrameInfo& picture) const override {
    FrameInfo want = picture;
    want.format = Choose(picture);
    const PixelLayout& l = LayoutOf(want.format);
    SetColorFor(l, picture, &want);
    if (!l.has_alpha)
      want.alpha = AlphaMode::Opaque;
    else if (want.alpha == AlphaMode::Premultiplied)
      want.alpha = AlphaMode::Straight;
    return want;
  }

  Status Write(const CpuFrame& frame) override {
    WEFT_TRY(check_.Check(frame, accepted_, name_));
    if (y4m_) {
      const std::string line = count_ == 0 ? Header(frame.info()) + "FRAME\n" : "FRAME\n";
      WEFT_TRY(out_->Write({reinterpret_cast<const uint8_t*>(line.data()), line.size()}));
    }
    for (int p = 0; p < frame.planes(); ++p) {
      const size_t row = frame.row_bytes(p), rows = static_cast<size_t>(frame.rows(p));
      if (frame.stride(p) == row) {
        WEFT_TRY(out_->Write({frame.data(p), row * rows}));
        continue;
      }
      block_.resize(row * rows);
      for (size_t y = 0; y < rows; ++y) std::copy_n(frame.data(p) + y * frame.stride(p), row, block_.data() + y * row);
      WEFT_TRY(out_->Write(block_));
    }
    ++count_;
    return {};
  }

  Status Finish() override {
    if (count_ == 0) {
      out_->Abort();
      return NothingWritten(name_);
    }
    return out_->Commit();
  }
  void Abort() override { out_->Abort(); }

 private:
  F Choose(const FrameInfo& picture) const {
    if (accepted_.size() == 1) return accepted_[0];
    const F from = picture.format;
    for (F f : accepted_) {
      if (f == from) return f;
    }
    if (!y4m_) return F::Rgba8;
    if (from == F::None) return F::Yuv444p8;
    const PixelLayout& l = LayoutOf(from);
    if (l.model == ColorModel::Gray) return l.bits > 12 ? F::Gray16 : l.bits > 10 ? F::Gray12 : l.bits > 8 ? F::Gray10 : F::Gray8;
    if (l.model == ColorModel::Yuv && l.log2_chroma_w == 1 && l.log2_chroma_h == 1) {
      return l.bits > 12 ? F::Yuv420p16 : l.bits > 10 ? F::Yuv420p12 : l.bits > 8 ? F::Yuv420p10 : F::Yuv420p8;
    }
    return l.bits > 12 ? F::Yuv444p16 : l.bits > 10 ? F::Yuv444p12 : l.bits > 8 ? F::Yuv444p10 : F::Yuv444p8;
  }

  std::string Header(const FrameInfo& info) const {
    const Rational rate = options_.source ? options_.source->rate : Rational{25, 1};
    return fmt::format("YUV4MPEG2 W{} H{} F{}:{} Ip A{}:{} C{} XCOLORRANGE={}\n", info.width, info.height, rate.num, rate.den,
                       info.pixel_aspect.num, info.pixel_aspect.den, Y4mTag(info.format, info.chroma),
                       info.color.full_range ? "FULL" : "LIMITED");
  }

  std::unique_ptr<Output> out_;
  SinkOptions options_;
  bool y4m_;
  std::vector<F> accepted_;
  FrameCheck check_;
  int64_t count_ = 0;
  std::vector<uint8_t> block_;
};

Result<std::unique_ptr<Sink>> Make(const std::string& spec, SinkOptions options, bool y4m) {
  const std::string name = OutputName(spec);
  OptionReader reader(options.values, fmt::format("'{}' ({})", name, y4m ? "y4m video" : "raw video"));
  WEFT_TRY(
      reader.Check({{"format", y4m ? "y4m" : "rawvideo"}, {"pix_fmt", "the layout of the samples; near the source's where not given"}}));
  std::vector<F> accepted;
  for (const PixelLayout& l : AllLayouts()) {
    if (!y4m || !Y4mTag(l.format, ChromaSiting::Left).empty()) accepted.push_back(l.format);
  }
  if (const std::string* text = reader.Find("pix_fmt")) {
    const F format = PixelFormatByName(*text);
    if (std::find(accepted.begin(), accepted.end(), format) == accepted.end())
      return reader.Wrong("pix_fmt", *text, "one of " + NameList(accepted));
    accepted = {format};
  }
  if (!options.audio.path.empty())
    options.log.Write(LogLevel::Warning, fmt::format("'{}' cannot hold sound; that of '{}' is left out.", name, options.audio.path));
  if (y4m && options.source && !options.source->constant_rate) {
    options.log.Write(LogLevel::Warning,
                      fmt::format("'{}' cannot hold the source's varying frame times; every frame gets the same time.", name));
  }
  WEFT_TRY_ASSIGN(auto out, Output::Create(spec, options.overwrite));
  return std::make_unique<PlainSink>(name, std::move(out), std::move(options), y4m, std::move(accepted));
}

}  // namespace

Result<std::unique_ptr<Sink>> MakeY4mSink(const std::string& spec, SinkOptions options) { return Make(spec, std::move(options), true); }
Result<std::unique_ptr<Sink>> MakeRawVideoSink(const std::string& spec, SinkOptions options) {
  return Make(spec, std::move(options), false);
}

}  // namespace weft::media
