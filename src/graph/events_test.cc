// SPDX-License-Identifier: Apache-2.0
#include "graph/events.h"

#include <gtest/gtest.h>

#include "graph/document.h"

namespace weft::graph {
namespace {

std::string Wrong(std::string_view json) {
  auto events = ParseEvents(json, "e.json");
  return events ? "" : events.error().ToString();
}

TEST(Events, AreReadInTheOrderOfFrames) {
  auto events = ParseEvents(R"([{"frame": 7, "key-down": "key-a", "text": "A", "shift": true},  // late
                                {"frame": 2, "resize": [32, 24]}, {"frame": 2, "pointer-move": [1.5, -2]}, {"frame": 9, "key-up": null}])",
                            "e.json");
  ASSERT_TRUE(events) << events.error().ToString();
  ASSERT_EQ(events->size(), 4u);
  EXPECT_EQ((*events)[0], (SurfaceEvent{.frame = 2, .kind = SurfaceEvent::Kind::Resize, .x = 32, .y = 24}));
  EXPECT_EQ((*events)[1], (SurfaceEvent{.frame = 2, .kind = SurfaceEvent::Kind::PointerMove, .x = 1.5, .y = -2}));
  SurfaceEvent a{.frame = 7, .kind = SurfaceEvent::Kind::KeyDown, .key = "key-a", .text = "A"};
  a.shift = true;
  EXPECT_EQ((*events)[2], a);
  EXPECT_EQ((*events)[3], (SurfaceEvent{.frame = 9, .kind = SurfaceEvent::Kind::KeyUp}));
}

TEST(Events, WrongOnesAreNamed) {
  EXPECT_EQ(Wrong("[{"), "events 'e.json': it is not JSON");
  EXPECT_EQ(Wrong("{}"), "events 'e.json': events must be a list");
  EXPECT_NE(Wrong(R"([{"frame": 0, "resize": [1, 1]}, {"frame": -1}])").find("event 2: \"frame\" must be a whole number"),
            std::string::npos);
  EXPECT_NE(Wrong(R"([{"resize": [1, 1]}])").find("it has no \"frame\""), std::string::npos);
  EXPECT_NE(Wrong(R"([{"frame": 0}])").find("it says nothing that happens"), std::string::npos);
  EXPECT_NE(Wrong(R"([{"frame": 0, "resize": [0, 5]}])").find("1 to 65535 pixels"), std::string::npos);
  EXPECT_NE(Wrong(R"([{"frame": 0, "resize": [4000000000, 5]}])").find("1 to 65535 pixels"), std::string::npos);
  EXPECT_NE(Wrong(R"([{"frame": 0, "pointer-up": 4}])").find("pair of numbers, [x, y]"), std::string::npos);
  EXPECT_NE(Wrong(R"([{"frame": 0, "key-up": 4}])").find("key's name or null"), std::string::npos);
  EXPECT_NE(Wrong(R"([{"frame": 0, "key-up": null, "key-down": null}])").find("it is two things"), std::string::npos);
  EXPECT_NE(Wrong(R"([{"frame": 0, "resize": [4, 4], "alt": true}])").find("key-down and key-up only"), std::string::npos);
  EXPECT_NE(Wrong(R"([{"frame": 0, "wheel": 3}])").find("no member \"wheel\""), std::string::npos);
}

TEST(Events, OfADocumentCrossToAnotherProcess) {
  const std::string_view json = R"({"weft": 1, "nodes": {"w": {"kind": "window", "path": "w.wasm", "events":
    [{"frame": 1, "key-down": "enter", "ctrl": true, "text": "\n"}, {"frame": 2, "pointer-up": [0.25, 3]}, {"frame": 3, "key-up": null}]}}, "edges": []})";
  auto document = ParseDocument(json, "d.json");
  ASSERT_TRUE(document) << document.error().ToString();
  ASSERT_EQ(document->nodes[0].events.size(), 3u);
  auto again = ParseDocument(ToJson(*document), "again");
  ASSERT_TRUE(again) << again.error().ToString();
  EXPECT_EQ(again->nodes[0].events, document->nodes[0].events);
  auto wrong = ParseDocument(R"({"weft": 1, "nodes": {"w": {"kind": "window", "events": [{"frame": 1}]}}})", "d.json");
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().ToString().find("node 'w', events: event 1: it says nothing"), std::string::npos) << wrong.error().ToString();
}

}  // namespace
}  // namespace weft::graph
