// SPDX-License-Identifier: Apache-2.0
#include "media/picture_sink.h"

#include <algorithm>
#include <cctype>

#include "base/fail.h"
#include "media/output.h"
#include "media/sink_checks.h"

namespace weft::media {
namespace {

class PictureSink final : public Sink {
 public:
  PictureSink(std::string spec, std::unique_ptr<PictureEncoder> encoder, std::optional<SequencePattern> pattern,
              std::unique_ptr<Output> output, bool overwrite)
      : Sink(OutputName(spec)),
        encoder_(std::move(encoder)),
        pattern_(std::move(pattern)),
        output_(std::move(output)),
        overwrite_(overwrite) {}

  std::vector<PixelFormat> AcceptedFormats() const override { return encoder_->AcceptedFormats(); }
  Result<FrameInfo> Wanted(const FrameInfo& picture) const override { return encoder_->Wanted(picture); }

  Status Write(const CpuFrame& frame) override {
    WEFT_TRY(check_.Check(frame, encoder_->AcceptedFormats(), name_));
    if (!pattern_) {
      if (count_++ > 0) {
        Abort();
        return Fail(ErrorKind::InvalidArgument,
                    "The output '{}' is a single picture, and there is a second frame ({}) for it; name a sequence such as '{}'.", name_,
                    frame.number, SequenceHint(name_));
      }
      WEFT_TRY_ASSIGN(const auto bytes, encoder_->Encode(frame, name_));
      return output_->Write(bytes);
    }
    const std::string file = pattern_->Name(frame.number);
    WEFT_TRY(CheckWritable(file, overwrite_));  // before the work of encoding
    WEFT_TRY_ASSIGN(const auto bytes, encoder_->Encode(frame, file));
    WEFT_TRY_ASSIGN(auto out, AtomicFile::Create(file, overwrite_));
    WEFT_TRY(out->Write(std::as_bytes(std::span(bytes))));
    WEFT_TRY(out->Commit());
    ++count_;
    return {};
  }

  Status Finish() override {
    if (count_ == 0) {
      Abort();
      return NothingWritten(name_);
    }
    return output_ ? output_->Commit() : Status();
  }
  void Abort() override {
    if (output_) output_->Abort();
  }

  static std::string SequenceHint(const std::string& name) {
    const size_t dot = name.rfind('.'), slash = name.rfind('/');
    if (dot == name.npos || (slash != name.npos && dot < slash)) return name + "-%06d";
    return name.substr(0, dot) + "-%06d" + name.substr(dot);
  }

 private:
  std::unique_ptr<PictureEncoder> encoder_;
  std::optional<SequencePattern> pattern_;
  std::unique_ptr<Output> output_;  // of a single picture
  bool overwrite_;
  FrameCheck check_;
  int64_t count_ = 0;
};

}  // namespace

std::string PictureFormatByEnding(std::string_view ending) {
  std::string e(ending);
  std::transform(e.begin(), e.end(), e.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (e == "png") return "png";
  if (e == "jpg" || e == "jpeg") return "jpeg";
  if (e == "tif" || e == "tiff") return "tiff";
  if (e == "webp") return "libwebp";
  if (e == "bmp" || e == "exr" || e == "tga" || e == "ppm" || e == "pgm" || e == "pam" || e == "dpx" || e == "sgi")
    return e == "tga" ? "targa" : e;
  if (e == "jp2") return "jpeg2000";
  return "";
}

Result<std::unique_ptr<PictureEncoder>> MakePictureEncoder(const std::string& format, const EncoderContext& context) {
  if (format == "png") return MakePngEncoder(context);
  if (format == "jpeg") return MakeJpegEncoder(context);
  return MakeAvPictureEncoder(context, format);
}

Result<std::unique_ptr<Sink>> MakePictureSink(const std::string& spec, const std::string& format, std::optional<SequencePattern> pattern,
                                              SinkOptions options) {
  EncoderContext context{.name = OutputName(spec), .log = options.log};
  for (const auto& [key, value] : options.values) {
    if (key != "format") context.values.emplace_back(key, value);
  }
  WEFT_TRY_ASSIGN(auto encoder, MakePictureEncoder(format, context));
  if (!pattern && options.frame_count.value_or(1) > 1) {
    return Fail(ErrorKind::InvalidArgument,
                "The output '{}' is a single picture, and there are {} frames for it; name a sequence such as '{}'.", context.name,
                *options.frame_count, PictureSink::SequenceHint(context.name));
  }
  if (!options.audio.path.empty()) {
    options.log.Write(LogLevel::Warning, fmt::format("'{}' is made of pictures and cannot hold sound; that of '{}' is left out.",
                                                     context.name, options.audio.path));
  }
  if (options.source && options.source->frame.format != PixelFormat::None) {
    const PixelLayout& from = LayoutOf(options.source->frame.format);
    WEFT_TRY_ASSIGN(const FrameInfo want, encoder->Wanted(options.source->frame));
    const PixelLayout& to = LayoutOf(want.format);
    // 9 to 16 bits from video count as one step: a JPEG of 10-bit video is what was asked for, but it is said.
    if (from.bits > 8 && to.bits <= 8) {
      options.log.Write(LogLevel::Warning, fmt::format("'{}' keeps 8 of the source's {} bits a sample.", context.name, from.bits));
    }
  }
  std::unique_ptr<Output> output;
  if (pattern) {
    WEFT_TRY(CheckWritable(pattern->Name(options.source ? options.source->first_number : 0), options.overwrite));
  } else {
    WEFT_TRY_ASSIGN(output, Output::Create(spec, options.overwrite));
  }
  return std::make_unique<PictureSink>(spec, std::move(encoder), std::move(pattern), std::move(output), options.overwrite);
}

}  // namespace weft::media
