// SPDX-License-Identifier: Apache-2.0
#include "media/atomic_file.h"

#include <unistd.h>

#include "media/test_util.h"

namespace weft::media {
namespace {

std::span<const std::byte> Bytes(std::string_view text) { return std::as_bytes(std::span(text)); }
std::string Text(const std::string& path) {
  const auto b = FileBytes(path);
  return {b.begin(), b.end()};
}

TEST(AtomicFile, AppearsOnlyAtCommit) {
  TempDir dir;
  auto f = AtomicFile::Create(dir / "a", false);
  ASSERT_TRUE(Ok(f));
  ASSERT_TRUE(Ok((*f)->Write(Bytes("hello"))));
  EXPECT_FALSE(std::filesystem::exists(dir / "a"));
  EXPECT_EQ(Text((*f)->ReadablePath()), "hello");
  ASSERT_TRUE(Ok((*f)->Commit()));
  EXPECT_EQ(Text(dir / "a"), "hello");
  EXPECT_EQ(dir.Count(), 1u);
}

TEST(AtomicFile, LeavesNothingWhenDropped) {
  TempDir dir;
  {
    auto f = AtomicFile::Create(dir / "a", false);
    ASSERT_TRUE(Ok((*f)->Write(Bytes("hello"))));
  }
  EXPECT_EQ(dir.Count(), 0u);
}

TEST(AtomicFile, ReplacesOnlyWhenAsked) {
  TempDir dir;
  PutFile(dir / "a", std::vector<uint8_t>{'o'});
  EXPECT_SAYS(AtomicFile::Create(dir / "a", false), "--overwrite");
  auto f = AtomicFile::Create(dir / "a", true);
  ASSERT_TRUE(Ok(f));
  ASSERT_TRUE(Ok((*f)->Write(Bytes("new"))));
  EXPECT_EQ(Text(dir / "a"), "o");
  ASSERT_TRUE(Ok((*f)->Commit()));
  EXPECT_EQ(Text(dir / "a"), "new");
  EXPECT_EQ(dir.Count(), 1u);
}

TEST(AtomicFile, DoesNotReplaceWhatAppearedMeanwhile) {
  TempDir dir;
  auto f = AtomicFile::Create(dir / "a", false);
  ASSERT_TRUE(Ok((*f)->Write(Bytes("new"))));
  PutFile(dir / "a", std::vector<uint8_t>{'o'});
  EXPECT_SAYS((*f)->Commit(), "exists already");
  EXPECT_EQ(Text(dir / "a"), "o");
  EXPECT_EQ(dir.Count(), 1u);
}

TEST(AtomicFile, WritesThroughSymbolicLinks) {
  TempDir dir;
  PutFile(dir / "real", std::vector<uint8_t>{'o'});
  std::filesystem::create_symlink("real", dir / "link");
  auto f = AtomicFile::Create(dir / "link", true);
  ASSERT_TRUE(Ok(f));
  ASSERT_TRUE(Ok((*f)->Write(Bytes("new"))));
  ASSERT_TRUE(Ok((*f)->Commit()));
  EXPECT_TRUE(std::filesystem::is_symlink(dir / "link"));
  EXPECT_EQ(Text(dir / "real"), "new");
}

TEST(AtomicFile, SaysWhyItCannotBeWritten) {
  TempDir dir;
  EXPECT_SAYS(AtomicFile::Create(dir / "no/a", false), "does not exist");
  EXPECT_SAYS(AtomicFile::Create(dir.path(), true), "is a folder");
  EXPECT_SAYS(AtomicFile::Create("/dev/null", true), "not a regular file");
  if (geteuid() != 0) {  // root may write anywhere
    std::filesystem::permissions(dir.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
    EXPECT_SAYS(AtomicFile::Create(dir / "a", false), "does not allow it");
    std::filesystem::permissions(dir.path(), std::filesystem::perms::owner_all);
  }
}

}  // namespace
}  // namespace weft::media
