// SPDX-License-Identifier: Apache-2.0
// What a value is by the WIT, where its C++ type does not tell: a handle of any resource is a Rep, in options and lists too. The generated
// wasm/gen/*_calls.h name the shape of every field, argument and answer with these, for tools that must handle all functions of an
// interface alike (fuzz/). Never on the way of a real call.
#pragma once

namespace weft::wasm::shape {

// A number, bool, string, enum, flags, record or variant: the C++ type says it all.
struct Plain {};
// A handle to a resource of the interface; `Owned` ones pass to whom they are given.
template <auto Resource, bool Owned>
struct Handle {
  static constexpr auto kResource = Resource;
  static constexpr bool kOwned = Owned;
};
template <class S>
struct OptOf {};
template <class S>
struct ListOf {};
template <class Ok, class Err>
struct ResOf {};
template <class... S>
struct TupleOf {};

// How a function answers.
enum class How {
  Returned,   // by its return value
  Completed,  // by a Completion: async functions and futures
  Streamed,   // by a StreamSource
};

template <class... F>
struct FunctionList {};

}  // namespace weft::wasm::shape
