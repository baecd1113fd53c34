// SPDX-License-Identifier: Apache-2.0
// The weft command: parses, dispatches, ends with an exit code.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/exit_code.h"

namespace {

using namespace weft::cli;

template <class... F>
struct Overload : F... {
  using F::operator()...;
};

int Main(std::vector<std::string> arguments) {
  const CommandLine line = ParseCommandLine(std::move(arguments));
  Console console(line.common);
  return std::visit(Overload{
                        [&](const ShowText& show) {
                          std::fputs(show.text.c_str(), stdout);
                          return static_cast<int>(kExitOk);
                        },
                        [&](const UsageError& error) { return console.Fail("invalid-argument", kExitUsage, error.text); },
                        [&](const RunCommand& command) { return Run(command, &console); },
                        [&](const ExecCommand& command) { return Exec(command, &console); },
                        [&](const InspectCommand& command) { return Inspect(command.plugin, &console); },
                        [&](const GpusCommand&) { return Gpus(&console); },
                    },
                    line.command);
}

}  // namespace

int main(int argc, char** argv) {
  // Without it GPU drivers complain on standard error that they find no Wayland, which weft never asks for; servers have none.
  setenv("XDG_RUNTIME_DIR", "/nonexistent", 0);
  try {
    return Main(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "weft: a fault of weft itself: %s\n", e.what());
    return kExitInternal;
  }
}
