// SPDX-License-Identifier: Apache-2.0
#include "media/av_util.h"

#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <mutex>

#include "base/fail.h"

namespace weft::media {
namespace {

constexpr int kIoBuffer = 1 << 16;
thread_local AvLog* current_log = nullptr;

void OnLog(void*, int level, const char* format, va_list args) noexcept {
  if (level > AV_LOG_ERROR || !current_log) return;
  char line[512];
  std::vsnprintf(line, sizeof line, format, args);
  current_log->Add(line);
}

}  // namespace

AvLog::AvLog() : outer_(current_log) {
  static std::once_flag once;
  std::call_once(once, [] { av_log_set_callback(OnLog); });
  current_log = this;
}
AvLog::~AvLog() { current_log = outer_; }

void AvLog::Add(const char* line) {
  try {
    std::string text = line;
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ' || text.back() == '.')) text.pop_back();
    if (!text.empty() && lines_.size() < 4) lines_.push_back(std::move(text));
  } catch (...) {  // called from C: a lost reason is better than an exception in libav
  }
}

std::string AvLog::Reason(int rc) const {
  if (lines_.empty()) {
    char text[AV_ERROR_MAX_STRING_SIZE] = {};
    av_strerror(rc, text, sizeof text);
    return text;
  }
  std::string all;
  for (const std::string& line : lines_) all += (all.empty() ? "" : "; ") + line;
  return all;
}

PixelFormat FromAv(AVPixelFormat format) {
  switch (format) {
    case AV_PIX_FMT_NONE: return PixelFormat::None;
    case AV_PIX_FMT_YUVJ420P: return PixelFormat::Yuv420p8;
    case AV_PIX_FMT_YUVJ422P: return PixelFormat::Yuv422p8;
    case AV_PIX_FMT_YUVJ444P: return PixelFormat::Yuv444p8;
    case AV_PIX_FMT_YUVJ440P: return PixelFormat::Yuv440p8;
    case AV_PIX_FMT_YUVJ411P: return PixelFormat::Yuv411p8;
    default: break;
  }
  const char* name = av_get_pix_fmt_name(format);
  return name ? PixelFormatByName(name) : PixelFormat::None;
}

AVPixelFormat ToAv(PixelFormat format) {
  if (format == PixelFormat::None) return AV_PIX_FMT_NONE;
  // Names hold no terminating zero by contract; av_get_pix_fmt() adds the native endianness by itself.
  return av_get_pix_fmt(std::string(PixelFormatName(format)).c_str());
}

bool IsFullRangeName(AVPixelFormat format) {
  return format == AV_PIX_FMT_YUVJ420P || format == AV_PIX_FMT_YUVJ422P || format == AV_PIX_FMT_YUVJ444P || format == AV_PIX_FMT_YUVJ440P ||
         format == AV_PIX_FMT_YUVJ411P;
}

int64_t SecondsToTicks(Rational seconds, AVRational base, bool* exact) {
  const Int128 num = static_cast<Int128>(seconds.num) * base.den;
  const Int128 den = static_cast<Int128>(seconds.den) * base.num;
  Int128 ticks = num / den;
  const Int128 rest = num % den;
  *exact = rest == 0;
  if (rest * 2 >= den) ++ticks;
  if (rest * 2 < -den) --ticks;
  return static_cast<int64_t>(ticks);
}

ChromaSiting FromAv(AVChromaLocation location) {
  switch (location) {
    case AVCHROMA_LOC_LEFT: return ChromaSiting::Left;
    case AVCHROMA_LOC_CENTER: return ChromaSiting::Center;
    case AVCHROMA_LOC_TOPLEFT: return ChromaSiting::TopLeft;
    case AVCHROMA_LOC_TOP: return ChromaSiting::Top;
    case AVCHROMA_LOC_BOTTOMLEFT: return ChromaSiting::BottomLeft;
    case AVCHROMA_LOC_BOTTOM: return ChromaSiting::Bottom;
    default: return ChromaSiting::Unspecified;
  }
}

AVChromaLocation ToAv(ChromaSiting siting) {
  switch (siting) {
    case ChromaSiting::Left: return AVCHROMA_LOC_LEFT;
    case ChromaSiting::Center: return AVCHROMA_LOC_CENTER;
    case ChromaSiting::TopLeft: return AVCHROMA_LOC_TOPLEFT;
    case ChromaSiting::Top: return AVCHROMA_LOC_TOP;
    case ChromaSiting::BottomLeft: return AVCHROMA_LOC_BOTTOMLEFT;
    case ChromaSiting::Bottom: return AVCHROMA_LOC_BOTTOM;
    case ChromaSiting::Unspecified: break;
  }
  return AVCHROMA_LOC_UNSPECIFIED;
}

std::unique_ptr<AvIo> AvIo::Reader(std::unique_ptr<ByteStream> stream) {
  std::unique_ptr<AvIo> io(new AvIo());
  io->stream_ = std::move(stream);
  auto* buffer = static_cast<unsigned char*>(av_malloc(kIoBuffer));
  io->context_ = avio_alloc_context(buffer, kIoBuffer, 0, io.get(), Read, nullptr, io->stream_->seekable() ? SeekIn : nullptr);
  return io;
}

std::unique_ptr<AvIo> AvIo::Writer(std::unique_ptr<Output> output) {
  std::unique_ptr<AvIo> io(new AvIo());
  io->output_ = std::move(output);
  auto* buffer = static_cast<unsigned char*>(av_malloc(kIoBuffer));
  io->context_ = avio_alloc_context(buffer, kIoBuffer, 1, io.get(), nullptr, Write, io->output_->is_file() ? SeekOut : nullptr);
  return io;
}

AvIo::~AvIo() {
  if (!context_) return;
  av_freep(&context_->buffer);
  avio_context_free(&context_);
}

int AvIo::Read(void* self, uint8_t* buffer, int size) noexcept {
  auto* io = static_cast<AvIo*>(self);
  try {
    auto got = io->stream_->Read({buffer, static_cast<size_t>(size)});
    if (!got) {
      io->status_ = std::move(got.error());
      return AVERROR(EIO);
    }
    return *got == 0 ? AVERROR_EOF : static_cast<int>(*got);
  } catch (...) {
    return AVERROR(ENOMEM);
  }
}

int AvIo::Write(void* self, uint8_t* buffer, int size) noexcept {
  auto* io = static_cast<AvIo*>(self);
  try {
    auto status = io->output_->Write({buffer, static_cast<size_t>(size)});
    if (status) return size;
    if (io->status_) io->status_ = std::move(status);
    return AVERROR(EIO);
  } catch (...) {
    return AVERROR(ENOMEM);
  }
}

int64_t AvIo::SeekIn(void* self, int64_t offset, int whence) noexcept {
  ByteStream& s = *static_cast<AvIo*>(self)->stream_;
  whence &= ~AVSEEK_FORCE;
  if (whence == AVSEEK_SIZE) return s.size();
  if (whence == SEEK_CUR) offset += s.position();
  if (whence == SEEK_END) offset += s.size();
  if (offset < 0) return AVERROR(EINVAL);
  try {
    return s.Seek(offset) ? offset : AVERROR(EIO);
  } catch (...) {
    return AVERROR(ENOMEM);
  }
}

int64_t AvIo::SeekOut(void* self, int64_t offset, int whence) noexcept {
  const int fd = static_cast<AvIo*>(self)->output_->fd();
  whence &= ~AVSEEK_FORCE;
  if (whence == AVSEEK_SIZE) {
    const off_t at = lseek(fd, 0, SEEK_CUR);
    const off_t size = lseek(fd, 0, SEEK_END);
    lseek(fd, at, SEEK_SET);
    return size;
  }
  const off_t at = lseek(fd, offset, whence);
  return at < 0 ? AVERROR(errno) : at;
}

Result<std::unique_ptr<AvInput>> AvInput::Open(std::unique_ptr<ByteStream> stream, const std::string& format, int64_t max_pixels) {
  std::unique_ptr<AvInput> in(new AvInput());
  AvLog log;
  in->name_ = stream->name();
  in->io_ = AvIo::Reader(std::move(stream));
  const AVInputFormat* demuxer = nullptr;
  if (!format.empty()) {
    demuxer = av_find_input_format(format.c_str());
    if (!demuxer || (demuxer->flags & AVFMT_NOFILE)) {
      return Fail(ErrorKind::InvalidArgument,
                  "The option format={} of '{}' is wrong: libav knows no such container; examples are mp4, matroska, avi and mpegts.",
                  format, in->name_);
    }
  }
  in->context_ = avformat_alloc_context();
  if (!in->context_) return Fail(ErrorKind::OutOfMemory, "There is no memory to read '{}'.", in->name_);
  in->context_->pb = in->io_->context();
  in->context_->flags |= AVFMT_FLAG_CUSTOM_IO;
  in->context_->io_open = [](AVFormatContext*, AVIOContext**, const char*, int, AVDictionary**) noexcept { return AVERROR(EPERM); };
  AVDictionary* options = nullptr;
  av_dict_set(&options, "protocol_whitelist", "", 0);
  // The name helps the probe where the bytes alone do not tell; it is never opened.
  int rc = avformat_open_input(&in->context_, in->name_.c_str(), demuxer, &options);
  av_dict_free(&options);
  auto fail = [&](const std::string& reason) {
    if (!in->io_->status()) return in->io_->status().error();
    return Fail(ErrorKind::InvalidArgument, "'{}' is not a picture or a video that can be read: {}.", in->name_, reason);
  };
  if (rc < 0)
    return fail(rc == AVERROR_INVALIDDATA ? std::string("its content has no known format, or it is damaged or cut off") : log.Reason(rc));
  for (unsigned i = 0; i < in->context_->nb_streams; ++i) {
    const AVCodecParameters* p = in->context_->streams[i]->codecpar;
    if (p->width > 0 && p->height > 0 && static_cast<int64_t>(p->width) * p->height > max_pixels) {
      return Fail(ErrorKind::InvalidArgument, "'{}' claims to be {}x{}, which is more than the limit of {} pixels.", in->name_, p->width,
                  p->height, max_pixels);
    }
  }
  // Finding out decodes a little; those decoders get the limit too.
  std::vector<AVDictionary*> limits(in->context_->nb_streams, nullptr);
  for (AVDictionary*& d : limits) av_dict_set_int(&d, "max_pixels", max_pixels, 0);
  rc = avformat_find_stream_info(in->context_, limits.data());
  for (AVDictionary*& d : limits) av_dict_free(&d);
  if (rc < 0) return fail(log.Reason(rc));
  return in;
}

AvInput::~AvInput() {
  if (context_) avformat_close_input(&context_);
}

}  // namespace weft::media
