// SPDX-License-Identifier: Apache-2.0
#include "media/picture.h"

#include <png.h>

#include "media/orientation.h"
#include "media/test_util.h"

namespace weft::media {
namespace {

using F = PixelFormat;

TEST(Png, KeepsEverySampleOfEveryLayoutAndSize) {
  TempDir dir;
  for (F format : {F::Gray8, F::GrayAlpha8, F::Rgb24, F::Rgba8, F::Gray16, F::GrayAlpha16, F::Rgb48, F::Rgba64}) {
    for (auto [w, h] : {std::pair{1, 1}, {1, 7}, {63, 65}, {1919, 3}}) {
      FrameInfo info{.width = w, .height = h, .format = format};
      info.alpha = LayoutOf(format).has_alpha ? AlphaMode::Straight : AlphaMode::Opaque;
      const Ref<CpuFrame> in = Noise(info);
      const std::string path = dir / "a.png";
      ASSERT_TRUE(Ok(WriteFrames(path, {in}, {.overwrite = true})));
      auto out = ReadFrames(path);
      ASSERT_TRUE(Ok(out));
      ASSERT_EQ(out->size(), 1u);
      EXPECT_TRUE(SameSamples(*in, *(*out)[0]));
      EXPECT_EQ((*out)[0]->info().color, info.color);
      EXPECT_EQ((*out)[0]->info().alpha, info.alpha);
    }
  }
  EXPECT_EQ(dir.Count(), 1u);
}

TEST(Png, WantsTheDepthOfTheSourceUnlessToldOtherwise) {
  TempDir dir;
  auto sink = Sink::Open(dir / "a.png", {});
  ASSERT_TRUE(Ok(sink));
  const FrameInfo deep{.width = 4, .height = 4, .format = F::Rgb48};
  EXPECT_EQ((*sink)->Wanted(deep)->format, F::Rgb48);
  EXPECT_EQ((*sink)->Wanted({.width = 4, .height = 4, .format = F::Gray16})->format, F::Gray16);
  EXPECT_EQ((*sink)->Wanted({.width = 4, .height = 4, .format = F::Yuv420p8})->format, F::Rgb24);
  FrameInfo premultiplied{.width = 4, .height = 4, .format = F::None, .alpha = AlphaMode::Premultiplied};
  EXPECT_EQ((*sink)->Wanted(premultiplied)->format, F::Rgba8);
  EXPECT_EQ((*sink)->Wanted(premultiplied)->alpha, AlphaMode::Straight);
  StreamInfo source;
  source.frame = deep;
  std::string said;
  auto narrow = Sink::Open(
      dir / "b.png", {.values = {{"depth", "8"}}, .source = source, .log = Log([&](LogLevel, std::string_view text) { said = text; })});
  ASSERT_TRUE(Ok(narrow));
  EXPECT_EQ((*narrow)->Wanted(deep)->format, F::Rgb24);
  EXPECT_NE(said.find("keeps 8 of the source's 16 bits"), said.npos) << said;
}

TEST(Png, CarriesColourAspectAndText) {
  TempDir dir;
  for (ColorSpace c : {ColorSpace{1, 13, 0, true}, ColorSpace{1, 8, 0, true}, ColorSpace{9, 16, 0, true}, ColorSpace{12, 13, 0, true},
                       ColorSpace{1, 1, 0, true}}) {
    const Ref<CpuFrame> in = Noise({.width = 5, .height = 3, .format = F::Rgb24, .color = c, .pixel_aspect = {4, 3}});
    in->metadata = {{"Title", "gr\xc3\xbc\xc3\x9f"}};
    ASSERT_TRUE(Ok(WriteFrames(dir / "a.png", {in}, {.overwrite = true})));
    auto source = Source::Open(dir / "a.png");
    ASSERT_TRUE(Ok(source));
    EXPECT_EQ((*source)->info().frame.color, c) << int{c.primaries} << " " << int{c.transfer};
    EXPECT_FALSE((*source)->info().color_guessed);
    EXPECT_EQ((*source)->info().frame.pixel_aspect, (Rational{4, 3}));
    EXPECT_EQ((*source)->info().metadata, in->metadata);
    EXPECT_TRUE((*source)->info().still);
  }
}

// A file as other programs write them, with what our encoder never writes.
std::string PutPng(const std::string& path, int type, int depth, bool interlaced, void (*extra)(png_structp, png_infop), int w = 9,
                   int h = 7) {
  FILE* f = fopen(path.c_str(), "wb");
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_init_io(png, f);
  png_set_IHDR(png, info, static_cast<png_uint_32>(w), static_cast<png_uint_32>(h), depth, type,
               interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (extra) extra(png, info);
  png_write_info(png, info);
  std::vector<uint8_t> row(static_cast<size_t>(w) * 8, 0x1b);
  std::vector<png_bytep> rows(static_cast<size_t>(h), row.data());
  png_write_image(png, rows.data());
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  fclose(f);
  return path;
}

TEST(Png, ExpandsPalettesLowDepthsAndTransparency) {
  TempDir dir;
  auto palette = ReadFrames(PutPng(dir / "p.png", PNG_COLOR_TYPE_PALETTE, 2, true, [](png_structp png, png_infop info) {
    png_color colors[4] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}};
    png_byte alpha[2] = {255, 77};
    png_set_PLTE(png, info, colors, 4);
    png_set_tRNS(png, info, alpha, 2, nullptr);
  }));
  ASSERT_TRUE(Ok(palette));
  const CpuFrame& f = *(*palette)[0];
  ASSERT_EQ(f.info().format, F::Rgba8);
  EXPECT_EQ(f.info().alpha, AlphaMode::Straight);
  // 0x1b is 0, 1, 2, 3.
  const uint8_t want[] = {1, 2, 3, 255, 4, 5, 6, 77, 7, 8, 9, 255, 10, 11, 12, 255};
  EXPECT_EQ(std::memcmp(f.data(0), want, sizeof want), 0);
  auto gray = ReadFrames(PutPng(dir / "g.png", PNG_COLOR_TYPE_GRAY, 2, false, nullptr));
  ASSERT_TRUE(Ok(gray));
  ASSERT_EQ((*gray)[0]->info().format, F::Gray8);
  EXPECT_EQ((*gray)[0]->data(0)[1], 85);
}

void PutOrientation(png_structp png, png_infop info) {
  static png_byte exif[] = {'I', 'I', 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0};
  png_set_eXIf_1(png, info, sizeof exif, exif);
}

TEST(Png, TurnsByExifUnlessToldToKeep) {
  TempDir dir;
  PutPng(dir / "o.png", PNG_COLOR_TYPE_RGB, 8, false, PutOrientation, 40, 20);
  auto turned = Source::Open(dir / "o.png");
  ASSERT_TRUE(Ok(turned));
  EXPECT_EQ((*turned)->info().frame.width, 20);
  EXPECT_EQ((*turned)->info().frame.height, 40);
  auto kept = Source::Open(dir / "o.png", {.values = {{"orientation", "keep"}}});
  ASSERT_TRUE(Ok(kept));
  EXPECT_EQ((*kept)->info().frame.width, 40);
}

TEST(Png, ReadsGammaAndChromaticities) {
  TempDir dir;
  PutPng(dir / "c.png", PNG_COLOR_TYPE_RGB, 8, false, [](png_structp png, png_infop info) {
    png_set_gAMA(png, info, 1.0);
    png_set_cHRM(png, info, 0.3127, 0.3290, 0.708, 0.292, 0.170, 0.797, 0.131, 0.046);
  });
  auto s = Source::Open(dir / "c.png");
  ASSERT_TRUE(Ok(s));
  EXPECT_EQ((*s)->info().frame.color, (ColorSpace{9, 8, 0, true}));
}

// Smooth, so that JPEG's loss stays small; with a corner that tells the orientation.
Ref<CpuFrame> Gradient(int w, int h) {
  Ref<CpuFrame> f = Noise({.width = w, .height = h, .format = F::Rgb24});
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) {
      uint8_t* p = f->mutable_data(0) + static_cast<size_t>(y) * f->stride(0) + static_cast<size_t>(x) * 3;
      p[0] = static_cast<uint8_t>(x * 255 / w);
      p[1] = static_cast<uint8_t>(y * 255 / h);
      p[2] = 30;
    }
  }
  return f;
}

