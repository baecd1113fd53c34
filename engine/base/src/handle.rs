// SPDX-License-Identifier: Apache-2.0
//! Handles of host resources. Their kind is a number, not a Rust type, so that functions of one signature share their machine code.
//!
//! A kind is (host << 8 | slot): which host serves the resource, and where its drop function stands in that host's table.

use crate::abi::{FromC, ToC, ToCx, Tracker};
use crate::data::Data;
use std::ffi::c_void;
use std::mem::MaybeUninit;
use wasmtime::component::__internal::{CanonicalAbiInfo, InstanceType, InterfaceType, LiftContext, LowerContext};
use wasmtime::component::{ComponentType, Lift, LinkerInstance, Lower, ResourceDynamic, ResourceType};
use wasmtime::{Result, StoreContextMut, format_err};

pub const MAX_HOSTS: usize = 8;

/// Who serves one interface: a table of functions and what they work on.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct HostRef {
    pub table: *const *const c_void,
    pub binding: *mut c_void,
}
// SAFETY: C++ promises that its hosts may be called from whichever one thread runs the instance.
unsafe impl Send for HostRef {}
unsafe impl Sync for HostRef {}

impl HostRef {
    pub const NONE: HostRef = HostRef { table: std::ptr::null(), binding: std::ptr::null_mut() };

    /// # Safety
    /// The table has the slot, and F is its function's type.
    pub unsafe fn function<F: Copy>(&self, slot: usize) -> F {
        const { assert!(size_of::<F>() == size_of::<*const c_void>()) };
        unsafe { std::mem::transmute_copy(&*self.table.add(slot)) }
    }
}

pub fn drop_handle(hosts: &[HostRef; MAX_HOSTS], kind: u16, rep: u32) {
    let host = &hosts[(kind >> 8) as usize];
    if !host.table.is_null() {
        // SAFETY: drop functions stand first in each table.
        let f: unsafe extern "C" fn(*mut c_void, u32) = unsafe { host.function((kind & 0xff) as usize) };
        unsafe { f(host.binding, rep) };
    }
}

pub fn define_resource(l: &mut LinkerInstance<'_, Data>, name: &str, kind: u16) -> Result<()> {
    l.resource(name, ResourceType::host_dynamic(kind as u32), move |mut store: StoreContextMut<'_, Data>, rep| {
        let data = store.data_mut();
        data.tracker.count(kind, rep, false);
        drop_handle(&data.hosts, kind, rep);
        Ok(())
    })
}

/// A handle argument's rep, once its kind is seen to be the one that the function takes.
pub fn take(r: &ResourceDynamic, kind: u16, store: &mut StoreContextMut<'_, Data>) -> Result<u32> {
    check(r, kind)?;
    if r.owned() {
        store.data_mut().tracker.count(kind, r.rep(), false);
    }
    Ok(r.rep())
}

pub fn give(rep: u32, kind: u16, store: &mut StoreContextMut<'_, Data>) -> ResourceDynamic {
    store.data_mut().tracker.count(kind, rep, true);
    ResourceDynamic::new_own(rep, kind as u32)
}

fn check(r: &ResourceDynamic, kind: u16) -> Result<()> {
    if r.ty() == kind as u32 { Ok(()) } else { Err(format_err!("a handle of another resource was passed")) }
}

/// A handle inside a record, list or option.
pub struct Handle<const KIND: u16>(ResourceDynamic);

// SAFETY: all by ResourceDynamic, which is the only field.
unsafe impl<const K: u16> ComponentType for Handle<K> {
    const MAY_REQUIRE_REALLOC: bool = false;
    const ABI: CanonicalAbiInfo = <ResourceDynamic as ComponentType>::ABI;
    type Lower = <ResourceDynamic as ComponentType>::Lower;
    fn typecheck(ty: &InterfaceType, types: &InstanceType<'_>) -> Result<()> {
        ResourceDynamic::typecheck(ty, types)
    }
}
unsafe impl<const K: u16> Lift for Handle<K> {
    fn linear_lift_from_flat(cx: &mut LiftContext<'_>, ty: InterfaceType, src: &Self::Lower) -> Result<Self> {
        let r = ResourceDynamic::linear_lift_from_flat(cx, ty, src)?;
        check(&r, K)?;
        Ok(Handle(r))
    }
    fn linear_lift_from_memory(cx: &mut LiftContext<'_>, ty: InterfaceType, bytes: &[u8]) -> Result<Self> {
        let r = ResourceDynamic::linear_lift_from_memory(cx, ty, bytes)?;
        check(&r, K)?;
        Ok(Handle(r))
    }
}
unsafe impl<const K: u16> Lower for Handle<K> {
    fn linear_lower_to_flat<U>(&self, cx: &mut LowerContext<'_, U>, ty: InterfaceType, dst: &mut MaybeUninit<Self::Lower>) -> Result<()> {
        self.0.linear_lower_to_flat(cx, ty, dst)
    }
    fn linear_lower_to_memory<U>(&self, cx: &mut LowerContext<'_, U>, ty: InterfaceType, offset: usize) -> Result<()> {
        self.0.linear_lower_to_memory(cx, ty, offset)
    }
}

impl<const K: u16> ToC for Handle<K> {
    type C = u32;
    fn to_c(&self, _: &mut ToCx<'_>) -> Result<u32> {
        Ok(self.0.rep())
    }
    fn track(&self, t: &mut Tracker, add: bool) {
        if self.0.owned() {
            t.count(K, self.0.rep(), add);
        }
    }
}
impl<const K: u16> FromC for Handle<K> {
    unsafe fn from_c(c: &u32) -> Result<Self> {
        Ok(Handle(ResourceDynamic::new_own(*c, K as u32)))
    }
}
