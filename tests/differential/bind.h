// SPDX-License-Identifier: Apache-2.0
// From a call's name and JSON arguments to the typed function: readers fill the structs of the C bindings, results become an Outcome. Which
// readers and results a function has, codegen/guest_calls.py says; the types of the structs are the compiler's to find.
#pragma once
#include <differential.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "value.h"

struct Object {
  std::string_view kind;  // the resource's name in the WIT
  int32_t handle = 0;
};

// What came of one call.
struct Outcome {
  std::string value;   // as JSON; empty where the call answers nothing
  std::string throws;  // the exception that JavaScript would see
  Object object;       // kind is empty where none was made
};

// The objects of one case, the memory of one call, and the first fault of the case's own data.
struct Guest {
  std::map<std::string, Object, std::less<>> objects;
  std::vector<std::unique_ptr<std::byte[]>> memory;
  std::string fault;

  void Fault(std::string what) {
    if (fault.empty()) fault = std::move(what);
  }

  template <class T>
  T* Allocate(size_t count) {
    memory.emplace_back(new std::byte[count * sizeof(T) + 1]());
    return reinterpret_cast<T*>(memory.back().get());
  }

  // JavaScript ignores members that it does not know; a misspelled one would test nothing.
  void OnlyMembers(const Value& value, std::string_view record, std::initializer_list<std::string_view> names) {
    for (const auto& [name, member] : value.members) {
      if (std::find(names.begin(), names.end(), name) == names.end()) Fault(std::string(record) + " has no member '" + name + "'");
    }
  }

  Object Find(const Value& value) {
    if (value.text.starts_with('$')) {
      if (auto found = objects.find(std::string_view(value.text).substr(1)); found != objects.end()) return found->second;
    }
    Fault("there is no object '" + value.text + "'");
    return {};
  }
};

// JavaScript's "2d-array" is d2-array in the WIT, and its digits stand between other hyphens.
inline std::string Plain(std::string_view word) {
  std::string plain;
  for (char c : word) {
    if (c != '-') plain += c;
  }
  if (plain.size() > 1 && plain[1] == 'd' && plain[0] >= '1' && plain[0] <= '3') std::swap(plain[0], plain[1]);
  return plain;
}

// ---- Readers -----------------------------------------------------------------------------------------------------------------------

struct Number {
  template <class T>
  void operator()(Guest& guest, const Value& value, T* to) const {
    if (value.kind != Value::Kind::Number) guest.Fault("a number is missing");
    *to = static_cast<T>(value.number);
  }
};

struct Truth {
  void operator()(Guest& guest, const Value& value, bool* to) const {
    if (value.kind != Value::Kind::Truth) guest.Fault("true or false is missing");
    *to = value.truth;
  }
};

struct Text {
  // The text lives as long as the case.
  void operator()(Guest& guest, const Value& value, differential_string_t* to) const {
    if (value.kind != Value::Kind::Text) guest.Fault("a string is missing");
    *to = {reinterpret_cast<uint8_t*>(const_cast<char*>(value.text.data())), value.text.size()};
  }
};

template <const auto& names>
struct Word {
  template <class T>
  void operator()(Guest& guest, const Value& value, T* to) const {
    for (size_t i = 0; i < std::size(names); ++i) {
      if (Plain(names[i]) == Plain(value.text)) {
        *to = static_cast<T>(i);
        return;
      }
    }
    guest.Fault("'" + value.text + "' is not one of the words that are allowed there");
  }
};

// "COPY_SRC|MAP_READ"; the empty string is no flag.
template <const auto& names>
struct Flags {
  template <class T>
  void operator()(Guest& guest, const Value& value, T* to) const {
    if (value.kind != Value::Kind::Text) guest.Fault("flags are missing");
    *to = 0;
    for (std::string_view rest = value.text; !rest.empty();) {
      size_t bar = std::min(rest.find('|'), rest.size());
      std::string flag(rest.substr(0, bar));
      for (char& c : flag) c = c == '_' ? '-' : static_cast<char>(c | 0x20);
      auto found = std::find(std::begin(names), std::end(names), flag);
      if (found == std::end(names)) return guest.Fault("there is no flag '" + flag + "'");
      *to = static_cast<T>(*to | (1u << (found - std::begin(names))));
      rest.remove_prefix(std::min(bar + 1, rest.size()));
    }
  }
};

