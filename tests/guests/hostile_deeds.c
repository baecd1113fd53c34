// SPDX-License-Identifier: Apache-2.0
// What a hostile guest does. The texts after weft_fail are for a host that let a deed pass where a test wants to see it refused.
#include <stdlib.h>

#include "hostile.h"
#include "kit.h"  // the inside of the kit, to keep what it would drop

// ---- Steps ----------------------------------------------------------------------------------------------------------------------

weft_buffer RawBuffer(weft_context* context, uint64_t size, uint32_t usage, bool mapped) {
  GPU(gpu_buffer_descriptor_t) descriptor = {.size = size, .usage = (uint16_t)usage, .mapped_at_creation = {mapped, mapped}};
  return CALL(gpu_device_create_buffer)(weft_device(context), &descriptor);
}

weft_view RawView(weft_texture texture) { return CALL(gpu_texture_create_view)(BORROW(gpu_texture, texture), NULL); }

OWN(gpu_bind_group) RawGroup(weft_context* context, weft_layout layout, const weft_view* views, uint32_t count) {
  GPU(gpu_bind_group_entry_t) entries[4];
  for (uint32_t i = 0; i < count; ++i) {
    entries[i].binding = i;
    entries[i].resource.tag = WASI_WEBGPU_WEBGPU_GPU_BINDING_RESOURCE_GPU_TEXTURE_VIEW;
    entries[i].resource.val.gpu_texture_view = BORROW(gpu_texture_view, views[i]);
  }
  GPU(gpu_bind_group_descriptor_t) descriptor = {.layout = BORROW(gpu_bind_group_layout, layout), .entries = {entries, count}};
  return CALL(gpu_device_create_bind_group)(weft_device(context), &descriptor);
}

OWN(gpu_command_encoder) RawEncoder(weft_context* context) { return CALL(gpu_device_create_command_encoder)(weft_device(context), NULL); }

OWN(gpu_command_buffer) RawFinish(OWN(gpu_command_encoder) encoder) {
  return CALL(gpu_command_encoder_finish)(BORROW(gpu_command_encoder, encoder), NULL);
}

void RawSubmit(weft_context* context, OWN(gpu_command_buffer) commands) {
  GPU(borrow_gpu_command_buffer_t) one[1] = {BORROW(gpu_command_buffer, commands)};
  GPU(list_borrow_gpu_command_buffer_t) list = {one, 1};
  CALL(gpu_queue_submit)(weft_queue(context), &list);
}

void RawCopyPass(Hostile* hostile, OWN(gpu_command_encoder) encoder, OWN(gpu_bind_group) group) {
  OWN(gpu_compute_pass_encoder) own = CALL(gpu_command_encoder_begin_compute_pass)(BORROW(gpu_command_encoder, encoder), NULL);
  GPU(borrow_gpu_compute_pass_encoder_t) pass = BORROW(gpu_compute_pass_encoder, own);
  CALL(gpu_compute_pass_encoder_set_pipeline)(pass, BORROW(gpu_compute_pipeline, hostile->copy.pipeline));
  GPU(borrow_gpu_bind_group_t) bound = BORROW(gpu_bind_group, group);
  GPU(set_bind_group_error_t) error;
  CALL(gpu_compute_pass_encoder_set_bind_group)(pass, 0, &bound, NULL, NULL, NULL, &error);
  uint32_t y = weft_groups(hostile->height, 8);
  CALL(gpu_compute_pass_encoder_dispatch_workgroups)(pass, weft_groups(hostile->width, 8), &y, NULL);
  CALL(gpu_compute_pass_encoder_end)(pass);
  GPU(gpu_compute_pass_encoder_drop_own)(own);
}

static OWN(gpu_render_pass_encoder) BeginRender(OWN(gpu_command_encoder) encoder, weft_view view, weft_view resolve) {
  GPU(option_gpu_render_pass_color_attachment_t)
  attachments[1] = {{
      true,
      {.view = BORROW(gpu_texture_view, view),
       .resolve_target = {resolve.__handle != 0, BORROW(gpu_texture_view, resolve)},
       .clear_value = {true, {1, 0, 0, 1}},
       .load_op = WASI_WEBGPU_WEBGPU_GPU_LOAD_OP_CLEAR,
       .store_op = WASI_WEBGPU_WEBGPU_GPU_STORE_OP_STORE},
  }};
  GPU(gpu_render_pass_descriptor_t) descriptor = {.color_attachments = {attachments, 1}};
  return CALL(gpu_command_encoder_begin_render_pass)(BORROW(gpu_command_encoder, encoder), &descriptor);
}

