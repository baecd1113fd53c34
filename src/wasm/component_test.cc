// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "wasm/test_guests.h"

namespace weft::wasm {
namespace {

namespace fs = std::filesystem;

std::string CompileError(std::string_view bytes) {
  auto c = TestEngine().Compile({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, "x.wasm");
  return c ? "" : c.error().message();
}

TEST(Component, SaysWhatAWrongFileIs) {
  EXPECT_NE(CompileError("").find("'x.wasm' is empty"), std::string::npos);
  EXPECT_NE(CompileError("\x89PNG....").find("is not a WebAssembly file: it begins with bytes 89 50 4e 47"), std::string::npos);
  EXPECT_NE(CompileError(std::string_view("\0asm\1\0\0\0", 8)).find("is a core WebAssembly module, not a component"), std::string::npos);
  EXPECT_NE(CompileError(std::string_view("\0asm\x0d\0\1\0garbage", 15)).find("is not a valid component: "), std::string::npos);
  auto missing = TestEngine().CompileFile("/nowhere/at-all.wasm");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind(), ErrorKind::NotFound);
}

TEST(Component, TellsImportsExportsAndHash) {
  const Component& c = TestComponent("plugin");
  EXPECT_TRUE(c.HasExport("weft:plugin/effect@0.1.0"));
  EXPECT_EQ(c.sha256().size(), 64u);
  EXPECT_NE(std::find(c.imports().begin(), c.imports().end(), "wasi:webgpu/webgpu@0.3.0-rc.2"), c.imports().end());
  bool found = false;
  for (const auto& s : TestComponent("guest").Signatures()) found = found || s.starts_with("add: func(a: u32, b: u32) -> u32");
  EXPECT_TRUE(found);
}

TEST(Component, AnImportThatIsNotGrantedIsRefusedWithTheGrantsName) {
  Grants g;
  g.gpu = false;
  const Status s = TestComponent("plugin").Check(g);
  ASSERT_FALSE(s);
  EXPECT_NE(s.error().message().find("imports 'wasi:webgpu/webgpu@0.3.0-rc.2', which needs the grant 'gpu'"), std::string::npos)
      << s.error().message();
  auto i = TestComponent("plugin").Instantiate(g, {}, {});
  ASSERT_FALSE(i) << "instantiating checks too";
  EXPECT_TRUE(TestComponent("plugin").Check(Grants{}));
}

TEST(Component, AnUnknownImportIsRefused) {
  const Status s = TestComponent("wants_more").Check(Grants::Everything());
  ASSERT_FALSE(s);
  EXPECT_NE(s.error().message().find("imports 'test:other/thing@2.0.0', which this host does not have"), std::string::npos)
      << s.error().message();
}

TEST(Component, WasiIsRefusedWithoutItsGrantAndRunsWithIt) {
  const Component& c = TestComponent("command");
  const Status s = c.Check(Grants{});
  ASSERT_FALSE(s);
  EXPECT_NE(s.error().message().find("needs the grant 'environment'"), std::string::npos) << s.error().message();
  Grants g;
  g.environment = true;
  g.arguments = {"command", "one", "two"};
  auto i = c.Instantiate(g, {}, {});
  ASSERT_TRUE(i) << i.error().ToString();
  auto call = (*i)->RunCommand();
  auto r = call.Wait();
  ASSERT_TRUE(r) << r.error().ToString();
  EXPECT_EQ(**r, 1u) << "the command fails when it is given three arguments";
}

TEST(Component, RunCommandRefusesWhatIsNoCommand) {
  Guest g;
  auto call = g.instance->RunCommand();
  auto r = call.Wait();
  ASSERT_FALSE(r);
  EXPECT_NE(r.error().message().find("it is not a command"), std::string::npos) << r.error().message();
}

TEST(Component, LacksAnInterface) {
  const Status s = TestComponent("guest").CheckExport("weft:plugin/effect@0.1.0");
  ASSERT_FALSE(s);
  EXPECT_NE(s.error().message().find("it does not export 'weft:plugin/effect@0.1.0'; it exports add, "), std::string::npos)
      << s.error().message();
}

class CompiledCache : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("weft-cache-test-" + std::to_string(getpid()));
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  std::string dir() const { return root_ / "compiled"; }
  Result<std::unique_ptr<Engine>> Open() { return Engine::Create({.cache_dir = dir()}); }
  // Compiles a guest in a fresh engine: 1 when it came from the cache.
  uint64_t Hits() {
    auto e = Open();
    EXPECT_TRUE(e) << e.error().ToString();
    if (!e) return 99;
    EXPECT_TRUE((*e)->CompileFile(GuestPath("loops_at_start")));
    EXPECT_EQ((*e)->cache_hits() + (*e)->compilations(), 1u);
    return (*e)->cache_hits();
  }
  fs::path File() {
    for (const auto& f : fs::directory_iterator(dir())) return f.path();
    return {};
  }

  fs::path root_;
};

TEST_F(CompiledCache, IsUsedTheSecondTime) {
  EXPECT_EQ(Hits(), 0u);
  EXPECT_EQ(Hits(), 1u);
  struct stat s{};
  ASSERT_EQ(stat(dir().c_str(), &s), 0);
  EXPECT_EQ(s.st_mode & 0777, 0700u);
  ASSERT_EQ(stat(File().c_str(), &s), 0);
  EXPECT_EQ(s.st_mode & 0777, 0600u);
}

TEST_F(CompiledCache, ChangedCodeIsCompiledAgain) {
  EXPECT_EQ(Hits(), 0u);
  {
    std::fstream f(File(), std::ios::in | std::ios::out | std::ios::binary);
    f.seekp(5000);
    f.put('!');
  }
  EXPECT_EQ(Hits(), 0u);
  EXPECT_EQ(Hits(), 1u) << "the bad file was replaced";
}

TEST_F(CompiledCache, TruncatedCodeIsCompiledAgain) {
  EXPECT_EQ(Hits(), 0u);
  fs::resize_file(File(), 20);
  EXPECT_EQ(Hits(), 0u);
}

TEST_F(CompiledCache, FileThatOthersMayWriteIsNotTrusted) {
  EXPECT_EQ(Hits(), 0u);
  ASSERT_EQ(chmod(File().c_str(), 0666), 0);
  EXPECT_EQ(Hits(), 0u);
}

TEST_F(CompiledCache, LinkInItsPlaceIsNotFollowed) {
  EXPECT_EQ(Hits(), 0u);
  const fs::path elsewhere = root_ / "elsewhere", file = File();
  fs::rename(file, elsewhere);
  fs::create_symlink(elsewhere, file);
  EXPECT_EQ(Hits(), 0u);
}

TEST_F(CompiledCache, FolderThatIsOpenToOthersIsRefused) {
  EXPECT_EQ(Hits(), 0u);
  ASSERT_EQ(chmod(dir().c_str(), 0777), 0);
  auto e = Open();
  ASSERT_FALSE(e);
  EXPECT_NE(e.error().message().find("is open to others (owner "), std::string::npos) << e.error().message();
}

}  // namespace
}  // namespace weft::wasm
