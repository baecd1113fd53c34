// SPDX-License-Identifier: Apache-2.0
#include "weft/weft.h"
#include "weft/weft.hpp"

static_assert(noexcept(weftGraphRun(nullptr, nullptr, nullptr)));
