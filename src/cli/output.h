// SPDX-License-Identifier: Apache-2.0
// What the commands print: tables for people, JSON for programs. Pure: answers strings.
#pragma once

#include <string>
#include <string_view>

#include "weft/weft.hpp"

namespace weft::cli {

// One line a node with its CPU and GPU time, then what was written. No newline at the end.
std::string ReportText(const WeftReportInfo& report);
std::string ReportJson(const WeftReportInfo& report);

// "1 GiB", "1.5 MiB", "10.0 s", "65536". What 0 stands for is the caller's to say.
std::string LimitText(WeftLimitUnit unit, uint64_t value);
// Of each plugin of the report what it used of which limit.
std::string UsesText(const WeftReportInfo& report);

std::string PluginText(const WeftPluginInfo& plugin);
std::string PluginJson(const WeftPluginInfo& plugin);

std::string AdaptersText(const AdapterList& adapters);
std::string AdaptersJson(const AdapterList& adapters);

// {"event":"error","kind":"not-found","exit":3,"message":"..."}
std::string ErrorJson(std::string_view kind, int exit_code, std::string_view text);
// {"event":"result","invoke":"add","value":"3"}
std::string ResultJson(std::string_view name, std::string_view wave);

}  // namespace weft::cli
