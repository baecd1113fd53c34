// SPDX-License-Identifier: Apache-2.0
// Call<T>: one call into a guest, from its start to its value, without a thread that waits.
//
// Poll runs the guest on the calling thread until it finishes or awaits something; the wake function says when Poll is worth another try.
// The limit Limits::call_time counts from the start; past it Poll ends the instance and the call fails. Dropping an unfinished Call ends
// the instance. The value, and all that its views point to, lives as long as the Call. A Call may outlive its Instance. Threads: one at a
// time; the wake function is called from any thread, also within Poll, and must not call back into the Call.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "wasm/abi.h"

namespace weft::wasm {

struct CallHandle;
struct HostBindings;

class RawCall {
 public:
  explicit RawCall(CallHandle* handle) : handle_(handle) {}
  RawCall(RawCall&& other) noexcept;
  RawCall& operator=(RawCall&& other) noexcept;
  ~RawCall();

  // Before the first Poll.
  void OnWake(std::function<void()> wake);
  // True: finished, with a value or an error.
  bool Poll();
  // Gives the call so much time from now on, whatever it has used; for calls that last as long as their guest. 0: it stands still and is
  // not to be polled until it gets time again.
  void Limit(std::chrono::milliseconds time);
  bool finished() const;
  // finished() only: how it ended.
  Status Outcome() const;
  // Polls and sleeps on this thread until it is finished.
  void WaitFinished();

 protected:
  // Null when it failed; finished() only.
  const void* value() const;
  Error error() const;

 private:
  CallHandle* handle_;
};

template <class T>
class Call : public RawCall {
 public:
  using RawCall::RawCall;

  // finished() only.
  Result<const T*> Get() const {
    if (const void* v = value()) return static_cast<const T*>(v);
    return error();
  }
  Result<const T*> Wait() {
    WaitFinished();
    return Get();
  }
};

}  // namespace weft::wasm
