// SPDX-License-Identifier: Apache-2.0
// WGSL: what is read from the text, compiler messages, modules, compute pipelines.
#include "host/webgpu/encoder_test_guest.h"
#include "host/webgpu/shader_messages.h"
#include "host/webgpu/test_answer.h"
#include "host/webgpu/values.h"
#include "host/webgpu/wgsl_reflect.h"

namespace weft::host {
namespace {

using Kind = WgslBinding::Kind;

TEST(Reflect, FindsBindingsAndEntryPoints) {
  const auto m = ReflectWgsl(R"(
// @group(9) @binding(9) var<uniform> no: f32;
/* @group(8) /* nested */ @binding(8) var x: sampler; */
struct S { @size(16) a: f32 }
@group(0) @binding(0) var<storage, read_write> a: array<u32>;
@binding(1) @group(2u) var<storage> b: array<vec4<f32>>;
@group(0x1) @binding(3,) var<uniform> c: S;
@group(1) @binding(4) var d: texture_2d<f32>;
@group(1) @binding(5) var e: texture_storage_2d<rgba8unorm, write>;
@group(1) @binding(6) var f: sampler_comparison;
var<private> g: f32;
@compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) id: vec3u) { var x = 1; }
fn helper() {}
@vertex fn vs() -> @builtin(position) vec4f { return vec4f(); }
@fragment fn fs() -> @location(0) vec4f { return vec4f(); }
)");
  ASSERT_EQ(m.bindings.size(), 6u);
  EXPECT_EQ(m.bindings[0].kind, Kind::StorageReadWrite);
  EXPECT_EQ(m.bindings[1].kind, Kind::StorageRead);
  EXPECT_EQ(m.bindings[1].group, 2u);
  EXPECT_EQ(m.bindings[1].binding, 1u);
  EXPECT_EQ(m.bindings[2].kind, Kind::Uniform);
  EXPECT_EQ(m.bindings[2].group, 1u);
  EXPECT_EQ(m.bindings[3].kind, Kind::Texture);
  EXPECT_EQ(m.bindings[4].kind, Kind::StorageTexture);
  EXPECT_EQ(m.bindings[5].kind, Kind::Sampler);
  EXPECT_FALSE(m.uncertain);
  ASSERT_EQ(m.entries.size(), 3u);
  EXPECT_EQ(m.entries[0].name, "main");
  EXPECT_EQ(m.entries[2].stage, WgslEntry::Stage::Fragment);
}

TEST(Reflect, SaysWhenItIsNotCertain) {
  EXPECT_TRUE(ReflectWgsl("var<immediate> v: u32;").immediates);
  EXPECT_FALSE(ReflectWgsl("var<private> immediate: u32;").immediates);
  EXPECT_TRUE(ReflectWgsl("const k = 0; @group(k) @binding(0) var<storage> a: f32;").uncertain);
  EXPECT_TRUE(ReflectWgsl("@group(0) @binding(1 + 1) var<storage> a: f32;").uncertain);
  EXPECT_TRUE(ReflectWgsl("@group(0) @binding(0) var a: unheard_of;").uncertain);
  EXPECT_FALSE(ReflectWgsl("alias T = texture_2d<f32>; @group(0) @binding(0) var a: T;").uncertain);
}

TEST(Reflect, EndsOnAnyText) {
  for (const char* text : {"",
                           "@",
                           "@group",
                           "@group(",
                           "@group(0",
                           "var",
                           "var<",
                           "var<storage",
                           "/*",
                           "/* /*",
                           "fn",
                           "@compute fn",
                           "}}}",
                           "@group(0)((",
                           "struct",
                           "struct S {",
                           "struct S { @size(",
                           "alias A =",
                           "const",
                           "enable",
                           "fn f(((",
                           "fn f(a: b",
                           "fn f() -> {",
                           "fn f() { for { } } } }",
                           "fn f() { let",
                           "@compute @workgroup_size(",
                           "override x: array<"}) {
    ReflectWgsl(text);
    WgslNesting(text);
  }
}

TEST(Nesting, CountsWhatMakesTheCompilersStackGrow) {
  EXPECT_LT(WgslNesting(kAddOne), 12u);
  EXPECT_EQ(WgslNesting(std::string(500, '(')), 500u);
  EXPECT_GE(WgslNesting("let x = " + std::string(500, '-') + "1;"), 500u);
  std::string chain = "fn f() { if a {}", flat = "fn f() {";
  for (int i = 0; i < 500; ++i) chain += " else if a {}", flat += " if a < b {} x = y < z;";
  EXPECT_GE(WgslNesting(chain), 500u);
  EXPECT_LT(WgslNesting(flat), 12u);
}

