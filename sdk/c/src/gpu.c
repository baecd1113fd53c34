// SPDX-License-Identifier: Apache-2.0
// GPU objects and the recording of a frame.
#include <stdlib.h>
#include <string.h>

#include "kit.h"

#define DEVICE (weft_device(context))

wasi_webgpu_webgpu_borrow_gpu_device_t weft_device(const weft_context* context) {
  return (wasi_webgpu_webgpu_borrow_gpu_device_t){context->device.__handle};
}

wasi_webgpu_webgpu_borrow_gpu_queue_t weft_queue(const weft_context* context) {
  return (wasi_webgpu_webgpu_borrow_gpu_queue_t){context->queue.__handle};
}

weft_shader weft_make_shader(weft_context* context, const char* wgsl) {
  wasi_webgpu_webgpu_gpu_shader_module_descriptor_t descriptor = {.code = kit_borrow(wgsl)};
  weft_shader shader = wasi_webgpu_webgpu_method_gpu_device_create_shader_module(DEVICE, &descriptor);
  kit_own(context, KIT_SHADER, (uintptr_t)shader.__handle);
  return shader;
}

weft_compute_pipeline weft_make_compute(weft_context* context, weft_shader shader, const char* entry) {
  wasi_webgpu_webgpu_gpu_compute_pipeline_descriptor_t descriptor = {
      .compute = {.module = {shader.__handle}, .entry_point = {true, kit_borrow(entry)}},
      .layout = {.tag = WASI_WEBGPU_WEBGPU_GPU_LAYOUT_MODE_AUTO},
      .label = {true, kit_borrow(entry)},
  };
  weft_compute_pipeline made;
  made.pipeline = wasi_webgpu_webgpu_method_gpu_device_create_compute_pipeline(DEVICE, &descriptor);
  kit_own(context, KIT_COMPUTE_PIPELINE, (uintptr_t)made.pipeline.__handle);
  made.layout = wasi_webgpu_webgpu_method_gpu_compute_pipeline_get_bind_group_layout(
      (wasi_webgpu_webgpu_borrow_gpu_compute_pipeline_t){made.pipeline.__handle}, 0);
  kit_own(context, KIT_LAYOUT, (uintptr_t)made.layout.__handle);
  return made;
}

weft_render_pipeline weft_make_render(weft_context* context, weft_shader shader, const char* vertex, const char* fragment,
                                      weft_format target) {
  wasi_webgpu_webgpu_option_gpu_color_target_state_t targets[1] = {{true, {.format = target}}};
  wasi_webgpu_webgpu_gpu_render_pipeline_descriptor_t descriptor = {
      .vertex = {.module = {shader.__handle}, .entry_point = {true, kit_borrow(vertex)}},
      .fragment = {true, {.targets = {targets, 1}, .module = {shader.__handle}, .entry_point = {true, kit_borrow(fragment)}}},
      .layout = {.tag = WASI_WEBGPU_WEBGPU_GPU_LAYOUT_MODE_AUTO},
      .label = {true, kit_borrow(fragment)},
  };
  weft_render_pipeline made;
  made.pipeline = wasi_webgpu_webgpu_method_gpu_device_create_render_pipeline(DEVICE, &descriptor);
  kit_own(context, KIT_RENDER_PIPELINE, (uintptr_t)made.pipeline.__handle);
  made.layout = wasi_webgpu_webgpu_method_gpu_render_pipeline_get_bind_group_layout(
      (wasi_webgpu_webgpu_borrow_gpu_render_pipeline_t){made.pipeline.__handle}, 0);
  kit_own(context, KIT_LAYOUT, (uintptr_t)made.layout.__handle);
  return made;
}

static weft_buffer MakeBuffer(weft_context* context, uint64_t size, wasi_webgpu_webgpu_gpu_buffer_usage_t usage) {
  wasi_webgpu_webgpu_gpu_buffer_descriptor_t descriptor = {.size = size, .usage = usage};
  weft_buffer buffer = wasi_webgpu_webgpu_method_gpu_device_create_buffer(DEVICE, &descriptor);
  kit_own(context, KIT_BUFFER, (uintptr_t)buffer.__handle);
  return buffer;
}

weft_buffer weft_make_uniform(weft_context* context, size_t size) {
  return MakeBuffer(context, (size + 15) / 16 * 16,
                    WASI_WEBGPU_WEBGPU_GPU_BUFFER_USAGE_UNIFORM | WASI_WEBGPU_WEBGPU_GPU_BUFFER_USAGE_COPY_DST);
}

