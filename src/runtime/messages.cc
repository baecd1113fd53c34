// SPDX-License-Identifier: Apache-2.0
#include "runtime/messages.h"

#include <nlohmann/json.hpp>

#include "base/fail.h"

namespace weft::runtime {
namespace {

using Json = nlohmann::json;

constexpr ErrorKind kKinds[] = {ErrorKind::InvalidArgument, ErrorKind::Unsupported, ErrorKind::NotFound,  ErrorKind::Io,
                                ErrorKind::OutOfMemory,     ErrorKind::DeviceLost,  ErrorKind::GuestTrap, ErrorKind::Cancelled,
                                ErrorKind::Internal};

std::string Dump(const Json& j) { return j.dump(-1, ' ', false, Json::error_handler_t::replace); }

// Members that are missing or of another type are zeros: no message of the other side can throw.
std::string Text(const Json& j, const char* key) {
  return j.contains(key) && j[key].is_string() ? j[key].get<std::string>() : std::string();
}
uint64_t Count(const Json& j, const char* key) { return j.contains(key) && j[key].is_number_unsigned() ? j[key].get<uint64_t>() : 0; }
int64_t Number(const Json& j, const char* key) { return j.contains(key) && j[key].is_number_integer() ? j[key].get<int64_t>() : 0; }
bool Flag(const Json& j, const char* key) { return j.contains(key) && j[key].is_boolean() && j[key].get<bool>(); }
Json Part(const Json& j, const char* key) { return j.contains(key) ? j[key] : Json(); }

Result<Json> Parse(const std::string& text) {
  Json j = Json::parse(text, nullptr, false);
  if (!j.is_object()) return Fail(ErrorKind::Internal, "a message between supervisor and worker is no JSON object");
  return j;
}

}  // namespace

std::string ToText(const StartMessage& m) {
  Json run{{"work_format", m.run.work_format}, {"overwrite", m.run.overwrite}, {"folder", m.run.folder}, {"in_flight", m.run.in_flight}};
  if (m.run.frames) {
    run["frames"] = Json{{"first", m.run.frames->first}, {"step", m.run.frames->step}};
    if (m.run.frames->last) run["frames"]["last"] = *m.run.frames->last;
  }
  return Dump(Json{{"type", "start"},
                   {"gpu", m.runtime.gpu},
                   {"gpu_library", m.runtime.gpu_library},
                   {"cache_dir", m.runtime.cache_dir},
                   {"deny_gpu", m.runtime.deny_gpu},
                   {"limits", m.runtime.limits},
                   {"run", run},
                   {"document", m.document}});
}

std::string ToText(const CancelMessage&) { return Dump(Json{{"type", "cancel"}}); }

std::string ToText(const LogMessage& m) { return Dump(Json{{"type", "log"}, {"level", static_cast<unsigned>(m.level)}, {"text", m.text}}); }

std::string ToText(const Progress& m) {
  return Dump(Json{{"type", "progress"}, {"done", m.frames_done}, {"total", m.frames_total}, {"elapsed", m.elapsed_ns}});
}

std::string ToText(const ResultMessage& m) {
  Json j{{"type", "result"}};
  if (m.error) {
    j["error"] =
        Json{{"kind", std::string(ErrorKindName(m.error->kind()))}, {"message", m.error->message()}, {"context", m.error->context()}};
    return Dump(j);
  }
  j["frames"] = m.outcome.frames;
  j["elapsed"] = m.outcome.elapsed_ns;
  j["gpu"] = m.outcome.gpu;
  j["files"] = m.outcome.files;
  j["nodes"] = Json::array();
  for (const NodeOutcome& n : m.outcome.nodes) {
    Json node{{"id", n.id},         {"kind", n.kind},  {"conversion", n.conversion},
              {"frames", n.frames}, {"cpu", n.cpu_ns}, {"gpu_reason", n.gpu_reason}};
    if (n.gpu_ns) node["gpu"] = *n.gpu_ns;
    for (const graph::LimitUse& u : n.uses) node["uses"].push_back(Json{{"limit", u.limit}, {"used", u.used}, {"most", u.most}});
    j["nodes"].push_back(std::move(node));
  }
  return Dump(j);
}

Result<FromSupervisor> ParseFromSupervisor(const std::string& text) {
  WEFT_TRY_ASSIGN(Json j, Parse(text));
  if (Text(j, "type") == "cancel") return FromSupervisor(CancelMessage{});
  if (Text(j, "type") != "start") return Fail(ErrorKind::Internal, "the supervisor said something unknown");
  StartMessage m;
  m.runtime.supervised = false;
  m.runtime.gpu = Text(j, "gpu");
  m.runtime.gpu_library = Text(j, "gpu_library");
  m.runtime.cache_dir = Text(j, "cache_dir");
  m.runtime.deny_gpu = Flag(j, "deny_gpu");
  const Json limits = Part(j, "limits"), run = Part(j, "run"), frames = Part(run, "frames");
  if (limits.is_object()) {
    for (const auto& [name, value] : limits.items()) m.runtime.limits[name] = Count(limits, name.c_str());
  }
  m.run.work_format = Text(run, "work_format");
  m.run.overwrite = Flag(run, "overwrite");
  m.run.folder = Text(run, "folder");
  m.run.in_flight = static_cast<int>(Number(run, "in_flight"));
  if (frames.is_object()) {
    m.run.frames = media::FrameRange{Number(frames, "first"), std::nullopt, Number(frames, "step")};
    if (frames.contains("last")) m.run.frames->last = Number(frames, "last");
  }
  m.document = Text(j, "document");
  return FromSupervisor(std::move(m));
}

Result<FromWorker> ParseFromWorker(const std::string& text) {
  WEFT_TRY_ASSIGN(Json j, Parse(text));
  const std::string type = Text(j, "type");
  if (type == "log") {
    return FromWorker(
        LogMessage{static_cast<LogLevel>(std::min<uint64_t>(Count(j, "level"), static_cast<uint64_t>(LogLevel::Error))), Text(j, "text")});
  }
  if (type == "progress") return FromWorker(Progress{Count(j, "done"), Count(j, "total"), Count(j, "elapsed")});
  if (type != "result") return Fail(ErrorKind::Internal, "the worker said something unknown");
  ResultMessage m;
  if (const Json e = Part(j, "error"); e.is_object()) {
    ErrorKind kind = ErrorKind::Internal;
    for (ErrorKind k : kKinds) {
      if (ErrorKindName(k) == Text(e, "kind")) kind = k;
    }
    Error error(kind, Text(e, "message"));
    for (const Json& c : Part(e, "context")) {
      if (c.is_string()) error = std::move(error).Context(c.get<std::string>());
    }
    m.error = std::move(error);
    return FromWorker(std::move(m));
  }
  m.outcome.frames = Count(j, "frames");
  m.outcome.elapsed_ns = Count(j, "elapsed");
  m.outcome.gpu = Text(j, "gpu");
  for (const Json& f : Part(j, "files")) {
    if (f.is_string()) m.outcome.files.push_back(f.get<std::string>());
  }
  for (const Json& n : Part(j, "nodes")) {
    if (!n.is_object()) continue;
    NodeOutcome node{Text(n, "id"),   Text(n, "kind"), Flag(n, "conversion"), Count(n, "frames"),
                     Count(n, "cpu"), std::nullopt,    Text(n, "gpu_reason"), {}};
    for (const Json& u : Part(n, "uses")) {
      if (u.is_object()) node.uses.push_back({Text(u, "limit"), Count(u, "used"), Count(u, "most")});
    }
    if (n.contains("gpu")) node.gpu_ns = Count(n, "gpu");
    m.outcome.nodes.push_back(std::move(node));
  }
  return FromWorker(std::move(m));
}

}  // namespace weft::runtime
