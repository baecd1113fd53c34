// SPDX-License-Identifier: Apache-2.0
// The objects behind weft.h's handles, and what every entry point needs: strings in and out, exceptions stopped.
//
// An entry point is `return Enter([&]() -> Status { ... });`: what it throws (bad_alloc, a third party's) becomes an error value, so that
// nothing ever unwinds into a C program.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/fail.h"
#include "base/ref.h"
#include "base/result.h"
#include "graph/document.h"
#include "runtime/chain.h"
#include "runtime/exec.h"
#include "runtime/runtime.h"
#include "weft/weft.h"

struct WeftErrorImpl : weft::RefCounted {
  explicit WeftErrorImpl(weft::Error e) : error(std::move(e)), text(error.ToString()) {}
  const weft::Error error;
  const std::string text;
};

struct WeftStringImpl : weft::RefCounted {
  explicit WeftStringImpl(std::string s) : text(std::move(s)) {}
  const std::string text;
};

struct WeftRuntimeImpl : weft::RefCounted {
  explicit WeftRuntimeImpl(weft::Ref<weft::runtime::Runtime> r) : runtime(std::move(r)) {}
  const weft::Ref<weft::runtime::Runtime> runtime;
  std::string library;  // what weftRuntimeGetDevice's view points to; set once, under `mutex`
  std::mutex mutex;
};

struct WeftGraphImpl : weft::RefCounted {
  explicit WeftGraphImpl(weft::Ref<weft::runtime::Runtime> r) : runtime(std::move(r)) {}
  const weft::Ref<weft::runtime::Runtime> runtime;
  weft::graph::Document document;
  std::string work_format = "rgba16float";
  std::string folder;
  weft::Ref<weft::runtime::CancelToken> cancel = weft::MakeRef<weft::runtime::CancelToken>();
};

struct WeftChainImpl : weft::RefCounted {
  explicit WeftChainImpl(weft::Ref<weft::runtime::Chain> c, weft::Rational r) : chain(std::move(c)), rate(r) {}
  const weft::Ref<weft::runtime::Chain> chain;
  const weft::Rational rate;
};

struct WeftImageImpl : weft::RefCounted {
  weft::Ref<weft::runtime::Image> image;
  WeftFrame frame{};
};

struct WeftExecImpl : weft::RefCounted {
  explicit WeftExecImpl(weft::Ref<weft::runtime::Exec> e) : exec(std::move(e)) {}
  const weft::Ref<weft::runtime::Exec> exec;
};

namespace weft::capi {

inline std::string_view View(WeftStringView s) {
  if (!s.data) return {};
  return s.length == WEFT_STRLEN ? std::string_view(s.data) : std::string_view(s.data, s.length);
}
inline std::string Str(WeftStringView s) { return std::string(View(s)); }
inline WeftStringView Str(std::string_view s) { return {s.data(), s.size()}; }

// Never null for a failure; where there is no memory for an error, a shared one says so.
WeftError* ToC(Error error) noexcept;
// Of a caught exception; call inside a catch block.
WeftError* CaughtToC() noexcept;

template <class F>
WeftError* Enter(F&& body) noexcept {
  try {
    Status status = body();
    return status ? nullptr : ToC(std::move(status.error()));
  } catch (...) {
    return CaughtToC();
  }
}

// For pointers that must not be null; `what` is "weftGraphRun: graph".
#define WEFT_CAPI_REQUIRE(pointer, what) \
  if (!(pointer)) return ::weft::Error(::weft::ErrorKind::InvalidArgument, what " is NULL")

// nextInChain of structs that have no extensions.
Status RefuseChain(const WeftChained* chain, std::string_view function);

}  // namespace weft::capi
