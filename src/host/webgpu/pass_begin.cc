// SPDX-License-Identifier: Apache-2.0
// begin-compute-pass and begin-render-pass (WebGPU 13.4, 16.1.1, 17.1.1). Whatever is wrong in a descriptor fails the encoder and gives a
// pass that does nothing; the encoder is locked all the same until that pass ends.
#include <array>
#include <cmath>

#include "host/webgpu/convert.h"
#include "host/webgpu/encoder_copy_rules.h"
#include "host/webgpu/encoder_util.h"
#include "host/webgpu/formats.h"
#include "host/webgpu/pass_state.h"
#include "host/webgpu/pass_targets.h"

namespace weft::host {

namespace {

constexpr uint32_t kMaxColors = 32;  // no library has a greater maxColorAttachments

struct Timestamps {
  Ref<VQuerySet> set;
  uint32_t begin = WGPU_QUERY_SET_INDEX_UNDEFINED, end = WGPU_QUERY_SET_INDEX_UNDEFINED;
};

std::string CheckTimestamps(const VQuerySet& set, const Opt<uint32_t>& begin, const Opt<uint32_t>& end) {
  if (set.type != wit::GpuQueryType::Timestamp) return fmt::format("timestamp-writes names {}, which holds no timestamps.", set.Name());
  if (!begin && !end) return "timestamp-writes names neither a beginning nor an end.";
  if (begin && end && *begin == *end) return fmt::format("timestamp-writes has the index {} for both the beginning and the end.", *begin);
  for (const auto& i : {begin, end}) {
    if (i && *i >= set.count) return fmt::format("the timestamp index {} is not below the {} queries of {}.", *i, set.count, set.Name());
  }
  return {};
}

// What the library gets; the timestamps count as written from here on.
WGPUPassTimestampWrites RecordTimestamps(const Timestamps& times) {
  WGPUPassTimestampWrites n = WGPU_PASS_TIMESTAMP_WRITES_INIT;
  n.querySet = times.set->native.get();
  n.beginningOfPassWriteIndex = times.begin;
  n.endOfPassWriteIndex = times.end;
  for (uint32_t i : {times.begin, times.end}) {
    if (i < times.set->recorded.size()) times.set->recorded[i] = true;
  }
  return n;
}

// The checks of one render pass descriptor, which fill in the pass and the native descriptor as they go.
class RenderBegin {
 public:
  RenderBegin(const VirtualGpu& gpu, VCommandEncoder& encoder, VRenderPass& pass) : gpu_(gpu), encoder_(encoder), pass_(pass) {}

  // The descriptor's objects are looked up first, since a wrong handle is a trap and no error.
  Status Resolve(const wit::GpuRenderPassDescriptor& d) {
    for (const auto& c : d.color_attachments) {
      auto& slot = colors_.emplace_back();
      if (!c) continue;
      WEFT_TRY_ASSIGN(slot.view, gpu_.Get<VTextureView>(c->view));
      if (c->resolve_target) {
        WEFT_TRY_ASSIGN(slot.resolve, gpu_.Get<VTextureView>(*c->resolve_target));
      }
    }
    if (d.depth_stencil_attachment) {
      WEFT_TRY_ASSIGN(depth_, gpu_.Get<VTextureView>(d.depth_stencil_attachment->view));
    }
    if (d.occlusion_query_set) {
      WEFT_TRY_ASSIGN(pass_.occlusion, gpu_.Get<VQuerySet>(*d.occlusion_query_set));
    }
    if (d.timestamp_writes) {
      WEFT_TRY_ASSIGN(times_.set, gpu_.Get<VQuerySet>(d.timestamp_writes->query_set));
    }
    return {};
  }

  // False: the encoder has failed.
  bool Check(const wit::GpuRenderPassDescriptor& d);
  void BeginNative(const wit::GpuRenderPassDescriptor& d);

 private:
  struct Color {
    Ref<VTextureView> view, resolve;
  };
  static constexpr std::string_view kMethod = "begin-render-pass";

