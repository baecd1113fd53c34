// SPDX-License-Identifier: Apache-2.0
// Log: where messages for a person go. A library never prints; the embedder gives a sink. Handed down as a reference, no global.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace weft {

enum class LogLevel { Debug, Info, Warning, Error };

class Log {
 public:
  // Called from any thread, one call at a time is NOT promised: the sink locks if it must. Must not throw.
  using Sink = std::function<void(LogLevel, std::string_view message)>;

  Log() = default;  // silent
  explicit Log(Sink sink) : sink_(std::move(sink)) {}

  void Write(LogLevel level, std::string_view message) const {
    if (sink_) sink_(level, message);
  }

 private:
  Sink sink_;
};

}  // namespace weft
