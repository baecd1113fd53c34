// SPDX-License-Identifier: Apache-2.0
#include "graph/check.h"

#include <gtest/gtest.h>

#include "graph/plan.h"
#include "graph/shorthand.h"

namespace weft::graph {
namespace {

Description Source() {
  Description d;
  d.outputs = {{.id = "out", .kind = PortKind::Picture}};
  d.open_parameters = true;
  return d;
}
Description Sink() {
  Description d;
  d.inputs = {{.id = "in", .kind = PortKind::Picture}};
  d.open_parameters = true;
  return d;
}
Description Blur() {
  Description d;
  d.inputs = {{.id = "input"}};
  d.outputs = {{.id = "output"}};
  d.parameters = {{.id = "radius", .default_value = 1.0, .minimum = 0, .maximum = 64, .animatable = true},
                  {.id = "edge", .default_value = Choice{0}, .choices = {"clamp", "mirror"}},
                  {.id = "steps", .default_value = int64_t{2}, .minimum = 1},
                  {.id = "tint", .look = "color", .default_value = Vec4{1, 1, 1, 1}},
                  {.id = "on", .default_value = true}};
  return d;
}
Description Composite() {
  Description d;
  d.inputs = {{.id = "foreground"}, {.id = "background"}, {.id = "mask", .optional = true}};
  d.outputs = {{.id = "output"}, {.id = "histogram", .kind = PortKind::Data, .media_type = "application/json"}};
  return d;
}

Description Describe(const NodeSpec& node) {
  if (node.kind == "source") return Source();
  if (node.kind == "sink") return Sink();
  return node.path.starts_with("c") ? Composite() : Blur();
}

Result<CheckedGraph> CheckAll(const Document& d) {
  std::vector<Description> descriptions;
  for (const NodeSpec& n : d.nodes) descriptions.push_back(Describe(n));
  return Check(d, descriptions);
}
Result<CheckedGraph> CheckLine(Shorthand s) {
  auto d = FromShorthand(s);
  EXPECT_TRUE(d) << (d ? "" : d.error().ToString());
  return CheckAll(*d);
}
std::string Message(const Result<CheckedGraph>& r) { return r ? "no error" : r.error().ToString(); }

TEST(Check, TypesParametersAndFillsDefaults) {
  auto g = CheckLine({{"a.png"}, {"b.wasm:radius=0..64,edge=mirror,on=false,tint=#ffffff"}, {"o.png"}, {}});
  ASSERT_TRUE(g) << g.error().ToString();
  const auto& p = g->nodes[1].parameters;
  EXPECT_EQ(std::get<double>(p[0].At(0.5)), 32);
  EXPECT_EQ(std::get<double>(p[0].At(1)), 64);
  EXPECT_EQ(std::get<Choice>(p[1].from).index, 1u);
  EXPECT_EQ(std::get<int64_t>(p[2].from), 2);
  EXPECT_EQ(std::get<Vec4>(p[3].from)[3], 1);
  EXPECT_FALSE(std::get<bool>(p[4].from));
}

TEST(Check, BindsInputsByNumberAndById) {
  auto g = CheckLine({{"a.png", "b.png"}, {"b.wasm@soft", "c.wasm@c:background=#1,mask=#2"}, {"o.png"}, {}});
  ASSERT_TRUE(g) << g.error().ToString();
  EXPECT_EQ(g->edges, (std::vector<Edge>{{0, 0, 2, 0}, {2, 0, 3, 0}, {0, 0, 3, 1}, {1, 0, 3, 2}, {3, 0, 4, 0}}));
  g = CheckLine({{"a.png", "b.png"}, {"b.wasm@soft", "c.wasm@c:foreground=#2"}, {"o.png"}, {}});
  ASSERT_TRUE(g) << g.error().ToString();
  EXPECT_EQ(g->edges[2], (Edge{2, 0, 3, 1})) << "the chain goes to the first input that nothing binds";
  g = CheckLine({{"a.png", "b.png"}, {"b.wasm@soft", "c.wasm@c:foreground=soft,background=#2"}, {"o.png"}, {}});
  ASSERT_TRUE(g) << g.error().ToString();
  EXPECT_EQ(g->edges.size(), 4u) << "and is left out where all required inputs are bound";
}

TEST(Check, PutsNodesAfterWhatTheyTakeFrom) {
  Document d;
  d.nodes = {{"out", "sink", "o", {}}, {"b", "plugin", "b", {}}, {"in", "source", "i", {}}};
  d.edges = {{{"b", ""}, {"out", ""}}, {{"in", ""}, {"b", ""}}};
  auto g = CheckAll(d);
  ASSERT_TRUE(g) << g.error().ToString();
  EXPECT_EQ(g->order, (std::vector<size_t>{2, 1, 0}));
}

TEST(Check, NamesTheLoop) {
  Document d;
  d.nodes = {{"a", "plugin", "b", {}}, {"b", "plugin", "b", {}}};
  d.edges = {{{"a", ""}, {"b", ""}}, {{"b", ""}, {"a", ""}}};
  EXPECT_EQ(Message(CheckAll(d)), "the graph has a loop: a <- b <- a; a node cannot wait for its own result");
}

TEST(Check, NamesNodePortAndParameter) {
  auto line = [](std::string plugin, std::string output = "o.png") { return Message(CheckLine({{"a.png"}, {plugin}, {output}, {}})); };
  EXPECT_EQ(line("b.wasm@b:raduis=3"), "node 'b': there is no parameter or input 'raduis'; did you mean 'radius'?");
  EXPECT_EQ(line("b.wasm@b:radius=90"), "node 'b': parameter 'radius' is 90; it must be between 0 and 64");
  EXPECT_EQ(line("b.wasm@b:radius=0..90"), "node 'b': parameter 'radius' is 90; it must be between 0 and 64");
  EXPECT_EQ(line("b.wasm@b:steps=0"), "node 'b': parameter 'steps' is 0; it must be at least 1");
  EXPECT_EQ(line("b.wasm@b:steps=1.5"), "node 'b': parameter 'steps' expects a whole number, but the number 1.5 was given");
  EXPECT_EQ(line("b.wasm@b:radius=big"), "node 'b': parameter 'radius' expects a number, but 'big' was given");
  EXPECT_EQ(line("b.wasm@b:edge=mirorr"), "node 'b': parameter 'edge' has no choice 'mirorr'; did you mean 'mirror'?");
  EXPECT_EQ(line("b.wasm@b:edge=7"), "node 'b': parameter 'edge' has no choice the number 7; its choices are: clamp, mirror");
  EXPECT_EQ(line("b.wasm@b:steps=1..5"), "node 'b': parameter 'steps' cannot change during a run; give it one value instead of a ramp");
  EXPECT_EQ(line("b.wasm@b", "o.png=bb.output"), "edge bb.output -> out1: there is no node 'bb'; did you mean 'b'?");
  EXPECT_EQ(line("b.wasm@b", "o.png=b.outptu"), "edge b.outptu -> out1: node 'b': there is no output 'outptu'; did you mean 'output'?");
  EXPECT_EQ(line("c.wasm@c"),
            "node 'c' needs 2 inputs, but 1 is connected: nothing is connected to 'background'; bind it to an input by number or to a node "
            "by id, "
            "background=#1");
  EXPECT_EQ(line("c.wasm@c:background=#3"),
            "node 'c': edge #3 -> c.background: there is no input #3; the inputs are numbered from #1, and 1 is given");
  EXPECT_EQ(line("c.wasm@c:background=#1", "o.png=c.histogram"),
            "node 'out1', input 'in', connected to 'c.histogram': it expects a picture, but gets a data");
}

TEST(Plan, GivesAPortThePictureItAsksFor) {
  Project project;
  project.frame.format = "rgba16float";
  project.frame.color.transfer = 13;
  const PortInfo offered = media::FrameInfo{.width = 4, .height = 2, .format = media::PixelFormat::Yuv420p8, .color = {1, 1, 1, false}};
  PortSpec port{.id = "input"};
  auto want = WantedTexture(port, offered, project);
  ASSERT_TRUE(want);
  EXPECT_EQ(want->format, "rgba16float");
  EXPECT_EQ(want->color, (media::ColorSpace{1, 1, 0, true}));
  EXPECT_TRUE(NeedsConversion(offered, *want));
  port.color = ColorWant::Linear;
  port.formats = {"rgba32float", "rgba8unorm"};
  port.alpha = media::AlphaMode::Premultiplied;
  auto linear = WantedTexture(port, *want, project);
  ASSERT_TRUE(linear);
  EXPECT_EQ(linear->format, "rgba32float");
  EXPECT_EQ(linear->color.transfer, 8);
  EXPECT_EQ(linear->alpha, media::AlphaMode::Opaque) << "opaque is premultiplied already";
  port = {.id = "input", .color = ColorWant::Display};
  auto display = WantedTexture(port, *linear, project);
  EXPECT_EQ(display->color.transfer, 13);
  EXPECT_FALSE(NeedsConversion(*want, *WantedTexture(PortSpec{.id = "i"}, *want, project)));
}

TEST(Plan, MakesLinearLightInTheWorkFormatNotInTheEightBitsThatItComesIn) {
  Project project;
  project.frame.format = "rgba16float";
  const TextureInfo offered = {.width = 4, .height = 2, .format = "rgba8unorm", .color = {1, 13, 0, true}};
  EXPECT_EQ(WantedTexture({.id = "input", .color = ColorWant::Linear}, offered, project)->format, "rgba16float");
  EXPECT_EQ(WantedTexture({.id = "input"}, offered, project)->format, "rgba8unorm");
}

TEST(Plan, RefusesDataWhereAPictureIsExpected) {
  EXPECT_EQ(WantedTexture({.id = "input"}, DataInfo{}, {}).error().message(), "input 'input' takes a picture, but data is connected to it");
}

}  // namespace
}  // namespace weft::graph
