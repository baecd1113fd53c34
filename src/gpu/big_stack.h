// SPDX-License-Identifier: Apache-2.0
// BigStack: a few threads with a 256 MiB stack (address space; pages come when touched), where shaders are compiled.
// Started at the first use; ended by the destructor. Run() waits, so what fn refers to needs to live only for the call. Must not be called
// from one of its own threads. Nothing of fn may throw.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft::gpu {

class BigStack {
 public:
  static constexpr size_t kStackBytes = size_t{256} << 20;

  explicit BigStack(int threads);
  ~BigStack();
  BigStack(const BigStack&) = delete;
  BigStack& operator=(const BigStack&) = delete;

  // Runs fn there and answers what it answers; the caller's ErrorSink is the sink of fn's calls.
  template <class F>
  auto Run(F&& fn) {
    using R = std::invoke_result_t<F&>;
    if constexpr (std::is_void_v<R>) {
      RunErased([&] { fn(); });
    } else {
      std::optional<R> result;
      RunErased([&] { result.emplace(fn()); });
      return std::move(*result);
    }
  }
  // Runs fn there some time later, without a sink of the caller's; fn owns what it needs.
  void Post(std::function<void()> fn);

 private:
  struct State;  // shared with the threads: one of them may be where the BigStack itself ends

  void RunErased(const std::function<void()>& fn);
  void Enqueue(std::function<void()> fn);
  static void Loop(State& state);
  static void* ThreadMain(void* state);

  const int max_threads_;
  std::shared_ptr<State> state_;
  std::vector<pthread_t> threads_;  // under the state's mutex
};

}  // namespace weft::gpu
