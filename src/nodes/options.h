// SPDX-License-Identifier: Apache-2.0
// What a document sets on a source or a sink, as media's options: each value as it was written.
#pragma once

#include "base/fail.h"
#include "graph/document.h"
#include "media/media.h"

namespace weft::nodes {

inline Result<media::Options> MediaOptions(const graph::NodeSpec& spec) {
  media::Options options;
  for (const graph::Setting& s : spec.settings) {
    if (s.name == "in") continue;  // binds the input
    if (s.to || s.from.kind == graph::Literal::Kind::File || s.from.kind == graph::Literal::Kind::Bytes) {
      return Fail(ErrorKind::InvalidArgument, "'{}' takes one word or number here", s.name);
    }
    options.emplace_back(s.name, s.from.text);
  }
  return options;
}

}  // namespace weft::nodes