TEST(Messages, AreReadFromTheCompilersText) {
  const std::string code = "fn f() {\n  let x = 1 +;\n}\n";
  const auto m = ReadCompilerText(
      "Validation Error\n\nCaused by:\n  In wgpuDeviceCreateShaderModule\n    \nShader '' parsing error: expected expression, found \";\"\n"
      "  \u250C\u2500 wgsl:2:14\n  \u2502\n2 \u2502   let x = 1 +;\n  \u2502              ^ expected expression\n\n\n\n",
      code);
  EXPECT_EQ(m.message, "expected expression, found \";\"");
  EXPECT_EQ(m.line, 2u);
  EXPECT_EQ(m.column, 14u);
  EXPECT_EQ(m.length, 1u);
  EXPECT_EQ(m.offset, 22u);
  EXPECT_EQ(ShowWithLine(m, code), "2:14: expected expression, found \";\"\n  2 |   let x = 1 +;\n    |              ^");
}

TEST(Messages, AreReadFromWhateverTheCompilerWrites) {
  const std::string code = "fn f() {\r\n\tlet \u00e4 = \U0001F600 1;\r\n}\n";
  // Notes are kept, a second caret is not, and what is said twice is said once.
  const auto noted = ReadCompilerText(
      "Shader 'a' validation error: it is wrong\n  \u250C\u2500 wgsl:2:11\n2 \u2502 x\n  \u2502 ^^ it is wrong\n  \u2502 ^ later\n"
      "  = note: because\n  = it is so\n  \u250C\u2500 wgsl:1:1\n",
      code);
  EXPECT_EQ(noted.message, "it is wrong (because) (it is so)");
  EXPECT_EQ(noted.line, 2u);
  EXPECT_EQ(noted.column, 12u);
  EXPECT_EQ(noted.length, 2u);
  // The emoji is one character and two units of UTF-16.
  const auto behind = ReadCompilerText("what\nmore\n\u250C\u2500 wgsl:2:12\n\u2502 ^ why\n", code);
  EXPECT_EQ(behind.message, "what: more: why");
  EXPECT_EQ(behind.column, 13u);
  EXPECT_EQ(ReadCompilerText("\u250C\u2500 wgsl:2:12\n\u2502 ^ only why", code).message, "only why");
  for (const char* place : {"", "2", "2:", ":2", "wgsl:x:1", "wgsl:1:y", "wgsl:1:2z", "wgsl:99999999999999999999:1"}) {
    const auto m = ReadCompilerText(std::string("what\n\u250C\u2500 ") + place + "\n", code);
    EXPECT_EQ(m.message, "what") << place;
    EXPECT_EQ(ShowWithLine(m, code).substr(0, 4), m.line ? ShowWithLine(m, code).substr(0, 4) : "what") << place;
  }
  // Beyond the end of the text, and in a line too long to show.
  EXPECT_EQ(ReadCompilerText("what\n\u250C\u2500 wgsl:77:9\n", code).line, 77u);
  const std::string wide(500, 'x');
  const auto far = MessageAt(wide, 400, 90);
  EXPECT_LT(ShowWithLine(far, wide).size(), 400u);
  EXPECT_EQ(MessageAt(code, code.size(), 0).line, 4u);
}

std::string LongestLine(std::string_view text) {
  std::string longest;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    if (line.size() > longest.size()) longest = line;
    text = line.size() == text.size() ? std::string_view() : text.substr(line.size() + 1);
  }
  return longest;
}

TEST(ShaderModule, ShowsTheLineWithACaret) {
  TestGuest g;
  wit::GpuShaderModuleDescriptor d;
  d.label = Str("blur");
  d.code = Str("fn helper() {}\n@compute @workgroup_size(1) fn main() {\n\tmissing();\n}\n");
  const Rep module = g.Take(g.gpu->OnGpuDeviceCreateShaderModule(g.device, d));
  EXPECT_EQ(g.Errors(),
            "creating gpu-shader-module 'blur': 3:2: no definition in scope for identifier: `missing`: unknown identifier\n"
            "  3 |  missing();\n    |  ^^^^^^^\n");
  Answer<Rep> info;
  g.gpu->OnGpuShaderModuleGetCompilationInfo(module, info.done());
  auto messages = g.gpu->OnGpuCompilationInfoMessages(info.Wait());
  ASSERT_EQ(messages->size, 1u);
  const Rep m = (*messages)[0];
  EXPECT_EQ(*g.gpu->OnGpuCompilationMessageType(m), wit::GpuCompilationMessageType::Error);
  EXPECT_EQ(*g.gpu->OnGpuCompilationMessageLineNum(m), 3u);
  EXPECT_EQ(*g.gpu->OnGpuCompilationMessageLinePos(m), 2u);
  EXPECT_EQ(*g.gpu->OnGpuCompilationMessageOffset(m), 56u);
  EXPECT_EQ(*g.gpu->OnGpuCompilationMessageLength(m), 7u);
  EXPECT_NE(g.gpu->OnGpuCompilationMessageMessage(m)->view().find("missing"), std::string_view::npos);
}

