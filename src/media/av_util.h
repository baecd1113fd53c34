// SPDX-License-Identifier: Apache-2.0
// What av_source, av_sink and av_picture share: owners for libav's objects, pixel formats, error texts, bytes in and out.
//
// libav is C and returns errors as numbers; its log is kept from the terminal and its last error line goes into our message.
#pragma once

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/pixdesc.h>
}

#include <memory>
#include <string>
#include <vector>

#include "media/byte_stream.h"
#include "media/frame.h"
#include "media/output.h"

namespace weft::media {

struct AvDeleter {
  void operator()(AVFrame* p) const { av_frame_free(&p); }
  void operator()(AVPacket* p) const { av_packet_free(&p); }
  void operator()(AVCodecContext* p) const { avcodec_free_context(&p); }
};
using AvFramePtr = std::unique_ptr<AVFrame, AvDeleter>;
using AvPacketPtr = std::unique_ptr<AVPacket, AvDeleter>;
using AvCodecPtr = std::unique_ptr<AVCodecContext, AvDeleter>;

// Gathers what libav logs as an error on this thread while it lives (others' messages are dropped: a library does not print).
class AvLog {
 public:
  AvLog();
  ~AvLog();
  AvLog(const AvLog&) = delete;
  AvLog& operator=(const AvLog&) = delete;
  void Add(const char* line);
  // The reason for return code `rc`: the logged lines where there are any, else libav's text for the code.
  std::string Reason(int rc) const;

 private:
  std::vector<std::string> lines_;
  AvLog* outer_;
};

// PixelFormat::None where we have no such layout. The full-range "yuvj" names give the ordinary layouts.
PixelFormat FromAv(AVPixelFormat format);
AVPixelFormat ToAv(PixelFormat format);
bool IsFullRangeName(AVPixelFormat format);

inline Rational FromAv(AVRational r) { return r.num > 0 && r.den > 0 ? Rational::Make(r.num, r.den) : Rational{0, 1}; }
// `ticks` of `base` in seconds, exactly.
inline Rational TicksToSeconds(int64_t ticks, AVRational base) {
  const Int128 num = static_cast<Int128>(ticks) * base.num;
  Int128 a = num < 0 ? -num : num, b = base.den;
  while (b) std::swap(a %= b, b);
  const Int128 g = a ? a : 1;
  return {static_cast<int64_t>(num / g), static_cast<int64_t>(base.den / g)};
}
// In whole ticks of `base`, rounded to the nearest; *exact tells whether nothing was rounded away.
int64_t SecondsToTicks(Rational seconds, AVRational base, bool* exact);

// H.273 values of libav pass through unchanged: both use the same numbers.
ChromaSiting FromAv(AVChromaLocation location);
AVChromaLocation ToAv(ChromaSiting siting);

// An AVIOContext over a ByteStream or an Output. The error that a callback met is kept, for libav would lose its words.
class AvIo {
 public:
  static std::unique_ptr<AvIo> Reader(std::unique_ptr<ByteStream> stream);
  static std::unique_ptr<AvIo> Writer(std::unique_ptr<Output> output);
  ~AvIo();
  AVIOContext* context() { return context_; }
  ByteStream* stream() { return stream_.get(); }
  Output* output() { return output_.get(); }
  const Status& status() const { return status_; }

 private:
  AvIo() = default;
  static int Read(void* self, uint8_t* buffer, int size) noexcept;
  static int Write(void* self, uint8_t* buffer, int size) noexcept;
  static int64_t SeekIn(void* self, int64_t offset, int whence) noexcept;
  static int64_t SeekOut(void* self, int64_t offset, int whence) noexcept;
  AVIOContext* context_ = nullptr;
  std::unique_ptr<ByteStream> stream_;
  std::unique_ptr<Output> output_;
  Status status_;
};

// An opened demuxer over `io`. Nested files (playlists, references) are refused, so that a stranger's file can name no other.
class AvInput {
 public:
  // `format` is a demuxer's name or "".
  static Result<std::unique_ptr<AvInput>> Open(std::unique_ptr<ByteStream> stream, const std::string& format, int64_t max_pixels);
  ~AvInput();
  AVFormatContext* context() { return context_; }
  ByteStream* stream() { return io_->stream(); }
  const Status& io_status() const { return io_->status(); }
  const std::string& name() const { return name_; }

 private:
  AvInput() = default;
  std::unique_ptr<AvIo> io_;
  AVFormatContext* context_ = nullptr;
  std::string name_;
};

}  // namespace weft::media
