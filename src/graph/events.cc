// SPDX-License-Identifier: Apache-2.0
#include "graph/events.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "base/fail.h"
#include "graph/events_json.h"

namespace weft::graph {
namespace {

using Json = nlohmann::ordered_json;
using Kind = SurfaceEvent::Kind;

// In the order of Kind.
constexpr std::string_view kKinds[] = {"resize", "pointer-move", "pointer-down", "pointer-up", "key-down", "key-up"};

bool IsKey(Kind kind) { return kind == Kind::KeyDown || kind == Kind::KeyUp; }

Result<SurfaceEvent> TakeEvent(const Json& j) {
  if (!j.is_object()) return Fail(ErrorKind::InvalidArgument, "it must be an object like {{\"frame\": 3, \"pointer-down\": [10, 20]}}");
  SurfaceEvent event;
  bool has_frame = false, has_kind = false;
  for (const auto& [key, value] : j.items()) {
    const auto kind = std::ranges::find(kKinds, key);
    if (key == "frame") {
      if (!value.is_number_unsigned()) return Fail(ErrorKind::InvalidArgument, "\"frame\" must be a whole number from 0 on");
      event.frame = value.get<uint64_t>();
      has_frame = true;
    } else if (kind != std::end(kKinds)) {
      if (has_kind) return Fail(ErrorKind::InvalidArgument, "it is two things, \"{}\" the second; write an event each", key);
      has_kind = true;
      event.kind = static_cast<Kind>(kind - std::begin(kKinds));
      if (IsKey(event.kind)) {
        if (!value.is_string() && !value.is_null()) return Fail(ErrorKind::InvalidArgument, "\"{}\" must be a key's name or null", key);
        if (value.is_string()) event.key = value.get<std::string>();
        continue;
      }
      if (!value.is_array() || value.size() != 2 || !value[0].is_number() || !value[1].is_number()) {
        return Fail(ErrorKind::InvalidArgument, "\"{}\" must be a pair of numbers, {}", key,
                    event.kind == Kind::Resize ? "[width, height]" : "[x, y]");
      }
      event.x = value[0].get<double>();
      event.y = value[1].get<double>();
      auto is_side = [](double v) { return v >= 1 && v <= 65535 && v == std::floor(v); };
      if (event.kind == Kind::Resize && !(is_side(event.x) && is_side(event.y))) {
        return Fail(ErrorKind::InvalidArgument, "\"resize\" must be a width and a height of 1 to 65535 pixels");
      }
    } else if (key == "text") {
      if (!value.is_string()) return Fail(ErrorKind::InvalidArgument, "\"text\" must be a string");
      event.text = value.get<std::string>();
    } else if (key == "alt" || key == "ctrl" || key == "meta" || key == "shift") {
      if (!value.is_boolean()) return Fail(ErrorKind::InvalidArgument, "\"{}\" must be true or false", key);
      (key == "alt" ? event.alt : key == "ctrl" ? event.ctrl : key == "meta" ? event.meta : event.shift) = value.get<bool>();
    } else {
      return Fail(
          ErrorKind::InvalidArgument,
          "there is no member \"{}\"; there are frame, resize, pointer-move, pointer-down, pointer-up, key-down, key-up, text, alt, "
          "ctrl, meta, shift",
          key);
    }
  }
  if (!has_frame) return Fail(ErrorKind::InvalidArgument, "it has no \"frame\", the number of the frame before which it happens");
  if (!has_kind) return Fail(ErrorKind::InvalidArgument, "it says nothing that happens: resize, pointer-move, ..., key-up");
  if (!IsKey(event.kind) && (event.text || event.alt || event.ctrl || event.meta || event.shift)) {
    return Fail(ErrorKind::InvalidArgument, "text, alt, ctrl, meta and shift go with key-down and key-up only");
  }
  return event;
}

}  // namespace

Result<std::vector<SurfaceEvent>> TakeEvents(const Json& list) {
  if (!list.is_array()) return Fail(ErrorKind::InvalidArgument, "events must be a list");
  std::multimap<uint64_t, SurfaceEvent> by_frame;  // keeps the order of those of one frame
  for (const Json& j : list) {
    auto event = TakeEvent(j);
    if (!event) return std::move(event.error()).Context(fmt::format("event {}", by_frame.size() + 1));
    by_frame.emplace(event->frame, std::move(*event));
  }
  std::vector<SurfaceEvent> events;
  for (auto& [frame, event] : by_frame) events.push_back(std::move(event));
  return events;
}

Json PutEvents(std::span<const SurfaceEvent> events) {
  Json list = Json::array();
  for (const SurfaceEvent& e : events) {
    Json j{{"frame", e.frame}};
    Json& what = j[std::string(kKinds[static_cast<size_t>(e.kind)])];
    if (IsKey(e.kind)) {
      what = e.key ? Json(*e.key) : Json(nullptr);
    } else {
      what = Json::array({e.x, e.y});
    }
    if (e.text) j["text"] = *e.text;
    for (const auto& [name, on] :
         {std::pair("alt", e.alt), std::pair("ctrl", e.ctrl), std::pair("meta", e.meta), std::pair("shift", e.shift)}) {
      if (on) j[name] = true;
    }
    list.push_back(std::move(j));
  }
  return list;
}

Result<std::vector<SurfaceEvent>> ParseEvents(std::string_view text, std::string_view name) {
  const Json list = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false, /*ignore_comments=*/true);
  const std::string what = fmt::format("events '{}'", name);
  if (list.is_discarded()) return Fail(ErrorKind::InvalidArgument, "it is not JSON").Context(what);
  return TakeEvents(list).Context(what);
}

}  // namespace weft::graph
