// SPDX-License-Identifier: Apache-2.0
//! How values cross between guests (Rust types of the generated glue) and C++ (src/wasm/abi.h): conversions, and the Rust halves of awaits.
//!
//! C++ never sees memory that may move or vanish while it looks: what ToC hands out lives in the value itself, in the guest's memory while the
//! guest stands still, or in the Arena of that call. FromC copies at once.

use crate::data::Data;
use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::ffi::c_void;
use std::hash::{BuildHasherDefault, Hasher};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use wasmtime::component::{Destination, FutureProducer, Lift, Lower, ResourceAny, StreamProducer, StreamResult, WasmList, WasmStr};
use wasmtime::{AsContext, Error, Result, StoreContext, StoreContextMut, format_err};

/// The generic shapes of src/wasm/abi.h.
pub mod shapes {
    #[repr(C)]
    #[derive(Clone, Copy)]
    pub struct Unit {
        pub unused: u8,
    }
    #[repr(C)]
    #[derive(Clone, Copy)]
    pub struct Str {
        pub data: *const u8,
        pub size: usize,
    }
    #[repr(C)]
    #[derive(Clone, Copy)]
    pub struct List<T> {
        pub data: *const T,
        pub size: usize,
    }
    #[repr(C)]
    #[derive(Clone, Copy)]
    pub struct Opt<T> {
        pub has: bool,
        pub value: T,
    }
    #[repr(C)]
    #[derive(Clone, Copy)]
    pub struct Res<T, E> {
        pub is_err: bool,
        pub ok: T,
        pub err: E,
    }
    #[repr(C)]
    #[derive(Clone, Copy)]
    pub struct Tuple2<A, B> {
        pub f0: A,
        pub f1: B,
    }
    #[repr(C)]
    #[derive(Clone, Copy)]
    pub struct Tuple3<A, B, C> {
        pub f0: A,
        pub f1: B,
        pub f2: C,
    }
    #[repr(C)]
    #[derive(Clone, Copy)]
    pub struct Tuple4<A, B, C, D> {
        pub f0: A,
        pub f1: B,
        pub f2: C,
        pub f3: D,
    }
}
use shapes as c;
use shapes::{List, Opt, Res, Str, Tuple2, Tuple3, Tuple4, Unit};

/// # Safety
/// All bytes zero is a valid value, and the type needs no drop.
pub unsafe trait Plain: Copy + 'static {}
macro_rules! plain {
    ($($t:ty)*) => {$(unsafe impl Plain for $t {})*};
}
plain!(bool u8 u16 u32 u64 i8 i16 i32 i64 f32 f64 Unit Str);
unsafe impl<T: Plain> Plain for List<T> {}
unsafe impl<T: Plain> Plain for Opt<T> {}
unsafe impl<T: Plain, E: Plain> Plain for Res<T, E> {}
unsafe impl<A: Plain, B: Plain> Plain for Tuple2<A, B> {}
unsafe impl<A: Plain, B: Plain, C: Plain> Plain for Tuple3<A, B, C> {}
unsafe impl<A: Plain, B: Plain, C: Plain, D: Plain> Plain for Tuple4<A, B, C, D> {}

pub fn zeroed<T: Plain>() -> T {
    // SAFETY: Plain says so.
    unsafe { std::mem::zeroed() }
}

impl Str {
    pub fn of(s: &str) -> Str {
        Str { data: s.as_ptr(), size: s.len() }
    }
    /// # Safety
    /// `data` points to `size` bytes, or `size` is 0.
    pub unsafe fn text(&self) -> String {
        if self.size == 0 {
            return String::new();
        }
        String::from_utf8_lossy(unsafe { std::slice::from_raw_parts(self.data, self.size) }).into_owned()
    }
}

impl<T> List<T> {
    /// # Safety
    /// `data` points to `size` values, or `size` is 0.
    pub unsafe fn slice(&self) -> &[T] {
        if self.size == 0 { &[] } else { unsafe { std::slice::from_raw_parts(self.data, self.size) } }
    }
}

/// Memory for the lists and converted strings of one call.
#[derive(Default)]
pub struct Arena {
    blocks: Vec<Box<[u64]>>,
    strings: Vec<String>,
    used: usize,
}

/// Room on the stack for the first lists of a call: most calls then allocate nothing. It must not be moved while the call lasts.
pub struct Near {
    words: [std::mem::MaybeUninit<u64>; 32],
    used: usize,
}

impl Default for Near {
    fn default() -> Self {
        Near { words: [std::mem::MaybeUninit::uninit(); 32], used: 0 }
    }
}