  bool Bad(std::string why) {
    encoder_.Fail(fmt::format("{}.{}: {}", encoder_.Name(), kMethod, why));
    return false;
  }
  bool CheckView(const VTextureView& view, std::string_view what);
  bool CheckColor(size_t i, const wit::GpuRenderPassColorAttachment& c, const Color& slot);
  bool CheckResolve(size_t i, const Color& slot);
  bool CheckDepthStencil(const wit::GpuRenderPassDepthStencilAttachment& a);
  bool CheckOps(std::string_view aspect, bool has, bool read_only, const Opt<wit::GpuLoadOp>& load, const Opt<wit::GpuStoreOp>& store);
  bool CheckExtent(const VTextureView& view, std::string_view what);
  bool CheckQueries(const wit::GpuRenderPassDescriptor& d);
  // The same subresource or slice twice.
  bool Claim(const VTextureView& view, uint32_t slice, std::string_view what);
  bool Enter(VTextureView& view, Use use, std::string_view what);

  const VirtualGpu& gpu_;
  VCommandEncoder& encoder_;
  VRenderPass& pass_;
  std::vector<Color> colors_;
  Ref<VTextureView> depth_;
  Timestamps times_;
  bool any_ = false;
  struct Region {
    const VTexture* texture;
    uint32_t mip, layer, slice;
    bool operator==(const Region&) const = default;
  };
  std::vector<Region> regions_;
};

bool RenderBegin::CheckView(const VTextureView& view, std::string_view what) {
  if (auto problem = UseProblem(encoder_.device(), view)) return Bad(fmt::format("{}: {}", what, *problem));
  if (!(view.usage & wit::GpuTextureUsage::RenderAttachment)) {
    return Bad(fmt::format(
        "{}: the usage of {} does not include RENDER_ATTACHMENT{}.", what, view.Name(),
        view.texture()->imported() ? fmt::format(", because the host lends {} for other uses only", view.texture()->Name()) : ""));
  }
  using D = wit::GpuTextureViewDimension;
  if (view.dimension != D::D2 && view.dimension != D::D2Array && view.dimension != D::D3) {
    return Bad(
        fmt::format("{}: {} has the dimension {}; a 2d, 2d-array or 3d one is needed.", what, view.Name(), wit::ToString(view.dimension)));
  }
  if (view.mips != 1 || view.layers != 1) {
    return Bad(fmt::format("{}: {} has {} mip levels and {} array layers; an attachment has one of each.", what, view.Name(), view.mips,
                           view.layers));
  }
  const auto kind = InfoOf(view.texture()->info().format).kind;
  const bool all_aspects = view.aspect == wit::GpuTextureAspect::All ||
                           (view.aspect == wit::GpuTextureAspect::DepthOnly && kind == gpu::FormatKind::Depth) ||
                           (view.aspect == wit::GpuTextureAspect::StencilOnly && kind == gpu::FormatKind::Stencil);
  if (!all_aspects) return Bad(fmt::format("{}: {} does not have all aspects of its texture.", what, view.Name()));
  return true;
}

bool RenderBegin::CheckExtent(const VTextureView& view, std::string_view what) {
  if (!std::exchange(any_, true)) {
    pass_.width = view.width();
    pass_.height = view.height();
    pass_.targets.samples = view.samples();
    return true;
  }
  if (view.width() != pass_.width || view.height() != pass_.height) {
    return Bad(fmt::format("{} is {}x{}, but an attachment before it is {}x{}. All must have one size.", what, view.width(), view.height(),
                           pass_.width, pass_.height));
  }
  if (view.samples() != pass_.targets.samples) {
    return Bad(fmt::format("{} has {} samples, but an attachment before it has {}. All must have one count.", what, view.samples(),
                           pass_.targets.samples));
  }
  return true;
}

bool RenderBegin::Claim(const VTextureView& view, uint32_t slice, std::string_view what) {
  const Region r{view.texture(), view.base_mip, view.base_layer, slice};
  for (const auto& o : regions_) {
    if (o == r) return Bad(fmt::format("{} is a part of {} that is an attachment of this pass already.", what, view.texture()->Name()));
  }
  regions_.push_back(r);
  return true;
}

bool RenderBegin::Enter(VTextureView& view, Use use, std::string_view what) {
  VTexture* t = view.texture();
  if (!encoder_.Use(t, use == Use::Attachment, encoder_, kMethod)) return false;
  const SubresourceRange range{view.base_mip, view.base_mip + 1, view.base_layer, view.base_layer + 1};
  if (auto c = pass_.scope.AddTexture(t, t->info().mips, t->layers(), range, use)) {
    return Bad(fmt::format("{}: {}", what, ConflictSentence(*t, c)));
  }
  return true;
}

bool RenderBegin::CheckColor(size_t i, const wit::GpuRenderPassColorAttachment& c, const Color& slot) {
  const std::string what = fmt::format("colour attachment {}", i);
  VTextureView& view = *slot.view;
  if (!CheckView(view, what)) return false;
  if (std::string why = CheckColorTarget(*encoder_.device(), view.format, view.samples()); !why.empty())
    return Bad(fmt::format("{}: {}", what, why));
  const bool volume = view.dimension == wit::GpuTextureViewDimension::D3;
  if (volume && !c.depth_slice) return Bad(fmt::format("{}: {} is 3d, so depth-slice must be given.", what, view.Name()));
  if (!volume && c.depth_slice) return Bad(fmt::format("{}: depth-slice was given, but {} is not 3d.", what, view.Name()));
  if (volume && *c.depth_slice >= view.depth()) {
    return Bad(fmt::format("{}: depth-slice {} is not below the depth of {}, {}.", what, *c.depth_slice, view.Name(), view.depth()));
  }
  if (c.clear_value) {
    const auto& v = *c.clear_value;
    if (!std::isfinite(v.r) || !std::isfinite(v.g) || !std::isfinite(v.b) || !std::isfinite(v.a)) {
      return Bad(fmt::format("{}: the clear-value ({}, {}, {}, {}) holds what is no finite number.", what, v.r, v.g, v.b, v.a));
    }
  }
  if ((view.usage & wit::GpuTextureUsage::TransientAttachment) &&
      (c.load_op != wit::GpuLoadOp::Clear || c.store_op != wit::GpuStoreOp::Discard)) {
    return Bad(fmt::format("{}: {} is transient, so it must be cleared and discarded.", what, view.Name()));
  }
  if (!CheckExtent(view, what) || !Claim(view, volume ? *c.depth_slice : 0, what) || !Enter(view, Use::Attachment, what)) return false;
  return !slot.resolve || CheckResolve(i, slot);
}

bool RenderBegin::CheckResolve(size_t i, const Color& slot) {
  const std::string what = fmt::format("resolve target {}", i);
  VTextureView& view = *slot.resolve;
  if (!CheckView(view, what)) return false;
  if (view.dimension == wit::GpuTextureViewDimension::D3)
    return Bad(fmt::format("{}: {} is 3d, which cannot be resolved to.", what, view.Name()));
  if (slot.view->samples() == 1) return Bad(fmt::format("{} was given, but {} is not multisampled.", what, slot.view->Name()));
  if (view.samples() != 1) return Bad(fmt::format("{}: {} is multisampled itself.", what, view.Name()));
  if (view.width() != slot.view->width() || view.height() != slot.view->height()) {
    return Bad(fmt::format("{} is {}x{}, but its colour attachment is {}x{}.", what, view.width(), view.height(), slot.view->width(),
                           slot.view->height()));
  }
  if (view.format != slot.view->format) {
    return Bad(
        fmt::format("{} is {}, but its colour attachment is {}.", what, wit::ToString(view.format), wit::ToString(slot.view->format)));
  }
  if (!Abilities(view.format, encoder_.device()->features()).resolvable)
    return Bad(fmt::format("{}: {} cannot be resolved.", what, wit::ToString(view.format)));
  return Claim(view, 0, what) && Enter(view, Use::Attachment, what);
}

bool RenderBegin::CheckOps(std::string_view aspect, bool has, bool read_only, const Opt<wit::GpuLoadOp>& load,
                           const Opt<wit::GpuStoreOp>& store) {
  const bool wanted = has && !read_only;
  if (wanted && (!load || !store))
    return Bad(fmt::format("depth-stencil attachment: {}-load-op and {}-store-op must be given.", aspect, aspect));
  if (!wanted && (load || store)) {
    return Bad(fmt::format("depth-stencil attachment: {}-load-op or {}-store-op was given, but {}.", aspect, aspect,
                           has ? fmt::format("{} is read-only", aspect) : fmt::format("the format has no {}", aspect)));
  }
  return true;
}

bool RenderBegin::CheckDepthStencil(const wit::GpuRenderPassDepthStencilAttachment& a) {
  constexpr std::string_view kWhat = "depth-stencil attachment";
  VTextureView& view = *depth_;
  if (!CheckView(view, kWhat)) return false;
  const auto format = view.texture()->info().format;
  if (std::string why = CheckDepthStencilTarget(*encoder_.device(), format); !why.empty()) return Bad(fmt::format("{}: {}", kWhat, why));
  const auto kind = InfoOf(format).kind;
  const bool depth = kind != gpu::FormatKind::Stencil, stencil = kind != gpu::FormatKind::Depth;
  pass_.depth_read_only = a.depth_read_only.value_or(false);
  pass_.stencil_read_only = a.stencil_read_only.value_or(false);
  if (!CheckOps("depth", depth, pass_.depth_read_only, a.depth_load_op, a.depth_store_op) ||
      !CheckOps("stencil", stencil, pass_.stencil_read_only, a.stencil_load_op, a.stencil_store_op)) {
    return false;
  }
  if (depth && a.depth_load_op && *a.depth_load_op == wit::GpuLoadOp::Clear) {
    // Written so that a NaN is refused.
    if (!a.depth_clear_value) return Bad(fmt::format("{}: depth-clear-value must be given with depth-load-op clear.", kWhat));
    if (!(*a.depth_clear_value >= 0 && *a.depth_clear_value <= 1)) {
      return Bad(fmt::format("{}: depth-clear-value {} is not within [0, 1].", kWhat, *a.depth_clear_value));
    }
  }
  if (!CheckExtent(view, kWhat) || !Claim(view, 0, kWhat)) return false;
  pass_.targets.depth_stencil = format;
  const bool reads_only = (!depth || pass_.depth_read_only) && (!stencil || pass_.stencil_read_only);
  return Enter(view, reads_only ? Use::AttachmentRead : Use::Attachment, kWhat);
}

bool RenderBegin::CheckQueries(const wit::GpuRenderPassDescriptor& d) {
  if (pass_.occlusion) {
    if (auto problem = UseProblem(encoder_.device(), *pass_.occlusion)) return Bad(fmt::format("occlusion-query-set: {}", *problem));
    if (pass_.occlusion->type != wit::GpuQueryType::Occlusion) {
      return Bad(fmt::format("occlusion-query-set: {} is of type timestamp.", pass_.occlusion->Name()));
    }
    if (!encoder_.Use(pass_.occlusion.get(), true, encoder_, kMethod)) return false;
    pass_.occlusion_used.assign(pass_.occlusion->count, false);
  }
  if (times_.set) {
    const auto& w = *d.timestamp_writes;
    if (auto problem = UseProblem(encoder_.device(), *times_.set)) return Bad(fmt::format("timestamp-writes: {}", *problem));
    if (std::string why = CheckTimestamps(*times_.set, w.beginning_of_pass_write_index, w.end_of_pass_write_index); !why.empty())
      return Bad(why);
    if (!encoder_.Use(times_.set.get(), true, encoder_, kMethod)) return false;
    times_.begin = w.beginning_of_pass_write_index.value_or(WGPU_QUERY_SET_INDEX_UNDEFINED);
    times_.end = w.end_of_pass_write_index.value_or(WGPU_QUERY_SET_INDEX_UNDEFINED);
  }
  return true;
}

bool RenderBegin::Check(const wit::GpuRenderPassDescriptor& d) {
  const auto& limits = encoder_.device()->limits();
  const uint32_t max = std::min(limits.maxColorAttachments, kMaxColors);
  if (colors_.size() > max) {
    return Bad(fmt::format("{} colour attachments are more than the limit maxColorAttachments, {}.", colors_.size(), max));
  }
  for (size_t i = 0; i < colors_.size(); ++i) {
    auto& target = pass_.targets.colors.emplace_back();
    if (!colors_[i].view) continue;
    if (!CheckColor(i, *d.color_attachments[i], colors_[i])) return false;
    target = colors_[i].view->format;
  }
  pass_.targets.Trim();
  if (std::string why = CheckColorBytes(limits, pass_.targets.colors); !why.empty()) return Bad(why);
  if (depth_ && !CheckDepthStencil(*d.depth_stencil_attachment)) return false;
  if (!any_) return Bad("the pass has no attachment. Give it a colour or a depth-stencil attachment.");
  pass_.max_draws = d.max_draw_count.value_or(50'000'000);
  return CheckQueries(d);
}

void RenderBegin::BeginNative(const wit::GpuRenderPassDescriptor& d) {
  std::array<WGPURenderPassColorAttachment, kMaxColors> colors;
  for (size_t i = 0; i < colors_.size(); ++i) {
    colors[i] = WGPU_RENDER_PASS_COLOR_ATTACHMENT_INIT;
    if (!colors_[i].view) continue;
    const auto& c = *d.color_attachments[i];
    colors[i].view = colors_[i].view->native.get();
    if (colors_[i].resolve) colors[i].resolveTarget = colors_[i].resolve->native.get();
    if (c.depth_slice) colors[i].depthSlice = *c.depth_slice;
    colors[i].loadOp = ToNative(c.load_op);
    colors[i].storeOp = ToNative(c.store_op);
    if (c.clear_value) colors[i].clearValue = {c.clear_value->r, c.clear_value->g, c.clear_value->b, c.clear_value->a};
  }
  WGPURenderPassDescriptor n = WGPU_RENDER_PASS_DESCRIPTOR_INIT;
  n.label = gpu::Str(pass_.label());
  // Without holes at the end, which mean nothing to the specification, but to the library that the pass is of another kind.
  n.colorAttachmentCount = pass_.targets.colors.size();
  n.colorAttachments = colors.data();
  WGPURenderPassDepthStencilAttachment depth = WGPU_RENDER_PASS_DEPTH_STENCIL_ATTACHMENT_INIT;
  if (depth_) {
    const auto& a = *d.depth_stencil_attachment;
    depth.view = depth_->native.get();
    if (a.depth_load_op) depth.depthLoadOp = ToNative(*a.depth_load_op);
    if (a.depth_store_op) depth.depthStoreOp = ToNative(*a.depth_store_op);
    depth.depthClearValue = a.depth_clear_value.value_or(0);
    depth.depthReadOnly = pass_.depth_read_only;
    if (a.stencil_load_op) depth.stencilLoadOp = ToNative(*a.stencil_load_op);
    if (a.stencil_store_op) depth.stencilStoreOp = ToNative(*a.stencil_store_op);
    depth.stencilClearValue = a.stencil_clear_value.value_or(0);
    depth.stencilReadOnly = pass_.stencil_read_only;
    n.depthStencilAttachment = &depth;
  }
  if (pass_.occlusion) n.occlusionQuerySet = pass_.occlusion->native.get();
  WGPUPassTimestampWrites times = WGPU_PASS_TIMESTAMP_WRITES_INIT;
  if (times_.set) {
    times = RecordTimestamps(times_);
    n.timestampWrites = &times;
  }
  DeferredErrors errors(encoder_, kMethod);
  pass_.native = {gpu_.wgpu().CommandEncoderBeginRenderPass(encoder_.native.get(), &n), gpu_.wgpu().RenderPassEncoderRelease};
}

// Locks the encoder for a new pass. False: the pass is not valid and nothing more is to be done for it.
bool LockFor(VCommandEncoder& encoder, VPass& pass, std::string_view method) {
  if (!EncoderOpen(encoder, method)) {
    // A failed encoder is locked and unlocked like any other, so that what follows means what the guest thinks it does.
    if (encoder.state == VCommandEncoder::State::Open) {
      encoder.state = VCommandEncoder::State::Locked;
      encoder.open_pass = &pass;
    }
    pass.Invalidate();
    return false;
  }
  encoder.state = VCommandEncoder::State::Locked;
  encoder.open_pass = &pass;
  if (pass.valid()) return true;
  encoder.Fail(fmt::format("{}.{}: the pass is one object more than the plugin's quota allows.", encoder.Name(), method));
  return false;
}

}  // namespace

Result<Rep> VirtualGpu::OnGpuCommandEncoderBeginComputePass(Rep self, const Opt<wit::GpuComputePassDescriptor>& descriptor) {
  constexpr std::string_view kMethod = "begin-compute-pass";
  WEFT_TRY_ASSIGN(Ref<VCommandEncoder> e, Get<VCommandEncoder>(self));
  Timestamps times;
  if (descriptor && descriptor->timestamp_writes) {
    WEFT_TRY_ASSIGN(times.set, Get<VQuerySet>(descriptor->timestamp_writes->query_set));
  }
  const Ref<VDevice> device(e->device());
  auto pass = Make<VComputePass>(device, descriptor ? descriptor->label : Opt<Str>(), e);
  if (!LockFor(*e, *pass, kMethod)) return Add(std::move(pass));
  if (times.set) {
    const auto& w = *descriptor->timestamp_writes;
    std::string why;
    if (auto problem = UseProblem(device.get(), *times.set)) why = fmt::format("timestamp-writes: {}", *problem);
    if (why.empty()) why = CheckTimestamps(*times.set, w.beginning_of_pass_write_index, w.end_of_pass_write_index);
    if (!why.empty()) e->Fail(fmt::format("{}.{}: {}", e->Name(), kMethod, why));
    if (!why.empty() || !e->Use(times.set.get(), true, *e, kMethod)) {
      pass->Invalidate();
      return Add(std::move(pass));
    }
    times.begin = w.beginning_of_pass_write_index.value_or(WGPU_QUERY_SET_INDEX_UNDEFINED);
    times.end = w.end_of_pass_write_index.value_or(WGPU_QUERY_SET_INDEX_UNDEFINED);
  }
  if (e->feed()) {
    WGPUComputePassDescriptor d = WGPU_COMPUTE_PASS_DESCRIPTOR_INIT;
    d.label = gpu::Str(pass->label());
    WGPUPassTimestampWrites t = WGPU_PASS_TIMESTAMP_WRITES_INIT;
    if (times.set) {
      t = RecordTimestamps(times);
      d.timestampWrites = &t;
    }
    DeferredErrors errors(*e, kMethod);
    pass->native = {wgpu().CommandEncoderBeginComputePass(e->native.get(), &d), wgpu().ComputePassEncoderRelease};
  }
  return Add(std::move(pass));
}

Result<Rep> VirtualGpu::OnGpuCommandEncoderBeginRenderPass(Rep self, const wit::GpuRenderPassDescriptor& descriptor) {
  constexpr std::string_view kMethod = "begin-render-pass";
  WEFT_TRY_ASSIGN(Ref<VCommandEncoder> e, Get<VCommandEncoder>(self));
  const Ref<VDevice> device(e->device());
  auto pass = Make<VRenderPass>(device, descriptor.label, e);
  RenderBegin begin(*this, *e, *pass);
  WEFT_TRY(begin.Resolve(descriptor));
  if (!LockFor(*e, *pass, kMethod)) return Add(std::move(pass));
  if (!begin.Check(descriptor)) {
    pass->Invalidate();
  } else if (e->feed()) {
    begin.BeginNative(descriptor);
  }
  WatchIfLent(*this, *e);
  return Add(std::move(pass));
}

}  // namespace weft::host
