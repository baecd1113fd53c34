// SPDX-License-Identifier: Apache-2.0
//! weft's engine: compiles, links, limits and calls WebAssembly components. It knows nothing of GPUs: the generated glue (codegen/gen_rust.py)
//! carries each imported function to C++ through a table, and C++ calls in through the C functions of each module (src/wasm/engine_abi.h).
//!
//! No panic leaves an extern "C" function, no C++ exception comes in: table functions are noexcept.

#![allow(clippy::missing_safety_doc, reason = "the C functions' contracts stand in src/wasm/engine_abi.h")]

mod cache;
mod call;
mod component;
mod engine;
mod error;
mod exec;
mod grants;
mod instance;
mod signature;
