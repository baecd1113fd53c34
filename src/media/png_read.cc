// SPDX-License-Identifier: Apache-2.0
// PNG in. Samples are as stored (palettes and low depths are widened to 8 bits, tRNS becomes alpha); colour comes from cICP, else sRGB,
// else iCCP, else gAMA and cHRM (PNG third edition, 4.3).
#include <png.h>

#include <cmath>
#include <cstring>

#include "base/fail.h"
#include "media/color.h"
#include "media/orientation.h"
#include "media/picture.h"

namespace weft::media {
namespace {

constexpr size_t kMaxText = 64;  // text chunks kept

// libpng leaves by longjmp, so what lives across its calls is plain data owned by Reader; the functions that call setjmp hold nothing that
// has a destructor.
struct Reader {
  png_structp png = nullptr;
  png_infop info = nullptr;
  const uint8_t* data = nullptr;
  size_t size = 0, at = 0;
  bool ended_early = false;
  char message[160] = {};
  uint8_t cicp[4] = {};
  bool has_cicp = false;
  ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }
};

void OnError(png_structp png, png_const_charp text) {
  auto* r = static_cast<Reader*>(png_get_error_ptr(png));
  std::strncpy(r->message, text, sizeof r->message - 1);
  png_longjmp(png, 1);
}
void OnWarning(png_structp, png_const_charp) {}

void OnRead(png_structp png, png_bytep out, size_t length) {
  auto* r = static_cast<Reader*>(png_get_io_ptr(png));
  if (length > r->size - r->at) {
    r->ended_early = true;
    png_error(png, "the file ends early");
  }
  std::memcpy(out, r->data + r->at, length);
  r->at += length;
}

int OnUnknownChunk(png_structp png, png_unknown_chunkp chunk) {
  auto* r = static_cast<Reader*>(png_get_user_chunk_ptr(png));
  if (std::memcmp(chunk->name, "cICP", 4) == 0 && chunk->size == 4) {
    std::memcpy(r->cicp, chunk->data, 4);
    r->has_cicp = true;
  }
  return 1;
}

struct Header {
  png_uint_32 width, height;
  int channels, depth;
};

bool ReadHeader(Reader* r, Header* h) {
  if (setjmp(png_jmpbuf(r->png))) return false;
  png_set_read_fn(r->png, r, OnRead);
  png_set_read_user_chunk_fn(r->png, r, OnUnknownChunk);
  png_set_user_limits(r->png, 0x7fffffff, 0x7fffffff);  // CheckSize() says it better
  png_set_chunk_malloc_max(r->png, 64u << 20);
  png_set_chunk_cache_max(r->png, 1000);
  png_read_info(r->png, r->info);
  h->width = png_get_image_width(r->png, r->info);
  h->height = png_get_image_height(r->png, r->info);
  const int type = png_get_color_type(r->png, r->info);
  if (type == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(r->png);
  if (type == PNG_COLOR_TYPE_GRAY) png_set_expand_gray_1_2_4_to_8(r->png);
  if (png_get_valid(r->png, r->info, PNG_INFO_tRNS)) png_set_tRNS_to_alpha(r->png);
  if (png_get_bit_depth(r->png, r->info) == 16) png_set_swap(r->png);
  png_set_interlace_handling(r->png);
  png_read_update_info(r->png, r->info);
  h->channels = png_get_channels(r->png, r->info);
  h->depth = png_get_bit_depth(r->png, r->info);
  return true;
}

bool ReadRows(Reader* r, png_bytepp rows) {
  if (setjmp(png_jmpbuf(r->png))) return false;
  png_read_image(r->png, rows);
  png_read_end(r->png, r->info);
  return true;
}

Error Damaged(const Reader& r, const std::string& name) {
  if (r.ended_early)
    return Fail(ErrorKind::InvalidArgument, "'{}' is not a whole PNG picture: the file ends after {} bytes in the middle of it.", name,
                r.size);
  return Fail(ErrorKind::InvalidArgument, "'{}' is a damaged PNG picture: libpng says \"{}\".", name, r.message);
}

ColorSpace ReadColor(Reader* r, const PictureContext& context, bool* guessed) {
  ColorSpace c;
  *guessed = false;
  if (r->has_cicp) {
    // Matrix other than RGB is not allowed in PNG; full range is the only one that a PNG of ours has.
    if (r->cicp[0] != 0 && r->cicp[0] != kUnspecified) c.primaries = r->cicp[0];
    if (r->cicp[1] != 0 && r->cicp[1] != kUnspecified) c.transfer = r->cicp[1];
    c.full_range = r->cicp[3] != 0;
    return c;
  }
  int intent = 0;
  if (png_get_sRGB(r->png, r->info, &intent)) return c;
  png_charp profile_name = nullptr;
  png_bytep profile = nullptr;
  png_uint_32 length = 0;
  int compression = 0;
  if (png_get_iCCP(r->png, r->info, &profile_name, &compression, &profile, &length)) {
    if (auto known = ColorFromIcc(profile, length)) return *known;
    context.log.Write(LogLevel::Warning, fmt::format("'{}' has the colour profile '{}', which is not used; its colours are read as sRGB.",
                                                     context.name, IccDescription(profile, length)));
    *guessed = true;
    return c;
  }
  *guessed = true;
  Chromaticities x{};
  if (png_get_cHRM(r->png, r->info, &x.wx, &x.wy, &x.rx, &x.ry, &x.gx, &x.gy, &x.bx, &x.by)) {
    if (auto primaries = PrimariesFromChromaticities(x)) {
      c.primaries = *primaries;
      *guessed = false;
    } else {
      context.log.Write(LogLevel::Warning,
                        fmt::format("'{}' names primaries (cHRM) that have no code point; they are read as sRGB's.", context.name));
    }
  }
  double gamma = 0;
  if (png_get_gAMA(r->png, r->info, &gamma) && gamma > 0) {
    // 1/2.2 is what programs that mean sRGB have always written.
    if (std::abs(gamma - 1.0) < 0.01)
      c.transfer = 8;
    else if (std::abs(gamma - 1 / 2.8) < 0.005)
      c.transfer = 5;
    else if (std::abs(gamma - 1 / 2.2) < 0.01)
      c.transfer = 13;
    else
      context.log.Write(LogLevel::Warning,
                        fmt::format("'{}' has the gamma {:.5f} (gAMA), which has no code point; it is read as sRGB.", context.name, gamma));
  }
  return c;
}

}  // namespace

bool LooksLikePng(std::span<const uint8_t> bytes) { return bytes.size() >= 8 && png_sig_cmp(bytes.data(), 0, 8) == 0; }

Result<Picture> DecodePng(std::span<const uint8_t> bytes, const PictureContext& context) {
  Reader r;
  r.data = bytes.data();
  r.size = bytes.size();
  r.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &r, OnError, OnWarning);
  r.info = r.png ? png_create_info_struct(r.png) : nullptr;
  if (!r.info) return Fail(ErrorKind::OutOfMemory, "There is no memory to read '{}'.", context.name);
  Header h{};
  if (!ReadHeader(&r, &h)) return Damaged(r, context.name);
  WEFT_TRY(CheckSize(h.width, h.height, context.limits, context.name));

