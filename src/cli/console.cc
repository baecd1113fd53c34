// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/output.h"

namespace weft::cli {

void Console::Out(std::string_view text) {
  std::fprintf(stdout, "%.*s\n", static_cast<int>(text.size()), text.data());
  std::fflush(stdout);
}

int Console::Fail(std::string_view kind, int exit_code, std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  printer_.EndStatus();
  printer_.Line(fmt::format("weft: {}", text));
  if (options_.json) Out(ErrorJson(kind, exit_code, text));
  return exit_code;
}

int Console::Fail(const Error& error) { return Fail(error.kind_name(), ExitCodeOf(error.kind()), error.text()); }

void Console::Log(WeftLogLevel level, WeftStringView message, void* userdata) {
  auto* console = static_cast<Console*>(userdata);
  const CommonOptions& options = console->options();
  const std::string_view name = level == WeftLogLevel_Debug     ? "debug"
                                : level == WeftLogLevel_Info    ? "info"
                                : level == WeftLogLevel_Warning ? "warning"
                                                                : "error";
  if (options.quiet && level != WeftLogLevel_Error) return;
  if (level == WeftLogLevel_Debug && !options.verbose) return;
  console->printer_.Line(fmt::format("weft: {}: {}", name, View(message)));
}

Result<Runtime> MakeRuntime(Console* console, WeftRuntimeMode mode) {
  const CommonOptions& o = console->options();
  WeftRuntimeDescriptor descriptor{};
  descriptor.mode = mode;
  descriptor.gpu = View(o.gpu);
  descriptor.gpuLibrary = View(o.gpu_library);
  descriptor.denyGpu = o.deny_gpu;
  descriptor.limitCount = o.limits.size();
  descriptor.limits = o.limits.data();
  descriptor.log = Console::Log;
  descriptor.logUserdata = console;
  return Runtime::Create(descriptor);
}

}  // namespace weft::cli
