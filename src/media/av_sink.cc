// SPDX-License-Identifier: Apache-2.0
#include "media/av_sink.h"

extern "C" {
#include <libavutil/opt.h>
}

#include <cstring>
#include <map>
#include <numeric>

#include "base/fail.h"
#include "media/av_audio.h"
#include "media/av_encoder.h"
#include "media/options.h"
#include "media/sink_checks.h"

namespace weft::media {
namespace {

struct MuxerDeleter {
  void operator()(AVFormatContext* c) const {
    c->pb = nullptr;  // AvIo's
    avformat_free_context(c);
  }
};

class AvSink final : public Sink {
 public:
  AvSink(std::string name, SinkOptions options, AvEncoder encoder)
      : Sink(std::move(name)), options_(std::move(options)), encoder_(std::move(encoder)) {}
  ~AvSink() override { Abort(); }

  Status Begin(const AVOutputFormat* format, std::unique_ptr<Output> output) {
    AVFormatContext* c = nullptr;
    if (avformat_alloc_output_context2(&c, format, nullptr, nullptr) < 0)
      return Fail(ErrorKind::OutOfMemory, "There is no memory to write '{}'.", name_);
    mux_.reset(c);
    // Some muxers read what they wrote (movflags=faststart) by this name.
    if (output->file()) c->url = av_strdup(output->file()->ReadablePath().c_str());
    io_ = AvIo::Writer(std::move(output));
    c->pb = io_->context();
    c->flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_BITEXACT;
    // Sound that begins a little before zero (an encoder's priming) would else move every picture by as much.
    if (std::strcmp(format->name, "matroska") == 0 || std::strcmp(format->name, "webm") == 0) c->avoid_negative_ts = 0;
    AvLog log;
    for (const auto& [key, value] : encoder_.muxer_options()) {
      const int rc = av_opt_set(c->priv_data, key.c_str(), value.c_str(), 0);
      if (rc < 0)
        return Fail(ErrorKind::InvalidArgument, "The option {}={} of '{}' ({}) is wrong: {}.", key, value, name_, format->name,
                    log.Reason(rc));
    }
    return {};
  }

  std::vector<PixelFormat> AcceptedFormats() const override { return encoder_.accepted(); }
  Result<FrameInfo> Wanted(const FrameInfo& picture) const override { return encoder_.Wanted(picture); }

  Status Write(const CpuFrame& frame) override {
    WEFT_TRY(check_.Check(frame, encoder_.accepted(), name_));
    if (!codec_) WEFT_TRY(Start(frame));
    bool exact_pts = false, exact_origin = false;
    const int64_t pts =
        SecondsToTicks(frame.pts, codec_->time_base, &exact_pts) - SecondsToTicks(options_.origin, codec_->time_base, &exact_origin);
    if (!(exact_pts && exact_origin) && !warned_) {
      warned_ = true;
      options_.log.Write(LogLevel::Warning,
                         fmt::format("'{}' cannot hold the time of frame {} ({}/{} s) exactly; it is rounded to {}/{} s.", name_,
                                     frame.number, frame.pts.num, frame.pts.den, codec_->time_base.num, codec_->time_base.den));
    }
    if (frames_ > 0 && pts <= last_pts_) {
      return Fail(
          ErrorKind::InvalidArgument,
          "Frame {} for the output '{}' begins at {}/{} s, not after the frame before it; frames must come in the order of their times.",
          frame.number, name_, frame.pts.num, frame.pts.den);
    }
    last_pts_ = pts;
    WEFT_TRY_ASSIGN(AvFramePtr f, encoder_.Frame(frame));
    f->pts = pts;
    f->pkt_duration = std::max<int64_t>(1, SecondsToTicks(frame.duration, codec_->time_base, &exact_pts));
    durations_[pts] = f->pkt_duration;
    end_ = TicksToSeconds(pts + f->pkt_duration, codec_->time_base);
    ++frames_;
    return Encode(f.get());
  }