weft_buffer weft_make_storage(weft_context* context, uint64_t size) {
  return MakeBuffer(context, (size + 3) / 4 * 4,
                    WASI_WEBGPU_WEBGPU_GPU_BUFFER_USAGE_STORAGE | WASI_WEBGPU_WEBGPU_GPU_BUFFER_USAGE_COPY_DST |
                        WASI_WEBGPU_WEBGPU_GPU_BUFFER_USAGE_COPY_SRC);
}

void weft_write(weft_context* context, weft_buffer buffer, uint64_t offset, const void* data, size_t size) {
  plugin_list_u8_t bytes = {(uint8_t*)data, size};
  wasi_webgpu_webgpu_write_buffer_error_t error;
  if (!wasi_webgpu_webgpu_method_gpu_queue_write_buffer_with_copy(
          weft_queue(context), (wasi_webgpu_webgpu_borrow_gpu_buffer_t){buffer.__handle}, offset, &bytes, NULL, NULL, &error)) {
    weft_fail(context, "A buffer of this plugin could not be written: the host refused the size or the offset.");
    wasi_webgpu_webgpu_write_buffer_error_free(&error);
  }
}

static weft_texture MakeTexture(weft_context* context, const wasi_webgpu_webgpu_gpu_texture_descriptor_t* descriptor) {
  weft_texture texture =
      wasi_webgpu_webgpu_method_gpu_device_create_texture(DEVICE, (wasi_webgpu_webgpu_gpu_texture_descriptor_t*)descriptor);
  kit_own(context, KIT_TEXTURE, (uintptr_t)texture.__handle);
  return texture;
}

weft_texture weft_make_texture(weft_context* context, uint32_t width, uint32_t height, weft_format format) {
  wasi_webgpu_webgpu_gpu_texture_descriptor_t descriptor = {
      .size = {.width = width, .height = {true, height}},
      .format = format,
      .usage = WASI_WEBGPU_WEBGPU_GPU_TEXTURE_USAGE_TEXTURE_BINDING | WASI_WEBGPU_WEBGPU_GPU_TEXTURE_USAGE_STORAGE_BINDING |
               WASI_WEBGPU_WEBGPU_GPU_TEXTURE_USAGE_RENDER_ATTACHMENT | WASI_WEBGPU_WEBGPU_GPU_TEXTURE_USAGE_COPY_SRC |
               WASI_WEBGPU_WEBGPU_GPU_TEXTURE_USAGE_COPY_DST,
  };
  return MakeTexture(context, &descriptor);
}

weft_texture weft_make_volume(weft_context* context, uint32_t width, uint32_t height, uint32_t depth, weft_format format,
                              const void* texels, size_t bytes_per_texel) {
  wasi_webgpu_webgpu_gpu_extent3_d_t size = {.width = width, .height = {true, height}, .depth_or_array_layers = {true, depth}};
  wasi_webgpu_webgpu_gpu_texture_descriptor_t descriptor = {
      .size = size,
      .dimension = {true, WASI_WEBGPU_WEBGPU_GPU_TEXTURE_DIMENSION_D3},
      .format = format,
      .usage = WASI_WEBGPU_WEBGPU_GPU_TEXTURE_USAGE_TEXTURE_BINDING | WASI_WEBGPU_WEBGPU_GPU_TEXTURE_USAGE_COPY_DST,
  };
  weft_texture texture = MakeTexture(context, &descriptor);
  wasi_webgpu_webgpu_gpu_texel_copy_texture_info_t to = {.texture = {texture.__handle}};
  plugin_list_u8_t bytes = {(uint8_t*)texels, (size_t)width * height * depth * bytes_per_texel};
  wasi_webgpu_webgpu_gpu_texel_copy_buffer_layout_t rows = {
      .bytes_per_row = {true, (uint32_t)(width * bytes_per_texel)},
      .rows_per_image = {true, height},
  };
  wasi_webgpu_webgpu_method_gpu_queue_write_texture_with_copy(weft_queue(context), &to, &bytes, &rows, &size);
  return texture;
}

weft_view weft_make_view(weft_context* context, weft_texture texture) {
  weft_view view = wasi_webgpu_webgpu_method_gpu_texture_create_view((wasi_webgpu_webgpu_borrow_gpu_texture_t){texture.__handle}, NULL);
  kit_own(context, KIT_VIEW, (uintptr_t)view.__handle);
  return view;
}

// ---- Recording ------------------------------------------------------------------------------------------------------------------

