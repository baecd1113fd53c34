// SPDX-License-Identifier: Apache-2.0
#include "nodes/gpu_span.h"

#include <algorithm>
#include <span>

namespace weft::nodes {

void GpuLedger::Add(std::shared_ptr<Total> node, uint64_t begin, uint64_t end) {
  std::lock_guard lock(mutex_);
  ++node->frames;
  begin = std::max(begin, settled_);
  if (begin >= end) return;
  pending_.push_back({begin, end, std::move(node)});
  if (pending_.size() < kMostPending) return;
  // Spans come about in order: the older half is complete.
  std::vector<uint64_t> begins;
  for (const Span& s : pending_) begins.push_back(s.begin);
  std::ranges::nth_element(begins, begins.begin() + kMostPending / 2);
  SettleUntil(begins[kMostPending / 2]);
  if (pending_.size() >= kMostPending) SettleUntil(UINT64_MAX);
}

void GpuLedger::Settle() {
  std::lock_guard lock(mutex_);
  SettleUntil(UINT64_MAX);
}

void GpuLedger::SettleUntil(uint64_t until) {
  std::ranges::sort(pending_, {}, &Span::begin);
  std::vector<uint64_t> moments;
  for (const Span& s : pending_) {
    if (s.begin >= until) break;
    moments.push_back(s.begin);
    moments.push_back(std::min(s.end, until));
  }
  std::ranges::sort(moments);
  for (size_t m = 0; m + 1 < moments.size(); ++m) {
    const uint64_t from = moments[m], to = moments[m + 1];
    if (from == to) continue;
    Span* owner = nullptr;
    for (Span& s : pending_) {
      if (s.begin > from) break;
      if (s.end >= to) owner = &s;
    }
    if (owner) owner->node->ns += to - from;
  }
  if (!moments.empty()) settled_ = std::max(settled_, moments.back());
  for (Span& s : pending_) s.begin = std::max(s.begin, std::min(s.end, until));
  std::erase_if(pending_, [](const Span& s) { return s.begin >= s.end; });
}

GpuSpans::GpuSpans(Ref<gpu::Device> device, std::shared_ptr<GpuLedger> ledger)
    : timestamps_(ledger ? gpu::Timestamps::Create(std::move(device), 2, 16) : nullptr),
      ledger_(std::move(ledger)),
      total_(std::make_shared<GpuLedger::Total>()) {}

GpuSpans::Span GpuSpans::Begin() {
  Span span;
  if (!timestamps_ || !timestamps_->available()) return span;
  span.frame_ = timestamps_->Begin();
  span.ledger_ = ledger_;
  span.total_ = total_;
  ++begun_;
  return span;
}

void GpuSpans::Span::Finish() {
  if (!frame_) return;
  frame_->Finish([ledger = ledger_, total = total_](std::span<const uint64_t> ns) {
    if (ns.size() == 2 && ns[1] >= ns[0]) ledger->Add(total, ns[0], ns[1]);
  });
  frame_.reset();
}

std::optional<uint64_t> GpuSpans::total_ns() const {
  if (ledger_) ledger_->Settle();
  const uint64_t frames = total_->frames;
  if (frames == 0) return std::nullopt;
  return static_cast<uint64_t>(static_cast<double>(total_->ns) / static_cast<double>(frames) * static_cast<double>(begun_.load()));
}

}  // namespace weft::nodes
