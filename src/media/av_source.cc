// SPDX-License-Identifier: Apache-2.0
#include "media/av_source.h"

#include <algorithm>
#include <cstring>
#include <deque>

#include "base/fail.h"
#include "media/av_frame.h"
#include "media/av_util.h"
#include "media/options.h"
#include "media/orientation.h"
#include "media/picture.h"

namespace weft::media {
namespace {

constexpr int kMaxErrorsBeforeFirst = 500;  // a recording that begins in the middle may give these

// The size that a Matroska file says it has, or -1. libav takes a file that is cut between two blocks for a whole one.
int64_t MatroskaEnd(std::span<const uint8_t> head) {
  size_t at = 0;
  auto element = [&](uint32_t id, int64_t* size) {
    if (at + 5 > head.size()) return false;
    const uint32_t got = uint32_t{head[at]} << 24 | uint32_t{head[at + 1]} << 16 | uint32_t{head[at + 2]} << 8 | head[at + 3];
    if (got != id) return false;
    at += 4;
    int length = 1;
    while (length <= 8 && !(head[at] & (0x80 >> (length - 1)))) ++length;
    if (length > 8 || at + static_cast<size_t>(length) > head.size()) return false;
    int64_t value = head[at] & (0xff >> length);
    bool unknown = value == (0xff >> length);
    for (int i = 1; i < length; ++i) {
      value = value << 8 | head[at + static_cast<size_t>(i)];
      unknown &= head[at + static_cast<size_t>(i)] == 0xff;
    }
    at += static_cast<size_t>(length);
    *size = unknown ? -1 : value;
    return true;
  };
  int64_t size = 0;
  if (!element(0x1a45dfa3, &size) || size < 0 || size > 4096) return -1;
  at += static_cast<size_t>(size);
  if (!element(0x18538067, &size) || size < 0) return -1;
  return static_cast<int64_t>(at) + size;
}

class AvSource final : public Source {
 public:
  AvSource(std::string name, SourceOptions options) : Source(std::move(name)), options_(std::move(options)), reader_(pool_.get()) {}

  Status Begin(std::unique_ptr<ByteStream> bytes, const std::string& format, bool keep_orientation, bool ignore_errors) {
    ignore_errors_ = ignore_errors;
    WEFT_TRY_ASSIGN(const auto head, bytes->Peek(8192));
    const int64_t end = MatroskaEnd(head);
    if (bytes->size() >= 0 && end > bytes->size()) missing_bytes_ = end - bytes->size();
    WEFT_TRY_ASSIGN(input_, AvInput::Open(std::move(bytes), format, options_.limits.max_pixels));
    WEFT_TRY(OpenDecoder());
    AVFormatContext* c = input_->context();
    orientation_ = 1;
    if (const auto* matrix = reinterpret_cast<const int32_t*>(av_stream_get_side_data(stream_, AV_PKT_DATA_DISPLAYMATRIX, nullptr));
        matrix && !keep_orientation) {
      orientation_ = OrientationOfMatrix(matrix);
      if (orientation_ == 0) {
        options_.log.Write(LogLevel::Warning,
                           fmt::format("'{}' asks to be turned by less than a quarter; it is left as it is stored.", name_));
        orientation_ = 1;
      }
    }
    FillStreamInfo(c);
    // The first frame says what the others are. Decoding it here also finds what cannot be decoded before anything else is set up.
    WEFT_TRY_ASSIGN(auto first, Decode());
    if (!first) return Fail(ErrorKind::InvalidArgument, "'{}' has no picture that can be decoded; it is damaged or cut off.", name_);
    WEFT_TRY_ASSIGN(stored_, reader_.InfoOf(**first, *stream_->codecpar, name_, &info_.color_guessed));
    av_format_ = (*first)->format;
    const AVRational aspect = av_guess_sample_aspect_ratio(c, stream_, first->get());
    if (aspect.num > 0 && aspect.den > 0) stored_.pixel_aspect = FromAv(aspect);
    WEFT_TRY_ASSIGN(info_.frame, OrientedInfo(stored_, orientation_));
    WEFT_TRY(CheckSize(stored_.width, stored_.height, options_.limits, name_));
    ahead_ = std::move(*first);
    if (options_.frames) {
      info_.first_number = options_.frames->first;
      if (options_.frames->first > 0 && input_->stream()->seekable() && !info_.still) WEFT_TRY(Seek(options_.frames->first));
    }
    return {};
  }