TEST(Jpeg, OrientationIsAppliedOnceAndNotWrittenAgain) {
  TempDir dir;
  const Ref<CpuFrame> in = Gradient(40, 20);
  ASSERT_TRUE(Ok(WriteFrames(dir / "a.jpg", {in}, {.values = {{"quality", "98"}}})));
  auto plain = ReadFrames(dir / "a.jpg");
  ASSERT_TRUE(Ok(plain));
  EXPECT_EQ((*plain)[0]->width(), 40);
  std::vector<uint8_t> bytes = FileBytes(dir / "a.jpg");
  const uint8_t app1[] = {0xff, 0xe1, 0, 34,   'E', 'x', 'i', 'f', 0, 0, 'M', 'M', 0, 42, 0, 0, 0, 8,
                          0,    1,    1, 0x12, 0,   3,   0,   0,   0, 1, 0,   6,   0, 0,  0, 0, 0, 0};
  bytes.insert(bytes.begin() + 2, std::begin(app1), std::end(app1));
  PutFile(dir / "o.jpg", bytes);
  auto turned = ReadFrames(dir / "o.jpg");
  ASSERT_TRUE(Ok(turned));
  const CpuFrame& t = *(*turned)[0];
  ASSERT_EQ(t.width(), 20);
  ASSERT_EQ(t.height(), 40);
  // A quarter clockwise: the stored bottom left corner comes to the top left.
  EXPECT_LT(t.data(0)[0], 20);
  EXPECT_GT(t.data(0)[1], 220);
  ASSERT_TRUE(Ok(WriteFrames(dir / "b.jpg", {(*turned)[0]})));
  auto again = Source::Open(dir / "b.jpg");
  ASSERT_TRUE(Ok(again));
  EXPECT_EQ((*again)->info().frame.width, 20);
  EXPECT_EQ((*again)->info().frame.height, 40);
}

