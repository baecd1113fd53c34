// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/signals.h"

namespace weft::cli {
namespace {

std::vector<WeftStringView> Views(const std::vector<std::string>& strings) {
  std::vector<WeftStringView> views;
  for (const std::string& s : strings) views.push_back(View(s));
  return views;
}

bool WritesStdout(const std::string& output) { return output == "-" || output.starts_with("-:") || output.starts_with("-="); }

// A line on a terminal moves all the time; a log file gets one now and then.
double ProgressInterval(const Console& console, bool smart) { return console.options().json ? 0.2 : smart ? 0.1 : 5.0; }

}  // namespace

int Run(const RunCommand& command, Console* console) {
  const CommonOptions& options = console->options();
  if (options.json && std::ranges::any_of(command.outputs, WritesStdout)) {
    return console->Fail("invalid-argument", kExitUsage, "--json writes to standard output, and so does -o -: give the output a file name");
  }
  auto runtime = MakeRuntime(console, WeftRuntimeMode_Supervised);
  if (!runtime) return console->Fail(runtime.error());

  const auto inputs = Views(command.inputs), plugins = Views(command.plugins), outputs = Views(command.outputs);
  WeftShorthand shorthand{};
  shorthand.inputCount = inputs.size(), shorthand.inputs = inputs.data();
  shorthand.pluginCount = plugins.size(), shorthand.plugins = plugins.data();
  shorthand.outputCount = outputs.size(), shorthand.outputs = outputs.data();
  shorthand.width = command.width, shorthand.height = command.height, shorthand.fit = command.fit;
  shorthand.workFormat = command.work_format;
  auto graph = Graph::FromShorthand(*runtime, shorthand);
  if (!graph) return console->Fail(graph.error());

  const bool at_once = options.json || console->printer().smart();
  Progress progress(ProgressInterval(*console, console->printer().smart()), at_once, [&](const WeftProgress& p, double rate) {
    if (options.json)
      console->Out(ProgressJson(p, rate));
    else if (!options.quiet)
      console->printer().Status(ProgressLine(p, rate));
  });
  WeftRunDescriptor descriptor{};
  descriptor.frames = View(command.frames);
  descriptor.overwrite = command.overwrite;
  descriptor.progress = [](const WeftProgress* p, void* userdata) { static_cast<Progress*>(userdata)->Update(*p); };
  descriptor.progressUserdata = &progress;

  const SignalGuard signals([&] { graph->Cancel(); });
  auto report = graph->Run(descriptor);
  if (!report) {
    if (report.error().kind() == WeftErrorKind_Cancelled && signals.signal() != 0) {
      return console->Fail(report.error().kind_name(), kExitSignal + signals.signal(), report.error().text());
    }
    return console->Fail(report.error());
  }
  console->printer().EndStatus();
  if (options.json)
    console->Out(ReportJson(report->info()));
  else if (!options.quiet)
    console->printer().Line(ReportText(report->info()));
  if (!options.json && options.verbose) {
    if (const std::string uses = UsesText(report->info()); !uses.empty()) console->printer().Line(uses);
  }
  return kExitOk;
}

}  // namespace weft::cli
