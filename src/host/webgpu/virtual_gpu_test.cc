// SPDX-License-Identifier: Apache-2.0
// The virtual GPU as a whole: who may name what, what a frame lends, what a quota does, what is left at the end.
#include "host/webgpu/virtual_gpu.h"

#include <thread>

#include "gpu/texture_pool.h"
#include "host/webgpu/encoder_test_guest.h"
#include "host/webgpu/test_answer.h"
#include "host/webgpu/values.h"

namespace weft::host {
namespace {

// A texture of the host's, as a pool would lend it: with more usage than any guest gets.
gpu::Owned<WGPUTexture> HostTexture() {
  gpu::Device& device = *gpu::TestDevice();
  WGPUTextureDescriptor d = WGPU_TEXTURE_DESCRIPTOR_INIT;
  d.usage = TU::TextureBinding | TU::StorageBinding | TU::CopySrc | TU::CopyDst | TU::RenderAttachment;
  d.dimension = WGPUTextureDimension_2D;
  d.size = {4, 4, 1};
  d.format = WGPUTextureFormat_RGBA8Unorm;
  const WGPUTextureFormat twin = WGPUTextureFormat_RGBA8UnormSrgb;
  d.viewFormatCount = 1;
  d.viewFormats = &twin;
  return device.Own(device.procs().DeviceCreateTexture(device.handle(), &d));
}

gpu::Owned<WGPUBuffer> HostBuffer() {
  gpu::Device& device = *gpu::TestDevice();
  WGPUBufferDescriptor d = WGPU_BUFFER_DESCRIPTOR_INIT;
  d.usage = BU::Storage | BU::CopySrc | BU::CopyDst | BU::Uniform;
  d.size = 64;
  return device.Own(device.procs().DeviceCreateBuffer(device.handle(), &d));
}

TextureInfo HostInfo() {
  TextureInfo info;
  info.format = TF::Rgba8unorm;
  info.width = info.height = 4;
  info.view_formats = {TF::Rgba8unormSrgb};
  return info;
}

constexpr uint32_t kInput = TU::TextureBinding | TU::CopySrc;

wit::GpuBindGroupLayoutEntry TextureEntry(uint32_t binding) {
  wit::GpuBindGroupLayoutEntry e;
  e.binding = binding;
  e.visibility.bits = wit::GpuShaderStage::Compute;
  e.texture = wit::GpuTextureBindingLayout{};
  return e;
}

TEST(Handles, OfTheWrongKindOrDeadTrap) {
  TestGuest g;
  const Rep buffer = g.Buffer(16, BU::Storage);
  const auto wrong = g.gpu->OnGpuTextureWidth(buffer);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message(), fmt::format("handle {} was used as a gpu-texture, but it is a gpu-buffer", buffer));
  g.gpu->OnDropGpuBuffer(buffer);
  const auto dead = g.gpu->OnGpuBufferSize(buffer);
  ASSERT_FALSE(dead);
  EXPECT_EQ(dead.error().kind(), ErrorKind::GuestTrap);
  EXPECT_FALSE(g.gpu->OnGpuBufferSize(0));
  EXPECT_FALSE(g.gpu->OnGpuBufferSize(4000000000u));
  // A drop of the wrong kind takes nothing away.
  const Rep other = g.Buffer(16, BU::Storage);
  g.gpu->OnDropGpuTexture(other);
  EXPECT_TRUE(g.gpu->OnGpuBufferSize(other));
}

TEST(Handles, AreUsedAgainAndTheTableEmpties) {
  TestGuest g;
  const auto before = g.gpu->stats();
  for (int i = 0; i < 10000; ++i) {
    const Rep t = g.Texture(TF::Rgba8unorm, 4, 4, TU::TextureBinding);
    const Rep v = g.View(t);
    g.gpu->OnDropGpuTexture(t);
    g.gpu->OnDropGpuTextureView(v);
  }
  const auto after = g.gpu->stats();
  EXPECT_EQ(after.rows, before.rows);
  EXPECT_EQ(after.objects, before.objects);
  EXPECT_EQ(after.textures, 0u);
  EXPECT_EQ(after.gpu_bytes, 0u);
  EXPECT_EQ(g.gpu->objects_of(Kind::TextureView), 0u);
}

TEST(Instance, LeavesNothingBehindAtItsEnd) {
  const auto before = gpu::TestDevice()->counters().Snapshot();
  Ref<Account> account;
  {
    TestGuest g;
    account = g.gpu->account();
    const Rep t = g.Texture(TF::Rgba8unorm, 64, 64, TU::TextureBinding);
    g.View(t);
    g.Buffer(1024, BU::Storage);
    g.Compute(kAddOne);
    g.Encoder();
    const auto native = HostTexture();
    const Rep lent = g.Take(g.gpu->ImportTexture(native.get(), HostInfo(), {kInput}, 1, "in"));
    g.View(lent);
    EXPECT_GT(account->objects(), 5u);
  }
  EXPECT_TRUE(gpu::TestDevice()->WaitIdle());
  EXPECT_EQ(account->objects(), 0u);
  EXPECT_EQ(account->held(Quota::Bytes) + account->held(Quota::ShaderBytes) + account->held(Quota::MappedBytes), 0u);
  EXPECT_EQ(account->held(Quota::Buffers) + account->held(Quota::Textures) + account->held(Quota::BindGroupEntries), 0u);
  const auto after = gpu::TestDevice()->counters().Snapshot();
  EXPECT_EQ(after.textures_alive, before.textures_alive);
  EXPECT_EQ(after.buffers_alive, before.buffers_alive);
}

TEST(Reach, FindsTheOneThatCannotBeUsedAmongMany) {
  TestGuest g;
  Reach one, all;
  std::vector<Ref<VBuffer>> buffers;
  for (int i = 0; i < 100; ++i) {
    buffers.push_back(*g.gpu->Get<VBuffer>(g.Buffer(16, BU::MapRead | BU::CopyDst, std::to_string(i), i == 90)));
    one.Add(buffers.back().get());
    one.Add(buffers[i / 2].get());
  }
  all.Merge(one);
  all.Merge(one);
  EXPECT_EQ(all.items().size(), 100u);
  EXPECT_TRUE(all.Contains(buffers[99].get()));
  EXPECT_EQ(all.RecordRefusal(), std::nullopt);
  EXPECT_EQ(all.SubmitRefusal(), "gpu-buffer '90' is mapped or waits for its map; unmap it first");
  buffers[42]->End(VResource::State::Destroyed);
  EXPECT_EQ(all.RecordRefusal(), "gpu-buffer '42' was destroyed");
}

TEST(Lent, TextureAnswersItsVirtualUsageAndObeysIt) {
  TestGuest g;
  const auto native = HostTexture();
  const Rep in = g.Take(g.gpu->ImportTexture(native.get(), HostInfo(), {kInput}, 1, "in"));
  EXPECT_EQ(g.gpu->OnGpuTextureUsage(in)->bits, kInput);
  EXPECT_EQ(*g.gpu->OnGpuTextureWidth(in), 4u);
  EXPECT_EQ(*g.gpu->OnGpuTextureFormat(in), TF::Rgba8unorm);
  // A storage or attachment view of an input, though the real texture could.
  wit::GpuTextureViewDescriptor d;
  d.usage = wit::GpuTextureUsage{TU::StorageBinding};
  g.View(in, d);
  EXPECT_EQ(g.Errors(), "creating a view of gpu-texture 'in': view usage 0x8 is not a part of the texture's usage 0x5\n");
  wit::GpuBindGroupLayoutEntry e;
  e.binding = 0;
  e.visibility.bits = wit::GpuShaderStage::Compute;
  wit::GpuStorageTextureBindingLayout storage;
  storage.format = TF::Rgba8unorm;
  e.storage_texture = storage;
  const Rep layout = g.Layout({e});
  g.Group(layout, {g.BindView(0, g.View(in))});
  EXPECT_EQ(g.Errors(), "creating gpu-bind-group 'g': binding 0: the view of gpu-texture 'in' has no usage storage-binding\n");
  // The same through layout "auto": the native view's explicit usage stops it.
  const Rep pipeline = g.Compute(R"(
@group(0) @binding(0) var out: texture_storage_2d<rgba8unorm, write>;
@compute @workgroup_size(1) fn main() { textureStore(out, vec2u(0, 0), vec4f(1.0)); })");
  g.Group(g.Take(g.gpu->OnGpuComputePipelineGetBindGroupLayout(pipeline, 0)), {g.BindView(0, g.View(in))});
  EXPECT_NE(g.Errors(), "");
  // The sRGB twin may be viewed.
  wit::GpuTextureViewDescriptor twin;
  twin.format = TF::Rgba8unormSrgb;
  g.View(in, twin);
  EXPECT_EQ(g.Errors(), "");
}

TEST(Lent, WhatWasMadeFromAFrameEndsWithTheFrame) {
  TestGuest g;
  const auto native = HostTexture();
  const Rep in = g.Take(g.gpu->ImportTexture(native.get(), HostInfo(), {kInput}, 7, "in"));
  const Rep layout = g.Layout({TextureEntry(0)});
  const Rep view = g.View(in);
  const Rep group = g.Group(layout, {g.BindView(0, view)});
  EXPECT_EQ(g.Errors(), "");
  EXPECT_EQ(g.gpu->stats().frame_objects, 2u);
  g.gpu->RevokeFrame(7);
  EXPECT_EQ(g.gpu->stats().frame_objects, 0u);
  EXPECT_EQ(g.gpu->stats().frames, 0u);
  EXPECT_FALSE((*g.gpu->Get<VTextureView>(view))->native);
  EXPECT_FALSE((*g.gpu->Get<VBindGroup>(group))->native);
  EXPECT_FALSE((*g.gpu->Get<VTexture>(in))->native);

  // Kept into the next frame: every use is refused, and nothing reaches the library.
  g.View(in);
  g.Group(layout, {g.BindView(0, view)});
  const Rep e = g.Encoder();
  const Rep pass = g.BeginCompute(e);
  EXPECT_TRUE(g.gpu->OnGpuComputePassEncoderSetBindGroup(pass, 0, group, {}, {}, {}));
  g.Ok(g.gpu->OnGpuComputePassEncoderEnd(pass));
  g.FinishAndSubmit(e);
  const std::string said = g.Errors();
  EXPECT_NE(said.find("gpu-texture 'in'"), std::string::npos) << said;
  EXPECT_NE(said.find("frame"), std::string::npos) << said;
  // Another frame is not touched by the end of this one.
  const Rep next = g.Take(g.gpu->ImportTexture(native.get(), HostInfo(), {kInput}, 8, "next"));
  g.gpu->RevokeFrame(7);
  g.View(next);
  EXPECT_EQ(g.Errors(), "");
}

TEST(Lent, DestroyEndsOnlyTheGuestsUse) {
  TestGuest g;
  const auto native = HostTexture();
  const Rep in = g.Take(g.gpu->ImportTexture(native.get(), HostInfo(), {kInput}, 1, "in"));
  g.Ok(g.gpu->OnGpuTextureDestroy(in));
  // The host's texture lives: another guest may have it, and the host reads it.
  TestGuest other;
  const Rep theirs = other.Take(other.gpu->ImportTexture(native.get(), HostInfo(), {kInput}, 1, "in"));
  EXPECT_EQ(other.Pixels(theirs).size(), 64u);
  EXPECT_EQ(other.Errors(), "");
}

TEST(Lent, BufferForReadingIsNotBoundForWriting) {
  TestGuest g;
  const auto native = HostBuffer();
  const Rep b = g.Take(g.gpu->ImportBuffer(native.get(), 64, {BU::Storage | BU::CopySrc | BU::CopyDst | BU::MapRead, false}, 1, "data"));
  EXPECT_EQ(g.gpu->OnGpuBufferUsage(b)->bits, BU::Storage | BU::CopySrc);
  g.Write(b, {1});
  EXPECT_EQ(g.Errors(), "write-buffer: gpu-buffer 'data' has no usage copy-dst\n");
  const Rep rw = g.Layout({g.BufferEntry(0, wit::GpuBufferBindingType::Storage)});
  const Rep ro = g.Layout({g.BufferEntry(0, wit::GpuBufferBindingType::ReadOnlyStorage)});
  g.Group(ro, {g.BindBuffer(0, b)});
  EXPECT_EQ(g.Errors(), "");
  g.Group(rw, {g.BindBuffer(0, b)});
  EXPECT_EQ(g.Errors(),
            "creating gpu-bind-group 'g': binding 0: gpu-buffer 'data' is lent for reading: it may be bound as read-only-storage, not as "
            "storage\n");
  // Layout "auto": known from the shader's text.
  const Rep writes = g.Compute(kAddOne);
  g.Group(g.Take(g.gpu->OnGpuComputePipelineGetBindGroupLayout(writes, 0)), {g.BindBuffer(0, b)});
  EXPECT_NE(g.Errors().find("is lent for reading"), std::string::npos);
  const Rep reads = g.Compute(R"(
@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1) fn main() { out[0] = data[0]; })");
  g.Group(g.Take(g.gpu->OnGpuComputePipelineGetBindGroupLayout(reads, 0)),
          {g.BindBuffer(0, b), g.BindBuffer(1, g.Buffer(16, BU::Storage))});
  EXPECT_EQ(g.Errors(), "");
}