// {"hex": "00ff"} or {"zeros": 256}.
struct Bytes {
  template <class T>
  void operator()(Guest& guest, const Value& value, T* to) const {
    const std::string& hex = value["hex"].text;
    to->len = value["zeros"].IsNull() ? hex.size() / 2 : static_cast<size_t>(value["zeros"].number);
    to->ptr = guest.Allocate<uint8_t>(to->len);
    auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
    for (size_t i = 0; i < hex.size() / 2; ++i) to->ptr[i] = static_cast<uint8_t>(digit(hex[2 * i]) * 16 + digit(hex[2 * i + 1]));
  }
};

template <size_t size>
struct Name {
  char text[size];
  consteval Name(const char (&from)[size]) { std::copy_n(from, size, text); }
  constexpr std::string_view view() const { return {text, size - 1}; }
};

template <Name kind>
struct Handle {
  template <class T>
  void operator()(Guest& guest, const Value& value, T* to) const {
    Object object = guest.Find(value);
    if (object.kind != kind.view()) guest.Fault("'" + value.text + "' is not a " + std::string(kind.view()));
    to->__handle = object.handle;
  }
};

template <class Reader>
struct Maybe {
  template <class T>
  void operator()(Guest& guest, const Value& value, T* to) const {
    to->is_some = !value.IsNull();
    if (to->is_some) Reader{}(guest, value, &to->val);
  }
};

template <class Reader>
struct Sequence {
  template <class T>
  void operator()(Guest& guest, const Value& value, T* to) const {
    if (value.kind != Value::Kind::Array) guest.Fault("a list is missing");
    to->len = value.items.size();
    to->ptr = guest.Allocate<std::remove_pointer_t<decltype(to->ptr)>>(to->len);
    for (size_t i = 0; i < to->len; ++i) Reader{}(guest, value.items[i], &to->ptr[i]);
  }
};

// Unions and records of JavaScript; guest.cc has their rules.
struct ReadGpuBindingResource {
  void operator()(Guest& guest, const Value& value, wasi_webgpu_webgpu_gpu_binding_resource_t* to) const;
};
struct ReadGpuLayoutMode {
  void operator()(Guest& guest, const Value& value, wasi_webgpu_webgpu_gpu_layout_mode_t* to) const;
};
struct ReadRecordGpuPipelineConstantValue {
  void operator()(Guest& guest, const Value& value, wasi_webgpu_webgpu_own_record_gpu_pipeline_constant_value_t* to) const;
};
struct ReadRecordOptionGpuSize64 {
  void operator()(Guest& guest, const Value& value, wasi_webgpu_webgpu_own_record_option_gpu_size64_t* to) const;
};

// ---- Results: what the function answers by value first, then what it wrote through pointers ---------------------------------------------

inline std::string Taken(differential_string_t* text) {
  std::string taken(reinterpret_cast<const char*>(text->ptr), text->len);
  differential_string_free(text);
  return taken;
}

struct Nothing {
  void operator()(Outcome*) const {}
};

struct NumberOut {
  void operator()(Outcome* outcome, auto number) const { outcome->value = std::to_string(static_cast<unsigned long long>(number)); }
};

struct TruthOut {
  void operator()(Outcome* outcome, bool truth) const { outcome->value = truth ? "true" : "false"; }
};

struct TextOut {
  void operator()(Outcome* outcome, differential_string_t& text) const { outcome->value = Quoted(Taken(&text)); }
};

template <const auto& names>
struct WordOut {
  void operator()(Outcome* outcome, uint32_t word) const { outcome->value = Quoted(names[word]); }
};

template <const auto& names>
struct WordMaybe {
  void operator()(Outcome* outcome, bool given, auto& word) const { outcome->value = given ? Quoted(names[word]) : "null"; }
};

template <const auto& names>
struct TagOut {
  void operator()(Outcome* outcome, auto& variant) const { outcome->value = Quoted(names[variant.tag]); }
};

