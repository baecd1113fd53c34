// SPDX-License-Identifier: Apache-2.0
#include "host/webgpu/encoder_state.h"

#include <algorithm>

#include "host/webgpu/pass_state.h"

namespace weft::host {

void NoteWritten(WrittenSet& set, VResource* resource) {
  // Few outputs a frame: a scan from the back, where the last one written stands.
  auto same = [resource](const Ref<VResource>& r) { return r.get() == resource; };
  if (std::find_if(set.rbegin(), set.rend(), same) == set.rend()) set.push_back(Ref<VResource>(resource));
}

void NoteWritten(WrittenSet& set, const WrittenSet& more) {
  for (const auto& r : more) NoteWritten(set, r.get());
}

bool VEncoder::Use(VResource* resource, bool writes, const VObject& where, std::string_view method) {
  if (!resource->alive()) [[unlikely]] {
    if (resource->state() == VResource::State::Revoked) {
      Fail(fmt::format(
          "{}.{}: {} was lent for frame {} and is revoked. Ask for this frame's handles again and make the objects that use it anew.",
          where.Name(), method, resource->Name(), resource->frame()));
      return false;
    }
    Starve();
  }
  reach_.Add(resource);
  if (resource->imported()) lent_grew_ = true;
  if (writes && resource->imported()) NoteWritten(written, resource);
  return true;
}

bool VEncoder::Use(const Reach& reach, const VObject& where, std::string_view method) {
  for (const auto& r : reach.items()) {
    if (!Use(r.get(), false, where, method)) return false;
  }
  return true;
}

void VEncoder::FailRevoked() {
  for (const auto& r : reach_.items()) {
    if (!r->imported()) continue;
    Fail(fmt::format("{} was lent for frame {} and is revoked; {} has used it. Record each frame's commands into a new encoder.", r->Name(),
                     r->frame(), Name()));
    break;
  }
  Starve();
}

void VCommandEncoder::DropNative() {
  FailRevoked();
  if (open_pass != nullptr) open_pass->DropNativePass();
  native.Reset();
}

}  // namespace weft::host
