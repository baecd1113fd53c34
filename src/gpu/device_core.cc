// SPDX-License-Identifier: Apache-2.0
#include "gpu/device_core.h"

#include <algorithm>
#include <chrono>

#include "base/fail.h"

namespace weft::gpu {
namespace {

using std::chrono::microseconds;
constexpr microseconds kShortestSleep{50};
constexpr microseconds kLongestSleep{500};
constexpr microseconds kUnhurriedSleep{2000};
constexpr int kPollsBetweenProbes = 100;
// How long an ending device waits for what the GPU still does before it cancels the callbacks.
constexpr std::chrono::seconds kPatienceAtEnd{2};

}  // namespace

Device::Core::~Core() {
  const Procs& procs = library_->procs();
  {
    std::lock_guard lock(mutex_);
    closing_ = true;
  }
  if (submits) submits->Send();  // the library never frees commands that were not sent
  submits = nullptr;
  if (queue) procs.QueueRelease(queue);
  if (device) {
    if (destroys) procs.DeviceDestroy(device);
    retired_.clear();
    procs.DeviceRelease(device);
  }
  if (adapter) procs.AdapterRelease(adapter);
  if (instance) procs.InstanceRelease(instance);
  if (target_) {
    bool done;
    {
      std::lock_guard lock(target_->mutex);
      target_->core = nullptr;
      done = target_done_ || !device;
    }
    // Where the lost callback has not come, somebody still holds an object of the device and the library may call yet: the few bytes stay.
    if (done) delete target_;
  }
}

WGPUUncapturedErrorCallbackInfo Device::Core::ErrorCallback() {
  if (!target_) target_ = new Target{.core = this};
  WGPUUncapturedErrorCallbackInfo info = WGPU_UNCAPTURED_ERROR_CALLBACK_INFO_INIT;
  info.callback = OnError;
  info.userdata1 = target_;
  return info;
}

WGPUDeviceLostCallbackInfo Device::Core::LostCallbackInfo() {
  if (!target_) target_ = new Target{.core = this};
  WGPUDeviceLostCallbackInfo info = WGPU_DEVICE_LOST_CALLBACK_INFO_INIT;
  info.mode = WGPUCallbackMode_AllowSpontaneous;
  info.callback = OnDeviceLost;
  info.userdata1 = target_;
  return info;
}

void Device::Core::Start() {
  submits = std::make_unique<SubmitQueue>(library_->procs(), queue, counters);
  thread_ = std::thread([self = shared_from_this()] { self->Loop(); });
  thread_id_ = thread_.get_id();
}

void Device::Core::Stop() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  if (!thread_.joinable()) return;
  if (OnGpuThread()) {
    thread_.detach();  // the last Ref went inside a callback: the thread ends by itself and drops the Core
  } else {
    thread_.join();
  }
}

uint64_t Device::Core::AddPending(DoneCallback done, Owed** owed) {
  std::lock_guard lock(mutex_);
  if (loss_ != LossReason::None || stop_) {
    Error error = stop_ ? Error(ErrorKind::Cancelled, "The GPU device is being closed.") : LossErrorLocked();
    ready_.push_back([done = std::move(done), error = std::move(error)] { done(error); });
    wake_.notify_all();
    return 0;
  }
  const uint64_t id = next_id_++;
  pending_.emplace(id, std::move(done));
  if (pending_.size() == 1) wake_.notify_all();  // else the GPU thread polls already
  *owed = new Owed{shared_from_this(), id};
  return id;
}

void Device::Core::OnSubmittedWorkDone(DoneCallback done) {
  Send();
  Owed* owed = nullptr;
  if (!AddPending(std::move(done), &owed)) return;
  WGPUQueueWorkDoneCallbackInfo info = WGPU_QUEUE_WORK_DONE_CALLBACK_INFO_INIT;
  info.mode = WGPUCallbackMode_AllowSpontaneous;
  info.callback = OnWorkDone;
  info.userdata1 = owed;
  library_->procs().QueueOnSubmittedWorkDone(queue, info);
}

void Device::Core::MapAsync(WGPUBuffer buffer, WGPUMapMode mode, size_t offset, size_t size, DoneCallback done) {
  Send();
  Owed* owed = nullptr;
  if (!AddPending(std::move(done), &owed)) return;
  WGPUBufferMapCallbackInfo info = WGPU_BUFFER_MAP_CALLBACK_INFO_INIT;
  info.mode = WGPUCallbackMode_AllowSpontaneous;
  info.callback = OnMapped;
  info.userdata1 = owed;
  library_->procs().BufferMapAsync(buffer, mode, offset, size, info);
}

