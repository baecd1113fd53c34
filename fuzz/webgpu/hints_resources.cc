// SPDX-License-Identifier: Apache-2.0
// Hints for buffers, textures, views, samplers, the queue, and copies.
#include <algorithm>

#include "generate.h"
#include "hints.h"
#include "host/webgpu/encoder_copy_rules.h"

namespace weft::fuzz {

namespace c = calls;

bool Hint(Guest& g, c::GpuDeviceCreateBufferCall::Args& a) {
  a.self = g.device;
  return Needs(g).RandomBufferDescriptor(a.descriptor);
}

bool Hint(Guest& g, c::GpuDeviceCreateTextureCall::Args& a) {
  a.self = g.device;
  return Needs(g).RandomTextureDescriptor(a.descriptor);
}

bool Hint(Guest& g, c::GpuDeviceCreateSamplerCall::Args& a) {
  Random& r = g.random;
  a.self = g.device;
  wit::GpuSamplerDescriptor d;
  Generator make(g, true);
  make.Field(shape::Plain(), "", d);
  d.lod_min_clamp = r.Chance(50) ? Opt<float>(0.5f) : Opt<float>();
  d.lod_max_clamp = r.Chance(50) ? Opt<float>(8.f) : Opt<float>();
  d.max_anisotropy = {};
  if (r.Chance(20)) {
    d.mag_filter = d.min_filter = wit::GpuFilterMode::Linear;
    d.mipmap_filter = wit::GpuMipmapFilterMode::Linear;
    d.max_anisotropy = static_cast<uint16_t>(r.Between(1, 16));
  }
  a.descriptor = d;
  return true;
}

bool Hint(Guest& g, c::GpuTextureCreateViewCall::Args& a) {
  Needs n(g);
  Random& r = g.random;
  a.self = n.FindUsable<host::VTexture>(Resource::GpuTexture, [](Rep, host::VTexture&) { return true; });
  if (!a.self) a.self = n.Texture({.usage = TU::TextureBinding});
  const auto t = n.UsableObject<host::VTexture>(a.self);
  if (!t) return false;
  if (r.Chance(40)) return true;
  const auto& i = t->info();
  wit::GpuTextureViewDescriptor d;
  const auto f = host::Abilities(i.format, n.device()->features());
  if (r.Chance(40)) d.format = i.format;
  d.base_mip_level = static_cast<uint32_t>(r.Below(i.mips));
  d.mip_level_count = static_cast<uint32_t>(r.Between(1, i.mips - *d.base_mip_level));
  if (i.dimension == wit::GpuTextureDimension::D2) {
    d.base_array_layer = static_cast<uint32_t>(r.Below(t->layers()));
    d.array_layer_count = static_cast<uint32_t>(r.Between(1, t->layers() - *d.base_array_layer));
    d.dimension = *d.array_layer_count == 1 && r.Chance(70) ? wit::GpuTextureViewDimension::D2 : wit::GpuTextureViewDimension::D2Array;
    if (i.samples > 1) d.dimension = wit::GpuTextureViewDimension::D2;
    if (*d.array_layer_count == 6 && i.width == i.height && r.Chance(50)) {
      d.dimension = r.OneOf({wit::GpuTextureViewDimension::Cube, wit::GpuTextureViewDimension::CubeArray});
    }
  }
  if (f.has_depth() && f.has_stencil() && r.Chance(50)) {
    d.aspect = r.OneOf({wit::GpuTextureAspect::DepthOnly, wit::GpuTextureAspect::StencilOnly});
    d.format = {};
  }
  if (r.Chance(30)) {
    const uint32_t part = i.usage & static_cast<uint32_t>(r.Next());
    if (part) d.usage = wit::GpuTextureUsage{part};
  }
  d.label = n.Label();
  a.descriptor = d;
  return true;
}

namespace {

template <class T>
Rep Idle(Guest& g, Resource kind) {
  Needs n(g);
  return g.Find(kind, [&](Rep rep) {
    const auto o = g.Object<T>(rep);
    return o && o->valid() && !n.InUse(o.get());
  });
}

// A 2D texture of a plain colour format, one level of which can be copied in part.
Rep CopyTexture(Guest& g, uint32_t usage, const host::VTexture* like, Rep not_this = 0) {
  Needs n(g);
  const Rep found = n.FindUsable<host::VTexture>(Resource::GpuTexture, [&](Rep rep, host::VTexture& t) {
    const auto& i = t.info();
    const auto f = host::Abilities(i.format, n.device()->features());
    return rep != not_this && f.color() && i.samples == 1 && (i.usage & usage) == usage && (!like || i.format == like->info().format) &&
           &t != like;
  });
  if (found && g.random.Chance(80)) return found;
  Needs::TextureSpec s;
  s.usage = usage;
  if (like) {
    s.format = like->info().format;
    s.dimension = wit::GpuTextureDimension::D2;
    s.width = s.height = kSide;
    const auto* f = gpu::FindFormat(host::InfoOf(s.format).format);
    s.width = f->block_width * 4u;
    s.height = f->block_height * 4u;
  } else {
    s.format = g.random.OneOf({TF::Rgba8unorm, TF::R32float, TF::Rgba16float});
  }
  return n.Texture(s, like ? std::vector<const host::VTexture*>{like} : std::vector<const host::VTexture*>{});
}

struct Region {
  wit::GpuExtent3D size;
  uint32_t rows = 1;
};

// Whole blocks that lie in both.
Region CommonRegion(Guest& g, const host::VTexture& one, const host::VTexture* other) {
  const auto& f = host::InfoOf(one.info().format);
  auto blocks = [&](uint32_t texels, uint32_t block) { return std::max(1u, texels / block); };
  uint32_t w = blocks(one.info().width, f.block_width), h = blocks(one.info().height, f.block_height);
  if (other) {
    w = std::min(w, blocks(other->info().width, f.block_width));
    h = std::min(h, blocks(other->info().height, f.block_height));
  }
  w = static_cast<uint32_t>(g.random.Between(1, std::min(w, 4u)));
  h = static_cast<uint32_t>(g.random.Between(1, std::min(h, 4u)));
  return {{w * f.block_width, Opt<uint32_t>(h * f.block_height), {}}, h};
}

}  // namespace

bool Hint(Guest& g, c::GpuTextureDestroyCall::Args& a) { return (a.self = Idle<host::VTexture>(g, Resource::GpuTexture)) != 0; }
bool Hint(Guest& g, c::GpuBufferDestroyCall::Args& a) { return (a.self = Idle<host::VBuffer>(g, Resource::GpuBuffer)) != 0; }
bool Hint(Guest& g, c::GpuQuerySetDestroyCall::Args& a) {
  if (g.live(Resource::GpuQuerySet).empty()) Needs(g).QuerySet(wit::GpuQueryType::Occlusion);
  return (a.self = Idle<host::VQuerySet>(g, Resource::GpuQuerySet)) != 0;
}

bool Hint(Guest& g, c::GpuBufferMapAsyncCall::Args& a) {
  Needs n(g);
  const bool read = g.random.Chance(60);
  a.self = n.Buffer(read ? BU::MapRead : BU::MapWrite, 64);
  const auto b = n.UsableObject<host::VBuffer>(a.self);
  if (!b || n.InUse(b.get())) return false;
  a.mode.bits = read ? wit::GpuMapMode::Read : wit::GpuMapMode::Write;
  if (g.random.Chance(40)) a.offset = uint64_t{8} * g.random.Below(3);
  if (g.random.Chance(40)) a.size = uint64_t{4} * g.random.Below(6);
  return true;
}

bool Hint(Guest& g, c::GpuBufferGetMappedRangeGetWithCopyCall::Args& a) {
  a.self = Needs(g).MappedBuffer(g.random.Chance(60));
  const auto b = g.Object<host::VBuffer>(a.self);
  if (!b) return false;
  a.offset = b->map_offset;
  a.size = g.random.Chance(50) ? b->map_size : uint64_t{8};
  return true;
}

bool Hint(Guest& g, c::GpuBufferGetMappedRangeSetWithCopyCall::Args& a) {
  a.self = Needs(g).MappedBuffer(g.random.Chance(20));
  const auto b = g.Object<host::VBuffer>(a.self);
  if (!b) return false;
  a.data = Generator(g, true).Bytes(g.random.OneOf<size_t>({4, 8, 16}));
  a.offset = b->map_offset;
  if (g.random.Chance(40)) a.size = a.data.size;
  return true;
}

bool Hint(Guest& g, c::GpuBufferUnmapCall::Args& a) {
  a.self = g.Find(Resource::GpuBuffer, [&](Rep rep) {
    const auto b = g.Object<host::VBuffer>(rep);
    return b && b->mapped();
  });
  if (!a.self) a.self = g.Any(Resource::GpuBuffer);
  return a.self != 0;
}

bool Hint(Guest& g, c::GpuQueueSubmitCall::Args& a) {
  Needs n(g);
  a.self = g.queue;
  std::vector<Rep> all;
  for (const Rep rep : g.live(Resource::GpuCommandBuffer)) {
    const auto b = n.UsableObject<host::VCommandBuffer>(rep);
    if (b && !b->submitted && b->native && !b->reach().SubmitRefusal() && all.size() < 3) all.push_back(rep);
  }
  if (all.empty()) {
    const Rep made = n.CommandBuffer();
    if (!made) return false;
    all.push_back(made);
  }
  a.command_buffers = g.arena.List(all);
  return true;
}

bool Hint(Guest& g, c::GpuQueueWriteBufferWithCopyCall::Args& a) {
  Needs n(g);
  a.self = g.queue;
  a.buffer = n.Buffer(BU::CopyDst, 64);
  if (!a.buffer) return false;
  a.data = Generator(g, true).Bytes(g.random.OneOf<size_t>({0, 4, 16, 64}));
  if (g.random.Chance(30) && a.data.size) a.data_offset = a.data.size / 2, a.size = a.data.size / 2 / 4 * 4;
  if (a.data.size < 64 && g.random.Chance(50)) a.buffer_offset = 4 * g.random.Below((64 - a.data.size) / 4);
  return true;
}

bool Hint(Guest& g, c::GpuQueueWriteTextureWithCopyCall::Args& a) {
  a.self = g.queue;
  const Rep t = CopyTexture(g, TU::CopyDst, nullptr);
  const auto texture = Needs(g).UsableObject<host::VTexture>(t);
  if (!texture) return false;
  const Region region = CommonRegion(g, *texture, nullptr);
  const auto& f = host::InfoOf(texture->info().format);
  const uint32_t pitch = region.size.width / f.block_width * f.block_bytes;
  a.destination.texture = t;
  a.data = Generator(g, true).Bytes((size_t{pitch} * region.rows + 3) / 4 * 4);
  a.data_layout.bytes_per_row = pitch;
  a.size = region.size;
  return true;
}

bool Hint(Guest& g, c::GpuCommandEncoderCopyBufferToBufferCall::Args& a) {
  Needs n(g);
  const uint32_t maps = BU::MapRead | BU::MapWrite;
  a.self = n.Encoder();
  a.source = n.Buffer(BU::CopySrc, 64, maps);
  a.destination = n.Buffer(BU::CopyDst, 64, g.random.Chance(20) ? BU::Indirect : BU::Indirect | maps, a.source);
  if (!a.self || !a.source || !a.destination) return false;
  if (g.random.Chance(60)) {
    a.source_offset = 4 * g.random.Below(8);
    a.destination_offset = 4 * g.random.Below(8);
    a.size = 4 * g.random.Below(8);
  } else {
    const auto from = g.Object<host::VBuffer>(a.source), to = g.Object<host::VBuffer>(a.destination);
    if (from->size() > to->size() || from->size() % 4 != 0) a.size = uint64_t{16};
  }
  return true;
}

bool Hint(Guest& g, c::GpuCommandEncoderCopyBufferToTextureCall::Args& a) {
  Needs n(g);
  a.self = n.Encoder();
  const Rep t = CopyTexture(g, TU::CopyDst, nullptr);
  const auto texture = n.UsableObject<host::VTexture>(t);
  const Rep buffer = n.Buffer(BU::CopySrc, 1024, BU::MapRead | BU::MapWrite);
  if (!a.self || !texture || !buffer) return false;
  a.source = {buffer, {}, Opt<uint32_t>(256), {}};
  a.destination.texture = t;
  a.copy_size = CommonRegion(g, *texture, nullptr).size;
  return true;
}

bool Hint(Guest& g, c::GpuCommandEncoderCopyTextureToBufferCall::Args& a) {
  Needs n(g);
  a.self = n.Encoder();
  const Rep t = CopyTexture(g, TU::CopySrc, nullptr);
  const auto texture = n.UsableObject<host::VTexture>(t);
  const Rep buffer = n.Buffer(BU::CopyDst, 1024, BU::MapWrite | BU::Indirect);
  if (!a.self || !texture || !buffer) return false;
  a.source.texture = t;
  a.destination = {buffer, {}, Opt<uint32_t>(256), {}};
  a.copy_size = CommonRegion(g, *texture, nullptr).size;
  return true;
}

bool Hint(Guest& g, c::GpuCommandEncoderCopyTextureToTextureCall::Args& a) {
  Needs n(g);
  a.self = n.Encoder();
  const Rep from = CopyTexture(g, TU::CopySrc, nullptr);
  const auto source = n.UsableObject<host::VTexture>(from);
  if (!a.self || !source) return false;
  const Rep to = CopyTexture(g, TU::CopyDst, source.get(), from);
  const auto destination = n.UsableObject<host::VTexture>(to);
  if (!destination) return false;
  a.source.texture = from;
  a.destination.texture = to;
  a.copy_size = CommonRegion(g, *source, destination.get()).size;
  return true;
}

bool Hint(Guest& g, c::GpuCommandEncoderClearBufferCall::Args& a) {
  Needs n(g);
  a.self = n.Encoder();
  a.buffer = n.Buffer(BU::CopyDst, 64, BU::MapRead | BU::MapWrite);
  if (g.random.Chance(40)) a.offset = 4 * g.random.Below(4), a.size = 4 * g.random.Below(8);
  if (!a.size) {
    const auto b = g.Object<host::VBuffer>(a.buffer);
    if (b && b->size() % 4 != 0) a.offset = uint64_t{0}, a.size = uint64_t{16};
  }
  return a.self && a.buffer;
}

bool Hint(Guest& g, c::GpuCommandEncoderResolveQuerySetCall::Args& a) {
  Needs n(g);
  a.self = n.Encoder();
  a.query_set = n.QuerySet(g.random.Chance(70) ? wit::GpuQueryType::Occlusion : wit::GpuQueryType::Timestamp);
  a.destination = n.Buffer(BU::QueryResolve, 512, BU::Indirect);
  a.query_count = static_cast<uint32_t>(g.random.Below(3));
  a.destination_offset = g.random.Chance(30) ? 256 : 0;
  return a.self && a.query_set && a.destination;
}

}  // namespace weft::fuzz
