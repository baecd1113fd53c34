// SPDX-License-Identifier: Apache-2.0
// Needs: objects that a right call wants: one that the guest has and that fits, else a new one, made by calls of the same sequence.
// 0: there is none and none could be made (the quota, a lost device).
#pragma once

#include <functional>

#include "guest.h"
#include "host/webgpu/bundle_state.h"
#include "host/webgpu/encoder_state.h"
#include "host/webgpu/formats.h"
#include "host/webgpu/pass_state.h"
#include "host/webgpu/values.h"

namespace weft::fuzz {

using BU = wit::GpuBufferUsage;
using TU = wit::GpuTextureUsage;
using TF = wit::GpuTextureFormat;

inline constexpr uint32_t kSide = 16;  // of attachments

class Needs {
 public:
  explicit Needs(Guest& g) : g_(g), r_(g.random) {}

  // Of the guest's main device, valid, and alive where it can be otherwise.
  bool Usable(const host::VObject* object) const;
  template <class T>
  Ref<T> UsableObject(Rep rep) const {
    Ref<T> o = g_.Object<T>(rep);
    if (!Usable(o.get())) return {};
    if constexpr (std::is_base_of_v<host::VResource, T>) {
      if (!o->alive()) return {};
    }
    return o;
  }
  template <class T>
  Rep FindUsable(Resource r, const std::function<bool(Rep, T&)>& fits) {
    return g_.Find(r, [&](Rep rep) {
      Ref<T> o = UsableObject<T>(rep);
      return o && fits(rep, *o);
    });
  }
  // Some command that is recorded or waits to be submitted uses it: mapping or ending it would spoil that.
  bool InUse(const host::VResource* resource) const;
  const host::VDevice* device() const;

  Rep Buffer(uint32_t usage, uint64_t size, uint32_t forbidden = 0, Rep not_this = 0);
  // For indirect calls: its content is small numbers.
  Rep TameBuffer();
  Rep MappedBuffer(bool for_reading);

  struct TextureSpec {
    TF format = TF::Rgba8unorm;
    wit::GpuTextureDimension dimension = wit::GpuTextureDimension::D2;
    uint32_t width = kSide, height = kSide, layers = 1, samples = 1;
    uint32_t usage = 0, forbidden = 0;
  };
  Rep Texture(const TextureSpec& spec, const std::vector<const host::VTexture*>& not_these = {});
  Rep View(Rep texture, wit::GpuTextureViewDimension dimension = wit::GpuTextureViewDimension::D2, uint32_t usage = 0);
  Rep Sampler(bool comparison);
  Rep QuerySet(wit::GpuQueryType type);
  Rep Module(const Kit& kit);
  Rep Constants();
  Rep KitLayout(const Kit& kit, uint32_t group);
  Rep PipelineLayout(const Kit& kit);
  Rep ComputePipeline();
  Rep RenderPipeline(const host::TargetLayout& targets, bool depth_read_only, bool stencil_read_only);
  // Group `index` of a pipeline of either kind.
  Rep GroupLayout(Resource pipeline_kind, Rep pipeline, uint32_t index);
  Rep Group(Rep layout);
  // What the layout wants; by the kit where only the library knows.
  std::vector<host::BindingLayout> EntriesOf(Rep layout) const;

  host::TargetLayout RandomTargets();
  Rep Encoder();
  Rep ComputePass();
  Rep RenderPass(bool with_occlusion = false);
  Rep BundleEncoder(const host::TargetLayout* targets = nullptr);
  Rep Bundle(const host::VRenderPass& pass);
  Rep CommandBuffer();
  bool WorkFor(Rep encoder);

  // Sets a pipeline and all that it needs, so that a draw or dispatch is right.
  bool PrepareCompute(Rep pass);
  bool PrepareRender(Rep pass);
  bool PrepareBundle(Rep encoder);

  bool RandomBufferDescriptor(wit::GpuBufferDescriptor& d);
  bool RandomTextureDescriptor(wit::GpuTextureDescriptor& d);
  bool LayoutDescriptor(const std::vector<host::BindingLayout>& entries, wit::GpuBindGroupLayoutDescriptor& d);
  std::vector<host::BindingLayout> RandomEntries();
  bool ComputeDescriptor(wit::GpuComputePipelineDescriptor& d, const Kit** kit);
  bool RenderDescriptor(const host::TargetLayout& targets, bool depth_read_only, bool stencil_read_only,
                        wit::GpuRenderPipelineDescriptor& d, const Kit** kit);
  bool PassDescriptor(wit::GpuRenderPassDescriptor& d, bool with_occlusion);
  bool BundleDescriptor(const host::TargetLayout& targets, wit::GpuRenderBundleEncoderDescriptor& d);
  bool GroupEntries(const std::vector<host::BindingLayout>& entries, std::vector<wit::GpuBindGroupEntry>& out);
  Opt<Str> Label();

 private:
  template <class P>
  bool Prepare(Rep pass, Rep pipeline, Resource pipeline_kind);
  Guest& g_;
  Random& r_;
};

}  // namespace weft::fuzz