TEST(Orientation, EightWaysAreWhatExifSays) {
  // 2 x 3: A B / C D / E F.
  const Ref<CpuFrame> in = Noise({.width = 2, .height = 3, .format = F::Gray8});
  for (int y = 0; y < 3; ++y) {
    for (int x = 0; x < 2; ++x)
      in->mutable_data(0)[static_cast<size_t>(y) * in->stride(0) + static_cast<size_t>(x)] = static_cast<uint8_t>('A' + y * 2 + x);
  }
  const char* want[] = {"AB/CD/EF/", "BA/DC/FE/", "FE/DC/BA/", "EF/CD/AB/", "ACE/BDF/", "ECA/FDB/", "FDB/ECA/", "BDF/ACE/"};
  for (int o = 1; o <= 8; ++o) {
    auto out = ApplyOrientation(in, o);
    ASSERT_TRUE(Ok(out));
    std::string text;
    for (int y = 0; y < (*out)->height(); ++y)
      text += std::string(reinterpret_cast<const char*>((*out)->data(0)) + static_cast<size_t>(y) * (*out)->stride(0),
                          static_cast<size_t>((*out)->width())) +
              "/";
    EXPECT_EQ(text, want[o - 1]) << o;
  }
  auto turned = ApplyOrientation(Noise({.width = 6, .height = 4, .format = F::Yuv422p8}), 6);
  ASSERT_TRUE(Ok(turned));
  EXPECT_EQ((*turned)->info().format, F::Yuv440p8);
  EXPECT_SAYS(ApplyOrientation(Noise({.width = 6, .height = 4, .format = F::Yuv422p16}), 6), "orientation=keep");
}

TEST(Jpeg, IsNearWhatWasWrittenInGrayAndColour) {
  TempDir dir;
  for (const char* sampling : {"444", "422", "420"}) {
    const Ref<CpuFrame> in = Gradient(63, 65);
    ASSERT_TRUE(Ok(WriteFrames(dir / "a.jpg", {in}, {.values = {{"quality", "100"}, {"subsampling", sampling}}, .overwrite = true})));
    auto out = ReadFrames(dir / "a.jpg");
    ASSERT_TRUE(Ok(out));
    for (int y = 0; y < 65; ++y) {
      for (size_t x = 0; x < 63 * 3; ++x) {
        const size_t at = static_cast<size_t>(y);
        EXPECT_NEAR(in->data(0)[at * in->stride(0) + x], (*out)[0]->data(0)[at * (*out)[0]->stride(0) + x], 8);
      }
    }
  }
  ASSERT_TRUE(Ok(WriteFrames(dir / "g.jpeg", {Noise({.width = 8, .height = 8, .format = F::Gray8})})));
  EXPECT_EQ(Source::Open(dir / "g.jpeg").value()->info().frame.format, F::Gray8);
}

TEST(Pictures, OfOtherKindsGoThroughLibav) {
  TempDir dir;
  for (const char* name : {"a.tif", "a.bmp", "a.tga", "a.ppm"}) {
    const Ref<CpuFrame> rgb = Noise({.width = 63, .height = 5, .format = F::Rgb24});
    auto sink = Sink::Open(dir / name);
    ASSERT_TRUE(Ok(sink)) << name;
    const auto want = (*sink)->Wanted(rgb->info());
    ASSERT_TRUE(Ok(want)) << name;
    const Ref<CpuFrame> in = Noise(*want);
    ASSERT_TRUE(Ok((*sink)->Write(*in))) << name;
    ASSERT_TRUE(Ok((*sink)->Finish())) << name;
    auto out = ReadFrames(dir / name);
    ASSERT_TRUE(Ok(out)) << name;
    EXPECT_TRUE(SameSamples(*in, *(*out)[0])) << name;
  }
  EXPECT_SAYS(Sink::Open(dir / "b.tif", {.values = {{"compression_algo", "zip"}}}), "one of packbits");
  auto tiff = Sink::Open(dir / "c.tif");
  ASSERT_TRUE(Ok(tiff));
  EXPECT_EQ((*tiff)->Wanted({.width = 4, .height = 4, .format = F::Yuv420p10})->format, F::Rgb48);
  EXPECT_SAYS(Sink::Open(dir / "c.gif"), "takes no layout");
}

