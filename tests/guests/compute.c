// SPDX-License-Identifier: Apache-2.0
// A plain component that asks for a GPU by itself: adapter, device, buffer, dispatch, read back.
#include <compute.h>
#include <stdlib.h>
#include <string.h>

#define GPU(name) wasi_webgpu_webgpu_##name
#define CALL(name) wasi_webgpu_webgpu_method_##name
#define BORROW(name, handle) \
  (wasi_webgpu_webgpu_borrow_##name##_t) { (handle).__handle }

static const char kWgsl[] =
    "@group(0) @binding(0) var<storage, read_write> numbers: array<u32>;\n"
    "@compute @workgroup_size(64) fn square(@builtin(global_invocation_id) id: vec3u) {\n"
    "  if (id.x < arrayLength(&numbers)) { numbers[id.x] *= numbers[id.x]; }\n"
    "}\n";

static uint32_t call_count;

uint32_t exports_compute_calls(void) { return call_count; }

static compute_string_t Text(const char* text) {
  compute_string_t string;
  compute_string_set(&string, text);
  return string;
}

static bool Failed(compute_string_t* err, const char* text) {
  compute_string_dup(err, text);
  return false;
}

static GPU(own_gpu_buffer_t) MakeBuffer(GPU(borrow_gpu_device_t) device, uint64_t size, uint16_t usage) {
  GPU(gpu_buffer_descriptor_t) descriptor = {.size = size, .usage = usage};
  return CALL(gpu_device_create_buffer)(device, &descriptor);
}

bool exports_compute_square(compute_list_u32_t* numbers, compute_list_u32_t* ret, compute_string_t* err) {
  ++call_count;
  if (numbers->len == 0) {
    *ret = (compute_list_u32_t){0};
    return true;
  }
  uint64_t size = numbers->len * sizeof(uint32_t);
  GPU(own_gpu_t) gpu = GPU(get_gpu)();
  GPU(own_gpu_adapter_t) adapter;
  if (!CALL(gpu_request_adapter)(BORROW(gpu, gpu), NULL, &adapter)) return Failed(err, "There is no adapter.");
  GPU(own_gpu_device_t) own_device;
  GPU(request_device_error_t) device_error;
  if (!CALL(gpu_adapter_request_device)(BORROW(gpu_adapter, adapter), NULL, &own_device, &device_error)) {
    return Failed(err, "There is no device.");
  }
  GPU(borrow_gpu_device_t) device = BORROW(gpu_device, own_device);
  GPU(own_gpu_queue_t) queue = CALL(gpu_device_queue)(device);

  GPU(gpu_shader_module_descriptor_t) shader_descriptor = {.code = Text(kWgsl)};
  GPU(own_gpu_shader_module_t) shader = CALL(gpu_device_create_shader_module)(device, &shader_descriptor);
  GPU(gpu_compute_pipeline_descriptor_t)
  pipeline_descriptor = {
      .compute = {.module = BORROW(gpu_shader_module, shader), .entry_point = {true, Text("square")}},
      .layout = {.tag = WASI_WEBGPU_WEBGPU_GPU_LAYOUT_MODE_AUTO},
  };
  GPU(own_gpu_compute_pipeline_t) pipeline = CALL(gpu_device_create_compute_pipeline)(device, &pipeline_descriptor);
  GPU(own_gpu_bind_group_layout_t) layout = CALL(gpu_compute_pipeline_get_bind_group_layout)(BORROW(gpu_compute_pipeline, pipeline), 0);

  GPU(own_gpu_buffer_t)
  work = MakeBuffer(device, size,
                    WASI_WEBGPU_WEBGPU_GPU_BUFFER_USAGE_STORAGE | WASI_WEBGPU_WEBGPU_GPU_BUFFER_USAGE_COPY_DST |
                        WASI_WEBGPU_WEBGPU_GPU_BUFFER_USAGE_COPY_SRC);
  GPU(own_gpu_buffer_t)
  back = MakeBuffer(device, size, WASI_WEBGPU_WEBGPU_GPU_BUFFER_USAGE_MAP_READ | WASI_WEBGPU_WEBGPU_GPU_BUFFER_USAGE_COPY_DST);
  compute_list_u8_t bytes = {(uint8_t*)numbers->ptr, size};
  GPU(write_buffer_error_t) write_error;
  if (!CALL(gpu_queue_write_buffer_with_copy)(BORROW(gpu_queue, queue), BORROW(gpu_buffer, work), 0, &bytes, NULL, NULL, &write_error)) {
    return Failed(err, "The buffer could not be written.");
  }
  GPU(gpu_bind_group_entry_t)
  entry = {.resource = {.tag = WASI_WEBGPU_WEBGPU_GPU_BINDING_RESOURCE_GPU_BUFFER, .val.gpu_buffer = BORROW(gpu_buffer, work)}};
  GPU(gpu_bind_group_descriptor_t) group_descriptor = {.layout = BORROW(gpu_bind_group_layout, layout), .entries = {&entry, 1}};
  GPU(own_gpu_bind_group_t) group = CALL(gpu_device_create_bind_group)(device, &group_descriptor);

  GPU(own_gpu_command_encoder_t) encoder = CALL(gpu_device_create_command_encoder)(device, NULL);
  GPU(own_gpu_compute_pass_encoder_t) pass = CALL(gpu_command_encoder_begin_compute_pass)(BORROW(gpu_command_encoder, encoder), NULL);
  CALL(gpu_compute_pass_encoder_set_pipeline)(BORROW(gpu_compute_pass_encoder, pass), BORROW(gpu_compute_pipeline, pipeline));
  GPU(borrow_gpu_bind_group_t) bound = BORROW(gpu_bind_group, group);
  GPU(set_bind_group_error_t) bind_error;
  CALL(gpu_compute_pass_encoder_set_bind_group)(BORROW(gpu_compute_pass_encoder, pass), 0, &bound, NULL, NULL, NULL, &bind_error);
  CALL(gpu_compute_pass_encoder_dispatch_workgroups)(BORROW(gpu_compute_pass_encoder, pass), (uint32_t)((numbers->len + 63) / 64), NULL,
                                                     NULL);
  CALL(gpu_compute_pass_encoder_end)(BORROW(gpu_compute_pass_encoder, pass));
  CALL(gpu_command_encoder_copy_buffer_to_buffer)(BORROW(gpu_command_encoder, encoder), BORROW(gpu_buffer, work), NULL,
                                                  BORROW(gpu_buffer, back), NULL, &size);
  GPU(own_gpu_command_buffer_t) commands = CALL(gpu_command_encoder_finish)(BORROW(gpu_command_encoder, encoder), NULL);
  GPU(borrow_gpu_command_buffer_t) one = BORROW(gpu_command_buffer, commands);
  GPU(list_borrow_gpu_command_buffer_t) all = {&one, 1};
  CALL(gpu_queue_submit)(BORROW(gpu_queue, queue), &all);

  GPU(map_async_error_t) map_error;
  if (!CALL(gpu_buffer_map_async)(BORROW(gpu_buffer, back), WASI_WEBGPU_WEBGPU_GPU_MAP_MODE_READ, NULL, NULL, &map_error)) {
    return Failed(err, "The result could not be mapped.");
  }
  compute_list_u8_t mapped;
  GPU(get_mapped_range_error_t) range_error;
  if (!CALL(gpu_buffer_get_mapped_range_get_with_copy)(BORROW(gpu_buffer, back), NULL, NULL, &mapped, &range_error)) {
    return Failed(err, "The result could not be read.");
  }
  *ret = (compute_list_u32_t){(uint32_t*)mapped.ptr, mapped.len / sizeof(uint32_t)};

  // The plugin kit does this by itself; a bare component drops what it made.
  GPU(gpu_command_buffer_drop_own)(commands);
  GPU(gpu_compute_pass_encoder_drop_own)(pass);
  GPU(gpu_command_encoder_drop_own)(encoder);
  GPU(gpu_bind_group_drop_own)(group);
  GPU(gpu_buffer_drop_own)(back);
  GPU(gpu_buffer_drop_own)(work);
  GPU(gpu_bind_group_layout_drop_own)(layout);
  GPU(gpu_compute_pipeline_drop_own)(pipeline);
  GPU(gpu_shader_module_drop_own)(shader);
  GPU(gpu_queue_drop_own)(queue);
  GPU(gpu_device_drop_own)(own_device);
  GPU(gpu_adapter_drop_own)(adapter);
  GPU(gpu_drop_own)(gpu);
  compute_list_u32_free(numbers);
  return true;
}
