// SPDX-License-Identifier: Apache-2.0
// The C kit for weft plugins: describe the plugin in one constant, write configure and process, and leave the rest to the kit.
//
//   const weft_plugin weft_plugin_main = { .id = "org.example.invert", ..., .process = Process };
//
// Ownership. The plugin drops nothing. Whatever it makes through this header (buffers, textures, pipelines, bind groups, strings)
// belongs to the moment it was made in and is dropped by the kit at that moment's end:
//   made in create     -> lives as long as the instance
//   made in configure  -> lives until the next configure (weft_reuse() keeps it for one more)
//   made in process    -> lives until process returns
// weft_keep() changes that for a stretch of code. The frame's own textures are dropped, and revoked by the host, when process returns.
//
// Recording. weft_compute and weft_draw record into one command buffer a frame, in the order of the calls; the kit submits it when
// process returns true. weft_write takes effect before that command buffer, so a buffer that two dispatches of one frame read
// can hold only one content: use two buffers.
//
// Threads. One call at a time for an instance; a plugin has no threads of its own.
//
// Errors. Every callback answers true, or false after weft_fail(): the text becomes the node's error. A WebGPU validation error
// (also a mistake in WGSL) fails the node by itself, with the line, and needs no code here; weft_catch() is for those who expect one.
//
// All of wasi:webgpu can be called too: plugin.h beside this header has it, weft_device() and weft_queue() give the handles.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WEFT_COUNT(list) (sizeof(list) / sizeof((list)[0]))

// ---- Description ----------------------------------------------------------------------------------------------------------------

typedef enum { WEFT_NUMBER, WEFT_INTEGER, WEFT_BOOLEAN, WEFT_CHOICE, WEFT_VECTOR, WEFT_TEXT, WEFT_BYTES } weft_type;

typedef enum {
  WEFT_LOOK_PLAIN,
  WEFT_LOOK_SLIDER,
  WEFT_LOOK_ANGLE,
  WEFT_LOOK_POINT,
  WEFT_LOOK_SIZE,
  WEFT_LOOK_COLOR,
  WEFT_LOOK_FILE,
  WEFT_LOOK_HIDDEN
} weft_look;

typedef struct weft_range {
  bool set;
  double minimum, maximum;
} weft_range;
#define WEFT_RANGE(low, high) {true, (low), (high)}

// One parameter. `id` is kebab-case and stays the same for ever; graph documents say it. A missing label is the id.
typedef struct weft_parameter {
  const char *id, *label, *description, *group;
  weft_type type;
  weft_look look;
  double value[4];             // default: [0] of a number, integer, boolean or choice (its place); all four of a vector
  const char* text;            // default of a text
  weft_range range;            // of a number, an integer, each part of a vector
  double step;                 // 0 = none
  const char* const* choices;  // names, ended by NULL
  bool animatable;             // may change from frame to frame
  bool reconfigures;           // a change calls configure again (sizes, formats, tables)
} weft_parameter;

typedef enum { WEFT_TEXTURE, WEFT_BUFFER, WEFT_DATA } weft_port_type;
typedef enum { WEFT_AS_IS, WEFT_LINEAR, WEFT_DISPLAY } weft_color;
typedef enum { WEFT_ANY_ALPHA, WEFT_OPAQUE, WEFT_STRAIGHT, WEFT_PREMULTIPLIED } weft_alpha;
typedef enum { WEFT_CLAMP, WEFT_MIRROR, WEFT_ABSENT } weft_ends;

typedef wasi_webgpu_webgpu_gpu_texture_format_t weft_format;
#define WEFT_RGBA8UNORM WASI_WEBGPU_WEBGPU_GPU_TEXTURE_FORMAT_RGBA8UNORM
#define WEFT_RGBA16FLOAT WASI_WEBGPU_WEBGPU_GPU_TEXTURE_FORMAT_RGBA16FLOAT
#define WEFT_RGBA32FLOAT WASI_WEBGPU_WEBGPU_GPU_TEXTURE_FORMAT_RGBA32FLOAT

// One input or output. Texture inputs take any colour format, texture outputs are one of the three work formats above.
typedef struct weft_port {
  const char *id, *label;
  weft_port_type type;
  const char* media_type;  // of a data port
  bool optional;
  weft_color color;
  weft_alpha alpha;
  int32_t first, last;  // input textures: the most frames ever wanted around the current one, first <= 0 <= last
  weft_ends ends;
  bool overwrites;  // output textures: every pixel is written each time
} weft_port;

typedef struct weft_context weft_context;
typedef struct weft_plan weft_plan;
typedef struct weft_frame weft_frame;

typedef struct weft_bytes {
  const uint8_t* data;
  size_t size;
} weft_bytes;