TEST(Pictures, CutAnywhereAreErrorsThatNameTheFile) {
  TempDir dir;
  ASSERT_TRUE(Ok(WriteFrames(dir / "a.png", {Noise({.width = 63, .height = 65, .format = F::Rgb24})})));
  ASSERT_TRUE(Ok(WriteFrames(dir / "a.jpg", {Noise({.width = 63, .height = 65, .format = F::Rgb24})})));
  ASSERT_TRUE(Ok(WriteFrames(dir / "a.tif", {Noise({.width = 63, .height = 65, .format = F::Rgb24})})));
  for (const char* name : {"a.png", "a.jpg", "a.tif"}) {
    const std::vector<uint8_t> whole = FileBytes(dir / name);
    for (size_t keep : {size_t{0}, size_t{1}, size_t{7}, size_t{9}, size_t{40}, whole.size() / 4, whole.size() / 2, whole.size() - 13,
                        whole.size() - 3}) {
      if (name[2] == 't' && keep + 20 > whole.size()) continue;  // a TIFF ends in data that is not the picture
      PutFile(dir / "cut", std::span(whole).first(keep));
      auto r = ReadFrames(dir / "cut");
      ASSERT_FALSE(r) << name << " cut to " << keep << " of " << whole.size();
      EXPECT_NE(r.error().message().find("cut'"), std::string::npos) << r.error().message();
    }
  }
}

TEST(Pictures, WithAnyByteChangedNeverCrash) {
  TempDir dir;
  ASSERT_TRUE(Ok(WriteFrames(dir / "a.png", {Noise({.width = 9, .height = 7, .format = F::Rgba64, .alpha = AlphaMode::Straight})})));
  ASSERT_TRUE(Ok(WriteFrames(dir / "a.jpg", {Noise({.width = 9, .height = 7, .format = F::Rgb24})})));
  for (const char* name : {"a.png", "a.jpg"}) {
    const std::vector<uint8_t> whole = FileBytes(dir / name);
    for (size_t i = 0; i < whole.size(); ++i) {
      for (uint8_t v : {0x00, 0xff, 0x80}) {
        std::vector<uint8_t> bytes = whole;
        bytes[i] = v;
        auto r = DecodePicture(bytes, {.name = "x"});
        if (!r) {
          EXPECT_NE(r.error().message().find("'x'"), std::string::npos) << r.error().message();
        }
      }
    }
  }
}

TEST(Pictures, BeyondTheLimitsAreRefusedBeforeMemoryIsTaken) {
  TempDir dir;
  ASSERT_TRUE(Ok(WriteFrames(dir / "a.png", {Noise({.width = 63, .height = 65, .format = F::Rgb24})})));
  std::vector<uint8_t> bytes = FileBytes(dir / "a.png");
  Limits limits{.max_side = 1000, .max_pixels = 4000};
  EXPECT_SAYS(Source::Open(dir / "a.png", {.limits = limits}), "63x65");
  EXPECT_SAYS(Source::Open(dir / "a.png", {.limits = {.max_file_bytes = 100}}), "larger than 100 bytes");
}

TEST(Pictures, WrongOptionsListTheRightOnes) {
  TempDir dir;
  EXPECT_SAYS(Sink::Open(dir / "a.png", {.values = {{"deep", "16"}}}), "'deep' is not an option");
  EXPECT_SAYS(Sink::Open(dir / "a.png", {.values = {{"deep", "16"}}}), "depth (8 or 16");
  EXPECT_SAYS(Sink::Open(dir / "a.png", {.values = {{"depth", "12"}}}), "one of 8, 16 is expected");
  EXPECT_SAYS(Sink::Open(dir / "a.png", {.values = {{"level", "10"}}}), "a whole number from 0 to 9");
  EXPECT_SAYS(Sink::Open(dir / "a.jpg", {.values = {{"quality", "5"}, {"quality", "6"}}}), "given twice");
  EXPECT_SAYS(Sink::Open(dir / "a.jpg", {.values = {{"quality", "x"}}}), "1 to 100");
  EXPECT_SAYS(Source::Open("/dev/null/x.png"), "does not exist");
  EXPECT_EQ(dir.Count(), 0u);
}

}  // namespace
}  // namespace weft::media
