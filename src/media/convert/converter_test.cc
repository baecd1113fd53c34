// SPDX-License-Identifier: Apache-2.0
// The kernels against their definitions in doubles (reference.h).
#include "media/convert/converter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "gpu/clear.h"
#include "gpu/test_device.h"
#include "gpu/transfer.h"
#include "media/convert/color_math.h"
#include "media/convert/reference.h"

namespace weft::media {
namespace {

class ConverterTest : public gpu::GpuTest {
 protected:
  void SetUp() override {
    gpu::GpuTest::SetUp();
    auto made = Converter::Create(Ref<gpu::Device>(device));
    ASSERT_TRUE(made);
    converter = std::move(*made);
  }
  Ref<gpu::PoolTexture> Texture(int w, int h, WGPUTextureFormat format) {
    auto t = device->textures().Acquire({static_cast<uint32_t>(w), static_cast<uint32_t>(h), format, gpu::FullUsage(*device, format)});
    EXPECT_TRUE(t) << t.error().ToString();
    return t ? std::move(*t) : nullptr;
  }
  // Uploads and reads the texture back as floats.
  std::vector<float> Up(const CpuFrame& frame, WorkInfo want) {
    want.format = WGPUTextureFormat_RGBA32Float;
    auto t = Texture(frame.width(), frame.height(), want.format);
    auto sent = converter->Upload(frame, *t, want);
    EXPECT_TRUE(sent) << sent.error().ToString();
    return Floats(*t);
  }
  std::vector<float> Floats(const gpu::PoolTexture& t) {
    auto bytes = gpu::ReadTextureNow(t);
    EXPECT_TRUE(bytes) << bytes.error().ToString();
    std::vector<float> out(bytes->size() / sizeof(float));
    std::memcpy(out.data(), bytes->data(), bytes->size());
    return out;
  }
  Ref<gpu::PoolTexture> FromFloats(int w, int h, const std::vector<float>& texels) {
    auto t = Texture(w, h, WGPUTextureFormat_RGBA32Float);
    EXPECT_TRUE(gpu::UploadTexture(*t, texels.data(), w * 16));
    return t;
  }
  // Up into `format` and down again as the frame it was.
  Ref<CpuFrame> RoundTrip(const CpuFrame& frame, WGPUTextureFormat format, AlphaMode alpha) {
    const WorkInfo work{
        .format = format, .primaries = frame.info().color.primaries, .transfer = frame.info().color.transfer, .alpha = alpha};
    auto t = Texture(frame.width(), frame.height(), format);
    auto sent = converter->Upload(frame, *t, work);
    EXPECT_TRUE(sent) << sent.error().ToString();
    auto back = converter->DownloadNow(*t, work, frame.info());
    EXPECT_TRUE(back) << back.error().ToString();
    return back ? std::move(*back) : nullptr;
  }
  Ref<Converter> converter;
};

TEST_F(ConverterTest, YuvBecomesRgbByEveryMatrixRangeAndDepth) {
  for (const PixelFormat format : {PixelFormat::Yuv444p8, PixelFormat::Yuv444p10, PixelFormat::Yuv444p12, PixelFormat::Yuv444p16}) {
    for (const int matrix : {0, 1, 4, 5, 6, 7, 9}) {
      for (const bool full : {false, true}) {
        auto frame = RandomFrame(37, 5, format, {1, 1, static_cast<uint8_t>(matrix), full});
        const auto got = Up(*frame, {.transfer = 1, .alpha = AlphaMode::Opaque});
        double worst = 0;
        for (int y = 0; y < 5; ++y) {
          for (int x = 0; x < 37; ++x) {
            const Vec3 want = RefYuvToRgb(*frame, x, y);
            for (int c = 0; c < 3; ++c) worst = std::max(worst, std::abs(want[c] - got[(y * 37 + x) * 4 + c]));
            EXPECT_EQ(got[(y * 37 + x) * 4 + 3], 1.0f);
          }
        }
        EXPECT_LT(worst, 2e-6) << PixelFormatName(format) << " matrix " << matrix << (full ? " full" : " limited");
      }
    }
  }
}

TEST_F(ConverterTest, ChromaIsReadWhereItLies) {
  for (const PixelFormat format : {PixelFormat::Yuv420p8, PixelFormat::Yuv422p10, PixelFormat::Yuv411p8, PixelFormat::Yuv410p8,
                                   PixelFormat::Yuv440p8, PixelFormat::Nv12, PixelFormat::P010, PixelFormat::Nv16}) {
    for (const ChromaSiting siting : {ChromaSiting::Unspecified, ChromaSiting::Left, ChromaSiting::Center, ChromaSiting::TopLeft,
                                      ChromaSiting::Top, ChromaSiting::BottomLeft, ChromaSiting::Bottom}) {
      for (const auto& [w, h] : {std::pair{1, 1}, {1, 7}, {2, 2}, {5, 3}, {33, 18}}) {
        auto frame = RandomFrame(w, h, format, {1, 1, 1, false}, siting);
        const auto got = Up(*frame, {.transfer = 1, .alpha = AlphaMode::Opaque});
        double worst = 0;
        for (int y = 0; y < h; ++y) {
          for (int x = 0; x < w; ++x) {
            const Vec3 want = RefYuvToRgb(*frame, x, y);
            for (int c = 0; c < 3; ++c) worst = std::max(worst, std::abs(want[c] - got[(y * w + x) * 4 + c]));
          }
        }
        EXPECT_LT(worst, 2e-6) << PixelFormatName(format) << " siting " << int(siting) << " " << w << "x" << h;
      }
    }
  }
}

TEST_F(ConverterTest, EveryTransferGoesToLinearLightAndBack) {
  for (const int transfer : {1, 4, 5, 6, 7, 8, 11, 13, 14, 15, 16, 18}) {
    std::vector<float> texels;
    for (int i = 0; i <= 256; ++i)
      texels.insert(texels.end(), {i / 256.0f, transfer == 16 ? i / 512.0f : i / 256.0f - 0.5f, 1.0f - i / 256.0f, 1.0f});
    auto encoded = FromFloats(257, 1, texels);
    auto linear = Texture(257, 1, WGPUTextureFormat_RGBA32Float), again = Texture(257, 1, WGPUTextureFormat_RGBA32Float);
    const WorkInfo display{.format = WGPUTextureFormat_RGBA32Float, .transfer = static_cast<uint8_t>(transfer), .alpha = AlphaMode::Opaque};
    const WorkInfo light{.format = WGPUTextureFormat_RGBA32Float, .transfer = 8, .alpha = AlphaMode::Opaque};
    ASSERT_TRUE(converter->Convert(*encoded, display, *linear, light));
    ASSERT_TRUE(converter->Convert(*linear, light, *again, display));
    const auto got = Floats(*linear), back = Floats(*again);
    for (size_t i = 0; i < texels.size(); ++i) {
      if (i % 4 == 3) continue;
      const double want = RefToLinear(transfer, texels[i]);
      EXPECT_NEAR(got[i], want, 2e-5 + 2e-4 * std::abs(want)) << "transfer " << transfer << " of " << texels[i];
      EXPECT_NEAR(back[i], texels[i], 1.0 / 4096) << "transfer " << transfer;
    }
  }
}

TEST_F(ConverterTest, PrimariesChangeInLinearLight) {
  auto m = PrimariesMatrix(1, 9);
  ASSERT_TRUE(m);
  const double bt2087[3][3] = {{0.6274, 0.3293, 0.0433}, {0.0691, 0.9195, 0.0114}, {0.0164, 0.0880, 0.8956}};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) EXPECT_NEAR((*m)[i][j], bt2087[i][j], 2e-4);
  }
  EXPECT_FALSE(PrimariesMatrix(1, 200));
  auto dci = PrimariesMatrix(11, 1);  // another white: grey stays grey
  ASSERT_TRUE(dci);
  for (const auto& row : *dci) EXPECT_NEAR(row[0] + row[1] + row[2], 1, 1e-9);

