// SPDX-License-Identifier: Apache-2.0
// Inside of the C kit: the instance, and the lists of what it has to drop and when.
#pragma once

#include "weft_plugin.h"

typedef enum {
  KIT_MEMORY,
  KIT_TEXTURE,
  KIT_VIEW,
  KIT_BUFFER,
  KIT_SAMPLER,
  KIT_SHADER,
  KIT_LAYOUT,
  KIT_COMPUTE_PIPELINE,
  KIT_RENDER_PIPELINE,
  KIT_BIND_GROUP
} kit_kind;

// A handle, or the address of a block of memory.
typedef struct kit_owned {
  kit_kind kind;
  uintptr_t value;
} kit_owned;

typedef struct kit_scope {
  kit_owned* items;
  size_t count, capacity;
} kit_scope;

struct weft_context {
  wasi_webgpu_webgpu_own_gpu_device_t device;
  wasi_webgpu_webgpu_own_gpu_queue_t queue;
  kit_scope scopes[3];  // by weft_lifetime
  weft_lifetime lifetime;
  weft_plugin_types_value_t* values;
  weft_port_info* inputs;  // as of the last configure
  weft_port_info* outputs;
  bool failed;
  plugin_string_t error;
  weft_frame_info project;
  bool configured;
  // configure only
  bool same, reused;
  plugin_list_tuple2_u32_u32_t pass_through;
  // process only
  bool recording, in_pass;
  wasi_webgpu_webgpu_own_gpu_command_encoder_t encoder;
  wasi_webgpu_webgpu_own_gpu_compute_pass_encoder_t pass;
  weft_plugin_types_list_data_output_t data;
  void* state;
};

struct weft_frame {
  const weft_plugin_types_frame_time_t* time;
  const exports_weft_plugin_effect_list_input_t* inputs;
  const exports_weft_plugin_effect_list_output_t* outputs;
};

// Never NULL: a plugin without memory traps.
void* kit_allocate(size_t size);
void* kit_grow(void* block, size_t size);

// Puts something into the list of the present lifetime.
void kit_own(weft_context* context, kit_kind kind, uintptr_t value);
void kit_drop_all(kit_scope* scope);

// Ends the open pass, and drops the encoder without submitting it.
void kit_end_pass(weft_context* context);
void kit_abandon(weft_context* context);

static inline plugin_string_t kit_borrow(const char* text) {
  plugin_string_t string;
  plugin_string_set(&string, text ? text : "");
  return string;
}
