// SPDX-License-Identifier: Apache-2.0
// Values of parameters between weft.h and the graph.
#pragma once

#include "graph/description.h"
#include "graph/literal.h"
#include "weft/weft.h"

namespace weft::capi {

// What a graph document would say; `function` begins the message of a value that cannot be.
Result<graph::Literal> ToLiteral(const WeftValue* value, std::string_view function);

// Borrows text and bytes from `value` and `choices`, which must outlive the answer.
WeftValue ToC(const graph::Value& value, const std::vector<std::string>& choices);

// "rgba16float" for the default.
Result<std::string> WorkFormatName(WeftWorkFormat format);

}  // namespace weft::capi
