// SPDX-License-Identifier: Apache-2.0
// A window that a compute shader fills: whole numbers of the pixel's place and the frame's number, written into the window's own texture.
#include "gpu_window.h"

static const char kWgsl[] =
    "@group(0) @binding(0) var<uniform> frame: vec4u;\n"
    "@group(0) @binding(1) var picture: texture_storage_2d<rgba8unorm, write>;\n"
    "@compute @workgroup_size(8, 8) fn fill(@builtin(global_invocation_id) at: vec3u) {\n"
    "  let color = vec4u((at.x * 3 + frame.x) % 256, (at.y * 5) % 256, (at.x ^ at.y) % 256, 255);\n"
    "  textureStore(picture, at.xy, vec4f(color) / 255);\n"
    "}\n";

void exports_window_start(void) {
  Window w = OpenWindow(100, 60, FORMAT(RGBA8UNORM), USAGE(STORAGE_BINDING));
  GPU(gpu_shader_module_descriptor_t) shader_descriptor = {.code = Text(kWgsl)};
  GPU(own_gpu_shader_module_t) shader = CALL(gpu_device_create_shader_module)(w.device, &shader_descriptor);
  GPU(gpu_compute_pipeline_descriptor_t)
  descriptor = {.compute = {.module = BORROW(gpu_shader_module, shader)}, .layout = {.tag = WASI_WEBGPU_WEBGPU_GPU_LAYOUT_MODE_AUTO}};
  GPU(own_gpu_compute_pipeline_t) pipeline = CALL(gpu_device_create_compute_pipeline)(w.device, &descriptor);
  GPU(own_gpu_bind_group_layout_t) layout = CALL(gpu_compute_pipeline_get_bind_group_layout)(BORROW(gpu_compute_pipeline, pipeline), 0);
  GPU(gpu_buffer_descriptor_t)
  buffer_descriptor = {.size = 16, .usage = WASI_WEBGPU_WEBGPU_GPU_BUFFER_USAGE_UNIFORM | WASI_WEBGPU_WEBGPU_GPU_BUFFER_USAGE_COPY_DST};
  GPU(own_gpu_buffer_t) uniform = CALL(gpu_device_create_buffer)(w.device, &buffer_descriptor);

  for (uint32_t number = 0; NextFrame(&w); ++number) {
    uint32_t words[4] = {number};
    window_list_u8_t bytes = {(uint8_t*)words, sizeof words};
    GPU(write_buffer_error_t) write_error;
    CALL(gpu_queue_write_buffer_with_copy)(w.queue, BORROW(gpu_buffer, uniform), 0, &bytes, NULL, NULL, &write_error);
    GPU(own_gpu_texture_t) texture = CurrentTexture(&w);
    uint32_t width = CALL(gpu_texture_width)(BORROW(gpu_texture, texture)), height = CALL(gpu_texture_height)(BORROW(gpu_texture, texture));
    GPU(gpu_bind_group_entry_t)
    entries[] = {
        {.binding = 0,
         .resource = {.tag = WASI_WEBGPU_WEBGPU_GPU_BINDING_RESOURCE_GPU_BUFFER, .val.gpu_buffer = BORROW(gpu_buffer, uniform)}},
        {.binding = 1,
         .resource = {.tag = WASI_WEBGPU_WEBGPU_GPU_BINDING_RESOURCE_GPU_TEXTURE, .val.gpu_texture = BORROW(gpu_texture, texture)}},
    };
    GPU(gpu_bind_group_descriptor_t) group_descriptor = {.layout = BORROW(gpu_bind_group_layout, layout), .entries = {entries, 2}};
    GPU(own_gpu_bind_group_t) group = CALL(gpu_device_create_bind_group)(w.device, &group_descriptor);
    GPU(own_gpu_command_encoder_t) encoder = CALL(gpu_device_create_command_encoder)(w.device, NULL);
    GPU(own_gpu_compute_pass_encoder_t) pass = CALL(gpu_command_encoder_begin_compute_pass)(BORROW(gpu_command_encoder, encoder), NULL);
    CALL(gpu_compute_pass_encoder_set_pipeline)(BORROW(gpu_compute_pass_encoder, pass), BORROW(gpu_compute_pipeline, pipeline));
    GPU(borrow_gpu_bind_group_t) bound = BORROW(gpu_bind_group, group);
    GPU(set_bind_group_error_t) bind_error;
    CALL(gpu_compute_pass_encoder_set_bind_group)(BORROW(gpu_compute_pass_encoder, pass), 0, &bound, NULL, NULL, NULL, &bind_error);
    uint32_t rows = (height + 7) / 8;
    CALL(gpu_compute_pass_encoder_dispatch_workgroups)(BORROW(gpu_compute_pass_encoder, pass), (width + 7) / 8, &rows, NULL);
    CALL(gpu_compute_pass_encoder_end)(BORROW(gpu_compute_pass_encoder, pass));
    SubmitAndPresent(&w, encoder);
    GPU(gpu_compute_pass_encoder_drop_own)(pass);
    GPU(gpu_bind_group_drop_own)(group);
    GPU(gpu_texture_drop_own)(texture);
  }
}
