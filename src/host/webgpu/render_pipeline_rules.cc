// SPDX-License-Identifier: Apache-2.0
#include "host/webgpu/render_pipeline_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "host/webgpu/formats.h"

namespace weft::host {

using Why = std::optional<std::string>;
using Topology = wit::GpuPrimitiveTopology;
using Compare = wit::GpuCompareFunction;
using StencilOp = wit::GpuStencilOperation;

uint32_t VertexFormatBytes(wit::GpuVertexFormat format) {
  using V = wit::GpuVertexFormat;
  switch (format) {
    case V::Uint8:
    case V::Sint8:
    case V::Unorm8:
    case V::Snorm8: return 1;
    case V::Uint8x2:
    case V::Sint8x2:
    case V::Unorm8x2:
    case V::Snorm8x2:
    case V::Uint16:
    case V::Sint16:
    case V::Unorm16:
    case V::Snorm16:
    case V::Float16: return 2;
    case V::Uint8x4:
    case V::Sint8x4:
    case V::Unorm8x4:
    case V::Snorm8x4:
    case V::Uint16x2:
    case V::Sint16x2:
    case V::Unorm16x2:
    case V::Snorm16x2:
    case V::Float16x2:
    case V::Float32:
    case V::Uint32:
    case V::Sint32:
    case V::Unorm1010102:
    case V::Unorm8x4Bgra: return 4;
    case V::Uint16x4:
    case V::Sint16x4:
    case V::Unorm16x4:
    case V::Snorm16x4:
    case V::Float16x4:
    case V::Float32x2:
    case V::Uint32x2:
    case V::Sint32x2: return 8;
    case V::Float32x3:
    case V::Uint32x3:
    case V::Sint32x3: return 12;
    case V::Float32x4:
    case V::Uint32x4:
    case V::Sint32x4: return 16;
  }
  return 16;
}

bool IsStrip(Topology t) { return t == Topology::LineStrip || t == Topology::TriangleStrip; }

Why VertexRefusal(const wit::GpuVertexState& v, size_t bind_groups, const WGPULimits& l) {
  if (!v.buffers) return std::nullopt;
  const auto& buffers = *v.buffers;
  if (buffers.size > l.maxVertexBuffers)
    return fmt::format("{} vertex buffers are more than the limit maxVertexBuffers {}", buffers.size, l.maxVertexBuffers);
  if (bind_groups + buffers.size > l.maxBindGroupsPlusVertexBuffers) {
    return fmt::format("{} bind groups and {} vertex buffers are more than the limit maxBindGroupsPlusVertexBuffers {}", bind_groups,
                       buffers.size, l.maxBindGroupsPlusVertexBuffers);
  }
  std::set<uint32_t> locations;
  size_t attributes = 0;
  for (size_t i = 0; i < buffers.size; ++i) {
    if (!buffers[i]) continue;
    const wit::GpuVertexBufferLayout& b = *buffers[i];
    if (b.array_stride > l.maxVertexBufferArrayStride) {
      return fmt::format("vertex buffer {}: stride {} is more than the limit maxVertexBufferArrayStride {}", i, b.array_stride,
                         l.maxVertexBufferArrayStride);
    }
    if (b.array_stride % 4 != 0) return fmt::format("vertex buffer {}: stride {} is not a multiple of 4", i, b.array_stride);
    attributes += b.attributes.size;
    if (attributes > l.maxVertexAttributes)
      return fmt::format("there are more vertex attributes than the limit maxVertexAttributes {}", l.maxVertexAttributes);
    for (const wit::GpuVertexAttribute& a : b.attributes) {
      // wgpu-native 29 ends the process on it; no library is asked.
      if (a.format == wit::GpuVertexFormat::Unorm8x4Bgra) {
        return fmt::format(
            "vertex buffer {}: vertex format unorm8x4-bgra is not offered by this GPU library; use unorm8x4 and swap in the shader", i);
      }
      const uint32_t bytes = VertexFormatBytes(a.format);
      const uint64_t room = b.array_stride ? b.array_stride : l.maxVertexBufferArrayStride;
      if (a.offset > room || bytes > room - a.offset) {
        return fmt::format("vertex buffer {}: attribute {} at offset {} with {} bytes lies beyond {}", i, wit::ToString(a.format), a.offset,
                           bytes, room);
      }
      if (a.offset % std::min(4u, bytes) != 0) {
        return fmt::format("vertex buffer {}: offset {} of attribute {} is not a multiple of {}", i, a.offset, wit::ToString(a.format),
                           std::min(4u, bytes));
      }
      if (a.shader_location >= l.maxVertexAttributes) {
        return fmt::format("vertex buffer {}: shader location {} is not below the limit maxVertexAttributes {}", i, a.shader_location,
                           l.maxVertexAttributes);
      }
      if (!locations.insert(a.shader_location).second)
        return fmt::format("vertex buffer {}: shader location {} is used twice", i, a.shader_location);
    }
  }
  return std::nullopt;
}

Why PrimitiveRefusal(const wit::GpuPrimitiveState& p, const Features& features) {
  const Topology topology = p.topology.value_or(Topology::TriangleList);
  if (p.strip_index_format && !IsStrip(topology))
    return fmt::format("strip-index-format goes with a strip, not with {}", wit::ToString(topology));
  if (p.unclipped_depth.value_or(false) && !Has(features, wit::GpuFeatureName::DepthClipControl)) {
    return "unclipped-depth needs the feature depth-clip-control";
  }
  return std::nullopt;
}

namespace {

bool DefaultFace(const Opt<wit::GpuStencilFaceState>& f) {
  if (!f) return true;
  return f->compare.value_or(Compare::Always) == Compare::Always && f->fail_op.value_or(StencilOp::Keep) == StencilOp::Keep &&
         f->depth_fail_op.value_or(StencilOp::Keep) == StencilOp::Keep && f->pass_op.value_or(StencilOp::Keep) == StencilOp::Keep;
}

bool KeepsStencil(const Opt<wit::GpuStencilFaceState>& f) {
  if (!f) return true;
  return f->fail_op.value_or(StencilOp::Keep) == StencilOp::Keep && f->depth_fail_op.value_or(StencilOp::Keep) == StencilOp::Keep &&
         f->pass_op.value_or(StencilOp::Keep) == StencilOp::Keep;
}

bool UsesDepthFail(const Opt<wit::GpuStencilFaceState>& f) { return f && f->depth_fail_op.value_or(StencilOp::Keep) != StencilOp::Keep; }

}  // namespace

bool WritesStencil(const wit::GpuDepthStencilState& d, wit::GpuCullMode cull) {
  if (d.stencil_write_mask.value_or(0xFFFFFFFF) == 0) return false;
  const bool front = cull != wit::GpuCullMode::Front && !KeepsStencil(d.stencil_front);
  const bool back = cull != wit::GpuCullMode::Back && !KeepsStencil(d.stencil_back);
  return front || back;
}

Why DepthStencilRefusal(const wit::GpuDepthStencilState& d, Topology topology, const Features& features) {
  const FormatAbilities f = Abilities(d.format, features);
  const auto name = wit::ToString(d.format);
  if (!f.depth_or_stencil()) return fmt::format("depth-stencil format {} is a colour format", name);
  if (!f.supported) return fmt::format("depth-stencil format {} needs a feature that this device does not have", name);
  const bool write = d.depth_write_enabled.value_or(false);
  const Compare compare = d.depth_compare.value_or(Compare::Always);
  if ((write || compare != Compare::Always) && !f.has_depth())
    return fmt::format("depth-stencil format {} has no depth to write or compare", name);
  if ((!DefaultFace(d.stencil_front) || !DefaultFace(d.stencil_back)) && !f.has_stencil())
    return fmt::format("depth-stencil format {} has no stencil", name);
  if (f.has_depth()) {
    if (!d.depth_write_enabled) return fmt::format("depth-write-enabled must be given for format {}", name);
    if (!d.depth_compare && (write || UsesDepthFail(d.stencil_front) || UsesDepthFail(d.stencil_back))) {
      return fmt::format("depth-compare must be given for format {} where depth is written or a depth-fail-op is used", name);
    }
  }
  const bool triangles = topology == Topology::TriangleList || topology == Topology::TriangleStrip;
  const float slope = d.depth_bias_slope_scale.value_or(0), clamp = d.depth_bias_clamp.value_or(0);
  if (!std::isfinite(slope) || !std::isfinite(clamp)) return "the depth bias must be finite numbers";
  if (!triangles && (d.depth_bias.value_or(0) != 0 || slope != 0 || clamp != 0)) {
    return fmt::format("a depth bias goes with triangles, not with {}", wit::ToString(topology));
  }
  return std::nullopt;
}

namespace {

using Factor = wit::GpuBlendFactor;

bool IsSrc1(Factor f) { return f == Factor::Src1 || f == Factor::OneMinusSrc1 || f == Factor::Src1Alpha || f == Factor::OneMinusSrc1Alpha; }

Why BlendRefusal(const wit::GpuBlendComponent& b, std::string_view which, const Features& features, bool* dual) {
  using Op = wit::GpuBlendOperation;
  const Op op = b.operation.value_or(Op::Add);
  const Factor src = b.src_factor.value_or(Factor::One), dst = b.dst_factor.value_or(Factor::Zero);
  if ((op == Op::Min || op == Op::Max) && (src != Factor::One || dst != Factor::One)) {
    return fmt::format("the {} blend operation {} needs both factors to be one, not {} and {}", which, wit::ToString(op),
                       wit::ToString(src), wit::ToString(dst));
  }
  if (IsSrc1(src) || IsSrc1(dst)) {
    *dual = true;
    if (!Has(features, wit::GpuFeatureName::DualSourceBlending)) return "a blend factor src1 needs the feature dual-source-blending";
  }
  return std::nullopt;
}

}  // namespace

Why FragmentRefusal(const wit::GpuFragmentState& f, const WGPULimits& l, const Features& features) {
  if (f.targets.size > l.maxColorAttachments)
    return fmt::format("{} targets are more than the limit maxColorAttachments {}", f.targets.size, l.maxColorAttachments);
  std::vector<std::optional<wit::GpuTextureFormat>> formats;
  bool dual = false;
  for (size_t i = 0; i < f.targets.size; ++i) {
    if (!f.targets[i]) {
      formats.emplace_back();
      continue;
    }
    const wit::GpuColorTargetState& t = *f.targets[i];
    const FormatAbilities a = Abilities(t.format, features);
    const auto name = wit::ToString(t.format);
    if (!a.color() || !a.supported || !a.renderable) return fmt::format("target {}: format {} cannot be rendered to", i, name);
    if (t.write_mask && (t.write_mask->bits & ~0x1Fu))
      return fmt::format("target {}: the write mask 0x{:x} has bits that are no channel", i, t.write_mask->bits);
    if (t.blend) {
      if (!a.blendable) return fmt::format("target {}: format {} cannot be blended", i, name);
      if (auto r = BlendRefusal(t.blend->color, "colour", features, &dual)) return fmt::format("target {}: {}", i, *r);
      if (auto r = BlendRefusal(t.blend->alpha, "alpha", features, &dual)) return fmt::format("target {}: {}", i, *r);
    }
    formats.push_back(t.format);
  }
  if (dual && f.targets.size != 1) return fmt::format("blending with src1 goes with one target, not {}", f.targets.size);
  if (const uint32_t bytes = BytesPerSample(formats); bytes > l.maxColorAttachmentBytesPerSample) {
    return fmt::format("the targets take {} bytes a sample, the limit maxColorAttachmentBytesPerSample is {}", bytes,
                       l.maxColorAttachmentBytesPerSample);
  }
  return std::nullopt;
}

Why MultisampleRefusal(const wit::GpuMultisampleState& m, const wit::GpuRenderPipelineDescriptor& d, const Features& features) {
  const uint32_t count = m.count.value_or(1);
  if (count != 1 && count != 4) return fmt::format("multisample count {} must be 1 or 4", count);
  if (count > 1) {
    if (d.depth_stencil && !Abilities(d.depth_stencil->format, features).multisample) {
      return fmt::format("format {} cannot be multisampled", wit::ToString(d.depth_stencil->format));
    }
    for (size_t i = 0; d.fragment && i < d.fragment->targets.size; ++i) {
      const auto& t = d.fragment->targets[i];
      if (t && !Abilities(t->format, features).multisample)
        return fmt::format("target {}: format {} cannot be multisampled", i, wit::ToString(t->format));
    }
  }
  if (m.alpha_to_coverage_enabled.value_or(false)) {
    if (count == 1) return "alpha-to-coverage needs a multisample count of 4";
    if (!d.fragment || d.fragment->targets.size == 0 || !d.fragment->targets[0]) return "alpha-to-coverage needs a first target";
    const FormatAbilities a = Abilities(d.fragment->targets[0]->format, features);
    if (!a.blendable || a.info->channels < 4)
      return fmt::format("alpha-to-coverage needs a first target with alpha that can be blended, not {}", a.info->name);
  }
  return std::nullopt;
}

}  // namespace weft::host
