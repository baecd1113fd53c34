// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/output.h"

namespace weft::cli {

int Exec(const ExecCommand& command, Console* console) {
  auto runtime = MakeRuntime(console, WeftRuntimeMode_InProcess);
  if (!runtime) return console->Fail(runtime.error());
  std::vector<WeftStringView> arguments;
  for (const std::string& a : command.arguments) arguments.push_back(View(a));
  WeftExecDescriptor descriptor{};
  descriptor.path = View(command.file);
  descriptor.inheritOutput = 1;
  descriptor.argumentCount = arguments.size();
  descriptor.arguments = arguments.data();
  std::vector<WeftStringView> grants;
  for (const std::string& g : command.grants) grants.push_back(View(g));
  descriptor.grantCount = grants.size();
  descriptor.grants = grants.data();
  auto exec = api::Exec::Create(*runtime, descriptor);
  if (!exec) return console->Fail(exec.error());
  if (command.invocations.empty()) {
    auto code = exec->Run();
    if (!code) return console->Fail(code.error());
    return static_cast<int>(*code & 0xFF);
  }
  for (const Invocation& invocation : command.invocations) {
    auto result = exec->Invoke(invocation.name, invocation.arguments);
    if (!result) return console->Fail(result.error());
    if (console->options().json)
      console->Out(ResultJson(invocation.name, result->view()));
    else if (!result->view().empty())
      console->Out(result->view());
  }
  return kExitOk;
}

}  // namespace weft::cli