  const std::vector<float> texels{1, 0, 0, 1, 0.5f, 0.25f, 0.75f, 1, 1, 1, 1, 1, 0, 0, 0, 1};
  auto from = FromFloats(4, 1, texels);
  auto to = Texture(4, 1, WGPUTextureFormat_RGBA32Float);
  const WorkInfo srgb{.format = WGPUTextureFormat_RGBA32Float, .primaries = 1, .transfer = 13, .alpha = AlphaMode::Opaque};
  const WorkInfo p3{.format = WGPUTextureFormat_RGBA32Float, .primaries = 12, .transfer = 13, .alpha = AlphaMode::Opaque};
  ASSERT_TRUE(converter->Convert(*from, srgb, *to, p3));
  const auto got = Floats(*to);
  const auto p3_matrix = *PrimariesMatrix(1, 12);
  for (int i = 0; i < 4; ++i) {
    for (int c = 0; c < 3; ++c) {
      double light = 0;
      for (int k = 0; k < 3; ++k) light += p3_matrix[c][k] * RefToLinear(13, texels[i * 4 + k]);
      EXPECT_NEAR(got[i * 4 + c], RefFromLinear(13, light), 2e-4);
    }
  }
}

TEST_F(ConverterTest, AlphaModesAreConvertedInTheTexturesOwnTransfer) {
  const std::vector<float> straight{1, 0.5f, 0.25f, 0.5f, 0.7f, 0.2f, 0.9f, 0, 0.1f, 0.2f, 0.3f, 1};
  auto a = FromFloats(3, 1, straight);
  auto b = Texture(3, 1, WGPUTextureFormat_RGBA32Float), c = Texture(3, 1, WGPUTextureFormat_RGBA32Float);
  WorkInfo s{.format = WGPUTextureFormat_RGBA32Float, .alpha = AlphaMode::Straight}, p = s, o = s;
  p.alpha = AlphaMode::Premultiplied, o.alpha = AlphaMode::Opaque;
  ASSERT_TRUE(converter->Convert(*a, s, *b, p));
  EXPECT_EQ(Floats(*b), (std::vector<float>{0.5f, 0.25f, 0.125f, 0.5f, 0, 0, 0, 0, 0.1f, 0.2f, 0.3f, 1}));
  ASSERT_TRUE(converter->Convert(*b, p, *c, s));
  EXPECT_EQ(Floats(*c), (std::vector<float>{1, 0.5f, 0.25f, 0.5f, 0, 0, 0, 0, 0.1f, 0.2f, 0.3f, 1}));
  ASSERT_TRUE(converter->Convert(*a, s, *c, o));  // over black
  EXPECT_EQ(Floats(*c), (std::vector<float>{0.5f, 0.25f, 0.125f, 1, 0, 0, 0, 1, 0.1f, 0.2f, 0.3f, 1}));
  WorkInfo light = p;
  light.transfer = 8;
  ASSERT_TRUE(converter->Convert(*a, s, *c, light));
  EXPECT_NEAR(Floats(*c)[1], 0.5 * RefToLinear(13, 0.5), 1e-5);
}

