// SPDX-License-Identifier: Apache-2.0
#include "nodes/limits.h"

#include <algorithm>

#include "base/fail.h"
#include "host/webgpu/virtual_gpu.h"

namespace weft::nodes {
namespace {

constexpr uint64_t kMillisecond = 1'000'000;
// Those that are not of the virtual GPU, in this order at the head of the table.
enum : size_t { kMemory, kTables, kTime, kFuel, kGpuTime, kOwnRows };

std::vector<LimitRow> MakeRows() {
  const wasm::Limits d;
  std::vector<LimitRow> rows = {
      {"memory", LimitUnit::Bytes, d.memory_bytes, "linear memory of its own"},
      {"tables", LimitUnit::Count, d.table_elements, "elements of its WebAssembly tables together"},
      {"time", LimitUnit::Nanoseconds, static_cast<uint64_t>(d.call_time.count()) * kMillisecond,
       "wall time of one call, waits for the GPU included; its start and its destructors are calls too"},
      {"fuel", LimitUnit::Count, d.fuel, "instructions of one call, for runs that end the same everywhere"},
      {"gpu-time", LimitUnit::Nanoseconds, 60'000 * kMillisecond, "GPU work of one frame, from when it is the oldest that is not done"},
  };
  for (size_t i = 0; i < host::kQuotaCount; ++i) {
    const host::QuotaRow& q = host::RowOf(static_cast<host::Quota>(i));
    rows.push_back({q.name, q.unit, q.most, q.text});
  }
  return rows;
}

void Raise(std::atomic<uint64_t>& most, uint64_t now) {
  if (now > most.load(std::memory_order_relaxed)) most.store(now, std::memory_order_relaxed);
}

}  // namespace

std::span<const LimitRow> LimitRows() {
  static const std::vector<LimitRow> kRows = MakeRows();
  return kRows;
}

Result<PluginLimits> ReadLimits(const LimitValues& values) {
  const auto rows = LimitRows();
  for (const auto& [name, value] : values) {
    if (std::ranges::none_of(rows, [&](const LimitRow& row) { return row.name == name; })) {
      std::string names;
      for (const LimitRow& row : rows) names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
      return Fail(ErrorKind::InvalidArgument, "'{}' is no limit of plugins; there are {}", name, names);
    }
    if (value == 0) return Fail(ErrorKind::InvalidArgument, "the limit '{}' is 0; it must be more (leave it out for its default)", name);
  }
  const std::vector<uint64_t> most = MostOf(values);
  PluginLimits out;
  out.wasm.memory_bytes = most[kMemory];
  out.wasm.table_elements = most[kTables];
  out.wasm.call_time = std::chrono::milliseconds(std::max<uint64_t>(1, most[kTime] / kMillisecond));
  out.wasm.fuel = most[kFuel];
  out.gpu_time = std::chrono::nanoseconds(most[kGpuTime]);
  for (size_t i = 0; i < host::kQuotaCount; ++i) out.quotas[static_cast<host::Quota>(i)] = most[kOwnRows + i];
  return out;
}

std::vector<uint64_t> MostOf(const LimitValues& values) {
  std::vector<uint64_t> most;
  for (const LimitRow& row : LimitRows()) {
    const auto it = values.find(row.name);
    most.push_back(it == values.end() ? row.most : it->second);
  }
  return most;
}

void LimitUse::Note(const wasm::Instance& instance, const host::VirtualGpu& gpu) {
  const wasm::Instance::Used used = instance.used();
  Raise(memory_, used.memory_bytes);
  Raise(tables_, used.table_elements);
  for (size_t i = 0; i < host::kQuotaCount; ++i) Raise(gpu_[i], gpu.account()->most(static_cast<host::Quota>(i)));
}

void LimitUse::NoteCall(std::chrono::nanoseconds took) { Raise(time_, static_cast<uint64_t>(std::max<int64_t>(0, took.count()))); }

std::vector<graph::LimitUse> LimitUse::Read() const {
  const auto rows = LimitRows();
  std::vector<graph::LimitUse> out = {
      {std::string(rows[kMemory].name), memory_, limits_.memory_bytes},
      {std::string(rows[kTables].name), tables_, limits_.table_elements},
      {std::string(rows[kTime].name), time_, static_cast<uint64_t>(limits_.call_time.count()) * kMillisecond},
  };
  for (size_t i = 0; i < host::kQuotaCount; ++i) {
    out.push_back({std::string(rows[kOwnRows + i].name), gpu_[i], quotas_[static_cast<host::Quota>(i)]});
  }
  return out;
}

}  // namespace weft::nodes
