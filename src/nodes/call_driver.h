// SPDX-License-Identifier: Apache-2.0
// Drive(): takes a guest's call to its end without a thread that waits: polls it on the calling thread, and after each wake on the
// executor's. The answer comes once, on whichever thread polled last.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "base/fail.h"
#include "nodes/cpu_time.h"
#include "nodes/executor.h"
#include "wasm/call.h"

namespace weft::nodes {

// Lets somebody else end a call that is under way; see Drive.
class CallStop {
 public:
  virtual ~CallStop() = default;
  // Any thread. The call is dropped as soon as no thread polls it, which ends its instance; the answer is then of kind Cancelled.
  virtual void Stop() = 0;
};

template <class T>
class CallDriver final : public CallStop, public std::enable_shared_from_this<CallDriver<T>> {
 public:
  // What to do with the value, which lives until the function returns. It answers what to do once the call is gone, for that may destroy
  // what the call uses.
  using Then = std::move_only_function<void()>;
  using Answer = std::move_only_function<Then(Result<const T*>)>;

  CallDriver(Executor& executor, wasm::Call<T> call, std::atomic<uint64_t>* cpu_ns, Answer answer)
      : executor_(executor), call_(std::make_unique<wasm::Call<T>>(std::move(call))), cpu_ns_(cpu_ns), answer_(std::move(answer)) {}

  void Start() {
    pending_ = 1;
    call_->OnWake([weak = this->weak_from_this()] {
      if (auto self = weak.lock()) self->Wake();
    });
    Loop();
  }
  void Stop() override {
    stop_ = true;
    Wake();
  }

 private:
  // Many wakes may come while one thread polls: they are counted, and that thread polls again.
  void Wake() {
    if (pending_.fetch_add(1) == 0) executor_.Post([self = this->shared_from_this()] { self->Loop(); });
  }

  void Loop() {
    int seen = pending_;
    while (true) {
      if (!answer_) return;  // answered; late wakes find nothing to do
      bool finished = false;
      if (!stop_) {
        CpuTimer timer(cpu_ns_);
        finished = call_->Poll();
      }
      if (finished || stop_) {
        Answer answer = std::exchange(answer_, nullptr);
        Then then = finished ? answer(call_->Get()) : answer(Fail(ErrorKind::Cancelled, "the call was cancelled"));
        answer = nullptr;
        call_.reset();
        then();
        return;  // pending_ stays above 0: no more loops
      }
      const int taken = seen;
      seen = pending_.fetch_sub(taken) - taken;
      if (seen == 0) return;
    }
  }

  Executor& executor_;
  std::unique_ptr<wasm::Call<T>> call_;
  std::atomic<uint64_t>* cpu_ns_;
  Answer answer_;
  std::atomic<int> pending_{0};
  std::atomic<bool> stop_{false};
};

// Start() begins it. The driver keeps itself alive while the call is under way only through its wakes: the caller holds the Ref until the
// answer. `cpu_ns`, if not null, outlives the call.
template <class T>
std::shared_ptr<CallDriver<T>> MakeDriver(Executor& executor, wasm::Call<T> call, std::atomic<uint64_t>* cpu_ns,
                                          typename CallDriver<T>::Answer answer) {
  return std::make_shared<CallDriver<T>>(executor, std::move(call), cpu_ns, std::move(answer));
}

}  // namespace weft::nodes