TEST_F(ConverterTest, IdentityIsBitExactForEveryRgbAndGrayLayout) {
  for (const PixelLayout& layout : AllLayouts()) {
    if (layout.model == ColorModel::Yuv) continue;
    const ColorSpace color{1, 13, 0, true};
    for (const auto& [w, h] : {std::pair{1, 1}, {1, 7}, {63, 65}, {1919, 3}}) {
      auto frame =
          RandomFrame(w, h, layout.format, color, ChromaSiting::Unspecified, layout.has_alpha ? AlphaMode::Straight : AlphaMode::Opaque);
      for (const WGPUTextureFormat format : {ExactWorkFormat(*device, layout.format), WGPUTextureFormat_RGBA32Float}) {
        // Pipelines take long on software GPUs: of the 8-bit ones, one by way of floats is enough.
        if (format == WGPUTextureFormat_RGBA32Float && layout.bits == 8 && layout.format != PixelFormat::Rgba8) continue;
        auto back = RoundTrip(*frame, format, frame->info().alpha);
        ASSERT_TRUE(back);
        EXPECT_EQ(FirstDifference(*frame, *back), "") << layout.name << " by " << gpu::FormatName(format) << " " << w << "x" << h;
      }
    }
  }
}

TEST_F(ConverterTest, YuvWithoutSubsamplingComesBackExact) {
  for (const PixelFormat format :
       {PixelFormat::Yuv444p8, PixelFormat::Yuv444p10, PixelFormat::Yuv444p16, PixelFormat::Nv24, PixelFormat::Yuva444p10}) {
    for (const bool full : {false, true}) {
      const bool alpha = LayoutOf(format).has_alpha;
      auto frame = RandomFrame(63, 5, format, {1, 1, 1, full}, ChromaSiting::Unspecified, alpha ? AlphaMode::Straight : AlphaMode::Opaque);
      auto back = RoundTrip(*frame, WGPUTextureFormat_RGBA32Float, frame->info().alpha);
      ASSERT_TRUE(back);
      EXPECT_EQ(FirstDifference(*frame, *back), "") << PixelFormatName(format);
    }
  }
}