  Result<std::optional<Ref<CpuFrame>>> Next() override {
    if (done_) return std::optional<Ref<CpuFrame>>();
    auto frame = Take();
    if (!frame || !*frame) done_ = true;
    return frame;
  }

  Status Seek(int64_t number) override {
    if (!input_->stream()->seekable())
      return Fail(ErrorKind::Unsupported, "'{}' cannot be read again from frame {}: it is not a file.", name_, number);
    WEFT_TRY(Index());
    const auto count = static_cast<int64_t>(index_.size());
    if (number >= count) return Fail(ErrorKind::NotFound, "'{}' has the frames 0 to {}, so frame {} is missing.", name_, count - 1, number);
    const int64_t target = index_[static_cast<size_t>(std::max<int64_t>(number, 0))];
    // Twice: the container's index may land behind the frame; then everything is decoded from the start.
    for (bool from_start : {number <= 0, true}) {
      AvLog log;
      const int64_t to = from_start ? index_.front() : target;
      int rc = av_seek_frame(input_->context(), stream_->index, to, AVSEEK_FLAG_BACKWARD);
      if (rc < 0) rc = av_seek_frame(input_->context(), -1, 0, AVSEEK_FLAG_BYTE);
      if (rc < 0) return Fail(ErrorKind::Unsupported, "'{}' cannot be read from frame {}: {}.", name_, number, log.Reason(rc));
      avcodec_flush_buffers(codec_.get());
      draining_ = done_ = false;
      seen_frame_ = false;
      ahead_.reset();
      while (true) {
        WEFT_TRY_ASSIGN(auto frame, Decode());
        if (!frame) break;
        const int64_t pts = (*frame)->best_effort_timestamp;
        if (pts == AV_NOPTS_VALUE || pts > target) break;
        if (pts < target) continue;
        ahead_ = std::move(*frame);
        at_ = number;
        return {};
      }
    }
    return Fail(ErrorKind::InvalidArgument, "'{}' cannot be read from frame {}: decoding does not arrive at its time.", name_, number);
  }

 private:
  Status OpenDecoder() {
    AvLog log;
    AVFormatContext* c = input_->context();
    const AVCodec* decoder = nullptr;
    const int index = av_find_best_stream(c, AVMEDIA_TYPE_VIDEO, -1, -1, &decoder, 0);
    if (index == AVERROR_DECODER_NOT_FOUND) {
      for (unsigned i = 0; i < c->nb_streams; ++i) {
        const AVCodecParameters* p = c->streams[i]->codecpar;
        if (p->codec_type == AVMEDIA_TYPE_VIDEO) {
          return Fail(ErrorKind::Unsupported, "'{}' is coded as {}, for which the installed libav has no decoder.", name_,
                      avcodec_get_name(p->codec_id));
        }
      }
    }
    if (index < 0) return Fail(ErrorKind::InvalidArgument, "'{}' ({}) has no pictures, only other streams.", name_, c->iformat->name);
    stream_ = c->streams[index];
    for (unsigned i = 0; i < c->nb_streams; ++i) {
      if (static_cast<int>(i) != index) c->streams[i]->discard = AVDISCARD_ALL;
    }
    codec_.reset(avcodec_alloc_context3(decoder));
    packet_.reset(av_packet_alloc());
    if (!codec_ || !packet_) return Fail(ErrorKind::OutOfMemory, "There is no memory to decode '{}'.", name_);
    int rc = avcodec_parameters_to_context(codec_.get(), stream_->codecpar);
    codec_->pkt_timebase = stream_->time_base;
    codec_->max_pixels = options_.limits.max_pixels;
    codec_->thread_count = options_.threads;
    codec_->thread_type = FF_THREAD_FRAME | FF_THREAD_SLICE;
    if (rc >= 0) rc = avcodec_open2(codec_.get(), decoder, nullptr);
    if (rc < 0) return Fail(ErrorKind::InvalidArgument, "'{}' ({}) cannot be decoded: {}.", name_, decoder->name, log.Reason(rc));
    return {};
  }

