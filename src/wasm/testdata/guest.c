// SPDX-License-Identifier: Apache-2.0
// The engine's test guest, against the canonical ABI by hand, so that these tests need no binding generator.
#include <stdint.h>

#define GPU(name) __attribute__((import_module("wasi:webgpu/webgpu@0.3.0-rc.2"), import_name(name)))
#define LOG(name) __attribute__((import_module("weft:plugin/log@0.1.0"), import_name(name)))
#define EXPORT(name) __attribute__((export_name(name)))

GPU("get-gpu") int32_t get_gpu(void);
GPU("[resource-drop]gpu") void drop_gpu(int32_t);
GPU("[method]gpu.request-adapter")
void request_adapter(int32_t self, int32_t some, int32_t some_level, const char* level, int32_t level_size, int32_t some_power,
                     int32_t power, int32_t some_force, int32_t force, int32_t some_xr, int32_t xr, void* out);
GPU("[method]gpu-adapter.request-device")
void request_device(int32_t self, int32_t some, int32_t some_features, const void* features, int32_t feature_count, int32_t some_limits,
                    int32_t limits, int32_t some_queue, int32_t some_queue_label, const char* queue_label, int32_t queue_label_size,
                    int32_t some_label, const char* label, int32_t label_size, void* out);
GPU("[method]gpu-device.queue") int32_t device_queue(int32_t self);
GPU("[method]gpu-device.create-buffer")
int32_t create_buffer(int32_t self, int64_t size, int32_t usage, int32_t some_mapped, int32_t mapped, int32_t some_label, const char* label,
                      int32_t label_size);
GPU("[method]gpu-buffer.size") int64_t buffer_size(int32_t self);
GPU("[method]gpu-buffer.destroy") void buffer_destroy(int32_t self);
GPU("[method]gpu-queue.write-buffer-with-copy")
void write_buffer(int32_t self, int32_t buffer, int64_t offset, const void* data, int32_t size, int32_t some_data_offset,
                  int64_t data_offset, int32_t some_size, int64_t data_size, void* out);
GPU("[method]gpu-queue.on-submitted-work-done") void work_done(int32_t self);
LOG("write") void log_write(int32_t level, const char* text, int32_t size);

static unsigned char heap[1 << 16];
static uint32_t used;

EXPORT("cabi_realloc") void* cabi_realloc(void* old, uint32_t old_size, uint32_t align, uint32_t size) {
  (void)old, (void)old_size;
  used = (used + align - 1) & ~(align - 1);
  if (used + size > sizeof heap) __builtin_trap();
  void* p = heap + used;
  used += size;
  return p;
}

EXPORT("add") uint32_t add(uint32_t a, uint32_t b) { return a + b; }

struct text {
  const char* data;
  uint32_t size;
};

EXPORT("greet") struct text* greet(const char* name, uint32_t size) {
  static struct text out;
  static char text[256];
  const char hello[] = "hello, ";
  uint32_t n = 0;
  for (; n < sizeof hello - 1; n++) text[n] = hello[n];
  for (uint32_t i = 0; i < size && n < sizeof text; i++) text[n++] = name[i];
  out.data = text, out.size = n, used = 0;
  return &out;
}

__attribute__((noinline)) static void the_function_that_crashes(void) { __builtin_trap(); }
EXPORT("crash") void crash(void) { the_function_that_crashes(); }

static volatile uint32_t turns;
EXPORT("spin") void spin(void) {
  for (;;) turns++;
}

static int32_t held[1024];
static uint32_t held_count;
EXPORT("hold") void hold(uint32_t count) {
  while (count--) held[held_count++] = get_gpu();
}
EXPORT("let-go") void let_go(void) { drop_gpu(held[--held_count]); }

EXPORT("write-log") void write_log(const char* text, int32_t size) { log_write(1, text, size), used = 0; }

static int32_t adapter(void) {
  struct {
    uint8_t some;
    int32_t handle;
  } out = {0};
  int32_t gpu = get_gpu();
  request_adapter(gpu, 1, 1, "core", 4, 1, 1, 0, 0, 0, 0, &out);
  drop_gpu(gpu);
  return out.some ? out.handle : -1;
}

EXPORT("find-adapter") int32_t find_adapter(void) { return adapter() >= 0; }
EXPORT("find-adapter-sync") int32_t find_adapter_sync(void) { return adapter() >= 0; }

static int32_t device(void) {
  struct {
    uint8_t error;
    int32_t handle;
    struct text message;
  } out = {0};
  const uint8_t features[] = {8, 10};
  request_device(adapter(), 1, 1, features, 2, 0, 0, 1, 1, "the queue", 9, 1, "the device", 10, &out);
  if (out.error) __builtin_trap();
  return out.handle;
}

static unsigned char payload[65536];

EXPORT("upload") int64_t upload(uint32_t size) {
  int32_t d = device(), q = device_queue(d), b = create_buffer(d, size, 8 | 128, 1, 0, 1, "bytes", 5);
  for (uint32_t i = 0; i < size && i < sizeof payload; i++) payload[i] = (unsigned char)i;
  uint32_t out[4] = {0};
  write_buffer(q, b, 0, payload, size, 0, 0, 1, size, out);
  if (out[0] & 255) __builtin_trap();
  return buffer_size(b);
}

EXPORT("grow") int32_t grow(uint32_t pages) { return (int32_t)__builtin_wasm_memory_grow(0, pages); }

EXPORT("many-scalar") void many_scalar(uint32_t count) {
  int32_t b = create_buffer(device(), 4, 8, 0, 0, 0, 0, 0);
  while (count--) buffer_size(b);
}
GPU("[resource-drop]gpu-buffer") void drop_buffer(int32_t);
EXPORT("many-record") void many_record(uint32_t count) {
  int32_t d = device();
  while (count--) drop_buffer(create_buffer(d, 4, 8, 1, 0, 1, "a label", 7));
}
EXPORT("many-awaits") void many_awaits(uint32_t count) {
  int32_t q = device_queue(device());
  while (count--) work_done(q);
}

EXPORT("call-missing") void call_missing(void) { buffer_destroy(create_buffer(device(), 4, 8, 0, 0, 0, 0, 0)); }
