// SPDX-License-Identifier: Apache-2.0
// weft.hpp: weft.h as C++20 objects. Header only; weft.h is the manual, here is only what RAII adds.
//
//   auto runtime = weft::Runtime::Create({.mode = WeftRuntimeMode_InProcess});
//   if (!runtime) { std::cerr << runtime.error().text() << '\n'; return 1; }
//   auto chain = weft::Chain::Create(*runtime, {"blur.wasm", "grade.wasm"});
//
// Nothing here throws (short of std::bad_alloc in std::string and std::vector). Handles are shared, cheap to copy, and empty after a move.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "weft/weft.h"

namespace weft {
// Inline, so that these names differ from those inside the library for the linker.
inline namespace api {

inline WeftStringView View(std::string_view s) { return {s.data(), s.size()}; }
inline std::string_view View(WeftStringView s) {
  if (!s.data) return {};
  return s.length == WEFT_STRLEN ? std::string_view(s.data) : std::string_view(s.data, s.length);
}

// Owns one reference of a C object.
template <class T, void (*kAddRef)(T), void (*kRelease)(T)>
class Handle {
 public:
  Handle() = default;
  // Takes over a reference that the caller has.
  static Handle Acquire(T object) {
    Handle h;
    h.object_ = object;
    return h;
  }
  Handle(const Handle& other) : object_(other.object_) {
    if (object_) kAddRef(object_);
  }
  Handle(Handle&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Handle& operator=(Handle other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Handle() {
    if (object_) kRelease(object_);
  }
  T get() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  T object_ = nullptr;
};

namespace detail {
inline void AddRefError(WeftError* e) { weftErrorAddRef(e); }
inline void ReleaseError(WeftError* e) { weftErrorRelease(e); }
#define WEFT_DETAIL_(Name)                                          \
  inline void AddRef##Name(Weft##Name o) { weft##Name##AddRef(o); } \
  inline void Release##Name(Weft##Name o) { weft##Name##Release(o); }
WEFT_DETAIL_(String)
WEFT_DETAIL_(Runtime)
WEFT_DETAIL_(AdapterList)
WEFT_DETAIL_(Plugin)
WEFT_DETAIL_(Graph)
WEFT_DETAIL_(Report)
WEFT_DETAIL_(Chain)
WEFT_DETAIL_(Image)
WEFT_DETAIL_(Exec)
#undef WEFT_DETAIL_
}  // namespace detail

// Always holds an error.
class Error {
 public:
  static Error Acquire(WeftError* error) {
    Error e;
    e.handle_ = decltype(e.handle_)::Acquire(error);
    return e;
  }
  WeftErrorKind kind() const { return weftErrorGetKind(handle_.get()); }
  std::string_view kind_name() const { return View(weftErrorKindGetName(kind())); }
  std::string_view text() const { return View(weftErrorGetText(handle_.get())); }
  std::string_view message() const { return View(weftErrorGetMessage(handle_.get())); }

 private:
  Handle<WeftError*, detail::AddRefError, detail::ReleaseError> handle_;
};

// A value or an error, until std::expected may be used here.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit on purpose
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit on purpose
  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }
  // Only after has_value().
  T& operator*() { return *std::get_if<0>(&state_); }
  const T& operator*() const { return *std::get_if<0>(&state_); }
  T* operator->() { return std::get_if<0>(&state_); }
  const T* operator->() const { return std::get_if<0>(&state_); }
  // Only without it.
  const Error& error() const { return *std::get_if<1>(&state_); }

 private:
  std::variant<T, Error> state_;
};

// Success or an error: `if (auto failed = chain.Push(frame)) return Report(*failed);`
using Failure = std::optional<Error>;

namespace detail {
inline Failure ToFailure(WeftError* error) { return error ? Failure(Error::Acquire(error)) : std::nullopt; }
// Wraps the C object that a function made.
template <class Object, class Raw>
Result<Object> ToResult(WeftError* error, Raw raw) {
  if (error) return Error::Acquire(error);
  return Object::Acquire(raw);
}
inline std::vector<WeftStringView> Views(std::span<const std::string> strings) {
  std::vector<WeftStringView> views;
  views.reserve(strings.size());
  for (const std::string& s : strings) views.push_back(View(s));
  return views;
}
}  // namespace detail

// Values of parameters; text and bytes are borrowed.
inline WeftValue Boolean(bool v) {
  WeftValue value{};
  value.kind = WeftValueKind_Boolean;
  value.boolean = v ? 1 : 0;
  return value;
}
inline WeftValue Integer(int64_t v) {
  WeftValue value{};
  value.kind = WeftValueKind_Integer;
  value.integer = v;
  return value;
}
inline WeftValue Number(double v) {
  WeftValue value{};
  value.kind = WeftValueKind_Number;
  value.number = v;
  return value;
}
inline WeftValue Text(std::string_view v) {
  WeftValue value{};
  value.kind = WeftValueKind_Text;
  value.text = View(v);
  return value;
}
// Two to four numbers.
inline WeftValue Vector(std::initializer_list<double> v) {
  WeftValue value{};
  value.kind = WeftValueKind_Vector;
  for (double x : v) {
    if (value.vectorLength < 4) value.vector[value.vectorLength++] = x;
  }
  return value;
}
// As "#rrggbbaa" means it, 0 to 1.
inline WeftValue Color(double r, double g, double b, double a = 1) {
  WeftValue value = Vector({r, g, b, a});
  value.kind = WeftValueKind_Color;
  return value;
}
inline WeftValue Bytes(std::span<const std::byte> v) {
  WeftValue value{};
  value.kind = WeftValueKind_Bytes;
  value.bytes = v.data();
  value.byteCount = v.size();
  return value;
}

class String : public Handle<WeftString, detail::AddRefString, detail::ReleaseString> {
 public:
  String(Handle h) : Handle(std::move(h)) {}  // NOLINT
  static String Acquire(WeftString s) { return Handle::Acquire(s); }
  std::string_view view() const { return View(weftStringGet(get())); }
};

class AdapterList : public Handle<WeftAdapterList, detail::AddRefAdapterList, detail::ReleaseAdapterList> {
 public:
  AdapterList(Handle h) : Handle(std::move(h)) {}  // NOLINT
  static AdapterList Acquire(WeftAdapterList a) { return Handle::Acquire(a); }
  size_t size() const { return weftAdapterListGetCount(get()); }
  const WeftAdapterInfo& operator[](size_t i) const { return *weftAdapterListGet(get(), i); }
};

class Plugin : public Handle<WeftPlugin, detail::AddRefPlugin, detail::ReleasePlugin> {
 public:
  Plugin(Handle h) : Handle(std::move(h)) {}  // NOLINT
  static Plugin Acquire(WeftPlugin p) { return Handle::Acquire(p); }
  const WeftPluginInfo& info() const { return *weftPluginGetInfo(get()); }
};

class Report : public Handle<WeftReport, detail::AddRefReport, detail::ReleaseReport> {
 public:
  Report(Handle h) : Handle(std::move(h)) {}  // NOLINT
  static Report Acquire(WeftReport r) { return Handle::Acquire(r); }
  const WeftReportInfo& info() const { return *weftReportGetInfo(get()); }
};

class Image : public Handle<WeftImage, detail::AddRefImage, detail::ReleaseImage> {
 public:
  Image(Handle h) : Handle(std::move(h)) {}  // NOLINT
  static Image Acquire(WeftImage i) { return Handle::Acquire(i); }
  const WeftFrame& frame() const { return *weftImageGetFrame(get()); }
};

class Runtime : public Handle<WeftRuntime, detail::AddRefRuntime, detail::ReleaseRuntime> {
 public:
  Runtime(Handle h) : Handle(std::move(h)) {}  // NOLINT
  static Runtime Acquire(WeftRuntime r) { return Handle::Acquire(r); }
  static Result<Runtime> Create(const WeftRuntimeDescriptor& descriptor) {
    WeftRuntime raw = nullptr;
    WeftError* error = weftRuntimeCreate(&descriptor, &raw);
    return detail::ToResult<Runtime>(error, raw);
  }
  Result<AdapterList> Adapters() const {
    WeftAdapterList raw = nullptr;
    WeftError* error = weftRuntimeGetAdapters(get(), &raw);
    return detail::ToResult<AdapterList>(error, raw);
  }
  Result<WeftDeviceInfo> Device() const {
    WeftDeviceInfo info{};
    if (WeftError* error = weftRuntimeGetDevice(get(), &info)) return Error::Acquire(error);
    return info;
  }
  Result<Plugin> OpenPlugin(std::string_view path) const {
    WeftPlugin raw = nullptr;
    WeftError* error = weftPluginOpen(get(), View(path), &raw);
    return detail::ToResult<Plugin>(error, raw);
  }
};

class Graph : public Handle<WeftGraph, detail::AddRefGraph, detail::ReleaseGraph> {
 public:
  Graph(Handle h) : Handle(std::move(h)) {}  // NOLINT
  static Graph Acquire(WeftGraph g) { return Handle::Acquire(g); }
  static Result<Graph> Create(const Runtime& runtime, const WeftGraphDescriptor& descriptor = {}) {
    WeftGraph raw = nullptr;
    WeftError* error = weftGraphCreate(runtime.get(), &descriptor, &raw);
    return detail::ToResult<Graph>(error, raw);
  }
  static Result<Graph> FromJson(const Runtime& runtime, std::string_view json, std::string_view folder = {}) {
    WeftGraph raw = nullptr;
    WeftError* error = weftGraphCreateFromJson(runtime.get(), View(json), View(folder), &raw);
    return detail::ToResult<Graph>(error, raw);
  }
  static Result<Graph> FromShorthand(const Runtime& runtime, const WeftShorthand& shorthand) {
    WeftGraph raw = nullptr;
    WeftError* error = weftGraphCreateFromShorthand(runtime.get(), &shorthand, &raw);
    return detail::ToResult<Graph>(error, raw);
  }
  Failure AddSource(std::string_view id, std::string_view path, std::span<const WeftOption> options = {}) const {
    return detail::ToFailure(weftGraphAddSource(get(), View(id), View(path), options.size(), options.data()));
  }
  Failure AddPlugin(std::string_view id, std::string_view path) const {
    return detail::ToFailure(weftGraphAddPlugin(get(), View(id), View(path)));
  }
  Failure AddSink(std::string_view id, std::string_view path, std::span<const WeftOption> options = {}) const {
    return detail::ToFailure(weftGraphAddSink(get(), View(id), View(path), options.size(), options.data()));
  }
  Failure AddResize(std::string_view id, uint32_t width, uint32_t height, WeftFit fit = WeftFit_Default) const {
    return detail::ToFailure(weftGraphAddResize(get(), View(id), width, height, fit));
  }
  Failure Bind(std::string_view to_node, std::string_view to_port, std::string_view from_node, std::string_view from_port = {}) const {
    return detail::ToFailure(weftGraphBind(get(), View(to_node), View(to_port), View(from_node), View(from_port)));
  }
  Failure Set(std::string_view node, std::string_view parameter, const WeftValue& value) const {
    return detail::ToFailure(weftGraphSetParameter(get(), View(node), View(parameter), &value));
  }
  Failure SetRamp(std::string_view node, std::string_view parameter, const WeftValue& first, const WeftValue& last) const {
    return detail::ToFailure(weftGraphSetRamp(get(), View(node), View(parameter), &first, &last));
  }
  Result<String> Json() const {
    WeftString raw = nullptr;
    WeftError* error = weftGraphGetJson(get(), &raw);
    return detail::ToResult<String>(error, raw);
  }
  Result<Report> Run(const WeftRunDescriptor& descriptor = {}) const {
    WeftReport raw = nullptr;
    WeftError* error = weftGraphRun(get(), &descriptor, &raw);
    return detail::ToResult<Report>(error, raw);
  }
  void Cancel() const { weftGraphCancel(get()); }
};

class Chain : public Handle<WeftChain, detail::AddRefChain, detail::ReleaseChain> {
 public:
  Chain(Handle h) : Handle(std::move(h)) {}  // NOLINT
  static Chain Acquire(WeftChain c) { return Handle::Acquire(c); }
  static Result<Chain> Create(const Runtime& runtime, const WeftChainDescriptor& descriptor) {
    WeftChain raw = nullptr;
    WeftError* error = weftChainCreate(runtime.get(), &descriptor, &raw);
    return detail::ToResult<Chain>(error, raw);
  }
  static Result<Chain> Create(const Runtime& runtime, std::initializer_list<std::string_view> plugins) {
    std::vector<WeftChainNode> nodes;
    for (std::string_view path : plugins) nodes.push_back({.id = {}, .plugin = View(path)});
    WeftChainDescriptor descriptor{};
    descriptor.nodeCount = nodes.size();
    descriptor.nodes = nodes.data();
    return Create(runtime, descriptor);
  }
  Failure Set(std::string_view node, std::string_view parameter, const WeftValue& value) const {
    return detail::ToFailure(weftChainSet(get(), View(node), View(parameter), &value));
  }
  Failure Push(const WeftFrame& frame) const { return detail::ToFailure(weftChainPush(get(), &frame)); }
  Result<Image> Pull(WeftPixelFormat format = WeftPixelFormat_Undefined) const {
    WeftImage raw = nullptr;
    WeftError* error = weftChainPull(get(), format, &raw);
    return detail::ToResult<Image>(error, raw);
  }
  Result<Image> PullTexture() const {
    WeftImage raw = nullptr;
    WeftError* error = weftChainPullTexture(get(), &raw);
    return detail::ToResult<Image>(error, raw);
  }
};

class Exec : public Handle<WeftExec, detail::AddRefExec, detail::ReleaseExec> {
 public:
  Exec(Handle h) : Handle(std::move(h)) {}  // NOLINT
  static Exec Acquire(WeftExec e) { return Handle::Acquire(e); }
  static Result<Exec> Create(const Runtime& runtime, const WeftExecDescriptor& descriptor) {
    WeftExec raw = nullptr;
    WeftError* error = weftExecCreate(runtime.get(), &descriptor, &raw);
    return detail::ToResult<Exec>(error, raw);
  }
  Result<String> Invoke(std::string_view name, std::span<const std::string> arguments = {}) const {
    const std::vector<WeftStringView> views = detail::Views(arguments);
    WeftString raw = nullptr;
    WeftError* error = weftExecInvoke(get(), View(name), views.size(), views.data(), &raw);
    return detail::ToResult<String>(error, raw);
  }
  // The exit code of a command.
  Result<uint32_t> Run() const {
    uint32_t code = 0;
    if (WeftError* error = weftExecRun(get(), &code)) return Error::Acquire(error);
    return code;
  }
};

}  // namespace api
}  // namespace weft
