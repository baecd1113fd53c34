/* SPDX-License-Identifier: Apache-2.0 */
/* A C program gets errors as values, from arguments that cannot be and files that are not there. */
#include <stdio.h>
#include <string.h>

#include "weft/weft.h"

static int Expect(WeftError* error, WeftErrorKind kind, const char* part) {
  if (!error) return printf("expected an error that says '%s'\n", part), 1;
  WeftStringView text = weftErrorGetText(error);
  const int good = weftErrorGetKind(error) == kind && strstr(text.data, part) != NULL;
  if (!good) printf("got kind %d: %.*s\n", (int)weftErrorGetKind(error), (int)text.length, text.data);
  weftErrorRelease(error);
  return good ? 0 : 1;
}

int main(void) {
  int failures = 0;
  failures += Expect(weftRuntimeCreate(NULL, NULL), WeftErrorKind_InvalidArgument, "runtime is NULL");
  WeftRuntimeDescriptor descriptor = {0};
  descriptor.mode = WeftRuntimeMode_InProcess;
  WeftRuntime runtime = NULL;
  WeftError* error = weftRuntimeCreate(&descriptor, &runtime);
  if (error) return printf("%s\n", weftErrorGetText(error).data), 1;
  WeftPlugin plugin = NULL;
  WeftStringView path = {"no-such-plugin.wasm", WEFT_STRLEN};
  failures += Expect(weftPluginOpen(runtime, path, &plugin), WeftErrorKind_NotFound, "no-such-plugin.wasm");
  weftPluginRelease(plugin);
  weftRuntimeRelease(runtime);
  return failures;
}
