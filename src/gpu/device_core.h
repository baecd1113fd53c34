// SPDX-License-Identifier: Apache-2.0
// Device::Core: the handles of a device, what waits for the GPU, and its loss. Private to device.cc and device_core.cc.
//
// Shared by the Device, the GPU thread and each callback that the library still owes: so a callback that comes late finds it alive.
// Callbacks of the library only note what happened (they may come on any thread, inside a submit); the GPU thread runs weft's.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "gpu/device.h"
#include "gpu/submit_queue.h"

namespace weft::gpu {

class Device::Core : public std::enable_shared_from_this<Core> {
 public:
  using LostCallback = std::function<void(LossReason, const std::string&)>;

  Core(Ref<Library> library, Log log) : library_(std::move(library)), log_(std::move(log)) {}
  ~Core();

  // Set before Start, then constant.
  WGPUInstance instance = nullptr;
  WGPUAdapter adapter = nullptr;
  WGPUDevice device = nullptr;
  WGPUQueue queue = nullptr;
  bool polls = true;
  bool destroys = true;  // false: adopted
  Counters counters;
  std::unique_ptr<SubmitQueue> submits;  // made by Start

  // To be put into the device's descriptor.
  WGPUUncapturedErrorCallbackInfo ErrorCallback();
  WGPUDeviceLostCallbackInfo LostCallbackInfo();

  void Start();
  // Ends the GPU thread: waits a little for what is pending, then cancels it. Callable on the GPU thread.
  void Stop();

  void OnSubmittedWorkDone(DoneCallback done);
  void MapAsync(WGPUBuffer buffer, WGPUMapMode mode, size_t offset, size_t size, DoneCallback done);
  void Poke();
  void Send();
  void SendIfIdle();
  void Retire(Owned<WGPUQuerySet> set);
  bool OnGpuThread() const { return std::this_thread::get_id() == thread_id_; }

  void RouteError(GpuErrorKind kind, std::string_view message) noexcept;
  void Lose(LossReason reason, std::string_view message) noexcept;
  void OnLost(LostCallback callback);
  // A harmless call: wgpu-native tells of a loss only inside a call that fails for it.
  void Probe();
  bool lost() const;
  LossReason loss_reason() const;
  std::string loss_message() const;
  Status CheckAlive() const;

 private:
  // What the library holds on to: outlives the Core where the library keeps it (an object somebody forgot to release).
  struct Target {
    std::mutex mutex;
    Core* core = nullptr;
  };
  struct Owed {
    std::shared_ptr<Core> core;
    uint64_t id;
  };

  uint64_t AddPending(DoneCallback done, Owed** owed);
  void Complete(uint64_t id, Status status);
  void FailAllLocked(const std::function<Error()>& error);
  Error LossErrorLocked() const;
  void Loop();
  static void OnWorkDone(WGPUQueueWorkDoneStatus status, WGPUStringView message, void* owed, void*);
  static void OnMapped(WGPUMapAsyncStatus status, WGPUStringView message, void* owed, void*);
  static void OnError(const WGPUDevice*, WGPUErrorType type, WGPUStringView message, void* target, void*);
  static void OnDeviceLost(const WGPUDevice*, WGPUDeviceLostReason reason, WGPUStringView message, void* target, void*);

  Ref<Library> library_;
  Log log_;
  Target* target_ = nullptr;
  bool target_done_ = false;

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::map<uint64_t, DoneCallback> pending_;
  std::deque<std::function<void()>> ready_;
  std::vector<LostCallback> on_lost_;
  uint64_t next_id_ = 1;
  uint64_t submissions_ = 0;  // grows with every submit, so that a poll knows whether "all done" is still true
  bool busy_ = false;         // something was submitted and no poll has seen the queue empty since
  bool stop_ = false;
  bool closing_ = false;
  LossReason loss_ = LossReason::None;
  std::atomic<bool> lost_{false};  // loss_ is set; to be read under no lock
  std::string loss_message_;

  std::mutex retired_mutex_;
  std::deque<std::pair<std::chrono::steady_clock::time_point, Owned<WGPUQuerySet>>> retired_;

  std::thread thread_;
  std::thread::id thread_id_;
};

}  // namespace weft::gpu
