// SPDX-License-Identifier: Apache-2.0
//! Failures as C++ sees them, and a trap told in one sentence.

use weft_engine_base::abi::shapes::Str;
use wasmtime::{Trap, WasmBacktrace};

/// In the order that src/wasm/engine_abi.h names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(dead_code, reason = "the numbers are C++'s too")]
pub enum Kind {
    InvalidArgument,
    Unsupported,
    NotFound,
    Io,
    OutOfMemory,
    GuestTrap,
    Internal,
}

#[derive(Clone, Debug)]
pub struct Fail {
    pub kind: Kind,
    pub text: String,
}
pub type ErrorHandle = Fail;

impl Fail {
    pub fn new(kind: Kind, text: impl Into<String>) -> Fail {
        Fail { kind, text: text.into() }
    }
}

/// Runs `f` for a C function that answers null or an error; a panic becomes an error.
pub fn guard(f: impl FnOnce() -> Result<(), Fail>) -> *mut ErrorHandle {
    let r = std::panic::catch_unwind(std::panic::AssertUnwindSafe(f))
        .unwrap_or_else(|p| Err(Fail::new(Kind::Internal, format!("the engine failed: {}", panic_text(&*p)))));
    match r {
        Ok(()) => std::ptr::null_mut(),
        Err(e) => Box::into_raw(Box::new(e)),
    }
}

pub fn panic_text(p: &(dyn std::any::Any + Send)) -> String {
    p.downcast_ref::<String>().cloned().or_else(|| p.downcast_ref::<&str>().map(|s| s.to_string())).unwrap_or_else(|| "a panic".into())
}

/// The causes of an error without the backtrace that Wasmtime adds as a context.
pub fn causes(e: &wasmtime::Error) -> String {
    let mut parts: Vec<String> = Vec::new();
    for c in e.chain() {
        let text = c.to_string();
        if text.starts_with("error while executing at wasm backtrace") || parts.last() == Some(&text) {
            continue;
        }
        parts.push(text);
    }
    parts.join(": ")
}

/// "wasm `unreachable` instruction executed in sort_rows (sort.c:88), called from process (sort.c:120)".
pub fn trap_text(e: &wasmtime::Error) -> String {
    let mut text = match e.downcast_ref::<Trap>() {
        Some(t) => {
            let t = t.to_string();
            t.strip_prefix("wasm trap: ").unwrap_or(&t).to_string()
        }
        None => causes(e),
    };
    if let Some(b) = e.downcast_ref::<WasmBacktrace>() {
        for (i, f) in frames(b).into_iter().take(6).enumerate() {
            text.push_str(if i == 0 { " in " } else { ", called from " });
            text.push_str(&f);
        }
    }
    text
}

/// Innermost first; inlined functions as frames of their own; canonical-ABI glue left out.
fn frames(b: &WasmBacktrace) -> Vec<String> {
    let mut out = Vec::new();
    for f in b.frames() {
        let mut symbols = false;
        for s in f.symbols() {
            symbols = true;
            let name = s.name().or(f.func_name()).unwrap_or("a nameless function");
            match (s.file(), s.line()) {
                (Some(file), Some(line)) => out.push(format!("{name} ({}:{line})", short_path(file))),
                _ => out.push(name.to_string()),
            }
        }
        if !symbols {
            out.push(match f.func_name() {
                Some(n) => n.to_string(),
                None => format!("function {} of {}", f.func_index(), f.module().name().unwrap_or("a nameless module")),
            });
        }
    }
    out
}

/// Build folders say nothing to a reader: the last two parts are enough to find the file.
fn short_path(path: &str) -> &str {
    let mut cut = path.rmatch_indices('/');
    cut.next();
    cut.next().map_or(path, |(i, _)| &path[i + 1..])
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn weft_error_kind(e: *const ErrorHandle) -> u32 {
    unsafe { (*e).kind as u32 }
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weft_error_text(e: *const ErrorHandle) -> Str {
    unsafe { Str::of(&(*e).text) }
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weft_error_free(e: *mut ErrorHandle) {
    drop(unsafe { Box::from_raw(e) });
}
