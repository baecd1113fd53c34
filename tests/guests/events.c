// SPDX-License-Identifier: Apache-2.0
// A plain component that waits for what the GPU tells unasked: a device's errors by a stream, its loss by a future. What each function does
// stands in events.wit.
#include <events.h>
#include <stdlib.h>
#include <string.h>

#define GPU(name) wasi_webgpu_webgpu_##name
#define CALL(name) wasi_webgpu_webgpu_method_##name
#define BORROW(name, handle) \
  (wasi_webgpu_webgpu_borrow_##name##_t) { (handle).__handle }

static bool Failed(events_string_t* err, const char* text) {
  events_string_dup(err, text);
  return false;
}

static bool MakeDevice(GPU(own_gpu_device_t) * device) {
  GPU(own_gpu_t) gpu = GPU(get_gpu)();
  GPU(own_gpu_adapter_t) adapter;
  if (!CALL(gpu_request_adapter)(BORROW(gpu, gpu), NULL, &adapter)) return false;
  GPU(request_device_error_t) error;
  bool made = CALL(gpu_adapter_request_device)(BORROW(gpu_adapter, adapter), NULL, device, &error);
  GPU(gpu_adapter_drop_own)(adapter);
  GPU(gpu_drop_own)(gpu);
  return made;
}

// A buffer without a usage, which is a validation error.
static void MakeError(GPU(borrow_gpu_device_t) device, const char* label) {
  GPU(gpu_buffer_descriptor_t) descriptor = {.size = 16, .label = {true, {(uint8_t*)label, strlen(label)}}};
  GPU(gpu_buffer_drop_own)(CALL(gpu_device_create_buffer)(device, &descriptor));
}

// The status of a read that came back `status`, waited for if it has to be.
static events_waitable_status_t Await(uint32_t waitable, events_waitable_status_t status) {
  if (status != EVENTS_WAITABLE_STATUS_BLOCKED) return status;
  events_waitable_set_t set = events_waitable_set_new();
  events_waitable_join(waitable, set);
  events_event_t event;
  events_waitable_set_wait(set, &event);
  events_waitable_join(waitable, 0);
  events_waitable_set_drop(set);
  return event.code;
}

bool exports_events_uncaptured(uint32_t count, events_list_string_t* ret, events_string_t* err) {
  GPU(own_gpu_device_t) own;
  if (!MakeDevice(&own)) return Failed(err, "There is no device.");
  GPU(borrow_gpu_device_t) device = BORROW(gpu_device, own);
  GPU(stream_own_gpu_error_t) stream = CALL(gpu_device_on_uncaptured_error)(device);

  CALL(gpu_device_push_error_scope)(device, WASI_WEBGPU_WEBGPU_GPU_ERROR_FILTER_VALIDATION);
  MakeError(device, "scoped");
  GPU(option_own_gpu_error_t) scoped;
  GPU(pop_error_scope_error_t) pop_error;
  if (!CALL(gpu_device_pop_error_scope)(device, &scoped, &pop_error) || !scoped.is_some) return Failed(err, "The scope caught nothing.");
  GPU(gpu_error_drop_own)(scoped.val);

  for (uint32_t i = 0; i < count; ++i) {
    char label[2] = {(char)('a' + i % 26), 0};
    MakeError(device, label);
  }
  ret->ptr = calloc(count, sizeof(events_string_t));
  ret->len = 0;
  while (ret->len < count) {
    GPU(own_gpu_error_t) errors[4];
    events_waitable_status_t status = Await(stream, GPU(stream_own_gpu_error_read)(stream, errors, 4));
    if (EVENTS_WAITABLE_STATE(status) != EVENTS_WAITABLE_COMPLETED) return Failed(err, "The stream ended too early.");
    for (uint32_t i = 0; i < EVENTS_WAITABLE_COUNT(status); ++i) {
      GPU(gpu_error_kind_t) kind;
      CALL(gpu_error_kind)(BORROW(gpu_error, errors[i]), &kind);
      if (kind.tag != WASI_WEBGPU_WEBGPU_GPU_ERROR_KIND_VALIDATION_ERROR) return Failed(err, "An error is of another kind.");
      if (ret->len == count) return Failed(err, "The stream brought too many errors.");
      CALL(gpu_error_message)(BORROW(gpu_error, errors[i]), &ret->ptr[ret->len++]);
      GPU(gpu_error_drop_own)(errors[i]);
    }
  }
  GPU(stream_own_gpu_error_drop_readable)(stream);
  GPU(gpu_device_drop_own)(own);
  return true;
}

static bool Tell(GPU(own_gpu_device_lost_info_t) info, events_string_t* ret, events_string_t* err) {
  GPU(borrow_gpu_device_lost_info_t) it = BORROW(gpu_device_lost_info, info);
  bool destroyed = CALL(gpu_device_lost_info_reason)(it) == WASI_WEBGPU_WEBGPU_GPU_DEVICE_LOST_REASON_DESTROYED;
  CALL(gpu_device_lost_info_message)(it, ret);
  GPU(gpu_device_lost_info_drop_own)(info);
  return destroyed ? true : Failed(err, "The reason is another one.");
}

bool exports_events_lost(events_string_t* ret, events_string_t* err) {
  GPU(own_gpu_device_t) own;
  if (!MakeDevice(&own)) return Failed(err, "There is no device.");
  GPU(future_own_gpu_device_lost_info_t) lost = CALL(gpu_device_lost)(BORROW(gpu_device, own));
  GPU(own_gpu_device_lost_info_t) info;
  events_waitable_status_t status = GPU(future_own_gpu_device_lost_info_read)(lost, &info);
  if (status != EVENTS_WAITABLE_STATUS_BLOCKED) return Failed(err, "The device is told to be lost, and it is not.");
  CALL(gpu_device_destroy)(BORROW(gpu_device, own));
  status = Await(lost, status);
  if (EVENTS_WAITABLE_STATE(status) != EVENTS_WAITABLE_COMPLETED) return Failed(err, "The future brought nothing.");
  GPU(future_own_gpu_device_lost_info_drop_readable)(lost);
  GPU(gpu_device_drop_own)(own);
  return Tell(info, ret, err);
}

bool exports_events_lost_before(events_string_t* ret, events_string_t* err) {
  GPU(own_gpu_device_t) own;
  if (!MakeDevice(&own)) return Failed(err, "There is no device.");
  CALL(gpu_device_destroy)(BORROW(gpu_device, own));
  GPU(future_own_gpu_device_lost_info_t) lost = CALL(gpu_device_lost)(BORROW(gpu_device, own));
  GPU(own_gpu_device_lost_info_t) info;
  events_waitable_status_t status = Await(lost, GPU(future_own_gpu_device_lost_info_read)(lost, &info));
  if (EVENTS_WAITABLE_STATE(status) != EVENTS_WAITABLE_COMPLETED) return Failed(err, "The future brought nothing.");
  GPU(future_own_gpu_device_lost_info_drop_readable)(lost);
  GPU(gpu_device_drop_own)(own);
  return Tell(info, ret, err);
}
