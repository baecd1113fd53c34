// SPDX-License-Identifier: Apache-2.0
// What every program here does first: a surface, a device, and a context between them; and how it waits for its next frame.
#pragma once

#include <window.h>

#define GPU(name) wasi_webgpu_webgpu_##name
#define CALL(name) wasi_webgpu_webgpu_method_##name
#define BORROW(name, handle) \
  (wasi_webgpu_webgpu_borrow_##name##_t) { (handle).__handle }
#define SURFACE(name) wasi_gfx_surface_surface_##name
#define CONTEXT(name) wasi_gfx_surface_surface_webgpu_##name
#define USAGE(name) WASI_WEBGPU_WEBGPU_GPU_TEXTURE_USAGE_##name
#define FORMAT(name) WASI_WEBGPU_WEBGPU_GPU_TEXTURE_FORMAT_##name

typedef struct {
  SURFACE(borrow_surface_t) surface;
  SURFACE(stream_frame_event_t) frames;
  CONTEXT(borrow_context_t) context;
  GPU(borrow_gpu_device_t) device;
  GPU(borrow_gpu_queue_t) queue;
  window_waitable_set_t set;
} Window;

static inline window_string_t Text(const char* text) {
  window_string_t string;
  window_string_set(&string, text);
  return string;
}

// Traps where there is no GPU. Usage 0: render-attachment. The handles live as long as the program.
static inline Window OpenWindow(uint32_t width, uint32_t height, GPU(gpu_texture_format_t) format, GPU(gpu_texture_usage_t) usage) {
  Window w;
  SURFACE(create_desc_t) desc = {.height = {true, height}, .width = {true, width}};
  w.surface = SURFACE(borrow_surface)(SURFACE(constructor_surface)(&desc));
  w.frames = SURFACE(method_surface_on_frame)(w.surface);
  GPU(own_gpu_t) gpu = GPU(get_gpu)();
  GPU(own_gpu_adapter_t) adapter;
  if (!CALL(gpu_request_adapter)(BORROW(gpu, gpu), NULL, &adapter)) __builtin_trap();
  GPU(own_gpu_device_t) device;
  GPU(request_device_error_t) error;
  if (!CALL(gpu_adapter_request_device)(BORROW(gpu_adapter, adapter), NULL, &device, &error)) __builtin_trap();
  GPU(gpu_adapter_drop_own)(adapter);
  GPU(gpu_drop_own)(gpu);
  w.device = BORROW(gpu_device, device);
  w.queue = BORROW(gpu_queue, CALL(gpu_device_queue)(w.device));
  w.context = CONTEXT(borrow_context)(CONTEXT(constructor_context)((CONTEXT(borrow_surface_t)){w.surface.__handle}));
  CONTEXT(context_configuration_t) configuration = {.device = w.device, .format = format, .usage = {usage != 0, usage}};
  CONTEXT(method_context_configure)(w.context, &configuration);
  w.set = window_waitable_set_new();
  window_waitable_join(w.frames, w.set);
  return w;
}

// False: there are no more.
static inline bool NextFrame(Window* w) {
  SURFACE(frame_event_t) frame;
  window_waitable_status_t status = SURFACE(stream_frame_event_read)(w->frames, &frame, 1);
  if (status == WINDOW_WAITABLE_STATUS_BLOCKED) {
    window_event_t event;
    window_waitable_set_wait(w->set, &event);
    status = event.code;
  }
  return WINDOW_WAITABLE_STATE(status) == WINDOW_WAITABLE_COMPLETED;
}

static inline GPU(own_gpu_texture_t) CurrentTexture(Window* w) {
  return (GPU(own_gpu_texture_t)){CONTEXT(method_context_get_current_texture)(w->context).__handle};
}

static inline void SubmitAndPresent(Window* w, GPU(own_gpu_command_encoder_t) encoder) {
  GPU(own_gpu_command_buffer_t) commands = CALL(gpu_command_encoder_finish)(BORROW(gpu_command_encoder, encoder), NULL);
  GPU(borrow_gpu_command_buffer_t) one = BORROW(gpu_command_buffer, commands);
  GPU(list_borrow_gpu_command_buffer_t) all = {&one, 1};
  CALL(gpu_queue_submit)(w->queue, &all);
  GPU(gpu_command_buffer_drop_own)(commands);
  GPU(gpu_command_encoder_drop_own)(encoder);
  CONTEXT(method_context_present)(w->context);
}
