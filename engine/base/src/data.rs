// SPDX-License-Identifier: Apache-2.0
//! What a store carries, and what typed calls of exports are made of.

use crate::abi::{Arena, Guests, Plain, ToC, ToCx, Tracker};
use crate::handle::{HostRef, MAX_HOSTS};
use std::any::Any;
use std::ffi::c_void;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use wasmtime::component::{ComponentNamedList, Lift, Lower, ResourceTable, TypedFunc};
use wasmtime::{ResourceLimiter, Result, format_err};
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};

/// What a store carries.
pub struct Data {
    pub hosts: [HostRef; MAX_HOSTS],
    pub tracker: Tracker,
    pub guests: Guests,
    pub wasi: Option<Box<Wasi>>,
    pub limiter: Limiter,
}
pub type Store = wasmtime::Store<Data>;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct AbiLimits {
    pub memory_bytes: u64,
    pub table_elements: u64,
    pub instances: u32,
    pub call_ms: u64,
    pub fuel: u64,
}

/// What all memories and all tables of a store hold together. They never shrink, so this is also the most that they held.
#[derive(Default)]
pub struct Used {
    pub memory_bytes: AtomicU64,
    pub table_elements: AtomicU64,
}

pub struct Limiter {
    pub limits: AbiLimits,
    pub used: Arc<Used>,
    /// The last refusal, for the trap that mostly follows it.
    pub refused: Option<String>,
}

impl ResourceLimiter for Limiter {
    fn memory_growing(&mut self, current: usize, desired: usize, _: Option<usize>) -> Result<bool> {
        let total = self.used.memory_bytes.load(Ordering::Relaxed) + (desired - current) as u64;
        if total > self.limits.memory_bytes {
            self.refused = Some(format!("it asked for {total} bytes of memory and its limit is {}", self.limits.memory_bytes));
            return Ok(false);
        }
        self.used.memory_bytes.store(total, Ordering::Relaxed);
        Ok(true)
    }
    fn table_growing(&mut self, current: usize, desired: usize, _: Option<usize>) -> Result<bool> {
        let total = self.used.table_elements.load(Ordering::Relaxed) + (desired - current) as u64;
        if total > self.limits.table_elements {
            self.refused = Some(format!("it asked for {total} table elements and its limit is {}", self.limits.table_elements));
            return Ok(false);
        }
        self.used.table_elements.store(total, Ordering::Relaxed);
        Ok(true)
    }
    fn instances(&self) -> usize {
        self.limits.instances as usize
    }
    fn tables(&self) -> usize {
        self.limits.instances as usize
    }
    fn memories(&self) -> usize {
        self.limits.instances as usize
    }
}

/// Typed exports that C++ has bound, by interface.
#[derive(Default)]
pub struct Bound {
    pub instance: Option<wasmtime::component::Instance>,
    pub interfaces: Vec<(&'static str, Box<dyn Any + Send + Sync>)>,
}

impl Bound {
    pub fn get<T: 'static>(&self, interface: &str) -> Result<&T> {
        self.interfaces
            .iter()
            .find(|(i, _)| *i == interface)
            .and_then(|(_, b)| b.downcast_ref())
            .ok_or_else(|| format_err!("{interface} is not bound to this instance"))
    }
}

pub struct Wasi {
    pub ctx: WasiCtx,
    pub table: ResourceTable,
}

impl WasiView for Data {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        let w = self.wasi.as_mut().expect("WASI is linked only where it is made");
        WasiCtxView { ctx: &mut w.ctx, table: &mut w.table }
    }
}

/// A finished call's value in C++'s shape, with all that it points to.
pub trait CallValue: Send {
    fn value(&self) -> *const c_void;
}

pub type Running<'a> = Pin<Box<dyn Future<Output = Result<Box<dyn CallValue>>> + Send + 'a>>;
pub type Starter = Box<dyn for<'a> FnOnce(&'a mut Store) -> Running<'a> + Send>;
struct Value<T: ToC> {
    _own: T,
    _arena: Arena,
    c: T::C,
}
// SAFETY: the pointers in `c` point into `_own` and `_arena`, which nobody changes.
unsafe impl<T: ToC + Send> Send for Value<T> {}
impl<T: ToC + Send> CallValue for Value<T> {
    fn value(&self) -> *const c_void {
        (&raw const self.c).cast()
    }
}

/// Own handles of host resources in `out` go back to the host.
pub fn finish_call<T: ToC + Send + 'static>(store: &mut Store, out: T) -> Result<Box<dyn CallValue>>
where
    T::C: Plain,
{
    let data = store.data_mut();
    out.track(&mut data.tracker, false);
    let mut arena = Arena::default();
    let c = out.to_c(&mut ToCx::of_result(&mut data.guests, &mut arena))?;
    Ok(Box::new(Value { _own: out, _arena: arena, c }))
}

/// A typed export for the generated glue.
pub fn find_export<P, R>(instance: &wasmtime::component::Instance, store: &mut Store, interface: &str, function: &str) -> Result<TypedFunc<P, R>>
where
    P: ComponentNamedList + Lower,
    R: ComponentNamedList + Lift,
{
    let i = instance.get_export_index(&mut *store, None, interface).ok_or_else(|| format_err!("it does not export '{interface}'"))?;
    let f = instance
        .get_export_index(&mut *store, Some(&i), function)
        .ok_or_else(|| format_err!("its '{interface}' has no function '{function}'"))?;
    instance
        .get_typed_func::<P, R>(&mut *store, f)
        .map_err(|e| format_err!("its '{function}' of '{interface}' has other types than this host's: {e:#}"))
}

/// An interface that C++ hosts serve; the generated glue lists them.
pub struct Import {
    pub interface: &'static str,
    pub host: usize,
    pub link: fn(&mut wasmtime::component::Linker<Data>) -> Result<()>,
}

pub type Begin<'a> = &'a mut dyn FnMut(&mut Store, &Bound) -> Result<Starter>;
pub type Find<'a> = &'a mut dyn FnMut(&wasmtime::component::Instance, &mut Store) -> Result<Box<dyn Any + Send + Sync>>;

// The engine above defines these two; the glue below it only calls them.
unsafe extern "Rust" {
    /// Begins a call: `begin` copies the arguments and says what to run. Always answers a handle, with the error in it if need be.
    pub fn weft_engine_start_call(instance: *mut c_void, what: &'static str, begin: Begin<'_>) -> *mut c_void;
    /// Null or an error.
    pub fn weft_engine_bind(instance: *mut c_void, interface: &'static str, find: Find<'_>) -> *mut c_void;
}