void RawClearPass(OWN(gpu_command_encoder) encoder, weft_view view, weft_view resolve) {
  OWN(gpu_render_pass_encoder) pass = BeginRender(encoder, view, resolve);
  CALL(gpu_render_pass_encoder_end)(BORROW(gpu_render_pass_encoder, pass));
  GPU(gpu_render_pass_encoder_drop_own)(pass);
}

static OWN(gpu_bind_group) FrameGroup(weft_context* context, Hostile* hostile, const weft_frame* frame) {
  weft_view views[2] = {RawView(weft_input(frame, 0)), RawView(weft_output(frame, 0))};
  return RawGroup(context, hostile->copy.layout, views, 2);
}

// ---- Kept from the first frame --------------------------------------------------------------------------------------------------

static bool KeepCommandBuffer(weft_context* context, Hostile* hostile, const weft_frame* frame) {
  if (hostile->frames == 0) {
    OWN(gpu_command_encoder) encoder = RawEncoder(context);
    RawCopyPass(hostile, encoder, FrameGroup(context, hostile, frame));
    hostile->kept = RawFinish(encoder).__handle;
  } else {
    RawSubmit(context, (OWN(gpu_command_buffer)){hostile->kept});
  }
  return true;
}

static bool KeepView(weft_context* context, Hostile* hostile, const weft_frame* frame) {
  if (hostile->frames == 0) {
    hostile->kept = RawView(weft_input(frame, 0)).__handle;
    return true;
  }
  weft_view views[2] = {{hostile->kept}, RawView(weft_output(frame, 0))};
  OWN(gpu_command_encoder) encoder = RawEncoder(context);
  RawCopyPass(hostile, encoder, RawGroup(context, hostile->copy.layout, views, 2));
  RawSubmit(context, RawFinish(encoder));
  return true;
}

static bool KeepBindGroup(weft_context* context, Hostile* hostile, const weft_frame* frame) {
  if (hostile->frames == 0) {
    hostile->kept = FrameGroup(context, hostile, frame).__handle;
    return true;
  }
  OWN(gpu_command_encoder) encoder = RawEncoder(context);
  RawCopyPass(hostile, encoder, (OWN(gpu_bind_group)){hostile->kept});
  RawSubmit(context, RawFinish(encoder));
  return true;
}

static bool KeepBundle(weft_context* context, Hostile* hostile, const weft_frame* frame) {
  if (hostile->frames == 0) {
    weft_view view = RawView(weft_input(frame, 0));
    OWN(gpu_bind_group) group = RawGroup(context, hostile->paint.layout, &view, 1);
    GPU(option_gpu_texture_format_t) formats[1] = {{true, hostile->format}};
    GPU(gpu_render_bundle_encoder_descriptor_t) descriptor = {.color_formats = {formats, 1}};
    OWN(gpu_render_bundle_encoder) own = CALL(gpu_device_create_render_bundle_encoder)(weft_device(context), &descriptor);
    GPU(borrow_gpu_render_bundle_encoder_t) bundle = BORROW(gpu_render_bundle_encoder, own);
    CALL(gpu_render_bundle_encoder_set_pipeline)(bundle, BORROW(gpu_render_pipeline, hostile->paint.pipeline));
    GPU(borrow_gpu_bind_group_t) bound = BORROW(gpu_bind_group, group);
    GPU(set_bind_group_error_t) error;
    CALL(gpu_render_bundle_encoder_set_bind_group)(bundle, 0, &bound, NULL, NULL, NULL, &error);
    CALL(gpu_render_bundle_encoder_draw)(bundle, 3, NULL, NULL, NULL);
    hostile->kept = CALL(gpu_render_bundle_encoder_finish)(bundle, NULL).__handle;
    return true;
  }
  OWN(gpu_command_encoder) encoder = RawEncoder(context);
  OWN(gpu_render_pass_encoder) own = BeginRender(encoder, RawView(weft_output(frame, 0)), (weft_view){0});
  GPU(borrow_gpu_render_pass_encoder_t) pass = BORROW(gpu_render_pass_encoder, own);
  GPU(borrow_gpu_render_bundle_t) one[1] = {{hostile->kept}};
  GPU(list_borrow_gpu_render_bundle_t) bundles = {one, 1};
  CALL(gpu_render_pass_encoder_execute_bundles)(pass, &bundles);
  CALL(gpu_render_pass_encoder_end)(pass);
  RawSubmit(context, RawFinish(encoder));
  return true;
}

