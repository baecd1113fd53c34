// SPDX-License-Identifier: Apache-2.0
// What the plugin made, by lifetime; strings.
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "kit.h"

void* kit_grow(void* block, size_t size) {
  void* grown = realloc(block, size ? size : 1);
  if (!grown) __builtin_trap();
  return grown;
}

void* kit_allocate(size_t size) {
  void* block = kit_grow(NULL, size);
  memset(block, 0, size);
  return block;
}

void kit_own(weft_context* context, kit_kind kind, uintptr_t value) {
  kit_scope* scope = &context->scopes[context->lifetime];
  if (scope->count == scope->capacity) {
    scope->capacity = scope->capacity ? scope->capacity * 2 : 16;
    scope->items = kit_grow(scope->items, scope->capacity * sizeof(kit_owned));
  }
  scope->items[scope->count++] = (kit_owned){kind, value};
}

static void Drop(kit_owned item) {
  int32_t handle = (int32_t)item.value;
  switch (item.kind) {
    case KIT_MEMORY: free((void*)item.value); break;
    case KIT_TEXTURE:
      // The texture's memory goes now, not when the host finds the time.
      wasi_webgpu_webgpu_method_gpu_texture_destroy((wasi_webgpu_webgpu_borrow_gpu_texture_t){handle});
      wasi_webgpu_webgpu_gpu_texture_drop_own((weft_texture){handle});
      break;
    case KIT_VIEW: wasi_webgpu_webgpu_gpu_texture_view_drop_own((weft_view){handle}); break;
    case KIT_BUFFER:
      wasi_webgpu_webgpu_method_gpu_buffer_destroy((wasi_webgpu_webgpu_borrow_gpu_buffer_t){handle});
      wasi_webgpu_webgpu_gpu_buffer_drop_own((weft_buffer){handle});
      break;
    case KIT_SAMPLER: wasi_webgpu_webgpu_gpu_sampler_drop_own((weft_sampler){handle}); break;
    case KIT_SHADER: wasi_webgpu_webgpu_gpu_shader_module_drop_own((weft_shader){handle}); break;
    case KIT_LAYOUT: wasi_webgpu_webgpu_gpu_bind_group_layout_drop_own((weft_layout){handle}); break;
    case KIT_COMPUTE_PIPELINE:
      wasi_webgpu_webgpu_gpu_compute_pipeline_drop_own((wasi_webgpu_webgpu_own_gpu_compute_pipeline_t){handle});
      break;
    case KIT_RENDER_PIPELINE:
      wasi_webgpu_webgpu_gpu_render_pipeline_drop_own((wasi_webgpu_webgpu_own_gpu_render_pipeline_t){handle});
      break;
    case KIT_BIND_GROUP: wasi_webgpu_webgpu_gpu_bind_group_drop_own((wasi_webgpu_webgpu_own_gpu_bind_group_t){handle}); break;
  }
}

// Last made, first dropped. The list keeps its room, so that a steady frame allocates nothing.
void kit_drop_all(kit_scope* scope) {
  while (scope->count > 0) Drop(scope->items[--scope->count]);
}

weft_lifetime weft_keep(weft_context* context, weft_lifetime lifetime) {
  weft_lifetime before = context->lifetime;
  context->lifetime = lifetime;
  return before;
}

void* weft_state(weft_context* context) { return context->state; }

bool weft_fail_parts(weft_context* context, ...) {
  if (context->failed) return false;  // the first cause is the one to tell
  size_t length = 0;
  va_list parts;
  va_start(parts, context);
  for (const char* part; (part = va_arg(parts, const char*));) length += strlen(part);
  va_end(parts);
  char* text = kit_allocate(length + 1);
  size_t at = 0;
  va_start(parts, context);
  for (const char* part; (part = va_arg(parts, const char*));) {
    memcpy(text + at, part, strlen(part));
    at += strlen(part);
  }
  va_end(parts);
  context->error = (plugin_string_t){(uint8_t*)text, length};
  context->failed = true;
  return false;
}

const char* weft_digits(weft_context* context, int64_t number) {
  char digits[24];
  size_t at = sizeof digits;
  uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
  digits[--at] = 0;
  do digits[--at] = (char)('0' + rest % 10);
  while (rest /= 10);
  if (number < 0) digits[--at] = '-';
  char* text = kit_allocate(sizeof digits - at);
  memcpy(text, digits + at, sizeof digits - at);
  kit_own(context, KIT_MEMORY, (uintptr_t)text);
  return text;
}

const char* weft_replace(weft_context* context, const char* text, const char* from, const char* to) {
  size_t count = 0, width = strlen(from);
  if (width == 0) return text;
  for (const char* at = text; (at = strstr(at, from)); at += width) ++count;
  char *result = kit_allocate(strlen(text) + count * strlen(to) + 1), *end = result;
  for (const char* next; (next = strstr(text, from)); text = next + width) {
    memcpy(end, text, (size_t)(next - text));
    end += next - text;
    memcpy(end, to, strlen(to));
    end += strlen(to);
  }
  strcpy(end, text);
  kit_own(context, KIT_MEMORY, (uintptr_t)result);
  return result;
}

void weft_log(weft_level level, const char* message) {
  plugin_string_t text = kit_borrow(message);
  weft_plugin_log_write((weft_plugin_log_level_t)level, &text);
}

const char* weft_format_name(weft_format format) {
  switch (format) {
    case WEFT_RGBA8UNORM: return "rgba8unorm";
    case WEFT_RGBA16FLOAT: return "rgba16float";
    case WEFT_RGBA32FLOAT: return "rgba32float";
    default: return NULL;
  }
}
