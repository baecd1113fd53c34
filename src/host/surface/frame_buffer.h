// SPDX-License-Identifier: Apache-2.0
// FrameBuffer: pictures that a component draws with the CPU (wasi-gfx:surface/surface-frame-buffer and wasi-gfx:frame-buffer). Four bytes a
// pixel, blue, green, red and one without meaning, rows from the top, no padding; sRGB. A buffer keeps the size that the surface had when
// it was asked for; its pixels stay from frame to frame. Threads: as Window.
#pragma once

#include <memory>
#include <vector>

#include "host/surface/window.h"
#include "wasm/gen/frame_buffer.h"
#include "wasm/gen/surface_frame_buffer.h"

namespace weft::host {

class FrameBuffer {
 public:
  // `window` outlives it.
  explicit FrameBuffer(Window* window) : window_(*window), contexts_(this) {}

  wsf::FrameBufferHost* buffers() { return &buffers_; }
  wsf::SurfaceFrameBufferHost* contexts() { return &contexts_; }

 private:
  struct Pixels {
    uint32_t width = 0, height = 0;
    std::shared_ptr<std::vector<uint8_t>> bytes;  // shared with what was presented, until they change
  };
  // Rows of what the guest holds; a row that it dropped is used again.
  template <class T>
  class Rows {
   public:
    static constexpr size_t kMost = 256;
    Result<wasm::Rep> Add(std::shared_ptr<T> item, std::string_view what);
    Result<T*> Get(wasm::Rep rep, std::string_view what) const;
    void Drop(wasm::Rep rep) noexcept {
      if (rep >= 1 && rep <= items_.size()) items_[rep - 1].reset();
    }

   private:
    std::vector<std::shared_ptr<T>> items_;
  };

  class Buffers final : public wsf::FrameBufferHost {
   public:
    void OnDropBuffer(wasm::Rep rep) noexcept override { rows.Drop(rep); }
    Result<wasm::List<uint8_t>> OnBufferGetWithCopy(wasm::Rep self) override;
    Status OnBufferSetWithCopy(wasm::Rep self, const wasm::List<uint8_t>& val) override;
    Rows<Pixels> rows;
  };
  struct Context {
    std::shared_ptr<Pixels> pixels;
  };
  class Contexts final : public wsf::SurfaceFrameBufferHost {
   public:
    explicit Contexts(FrameBuffer* all) : all_(*all) {}
    void OnDropContext(wasm::Rep rep) noexcept override { rows_.Drop(rep); }
    Result<wasm::Rep> OnContextNew(wasm::Rep surface) override;
    Result<wasm::Rep> OnContextGetCurrentBuffer(wasm::Rep self) override;
    Status OnContextPresent(wasm::Rep self) override;

   private:
    FrameBuffer& all_;
    Rows<Context> rows_;
  };

  Window& window_;
  Buffers buffers_;
  Contexts contexts_;
};

}  // namespace weft::host