  Status Finish() override {
    if (frames_ == 0) {
      Abort();
      return NothingWritten(name_);
    }
    Status status = FinishAll();
    if (!status) Abort();
    return status;
  }

  void Abort() override {
    codec_.reset();
    audio_.reset();
    mux_.reset();
    if (io_) io_->output()->Abort();
    io_.reset();
  }

 private:
  // The coarsest base that holds the source's grid, the origin and this frame exactly.
  AVRational TimeBase(const CpuFrame& frame) const {
    const Rational rate = options_.source          ? options_.source->rate
                          : frame.duration.num > 0 ? Rational::Make(frame.duration.den, frame.duration.num)
                                                   : Rational{25, 1};
    // AVI and MPEG-1/2 know only a rate. (libav's flag AVFMT_VARIABLE_FPS does not tell: MP4 lacks it.)
    const std::string_view container = mux_->oformat->name;
    const bool fixed =
        encoder_.codec()->supported_framerates || container == "avi" || container == "gxf" || container == "mxf" || container == "dv";
    if (fixed && rate.num <= INT32_MAX && rate.den <= INT32_MAX && rate.num > 0)
      return {static_cast<int>(rate.den), static_cast<int>(rate.num)};
    int64_t den = options_.source ? options_.source->time_base.den : 1;
    for (int64_t d : {options_.origin.den, frame.pts.den, frame.duration.den}) {
      const int64_t step = d / std::gcd(den, d);
      if (d > 0 && den <= 1'000'000'000 / step) den *= step;
    }
    if (den <= 0 || den > 1'000'000'000) den = 1'000'000;
    if (encoder_.codec()->id == AV_CODEC_ID_MPEG4 && den > 65535)
      return {static_cast<int>(rate.den), static_cast<int>(rate.num)};  // its header has 16 bits for it
    return {1, static_cast<int>(den)};
  }

  Status Start(const CpuFrame& frame) {
    AvLog log;
    const Rational rate = options_.source          ? options_.source->rate
                          : frame.duration.num > 0 ? Rational::Make(frame.duration.den, frame.duration.num)
                                                   : Rational{25, 1};
    WEFT_TRY_ASSIGN(codec_,
                    encoder_.Open(frame.info(), TimeBase(frame), rate, options_.threads, mux_->oformat->flags & AVFMT_GLOBALHEADER));
    AVStream* s = avformat_new_stream(mux_.get(), nullptr);
    if (!s || avcodec_parameters_from_context(s->codecpar, codec_.get()) < 0)
      return Fail(ErrorKind::OutOfMemory, "There is no memory to write '{}'.", name_);
    s->time_base = codec_->time_base;
    s->avg_frame_rate = codec_->framerate;
    s->sample_aspect_ratio = codec_->sample_aspect_ratio;
    packet_.reset(av_packet_alloc());
    if (options_.source) {
      for (const auto& [key, value] : options_.source->metadata) {
        // What describes the old container is not true of the new one.
        if (key != "major_brand" && key != "minor_version" && key != "compatible_brands" && key != "encoder")
          av_dict_set(&mux_->metadata, key.c_str(), value.c_str(), 0);
      }
    }
    if (!options_.audio.path.empty()) {
      WEFT_TRY_ASSIGN(audio_, AvAudioCopy::Open(options_.audio, options_.origin, mux_.get(), name_, options_.log));
      bool exact = false;
      const AVRational tb = codec_->time_base;
      if (audio_ && options_.audio.trim)
        audio_->SkipTo(TicksToSeconds(SecondsToTicks(frame.pts, tb, &exact) - SecondsToTicks(options_.origin, tb, &exact), tb));
    }
    const int rc = avformat_write_header(mux_.get(), nullptr);
    if (rc < 0) return WriteError(rc, log);
    header_written_ = true;
    video_ = s;
    return {};
  }

  Error WriteError(int rc, const AvLog& log) const {
    if (!io_->status()) return io_->status().error();
    return Fail(ErrorKind::InvalidArgument, "'{}' ({}, {}) cannot be written: {}.", name_, mux_->oformat->name, encoder_.codec()->name,
                log.Reason(rc));
  }

  // Null flushes the encoder.
  Status Encode(AVFrame* frame) {
    AvLog log;
    int rc = avcodec_send_frame(codec_.get(), frame);
    if (rc < 0)
      return Fail(ErrorKind::Internal, "A frame of '{}' cannot be encoded by {}: {}.", name_, encoder_.codec()->name, log.Reason(rc));
    while (true) {
      rc = avcodec_receive_packet(codec_.get(), packet_.get());
      if (rc == AVERROR(EAGAIN) || rc == AVERROR_EOF) return {};
      if (rc < 0)
        return Fail(ErrorKind::Internal, "A frame of '{}' cannot be encoded by {}: {}.", name_, encoder_.codec()->name, log.Reason(rc));
      if (auto it = durations_.find(packet_->pts); it != durations_.end()) {
        packet_->duration = it->second;
        durations_.erase(it);
      }
      MendDts();
      // Sound up to here first, so that both lie side by side in the file.
      if (audio_) WEFT_TRY(audio_->WriteUntil(TicksToSeconds(packet_->dts, codec_->time_base)));
      av_packet_rescale_ts(packet_.get(), codec_->time_base, video_->time_base);
      packet_->stream_index = video_->index;
      rc = av_interleaved_write_frame(mux_.get(), packet_.get());
      if (rc < 0 || !io_->status()) return WriteError(rc, log);
    }
  }

  // libx265 (3.5) answers memory that it never wrote as dts where a clip is shorter than its own delay.
  void MendDts() {
    constexpr int64_t kMostSeconds = 600;
    const int64_t most = av_rescale_q(kMostSeconds, {1, 1}, codec_->time_base);
    AVPacket& p = *packet_;
    if (p.dts == AV_NOPTS_VALUE || p.pts == AV_NOPTS_VALUE) return;
    if (p.dts > p.pts || p.dts < p.pts - most) p.dts = last_dts_ ? std::min(*last_dts_ + 1, p.pts) : p.pts;
    last_dts_ = p.dts;
  }

  Status FinishAll() {
    WEFT_TRY(Encode(nullptr));
    if (audio_) WEFT_TRY(audio_->WriteUntil(options_.audio.trim ? std::optional(end_) : std::nullopt));
    AvLog log;
    const int rc = av_write_trailer(mux_.get());
    avio_flush(io_->context());
    if (rc < 0 || !io_->status() || io_->context()->error < 0) return WriteError(rc < 0 ? rc : io_->context()->error, log);
    Status status = io_->output()->Commit();
    return status;
  }

  SinkOptions options_;
  AvEncoder encoder_;
  std::unique_ptr<AvIo> io_;
  std::unique_ptr<AVFormatContext, MuxerDeleter> mux_;
  AvCodecPtr codec_;
  AVStream* video_ = nullptr;
  AvPacketPtr packet_;
  std::unique_ptr<AvAudioCopy> audio_;
  FrameCheck check_;
  std::map<int64_t, int64_t> durations_;  // by pts: encoders lose them
  int64_t frames_ = 0, last_pts_ = 0;
  std::optional<int64_t> last_dts_;
  Rational end_;
  bool warned_ = false, header_written_ = false;
};

std::string EncoderNames(const AVOutputFormat* format) {
  std::string list;
  void* state = nullptr;
  while (const AVCodec* c = av_codec_iterate(&state)) {
    if (av_codec_is_encoder(c) && c->type == AVMEDIA_TYPE_VIDEO &&
        !(c->capabilities & (AV_CODEC_CAP_EXPERIMENTAL | AV_CODEC_CAP_HARDWARE)) &&
        avformat_query_codec(format, c->id, FF_COMPLIANCE_NORMAL) == 1) {
      list += fmt::format("{}{}", list.empty() ? "" : ", ", c->name);
    }
  }
  return list;
}

Result<const AVCodec*> ChooseCodec(const std::string& name, const AVOutputFormat* format, const std::string* asked) {
  if (asked) {
    const AVCodec* c = avcodec_find_encoder_by_name(asked->c_str());
    if (!c) {
      if (const AVCodecDescriptor* d = avcodec_descriptor_get_by_name(asked->c_str())) c = avcodec_find_encoder(d->id);  // "h264", "prores"
    }
    if (!c || c->type != AVMEDIA_TYPE_VIDEO) {
      return Fail(ErrorKind::InvalidArgument, "The option codec={} of '{}' ({}) is wrong: no such encoder is there; valid are: {}.", *asked,
                  name, format->name, EncoderNames(format));
    }
    if (avformat_query_codec(format, c->id, FF_COMPLIANCE_NORMAL) == 0) {
      return Fail(ErrorKind::InvalidArgument, "The option codec={} of '{}' is wrong: a {} file cannot hold it; valid are: {}.", *asked,
                  name, format->name, EncoderNames(format));
    }
    return c;
  }
  AVCodecID id = format->video_codec;
  // libav's own default for some of these depends on how it was built.
  const std::string_view f = format->name;
  const bool h264 = f == "mp4" || f == "mov" || f == "matroska" || f == "mpegts" || f == "ipod" || f == "flv";
  if (h264) {
    if (const AVCodec* x264 = avcodec_find_encoder_by_name("libx264")) return x264;
  }
  if (f == "nut") id = AV_CODEC_ID_FFV1;  // without B-frames, whose negative decoding times would move every picture in NUT
  const AVCodec* c = id == AV_CODEC_ID_NONE ? nullptr : avcodec_find_encoder(id);
  if (!c)
    return Fail(ErrorKind::InvalidArgument, "'{}' ({}) holds no video by default; name an encoder with codec=; valid are: {}.", name,
                format->name, EncoderNames(format));
  return c;
}

}  // namespace

Result<std::unique_ptr<Sink>> MakeAvSink(const std::string& spec, const std::string& format_name, SinkOptions options) {
  const std::string name = OutputName(spec);
  const AVOutputFormat* format =
      format_name.empty() ? av_guess_format(nullptr, spec.c_str(), nullptr) : av_guess_format(format_name.c_str(), nullptr, nullptr);
  if (!format) {
    if (format_name.empty()) {
      return Fail(
          ErrorKind::InvalidArgument,
          "The ending of the output '{}' tells no format; use one such as .png, .jpg, .mp4, .mkv, .mov, .webm or .y4m, or give format=.",
          name);
    }
    return Fail(ErrorKind::InvalidArgument,
                "The option format={} of '{}' is wrong: expected png, jpeg, y4m, rawvideo or a container of libav such as mp4, matroska, "
                "mov, webm, nut or mpegts.",
                format_name, name);
  }
  if (format->flags & AVFMT_NOFILE || std::strcmp(format->name, "image2") == 0 || std::strcmp(format->name, "segment") == 0) {
    return Fail(ErrorKind::Unsupported, "The output '{}' ({}) would be several files or a device; weft writes one file an output.", name,
                format->name);
  }
  WEFT_TRY(OptionReader(options.values, fmt::format("'{}'", name)).CheckOnce());
  Options rest;
  const std::string* codec_name = nullptr;
  for (const auto& [key, value] : options.values) {
    if (key == "codec")
      codec_name = &value;
    else if (key != "format")
      rest.emplace_back(key, value);
  }
  WEFT_TRY_ASSIGN(const AVCodec* codec, ChooseCodec(name, format, codec_name));
  WEFT_TRY_ASSIGN(AvEncoder encoder, AvEncoder::Choose(codec, format, rest, name));
  WEFT_TRY_ASSIGN(auto output, Output::Create(spec, options.overwrite));
  auto sink = std::make_unique<AvSink>(name, std::move(options), std::move(encoder));
  WEFT_TRY(sink->Begin(format, std::move(output)));
  return sink;
}

}  // namespace weft::media