void Device::Core::OnWorkDone(WGPUQueueWorkDoneStatus status, WGPUStringView message, void* owed, void*) {
  const std::unique_ptr<Owed> o(static_cast<Owed*>(owed));
  if (status == WGPUQueueWorkDoneStatus_Success) return o->core->Complete(o->id, {});
  o->core->Complete(o->id, Fail(ErrorKind::Internal, "The GPU queue did not finish its work: {}", View(message)));
}

void Device::Core::OnMapped(WGPUMapAsyncStatus status, WGPUStringView message, void* owed, void*) {
  const std::unique_ptr<Owed> o(static_cast<Owed*>(owed));
  switch (status) {
    case WGPUMapAsyncStatus_Success: return o->core->Complete(o->id, {});
    case WGPUMapAsyncStatus_Aborted:
    case WGPUMapAsyncStatus_CallbackCancelled:
      return o->core->Complete(o->id,
                               Fail(ErrorKind::Cancelled, "The buffer was unmapped or destroyed before it was mapped. {}", View(message)));
    default: return o->core->Complete(o->id, Fail(ErrorKind::InvalidArgument, "The buffer cannot be mapped: {}", View(message)));
  }
}

void Device::Core::Complete(uint64_t id, Status status) {
  {
    std::lock_guard lock(mutex_);
    const auto it = pending_.find(id);
    if (it == pending_.end()) return;  // cancelled, or failed by the loss
    ready_.push_back([done = std::move(it->second), status = std::move(status)] { done(status); });
    pending_.erase(it);
  }
  wake_.notify_all();
}

void Device::Core::FailAllLocked(const std::function<Error()>& error) {
  for (auto& [id, done] : pending_) ready_.push_back([done = std::move(done), e = error()] { done(e); });
  pending_.clear();
}

void Device::Core::Poke() {
  {
    std::lock_guard lock(mutex_);
    ++submissions_;
    if (busy_) return;  // the thread is polling already
    busy_ = true;
  }
  wake_.notify_all();
}

void Device::Core::Send() {
  if (!submits->empty() && submits->Send()) Poke();
}

void Device::Core::SendIfIdle() {
  if (submits->empty()) return;
  if (polls && library_->native().DevicePoll) {
    std::lock_guard lock(mutex_);
    if (busy_) return;  // the GPU thread will see when it is not any more
  }
  Send();
}

void Device::Core::Retire(Owned<WGPUQuerySet> set) {
  constexpr size_t kFew = 64, kMost = 4096;
  constexpr std::chrono::seconds kLong{2};
  const auto now = std::chrono::steady_clock::now();
  std::vector<Owned<WGPUQuerySet>> old;  // made before the lock: released after it
  std::lock_guard lock(retired_mutex_);
  retired_.emplace_back(now, std::move(set));
  while (retired_.size() > kMost || (retired_.size() > kFew && now - retired_.front().first > kLong)) {
    old.push_back(std::move(retired_.front().second));
    retired_.pop_front();
  }
}

void Device::Core::Loop() {
  std::unique_lock lock(mutex_);
  microseconds sleep = kShortestSleep;
  int quiet_polls = 0;
  std::chrono::steady_clock::time_point end{};
  for (;;) {
    while (!ready_.empty()) {
      auto run = std::move(ready_.front());
      ready_.pop_front();
      lock.unlock();
      run();
      run = nullptr;  // what it captured goes here, outside the lock
      lock.lock();
      sleep = kShortestSleep;
      quiet_polls = 0;
    }
    if (stop_) {
      if (pending_.empty()) return;
      const auto now = std::chrono::steady_clock::now();
      if (end == std::chrono::steady_clock::time_point{}) end = now + kPatienceAtEnd;
      if (now >= end || !polls) {
        FailAllLocked([] { return Error(ErrorKind::Cancelled, "The GPU device was closed before the work was finished."); });
        continue;
      }
    }
    if (!polls || loss_ != LossReason::None || (pending_.empty() && !busy_)) {
      wake_.wait(lock, [&] { return !ready_.empty() || stop_ || (polls && loss_ == LossReason::None && (!pending_.empty() || busy_)); });
      sleep = kShortestSleep;
      continue;
    }
    const uint64_t submissions = submissions_;
    lock.unlock();
    const bool empty = PollOnce(*library_, instance, device);
    if (empty && submits->Send()) {
      lock.lock();
      ++submissions_;
      continue;
    }
    lock.lock();
    if (empty && submissions == submissions_) busy_ = false;
    // A library that cannot tell whether its queue is empty is polled only while somebody waits.
    if (!library_->native().DevicePoll && pending_.empty()) busy_ = false;
    if (!ready_.empty()) continue;
    if (sleep == kLongestSleep && ++quiet_polls == kPollsBetweenProbes) {
      quiet_polls = 0;
      lock.unlock();
      Probe();  // somebody waits and perhaps nobody calls: be the call that learns of a loss
      lock.lock();
    }
    if (pending_.empty() && submits->empty()) {
      // Nobody waits: what is finished is only to be freed, and the submits do that too.
      wake_.wait_for(lock, kUnhurriedSleep, [&] { return !ready_.empty() || !pending_.empty() || stop_; });
      sleep = kShortestSleep;
      continue;
    }
    wake_.wait_for(lock, sleep, [&] { return !ready_.empty(); });
    sleep = std::min(kLongestSleep, sleep + sleep / 2);
  }
}

