// SPDX-License-Identifier: Apache-2.0
// The tables of texture formats against the specification's (26.1), feature by feature.
#include "host/webgpu/formats.h"

#include <gtest/gtest.h>

#include <map>

namespace weft::host {
namespace {

using F = wit::GpuTextureFormat;
using A = wit::GpuTextureAspect;
using N = wit::GpuFeatureName;

F At(uint32_t i) { return static_cast<F>(i); }
Features With(std::initializer_list<N> names) {
  Features f;
  for (const N n : names) f[static_cast<size_t>(n)] = true;
  return f;
}

// s supported, r renderable, b blendable, m multisampled, v resolvable, f filterable, w o x storage: write-only, read-only, read-write.
std::string Letters(F format, const Features& features) {
  const FormatAbilities a = Abilities(format, features);
  std::string s;
  for (const auto& [letter, has] : {std::pair('s', a.supported),
                                    {'r', a.renderable},
                                    {'b', a.blendable},
                                    {'m', a.multisample},
                                    {'v', a.resolvable},
                                    {'f', a.filterable},
                                    {'w', a.storage_write},
                                    {'o', a.storage_read},
                                    {'x', a.storage_read_write}}) {
    if (has) s += letter;
  }
  return s;
}

// What the features add to what a device without any has, by format.
std::map<std::string, std::string> Added(const Features& features, const Features& to = {}) {
  std::map<std::string, std::string> all;
  for (uint32_t i = 0; i < wit::kGpuTextureFormatCount; ++i) {
    const std::string before = Letters(At(i), to);
    std::string more;
    for (const char c : Letters(At(i), features)) {
      if (before.find(c) == std::string::npos) more += c;
    }
    EXPECT_EQ(Letters(At(i), features).size(), before.size() + more.size()) << wit::ToString(At(i)) << " lost something";
    if (!more.empty()) all[std::string(wit::ToString(At(i)))] = more;
  }
  return all;
}

using Table = std::map<std::string, std::string>;

TEST(Formats, OfFeaturesThatConcernOneOrTwo) {
  EXPECT_EQ(Added(With({N::Bgra8unormStorage})), (Table{{"bgra8unorm", "w"}}));
  EXPECT_EQ(Added(With({N::Rg11b10ufloatRenderable})), (Table{{"rg11b10ufloat", "rbmv"}}));
  EXPECT_EQ(Added(With({N::Float32Filterable})), (Table{{"r32float", "f"}, {"rg32float", "f"}, {"rgba32float", "f"}}));
  EXPECT_EQ(Added(With({N::Float32Blendable})), (Table{{"r32float", "b"}, {"rg32float", "b"}, {"rgba32float", "b"}}));
  EXPECT_EQ(Added(With({N::Depth32floatStencil8})), (Table{{"depth32float-stencil8", "s"}}));
}

TEST(Formats, OfCompressedTexturesComeByFamily) {
  for (const auto& [feature, prefix, count] :
       {std::tuple(N::TextureCompressionBc, "bc", 14u), {N::TextureCompressionEtc2, "e", 10u}, {N::TextureCompressionAstc, "astc", 28u}}) {
    const Table added = Added(With({feature}));
    EXPECT_EQ(added.size(), count) << prefix;
    for (const auto& [name, letters] : added) {
      EXPECT_TRUE(name.starts_with(prefix)) << name;
      EXPECT_EQ(letters, "s") << name;
    }
  }
}

// texture-formats-tier1 and -tier2: 26.1.1.
TEST(Formats, OfTiers) {
  const Table tier1 = {
      {"r8unorm", "wo"},      {"r8snorm", "rbmvwo"},       {"r8uint", "wo"},    {"r8sint", "wo"},
      {"rg8unorm", "wo"},     {"rg8snorm", "rbmvwo"},      {"rg8uint", "wo"},   {"rg8sint", "wo"},
      {"rgba8snorm", "rbmv"}, {"r16uint", "wo"},           {"r16sint", "wo"},   {"r16float", "wo"},
      {"rg16uint", "wo"},     {"rg16sint", "wo"},          {"rg16float", "wo"}, {"rgb10a2uint", "wo"},
      {"rgb10a2unorm", "wo"}, {"rg11b10ufloat", "rbmvwo"},
  };
  Table got = Added(With({N::TextureFormatsTier1}));
  for (const char* name : {"r16unorm", "r16snorm", "rg16unorm", "rg16snorm", "rgba16unorm", "rgba16snorm"}) {
    // Whole formats: there with the feature only, and then with these.
    EXPECT_NE(got[name].find('s'), std::string::npos) << name;
    const auto format = [&] {
      for (uint32_t i = 0; i < wit::kGpuTextureFormatCount; ++i) {
        if (wit::ToString(At(i)) == name) return At(i);
      }
      return F::R8unorm;
    }();
    const std::string letters = Letters(format, With({N::TextureFormatsTier1}));
    for (const char c : {'s', 'r', 'b', 'm', 'w', 'o'}) EXPECT_NE(letters.find(c), std::string::npos) << name << " " << c;
    EXPECT_EQ(letters.find('x'), std::string::npos) << name;
    got.erase(name);
  }
  EXPECT_EQ(got, tier1);
  Table tier2;
  for (const char* name : {"r8unorm", "r8uint", "r8sint", "rgba8unorm", "rgba8uint", "rgba8sint", "r16uint", "r16sint", "r16float",
                           "rgba16uint", "rgba16sint", "rgba16float", "rgba32uint", "rgba32sint", "rgba32float"}) {
    tier2[name] = "x";
  }
  EXPECT_EQ(Added(With({N::TextureFormatsTier2}), With({N::TextureFormatsTier1})), tier2);
}

TEST(Formats, OfDepthAndStencilAreCopiedByAspect) {
  struct Row {
    F format;
    A aspect;
    uint32_t bytes;
    std::optional<F> one;
  };
  const Row rows[] = {
      {F::Stencil8, A::All, 1, F::Stencil8},
      {F::Stencil8, A::StencilOnly, 1, F::Stencil8},
      {F::Depth16unorm, A::DepthOnly, 2, F::Depth16unorm},
      {F::Depth24plus, A::DepthOnly, 0, F::Depth24plus},
      {F::Depth32float, A::DepthOnly, 4, F::Depth32float},
      {F::Depth24plusStencil8, A::DepthOnly, 0, F::Depth24plus},
      {F::Depth24plusStencil8, A::StencilOnly, 1, F::Stencil8},
      {F::Depth32floatStencil8, A::DepthOnly, 4, F::Depth32float},
      {F::Depth32floatStencil8, A::StencilOnly, 1, F::Stencil8},
      {F::Rgba8unorm, A::All, 4, F::Rgba8unorm},
      {F::Bc1RgbaUnorm, A::All, 8, F::Bc1RgbaUnorm},
  };
  for (const Row& r : rows) {
    EXPECT_EQ(CopyBytes(r.format, r.aspect), r.bytes) << wit::ToString(r.format);
    EXPECT_EQ(AspectFormat(r.format, r.aspect), r.one) << wit::ToString(r.format);
  }
  for (const auto& [format, lacks] : {std::pair(F::Stencil8, A::DepthOnly),
                                      {F::Depth16unorm, A::StencilOnly},
                                      {F::Depth24plus, A::StencilOnly},
                                      {F::Depth32float, A::StencilOnly},
                                      {F::Rgba8unorm, A::DepthOnly}}) {
    EXPECT_FALSE(AspectFormat(format, lacks)) << wit::ToString(format);
  }
  EXPECT_TRUE(Abilities(F::Depth24plusStencil8, {}).has_stencil() && Abilities(F::Depth24plusStencil8, {}).has_depth());
  EXPECT_TRUE(Abilities(F::Stencil8, {}).depth_or_stencil() && !Abilities(F::Stencil8, {}).has_depth());
}

TEST(Formats, OfTargetsHaveTheirCostAndAlignment) {
  struct Row {
    F format;
    uint32_t cost, alignment;
  };
  for (const Row& r : {Row{F::R8unorm, 1, 1},
                       {F::Rg8unorm, 2, 1},
                       {F::Rgba8unorm, 8, 1},
                       {F::Bgra8unormSrgb, 8, 1},
                       {F::Rgba8uint, 4, 1},
                       {F::Rgb10a2unorm, 8, 4},
                       {F::Rgb10a2uint, 8, 4},
                       {F::Rg11b10ufloat, 8, 4},
                       {F::R16float, 2, 2},
                       {F::Rgba16float, 8, 2},
                       {F::R32float, 4, 4},
                       {F::Rgba32float, 16, 4},
                       {F::Rgba8unormSrgb, 8, 1},
                       {F::Bgra8unorm, 8, 1},
                       {F::Rgba8snorm, 8, 1}}) {
    EXPECT_EQ(RenderTargetCost(r.format), r.cost) << wit::ToString(r.format);
    EXPECT_EQ(RenderTargetAlignment(r.format), r.alignment) << wit::ToString(r.format);
  }
  const std::optional<F> four[] = {F::R8unorm, std::nullopt, F::Rgba32float, F::R8unorm};
  EXPECT_EQ(BytesPerSample(four), 21u);  // 1, to 4, 16, 1
}

TEST(Formats, TexturesAreChargedForAllThatTheyHold) {
  TextureInfo t;
  t.format = F::Rgba8unorm;
  t.width = 5;
  t.height = 3;
  t.mips = 3;
  EXPECT_EQ(TextureBytes(t), 4u * (15 + 2 + 1));
  t.mips = 1;
  t.samples = 4;
  EXPECT_EQ(TextureBytes(t), 4u * 4 * 15);
  t.samples = 1;
  t.depth_or_layers = 6;
  t.mips = 2;
  EXPECT_EQ(TextureBytes(t), 4u * 6 * (15 + 2));
  t.dimension = wit::GpuTextureDimension::D3;
  EXPECT_EQ(TextureBytes(t), 4u * (6 * 15 + 3 * 2));
  t.dimension = wit::GpuTextureDimension::D2;
  t.depth_or_layers = t.mips = 1;
  for (const auto& [format, bytes] : {std::pair(F::Depth24plus, 4u), {F::Depth24plusStencil8, 8u}, {F::Depth32floatStencil8, 8u}}) {
    t.format = format;
    EXPECT_EQ(TextureBytes(t), bytes * 15) << wit::ToString(format);
  }
  t.format = F::Bc1RgbaUnorm;  // 2 x 1 blocks
  EXPECT_EQ(TextureBytes(t), 16u);
}

TEST(Formats, ViewsMayDifferInSrgbAlone) {
  EXPECT_TRUE(ViewCompatible(F::Rgba8unorm, F::Rgba8unormSrgb));
  EXPECT_TRUE(ViewCompatible(F::Rgba8unormSrgb, F::Rgba8unorm));
  EXPECT_TRUE(ViewCompatible(F::R8unorm, F::R8unorm));
  EXPECT_FALSE(ViewCompatible(F::R8unorm, F::R8snorm));
  EXPECT_FALSE(ViewCompatible(F::Rgba8unorm, F::Bgra8unormSrgb));
}

TEST(Formats, FeaturesWidenAbilities) {
  Features none, wide;
  wide[static_cast<size_t>(wit::GpuFeatureName::Bgra8unormStorage)] = true;
  wide[static_cast<size_t>(wit::GpuFeatureName::Float32Filterable)] = true;
  EXPECT_FALSE(Abilities(F::Bgra8unorm, none).storage_write);
  EXPECT_TRUE(Abilities(F::Bgra8unorm, wide).storage_write);
  EXPECT_FALSE(Abilities(F::Rgba32float, none).filterable);
  EXPECT_TRUE(Abilities(F::Rgba32float, wide).filterable);
  EXPECT_FALSE(Abilities(F::Bc1RgbaUnorm, none).supported);
  EXPECT_FALSE(Abilities(F::Rgba16unorm, none).supported);
  EXPECT_TRUE(Abilities(F::Rgba16float, none).supported);
}

TEST(Formats, BytesPerSampleAlignsLikeTheSpecification) {
  // The specification's example: r8unorm, r32float, rgba8unorm, rgba32float, r8unorm make 1, 8, 16, 32, 33.
  const std::vector<std::optional<F>> formats = {F::R8unorm, F::R32float, F::Rgba8unorm, F::Rgba32float, F::R8unorm};
  EXPECT_EQ(BytesPerSample(formats), 33u);
}

TEST(Formats, TextureBytesCountMipsLayersAndSamples) {
  TextureInfo t;
  t.format = wit::GpuTextureFormat::Rgba8unorm;
  t.width = t.height = 4;
  EXPECT_EQ(TextureBytes(t), 64u);
  t.mips = 3;
  EXPECT_EQ(TextureBytes(t), 64u + 16u + 4u);
  t.depth_or_layers = 2;
  EXPECT_EQ(TextureBytes(t), 168u);
  t = {};
  t.format = wit::GpuTextureFormat::Bc1RgbaUnorm;
  t.width = t.height = 8;
  EXPECT_EQ(TextureBytes(t), 4u * 8u);
}

}  // namespace
}  // namespace weft::host
