// SPDX-License-Identifier: Apache-2.0
// The guest of bench/calls; what each export does stands in calls.wit.
#include <calls.h>
#include <stdlib.h>
#include <string.h>

#define GPU(name) wasi_webgpu_webgpu_##name
#define CALL(name) wasi_webgpu_webgpu_method_##name
#define BORROW(name, handle) \
  (wasi_webgpu_webgpu_borrow_##name##_t) { (handle).__handle }

static GPU(own_gpu_device_t) device;
static GPU(own_gpu_queue_t) queue;
static GPU(own_gpu_buffer_t) uniform, upload_buffer, vertices;
static GPU(own_gpu_bind_group_layout_t) layout;
static GPU(own_gpu_bind_group_t) group;
static GPU(own_gpu_render_pipeline_t) pipeline;
static GPU(own_gpu_texture_t) target;
static uint8_t* bytes;
static size_t byte_count;

static const char kWgsl[] =
    "@group(0) @binding(0) var<uniform> color: vec4f;\n"
    "@vertex fn vs(@location(0) at: vec2f) -> @builtin(position) vec4f { return vec4f(at, 0.0, 1.0); }\n"
    "@fragment fn fs() -> @location(0) vec4f { return color; }\n";

static calls_string_t Text(const char* text) {
  calls_string_t string;
  calls_string_set(&string, text);
  return string;
}
static bool Fail(calls_string_t* err, const char* text) {
  calls_string_dup(err, text);
  return false;
}
static GPU(own_gpu_buffer_t) MakeBuffer(uint64_t size, uint16_t usage) {
  GPU(gpu_buffer_descriptor_t) d = {.size = size, .usage = usage};
  return CALL(gpu_device_create_buffer)(BORROW(gpu_device, device), &d);
}

static GPU(own_gpu_bind_group_layout_t) MakeLayout(void) {
  GPU(gpu_bind_group_layout_entry_t)
  entries[2] = {
      {.binding = 0, .visibility = WASI_WEBGPU_WEBGPU_GPU_SHADER_STAGE_COMPUTE | WASI_WEBGPU_WEBGPU_GPU_SHADER_STAGE_FRAGMENT},
      {.binding = 1, .visibility = WASI_WEBGPU_WEBGPU_GPU_SHADER_STAGE_COMPUTE},
  };
  entries[0].buffer.is_some = true;
  entries[0].buffer.val.type.is_some = true;
  entries[0].buffer.val.type.val = WASI_WEBGPU_WEBGPU_GPU_BUFFER_BINDING_TYPE_UNIFORM;
  entries[0].buffer.val.has_dynamic_offset.is_some = true;
  entries[0].buffer.val.has_dynamic_offset.val = true;
  entries[1].buffer.is_some = true;
  entries[1].buffer.val.type.is_some = true;
  entries[1].buffer.val.type.val = WASI_WEBGPU_WEBGPU_GPU_BUFFER_BINDING_TYPE_UNIFORM;
  GPU(gpu_bind_group_layout_descriptor_t)
  d = {.entries = {entries, 2}, .label = {true, Text("two uniforms")}};
  return CALL(gpu_device_create_bind_group_layout)(BORROW(gpu_device, device), &d);
}

bool exports_calls_prepare(uint64_t upload_bytes, calls_string_t* err) {
  GPU(own_gpu_t) gpu = GPU(get_gpu)();
  GPU(own_gpu_adapter_t) adapter;
  if (!CALL(gpu_request_adapter)(BORROW(gpu, gpu), NULL, &adapter)) return Fail(err, "There is no adapter.");
  GPU(request_device_error_t) device_error;
  if (!CALL(gpu_adapter_request_device)(BORROW(gpu_adapter, adapter), NULL, &device, &device_error))
    return Fail(err, "There is no device.");
  queue = CALL(gpu_device_queue)(BORROW(gpu_device, device));
  uniform = MakeBuffer(1024, WASI_WEBGPU_WEBGPU_GPU_BUFFER_USAGE_UNIFORM | WASI_WEBGPU_WEBGPU_GPU_BUFFER_USAGE_COPY_DST);
  vertices = MakeBuffer(64, WASI_WEBGPU_WEBGPU_GPU_BUFFER_USAGE_VERTEX | WASI_WEBGPU_WEBGPU_GPU_BUFFER_USAGE_COPY_DST);
  upload_buffer = MakeBuffer(upload_bytes, WASI_WEBGPU_WEBGPU_GPU_BUFFER_USAGE_COPY_DST);
  byte_count = (size_t)upload_bytes;
  bytes = malloc(byte_count);
  if (!bytes) return Fail(err, "There is no memory.");
  memset(bytes, 0x5a, byte_count);

  layout = MakeLayout();
  GPU(gpu_bind_group_entry_t) entries[2];
  memset(entries, 0, sizeof entries);
  for (uint32_t i = 0; i < 2; ++i) {
    entries[i].binding = i;
    entries[i].resource.tag = WASI_WEBGPU_WEBGPU_GPU_BINDING_RESOURCE_GPU_BUFFER_BINDING;
    entries[i].resource.val.gpu_buffer_binding.buffer = BORROW(gpu_buffer, uniform);
    entries[i].resource.val.gpu_buffer_binding.size.is_some = true;
    entries[i].resource.val.gpu_buffer_binding.size.val = 256;
  }
  GPU(gpu_bind_group_descriptor_t) gd = {.layout = BORROW(gpu_bind_group_layout, layout), .entries = {entries, 2}};
  group = CALL(gpu_device_create_bind_group)(BORROW(gpu_device, device), &gd);

  GPU(gpu_shader_module_descriptor_t) sd = {.code = Text(kWgsl)};
  GPU(own_gpu_shader_module_t) shader = CALL(gpu_device_create_shader_module)(BORROW(gpu_device, device), &sd);
  GPU(option_borrow_gpu_bind_group_layout_t) layouts[1] = {{true, BORROW(gpu_bind_group_layout, layout)}};
  GPU(gpu_pipeline_layout_descriptor_t) pld = {.bind_group_layouts = {layouts, 1}};
  GPU(own_gpu_pipeline_layout_t) pipeline_layout = CALL(gpu_device_create_pipeline_layout)(BORROW(gpu_device, device), &pld);
  GPU(gpu_vertex_attribute_t) attribute = {.format = WASI_WEBGPU_WEBGPU_GPU_VERTEX_FORMAT_FLOAT32X2};
  GPU(option_gpu_vertex_buffer_layout_t) buffers[1] = {{.is_some = true, .val = {.array_stride = 8, .attributes = {&attribute, 1}}}};
  GPU(option_gpu_color_target_state_t)
  targets[1] = {{.is_some = true, .val = {.format = WASI_WEBGPU_WEBGPU_GPU_TEXTURE_FORMAT_RGBA8UNORM}}};
  GPU(gpu_render_pipeline_descriptor_t) rd;
  memset(&rd, 0, sizeof rd);
  rd.layout.tag = WASI_WEBGPU_WEBGPU_GPU_LAYOUT_MODE_SPECIFIC;
  rd.layout.val.specific = BORROW(gpu_pipeline_layout, pipeline_layout);
  rd.vertex.module = BORROW(gpu_shader_module, shader);
  rd.vertex.buffers.is_some = true;
  rd.vertex.buffers.val.ptr = buffers;
  rd.vertex.buffers.val.len = 1;
  rd.fragment.is_some = true;
  rd.fragment.val.module = BORROW(gpu_shader_module, shader);
  rd.fragment.val.targets.ptr = targets;
  rd.fragment.val.targets.len = 1;
  pipeline = CALL(gpu_device_create_render_pipeline)(BORROW(gpu_device, device), &rd);
  GPU(gpu_texture_descriptor_t)
  td = {.size = {.width = 64, .height = {true, 64}},
        .format = WASI_WEBGPU_WEBGPU_GPU_TEXTURE_FORMAT_RGBA8UNORM,
        .usage = WASI_WEBGPU_WEBGPU_GPU_TEXTURE_USAGE_RENDER_ATTACHMENT};
  target = CALL(gpu_device_create_texture)(BORROW(gpu_device, device), &td);
  return true;
}

uint64_t exports_calls_scalar(uint32_t times) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < times; ++i) sum += CALL(gpu_buffer_size)(BORROW(gpu_buffer, uniform));
  return sum;
}

