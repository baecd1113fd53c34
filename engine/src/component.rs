// SPDX-License-Identifier: Apache-2.0
//! Compiling a component, and what can be said of it before it runs.

use weft_engine_base::abi::shapes::Str;
use crate::cache::hex_sha256;
use crate::engine::{EngineHandle, Shared};
use crate::error::{ErrorHandle, Fail, Kind, causes, guard};
use weft_engine_glue as glue;
use crate::grants::{AbiGrants, Need, need};
use weft_engine_base::data::Data;
use std::ffi::c_void;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use crate::signature::signature;
use wasmtime::component::types::ComponentItem;
use wasmtime::component::{Component, InstancePre, Linker};

pub struct Comp {
    pub shared: Arc<Shared>,
    pub component: Component,
    pub name: String,
    pub sha256: String,
    pub uses_wasi: bool,
    linked: OnceLock<Result<InstancePre<Data>, Fail>>,
}
pub struct ComponentHandle(pub Arc<Comp>);

impl Comp {
    fn compile(shared: &Arc<Shared>, bytes: &[u8], name: &str) -> Result<Comp, Fail> {
        check_kind_of_file(bytes, name)?;
        let sha256 = hex_sha256(bytes);
        let component = Self::code(shared, bytes, &sha256)
            .map_err(|e| Fail::new(Kind::InvalidArgument, format!("'{name}' is not a valid component: {}", causes(&e))))?;
        let uses_wasi = component.component_type().imports(&shared.engine).any(|(n, _)| n.starts_with("wasi:") && !n.starts_with("wasi:webgpu/"));
        Ok(Comp { shared: shared.clone(), component, name: name.into(), sha256, uses_wasi, linked: OnceLock::new() })
    }

    fn code(shared: &Shared, bytes: &[u8], sha256: &str) -> wasmtime::Result<Component> {
        if let Some(cache) = &shared.cache {
            if let Some(code) = cache.get(sha256) {
                // SAFETY: the cache hands out only what this user's engine wrote.
                if let Ok(c) = unsafe { Component::deserialize(&shared.engine, &code) } {
                    shared.cache_hits.fetch_add(1, Ordering::Relaxed);
                    return Ok(c);
                }
            }
        }
        shared.compilations.fetch_add(1, Ordering::Relaxed);
        let component = Component::from_binary(&shared.engine, bytes)?;
        if let Some(cache) = &shared.cache {
            cache.put(sha256, &component.serialize()?);
        }
        Ok(component)
    }

    fn imports(&self) -> Vec<String> {
        self.component.component_type().imports(&self.shared.engine).map(|(n, _)| n.to_string()).collect()
    }

    fn exports(&self) -> Vec<String> {
        self.component.component_type().exports(&self.shared.engine).map(|(n, _)| n.to_string()).collect()
    }

    pub fn check(&self, grants: &AbiGrants) -> Result<(), Fail> {
        for (import, item) in self.component.component_type().imports(&self.shared.engine) {
            if only_types(&item.ty, &self.shared.engine) {
                continue;
            }
            match need(import) {
                Need::Free => {}
                Need::Grant(g) if grants.has(g) => {}
                Need::Grant(g) => {
                    return Err(Fail::new(
                        Kind::InvalidArgument,
                        format!("'{}' imports '{import}', which needs the grant '{g}'; grant it, or use a component that does not import it", self.name),
                    ));
                }
                Need::Unknown => {
                    let known: Vec<_> = glue::IMPORTS.iter().map(|i| i.interface).collect();
                    return Err(Fail::new(
                        Kind::InvalidArgument,
                        format!("'{}' imports '{import}', which this host does not have; it has {}, and WASI 0.2 and 0.3 by grant", self.name, known.join(", ")),
                    ));
                }
            }
        }
        Ok(())
    }

    pub fn check_export(&self, interface: &str) -> Result<(), Fail> {
        let exports = self.exports();
        if exports.iter().any(|e| e == interface) {
            return Ok(());
        }
        let found = if exports.is_empty() { "nothing".to_string() } else { exports.join(", ") };
        Err(Fail::new(
            Kind::InvalidArgument,
            format!("'{}' is a component, but it does not export '{interface}'; it exports {found}. Build it for the world that exports this interface", self.name),
        ))
    }

    /// All exported functions as (interface or "", function, item).
    pub fn functions(&self) -> Vec<(String, String, wasmtime::component::types::ComponentFunc)> {
        let engine = &self.shared.engine;
        let mut out = Vec::new();
        for (name, item) in self.component.component_type().exports(engine) {
            match item.ty {
                ComponentItem::ComponentFunc(f) => out.push((String::new(), name.to_string(), f)),
                ComponentItem::ComponentInstance(i) => {
                    for (inner, item) in i.exports(engine) {
                        if let ComponentItem::ComponentFunc(f) = item.ty {
                            out.push((name.to_string(), inner.to_string(), f));
                        }
                    }
                }
                _ => {}
            }
        }
        out
    }