impl Arena {
    fn list<T: Plain>(&mut self, near: Option<&mut Near>, len: usize) -> &'static mut [std::mem::MaybeUninit<T>] {
        const { assert!(align_of::<T>() <= 8) };
        if len == 0 {
            return &mut [];
        }
        let words = (len * size_of::<T>()).div_ceil(8);
        if let Some(near) = near
            && near.words.len() - near.used >= words
        {
            let at = near.words[near.used..].as_mut_ptr();
            near.used += words;
            // SAFETY: as below; the call that the list is for ends before `near` does.
            return unsafe { std::slice::from_raw_parts_mut(at.cast(), len) };
        }
        if self.blocks.last().is_none_or(|b| b.len() - self.used < words) {
            self.blocks.push(vec![0u64; words.max(64)].into_boxed_slice());
            self.used = 0;
        }
        let block = self.blocks.last_mut().unwrap();
        let at = block[self.used..].as_mut_ptr();
        self.used += words;
        // SAFETY: handed out once, and valid as long as the arena; callers only turn it into a pointer for C++.
        unsafe { std::slice::from_raw_parts_mut(at.cast(), len) }
    }
    fn keep(&mut self, s: String) -> Str {
        let out = Str::of(&s);
        self.strings.push(s);
        out
    }
}

/// What a conversion to C may need: the guest's memory (arguments), the guest's resources (results of exports).
pub struct ToCx<'a> {
    store: Option<StoreContext<'a, Data>>,
    guests: Option<&'a mut Guests>,
    arena: &'a mut Arena,
    near: Option<&'a mut Near>,
}

impl<'a> ToCx<'a> {
    pub fn of_guest(store: StoreContext<'a, Data>, arena: &'a mut Arena, near: &'a mut Near) -> Self {
        ToCx { store: Some(store), guests: None, arena, near: Some(near) }
    }
    pub fn of_result(guests: &'a mut Guests, arena: &'a mut Arena) -> Self {
        ToCx { store: None, guests: Some(guests), arena, near: None }
    }
    fn store(&self) -> StoreContext<'_, Data> {
        self.store.as_ref().expect("a borrowed value outside a guest's call").as_context()
    }
}

