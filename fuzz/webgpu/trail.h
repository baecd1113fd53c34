// SPDX-License-Identifier: Apache-2.0
// Trail: what a worker leaves behind when it dies: a file that it shares with tools/fuzz (which reads it after the death, and looks at it
// for progress). Every call of a sequence stands in it before it is made; the figures of all sequences so far stand in it too.
// The layout is known to tools/fuzz.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace weft::fuzz {

inline constexpr size_t kMaxFunctions = 1024;

struct Figures {
  uint64_t sequences = 0;  // finished
  uint64_t executed = 0;   // of them: reached a submit that executed
  uint64_t valid = 0, invalid = 0, moot = 0;
  uint64_t submits = 0;    // valid ones with commands in them
  uint64_t late = 0;       // command buffers that only the GPU library refused
  uint64_t findings = 0;   // written to the output, without the late refusals
  uint64_t next = 0;       // the number of the sequence that runs, or runs next
  uint64_t calls = 0;      // of all sequences: grows while there is progress
  uint64_t functions = 0;  // how many rows of `counts` are used
  struct Count {
    uint64_t valid = 0, invalid = 0, moot = 0;
  } counts[kMaxFunctions];
};

class Trail {
 public:
  // An empty path: memory of this process only.
  static Result<Trail> Open(const std::string& path);
  Trail(Trail&& o) noexcept;
  ~Trail();

  Figures& figures() { return *figures_; }
  void StartSequence();
  void Write(std::string_view text) {
    if (echo_) Echo(text);
    const size_t n = std::min(text.size(), kText - used_);
    text.copy(text_ + used_, n);
    used_ += n;
    *size_ = used_;
  }
  // Only for who watches: not kept.
  void Note(std::string_view text) {
    if (!echo_) return;
    Echo("\n    ");
    Echo(text);
  }
  void set_echo(bool echo) { echo_ = echo; }

 private:
  static constexpr size_t kText = 1 << 20;
  Trail() = default;
  void Echo(std::string_view text);
  void* map_ = nullptr;
  Figures* figures_ = nullptr;
  uint64_t* size_ = nullptr;
  char* text_ = nullptr;
  size_t used_ = 0;
  bool echo_ = false;
};

}  // namespace weft::fuzz
