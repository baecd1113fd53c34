// SPDX-License-Identifier: Apache-2.0
#include "runtime/exec.h"

#include <vector>

#include "capi/object.h"

using namespace weft;
using namespace weft::capi;

extern "C" {

WeftError* weftExecCreate(WeftRuntime runtime, const WeftExecDescriptor* descriptor, WeftExec* out) noexcept {
  return Enter([&]() -> Status {
    WEFT_CAPI_REQUIRE(runtime, "weftExecCreate: runtime");
    WEFT_CAPI_REQUIRE(descriptor, "weftExecCreate: descriptor");
    WEFT_CAPI_REQUIRE(out, "weftExecCreate: exec");
    WEFT_TRY(RefuseChain(descriptor->nextInChain, "weftExecCreate"));
    if (descriptor->argumentCount > 0) WEFT_CAPI_REQUIRE(descriptor->arguments, "weftExecCreate: arguments");
    runtime::ExecOptions options;
    options.path = capi::Str(descriptor->path);
    options.inherit_output = descriptor->inheritOutput != 0;
    for (size_t i = 0; i < descriptor->argumentCount; ++i) options.arguments.push_back(capi::Str(descriptor->arguments[i]));
    if (descriptor->grantCount > 0) WEFT_CAPI_REQUIRE(descriptor->grants, "weftExecCreate: grants");
    for (size_t i = 0; i < descriptor->grantCount; ++i) options.grants.push_back(capi::Str(descriptor->grants[i]));
    WEFT_TRY_ASSIGN(auto exec, runtime::Exec::Create(runtime->runtime, options));
    *out = new WeftExecImpl(std::move(exec));
    return {};
  });
}

WeftError* weftExecInvoke(WeftExec exec, WeftStringView name, size_t count, const WeftStringView* arguments, WeftString* out) noexcept {
  return Enter([&]() -> Status {
    WEFT_CAPI_REQUIRE(exec, "weftExecInvoke: exec");
    WEFT_CAPI_REQUIRE(out, "weftExecInvoke: result");
    if (count > 0) WEFT_CAPI_REQUIRE(arguments, "weftExecInvoke: arguments");
    std::vector<std::string> texts;
    for (size_t i = 0; i < count; ++i) texts.push_back(capi::Str(arguments[i]));
    WEFT_TRY_ASSIGN(auto result, exec->exec->Invoke(capi::Str(name), texts));
    *out = new WeftStringImpl(std::move(result));
    return {};
  });
}

WeftError* weftExecRun(WeftExec exec, uint32_t* exit_code) noexcept {
  return Enter([&]() -> Status {
    WEFT_CAPI_REQUIRE(exec, "weftExecRun: exec");
    WEFT_CAPI_REQUIRE(exit_code, "weftExecRun: exitCode");
    WEFT_TRY_ASSIGN(*exit_code, exec->exec->RunCommand());
    return {};
  });
}

void weftExecAddRef(WeftExec exec) noexcept { exec->AddRef(); }
void weftExecRelease(WeftExec exec) noexcept {
  if (exec) exec->Release();
}

}  // extern "C"
