// SPDX-License-Identifier: Apache-2.0
#include "wasm/call.h"

#include <utility>

#include "wasm/engine_abi.h"

namespace weft::wasm {

RawCall::RawCall(RawCall&& o) noexcept : handle_(std::exchange(o.handle_, nullptr)) {}

RawCall& RawCall::operator=(RawCall&& o) noexcept {
  std::swap(handle_, o.handle_);
  return *this;
}

RawCall::~RawCall() {
  if (handle_) weft_call_free(handle_);
}

void RawCall::OnWake(std::function<void()> wake) {
  weft_call_on_wake(
      handle_, new std::function<void()>(std::move(wake)), [](void* data) { (*static_cast<std::function<void()>*>(data))(); },
      [](void* data) { delete static_cast<std::function<void()>*>(data); });
}

bool RawCall::Poll() { return weft_call_poll(handle_); }
void RawCall::Limit(std::chrono::milliseconds time) { weft_call_limit(handle_, static_cast<uint64_t>(time.count())); }
bool RawCall::finished() const { return weft_call_finished(handle_); }
void RawCall::WaitFinished() { weft_call_wait(handle_); }
const void* RawCall::value() const { return weft_call_value(handle_); }

Status RawCall::Outcome() const {
  if (value()) return {};
  return error();
}

Error RawCall::error() const {
  Status s = TakeError(weft_call_error(handle_));
  return s ? Error(ErrorKind::Internal, "the call has neither a value nor an error") : std::move(s.error());
}

}  // namespace weft::wasm
