// SPDX-License-Identifier: Apache-2.0
// Any bytes as a graph document and as a command line: an error, or a document that can be written and read again as the same one.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "graph/document.h"
#include "graph/shorthand.h"

namespace {

void MustComeBack(const weft::graph::Document& document) {
  const std::string once = weft::graph::ToJson(document);
  const auto again = weft::graph::ParseDocument(once, "again");
  if (!again || weft::graph::ToJson(*again) != once) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace weft::graph;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (auto document = ParseDocument(text, "input")) MustComeBack(*document);
  // One argument a line; the first character says what it is.
  Shorthand line;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view argument = text.substr(at, end - at);
    at = end + 1;
    if (argument.empty()) continue;
    auto& list = argument[0] == 'p' ? line.plugins : argument[0] == 'o' ? line.outputs : line.inputs;
    list.emplace_back(argument.substr(1));
  }
  if (auto document = FromShorthand(line)) MustComeBack(*document);
  return 0;
}
