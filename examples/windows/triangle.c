// SPDX-License-Identifier: Apache-2.0
// A window with a triangle: red, green and blue at its corners, mixed between them, on dark blue.
#include "gpu_window.h"

static const char kWgsl[] =
    "struct Out { @builtin(position) at: vec4f, @location(0) color: vec3f }\n"
    "@vertex fn corner(@builtin(vertex_index) i: u32) -> Out {\n"
    "  let at = array(vec2f(-0.75, -0.75), vec2f(0.75, -0.75), vec2f(0.0, 0.75));\n"
    "  let color = array(vec3f(1, 0, 0), vec3f(0, 1, 0), vec3f(0, 0, 1));\n"
    "  return Out(vec4f(at[i], 0, 1), color[i]);\n"
    "}\n"
    "@fragment fn mixed(v: Out) -> @location(0) vec4f { return vec4f(v.color, 1); }\n";

void exports_window_start(void) {
  Window w = OpenWindow(128, 96, FORMAT(BGRA8UNORM), 0);
  GPU(gpu_shader_module_descriptor_t) shader_descriptor = {.code = Text(kWgsl)};
  GPU(own_gpu_shader_module_t) shader = CALL(gpu_device_create_shader_module)(w.device, &shader_descriptor);
  GPU(option_gpu_color_target_state_t) target = {true, {.format = FORMAT(BGRA8UNORM)}};
  GPU(gpu_render_pipeline_descriptor_t)
  descriptor = {
      .vertex = {.module = BORROW(gpu_shader_module, shader)},
      .fragment = {true, {.targets = {&target, 1}, .module = BORROW(gpu_shader_module, shader)}},
      .layout = {.tag = WASI_WEBGPU_WEBGPU_GPU_LAYOUT_MODE_AUTO},
  };
  GPU(own_gpu_render_pipeline_t) pipeline = CALL(gpu_device_create_render_pipeline)(w.device, &descriptor);

  while (NextFrame(&w)) {
    GPU(own_gpu_texture_t) texture = CurrentTexture(&w);
    GPU(own_gpu_texture_view_t) view = CALL(gpu_texture_create_view)(BORROW(gpu_texture, texture), NULL);
    GPU(own_gpu_command_encoder_t) encoder = CALL(gpu_device_create_command_encoder)(w.device, NULL);
    GPU(option_gpu_render_pass_color_attachment_t)
    attachment = {true,
                  {
                      .view = BORROW(gpu_texture_view, view),
                      .clear_value = {true, {0, 0, 0.25, 1}},
                      .load_op = WASI_WEBGPU_WEBGPU_GPU_LOAD_OP_CLEAR,
                      .store_op = WASI_WEBGPU_WEBGPU_GPU_STORE_OP_STORE,
                  }};
    GPU(gpu_render_pass_descriptor_t) pass_descriptor = {.color_attachments = {&attachment, 1}};
    GPU(own_gpu_render_pass_encoder_t)
    pass = CALL(gpu_command_encoder_begin_render_pass)(BORROW(gpu_command_encoder, encoder), &pass_descriptor);
    CALL(gpu_render_pass_encoder_set_pipeline)(BORROW(gpu_render_pass_encoder, pass), BORROW(gpu_render_pipeline, pipeline));
    CALL(gpu_render_pass_encoder_draw)(BORROW(gpu_render_pass_encoder, pass), 3, NULL, NULL, NULL);
    CALL(gpu_render_pass_encoder_end)(BORROW(gpu_render_pass_encoder, pass));
    SubmitAndPresent(&w, encoder);
    GPU(gpu_render_pass_encoder_drop_own)(pass);
    GPU(gpu_texture_view_drop_own)(view);
    GPU(gpu_texture_drop_own)(texture);
  }
}
