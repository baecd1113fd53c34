// SPDX-License-Identifier: Apache-2.0
// What an entry point uses, as read from the text, and what the host does with it before the library hears of it.
#include "host/webgpu/wgsl_reflect.h"

#include "host/webgpu/encoder_test_guest.h"

namespace weft::host {
namespace {

using Stage = WgslEntry::Stage;

std::string Used(const WgslModule& m, Stage stage, std::string_view entry) {
  std::string names;
  const WgslEntry* e = m.Find(stage, entry);
  EXPECT_NE(e, nullptr);
  if (e == nullptr) return names;
  std::vector<uint32_t> uses = e->uses;
  std::sort(uses.begin(), uses.end());
  for (const uint32_t i : uses) names += m.bindings[i].name + " ";
  return names;
}

TEST(Reflect, AnEntryPointUsesWhatItsFunctionsUse) {
  const auto m = ReflectWgsl(R"(
@group(0) @binding(0) var<storage> a: array<f32>;
@group(0) @binding(1) var<storage> b: array<f32>;
@group(1) @binding(0) var<uniform> c: f32;
fn leaf() -> f32 { return b[0]; }
fn twig() -> f32 { return leaf() + 1.0; }
@compute @workgroup_size(1) fn one() { _ = twig(); }
@compute @workgroup_size(1) fn two() { _ = a[1] + c; }
@compute @workgroup_size(1) fn none() { let x = S(1.0).c; }
struct S { c: f32 }
)");
  EXPECT_EQ(Used(m, Stage::Compute, "one"), "b ");
  EXPECT_EQ(Used(m, Stage::Compute, "two"), "a c ");
  EXPECT_EQ(Used(m, Stage::Compute, "none"), "");
}

TEST(Reflect, ABodysOwnNamesHideTheModules) {
  const auto m = ReflectWgsl(R"(
@group(0) @binding(0) var<storage> a: array<u32>;
@group(0) @binding(1) var<storage> b: array<u32>;
@group(0) @binding(2) var<storage> c: array<u32>;
@group(0) @binding(3) var<storage> d: array<u32>;
fn parameter(a: u32) -> u32 { return a; }
@compute @workgroup_size(1) fn hidden() { let b = parameter(1u); { var c = b; c += b; } for (var d = 0u; d < 3u; d++) { _ = d; } }
@compute @workgroup_size(1) fn before() { let b = b[0]; _ = b; }
@compute @workgroup_size(1) fn behind() { { let c = 1u; _ = c; } _ = c[0]; for (var d = 0u; d < 3u; d++) {} _ = d[0]; }
)");
  EXPECT_EQ(Used(m, Stage::Compute, "hidden"), "");
  EXPECT_EQ(Used(m, Stage::Compute, "before"), "b ");
  EXPECT_EQ(Used(m, Stage::Compute, "behind"), "c d ");
}

TEST(Reflect, KnowsWhatAFragmentShaderWrites) {
  const auto m = ReflectWgsl(R"(
struct Out { @location(2) two: vec4f, @builtin(frag_depth) depth: f32, @location(0) zero: vec4f, }
const n = 1;
struct Vague { @location(n) one: vec4f }
alias Same = Out;
@fragment fn one() -> @location(1) vec4f { return vec4f(); }
@fragment fn many() -> Same { return Same(); }
@fragment fn none() {}
@fragment fn vague() -> Vague { return Vague(); }
)");
  EXPECT_EQ(*m.Find(Stage::Fragment, "one")->outputs, std::vector<uint32_t>{1});
  EXPECT_EQ(*m.Find(Stage::Fragment, "many")->outputs, (std::vector<uint32_t>{2, 0}));
  EXPECT_TRUE(m.Find(Stage::Fragment, "none")->outputs->empty());
  EXPECT_FALSE(m.Find(Stage::Fragment, "vague")->outputs);
}

TEST(Reflect, KnowsTheSizesOfTypes) {
  const auto m = ReflectWgsl(R"(
const four = 4u; override many: u32 = 3; @id(9) override more: u32 = 5;
struct A { a: f32, b: vec3f, c: vec2<f16>, @size(32) d: u32 }
struct B { @align(64) a: A, b: mat3x3f }
alias C = array<B, four>;
)");
  auto none = [](std::string_view) { return std::optional<double>(); };
  auto size = [&](WgslType type) { return WgslSizeOf(m, type, none).value_or(0); };
  EXPECT_EQ(size({"vec3", "<", "f32", ">"}), 12u);
  EXPECT_EQ(size({"mat4x3f"}), 64u);
  EXPECT_EQ(size({"array", "<", "vec3f", ",", "2", ">"}), 32u);
  EXPECT_EQ(size({"array", "<", "atomic", "<", "u32", ">", ",", "many", ">"}), 12u);
  EXPECT_EQ(size({"A"}), 64u);   // 0, 16 to 28, 28, 32 to 64
  EXPECT_EQ(size({"B"}), 128u);  // 64 and 48, of alignment 64
  EXPECT_EQ(size({"C"}), 512u);
  EXPECT_EQ(size({"array", "<", "f32", ">"}), 0u);
  EXPECT_EQ(size({"ptr", "<", "function", ",", "f32", ">"}), 0u);
  auto given = [](std::string_view key) { return key == "9" ? std::optional<double>(7) : std::nullopt; };
  EXPECT_EQ(WgslInteger(m, {"more"}, given), 7u);
  EXPECT_EQ(WgslInteger(m, {"many"}, given), 3u);
  EXPECT_FALSE(WgslInteger(m, {"many", "+", "1"}, given));
  EXPECT_EQ(size({"vec2", "<", "f16", ">"}), 4u);
  EXPECT_EQ(size({"vec4h"}), 8u);
  EXPECT_EQ(size({"vec2i"}), 8u);
  EXPECT_EQ(size({"vec3u"}), 12u);
  EXPECT_EQ(size({"mat2x4", "<", "f16", ">"}), 16u);
  EXPECT_EQ(size({"bool"}), 4u);
  EXPECT_EQ(size({"f16"}), 2u);
  EXPECT_EQ(size({"i32"}), 4u);
  // What it cannot tell has no size rather than a wrong one.
  for (const WgslType& vague : {WgslType{},
                                {"vec5f"},
                                {"vec1f"},
                                {"vec3x"},
                                {"vec3"},
                                {"vec3", "<", "string", ">"},
                                {"vec3", "<", ">"},
                                {"mat9x9"},
                                {"mat3x3x"},
                                {"matrix"},
                                {"atomic"},
                                {"atomic", "<", "A", ",", "B", ">"},
                                {"sampler"},
                                {"array", "<", "nobody", ",", "4", ">"},
                                {"array", "<", "f32", ",", "nobody", ">"},
                                {"array", "<", "f32", ",", "(", "1", ",", "2", ")", ">"},
                                {"array", "<", "f32", ",", "5000000000", ">"}}) {
    EXPECT_EQ(size(vague), 0u) << (vague.empty() ? "nothing" : vague[0]);
  }
  const auto odd =
      ReflectWgsl("struct S { a: S } alias T = T; struct Z { @align(0) a: f32 } override no: u32; struct V { @align(1 + 1) a: f32 }");
  for (const char* name : {"S", "T", "Z", "V"}) EXPECT_FALSE(WgslSizeOf(odd, {name}, none)) << name;
  EXPECT_FALSE(WgslInteger(odd, {"no"}, none));
  for (const double bad : {-1.0, 5e9}) {
    EXPECT_FALSE(WgslInteger(m, {"many"}, [&](std::string_view) { return std::optional(bad); }));
  }
}

// --- the rules that stand on it; an exec device has the default limits, which the real one exceeds ---

std::string ComputeErrors(std::string_view wgsl) {
  TestGuest g(GpuMode::Exec);
  g.Compute(wgsl);
  return g.Errors();
}

TEST(Limits, OfWorkgroupsAreThoseOfTheDeviceThatWasAskedFor) {
  EXPECT_EQ(ComputeErrors("@compute @workgroup_size(16, 16) fn main() {}"), "");
  EXPECT_EQ(ComputeErrors("@compute @workgroup_size(16, 17) fn main() {}"),
            "creating gpu-compute-pipeline 'p': a workgroup has 272 invocations, the limit maxComputeInvocationsPerWorkgroup is 256\n");
  EXPECT_EQ(ComputeErrors("override w = 257u; @compute @workgroup_size(w) fn main() {}"),
            "creating gpu-compute-pipeline 'p': the workgroup size is 257 in X, the limit maxComputeWorkgroupSizeX is 256\n");
  EXPECT_EQ(ComputeErrors("var<workgroup> a: array<vec4f, 1024>; @compute @workgroup_size(1) fn main() { a[0] = vec4f(); }"), "");
  EXPECT_EQ(
      ComputeErrors("var<workgroup> a: array<vec4f, 1025>; @compute @workgroup_size(1) fn main() { a[0] = vec4f(); }"),
      "creating gpu-compute-pipeline 'p': a workgroup has 16400 bytes of memory, the limit maxComputeWorkgroupStorageSize is 16384\n");
  EXPECT_EQ(ComputeErrors("var<workgroup> a: array<vec4f, 1025>; @compute @workgroup_size(1) fn main() {}"), "");
}

TEST(Limits, OfALayoutThatIsMadeAreThoseOfTheDeviceThatWasAskedFor) {
  auto shader = [](int buffers) {
    std::string code, sum = "0u";
    for (int i = 0; i < buffers; ++i) {
      code += fmt::format("@group(0) @binding({}) var<storage, read> b{}: u32;\n", i, i);
      sum += fmt::format(" + b{}", i);
    }
    return code + "@compute @workgroup_size(1) fn main() { let x = " + sum + "; }";
  };
  EXPECT_EQ(ComputeErrors(shader(8)), "");
  EXPECT_EQ(ComputeErrors(shader(9)),
            "creating gpu-compute-pipeline 'p': 'main' uses 9 of what maxStorageBuffersPerShaderStage allows 8 of\n");
}

TEST(ShaderModule, EnablesOnlyWhatItsDeviceHas) {
  TestGuest g(GpuMode::Exec);
  g.Shader("// half\nenable f16;\nfn f(x: f16) -> f16 { return x; }");
  EXPECT_EQ(g.Errors(),
            "creating gpu-shader-module without a label: 2:8: the device has no feature for `enable f16`\n"
            "  2 | enable f16;\n    |        ^^^\n");
}

TEST(RenderPipeline, MasksWhatItsShaderDoesNotWrite) {
  TestGuest g;
  g.Render(kTriangle, {.targets = {g.Target(TF::Rgba8unorm), g.Target(TF::R8unorm)}});
  EXPECT_EQ(g.Errors(),
            "creating gpu-render-pipeline 'rp': target 1: 'fs' has no output @location(1); the target's write mask must be empty\n");
  auto masked = g.Target(TF::R8unorm);
  masked.value.write_mask = wit::GpuColorWrite{};
  g.Render(kTriangle, {.targets = {g.Target(TF::Rgba8unorm), masked, {}}});
  EXPECT_EQ(g.Errors(), "");
}

TEST(AutoLayout, AGroupThatIsMissingIsAnErrorOfFinish) {
  TestGuest g;
  const Rep pipeline = g.Compute(kAddOne), e = g.Encoder("e"), pass = g.BeginCompute(e);
  g.Ok(g.gpu->OnGpuComputePassEncoderSetPipeline(pass, pipeline));
  g.Ok(g.gpu->OnGpuComputePassEncoderDispatchWorkgroups(pass, 1, {}, {}));
  g.Ok(g.gpu->OnGpuComputePassEncoderEnd(pass));
  EXPECT_EQ(g.Errors(), "");
  g.Finish(e);
  EXPECT_NE(g.Errors().find("gpu-compute-pipeline 'p' needs a bind group at index 0, and none is set."), std::string::npos);
}

TEST(AutoLayout, ABufferThatIsReadAndWrittenIsAnErrorOfFinish) {
  TestGuest g;
  const Rep pipeline = g.Compute(R"(
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> b: array<u32>;
@compute @workgroup_size(1) fn main() { b[0] = a[0]; }
)");
  const Rep layout = g.Take(g.gpu->OnGpuComputePipelineGetBindGroupLayout(pipeline, 0));
  const Rep one = g.Buffer(16, BU::Storage, "one"), two = g.Buffer(16, BU::Storage, "two");
  for (const Rep written : {two, one}) {
    const Rep group = g.Group(layout, {g.BindBuffer(0, one), g.BindBuffer(1, written)}), e = g.Encoder(), pass = g.BeginCompute(e);
    g.Ok(g.gpu->OnGpuComputePassEncoderSetPipeline(pass, pipeline));
    EXPECT_TRUE(g.gpu->OnGpuComputePassEncoderSetBindGroup(pass, 0, group, {}, {}, {}));
    g.Ok(g.gpu->OnGpuComputePassEncoderDispatchWorkgroups(pass, 1, {}, {}));
    g.Ok(g.gpu->OnGpuComputePassEncoderEnd(pass));
    g.Finish(e);
    const std::string errors = g.Errors();
    EXPECT_EQ(errors.find("gpu-buffer 'one' is used as") != std::string::npos, written == one) << errors;
  }
}

}  // namespace
}  // namespace weft::host