  void FillStreamInfo(AVFormatContext* c) {
    info_.format = c->iformat->name;
    info_.time_base = FromAv(stream_->time_base);
    const Rational average = FromAv(stream_->avg_frame_rate), real = FromAv(stream_->r_frame_rate);
    info_.rate = average.num > 0 ? average : real.num > 0 ? real : Rational{25, 1};
    // r_frame_rate is the rate on whose grid all times lie: much above the average, frames are of different length.
    info_.constant_rate = average.num > 0 && (real.num == 0 || real.ToDouble() < average.ToDouble() * 1.02);
    info_.still = info_.format.ends_with("_pipe") || info_.format == "image2" || (stream_->disposition & AV_DISPOSITION_ATTACHED_PIC);
    if (stream_->nb_frames > 0) info_.frame_count = stream_->nb_frames;
    if (info_.still) {
      info_.frame_count = 1;
      options_.frames.reset();
    }
    if (stream_->duration > 0)
      info_.duration = TicksToSeconds(stream_->duration, stream_->time_base);
    else if (c->duration > 0)
      info_.duration = Rational::Make(c->duration, AV_TIME_BASE);
    info_.has_audio = av_find_best_stream(c, AVMEDIA_TYPE_AUDIO, -1, -1, nullptr, 0) >= 0;
    const AVDictionaryEntry* e = nullptr;
    while ((e = av_dict_get(c->metadata, "", e, AV_DICT_IGNORE_SUFFIX))) info_.metadata.emplace_back(e->key, e->value);
    if (options_.frames && info_.frame_count) {
      const FrameRange& r = *options_.frames;
      const int64_t end = r.last ? *r.last + 1 : *info_.frame_count;
      info_.frame_count = end > r.first ? (end - r.first + r.step - 1) / r.step : 0;
    } else if (options_.frames && options_.frames->last) {
      info_.frame_count = (*options_.frames->last - options_.frames->first) / options_.frames->step + 1;
    }
  }

  Error Damaged(const std::string& why) const {
    // An MP4 whose index lies at its end cannot be read in one go.
    if (!input_->stream()->seekable() && decoded_ == 0) {
      return Fail(ErrorKind::InvalidArgument,
                  "'{}' cannot be decoded as it comes: {}. Some files, such as an MP4 with its index at the end, must be given by name, "
                  "not through a pipe.",
                  name_, why);
    }
    return Fail(ErrorKind::InvalidArgument,
                "'{}' is damaged or cut off near frame {}: {}. Give it the option errors=ignore to use what can be decoded.", name_,
                decoded_, why);
  }

  // The next frame in the order of display, or nullopt at the end.
  Result<std::optional<AvFramePtr>> Decode() {
    AvLog log;
    while (true) {
      AvFramePtr frame(av_frame_alloc());
      if (!frame) return Fail(ErrorKind::OutOfMemory, "There is no memory to decode '{}'.", name_);
      int rc = avcodec_receive_frame(codec_.get(), frame.get());
      if (rc == 0) {
        if (!ignore_errors_ && seen_frame_ && (frame->decode_error_flags || (frame->flags & AV_FRAME_FLAG_CORRUPT)))
          return Damaged("a frame of it is incomplete");
        seen_frame_ = true;
        ++decoded_;
        return std::optional(std::move(frame));
      }
      if (rc == AVERROR_EOF) return std::optional<AvFramePtr>();
      if (rc != AVERROR(EAGAIN)) {
        WEFT_TRY(OnDecodeError(rc, log));
        continue;
      }
      WEFT_TRY(Feed(log));
    }
  }

  Status OnDecodeError(int rc, const AvLog& log) {
    if (rc == AVERROR(ENOMEM)) return Fail(ErrorKind::OutOfMemory, "There is no memory to decode '{}'.", name_);
    if (!ignore_errors_ && (seen_frame_ || info_.still || ++early_errors_ > kMaxErrorsBeforeFirst)) return Damaged(log.Reason(rc));
    return {};
  }

