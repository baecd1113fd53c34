// SPDX-License-Identifier: Apache-2.0
// A plugin that copies its input, or does wrong in the way and the frame that its parameters name.
#include <stdlib.h>
#include <weft_plugin.h>

static const char kWgsl[] =
    "@group(0) @binding(0) var source: texture_2d<f32>;\n"
    "@group(0) @binding(1) var target_: texture_storage_2d<OUTPUT_FORMAT, write>;\n"
    "@compute @workgroup_size(8, 8) fn copy(@builtin(global_invocation_id) id: vec3<u32>) {\n"
    "  if (any(id.xy >= textureDimensions(target_))) { return; }\n"
    "  textureStore(target_, id.xy, textureLoad(source, id.xy, 0));\n"
    "}\n";
static const char kBadWgsl[] = "fn f() -> f32 {\n  return raduis;\n}\n";

enum { HOW, AT, LEVEL, LABEL, TINT };
enum { NONE, TRAP, FAIL, GPU_ERROR, WGSL, GPU_MEMORY, GPU_OBJECTS, MEMORY, HANG };
static const char* const kHows[] = {"none", "trap", "error", "gpu-error", "wgsl", "gpu-memory", "gpu-objects", "memory", "hang", NULL};
static const weft_parameter kParameters[] = {
    [HOW] = {.id = "how", .type = WEFT_CHOICE, .choices = kHows, .description = "What goes wrong."},
    [AT] = {.id = "at", .type = WEFT_INTEGER, .range = WEFT_RANGE(0, 1000000), .description = "In which frame."},
    [LEVEL] = {.id = "level", .type = WEFT_NUMBER, .value = {0.5}, .range = WEFT_RANGE(0, 1), .animatable = true},
    [LABEL] = {.id = "label", .type = WEFT_TEXT, .text = "text"},
    [TINT] = {.id = "tint", .type = WEFT_VECTOR, .look = WEFT_LOOK_COLOR, .value = {1, 1, 1, 1}},
};
static const weft_port kInputs[] = {{.id = "input", .color = WEFT_AS_IS}, {.id = "other", .optional = true}};
static const weft_port kOutputs[] = {{.id = "output", .color = WEFT_AS_IS, .overwrites = true}};

typedef struct {
  weft_compute_pipeline copy;
} State;

static bool Configure(weft_context* context, weft_plan* plan) {
  (void)plan;
  if (weft_reuse(context)) return true;
  State* state = weft_state(context);
  const char* wgsl = weft_replace(context, kWgsl, "OUTPUT_FORMAT", weft_format_name(weft_output_info(context, 0)->format));
  state->copy = weft_make_compute(context, weft_make_shader(context, wgsl), "copy");
  return true;
}

static bool DoWrong(weft_context* context) {
  switch (weft_choice(context, HOW)) {
    case TRAP: __builtin_trap();
    case FAIL: return weft_fail(context, "the ", "moon is full");
    case GPU_ERROR: weft_make_storage(context, 1ull << 60); return true;
    case WGSL: weft_make_shader(context, kBadWgsl); return true;
    case GPU_MEMORY:
      for (int i = 0; i < 4096; ++i) weft_make_storage(context, 1u << 20);
      return true;
    case GPU_OBJECTS:
      for (int i = 0; i < 1 << 20; ++i) weft_make_storage(context, 16);
      return true;
    case MEMORY:
      for (;;) {
        volatile char* block = malloc(1 << 20);
        if (!block) return weft_fail(context, "there is no memory left");
        *block = 1;
      }
    case HANG:
      for (volatile int i = 0;; ++i) {
      }
  }
  return true;
}

static bool Process(weft_context* context, const weft_frame* frame) {
  State* state = weft_state(context);
  const weft_frame_info* info = weft_output_info(context, 0);
  weft_binding bindings[] = {weft_bind_texture(0, weft_input(frame, 0)), weft_bind_texture(1, weft_output(frame, 0))};
  weft_compute(context, state->copy, bindings, 2, weft_groups(info->width, 8), weft_groups(info->height, 8), 1);
  return weft_time(frame)->number == (uint64_t)weft_integer(context, AT) ? DoWrong(context) : true;
}

const weft_plugin weft_plugin_main = {
    .id = "org.weft.test.misbehave",
    .label = "Misbehave",
    .version = "1.0.0",
    .description = "Does wrong when it is told to.",
    WEFT_INPUTS(kInputs),
    WEFT_OUTPUTS(kOutputs),
    WEFT_PARAMETERS(kParameters),
    .state_size = sizeof(State),
    .configure = Configure,
    .process = Process,
};
