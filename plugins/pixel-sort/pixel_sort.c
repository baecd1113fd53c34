// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <weft_plugin.h>

static const char kSort[] = {
#embed "sort.wgsl" suffix(, 0)
};
static const char kHistogram[] = {
#embed "histogram.wgsl" suffix(, 0)
};

enum { LOW, HIGH, DIRECTION, ORDER };
enum { PICTURE, HISTOGRAM };
enum { BLOCK = 256, MAX_MERGES = 8, BINS = 769 };  // 256 << 8 = 65,536, the longest line

static const char* const kDirections[] = {"horizontal", "vertical", NULL};
static const char* const kOrders[] = {"ascending", "descending", NULL};
static const weft_parameter kParameters[] = {
    [LOW] = {.id = "low",
             .label = "Low",
             .description = "Pixels darker than this stay where they are.",
             .look = WEFT_LOOK_SLIDER,
             .value = {0.25},
             .range = WEFT_RANGE(0, 1),
             .step = 0.01,
             .animatable = true},
    [HIGH] = {.id = "high",
              .label = "High",
              .description = "Pixels brighter than this stay where they are.",
              .look = WEFT_LOOK_SLIDER,
              .value = {0.8},
              .range = WEFT_RANGE(0, 1),
              .step = 0.01,
              .animatable = true},
    [DIRECTION] = {.id = "direction", .label = "Direction", .type = WEFT_CHOICE, .choices = kDirections, .reconfigures = true},
    [ORDER] = {.id = "order", .label = "Order", .type = WEFT_CHOICE, .choices = kOrders, .animatable = true},
};
static const weft_port kInputs[] = {{.id = "input", .label = "Picture", .color = WEFT_DISPLAY}};
static const weft_port kOutputs[] = {
    [PICTURE] = {.id = "output", .label = "Sorted", .color = WEFT_DISPLAY, .overwrites = true},
    [HISTOGRAM] = {.id = "histogram", .label = "Histogram", .color = WEFT_DISPLAY, .overwrites = true},
};

// As in sort.wgsl.
typedef struct {
  uint32_t width, height, vertical, descending, low, high, run, count;
} Params;

typedef struct {
  weft_compute_pipeline mark, begin, block, merge, place, peak, draw;
  weft_buffer items[2], bins, params[1 + MAX_MERGES];  // params[0]: all but the merges
  uint32_t length, lines, merges;
} Sorter;

static bool Configure(weft_context* context, weft_plan* plan) {
  Sorter* sorter = weft_state(context);
  const weft_frame_info* info = weft_output_info(context, PICTURE);
  bool vertical = weft_choice(context, DIRECTION) == 1;
  sorter->length = vertical ? info->height : info->width;
  sorter->lines = vertical ? info->width : info->height;
  if (sorter->length > 65536 || (uint64_t)info->width * info->height > 128u << 17) {
    return weft_fail(context, "A picture of ", weft_digits(context, info->width), "x", weft_digits(context, info->height),
                     " is too large to sort: expected at most 16,777,216 pixels and lines of at most 65,536.");
  }
  sorter->merges = 0;
  while ((uint64_t)BLOCK << sorter->merges < sorter->length) ++sorter->merges;

  const char* format = weft_format_name(info->format);
  weft_shader sort = weft_make_shader(context, weft_replace(context, kSort, "OUTPUT_FORMAT", format));
  sorter->mark = weft_make_compute(context, sort, "mark");
  sorter->begin = weft_make_compute(context, sort, "begin");
  sorter->block = weft_make_compute(context, sort, "block");
  sorter->merge = weft_make_compute(context, sort, "merge");
  sorter->place = weft_make_compute(context, sort, "place");
  weft_shader histogram = weft_make_shader(context, weft_replace(context, kHistogram, "OUTPUT_FORMAT", format));
  sorter->peak = weft_make_compute(context, histogram, "peak");
  sorter->draw = weft_make_compute(context, histogram, "draw");
  for (int i = 0; i < 2; ++i) sorter->items[i] = weft_make_storage(context, (uint64_t)info->width * info->height * 8);
  sorter->bins = weft_make_storage(context, BINS * sizeof(uint32_t));
  for (uint32_t i = 0; i <= sorter->merges; ++i) sorter->params[i] = weft_make_uniform(context, sizeof(Params));

  weft_frame_info* picture = &plan->outputs[HISTOGRAM].val.texture;
  picture->width = picture->height = 256;
  picture->alpha = WEFT_PLUGIN_TYPES_ALPHA_MODE_OPAQUE;
  picture->pixel_aspect = (weft_plugin_types_rational_t){1, 1};
  return true;
}