static bool KeepEncoder(weft_context* context, Hostile* hostile, const weft_frame* frame) {
  if (hostile->frames == 0) {
    OWN(gpu_command_encoder) encoder = RawEncoder(context);
    RawCopyPass(hostile, encoder, FrameGroup(context, hostile, frame));
    hostile->kept = encoder.__handle;
  } else if (hostile->frames == 1) {
    RawSubmit(context, RawFinish((OWN(gpu_command_encoder)){hostile->kept}));
  }
  return true;
}

// Keeps the texture's own handle: the kit is told that there was none, so it does not drop it.
static bool KeepTexture(weft_context* context, Hostile* hostile, const weft_frame* frame) {
  if (hostile->frames == 0) {
    weft_plugin_types_item_t* item = &frame->inputs->ptr[0].item;
    hostile->kept = item->val.texture.__handle;
    *item = (weft_plugin_types_item_t){.tag = WEFT_PLUGIN_TYPES_ITEM_DATA};
    return true;
  }
  weft_view views[2] = {RawView((weft_texture){hostile->kept}), RawView(weft_output(frame, 0))};
  OWN(gpu_command_encoder) encoder = RawEncoder(context);
  RawCopyPass(hostile, encoder, RawGroup(context, hostile->copy.layout, views, 2));
  RawSubmit(context, RawFinish(encoder));
  return true;
}

// ---- Writing the input ----------------------------------------------------------------------------------------------------------

static bool WriteInputStorage(weft_context* context, Hostile* hostile, const weft_frame* frame) {
  weft_view views[2] = {RawView(weft_output(frame, 0)), RawView(weft_input(frame, 0))};
  OWN(gpu_command_encoder) encoder = RawEncoder(context);
  RawCopyPass(hostile, encoder, RawGroup(context, hostile->copy.layout, views, 2));
  RawSubmit(context, RawFinish(encoder));
  return true;
}

static bool WriteInputAttachment(weft_context* context, Hostile* hostile, const weft_frame* frame) {
  (void)hostile;
  OWN(gpu_command_encoder) encoder = RawEncoder(context);
  RawClearPass(encoder, RawView(weft_input(frame, 0)), (weft_view){0});
  RawSubmit(context, RawFinish(encoder));
  return true;
}

static bool WriteInputResolve(weft_context* context, Hostile* hostile, const weft_frame* frame) {
  GPU(gpu_texture_descriptor_t)
  descriptor = {
      .size = {.width = hostile->width, .height = {true, hostile->height}},
      .sample_count = {true, 4},
      .format = hostile->format,
      .usage = WASI_WEBGPU_WEBGPU_GPU_TEXTURE_USAGE_RENDER_ATTACHMENT,
  };
  weft_texture samples = CALL(gpu_device_create_texture)(weft_device(context), &descriptor);
  OWN(gpu_command_encoder) encoder = RawEncoder(context);
  RawClearPass(encoder, RawView(samples), RawView(weft_input(frame, 0)));
  RawSubmit(context, RawFinish(encoder));
  return true;
}

static bool WriteInputCopy(weft_context* context, Hostile* hostile, const weft_frame* frame) {
  weft_texture mine = weft_make_texture(context, hostile->width, hostile->height, hostile->format);
  GPU(gpu_texel_copy_texture_info_t) from = {.texture = BORROW(gpu_texture, mine)};
  GPU(gpu_texel_copy_texture_info_t) to = {.texture = BORROW(gpu_texture, weft_input(frame, 0))};
  GPU(gpu_extent3_d_t) size = {.width = hostile->width, .height = {true, hostile->height}};
  OWN(gpu_command_encoder) encoder = RawEncoder(context);
  CALL(gpu_command_encoder_copy_texture_to_texture)(BORROW(gpu_command_encoder, encoder), &from, &to, &size);
  RawSubmit(context, RawFinish(encoder));
  return true;
}

