// SPDX-License-Identifier: Apache-2.0
#include "host/surface/frame_buffer.h"

#include <algorithm>

#include "base/fail.h"

namespace weft::host {

template <class T>
Result<wasm::Rep> FrameBuffer::Rows<T>::Add(std::shared_ptr<T> item, std::string_view what) {
  auto free = std::find(items_.begin(), items_.end(), nullptr);
  if (free == items_.end()) {
    if (items_.size() >= kMost) return Fail(ErrorKind::GuestTrap, "the component holds {} {}, and that is the limit", kMost, what);
    free = items_.insert(free, nullptr);
  }
  *free = std::move(item);
  return static_cast<wasm::Rep>(free - items_.begin() + 1);
}

template <class T>
Result<T*> FrameBuffer::Rows<T>::Get(wasm::Rep rep, std::string_view what) const {
  if (rep >= 1 && rep <= items_.size() && items_[rep - 1]) return items_[rep - 1].get();
  return Fail(ErrorKind::GuestTrap, "there is no {} {}", what, rep);
}

Result<wasm::List<uint8_t>> FrameBuffer::Buffers::OnBufferGetWithCopy(wasm::Rep self) {
  WEFT_TRY_ASSIGN(Pixels * pixels, rows.Get(self, "buffer"));
  return wasm::List<uint8_t>(pixels->bytes->data(), pixels->bytes->size());
}

Status FrameBuffer::Buffers::OnBufferSetWithCopy(wasm::Rep self, const wasm::List<uint8_t>& val) {
  WEFT_TRY_ASSIGN(Pixels * pixels, rows.Get(self, "buffer"));
  if (val.size != pixels->bytes->size()) {
    return Fail(ErrorKind::GuestTrap, "buffer.set-with-copy: {} bytes were given, and a picture of {}x{} pixels has {}, 4 a pixel",
                val.size, pixels->width, pixels->height, pixels->bytes->size());
  }
  if (pixels->bytes.use_count() > 1) pixels->bytes = std::make_shared<std::vector<uint8_t>>(val.size);
  std::copy(val.begin(), val.end(), pixels->bytes->begin());
  return {};
}

Result<wasm::Rep> FrameBuffer::Contexts::OnContextNew(wasm::Rep surface) {
  WEFT_TRY(all_.window_.CheckSurface(surface));
  all_.window_.Expect(WGPUTextureFormat_BGRA8Unorm, true, false);
  return rows_.Add(std::make_shared<Context>(), "frame-buffer contexts");
}

Result<wasm::Rep> FrameBuffer::Contexts::OnContextGetCurrentBuffer(wasm::Rep self) {
  WEFT_TRY_ASSIGN(Context * context, rows_.Get(self, "frame-buffer context"));
  const uint32_t width = all_.window_.width(), height = all_.window_.height();
  auto& pixels = context->pixels;
  if (!pixels || pixels->width != width || pixels->height != height) {
    pixels = std::make_shared<Pixels>(Pixels{width, height, std::make_shared<std::vector<uint8_t>>(size_t{width} * height * 4)});
  }
  return all_.buffers_.rows.Add(pixels, "buffers");
}

Status FrameBuffer::Contexts::OnContextPresent(wasm::Rep self) {
  WEFT_TRY_ASSIGN(Context * context, rows_.Get(self, "frame-buffer context"));
  if (!context->pixels) return Fail(ErrorKind::GuestTrap, "context.present: no buffer was asked for; call get-current-buffer before it");
  Picture picture;
  picture.pixels = context->pixels->bytes;
  picture.width = context->pixels->width;
  picture.height = context->pixels->height;
  all_.window_.Present(std::move(picture));
  return {};
}

}  // namespace weft::host
