// SPDX-License-Identifier: Apache-2.0
// PNG out: 8 or 16 bits, gray or RGB, with or without straight alpha. Fast by default (level 1).
#include <png.h>

#include <cstring>

#include "base/fail.h"
#include "media/color.h"
#include "media/picture.h"

namespace weft::media {
namespace {

using F = PixelFormat;

// As in png_read.cc: plain data across longjmp. The vector is reached by pointer and owned by the caller.
struct Writer {
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::vector<uint8_t>* out = nullptr;
  bool out_of_memory = false;
  char message[160] = {};
  ~Writer() { png_destroy_write_struct(&png, &info); }
};

void OnError(png_structp png, png_const_charp text) {
  auto* w = static_cast<Writer*>(png_get_error_ptr(png));
  std::strncpy(w->message, text, sizeof w->message - 1);
  png_longjmp(png, 1);
}
void OnWarning(png_structp, png_const_charp) {}

// An exception must not pass through libpng, a longjmp not over a handler.
bool Append(std::vector<uint8_t>* out, png_bytep data, size_t size) noexcept {
  try {
    const size_t at = out->size();
    if (out->capacity() < at + size) out->reserve(at * 2 + size);
    out->resize(at + size);
    std::memcpy(out->data() + at, data, size);
    return true;
  } catch (...) {
    return false;
  }
}
void OnWrite(png_structp png, png_bytep data, size_t size) {
  auto* w = static_cast<Writer*>(png_get_io_ptr(png));
  if (!Append(w->out, data, size)) {
    w->out_of_memory = true;
    png_error(png, "no memory");
  }
}
void OnFlush(png_structp) {}

struct Job {
  const CpuFrame* frame;
  png_bytepp rows;  // only read
  int type, depth, level;
  bool drop_alpha;  // an opaque picture in an rgba layout
  bool has_srgb, has_gamma, has_chrm;
  double gamma;
  Chromaticities chrm;
  png_byte cicp[4];
  bool has_cicp;
  png_uint_32 px, py;  // 0 = square pixels
  png_text* texts;
  int text_count;
};

bool WriteAllOf(Writer* w, const Job* j) {
  if (setjmp(png_jmpbuf(w->png))) return false;
  png_set_write_fn(w->png, w, OnWrite, OnFlush);
  png_set_user_limits(w->png, 0x7fffffff, 0x7fffffff);
  png_set_compression_level(w->png, j->level);
  // One filter: trying all five costs more time than level 1 itself. Sub suits photographs at every level.
  png_set_filter(w->png, PNG_FILTER_TYPE_BASE, j->level == 0 ? PNG_FILTER_NONE : j->level > 5 ? PNG_ALL_FILTERS : PNG_FILTER_SUB);
  png_set_IHDR(w->png, w->info, static_cast<png_uint_32>(j->frame->width()), static_cast<png_uint_32>(j->frame->height()), j->depth,
               j->type, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (j->has_srgb) png_set_sRGB(w->png, w->info, PNG_sRGB_INTENT_PERCEPTUAL);
  if (j->has_gamma) png_set_gAMA(w->png, w->info, j->gamma);
  if (j->has_chrm) {
    const Chromaticities& c = j->chrm;
    png_set_cHRM(w->png, w->info, c.wx, c.wy, c.rx, c.ry, c.gx, c.gy, c.bx, c.by);
  }
  if (j->px) png_set_pHYs(w->png, w->info, j->px, j->py, PNG_RESOLUTION_UNKNOWN);
  if (j->text_count > 0) png_set_text(w->png, w->info, j->texts, j->text_count);
  if (j->has_cicp) {
    // libpng 1.6.39 does not know cICP; it must stand before the pixels.
    png_write_info_before_PLTE(w->png, w->info);
    png_write_chunk(w->png, reinterpret_cast<png_const_bytep>("cICP"), j->cicp, 4);
  }
  png_write_info(w->png, w->info);
  if (j->drop_alpha) png_set_filler(w->png, 0, PNG_FILLER_AFTER);
  if (j->depth == 16) png_set_swap(w->png);
  png_write_image(w->png, j->rows);
  png_write_end(w->png, w->info);
  return true;
}

// Latin-1 keywords of 1 to 79 printable characters are all that PNG takes.
bool IsKeyword(const std::string& key) {
  if (key.empty() || key.size() > 79 || key.front() == ' ' || key.back() == ' ') return false;
  for (char c : key) {
    if (c < 0x20 || c > 0x7e) return false;
  }
  return key.find("  ") == key.npos;
}

class PngEncoder final : public PictureEncoder {
 public:
  PngEncoder(int level, int depth) : level_(level), depth_(depth) {}

  std::vector<PixelFormat> AcceptedFormats() const override {
    std::vector<PixelFormat> formats;
    if (depth_ != 16) formats = {F::Rgba8, F::Rgb24, F::GrayAlpha8, F::Gray8};
    if (depth_ != 8) {
      for (F f : {F::Rgba64, F::Rgb48, F::GrayAlpha16, F::Gray16}) formats.push_back(f);
    }
    return formats;
  }

  Result<FrameInfo> Wanted(const FrameInfo& picture) const override {
    FrameInfo want = picture;
    bool gray = false, deep = false;
    if (picture.format != F::None) {
      const PixelLayout& l = LayoutOf(picture.format);
      gray = l.model == ColorModel::Gray;
      deep = l.bits > 8;
    }
    if (depth_) deep = depth_ == 16;
    const bool alpha = picture.alpha != AlphaMode::Opaque;
    want.alpha = alpha ? AlphaMode::Straight : AlphaMode::Opaque;
    constexpr F kFormats[2][2][2] = {{{F::Rgb24, F::Rgba8}, {F::Gray8, F::GrayAlpha8}},
                                     {{F::Rgb48, F::Rgba64}, {F::Gray16, F::GrayAlpha16}}};
    want.format = kFormats[deep][gray][alpha];
    want.color.matrix = 0;
    want.color.full_range = true;
    want.chroma = ChromaSiting::Unspecified;
    return want;
  }

  Result<std::vector<uint8_t>> Encode(const CpuFrame& frame, const std::string& name) const override {
    const PixelLayout& l = frame.layout();
    const FrameInfo& info = frame.info();
    Job j{};
    j.frame = &frame;
    j.level = level_;
    j.depth = l.bits;
    j.drop_alpha = l.model == ColorModel::Rgb && l.has_alpha && info.alpha == AlphaMode::Opaque;
    const bool alpha = l.has_alpha && !j.drop_alpha;
    j.type = (l.model == ColorModel::Rgb ? PNG_COLOR_MASK_COLOR : 0) | (alpha ? PNG_COLOR_MASK_ALPHA : 0);
    const ColorSpace& c = info.color;
    if (c.primaries == 1 && c.transfer == 13) {
      j.has_srgb = true;
    } else {
      j.has_cicp = true;
      const png_byte cicp[4] = {c.primaries, c.transfer, 0, 1};
      std::memcpy(j.cicp, cicp, 4);
      // For readers that do not know cICP yet.
      if (c.transfer == 8 || c.transfer == 4 || c.transfer == 5 || c.transfer == 13) {
        j.has_gamma = true;
        j.gamma = c.transfer == 8 ? 1.0 : c.transfer == 5 ? 1 / 2.8 : 1 / 2.2;
      }
      if (auto x = ChromaticitiesOf(c.primaries)) {
        j.has_chrm = true;
        j.chrm = *x;
      }
    }
    if (!(info.pixel_aspect == Rational{1, 1}) && info.pixel_aspect.num > 0 && info.pixel_aspect.num < 1 << 30 &&
        info.pixel_aspect.den < 1 << 30) {
      j.px = static_cast<png_uint_32>(info.pixel_aspect.den);
      j.py = static_cast<png_uint_32>(info.pixel_aspect.num);
    }
    std::vector<png_text> texts;
    for (const auto& [key, value] : frame.metadata) {
      if (!IsKeyword(key) || value.find('\0') != value.npos) continue;
      png_text t{};
      t.compression = PNG_ITXT_COMPRESSION_NONE;  // UTF-8
      t.key = const_cast<png_charp>(key.c_str());
      t.text = const_cast<png_charp>(value.c_str());
      t.itxt_length = value.size();
      texts.push_back(t);
    }
    j.texts = texts.data();
    j.text_count = static_cast<int>(texts.size());
    std::vector<png_bytep> rows(static_cast<size_t>(info.height));
    for (size_t y = 0; y < rows.size(); ++y) rows[y] = const_cast<png_bytep>(frame.data(0)) + y * frame.stride(0);
    j.rows = rows.data();

    std::vector<uint8_t> out;
    Writer w;
    w.out = &out;
    w.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &w, OnError, OnWarning);
    w.info = w.png ? png_create_info_struct(w.png) : nullptr;
    if (!w.info || !WriteAllOf(&w, &j)) {
      if (!w.info || w.out_of_memory) return Fail(ErrorKind::OutOfMemory, "There is no memory to encode '{}'.", name);
      return Fail(ErrorKind::Internal, "'{}' cannot be encoded as PNG: libpng says \"{}\".", name, w.message);
    }
    return out;
  }

 private:
  int level_;
  int depth_;  // 0 = as the source
};

}  // namespace

Result<std::unique_ptr<PictureEncoder>> MakePngEncoder(const EncoderContext& context) {
  OptionReader options(context.values, fmt::format("'{}' (PNG picture)", context.name));
  WEFT_TRY(options.Check({{"depth", "8 or 16; the source's where not given"}, {"level", "of compression, 0 to 9; 1 where not given"}}));
  WEFT_TRY_ASSIGN(const auto level, options.Integer("level", 0, 9));
  WEFT_TRY_ASSIGN(const auto depth, options.Choice("depth", {"8", "16"}));
  return std::make_unique<PngEncoder>(static_cast<int>(level.value_or(1)), depth ? (*depth == 0 ? 8 : 16) : 0);
}

}  // namespace weft::media
