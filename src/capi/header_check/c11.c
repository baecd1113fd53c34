/* SPDX-License-Identifier: Apache-2.0 */
#include "weft/weft.h"

/* A descriptor of zeros is the default in C too. */
const WeftRuntimeDescriptor weft_check_defaults;
_Static_assert(sizeof(WeftBool) == 4 && sizeof(WeftErrorKind) == 4, "enums and booleans take 32 bits");
_Static_assert(sizeof(WeftStringView) == 2 * sizeof(void*), "a string view is a pointer and a length");
