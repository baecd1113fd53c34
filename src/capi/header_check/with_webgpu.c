/* SPDX-License-Identifier: Apache-2.0 */
#include <webgpu.h>

#include "weft/weft.h"

/* The handles are the same types. */
WGPUDevice weft_check_device(const WeftDeviceInfo* info) { return info->device; }
