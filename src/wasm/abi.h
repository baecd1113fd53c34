// SPDX-License-Identifier: Apache-2.0
// The plain shapes in which WIT values cross between the engine (Rust) and C++: views that own nothing, C layout on both sides.
//
// A view given to a function lives until the function returns. A view that a host function returns must live until the next call of the
// same host, or until the object that holds the text is dropped; the engine copies it at once.
// Completion<T> and StreamSource<T> are the C++ halves of awaits and streams; see there for threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace weft::wasm {

// A host resource as the engine sees it: a row number of the host's own table. The guest's handle is another number that the engine keeps.
using Rep = uint32_t;

struct Unit {
  uint8_t unused = 0;
};

struct Str {
  const char* data = nullptr;
  size_t size = 0;

  Str() = default;
  Str(const char* d, size_t s) : data(d), size(s) {}
  Str(std::string_view v) : data(v.data()), size(v.size()) {}  // NOLINT: a view of a view
  std::string_view view() const { return {data, size}; }
};

template <class T>
struct List {
  const T* data = nullptr;
  size_t size = 0;

  List() = default;
  List(const T* d, size_t s) : data(d), size(s) {}
  List(std::span<const T> v) : data(v.data()), size(v.size()) {}  // NOLINT: a view of a view
  std::span<const T> span() const { return {data, size}; }
  const T* begin() const { return data; }
  const T* end() const { return data + size; }
  const T& operator[](size_t i) const { return data[i]; }
};

template <class T>
struct Opt {
  bool has = false;
  T value{};

  Opt() = default;
  Opt(T v) : has(true), value(std::move(v)) {}  // NOLINT: like std::optional
  explicit operator bool() const { return has; }
  const T& operator*() const { return value; }
  const T* operator->() const { return &value; }
  T value_or(T other) const { return has ? value : other; }
};

// result<T, E>: the half that does not hold is default-made.
template <class T, class E>
struct Res {
  bool is_err = false;
  T ok{};
  E err{};

  static Res Ok(T v = {}) {
    Res r;
    r.ok = std::move(v);
    return r;
  }
  static Res Err(E e) {
    Res r;
    r.is_err = true;
    r.err = std::move(e);
    return r;
  }
};

template <class A, class B>
struct Tuple2 {
  A f0{};
  B f1{};
};
template <class A, class B, class C>
struct Tuple3 {
  A f0{};
  B f1{};
  C f2{};
};
template <class A, class B, class C, class D>
struct Tuple4 {
  A f0{};
  B f1{};
  C f2{};
  D f3{};
};

// What the engine gives a host function that may take its time. All functions may be called from any thread, also after the guest is gone.
// `value` is null when the completion is a trap; then `trap` says why. `finish` copies all that it is given, and consumes the token.
struct RawCompletion {
  void* token = nullptr;
  void (*finish)(void* token, const void* value, Str trap) = nullptr;
};

// The one answer to an awaited call. Move-only; complete it once, from any thread; dropping it unanswered traps the guest that waits.
template <class T>
class Completion {
 public:
  Completion() = default;
  explicit Completion(RawCompletion raw) : raw_(raw) {}
  Completion(Completion&& o) noexcept : raw_(std::exchange(o.raw_, {})) {}
  Completion& operator=(Completion&& o) noexcept {
    Abandon();
    raw_ = std::exchange(o.raw_, {});
    return *this;
  }
  ~Completion() { Abandon(); }
  explicit operator bool() const { return raw_.token != nullptr; }

  void Done(const T& value) {
    auto raw = std::exchange(raw_, {});
    if (raw.token) raw.finish(raw.token, &value, {});
  }
  void Trap(std::string_view why) {
    auto raw = std::exchange(raw_, {});
    if (raw.token) raw.finish(raw.token, nullptr, Str(why));
  }

 private:
  void Abandon() {
    if (raw_.token) Trap("the host gave up this call without an answer");
  }
  RawCompletion raw_;
};

// What the engine gives for a `stream<T>` that the host fills. `push` copies the value; `close` ends the stream and consumes the token.
struct RawStream {
  void* token = nullptr;
  void (*push)(void* token, const void* value) = nullptr;
  void (*close)(void* token) = nullptr;
  uint32_t (*state)(void* token) = nullptr;
};

enum class StreamState : uint32_t {
  Busy = 0,    // nothing is unread, and the guest is at something else
  Gone = 1,    // nobody will read any more
  Wanted = 2,  // the guest waits for the next item
  Unread = 4,  // an item waits for the guest
};

template <class T>
class StreamSource {
 public:
  StreamSource() = default;
  explicit StreamSource(RawStream raw) : raw_(raw) {}
  StreamSource(StreamSource&& o) noexcept : raw_(std::exchange(o.raw_, {})) {}
  StreamSource& operator=(StreamSource&& o) noexcept {
    Close();
    raw_ = std::exchange(o.raw_, {});
    return *this;
  }
  ~StreamSource() { Close(); }
  void Push(const T& value) {
    if (raw_.token) raw_.push(raw_.token, &value);
  }
  StreamState state() const { return raw_.state ? static_cast<StreamState>(raw_.state(raw_.token)) : StreamState::Gone; }
  void Close() {
    auto raw = std::exchange(raw_, {});
    if (raw.token) raw.close(raw.token);
  }

 private:
  RawStream raw_;
};

}  // namespace weft::wasm
