// SPDX-License-Identifier: Apache-2.0
// What the files of the command side share.
#pragma once

#include <string_view>

#include "host/webgpu/encoder_state.h"
#include "host/webgpu/virtual_gpu.h"

namespace weft::host {

// The specification's "validate the encoder state", and whether there is still anything to check: false once the encoder has failed.
bool EncoderOpen(VCommandEncoder& encoder, std::string_view method);

// The rule "valid to use with" for what a command names; on failure the encoder has failed. Resources go through VEncoder::Use as well.
inline bool UseObject(VEncoder& encoder, const VObject& object, const VObject& where, std::string_view method) {
  if (object.device() == encoder.device() && object.valid()) [[likely]]
    return true;
  encoder.Fail(fmt::format("{}.{}: {}", where.Name(), method, UseProblem(encoder.device(), object).value_or("")));
  return false;
}

// To be called after VEncoder::Use, so that the end of a frame finds the encoder.
inline void WatchIfLent(VirtualGpu& gpu, VEncoder& encoder) {
  if (encoder.TakeLentGrew()) [[unlikely]]
    gpu.Watch(&encoder);
}

// Around a call of the library that records: what it raises belongs to the encoder and comes out at finish.
class DeferredErrors {
 public:
  DeferredErrors(VEncoder& encoder, std::string_view method) : encoder_(encoder), method_(method), errors_(encoder.device()) {}
  ~DeferredErrors();

 private:
  VEncoder& encoder_;
  std::string_view method_;
  NativeErrors errors_;
};

// Debug labels go to the driver; nobody reads more than this of one.
inline std::string_view ShortLabel(Str label) {
  std::string_view s = label.view().substr(0, 256);
  // Not in the middle of a character of UTF-8.
  if (s.size() < label.size) {
    while (!s.empty() && (static_cast<unsigned char>(label.data[s.size()]) & 0xC0) == 0x80) s.remove_suffix(1);
  }
  return s;
}

}  // namespace weft::host