TEST(ShaderModule, MessagesHaveTheirType) {
  // The library's compiler gives errors only.
  TestGuest g;
  using Type = wit::GpuCompilationMessageType;
  for (const Type type : {Type::Error, Type::Warning, Type::Info}) {
    CompilationMessage message;
    message.type = type;
    const Rep rep = g.Take(g.gpu->Add(MakeRef<VCompilationMessage>(g.gpu->account(), message)));
    EXPECT_EQ(*g.gpu->OnGpuCompilationMessageType(rep), type);
  }
}

TEST(ShaderModule, OfOneLongLineKeepsTheMessageShort) {
  TestGuest g;
  g.Shader("fn f() { " + std::string(5000, ' ') + "let x = ; " + std::string(5000, ' ') + "}");
  EXPECT_LT(LongestLine(g.Errors()).size(), 200u);
}

TEST(ShaderModule, NestedTooDeepIsRefusedBeforeTheCompiler) {
  TestGuest g;
  const std::string deep(100000, '(');
  g.Shader("@compute @workgroup_size(1) fn main() { let x = " + deep + "1; }");
  EXPECT_NE(g.Errors().find("levels deep; at most 2000 are compiled"), std::string::npos);
  // Just below, on the big stack: an answer of the compiler, whichever.
  const std::string open(1900, '('), close(1900, ')');
  g.Compute("@compute @workgroup_size(1) fn main() { let x = " + open + "1" + close + "; }");
  g.Errors();
}

TEST(ShaderModule, WithoutErrorsHasNoMessages) {
  TestGuest g;
  Answer<Rep> info;
  g.gpu->OnGpuShaderModuleGetCompilationInfo(g.Shader(kAddOne), info.done());
  EXPECT_EQ(g.gpu->OnGpuCompilationInfoMessages(info.Wait())->size, 0u);
  EXPECT_EQ(g.Errors(), "");
}

// --- compute pipelines ---

constexpr std::string_view kTwo = R"(
override scale: f32 = 1.0;
@group(0) @binding(0) var<storage, read_write> data: array<f32>;
@compute @workgroup_size(1) fn one() { data[0] = scale; }
@compute @workgroup_size(1) fn two() { data[1] = scale; }
)";

std::string PipelineRefusal(TestGuest& g, Rep module, Opt<Str> entry, Opt<Rep> constants = {}) {
  wit::GpuComputePipelineDescriptor d;
  d.compute.module = module;
  d.compute.entry_point = entry;
  d.compute.constants = constants;
  d.layout = g.Auto();
  d.label = Str("p");
  g.Take(g.gpu->OnGpuDeviceCreateComputePipeline(g.device, d));
  std::string errors = g.Errors();
  const std::string prefix = "creating gpu-compute-pipeline 'p': ";
  if (errors.starts_with(prefix)) errors = errors.substr(prefix.size());
  if (!errors.empty()) errors.pop_back();
  return errors;
}

TEST(ComputePipeline, NamesTheEntryPointsThatThereAre) {
  TestGuest g;
  const Rep m = g.Shader(kTwo);
  EXPECT_EQ(PipelineRefusal(g, m, Str("one")), "");
  EXPECT_EQ(PipelineRefusal(g, m, Str("three")), "gpu-shader-module without a label has no compute entry point 'three'; it has one, two");
  EXPECT_EQ(PipelineRefusal(g, m, {}), "no compute entry point was named, and gpu-shader-module without a label has one, two");
  EXPECT_EQ(PipelineRefusal(g, g.Shader(kTriangle), {}),
            "no compute entry point was named, and gpu-shader-module without a label has none");
  const Rep bad = g.Shader("fn");
  g.Errors();
  EXPECT_EQ(PipelineRefusal(g, bad, {}), "gpu-shader-module without a label is invalid: its creation failed");
}

TEST(ComputePipeline, TakesConstantsAndRefusesStrangeOnes) {
  TestGuest g;
  const Rep m = g.Shader(kTwo);
  auto constants = [&](std::string_view name, double value) {
    const Rep r = g.Take(g.gpu->OnRecordGpuPipelineConstantValueNew());
    g.Ok(g.gpu->OnRecordGpuPipelineConstantValueAdd(r, Str(name), value));
    return Opt<Rep>(r);
  };
  EXPECT_EQ(PipelineRefusal(g, m, Str("one"), constants("scale", 2)), "");
  EXPECT_NE(PipelineRefusal(g, m, Str("one"), constants("nobody", 2)), "");
  EXPECT_EQ(PipelineRefusal(g, m, Str("one"), constants("scale", 1.0 / 0.0)),
            "the compute stage's constant 'scale' is inf, not a finite number");
  EXPECT_NE(PipelineRefusal(g, m, Str("one"), constants("scale", 1e300)), "");
}

