// SPDX-License-Identifier: Apache-2.0
//! One instance in its own store: made under limits, called one call at a time, ended by a trap, a timeout or its owner.

use crate::call::{self, RunningCall};
use crate::component::{Comp, ComponentHandle};
use crate::engine::{Shared, Timer, ticks};
use crate::error::{ErrorHandle, Fail, Kind, guard};
use crate::grants::AbiGrants;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use wasmtime::Result;
use weft_engine_base::abi::{Guests, Tracker};
use weft_engine_base::data::{AbiLimits, Bound, Data, Find, Limiter, Store, Used};
use weft_engine_base::handle::{HostRef, MAX_HOSTS, drop_handle};
use weft_engine_glue as glue;

/// A store that may run. Its end tells the hosts about each handle that the guest still held, after the guest is gone.
pub struct Live {
    pub store: Option<Store>,
    pub bound: Bound,
}

impl Live {
    pub fn store(&mut self) -> &mut Store {
        self.store.as_mut().expect("a live store")
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        let Some(mut store) = self.store.take() else { return };
        let data = store.data_mut();
        let (hosts, mut held) = (data.hosts, std::mem::take(&mut data.tracker));
        drop(store);
        held.drain(|kind, rep| drop_handle(&hosts, kind, rep));
    }
}

pub enum State {
    Idle(Box<Live>),
    Running(u64, RunningCall),
    /// A call is being polled.
    Busy,
    Ended(Fail),
}

pub struct Inner {
    pub name: String,
    pub comp: Arc<Comp>,
    pub state: Mutex<State>,
    pub timer: Arc<Timer>,
    pub call_ms: AtomicU64,
    pub fuel: u64,
    pub next_call: AtomicU64,
    used: Arc<Used>,
}
pub struct InstanceHandle(pub Arc<Inner>);

impl Inner {
    /// Ends the instance; what it held is dropped here and now.
    pub fn end(&self, why: Fail) {
        let old = std::mem::replace(&mut *self.state.lock().unwrap(), State::Ended(why));
        self.timer.stop();
        drop(old);
    }
}

pub fn prepare(store: &mut Store, shared: &Shared, ms: u64, fuel: u64) -> Result<()> {
    store.set_epoch_deadline(ticks(ms));
    store.data_mut().limiter.refused = None;
    if shared.fuel {
        store.set_fuel(if fuel == 0 { u64::MAX } else { fuel })?;
    }
    Ok(())
}

impl Inner {
    fn create(comp: &Arc<Comp>, grants: &AbiGrants, limits: AbiLimits, hosts: [HostRef; MAX_HOSTS]) -> std::result::Result<Inner, Fail> {
        comp.check(grants)?;
        for i in glue::IMPORTS {
            let imported = comp.component.component_type().imports(&comp.shared.engine).any(|(n, _)| n == i.interface);
            if imported && hosts[i.host].table.is_null() {
                return Err(Fail::new(Kind::Internal, format!("'{}' imports '{}', and its caller gave no host that serves it", comp.name, i.interface)));
            }
        }
        let pre = comp.linked()?.clone();
        let used = Arc::new(Used::default());
        let data = Data {
            hosts,
            tracker: Tracker::default(),
            guests: Guests::default(),
            // SAFETY: C++ passes valid lists.
            wasi: if comp.uses_wasi { Some(Box::new(unsafe { grants.wasi()? })) } else { None },
            limiter: Limiter { limits, used: used.clone(), refused: None },
        };
        let mut store = Store::new(&comp.shared.engine, data);
        store.limiter(|d| &mut d.limiter);
        let timer = comp.shared.new_timer();
        let judge = timer.clone();
        store.epoch_deadline_callback(move |_| judge.judge());
        let internal = |e: wasmtime::Error| Fail::new(Kind::Internal, format!("{e:#}"));
        prepare(&mut store, &comp.shared, limits.call_ms, limits.fuel).map_err(internal)?;
        let mut live = Box::new(Live { store: Some(store), bound: Bound::default() });
        let made = call::block_on(
            Box::pin(async {
                let r = pre.instantiate_async(live.store()).await;
                r.map(|i| live.bound.instance = Some(i))
            }),
            &timer,
            Instant::now() + Duration::from_millis(limits.call_ms),
            comp.uses_wasi,
        );
        match made {
            Some(Ok(())) => {}
            Some(Err(e)) => return Err(call::explain(&e, &comp.name, "its start", limits.call_ms, limits.fuel, live.store())),
            None => return Err(call::timeout(&comp.name, "its start", limits.call_ms)),
        }
        Ok(Inner {
            name: comp.name.clone(),
            comp: comp.clone(),
            state: Mutex::new(State::Idle(live)),
            timer,
            call_ms: AtomicU64::new(limits.call_ms),
            fuel: limits.fuel,
            next_call: AtomicU64::new(0),
            used,
        })
    }
}

