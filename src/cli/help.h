// SPDX-License-Identifier: Apache-2.0
// Examples and explanations below the options in --help. The man page and docs/reference/cli.md say the same at length.
#pragma once

namespace weft::cli {

extern const char* const kMainFooter;
extern const char* const kRunFooter;
extern const char* const kExecFooter;
extern const char* const kInspectFooter;
extern const char* const kGpusFooter;

}  // namespace weft::cli