typedef struct weft_plugin {
  const char *id, *label, *version, *description;
  const weft_port* inputs;
  size_t input_count;
  const weft_port* outputs;
  size_t output_count;
  const weft_parameter* parameters;
  size_t parameter_count;
  bool sequential;    // frames must come in order
  size_t state_size;  // bytes behind weft_state(), zeroed before create
  // All but process may be missing.
  bool (*create)(weft_context* context);
  bool (*configure)(weft_context* context, weft_plan* plan);
  bool (*process)(weft_context* context, const weft_frame* frame);
  bool (*save)(weft_context* context, weft_bytes* state);  // state.data may be the plugin's own memory; it is copied
  bool (*restore)(weft_context* context, weft_bytes state);
  void (*destroy)(weft_context* context);
} weft_plugin;

#define WEFT_INPUTS(list) .inputs = (list), .input_count = WEFT_COUNT(list)
#define WEFT_OUTPUTS(list) .outputs = (list), .output_count = WEFT_COUNT(list)
#define WEFT_PARAMETERS(list) .parameters = (list), .parameter_count = WEFT_COUNT(list)

// The plugin defines this one constant.
extern const weft_plugin weft_plugin_main;

// ---- The instance ---------------------------------------------------------------------------------------------------------------

void* weft_state(weft_context* context);

// Values of parameters, by their place in weft_plugin_main.parameters.
double weft_number(const weft_context* context, size_t parameter);  // number or integer
int64_t weft_integer(const weft_context* context, size_t parameter);
bool weft_boolean(const weft_context* context, size_t parameter);
uint32_t weft_choice(const weft_context* context, size_t parameter);
const double* weft_vector(const weft_context* context, size_t parameter);  // four
weft_bytes weft_text_value(const weft_context* context, size_t parameter);
weft_bytes weft_bytes_value(const weft_context* context, size_t parameter);

// Sets the error's text from the parts and answers false: return weft_fail(context, "line ", weft_digits(context, n), ": ...");
#define weft_fail(context, ...) weft_fail_parts((context), __VA_ARGS__, (const char*)NULL)
bool weft_fail_parts(weft_context* context, ...);

// Text of a whole number.
const char* weft_digits(weft_context* context, int64_t number);

typedef enum { WEFT_DEBUG, WEFT_INFO, WEFT_WARN, WEFT_ERROR } weft_level;
void weft_log(weft_level level, const char* message);

typedef enum { WEFT_FOR_INSTANCE, WEFT_FOR_CONFIGURATION, WEFT_FOR_FRAME } weft_lifetime;
// What is made from here on lives as long as `lifetime` says; answers the one that held before, to set back.
weft_lifetime weft_keep(weft_context* context, weft_lifetime lifetime);

// ---- configure ------------------------------------------------------------------------------------------------------------------

typedef weft_plugin_types_frame_info_t weft_frame_info;
typedef weft_plugin_types_port_info_t weft_port_info;

typedef struct weft_window {
  int32_t first, last;
} weft_window;

struct weft_plan {
  weft_frame_info project;  // what the graph is making: for generators
  const weft_port_info* inputs;
  // To be changed where the first guess is wrong. Textures: like the first connected texture input, else like the project, in its
  // format where that is a work format, else rgba16float. Data outputs: data.
  weft_port_info* outputs;
  weft_window* windows;  // of each input; {0, 0}
};

// True when the pictures and the project are those of the last configure, so that only values changed: what that one made, and the
// state, then stays, and the plugin makes nothing again. Otherwise the kit has dropped it already.
bool weft_reuse(weft_context* context);

// With today's values `output` is `input` itself, and process is not called where all outputs are.
void weft_pass_through(weft_context* context, uint32_t output, uint32_t input);

// What is connected to an input and what an output is (valid from configure on; outputs after it). NULL: absent or no texture.
const weft_frame_info* weft_input_info(const weft_context* context, uint32_t input);
const weft_frame_info* weft_output_info(const weft_context* context, uint32_t output);

// The name that WGSL has for a format: "rgba16float". NULL for one that is no work format.
const char* weft_format_name(weft_format format);

// `text` with each `from` replaced by `to`; for the storage format in WGSL.
const char* weft_replace(weft_context* context, const char* text, const char* from, const char* to);

// ---- GPU objects ----------------------------------------------------------------------------------------------------------------

typedef wasi_webgpu_webgpu_own_gpu_texture_t weft_texture;  // __handle 0 = none
typedef wasi_webgpu_webgpu_own_gpu_texture_view_t weft_view;
typedef wasi_webgpu_webgpu_own_gpu_buffer_t weft_buffer;
typedef wasi_webgpu_webgpu_own_gpu_sampler_t weft_sampler;
typedef wasi_webgpu_webgpu_own_gpu_shader_module_t weft_shader;
typedef wasi_webgpu_webgpu_own_gpu_bind_group_layout_t weft_layout;

wasi_webgpu_webgpu_borrow_gpu_device_t weft_device(const weft_context* context);
wasi_webgpu_webgpu_borrow_gpu_queue_t weft_queue(const weft_context* context);

// A pipeline with the layout of its bind group 0, the one group that the kit uses.
typedef struct weft_compute_pipeline {
  wasi_webgpu_webgpu_own_gpu_compute_pipeline_t pipeline;
  weft_layout layout;
} weft_compute_pipeline;

