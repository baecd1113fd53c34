// SPDX-License-Identifier: Apache-2.0
// A window drawn by the CPU: a square of 9 pixels on grey, in the middle until the pointer goes down somewhere, red until a key goes down
// (then green; with shift, blue). The picture follows the window's size.
#include <bitmap.h>
#include <stdlib.h>

#define SURFACE(name) wasi_gfx_surface_surface_##name
#define CONTEXT(name) wasi_gfx_surface_surface_frame_buffer_##name
#define BUFFER(name) wasi_gfx_frame_buffer_frame_buffer_##name

static const uint32_t kGrey = 0x808080, kRed = 0xFF0000, kGreen = 0x00FF00, kBlue = 0x0000FF;
static const int kReach = 4;  // pixels from the square's middle to its edge

typedef struct {
  uint32_t width, height;
  int x, y;
  uint32_t color;
} Scene;

static void Draw(CONTEXT(own_context_t) context, const Scene* scene) {
  uint32_t count = scene->width * scene->height;
  uint32_t* pixels = malloc(count * sizeof *pixels);
  for (uint32_t i = 0; i < count; ++i) {
    int dx = (int)(i % scene->width) - scene->x, dy = (int)(i / scene->width) - scene->y;
    pixels[i] = abs(dx) <= kReach && abs(dy) <= kReach ? scene->color : kGrey;
  }
  CONTEXT(own_buffer_t) buffer = CONTEXT(method_context_get_current_buffer)(CONTEXT(borrow_context)(context));
  bitmap_list_u8_t bytes = {(uint8_t*)pixels, count * sizeof *pixels};
  BUFFER(method_buffer_set_with_copy)((BUFFER(borrow_buffer_t)){buffer.__handle}, &bytes);
  BUFFER(buffer_drop_own)((BUFFER(own_buffer_t)){buffer.__handle});
  CONTEXT(method_context_present)(CONTEXT(borrow_context)(context));
  free(pixels);
}

// Four streams are read side by side; whichever has something is read again.
void exports_bitmap_start(void) {
  SURFACE(create_desc_t) desc = {.height = {true, 48}, .width = {true, 64}};
  SURFACE(own_surface_t) surface = SURFACE(constructor_surface)(&desc);
  SURFACE(borrow_surface_t) window = SURFACE(borrow_surface)(surface);
  CONTEXT(own_context_t) context = CONTEXT(constructor_context)((CONTEXT(borrow_surface_t)){window.__handle});
  Scene scene = {SURFACE(method_surface_width)(window), SURFACE(method_surface_height)(window), 0, 0, kRed};
  scene.x = (int)scene.width / 2;
  scene.y = (int)scene.height / 2;

  SURFACE(stream_frame_event_t) frames = SURFACE(method_surface_on_frame)(window);
  SURFACE(stream_resize_event_t) resizes = SURFACE(method_surface_on_resize)(window);
  SURFACE(stream_pointer_event_t) presses = SURFACE(method_surface_on_pointer_down)(window);
  SURFACE(stream_key_event_t) keys = SURFACE(method_surface_on_key_down)(window);
  uint32_t streams[] = {frames, resizes, presses, keys};
  SURFACE(frame_event_t) frame;
  SURFACE(resize_event_t) resize;
  SURFACE(pointer_event_t) press;
  SURFACE(key_event_t) key;
  bool reading[4] = {false};
  bitmap_waitable_set_t set = bitmap_waitable_set_new();
  for (int i = 0; i < 4; ++i) bitmap_waitable_join(streams[i], set);

  for (;;) {
    bitmap_waitable_status_t status = BITMAP_WAITABLE_STATUS_BLOCKED;
    int which = -1;
    for (int i = 0; i < 4 && which < 0; ++i) {
      if (reading[i]) continue;
      status = i == 0   ? SURFACE(stream_frame_event_read)(frames, &frame, 1)
               : i == 1 ? SURFACE(stream_resize_event_read)(resizes, &resize, 1)
               : i == 2 ? SURFACE(stream_pointer_event_read)(presses, &press, 1)
                        : SURFACE(stream_key_event_read)(keys, &key, 1);
      reading[i] = status == BITMAP_WAITABLE_STATUS_BLOCKED;
      if (!reading[i]) which = i;
    }
    if (which < 0) {
      bitmap_event_t event;
      bitmap_waitable_set_wait(set, &event);
      for (int i = 0; i < 4; ++i) {
        if (streams[i] == event.waitable) which = i;
      }
      status = event.code;
      reading[which] = false;
    }
    if (BITMAP_WAITABLE_STATE(status) != BITMAP_WAITABLE_COMPLETED) return;
    if (which == 0) Draw(context, &scene);
    if (which == 1) {
      scene.width = resize.width;
      scene.height = resize.height;
    }
    if (which == 2) {
      scene.x = (int)press.x;
      scene.y = (int)press.y;
    }
    if (which == 3) {
      scene.color = key.shift_key ? kBlue : kGreen;
      SURFACE(key_event_free)(&key);
    }
  }
}
