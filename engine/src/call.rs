// SPDX-License-Identifier: Apache-2.0
//! A call from its start to its value: polled by whoever has time, woken from any thread, ended by its deadline.
//!
//! The running future lies in the instance, so that the instance's end ends the call; the handle that C++ holds has the outcome.

use weft_engine_base::data::{Begin, CallValue, Store};
use crate::error::{ErrorHandle, Fail, Kind, causes, panic_text, trap_text};
use crate::engine::Timer;
use crate::instance::{Inner, InstanceHandle, Live, State, prepare};
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};
use wasmtime::{Result, Trap};

pub type RunningCall = Pin<Box<dyn Future<Output = (Box<Live>, Result<Box<dyn CallValue>>)> + Send>>;

#[derive(Clone, Copy)]
struct CWake {
    data: *mut c_void,
    wake: unsafe extern "C" fn(*mut c_void),
    drop: unsafe extern "C" fn(*mut c_void),
}
struct OnWake(CWake);
// SAFETY: C++ promises that its wake function may be called from any thread.
unsafe impl Send for OnWake {}
unsafe impl Sync for OnWake {}
impl Drop for OnWake {
    fn drop(&mut self) {
        unsafe { (self.0.drop)(self.0.data) }
    }
}

/// Wakes C++'s function and a thread that waits.
pub struct Signal {
    raised: Mutex<bool>,
    changed: Condvar,
    on_wake: Mutex<Option<Arc<OnWake>>>,
}

impl Signal {
    pub fn new() -> Arc<Signal> {
        Arc::new(Signal { raised: Mutex::new(false), changed: Condvar::new(), on_wake: Mutex::new(None) })
    }
    fn wait(&self, until: Instant) {
        let mut raised = self.raised.lock().unwrap();
        while !*raised {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            raised = self.changed.wait_timeout(raised, left).unwrap().0;
        }
        *raised = false;
    }
}
impl Wake for Signal {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }
    fn wake_by_ref(self: &Arc<Self>) {
        *self.raised.lock().unwrap() = true;
        self.changed.notify_all();
        let f = self.on_wake.lock().unwrap().clone();
        if let Some(f) = f {
            unsafe { (f.0.wake)(f.0.data) };
        }
    }
}