TEST_F(ConverterTest, RgbBecomesYuvOfEveryLayoutByTheDefinition) {
  for (const PixelLayout& layout : AllLayouts()) {
    if (layout.model != ColorModel::Yuv) continue;
    for (const ChromaSiting siting : {ChromaSiting::Left, ChromaSiting::Center, ChromaSiting::TopLeft, ChromaSiting::Bottom}) {
      for (const bool full : {false, true}) {
        const int w = 23, h = 9;
        FrameInfo want{.width = w,
                       .height = h,
                       .format = layout.format,
                       .color = {1, 1, 9, full},
                       .chroma = siting,
                       .alpha = layout.has_alpha ? AlphaMode::Straight : AlphaMode::Opaque};
        const auto texels = RandomTexels(w, h);
        auto source = FromFloats(w, h, texels);
        auto frame = converter->DownloadNow(*source, {.format = WGPUTextureFormat_RGBA32Float, .transfer = 1, .alpha = want.alpha}, want);
        ASSERT_TRUE(frame) << frame.error().ToString();
        double worst = 0;
        for (int c = 0; c < layout.components; ++c) {
          const int plane = layout.component[c].plane;
          for (int y = 0; y < layout.PlaneHeight(plane, h); ++y) {
            for (int x = 0; x < layout.PlaneWidth(plane, w); ++x) {
              worst = std::max(worst, std::abs(SampleAt(**frame, c, x, y) - RefRgbToYuv(texels, want, c, x, y)));
            }
          }
        }
        EXPECT_LT(worst, layout.bits > 12 ? 0.6 : 0.51) << layout.name << " siting " << int(siting) << (full ? " full" : " limited");
      }
    }
  }
}

TEST_F(ConverterTest, LimitedRangeRgbAndClippingFollowTheDefinition) {
  auto source = FromFloats(3, 1, {0, 0.5f, 1, 1, -0.3f, 1.4f, 2, 1, 1e30f, -1e30f, 0.25f, 1});
  FrameInfo want{.width = 3, .height = 1, .format = PixelFormat::Rgb24, .color = {1, 13, 0, false}};
  auto frame = converter->DownloadNow(*source, {.format = WGPUTextureFormat_RGBA32Float, .alpha = AlphaMode::Opaque}, want);
  ASSERT_TRUE(frame);
  const uint8_t limited[] = {16, 126, 235, 0, 255, 255, 255, 0, 71};
  EXPECT_EQ(std::memcmp((*frame)->data(0), limited, 9), 0);
  want.color.full_range = true;
  frame = converter->DownloadNow(*source, {.format = WGPUTextureFormat_RGBA32Float, .alpha = AlphaMode::Opaque}, want);
  ASSERT_TRUE(frame);
  const uint8_t full[] = {0, 128, 255, 0, 255, 255, 255, 0, 64};
  EXPECT_EQ(std::memcmp((*frame)->data(0), full, 9), 0);
}

TEST_F(ConverterTest, StripsMakeTheSameFrame) {
  for (const PixelFormat format : {PixelFormat::Yuv420p8, PixelFormat::Yuv410p8, PixelFormat::P010, PixelFormat::Rgb48}) {
    const bool yuv = LayoutOf(format).model == ColorModel::Yuv;
    auto frame = RandomFrame(50, 101, format, {1, 1, static_cast<uint8_t>(yuv ? 1 : 0), !yuv});
    converter->set_strip_bytes(uint64_t{1} << 30);
    const auto whole = Up(*frame, {.transfer = 1, .alpha = AlphaMode::Opaque});
    auto whole_back = RoundTrip(*frame, WGPUTextureFormat_RGBA32Float, AlphaMode::Opaque);
    converter->set_strip_bytes(1500);
    EXPECT_EQ(Up(*frame, {.transfer = 1, .alpha = AlphaMode::Opaque}), whole);
    auto back = RoundTrip(*frame, WGPUTextureFormat_RGBA32Float, AlphaMode::Opaque);
    ASSERT_TRUE(back && whole_back);
    EXPECT_EQ(FirstDifference(*whole_back, *back), "") << PixelFormatName(format);
  }
}

