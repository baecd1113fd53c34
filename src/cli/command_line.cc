// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "cli/help.h"
#include "cli/output.h"
#include "cli/text.h"

namespace weft::cli {
namespace {

constexpr char kHidden = '\x01';

// What the options are read into, before they are checked.
struct Raw {
  std::string work_format, size, fit;
  std::vector<std::string> deny;
  std::map<std::string, std::string> limits;  // by name
};

void AddCommon(CLI::App* app, CommonOptions* common) {
  app->add_flag("--json", common->json, "Results as JSON on standard output")->group("Output");
  app->add_flag("-v,--verbose", common->verbose, "Also print what is only of interest when something is wrong")->group("Output");
  app->add_flag("-q,--quiet", common->quiet, "Print errors only")->group("Output");
}

void AddGpu(CLI::App* app, CommonOptions* common) {
  app->add_option("--gpu", common->gpu, "Which GPU: a number of 'weft gpus' or part of a name")->type_name("GPU")->group("GPU");
  app->add_option("--gpu-library", common->gpu_library, "The webgpu.h library (default: $WEFT_GPU_LIBRARY, else weft's own)")
      ->type_name("FILE")
      ->group("GPU");
}

constexpr char kGrantsAndLimits[] = "Grants and limits, of each plugin";

void AddLimits(CLI::App* app, Raw* raw) {
  for (size_t i = 0; i < weftGetLimitCount(); ++i) {
    const WeftLimitInfo& limit = *weftGetLimit(i);
    const std::string name(View(limit.name));
    const std::string text = fmt::format("{} (default: {})", View(limit.description),
                                         limit.defaultValue ? LimitText(limit.unit, limit.defaultValue) : "not limited");
    app->add_option_function<std::string>(
           "--max-" + name, [raw, name](const std::string& value) { raw->limits[name] = value; }, text)
        ->type_name(limit.unit == WeftLimitUnit_Bytes         ? "BYTES"
                    : limit.unit == WeftLimitUnit_Nanoseconds ? "TIME"
                                                              : "N")
        ->group(kGrantsAndLimits);
  }
}

void AddGrants(CLI::App* app, Raw* raw) {
  app->add_option("--deny", raw->deny, "Take a grant from the plugins: gpu (one that imports wasi:webgpu is refused)")
      ->type_name("GRANT")
      ->allow_extra_args(false)
      ->group(kGrantsAndLimits);
  AddLimits(app, raw);
}

void AddRun(CLI::App* app, RunCommand* run, Raw* raw) {
  app->add_option("INPUT", run->inputs, "Pictures, clips, sequences (shot.%04d.png), window components (.wasm), or - for standard input")
      ->required()
      ->type_name("");
  app->add_option("-p,--plugin", run->plugins, "A plugin and its parameters: PLUGIN[@id][:name=value,...]")
      ->type_name("PLUGIN")
      ->allow_extra_args(false);
  app->add_option("-o,--output", run->outputs, "What to write, and of which port: OUTPUT[=id.port][:option=value,...]")
      ->required()
      ->type_name("OUTPUT")
      ->allow_extra_args(false);
  app->add_option("--frames", run->frames, "Only these frames of the input: 7, 0-99, 1001-1005x2, 10-")->type_name("RANGE");
  app->add_option("--work-format", raw->work_format, "Format between plugins: rgba8unorm, rgba16float (default), rgba32float")
      ->type_name("FORMAT");
  app->add_option("--size", raw->size, "Size of the output in pixels: 1920x1080")->type_name("WxH");
  app->add_option("--fit", raw->fit, "How the picture goes into --size: contain (default), cover, fill")->type_name("FIT");
  app->add_flag("--overwrite", run->overwrite, "Replace outputs that exist (without it they are refused)");
}

template <class T>
bool Choose(std::string_view text, std::initializer_list<std::pair<std::string_view, T>> choices, T* value) {
  if (text.empty()) return true;
  for (const auto& [name, v] : choices) {
    if (name == text) {
      *value = v;
      return true;
    }
  }
  return false;
}

// Checks what CLI11 took as text; empty = good.
std::string Check(const Raw& raw, CommonOptions* common, RunCommand* run) {
  for (const std::string& grant : raw.deny) {
    if (grant != "gpu") return fmt::format("--deny {} is not a grant that can be denied; there is 'gpu'", grant);
    common->deny_gpu = true;
  }
  for (size_t i = 0; i < weftGetLimitCount(); ++i) {
    const WeftLimitInfo& limit = *weftGetLimit(i);
    const auto given = raw.limits.find(std::string(View(limit.name)));
    if (given == raw.limits.end()) continue;
    const auto value = limit.unit == WeftLimitUnit_Nanoseconds ? ParseDuration(given->second) : ParseBytes(given->second);
    if (!value || *value == 0) {
      return fmt::format("--max-{} is '{}'; it must be {}", given->first, given->second,
                         limit.unit == WeftLimitUnit_Nanoseconds ? "a time such as 10, 0.5 or 250ms"
                         : limit.unit == WeftLimitUnit_Bytes     ? "a number of bytes such as 512M or 2G"
                                                                 : "a number of at least 1, such as 1000 or 64K");
    }
    common->limits.push_back({limit.name, *value});
  }
  if (!Choose(raw.work_format,
              {{"rgba8unorm", WeftWorkFormat_Rgba8Unorm},
               {"rgba16float", WeftWorkFormat_Rgba16Float},
               {"rgba32float", WeftWorkFormat_Rgba32Float}},
              &run->work_format)) {
    return fmt::format("--work-format is '{}'; it must be rgba8unorm, rgba16float or rgba32float", raw.work_format);
  }
  if (!Choose(raw.fit, {{"contain", WeftFit_Contain}, {"cover", WeftFit_Cover}, {"fill", WeftFit_Fill}}, &run->fit)) {
    return fmt::format("--fit is '{}'; it must be contain, cover or fill", raw.fit);
  }
  if (!raw.size.empty()) {
    const auto size = ParseSize(raw.size);
    if (!size) return fmt::format("--size is '{}'; it must be WIDTHxHEIGHT in pixels, such as 1920x1080", raw.size);
    run->width = size->width;
    run->height = size->height;
  } else if (!raw.fit.empty()) {
    return "--fit says how the picture goes into --size, which is missing";
  }
  if (common->quiet && common->verbose) return "--quiet and --verbose exclude each other";
  return {};
}

// What CLI11 left over: the first unknown option or the first argument too many.
std::string Unknown(const CLI::App* app, const std::vector<std::string>& left, std::string_view command) {
  const std::string& first = left.front();
  if (!first.starts_with("-") || first == "-") {
    return fmt::format("'{}' is one argument too many; see 'weft {}--help'", first, command);
  }
  std::vector<std::string> names;
  for (const CLI::Option* option : app->get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::string bare = first.substr(0, first.find('='));
  const std::string nearest = Nearest(bare, names);
  if (!nearest.empty()) return fmt::format("there is no option '{}'; did you mean '{}'?", bare, nearest);
  return fmt::format("there is no option '{}'; see 'weft {}--help'", bare, command);
}

// Of `weft exec FILE --invoke NAME ARGS... --invoke ...`, what begins at the first --invoke: its arguments may look like options.
std::optional<std::string> TakeInvocations(std::vector<std::string>* arguments, std::vector<Invocation>* invocations) {
  const auto first = std::ranges::find(*arguments, "--invoke");
  for (auto i = first; i != arguments->end(); ++i) {
    if (*i != "--invoke") {
      invocations->back().arguments.push_back(*i);
      continue;
    }
    if (i + 1 == arguments->end() || *(i + 1) == "--invoke")
      return "--invoke needs the name of an exported function, and then its arguments";
    invocations->push_back({*++i, {}});
  }
  arguments->erase(first, arguments->end());
  return std::nullopt;
}

}  // namespace

CommandLine ParseCommandLine(std::vector<std::string> arguments) {
  CommandLine line;
  RunCommand run;
  ExecCommand exec;
  InspectCommand inspect;
  Raw raw;
  std::vector<std::string> rest;

  // "-:format=y4m" is standard input with options; CLI11 would see an option called ':'. It is taken out of its sight and brought back.
  if (!arguments.empty() && arguments[0] == "run") {
    for (std::string& argument : arguments) {
      if (argument.starts_with("-:") || argument.starts_with("-=")) argument.insert(0, 1, kHidden);
    }
  }
  // `weft help run` is `weft run --help`.
  if (!arguments.empty() && arguments[0] == "help") {
    arguments.erase(arguments.begin());
    arguments.resize(std::min<size_t>(arguments.size(), 1));
    arguments.push_back("--help");
  }
  if (!arguments.empty() && arguments[0] == "exec") {
    // Behind -- all is the component's.
    const auto invoke = std::ranges::find(arguments, "--invoke");
    if (const auto dashes = std::find(arguments.begin(), invoke, "--"); dashes != invoke) {
      rest.assign(dashes + 1, arguments.end());
      arguments.erase(dashes, arguments.end());
    }
    if (auto error = TakeInvocations(&arguments, &exec.invocations)) {
      line.command = UsageError{*error};
      return line;
    }
  }

  CLI::App app("weft runs GPU plugins that nobody has to trust.", "weft");
  app.footer(kMainFooter);
  app.set_version_flag("--version", fmt::format("weft {}", View(weftGetVersion())), "Print the version");
  const auto add_command = [&](const char* name, const char* description, const char* footer) {
    CLI::App* command = app.add_subcommand(name, description);
    command->footer(footer);
    command->allow_extras();
    AddCommon(command, &line.common);
    return command;
  };
  CLI::App* run_app = add_command("run", "Run pictures and clips through plugins", kRunFooter);
  AddRun(run_app, &run, &raw);
  AddGpu(run_app, &line.common);
  AddGrants(run_app, &raw);
  CLI::App* exec_app = add_command("exec", "Call the exports of a plain component", kExecFooter);
  exec_app->add_option("FILE", exec.file, "A component (.wasm)")->required()->type_name("");
  exec_app->add_option("ARGS", exec.arguments, "Without --invoke: arguments of the command that the component is")->type_name("");
  // Taken out before CLI11 sees the rest; here for --help.
  bool invoke_seen = false;
  exec_app->add_flag("--invoke", invoke_seen,
                     "NAME ARGS...: call an export; may be given several times, all in one instance, after the other options");
  AddGpu(exec_app, &line.common);
  AddGrants(exec_app, &raw);
  exec_app
      ->add_option("--grant", exec.grants,
                   "Give it files=FOLDER[:AS], write=FOLDER[:AS], network or env=NAME[=VALUE]; several times for several")
      ->type_name("GRANT")
      ->allow_extra_args(false)
      ->group(kGrantsAndLimits);
  CLI::App* inspect_app = add_command("inspect", "Show ports, parameters, imports, limits and hash of a plugin", kInspectFooter);
  inspect_app->add_option("PLUGIN", inspect.plugin, "A component (.wasm), or the folder or plugin.json of a WGSL plugin")
      ->required()
      ->type_name("");
  AddLimits(inspect_app, &raw);
  CLI::App* gpus_app = add_command("gpus", "List the GPUs", kGpusFooter);
  AddGpu(gpus_app, &line.common);
  app.require_subcommand(1);

  const std::string first = arguments.empty() ? "" : arguments.front();
  try {
    std::ranges::reverse(arguments);  // as CLI11 takes them
    app.parse(arguments);
  } catch (const CLI::CallForHelp&) {
    line.command = ShowText{app.help()};
    return line;
  } catch (const CLI::CallForVersion& version) {
    line.command = ShowText{std::string(version.what()) + "\n"};
    return line;
  } catch (const CLI::ParseError& error) {
    const auto chosen = app.get_subcommands();
    const std::string where = chosen.empty() ? "" : chosen.front()->get_name() + " ";
    std::string text = error.what();
    text = text.substr(0, text.find('\n'));
    if (first.empty()) {
      line.command = UsageError{"a command is missing: run, exec, inspect or gpus; see 'weft --help'"};
      return line;
    }
    if (chosen.empty() && first.starts_with("-")) {
      line.command = UsageError{fmt::format("there is no option '{}' before the command; see 'weft --help'", first)};
      return line;
    }
    if (chosen.empty()) {
      const std::vector<std::string> names = {"run", "exec", "inspect", "gpus", "help"};
      const std::string nearest = Nearest(first, names);
      text = fmt::format("there is no command '{}'", first);
      if (!nearest.empty()) text += fmt::format("; did you mean '{}'?", nearest);
      line.command = UsageError{text};
      return line;
    }
    line.command = UsageError{fmt::format("{}; see 'weft {}--help'", text, where)};
    return line;
  }

  CLI::App* chosen = app.get_subcommands().front();
  if (const auto left = chosen->remaining(); !left.empty()) {
    line.command = UsageError{Unknown(chosen, left, chosen->get_name() + " ")};
    return line;
  }
  if (auto error = Check(raw, &line.common, &run); !error.empty()) {
    line.command = UsageError{error};
    return line;
  }
  if (chosen == run_app) {
    for (std::vector<std::string>* list : {&run.inputs, &run.plugins, &run.outputs}) {
      for (std::string& argument : *list) {
        if (argument.starts_with(kHidden)) argument.erase(0, 1);
      }
    }
    line.command = std::move(run);
  } else if (chosen == exec_app) {
    exec.arguments.insert(exec.arguments.end(), rest.begin(), rest.end());
    line.command = std::move(exec);
  } else if (chosen == inspect_app) {
    line.command = std::move(inspect);
  } else {
    line.command = GpusCommand{};
  }
  return line;
}

}  // namespace weft::cli