TEST(ComputePipeline, AsyncAnswersWithTheErrorAndNoScopeSeesIt) {
  TestGuest g;
  wit::GpuComputePipelineDescriptor d;
  d.compute.module = g.Shader(kTwo);
  d.compute.entry_point = Str("nope");
  d.layout = g.Auto();
  using Made = Res<Rep, wit::CreatePipelineError>;
  Answer<Made> bad, good;
  g.gpu->OnGpuDeviceCreateComputePipelineAsync(g.device, d, bad.done());
  EXPECT_TRUE(bad.Wait().is_err);
  EXPECT_EQ(bad.Wait().err.kind.gpu_pipeline_error, wit::GpuPipelineErrorReason::Validation);
  EXPECT_NE(bad.message().find("has no compute entry point 'nope'"), std::string::npos);
  EXPECT_EQ(g.Errors(), "");
  d.compute.entry_point = Str("two");
  g.gpu->OnGpuDeviceCreateComputePipelineAsync(g.device, d, good.done());
  ASSERT_FALSE(good.Wait().is_err);
  EXPECT_TRUE(g.gpu->OnGpuComputePipelineGetBindGroupLayout(good.Wait().ok, 0));
  EXPECT_EQ(g.Errors(), "");
}

TEST(ComputePipeline, GivesItsBindGroupLayouts) {
  TestGuest g;
  const Rep automatic = g.Compute(kAddOne);
  auto layout = [&](Rep pipeline, uint32_t i) {
    return *g.gpu->Get<VBindGroupLayout>(g.Take(g.gpu->OnGpuComputePipelineGetBindGroupLayout(pipeline, i)));
  };
  EXPECT_TRUE(layout(automatic, 0)->valid());
  EXPECT_EQ(layout(automatic, 0).get(), layout(automatic, 0).get());
  EXPECT_FALSE(layout(automatic, 0)->Equivalent(*layout(g.Compute(kAddOne), 0)));
  // Beyond what the shader has: whatever the library thinks of it, using it hurts nobody.
  for (const uint32_t index : {1u, 2u, 7u}) {
    const Rep beyond = g.Take(g.gpu->OnGpuComputePipelineGetBindGroupLayout(automatic, index));
    const Rep group = g.Group(beyond, {});
    g.Group(beyond, {g.BindBuffer(0, g.Buffer(64, BU::Storage))});
    const Rep e = g.Encoder();
    const Rep pass = g.BeginCompute(e);
    g.Ok(g.gpu->OnGpuComputePassEncoderSetPipeline(pass, automatic));
    EXPECT_TRUE(g.gpu->OnGpuComputePassEncoderSetBindGroup(pass, index, group, {}, {}, {}));
    g.Ok(g.gpu->OnGpuComputePassEncoderDispatchWorkgroups(pass, 1, {}, {}));
    g.Ok(g.gpu->OnGpuComputePassEncoderEnd(pass));
    g.FinishAndSubmit(e);
  }
  g.Errors();
  EXPECT_FALSE(layout(automatic, 4000)->valid());
  EXPECT_NE(g.Errors().find("maxBindGroups"), std::string::npos);

  const Rep bgl = g.Layout({g.BufferEntry(0, wit::GpuBufferBindingType::Storage)});
  const Rep fixed = g.Compute(kAddOne, g.With(g.PipelineLayout({bgl})));
  EXPECT_EQ(layout(fixed, 0).get(), g.gpu->Get<VBindGroupLayout>(bgl)->get());
  // Behind its end a layout has groups of no bindings.
  EXPECT_TRUE(layout(fixed, 1)->valid());
  g.Group(g.Take(g.gpu->OnGpuComputePipelineGetBindGroupLayout(fixed, 1)), {});
  EXPECT_EQ(g.Errors(), "");
  EXPECT_FALSE(layout(fixed, 4000)->valid());
  EXPECT_NE(g.Errors().find("maxBindGroups"), std::string::npos);
  // The layout of an "auto" pipeline goes with that pipeline only.
  g.PipelineLayout({g.Take(g.gpu->OnGpuComputePipelineGetBindGroupLayout(automatic, 0))});
  EXPECT_NE(g.Errors().find("belongs to a pipeline with layout auto"), std::string::npos);
}

TEST(ComputePipeline, WhoseLayoutLacksABindingIsRefused) {
  TestGuest g;
  g.Compute(kAddOne, g.With(g.PipelineLayout({})));
  EXPECT_NE(g.Errors(), "");
}

}  // namespace
}  // namespace weft::host
