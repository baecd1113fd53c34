// SPDX-License-Identifier: Apache-2.0
#include "runtime/channel.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace weft::runtime {

Channel::~Channel() { close(fd_); }

bool Channel::Send(const std::string& text) {
  std::lock_guard lock(send_mutex_);
  const auto size = static_cast<uint32_t>(text.size());
  std::string bytes(reinterpret_cast<const char*>(&size), sizeof size);
  bytes += text;
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t n = send(fd_, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += static_cast<size_t>(n);
  }
  return true;
}

Channel::Got Channel::Receive(std::string* text, std::chrono::milliseconds wait) {
  const auto until = std::chrono::steady_clock::now() + wait;
  while (true) {
    uint32_t size = 0;
    if (buffer_.size() >= sizeof size) {
      std::memcpy(&size, buffer_.data(), sizeof size);
      if (size > kMost) return Got::Closed;  // nobody of ours sends such a thing
      if (buffer_.size() >= sizeof size + size) {
        *text = buffer_.substr(sizeof size, size);
        buffer_.erase(0, sizeof size + size);
        return Got::Message;
      }
    }
    int left = -1;
    if (wait.count() >= 0) {
      left = static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count());
      if (left < 0) left = 0;
    }
    pollfd p{fd_, POLLIN, 0};
    const int ready = poll(&p, 1, left);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) return Got::Nothing;
    char chunk[65536];
    const ssize_t n = recv(fd_, chunk, sizeof chunk, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return Got::Closed;
    buffer_.append(chunk, static_cast<size_t>(n));
  }
}

}  // namespace weft::runtime