static wasi_webgpu_webgpu_borrow_gpu_command_encoder_t Encoder(weft_context* context) {
  if (!context->recording) {
    context->encoder = wasi_webgpu_webgpu_method_gpu_device_create_command_encoder(DEVICE, NULL);
    context->recording = true;
  }
  return (wasi_webgpu_webgpu_borrow_gpu_command_encoder_t){context->encoder.__handle};
}

void kit_end_pass(weft_context* context) {
  if (!context->in_pass) return;
  wasi_webgpu_webgpu_method_gpu_compute_pass_encoder_end((wasi_webgpu_webgpu_borrow_gpu_compute_pass_encoder_t){context->pass.__handle});
  wasi_webgpu_webgpu_gpu_compute_pass_encoder_drop_own(context->pass);
  context->in_pass = false;
}

void kit_abandon(weft_context* context) {
  kit_end_pass(context);
  if (context->recording) wasi_webgpu_webgpu_gpu_command_encoder_drop_own(context->encoder);
  context->recording = false;
}

wasi_webgpu_webgpu_borrow_gpu_command_encoder_t weft_encoder(weft_context* context) {
  kit_end_pass(context);
  return Encoder(context);
}

void weft_submit(weft_context* context) {
  kit_end_pass(context);
  if (!context->recording) return;
  wasi_webgpu_webgpu_own_gpu_command_buffer_t commands = wasi_webgpu_webgpu_method_gpu_command_encoder_finish(
      (wasi_webgpu_webgpu_borrow_gpu_command_encoder_t){context->encoder.__handle}, NULL);
  wasi_webgpu_webgpu_borrow_gpu_command_buffer_t list[1] = {{commands.__handle}};
  wasi_webgpu_webgpu_list_borrow_gpu_command_buffer_t all = {list, 1};
  wasi_webgpu_webgpu_method_gpu_queue_submit(weft_queue(context), &all);
  wasi_webgpu_webgpu_gpu_command_buffer_drop_own(commands);
  wasi_webgpu_webgpu_gpu_command_encoder_drop_own(context->encoder);
  context->recording = false;
}

static wasi_webgpu_webgpu_borrow_gpu_bind_group_t BindGroup(weft_context* context, weft_layout layout, const weft_binding* bindings,
                                                            size_t count) {
  wasi_webgpu_webgpu_gpu_bind_group_entry_t entries[32];
  if (count > WEFT_COUNT(entries)) __builtin_trap();
  for (size_t i = 0; i < count; ++i) {
    entries[i].binding = bindings[i].binding;
    wasi_webgpu_webgpu_gpu_binding_resource_t* resource = &entries[i].resource;
    switch (bindings[i].kind) {
      case WEFT_BIND_BUFFER:
        resource->tag = WASI_WEBGPU_WEBGPU_GPU_BINDING_RESOURCE_GPU_BUFFER;
        resource->val.gpu_buffer.__handle = bindings[i].handle;
        break;
      case WEFT_BIND_TEXTURE:
        resource->tag = WASI_WEBGPU_WEBGPU_GPU_BINDING_RESOURCE_GPU_TEXTURE_VIEW;
        resource->val.gpu_texture_view.__handle = weft_make_view(context, (weft_texture){bindings[i].handle}).__handle;
        break;
      case WEFT_BIND_VIEW:
        resource->tag = WASI_WEBGPU_WEBGPU_GPU_BINDING_RESOURCE_GPU_TEXTURE_VIEW;
        resource->val.gpu_texture_view.__handle = bindings[i].handle;
        break;
      case WEFT_BIND_SAMPLER:
        resource->tag = WASI_WEBGPU_WEBGPU_GPU_BINDING_RESOURCE_GPU_SAMPLER;
        resource->val.gpu_sampler.__handle = bindings[i].handle;
        break;
    }
  }
  wasi_webgpu_webgpu_gpu_bind_group_descriptor_t descriptor = {.layout = {layout.__handle}, .entries = {entries, count}};
  wasi_webgpu_webgpu_own_gpu_bind_group_t group = wasi_webgpu_webgpu_method_gpu_device_create_bind_group(DEVICE, &descriptor);
  kit_own(context, KIT_BIND_GROUP, (uintptr_t)group.__handle);
  return (wasi_webgpu_webgpu_borrow_gpu_bind_group_t){group.__handle};
}