  // Gives the decoder one more packet, or tells it that there is none.
  Status Feed(const AvLog& log) {
    while (true) {
      av_packet_unref(packet_.get());
      int rc = av_read_frame(input_->context(), packet_.get());
      if (rc == 0 && packet_->stream_index != stream_->index) continue;
      if (rc == 0) {
        if ((packet_->flags & AV_PKT_FLAG_CORRUPT) && seen_frame_ && !ignore_errors_) return Damaged("the data of a frame is incomplete");
        rc = avcodec_send_packet(codec_.get(), packet_.get());
        if (rc < 0 && rc != AVERROR(EAGAIN)) return OnDecodeError(rc, log);
        return {};
      }
      if (!input_->io_status()) return input_->io_status().error();
      if (!ignore_errors_) {
        if (rc != AVERROR_EOF) return Damaged(log.Reason(rc));
        if (missing_bytes_ > 0) return Damaged(fmt::format("the file is {} bytes shorter than it says", missing_bytes_));
      }
      if (draining_) return {};
      draining_ = true;
      avcodec_send_packet(codec_.get(), nullptr);
      return {};
    }
  }

  Result<std::optional<Ref<CpuFrame>>> Take() {
    const FrameRange range = options_.frames.value_or(FrameRange{});
    while (!range.last || at_ <= *range.last) {
      AvFramePtr frame = std::move(ahead_);
      if (!frame) {
        WEFT_TRY_ASSIGN(auto next, Decode());
        if (!next) {
          if (options_.frames && (range.last || at_ <= range.first)) {
            return Fail(ErrorKind::NotFound, "'{}' has the frames 0 to {}, so frame {} is missing.", name_, at_ - 1,
                        std::max(at_, range.first));
          }
          return Ended();
        }
        frame = std::move(*next);
      }
      // A frame lasts until the next one begins; one is decoded ahead to know when that is.
      if (!info_.still) {
        WEFT_TRY_ASSIGN(auto next, Decode());
        if (next) ahead_ = std::move(*next);
      }
      const int64_t number = at_++;
      const int64_t pts = PtsOf(*frame);
      const int64_t duration = DurationOf(*frame, pts);
      next_pts_ = av_sat_add64(pts, duration);
      if (!range.Contains(number)) continue;
      if (frame->format != av_format_ || frame->width != stored_.width || frame->height != stored_.height) {
        return Fail(ErrorKind::Unsupported,
                    "Frame {} of '{}' is {}x{} {}, but the video began with {}; a change in the middle is not supported.", number, name_,
                    frame->width, frame->height, av_get_pix_fmt_name(static_cast<AVPixelFormat>(frame->format)), Describe(stored_));
      }
      WEFT_TRY_ASSIGN(Ref<CpuFrame> out, reader_.Convert(std::move(frame), stored_, name_));
      WEFT_TRY_ASSIGN(out, ApplyOrientation(out, orientation_, pool_.get()));
      out->number = number;
      out->pts = info_.still ? Rational{0, 1} : TicksToSeconds(pts, stream_->time_base);
      out->duration = info_.still ? Rational{1, 25} : TicksToSeconds(duration, stream_->time_base);
      if (info_.still) done_ = true;
      return std::optional(std::move(out));
    }
    return std::optional<Ref<CpuFrame>>();
  }

  // MP4 knows how many frames there are: fewer mean that the rest is missing.
  Result<std::optional<Ref<CpuFrame>>> Ended() {
    const bool mp4 = std::strstr(input_->context()->iformat->name, "mp4") != nullptr;
    if (mp4 && !ignore_errors_ && !options_.frames && stream_->nb_frames > 0 && at_ == 0) return Damaged("no frame can be decoded");
    info_.frame_count = options_.frames ? info_.frame_count : std::optional(at_);
    return std::optional<Ref<CpuFrame>>();
  }

  int64_t PtsOf(const AVFrame& f) const { return f.best_effort_timestamp != AV_NOPTS_VALUE ? f.best_effort_timestamp : next_pts_; }

  int64_t DurationOf(const AVFrame& f, int64_t pts) const {
    if (ahead_ && ahead_->best_effort_timestamp != AV_NOPTS_VALUE && ahead_->best_effort_timestamp > pts)
      return av_sat_sub64(ahead_->best_effort_timestamp, pts);
    if (f.pkt_duration > 0) return f.pkt_duration;
    bool exact = false;
    return std::max<int64_t>(1, SecondsToTicks({info_.rate.den, info_.rate.num}, stream_->time_base, &exact));
  }

