// SPDX-License-Identifier: Apache-2.0
// CommandLine: argv as a command, or a text and an exit code. CLI11 lives here and nowhere else. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "cli/command.h"

namespace weft::cli {

struct InspectCommand {
  std::string plugin;
};
struct GpusCommand {};
// --help, --version: print and end.
struct ShowText {
  std::string text;
};
// One sentence.
struct UsageError {
  std::string text;
};

struct CommandLine {
  CommonOptions common;
  std::variant<ShowText, UsageError, RunCommand, ExecCommand, InspectCommand, GpusCommand> command;
};

// `arguments` without the program's name.
CommandLine ParseCommandLine(std::vector<std::string> arguments);

}  // namespace weft::cli
