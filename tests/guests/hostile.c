// SPDX-License-Identifier: Apache-2.0
// The plugin around the deeds. LOOP_IN picks a build that loops where no parameter is set or counts: 1 start, 2 create, 3 destructor.
// PROMISE_OVERWRITES makes the output port promise what it does not keep.
#include "hostile.h"

#ifndef LOOP_IN
#define LOOP_IN 0
#endif
#ifdef PROMISE_OVERWRITES
#define OVERWRITES true
#else
#define OVERWRITES false
#endif

static const char kWgsl[] = {
#embed "hostile.wgsl" suffix(, 0)
};

static void Loop(void) {
  for (volatile int forever = 1; forever;) {
  }
}

#if LOOP_IN == 1
__attribute__((constructor)) static void LoopAtStart(void) { Loop(); }
#endif

static const char* const kDeedNames[] = {
#define DEED(name, act) name,
#include "hostile_deeds.inc"
#undef DEED
    NULL};

static const weft_parameter kParameters[] = {
    {.id = "mode", .type = WEFT_CHOICE, .choices = kDeedNames, .reconfigures = true},
};
static const weft_port kInputs[] = {{.id = "input"}};
static const weft_port kOutputs[] = {{.id = "output", .overwrites = OVERWRITES}};

static const Deed* Chosen(weft_context* context) { return &kDeeds[weft_choice(context, 0)]; }

static bool Same(const char* a, const char* b) {
  while (*a && *a == *b) ++a, ++b;
  return *a == *b;
}

static bool Create(weft_context* context) {
  (void)context;
  if (LOOP_IN == 2) Loop();
  return true;
}

static void Destroy(weft_context* context) {
  (void)context;
  if (LOOP_IN == 3) Loop();
}

static bool Configure(weft_context* context, weft_plan* plan) {
  Hostile* hostile = weft_state(context);
  const weft_frame_info* info = weft_output_info(context, 0);
  hostile->format = info->format;
  hostile->width = info->width;
  hostile->height = info->height;
  const char* deed = Chosen(context)->name;
  if (Same(deed, "configure-loop")) Loop();
  if (Same(deed, "configure-trap")) __builtin_trap();
  if (Same(deed, "configure-error")) return weft_fail(context, "This plugin never wants to be configured.");
  if (Same(deed, "plan-size-zero")) plan->outputs[0].val.texture.width = 0;
  if (Same(deed, "plan-size-huge")) plan->outputs[0].val.texture.width = 4000000000u;
  if (Same(deed, "plan-format")) plan->outputs[0].val.texture.format = WASI_WEBGPU_WEBGPU_GPU_TEXTURE_FORMAT_DEPTH32FLOAT;
  if (Same(deed, "plan-pass-through")) weft_pass_through(context, 7, 9);
  const char* wgsl = weft_replace(context, kWgsl, "OUTPUT_FORMAT", weft_format_name(hostile->format));
  if (Same(deed, "wgsl-syntax")) wgsl = weft_replace(context, wgsl, "textureDimensions(result)", "textureDimensions(result");
  if (Same(deed, "wgsl-nesting")) {
    // Deep enough to overflow the stack of a parser that recurses.
    static char deep[200000];
    const char* start = "@compute @workgroup_size(1) fn copy() { let x = ";
    size_t at = 0;
    for (; start[at]; ++at) deep[at] = start[at];
    for (int i = 0; i < 90000; ++i) deep[at++] = '(';
    deep[at++] = '1';
    for (int i = 0; i < 90000; ++i) deep[at++] = ')';
    deep[at++] = ';';
    deep[at++] = '}';
    wgsl = deep;
  }
  weft_shader shader = weft_make_shader(context, wgsl);
  hostile->copy = weft_make_compute(context, shader, "copy");
  hostile->sum = weft_make_compute(context, shader, "out_of_bounds");
  hostile->endless = weft_make_compute(context, shader, "endless");
  hostile->paint = weft_make_render(context, shader, "cover", "paint", hostile->format);
  return true;
}

static bool Process(weft_context* context, const weft_frame* frame) {
  Hostile* hostile = weft_state(context);
  const Deed* deed = Chosen(context);
  bool reads_output_first = Same(deed->name, "read-output-first");
  if (!reads_output_first) {
    weft_binding bindings[] = {weft_bind_texture(0, weft_input(frame, 0)), weft_bind_texture(1, weft_output(frame, 0))};
    weft_compute(context, hostile->copy, bindings, 2, weft_groups(hostile->width, 8), weft_groups(hostile->height, 8), 1);
    weft_submit(context);
  }
  if (Same(deed->name, "loop")) Loop();
  bool good = !deed->act || deed->act(context, hostile, frame);
  ++hostile->frames;
  return good;
}

const weft_plugin weft_plugin_main = {
    .id = "org.weft.test.hostile",
    .version = "1.0.0",
    WEFT_INPUTS(kInputs),
    WEFT_OUTPUTS(kOutputs),
    WEFT_PARAMETERS(kParameters),
    .state_size = sizeof(Hostile),
    .create = Create,
    .configure = Configure,
    .process = Process,
    .destroy = Destroy,
};
