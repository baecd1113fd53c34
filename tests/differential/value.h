// SPDX-License-Identifier: Apache-2.0
// JSON as the cases use it, without exceptions and without stdio.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct Value {
  enum class Kind { Null, Truth, Number, Text, Array, Object };
  Kind kind = Kind::Null;
  bool truth = false;
  double number = 0;
  std::string text;
  std::vector<Value> items;
  std::vector<std::pair<std::string, Value>> members;

  bool IsNull() const { return kind == Kind::Null; }
  // What is not there is null, as undefined is in JavaScript.
  const Value& operator[](std::string_view name) const;
  const Value& operator[](size_t index) const;
};

// False where `text` is not JSON.
bool Parse(std::string_view text, Value* to);

std::string Quoted(std::string_view text);
