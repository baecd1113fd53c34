// SPDX-License-Identifier: Apache-2.0
// The typed calls of weft:plugin/effect, against a guest of the real contract.
#include <cstring>

#include "wasm/test_guests.h"

namespace weft::wasm {
namespace {

using namespace plugin;

struct Plugin : Guest {
  std::optional<Effect> effect;
  Rep self = 0;

  explicit Plugin(const Limits& limits = {}) : Guest("plugin", limits) {
    auto e = Effect::Bind(*instance);
    if (!e) ADD_FAILURE() << e.error().ToString();
    if (!e) return;
    effect = *e;
    auto call = effect->InstanceCreate(gpu.Give("device"));
    auto made = call.Wait();
    if (!made) ADD_FAILURE() << made.error().ToString();
    if (made && !(*made)->is_err) self = (*made)->ok;
  }

  std::vector<uint32_t> Process(uint64_t number, std::vector<Rep> textures, std::string* error = nullptr) {
    FrameTime time;
    time.number = number;
    time.pts = time.duration = {1, 25};
    std::vector<Input> inputs;
    for (Rep t : textures) {
      Input i;
      i.item.tag = Item::Tag::Texture;
      i.item.texture = t;
      inputs.push_back(i);
    }
    auto call = effect->InstanceProcess(self, time, std::span<const Input>(inputs), {});
    auto r = call.Wait();
    if (!r || (*r)->is_err) {
      if (error) *error = r ? std::string((*r)->err.view()) : r.error().message();
      return {};
    }
    std::vector<uint32_t> out;
    for (const auto& d : (*r)->ok.data) {
      out.resize(d.bytes.size / 4);
      std::memcpy(out.data(), d.bytes.data, d.bytes.size);
    }
    EXPECT_TRUE((*r)->ok.metadata);
    EXPECT_EQ((*(*r)->ok.metadata)[0].f1.view(), "value");
    return out;
  }
};

TEST(Effect, DescribesItself) {
  Plugin p;
  auto call = p.effect->Describe();
  auto r = call.Wait();
  ASSERT_TRUE(r) << r.error().ToString();
  const Description& d = **r;
  EXPECT_EQ(d.id.view(), "weft.test");
  EXPECT_EQ(d.version.view(), "1.2.3");
  EXPECT_TRUE(d.sequential);
  ASSERT_EQ(d.inputs.size, 1u);
  EXPECT_EQ(d.inputs[0].kind.tag, PortKind::Tag::Texture);
  ASSERT_EQ(d.inputs[0].kind.texture.size, 2u);
  EXPECT_EQ(d.inputs[0].window.f0, -1);
  EXPECT_EQ(d.inputs[0].window.f1, 1);
  ASSERT_TRUE(d.inputs[0].alpha);
  EXPECT_EQ(*d.inputs[0].alpha, AlphaMode::Premultiplied);
  EXPECT_EQ(d.inputs[0].ends, Ends::Mirror);
  ASSERT_EQ(d.outputs.size, 1u);
  EXPECT_EQ(d.outputs[0].kind.data.view(), "application/octet-stream");
  ASSERT_EQ(d.parameters.size, 2u);
  EXPECT_EQ(d.parameters[0].default_.number, 2.5);
  EXPECT_EQ(*d.parameters[0].maximum, 64);
  EXPECT_FALSE(d.parameters[0].step);
  EXPECT_EQ(d.parameters[1].choices[1].view(), "two");
  EXPECT_EQ(d.parameters[1].default_.tag, Value::Tag::Choice);
}

TEST(Effect, SetsAndConfigures) {
  Plugin p;
  Value radius;
  radius.tag = Value::Tag::Number;
  radius.number = 3;
  std::vector<Tuple2<uint32_t, Value>> values{{0, radius}};
  auto set = p.effect->InstanceSet(p.self, std::span<const Tuple2<uint32_t, Value>>(values));
  auto r = set.Wait();
  ASSERT_TRUE(r) << r.error().ToString();
  EXPECT_FALSE((*r)->is_err);
  values[0].f1.number = -1;
  auto again = p.effect->InstanceSet(p.self, std::span<const Tuple2<uint32_t, Value>>(values));
  auto refused = again.Wait();
  ASSERT_TRUE(refused);
  EXPECT_TRUE((*refused)->is_err);
  EXPECT_EQ((*refused)->err.view(), "a radius below zero");

  std::vector<PortInfo> ports(1);
  auto configure = p.effect->InstanceConfigure(p.self, Project{}, std::span<const PortInfo>(ports));
  auto plan = configure.Wait();
  ASSERT_TRUE(plan) << plan.error().ToString();
  ASSERT_FALSE((*plan)->is_err);
  EXPECT_EQ((*plan)->ok.inputs[0].window.f0, -1);
  EXPECT_EQ((*plan)->ok.pass_through.size, 1u);
}

TEST(Effect, ProcessesTextureHandles) {
  Plugin p;
  const std::vector<Rep> textures{p.gpu.Give("texture"), p.gpu.Give("texture")};
  EXPECT_EQ(p.Process(0, textures), (std::vector<uint32_t>{textures[0] * 10, textures[1] * 10}));
  EXPECT_EQ(p.gpu.live["texture"], 0) << "the guest dropped both";
  for (uint64_t n = 20; n < 120; n++) EXPECT_EQ(p.Process(n, {p.gpu.Give("texture")}).size(), 1u);
  EXPECT_EQ(p.gpu.live["texture"], 0);
}

TEST(Effect, KeptHandlesAreDroppedAtTheEnd) {
  Plugin p;
  EXPECT_EQ(p.Process(7, {p.gpu.Give("texture")}).size(), 1u);
  EXPECT_EQ(p.gpu.live["texture"], 1);
  p.instance.reset();
  EXPECT_EQ(p.gpu.Total(), 0);
}

TEST(Effect, ErrorOfThePluginIsAValueAndATrapIsAnError) {
  Plugin p;
  std::string error;
  p.Process(13, {}, &error);
  EXPECT_EQ(error, "frame 13 brings bad luck");
  EXPECT_TRUE(p.instance->alive());
  p.Process(666, {}, &error);
  EXPECT_NE(error.find("trapped in instance-process: "), std::string::npos) << error;
  EXPECT_NE(error.find("process (testdata/plugin.c:"), std::string::npos) << error;
  EXPECT_FALSE(p.instance->alive());
}

TEST(Effect, LoopInProcessEndsAtTheLimit) {
  Plugin p(CallTime(50));
  std::string error;
  p.Process(999, {p.gpu.Give("texture")}, &error);
  EXPECT_NE(error.find("did not finish instance-process within its limit of 50 ms; it was in process"), std::string::npos) << error;
  EXPECT_EQ(p.gpu.Total(), 0) << "its handles are dropped";
  Plugin fresh;
  EXPECT_EQ(fresh.Process(1, {fresh.gpu.Give("texture")}).size(), 1u);
}

TEST(Effect, LoopInTheDestructorEndsAtTheLimit) {
  Plugin p(CallTime(50));
  EXPECT_EQ(p.Process(998, {p.gpu.Give("texture")}).size(), 1u);
  auto drop = p.effect->DropInstance(p.self);
  auto r = drop.Wait();
  ASSERT_FALSE(r);
  EXPECT_NE(r.error().message().find("did not finish the drop of instance within its limit of 50 ms"), std::string::npos)
      << r.error().message();
}

TEST(Effect, SavesAndRestores) {
  Plugin p;
  auto save = p.effect->InstanceSave(p.self);
  auto r = save.Wait();
  ASSERT_TRUE(r) << r.error().ToString();
  ASSERT_EQ((*r)->ok.size, 3u);
  auto restore = p.effect->InstanceRestore(p.self, (*r)->ok);
  auto done = restore.Wait();
  ASSERT_TRUE(done) << done.error().ToString();
  EXPECT_FALSE((*done)->is_err);
}

TEST(Effect, DropRunsTheDestructorOnce) {
  Plugin p;
  auto drop = p.effect->DropInstance(p.self);
  ASSERT_TRUE(drop.Wait());
  auto again = p.effect->DropInstance(p.self);
  auto r = again.Wait();
  ASSERT_FALSE(r);
  EXPECT_NE(r.error().message().find("no resource number"), std::string::npos) << r.error().message();
}

TEST(Effect, BindRefusesAComponentOfAnotherWorld) {
  Guest g;
  auto e = Effect::Bind(*g.instance);
  ASSERT_FALSE(e);
  EXPECT_NE(e.error().message().find("it does not export 'weft:plugin/effect@0.1.0'"), std::string::npos) << e.error().message();
}

}  // namespace
}  // namespace weft::wasm
