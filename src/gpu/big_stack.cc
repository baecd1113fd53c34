// SPDX-License-Identifier: Apache-2.0
#include "gpu/big_stack.h"

#include <condition_variable>
#include <deque>
#include <mutex>

#include "gpu/errors.h"

namespace weft::gpu {

struct BigStack::State {
  std::mutex mutex;
  std::condition_variable wake;
  std::deque<std::function<void()>> queue;
  int idle = 0;
  bool stop = false;
};

BigStack::BigStack(int threads) : max_threads_(threads), state_(std::make_shared<State>()) {}

BigStack::~BigStack() {
  {
    std::lock_guard lock(state_->mutex);
    state_->stop = true;
  }
  state_->wake.notify_all();
  for (const pthread_t t : threads_) {
    // The last Ref of a device may go inside a posted function, on one of these threads.
    if (pthread_equal(t, pthread_self())) {
      pthread_detach(t);
    } else {
      pthread_join(t, nullptr);
    }
  }
}

void BigStack::RunErased(const std::function<void()>& fn) {
  std::mutex mutex;
  std::condition_variable finished;
  bool done = false;
  ErrorSink* const sink = CurrentErrorSink();
  Enqueue([&] {
    {
      ScopedErrors scope(sink);
      fn();
    }
    std::lock_guard lock(mutex);
    done = true;
    finished.notify_one();
  });
  std::unique_lock lock(mutex);
  finished.wait(lock, [&] { return done; });
}

void BigStack::Post(std::function<void()> fn) { Enqueue(std::move(fn)); }

void BigStack::Enqueue(std::function<void()> fn) {
  bool run_here = false;
  {
    std::lock_guard lock(state_->mutex);
    if (state_->idle <= static_cast<int>(state_->queue.size()) && static_cast<int>(threads_.size()) < max_threads_) {
      pthread_attr_t attr;
      pthread_attr_init(&attr);
      pthread_attr_setstacksize(&attr, kStackBytes);
      pthread_t thread;
      auto* shared = new std::shared_ptr<State>(state_);
      if (pthread_create(&thread, &attr, &ThreadMain, shared) == 0) {
        threads_.push_back(thread);
      } else {
        delete shared;
      }
      pthread_attr_destroy(&attr);
    }
    run_here = threads_.empty();  // no thread to be had: better an ordinary stack than none
    if (!run_here) state_->queue.push_back(std::move(fn));
  }
  if (run_here) {
    fn();
  } else {
    state_->wake.notify_one();
  }
}

void BigStack::Loop(State& state) {
  std::unique_lock lock(state.mutex);
  for (;;) {
    ++state.idle;
    state.wake.wait(lock, [&] { return state.stop || !state.queue.empty(); });
    --state.idle;
    if (state.queue.empty()) return;
    auto fn = std::move(state.queue.front());
    state.queue.pop_front();
    lock.unlock();
    fn();
    fn = nullptr;
    lock.lock();
  }
}

void* BigStack::ThreadMain(void* state) {
  const std::unique_ptr<std::shared_ptr<State>> shared(static_cast<std::shared_ptr<State>*>(state));
  Loop(**shared);
  return nullptr;
}

}  // namespace weft::gpu
