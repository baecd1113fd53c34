// SPDX-License-Identifier: Apache-2.0
// The C++ face of weft_plugin.h: an effect is a class, its state are its members. Same ownership, threads and errors as there.
//
//   struct Invert : weft::Effect {
//     static constexpr weft_plugin Describe() { return {.id = "org.example.invert", ...}; }
//     explicit Invert(weft::Context context);           // create
//     bool Configure(weft::Plan& plan);                  // may be missing
//     bool Process(const weft::Frame& frame);
//   };
//   WEFT_PLUGIN(Invert)
//
// Built with -fno-exceptions -fno-rtti. The class needs no destructor for GPU objects: the kit drops them.
#pragma once

#include <array>
#include <initializer_list>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>

#include "weft_plugin.h"

namespace weft {

using Plan = weft_plan;
using FrameInfo = weft_frame_info;

// Calls of the kit on this instance. A pointer's size: pass it by value.
class Context {
 public:
  explicit Context(weft_context* context) : context_(context) {}
  weft_context* get() const { return context_; }

  double Number(size_t parameter) const { return weft_number(context_, parameter); }
  int64_t Integer(size_t parameter) const { return weft_integer(context_, parameter); }
  bool Reuse() const { return weft_reuse(context_); }
  bool Boolean(size_t parameter) const { return weft_boolean(context_, parameter); }
  uint32_t Choice(size_t parameter) const { return weft_choice(context_, parameter); }
  std::span<const double, 4> Vector(size_t parameter) const { return std::span<const double, 4>(weft_vector(context_, parameter), 4); }
  std::string_view Text(size_t parameter) const { return View(weft_text_value(context_, parameter)); }
  std::string_view Bytes(size_t parameter) const { return View(weft_bytes_value(context_, parameter)); }

  // Sets the error and answers false.
  template <class... Parts>
  bool Fail(Parts... parts) const {
    return weft_fail(context_, static_cast<const char*>(parts)...);
  }
  const char* Digits(int64_t number) const { return weft_digits(context_, number); }
  const char* Replace(const char* text, const char* from, const char* to) const { return weft_replace(context_, text, from, to); }

  const FrameInfo* Input(uint32_t port) const { return weft_input_info(context_, port); }
  const FrameInfo* Output(uint32_t port) const { return weft_output_info(context_, port); }
  void PassThrough(uint32_t output, uint32_t input) const { weft_pass_through(context_, output, input); }

  weft_shader Shader(const char* wgsl) const { return weft_make_shader(context_, wgsl); }
  weft_compute_pipeline ComputePipeline(weft_shader shader, const char* entry) const { return weft_make_compute(context_, shader, entry); }
  weft_render_pipeline RenderPipeline(weft_shader shader, const char* vertex, const char* fragment, weft_format target) const {
    return weft_make_render(context_, shader, vertex, fragment, target);
  }
  weft_buffer Uniform(size_t size) const { return weft_make_uniform(context_, size); }
  weft_buffer Storage(uint64_t size) const { return weft_make_storage(context_, size); }
  weft_texture Texture(uint32_t width, uint32_t height, weft_format format) const {
    return weft_make_texture(context_, width, height, format);
  }
  template <class T>
  void Write(weft_buffer buffer, const T& value) const {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % 4 == 0, "a buffer is written in whole words");
    weft_write(context_, buffer, 0, &value, sizeof(T));
  }

  void Compute(weft_compute_pipeline pipeline, std::initializer_list<weft_binding> bindings, uint32_t x, uint32_t y = 1,
               uint32_t z = 1) const {
    weft_compute(context_, pipeline, bindings.begin(), bindings.size(), x, y, z);
  }
  void Draw(weft_render_pipeline pipeline, weft_texture target, std::initializer_list<weft_binding> bindings, uint32_t vertices) const {
    weft_draw(context_, pipeline, target, bindings.begin(), bindings.size(), vertices);
  }

 private:
  static std::string_view View(weft_bytes bytes) { return {reinterpret_cast<const char*>(bytes.data), bytes.size}; }

  weft_context* context_;
};

// What one call of Process may touch.
class Frame {
 public:
  explicit Frame(const weft_frame* frame) : frame_(frame) {}
  double Seconds() const { return weft_seconds(frame_); }
  uint64_t Number() const { return weft_time(frame_)->number; }
  weft_texture Input(uint32_t port, int32_t offset = 0) const { return weft_input_at(frame_, port, offset); }
  weft_texture Output(uint32_t port) const { return weft_output(frame_, port); }
  const weft_frame* get() const { return frame_; }

 private:
  const weft_frame* frame_;
};

// What every effect has: its context. Derive from it.
class Effect {
 public:
  explicit Effect(Context context) : context(context) {}
  bool Configure(Plan&) { return true; }

 protected:
  Context context;
};

template <class E>
constexpr weft_plugin MakePlugin() {
  weft_plugin plugin = E::Describe();
  plugin.state_size = sizeof(E);
  plugin.create = [](weft_context* context) {
    new (weft_state(context)) E(Context(context));
    return true;
  };
  plugin.configure = [](weft_context* context, weft_plan* plan) { return static_cast<E*>(weft_state(context))->Configure(*plan); };
  plugin.process = [](weft_context* context, const weft_frame* frame) {
    return static_cast<E*>(weft_state(context))->Process(Frame(frame));
  };
  plugin.destroy = [](weft_context* context) { static_cast<E*>(weft_state(context))->~E(); };
  return plugin;
}

}  // namespace weft

// Once in a plugin, at namespace scope.
#define WEFT_PLUGIN(Effect) extern "C" const weft_plugin weft_plugin_main = weft::MakePlugin<Effect>();
