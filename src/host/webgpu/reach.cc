// SPDX-License-Identifier: Apache-2.0
#include "host/webgpu/reach.h"

#include <fmt/format.h>

#include "host/webgpu/virtual_device.h"

namespace weft::host {

bool Reach::Contains(const VResource* resource) const {
  if (!index_.empty()) return index_.contains(resource);
  for (const auto& r : items_) {
    if (r.get() == resource) return true;
  }
  return false;
}

void Reach::Add(VResource* resource) {
  // Most calls name what the call before named.
  if (!items_.empty() && items_.back().get() == resource) return;
  if (Contains(resource)) return;
  items_.emplace_back(resource);
  if (!index_.empty()) {
    index_.insert(resource);
  } else if (items_.size() > kScan) {
    for (const auto& r : items_) index_.insert(r.get());
  }
}

void Reach::Merge(const Reach& other) {
  for (const auto& r : other.items_) Add(r.get());
}

namespace {

std::string Ended(const VResource& r) {
  return r.state() == VResource::State::Destroyed
             ? fmt::format("{} was destroyed", r.Name())
             : fmt::format("{} belongs to a frame that is over; what a frame lends, and all that was made from it, ends with the frame",
                           r.Name());
}

}  // namespace

std::optional<std::string> Reach::RecordRefusal() const {
  for (const auto& r : items_) {
    if (!r->alive()) return Ended(*r);
  }
  return std::nullopt;
}

std::optional<std::string> Reach::SubmitRefusal() const {
  for (const auto& r : items_) {
    if (!r->alive()) return Ended(*r);
    if (r->mapped()) return fmt::format("{} is mapped or waits for its map; unmap it first", r->Name());
  }
  return std::nullopt;
}

}  // namespace weft::host
