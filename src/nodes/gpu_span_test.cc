// SPDX-License-Identifier: Apache-2.0
#include "nodes/gpu_span.h"

#include <gtest/gtest.h>

namespace weft::nodes {
namespace {

using Total = GpuLedger::Total;

TEST(GpuLedger, GivesEachMomentToTheSpanThatBeganLast) {
  GpuLedger ledger;
  auto outer = std::make_shared<Total>(), inner = std::make_shared<Total>();
  ledger.Add(outer, 100, 200);
  ledger.Add(inner, 120, 150);
  ledger.Settle();
  EXPECT_EQ(outer->ns, 70u);
  EXPECT_EQ(inner->ns, 30u);
  ledger.Add(outer, 190, 220);
  ledger.Settle();
  EXPECT_EQ(outer->ns, 90u) << "what was given is not given again";
}

TEST(GpuLedger, SumsToTheBusyTimeOverALongRun) {
  GpuLedger ledger;
  std::vector<std::shared_ptr<Total>> nodes;
  for (int i = 0; i < 4; ++i) nodes.push_back(std::make_shared<Total>());
  // Each span reaches into the next two.
  for (uint64_t k = 0; k < 5000; ++k) ledger.Add(nodes[k % 4], 10 * k, 10 * k + 25);
  ledger.Settle();
  uint64_t sum = 0;
  for (const auto& n : nodes) sum += n->ns;
  EXPECT_EQ(sum, 4999u * 10 + 25);
  EXPECT_EQ(nodes[0]->frames, 1250u);
}

}  // namespace
}  // namespace weft::nodes
