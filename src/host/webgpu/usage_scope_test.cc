// SPDX-License-Identifier: Apache-2.0
#include "host/webgpu/usage_scope.h"

#include <gtest/gtest.h>

namespace weft::host {
namespace {

int a, b;  // any two addresses

TEST(UsageScope, ManyKindsOfReadingGoTogether) {
  UsageScope s;
  EXPECT_FALSE(s.AddBuffer(&a, Use::Input));
  EXPECT_FALSE(s.AddBuffer(&a, Use::Constant));
  EXPECT_FALSE(s.AddBuffer(&a, Use::StorageRead));
  EXPECT_EQ(s.size(), 1u);
}

TEST(UsageScope, WritingExcludesReadingInEitherOrder) {
  UsageScope s;
  EXPECT_FALSE(s.AddBuffer(&a, Use::Storage));
  auto c = s.AddBuffer(&a, Use::Input);
  ASSERT_TRUE(c);
  EXPECT_EQ(c.was, Use::Storage);
  EXPECT_EQ(c.now, Use::Input);
  EXPECT_FALSE(s.AddBuffer(&b, Use::Input));
  EXPECT_TRUE(s.AddBuffer(&b, Use::Storage));
}

TEST(UsageScope, TheSameWritableStorageUseTwiceIsAllowed) {
  UsageScope s;
  EXPECT_FALSE(s.AddBuffer(&a, Use::Storage));
  EXPECT_FALSE(s.AddBuffer(&a, Use::Storage));
}

TEST(UsageScope, OtherMipsAndLayersDoNotConflict) {
  UsageScope s;
  EXPECT_FALSE(s.AddTexture(&a, 4, 2, {0, 1, 0, 2}, Use::Attachment));
  EXPECT_FALSE(s.AddTexture(&a, 4, 2, {1, 4, 0, 2}, Use::Constant));
  EXPECT_TRUE(s.AddTexture(&a, 4, 2, {0, 4, 1, 2}, Use::Constant));
  EXPECT_TRUE(s.AddTexture(&a, 4, 2, {2, 3, 0, 1}, Use::StorageWrite));
  EXPECT_FALSE(s.AddTexture(&b, 4, 2, {0, 4, 0, 2}, Use::Constant));
}

TEST(UsageScope, ManyRangesOfOneTextureAreStillToldApart) {
  UsageScope s;
  for (uint32_t layer = 0; layer < 100; layer += 2) EXPECT_FALSE(s.AddTexture(&a, 1, 100, {0, 1, layer, layer + 1}, Use::StorageWrite));
  for (uint32_t layer = 1; layer < 100; layer += 2) EXPECT_FALSE(s.AddTexture(&a, 1, 100, {0, 1, layer, layer + 1}, Use::Constant));
  EXPECT_TRUE(s.AddTexture(&a, 1, 100, {0, 1, 41, 43}, Use::Constant));
  EXPECT_FALSE(s.AddTexture(&a, 1, 100, {0, 1, 42, 43}, Use::StorageWrite));
}

TEST(UsageScope, ClearForgetsAllAndManyResourcesFit) {
  UsageScope s;
  std::vector<int> many(1000);
  for (int& m : many) EXPECT_FALSE(s.AddBuffer(&m, Use::Storage));
  for (int& m : many) EXPECT_TRUE(s.AddBuffer(&m, Use::Constant));
  EXPECT_EQ(s.size(), 1000u);
  s.Clear();
  EXPECT_EQ(s.size(), 0u);
  for (int& m : many) EXPECT_FALSE(s.AddBuffer(&m, Use::Constant));
}

}  // namespace
}  // namespace weft::host
