// SPDX-License-Identifier: Apache-2.0
// YCbCr to RGB against FFmpeg's accurate conversion: within 1/255 for BT.601 and 709, limited and full range.
extern "C" {
#include <libavutil/opt.h>
#include <libswscale/swscale.h>
}

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "gpu/test_device.h"
#include "gpu/transfer.h"
#include "media/convert/converter.h"
#include "media/convert/reference.h"

namespace weft::media {
namespace {

// A picture with soft and hard edges in all components, as video has them.
Ref<CpuFrame> Picture(int w, int h, PixelFormat format, ColorSpace color, ChromaSiting siting) {
  auto frame = RandomFrame(w, h, format, color, siting);
  const PixelLayout& layout = LayoutOf(format);
  for (int p = 0; p < layout.planes; ++p) {
    for (int y = 0; y < frame->rows(p); ++y) {
      for (int x = 0; x < layout.PlaneWidth(p, w); ++x) {
        const double v =
            0.5 + 0.25 * std::sin(0.11 * x * (p + 1)) + 0.2 * std::cos(0.07 * y * (3 - p)) * ((x / 16 + y / 16) % 2 ? 1 : -1) * (p == 0);
        frame->mutable_data(p)[y * frame->stride(p) + x] = static_cast<uint8_t>(16 + 219 * v);
      }
    }
  }
  return frame;
}

class SwscaleTest : public gpu::GpuTest {};

TEST_F(SwscaleTest, AccurateConversionAgreesWithinOne) {
  auto made = Converter::Create(Ref<gpu::Device>(device));
  ASSERT_TRUE(made);
  const int w = 128, h = 96;
  for (const auto& [format, av] : {std::pair{PixelFormat::Yuv444p8, AV_PIX_FMT_YUV444P},
                                   {PixelFormat::Yuv422p8, AV_PIX_FMT_YUV422P},
                                   {PixelFormat::Yuv420p8, AV_PIX_FMT_YUV420P}}) {
    for (const int matrix : {1, 6}) {
      for (const bool full : {false, true}) {
        for (const ChromaSiting siting : {ChromaSiting::Left, ChromaSiting::Center}) {
          auto frame = Picture(w, h, format, {1, 1, static_cast<uint8_t>(matrix), full}, siting);
          SwsContext* sws = sws_alloc_context();
          av_opt_set_int(sws, "srcw", w, 0), av_opt_set_int(sws, "srch", h, 0), av_opt_set_int(sws, "src_format", av, 0);
          av_opt_set_int(sws, "dstw", w, 0), av_opt_set_int(sws, "dsth", h, 0), av_opt_set_int(sws, "dst_format", AV_PIX_FMT_GBRP, 0);
          av_opt_set_int(sws, "sws_flags", SWS_BILINEAR | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP | SWS_BITEXACT, 0);
          if (siting == ChromaSiting::Left && LayoutOf(format).log2_chroma_w) av_opt_set_int(sws, "src_h_chr_pos", 0, 0);
          const int* coefficients = sws_getCoefficients(matrix == 1 ? SWS_CS_ITU709 : SWS_CS_ITU601);
          sws_setColorspaceDetails(sws, coefficients, full, coefficients, 1, 0, 1 << 16, 1 << 16);
          ASSERT_GE(sws_init_context(sws, nullptr, nullptr), 0);
          std::vector<uint8_t> planes[3];
          uint8_t* out[4] = {};
          int strides[4] = {w, w, w, 0};
          for (int p = 0; p < 3; ++p) planes[p].resize(w * h), out[p] = planes[p].data();
          const uint8_t* in[4] = {frame->data(0), frame->data(1), frame->data(2), nullptr};
          const int in_strides[4] = {int(frame->stride(0)), int(frame->stride(1)), int(frame->stride(2)), 0};
          ASSERT_EQ(sws_scale(sws, in, in_strides, 0, h, out, strides), h);
          sws_freeContext(sws);

          auto texture =
              device->textures().Acquire({w, h, WGPUTextureFormat_RGBA8Unorm, gpu::FullUsage(*device, WGPUTextureFormat_RGBA8Unorm)});
          ASSERT_TRUE(texture);
          const WorkInfo work{.format = WGPUTextureFormat_RGBA8Unorm, .transfer = 1, .alpha = AlphaMode::Opaque};
          auto sent = (*made)->Upload(*frame, **texture, work);
          ASSERT_TRUE(sent) << sent.error().ToString();
          auto got = gpu::ReadTextureNow(**texture);
          ASSERT_TRUE(got);
          int worst = 0, off = 0;
          for (int i = 0; i < w * h; ++i) {
            const int plane[3] = {2, 0, 1};  // R, G, B in GBR order
            for (int c = 0; c < 3; ++c) {
              const int d = std::abs(int(planes[plane[c]][i]) - int((*got)[i * 4 + c]));
              worst = std::max(worst, d);
              off += d > 1;
            }
          }
          EXPECT_LE(worst, 1) << PixelFormatName(format) << " matrix " << matrix << (full ? " full" : " limited") << " siting "
                              << int(siting) << ": " << off;
        }
      }
    }
  }
}

}  // namespace
}  // namespace weft::media