static bool WriteInputBufferCopy(weft_context* context, Hostile* hostile, const weft_frame* frame) {
  (void)hostile;
  weft_buffer buffer = RawBuffer(context, 256, WASI_WEBGPU_WEBGPU_GPU_BUFFER_USAGE_COPY_SRC, false);
  GPU(gpu_texel_copy_buffer_info_t) from = {.buffer = BORROW(gpu_buffer, buffer)};
  GPU(gpu_texel_copy_texture_info_t) to = {.texture = BORROW(gpu_texture, weft_input(frame, 0))};
  GPU(gpu_extent3_d_t) size = {.width = 1, .height = {true, 1}};
  OWN(gpu_command_encoder) encoder = RawEncoder(context);
  CALL(gpu_command_encoder_copy_buffer_to_texture)(BORROW(gpu_command_encoder, encoder), &from, &to, &size);
  RawSubmit(context, RawFinish(encoder));
  return true;
}

static bool WriteInputTexture(weft_context* context, Hostile* hostile, const weft_frame* frame) {
  (void)hostile;
  uint8_t texel[16] = {0xff};
  plugin_list_u8_t bytes = {texel, sizeof texel};
  GPU(gpu_texel_copy_texture_info_t) to = {.texture = BORROW(gpu_texture, weft_input(frame, 0))};
  GPU(gpu_texel_copy_buffer_layout_t) layout = {0};
  GPU(gpu_extent3_d_t) size = {.width = 1, .height = {true, 1}};
  CALL(gpu_queue_write_texture_with_copy)(weft_queue(context), &to, &bytes, &layout, &size);
  return true;
}

static bool DestroyInput(weft_context* context, Hostile* hostile, const weft_frame* frame) {
  (void)context, (void)hostile;
  CALL(gpu_texture_destroy)(BORROW(gpu_texture, weft_input(frame, 0)));
  return true;
}

// ---- Reading ------------------------------------------------------------------------------------------------------------------

// The picture that comes out is what lay in the output before: all zeros, or the host showed a neighbour's picture.
static bool ReadOutputFirst(weft_context* context, Hostile* hostile, const weft_frame* frame) {
  weft_texture seen = weft_make_texture(context, hostile->width, hostile->height, hostile->format);
  uint32_t x = weft_groups(hostile->width, 8), y = weft_groups(hostile->height, 8);
  weft_binding there[] = {weft_bind_texture(0, weft_output(frame, 0)), weft_bind_texture(1, seen)};
  weft_compute(context, hostile->copy, there, 2, x, y, 1);
  weft_binding back[] = {weft_bind_texture(0, seen), weft_bind_texture(1, weft_output(frame, 0))};
  weft_compute(context, hostile->copy, back, 2, x, y, 1);
  return true;
}

static bool OutOfBounds(weft_context* context, Hostile* hostile, const weft_frame* frame) {
  weft_binding bindings[] = {weft_bind_texture(0, weft_input(frame, 0)), weft_bind_texture(1, weft_output(frame, 0)),
                             weft_bind_buffer(2, weft_make_storage(context, 16))};
  weft_compute(context, hostile->sum, bindings, 3, weft_groups(hostile->width, 8), weft_groups(hostile->height, 8), 1);
  return true;
}

static bool GuessHandle(weft_context* context, Hostile* hostile, const weft_frame* frame) {
  (void)hostile;
  for (int32_t guess = 1; guess < 100000; ++guess) {
    if (guess == weft_input(frame, 0).__handle || guess == weft_output(frame, 0).__handle) continue;
    CALL(gpu_texture_width)((GPU(borrow_gpu_texture_t)){guess});
  }
  return weft_fail(context, "No guessed handle was refused.");
}

static bool GuessDrop(weft_context* context, Hostile* hostile, const weft_frame* frame) {
  (void)hostile, (void)frame;
  GPU(gpu_buffer_drop_own)((weft_buffer){123456});
  return weft_fail(context, "A guessed handle could be dropped.");
}

