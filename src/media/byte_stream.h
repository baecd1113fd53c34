// SPDX-License-Identifier: Apache-2.0
// ByteStream: input bytes from a file, stdin or memory, with a look ahead. One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace weft::media {

class ByteStream {
 public:
  // "-" is stdin. Folders and what is missing are errors.
  static Result<std::unique_ptr<ByteStream>> Open(const std::string& path);
  // `bytes` must outlive the stream.
  static std::unique_ptr<ByteStream> OfMemory(std::span<const uint8_t> bytes, std::string name);
  ~ByteStream();

  // Reads up to out.size() bytes; fewer only at the end.
  Result<size_t> Read(std::span<uint8_t> out);
  // The next bytes without taking them; fewer than `n` only at the end. n <= 64 KiB.
  Result<std::span<const uint8_t>> Peek(size_t n);
  // All the rest; more than `max` is an error.
  Result<std::vector<uint8_t>> ReadAll(int64_t max);

  bool seekable() const { return seekable_; }
  int64_t size() const { return size_; }  // -1 where unknown
  int64_t position() const { return position_; }
  // Only when seekable().
  Status Seek(int64_t position);
  const std::string& name() const { return name_; }

 private:
  explicit ByteStream(std::string name) : name_(std::move(name)) {}
  Status Fill(size_t n);  // until at least n bytes are buffered or the end
  Result<size_t> ReadRaw(uint8_t* out, size_t n);

  std::string name_;
  int fd_ = -1;
  bool own_fd_ = false;
  std::span<const uint8_t> memory_;
  size_t memory_at_ = 0;
  std::vector<uint8_t> buffer_;
  size_t begin_ = 0, end_ = 0;
  bool at_end_ = false;
  bool seekable_ = false;
  int64_t size_ = -1;
  int64_t position_ = 0;
};

}  // namespace weft::media
