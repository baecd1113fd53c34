// SPDX-License-Identifier: Apache-2.0
//! WASI 0.2 and 0.3 for a weft store. A crate of its own, since it is much code that never changes.

use weft_engine_base::data::Data;

pub fn link(linker: &mut wasmtime::component::Linker<Data>) -> wasmtime::Result<()> {
    wasmtime_wasi::p2::add_to_linker_async(linker)?;
    wasmtime_wasi::p3::add_to_linker(linker)
}
