// SPDX-License-Identifier: Apache-2.0
// Fail(): an Error from a format string. Apart from result.h, so that headers need no fmt.
#pragma once

#include <fmt/format.h>

#include "base/result.h"

namespace weft {

template <class... Args>
Error Fail(ErrorKind kind, fmt::format_string<Args...> format, Args&&... args) {
  return Error(kind, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace weft
