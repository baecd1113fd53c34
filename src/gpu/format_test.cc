// SPDX-License-Identifier: Apache-2.0
#include "gpu/format.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "gpu/test_device.h"
#include "gpu/texture_pool.h"

namespace weft::gpu {
namespace {

TEST(Format, SpellsNamesAsWebGpuDoes) {
  for (const auto& [format, name] : {std::pair{WGPUTextureFormat_RGBA8Unorm, "rgba8unorm"},
                                     {WGPUTextureFormat_BGRA8UnormSrgb, "bgra8unorm-srgb"},
                                     {WGPUTextureFormat_Depth24PlusStencil8, "depth24plus-stencil8"},
                                     {WGPUTextureFormat_BC1RGBAUnormSrgb, "bc1-rgba-unorm-srgb"},
                                     {WGPUTextureFormat_BC6HRGBUfloat, "bc6h-rgb-ufloat"},
                                     {WGPUTextureFormat_ETC2RGB8A1Unorm, "etc2-rgb8a1unorm"},
                                     {WGPUTextureFormat_EACRG11Snorm, "eac-rg11snorm"},
                                     {WGPUTextureFormat_ASTC10x5UnormSrgb, "astc-10x5-unorm-srgb"},
                                     {WGPUTextureFormat_RGB9E5Ufloat, "rgb9e5ufloat"}}) {
    EXPECT_EQ(FormatName(format), name);
    ASSERT_NE(FindFormat(std::string_view(name)), nullptr);
    EXPECT_EQ(FindFormat(std::string_view(name))->format, format);
  }
  std::set<std::string_view> names;
  for (int f = 1; f <= WGPUTextureFormat_ASTC12x12UnormSrgb; ++f)
    EXPECT_TRUE(names.insert(FormatName(static_cast<WGPUTextureFormat>(f))).second);
}

TEST(Format, KnowsSizesAndTwins) {
  EXPECT_EQ(BytesPerTexel(WGPUTextureFormat_R8Unorm), 1u);
  EXPECT_EQ(BytesPerTexel(WGPUTextureFormat_RG16Float), 4u);
  EXPECT_EQ(BytesPerTexel(WGPUTextureFormat_RGBA16Float), 8u);
  EXPECT_EQ(BytesPerTexel(WGPUTextureFormat_RGBA32Float), 16u);
  EXPECT_EQ(BytesPerTexel(WGPUTextureFormat_BC1RGBAUnorm), 0u);
  EXPECT_EQ(TextureBytes(WGPUTextureFormat_BC1RGBAUnorm, 5, 4), 16u);
  EXPECT_EQ(SrgbTwin(WGPUTextureFormat_RGBA8Unorm), WGPUTextureFormat_RGBA8UnormSrgb);
  EXPECT_EQ(SrgbTwin(WGPUTextureFormat_RGBA8UnormSrgb), WGPUTextureFormat_RGBA8Unorm);
  EXPECT_EQ(SrgbTwin(WGPUTextureFormat_RGBA16Float), WGPUTextureFormat_Undefined);
  EXPECT_EQ(FindFormat(static_cast<WGPUTextureFormat>(999)), nullptr);
  EXPECT_EQ(FindFormat("rgb8unorm"), nullptr);
}

class FormatOnDevice : public GpuTest {};

TEST_F(FormatOnDevice, FullUsageIsTrueOfEveryColourFormat) {
  for (int f = 1; f <= WGPUTextureFormat_RGBA32Sint; ++f) {
    const auto format = static_cast<WGPUTextureFormat>(f);
    if (!AbilitiesOf(*device, format).creatable) continue;
    auto texture = device->textures().Acquire({16, 16, format, FullUsage(*device, format)});
    EXPECT_TRUE(texture) << FormatName(format) << ": " << texture.error().ToString();
  }
  device->textures().Trim();
}

}  // namespace
}  // namespace weft::gpu
