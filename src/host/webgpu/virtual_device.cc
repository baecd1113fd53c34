// SPDX-License-Identifier: Apache-2.0
#include "host/webgpu/virtual_device.h"

#include <fmt/format.h>

#include "host/webgpu/values.h"

namespace weft::host {

namespace {
constexpr size_t kMaxUncaptured = 16;  // kept and logged until the node takes them
constexpr size_t kMaxScopes = 1024;

ErrorType TypeOf(gpu::GpuErrorKind kind) {
  switch (kind) {
    case gpu::GpuErrorKind::Validation: return ErrorType::Validation;
    case gpu::GpuErrorKind::OutOfMemory: return ErrorType::OutOfMemory;
    case gpu::GpuErrorKind::Internal:
    case gpu::GpuErrorKind::Unknown: break;
  }
  return ErrorType::Internal;
}
}  // namespace

std::string_view ErrorTypeName(ErrorType type) {
  switch (type) {
    case ErrorType::Validation: return "validation";
    case ErrorType::OutOfMemory: return "out-of-memory";
    case ErrorType::Internal: break;
  }
  return "internal";
}

VDevice::VDevice(Ref<Account> account, Ref<gpu::Device> gpu, Ref<Table> table, const Log& log, std::string_view label,
                 const WGPULimits& limits, Features features)
    : VObject(kKind, std::move(account), {}, label),
      gpu_(std::move(gpu)),
      table_(std::move(table)),
      log_(log),
      limits_(limits),
      features_(features) {}

void VDevice::Report(ErrorType type, std::string message) {
  if (lost()) return;
  ++reported_;
  static_assert(static_cast<int>(ErrorType::Validation) == static_cast<int>(wit::GpuErrorFilter::Validation));
  static_assert(static_cast<int>(ErrorType::OutOfMemory) == static_cast<int>(wit::GpuErrorFilter::OutOfMemory));
  static_assert(static_cast<int>(ErrorType::Internal) == static_cast<int>(wit::GpuErrorFilter::Internal));
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (static_cast<int>(scope->filter) != static_cast<int>(type)) continue;
    if (!scope->error) scope->error = DeviceError{type, std::move(message)};
    return;
  }
  if (stream_taken_) {
    if (stream_unread_ >= account()->quotas()[Quota::UnreadErrors]) return;
    auto rep = table_->Add(MakeRef<VError>(account(), Ref<VDevice>(this), DeviceError{type, std::move(message)}, true));
    if (!rep) return;  // over the quota of handles, which the account has noted
    account()->NoteMost(Quota::UnreadErrors, ++stream_unread_);
    stream_.Push(*rep);
    return;
  }
  if (uncaptured_.size() >= kMaxUncaptured) return;
  log_.Write(LogLevel::Error, fmt::format("WebGPU {} error: {}", ErrorTypeName(type), message));
  uncaptured_.push_back({type, std::move(message)});
}

void VDevice::PushScope(wit::GpuErrorFilter filter) {
  if (scopes_.size() >= kMaxScopes) {
    account()->Fail(fmt::format("quota: gpu error scopes: {} are open, the limit is {}", scopes_.size(), kMaxScopes));
    scopes_.erase(scopes_.begin());
  }
  scopes_.push_back({filter, {}});
}

std::optional<std::optional<DeviceError>> VDevice::PopScope() {
  if (scopes_.empty()) return std::nullopt;
  std::optional<DeviceError> error = std::move(scopes_.back().error);
  scopes_.pop_back();
  return std::optional<std::optional<DeviceError>>(std::move(error));
}

void VDevice::TakeStream(StreamSource<Rep> stream) {
  stream_ = std::move(stream);
  stream_taken_ = true;
}

void VDevice::StreamErrorRead() {
  if (stream_unread_) --stream_unread_;
}

std::vector<DeviceError> VDevice::TakeUncaptured() { return std::exchange(uncaptured_, {}); }

void VDevice::Lose(wit::GpuDeviceLostReason reason, std::string_view message) {
  std::vector<Completion<Rep>> waiting;
  {
    std::lock_guard lock(lost_mutex_);
    if (lost_) return;
    lost_message_ = message;
    lost_reason_ = reason;
    lost_ = true;
    waiting = std::move(lost_waiting_);
    lost_waiting_.clear();
  }
  for (auto& done : waiting) AnswerLost(std::move(done));
}

void VDevice::AnswerLost(Completion<Rep> done) {
  auto rep = table_->Add(MakeRef<VDeviceLostInfo>(account(), lost_reason_, lost_message_));
  if (rep) {
    done.Done(*rep);
  } else {
    done.Trap(rep.error().message());
  }
}

void VDevice::WhenLost(Completion<Rep> done) {
  {
    std::lock_guard lock(lost_mutex_);
    if (!lost_) {
      if (lost_waiting_.size() < account()->quotas()[Quota::Objects]) {
        lost_waiting_.push_back(std::move(done));
        return;
      }
      account()->Fail(fmt::format("quota: gpu objects: {} futures wait for the loss of the device", lost_waiting_.size()));
    }
  }
  if (lost()) {
    AnswerLost(std::move(done));
  } else {
    done.Trap(account()->failure().value_or(std::string()));
  }
}

void VDevice::Close() {
  std::vector<Completion<Rep>> waiting;
  {
    std::lock_guard lock(lost_mutex_);
    waiting = std::move(lost_waiting_);
    lost_waiting_.clear();
  }
  for (auto& done : waiting) done.Trap("the instance has ended");
  stream_.Close();
  scopes_.clear();
  queue = {};
}

bool NativeErrors::Flush(std::string_view prefix) {
  const auto& all = errors_.errors();
  const bool any = done_ < all.size();
  for (; done_ < all.size(); ++done_) device_->Report(TypeOf(all[done_].kind), std::string(prefix) + CleanMessage(all[done_].message));
  return any;
}

std::vector<DeviceError> NativeErrors::Take() {
  const auto& all = errors_.errors();
  std::vector<DeviceError> taken;
  for (; done_ < all.size(); ++done_) taken.push_back({TypeOf(all[done_].kind), CleanMessage(all[done_].message)});
  return taken;
}

std::vector<DeviceError> NativeErrors::TakeRaw() {
  const auto& all = errors_.errors();
  std::vector<DeviceError> taken;
  for (; done_ < all.size(); ++done_) taken.push_back({TypeOf(all[done_].kind), all[done_].message});
  return taken;
}

std::string CleanMessage(std::string_view text) {
  // "Validation Error\n\nCaused by:\n  In wgpuDeviceCreateBuffer\n    Buffer size ..." -> "Buffer size ...".
  std::string out;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
    if (line.empty() || line == "Validation Error" || line == "Caused by:" || line.starts_with("In wgpu")) continue;
    if (!out.empty()) out += out.back() == '.' || out.back() == ':' ? " " : ": ";
    out += line;
  }
  return out;
}

}  // namespace weft::host