typedef struct weft_render_pipeline {
  wasi_webgpu_webgpu_own_gpu_render_pipeline_t pipeline;
  weft_layout layout;
} weft_render_pipeline;

weft_shader weft_make_shader(weft_context* context, const char* wgsl);
weft_compute_pipeline weft_make_compute(weft_context* context, weft_shader shader, const char* entry);
// Triangles without vertex buffers, one colour target, no blending.
weft_render_pipeline weft_make_render(weft_context* context, weft_shader shader, const char* vertex, const char* fragment,
                                      weft_format target);

weft_buffer weft_make_uniform(weft_context* context, size_t size);  // rounded up to 16
weft_buffer weft_make_storage(weft_context* context, uint64_t size);
void weft_write(weft_context* context, weft_buffer buffer, uint64_t offset, const void* data, size_t size);  // multiples of 4

// A texture of the plugin's own: TEXTURE_BINDING | STORAGE_BINDING | RENDER_ATTACHMENT | COPY_SRC | COPY_DST.
weft_texture weft_make_texture(weft_context* context, uint32_t width, uint32_t height, weft_format format);
// A 3D texture (TEXTURE_BINDING | COPY_DST) filled with `texels`.
weft_texture weft_make_volume(weft_context* context, uint32_t width, uint32_t height, uint32_t depth, weft_format format,
                              const void* texels, size_t bytes_per_texel);
weft_view weft_make_view(weft_context* context, weft_texture texture);

// What a binding of group 0 is bound to. A texture gets a view made for it, so a texture that lives longer is cheaper as a view.
typedef enum { WEFT_BIND_BUFFER, WEFT_BIND_TEXTURE, WEFT_BIND_VIEW, WEFT_BIND_SAMPLER } weft_binding_kind;
typedef struct weft_binding {
  uint32_t binding;
  weft_binding_kind kind;
  int32_t handle;
} weft_binding;
static inline weft_binding weft_bind_buffer(uint32_t binding, weft_buffer buffer) {
  weft_binding bound = {binding, WEFT_BIND_BUFFER, buffer.__handle};
  return bound;
}
static inline weft_binding weft_bind_texture(uint32_t binding, weft_texture texture) {
  weft_binding bound = {binding, WEFT_BIND_TEXTURE, texture.__handle};
  return bound;
}
static inline weft_binding weft_bind_view(uint32_t binding, weft_view view) {
  weft_binding bound = {binding, WEFT_BIND_VIEW, view.__handle};
  return bound;
}
static inline weft_binding weft_bind_sampler(uint32_t binding, weft_sampler sampler) {
  weft_binding bound = {binding, WEFT_BIND_SAMPLER, sampler.__handle};
  return bound;
}

// ---- process --------------------------------------------------------------------------------------------------------------------

// The frame's number, pts, duration, rate and metadata, as the host gave them.
const weft_plugin_types_frame_time_t* weft_time(const weft_frame* frame);
double weft_seconds(const weft_frame* frame);  // pts

// This frame's texture of a port, or the one `offset` frames away. __handle is 0 where it is absent (optional ports, ends of a clip).
weft_texture weft_input(const weft_frame* frame, uint32_t input);
weft_texture weft_input_at(const weft_frame* frame, uint32_t input, int32_t offset);
weft_texture weft_output(const weft_frame* frame, uint32_t output);
weft_bytes weft_input_data(const weft_frame* frame, uint32_t input);
// Bytes of a data output; they are copied.
void weft_output_data(weft_context* context, uint32_t output, const void* data, size_t size);

static inline uint32_t weft_groups(uint32_t size, uint32_t group) { return (size + group - 1) / group; }

// Runs a compute pipeline with `bindings` as its bind group 0 on x * y * z workgroups.
void weft_compute(weft_context* context, weft_compute_pipeline pipeline, const weft_binding* bindings, size_t count, uint32_t x, uint32_t y,
                  uint32_t z);
// Draws `vertices` vertices into the whole of `target`, which is cleared to transparent black before.
void weft_draw(weft_context* context, weft_render_pipeline pipeline, weft_texture target, const weft_binding* bindings, size_t count,
               uint32_t vertices);
// Sets a buffer to zeros, in the order of the recorded work.
void weft_clear(weft_context* context, weft_buffer buffer);
// The frame's encoder with no pass open, for what the calls above cannot do.
wasi_webgpu_webgpu_borrow_gpu_command_encoder_t weft_encoder(weft_context* context);

// Runs what was recorded now, so that what follows may await its result. Else the kit does it when process returns.
void weft_submit(weft_context* context);

// weft_watch() and weft_catch() enclose calls that may fail: the answer is false, and the error set, if one was a validation error.
// It awaits the GPU's answer: for set-up, not for each frame.
void weft_watch(weft_context* context);
bool weft_catch(weft_context* context);

#ifdef __cplusplus
}  // extern "C"
#endif
