// SPDX-License-Identifier: Apache-2.0
// Limits of a plugin: one table of what an instance may use, which options, inspections and reports all go by.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "graph/node.h"
#include "host/webgpu/account.h"
#include "wasm/engine.h"

namespace weft::host {
class VirtualGpu;
}

namespace weft::nodes {

using LimitUnit = host::QuotaUnit;

struct LimitRow {
  std::string_view name;  // "gpu-memory"
  LimitUnit unit;
  uint64_t most;          // the default; 0: not limited
  std::string_view text;  // for people
};
// Always the same rows in the same order.
std::span<const LimitRow> LimitRows();

// By name, other than by default.
using LimitValues = std::map<std::string, uint64_t, std::less<>>;

struct PluginLimits {
  wasm::Limits wasm;
  host::Quotas quotas;
  // From when a piece of its GPU work became the oldest that is not done. The supervisor's to see to.
  std::chrono::nanoseconds gpu_time;
};
// A name that is none, and 0, are errors.
Result<PluginLimits> ReadLimits(const LimitValues& values);
// In the order of LimitRows().
std::vector<uint64_t> MostOf(const LimitValues& values);

// The most that all lives of a plugin have used. Noted by one thread at a time, read by any.
class LimitUse {
 public:
  LimitUse(const wasm::Limits& limits, const host::Quotas& quotas) : limits_(limits), quotas_(quotas) {}
  void Note(const wasm::Instance& instance, const host::VirtualGpu& gpu);
  void NoteCall(std::chrono::nanoseconds took);
  std::vector<graph::LimitUse> Read() const;

 private:
  const wasm::Limits& limits_;
  const host::Quotas& quotas_;
  std::atomic<uint64_t> memory_{0}, tables_{0}, time_{0};
  std::atomic<uint64_t> gpu_[host::kQuotaCount]{};
};

}  // namespace weft::nodes
