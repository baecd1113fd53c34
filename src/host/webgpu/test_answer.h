// SPDX-License-Identifier: Apache-2.0
// Answers to awaited calls and streams, for tests.
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "host/webgpu/objects.h"

namespace weft::host {

// One awaited call: hand done() to it, then Wait(). Keeps the text of an error, whose view ends with the call.
template <class T>
class Answer {
 public:
  Completion<T> done() { return Completion<T>({new std::shared_ptr<State>(state_), &Answer::Finish}); }
  bool ready() const {
    std::lock_guard lock(state_->mutex);
    return state_->ready;
  }
  const T& Wait() {
    std::unique_lock lock(state_->mutex);
    EXPECT_TRUE(state_->changed.wait_for(lock, std::chrono::seconds(30), [&] { return state_->ready; })) << "no answer came";
    return state_->value;
  }
  const std::string& trap() const { return state_->trap; }
  const std::string& message() const { return state_->message; }

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    bool ready = false;
    T value{};
    std::string trap, message;
  };
  static void Finish(void* token, const void* value, Str trap) {
    std::unique_ptr<std::shared_ptr<State>> state(static_cast<std::shared_ptr<State>*>(token));
    std::lock_guard lock((*state)->mutex);
    if (value) (*state)->value = *static_cast<const T*>(value);
    if constexpr (requires(T t) { t.err.message; }) (*state)->message = (*state)->value.err.message.view();
    (*state)->trap = trap.view();
    (*state)->ready = true;
    (*state)->changed.notify_all();
  }
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

// What a stream brought.
struct Pushed {
  std::vector<Rep> reps;
  StreamSource<Rep> source() {
    return StreamSource<Rep>({this, &Pushed::Push, [](void*) {}});
  }
  static void Push(void* self, const void* value) { static_cast<Pushed*>(self)->reps.push_back(*static_cast<const Rep*>(value)); }
};

}  // namespace weft::host
