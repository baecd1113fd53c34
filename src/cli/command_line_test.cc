// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include <gtest/gtest.h>

#include <map>

namespace weft::cli {
namespace {

std::string UsageOf(std::vector<std::string> arguments) {
  const CommandLine line = ParseCommandLine(std::move(arguments));
  const auto* error = std::get_if<UsageError>(&line.command);
  return error ? error->text : "(no error)";
}

TEST(CommandLine, KeepsPluginsAndOutputsInOrderAndAsWritten) {
  const CommandLine line = ParseCommandLine({"run", "a.png", "-p", "blur.wasm:radius=0..64", "b.png", "-p", "c.wasm@c:x=(1,2),t=\"a,b\"",
                                             "-o", "out.png", "-o", "hist.png=c.histogram"});
  const auto& run = std::get<RunCommand>(line.command);
  EXPECT_EQ(run.inputs, (std::vector<std::string>{"a.png", "b.png"}));
  EXPECT_EQ(run.plugins, (std::vector<std::string>{"blur.wasm:radius=0..64", "c.wasm@c:x=(1,2),t=\"a,b\""}));
  EXPECT_EQ(run.outputs, (std::vector<std::string>{"out.png", "hist.png=c.histogram"}));
}

TEST(CommandLine, TakesADashAsInputAndOutput) {
  const CommandLine line = ParseCommandLine({"run", "-", "-:format=y4m", "-p", "a.wasm", "-o", "-:format=y4m"});
  const auto& run = std::get<RunCommand>(line.command);
  EXPECT_EQ(run.inputs, (std::vector<std::string>{"-", "-:format=y4m"}));
  EXPECT_EQ(run.outputs, std::vector<std::string>{"-:format=y4m"});
}

TEST(CommandLine, ReadsTheOptionsOfRun) {
  const CommandLine line = ParseCommandLine({"run",
                                             "a.mp4",
                                             "-o",
                                             "b.mp4",
                                             "--frames",
                                             "1-9x2",
                                             "--work-format",
                                             "rgba32float",
                                             "--size",
                                             "64x32",
                                             "--fit",
                                             "cover",
                                             "--overwrite",
                                             "--deny",
                                             "gpu",
                                             "--max-memory",
                                             "64M",
                                             "--max-time",
                                             "250ms",
                                             "--max-gpu-memory",
                                             "2g",
                                             "--max-gpu-objects",
                                             "9",
                                             "--max-fuel",
                                             "1000",
                                             "--gpu",
                                             "1",
                                             "--quiet",
                                             "--json"});
  const auto& run = std::get<RunCommand>(line.command);
  EXPECT_EQ(run.frames, "1-9x2");
  EXPECT_EQ(run.work_format, WeftWorkFormat_Rgba32Float);
  EXPECT_EQ(run.width, 64u);
  EXPECT_EQ(run.height, 32u);
  EXPECT_EQ(run.fit, WeftFit_Cover);
  EXPECT_TRUE(run.overwrite && line.common.deny_gpu && line.common.quiet && line.common.json);
  std::map<std::string, uint64_t> limits;
  for (const WeftLimit& limit : line.common.limits) limits[std::string(View(limit.name))] = limit.value;
  EXPECT_EQ(limits,
            (std::map<std::string, uint64_t>{
                {"memory", 64u << 20}, {"time", 250'000'000u}, {"gpu-memory", uint64_t{2} << 30}, {"gpu-objects", 9u}, {"fuel", 1000u}}));
  EXPECT_EQ(line.common.gpu, "1");
}

TEST(CommandLine, GivesEachInvocationItsArgumentsEvenNegativeOnes) {
  const CommandLine line = ParseCommandLine({"exec", "--deny", "gpu", "m.wasm", "--invoke", "add", "1", "-2", "--invoke", "a:b/c#total"});
  const auto& exec = std::get<ExecCommand>(line.command);
  ASSERT_EQ(exec.invocations.size(), 2u);
  EXPECT_EQ(exec.file, "m.wasm");
  EXPECT_EQ(exec.invocations[0].name, "add");
  EXPECT_EQ(exec.invocations[0].arguments, (std::vector<std::string>{"1", "-2"}));
  EXPECT_EQ(exec.invocations[1].name, "a:b/c#total");
  EXPECT_TRUE(exec.invocations[1].arguments.empty());
}

TEST(CommandLine, LeavesToAComponentWhatStandsBehindTwoDashes) {
  const CommandLine line = ParseCommandLine({"exec", "tool.wasm", "one", "--", "--two", "--invoke"});
  const auto& exec = std::get<ExecCommand>(line.command);
  EXPECT_EQ(exec.arguments, (std::vector<std::string>{"one", "--two", "--invoke"}));
  EXPECT_TRUE(exec.invocations.empty());
}

TEST(CommandLine, SaysWhatIsWrongInOneSentence) {
  EXPECT_EQ(UsageOf({"run", "a.png", "-o", "b.png", "--frame", "1"}), "there is no option '--frame'; did you mean '--frames'?");
  EXPECT_EQ(UsageOf({"rum", "a.png"}), "there is no command 'rum'; did you mean 'run'?");
  EXPECT_EQ(UsageOf({"run", "a.png", "-o", "b.png", "--size", "12"}),
            "--size is '12'; it must be WIDTHxHEIGHT in pixels, such as 1920x1080");
  EXPECT_EQ(UsageOf({"run", "a.png", "-o", "b.png", "--fit", "cover"}), "--fit says how the picture goes into --size, which is missing");
  EXPECT_EQ(UsageOf({"run", "a.png", "-o", "b.png", "--work-format", "rgb"}),
            "--work-format is 'rgb'; it must be rgba8unorm, rgba16float or rgba32float");
  EXPECT_EQ(UsageOf({"run", "a.png", "-o", "b.png", "--deny", "files"}), "--deny files is not a grant that can be denied; there is 'gpu'");
  EXPECT_EQ(UsageOf({"run", "a.png", "-o", "b.png", "--max-memory", "lots"}),
            "--max-memory is 'lots'; it must be a number of bytes such as 512M or 2G");
  EXPECT_EQ(UsageOf({"inspect", "a.wasm", "b.wasm"}), "'b.wasm' is one argument too many; see 'weft inspect --help'");
  EXPECT_EQ(UsageOf({"exec", "a.wasm", "--invoke"}), "--invoke needs the name of an exported function, and then its arguments");
  EXPECT_NE(UsageOf({"run", "a.png"}).find("--output"), std::string::npos);
  EXPECT_NE(UsageOf({"run"}).find("INPUT"), std::string::npos);
  EXPECT_EQ(UsageOf({}), "a command is missing: run, exec, inspect or gpus; see 'weft --help'");
  EXPECT_EQ(UsageOf({"--jason"}), "there is no option '--jason' before the command; see 'weft --help'");
}

TEST(CommandLine, ShowsHelpWithExamplesAndExitCodes) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--help"}, {"help"}}) {
    const CommandLine line = ParseCommandLine(arguments);
    EXPECT_NE(std::get<ShowText>(line.command).text.find("Exit codes:"), std::string::npos);
  }
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"run", "--help"}, {"help", "run"}}) {
    const CommandLine line = ParseCommandLine(arguments);
    EXPECT_NE(std::get<ShowText>(line.command).text.find("composite.wasm@c:background=#2"), std::string::npos);
  }
  EXPECT_EQ(std::get<ShowText>(ParseCommandLine({"--version"}).command).text.substr(0, 5), "weft ");
}

}  // namespace
}  // namespace weft::cli
