// SPDX-License-Identifier: Apache-2.0
// VDevice: a virtual device, a facade over the one real device. Errors of its objects come here (error scopes, uncaptured errors, loss);
// limits and features are those that the instance was granted.
//
// Threads: the instance's own, except Lose(), which the GPU thread calls on a real loss.
#pragma once

#include <atomic>
#include <bitset>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "gpu/device.h"
#include "host/webgpu/objects.h"
#include "host/webgpu/table.h"

namespace weft::host {

using Features = std::bitset<wit::kGpuFeatureNameCount>;
inline bool Has(const Features& f, wit::GpuFeatureName name) { return f[static_cast<size_t>(name)]; }

enum class ErrorType : uint8_t { Validation, OutOfMemory, Internal };
std::string_view ErrorTypeName(ErrorType type);  // "validation", "out-of-memory", "internal"

struct DeviceError {
  ErrorType type{};
  std::string message;
};

class VDevice final : public VObject {
 public:
  static constexpr Kind kKind = Kind::Device;
  // `log` gets uncaptured errors and must outlive the instance.
  VDevice(Ref<Account> account, Ref<gpu::Device> gpu, Ref<Table> table, const Log& log, std::string_view label, const WGPULimits& limits,
          Features features);

  gpu::Device& gpu() const { return *gpu_; }
  const gpu::Procs& wgpu() const { return gpu_->procs(); }
  const WGPULimits& limits() const { return limits_; }
  const Features& features() const { return features_; }
  bool Has(wit::GpuFeatureName name) const { return host::Has(features_, name); }

  // Routes an error to the innermost scope whose filter fits, else to the stream that the guest took, else to the log and the list for the
  // node. Nothing is reported on a lost device (specification 22).
  void Report(ErrorType type, std::string message);
  // How many errors were reported so far, wherever they went.
  uint64_t reported() const { return reported_; }
  void Validation(std::string message) { Report(ErrorType::Validation, std::move(message)); }

  void PushScope(wit::GpuErrorFilter filter);
  // Nothing: there was no scope. Else the error that the scope caught first.
  std::optional<std::optional<DeviceError>> PopScope();
  void TakeStream(StreamSource<Rep> stream);
  // A guest dropped an error that the stream had brought.
  void StreamErrorRead();

  // Uncaptured errors since the last call, at most 16; the guest took no stream for them.
  std::vector<DeviceError> TakeUncaptured();

  // Any thread. The first call counts. Answers all that wait for `lost`.
  void Lose(wit::GpuDeviceLostReason reason, std::string_view message);
  bool lost() const { return lost_.load(std::memory_order_acquire); }
  void WhenLost(Completion<Rep> done);
  Ref<VObject> queue;  // its VQueue, once asked for; they hold each other until Close()

  // The instance ends: nobody is answered any more.
  void Close();

 private:
  struct Scope {
    wit::GpuErrorFilter filter;
    std::optional<DeviceError> error;
  };
  void AnswerLost(Completion<Rep> done);

  const Ref<gpu::Device> gpu_;  // natives of this device's objects end before it
  const Ref<Table> table_;
  const Log& log_;
  const WGPULimits limits_;
  const Features features_;
  std::vector<Scope> scopes_;
  StreamSource<Rep> stream_;
  bool stream_taken_ = false;
  uint32_t stream_unread_ = 0;
  uint64_t reported_ = 0;
  std::vector<DeviceError> uncaptured_;

  mutable std::mutex lost_mutex_;
  std::atomic<bool> lost_{false};
  wit::GpuDeviceLostReason lost_reason_{};
  std::string lost_message_;
  std::vector<Completion<Rep>> lost_waiting_;
};

// The library's text without the lines that name its own functions, on one line.
std::string CleanMessage(std::string_view text);

// Around calls of the library for one virtual device: what it raises goes to the device's scopes when this ends, or at Flush().
//   NativeErrors errors(device);
//   auto h = procs.DeviceCreateBuffer(...);
//   if (errors.Flush()) object->Invalidate();
class NativeErrors {
 public:
  explicit NativeErrors(VDevice* device) : device_(device) {}
  ~NativeErrors() { Flush(); }
  // Routes what came so far; true when something did. `prefix` is put before each message.
  bool Flush(std::string_view prefix = {});
  // What came, unrouted; the caller reports it itself.
  std::vector<DeviceError> Take();
  // The same, with the library's text as it is.
  std::vector<DeviceError> TakeRaw();

 private:
  VDevice* const device_;
  gpu::ErrorCollector errors_;
  size_t done_ = 0;
};

}  // namespace weft::host
