// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <weft_plugin.h>

static const char kWgsl[] = {
#embed "blur.wgsl" suffix(, 0)
};

enum { RADIUS, EDGES };
enum { MAX_RADIUS = 64, SPAN = 128 };

static const char* const kEdges[] = {"clamp", "mirror", "wrap", "transparent", NULL};
static const weft_parameter kParameters[] = {
    [RADIUS] = {.id = "radius",
                .label = "Radius",
                .description = "Reach of the blur in pixels: three standard deviations.",
                .type = WEFT_NUMBER,
                .look = WEFT_LOOK_SLIDER,
                .value = {8},
                .range = WEFT_RANGE(0, MAX_RADIUS),
                .step = 0.1,
                .animatable = true,
                .reconfigures = true},
    [EDGES] = {.id = "edges",
               .label = "Edges",
               .description = "What lies beyond the picture.",
               .type = WEFT_CHOICE,
               .choices = kEdges,
               .animatable = true},
};
static const weft_port kInputs[] = {{.id = "input", .label = "Picture", .color = WEFT_LINEAR, .alpha = WEFT_PREMULTIPLIED}};
static const weft_port kOutputs[] = {
    {.id = "output", .label = "Blurred", .color = WEFT_LINEAR, .alpha = WEFT_PREMULTIPLIED, .overwrites = true}};

// As in blur.wgsl.
typedef struct {
  float weights[17 * 4];
  uint32_t taps, edge, vertical, unused;
} Params;

typedef struct {
  weft_compute_pipeline along, down;
  weft_view half_done;
  weft_buffer along_params, down_params;
} Blur;

// The picture between the two passes: half floats are finer than any 8-bit result needs.
static weft_format BetweenFormat(weft_format output) { return output == WEFT_RGBA32FLOAT ? output : WEFT_RGBA16FLOAT; }

static weft_compute_pipeline MakePass(weft_context* context, weft_format format) {
  const char* wgsl = weft_replace(context, kWgsl, "OUTPUT_FORMAT", weft_format_name(format));
  return weft_make_compute(context, weft_make_shader(context, wgsl), "blur");
}

static bool Configure(weft_context* context, weft_plan* plan) {
  (void)plan;
  if (weft_number(context, RADIUS) == 0) weft_pass_through(context, 0, 0);
  if (weft_reuse(context)) return true;
  Blur* blur = weft_state(context);
  const weft_frame_info* info = weft_output_info(context, 0);
  blur->along = MakePass(context, BetweenFormat(info->format));
  blur->down = MakePass(context, info->format);
  blur->half_done = weft_make_view(context, weft_make_texture(context, info->width, info->height, BetweenFormat(info->format)));
  blur->along_params = weft_make_uniform(context, sizeof(Params));
  blur->down_params = weft_make_uniform(context, sizeof(Params));
  return true;
}

static Params MakeParams(double radius, uint32_t edge) {
  Params params = {.taps = (uint32_t)ceil(radius), .edge = edge};
  double sigma = radius / 3, sum = 0, weights[MAX_RADIUS + 1];
  for (uint32_t k = 0; k <= params.taps; ++k) {
    weights[k] = k == 0 ? 1 : exp(-(double)(k * k) / (2 * sigma * sigma));
    sum += k == 0 ? weights[k] : 2 * weights[k];
  }
  for (uint32_t k = 0; k <= params.taps; ++k) params.weights[k] = (float)(weights[k] / sum);
  return params;
}

static bool Process(weft_context* context, const weft_frame* frame) {
  Blur* blur = weft_state(context);
  const weft_frame_info* info = weft_output_info(context, 0);
  Params params = MakeParams(weft_number(context, RADIUS), weft_choice(context, EDGES));
  weft_write(context, blur->along_params, 0, &params, sizeof params);
  params.vertical = 1;
  weft_write(context, blur->down_params, 0, &params, sizeof params);
  weft_binding along[] = {weft_bind_texture(0, weft_input(frame, 0)), weft_bind_view(1, blur->half_done),
                          weft_bind_buffer(2, blur->along_params)};
  weft_binding down[] = {weft_bind_view(0, blur->half_done), weft_bind_texture(1, weft_output(frame, 0)),
                         weft_bind_buffer(2, blur->down_params)};
  weft_compute(context, blur->along, along, 3, weft_groups(info->width, SPAN), info->height, 1);
  weft_compute(context, blur->down, down, 3, weft_groups(info->height, SPAN), info->width, 1);
  return true;
}

const weft_plugin weft_plugin_main = {
    .id = "org.weft.gaussian-blur",
    .label = "Gaussian blur",
    .version = "1.0.0",
    .description = "Separable Gaussian blur in linear light.",
    WEFT_INPUTS(kInputs),
    WEFT_OUTPUTS(kOutputs),
    WEFT_PARAMETERS(kParameters),
    .state_size = sizeof(Blur),
    .configure = Configure,
    .process = Process,
};