// ---- Queue and mapping ----------------------------------------------------------------------------------------------------------

static bool DoubleSubmit(weft_context* context, Hostile* hostile, const weft_frame* frame) {
  OWN(gpu_command_encoder) encoder = RawEncoder(context);
  RawCopyPass(hostile, encoder, FrameGroup(context, hostile, frame));
  OWN(gpu_command_buffer) commands = RawFinish(encoder);
  RawSubmit(context, commands);
  RawSubmit(context, commands);
  return true;
}

// A command buffer that clears `buffer`.
static OWN(gpu_command_buffer) ClearCommands(weft_context* context, weft_buffer buffer) {
  OWN(gpu_command_encoder) encoder = RawEncoder(context);
  CALL(gpu_command_encoder_clear_buffer)(BORROW(gpu_command_encoder, encoder), BORROW(gpu_buffer, buffer), NULL, NULL);
  return RawFinish(encoder);
}

static bool SubmitDestroyed(weft_context* context, Hostile* hostile, const weft_frame* frame) {
  (void)hostile, (void)frame;
  weft_buffer buffer = RawBuffer(context, 64, WASI_WEBGPU_WEBGPU_GPU_BUFFER_USAGE_COPY_DST, false);
  OWN(gpu_command_buffer) commands = ClearCommands(context, buffer);
  CALL(gpu_buffer_destroy)(BORROW(gpu_buffer, buffer));
  RawSubmit(context, commands);
  return true;
}

static bool SubmitMapped(weft_context* context, Hostile* hostile, const weft_frame* frame) {
  (void)hostile, (void)frame;
  weft_buffer buffer = RawBuffer(context, 64, WASI_WEBGPU_WEBGPU_GPU_BUFFER_USAGE_COPY_DST, true);
  RawSubmit(context, ClearCommands(context, buffer));
  return true;
}

static bool SubmitInvalid(weft_context* context, Hostile* hostile, const weft_frame* frame) {
  (void)hostile, (void)frame;
  // Not COPY_DST, so that finish fails; the result is submitted all the same.
  weft_buffer buffer = RawBuffer(context, 64, WASI_WEBGPU_WEBGPU_GPU_BUFFER_USAGE_VERTEX, false);
  RawSubmit(context, ClearCommands(context, buffer));
  return true;
}

static bool RangeUnmapped(weft_context* context, Hostile* hostile, const weft_frame* frame) {
  (void)hostile, (void)frame;
  weft_buffer buffer =
      RawBuffer(context, 64, WASI_WEBGPU_WEBGPU_GPU_BUFFER_USAGE_MAP_READ | WASI_WEBGPU_WEBGPU_GPU_BUFFER_USAGE_COPY_DST, false);
  plugin_list_u8_t bytes;
  GPU(get_mapped_range_error_t) error;
  if (CALL(gpu_buffer_get_mapped_range_get_with_copy)(BORROW(gpu_buffer, buffer), NULL, NULL, &bytes, &error)) {
    return weft_fail(context, "The range of an unmapped buffer was handed out.");
  }
  return true;
}

// map-async lowered asynchronously by hand: started, and nobody waits for it.
__attribute__((import_module("wasi:webgpu/webgpu@0.3.0-rc.2"), import_name("[async-lower][method]gpu-buffer.map-async"))) uint32_t
StartMapAsync(const void* parameters, void* result);

static bool MapPending(weft_context* context, Hostile* hostile, const weft_frame* frame) {
  (void)frame;
  if (hostile->frames > 0) return true;
  weft_buffer buffer =
      RawBuffer(context, 1 << 20, WASI_WEBGPU_WEBGPU_GPU_BUFFER_USAGE_MAP_READ | WASI_WEBGPU_WEBGPU_GPU_BUFFER_USAGE_COPY_DST, false);
  static struct {
    int32_t self;
    uint8_t mode;
    uint8_t has_offset;
    uint64_t offset;
    uint8_t has_size;
    uint64_t size;
  } parameters;
  static uint64_t result[4];
  parameters.self = buffer.__handle;
  parameters.mode = WASI_WEBGPU_WEBGPU_GPU_MAP_MODE_READ;
  StartMapAsync(&parameters, result);
  return true;
}

