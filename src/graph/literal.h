// SPDX-License-Identifier: Apache-2.0
// Literal: a parameter's value as somebody wrote it, before the plugin's description says what type it must have.
//
// On a command line:  4  -0.5  true  screen  "two words"  #ff8000  #ff8000c0  (0.5,1)  @lut.cube  0..64
// In JSON:            4  true  "screen"  [0.5, 1]  {"file": "lut.cube"}  {"from": 0, "to": 64}
// Pure: no files are read here; a File literal names a path that LoadFiles() (document.h) replaces by Bytes.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace weft::graph {

using Bytes = std::shared_ptr<const std::vector<uint8_t>>;

struct Literal {
  enum class Kind { Word, Number, Vector, File, Bytes };

  Kind kind = Kind::Word;
  std::string text;  // as written (for messages); of Word the word itself, of File the path
  double number = 0;
  std::array<double, 4> vector{};  // of Vector; missing places are 0
  int count = 0;                   // of Vector: how many were written
  Bytes bytes;                     // of Bytes
  bool quoted = false;             // of Word: "4" in quotes is text, never a number

  static Literal Word(std::string text);
  static Literal Number(double value);
  static Literal Vector(std::array<double, 4> value, int count);
  static Literal File(std::string path);
};

// What a parameter was set to: one value, or a straight line from one to another over the run.
struct Setting {
  std::string name;  // a parameter's id; or an input port's, and then the value names a node ("#1", "mask", "c.histogram")
  Literal from;
  std::optional<Literal> to;
};

// One value of the command line's syntax. `#rrggbb[aa]` is sRGB-coded and becomes linear light; `#1` stays a word (an input's number).
Result<Literal> ParseLiteral(std::string_view text);
// "name=value" or "name=a..b".
Result<Setting> ParseSetting(std::string_view text);
// Splits at commas outside quotes and brackets: `a=1,b=(2,3),c="x,y"`.
std::vector<std::string> SplitSettings(std::string_view text);

}  // namespace weft::graph
