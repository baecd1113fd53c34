// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/fail.h"
#include "base/rational.h"

namespace weft {
namespace {

Result<int> Half(int x) {
  if (x % 2) return Fail(ErrorKind::InvalidArgument, "{} is odd", x);
  return x / 2;
}
Status Twice(int x, int* out) {
  WEFT_TRY_ASSIGN(auto h, Half(x).Context("halving"));
  WEFT_TRY_ASSIGN(*out, Half(h));
  return {};
}

TEST(Result, CarriesTheValueThroughTryAssign) {
  int out = 0;
  ASSERT_TRUE(Twice(12, &out));
  EXPECT_EQ(out, 3);
}

TEST(Result, PutsOuterContextFirst) {
  int out = 0;
  auto s = Twice(3, &out).Context("node 'a'");
  ASSERT_FALSE(s);
  EXPECT_EQ(s.error().ToString(), "node 'a': halving: 3 is odd");
  EXPECT_EQ(s.error().kind(), ErrorKind::InvalidArgument);
}

TEST(Rational, ReducesAndComparesByValue) {
  EXPECT_EQ(Rational::Make(50, -100).num, -1);
  EXPECT_TRUE((Rational{1, 2} == Rational{2, 4}));
  EXPECT_TRUE((Rational{INT64_MAX, 3} < Rational{INT64_MAX, 2}));
}

}  // namespace
}  // namespace weft
