// SPDX-License-Identifier: Apache-2.0
// The two maps that a guest fills: pipeline constants and required limits.
#include "host/webgpu/values.h"
#include "host/webgpu/virtual_gpu.h"

namespace weft::host {

namespace {

// More keys than any pipeline or device has; a map is scanned.
constexpr size_t kMaxKeys = 4096;
constexpr size_t kMaxKeyBytes = 1024;

template <class V, class T>
Status AddTo(VRecord<V>& record, std::string_view key, const T& value) {
  if (key.size() > kMaxKeyBytes) {
    return Fail(ErrorKind::GuestTrap, "a key of a {} has at most {} bytes, not {}", KindName(record.kind()), kMaxKeyBytes, key.size());
  }
  if (V* found = record.Find(key)) {
    *found = value;
    return {};
  }
  if (record.entries.size() >= kMaxKeys) return Fail(ErrorKind::GuestTrap, "a {} holds at most {} keys", KindName(record.kind()), kMaxKeys);
  record.entries.emplace_back(std::string(key), value);
  return {};
}

template <class V>
List<Str> Keys(const VRecord<V>& record, std::vector<Str>& kept) {
  kept.clear();
  for (const auto& e : record.entries) kept.emplace_back(e.first);
  return List<Str>(std::span<const Str>(kept));
}

template <class V>
List<V> Values(const VRecord<V>& record, std::vector<V>& kept) {
  kept.clear();
  for (const auto& e : record.entries) kept.push_back(e.second);
  return List<V>(std::span<const V>(kept));
}

template <class V>
List<Tuple2<Str, V>> Entries(const VRecord<V>& record, std::vector<Tuple2<Str, V>>& kept) {
  kept.clear();
  for (const auto& e : record.entries) kept.push_back({Str(e.first), e.second});
  return List<Tuple2<Str, V>>(std::span<const Tuple2<Str, V>>(kept));
}

}  // namespace

Result<Rep> VirtualGpu::OnRecordGpuPipelineConstantValueNew() { return Add(MakeRef<VRecordConstants>(account_)); }

Status VirtualGpu::OnRecordGpuPipelineConstantValueAdd(Rep self, Str key, double value) {
  WEFT_TRY_ASSIGN(auto record, Get<VRecordConstants>(self));
  return AddTo(*record, key.view(), value);
}

Result<Opt<double>> VirtualGpu::OnRecordGpuPipelineConstantValueGet(Rep self, Str key) {
  WEFT_TRY_ASSIGN(auto record, Get<VRecordConstants>(self));
  const double* v = record->Find(key.view());
  return v ? Opt<double>(*v) : Opt<double>();
}

Result<bool> VirtualGpu::OnRecordGpuPipelineConstantValueHas(Rep self, Str key) {
  WEFT_TRY_ASSIGN(auto record, Get<VRecordConstants>(self));
  return record->Find(key.view()) != nullptr;
}

Status VirtualGpu::OnRecordGpuPipelineConstantValueRemove(Rep self, Str key) {
  WEFT_TRY_ASSIGN(auto record, Get<VRecordConstants>(self));
  record->Remove(key.view());
  return {};
}

Result<List<Str>> VirtualGpu::OnRecordGpuPipelineConstantValueKeys(Rep self) {
  WEFT_TRY_ASSIGN(auto record, Get<VRecordConstants>(self));
  return Keys(*record, kept_strs_);
}

Result<List<double>> VirtualGpu::OnRecordGpuPipelineConstantValueValues(Rep self) {
  WEFT_TRY_ASSIGN(auto record, Get<VRecordConstants>(self));
  return Values(*record, kept_doubles_);
}

Result<List<Tuple2<Str, double>>> VirtualGpu::OnRecordGpuPipelineConstantValueEntries(Rep self) {
  WEFT_TRY_ASSIGN(auto record, Get<VRecordConstants>(self));
  return Entries(*record, kept_double_entries_);
}

Result<Rep> VirtualGpu::OnRecordOptionGpuSize64New() { return Add(MakeRef<VRecordSize64>(account_)); }

Status VirtualGpu::OnRecordOptionGpuSize64Add(Rep self, Str key, const Opt<uint64_t>& value) {
  WEFT_TRY_ASSIGN(auto record, Get<VRecordSize64>(self));
  return AddTo(*record, key.view(), value);
}

Result<Opt<Opt<uint64_t>>> VirtualGpu::OnRecordOptionGpuSize64Get(Rep self, Str key) {
  WEFT_TRY_ASSIGN(auto record, Get<VRecordSize64>(self));
  const Opt<uint64_t>* v = record->Find(key.view());
  return v ? Opt<Opt<uint64_t>>(*v) : Opt<Opt<uint64_t>>();
}

Result<bool> VirtualGpu::OnRecordOptionGpuSize64Has(Rep self, Str key) {
  WEFT_TRY_ASSIGN(auto record, Get<VRecordSize64>(self));
  return record->Find(key.view()) != nullptr;
}

Status VirtualGpu::OnRecordOptionGpuSize64Remove(Rep self, Str key) {
  WEFT_TRY_ASSIGN(auto record, Get<VRecordSize64>(self));
  record->Remove(key.view());
  return {};
}

Result<List<Str>> VirtualGpu::OnRecordOptionGpuSize64Keys(Rep self) {
  WEFT_TRY_ASSIGN(auto record, Get<VRecordSize64>(self));
  return Keys(*record, kept_strs_);
}

Result<List<Opt<uint64_t>>> VirtualGpu::OnRecordOptionGpuSize64Values(Rep self) {
  WEFT_TRY_ASSIGN(auto record, Get<VRecordSize64>(self));
  return Values(*record, kept_sizes_);
}

Result<List<Tuple2<Str, Opt<uint64_t>>>> VirtualGpu::OnRecordOptionGpuSize64Entries(Rep self) {
  WEFT_TRY_ASSIGN(auto record, Get<VRecordSize64>(self));
  return Entries(*record, kept_size_entries_);
}

}  // namespace weft::host
