// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <weft_plugin.hpp>

#include "cube.h"

namespace {

constexpr char kWgsl[] = {
#embed "grade.wgsl" suffix(, 0)
};

enum Parameter { kExposure, kContrast, kPivot, kSaturation, kLift, kGamma, kGain, kLut, kLutSpace, kMix };

constexpr const char* kLutSpaces[] = {"srgb", "linear", nullptr};

constexpr weft_parameter Number(const char* id, const char* label, const char* group, double value, double low, double high) {
  return {.id = id,
          .label = label,
          .group = group,
          .look = WEFT_LOOK_SLIDER,
          .value = {value},
          .range = WEFT_RANGE(low, high),
          .step = 0.01,
          .animatable = true};
}
constexpr weft_parameter Color(const char* id, const char* label, double value, double low, double high) {
  return {.id = id,
          .label = label,
          .group = "balance",
          .type = WEFT_VECTOR,
          .look = WEFT_LOOK_COLOR,
          .value = {value, value, value, 1},
          .range = WEFT_RANGE(low, high),
          .animatable = true};
}

constexpr weft_parameter kParameters[] = {
    Number("exposure", "Exposure (stops)", "light", 0, -10, 10),
    Number("contrast", "Contrast", "light", 1, 0, 4),
    Number("pivot", "Pivot", "light", 0.18, 0.001, 4),
    Number("saturation", "Saturation", "light", 1, 0, 4),
    Color("lift", "Lift", 0, -1, 1),
    Color("gamma", "Gamma", 1, 0.01, 10),
    Color("gain", "Gain", 1, 0, 10),
    {.id = "lut", .label = "LUT (.cube)", .group = "lut", .type = WEFT_BYTES, .look = WEFT_LOOK_FILE, .reconfigures = true},
    {.id = "lut-space", .label = "LUT space", .group = "lut", .type = WEFT_CHOICE, .choices = kLutSpaces, .animatable = true},
    Number("mix", "Mix", "result", 1, 0, 1),
};
constexpr weft_port kInputs[] = {{.id = "input", .label = "Picture", .color = WEFT_LINEAR, .alpha = WEFT_STRAIGHT}};
constexpr weft_port kOutputs[] = {{.id = "output", .label = "Graded", .color = WEFT_LINEAR, .alpha = WEFT_STRAIGHT, .overwrites = true}};

// As in grade.wgsl.
struct Params {
  float lift[4], gamma[4], gain[4], domain_min[4], domain_max[4];
  float exposure, contrast, pivot, saturation, mix;
  uint32_t lut_size, lut_srgb, unused;
};

class Grade : public weft::Effect {
 public:
  static constexpr weft_plugin Describe() {
    return {.id = "org.weft.grade",
            .label = "Grade",
            .version = "1.0.0",
            .description = "Exposure, lift/gamma/gain, contrast, saturation and a 3D LUT, in linear light.",
            WEFT_INPUTS(kInputs),
            WEFT_OUTPUTS(kOutputs),
            WEFT_PARAMETERS(kParameters)};
  }

  explicit Grade(weft::Context context) : Effect(context) {}

  bool Configure(weft::Plan&) {
    Cube cube;
    if (std::string_view file = context.Bytes(kLut); !file.empty()) {
      if (CubeError error = ParseCube(file, cube); error.what) {
        if (error.line == 0) return context.Fail("Parameter 'lut' is no .cube file that this plugin reads: ", error.what, ".");
        return context.Fail("Parameter 'lut' is no .cube file that this plugin reads, line ", context.Digits(error.line), ": ", error.what,
                            ".");
      }
    }
    // Without a LUT the binding still needs a texture: one entry that is never read.
    lut_size_ = cube.size;
    if (cube.size == 0) cube.texels.assign(4, 0.0f);
    uint32_t edge = cube.size ? cube.size : 1;
    lut_ = weft_make_view(context.get(), weft_make_volume(context.get(), edge, edge, edge, WEFT_RGBA32FLOAT, cube.texels.data(), 16));
    domain_min_ = cube.domain_min;
    domain_max_ = cube.domain_max;
    pipeline_ = context.ComputePipeline(
        context.Shader(context.Replace(kWgsl, "OUTPUT_FORMAT", weft_format_name(context.Output(0)->format))), "grade");
    params_ = context.Uniform(sizeof(Params));
    return true;
  }

  bool Process(const weft::Frame& frame) {
    Params params = {};
    for (size_t i = 0; i < 3; ++i) {
      params.lift[i] = static_cast<float>(context.Vector(kLift)[i]);
      params.gamma[i] = static_cast<float>(context.Vector(kGamma)[i]);
      params.gain[i] = static_cast<float>(context.Vector(kGain)[i]);
      params.domain_min[i] = domain_min_[i];
      params.domain_max[i] = domain_max_[i];
    }
    params.exposure = static_cast<float>(std::exp2(context.Number(kExposure)));
    params.contrast = static_cast<float>(context.Number(kContrast));
    params.pivot = static_cast<float>(context.Number(kPivot));
    params.saturation = static_cast<float>(context.Number(kSaturation));
    params.mix = static_cast<float>(context.Number(kMix));
    params.lut_size = lut_size_;
    params.lut_srgb = context.Choice(kLutSpace) == 0;
    context.Write(params_, params);
    const weft::FrameInfo& info = *context.Output(0);
    context.Compute(pipeline_,
                    {weft_bind_texture(0, frame.Input(0)), weft_bind_texture(1, frame.Output(0)), weft_bind_buffer(2, params_),
                     weft_bind_view(3, lut_)},
                    weft_groups(info.width, 8), weft_groups(info.height, 8));
    return true;
  }

 private:
  weft_compute_pipeline pipeline_ = {};
  weft_buffer params_ = {};
  weft_view lut_ = {};
  uint32_t lut_size_ = 0;
  std::array<float, 3> domain_min_ = {}, domain_max_ = {};
};

}  // namespace

WEFT_PLUGIN(Grade)
