#include <weft_plugin.h>

static const char kWgsl[] = {
#embed "vignette.wgsl" suffix(, 0)
};

enum { AMOUNT, SOFTNESS };

static const weft_parameter kParameters[] = {
    [AMOUNT] = {.id = "amount", .label = "Amount", .look = WEFT_LOOK_SLIDER, .value = {0.8}, .range = WEFT_RANGE(0, 1), .animatable = true},
    [SOFTNESS] =
        {.id = "softness", .label = "Softness", .look = WEFT_LOOK_SLIDER, .value = {0.7}, .range = WEFT_RANGE(0.01, 1), .animatable = true},
};
static const weft_port kInputs[] = {{.id = "input", .color = WEFT_LINEAR, .alpha = WEFT_PREMULTIPLIED}};
static const weft_port kOutputs[] = {{.id = "output", .color = WEFT_LINEAR, .alpha = WEFT_PREMULTIPLIED, .overwrites = true}};

typedef struct {
  weft_compute_pipeline pipeline;
  weft_buffer params;
} Vignette;

static bool Configure(weft_context* context, weft_plan* plan) {
  (void)plan;  // the output is to be like the input, and that is what the plan says already
  Vignette* vignette = weft_state(context);
  const char* format = weft_format_name(weft_output_info(context, 0)->format);
  weft_shader shader = weft_make_shader(context, weft_replace(context, kWgsl, "OUTPUT_FORMAT", format));
  vignette->pipeline = weft_make_compute(context, shader, "vignette");
  vignette->params = weft_make_uniform(context, 2 * sizeof(float));
  return true;
}

static bool Process(weft_context* context, const weft_frame* frame) {
  Vignette* vignette = weft_state(context);
  const weft_frame_info* info = weft_output_info(context, 0);
  const float params[2] = {(float)weft_number(context, AMOUNT), (float)weft_number(context, SOFTNESS)};
  weft_write(context, vignette->params, 0, params, sizeof params);
  weft_binding bindings[] = {weft_bind_texture(0, weft_input(frame, 0)), weft_bind_texture(1, weft_output(frame, 0)),
                             weft_bind_buffer(2, vignette->params)};
  weft_compute(context, vignette->pipeline, bindings, 3, weft_groups(info->width, 8), weft_groups(info->height, 8), 1);
  return true;
}

const weft_plugin weft_plugin_main = {
    .id = "org.example.vignette",
    .label = "Vignette",
    .version = "1.0.0",
    .description = "Darkens the corners.",
    WEFT_INPUTS(kInputs),
    WEFT_OUTPUTS(kOutputs),
    WEFT_PARAMETERS(kParameters),
    .state_size = sizeof(Vignette),
    .configure = Configure,
    .process = Process,
};
