// SPDX-License-Identifier: Apache-2.0
#include "media/av_audio.h"

#include "base/fail.h"

namespace weft::media {

Result<std::unique_ptr<AvAudioCopy>> AvAudioCopy::Open(const AudioCopy& audio, Rational origin, AVFormatContext* out,
                                                       const std::string& out_name, const Log& log) {
  if (audio.path == "-") {
    log.Write(LogLevel::Warning,
              fmt::format("The sound of standard input cannot be copied to '{}', because the input can be read only once.", out_name));
    return nullptr;
  }
  std::unique_ptr<AvAudioCopy> copy(new AvAudioCopy());
  WEFT_TRY_ASSIGN(auto stream, ByteStream::Open(audio.path));
  WEFT_TRY_ASSIGN(copy->input_, AvInput::Open(std::move(stream), "", Limits{}.max_pixels));
  copy->out_ = out;
  copy->out_name_ = out_name;
  copy->packet_.reset(av_packet_alloc());
  AVFormatContext* in = copy->input_->context();
  copy->map_.assign(in->nb_streams, -1);
  copy->shift_.assign(in->nb_streams, 0);
  bool any = false;
  for (unsigned i = 0; i < in->nb_streams; ++i) {
    AVStream* s = in->streams[i];
    s->discard = AVDISCARD_ALL;
    if (s->codecpar->codec_type != AVMEDIA_TYPE_AUDIO) continue;
    if (s->codecpar->codec_id == AV_CODEC_ID_NONE || avformat_query_codec(out->oformat, s->codecpar->codec_id, FF_COMPLIANCE_NORMAL) == 0 ||
        (any && out->oformat->audio_codec == AV_CODEC_ID_NONE)) {
      log.Write(LogLevel::Warning, fmt::format("The sound of '{}' ({}) is left out, because '{}' ({}) cannot hold it.", audio.path,
                                               avcodec_get_name(s->codecpar->codec_id), out_name, out->oformat->name));
      continue;
    }
    AVStream* o = avformat_new_stream(out, nullptr);
    if (!o || avcodec_parameters_copy(o->codecpar, s->codecpar) < 0)
      return Fail(ErrorKind::OutOfMemory, "There is no memory to write '{}'.", out_name);
    o->codecpar->codec_tag = 0;  // another container has other tags
    o->time_base = s->time_base;
    o->disposition = s->disposition;
    av_dict_copy(&o->metadata, s->metadata, 0);
    s->discard = AVDISCARD_DEFAULT;
    bool exact = false;
    copy->shift_[i] = SecondsToTicks(origin, s->time_base, &exact);
    copy->map_[i] = o->index;
    any = true;
  }
  if (!any) return nullptr;
  return copy;
}

Status AvAudioCopy::WriteUntil(std::optional<Rational> seconds) {
  AvLog log;
  while (!ended_) {
    if (!have_packet_) {
      const int rc = av_read_frame(input_->context(), packet_.get());
      if (rc < 0) {
        ended_ = true;
        if (rc != AVERROR_EOF)
          return Fail(ErrorKind::InvalidArgument, "The sound of '{}' is damaged or cut off: {}.", input_->name(), log.Reason(rc));
        break;
      }
      have_packet_ = true;
    }
    // Streams that appear on the way are not copied.
    const auto index = static_cast<size_t>(packet_->stream_index);
    if (index >= map_.size() || map_[index] < 0) {
      av_packet_unref(packet_.get());
      have_packet_ = false;
      continue;
    }
    AVStream* in = input_->context()->streams[index];
    const int64_t begin = (packet_->pts != AV_NOPTS_VALUE ? packet_->pts : packet_->dts) - shift_[index];
    const bool timed = packet_->pts != AV_NOPTS_VALUE || packet_->dts != AV_NOPTS_VALUE;
    const Rational at = TicksToSeconds(begin, in->time_base);
    if (timed && seconds && !(at < *seconds)) return {};
    have_packet_ = false;
    if (timed && from_ && at < *from_) {
      av_packet_unref(packet_.get());
      continue;
    }
    AVStream* o = out_->streams[map_[index]];
    if (packet_->pts != AV_NOPTS_VALUE) packet_->pts -= shift_[index];
    if (packet_->dts != AV_NOPTS_VALUE) packet_->dts -= shift_[index];
    av_packet_rescale_ts(packet_.get(), in->time_base, o->time_base);
    packet_->stream_index = o->index;
    packet_->pos = -1;
    const int rc = av_interleaved_write_frame(out_, packet_.get());
    if (rc < 0) return Fail(ErrorKind::Io, "The sound of '{}' cannot be written to '{}': {}.", input_->name(), out_name_, log.Reason(rc));
  }
  return {};
}

}  // namespace weft::media
