// SPDX-License-Identifier: Apache-2.0
#include "gpu/library.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

namespace weft::gpu {
namespace {

TEST(Library, HasEverySymbolOfTheTableThatTheRealLibraryShouldHave) {
  auto library = Library::Open();
  ASSERT_TRUE(library) << library.error().ToString();
  void* handle = dlopen((*library)->path().c_str(), RTLD_NOW);
  ASSERT_NE(handle, nullptr);
  std::map<ProcKind, int> count;
  for (const ProcEntry& entry : ProcTable()) {
    ++count[entry.kind];
    EXPECT_NE(dlsym(handle, entry.name), nullptr) << entry.name;
  }
  // 40 that are exported and not implemented, and the two of error scopes.
  EXPECT_EQ(count[ProcKind::Never], 42);
  EXPECT_EQ(count[ProcKind::Required] + count[ProcKind::Optional] + count[ProcKind::Never], 202);
}

TEST(Library, TableNamesEveryFunctionOfTheHeaderOnce) {
  std::ifstream file(WEFT_WEBGPU_H);
  ASSERT_TRUE(file) << WEFT_WEBGPU_H;
  std::stringstream text;
  text << file.rdbuf();
  const std::string header = text.str();
  std::set<std::string> in_header, in_table;
  const std::regex function(R"(\nWGPU_EXPORT [^(\n]*\b(wgpu\w+)\()");
  for (std::sregex_iterator it(header.begin(), header.end(), function), end; it != end; ++it) in_header.insert((*it)[1]);
  for (const ProcEntry& entry : ProcTable()) EXPECT_TRUE(in_table.insert(entry.name).second) << entry.name << " stands twice";
  EXPECT_EQ(in_header, in_table);
}

TEST(Library, ThatIsMissingIsNamed) {
  auto library = Library::Open("/no/such/libwebgpu.so");
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().kind(), ErrorKind::NotFound);
  EXPECT_NE(library.error().message().find("/no/such/libwebgpu.so"), std::string::npos) << library.error().message();
}

TEST(Library, WithoutTheFunctionsIsRefusedByTheName) {
  auto library = Library::Open("libm.so.6");
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().kind(), ErrorKind::Unsupported);
  EXPECT_NE(library.error().message().find("wgpuCreateInstance"), std::string::npos) << library.error().message();
}

TEST(Library, TellsItsVersion) {
  auto library = Library::Open();
  ASSERT_TRUE(library);
  EXPECT_EQ((*library)->Version().rfind("wgpu-native 29.", 0), 0u) << (*library)->Version();
}

TEST(Library, FromLookupRefusesAProgramThatLacksAFunction) {
  auto library = Library::FromLookup([](const char*, void*) -> void* { return nullptr; }, nullptr, "the program's own");
  ASSERT_FALSE(library);
  EXPECT_NE(library.error().message().find("the program's own"), std::string::npos);
}

TEST(Native, NamesFeaturesAsWebGpuDoes) {
  EXPECT_EQ(FeatureName(WGPUFeatureName_ShaderF16), "shader-f16");
  EXPECT_EQ(FeatureName(static_cast<WGPUFeatureName>(0x7777)), "feature-0x7777");
}

}  // namespace
}  // namespace weft::gpu