TEST(Errors, OfTwoThreadsReachTheirOwnInstance) {
  auto run = [](uint64_t size, int turns, std::string* wrong) {
    TestGuest g;
    const std::string own = fmt::format("creating gpu-texture '{}': ", size);
    for (int i = 0; i < turns; ++i) {
      // One that only we refuse, one that the library's compiler refuses.
      g.Texture(TF::Rgba8unorm, 0, 1, TU::TextureBinding, 1, 1, 1, wit::GpuTextureDimension::D2, std::to_string(size));
      wit::GpuShaderModuleDescriptor d;
      const std::string code = fmt::format("fn f() {{ let x{} = ; }}", size);
      const std::string label = std::to_string(size);
      d.code = Str(code);
      d.label = Str(label);
      g.Take(g.gpu->OnGpuDeviceCreateShaderModule(g.device, d));
      const auto errors = g.gpu->TakeUncapturedErrors();
      if (errors.size() != 2) *wrong += fmt::format("{} errors; ", errors.size());
      for (const auto& e : errors) {
        if (e.message.find(fmt::format("'{}'", size)) == std::string::npos) *wrong += e.message;
      }
    }
  };
  gpu::TestDevice();
  std::string first, second;
  std::thread a(run, 111, 50, &first), b(run, 222, 50, &second);
  a.join();
  b.join();
  EXPECT_EQ(first, "");
  EXPECT_EQ(second, "");
}

}  // namespace
}  // namespace weft::host
