// SPDX-License-Identifier: Apache-2.0
// All functions of the interface, each with a way to call it rightly or wrongly. Made from the generated list, so it has every function of
// the WIT, also one that no hint knows yet.
#pragma once

#include <span>

#include "guest.h"

namespace weft::fuzz {

enum class Mode {
  Right,    // as the hint, or the types, say
  Spoiled,  // one value of a right call changed
  Wild,     // anything of the types
};

struct Function {
  std::string_view name;
  // Makes a call of it. False: none was made, since what it needs is not there.
  bool (*call)(Guest&, Mode);
  // Whether its answer may hold a handle of the kind.
  bool (*answers)(Resource);
};
std::span<const Function> AllFunctions();

}  // namespace weft::fuzz