pub trait ToC {
    type C: Plain;
    fn to_c(&self, cx: &mut ToCx<'_>) -> Result<Self::C>;
    fn slice_to_c(items: &[Self], cx: &mut ToCx<'_>) -> Result<*const Self::C>
    where
        Self: Sized,
    {
        let out = cx.arena.list::<Self::C>(cx.near.as_deref_mut(), items.len());
        for (i, item) in items.iter().enumerate() {
            out[i].write(item.to_c(cx)?);
        }
        Ok(out.as_ptr().cast())
    }
    /// Counts the own handles of host resources in the value as given to the guest (`add`) or taken back.
    fn track(&self, _: &mut Tracker, _add: bool) {}
}

pub trait FromC: ToC + Sized {
    /// # Safety
    /// All pointers in `c` are valid.
    unsafe fn from_c(c: &Self::C) -> Result<Self>;
    /// # Safety
    /// As from_c.
    unsafe fn list_from_c(items: &[Self::C]) -> Result<Vec<Self>> {
        items.iter().map(|i| unsafe { Self::from_c(i) }).collect()
    }
}

macro_rules! same {
    ($($t:ty)*) => {$(
        impl ToC for $t {
            type C = $t;
            fn to_c(&self, _: &mut ToCx<'_>) -> Result<$t> { Ok(*self) }
            fn slice_to_c(items: &[$t], _: &mut ToCx<'_>) -> Result<*const $t> { Ok(items.as_ptr()) }
        }
        impl FromC for $t {
            unsafe fn from_c(c: &$t) -> Result<$t> { Ok(*c) }
            unsafe fn list_from_c(items: &[$t]) -> Result<Vec<$t>> { Ok(items.to_vec()) }
        }
    )*};
}
same!(bool u8 u16 u32 u64 i8 i16 i32 i64 f32 f64);

impl ToC for char {
    type C = u32;
    fn to_c(&self, _: &mut ToCx<'_>) -> Result<u32> {
        Ok(*self as u32)
    }
}
impl FromC for char {
    unsafe fn from_c(c: &u32) -> Result<char> {
        char::from_u32(*c).ok_or_else(|| bad_tag("char", *c))
    }
}

impl ToC for () {
    type C = Unit;
    fn to_c(&self, _: &mut ToCx<'_>) -> Result<Unit> {
        Ok(Unit { unused: 0 })
    }
}
impl FromC for () {
    unsafe fn from_c(_: &Unit) -> Result<()> {
        Ok(())
    }
}

impl ToC for String {
    type C = Str;
    fn to_c(&self, _: &mut ToCx<'_>) -> Result<Str> {
        Ok(Str::of(self))
    }
}
impl FromC for String {
    unsafe fn from_c(c: &Str) -> Result<String> {
        Ok(unsafe { c.text() })
    }
}

impl ToC for WasmStr {
    type C = Str;
    fn to_c(&self, cx: &mut ToCx<'_>) -> Result<Str> {
        let owned = match self.to_str(cx.store())? {
            Cow::Borrowed(s) => return Ok(Str::of(s)),
            Cow::Owned(s) => s,
        };
        Ok(cx.arena.keep(owned))
    }
}

macro_rules! in_place {
    ($($t:ty)*) => {$(
        impl ToC for WasmList<$t> {
            type C = List<$t>;
            fn to_c(&self, cx: &mut ToCx<'_>) -> Result<List<$t>> {
                let s = self.as_le_slice(cx.store());
                Ok(List { data: s.as_ptr(), size: s.len() })
            }
        }
    )*};
}
in_place!(u8 u16 u32 u64 i8 i16 i32 i64);

impl<T: ToC> ToC for Vec<T> {
    type C = List<T::C>;
    fn to_c(&self, cx: &mut ToCx<'_>) -> Result<Self::C> {
        Ok(List { data: T::slice_to_c(self, cx)?, size: self.len() })
    }
    fn track(&self, t: &mut Tracker, add: bool) {
        for i in self {
            i.track(t, add);
        }
    }
}
impl<T: FromC> FromC for Vec<T> {
    unsafe fn from_c(c: &Self::C) -> Result<Self> {
        unsafe { T::list_from_c(c.slice()) }
    }
}

impl<T: ToC> ToC for Option<T> {
    type C = Opt<T::C>;
    fn to_c(&self, cx: &mut ToCx<'_>) -> Result<Self::C> {
        Ok(match self {
            Some(v) => Opt { has: true, value: v.to_c(cx)? },
            None => zeroed(),
        })
    }
    fn track(&self, t: &mut Tracker, add: bool) {
        if let Some(v) = self {
            v.track(t, add);
        }
    }
}
impl<T: FromC> FromC for Option<T> {
    unsafe fn from_c(c: &Self::C) -> Result<Self> {
        Ok(if c.has { Some(unsafe { T::from_c(&c.value)? }) } else { None })
    }
}

impl<T: ToC, E: ToC> ToC for std::result::Result<T, E> {
    type C = Res<T::C, E::C>;
    fn to_c(&self, cx: &mut ToCx<'_>) -> Result<Self::C> {
        let mut out: Self::C = zeroed();
        match self {
            Ok(v) => out.ok = v.to_c(cx)?,
            Err(e) => {
                out.is_err = true;
                out.err = e.to_c(cx)?;
            }
        }
        Ok(out)
    }
    fn track(&self, t: &mut Tracker, add: bool) {
        match self {
            Ok(v) => v.track(t, add),
            Err(e) => e.track(t, add),
        }
    }
}
impl<T: FromC, E: FromC> FromC for std::result::Result<T, E> {
    unsafe fn from_c(c: &Self::C) -> Result<Self> {
        Ok(if c.is_err { Err(unsafe { E::from_c(&c.err)? }) } else { Ok(unsafe { T::from_c(&c.ok)? }) })
    }
}

macro_rules! tuple {
    ($shape:ident: $($t:ident $f:ident $i:tt)*) => {
        impl<$($t: ToC),*> ToC for ($($t,)*) {
            type C = c::$shape<$($t::C),*>;
            fn to_c(&self, cx: &mut ToCx<'_>) -> Result<Self::C> { Ok(c::$shape { $($f: self.$i.to_c(cx)?),* }) }
            fn track(&self, t: &mut Tracker, add: bool) { $(self.$i.track(t, add);)* }
        }
        impl<$($t: FromC),*> FromC for ($($t,)*) {
            unsafe fn from_c(c: &Self::C) -> Result<Self> { Ok(($(unsafe { $t::from_c(&c.$f)? },)*)) }
        }
    };
}
tuple!(Tuple2: A f0 0 B f1 1);
tuple!(Tuple3: A f0 0 B f1 1 D f2 2);
tuple!(Tuple4: A f0 0 B f1 1 D f2 2 E f3 3);

impl ToC for ResourceAny {
    type C = u32;
    fn to_c(&self, cx: &mut ToCx<'_>) -> Result<u32> {
        Ok(cx.guests.as_mut().expect("a guest's resource outside a result").add(*self))
    }
}

/// The guest's own resources that C++ holds, by the numbers that C++ knows them by.
#[derive(Default)]
pub struct Guests(Vec<Option<ResourceAny>>);

impl Guests {
    pub fn add(&mut self, r: ResourceAny) -> u32 {
        self.0.push(Some(r));
        self.0.len() as u32 - 1
    }
    pub fn get(&self, rep: u32) -> Result<ResourceAny> {
        self.0.get(rep as usize).copied().flatten().ok_or_else(|| format_err!("the instance has no resource number {rep}"))
    }
    pub fn take(&mut self, rep: u32) -> Result<ResourceAny> {
        let r = self.get(rep)?;
        self.0[rep as usize] = None;
        Ok(r)
    }
}

#[derive(Default)]
pub struct MixHasher(u64);
impl Hasher for MixHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for b in bytes {
            self.write_u64(*b as u64);
        }
    }
    fn write_u64(&mut self, v: u64) {
        self.0 = (self.0 ^ v).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }
}

/// The own handles of host resources that the guest holds now, so that the host hears of their end when the store goes without a drop.
#[derive(Default)]
pub struct Tracker {
    held: HashMap<u64, u32, BuildHasherDefault<MixHasher>>,
}

impl Tracker {
    pub fn count(&mut self, kind: u16, rep: u32, add: bool) {
        let key = (kind as u64) << 32 | rep as u64;
        if add {
            *self.held.entry(key).or_insert(0) += 1;
        } else if let Some(n) = self.held.get_mut(&key) {
            *n -= 1;
            if *n == 0 {
                self.held.remove(&key);
            }
        }
    }
    pub fn len(&self) -> u64 {
        self.held.values().map(|n| *n as u64).sum()
    }
    pub fn drain(&mut self, mut f: impl FnMut(u16, u32)) {
        for (key, n) in std::mem::take(&mut self.held) {
            for _ in 0..n {
                f((key >> 32) as u16, key as u32);
            }
        }
    }
}

/// A host function's answer: no data is success.
pub fn check(trap: Str) -> Result<()> {
    if trap.data.is_null() {
        return Ok(());
    }
    // SAFETY: the table's functions return text that lives until the next call.
    Err(Error::msg(unsafe { trap.text() }))
}

pub fn bad_tag(what: &str, tag: u32) -> Error {
    format_err!("the host gave {tag} as a case of {what}, which has no such case")
}

#[repr(C)]
pub struct RawCompletion {
    token: *const c_void,
    finish: unsafe extern "C" fn(*const c_void, *const c_void, Str),
}

struct SlotState<T> {
    value: Option<Result<T>>,
    waker: Option<Waker>,
}
/// Where an awaited value arrives, once, from any thread; what arrives after the waiting side is gone is dropped.
pub struct Slot<T>(Arc<Mutex<SlotState<T>>>);

impl<T: FromC + Send + 'static> Slot<T> {
    pub fn new() -> (Self, RawCompletion) {
        let state = Arc::new(Mutex::new(SlotState { value: None, waker: None }));
        let token = Arc::into_raw(state.clone()).cast();
        (Slot(state), RawCompletion { token, finish: finish::<T> })
    }
}

unsafe extern "C" fn finish<T: FromC + Send + 'static>(token: *const c_void, value: *const c_void, trap: Str) {
    // A panic must not enter C++: the token is consumed either way, and the waiting side then sees nothing but its time limit.
    let _ = std::panic::catch_unwind(|| {
        let state = unsafe { Arc::from_raw(token.cast::<Mutex<SlotState<T>>>()) };
        let value = match value.is_null() {
            true => Err(Error::msg(unsafe { trap.text() })),
            false => unsafe { T::from_c(&*value.cast::<T::C>()) },
        };
        let waker = {
            let mut s = state.lock().unwrap();
            s.value = Some(value);
            s.waker.take()
        };
        if let Some(w) = waker {
            w.wake();
        }
    });
}

impl<T> Slot<T> {
    fn take(&self, cx: &mut Context<'_>) -> Poll<Result<T>> {
        let mut s = self.0.lock().unwrap();
        match s.value.take() {
            Some(v) => Poll::Ready(v),
            None => {
                s.waker = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}
impl<T> Future for Slot<T> {
    type Output = Result<T>;
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<T>> {
        self.take(cx)
    }
}

/// A `future<T>` fed by a Slot.
pub struct Tracked<T>(pub Slot<T>);
impl<T: ToC + Lower + Lift + Send + Sync + 'static> FutureProducer<Data> for Tracked<T> {
    type Item = T;
    fn poll_produce(self: Pin<&mut Self>, cx: &mut Context<'_>, mut store: StoreContextMut<Data>, finish: bool) -> Poll<Result<Option<T>>> {
        match self.0.take(cx) {
            Poll::Ready(Ok(v)) => {
                v.track(&mut store.data_mut().tracker, true);
                Poll::Ready(Ok(Some(v)))
            }
            Poll::Ready(Err(e)) => Poll::Ready(Err(e)),
            Poll::Pending if finish => Poll::Ready(Ok(None)),
            Poll::Pending => Poll::Pending,
        }
    }
}

#[repr(C)]
pub struct RawStream {
    token: *const c_void,
    push: unsafe extern "C" fn(*const c_void, *const c_void),
    close: unsafe extern "C" fn(*const c_void),
    state: unsafe extern "C" fn(*const c_void) -> u32,
}

// What RawStream::state answers.
const GONE: u32 = 1; // nobody will read any more
const WANTED: u32 = 2; // the guest waits for an item
const UNREAD: u32 = 4; // an item waits for the guest

struct QueueState<T> {
    items: VecDeque<Result<T>>,
    closed: bool,
    gone: bool,
    waker: Option<Waker>,
}
/// A `stream<T>` that the host fills, from any thread; what comes after the guest stopped reading is dropped.
pub struct Queue<T>(Arc<Mutex<QueueState<T>>>);

impl<T> Drop for Queue<T> {
    fn drop(&mut self) {
        let items = {
            let mut s = self.0.lock().unwrap();
            s.gone = true;
            std::mem::take(&mut s.items)
        };
        drop(items);
    }
}

impl<T: FromC + Send + 'static> Queue<T> {
    pub fn new() -> (Self, RawStream) {
        let state = Arc::new(Mutex::new(QueueState { items: VecDeque::new(), closed: false, gone: false, waker: None }));
        let token = Arc::into_raw(state.clone()).cast();
        (Queue(state), RawStream { token, push: push::<T>, close: close::<T>, state: look::<T> })
    }
}

unsafe extern "C" fn push<T: FromC + Send + 'static>(token: *const c_void, value: *const c_void) {
    let _ = std::panic::catch_unwind(|| {
        let state = unsafe { &*token.cast::<Mutex<QueueState<T>>>() };
        let value = unsafe { T::from_c(&*value.cast::<T::C>()) };
        let waker = {
            let mut s = state.lock().unwrap();
            if !s.gone {
                s.items.push_back(value);
            }
            s.waker.take()
        };
        if let Some(w) = waker {
            w.wake();
        }
    });
}

unsafe extern "C" fn close<T: FromC + Send + 'static>(token: *const c_void) {
    let _ = std::panic::catch_unwind(|| {
        let state = unsafe { Arc::from_raw(token.cast::<Mutex<QueueState<T>>>()) };
        let waker = {
            let mut s = state.lock().unwrap();
            s.closed = true;
            s.waker.take()
        };
        if let Some(w) = waker {
            w.wake();
        }
    });
}

