// SPDX-License-Identifier: Apache-2.0
// TestedGpu: the virtual GPU that the tests here make. In weft_host_mutants, which tools/mutate-host builds and runs, the environment
// variable WEFT_MUTATE names one function of it that does nothing; everywhere else it is VirtualGpu itself.
#pragma once

#include "host/webgpu/virtual_gpu.h"
#ifdef WEFT_MUTATION
#include "wasm/gen/webgpu_mutant.h"
#endif

namespace weft::host {

#ifdef WEFT_MUTATION
using TestedGpu = wit::WebgpuMutant<VirtualGpu>;
#else
using TestedGpu = VirtualGpu;
#endif

}  // namespace weft::host
