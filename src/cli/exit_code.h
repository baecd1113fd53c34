// SPDX-License-Identifier: Apache-2.0
// Exit codes: which kind of failure. Part of the interface (weft --help, docs/man/weft.1, docs/reference/cli.md): never renumber.
#pragma once

#include "weft/weft.h"

namespace weft::cli {

enum ExitCode {
  kExitOk = 0,
  kExitInternal = 1,
  kExitUsage = 2,  // invalid argument: command line, parameter, graph, content of a file
  kExitNotFound = 3,
  kExitIo = 4,
  kExitUnsupported = 5,
  kExitOutOfMemory = 6,  // memory or a quota
  kExitDeviceLost = 7,
  kExitPlugin = 8,
  kExitSignal = 128,  // + the signal's number: cancelled
};

inline int ExitCodeOf(WeftErrorKind kind) {
  switch (kind) {
    case WeftErrorKind_InvalidArgument: return kExitUsage;
    case WeftErrorKind_Unsupported: return kExitUnsupported;
    case WeftErrorKind_NotFound: return kExitNotFound;
    case WeftErrorKind_Io: return kExitIo;
    case WeftErrorKind_OutOfMemory: return kExitOutOfMemory;
    case WeftErrorKind_DeviceLost: return kExitDeviceLost;
    case WeftErrorKind_GuestTrap: return kExitPlugin;
    case WeftErrorKind_Cancelled: return kExitSignal + 2;
    case WeftErrorKind_Internal: return kExitInternal;
    case WeftErrorKind_Force32: break;
  }
  return kExitInternal;
}

}  // namespace weft::cli
