// SPDX-License-Identifier: Apache-2.0
// Window: the one window of a component that was written for a screen (wasi-gfx:surface), off-screen. It serves `surface`; what draws into
// it stands beside: frame_buffer.h, canvas.h. Who runs the component sends events and takes the picture that was presented last.
//
// A component has one surface. Its size is that of who runs it, else what the component asks for, else 640 x 480.
// Threads: those of the instance, one at a time; the node calls only while the guest stands still.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/texture_pool.h"
#include "wasm/engine.h"
#include "wasm/gen/surface.h"

namespace weft::host {

namespace wsf = ::weft::wasm::surface;

// What was presented. Nobody else writes it any more, and all work that wrote the texture is submitted.
struct Picture {
  Ref<gpu::PoolTexture> texture;  // bgra8unorm, rgba8unorm or rgba16float; null: `pixels`
  // Of a frame buffer, bgra8unorm without padding. They are uploaded when somebody takes the picture, for a guest may present without end.
  std::shared_ptr<const std::vector<uint8_t>> pixels;
  uint32_t width = 0, height = 0;
  bool opaque = true;  // its alpha means nothing; else it is premultiplied
  bool p3 = false;     // Display P3 instead of sRGB
};

struct WindowOptions {
  uint32_t width = 0, height = 0;    // 0: the component's wish; else its wishes are not granted
  uint32_t largest_side = 8192;      // what the device can
  uint64_t most_bytes = 1ull << 31;  // of one picture with 8 bytes a pixel
};

class Window final : public wsf::SurfaceHost {
 public:
  static constexpr uint32_t kWidth = 640, kHeight = 480;

  explicit Window(WindowOptions options);

  // --- for the node ---

  uint32_t width() const { return width_; }
  uint32_t height() const { return height_; }
  // The guest waits for its next frame; or, where it never asked for frames, for some other event, and has read all.
  bool Waits() const;
  // An event was sent that the guest has not read yet, though it can.
  bool Unread() const;
  void SendFrame();
  // As if somebody had pulled the window's corner. InvalidArgument for a size that cannot be.
  Status SendResize(uint32_t width, uint32_t height);
  void SendPointerMove(double x, double y) { pointer_move_.Push({x, y}); }
  void SendPointerDown(double x, double y) { pointer_down_.Push({x, y}); }
  void SendPointerUp(double x, double y) { pointer_up_.Push({x, y}); }
  void SendKeyDown(const wsf::KeyEvent& event) { key_down_.Push(event); }
  void SendKeyUp(const wsf::KeyEvent& event) { key_up_.Push(event); }
  // The last one; nothing before the first.
  const std::optional<Picture>& picture() const { return picture_; }
  uint64_t presented() const { return presented_; }

  // --- for what draws into it ---

  // Whether `rep` is this component's surface.
  Status CheckSurface(wasm::Rep rep) const;
  void Present(Picture picture);
  // What is drawn next is of this kind: for the plan, which is made before the first picture.
  void Expect(WGPUTextureFormat format, bool opaque, bool p3);
  WGPUTextureFormat expected_format() const { return expected_format_; }
  bool expected_opaque() const { return expected_opaque_; }
  bool expected_p3() const { return expected_p3_; }

  void OnDropSurface(wasm::Rep rep) noexcept override;
  Result<wasm::Rep> OnSurfaceNew(const wsf::CreateDesc& desc) override;
  Result<uint32_t> OnSurfaceHeight(wasm::Rep self) override;
  Result<uint32_t> OnSurfaceWidth(wasm::Rep self) override;
  Status OnSurfaceRequestSetSize(wasm::Rep self, const wasm::Opt<uint32_t>& height, const wasm::Opt<uint32_t>& width) override;
  Status OnSurfaceOnResize(wasm::Rep self, wasm::StreamSource<wsf::ResizeEvent> stream) override;
  Status OnSurfaceOnFrame(wasm::Rep self, wasm::StreamSource<wsf::FrameEvent> stream) override;
  Status OnSurfaceOnPointerUp(wasm::Rep self, wasm::StreamSource<wsf::PointerEvent> stream) override;
  Status OnSurfaceOnPointerDown(wasm::Rep self, wasm::StreamSource<wsf::PointerEvent> stream) override;
  Status OnSurfaceOnPointerMove(wasm::Rep self, wasm::StreamSource<wsf::PointerEvent> stream) override;
  Status OnSurfaceOnKeyUp(wasm::Rep self, wasm::StreamSource<wsf::KeyEvent> stream) override;
  Status OnSurfaceOnKeyDown(wasm::Rep self, wasm::StreamSource<wsf::KeyEvent> stream) override;

 private:
  // All streams of one kind that the guest took; each gets every event.
  template <class T>
  class Streams {
   public:
    static constexpr size_t kMost = 64;
    Status Take(wasm::StreamSource<T> stream, std::string_view what);
    void Push(const T& event) {
      for (auto& s : all_) s.Push(event);
    }
    // To those only that have read what they got before.
    void PushOnce(const T& event) {
      for (auto& s : all_) {
        if (s.state() != wasm::StreamState::Unread) s.Push(event);
      }
    }
    bool Any(wasm::StreamState state) const {
      for (const auto& s : all_) {
        if (s.state() == state) return true;
      }
      return false;
    }
    bool Live() const {
      for (const auto& s : all_) {
        if (s.state() != wasm::StreamState::Gone) return true;
      }
      return false;
    }

   private:
    std::vector<wasm::StreamSource<T>> all_;
  };
  bool AnyOther(wasm::StreamState state) const;
  // Of the present size where a side is not given.
  Status SizeRefusal(uint64_t width, uint64_t height) const;

  const WindowOptions options_;
  bool made_ = false, dropped_ = false;
  uint32_t width_ = 0, height_ = 0;
  Streams<wsf::ResizeEvent> resize_;
  Streams<wsf::FrameEvent> frame_;
  Streams<wsf::PointerEvent> pointer_up_, pointer_down_, pointer_move_;
  Streams<wsf::KeyEvent> key_up_, key_down_;
  std::optional<Picture> picture_;
  uint64_t presented_ = 0;
  WGPUTextureFormat expected_format_ = WGPUTextureFormat_RGBA8Unorm;
  bool expected_opaque_ = true, expected_p3_ = false;
};

}  // namespace weft::host