  // Times of all frames in the order of display, from the packets alone. Once.
  Status Index() {
    if (!index_.empty()) return {};
    AvLog log;
    AVFormatContext* c = input_->context();
    int rc = av_seek_frame(c, stream_->index, stream_->start_time != AV_NOPTS_VALUE ? stream_->start_time : 0, AVSEEK_FLAG_BACKWARD);
    if (rc < 0) rc = av_seek_frame(c, -1, 0, AVSEEK_FLAG_BYTE);
    if (rc < 0)
      return Fail(ErrorKind::Unsupported, "'{}' ({}) cannot be read from a frame in the middle: {}.", name_, info_.format, log.Reason(rc));
    while (true) {
      av_packet_unref(packet_.get());
      rc = av_read_frame(c, packet_.get());
      if (rc < 0) break;
      if (packet_->stream_index != stream_->index || (packet_->flags & AV_PKT_FLAG_DISCARD)) continue;
      const int64_t pts = packet_->pts != AV_NOPTS_VALUE ? packet_->pts : packet_->dts;
      if (pts == AV_NOPTS_VALUE)
        return Fail(ErrorKind::Unsupported, "'{}' ({}) has frames without times, so it can only be read from its start.", name_,
                    info_.format);
      index_.push_back(pts);
    }
    if (index_.empty()) return Damaged("it has no frame");
    std::sort(index_.begin(), index_.end());
    return {};
  }

  SourceOptions options_;
  Ref<FramePool> pool_ = MakeRef<FramePool>();
  AvFrameReader reader_;
  std::unique_ptr<AvInput> input_;
  AVStream* stream_ = nullptr;  // of input_
  AvCodecPtr codec_;            // after input_, so that it goes first
  AvPacketPtr packet_;
  AvFramePtr ahead_;  // decoded already, not handed out
  FrameInfo stored_;  // before it is turned upright
  int av_format_ = -1;
  int orientation_ = 1;
  bool ignore_errors_ = false;
  bool draining_ = false, done_ = false, seen_frame_ = false;
  int early_errors_ = 0;
  int64_t missing_bytes_ = 0;
  int64_t at_ = 0;       // number of the next frame
  int64_t decoded_ = 0;  // for messages
  int64_t next_pts_ = 0;
  std::vector<int64_t> index_;
};

}  // namespace

Result<std::unique_ptr<Source>> OpenAvSource(std::unique_ptr<ByteStream> bytes, SourceOptions options) {
  const Options values = options.values;
  OptionReader reader(values, fmt::format("'{}' (video)", bytes->name()));
  WEFT_TRY(reader.Check({{"format", "a container's name in libav, such as mp4 or matroska"},
                         {"orientation", "apply or keep"},
                         {"errors", "stop or ignore"}}));
  WEFT_TRY_ASSIGN(const auto orientation, reader.Choice("orientation", {"apply", "keep"}));
  WEFT_TRY_ASSIGN(const auto errors, reader.Choice("errors", {"stop", "ignore"}));
  const std::string* format = reader.Find("format");
  auto source = std::make_unique<AvSource>(bytes->name(), std::move(options));
  WEFT_TRY(source->Begin(std::move(bytes), format ? *format : "", orientation.value_or(0) == 1, errors.value_or(0) == 1));
  return source;
}

Result<Picture> DecodeAvPicture(std::span<const uint8_t> bytes, const PictureContext& context) {
  SourceOptions options{.limits = context.limits, .threads = context.threads, .log = context.log};
  if (context.keep_orientation) options.values = {{"orientation", "keep"}};
  WEFT_TRY_ASSIGN(auto source, OpenAvSource(ByteStream::OfMemory(bytes, context.name), std::move(options)));
  WEFT_TRY_ASSIGN(auto frame, source->Next());
  if (!frame) return Fail(ErrorKind::InvalidArgument, "'{}' has no picture.", context.name);
  (*frame)->pts = {};
  return Picture{.frame = *frame, .format = source->info().format, .color_guessed = source->info().color_guessed};
}

}  // namespace weft::media