void exports_calls_offsets(uint32_t times) {
  GPU(own_gpu_command_encoder_t) encoder = CALL(gpu_device_create_command_encoder)(BORROW(gpu_device, device), NULL);
  GPU(own_gpu_compute_pass_encoder_t) pass = CALL(gpu_command_encoder_begin_compute_pass)(BORROW(gpu_command_encoder, encoder), NULL);
  uint32_t offset = 0;
  GPU(list_gpu_buffer_dynamic_offset_t) offsets = {&offset, 1};
  GPU(borrow_gpu_bind_group_t) borrowed = BORROW(gpu_bind_group, group);
  GPU(set_bind_group_error_t) err;
  for (uint32_t i = 0; i < times; ++i) {
    offset = (i & 1) * 256;
    CALL(gpu_compute_pass_encoder_set_bind_group)(BORROW(gpu_compute_pass_encoder, pass), 0, &borrowed, &offsets, NULL, NULL, &err);
  }
  CALL(gpu_compute_pass_encoder_end)(BORROW(gpu_compute_pass_encoder, pass));
  GPU(gpu_compute_pass_encoder_drop_own)(pass);
  GPU(gpu_command_encoder_drop_own)(encoder);
}

void exports_calls_layout(uint32_t times) {
  for (uint32_t i = 0; i < times; ++i) GPU(gpu_bind_group_layout_drop_own)(MakeLayout());
}

void exports_calls_scope(uint32_t times) {
  for (uint32_t i = 0; i < times; ++i) {
    CALL(gpu_device_push_error_scope)(BORROW(gpu_device, device), WASI_WEBGPU_WEBGPU_GPU_ERROR_FILTER_VALIDATION);
    GPU(option_own_gpu_error_t) found;
    GPU(pop_error_scope_error_t) err;
    CALL(gpu_device_pop_error_scope)(BORROW(gpu_device, device), &found, &err);
  }
}