  FrameInfo info{.width = static_cast<int>(h.width), .height = static_cast<int>(h.height)};
  using F = PixelFormat;
  constexpr F kFormats[2][4] = {{F::Gray8, F::GrayAlpha8, F::Rgb24, F::Rgba8}, {F::Gray16, F::GrayAlpha16, F::Rgb48, F::Rgba64}};
  if (h.channels < 1 || h.channels > 4 || (h.depth != 8 && h.depth != 16)) {
    return Fail(ErrorKind::Unsupported, "'{}' is a PNG of {} channels and {} bits, which is not supported.", context.name, h.channels,
                h.depth);
  }
  info.format = kFormats[h.depth == 16][h.channels - 1];
  info.alpha = h.channels % 2 == 0 ? AlphaMode::Straight : AlphaMode::Opaque;
  png_uint_32 px = 0, py = 0;
  int unit = 0;
  if (png_get_pHYs(r.png, r.info, &px, &py, &unit) && px > 0 && py > 0 && px != py) {
    info.pixel_aspect = Rational::Make(py, px);  // more pixels a metre = narrower pixels
  }
  WEFT_TRY_ASSIGN(Ref<CpuFrame> frame, CpuFrame::Create(info, context.pool));
  std::vector<png_bytep> rows(h.height);
  for (size_t y = 0; y < rows.size(); ++y) rows[y] = frame->mutable_data(0) + y * frame->stride(0);
  if (!ReadRows(&r, rows.data())) return Damaged(r, context.name);

  Picture picture{.format = "png"};
  frame->mutable_info().color = ReadColor(&r, context, &picture.color_guessed);
  png_textp texts = nullptr;
  int count = 0;
  png_get_text(r.png, r.info, &texts, &count);
  for (int i = 0; i < count && frame->metadata.size() < kMaxText; ++i) {
    if (texts[i].key && texts[i].text) frame->metadata.emplace_back(texts[i].key, texts[i].text);
  }
  png_uint_32 exif_size = 0;
  png_bytep exif = nullptr;
  int orientation = 1;
  if (png_get_eXIf_1(r.png, r.info, &exif_size, &exif)) orientation = ExifOrientation(exif, exif_size);
  if (context.keep_orientation) orientation = 1;
  WEFT_TRY_ASSIGN(picture.frame, ApplyOrientation(frame, orientation, context.pool));
  return picture;
}

}  // namespace weft::media
