// SPDX-License-Identifier: Apache-2.0
#include "host/surface/window.h"

#include "base/fail.h"

namespace weft::host {

namespace {
constexpr wasm::Rep kSurface = 1;  // there is one
}  // namespace

template <class T>
Status Window::Streams<T>::Take(wasm::StreamSource<T> stream, std::string_view what) {
  std::erase_if(all_, [](const auto& s) { return s.state() == wasm::StreamState::Gone; });
  if (all_.size() >= kMost) return Fail(ErrorKind::GuestTrap, "surface.{}: {} streams of it are open, and that is the limit", what, kMost);
  all_.push_back(std::move(stream));
  return {};
}

Window::Window(WindowOptions options)
    : options_(options), width_(options.width ? options.width : kWidth), height_(options.height ? options.height : kHeight) {}

bool Window::AnyOther(wasm::StreamState state) const {
  return resize_.Any(state) || pointer_up_.Any(state) || pointer_down_.Any(state) || pointer_move_.Any(state) || key_up_.Any(state) ||
         key_down_.Any(state);
}

bool Window::Waits() const {
  using wasm::StreamState;
  if (frame_.Live()) return frame_.Any(StreamState::Wanted) && !frame_.Any(StreamState::Unread);
  return AnyOther(StreamState::Wanted) && !AnyOther(StreamState::Unread);
}

bool Window::Unread() const { return frame_.Any(wasm::StreamState::Unread) || AnyOther(wasm::StreamState::Unread); }

void Window::SendFrame() { frame_.PushOnce({true}); }

Status Window::SendResize(uint32_t width, uint32_t height) {
  if (auto ok = SizeRefusal(width, height); !ok) return Fail(ErrorKind::InvalidArgument, "the event 'resize': {}", ok.error().message());
  width_ = width;
  height_ = height;
  resize_.Push({height, width});
  return {};
}

void Window::Present(Picture picture) {
  picture_ = std::move(picture);
  ++presented_;
}

void Window::Expect(WGPUTextureFormat format, bool opaque, bool p3) {
  expected_format_ = format;
  expected_opaque_ = opaque;
  expected_p3_ = p3;
}

Status Window::SizeRefusal(uint64_t width, uint64_t height) const {
  if (width == 0 || height == 0) return Fail(ErrorKind::GuestTrap, "the size {}x{} has no pixels", width, height);
  if (width > options_.largest_side || height > options_.largest_side) {
    return Fail(ErrorKind::GuestTrap, "the size {}x{} cannot be had: a side has at most {} pixels", width, height, options_.largest_side);
  }
  if (width * height * 8 > options_.most_bytes) {
    return Fail(ErrorKind::GuestTrap, "the size {}x{} cannot be had: a picture of it takes more than the {} bytes allowed", width, height,
                options_.most_bytes);
  }
  return {};
}

Status Window::CheckSurface(wasm::Rep rep) const {
  if (made_ && rep == kSurface) return {};
  return Fail(ErrorKind::GuestTrap, "there is no surface {}", rep);
}

void Window::OnDropSurface(wasm::Rep) noexcept { dropped_ = true; }

Result<wasm::Rep> Window::OnSurfaceNew(const wsf::CreateDesc& desc) {
  if (made_) {
    return Fail(ErrorKind::GuestTrap, "surface.constructor: the component has {} its surface already; off-screen there is one a component",
                dropped_ ? "had" : "made");
  }
  const uint32_t width = desc.width.value_or(kWidth), height = desc.height.value_or(kHeight);
  if (!options_.width) {
    WEFT_TRY(SizeRefusal(width, height).Context("surface.constructor"));
    width_ = width;
    height_ = height;
  }
  made_ = true;
  return kSurface;
}

Result<uint32_t> Window::OnSurfaceHeight(wasm::Rep self) {
  WEFT_TRY(CheckSurface(self));
  return uint32_t{height_};
}

Result<uint32_t> Window::OnSurfaceWidth(wasm::Rep self) {
  WEFT_TRY(CheckSurface(self));
  return uint32_t{width_};
}

Status Window::OnSurfaceRequestSetSize(wasm::Rep self, const wasm::Opt<uint32_t>& height, const wasm::Opt<uint32_t>& width) {
  WEFT_TRY(CheckSurface(self));
  const uint32_t w = width.value_or(width_), h = height.value_or(height_);
  WEFT_TRY(SizeRefusal(w, h).Context("surface.request-set-size"));
  if (options_.width || (w == width_ && h == height_)) return {};
  width_ = w;
  height_ = h;
  resize_.Push({h, w});
  return {};
}

Status Window::OnSurfaceOnResize(wasm::Rep self, wasm::StreamSource<wsf::ResizeEvent> stream) {
  WEFT_TRY(CheckSurface(self));
  return resize_.Take(std::move(stream), "on-resize");
}

Status Window::OnSurfaceOnFrame(wasm::Rep self, wasm::StreamSource<wsf::FrameEvent> stream) {
  WEFT_TRY(CheckSurface(self));
  return frame_.Take(std::move(stream), "on-frame");
}

Status Window::OnSurfaceOnPointerUp(wasm::Rep self, wasm::StreamSource<wsf::PointerEvent> stream) {
  WEFT_TRY(CheckSurface(self));
  return pointer_up_.Take(std::move(stream), "on-pointer-up");
}

Status Window::OnSurfaceOnPointerDown(wasm::Rep self, wasm::StreamSource<wsf::PointerEvent> stream) {
  WEFT_TRY(CheckSurface(self));
  return pointer_down_.Take(std::move(stream), "on-pointer-down");
}

Status Window::OnSurfaceOnPointerMove(wasm::Rep self, wasm::StreamSource<wsf::PointerEvent> stream) {
  WEFT_TRY(CheckSurface(self));
  return pointer_move_.Take(std::move(stream), "on-pointer-move");
}

Status Window::OnSurfaceOnKeyUp(wasm::Rep self, wasm::StreamSource<wsf::KeyEvent> stream) {
  WEFT_TRY(CheckSurface(self));
  return key_up_.Take(std::move(stream), "on-key-up");
}

Status Window::OnSurfaceOnKeyDown(wasm::Rep self, wasm::StreamSource<wsf::KeyEvent> stream) {
  WEFT_TRY(CheckSurface(self));
  return key_down_.Take(std::move(stream), "on-key-down");
}

}  // namespace weft::host
