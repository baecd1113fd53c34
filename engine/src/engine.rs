// SPDX-License-Identifier: Apache-2.0
//! One Wasmtime engine with its cache of compiled code, and the clock thread that ends calls past their time.

use weft_engine_base::abi::shapes::Str;
use crate::cache::Cache;
use crate::error::{ErrorHandle, Fail, Kind, guard};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::task::Waker;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use wasmtime::{Config, Trap, UpdateDeadline, WasmBacktraceDetails};

/// How often the epoch moves on: the grain of all time limits.
pub const TICK: Duration = Duration::from_millis(5);

/// Of the epoch, before Timer::judge looks at the time again. Few: where the machine has too much to do, a tick takes many times its length.
pub fn ticks(ms: u64) -> u64 {
    (ms / TICK.as_millis() as u64).min(20) + 2
}

pub struct Shared {
    pub engine: wasmtime::Engine,
    pub fuel: bool,
    pub cache: Option<Cache>,
    pub cache_hits: AtomicU64,
    pub compilations: AtomicU64,
    clock: Arc<Clock>,
    clock_thread: Option<JoinHandle<()>>,
}
pub struct EngineHandle(pub Arc<Shared>);

/// The deadline of one instance's present call; the clock wakes the call when it has passed, so that an await ends too.
pub struct Timer {
    deadline: Mutex<Option<Instant>>,
    waker: Mutex<Option<Waker>>,
}

impl Timer {
    pub fn start(&self, deadline: Instant, waker: Waker) {
        *self.waker.lock().unwrap() = Some(waker);
        *self.deadline.lock().unwrap() = Some(deadline);
    }
    /// For a store whose epoch has come: whether the call that runs in it has been given more time since.
    pub fn judge(&self) -> wasmtime::Result<UpdateDeadline> {
        let left = self.deadline.lock().unwrap().map_or(Duration::ZERO, |d| d.saturating_duration_since(Instant::now()));
        if left.is_zero() { Err(Trap::Interrupt.into()) } else { Ok(UpdateDeadline::Continue(ticks(left.as_millis() as u64))) }
    }
    pub fn stop(&self) {
        *self.deadline.lock().unwrap() = None;
        let waker = self.waker.lock().unwrap().take();
        drop(waker);
    }
}

struct Clock {
    stop: AtomicBool,
    timers: Mutex<Vec<Weak<Timer>>>,
}

impl Shared {
    fn new(cache_dir: &str, fuel: bool) -> Result<Arc<Shared>, Fail> {
        let mut c = Config::new();
        c.wasm_component_model(true).wasm_component_model_async(true);
        // Shared memories would let a guest start threads that no limit reaches.
        c.wasm_threads(false);
        c.epoch_interruption(true).consume_fuel(fuel);
        c.wasm_backtrace_details(WasmBacktraceDetails::Enable);
        // Host functions run on the guest's stack: 512 KiB for the guest, the rest for them.
        c.max_wasm_stack(512 << 10).async_stack_size(4 << 20);
        let engine = wasmtime::Engine::new(&c).map_err(|e| Fail::new(Kind::Internal, format!("the engine cannot start: {e:#}")))?;
        let cache = if cache_dir.is_empty() { None } else { Some(Cache::open(cache_dir, &engine)?) };
        let clock = Arc::new(Clock { stop: AtomicBool::new(false), timers: Mutex::new(Vec::new()) });
        let (of_thread, its_engine) = (clock.clone(), engine.weak());
        let clock_thread = std::thread::Builder::new()
            .name("weft-clock".into())
            .spawn(move || run_clock(&of_thread, &its_engine))
            .map_err(|e| Fail::new(Kind::Internal, format!("the engine's clock thread cannot start: {e}")))?;
        Ok(Arc::new(Shared { engine, fuel, cache, cache_hits: AtomicU64::new(0), compilations: AtomicU64::new(0), clock, clock_thread: Some(clock_thread) }))
    }

    pub fn new_timer(&self) -> Arc<Timer> {
        let t = Arc::new(Timer { deadline: Mutex::new(None), waker: Mutex::new(None) });
        self.clock.timers.lock().unwrap().push(Arc::downgrade(&t));
        t
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.clock.stop.store(true, Ordering::Relaxed);
        // No thread outlives the engine, unless the last owner went with a waker that the clock itself let go.
        if let Some(t) = self.clock_thread.take_if(|t| t.thread().id() != std::thread::current().id()) {
            let _ = t.join();
        }
    }
}

fn run_clock(clock: &Clock, engine: &wasmtime::EngineWeak) {
    while !clock.stop.load(Ordering::Relaxed) {
        std::thread::sleep(TICK);
        let Some(engine) = engine.upgrade() else { return };
        engine.increment_epoch();
        let now = Instant::now();
        let mut due = Vec::new();
        clock.timers.lock().unwrap().retain(|t| match t.upgrade() {
            Some(t) => {
                if t.deadline.lock().unwrap().is_some_and(|d| now >= d) {
                    due.extend(t.waker.lock().unwrap().clone());
                }
                true
            }
            None => false,
        });
        // Outside the lock: a waker is somebody else's code.
        due.into_iter().for_each(Waker::wake);
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn weft_engine_new(cache_dir: Str, fuel: bool, out: *mut *mut EngineHandle) -> *mut ErrorHandle {
    guard(|| unsafe {
        *out = Box::into_raw(Box::new(EngineHandle(Shared::new(&cache_dir.text(), fuel)?)));
        Ok(())
    })
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weft_engine_free(engine: *mut EngineHandle) {
    drop(unsafe { Box::from_raw(engine) });
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weft_engine_cache_hits(engine: *const EngineHandle) -> u64 {
    unsafe { (&(*engine).0).cache_hits.load(Ordering::Relaxed) }
}
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weft_engine_compilations(engine: *const EngineHandle) -> u64 {
    unsafe { (&(*engine).0).compilations.load(Ordering::Relaxed) }
}
