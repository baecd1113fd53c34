// SPDX-License-Identifier: Apache-2.0
// What supervisor and worker say to each other, as JSON. The worker is a stranger to the supervisor: everything that it says is checked.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "base/result.h"
#include "runtime/runtime.h"

namespace weft::runtime {

// Supervisor to worker, once.
struct StartMessage {
  RuntimeOptions runtime;  // without log and external device
  RunOptions run;          // without progress
  std::string document;    // JSON
};
struct CancelMessage {};

// Worker to supervisor.
struct LogMessage {
  LogLevel level = LogLevel::Info;
  std::string text;
};
struct ResultMessage {
  std::optional<Error> error;
  RunOutcome outcome;
};

std::string ToText(const StartMessage& m);
std::string ToText(const CancelMessage& m);
std::string ToText(const LogMessage& m);
std::string ToText(const Progress& m);
std::string ToText(const ResultMessage& m);

using FromSupervisor = std::variant<StartMessage, CancelMessage>;
using FromWorker = std::variant<LogMessage, Progress, ResultMessage>;
Result<FromSupervisor> ParseFromSupervisor(const std::string& text);
Result<FromWorker> ParseFromWorker(const std::string& text);

}  // namespace weft::runtime