void exports_calls_upload(uint32_t times) {
  GPU(write_buffer_error_t) err;
  calls_list_u8_t list = {bytes, byte_count};
  for (uint32_t i = 0; i < times; ++i) {
    CALL(gpu_queue_write_buffer_with_copy)(BORROW(gpu_queue, queue), BORROW(gpu_buffer, upload_buffer), 0, &list, NULL, NULL, &err);
    CALL(gpu_queue_on_submitted_work_done)(BORROW(gpu_queue, queue));
  }
}

static void Draw(uint32_t count, bool other_calls) {
  GPU(own_gpu_texture_view_t) view = CALL(gpu_texture_create_view)(BORROW(gpu_texture, target), NULL);
  GPU(own_gpu_command_encoder_t) encoder = CALL(gpu_device_create_command_encoder)(BORROW(gpu_device, device), NULL);
  GPU(option_gpu_render_pass_color_attachment_t) attachment;
  memset(&attachment, 0, sizeof attachment);
  attachment.is_some = true;
  attachment.val.view = BORROW(gpu_texture_view, view);
  attachment.val.load_op = WASI_WEBGPU_WEBGPU_GPU_LOAD_OP_CLEAR;
  attachment.val.store_op = WASI_WEBGPU_WEBGPU_GPU_STORE_OP_STORE;
  GPU(gpu_render_pass_descriptor_t) d;
  memset(&d, 0, sizeof d);
  d.color_attachments.ptr = &attachment;
  d.color_attachments.len = 1;
  GPU(own_gpu_render_pass_encoder_t) own = CALL(gpu_command_encoder_begin_render_pass)(BORROW(gpu_command_encoder, encoder), &d);
  GPU(borrow_gpu_render_pass_encoder_t) pass = BORROW(gpu_render_pass_encoder, own);
  CALL(gpu_render_pass_encoder_set_pipeline)(pass, BORROW(gpu_render_pipeline, pipeline));
  uint32_t offset = 0;
  GPU(list_gpu_buffer_dynamic_offset_t) offsets = {&offset, 1};
  GPU(borrow_gpu_bind_group_t) borrowed = BORROW(gpu_bind_group, group);
  GPU(borrow_gpu_buffer_t) vertex_buffer = BORROW(gpu_buffer, vertices);
  GPU(set_bind_group_error_t) err;
  if (other_calls) CALL(gpu_render_pass_encoder_set_vertex_buffer)(pass, 0, &vertex_buffer, NULL, NULL);
  for (uint32_t i = 0; i < count; ++i) {
    offset = (i & 1) * 256;
    CALL(gpu_render_pass_encoder_set_bind_group)(pass, 0, &borrowed, &offsets, NULL, NULL, &err);
    if (other_calls) {
      CALL(gpu_render_pass_encoder_set_pipeline)(pass, BORROW(gpu_render_pipeline, pipeline));
    } else {
      CALL(gpu_render_pass_encoder_set_vertex_buffer)(pass, 0, &vertex_buffer, NULL, NULL);
    }
    CALL(gpu_render_pass_encoder_draw)(pass, 3, NULL, NULL, NULL);
  }
  CALL(gpu_render_pass_encoder_end)(pass);
  GPU(gpu_render_pass_encoder_drop_own)(own);
  GPU(own_gpu_command_buffer_t) commands = CALL(gpu_command_encoder_finish)(BORROW(gpu_command_encoder, encoder), NULL);
  GPU(gpu_command_encoder_drop_own)(encoder);
  GPU(list_borrow_gpu_command_buffer_t) list;
  GPU(borrow_gpu_command_buffer_t) one = BORROW(gpu_command_buffer, commands);
  list.ptr = &one;
  list.len = 1;
  CALL(gpu_queue_submit)(BORROW(gpu_queue, queue), &list);
  GPU(gpu_command_buffer_drop_own)(commands);
  GPU(gpu_texture_view_drop_own)(view);
}

void exports_calls_draws(uint32_t count) {
  Draw(count, false);
  CALL(gpu_queue_on_submitted_work_done)(BORROW(gpu_queue, queue));
}

void exports_calls_frames(uint32_t frames, uint32_t count) {
  for (uint32_t f = 0; f < frames; ++f) Draw(count, true);
  CALL(gpu_queue_on_submitted_work_done)(BORROW(gpu_queue, queue));
}

void exports_calls_pairs(uint32_t times) {
  for (uint32_t i = 0; i < times; ++i) GPU(gpu_texture_view_drop_own)(CALL(gpu_texture_create_view)(BORROW(gpu_texture, target), NULL));
}

void exports_calls_pairs_and_trap(uint32_t times) {
  exports_calls_pairs(times);
  CALL(gpu_texture_create_view)(BORROW(gpu_texture, target), NULL);
  __builtin_trap();
}