TEST_F(ConverterTest, ASteadyRunCreatesNothing) {
  auto frame = RandomFrame(64, 48, PixelFormat::Yuv420p8, {1, 1, 1, false});
  gpu::CounterValues warm;
  for (int i = 0; i < 8; ++i) {
    if (i == 4) warm = device->counters().Snapshot();
    const WorkInfo linear{.transfer = 8};
    auto t = Texture(64, 48, WGPUTextureFormat_RGBA16Float), half = Texture(32, 24, WGPUTextureFormat_RGBA16Float);
    ASSERT_TRUE(converter->Upload(*frame, *t, linear));
    ASSERT_TRUE(converter->Resize(*t, linear, *half, linear));
    FrameInfo small = frame->info();
    small.width = 32, small.height = 24;
    ASSERT_TRUE(converter->DownloadNow(*half, linear, small));
  }
  const auto end = device->counters().Snapshot();
  EXPECT_EQ(end.textures_created, warm.textures_created);
  EXPECT_EQ(end.buffers_created, warm.buffers_created);
  EXPECT_EQ(end.uploads - warm.uploads, 4u);
  EXPECT_EQ(end.downloads - warm.downloads, 4u);
}

TEST_F(ConverterTest, ResizeIsLanczosInLinearPremultipliedLight) {
  const WorkInfo srgb{.format = WGPUTextureFormat_RGBA32Float, .transfer = 13, .alpha = AlphaMode::Straight};
  for (const auto& [w, h, tw, th] : {std::array{16, 9, 32, 18}, {16, 9, 7, 5}, {9, 9, 9, 9}, {1, 1, 5, 3}, {40, 30, 3, 2}}) {
    const auto texels = RandomTexels(w, h);
    auto from = FromFloats(w, h, texels);
    auto to = Texture(tw, th, WGPUTextureFormat_RGBA32Float);
    WorkInfo linear = srgb;
    linear.transfer = 8, linear.alpha = AlphaMode::Premultiplied;
    auto done = converter->Resize(*from, srgb, *to, linear);
    ASSERT_TRUE(done) << done.error().ToString();
    const auto got = Floats(*to), want = RefResize(texels, w, h, tw, th);
    double worst = 0;
    for (size_t i = 0; i < got.size(); ++i) worst = std::max(worst, double(std::abs(got[i] - want[i])));
    EXPECT_LT(worst, 2e-4) << w << "x" << h << " to " << tw << "x" << th;
  }
}

TEST_F(ConverterTest, ResizeIntoAPartLeavesTheRestBlack) {
  auto from = FromFloats(2, 2, std::vector<float>(16, 1.0f));
  auto to = Texture(6, 4, WGPUTextureFormat_RGBA32Float);
  WorkInfo info{.format = WGPUTextureFormat_RGBA32Float, .transfer = 13, .alpha = AlphaMode::Opaque};
  ASSERT_TRUE(converter->Resize(*from, info, *to, info, {.target_x = 1, .target_y = 0, .target_width = 4, .target_height = 4}));
  auto got = Floats(*to);
  EXPECT_EQ(got[0], 0.0f);
  EXPECT_EQ(got[3], 1.0f);
  EXPECT_NEAR(got[4], 1.0f, 1e-5);
  info.alpha = AlphaMode::Premultiplied;
  ASSERT_TRUE(converter->Resize(*from, info, *to, info, {.target_x = 1, .target_y = 0, .target_width = 4, .target_height = 4}));
  EXPECT_EQ(Floats(*to)[3], 0.0f);
}

TEST_F(ConverterTest, SaysWhatItCannotConvert) {
  auto frame = RandomFrame(4, 4, PixelFormat::Yuv420p8, {9, 1, 10, false});
  auto t = Texture(4, 4, WGPUTextureFormat_RGBA16Float);
  auto s = converter->Upload(*frame, *t, {});
  ASSERT_FALSE(s);
  EXPECT_EQ(s.error().kind(), ErrorKind::Unsupported);
  EXPECT_NE(s.error().message().find("matrix 10"), std::string::npos) << s.error().message();
  frame = RandomFrame(5, 4, PixelFormat::Yuv420p8, {1, 1, 1, false});
  s = converter->Upload(*frame, *t, {});
  ASSERT_FALSE(s);
  EXPECT_NE(s.error().message().find("5x4"), std::string::npos);
  s = converter->Upload(*frame, *t, {.format = WGPUTextureFormat_RGBA8Unorm});
  EXPECT_FALSE(s);
  EXPECT_EQ(Describe(WorkInfo{.transfer = 8}), "rgba16float, linear, BT.709, premultiplied");
}

}  // namespace
}  // namespace weft::media
