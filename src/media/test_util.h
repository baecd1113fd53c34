// SPDX-License-Identifier: Apache-2.0
// For the tests of media: folders that go away, frames of noise, whole files.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "media/sink.h"
#include "media/source.h"

namespace weft::media {

class TempDir {
 public:
  TempDir() {
    std::string name = (std::filesystem::temp_directory_path() / "weft-media-XXXXXX").string();
    if (char* made = mkdtemp(name.data())) path_ = made;
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }
  size_t Count() const {
    size_t n = 0;
    for ([[maybe_unused]] const auto& e : std::filesystem::directory_iterator(path_)) ++n;
    return n;
  }

 private:
  std::string path_;
};

inline Ref<CpuFrame> Noise(const FrameInfo& info, uint32_t seed = 1) {
  auto made = CpuFrame::Create(info);
  if (!made) return nullptr;
  Ref<CpuFrame> f = *made;
  const PixelLayout& l = f->layout();
  const auto mask = static_cast<uint32_t>((uint64_t{1} << l.bits) - 1);
  for (int p = 0; p < f->planes(); ++p) {
    for (int y = 0; y < f->rows(p); ++y) {
      uint8_t* row = f->mutable_data(p) + static_cast<size_t>(y) * f->stride(p);
      for (size_t x = 0; x < f->row_bytes(p) / l.bytes_per_sample; ++x) {
        seed = seed * 1664525u + 1013904223u;
        const uint32_t v = ((seed >> 8) & mask) << l.shift;
        if (l.bytes_per_sample == 1)
          row[x] = static_cast<uint8_t>(v);
        else if (l.bytes_per_sample == 2)
          reinterpret_cast<uint16_t*>(row)[x] = static_cast<uint16_t>(v);
      }
    }
  }
  return f;
}

// Equal in every sample; says where not.
inline ::testing::AssertionResult SameSamples(const CpuFrame& a, const CpuFrame& b) {
  if (a.info().format != b.info().format || a.width() != b.width() || a.height() != b.height()) {
    return ::testing::AssertionFailure() << Describe(a.info()) << " is not " << Describe(b.info());
  }
  for (int p = 0; p < a.planes(); ++p) {
    for (int y = 0; y < a.rows(p); ++y) {
      const size_t at = static_cast<size_t>(y);
      if (std::memcmp(a.data(p) + at * a.stride(p), b.data(p) + at * b.stride(p), a.row_bytes(p)) != 0) {
        return ::testing::AssertionFailure() << Describe(a.info()) << " differs in plane " << p << " row " << y;
      }
    }
  }
  return ::testing::AssertionSuccess();
}

template <class T>
::testing::AssertionResult Ok(const Result<T>& r) {
  if (r) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << r.error().ToString();
}

inline std::vector<uint8_t> FileBytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
inline void PutFile(const std::string& path, std::span<const uint8_t> bytes) {
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

inline Status WriteFrames(const std::string& path, const std::vector<Ref<CpuFrame>>& frames, SinkOptions options = {}) {
  WEFT_TRY_ASSIGN(auto sink, Sink::Open(path, std::move(options)));
  for (const auto& f : frames) WEFT_TRY(sink->Write(*f));
  return sink->Finish();
}

inline Result<std::vector<Ref<CpuFrame>>> ReadFrames(const std::string& path, SourceOptions options = {}) {
  WEFT_TRY_ASSIGN(auto source, Source::Open(path, std::move(options)));
  std::vector<Ref<CpuFrame>> frames;
  while (true) {
    WEFT_TRY_ASSIGN(auto f, source->Next());
    if (!f) return frames;
    frames.push_back(*f);
  }
}

// The output of a shell command; fails the test when it does not succeed.
inline std::string Shell(const std::string& command) {
  std::string out;
  FILE* pipe = popen(command.c_str(), "r");
  char buffer[4096];
  while (size_t n = fread(buffer, 1, sizeof buffer, pipe)) out.append(buffer, n);
  EXPECT_EQ(pclose(pipe), 0) << command;
  return out;
}

// The message of a Result that must have failed.
template <class T>
std::string Message(const Result<T>& r) {
  EXPECT_FALSE(r) << "it succeeded";
  return r ? "" : r.error().message();
}
#define EXPECT_SAYS(result, part) EXPECT_NE(Message(result).find(part), std::string::npos) << Message(result)

}  // namespace weft::media
