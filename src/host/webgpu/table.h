// SPDX-License-Identifier: Apache-2.0
// Table: the one place where a guest's numbers become objects. A row holds one reference; several rows may hold the same object (two
// handles of one device). The engine asks with the row number that it keeps for the guest's handle, so a guest cannot guess one; a wrong
// number or kind here is a fault of the engine or the guest and traps. Rows are used again after a drop.
// Threads: Get, Find and Drop are the instance's own; the rest any. A mutex guards what changes, since the GPU thread adds a row when it
// answers `lost`; a look-up takes none: the rows never move, and of those that the guest has handles of, other threads change none.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "base/fail.h"
#include "base/ref.h"
#include "base/result.h"
#include "host/webgpu/objects.h"

namespace weft::host {

class Table : public RefCounted {
 public:
  explicit Table(Ref<Account> account);

  // Fails, as a trap, only when the instance is so far over its quota of objects that not even an invalid one fits, or has ended.
  Result<Rep> Add(Ref<VObject> object);
  // T::kKind says what the row must hold. The reference keeps the object alive beside the table.
  template <class T>
  Result<Ref<T>> Get(Rep rep) const {
    WEFT_TRY_ASSIGN(Ref<VObject> object, Find(rep, T::kKind));
    return Ref<T>(static_cast<T*>(object.get()));
  }
  Result<Ref<VObject>> Find(Rep rep, Kind kind) const {
    if (rep == 0 || rep > size_.load(std::memory_order_acquire)) return NoSuch(rep, kind);
    const Ref<VObject>& object = rows_[rep - 1];
    if (!object || object->kind() != kind) return NoSuch(rep, kind);
    return object;
  }
  // Takes the row's reference out; null when there is no such row.
  Ref<VObject> Drop(Rep rep, Kind kind);
  // Empties the table and refuses new rows. The objects that were left.
  std::vector<Ref<VObject>> Close();
  // All live objects, for the end of a device.
  std::vector<Ref<VObject>> All() const;
  size_t rows() const;

 private:
  Error NoSuch(Rep rep, Kind kind) const;

  mutable std::mutex mutex_;
  std::vector<Ref<VObject>> rows_;  // row n is rep n + 1; all the room it can ever take is reserved at the start
  std::atomic<size_t> size_{0};     // of rows_
  std::vector<uint32_t> free_;
  bool closed_ = false;
  const Ref<Account> account_;
};

}  // namespace weft::host
