// SPDX-License-Identifier: Apache-2.0
// `weft inspect` and `weft gpus`: look, run nothing.
#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/output.h"

namespace weft::cli {

int Inspect(const std::string& path, Console* console) {
  auto runtime = MakeRuntime(console, WeftRuntimeMode_InProcess);
  if (!runtime) return console->Fail(runtime.error());
  auto plugin = runtime->OpenPlugin(path);
  if (!plugin) return console->Fail(plugin.error());
  console->Out(console->options().json ? PluginJson(plugin->info()) : PluginText(plugin->info()));
  return kExitOk;
}

int Gpus(Console* console) {
  auto runtime = MakeRuntime(console, WeftRuntimeMode_InProcess);
  if (!runtime) return console->Fail(runtime.error());
  auto adapters = runtime->Adapters();
  if (!adapters) return console->Fail(adapters.error());
  console->Out(console->options().json ? AdaptersJson(*adapters) : AdaptersText(*adapters));
  return kExitOk;
}

}  // namespace weft::cli
