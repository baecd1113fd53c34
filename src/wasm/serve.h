// SPDX-License-Identifier: Apache-2.0
// How a generated table function serves one call of a guest: nothing thrown gets past it, every failure becomes a trap's text.
#pragma once

#include <exception>
#include <string>
#include <utility>

#include "base/result.h"
#include "wasm/abi.h"

namespace weft::wasm {

// What the engine's `host` pointer points to. `trap` holds the last failure's text until the next call.
template <class H>
struct HostBinding {
  H* host = nullptr;
  std::string trap;
};

template <class H, class F>
Str Serve(void* binding, F&& f) noexcept {
  auto* b = static_cast<HostBinding<H>*>(binding);
  try {
    Status s = f(*b->host);
    if (s) return {};
    b->trap = s.error().ToString();
  } catch (const std::exception& e) {
    b->trap = std::string("the host function threw an exception: ") + e.what();
  } catch (...) {
    b->trap = "the host function threw an exception of unknown type";
  }
  if (b->trap.empty()) b->trap = "the host function failed without a reason";
  return Str(b->trap);
}

template <class T, class R>
Status Put(Result<T>&& from, R* to) {
  if (!from) return std::move(from.error());
  *to = std::move(*from);
  return {};
}

}  // namespace weft::wasm