void weft_compute(weft_context* context, weft_compute_pipeline pipeline, const weft_binding* bindings, size_t count, uint32_t x, uint32_t y,
                  uint32_t z) {
  if (!context->in_pass) {
    context->pass = wasi_webgpu_webgpu_method_gpu_command_encoder_begin_compute_pass(Encoder(context), NULL);
    context->in_pass = true;
  }
  wasi_webgpu_webgpu_borrow_gpu_compute_pass_encoder_t pass = {context->pass.__handle};
  wasi_webgpu_webgpu_method_gpu_compute_pass_encoder_set_pipeline(
      pass, (wasi_webgpu_webgpu_borrow_gpu_compute_pipeline_t){pipeline.pipeline.__handle});
  wasi_webgpu_webgpu_borrow_gpu_bind_group_t group = BindGroup(context, pipeline.layout, bindings, count);
  wasi_webgpu_webgpu_set_bind_group_error_t error;
  if (!wasi_webgpu_webgpu_method_gpu_compute_pass_encoder_set_bind_group(pass, 0, &group, NULL, NULL, NULL, &error)) {
    wasi_webgpu_webgpu_set_bind_group_error_free(&error);
  }
  wasi_webgpu_webgpu_method_gpu_compute_pass_encoder_dispatch_workgroups(pass, x, &y, &z);
}

void weft_draw(weft_context* context, weft_render_pipeline pipeline, weft_texture target, const weft_binding* bindings, size_t count,
               uint32_t vertices) {
  kit_end_pass(context);
  wasi_webgpu_webgpu_option_gpu_render_pass_color_attachment_t attachments[1] = {{
      true,
      {
          .view = {weft_make_view(context, target).__handle},
          .clear_value = {true, {0, 0, 0, 0}},
          .load_op = WASI_WEBGPU_WEBGPU_GPU_LOAD_OP_CLEAR,
          .store_op = WASI_WEBGPU_WEBGPU_GPU_STORE_OP_STORE,
      },
  }};
  wasi_webgpu_webgpu_gpu_render_pass_descriptor_t descriptor = {.color_attachments = {attachments, 1}};
  wasi_webgpu_webgpu_own_gpu_render_pass_encoder_t own =
      wasi_webgpu_webgpu_method_gpu_command_encoder_begin_render_pass(Encoder(context), &descriptor);
  wasi_webgpu_webgpu_borrow_gpu_render_pass_encoder_t pass = {own.__handle};
  wasi_webgpu_webgpu_method_gpu_render_pass_encoder_set_pipeline(
      pass, (wasi_webgpu_webgpu_borrow_gpu_render_pipeline_t){pipeline.pipeline.__handle});
  wasi_webgpu_webgpu_borrow_gpu_bind_group_t group = BindGroup(context, pipeline.layout, bindings, count);
  wasi_webgpu_webgpu_set_bind_group_error_t error;
  if (!wasi_webgpu_webgpu_method_gpu_render_pass_encoder_set_bind_group(pass, 0, &group, NULL, NULL, NULL, &error)) {
    wasi_webgpu_webgpu_set_bind_group_error_free(&error);
  }
  wasi_webgpu_webgpu_method_gpu_render_pass_encoder_draw(pass, vertices, NULL, NULL, NULL);
  wasi_webgpu_webgpu_method_gpu_render_pass_encoder_end(pass);
  wasi_webgpu_webgpu_gpu_render_pass_encoder_drop_own(own);
}

void weft_clear(weft_context* context, weft_buffer buffer) {
  kit_end_pass(context);
  wasi_webgpu_webgpu_method_gpu_command_encoder_clear_buffer(Encoder(context), (wasi_webgpu_webgpu_borrow_gpu_buffer_t){buffer.__handle},
                                                             NULL, NULL);
}

void weft_watch(weft_context* context) {
  wasi_webgpu_webgpu_method_gpu_device_push_error_scope(DEVICE, WASI_WEBGPU_WEBGPU_GPU_ERROR_FILTER_VALIDATION);
}

bool weft_catch(weft_context* context) {
  wasi_webgpu_webgpu_option_own_gpu_error_t found;
  wasi_webgpu_webgpu_pop_error_scope_error_t error;
  if (!wasi_webgpu_webgpu_method_gpu_device_pop_error_scope(DEVICE, &found, &error)) {
    wasi_webgpu_webgpu_pop_error_scope_error_free(&error);
    return weft_fail(context, "weft_catch was called without a weft_watch before it.");
  }
  if (!found.is_some) return true;
  plugin_string_t message;
  wasi_webgpu_webgpu_method_gpu_error_message((wasi_webgpu_webgpu_borrow_gpu_error_t){found.val.__handle}, &message);
  wasi_webgpu_webgpu_gpu_error_drop_own(found.val);
  char* text = kit_allocate(message.len + 1);
  memcpy(text, message.ptr, message.len);
  plugin_string_free(&message);
  weft_fail(context, text);
  free(text);
  return false;
}
