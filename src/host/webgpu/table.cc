// SPDX-License-Identifier: Apache-2.0
#include "host/webgpu/table.h"

#include <algorithm>

#include "host/webgpu/virtual_device.h"  // Ref<VDevice> in inline code

namespace weft::host {

namespace {
// How many invalid objects an instance over its quota may still name before it is trapped.
constexpr size_t kSlack = 1024;
// Room is reserved for this many at most, whatever the quota.
constexpr size_t kMostRows = size_t{1} << 22;
}  // namespace

Table::Table(Ref<Account> account) : account_(std::move(account)) {
  rows_.reserve(std::min(account_->quotas()[Quota::Objects], uint64_t{kMostRows}) + kSlack);
}

Result<Rep> Table::Add(Ref<VObject> object) {
  const Kind kind = object->kind();
  std::lock_guard lock(mutex_);
  if (closed_) return Fail(ErrorKind::GuestTrap, "a new {} cannot be named: the instance has ended", KindName(kind));
  if (rows_.size() - free_.size() >= rows_.capacity()) {
    account_->Fail(fmt::format("quota: gpu objects: the plugin holds {} handles, its limit is {}; the last that it asked for is a {}",
                               rows_.size() - free_.size(), account_->quotas()[Quota::Objects], KindName(kind)));
    return Error(ErrorKind::OutOfMemory, account_->failure().value_or(std::string()));
  }
  if (!free_.empty()) {
    const uint32_t row = free_.back();
    free_.pop_back();
    rows_[row] = std::move(object);
    return row + 1;
  }
  rows_.push_back(std::move(object));
  size_.store(rows_.size(), std::memory_order_release);
  return static_cast<Rep>(rows_.size());
}

Error Table::NoSuch(Rep rep, Kind kind) const {
  if (rep == 0 || rep > size_ || !rows_[rep - 1]) {
    return Fail(ErrorKind::GuestTrap, "{} {} names no live object of this instance", KindName(kind), rep);
  }
  return Fail(ErrorKind::GuestTrap, "handle {} was used as a {}, but it is a {}", rep, KindName(kind), KindName(rows_[rep - 1]->kind()));
}

Ref<VObject> Table::Drop(Rep rep, Kind kind) {
  std::lock_guard lock(mutex_);
  if (rep == 0 || rep > rows_.size() || !rows_[rep - 1] || rows_[rep - 1]->kind() != kind) return {};
  free_.push_back(rep - 1);
  return std::exchange(rows_[rep - 1], {});
}

std::vector<Ref<VObject>> Table::Close() {
  std::lock_guard lock(mutex_);
  closed_ = true;
  size_ = 0;
  free_.clear();
  return std::exchange(rows_, {});
}

std::vector<Ref<VObject>> Table::All() const {
  std::lock_guard lock(mutex_);
  std::vector<Ref<VObject>> all;
  all.reserve(rows_.size() - free_.size());
  for (const auto& r : rows_) {
    if (r) all.push_back(r);
  }
  return all;
}

size_t Table::rows() const {
  std::lock_guard lock(mutex_);
  return rows_.size() - free_.size();
}

}  // namespace weft::host
