// SPDX-License-Identifier: Apache-2.0
// A plugin of the real contract, against the canonical ABI by hand: its output is the width of its input texture, as four bytes.
#include <stdint.h>

#define GPU(name) __attribute__((import_module("wasi:webgpu/webgpu@0.3.0-rc.2"), import_name(name)))
#define OWN(name) __attribute__((import_module("[export]weft:plugin/effect@0.1.0"), import_name(name)))
#define EXPORT(name) __attribute__((export_name("weft:plugin/effect@0.1.0#" name)))

GPU("[method]gpu-texture.width") int32_t texture_width(int32_t self);
GPU("[resource-drop]gpu-texture") void drop_texture(int32_t);
OWN("[resource-new]instance") int32_t instance_new(int32_t rep);

static unsigned char heap[1 << 18];
static uint32_t used;
__attribute__((export_name("cabi_realloc"))) void* cabi_realloc(void* old, uint32_t old_size, uint32_t align, uint32_t size) {
  (void)old, (void)old_size;
  used = (used + align - 1) & ~(align - 1);
  if (used + size > sizeof heap) __builtin_trap();
  void* p = heap + used;
  used += size;
  return p;
}

struct list {
  const void* data;
  uint32_t size;
};
#define TEXT(s) {s, sizeof(s) - 1}

struct port_kind {
  uint8_t tag;
  struct list formats;
};
struct port {
  struct list id, label;
  struct port_kind kind;
  uint8_t optional, color;
  uint8_t alpha_some, alpha;
  int32_t window[2];
  uint8_t ends, overwrites;
};
struct value {
  uint8_t tag;
  union {
    int64_t integer;
    double number;
    double vector[4];
    struct list bytes;
  };
};
struct option_f64 {
  uint8_t some;
  double value;
};
struct parameter {
  struct list id, label, description, group;
  uint8_t look;
  struct value fallback;
  struct option_f64 minimum, maximum, step;
  struct list choices;
  uint8_t animatable, reconfigures;
};
struct description {
  struct list id, label, version, description, inputs, outputs, parameters;
  uint8_t sequential;
};

EXPORT("describe") const struct description* describe(void) {
  static const uint8_t formats[] = {22, 40};
  static const struct port input = {TEXT("in"), TEXT("Input"), {0, {formats, 2}}, 0, 1, 1, 2, {-1, 1}, 1, 0};
  static const struct port output = {TEXT("width"), TEXT("Width"), {2, TEXT("application/octet-stream")}, 0, 0, 0, 0, {0, 0}, 0, 0};
  static const struct list choices[] = {TEXT("one"), TEXT("two")};
  static const struct parameter parameters[] = {
      {TEXT("radius"), TEXT("Radius"), TEXT("How far"), TEXT(""), 1, {2, {.number = 2.5}}, {1, 0}, {1, 64}, {0, 0}, {0, 0}, 1, 0},
      {TEXT("mode"), TEXT("Mode"), TEXT("Which"), TEXT(""), 0, {4, {.integer = 1}}, {0, 0}, {0, 0}, {0, 0}, {choices, 2}, 0, 1},
  };
  static const struct description d = {TEXT("weft.test"), TEXT("Test"), TEXT("1.2.3"),   TEXT("Measures"),
                                       {&input, 1},       {&output, 1}, {parameters, 2}, 1};
  return &d;
}

struct result {
  uint8_t error;
  union {
    int32_t handle;
    struct list text;
    struct {
      struct list data;
      uint8_t metadata_some;
      struct list metadata;
    } frame;
    struct {
      struct list inputs, outputs, pass_through;
    } plan;
  };
};
static struct result out;

static struct result* fail(const char* text, uint32_t size) {
  out = (struct result){.error = 1, .text = {text, size}};
  return &out;
}

EXPORT("[static]instance.create") struct result* create(int32_t device) {
  (void)device;
  out = (struct result){.handle = instance_new(7)};
  return &out;
}

struct change {
  uint32_t parameter;
  struct value value;
};
static double radius;
EXPORT("[method]instance.set") struct result* set(int32_t self, const struct change* changes, uint32_t count) {
  (void)self;
  used = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (changes[i].parameter == 0) radius = changes[i].value.number;
    if (changes[i].parameter == 1 && changes[i].value.integer == 99) __builtin_trap();
  }
  if (radius < 0) return fail("a radius below zero", 19);
  out = (struct result){0};
  return &out;
}

EXPORT("[method]instance.configure")
struct result* configure(int32_t self, int32_t width, int32_t height, int32_t format, int32_t p, int32_t t, int32_t m, int32_t f,
                         int32_t alpha, int64_t aspect_num, int64_t aspect_den, int64_t rate_num, int64_t rate_den, const void* inputs,
                         uint32_t count) {
  (void)self, (void)width, (void)height, (void)format, (void)p, (void)t, (void)m, (void)f, (void)alpha, (void)aspect_num, (void)aspect_den;
  (void)rate_num, (void)rate_den, (void)inputs, (void)count;
  used = 0;
  static const int32_t window[] = {-1, 1};
  static const uint32_t pass[] = {0, 0};
  out = (struct result){.plan = {{window, 1}, {0, 0}, {pass, 1}}};
  return &out;
}

struct input {
  uint32_t port;
  int32_t offset;
  uint8_t item_tag;
  int32_t item, item_size;
};
static volatile uint32_t turns;
static int destructor_loops;
static int32_t kept[64];
static uint32_t kept_count;
EXPORT("[method]instance.process")
struct result* process(int32_t self, int64_t number, int64_t pts_num, int64_t pts_den, int64_t duration_num, int64_t duration_den,
                       int64_t rate_num, int64_t rate_den, const void* metadata, uint32_t metadata_count, const struct input* inputs,
                       uint32_t input_count, const void* outputs, uint32_t output_count) {
  (void)self, (void)pts_num, (void)pts_den, (void)duration_num, (void)duration_den, (void)rate_num, (void)rate_den, (void)metadata;
  (void)metadata_count, (void)outputs, (void)output_count;
  static uint32_t widths[64];
  used = 0;
  if (number == 13) return fail("frame 13 brings bad luck", 24);
  if (number == 666) __builtin_trap();
  destructor_loops = number == 998;
  while (number == 999) turns++;
  for (uint32_t i = 0; i < input_count && i < 64; i++) {
    widths[i] = (uint32_t)texture_width(inputs[i].item);
    if (number == 7)
      kept[kept_count++] = inputs[i].item;
    else
      drop_texture(inputs[i].item);
  }
  static struct {
    uint32_t port;
    struct list bytes;
  } data;
  data.port = 0, data.bytes = (struct list){widths, input_count * 4};
  static const struct list pairs[] = {TEXT("key"), TEXT("value")};
  out = (struct result){.frame = {{&data, 1}, 1, {pairs, 1}}};
  return &out;
}

EXPORT("[method]instance.save") struct result* save(int32_t self) {
  (void)self;
  out = (struct result){.text = TEXT("\1\2\3")};
  return &out;
}
EXPORT("[method]instance.restore") struct result* restore(int32_t self, const unsigned char* state, uint32_t size) {
  (void)self;
  used = 0;
  if (size != 3 || state[0] != 1) return fail("not my state", 12);
  out = (struct result){0};
  return &out;
}
EXPORT("[dtor]instance") void destroy(int32_t self) {
  (void)self;
  while (destructor_loops) turns++;
}
