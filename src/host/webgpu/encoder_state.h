// SPDX-License-Identifier: Apache-2.0
// The command side's objects: command encoders and command buffers, and what they share with bundle encoders (WebGPU 13, 14).
//
// An encoder keeps the first error made in it, and what it reaches. An error inside an encoder or a pass is no error yet: it makes
// `finish` report one and answer an invalid command buffer. The native encoder is fed as the calls come, and only with calls that were
// found right; after the first error it is fed no more.
// Ownership: a pass holds its encoder; the encoder knows its open pass by a plain pointer that the pass takes back when it ends or goes.
// Threads: the instance's own.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/fail.h"
#include "host/webgpu/objects.h"
#include "host/webgpu/virtual_device.h"

namespace weft::host {

// The textures and buffers that commands may have written: a node wants to know which of its outputs a frame has touched.
using WrittenSet = std::vector<Ref<VResource>>;
void NoteWritten(WrittenSet& set, VResource* resource);
void NoteWritten(WrittenSet& set, const WrittenSet& more);

// A command encoder or a bundle encoder.
class VEncoder : public VReaching {
 public:
  // The first one is kept, the later ones are its consequences.
  void Fail(std::string message) {
    if (error_.empty()) error_ = std::move(message);
    feed_ = false;
  }
  bool failed() const { return !error_.empty(); }
  const std::string& error() const { return error_; }
  // Whether commands still go to the library.
  bool feed() const { return feed_; }
  void StartFeed() { feed_ = true; }
  // It reaches something destroyed: that is no error before submit, but the library must not see it.
  void Starve() { feed_ = false; }

  // Notes that a command uses `resource`. False when it must not be used at all, then the encoder has failed with a sentence that begins
  // with "<where>.<method>: ".
  bool Use(VResource* resource, bool writes, const VObject& where, std::string_view method);
  bool Use(const Reach& reach, const VObject& where, std::string_view method);

  Reach& mutable_reach() { return reach_; }
  // What it reaches has grown since it was last put under watch (VirtualGpu::Watch).
  bool TakeLentGrew() { return std::exchange(lent_grew_, false); }

  uint32_t debug_depth = 0;
  WrittenSet written;

 protected:
  // For DropNative: the sentence that names what was revoked.
  void FailRevoked();
  using VReaching::VReaching;

 private:
  std::string error_;
  bool feed_ = false;
  bool lent_grew_ = false;
};

class VPass;

class VCommandEncoder final : public VEncoder {
 public:
  static constexpr Kind kKind = Kind::CommandEncoder;
  enum class State : uint8_t { Open, Locked, Ended };

  VCommandEncoder(Ref<Account> account, Ref<VDevice> device, std::string_view label)
      : VEncoder(kKind, std::move(account), std::move(device), label) {}
  // A frame was revoked that it reaches.
  void DropNative() override;

  State state = State::Open;
  VPass* open_pass = nullptr;  // while Locked
  gpu::Owned<WGPUCommandEncoder> native;
};

class VCommandBuffer final : public VReaching {
 public:
  static constexpr Kind kKind = Kind::CommandBuffer;
  VCommandBuffer(Ref<Account> account, Ref<VDevice> device, std::string_view label)
      : VReaching(kKind, std::move(account), std::move(device), label) {}
  void DropNative() override { native.Reset(); }
  Reach& mutable_reach() { return reach_; }

  bool submitted = false;
  std::string invalid_because;  // of an invalid one
  WrittenSet written;
  // What the library has recorded; it sees it finished at submit, for what was finished and is not submitted it never frees, nor what that
  // uses. Null where it must never see it: it reaches something destroyed, and submit will say so.
  gpu::Owned<WGPUCommandEncoder> native;
};

// Why `object` may not be used with an encoder of `device`; nothing when it may. Destroyed is no reason: submit refuses that.
inline std::optional<std::string> UseProblem(const VDevice* device, const VObject& object) {
  if (object.device() == device && object.valid()) [[likely]]
    return std::nullopt;
  if (object.device() != device) return object.Name() + " belongs to another device. Objects of two devices cannot be used together.";
  return object.Name() + " is invalid: its creation had failed. See the error that was reported then.";
}

}  // namespace weft::host
