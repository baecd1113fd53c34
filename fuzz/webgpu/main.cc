// SPDX-License-Identifier: Apache-2.0
// A worker of the fuzzer: runs sequences of one seed, one after the other, in this process. tools/fuzz starts it, reads its trail, and
// starts another when it dies. One line on stdout for each thing that must not be: "finding SEQUENCE KIND: TEXT".
#include <execinfo.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "bystander.h"
#include "table.h"

namespace weft::fuzz {
namespace {

struct Options {
  uint64_t seed = 1, from = 0, sequences = 100;
  double minutes = 0;
  uint64_t every = 1;  // a worker of several takes each n-th
  std::string trail;
  bool verbose = false, list = false;
};

int Usage(const char* why) {
  std::fprintf(
      stderr,
      "%s\nusage: weft_fuzz_webgpu [--seed N] [--from S] [--sequences K] [--every N] [--minutes M] [--trail FILE] [--verbose] [--list]\n",
      why);
  return 2;
}

bool Read(int argc, char** argv, Options& o) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--verbose") {
      o.verbose = true;
    } else if (name == "--list") {
      o.list = true;
    } else if (i + 1 < argc) {
      const char* value = argv[++i];
      if (name == "--seed")
        o.seed = std::strtoull(value, nullptr, 10);
      else if (name == "--from")
        o.from = std::strtoull(value, nullptr, 10);
      else if (name == "--sequences")
        o.sequences = std::strtoull(value, nullptr, 10);
      else if (name == "--every")
        o.every = std::strtoull(value, nullptr, 10);
      else if (name == "--minutes")
        o.minutes = std::strtod(value, nullptr);
      else if (name == "--trail")
        o.trail = value;
      else
        return false;
    } else {
      return false;
    }
  }
  return o.every > 0;
}

int Run(const Options& o) {
  auto trail = Trail::Open(o.trail);
  if (!trail) return std::fprintf(stderr, "%s\n", trail.error().ToString().c_str()), 2;
  uint64_t running = o.from;
  // Errors of the device that belong to nobody are read on any thread.
  std::mutex mutex;
  std::vector<std::string> stray;
  gpu::DeviceOptions options;
  options.adapter = "software";
  options.log = Log([&](LogLevel level, std::string_view text) {
    if (level != LogLevel::Error) return;
    std::lock_guard lock(mutex);
    stray.emplace_back(text);
  });
  auto device = gpu::Device::Create(options);
  if (!device) return std::fprintf(stderr, "%s\n", device.error().ToString().c_str()), 2;
  Session session{*device, std::move(*trail), {}, {}};
  Figures& figures = session.trail.figures();
  figures.functions = calls::kFunctionCount;
  session.finding = [&](std::string_view kind, std::string_view text) {
    ++(kind == "late refusal" ? figures.late : figures.findings);
    std::string line(text);
    for (char& ch : line) ch = ch == '\n' ? ' ' : ch;
    std::printf("finding %llu %.*s: %s\n", static_cast<unsigned long long>(running), static_cast<int>(kind.size()), kind.data(),
                line.c_str());
    std::fflush(stdout);
  };
  session.trail.set_echo(o.verbose);
  auto bystander = Bystander::Create(*device);
  if (!bystander) return std::fprintf(stderr, "%s\n", bystander.error().ToString().c_str()), 2;
  const auto started = std::chrono::steady_clock::now();
  for (uint64_t i = 0; i < o.sequences; ++i) {
    running = o.from + i * o.every;
    figures.next = running;
    session.trail.StartSequence();
    Guest guest(session, Random::Mix(o.seed * 0x9E3779B97F4A7C15ull + running));
    guest.Run();
    if (auto s = (*bystander)->Check(); !s) session.finding("bystander", s.error().ToString());
    {
      std::lock_guard lock(mutex);
      for (const auto& text : stray) session.finding("stray error", text);
      stray.clear();
    }
    ++figures.sequences;
    figures.executed += guest.executed();
    figures.next = running + o.every;
    if (o.minutes > 0 && std::chrono::steady_clock::now() - started > std::chrono::duration<double>(o.minutes * 60)) break;
  }
  if (o.verbose) {
    std::printf("%llu sequences, %llu executed, %llu calls: %llu valid, %llu invalid, %llu moot\n",
                static_cast<unsigned long long>(figures.sequences), static_cast<unsigned long long>(figures.executed),
                static_cast<unsigned long long>(figures.calls), static_cast<unsigned long long>(figures.valid),
                static_cast<unsigned long long>(figures.invalid), static_cast<unsigned long long>(figures.moot));
  }
  return 0;
}

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define WEFT_FUZZ_SANITIZED
#endif
#endif
#ifndef WEFT_FUZZ_SANITIZED
// Where it died, for the report; the libraries have their names at least.
void ShowStack(int signal) {
  void* frames[64];
  backtrace_symbols_fd(frames, backtrace(frames, 64), STDERR_FILENO);
  ::signal(signal, SIG_DFL);
  raise(signal);
}
void ShowDeaths() {
  void* first[1];
  backtrace(first, 1);  // loads what it needs, not in the handler
  for (const int s : {SIGSEGV, SIGBUS, SIGILL, SIGFPE}) ::signal(s, ShowStack);
}
#else
void ShowDeaths() {}
#endif

}  // namespace
}  // namespace weft::fuzz

int main(int argc, char** argv) {
  weft::fuzz::Options o;
  if (!weft::fuzz::Read(argc, argv, o)) return weft::fuzz::Usage("an argument is not known, or its value is missing");
  if (o.list) {
    for (const auto& f : weft::fuzz::AllFunctions()) std::printf("%.*s\n", static_cast<int>(f.name.size()), f.name.data());
    return 0;
  }
  weft::fuzz::ShowDeaths();
  return weft::fuzz::Run(o);
}