unsafe extern "C" fn look<T: FromC + Send + 'static>(token: *const c_void) -> u32 {
    std::panic::catch_unwind(|| {
        let s = unsafe { &*token.cast::<Mutex<QueueState<T>>>() }.lock().unwrap();
        match (s.gone, s.items.is_empty(), s.waker.is_some()) {
            (true, ..) => GONE,
            (_, false, _) => UNREAD,
            (_, true, true) => WANTED,
            _ => 0,
        }
    })
    .unwrap_or(GONE)
}

impl<T: ToC + Lower + Lift + Send + Sync + Unpin + 'static> StreamProducer<Data> for Queue<T> {
    type Item = T;
    type Buffer = Option<T>;
    fn poll_produce<'a>(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        mut store: StoreContextMut<'a, Data>,
        mut destination: Destination<'a, T, Option<T>>,
        finish: bool,
    ) -> Poll<Result<StreamResult>> {
        let mut s = self.0.lock().unwrap();
        if destination.remaining(&mut store) == Some(0) && !s.items.is_empty() {
            return Poll::Ready(Ok(StreamResult::Completed));
        }
        match s.items.pop_front() {
            Some(Ok(v)) => {
                drop(s);
                v.track(&mut store.data_mut().tracker, true);
                destination.set_buffer(Some(v));
                Poll::Ready(Ok(StreamResult::Completed))
            }
            Some(Err(e)) => Poll::Ready(Err(e)),
            None if s.closed => Poll::Ready(Ok(StreamResult::Dropped)),
            None if finish => {
                s.waker = None;
                Poll::Ready(Ok(StreamResult::Cancelled))
            }
            None => {
                s.waker = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}
