// SPDX-License-Identifier: Apache-2.0
// Bind group layouts, pipeline layouts, bind groups.
#include "host/webgpu/encoder_test_guest.h"

namespace weft::host {
namespace {

using Type = wit::GpuBufferBindingType;
using Stage = wit::GpuShaderStage;
using Entry = wit::GpuBindGroupLayoutEntry;

// The errors since the last call, without the prefix that names the object.
std::string Said(TestGuest& g, std::string_view prefix) {
  std::string errors = g.Errors();
  if (errors.starts_with(prefix)) errors = errors.substr(prefix.size());
  if (!errors.empty() && errors.back() == '\n') errors.pop_back();
  return errors;
}

std::string LayoutRefusal(TestGuest& g, std::vector<Entry> entries) {
  g.Layout(std::move(entries));
  return Said(g, "creating gpu-bind-group-layout without a label: ");
}

Entry Empty(uint32_t binding, uint32_t stages = Stage::Compute) {
  Entry e;
  e.binding = binding;
  e.visibility.bits = stages;
  return e;
}

Entry Texture(uint32_t binding, wit::GpuTextureSampleType sample, bool multisampled = false,
              wit::GpuTextureViewDimension view = wit::GpuTextureViewDimension::D2) {
  Entry e = Empty(binding);
  wit::GpuTextureBindingLayout t;
  t.sample_type = sample;
  t.multisampled = multisampled;
  t.view_dimension = view;
  e.texture = t;
  return e;
}

Entry Storage(uint32_t binding, TF format, wit::GpuStorageTextureAccess access = wit::GpuStorageTextureAccess::WriteOnly,
              uint32_t stages = Stage::Compute) {
  Entry e = Empty(binding, stages);
  wit::GpuStorageTextureBindingLayout t;
  t.format = format;
  t.access = access;
  e.storage_texture = t;
  return e;
}

Entry Sampler(uint32_t binding, wit::GpuSamplerBindingType type) {
  Entry e = Empty(binding);
  e.sampler = wit::GpuSamplerBindingLayout{type};
  return e;
}

TEST(BindGroupLayout, RefusesBadEntries) {
  TestGuest g;
  EXPECT_EQ(LayoutRefusal(g, {}), "");
  EXPECT_EQ(LayoutRefusal(g, {g.BufferEntry(3, Type::Uniform), g.BufferEntry(1, Type::Storage)}), "");
  EXPECT_EQ(LayoutRefusal(g, {g.BufferEntry(1, Type::Uniform), g.BufferEntry(1, Type::Storage)}), "binding 1 is there twice");
  EXPECT_EQ(LayoutRefusal(g, {Empty(0)}), "binding 0: exactly one of buffer, sampler, texture and storage-texture must be given, not 0");
  Entry both = g.BufferEntry(0, Type::Uniform);
  both.sampler = wit::GpuSamplerBindingLayout{};
  EXPECT_EQ(LayoutRefusal(g, {both}), "binding 0: exactly one of buffer, sampler, texture and storage-texture must be given, not 2");
  EXPECT_NE(LayoutRefusal(g, {g.BufferEntry(0xFFFFFFFF, Type::Uniform)}).find("maxBindingsPerBindGroup"), std::string::npos);
  EXPECT_EQ(LayoutRefusal(g, {g.BufferEntry(0, Type::Storage, false, Stage::Vertex)}),
            "binding 0: a vertex shader cannot see a writable storage buffer");
  EXPECT_EQ(LayoutRefusal(g, {g.BufferEntry(0, Type::Uniform, false, 8)}), "binding 0: the visibility has bits that are no shader stage");
  EXPECT_EQ(LayoutRefusal(g, {g.BufferEntry(0, Type::Uniform, false, 0)}), "");
  EXPECT_EQ(LayoutRefusal(g, {Texture(0, wit::GpuTextureSampleType::Float, true)}),
            "binding 0: a multisampled texture cannot have sample type float; unfilterable-float can");
  EXPECT_EQ(LayoutRefusal(g, {Texture(0, wit::GpuTextureSampleType::UnfilterableFloat, true, wit::GpuTextureViewDimension::D3)}),
            "binding 0: a multisampled texture has view dimension d2");
  EXPECT_EQ(LayoutRefusal(g, {Storage(0, TF::Rgba8unormSrgb)}), "binding 0: format rgba8unorm-srgb cannot be a write-only storage texture");
  EXPECT_EQ(LayoutRefusal(g, {Storage(0, TF::Rgba8unorm, wit::GpuStorageTextureAccess::ReadWrite)}),
            "binding 0: format rgba8unorm cannot be a read-write storage texture");
  EXPECT_EQ(LayoutRefusal(g, {Storage(0, TF::R32float, wit::GpuStorageTextureAccess::ReadWrite)}), "");
  EXPECT_EQ(LayoutRefusal(g, {Storage(0, TF::R32float, wit::GpuStorageTextureAccess::WriteOnly, Stage::Vertex)}),
            "binding 0: a vertex shader cannot see a writable storage texture");
}

TEST(BindGroupLayout, CountsBindingsAgainstTheLimits) {
  TestGuest g(GpuMode::Exec);
  std::vector<Entry> nine;
  for (uint32_t i = 0; i < 9; ++i) nine.push_back(g.BufferEntry(i, Type::Storage));
  EXPECT_EQ(LayoutRefusal(g, nine), "9 bindings are more than the limit maxStorageBuffersPerShaderStage 8");
  std::vector<Entry> dynamic;
  for (uint32_t i = 0; i < 5; ++i) dynamic.push_back(g.BufferEntry(i, Type::ReadOnlyStorage, true));
  EXPECT_EQ(LayoutRefusal(g, dynamic), "5 bindings are more than the limit maxDynamicStorageBuffersPerPipelineLayout 4");
}

TEST(PipelineLayout, TakesHolesAndCountsGroups) {
  TestGuest g;
  const Rep layout = g.Layout({g.BufferEntry(0, Type::Storage)});
  const std::vector<Opt<Rep>> holes = {Opt<Rep>(), Opt<Rep>(layout)};
  wit::GpuPipelineLayoutDescriptor d;
  d.bind_group_layouts = List<Opt<Rep>>(std::span(holes));
  g.Take(g.gpu->OnGpuDeviceCreatePipelineLayout(g.device, d));
  EXPECT_EQ(g.Errors(), "");
  g.PipelineLayout(std::vector<Rep>(20, layout));
  EXPECT_NE(g.Errors().find("20 bind group layouts are more than the limit maxBindGroups"), std::string::npos);
  d = {};
  d.immediate_size = 6u;
  g.Take(g.gpu->OnGpuDeviceCreatePipelineLayout(g.device, d));
  EXPECT_NE(g.Errors().find("immediate size 6"), std::string::npos);
  const Rep bad = g.Layout({Empty(0)});
  g.Errors();
  g.PipelineLayout({bad});
  EXPECT_NE(g.Errors().find("is invalid"), std::string::npos);
}

struct Bound {
  TestGuest& g;
  std::string operator()(Rep layout, const std::vector<wit::GpuBindGroupEntry>& entries) {
    g.Group(layout, entries);
    return Said(g, "creating gpu-bind-group 'g': ");
  }
};

TEST(BindGroup, ChecksBuffers) {
  TestGuest g;
  Bound refusal{g};
  const Rep uniform = g.Layout({g.BufferEntry(0, Type::Uniform)});
  const Rep storage = g.Layout({g.BufferEntry(0, Type::Storage)});
  Entry with_min = g.BufferEntry(0, Type::Uniform);
  with_min.buffer.value.min_binding_size = uint64_t{32};
  const Rep at_least = g.Layout({with_min});
  const Rep u = g.Buffer(1024, BU::Uniform, "u"), s = g.Buffer(1022, BU::Storage, "s"), big = g.Buffer(1 << 20, BU::Uniform, "big");
  EXPECT_EQ(refusal(uniform, {g.BindBuffer(0, u)}), "");
  EXPECT_EQ(refusal(uniform, {g.BindBuffer(0, u, uint64_t{256}, uint64_t{16})}), "");
  EXPECT_EQ(refusal(uniform, {}), "0 entries were given, but the layout has 1");
  EXPECT_EQ(refusal(uniform, {g.BindBuffer(7, u)}), "binding 7: the layout has no such binding");
  EXPECT_EQ(refusal(uniform, {g.BindBuffer(0, s)}), "binding 0: gpu-buffer 's' has no usage uniform");
  EXPECT_EQ(refusal(storage, {g.BindBuffer(0, u)}), "binding 0: gpu-buffer 'u' has no usage storage");
  EXPECT_NE(refusal(uniform, {g.BindBuffer(0, u, uint64_t{4}, uint64_t{16})}).find("offset 4 is not a multiple of"), std::string::npos);
  EXPECT_EQ(refusal(uniform, {g.BindBuffer(0, u, uint64_t{1024}, uint64_t{4})}),
            "binding 0: the range 1024 + 4 lies outside of gpu-buffer 'u' with 1024 bytes");
  EXPECT_EQ(refusal(uniform, {g.BindBuffer(0, u, uint64_t{256}, ~uint64_t{0})}),
            "binding 0: the range 256 + 18446744073709551615 lies outside of gpu-buffer 'u' with 1024 bytes");
  EXPECT_EQ(refusal(uniform, {g.BindBuffer(0, u, uint64_t{1024})}), "binding 0: the range of gpu-buffer 'u' is empty");
  EXPECT_EQ(refusal(uniform, {g.BindBuffer(0, u, {}, uint64_t{0})}), "binding 0: the range of gpu-buffer 'u' is empty");
  EXPECT_EQ(refusal(storage, {g.BindBuffer(0, s)}), "binding 0: a storage binding has a size that is a multiple of 4, not 1022");
  EXPECT_EQ(refusal(at_least, {g.BindBuffer(0, u, {}, uint64_t{16})}),
            "binding 0: 16 bytes are less than the layout's min-binding-size 32");
  EXPECT_NE(refusal(uniform, {g.BindBuffer(0, big)}).find("maxUniformBufferBindingSize"), std::string::npos);
  const Rep two = g.Layout({g.BufferEntry(0, Type::Uniform), g.BufferEntry(1, Type::Uniform)});
  EXPECT_EQ(refusal(two, {g.BindBuffer(0, u), g.BindBuffer(0, u)}), "binding 0: it was given twice");
  EXPECT_EQ(refusal(uniform, {g.BindView(0, g.View(g.Texture(TF::Rgba8unorm, 4, 4, TU::TextureBinding)))}),
            "binding 0: the layout wants a buffer, a texture was given");
}

TEST(BindGroup, TakesWholeBuffersAndTexturesByName) {
  TestGuest g;
  wit::GpuBindGroupEntry buffer, texture;
  buffer.binding = 0;
  buffer.resource.tag = wit::GpuBindingResource::Tag::GpuBuffer;
  buffer.resource.gpu_buffer = g.Buffer(64, BU::Uniform);
  texture.binding = 1;
  texture.resource.tag = wit::GpuBindingResource::Tag::GpuTexture;
  texture.resource.gpu_texture = g.Texture(TF::Rgba8unorm, 4, 4, TU::TextureBinding);
  const Rep layout = g.Layout({g.BufferEntry(0, Type::Uniform), Texture(1, wit::GpuTextureSampleType::Float)});
  const Rep group = g.Group(layout, {texture, buffer});
  EXPECT_EQ(g.Errors(), "");
  EXPECT_EQ((*g.gpu->Get<VBindGroup>(group))->reach().items().size(), 2u);
}

TEST(BindGroup, ChecksTexturesAndSamplers) {
  using Sample = wit::GpuTextureSampleType;
  TestGuest g;
  Bound refusal{g};
  auto view = [&](TF format, uint32_t usage = TU::TextureBinding, uint32_t samples = 1, uint32_t mips = 1) {
    return g.View(g.Texture(format, 4, 4, usage, samples, mips));
  };
  const Rep filterable = g.Layout({Texture(0, Sample::Float)}), any = g.Layout({Texture(0, Sample::UnfilterableFloat)});
  const Rep uints = g.Layout({Texture(0, Sample::Uint)}), depth = g.Layout({Texture(0, Sample::Depth)});
  EXPECT_EQ(refusal(filterable, {g.BindView(0, view(TF::Rgba8unorm))}), "");
  EXPECT_EQ(refusal(any, {g.BindView(0, view(TF::Rgba32float))}), "");
  EXPECT_EQ(refusal(uints, {g.BindView(0, view(TF::R32uint))}), "");
  EXPECT_EQ(refusal(depth, {g.BindView(0, view(TF::Depth32float))}), "");
  EXPECT_EQ(refusal(any, {g.BindView(0, view(TF::Depth32float))}), "");
  EXPECT_EQ(refusal(filterable, {g.BindView(0, view(TF::R32uint))}),
            "binding 0: format r32uint of gpu-texture 't' cannot be sampled as float");
  EXPECT_EQ(refusal(filterable, {g.BindView(0, view(TF::Rgba8unorm, TU::CopyDst | TU::StorageBinding))}),
            "binding 0: the view of gpu-texture 't' has no usage texture-binding");
  EXPECT_EQ(refusal(any, {g.BindView(0, view(TF::Rgba8unorm, TU::TextureBinding | TU::RenderAttachment, 4))}),
            "binding 0: gpu-texture 't' is multisampled, but the layout wants it not to be");
  EXPECT_EQ(refusal(depth, {g.BindView(0, view(TF::Depth24plusStencil8))}),
            "binding 0: the view of gpu-texture 't' has a depth and a stencil aspect; only one can be sampled");
  wit::GpuTextureViewDescriptor stencil;
  stencil.aspect = wit::GpuTextureAspect::StencilOnly;
  EXPECT_EQ(refusal(uints, {g.BindView(0, g.View(g.Texture(TF::Depth24plusStencil8, 4, 4, TU::TextureBinding), stencil))}), "");
  const Rep out = g.Layout({Storage(0, TF::Rgba8unorm)});
  EXPECT_EQ(refusal(out, {g.BindView(0, view(TF::Rgba8unorm, TU::StorageBinding))}), "");
  EXPECT_EQ(refusal(out, {g.BindView(0, view(TF::Rgba8unorm, TU::StorageBinding, 1, 2))}),
            "binding 0: a storage texture view has one mip level, that of gpu-texture 't' has 2");
  EXPECT_EQ(refusal(out, {g.BindView(0, view(TF::Rgba16float, TU::StorageBinding))}),
            "binding 0: the view of gpu-texture 't' has format rgba16float, but the layout wants rgba8unorm");
  const Rep array = g.Layout({Texture(0, Sample::Float, false, wit::GpuTextureViewDimension::D2Array)});
  EXPECT_EQ(refusal(array, {g.BindView(0, view(TF::Rgba8unorm))}),
            "binding 0: the view of gpu-texture 't' is d2, but the layout wants d2-array");

  auto sampler = [&](bool linear, bool compare) {
    wit::GpuSamplerDescriptor d;
    if (linear) d.min_filter = wit::GpuFilterMode::Linear;
    if (compare) d.compare = wit::GpuCompareFunction::Less;
    wit::GpuBindGroupEntry e;
    e.resource.tag = wit::GpuBindingResource::Tag::GpuSampler;
    e.resource.gpu_sampler = g.Take(g.gpu->OnGpuDeviceCreateSampler(g.device, d));
    return std::vector<wit::GpuBindGroupEntry>{e};
  };
  const Rep filtering = g.Layout({Sampler(0, wit::GpuSamplerBindingType::Filtering)});
  const Rep non = g.Layout({Sampler(0, wit::GpuSamplerBindingType::NonFiltering)});
  const Rep comparison = g.Layout({Sampler(0, wit::GpuSamplerBindingType::Comparison)});
  EXPECT_EQ(refusal(filtering, sampler(true, false)), "");
  EXPECT_EQ(refusal(filtering, sampler(false, false)), "");
  EXPECT_EQ(refusal(non, sampler(true, false)), "binding 0: gpu-sampler without a label filters, but the layout wants a non-filtering one");
  EXPECT_EQ(refusal(comparison, sampler(false, false)),
            "binding 0: gpu-sampler without a label has no compare function, but the layout wants a comparison sampler");
  EXPECT_EQ(refusal(comparison, sampler(false, true)), "");
  EXPECT_EQ(refusal(filtering, sampler(false, true)),
            "binding 0: gpu-sampler without a label is a comparison sampler, but the layout wants a filtering one");
}

TEST(BindGroup, OfADestroyedBufferIsMadeAndItsUseRefused) {
  TestGuest g;
  const Rep layout = g.Layout({g.BufferEntry(0, Type::Storage)});
  const Rep b = g.Buffer(64, BU::Storage, "gone");
  g.Ok(g.gpu->OnGpuBufferDestroy(b));
  const Rep group = g.Group(layout, {g.BindBuffer(0, b)});
  EXPECT_EQ(g.Errors(), "");
  EXPECT_EQ((*g.gpu->Get<VBindGroup>(group))->reach().SubmitRefusal(), "gpu-buffer 'gone' was destroyed");
}

TEST(BindGroup, OfAnAutoLayoutIsCheckedByTheLibraryWithoutHarm) {
  TestGuest g;
  Bound refusal{g};
  const Rep layout = g.Take(g.gpu->OnGpuComputePipelineGetBindGroupLayout(g.Compute(kAddOne), 0));
  const Rep s = g.Buffer(64, BU::Storage);
  EXPECT_EQ(refusal(layout, {g.BindBuffer(0, s)}), "");
  EXPECT_NE(refusal(layout, {}), "");
  EXPECT_NE(refusal(layout, {g.BindBuffer(0, s), g.BindBuffer(1, s)}), "");
  EXPECT_NE(refusal(layout, {g.BindBuffer(5, s)}), "");
  EXPECT_NE(refusal(layout, {g.BindBuffer(0, g.Buffer(64, BU::Uniform))}), "");
  EXPECT_NE(refusal(layout, {g.BindBuffer(0, s, uint64_t{3})}), "");
  EXPECT_NE(refusal(layout, {g.BindBuffer(0, s, {}, uint64_t{0})}), "");
  EXPECT_NE(refusal(layout, {g.BindView(0, g.View(g.Texture(TF::Rgba8unorm, 4, 4, TU::TextureBinding)))}), "");
}

// WebGPU 8.1 sets no bound to min-binding-size; no buffer is long enough then.
TEST(BindGroupLayouts, TakeTheGreatestMinBindingSize) {
  TestGuest g;
  auto entry = TestGuest::BufferEntry(0, wit::GpuBufferBindingType::Storage);
  entry.buffer.value.min_binding_size = UINT64_MAX;
  const Rep layout = g.Layout({entry});
  EXPECT_EQ(g.Errors(), "");
  g.Group(layout, {TestGuest::BindBuffer(0, g.Buffer(64, BU::Storage))});
  EXPECT_NE(g.Errors().find("less than the layout's min-binding-size"), std::string::npos);
}

}  // namespace
}  // namespace weft::host
