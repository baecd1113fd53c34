// SPDX-License-Identifier: Apache-2.0
//! The Rust kit for weft plugins: implement [`Effect`], name it in [`export!`], build with `sdk/rust/build-plugin.sh`.
//!
//! Ownership is Rust's: a pipeline or buffer lives as long as the field that holds it. The frame's own textures belong to the
//! [`Frame`] and are dropped, and revoked by the host, when `process` returns. What is recorded through [`Frame::compute`] and [`Frame::draw`]
//! goes into one command buffer, submitted when `process` returns `Ok`. [`Gpu::write`] takes effect before it.
//!
//! A WebGPU validation error (also a mistake in WGSL) fails the node by itself, with the line; nothing here returns it.
//! All of wasi:webgpu can be called too: [`bindings`], [`Gpu::device`] and [`Gpu::queue`].

#[allow(warnings)]
pub mod bindings {
    include!(concat!(env!("WEFT_RUST_BINDINGS"), "/plugin.rs"));
}

mod describe;
mod effect;
mod gpu;

pub use bindings::wasi::webgpu::webgpu;
pub use bindings::weft::plugin::log::{Level, write as log};
pub use bindings::weft::plugin::types::{FrameInfo, FrameTime, PortInfo, Project};
pub use describe::{Description, Parameter, Port};
pub use effect::{Effect, Frame, Plan, Values};
pub use gpu::{Bind, ComputePipeline, Gpu, RenderPipeline, format_name};

#[doc(hidden)]
pub use effect::Exported;

/// Makes a type that implements [`Effect`] the plugin of this crate. Once a crate.
#[macro_export]
macro_rules! export {
    ($effect:ty) => {
        type WeftExported = $crate::Exported<$effect>;
        $crate::bindings::export_bindings!(WeftExported with_types_in $crate::bindings);
    };
}
