// SPDX-License-Identifier: Apache-2.0
// What all kinds of objects have: labels and an end. And the functions that nobody can call with sense.
#include "host/webgpu/encoder_test_guest.h"
#include "host/webgpu/test_answer.h"
#include "host/webgpu/values.h"

namespace weft::host {
namespace {

// One answer that is at hand when the call returns.
template <class T>
struct Now {
  T value{};
  Completion<T> done() {
    return Completion<T>({this, [](void* self, const void* v, Str trap) {
                            EXPECT_TRUE(v) << trap.view();
                            if (v) static_cast<Now*>(self)->value = *static_cast<const T*>(v);
                          }});
  }
};

Rep Adapter(TestGuest& g) {
  Now<Opt<Rep>> adapter;
  g.gpu->OnGpuRequestAdapter(g.Take(g.gpu->OnGetGpu()), {}, adapter.done());
  EXPECT_TRUE(adapter.value);
  return adapter.value.value;
}

Rep Device(TestGuest& g, Str label, Str queue_label) {
  wit::GpuDeviceDescriptor d;
  d.label = label;
  d.default_queue = wit::GpuQueueDescriptor{queue_label};
  Now<Res<Rep, wit::RequestDeviceError>> device;
  g.gpu->OnGpuAdapterRequestDevice(Adapter(g), d, device.done());
  EXPECT_FALSE(device.value.is_err);
  return device.value.ok;
}

Rep BundleEncoder(TestGuest& g, Opt<Str> label = {}) {
  const Opt<TF> format[] = {TF::Rgba8unorm};
  wit::GpuRenderBundleEncoderDescriptor d;
  d.color_formats = {format, 1};
  d.label = label;
  return g.Take(g.gpu->OnGpuDeviceCreateRenderBundleEncoder(g.device, d));
}

Rep RenderPass(TestGuest& g, Str label) {
  const auto color = g.Color(g.View(g.Texture(TF::Rgba8unorm, 4, 4, TU::RenderAttachment)));
  wit::GpuRenderPassDescriptor d;
  d.color_attachments = {&color, 1};
  d.label = label;
  return g.Take(g.gpu->OnGpuCommandEncoderBeginRenderPass(g.Encoder(), d));
}

// An object of each kind that has a label, made with that label.
struct Labelled {
  const char* kind;
  std::function<Rep(TestGuest&, Str label)> make;
  Result<Str> (wit::WebgpuHost::*get)(Rep);
  Status (wit::WebgpuHost::*set)(Rep, Str);
};

const Labelled kLabelled[] = {
    {"gpu-bind-group", [](TestGuest& g, Str label) { return g.Group(g.Layout({}), {}, label.view()); },
     &wit::WebgpuHost::OnGpuBindGroupLabel, &wit::WebgpuHost::OnGpuBindGroupSetLabel},
    {"gpu-bind-group-layout",
     [](TestGuest& g, Str label) { return g.Take(g.gpu->OnGpuDeviceCreateBindGroupLayout(g.device, {{}, label})); },
     &wit::WebgpuHost::OnGpuBindGroupLayoutLabel, &wit::WebgpuHost::OnGpuBindGroupLayoutSetLabel},
    {"gpu-buffer", [](TestGuest& g, Str label) { return g.Buffer(16, BU::Storage, label.view()); }, &wit::WebgpuHost::OnGpuBufferLabel,
     &wit::WebgpuHost::OnGpuBufferSetLabel},
    {"gpu-command-buffer", [](TestGuest& g, Str label) { return g.Finish(g.Encoder(), label.view()); },
     &wit::WebgpuHost::OnGpuCommandBufferLabel, &wit::WebgpuHost::OnGpuCommandBufferSetLabel},
    {"gpu-command-encoder", [](TestGuest& g, Str label) { return g.Encoder(label.view()); }, &wit::WebgpuHost::OnGpuCommandEncoderLabel,
     &wit::WebgpuHost::OnGpuCommandEncoderSetLabel},
    {"gpu-compute-pass-encoder",
     [](TestGuest& g, Str label) {
       return g.Take(g.gpu->OnGpuCommandEncoderBeginComputePass(g.Encoder(), wit::GpuComputePassDescriptor{{}, label}));
     },
     &wit::WebgpuHost::OnGpuComputePassEncoderLabel, &wit::WebgpuHost::OnGpuComputePassEncoderSetLabel},
    {"gpu-compute-pipeline",
     [](TestGuest& g, Str label) {
       wit::GpuComputePipelineDescriptor d;
       d.compute.module = g.Shader(kAddOne);
       d.layout = g.Auto();
       d.label = label;
       return g.Take(g.gpu->OnGpuDeviceCreateComputePipeline(g.device, d));
     },
     &wit::WebgpuHost::OnGpuComputePipelineLabel, &wit::WebgpuHost::OnGpuComputePipelineSetLabel},
    {"gpu-device", [](TestGuest& g, Str label) { return Device(g, label, Str("q")); }, &wit::WebgpuHost::OnGpuDeviceLabel,
     &wit::WebgpuHost::OnGpuDeviceSetLabel},
    {"gpu-pipeline-layout",
     [](TestGuest& g, Str label) { return g.Take(g.gpu->OnGpuDeviceCreatePipelineLayout(g.device, {{}, {}, label})); },
     &wit::WebgpuHost::OnGpuPipelineLayoutLabel, &wit::WebgpuHost::OnGpuPipelineLayoutSetLabel},
    {"gpu-query-set",
     [](TestGuest& g, Str label) { return g.gpu->OnGpuDeviceCreateQuerySet(g.device, {wit::GpuQueryType::Occlusion, 1, label})->ok; },
     &wit::WebgpuHost::OnGpuQuerySetLabel, &wit::WebgpuHost::OnGpuQuerySetSetLabel},
    {"gpu-queue", [](TestGuest& g, Str label) { return g.Take(g.gpu->OnGpuDeviceQueue(Device(g, Str("d"), label))); },
     &wit::WebgpuHost::OnGpuQueueLabel, &wit::WebgpuHost::OnGpuQueueSetLabel},
    {"gpu-render-bundle",
     [](TestGuest& g, Str label) {
       return g.Take(g.gpu->OnGpuRenderBundleEncoderFinish(BundleEncoder(g), wit::GpuRenderBundleDescriptor{label}));
     },
     &wit::WebgpuHost::OnGpuRenderBundleLabel, &wit::WebgpuHost::OnGpuRenderBundleSetLabel},
    {"gpu-render-bundle-encoder", [](TestGuest& g, Str label) { return BundleEncoder(g, label); },
     &wit::WebgpuHost::OnGpuRenderBundleEncoderLabel, &wit::WebgpuHost::OnGpuRenderBundleEncoderSetLabel},
    {"gpu-render-pass-encoder", &RenderPass, &wit::WebgpuHost::OnGpuRenderPassEncoderLabel,
     &wit::WebgpuHost::OnGpuRenderPassEncoderSetLabel},
    {"gpu-render-pipeline",
     [](TestGuest& g, Str label) {
       wit::GpuRenderPipelineDescriptor d;
       d.vertex.module = g.Shader(kTriangle);
       d.layout = g.Auto();
       d.label = label;
       wit::GpuDepthStencilState depth;
       depth.format = TF::Depth32float;
       depth.depth_write_enabled = true;
       depth.depth_compare = wit::GpuCompareFunction::Always;
       d.depth_stencil = depth;
       return g.Take(g.gpu->OnGpuDeviceCreateRenderPipeline(g.device, d));
     },
     &wit::WebgpuHost::OnGpuRenderPipelineLabel, &wit::WebgpuHost::OnGpuRenderPipelineSetLabel},
    {"gpu-sampler",
     [](TestGuest& g, Str label) {
       wit::GpuSamplerDescriptor d;
       d.label = label;
       return g.Take(g.gpu->OnGpuDeviceCreateSampler(g.device, d));
     },
     &wit::WebgpuHost::OnGpuSamplerLabel, &wit::WebgpuHost::OnGpuSamplerSetLabel},
    {"gpu-shader-module",
     [](TestGuest& g, Str label) {
       wit::GpuShaderModuleDescriptor d;
       d.code = Str(kAddOne);
       d.label = label;
       return g.Take(g.gpu->OnGpuDeviceCreateShaderModule(g.device, d));
     },
     &wit::WebgpuHost::OnGpuShaderModuleLabel, &wit::WebgpuHost::OnGpuShaderModuleSetLabel},
    {"gpu-texture",
     [](TestGuest& g, Str label) {
       return g.Texture(TF::Rgba8unorm, 4, 4, TU::CopyDst, 1, 1, 1, wit::GpuTextureDimension::D2, label.view());
     },
     &wit::WebgpuHost::OnGpuTextureLabel, &wit::WebgpuHost::OnGpuTextureSetLabel},
    {"gpu-texture-view",
     [](TestGuest& g, Str label) {
       wit::GpuTextureViewDescriptor d;
       d.label = label;
       return g.View(g.Texture(TF::Rgba8unorm, 4, 4, TU::TextureBinding), d);
     },
     &wit::WebgpuHost::OnGpuTextureViewLabel, &wit::WebgpuHost::OnGpuTextureViewSetLabel},
};

TEST(Label, OfEachKindIsWhatItWasMadeWithAndThenWhatItWasSetTo) {
  for (const auto& kind : kLabelled) {
    SCOPED_TRACE(kind.kind);
    TestGuest g(GpuMode::Exec);
    wit::WebgpuHost& host = *g.gpu;
    const auto label = [&](Rep rep) {
      const auto r = (host.*kind.get)(rep);
      return r ? std::string(r->view()) : r.error().ToString();
    };
    // The text is the caller's only for the call.
    std::string text = "w\xC3\xB6rks";
    const Rep object = kind.make(g, Str(text)), other = kind.make(g, Str("other"));
    EXPECT_EQ(g.Errors(), "");
    text.assign(text.size(), 'x');
    EXPECT_EQ(label(object), "w\xC3\xB6rks");
    text = "second";
    TestGuest::Ok((host.*kind.set)(object, Str(text)));
    text.assign(text.size(), 'x');
    EXPECT_EQ(label(object), "second");
    EXPECT_EQ(label(other), "other");
    TestGuest::Ok((host.*kind.set)(object, Str(std::string(100000, 'l'))));
    EXPECT_EQ(label(object), std::string(VObject::kMaxLabel, 'l'));
    TestGuest::Ok((host.*kind.set)(object, {}));
    EXPECT_EQ(label(object), "");
    EXPECT_EQ((*g.gpu->Get<VDevice>(g.device))->label(), "");
    EXPECT_FALSE((host.*kind.get)(0));
    EXPECT_FALSE((host.*kind.set)(0, Str("x")));
  }
}

TEST(Label, ThatWasSetIsNamedInMessages) {
  TestGuest g;
  const Rep texture = g.Texture(TF::Rgba8unorm, 4, 4, TU::TextureBinding);
  TestGuest::Ok(g.gpu->OnGpuTextureSetLabel(texture, Str("grass")));
  wit::GpuTextureViewDescriptor d;
  d.mip_level_count = 9;
  g.View(texture, d);
  EXPECT_EQ(g.Errors(), "creating a view of gpu-texture 'grass': mip levels 0 + 9 lie outside of the texture's 1\n");
  const Rep encoder = g.Encoder("early");
  TestGuest::Ok(g.gpu->OnGpuCommandEncoderSetLabel(encoder, Str("late")));
  TestGuest::Ok(g.gpu->OnGpuCommandEncoderPopDebugGroup(encoder));
  g.Finish(encoder);
  EXPECT_NE(g.Errors().find("gpu-command-encoder 'late'"), std::string::npos);
}

// An object of each kind, and what drops it.
struct Droppable {
  const char* kind;
  std::function<Rep(TestGuest&)> make;
  void (wit::WebgpuHost::*drop)(Rep) noexcept;
};

std::vector<Droppable> Droppables() {
  using H = wit::WebgpuHost;
  const auto labelled = [](std::string_view kind) {
    for (const auto& l : kLabelled) {
      if (l.kind == kind) return [&l](TestGuest& g) { return l.make(g, Str("l")); };
    }
    std::abort();
  };
  const auto messages = [](TestGuest& g) {
    Now<Rep> info;
    g.gpu->OnGpuShaderModuleGetCompilationInfo(g.Shader("fn"), info.done());
    return info.value;
  };
  return {
      {"gpu", [](TestGuest& g) { return g.Take(g.gpu->OnGetGpu()); }, &H::OnDropGpu},
      {"gpu-adapter", &Adapter, &H::OnDropGpuAdapter},
      {"gpu-adapter-info", [](TestGuest& g) { return g.Take(g.gpu->OnGpuDeviceAdapterInfo(g.device)); }, &H::OnDropGpuAdapterInfo},
      {"gpu-bind-group", labelled("gpu-bind-group"), &H::OnDropGpuBindGroup},
      {"gpu-bind-group-layout", labelled("gpu-bind-group-layout"), &H::OnDropGpuBindGroupLayout},
      {"gpu-buffer", labelled("gpu-buffer"), &H::OnDropGpuBuffer},
      {"gpu-command-buffer", labelled("gpu-command-buffer"), &H::OnDropGpuCommandBuffer},
      {"gpu-command-encoder", labelled("gpu-command-encoder"), &H::OnDropGpuCommandEncoder},
      {"gpu-compilation-info", messages, &H::OnDropGpuCompilationInfo},
      {"gpu-compilation-message",
       [messages](TestGuest& g) {
         const auto list = g.gpu->OnGpuCompilationInfoMessages(messages(g));
         return list && list->size ? (*list)[0] : 0;
       },
       &H::OnDropGpuCompilationMessage},
      {"gpu-compute-pass-encoder", labelled("gpu-compute-pass-encoder"), &H::OnDropGpuComputePassEncoder},
      {"gpu-compute-pipeline", labelled("gpu-compute-pipeline"), &H::OnDropGpuComputePipeline},
      {"gpu-device", labelled("gpu-device"), &H::OnDropGpuDevice},
      {"gpu-device-lost-info",
       [](TestGuest& g) {
         Now<Rep> lost;
         g.gpu->OnGpuDeviceLost(g.device, lost.done());
         TestGuest::Ok(g.gpu->OnGpuDeviceDestroy(g.device));
         return lost.value;
       },
       &H::OnDropGpuDeviceLostInfo},
      {"gpu-error",
       [](TestGuest& g) {
         TestGuest::Ok(g.gpu->OnGpuDevicePushErrorScope(g.device, wit::GpuErrorFilter::Validation));
         g.Buffer(16, 0);
         Now<Res<Opt<Rep>, wit::PopErrorScopeError>> popped;
         g.gpu->OnGpuDevicePopErrorScope(g.device, popped.done());
         return popped.value.ok.value;
       },
       &H::OnDropGpuError},
      {"gpu-pipeline-layout", labelled("gpu-pipeline-layout"), &H::OnDropGpuPipelineLayout},
      {"gpu-query-set", labelled("gpu-query-set"), &H::OnDropGpuQuerySet},
      {"gpu-queue", labelled("gpu-queue"), &H::OnDropGpuQueue},
      {"gpu-render-bundle", labelled("gpu-render-bundle"), &H::OnDropGpuRenderBundle},
      {"gpu-render-bundle-encoder", labelled("gpu-render-bundle-encoder"), &H::OnDropGpuRenderBundleEncoder},
      {"gpu-render-pass-encoder", labelled("gpu-render-pass-encoder"), &H::OnDropGpuRenderPassEncoder},
      {"gpu-render-pipeline", labelled("gpu-render-pipeline"), &H::OnDropGpuRenderPipeline},
      {"gpu-sampler", labelled("gpu-sampler"), &H::OnDropGpuSampler},
      {"gpu-shader-module", labelled("gpu-shader-module"), &H::OnDropGpuShaderModule},
      {"gpu-supported-features", [](TestGuest& g) { return g.Take(g.gpu->OnGpuDeviceFeatures(g.device)); }, &H::OnDropGpuSupportedFeatures},
      {"gpu-supported-limits", [](TestGuest& g) { return g.Take(g.gpu->OnGpuDeviceLimits(g.device)); }, &H::OnDropGpuSupportedLimits},
      {"gpu-texture", labelled("gpu-texture"), &H::OnDropGpuTexture},
      {"gpu-texture-view", labelled("gpu-texture-view"), &H::OnDropGpuTextureView},
      {"record-gpu-pipeline-constant-value", [](TestGuest& g) { return g.Take(g.gpu->OnRecordGpuPipelineConstantValueNew()); },
       &H::OnDropRecordGpuPipelineConstantValue},
      {"record-option-gpu-size64", [](TestGuest& g) { return g.Take(g.gpu->OnRecordOptionGpuSize64New()); },
       &H::OnDropRecordOptionGpuSize64},
      {"wgsl-language-features", [](TestGuest& g) { return g.Take(g.gpu->OnGpuWgslLanguageFeatures(g.Take(g.gpu->OnGetGpu()))); },
       &H::OnDropWgslLanguageFeatures},
  };
}

TEST(Drop, OfEachKindEndsThatHandleAndNoOther) {
  for (const auto& kind : Droppables()) {
    SCOPED_TRACE(kind.kind);
    TestGuest g(GpuMode::Exec);
    const Rep object = kind.make(g);
    ASSERT_NE(object, 0u);
    const size_t rows = g.gpu->stats().rows;
    wit::WebgpuHost& host = *g.gpu;
    (host.*kind.drop)(object);
    EXPECT_EQ(g.gpu->stats().rows, rows - 1);
    (host.*kind.drop)(object);
    EXPECT_EQ(g.gpu->stats().rows, rows - 1) << "a second drop takes nothing away";
  }
}

TEST(Drop, OfOneKindDoesNotEndAnother) {
  const auto kinds = Droppables();
  for (size_t i = 0; i < kinds.size(); ++i) {
    SCOPED_TRACE(kinds[i].kind);
    TestGuest g(GpuMode::Exec);
    const Rep object = kinds[i].make(g);
    const size_t rows = g.gpu->stats().rows;
    wit::WebgpuHost& host = *g.gpu;
    (host.*kinds[(i + 1) % kinds.size()].drop)(object);
    EXPECT_EQ(g.gpu->stats().rows, rows);
  }
}

TEST(Leftovers, TrapWithTheirName) {
  TestGuest g;
  const auto why = [](const auto& r) { return r ? std::string("no trap") : r.error().message(); };
  const auto sentence = [](std::string_view name) {
    return fmt::format("wasi:webgpu/webgpu@0.3.0-rc.2 [method]{} is not implemented by this host", name);
  };
  // Nothing hands out their resources, so any handle is a wrong one.
  EXPECT_EQ(why(g.gpu->OnGpuCanvasContextConfigure(g.device, {})), sentence("gpu-canvas-context.configure"));
  EXPECT_EQ(why(g.gpu->OnGpuCanvasContextUnconfigure(g.device)), sentence("gpu-canvas-context.unconfigure"));
  EXPECT_EQ(why(g.gpu->OnGpuCanvasContextGetConfiguration(g.device)), sentence("gpu-canvas-context.get-configuration"));
  EXPECT_EQ(why(g.gpu->OnGpuCanvasContextGetCurrentTexture(g.device)), sentence("gpu-canvas-context.get-current-texture"));
  EXPECT_EQ(why(g.gpu->OnGpuUncapturedErrorEventError(g.device)), sentence("gpu-uncaptured-error-event.error"));
}

}  // namespace
}  // namespace weft::host
