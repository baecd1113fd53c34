// SPDX-License-Identifier: Apache-2.0
//! The glue that codegen/generate.py makes of the WIT; tools/build-engine says where it lies.

include!(env!("WEFT_GLUE"));