/// WASI's functions want a tokio runtime around them; nothing else does.
fn poll_once<T>(f: Pin<&mut (dyn Future<Output = T> + Send + '_)>, waker: &Waker, uses_wasi: bool) -> Poll<T> {
    let mut cx = Context::from_waker(waker);
    if uses_wasi { wasmtime_wasi::runtime::with_ambient_tokio_runtime(|| f.poll(&mut cx)) } else { f.poll(&mut cx) }
}

/// None: the deadline passed first.
pub fn block_on<T>(mut f: Pin<Box<dyn Future<Output = T> + Send + '_>>, timer: &Timer, deadline: Instant, uses_wasi: bool) -> Option<T> {
    let signal = Signal::new();
    let waker = Waker::from(signal.clone());
    timer.start(deadline, waker.clone());
    let out = loop {
        let polled = poll_once(f.as_mut(), &waker, uses_wasi);
        if let Poll::Ready(v) = polled {
            break Some(v);
        }
        if Instant::now() >= deadline {
            break None;
        }
        signal.wait(deadline);
    };
    timer.stop();
    out
}

pub fn timeout(name: &str, what: &str, ms: u64) -> Fail {
    Fail::new(Kind::GuestTrap, format!("'{name}' did not finish {what} within its limit of {ms} ms"))
}

pub fn explain(e: &wasmtime::Error, name: &str, what: &str, ms: u64, fuel: u64, store: &Store) -> Fail {
    match e.downcast_ref::<Trap>() {
        Some(Trap::Interrupt) => {
            let mut f = timeout(name, what, ms);
            let at = trap_text(e);
            if let Some((_, place)) = at.split_once(" in ") {
                f.text.push_str(&format!("; it was in {place}"));
            }
            return f;
        }
        Some(Trap::OutOfFuel) => return Fail::new(Kind::GuestTrap, format!("'{name}' used up its fuel of {fuel} in {what}")),
        _ => {}
    }
    let mut text = format!("'{name}' trapped in {what}: {}", trap_text(e));
    if let Some(why) = &store.data().limiter.refused {
        text.push_str(&format!("; {why}"));
    }
    Fail::new(Kind::GuestTrap, text)
}

pub struct CallHandle {
    inner: Arc<Inner>,
    id: u64,
    what: &'static str,
    ms: u64,
    deadline: Instant,
    signal: Arc<Signal>,
    waker: Waker,
    outcome: Option<std::result::Result<Box<dyn CallValue>, Fail>>,
}

/// weft_engine_start_call for this crate.
///
/// # Safety
/// `instance` is valid.
pub unsafe fn start_call(instance: *mut InstanceHandle, what: &'static str, begin: Begin<'_>) -> *mut CallHandle {
    let inner = unsafe { (*instance).0.clone() };
    let signal = Signal::new();
    let ms = inner.call_ms.load(Ordering::Relaxed);
    let mut call = CallHandle {
        id: inner.next_call.fetch_add(1, Ordering::Relaxed),
        what,
        ms,
        deadline: Instant::now() + Duration::from_millis(ms),
        waker: Waker::from(signal.clone()),
        signal,
        outcome: None,
        inner,
    };
    let r = catch_unwind(AssertUnwindSafe(|| call.begin(begin)))
        .unwrap_or_else(|p| Err(Fail::new(Kind::Internal, format!("the engine failed to start {what}: {}", panic_text(&*p)))));
    if let Err(e) = r {
        call.outcome = Some(Err(e));
    }
    Box::into_raw(Box::new(call))
}

#[unsafe(no_mangle)]
unsafe fn weft_engine_start_call(instance: *mut c_void, what: &'static str, begin: Begin<'_>) -> *mut c_void {
    unsafe { start_call(instance.cast(), what, begin).cast() }
}

impl CallHandle {
    fn begin(&mut self, begin: Begin<'_>) -> std::result::Result<(), Fail> {
        let inner = &self.inner;
        let mut state = inner.state.lock().unwrap();
        let mut live = match std::mem::replace(&mut *state, State::Busy) {
            State::Idle(live) => live,
            other => {
                let why = match &other {
                    State::Ended(why) => Fail::new(why.kind, why.text.clone()),
                    _ => Fail::new(Kind::Internal, format!("{} of '{}' was started while another call runs", self.what, inner.name)),
                };
                *state = other;
                return Err(why);
            }
        };
        let shared = &inner.comp.shared;
        let Live { store, bound, .. } = &mut *live;
        let store = store.as_mut().expect("a live store");
        let started = prepare(store, shared, self.ms, inner.fuel).and_then(|()| begin(store, bound));
        match started {
            Err(e) => {
                *state = State::Idle(live);
                return Err(Fail::new(Kind::InvalidArgument, format!("{} of '{}' cannot start: {}", self.what, inner.name, causes(&e))));
            }
            Ok(run) => {
                *state = State::Running(
                    self.id,
                    Box::pin(async move {
                        let r = run(live.store()).await;
                        (live, r)
                    }),
                );
            }
        }
        drop(state);
        inner.timer.start(self.deadline, self.waker.clone());
        Ok(())
    }

    fn poll(&mut self) -> bool {
        if self.outcome.is_some() {
            return true;
        }
        let inner = self.inner.clone();
        let mut running = {
            let mut state = inner.state.lock().unwrap();
            match std::mem::replace(&mut *state, State::Busy) {
                State::Running(id, f) if id == self.id => f,
                other => {
                    let why = match &other {
                        State::Ended(why) => why.clone(),
                        _ => Fail::new(Kind::Internal, format!("{} of '{}' was polled by two threads at once", self.what, inner.name)),
                    };
                    *state = other;
                    self.outcome = Some(Err(why));
                    return true;
                }
            }
        };
        let waker = &self.waker;
        let polled = catch_unwind(AssertUnwindSafe(|| poll_once(running.as_mut(), waker, inner.comp.uses_wasi)));
        match polled {
            Ok(Poll::Pending) if Instant::now() < self.deadline => {
                *inner.state.lock().unwrap() = State::Running(self.id, running);
                return false;
            }
            Ok(Poll::Pending) => {
                drop(running);
                self.fail(timeout(&inner.name, self.what, self.ms));
            }
            Ok(Poll::Ready((live, Ok(v)))) => {
                inner.timer.stop();
                *inner.state.lock().unwrap() = State::Idle(live);
                self.outcome = Some(Ok(v));
            }
            Ok(Poll::Ready((mut live, Err(e)))) => {
                let why = explain(&e, &inner.name, self.what, self.ms, inner.fuel, live.store());
                drop(live);
                self.fail(why);
            }
            Err(p) => {
                // The future is in no state to be looked at again.
                let _ = catch_unwind(AssertUnwindSafe(|| drop(running)));
                self.fail(Fail::new(Kind::Internal, format!("the engine failed in {} of '{}': {}", self.what, inner.name, panic_text(&*p))));
            }
        }
        true
    }

    /// The call has `ms` from now on, whatever it has used up. 0: it stands still, and is not polled before it is given time again.
    fn limit(&mut self, ms: u64) {
        const STANDSTILL: Duration = Duration::from_secs(10 * 365 * 24 * 3600);
        if self.outcome.is_some() {
            return;
        }
        if ms == 0 {
            self.deadline = Instant::now() + STANDSTILL;
            self.inner.timer.stop();
        } else {
            self.ms = ms;
            self.deadline = Instant::now() + Duration::from_millis(ms);
            self.inner.timer.start(self.deadline, self.waker.clone());
        }
    }

    fn fail(&mut self, why: Fail) {
        self.inner.end(Fail::new(why.kind, format!("the instance has ended before: {}", why.text)));
        self.outcome = Some(Err(why));
    }
}

impl Drop for CallHandle {
    fn drop(&mut self) {
        if self.outcome.is_some() {
            return;
        }
        let mine = matches!(&*self.inner.state.lock().unwrap(), State::Running(id, _) if *id == self.id);
        if mine {
            self.inner.end(Fail::new(Kind::GuestTrap, format!("the instance of '{}' has ended: its caller gave up {}", self.inner.name, self.what)));
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn weft_call_on_wake(
    call: *mut CallHandle,
    data: *mut c_void,
    wake: unsafe extern "C" fn(*mut c_void),
    drop: unsafe extern "C" fn(*mut c_void),
) {
    let f = Arc::new(OnWake(CWake { data, wake, drop }));
    *unsafe { &(*call).signal }.on_wake.lock().unwrap() = Some(f);
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weft_call_poll(call: *mut CallHandle) -> bool {
    catch_unwind(AssertUnwindSafe(|| unsafe { (*call).poll() })).unwrap_or_else(|p| unsafe {
        (*call).outcome = Some(Err(Fail::new(Kind::Internal, format!("the engine failed: {}", panic_text(&*p)))));
        true
    })
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weft_call_limit(call: *mut CallHandle, ms: u64) {
    unsafe { (*call).limit(ms) }
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weft_call_finished(call: *const CallHandle) -> bool {
    unsafe { (*call).outcome.is_some() }
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weft_call_wait(call: *mut CallHandle) {
    while !unsafe { weft_call_poll(call) } {
        let c = unsafe { &*call };
        c.signal.wait(c.deadline);
    }
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weft_call_value(call: *const CallHandle) -> *const c_void {
    match unsafe { &(*call).outcome } {
        Some(Ok(v)) => v.value(),
        _ => std::ptr::null(),
    }
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weft_call_error(call: *const CallHandle) -> *mut ErrorHandle {
    match unsafe { &(*call).outcome } {
        Some(Ok(_)) => std::ptr::null_mut(),
        Some(Err(e)) => Box::into_raw(Box::new(e.clone())),
        None => Box::into_raw(Box::new(Fail::new(Kind::Internal, "the call has not finished"))),
    }
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weft_call_free(call: *mut CallHandle) {
    let _ = catch_unwind(AssertUnwindSafe(|| drop(unsafe { Box::from_raw(call) })));
}

