// SPDX-License-Identifier: Apache-2.0
// Channel: messages between supervisor and worker over a socket pair: a 32-bit length, then JSON text. One reader at a time; writers lock.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>

#include "base/result.h"

namespace weft::runtime {

class Channel {
 public:
  // Takes over the descriptor.
  explicit Channel(int fd) : fd_(fd) {}
  ~Channel();
  Channel(const Channel&) = delete;

  // False when the other side is gone.
  bool Send(const std::string& text);
  enum class Got { Message, Nothing, Closed };
  // Waits at most `wait` (negative: for ever) for the next whole message.
  Got Receive(std::string* text, std::chrono::milliseconds wait);
  int fd() const { return fd_; }

 private:
  static constexpr uint32_t kMost = 256u << 20;
  const int fd_;
  std::mutex send_mutex_;
  std::string buffer_;  // received and not taken yet
};

}  // namespace weft::runtime