static bool MappedAtEnd(weft_context* context, Hostile* hostile, const weft_frame* frame) {
  (void)hostile, (void)frame;
  RawBuffer(context, 64, WASI_WEBGPU_WEBGPU_GPU_BUFFER_USAGE_COPY_SRC, true);
  return true;
}

static bool BadBundle(weft_context* context, Hostile* hostile, const weft_frame* frame) {
  (void)hostile, (void)frame;
  // No colour and no depth format at all.
  GPU(gpu_render_bundle_encoder_descriptor_t) descriptor = {0};
  CALL(gpu_device_create_render_bundle_encoder)(weft_device(context), &descriptor);
  return true;
}

static bool DestroyDevice(weft_context* context, Hostile* hostile, const weft_frame* frame) {
  (void)hostile, (void)frame;
  CALL(gpu_device_destroy)(weft_device(context));
  return true;
}

static bool ValidationError(weft_context* context, Hostile* hostile, const weft_frame* frame) {
  (void)hostile, (void)frame;
  RawBuffer(context, 64, WASI_WEBGPU_WEBGPU_GPU_BUFFER_USAGE_MAP_READ | WASI_WEBGPU_WEBGPU_GPU_BUFFER_USAGE_STORAGE, false);
  return true;
}

// ---- Too much -------------------------------------------------------------------------------------------------------------------

static bool QuotaBytes(weft_context* context, Hostile* hostile, const weft_frame* frame) {
  (void)hostile, (void)frame;
  for (int i = 0; i < 1024; ++i) RawBuffer(context, 1 << 30, WASI_WEBGPU_WEBGPU_GPU_BUFFER_USAGE_COPY_DST, false);
  return true;
}

static bool QuotaObjects(weft_context* context, Hostile* hostile, const weft_frame* frame) {
  (void)hostile, (void)frame;
  for (int i = 0; i < 1000000; ++i) RawBuffer(context, 16, WASI_WEBGPU_WEBGPU_GPU_BUFFER_USAGE_COPY_DST, false);
  return true;
}

static void MakeSome(weft_context* context, Hostile* hostile, const weft_frame* frame, bool drop) {
  weft_view views[2] = {RawView(weft_input(frame, 0)), RawView(weft_output(frame, 0))};
  weft_buffer buffer = RawBuffer(context, 256, WASI_WEBGPU_WEBGPU_GPU_BUFFER_USAGE_COPY_DST, false);
  OWN(gpu_bind_group) group = RawGroup(context, hostile->copy.layout, views, 2);
  if (!drop) return;
  GPU(gpu_bind_group_drop_own)(group);
  GPU(gpu_buffer_drop_own)(buffer);
  for (int i = 0; i < 2; ++i) GPU(gpu_texture_view_drop_own)(views[i]);
}

static bool Leak(weft_context* context, Hostile* hostile, const weft_frame* frame) {
  MakeSome(context, hostile, frame, false);
  return true;
}

static bool NoLeak(weft_context* context, Hostile* hostile, const weft_frame* frame) {
  MakeSome(context, hostile, frame, true);
  return true;
}

static bool Memory(weft_context* context, Hostile* hostile, const weft_frame* frame) {
  (void)hostile, (void)frame;
  volatile char* block;
  while ((block = malloc(1 << 20))) block[0] = 1;
  return weft_fail(context, "The wasm memory is used up.");
}

static bool LogFlood(weft_context* context, Hostile* hostile, const weft_frame* frame) {
  (void)context, (void)hostile, (void)frame;
  for (int i = 0; i < 100000; ++i) weft_log(WEFT_INFO, "The same line, again and again, until somebody has had enough of it.");
  return true;
}

static int Deeper(volatile int depth) { return depth == -1 ? 0 : 1 + Deeper(depth + 1) * depth; }

static bool Recursion(weft_context* context, Hostile* hostile, const weft_frame* frame) {
  (void)context, (void)hostile, (void)frame;
  return Deeper(0) != 42;
}

static bool EndlessShader(weft_context* context, Hostile* hostile, const weft_frame* frame) {
  (void)frame;
  weft_binding bindings[] = {weft_bind_buffer(2, weft_make_storage(context, 16)), weft_bind_buffer(3, weft_make_uniform(context, 16))};
  // Many, for a driver that ends each loop after a while: minutes.
  weft_compute(context, hostile->endless, bindings, 2, 65535, 64, 1);
  return true;
}

