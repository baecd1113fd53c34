// SPDX-License-Identifier: Apache-2.0
// The hostile guest: what its deeds share. Each deed is one function; the parameter `mode` picks it.
//
// Every frame first copies input to output as a good plugin does; the deed comes after, from frame 0 on. A deed that keeps something keeps
// it in the first frame and uses it in every later one. Handles of deeds are never dropped: the host has to cope.
#pragma once

#include <weft_plugin.h>

#define GPU(name) wasi_webgpu_webgpu_##name
#define CALL(name) wasi_webgpu_webgpu_method_##name
#define OWN(name) wasi_webgpu_webgpu_own_##name##_t
#define BORROW(name, handle) \
  (wasi_webgpu_webgpu_borrow_##name##_t) { (handle).__handle }

typedef struct Hostile {
  weft_compute_pipeline copy, sum, endless;
  weft_render_pipeline paint;
  weft_format format;
  uint32_t width, height, frames;  // frames: calls of process so far
  int32_t kept;                    // a handle of the first frame
} Hostile;

typedef struct Deed {
  const char* name;
  bool (*act)(weft_context* context, Hostile* hostile, const weft_frame* frame);
} Deed;

// Shared steps.
weft_buffer RawBuffer(weft_context* context, uint64_t size, uint32_t usage, bool mapped);
OWN(gpu_bind_group) RawGroup(weft_context* context, weft_layout layout, const weft_view* views, uint32_t count);
weft_view RawView(weft_texture texture);
OWN(gpu_command_encoder) RawEncoder(weft_context* context);
OWN(gpu_command_buffer) RawFinish(OWN(gpu_command_encoder) encoder);
void RawSubmit(weft_context* context, OWN(gpu_command_buffer) commands);
// Records a copy pass from and to what `group` binds.
void RawCopyPass(Hostile* hostile, OWN(gpu_command_encoder) encoder, OWN(gpu_bind_group) group);
// Clears `view` by a render pass, with `resolve` as its resolve target where that is not 0.
void RawClearPass(OWN(gpu_command_encoder) encoder, weft_view view, weft_view resolve);

extern const Deed kDeeds[];
extern const size_t kDeedCount;
