// SPDX-License-Identifier: Apache-2.0
// Arguments as text, for the trail: short, exact for numbers, long texts and lists cut. Speed matters: it runs before every call.
#pragma once

#include <charconv>
#include <string>

#include "wasm/gen/webgpu_calls.h"

namespace weft::fuzz {

namespace wit = ::weft::wasm::webgpu;
namespace calls = wit::calls;
namespace shape = ::weft::wasm::shape;

class Printer {
 public:
  explicit Printer(std::string& out) : out_(out) {}

  template <class S, class T>
  void Field(S, std::string_view name, T& x) {
    if (!first_) out_ += ", ";
    first_ = false;
    out_ += name;
    out_ += '=';
    Print(S(), x);
    first_ = false;
  }

 private:
  static constexpr size_t kShown = 16;   // of a list
  static constexpr size_t kText = 4000;  // of a text

  template <auto R, bool O>
  void Print(shape::Handle<R, O>, wasm::Rep& x) {
    out_ += '#';
    Number(x);
  }
  template <class S, class T>
  void Print(shape::OptOf<S>, wasm::Opt<T>& x) {
    if (x.has) {
      Print(S(), x.value);
    } else {
      out_ += "none";
    }
  }
  template <class S, class T>
  void Print(shape::ListOf<S>, wasm::List<T>& x) {
    out_ += '[';
    for (size_t i = 0; i < x.size && i < kShown; ++i) {
      if (i) out_ += ' ';
      Print(S(), const_cast<T&>(x.data[i]));
    }
    if (x.size > kShown) {
      out_ += " ... of ";
      Number(x.size);
    }
    out_ += ']';
  }
  template <class T>
  void Print(shape::Plain, T& x) {
    if constexpr (std::is_same_v<T, bool>) {
      out_ += x ? "true" : "false";
    } else if constexpr (std::is_arithmetic_v<T>) {
      Number(x);
    } else if constexpr (std::is_same_v<T, wasm::Str>) {
      out_ += '"';
      out_ += x.view().substr(0, kText);
      if (x.size > kText) out_ += "...";
      out_ += '"';
    } else if constexpr (calls::kEnumValues<T> > 0) {
      out_ += ToString(x);
    } else if constexpr (calls::kFlagBits<T> > 0) {
      out_ += '0';
      out_ += 'x';
      Number(x.bits, 16);
    } else {
      if constexpr (calls::kVariantCases<T> > 0) out_ += calls::CaseName(x);
      out_ += '{';
      first_ = true;
      calls::VisitFields(*this, x);
      out_ += '}';
      first_ = false;
    }
  }
  template <class T>
  void Number(T x, int base = 10) {
    char text[64];
    std::to_chars_result r;
    if constexpr (std::is_floating_point_v<T>) {
      r = std::to_chars(text, text + sizeof text, x);
    } else {
      r = std::to_chars(text, text + sizeof text, x, base);
    }
    out_.append(text, r.ptr);
  }
  std::string& out_;
  bool first_ = true;
};

}  // namespace weft::fuzz
