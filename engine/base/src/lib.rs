// SPDX-License-Identifier: Apache-2.0
//! What the generated glue and the engine share. Apart, so that neither is compiled again when the other changes.

pub mod abi;
pub mod data;
pub mod handle;