static void Sort(weft_context* context, Sorter* sorter, weft_binding source, weft_texture output) {
  uint32_t across = weft_groups(sorter->length, 64);
  weft_binding all = weft_bind_buffer(0, sorter->params[0]);
  weft_binding begin[] = {all, weft_bind_buffer(3, sorter->items[0])};
  weft_compute(context, sorter->begin, begin, 2, weft_groups(sorter->lines, 64), 1, 1);
  weft_binding block[] = {all, weft_bind_buffer(3, sorter->items[0]), weft_bind_buffer(4, sorter->items[1])};
  weft_compute(context, sorter->block, block, 3, weft_groups(sorter->length, BLOCK), sorter->lines, 1);
  int now = 1;  // which of the two buffers holds the items
  for (uint32_t i = 1; i <= sorter->merges; ++i, now ^= 1) {
    weft_binding merge[] = {weft_bind_buffer(0, sorter->params[i]), weft_bind_buffer(3, sorter->items[now]),
                            weft_bind_buffer(4, sorter->items[now ^ 1])};
    weft_compute(context, sorter->merge, merge, 3, across, sorter->lines, 1);
  }
  weft_binding place[] = {all, source, weft_bind_texture(2, output), weft_bind_buffer(3, sorter->items[now])};
  weft_compute(context, sorter->place, place, 4, across, sorter->lines, 1);
}

static bool Process(weft_context* context, const weft_frame* frame) {
  Sorter* sorter = weft_state(context);
  const weft_frame_info* info = weft_output_info(context, PICTURE);
  weft_texture picture = weft_output(frame, PICTURE), histogram = weft_output(frame, HISTOGRAM);
  Params params = {
      .width = info->width,
      .height = info->height,
      .vertical = weft_choice(context, DIRECTION),
      .descending = weft_choice(context, ORDER),
      .low = (uint32_t)ceil(weft_number(context, LOW) * 65280),
      .high = (uint32_t)floor(weft_number(context, HIGH) * 65280),
      .count = histogram.__handle != 0,
  };
  for (uint32_t i = 0; i <= sorter->merges; ++i) {
    params.run = i == 0 ? 0 : BLOCK << (i - 1);
    weft_write(context, sorter->params[i], 0, &params, sizeof params);
  }
  weft_clear(context, sorter->bins);
  weft_binding source = weft_bind_view(1, weft_make_view(context, weft_input(frame, 0)));
  weft_binding mark[] = {weft_bind_buffer(0, sorter->params[0]), source, weft_bind_buffer(3, sorter->items[0]),
                         weft_bind_buffer(5, sorter->bins)};
  weft_compute(context, sorter->mark, mark, 4, weft_groups(sorter->length, 64), sorter->lines, 1);
  if (picture.__handle) Sort(context, sorter, source, picture);
  if (histogram.__handle) {
    weft_binding peak[] = {weft_bind_buffer(0, sorter->bins)};
    weft_compute(context, sorter->peak, peak, 1, 1, 1, 1);
    weft_binding draw[] = {weft_bind_buffer(0, sorter->bins), weft_bind_texture(1, histogram)};
    weft_compute(context, sorter->draw, draw, 2, 32, 32, 1);
  }
  return true;
}

const weft_plugin weft_plugin_main = {
    .id = "org.weft.pixel-sort",
    .label = "Pixel sort",
    .version = "1.0.0",
    .description = "Sorts the pixels of each line by luma within intervals; draws the histogram.",
    WEFT_INPUTS(kInputs),
    WEFT_OUTPUTS(kOutputs),
    WEFT_PARAMETERS(kParameters),
    .state_size = sizeof(Sorter),
    .configure = Configure,
    .process = Process,
};