struct BytesOut {
  void operator()(Outcome* outcome, differential_list_u8_t& bytes) const {
    std::string hex;
    for (size_t i = 0; i < bytes.len; ++i) {
      hex += "0123456789abcdef"[bytes.ptr[i] >> 4];
      hex += "0123456789abcdef"[bytes.ptr[i] & 15];
    }
    differential_list_u8_free(&bytes);
    outcome->value = Quoted(hex);
  }
};

template <Name kind_of>
struct ObjectOut {
  static constexpr Name kKind = kind_of;
  void operator()(Outcome* outcome, auto own) const { outcome->object = {kKind.view(), own.__handle}; }
};

template <class Inner>
struct ObjectMaybe {
  void operator()(Outcome* outcome, bool given, auto& own) const {
    outcome->value = given ? "" : "null";
    if (given) Inner{}(outcome, own);
  }
};

template <class Ok, const auto& exceptions>
struct Outcomes {
  void operator()(Outcome* outcome, bool ok, auto&... out) const {
    auto all = std::tie(out...);
    auto& error = std::get<sizeof...(out) - 1>(all);
    if (!ok) {
      outcome->throws = exceptions[error.kind.tag];
      Taken(&error.message);
    } else if constexpr (sizeof...(out) == 2) {
      Ok{}(outcome, std::get<0>(all));
    }
  }
};

// ---- The call ----------------------------------------------------------------------------------------------------------------------

template <class Reader>
inline constexpr bool kIsMaybe = false;
template <class Inner>
inline constexpr bool kIsMaybe<Maybe<Inner>> = true;

template <class Reader>
struct WithoutMaybe {
  using Type = Reader;
};
template <class Inner>
struct WithoutMaybe<Maybe<Inner>> {
  using Type = Inner;
};

// One argument as the C function takes it: by value, by pointer, or null where an option has nothing.
template <class Parameter, class Reader>
struct Argument {
  std::remove_pointer_t<Parameter> held{};
  bool given = true;

  Argument(Guest& guest, const Value& value) {
    if constexpr (kIsMaybe<Reader>) given = !value.IsNull();
    if (given) typename WithoutMaybe<Reader>::Type{}(guest, value, &held);
  }

  Parameter Pass() {
    if constexpr (std::is_pointer_v<Parameter>)
      return given ? &held : nullptr;
    else
      return held;
  }
};

template <auto function, class Result, class... Readers>
struct Bind {
  static void Call(Guest& guest, int32_t self, const Value& arguments, Outcome* outcome) {
    With(function, guest, self, arguments, outcome);
  }

 private:
  template <class Answer, class Self, class... Parameters>
  static void With(Answer (*)(Self, Parameters...), Guest& guest, int32_t self, const Value& arguments, Outcome* outcome) {
    if (arguments.items.size() > sizeof...(Readers)) guest.Fault("the call has too many arguments");
    using Types = std::tuple<Parameters...>;
    [&]<size_t... In, size_t... Out>(std::index_sequence<In...>, std::index_sequence<Out...>) {
      std::tuple<Argument<std::tuple_element_t<In, Types>, Readers>...> in{
          Argument<std::tuple_element_t<In, Types>, Readers>(guest, arguments[In])...};
      std::tuple<std::remove_pointer_t<std::tuple_element_t<sizeof...(Readers) + Out, Types>>...> out{};
      if (!guest.fault.empty()) return;
      if constexpr (std::is_void_v<Answer>) {
        function(Self{self}, std::get<In>(in).Pass()..., &std::get<Out>(out)...);
        Result{}(outcome, std::get<Out>(out)...);
      } else {
        Answer answer = function(Self{self}, std::get<In>(in).Pass()..., &std::get<Out>(out)...);
        Result{}(outcome, answer, std::get<Out>(out)...);
      }
    }(std::index_sequence_for<Readers...>(), std::make_index_sequence<sizeof...(Parameters) - sizeof...(Readers)>());
  }
};

struct Method {
  std::string_view kind, name;
  void (*call)(Guest& guest, int32_t self, const Value& arguments, Outcome* outcome);
};

struct Drop {
  std::string_view kind;
  void (*drop)(int32_t handle);
};