    /// Links everything that Check could allow; Check has been asked before an instance is made.
    pub fn linked(&self) -> Result<&InstancePre<Data>, Fail> {
        self.linked
            .get_or_init(|| self.link().map_err(|e| Fail::new(Kind::InvalidArgument, format!("'{}' does not fit this host: {}", self.name, causes(&e)))))
            .as_ref()
            .map_err(Fail::clone)
    }

    fn link(&self) -> wasmtime::Result<InstancePre<Data>> {
        let mut linker = Linker::<Data>::new(&self.shared.engine);
        let imports = self.imports();
        for i in glue::IMPORTS {
            if imports.iter().any(|n| n == i.interface) {
                (i.link)(&mut linker)?;
            }
        }
        if self.uses_wasi {
            weft_engine_wasi::link(&mut linker)?;
        }
        linker.instantiate_pre(&self.component)
    }
}

/// An interface of types alone gives a guest nothing.
fn only_types(item: &ComponentItem, engine: &wasmtime::Engine) -> bool {
    match item {
        ComponentItem::ComponentInstance(i) => i.exports(engine).all(|(_, e)| matches!(e.ty, ComponentItem::Type(_) | ComponentItem::Resource(_))),
        ComponentItem::Type(_) => true,
        _ => false,
    }
}

fn check_kind_of_file(bytes: &[u8], name: &str) -> Result<(), Fail> {
    let fail = |text: String| Err(Fail::new(Kind::InvalidArgument, text));
    if bytes.is_empty() {
        return fail(format!("'{name}' is empty; expected a WebAssembly component"));
    }
    if !bytes.starts_with(b"\0asm") {
        let head: Vec<_> = bytes.iter().take(4).map(|b| format!("{b:02x}")).collect();
        return fail(format!("'{name}' is not a WebAssembly file: it begins with bytes {} where 00 61 73 6d stands in every one; expected a component", head.join(" ")));
    }
    match bytes.get(4..8) {
        Some([0x0d, 0, 1, 0]) => Ok(()),
        Some([1, 0, 0, 0]) => {
            fail(format!("'{name}' is a core WebAssembly module, not a component; make a component of it with 'wasm-tools component new'"))
        }
        Some(v) => fail(format!("'{name}' is WebAssembly of an unknown version ({v:02x?}); expected a component of version 0d 00 01 00")),
        None => fail(format!("'{name}' ends after {} bytes; expected a WebAssembly component", bytes.len())),
    }
}

type Sink = unsafe extern "C" fn(*mut c_void, Str);

unsafe fn sink_all(texts: impl IntoIterator<Item = String>, to: *mut c_void, sink: Sink) {
    for t in texts {
        unsafe { sink(to, Str::of(&t)) };
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn weft_component_compile(
    engine: *mut EngineHandle,
    data: *const u8,
    size: usize,
    name: Str,
    out: *mut *mut ComponentHandle,
) -> *mut ErrorHandle {
    guard(|| unsafe {
        let bytes = if size == 0 { &[] } else { std::slice::from_raw_parts(data, size) };
        let c = Comp::compile(&(*engine).0, bytes, &name.text())?;
        *out = Box::into_raw(Box::new(ComponentHandle(Arc::new(c))));
        Ok(())
    })
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weft_component_clone(c: *const ComponentHandle) -> *mut ComponentHandle {
    Box::into_raw(Box::new(ComponentHandle(unsafe { (*c).0.clone() })))
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weft_component_free(c: *mut ComponentHandle) {
    drop(unsafe { Box::from_raw(c) });
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weft_component_sha256(c: *const ComponentHandle, to: *mut c_void, sink: Sink) {
    unsafe { sink(to, Str::of(&(&(*c).0).sha256)) };
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weft_component_imports(c: *const ComponentHandle, to: *mut c_void, sink: Sink) {
    unsafe { sink_all((*c).0.imports(), to, sink) };
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weft_component_exports(c: *const ComponentHandle, to: *mut c_void, sink: Sink) {
    unsafe { sink_all((*c).0.exports(), to, sink) };
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weft_component_signatures(c: *const ComponentHandle, to: *mut c_void, sink: Sink) {
    let c = unsafe { &(*c).0 };
    let lines = c.functions().into_iter().map(|(i, n, f)| format!("{i}{}{n}: {}", if i.is_empty() { "" } else { "#" }, signature(&f)));
    unsafe { sink_all(lines, to, sink) };
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weft_component_check(c: *const ComponentHandle, grants: *const AbiGrants) -> *mut ErrorHandle {
    guard(|| unsafe { (*c).0.check(&*grants) })
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weft_component_check_export(c: *const ComponentHandle, interface: Str) -> *mut ErrorHandle {
    guard(|| unsafe { (*c).0.check_export(&interface.text()) })
}
