// SPDX-License-Identifier: Apache-2.0
// Objects that are only values: what getters hand out, and the maps that a guest fills. None has a native side.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "host/webgpu/objects.h"
#include "host/webgpu/virtual_device.h"

namespace weft::host {

class VGpu final : public VObject {
 public:
  static constexpr Kind kKind = Kind::Gpu;
  explicit VGpu(Ref<Account> account) : VObject(kKind, std::move(account), {}, {}) {}
};

// An adapter gives one device and is then used up.
class VAdapter final : public VObject {
 public:
  static constexpr Kind kKind = Kind::Adapter;
  explicit VAdapter(Ref<Account> account) : VObject(kKind, std::move(account), {}, {}) {}
  bool consumed = false;
};

class VAdapterInfo final : public VObject {
 public:
  static constexpr Kind kKind = Kind::AdapterInfo;
  explicit VAdapterInfo(Ref<Account> account) : VObject(kKind, std::move(account), {}, {}) {}
};

class VQueue final : public VObject {
 public:
  static constexpr Kind kKind = Kind::Queue;
  VQueue(Ref<Account> account, Ref<VDevice> device, std::string_view label)
      : VObject(kKind, std::move(account), std::move(device), label) {}
};

class VSupportedFeatures final : public VObject {
 public:
  static constexpr Kind kKind = Kind::SupportedFeatures;
  VSupportedFeatures(Ref<Account> account, Features features) : VObject(kKind, std::move(account), {}, {}), features(features) {}
  const Features features;
};

class VSupportedLimits final : public VObject {
 public:
  static constexpr Kind kKind = Kind::SupportedLimits;
  VSupportedLimits(Ref<Account> account, const WGPULimits& limits) : VObject(kKind, std::move(account), {}, {}), limits(limits) {}
  const WGPULimits limits;
};

class VWgslLanguageFeatures final : public VObject {
 public:
  static constexpr Kind kKind = Kind::WgslLanguageFeatures;
  explicit VWgslLanguageFeatures(Ref<Account> account) : VObject(kKind, std::move(account), {}, {}) {}
};

class VCompilationInfo final : public VObject {
 public:
  static constexpr Kind kKind = Kind::CompilationInfo;
  VCompilationInfo(Ref<Account> account, std::vector<CompilationMessage> messages)
      : VObject(kKind, std::move(account), {}, {}), messages(std::move(messages)) {}
  const std::vector<CompilationMessage> messages;
};

class VCompilationMessage final : public VObject {
 public:
  static constexpr Kind kKind = Kind::CompilationMessage;
  VCompilationMessage(Ref<Account> account, CompilationMessage message)
      : VObject(kKind, std::move(account), {}, {}), message(std::move(message)) {}
  const CompilationMessage message;
};

class VDeviceLostInfo final : public VObject {
 public:
  static constexpr Kind kKind = Kind::DeviceLostInfo;
  VDeviceLostInfo(Ref<Account> account, wit::GpuDeviceLostReason reason, std::string message)
      : VObject(kKind, std::move(account), {}, {}), reason(reason), message(std::move(message)) {}
  const wit::GpuDeviceLostReason reason;
  const std::string message;
};

class VError final : public VObject {
 public:
  static constexpr Kind kKind = Kind::GpuError;
  VError(Ref<Account> account, Ref<VDevice> device, DeviceError error, bool from_stream)
      : VObject(kKind, std::move(account), std::move(device), {}), error(std::move(error)), from_stream(from_stream) {}
  const DeviceError error;
  const bool from_stream;  // counts against the quota of unread events until dropped
};

// Ordered maps: keys, values and entries come in the order of insertion, as in JavaScript.
template <class V>
class VRecord : public VObject {
 public:
  std::vector<std::pair<std::string, V>> entries;
  V* Find(std::string_view key) {
    for (auto& e : entries) {
      if (e.first == key) return &e.second;
    }
    return nullptr;
  }
  void Remove(std::string_view key) {
    std::erase_if(entries, [&](const auto& e) { return e.first == key; });
  }

 protected:
  VRecord(Kind kind, Ref<Account> account) : VObject(kind, std::move(account), {}, {}) {}
};

class VRecordConstants final : public VRecord<double> {
 public:
  static constexpr Kind kKind = Kind::RecordConstants;
  explicit VRecordConstants(Ref<Account> account) : VRecord(kKind, std::move(account)) {}
};

class VRecordSize64 final : public VRecord<Opt<uint64_t>> {
 public:
  static constexpr Kind kKind = Kind::RecordSize64;
  explicit VRecordSize64(Ref<Account> account) : VRecord(kKind, std::move(account)) {}
};

}  // namespace weft::host