void Device::Core::Probe() {
  const Procs& procs = library_->procs();
  ErrorCollector errors;
  // Not finished: the library would keep what was finished and not submitted.
  procs.CommandEncoderRelease(procs.DeviceCreateCommandEncoder(device, nullptr));
}

void Device::Core::RouteError(GpuErrorKind kind, std::string_view message) noexcept {
  if (ErrorSink* sink = CurrentErrorSink()) return sink->OnGpuError(kind, message);
  try {
    log_.Write(LogLevel::Error, fmt::format("GPU error ({}) outside any scope: {}", GpuErrorKindName(kind), message));
  } catch (...) {  // no memory for the text
  }
}

void Device::Core::OnError(const WGPUDevice*, WGPUErrorType type, WGPUStringView message, void* target, void*) {
  auto* t = static_cast<Target*>(target);
  Core* core;
  {
    std::lock_guard lock(t->mutex);
    core = t->core;
  }
  if (!core) return;
  const GpuErrorKind kind = type == WGPUErrorType_Validation    ? GpuErrorKind::Validation
                            : type == WGPUErrorType_OutOfMemory ? GpuErrorKind::OutOfMemory
                            : type == WGPUErrorType_Internal    ? GpuErrorKind::Internal
                                                                : GpuErrorKind::Unknown;
  core->RouteError(kind, View(message));
}

void Device::Core::OnDeviceLost(const WGPUDevice*, WGPUDeviceLostReason reason, WGPUStringView message, void* target, void*) {
  auto* t = static_cast<Target*>(target);
  Core* core;
  {
    std::lock_guard lock(t->mutex);
    core = t->core;
    if (core) core->target_done_ = true;
  }
  if (!core) return;
  core->Lose(reason == WGPUDeviceLostReason_Destroyed ? LossReason::Destroyed : LossReason::Unknown, View(message));
}

void Device::Core::Lose(LossReason reason, std::string_view message) noexcept {
  {
    std::lock_guard lock(mutex_);
    if (closing_ || loss_ != LossReason::None) return;
    loss_ = reason;
    lost_.store(true, std::memory_order_release);
    loss_message_ = message;
    FailAllLocked([this] { return LossErrorLocked(); });
    for (auto& callback : on_lost_)
      ready_.push_back([callback = std::move(callback), reason, text = loss_message_] { callback(reason, text); });
    on_lost_.clear();
  }
  log_.Write(LogLevel::Error, fmt::format("The GPU device is lost: {}", message));
  wake_.notify_all();
}

void Device::Core::OnLost(LostCallback callback) {
  {
    std::lock_guard lock(mutex_);
    if (loss_ == LossReason::None) {
      on_lost_.push_back(std::move(callback));
      return;
    }
    ready_.push_back([callback = std::move(callback), reason = loss_, text = loss_message_] { callback(reason, text); });
  }
  wake_.notify_all();
}

bool Device::Core::lost() const { return lost_.load(std::memory_order_acquire); }

LossReason Device::Core::loss_reason() const {
  std::lock_guard lock(mutex_);
  return loss_;
}

std::string Device::Core::loss_message() const {
  std::lock_guard lock(mutex_);
  return loss_message_;
}

Error Device::Core::LossErrorLocked() const {
  return Fail(ErrorKind::DeviceLost, "The GPU device is lost{}: {}", loss_ == LossReason::Destroyed ? " (it was destroyed)" : "",
              loss_message_.empty() ? "the library gives no reason." : loss_message_);
}

Status Device::Core::CheckAlive() const {
  if (!lost()) return {};
  std::lock_guard lock(mutex_);
  return LossErrorLocked();
}

}  // namespace weft::gpu