// ---- Ends -----------------------------------------------------------------------------------------------------------------------

static bool Trap(weft_context* context, Hostile* hostile, const weft_frame* frame) {
  (void)context, (void)hostile, (void)frame;
  __builtin_trap();
}

static bool TrapOnThird(weft_context* context, Hostile* hostile, const weft_frame* frame) {
  (void)context, (void)frame;
  if (hostile->frames == 2) __builtin_trap();
  return true;
}

static bool Error(weft_context* context, Hostile* hostile, const weft_frame* frame) {
  (void)hostile, (void)frame;
  return weft_fail(context, "This plugin never wants to make a frame.");
}

// ---- Awaits ---------------------------------------------------------------------------------------------------------------------

static bool AwaitScope(weft_context* context, Hostile* hostile, const weft_frame* frame) {
  weft_watch(context);
  ValidationError(context, hostile, frame);
  GPU(option_own_gpu_error_t) found;
  GPU(pop_error_scope_error_t) error;
  if (!CALL(gpu_device_pop_error_scope)(weft_device(context), &found, &error)) return weft_fail(context, "The scope was not there.");
  if (!found.is_some) return weft_fail(context, "The scope caught nothing.");
  GPU(gpu_error_drop_own)(found.val);
  return true;
}

static bool AwaitMap(weft_context* context, Hostile* hostile, const weft_frame* frame) {
  (void)hostile, (void)frame;
  weft_buffer from = weft_make_storage(context, 16);
  weft_buffer to =
      RawBuffer(context, 16, WASI_WEBGPU_WEBGPU_GPU_BUFFER_USAGE_MAP_READ | WASI_WEBGPU_WEBGPU_GPU_BUFFER_USAGE_COPY_DST, false);
  const uint32_t numbers[4] = {1, 2, 3, 5};
  weft_write(context, from, 0, numbers, sizeof numbers);
  uint64_t size = sizeof numbers;
  CALL(gpu_command_encoder_copy_buffer_to_buffer)(weft_encoder(context), BORROW(gpu_buffer, from), NULL, BORROW(gpu_buffer, to), NULL,
                                                  &size);
  weft_submit(context);
  GPU(map_async_error_t) error;
  if (!CALL(gpu_buffer_map_async)(BORROW(gpu_buffer, to), WASI_WEBGPU_WEBGPU_GPU_MAP_MODE_READ, NULL, NULL, &error)) {
    return weft_fail(context, "The buffer could not be mapped.");
  }
  plugin_list_u8_t bytes;
  GPU(get_mapped_range_error_t) range_error;
  if (!CALL(gpu_buffer_get_mapped_range_get_with_copy)(BORROW(gpu_buffer, to), NULL, NULL, &bytes, &range_error)) {
    return weft_fail(context, "The mapped range was not handed out.");
  }
  bool same = bytes.len == sizeof numbers;
  for (size_t i = 0; same && i < sizeof numbers; ++i) same = bytes.ptr[i] == ((const uint8_t*)numbers)[i];
  plugin_list_u8_free(&bytes);
  GPU(unmap_error_t) unmap_error;
  CALL(gpu_buffer_unmap)(BORROW(gpu_buffer, to), &unmap_error);
  GPU(gpu_buffer_drop_own)(to);
  return same || weft_fail(context, "Other bytes came back from the GPU.");
}

static bool AwaitDone(weft_context* context, Hostile* hostile, const weft_frame* frame) {
  (void)hostile, (void)frame;
  CALL(gpu_queue_on_submitted_work_done)(weft_queue(context));
  return true;
}

// Waits for a shader that never ends.
static bool AwaitForEver(weft_context* context, Hostile* hostile, const weft_frame* frame) {
  EndlessShader(context, hostile, frame);
  weft_submit(context);
  return AwaitDone(context, hostile, frame);
}

const Deed kDeeds[] = {
#define DEED(name, act) {name, act},
#include "hostile_deeds.inc"
#undef DEED
};
const size_t kDeedCount = WEFT_COUNT(kDeeds);
