// SPDX-License-Identifier: Apache-2.0
// Needs: buffers, textures, views, samplers, query sets, layouts and bind groups.
#include <algorithm>
#include <bit>

#include "needs.h"

namespace weft::fuzz {

using host::BindingLayout;
using Dim = wit::GpuTextureDimension;
using ViewDim = wit::GpuTextureViewDimension;

const host::VDevice* Needs::device() const {
  // The virtual GPU holds all devices to its end.
  return g_.Object<host::VDevice>(g_.device).get();
}

bool Needs::Usable(const host::VObject* object) const {
  const host::VDevice* d = device();
  return object && d && object->valid() && object->device() == d && !d->lost();
}

bool Needs::InUse(const host::VResource* resource) const {
  for (const Rep rep : g_.live(Resource::GpuCommandEncoder)) {
    const auto e = g_.Object<host::VCommandEncoder>(rep);
    if (e && !e->failed() && e->reach().Contains(resource)) return true;
  }
  for (const Rep rep : g_.live(Resource::GpuCommandBuffer)) {
    const auto b = g_.Object<host::VCommandBuffer>(rep);
    if (b && b->valid() && !b->submitted && b->reach().Contains(resource)) return true;
  }
  return false;
}

Opt<Str> Needs::Label() { return r_.Chance(30) ? Opt<Str>(g_.arena.Text(r_.OneOf<const char*>({"a", "thing", "frame 1"}))) : Opt<Str>(); }

bool Needs::RandomBufferDescriptor(wit::GpuBufferDescriptor& d) {
  d.label = Label();
  d.size = r_.OneOf<uint64_t>({4, 16, 64, 256, 512, 1024, 4096, 65536});
  switch (r_.Below(6)) {
    case 0: d.usage.bits = BU::MapRead | (r_.Chance(80) ? BU::CopyDst : 0); break;
    case 1: d.usage.bits = BU::MapWrite | (r_.Chance(80) ? BU::CopySrc : 0); break;
    default: {
      // Any but the two for maps.
      d.usage.bits = static_cast<uint32_t>(r_.Below(256) << 2);
      if (d.usage.bits == 0) d.usage.bits = BU::CopyDst;
    }
  }
  if (r_.Chance(20)) d.mapped_at_creation = r_.Chance(80);
  return true;
}

Rep Needs::Buffer(uint32_t usage, uint64_t size, uint32_t forbidden, Rep not_this) {
  if (r_.Chance(75)) {
    const Rep found = FindUsable<host::VBuffer>(Resource::GpuBuffer, [&](Rep rep, host::VBuffer& b) {
      return rep != not_this && (b.usage() & usage) == usage && !(b.usage() & forbidden) && b.size() >= size && !b.mapped() && b.writable();
    });
    if (found) return found;
  }
  calls::GpuDeviceCreateBufferCall::Args a{g_.device, {}};
  uint32_t more = static_cast<uint32_t>(r_.Next()) & (BU::CopySrc | BU::CopyDst | BU::Vertex | BU::Index | BU::Uniform);
  if (usage & (BU::MapRead | BU::MapWrite)) more = usage & BU::MapRead ? BU::CopyDst : BU::CopySrc;
  a.descriptor.size = std::max<uint64_t>(size, r_.OneOf<uint64_t>({64, 256, 1024}));
  a.descriptor.usage.bits = (usage | more) & ~forbidden;
  a.descriptor.label = Label();
  return g_.Make<calls::GpuDeviceCreateBufferCall>(a);
}

Rep Needs::TameBuffer() {
  const Rep found = FindUsable<host::VBuffer>(Resource::GpuBuffer, [&](Rep rep, host::VBuffer& b) {
    return (b.usage() & BU::Indirect) && b.size() >= 32 && !b.mapped() && !b.imported() && !g_.untame.contains(rep);
  });
  if (found && r_.Chance(80)) return found;
  calls::GpuDeviceCreateBufferCall::Args a{g_.device, {}};
  a.descriptor.size = 64;
  a.descriptor.usage.bits = BU::Indirect | BU::CopyDst;
  return g_.Make<calls::GpuDeviceCreateBufferCall>(a);
}

Rep Needs::MappedBuffer(bool for_reading) {
  const uint32_t mode = for_reading ? wit::GpuMapMode::Read : wit::GpuMapMode::Write;
  g_.AwaitAnswers();
  const Rep found = FindUsable<host::VBuffer>(Resource::GpuBuffer, [&](Rep, host::VBuffer& b) {
    return b.map_state == wit::GpuBufferMapState::Mapped && b.map_mode == mode && b.map_size >= 16;
  });
  if (found) return found;
  if (!for_reading || r_.Chance(30)) {
    calls::GpuDeviceCreateBufferCall::Args a{g_.device, {}};
    a.descriptor.size = 64;
    a.descriptor.usage.bits = r_.OneOf<uint32_t>({BU::MapWrite | BU::CopySrc, BU::Vertex | BU::CopyDst, BU::Storage, BU::Uniform});
    a.descriptor.mapped_at_creation = true;
    return g_.Make<calls::GpuDeviceCreateBufferCall>(a);
  }
  const Rep buffer = Buffer(for_reading ? BU::MapRead : BU::MapWrite, 64);
  auto b = UsableObject<host::VBuffer>(buffer);
  if (!b || InUse(b.get())) return 0;
  calls::GpuBufferMapAsyncCall::Args a{buffer, {mode}, {}, {}};
  g_.Do<calls::GpuBufferMapAsyncCall>(a);
  g_.AwaitAnswers();
  return b->map_state == wit::GpuBufferMapState::Mapped ? buffer : 0;
}

bool Needs::RandomTextureDescriptor(wit::GpuTextureDescriptor& d) {
  const auto& features = device()->features();
  const TF format = r_.Chance(40) ? r_.OneOf({TF::Rgba8unorm, TF::Rgba16float, TF::R32float, TF::Bgra8unorm})
                                  : static_cast<TF>(r_.Below(wit::kGpuTextureFormatCount));
  const auto f = host::Abilities(format, features);
  if (!f.supported) return false;
  d.format = format;
  d.label = Label();
  Dim dim = r_.Chance(80) ? Dim::D2 : r_.OneOf({Dim::D1, Dim::D3});
  if (f.compressed() || f.depth_or_stencil()) dim = Dim::D2;
  const uint32_t bw = f.info->block_width, bh = f.info->block_height;
  const uint32_t w = bw * static_cast<uint32_t>(r_.OneOf<uint64_t>({1, 4, kSide, kSide, 33}));
  const uint32_t h = dim == Dim::D1 ? 1 : bh * static_cast<uint32_t>(r_.OneOf<uint64_t>({1, 4, kSide, kSide, 9}));
  d.size.width = w;
  if (h != 1 || r_.Chance(50)) d.size.height = h;
  uint32_t layers = dim == Dim::D1 ? 1 : static_cast<uint32_t>(r_.OneOf<uint64_t>({1, 1, 1, 2, 6, 7}));
  if (dim != Dim::D2 || r_.Chance(30)) d.dimension = dim;
  uint32_t usage = static_cast<uint32_t>(r_.Below(32));
  if (!f.renderable || dim == Dim::D1 || (dim == Dim::D3 && !f.color())) usage &= ~TU::RenderAttachment;
  if (!f.storage()) usage &= ~TU::StorageBinding;
  if (usage == 0) usage = TU::TextureBinding;
  if (dim == Dim::D2 && f.multisample && f.renderable && r_.Chance(10)) {
    d.sample_count = 4u;
    layers = 1;
    usage = (usage & ~TU::StorageBinding) | TU::RenderAttachment;
  } else if (dim != Dim::D1 && r_.Chance(30)) {
    d.mip_level_count = static_cast<uint32_t>(r_.Between(1, std::bit_width(std::max(w, h))));
  }
  if (layers != 1) d.size.depth_or_array_layers = layers;
  d.usage.bits = usage;
  if (r_.Chance(20)) d.view_formats = g_.arena.List(std::vector<TF>{format});
  return true;
}

Rep Needs::Texture(const TextureSpec& s, const std::vector<const host::VTexture*>& not_these) {
  if (r_.Chance(75)) {
    const Rep found = FindUsable<host::VTexture>(Resource::GpuTexture, [&](Rep, host::VTexture& t) {
      const auto& i = t.info();
      return i.format == s.format && i.dimension == s.dimension && i.width == s.width && i.height == s.height && i.samples == s.samples &&
             i.depth_or_layers == s.layers && (i.usage & s.usage) == s.usage && !(i.usage & s.forbidden) &&
             std::find(not_these.begin(), not_these.end(), &t) == not_these.end();
    });
    if (found) return found;
  }
  calls::GpuDeviceCreateTextureCall::Args a{g_.device, {}};
  auto& d = a.descriptor;
  d.format = s.format;
  d.size = {s.width, Opt<uint32_t>(s.height), Opt<uint32_t>(s.layers)};
  d.dimension = s.dimension;
  if (s.samples != 1) d.sample_count = s.samples;
  d.usage.bits = (s.usage | (r_.Chance(50) ? TU::CopySrc : 0) | (r_.Chance(50) ? TU::CopyDst : 0)) & ~s.forbidden;
  d.label = Label();
  return g_.Make<calls::GpuDeviceCreateTextureCall>(a);
}

Rep Needs::View(Rep texture, ViewDim dimension, uint32_t usage) {
  auto t = UsableObject<host::VTexture>(texture);
  if (!t) return 0;
  if (r_.Chance(60)) {
    const Rep found = FindUsable<host::VTextureView>(Resource::GpuTextureView, [&](Rep, host::VTextureView& v) {
      return v.texture() == t.get() && v.dimension == dimension && v.mips == 1 && v.base_mip == 0 && v.base_layer == 0 &&
             (v.usage & usage) == usage && v.aspect == wit::GpuTextureAspect::All && v.format == t->info().format &&
             (dimension != ViewDim::D2 || v.layers == 1);
    });
    if (found) return found;
  }
  calls::GpuTextureCreateViewCall::Args a{texture, {}};
  wit::GpuTextureViewDescriptor d;
  d.dimension = dimension;
  d.mip_level_count = 1u;
  if (dimension == ViewDim::D2) d.array_layer_count = 1u;
  d.label = Label();
  a.descriptor = d;
  return g_.Make<calls::GpuTextureCreateViewCall>(a);
}

Rep Needs::Sampler(bool comparison) {
  const Rep found =
      FindUsable<host::VSampler>(Resource::GpuSampler, [&](Rep, host::VSampler& s) { return s.comparison == comparison && !s.filtering; });
  if (found) return found;
  calls::GpuDeviceCreateSamplerCall::Args a{g_.device, {}};
  wit::GpuSamplerDescriptor d;
  if (comparison) d.compare = static_cast<wit::GpuCompareFunction>(r_.Below(calls::kEnumValues<wit::GpuCompareFunction>));
  d.address_mode_u = static_cast<wit::GpuAddressMode>(r_.Below(3));
  a.descriptor = d;
  return g_.Make<calls::GpuDeviceCreateSamplerCall>(a);
}

Rep Needs::QuerySet(wit::GpuQueryType type) {
  if (type == wit::GpuQueryType::Timestamp && !device()->Has(wit::GpuFeatureName::TimestampQuery)) return 0;
  const Rep found =
      FindUsable<host::VQuerySet>(Resource::GpuQuerySet, [&](Rep, host::VQuerySet& q) { return q.type == type && q.count >= 2; });
  if (found) return found;
  calls::GpuDeviceCreateQuerySetCall::Args a{g_.device, {type, static_cast<uint32_t>(r_.Between(2, 9)), Label()}};
  return g_.Make<calls::GpuDeviceCreateQuerySetCall>(a);
}

std::vector<BindingLayout> Needs::RandomEntries() {
  using Type = BindingLayout::Type;
  const auto& features = device()->features();
  std::vector<BindingLayout> out;
  uint32_t binding = static_cast<uint32_t>(r_.Below(3));
  for (uint64_t n = r_.Below(5); n > 0; --n, binding += static_cast<uint32_t>(r_.Between(1, 9))) {
    BindingLayout e;
    e.binding = binding;
    e.visibility = static_cast<uint32_t>(r_.Below(8));
    e.type = static_cast<Type>(r_.Below(4));
    switch (e.type) {
      case Type::Buffer:
        e.buffer = static_cast<wit::GpuBufferBindingType>(r_.Below(3));
        if (e.buffer == wit::GpuBufferBindingType::Storage) e.visibility &= ~wit::GpuShaderStage::Vertex;
        e.dynamic = r_.Chance(30);
        e.min_size = r_.OneOf<uint64_t>({0, 0, 4, 16});
        break;
      case Type::Sampler: e.sampler = static_cast<wit::GpuSamplerBindingType>(r_.Below(3)); break;
      case Type::Texture:
        e.sample = static_cast<wit::GpuTextureSampleType>(r_.Below(5));
        e.view = static_cast<ViewDim>(r_.Below(6));
        if (e.sample == wit::GpuTextureSampleType::Depth && (e.view == ViewDim::D1 || e.view == ViewDim::D3)) e.view = ViewDim::D2;
        e.multisampled = e.view == ViewDim::D2 && e.sample != wit::GpuTextureSampleType::Float && r_.Chance(20);
        break;
      case Type::StorageTexture: {
        e.view = r_.OneOf({ViewDim::D1, ViewDim::D2, ViewDim::D2, ViewDim::D2Array, ViewDim::D3});
        e.format = r_.OneOf({TF::Rgba8unorm, TF::Rgba8uint, TF::R32float, TF::R32uint, TF::Rgba16float, TF::Rg32sint, TF::Rgba32float});
        const auto f = host::Abilities(e.format, features);
        e.access = static_cast<wit::GpuStorageTextureAccess>(r_.Below(3));
        if (e.access == wit::GpuStorageTextureAccess::ReadWrite && !f.storage_read_write) e.access = wit::GpuStorageTextureAccess::ReadOnly;
        if (e.access == wit::GpuStorageTextureAccess::ReadOnly && !f.storage_read) e.access = wit::GpuStorageTextureAccess::WriteOnly;
        if (e.access != wit::GpuStorageTextureAccess::ReadOnly) e.visibility &= ~wit::GpuShaderStage::Vertex;
        break;
      }
    }
    out.push_back(e);
  }
  return out;
}

bool Needs::LayoutDescriptor(const std::vector<BindingLayout>& entries, wit::GpuBindGroupLayoutDescriptor& d) {
  std::vector<wit::GpuBindGroupLayoutEntry> all;
  for (const BindingLayout& e : entries) {
    wit::GpuBindGroupLayoutEntry w;
    w.binding = e.binding;
    w.visibility.bits = e.visibility;
    switch (e.type) {
      case BindingLayout::Type::Buffer: w.buffer = wit::GpuBufferBindingLayout{e.buffer, e.dynamic, e.min_size}; break;
      case BindingLayout::Type::Sampler: w.sampler = wit::GpuSamplerBindingLayout{e.sampler}; break;
      case BindingLayout::Type::Texture: w.texture = wit::GpuTextureBindingLayout{e.sample, e.view, e.multisampled}; break;
      case BindingLayout::Type::StorageTexture: w.storage_texture = wit::GpuStorageTextureBindingLayout{e.access, e.format, e.view}; break;
    }
    all.push_back(w);
  }
  d.entries = g_.arena.List(all);
  d.label = Label();
  return true;
}

std::vector<BindingLayout> Needs::EntriesOf(Rep layout) const {
  const auto l = g_.Object<VBindGroupLayout>(layout);
  if (!l) return {};
  if (!l->exclusive) return l->entries;
  const auto kit = g_.layout_kit.find(layout);
  return kit == g_.layout_kit.end() || !kit->second.first ? std::vector<BindingLayout>() : kit->second.first->Group(kit->second.second);
}

bool Needs::GroupEntries(const std::vector<BindingLayout>& entries, std::vector<wit::GpuBindGroupEntry>& out) {
  using Tag = wit::GpuBindingResource::Tag;
  Rep used = 0;
  for (const BindingLayout& e : entries) {
    wit::GpuBindGroupEntry w;
    w.binding = e.binding;
    switch (e.type) {
      case BindingLayout::Type::Buffer: {
        const bool uniform = e.buffer == wit::GpuBufferBindingType::Uniform;
        // Read-only ones keep away from those that shaders write, so that one dispatch may have both.
        const bool writes = e.buffer == wit::GpuBufferBindingType::Storage;
        const Rep b = Buffer(uniform  ? BU::Uniform
                             : writes ? BU::Storage | BU::CopySrc
                                      : BU::Storage,
                             std::max<uint64_t>(e.min_size, 64),
                             writes    ? BU::Uniform | BU::Indirect | BU::Vertex | BU::Index
                             : uniform ? BU::Storage
                                       : BU::CopySrc,
                             used);
        if (!b) return false;
        if (writes) used = b;
        const auto object = g_.Object<host::VBuffer>(b);
        if (e.dynamic || r_.Chance(50)) {
          w.resource.tag = Tag::GpuBufferBinding;
          w.resource.gpu_buffer_binding = {b, {}, Opt<uint64_t>(std::max<uint64_t>(e.min_size, 64))};
        } else if (object && object->size() % 4 == 0 && object->size() <= 65536) {
          w.resource.tag = Tag::GpuBuffer;
          w.resource.gpu_buffer = b;
        } else {
          return false;
        }
        break;
      }
      case BindingLayout::Type::Sampler:
        w.resource.tag = Tag::GpuSampler;
        w.resource.gpu_sampler = Sampler(e.sampler == wit::GpuSamplerBindingType::Comparison);
        if (!w.resource.gpu_sampler) return false;
        break;
      case BindingLayout::Type::Texture:
      case BindingLayout::Type::StorageTexture: {
        TextureSpec s;
        const bool storage = e.type == BindingLayout::Type::StorageTexture;
        s.usage = storage ? TU::StorageBinding : TU::TextureBinding;
        // Apart from attachments and from what shaders write.
        s.forbidden = storage ? TU::RenderAttachment | TU::TextureBinding : TU::StorageBinding | TU::RenderAttachment;
        if (storage) {
          s.format = e.format;
        } else {
          switch (e.sample) {
            case wit::GpuTextureSampleType::Float: s.format = TF::Rgba8unorm; break;
            case wit::GpuTextureSampleType::UnfilterableFloat: s.format = e.multisampled ? TF::Rgba8unorm : TF::R32float; break;
            case wit::GpuTextureSampleType::Depth: s.format = TF::Depth16unorm; break;
            case wit::GpuTextureSampleType::Sint: s.format = TF::Rgba8sint; break;
            case wit::GpuTextureSampleType::Uint: s.format = TF::Rgba8uint; break;
          }
        }
        switch (e.view) {
          case ViewDim::D1: s.dimension = Dim::D1, s.height = 1; break;
          case ViewDim::D2: break;
          case ViewDim::D2Array: s.layers = 2; break;
          case ViewDim::Cube:
          case ViewDim::CubeArray: s.layers = 6; break;
          case ViewDim::D3: s.dimension = Dim::D3, s.layers = 4; break;
        }
        if (e.multisampled) {
          s.samples = 4;
          s.usage |= TU::RenderAttachment;
          s.forbidden &= ~TU::RenderAttachment;
        }
        const Rep texture = Texture(s);
        const Rep view = View(texture, e.view, storage ? TU::StorageBinding : TU::TextureBinding);
        if (!view) return false;
        const auto t = g_.Object<host::VTexture>(texture);
        if (e.view == ViewDim::D2 && t && t->info().mips == 1 && r_.Chance(20)) {
          w.resource.tag = Tag::GpuTexture;
          w.resource.gpu_texture = texture;
        } else {
          w.resource.tag = Tag::GpuTextureView;
          w.resource.gpu_texture_view = view;
        }
        break;
      }
    }
    out.push_back(w);
  }
  return true;
}

Rep Needs::Group(Rep layout) {
  auto l = UsableObject<VBindGroupLayout>(layout);
  if (!l) return 0;
  if (l->exclusive && !g_.layout_kit.contains(layout)) return 0;
  if (r_.Chance(50)) {
    const Rep found = FindUsable<host::VBindGroup>(Resource::GpuBindGroup, [&](Rep, host::VBindGroup& g) {
      const auto& items = g.reach().items();
      return g.layout() == l.get() && std::all_of(items.begin(), items.end(), [](const auto& r) { return r->alive() && !r->mapped(); });
    });
    if (found) return found;
  }
  calls::GpuDeviceCreateBindGroupCall::Args a{g_.device, {}};
  std::vector<wit::GpuBindGroupEntry> entries;
  if (!GroupEntries(EntriesOf(layout), entries)) return 0;
  a.descriptor.layout = layout;
  a.descriptor.entries = g_.arena.List(entries);
  a.descriptor.label = Label();
  return g_.Make<calls::GpuDeviceCreateBindGroupCall>(a);
}

Rep Needs::KitLayout(const Kit& kit, uint32_t group) {
  const auto want = kit.Group(group);
  const Rep found = FindUsable<VBindGroupLayout>(Resource::GpuBindGroupLayout,
                                                 [&](Rep, VBindGroupLayout& l) { return !l.exclusive && l.entries == want; });
  if (found) return found;
  calls::GpuDeviceCreateBindGroupLayoutCall::Args a{g_.device, {}};
  LayoutDescriptor(want, a.descriptor);
  return g_.Make<calls::GpuDeviceCreateBindGroupLayoutCall>(a);
}

Rep Needs::PipelineLayout(const Kit& kit) {
  calls::GpuDeviceCreatePipelineLayoutCall::Args a{g_.device, {}};
  std::vector<Opt<Rep>> groups;
  for (uint32_t i = 0; i < kit.groups(); ++i) {
    if (kit.Group(i).empty() && r_.Chance(50)) {
      groups.emplace_back();
      continue;
    }
    const Rep layout = KitLayout(kit, i);
    if (!layout) return 0;
    groups.emplace_back(layout);
  }
  a.descriptor.bind_group_layouts = g_.arena.List(groups);
  if (kit.immediate_size) a.descriptor.immediate_size = kit.immediate_size;
  a.descriptor.label = Label();
  return g_.Make<calls::GpuDeviceCreatePipelineLayoutCall>(a);
}

}  // namespace weft::fuzz
