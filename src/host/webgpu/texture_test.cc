// SPDX-License-Identifier: Apache-2.0
#include "host/webgpu/encoder_test_guest.h"

namespace weft::host {
namespace {

using Dim = wit::GpuTextureDimension;
using ViewDim = wit::GpuTextureViewDimension;

struct Wanted {
  TF format = TF::Rgba8unorm;
  uint32_t w = 4, h = 4, layers = 1, mips = 1, samples = 1;
  uint32_t usage = TU::TextureBinding;
  Dim dimension = Dim::D2;
  std::vector<TF> views;
};

// What creating it says after "creating gpu-texture 't': ".
std::string Refusal(TestGuest& g, const Wanted& t) {
  wit::GpuTextureDescriptor d;
  d.size = {t.w, t.h, t.layers};
  d.format = t.format;
  d.mip_level_count = t.mips;
  d.sample_count = t.samples;
  d.usage.bits = t.usage;
  d.dimension = t.dimension;
  d.view_formats = List<TF>(std::span<const TF>(t.views));
  d.label = Str("t");
  const Rep rep = g.Take(g.gpu->OnGpuDeviceCreateTexture(g.device, d));
  g.gpu->OnDropGpuTexture(rep);
  std::string errors = g.Errors();
  const std::string prefix = "creating gpu-texture 't': ";
  if (errors.starts_with(prefix)) errors = errors.substr(prefix.size());
  if (!errors.empty()) errors.pop_back();
  return errors;
}

TEST(Texture, OfEveryOrdinaryKindIsMade) {
  TestGuest g;
  EXPECT_EQ(Refusal(g, {}), "");
  EXPECT_EQ(Refusal(g, {.w = 1, .h = 1}), "");
  EXPECT_EQ(Refusal(g, {.w = 1919, .h = 3, .mips = 11}), "");
  EXPECT_EQ(Refusal(g, {.layers = 6}), "");
  EXPECT_EQ(Refusal(g, {.layers = 4, .dimension = Dim::D3}), "");
  EXPECT_EQ(Refusal(g, {.h = 1, .dimension = Dim::D1}), "");
  EXPECT_EQ(Refusal(g, {.samples = 4, .usage = TU::RenderAttachment}), "");
  EXPECT_EQ(Refusal(g, {.format = TF::Depth24plusStencil8, .usage = TU::RenderAttachment}), "");
  EXPECT_EQ(Refusal(g, {.format = TF::Rgba16float, .usage = TU::StorageBinding | TU::TextureBinding}), "");
  EXPECT_EQ(Refusal(g, {.usage = TU::RenderAttachment | TU::TransientAttachment}), "");
  EXPECT_EQ(Refusal(g, {.views = {TF::Rgba8unormSrgb, TF::Rgba8unorm, TF::Rgba8unormSrgb}}), "");
}

TEST(Texture, AnswersWhatItWasMadeWith) {
  TestGuest g;
  const Rep a = g.Texture(TF::Bgra8unorm, 16, 8, TU::CopyDst | TU::TextureBinding, 1, 3, 5);
  EXPECT_EQ(*g.gpu->OnGpuTextureWidth(a), 16u);
  EXPECT_EQ(*g.gpu->OnGpuTextureHeight(a), 8u);
  EXPECT_EQ(*g.gpu->OnGpuTextureDepthOrArrayLayers(a), 5u);
  EXPECT_EQ(*g.gpu->OnGpuTextureMipLevelCount(a), 3u);
  EXPECT_EQ(*g.gpu->OnGpuTextureSampleCount(a), 1u);
  EXPECT_EQ(*g.gpu->OnGpuTextureDimension(a), Dim::D2);
  EXPECT_EQ(*g.gpu->OnGpuTextureFormat(a), TF::Bgra8unorm);
  EXPECT_EQ(g.gpu->OnGpuTextureUsage(a)->bits, TU::CopyDst | TU::TextureBinding);
  const Rep volume = g.Texture(TF::R32float, 4, 4, TU::CopySrc, 1, 1, 4, Dim::D3);
  EXPECT_EQ(*g.gpu->OnGpuTextureDimension(volume), Dim::D3);
  EXPECT_EQ(*g.gpu->OnGpuTextureDepthOrArrayLayers(volume), 4u);
  EXPECT_EQ(*g.gpu->OnGpuTextureSampleCount(g.Texture(TF::Rgba8unorm, 4, 4, TU::RenderAttachment, 4)), 4u);
  EXPECT_EQ(g.Errors(), "");
  // Also when it could not be made, and when it is gone.
  const Rep bad = g.Texture(TF::Rgba8unorm, 0, 7, TU::TextureBinding);
  EXPECT_NE(g.Errors(), "");
  EXPECT_EQ(*g.gpu->OnGpuTextureWidth(bad), 0u);
  EXPECT_EQ(*g.gpu->OnGpuTextureHeight(bad), 7u);
  g.Ok(g.gpu->OnGpuTextureDestroy(a));
  EXPECT_EQ(*g.gpu->OnGpuTextureMipLevelCount(a), 3u);
}

TEST(Texture, HasNoBindingViewDimensionOnACoreDevice) {
  TestGuest g;
  const Rep t = g.Texture(TF::Rgba8unorm, 4, 4, TU::TextureBinding);
  const auto dimension = g.gpu->OnGpuTextureTextureBindingViewDimension(t);
  ASSERT_TRUE(dimension);
  EXPECT_FALSE(dimension->has);
  EXPECT_FALSE(g.gpu->OnGpuTextureTextureBindingViewDimension(g.device)) << "a device is no texture";
}

TEST(Texture, RefusesBadDescriptorsWithASentence) {
  TestGuest g;
  EXPECT_EQ(Refusal(g, {.usage = 0}), "the usage of a texture must not be empty");
  EXPECT_EQ(Refusal(g, {.w = 0}), "the size 0x4x1 has a zero");
  EXPECT_NE(Refusal(g, {.w = 1u << 20}).find("is more than the limit maxTextureDimension2D"), std::string::npos);
  EXPECT_NE(Refusal(g, {.layers = 1u << 20}).find("maxTextureArrayLayers"), std::string::npos);
  EXPECT_EQ(Refusal(g, {.mips = 4}), "mip level count 4 must be from 1 to 3");
  EXPECT_EQ(Refusal(g, {.mips = 0}), "mip level count 0 must be from 1 to 3");
  EXPECT_EQ(Refusal(g, {.samples = 2}), "sample count 2 must be 1 or 4");
  EXPECT_EQ(Refusal(g, {.mips = 2, .samples = 4, .usage = TU::RenderAttachment}), "a multisampled texture has one mip level, not 2");
  EXPECT_EQ(Refusal(g, {.samples = 4}), "a multisampled texture needs usage render-attachment");
  EXPECT_EQ(Refusal(g, {.dimension = Dim::D1}), "a 1D texture has height 1 and one layer");
  EXPECT_EQ(Refusal(g, {.samples = 4, .usage = TU::RenderAttachment, .dimension = Dim::D3}), "a 3D texture cannot be multisampled");
  EXPECT_EQ(Refusal(g, {.format = TF::Depth32float, .dimension = Dim::D3}), "a 3D texture cannot have format depth32float");
  EXPECT_EQ(Refusal(g, {.format = TF::Rgba8unormSrgb, .usage = TU::StorageBinding}),
            "format rgba8unorm-srgb cannot have usage storage-binding");
  EXPECT_EQ(Refusal(g, {.format = TF::Rgb9e5ufloat, .usage = TU::RenderAttachment}),
            "format rgb9e5ufloat cannot have usage render-attachment");
  EXPECT_EQ(Refusal(g, {.usage = TU::TextureBinding | TU::TransientAttachment}),
            "usage transient-attachment goes with render-attachment and nothing else");
  EXPECT_EQ(Refusal(g, {.views = {TF::R32float}}),
            "view format r32float does not go with format rgba8unorm: only the same format with or without srgb does");
  EXPECT_EQ(Refusal(g, {.format = TF::Astc4x4Unorm}), "format astc4x4-unorm needs a feature that this device does not have");
}

TEST(Texture, OfEveryFormatIsMadeOrRefusedByUsAndNeverByTheLibrary) {
  TestGuest g;
  for (uint32_t i = 0; i < wit::kGpuTextureFormatCount; ++i) {
    const auto f = static_cast<TF>(i);
    for (const uint32_t usage : {TU::TextureBinding, TU::RenderAttachment, TU::StorageBinding, TU::CopySrc | TU::CopyDst}) {
      for (const uint32_t samples : {1u, 4u}) {
        const uint32_t all = samples == 4 ? usage | TU::RenderAttachment : usage;
        const std::string why = Refusal(g, {.format = f, .w = 120, .h = 120, .samples = samples, .usage = all});
        const bool ours = why.empty() || why.find("needs a feature") != std::string::npos ||
                          why.find("cannot have usage") != std::string::npos || why.find("cannot be multisampled") != std::string::npos ||
                          why.find("cannot have usage storage") != std::string::npos ||
                          why.find("multisampled texture") != std::string::npos;
        EXPECT_TRUE(ours) << wit::ToString(f) << " usage " << all << " samples " << samples << ": " << why;
      }
    }
  }
}

// What making the view says after "creating a view of gpu-texture 't': ".
std::string ViewRefusal(TestGuest& g, Rep texture, const wit::GpuTextureViewDescriptor& d) {
  g.View(texture, d);
  std::string errors = g.Errors();
  const std::string prefix = "creating a view of gpu-texture 't': ";
  if (errors.starts_with(prefix)) errors = errors.substr(prefix.size());
  if (!errors.empty()) errors.pop_back();
  return errors;
}

TEST(TextureView, TakesItsDefaultsFromTheTexture) {
  TestGuest g;
  auto view = [&](Rep texture) { return *g.gpu->Get<VTextureView>(g.View(texture)); };
  const auto one = view(g.Texture(TF::Rgba8unorm, 8, 8, TU::TextureBinding, 1, 4));
  EXPECT_EQ(one->dimension, ViewDim::D2);
  EXPECT_EQ(one->mips, 4u);
  const auto array = view(g.Texture(TF::Rgba8unorm, 8, 8, TU::TextureBinding, 1, 1, 3));
  EXPECT_EQ(array->dimension, ViewDim::D2Array);
  EXPECT_EQ(array->layers, 3u);
  const auto volume = view(g.Texture(TF::Rgba8unorm, 8, 8, TU::TextureBinding, 1, 1, 3, Dim::D3));
  EXPECT_EQ(volume->dimension, ViewDim::D3);
  EXPECT_EQ(volume->layers, 1u);
  EXPECT_EQ(volume->depth(), 3u);
  EXPECT_EQ(g.Errors(), "");
}

TEST(TextureView, OfAMipLevelHasItsSize) {
  TestGuest g;
  wit::GpuTextureViewDescriptor d;
  d.base_mip_level = 2;
  d.mip_level_count = 1;
  const auto v = *g.gpu->Get<VTextureView>(g.View(g.Texture(TF::Rgba8unorm, 9, 3, TU::TextureBinding, 1, 3), d));
  EXPECT_EQ(v->width(), 2u);
  EXPECT_EQ(v->height(), 1u);
}

TEST(TextureView, RefusesWhatLiesOutsideOrDoesNotFit) {
  TestGuest g;
  const Rep t = g.Texture(TF::Rgba8unorm, 8, 8, TU::TextureBinding | TU::StorageBinding, 1, 2, 6);
  wit::GpuTextureViewDescriptor d;
  d.base_mip_level = 2;
  EXPECT_EQ(ViewRefusal(g, t, d), "mip levels 2 + 0 lie outside of the texture's 2");
  d = {};
  d.mip_level_count = 3;
  EXPECT_EQ(ViewRefusal(g, t, d), "mip levels 0 + 3 lie outside of the texture's 2");
  d = {};
  d.base_array_layer = 5;
  d.array_layer_count = 0xFFFFFFFF;
  EXPECT_EQ(ViewRefusal(g, t, d), "array layers 5 + 4294967295 lie outside of the texture's 6");
  d = {};
  d.dimension = ViewDim::D2;
  d.array_layer_count = 2;
  EXPECT_EQ(ViewRefusal(g, t, d), "a d2 view has one array layer, not 2");
  d = {};
  d.dimension = ViewDim::D3;
  EXPECT_EQ(ViewRefusal(g, t, d), "a d3 view needs a d3 texture, this one is d2");
  d = {};
  d.dimension = ViewDim::CubeArray;
  d.array_layer_count = 5;
  EXPECT_EQ(ViewRefusal(g, t, d), "a cube-array view needs a multiple of 6 array layers, not 5");
  d = {};
  d.dimension = ViewDim::Cube;
  EXPECT_EQ(ViewRefusal(g, t, d), "");
  d = {};
  d.format = TF::Rgba8unormSrgb;
  EXPECT_EQ(ViewRefusal(g, t, d), "view format rgba8unorm-srgb is neither the texture's format rgba8unorm nor one of its view formats");
  d = {};
  d.aspect = wit::GpuTextureAspect::DepthOnly;
  EXPECT_EQ(ViewRefusal(g, t, d), "format rgba8unorm has no depth aspect");
  d = {};
  d.usage = wit::GpuTextureUsage{TU::RenderAttachment};
  EXPECT_EQ(ViewRefusal(g, t, d), "view usage 0x10 is not a part of the texture's usage 0xc");
  d = {};
  d.swizzle = Str("bgra");
  EXPECT_EQ(ViewRefusal(g, t, d), "a swizzle needs the feature texture-component-swizzle");
  d.swizzle = Str("rgba");
  EXPECT_EQ(ViewRefusal(g, t, d), "");
  const Rep depth = g.Texture(TF::Depth24plusStencil8, 8, 8, TU::TextureBinding);
  d = {};
  d.aspect = wit::GpuTextureAspect::StencilOnly;
  EXPECT_EQ(ViewRefusal(g, depth, d), "");
  EXPECT_EQ((*g.gpu->Get<VTextureView>(g.View(depth, d)))->format, TF::Stencil8);
}

TEST(TextureView, OfAnInvalidTextureIsInvalidAndOfADestroyedOneIsNot) {
  TestGuest g;
  const Rep bad = g.Texture(TF::Rgba8unorm, 0, 0, TU::TextureBinding);
  g.Errors();
  EXPECT_EQ(ViewRefusal(g, bad, {}), "gpu-texture 't' is invalid: its creation failed");
  const Rep gone = g.Texture(TF::Rgba8unorm, 4, 4, TU::TextureBinding);
  g.Ok(g.gpu->OnGpuTextureDestroy(gone));
  EXPECT_EQ(ViewRefusal(g, gone, {}), "");
}

TEST(Sampler, ChecksClampsAndAnisotropy) {
  TestGuest g;
  auto refusal = [&](const wit::GpuSamplerDescriptor& d) {
    g.Take(g.gpu->OnGpuDeviceCreateSampler(g.device, d));
    return g.Errors();
  };
  EXPECT_EQ(refusal({}), "");
  wit::GpuSamplerDescriptor d;
  d.lod_min_clamp = -1.0f;
  EXPECT_EQ(refusal(d), "creating gpu-sampler without a label: lod-min-clamp -1 must be at least 0\n");
  d.lod_min_clamp = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NE(refusal(d), "");
  d = {};
  d.lod_min_clamp = 2.0f;
  d.lod_max_clamp = 1.0f;
  EXPECT_EQ(refusal(d), "creating gpu-sampler without a label: lod-max-clamp 1 must be at least lod-min-clamp 2\n");
  d = {};
  d.max_anisotropy = uint16_t{0};
  EXPECT_EQ(refusal(d), "creating gpu-sampler without a label: max-anisotropy must be at least 1\n");
  d.max_anisotropy = uint16_t{4};
  EXPECT_NE(refusal(d).find("needs linear"), std::string::npos);
  d.mag_filter = d.min_filter = wit::GpuFilterMode::Linear;
  d.mipmap_filter = wit::GpuMipmapFilterMode::Linear;
  d.max_anisotropy = uint16_t{65535};
  EXPECT_EQ(refusal(d), "");
  d = {};
  d.compare = wit::GpuCompareFunction::Less;
  EXPECT_EQ(refusal(d), "");
}

TEST(QuerySet, ResolvesToZeroWhatNeverRan) {
  for (const auto type : {wit::GpuQueryType::Occlusion, wit::GpuQueryType::Timestamp}) {
    TestGuest g;
    const Rep q = g.Queries(type, 5), out = g.Buffer(64, BU::QueryResolve | BU::CopySrc), e = g.Encoder();
    g.Ok(g.gpu->OnGpuCommandEncoderResolveQuerySet(e, q, 0, 5, out, 0));
    g.FinishAndSubmit(e);
    EXPECT_EQ(g.Read(out), std::vector<uint32_t>(16));
    EXPECT_EQ(g.Errors(), "");
  }
}

TEST(QuerySet, MayHoldNone) {
  TestGuest g;
  const Rep q = g.Queries(wit::GpuQueryType::Occlusion, 0), e = g.Encoder();
  EXPECT_EQ(*g.gpu->OnGpuQuerySetCount(q), 0u);
  const Rep view = g.View(g.Texture(TF::Rgba8unorm, 4, 4, TU::RenderAttachment));
  const Rep pass = g.BeginRender(e, {.colors = {g.Color(view)}, .occlusion = q});
  g.Ok(g.gpu->OnGpuRenderPassEncoderEnd(pass));
  g.FinishAndSubmit(e);
  g.Ok(g.gpu->OnGpuQuerySetDestroy(q));
  EXPECT_EQ(g.Errors(), "");
}

TEST(QuerySet, ChecksItsCountAndSurvivesDestroyAndDrop) {
  TestGuest g;
  const Rep q = g.Queries(wit::GpuQueryType::Occlusion, 4);
  EXPECT_EQ(*g.gpu->OnGpuQuerySetCount(q), 4u);
  EXPECT_EQ(*g.gpu->OnGpuQuerySetType(q), wit::GpuQueryType::Occlusion);
  EXPECT_EQ(*g.gpu->OnGpuQuerySetType(g.Queries(wit::GpuQueryType::Timestamp, 2)), wit::GpuQueryType::Timestamp);
  g.Ok(g.gpu->OnGpuQuerySetDestroy(q));
  g.gpu->OnDropGpuQuerySet(q);
  EXPECT_EQ(g.Errors(), "");
  g.Queries(wit::GpuQueryType::Occlusion, 5000);
  EXPECT_EQ(g.Errors(), "creating gpu-query-set 'q': the count 5000 must be at most 4096\n");
  TestGuest exec(GpuMode::Exec);
  auto timestamp = exec.gpu->OnGpuDeviceCreateQuerySet(exec.device, {wit::GpuQueryType::Timestamp, 2, {}});
  ASSERT_TRUE(timestamp);
  EXPECT_TRUE(timestamp->is_err);
}

}  // namespace
}  // namespace weft::host
