// SPDX-License-Identifier: Apache-2.0
// One compute pass from input to output: identity.wasm copies bit by bit, trivial.wasm (-D TRIVIAL) changes the picture a little.
#include <weft_plugin.h>

#ifdef TRIVIAL
#define NAME "trivial"
#define ENTRY "trivial"
static const char kWgsl[] = {
#embed "trivial.wgsl" suffix(, 0)
};
#else
#define NAME "identity"
#define ENTRY "copy"
static const char kWgsl[] = {
#embed "identity.wgsl" suffix(, 0)
};
#endif

static const weft_port kInputs[] = {{.id = "input"}};
static const weft_port kOutputs[] = {{.id = "output", .overwrites = true}};

static bool Configure(weft_context* context, weft_plan* plan) {
  (void)plan;
  weft_compute_pipeline* pipeline = weft_state(context);
  const char* format = weft_format_name(weft_output_info(context, 0)->format);
  *pipeline = weft_make_compute(context, weft_make_shader(context, weft_replace(context, kWgsl, "OUTPUT_FORMAT", format)), ENTRY);
  return true;
}

static bool Process(weft_context* context, const weft_frame* frame) {
  const weft_frame_info* info = weft_output_info(context, 0);
  weft_binding bindings[] = {weft_bind_texture(0, weft_input(frame, 0)), weft_bind_texture(1, weft_output(frame, 0))};
  weft_compute(context, *(weft_compute_pipeline*)weft_state(context), bindings, 2, weft_groups(info->width, 8),
               weft_groups(info->height, 8), 1);
  return true;
}

const weft_plugin weft_plugin_main = {
    .id = "org.weft.test." NAME,
    .version = "1.0.0",
    WEFT_INPUTS(kInputs),
    WEFT_OUTPUTS(kOutputs),
    .state_size = sizeof(weft_compute_pipeline),
    .configure = Configure,
    .process = Process,
};
