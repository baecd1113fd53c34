// SPDX-License-Identifier: Apache-2.0
// The commands: what the command line was parsed into, and functions that do it over weft.h and answer an exit code.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/line_printer.h"
#include "weft/weft.hpp"

namespace weft::cli {

// Of every command.
struct CommonOptions {
  std::string gpu, gpu_library;
  bool deny_gpu = false;
  std::vector<WeftLimit> limits;  // their names live as long as weft
  bool verbose = false;
  bool quiet = false;
  bool json = false;
};

struct RunCommand {
  std::vector<std::string> inputs, plugins, outputs;
  std::string frames;
  WeftWorkFormat work_format = WeftWorkFormat_Default;
  uint32_t width = 0, height = 0;
  WeftFit fit = WeftFit_Default;
  bool overwrite = false;
};

struct Invocation {
  std::string name;
  std::vector<std::string> arguments;
};
struct ExecCommand {
  std::string file;
  std::vector<std::string> arguments;  // of a command without --invoke
  std::vector<std::string> grants;     // as written
  std::vector<Invocation> invocations;
};

// Standard output is for results (JSON lines, inspections, values); everything for a watching person goes to standard error.
class Console {
 public:
  explicit Console(const CommonOptions& options) : options_(options), printer_(stderr) {}

  LinePrinter& printer() { return printer_; }
  const CommonOptions& options() const { return options_; }
  void Out(std::string_view text);
  // One sentence, "weft: ...", and with --json an object on standard output. Answers the exit code.
  int Fail(std::string_view kind, int exit_code, std::string_view text);
  int Fail(const Error& error);
  // weft.h's log callback; userdata is the Console.
  static void Log(WeftLogLevel level, WeftStringView message, void* userdata);

 private:
  const CommonOptions& options_;
  LinePrinter printer_;
};

Result<Runtime> MakeRuntime(Console* console, WeftRuntimeMode mode);

int Run(const RunCommand& command, Console* console);
int Exec(const ExecCommand& command, Console* console);
int Inspect(const std::string& path, Console* console);
int Gpus(Console* console);

}  // namespace weft::cli
