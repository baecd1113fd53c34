// SPDX-License-Identifier: Apache-2.0
// Counters of one device: what proves "0 copies between nodes, 0 textures created a frame". Written from any thread, relaxed; a
// snapshot is exact once the device is idle.
#pragma once

#include <atomic>
#include <cstdint>

namespace weft::gpu {

struct CounterValues {
  uint64_t textures_created = 0, textures_alive = 0, texture_bytes_alive = 0;
  uint64_t buffers_created = 0, buffers_alive = 0, buffer_bytes_alive = 0;
  uint64_t uploads = 0, upload_bytes = 0;      // CPU -> GPU
  uint64_t downloads = 0, download_bytes = 0;  // GPU -> CPU
  uint64_t texture_copies = 0;                 // texture to texture, also a conversion on an edge
  uint64_t clears = 0;
  uint64_t submits = 0;
};

class Counters {
 public:
  void TextureCreated(uint64_t bytes) { Add(textures_created_, 1), Add(textures_alive_, 1), Add(texture_bytes_alive_, bytes); }
  void TextureGone(uint64_t bytes) { Sub(textures_alive_, 1), Sub(texture_bytes_alive_, bytes); }
  void BufferCreated(uint64_t bytes) { Add(buffers_created_, 1), Add(buffers_alive_, 1), Add(buffer_bytes_alive_, bytes); }
  void BufferGone(uint64_t bytes) { Sub(buffers_alive_, 1), Sub(buffer_bytes_alive_, bytes); }
  void Upload(uint64_t bytes) { Add(uploads_, 1), Add(upload_bytes_, bytes); }
  void Download(uint64_t bytes) { Add(downloads_, 1), Add(download_bytes_, bytes); }
  void TextureCopy() { Add(texture_copies_, 1); }
  void Clear() { Add(clears_, 1); }
  void Submit() { Add(submits_, 1); }
  CounterValues Snapshot() const;

 private:
  using Cell = std::atomic<uint64_t>;
  static void Add(Cell& c, uint64_t n) { c.fetch_add(n, std::memory_order_relaxed); }
  static void Sub(Cell& c, uint64_t n) { c.fetch_sub(n, std::memory_order_relaxed); }

  Cell textures_created_{0}, textures_alive_{0}, texture_bytes_alive_{0}, buffers_created_{0}, buffers_alive_{0}, buffer_bytes_alive_{0};
  Cell uploads_{0}, upload_bytes_{0}, downloads_{0}, download_bytes_{0}, texture_copies_{0}, clears_{0}, submits_{0};
};

inline CounterValues Counters::Snapshot() const {
  auto get = [](const Cell& c) { return c.load(std::memory_order_relaxed); };
  return {get(textures_created_), get(textures_alive_), get(texture_bytes_alive_),
          get(buffers_created_),  get(buffers_alive_),  get(buffer_bytes_alive_),
          get(uploads_),          get(upload_bytes_),   get(downloads_),
          get(download_bytes_),   get(texture_copies_), get(clears_),
          get(submits_)};
}

}  // namespace weft::gpu
