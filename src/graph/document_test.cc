// SPDX-License-Identifier: Apache-2.0
#include "graph/document.h"

#include <gtest/gtest.h>

#include <cmath>

#include "graph/shorthand.h"

namespace weft::graph {
namespace {

using Kind = Literal::Kind;

Literal Lit(std::string_view text) {
  auto l = ParseLiteral(text);
  EXPECT_TRUE(l) << (l ? "" : l.error().ToString());
  return l ? *l : Literal{};
}

TEST(Literal, ReadsEachFormOfTheCommandLine) {
  EXPECT_EQ(Lit("-0.5").number, -0.5);
  EXPECT_EQ(Lit("screen").kind, Kind::Word);
  EXPECT_EQ(Lit("\"two, words\"").text, "two, words");
  EXPECT_EQ(Lit("\"4\"").kind, Kind::Word);
  EXPECT_EQ(Lit("@lut.cube").text, "lut.cube");
  EXPECT_EQ(Lit("@lut.cube").kind, Kind::File);
  const Literal point = Lit("(0.5, 1)");
  EXPECT_EQ(point.count, 2);
  EXPECT_EQ(point.vector[0], 0.5);
  EXPECT_EQ(point.vector[1], 1);
  EXPECT_EQ(Lit("#1").kind, Kind::Word);
}

TEST(Literal, MakesHexColoursLinearWithStraightAlpha) {
  const Literal color = Lit("#ff8000c0");
  EXPECT_EQ(color.kind, Kind::Vector);
  EXPECT_DOUBLE_EQ(color.vector[0], 1);
  EXPECT_NEAR(color.vector[1], 0.2158605, 1e-6);
  EXPECT_DOUBLE_EQ(color.vector[2], 0);
  EXPECT_DOUBLE_EQ(color.vector[3], 192 / 255.0);
  EXPECT_DOUBLE_EQ(Lit("#000000").vector[3], 1);
}

TEST(Literal, ReadsRampsOfNumbersAndOfVectors) {
  auto s = ParseSetting("radius=0..64");
  ASSERT_TRUE(s && s->to);
  EXPECT_EQ(s->from.number, 0);
  EXPECT_EQ(s->to->number, 64);
  s = ParseSetting("x=.5...75");
  ASSERT_TRUE(s && s->to);
  EXPECT_EQ(s->to->number, 0.75);
  s = ParseSetting("at=(0,0)..(1,0.5)");
  ASSERT_TRUE(s && s->to);
  EXPECT_EQ(s->to->vector[1], 0.5);
  s = ParseSetting("lut=@../a..b.cube");
  ASSERT_TRUE(s);
  EXPECT_FALSE(s->to);
  EXPECT_EQ(s->from.text, "../a..b.cube");
}

TEST(Literal, SaysWhatIsWrong) {
  EXPECT_EQ(ParseLiteral("(1,b)").error().message(), "'b' in '(1,b)' is not a number; write points as (x,y)");
  EXPECT_EQ(ParseSetting("radius").error().message(), "'radius' is not a setting; write name=value");
  EXPECT_EQ(ParseLiteral("\"open").error().kind(), ErrorKind::InvalidArgument);
}

TEST(Literal, SplitsAtCommasOutsideQuotesAndBrackets) {
  EXPECT_EQ(SplitSettings("a=1,b=(2,3),c=\"x,y\""), (std::vector<std::string>{"a=1", "b=(2,3)", "c=\"x,y\""}));
}

TEST(Document, ReadsCommentsNodesAndEdges) {
  auto d = ParseDocument(R"(// a graph
    {"weft": 1, /* and */ "nodes": {
      "in": {"kind": "source", "path": "in.mp4"},
      "blur": {"kind": "plugin", "path": "b.wasm", "parameters": {"radius": {"from": 0, "to": 64}, "edge": "clamp", "at": [0.5, 1], "lut": {"file": "x"}}},
      "out": {"kind": "sink", "path": "out.mp4"}},
     "edges": [["in", "blur.input"], ["blur", "out"]]})",
                         "g.json");
  ASSERT_TRUE(d) << d.error().ToString();
  ASSERT_EQ(d->nodes.size(), 3u);
  EXPECT_EQ(d->nodes[1].settings[0].to->number, 64);
  EXPECT_EQ(d->nodes[1].settings[3].from.kind, Kind::File);
  EXPECT_EQ(d->edges[0].to.ToString(), "blur.input");
}

TEST(Document, ComesBackEqualFromItsOwnJson) {
  Document d;
  NodeSpec n{"a", "plugin", "p.wasm", {}};
  Literal bytes;
  bytes.kind = Kind::Bytes;
  bytes.bytes = std::make_shared<const std::vector<uint8_t>>(std::vector<uint8_t>{0, 255, 7, 8});
  n.settings = {{"n", Literal::Number(0.1), Literal::Number(2)},
                {"w", Lit("\"4\""), std::nullopt},
                {"b", bytes, std::nullopt},
                {"v", Literal::Vector({1, 2, 0, 0}, 2), std::nullopt}};
  d.nodes = {n, {"b", "sink", "-", {}}};
  d.edges = {{{"a", "x"}, {"b", ""}, true}};
  auto back = ParseDocument(ToJson(d), "copy");
  ASSERT_TRUE(back) << back.error().ToString();
  EXPECT_EQ(ToJson(*back), ToJson(d));
  EXPECT_EQ(*back->nodes[0].settings[2].from.bytes, *bytes.bytes);
  EXPECT_EQ(back->nodes[0].settings[0].from.number, 0.1);
  EXPECT_TRUE(back->nodes[0].settings[1].from.quoted);
  EXPECT_TRUE(back->edges[0].implied);
}

TEST(Document, NamesWhatIsWrongAndWhere) {
  auto message = [](std::string_view json) {
    auto d = ParseDocument(json, "g.json");
    return d ? std::string("no error") : d.error().ToString();
  };
  EXPECT_EQ(message("[]"), "graph document 'g.json': the document must be an object, but is a list");
  EXPECT_EQ(message("{}"), "graph document 'g.json': \"weft\": 1 is expected, the version of the document; this build knows no other");
  EXPECT_EQ(message(R"({"weft": 1, "nodes": {"a": {"kind": "plugin", "paht": "x"}}})"),
            "graph document 'g.json': node 'a' has the unknown member 'paht'; known are kind, path, parameters and events");
  EXPECT_EQ(message(R"({"weft": 1, "edges": [["a"]]})"),
            "graph document 'g.json': edge [\"a\"] must be a pair of strings like [\"in\", \"blur.input\"]");
  EXPECT_EQ(message(R"({"weft": 1, "nodes": {"a": {"kind": "plugin", "parameters": {"r": null}}}})").substr(0, 51),
            "graph document 'g.json': node 'a', parameter 'r' mu");
  EXPECT_NE(message("{\"weft\": 1,\n oops}").find("line 2"), std::string::npos) << message("{\"weft\": 1,\n oops}");
}

TEST(Document, LoadsFilesThroughTheGivenReader) {
  auto d = ParseDocument(R"({"weft": 1, "nodes": {"a": {"kind": "plugin", "parameters": {"lut": {"file": "x.cube"}}}}})", "g");
  ASSERT_TRUE(d);
  ASSERT_TRUE(LoadFiles(
      &*d, [](const std::string& path) -> Result<std::vector<uint8_t>> { return std::vector<uint8_t>(path.begin(), path.end()); }));
  EXPECT_EQ(d->nodes[0].settings[0].from.bytes->size(), 6u);
}

TEST(Shorthand, ChainsInputsPluginsAndOutputs) {
  auto d = FromShorthand({{"a.png", "b.png:rate=24"},
                          {"blur.wasm:radius=0..4", "x/blur.wasm", "c.wasm@c:mode=screen,background=#2"},
                          {"o.png", "h.png=c.hist:depth=16"},
                          {}});
  ASSERT_TRUE(d) << d.error().ToString();
  std::vector<std::string> ids;
  for (const auto& n : d->nodes) ids.push_back(n.id);
  EXPECT_EQ(ids, (std::vector<std::string>{"in1", "in2", "blur", "blur-2", "c", "out1", "out2"}));
  EXPECT_EQ(d->nodes[1].settings[0].from.number, 24);
  EXPECT_EQ(d->edges.back().from.ToString(), "c.hist");
  EXPECT_EQ(d->nodes.back().settings[0].name, "depth");
  EXPECT_EQ(d->edges[0].from.node, "in1");
  EXPECT_EQ(d->edges[2].from.node, "blur-2");
}

TEST(Shorthand, TakesQuotedNames) {
  auto d = FromShorthand({{"\"a:b,c=d.png\":rate=5"}, {}, {"\"o=1.png\""}, {}});
  ASSERT_TRUE(d) << d.error().ToString();
  EXPECT_EQ(d->nodes[0].path, "a:b,c=d.png");
  EXPECT_EQ(d->nodes[1].path, "o=1.png");
}

TEST(Shorthand, RefusesWhatIsMissingOrDouble) {
  EXPECT_EQ(FromShorthand({{}, {}, {"o"}, {}}).error().message(), "no INPUT is given; name at least one file to read, or - for stdin");
  EXPECT_EQ(FromShorthand({{"a"}, {}, {}, {}}).error().message(), "no output is given; name one with -o FILE");
  EXPECT_EQ(FromShorthand({{"a"}, {"p@x", "q@x"}, {"o"}, {}}).error().ToString(),
            "plugin 'q@x': the id 'x' is given to two nodes; choose another behind '@'");
}

}  // namespace
}  // namespace weft::graph
