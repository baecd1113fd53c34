// SPDX-License-Identifier: Apache-2.0
// Supervisor: runs a document in a worker process and turns whatever becomes of that process into one Result.
//
// The worker is its own program (worker_main.cc). A worker that dies, or whose oldest piece of work makes no progress for
// the limit gpu-time, or a call that its worker cannot end,, costs the run and not this process; the Error names the node and the frame
// that its breadcrumbs show.
#pragma once

#include <string>

#include "runtime/runtime.h"

namespace weft::runtime {

// Descriptors in the worker: fixed numbers, so that nothing needs to be said on its command line.
inline constexpr int kWorkerChannelFd = 3;
inline constexpr int kWorkerCrumbsFd = 4;

// `options.worker_path`, else $WEFT_WORKER, else libexec/weft-worker beside this library or up to three folders above it.
Result<std::string> FindWorker(const RuntimeOptions& options);

Result<RunOutcome> RunSupervised(const RuntimeOptions& options, const graph::Document& document, const RunOptions& run,
                                 CancelToken& cancel);

}  // namespace weft::runtime
