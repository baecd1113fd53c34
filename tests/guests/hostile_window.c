// SPDX-License-Identifier: Apache-2.0
// Window components that do wrong; the name of each start function says how. Those that show something first show one grey picture.
#include <deeds.h>
#include <stdlib.h>

#define GPU(name) wasi_webgpu_webgpu_##name
#define CALL(name) wasi_webgpu_webgpu_method_##name
#define BORROW(name, handle) \
  (wasi_webgpu_webgpu_borrow_##name##_t) { (handle).__handle }
#define SURFACE(name) wasi_gfx_surface_surface_##name
#define CANVAS(name) wasi_gfx_surface_surface_webgpu_##name
#define BITMAP(name) wasi_gfx_surface_surface_frame_buffer_##name
#define BUFFER(name) wasi_gfx_frame_buffer_frame_buffer_##name
#define DEED(name) void exports_deeds_##name(void)
#define FORMAT(name) WASI_WEBGPU_WEBGPU_GPU_TEXTURE_FORMAT_##name
#define USAGE(name) WASI_WEBGPU_WEBGPU_GPU_TEXTURE_USAGE_##name

static SURFACE(borrow_surface_t) surface;
static SURFACE(stream_frame_event_t) frames;
static deeds_waitable_set_t set;
static BITMAP(borrow_context_t) bitmap;
static CANVAS(borrow_context_t) canvas;
static GPU(borrow_gpu_device_t) device;
static GPU(borrow_gpu_queue_t) queue;

static void Open(void) {
  SURFACE(create_desc_t) desc = {.height = {true, 8}, .width = {true, 8}};
  surface = SURFACE(borrow_surface)(SURFACE(constructor_surface)(&desc));
  frames = SURFACE(method_surface_on_frame)(surface);
  set = deeds_waitable_set_new();
  deeds_waitable_join(frames, set);
}

static void OpenBitmap(void) {
  Open();
  bitmap = BITMAP(borrow_context)(BITMAP(constructor_context)((BITMAP(borrow_surface_t)){surface.__handle}));
}

static void Configure(GPU(gpu_texture_format_t) format, GPU(gpu_texture_usage_t) usage) {
  CANVAS(context_configuration_t) configuration = {.device = device, .format = format, .usage = {true, usage}};
  CANVAS(method_context_configure)(canvas, &configuration);
}

static void OpenCanvas(void) {
  Open();
  canvas = CANVAS(borrow_context)(CANVAS(constructor_context)((CANVAS(borrow_surface_t)){surface.__handle}));
  GPU(own_gpu_t) gpu = GPU(get_gpu)();
  GPU(own_gpu_adapter_t) adapter;
  GPU(own_gpu_device_t) own;
  GPU(request_device_error_t) error;
  if (!CALL(gpu_request_adapter)(BORROW(gpu, gpu), NULL, &adapter)) __builtin_trap();
  if (!CALL(gpu_adapter_request_device)(BORROW(gpu_adapter, adapter), NULL, &own, &error)) __builtin_trap();
  device = BORROW(gpu_device, own);
  queue = BORROW(gpu_queue, CALL(gpu_device_queue)(device));
}

static void NextFrame(void) {
  SURFACE(frame_event_t) frame;
  if (SURFACE(stream_frame_event_read)(frames, &frame, 1) != DEEDS_WAITABLE_STATUS_BLOCKED) return;
  deeds_event_t event;
  deeds_waitable_set_wait(set, &event);
}

static void Show(uint8_t grey, uint32_t bytes) {
  BITMAP(own_buffer_t) buffer = BITMAP(method_context_get_current_buffer)(bitmap);
  uint8_t pixels[256];
  for (int i = 0; i < 256; ++i) pixels[i] = grey;
  deeds_list_u8_t list = {pixels, bytes};
  BUFFER(method_buffer_set_with_copy)((BUFFER(borrow_buffer_t)){buffer.__handle}, &list);
  BUFFER(buffer_drop_own)((BUFFER(own_buffer_t)){buffer.__handle});
  BITMAP(method_context_present)(bitmap);
}

static void ShowOneFrame(void) {
  OpenBitmap();
  NextFrame();
  Show(128, 256);
  NextFrame();
}

// Draws the clear colour `red` into a view of the texture. What the host thinks of it is the host's business.
static void Paint(GPU(own_gpu_texture_t) texture, double red) {
  GPU(own_gpu_texture_view_t) view = CALL(gpu_texture_create_view)(BORROW(gpu_texture, texture), NULL);
  GPU(own_gpu_command_encoder_t) encoder = CALL(gpu_device_create_command_encoder)(device, NULL);
  GPU(option_gpu_render_pass_color_attachment_t)
  attachment = {true, {.view = BORROW(gpu_texture_view, view), .clear_value = {true, {red, 0, 0, 0.5}}, .load_op = 1, .store_op = 0}};
  GPU(gpu_render_pass_descriptor_t) descriptor = {.color_attachments = {&attachment, 1}};
  GPU(own_gpu_render_pass_encoder_t) pass = CALL(gpu_command_encoder_begin_render_pass)(BORROW(gpu_command_encoder, encoder), &descriptor);
  CALL(gpu_render_pass_encoder_end)(BORROW(gpu_render_pass_encoder, pass));
  GPU(own_gpu_command_buffer_t) commands = CALL(gpu_command_encoder_finish)(BORROW(gpu_command_encoder, encoder), NULL);
  GPU(borrow_gpu_command_buffer_t) one = BORROW(gpu_command_buffer, commands);
  GPU(list_borrow_gpu_command_buffer_t) all = {&one, 1};
  CALL(gpu_queue_submit)(queue, &all);
}

static GPU(own_gpu_texture_t) Current(void) {
  return (GPU(own_gpu_texture_t)){CANVAS(method_context_get_current_texture)(canvas).__handle};
}
static void Present(void) { CANVAS(method_context_present)(canvas); }

DEED(behaves) {
  OpenBitmap();
  for (uint8_t grey = 10;; grey += 10) {
    NextFrame();
    Show(grey, 256);
  }
}

DEED(never_presents) {
  Open();
  for (;;) NextFrame();
}

DEED(reads_nothing) {
  Open();
  deeds_waitable_set_t nothing = deeds_waitable_set_new();
  SURFACE(stream_resize_event_t) resizes = SURFACE(method_surface_on_resize)(surface);
  SURFACE(resize_event_t) resize;
  SURFACE(stream_resize_event_read)(resizes, &resize, 1);
  deeds_waitable_join(resizes, nothing);
  deeds_event_t event;
  deeds_waitable_set_wait(nothing, &event);
}

DEED(spins) {
  ShowOneFrame();
  for (volatile int i = 0;; ++i) {
  }
}

DEED(spins_presenting) {
  ShowOneFrame();
  for (;;) Show(64, 256);
}

DEED(traps) {
  ShowOneFrame();
  __builtin_trap();
}

DEED(ends_at_once) {}

DEED(ends_after_two) {
  OpenBitmap();
  for (int i = 1; i <= 2; ++i) {
    NextFrame();
    Show((uint8_t)(100 * i), 256);
  }
}

bool exports_deeds_answers_an_error(deeds_string_t* err) {
  ShowOneFrame();
  deeds_string_dup(err, "out of ideas");
  return false;
}

DEED(two_surfaces) {
  ShowOneFrame();
  Open();
}

DEED(zero_size) {
  SURFACE(create_desc_t) desc = {.height = {true, 0}, .width = {true, 8}};
  SURFACE(constructor_surface)(&desc);
}

DEED(gigantic_size) {
  SURFACE(create_desc_t) desc = {.height = {true, 4000000000u}, .width = {true, 4000000000u}};
  SURFACE(constructor_surface)(&desc);
}

DEED(gigantic_request) {
  ShowOneFrame();
  uint32_t side = 4000000000u;
  SURFACE(method_surface_request_set_size)(surface, &side, &side);
}

DEED(many_streams) {
  ShowOneFrame();
  for (;;) SURFACE(method_surface_on_key_up)(surface);
}

DEED(many_buffers) {
  ShowOneFrame();
  for (;;) BITMAP(method_context_get_current_buffer)(bitmap);
}

DEED(presents_nothing) {
  OpenCanvas();
  Configure(FORMAT(BGRA8UNORM), USAGE(RENDER_ATTACHMENT));
  NextFrame();
  Present();
}

DEED(presents_twice) {
  OpenCanvas();
  Configure(FORMAT(BGRA8UNORM), USAGE(RENDER_ATTACHMENT));
  NextFrame();
  Paint(Current(), 1);
  Present();
  NextFrame();
  Present();
}

DEED(presents_destroyed) {
  OpenCanvas();
  Configure(FORMAT(RGBA8UNORM), USAGE(RENDER_ATTACHMENT));
  NextFrame();
  GPU(own_gpu_texture_t) texture = Current();
  Paint(texture, 1);
  CALL(gpu_texture_destroy)(BORROW(gpu_texture, texture));
  Present();
}

DEED(presents_after_device_destroy) {
  OpenCanvas();
  Configure(FORMAT(RGBA8UNORM), USAGE(RENDER_ATTACHMENT));
  NextFrame();
  Paint(Current(), 1);
  Present();
  NextFrame();
  CALL(gpu_device_destroy)(device);
  Paint(Current(), 1);
  Present();
}

DEED(presents_invalid) {
  OpenCanvas();
  Configure(FORMAT(RGBA8UNORM), 0);
  NextFrame();
  Paint(Current(), 1);
  Present();
}

DEED(not_configured) {
  OpenCanvas();
  NextFrame();
  Current();
}

DEED(shows_depth) {
  OpenCanvas();
  Configure(FORMAT(DEPTH24PLUS), USAGE(RENDER_ATTACHMENT));
}

// The texture of the first frame is drawn into again once it is shown: nothing of that may be seen. Red 1, and then green is never seen.
DEED(keeps_texture) {
  OpenCanvas();
  Configure(FORMAT(RGBA8UNORM), USAGE(RENDER_ATTACHMENT));
  NextFrame();
  GPU(own_gpu_texture_t) first = Current();
  Paint(first, 1);
  Present();
  for (;;) {
    Paint(first, 0);
    NextFrame();
  }
}

DEED(short_buffer) {
  ShowOneFrame();
  Show(1, 255);
}

DEED(buffer_before_asked) {
  OpenBitmap();
  NextFrame();
  BITMAP(method_context_present)(bitmap);
}

DEED(quota) {
  OpenCanvas();
  Configure(FORMAT(RGBA8UNORM), USAGE(RENDER_ATTACHMENT));
  NextFrame();
  GPU(gpu_buffer_descriptor_t) descriptor = {.size = 1 << 28, .usage = WASI_WEBGPU_WEBGPU_GPU_BUFFER_USAGE_STORAGE};
  for (int i = 0; i < 64; ++i) CALL(gpu_device_create_buffer)(device, &descriptor);
  Paint(Current(), 1);
  Present();
}