#[unsafe(no_mangle)]
unsafe fn weft_engine_bind(instance: *mut c_void, interface: &'static str, find: Find<'_>) -> *mut c_void {
    let e: *mut ErrorHandle = guard(|| {
        let inner = unsafe { &(*instance.cast::<InstanceHandle>()).0 };
        inner.comp.check_export(interface)?;
        match &mut *inner.state.lock().unwrap() {
            State::Idle(live) => {
                if live.bound.interfaces.iter().any(|(i, _)| *i == interface) {
                    return Ok(());
                }
                let i = live.bound.instance.expect("instantiated");
                let b = find(&i, live.store()).map_err(|e| {
                    Fail::new(Kind::InvalidArgument, format!("'{}' does not fit the contract: {e:#}; build it against the interfaces in wit/", inner.name))
                })?;
                live.bound.interfaces.push((interface, b));
                Ok(())
            }
            State::Ended(why) => Err(why.clone()),
            _ => Err(Fail::new(Kind::Internal, format!("'{}' is in a call and cannot be bound now", inner.name))),
        }
    });
    e.cast()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn weft_component_instantiate(
    component: *const ComponentHandle,
    grants: *const AbiGrants,
    limits: *const AbiLimits,
    hosts: *const HostRef,
    host_count: usize,
    out: *mut *mut InstanceHandle,
) -> *mut ErrorHandle {
    guard(|| unsafe {
        let mut all = [HostRef::NONE; MAX_HOSTS];
        all[..host_count].copy_from_slice(std::slice::from_raw_parts(hosts, host_count));
        let i = Inner::create(&(*component).0, &*grants, *limits, all)?;
        *out = Box::into_raw(Box::new(InstanceHandle(Arc::new(i))));
        Ok(())
    })
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weft_instance_free(instance: *mut InstanceHandle) {
    let _ = guard(|| {
        let i = unsafe { Box::from_raw(instance) };
        i.0.end(Fail::new(Kind::GuestTrap, format!("the instance of '{}' has been destroyed", i.0.name)));
        Ok(())
    });
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weft_instance_alive(instance: *const InstanceHandle) -> bool {
    !matches!(*unsafe { &(*instance).0 }.state.lock().unwrap(), State::Ended(_))
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weft_instance_set_call_ms(instance: *mut InstanceHandle, ms: u64) {
    unsafe { (&(*instance).0).call_ms.store(ms, Ordering::Relaxed) };
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weft_instance_memory_bytes(instance: *const InstanceHandle) -> u64 {
    let i = unsafe { &(*instance).0 };
    if unsafe { weft_instance_alive(instance) } { i.used.memory_bytes.load(Ordering::Relaxed) } else { 0 }
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weft_instance_used(instance: *const InstanceHandle, memory_bytes: *mut u64, table_elements: *mut u64) {
    let used = unsafe { &(&(*instance).0).used };
    unsafe { *memory_bytes = used.memory_bytes.load(Ordering::Relaxed) };
    unsafe { *table_elements = used.table_elements.load(Ordering::Relaxed) };
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weft_instance_handles(instance: *const InstanceHandle) -> u64 {
    match &*unsafe { &(*instance).0 }.state.lock().unwrap() {
        State::Idle(live) => live.store.as_ref().map_or(0, |s| s.data().tracker.len()),
        _ => 0,
    }
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weft_layout(out: *mut u32, capacity: usize) -> usize {
    let mut v = Vec::new();
    glue::layout(&mut v);
    if capacity >= v.len() {
        unsafe { std::ptr::copy_nonoverlapping(v.as_ptr(), out, v.len()) };
    }
    v.len()
}
