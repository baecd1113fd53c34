// SPDX-License-Identifier: Apache-2.0
#include "hostile/bed.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/fail.h"
#include "gpu/transfer.h"

namespace weft::hostile {
namespace {

const WGPUTextureFormat kFormat = WGPUTextureFormat_RGBA16Float;
const media::ColorSpace kLinear{1, 8, 0, true};

}  // namespace

std::string Guest(const std::string& name) { return std::string(WEFT_GUESTS) + "/" + name; }
std::string Plugin(const std::string& name) { return std::string(WEFT_PLUGINS) + "/" + name; }

Ref<runtime::Runtime> SharedRuntime() {
  struct Holder : testing::Environment {
    Ref<runtime::Runtime> runtime;
    void TearDown() override { runtime = nullptr; }
  };
  static Holder* holder = [] {
    auto* h = new Holder;
    testing::AddGlobalTestEnvironment(h);
    runtime::RuntimeOptions options;
    options.supervised = false;
    options.limits = {
        {"memory", uint64_t{64} << 20}, {"time", kCallSeconds * 1'000'000'000}, {"gpu-memory", kGpuBytes}, {"gpu-objects", kGpuObjects}};
    options.log = Log([](LogLevel level, std::string_view text) {
      if (level >= LogLevel::Error) std::fprintf(stderr, "%.*s\n", static_cast<int>(text.size()), text.data());
    });
    h->runtime = *runtime::Runtime::Create(options);
    return h;
  }();
  return holder->runtime;
}

Ref<gpu::Device> SharedDevice() {
  auto device = SharedRuntime()->Device();
  if (!device) ADD_FAILURE() << device.error().ToString();
  WEFT_CHECK(device);
  return *device;
}

Picture MakePicture(int number) {
  std::vector<uint16_t> half(size_t{kWidth} * kHeight * 4);
  for (uint32_t y = 0; y < kHeight; ++y) {
    for (uint32_t x = 0; x < kWidth; ++x) {
      uint16_t* texel = &half[(size_t{y} * kWidth + x) * 4];
      // 0.25 to 0.5; alpha 1.
      for (uint32_t c = 0; c < 3; ++c)
        texel[c] = static_cast<uint16_t>(0x3400 + (x * 21 + y * 37 + c * 111 + static_cast<uint32_t>(number) * 197) % 0x400);
      texel[3] = 0x3c00;
    }
  }
  Picture out(half.size() * 2);
  std::memcpy(out.data(), half.data(), out.size());
  return out;
}

Ref<gpu::PoolTexture> Upload(const Picture& picture) {
  auto device = SharedDevice();
  auto texture = device->textures().Acquire({kWidth, kHeight, kFormat, gpu::FullUsage(*device, kFormat)});
  WEFT_CHECK(texture);
  (*texture)->set_last_writer(device->NewId());
  const Status sent = gpu::UploadTexture(**texture, picture.data(), kWidth * 8);
  EXPECT_TRUE(sent) << sent.error().ToString();
  return *texture;
}

Picture Read(WGPUTexture texture) {
  auto bytes = gpu::ReadTextureNow(*SharedDevice(), texture, kFormat, kWidth, kHeight);
  if (!bytes) ADD_FAILURE() << bytes.error().ToString();
  return bytes ? std::move(*bytes) : Picture();
}

bool AllZero(const Picture& picture) {
  return std::ranges::all_of(picture, [](std::byte b) { return b == std::byte{0}; });
}

Result<Line> Line::Create(std::vector<runtime::ChainNode> nodes) {
  runtime::ChainOptions options;
  options.nodes = std::move(nodes);
  WEFT_TRY_ASSIGN(auto chain, runtime::Chain::Create(SharedRuntime(), options));
  return Line(std::move(chain));
}

Status Line::Push(const gpu::PoolTexture& texture, uint64_t number) {
  return chain_->PushTexture(texture.texture(), kLinear, media::AlphaMode::Premultiplied, {.number = number});
}

Result<Picture> Line::Pull() {
  WEFT_TRY_ASSIGN(auto image, chain_->PullTexture());
  return Read(image->texture());
}

Result<Line> HostileLine(const std::string& deed, const std::string& guest) {
  WEFT_TRY_ASSIGN(Line line, Line::Create({{"guest", Guest(guest)}}));
  WEFT_TRY(line.chain().Set("guest", "mode", graph::Literal::Word(deed)));
  return line;
}

Bystander& Bystander::Get() {
  // Its chain and textures end before the device does.
  struct Holder : testing::Environment {
    std::unique_ptr<Bystander> bystander;
    void TearDown() override { bystander = nullptr; }
  };
  static Holder* holder = [] {
    SharedRuntime();  // its environment is the older one, torn down later
    auto* h = new Holder;
    testing::AddGlobalTestEnvironment(h);
    h->bystander.reset(new Bystander);
    return h;
  }();
  return *holder->bystander;
}

Bystander::Bystander() {
  auto line = Line::Create({{"same", Guest("identity.wasm")}, {"soft", Plugin("gaussian-blur.wasm")}});
  if (!line) ADD_FAILURE() << line.error().ToString();
  WEFT_CHECK(line);
  line_.push_back(std::move(*line));
  const Status set = line_[0].chain().Set("soft", "radius", graph::Literal::Number(3));
  EXPECT_TRUE(set) << set.error().ToString();
  for (int i = 0; i < kFrames; ++i) {
    contents_.push_back(MakePicture(i));
    sources_.push_back(Upload(contents_.back()));
    Push(i);
    auto picture = line_[0].Pull();
    if (!picture) ADD_FAILURE() << picture.error().ToString();
    WEFT_CHECK(picture);
    EXPECT_FALSE(AllZero(*picture));
    EXPECT_NE(*picture, contents_.back()) << "it should blur";
    expected_.push_back(std::move(*picture));
  }
}

void Bystander::Push(int i) {
  const Status pushed = line_[0].Push(*sources_[i], static_cast<uint64_t>(i));
  EXPECT_TRUE(pushed) << pushed.error().ToString();
}

void Bystander::PullAndCompare(int i) {
  auto picture = line_[0].Pull();
  ASSERT_TRUE(picture) << picture.error().ToString();
  EXPECT_TRUE(*picture == expected_[i]) << "the bystander's frame " << i << " is another picture than before";
  EXPECT_TRUE(Read(sources_[i]->texture()) == contents_[i]) << "the source picture " << i << ", which both got, has changed";
}

void Bystander::FillPool() {
  for (int i = 0; i < kFrames; ++i) Push(i);
  for (int i = 0; i < kFrames; ++i) PullAndCompare(i);
}

}  // namespace weft::hostile
