// SPDX-License-Identifier: Apache-2.0
// Table-driven tests of what the command side refuses. Tests only.
#pragma once

#include <functional>
#include <vector>

#include "host/webgpu/encoder_test_guest.h"

namespace weft::host {

struct Refusal {
  const char* what;
  std::function<void(TestGuest&, Rep encoder)> record;
  const char* expect;  // a part of the message
};

// Each in a guest of its own: records, finishes; the message must come out at finish and not before, and the command buffer must not run.
inline void CheckRefusals(const std::vector<Refusal>& table) {
  for (const auto& row : table) {
    SCOPED_TRACE(row.what);
    TestGuest g;
    const Rep e = g.Encoder();
    EXPECT_EQ(g.Errors(), "");
    row.record(g, e);
    EXPECT_EQ(g.Errors(), "") << "nothing is reported before finish";
    const Rep cb = g.Finish(e);
    const std::string errors = g.Errors();
    EXPECT_NE(errors.find(row.expect), std::string::npos) << "got: " << errors;
    EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 1) << errors;
    g.Submit({cb});
    const std::string at_submit = g.Errors();
    EXPECT_NE(at_submit.find("gpu-command-buffer 'cb' is invalid"), std::string::npos) << "got: " << at_submit;
  }
}

}  // namespace weft::host
