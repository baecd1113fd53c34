// SPDX-License-Identifier: Apache-2.0
#include "nodes/wgsl_plugin.h"

#include <gtest/gtest.h>

#include "nodes/resize_node.h"
#include "nodes/sha256.h"

namespace weft::nodes {
namespace {

TEST(Sha256, HashesAsTheStandardSays) {
  EXPECT_EQ(Sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256(std::string(1000, 'a')), "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3");
}

std::string Wrap(const std::string& inside) {
  return R"({"weft-wgsl": 1, "id": "t", "shader": "s.wgsl", "inputs": [{"id": "in"}], "outputs": [{"id": "out"}],)" + inside + "}";
}
const std::string kPass = R"("passes": [{"entry": "main", "reads": ["in"], "writes": ["out"]}])";

std::string Message(const std::string& json) {
  auto p = ParseWgslPlugin(json);
  return p ? "no error" : p.error().message();
}

TEST(WgslPlugin, LaysOutTheUniformAsWgslDoes) {
  auto p =
      ParseWgslPlugin(Wrap(R"("parameters": [{"id": "a", "default": {"number": 1}}, {"id": "tint-color", "default": {"vector": [1,1,1,1]}},
    {"id": "on", "default": {"boolean": true}}],)" +
                           kPass));
  ASSERT_TRUE(p) << p.error().ToString();
  EXPECT_EQ(p->UniformLayout().offsets, (std::vector<uint32_t>{20, 32, 48}));
  EXPECT_EQ(p->UniformLayout().size, 64u);
  const std::string text = p->BindingText();
  EXPECT_NE(text.find("  tint_color: vec4<f32>,\n  on: u32,\n"), std::string::npos) << text;
}

TEST(WgslPlugin, NumbersBindingsAsDocumented) {
  auto p = ParseWgslPlugin(Wrap(R"("intermediates": [{"id": "half-way", "scale": 0.5}], "passes": [
    {"entry": "a", "reads": ["in"], "writes": ["half-way"]}, {"entry": "b", "reads": ["half-way"], "writes": ["out"]}])"));
  ASSERT_TRUE(p) << p.error().ToString();
  const std::string text = p->BindingText();
  for (const char* line : {"@binding(1) var in: texture_2d<f32>;", "@binding(2) var half_way: texture_2d<f32>;",
                           "@binding(3) var out: texture_storage_2d<rgba16float, write>;",
                           "@binding(4) var half_way_out: texture_storage_2d<rgba16float, write>;"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
  }
}

TEST(WgslPlugin, NamesWhatIsWrong) {
  EXPECT_EQ(Message(Wrap(kPass)), "no error");
  EXPECT_EQ(Message(Wrap(R"("colour": 1,)" + kPass)), "the document has the unknown key 'colour'");
  EXPECT_EQ(Message(R"({"id": "t"})"), "\"weft-wgsl\": 1 is expected, the version of the format");
  EXPECT_EQ(Message(Wrap(R"("passes": [])")), "'passes' is missing or empty; at least one is expected");
  EXPECT_EQ(Message(Wrap(R"("passes": [{"entry": "m", "reads": ["inn"], "writes": ["out"]}])")),
            "passes[0], 'reads' names 'inn', which is not declared");
  EXPECT_EQ(Message(Wrap(R"("passes": [{"entry": "m", "reads": ["out"], "writes": ["out"]}])")),
            "passes[0] reads the output 'out'; use an intermediate");
  EXPECT_EQ(Message(Wrap(R"("intermediates": [{"id": "m"}], "passes": [{"entry": "m", "reads": ["m"], "writes": ["m"]}])")),
            "passes[0] reads and writes 'm'; a pass cannot do both");
  EXPECT_EQ(Message(Wrap(R"("parameters": [{"id": "time", "default": {"number": 1}}],)" + kPass)),
            "a parameter cannot have the id 'time', which is taken");
  EXPECT_NE(Message(Wrap(R"("parameters": [{"id": "t", "default": {"text": "x"}}],)" + kPass)).find("parameters[0], 'default'"),
            std::string::npos);
  EXPECT_NE(Message("{").find("line 1"), std::string::npos);
}

TEST(Resize, FitsThePictureIntoTheTarget) {
  auto contain = FitOptions(200, 100, 50, 50, 0);
  EXPECT_EQ(contain.target_width, 50);
  EXPECT_EQ(contain.target_height, 25);
  EXPECT_EQ(contain.target_y, 12);
  auto cover = FitOptions(200, 100, 50, 50, 1);
  EXPECT_EQ(cover.source_width, 100);
  EXPECT_EQ(cover.source_x, 50);
  EXPECT_EQ(cover.source_height, 100);
}

}  // namespace
}  // namespace weft::nodes
