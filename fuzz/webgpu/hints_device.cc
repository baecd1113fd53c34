// SPDX-License-Identifier: Apache-2.0
// Hints for adapters, devices, errors, shaders, layouts and pipelines.
#include "generate.h"
#include "hints.h"
#include "host/webgpu/limits.h"

namespace weft::fuzz {

namespace c = calls;

bool Hint(Guest& g, c::GpuRequestAdapterCall::Args& a) {
  a.self = g.Any(Resource::Gpu);
  if (!a.self) {
    c::GetGpuCall::Args none;
    a.self = g.Make<c::GetGpuCall>(none);
  }
  if (g.random.Chance(30)) {
    wit::GpuRequestAdapterOptions o;
    o.power_preference = static_cast<wit::GpuPowerPreference>(g.random.Below(2));
    if (g.random.Chance(50)) o.feature_level = g.arena.Text("core");
    a.options = o;
  }
  return a.self != 0;
}

bool Hint(Guest& g, c::GpuAdapterRequestDeviceCall::Args& a) {
  a.self = g.Find(Resource::GpuAdapter, [&](Rep rep) {
    const auto adapter = g.Object<host::VAdapter>(rep);
    return adapter && !adapter->consumed;
  });
  if (!a.self) {
    c::GpuRequestAdapterCall::Args ask;
    if (Hint(g, ask)) a.self = g.Make<c::GpuRequestAdapterCall>(ask);
  }
  if (!a.self) return false;
  wit::GpuDeviceDescriptor d;
  if (g.exec_mode || g.random.Chance(50)) {
    // As much as the adapter has of what the hints can use.
    std::vector<wit::GpuFeatureName> features;
    const host::Features granted = host::GrantedFeatures(*g.session().device);
    for (uint32_t i = 0; i < wit::kGpuFeatureNameCount; ++i) {
      if (granted[i] && g.random.Chance(70)) features.push_back(static_cast<wit::GpuFeatureName>(i));
    }
    d.required_features = g.arena.List(features);
  }
  if (g.random.Chance(20)) {
    c::RecordOptionGpuSize64NewCall::Args none;
    const Rep record = g.Make<c::RecordOptionGpuSize64NewCall>(none);
    if (record) {
      c::RecordOptionGpuSize64AddCall::Args add{record, g.arena.Text("maxBindGroups"), Opt<uint64_t>(4)};
      g.Do<c::RecordOptionGpuSize64AddCall>(add);
      d.required_limits = record;
    }
  }
  a.descriptor = d;
  return true;
}

// Only where another device is there, or the sequence is almost over.
bool Hint(Guest& g, c::GpuDeviceDestroyCall::Args& a) {
  a.self = g.Find(Resource::GpuDevice, [&](Rep rep) { return !g.exec_mode || rep != g.device; });
  return a.self != 0 && g.MayDestroyDevice();
}

namespace {

Rep OpenScope(Guest& g, wit::GpuErrorFilter filter) {
  c::GpuDevicePushErrorScopeCall::Args a{g.device, filter};
  return g.Do<c::GpuDevicePushErrorScopeCall>(a) ? g.device : 0;
}

// An error object, from a scope around a call that is wrong.
Rep NeedError(Guest& g) {
  const Rep found = g.Any(Resource::GpuError);
  if (found) return found;
  if (!OpenScope(g, wit::GpuErrorFilter::Validation)) return 0;
  c::GpuDeviceCreateBufferCall::Args wrong{g.device, {}};  // without usage
  wrong.descriptor.size = 16;
  g.Do<c::GpuDeviceCreateBufferCall>(wrong);
  c::GpuDevicePopErrorScopeCall::Args pop{g.device};
  return g.Make<c::GpuDevicePopErrorScopeCall>(pop);
}

Rep NeedLostInfo(Guest& g) {
  const Rep found = g.Any(Resource::GpuDeviceLostInfo);
  if (found || !g.MayDestroyDevice()) return found;
  Rep device = g.device;
  if (g.exec_mode) {
    c::GpuAdapterRequestDeviceCall::Args ask;
    if (!Hint(g, ask)) return 0;
    device = g.Make<c::GpuAdapterRequestDeviceCall>(ask);
    if (!device) return 0;
  }
  c::GpuDeviceLostCall::Args lost{device};
  g.Do<c::GpuDeviceLostCall>(lost);
  c::GpuDeviceDestroyCall::Args destroy{device};
  g.Do<c::GpuDeviceDestroyCall>(destroy);
  g.AwaitAnswers();
  return g.Any(Resource::GpuDeviceLostInfo);
}

Rep NeedCompilationInfo(Guest& g, bool with_messages) {
  const Rep found = g.Find(Resource::GpuCompilationInfo, [&](Rep rep) {
    const auto info = g.Object<host::VCompilationInfo>(rep);
    return info && (!with_messages || !info->messages.empty());
  });
  if (found) return found;
  Rep module = with_messages ? 0 : g.Any(Resource::GpuShaderModule);
  if (!module) {
    c::GpuDeviceCreateShaderModuleCall::Args a{g.device, {}};
    a.descriptor.code = g.arena.Text("fn main() {\n  let x = ;\n}\n");
    g.Do<c::GpuDeviceCreateShaderModuleCall>(a);
    if (g.live(Resource::GpuShaderModule).empty()) return 0;
    module = g.live(Resource::GpuShaderModule).back();
  }
  c::GpuShaderModuleGetCompilationInfoCall::Args ask{module};
  return g.Make<c::GpuShaderModuleGetCompilationInfoCall>(ask);
}

Rep NeedMessage(Guest& g) {
  const Rep found = g.Any(Resource::GpuCompilationMessage);
  if (found) return found;
  c::GpuCompilationInfoMessagesCall::Args a{NeedCompilationInfo(g, true)};
  return a.self ? g.Make<c::GpuCompilationInfoMessagesCall>(a) : 0;
}

}  // namespace

bool Hint(Guest& g, c::GpuDevicePopErrorScopeCall::Args& a) {
  a.self = OpenScope(g, static_cast<wit::GpuErrorFilter>(g.random.Below(3)));
  return a.self != 0;
}

bool Hint(Guest& g, c::GpuErrorMessageCall::Args& a) { return (a.self = NeedError(g)) != 0; }
bool Hint(Guest& g, c::GpuErrorKindCall::Args& a) { return (a.self = NeedError(g)) != 0; }
bool Hint(Guest& g, c::GpuDeviceLostInfoReasonCall::Args& a) { return (a.self = NeedLostInfo(g)) != 0; }
bool Hint(Guest& g, c::GpuDeviceLostInfoMessageCall::Args& a) { return (a.self = NeedLostInfo(g)) != 0; }

bool Hint(Guest& g, c::GpuShaderModuleGetCompilationInfoCall::Args& a) {
  a.self = g.Any(Resource::GpuShaderModule);
  if (!a.self) a.self = Needs(g).Module(g.random.OneOf(g.session().kits.compute()));
  return a.self != 0;
}
bool Hint(Guest& g, c::GpuCompilationInfoMessagesCall::Args& a) { return (a.self = NeedCompilationInfo(g, g.random.Chance(50))) != 0; }
bool Hint(Guest& g, c::GpuCompilationMessageMessageCall::Args& a) { return (a.self = NeedMessage(g)) != 0; }
bool Hint(Guest& g, c::GpuCompilationMessageTypeCall::Args& a) { return (a.self = NeedMessage(g)) != 0; }
bool Hint(Guest& g, c::GpuCompilationMessageLineNumCall::Args& a) { return (a.self = NeedMessage(g)) != 0; }
bool Hint(Guest& g, c::GpuCompilationMessageLinePosCall::Args& a) { return (a.self = NeedMessage(g)) != 0; }
bool Hint(Guest& g, c::GpuCompilationMessageOffsetCall::Args& a) { return (a.self = NeedMessage(g)) != 0; }
bool Hint(Guest& g, c::GpuCompilationMessageLengthCall::Args& a) { return (a.self = NeedMessage(g)) != 0; }

Str BadShader(Guest& g) {
  Random& r = g.random;
  auto repeat = [](std::string_view what, size_t n) {
    std::string out;
    for (size_t i = 0; i < n; ++i) out += what;
    return out;
  };
  std::string text;
  const std::string& good = r.OneOf(g.session().kits.compute()).wgsl;
  switch (r.Below(9)) {
    case 0: text = good.substr(0, r.Below(good.size())); break;
    case 1: {
      text = good;
      text.erase(r.Below(text.size()), r.Between(1, 8));
      break;
    }
    case 2: {
      // A piece of it elsewhere.
      text = good;
      const std::string piece = good.substr(r.Below(good.size()), r.Between(1, 20));
      text.insert(r.Below(text.size()), piece);
      break;
    }
    case 3: text = good + good; break;
    case 4: {
      const size_t n = r.OneOf<size_t>({50, 200, 2001, 100000});
      text = "const x = " + repeat("(", n) + "1" + repeat(")", r.Chance(50) ? n : n - 1) + ";";
      break;
    }
    case 5: {
      const size_t n = r.OneOf<size_t>({20, 100, 2500});
      text = "fn f() " + repeat("{", n) + repeat("}", n);
      break;
    }
    case 6: text = repeat("// a comment that is long\n", r.OneOf<size_t>({1, 10000})) + "fn f() -> u33 { return 1; }"; break;
    case 7: text = "const a = " + repeat("-", r.OneOf<size_t>({100, 3000})) + "1;"; break;
    default: text = repeat(r.OneOf<const char*>({"@", "/*", "<", "struct", "\xF0\x9F\x98\x80", "fn a(){", "1u+"}), r.Between(1, 300));
  }
  // Wherever a character was cut in two, since WIT strings are UTF-8 always: the good texts are ASCII.
  return g.arena.Text(text);
}

bool Hint(Guest& g, c::GpuDeviceCreateShaderModuleCall::Args& a) {
  a.self = g.device;
  const Kit& kit = g.random.Chance(60)
                       ? g.random.OneOf(g.session().kits.compute())
                       : g.session().kits.Render({host::OptFormat(TF::Rgba8unorm)}, static_cast<uint32_t>(g.random.Below(4)));
  a.descriptor.code = g.arena.Text(kit.wgsl);
  a.descriptor.label = Needs(g).Label();
  return true;
}

bool Hint(Guest& g, c::GpuDeviceCreateBindGroupLayoutCall::Args& a) {
  Needs n(g);
  a.self = g.device;
  return n.LayoutDescriptor(n.RandomEntries(), a.descriptor);
}

bool Hint(Guest& g, c::GpuDeviceCreatePipelineLayoutCall::Args& a) {
  Needs n(g);
  a.self = g.device;
  std::vector<Opt<Rep>> groups;
  for (uint64_t i = g.random.Below(3); i > 0; --i) {
    const Rep layout = n.FindUsable<VBindGroupLayout>(Resource::GpuBindGroupLayout, [](Rep, VBindGroupLayout& l) { return !l.exclusive; });
    groups.push_back(layout && g.random.Chance(80) ? Opt<Rep>(layout) : Opt<Rep>());
  }
  a.descriptor.bind_group_layouts = g.arena.List(groups);
  a.descriptor.label = n.Label();
  return true;
}

bool Hint(Guest& g, c::GpuDeviceCreateBindGroupCall::Args& a) {
  Needs n(g);
  a.self = g.device;
  Rep layout = n.FindUsable<VBindGroupLayout>(Resource::GpuBindGroupLayout, [&](Rep rep, VBindGroupLayout& l) {
    return !l.exclusive || (g.layout_kit.contains(rep) && g.layout_kit[rep].first);
  });
  if (!layout || g.random.Chance(30)) {
    c::GpuDeviceCreateBindGroupLayoutCall::Args make;
    Hint(g, make);
    layout = g.Make<c::GpuDeviceCreateBindGroupLayoutCall>(make);
  }
  std::vector<wit::GpuBindGroupEntry> entries;
  if (!layout || !n.GroupEntries(n.EntriesOf(layout), entries)) return false;
  a.descriptor.layout = layout;
  a.descriptor.entries = g.arena.List(entries);
  a.descriptor.label = n.Label();
  return true;
}

namespace {

// The kit is remembered when the call was right; its handle comes with AfterCall, so it is found by being the newest.
template <class A>
bool FillCompute(Guest& g, A& a) {
  a.self = g.device;
  const Kit* kit = nullptr;
  return Needs(g).ComputeDescriptor(a.descriptor, &kit);
}
template <class A>
bool FillRender(Guest& g, A& a) {
  Needs n(g);
  a.self = g.device;
  const Kit* kit = nullptr;
  return n.RenderDescriptor(n.RandomTargets(), false, false, a.descriptor, &kit);
}

}  // namespace

bool Hint(Guest& g, c::GpuDeviceCreateComputePipelineCall::Args& a) { return FillCompute(g, a); }
bool Hint(Guest& g, c::GpuDeviceCreateComputePipelineAsyncCall::Args& a) { return FillCompute(g, a); }
bool Hint(Guest& g, c::GpuDeviceCreateRenderPipelineCall::Args& a) { return FillRender(g, a); }
bool Hint(Guest& g, c::GpuDeviceCreateRenderPipelineAsyncCall::Args& a) { return FillRender(g, a); }

bool Hint(Guest& g, c::GpuComputePipelineGetBindGroupLayoutCall::Args& a) {
  Needs n(g);
  a.self = n.FindUsable<host::VComputePipeline>(Resource::GpuComputePipeline, [&](Rep rep, host::VComputePipeline&) {
    return g.pipeline_kit.contains(rep) && g.pipeline_kit[rep]->groups() > 0 && !g.pipeline_kit[rep]->Group(0).empty();
  });
  if (!a.self) a.self = n.ComputePipeline();
  return a.self && !g.pipeline_kit[a.self]->Group(0).empty();
}

bool Hint(Guest& g, c::GpuRenderPipelineGetBindGroupLayoutCall::Args& a) {
  Needs n(g);
  a.self = n.FindUsable<host::VRenderPipeline>(Resource::GpuRenderPipeline, [&](Rep rep, host::VRenderPipeline&) {
    return g.pipeline_kit.contains(rep) && g.pipeline_kit[rep]->groups() > 0 && !g.pipeline_kit[rep]->Group(0).empty();
  });
  if (!a.self) a.self = n.RenderPipeline(n.RandomTargets(), false, false);
  return a.self && !g.pipeline_kit[a.self]->Group(0).empty();
}

bool Hint(Guest& g, c::GpuDeviceCreateQuerySetCall::Args& a) {
  const bool timestamps = Needs(g).device()->Has(wit::GpuFeatureName::TimestampQuery) && g.random.Chance(40);
  a = {g.device,
       {timestamps ? wit::GpuQueryType::Timestamp : wit::GpuQueryType::Occlusion, static_cast<uint32_t>(g.random.Between(1, 64)), {}}};
  return true;
}

bool Hint(Guest& g, c::GpuDeviceCreateCommandEncoderCall::Args& a) {
  a.self = g.device;
  return true;
}

bool Hint(Guest& g, c::GpuDeviceCreateRenderBundleEncoderCall::Args& a) {
  Needs n(g);
  a.self = g.device;
  return n.BundleDescriptor(n.RandomTargets(), a.descriptor);
}

}  // namespace weft::fuzz
