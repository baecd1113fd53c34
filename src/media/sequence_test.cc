// SPDX-License-Identifier: Apache-2.0
// Numbered sequences, y4m and raw video.
#include "media/sequence.h"

#include <fcntl.h>
#include <unistd.h>

#include "media/test_util.h"

namespace weft::media {
namespace {

using F = PixelFormat;

TEST(SequencePattern, NamesAndFindsItsFiles) {
  TempDir dir;
  auto p = SequencePattern::Parse(dir / "a%%b_%04d.png");
  ASSERT_TRUE(Ok(p));
  ASSERT_TRUE(p->has_value());
  EXPECT_EQ((*p)->Name(7), dir / "a%b_0007.png");
  EXPECT_EQ((*p)->Name(123456), dir / "a%b_123456.png");
  for (const char* name : {"a%b_0010.png", "a%b_0002.png", "a%b_3.png", "a%b_.png", "a%b_0003.jpg", "a%b_00x1.png"})
    std::ofstream(dir / name) << "x";
  EXPECT_EQ((*p)->List().value(), (std::vector<int64_t>{2, 10}));
  EXPECT_FALSE(SequencePattern::Parse("a.png")->has_value());
  EXPECT_SAYS(SequencePattern::Parse("a%s.png"), "%06d");
  EXPECT_SAYS(SequencePattern::Parse("%d/%d.png"), "more than one");
  EXPECT_SAYS(SequencePattern::Parse("%d/a.png"), "name of a folder");
  EXPECT_EQ(DescribeNumbers({3, 7, 8, 9, 12}), "3, 7-9 and 12");
}

TEST(FrameRange, ReadsAllItsForms) {
  EXPECT_EQ(ParseFrameRange("7")->last, 7);
  EXPECT_EQ(ParseFrameRange("1001-1005x2")->step, 2);
  EXPECT_FALSE(ParseFrameRange("10-")->last);
  EXPECT_EQ(ParseFrameRange("10-x3")->step, 3);
  for (const char* wrong : {"", "-", "x", "a-b", "5-3", "1-2x0", "1-2x", "-5", "1 - 2"}) EXPECT_FALSE(ParseFrameRange(wrong)) << wrong;
}

class Sequence : public ::testing::Test {
 protected:
  void SetUp() override {
    auto sink = Sink::Open(dir_ / "f.%04d.png");
    ASSERT_TRUE(Ok(sink));
    for (int n : {1001, 1002, 1003, 1005, 1009}) {
      frames_.push_back(Noise({.width = 9, .height = 5, .format = F::Rgb48}, static_cast<uint32_t>(n)));
      frames_.back()->number = n;
      ASSERT_TRUE(Ok((*sink)->Write(*frames_.back())));
    }
    ASSERT_TRUE(Ok((*sink)->Finish()));
  }
  TempDir dir_;
  std::vector<Ref<CpuFrame>> frames_;
};

TEST_F(Sequence, NamesEveryMissingFrame) {
  EXPECT_SAYS(Source::Open(dir_ / "f.%04d.png"), "lacks frames 1004 and 1006-1008");
  EXPECT_SAYS(Source::Open(dir_ / "f.%04d.png", {.frames = FrameRange{1001, 1005, 1}}), "lacks frame 1004");
  EXPECT_SAYS(Source::Open(dir_ / "f.%04d.png", {.frames = FrameRange{1009, 1011, 1}}), "lacks frames 1010-1011");
  EXPECT_SAYS(Source::Open(dir_ / "g.%04d.png"), "has no file");
  EXPECT_SAYS(Source::Open(dir_ / "no/g.%04d.png"), "does not exist");
}

TEST_F(Sequence, NumbersAndTimesFollowTheNames) {
  auto source = Source::Open(dir_ / "f.%04d.png", {.values = {{"rate", "30000/1001"}}, .frames = FrameRange{1001, 1009, 4}});
  ASSERT_TRUE(Ok(source));
  EXPECT_EQ((*source)->info().frame_count, 3);
  EXPECT_EQ((*source)->info().first_number, 1001);
  for (size_t i : {size_t{0}, size_t{3}, size_t{4}}) {
    auto f = (*source)->Next();
    ASSERT_TRUE(Ok(f));
    EXPECT_EQ((**f)->number, frames_[i]->number);
    EXPECT_EQ((**f)->pts, Rational::Make(1001 * (frames_[i]->number - 1001), 30000));
    EXPECT_TRUE(SameSamples(***f, *frames_[i]));
  }
  EXPECT_FALSE((*source)->Next()->has_value());
  ASSERT_TRUE(Ok((*source)->Seek(1002)));
  EXPECT_EQ((**(*source)->Next())->number, 1005);
  EXPECT_SAYS((*source)->Seek(1010), "ends with frame 1009");
}

TEST_F(Sequence, APictureOfAnotherSizeIsNamed) {
  ASSERT_TRUE(Ok(WriteFrames(dir_ / "f.1002.png", {Noise({.width = 9, .height = 6, .format = F::Rgb48})}, {.overwrite = true})));
  EXPECT_SAYS(ReadFrames(dir_ / "f.%04d.png", {.frames = FrameRange{1001, 1003, 1}}), "f.1002.png' is 9x6");
}

TEST_F(Sequence, ExistingPicturesAreRefusedAndASinglePictureForManyToo) {
  auto sink = Sink::Open(dir_ / "f.%04d.png", {});
  ASSERT_TRUE(Ok(sink));
  EXPECT_SAYS((*sink)->Write(*frames_[0]), "f.1001.png' exists already");
  EXPECT_SAYS(Sink::Open(dir_ / "one.png", {.frame_count = 3}), "one-%06d.png");
  EXPECT_SAYS(WriteFrames(dir_ / "one.png", frames_), "one-%06d.png");
  EXPECT_FALSE(std::filesystem::exists(dir_ / "one.png"));
}

TEST(Y4m, KeepsEveryLayoutAndItsHeader) {
  TempDir dir;
  for (F format : {F::Yuv420p8, F::Yuv420p10, F::Yuv422p8, F::Yuv444p8, F::Yuv444p12, F::Yuva444p8, F::Gray8, F::Gray16, F::Yuv411p8}) {
    FrameInfo info{.width = 63, .height = 5, .format = format, .color = {6, 6, 6, false}, .pixel_aspect = {16, 15}};
    std::vector<Ref<CpuFrame>> in{Noise(info, 1), Noise(info, 2)};
    StreamInfo stream;
    stream.rate = {30000, 1001};
    ASSERT_TRUE(Ok(WriteFrames(dir / "a.y4m", in, {.overwrite = true, .source = stream})));
    auto source = Source::Open(dir / "a.y4m");
    ASSERT_TRUE(Ok(source));
    EXPECT_EQ((*source)->info().rate, stream.rate);
    EXPECT_EQ((*source)->info().frame_count, 2);
    EXPECT_EQ((*source)->info().frame.pixel_aspect, info.pixel_aspect);
    auto out = ReadFrames(dir / "a.y4m");
    ASSERT_TRUE(Ok(out));
    ASSERT_EQ(out->size(), 2u);
    EXPECT_TRUE(SameSamples(*in[1], *(*out)[1]));
    EXPECT_EQ((*out)[1]->pts, (Rational{1001, 30000}));
    ASSERT_TRUE(Ok((*source)->Seek(1)));
    EXPECT_TRUE(SameSamples(*in[1], ***(*source)->Next()));
    EXPECT_SAYS((*source)->Seek(2), "ends before frame 2");
  }
}

TEST(Y4m, IsWhatFfmpegReadsAndWrites) {
  TempDir dir;
  Shell("ffmpeg -v error -f lavfi -i testsrc2=s=64x48:r=25:d=0.2 -pix_fmt yuv422p -y " + (dir / "in.y4m"));
  auto frames = ReadFrames(dir / "in.y4m");
  ASSERT_TRUE(Ok(frames));
  ASSERT_EQ(frames->size(), 5u);
  ASSERT_TRUE(Ok(WriteFrames(dir / "out.y4m", *frames)));
  const auto md5 = [](const std::string& f) { return Shell("ffmpeg -v error -i " + f + " -f md5 -"); };
  EXPECT_EQ(md5(dir / "in.y4m"), md5(dir / "out.y4m"));
}

TEST(Y4m, CutOrBrokenIsAnError) {
  TempDir dir;
  ASSERT_TRUE(Ok(WriteFrames(
      dir / "a.y4m", {Noise({.width = 8, .height = 8, .format = F::Yuv420p8}), Noise({.width = 8, .height = 8, .format = F::Yuv420p8})})));
  const auto whole = FileBytes(dir / "a.y4m");
  for (size_t keep : {size_t{5}, size_t{12}, whole.size() - 150, whole.size() - 98, whole.size() - 1}) {
    PutFile(dir / "cut.y4m", std::span(whole).first(keep));
    EXPECT_SAYS(ReadFrames(dir / "cut.y4m"), "cut.y4m'");
  }
  std::ofstream(dir / "big.y4m") << "YUV4MPEG2 W99999 H99999 F25:1\nFRAME\n";
  EXPECT_SAYS(Source::Open(dir / "big.y4m"), "claims to be 99999x99999");
  std::ofstream(dir / "odd.y4m") << "YUV4MPEG2 W9 H9 F25:1 C999\nFRAME\n";
  EXPECT_SAYS(Source::Open(dir / "odd.y4m"), "C999");
}

TEST(RawVideo, NeedsSizeAndLayoutAndKeepsEverySample) {
  TempDir dir;
  const Ref<CpuFrame> in = Noise({.width = 7, .height = 5, .format = F::P010});
  ASSERT_TRUE(Ok(WriteFrames(dir / "a.yuv", {in, in})));
  EXPECT_SAYS(Source::Open(dir / "a.yuv", {.values = {{"format", "rawvideo"}}}), "size=1920x1080,pix_fmt=yuv420p");
  EXPECT_SAYS(Source::Open(dir / "a.yuv", {.values = {{"format", "rawvideo"}, {"size", "7x5"}, {"pix_fmt", "nope"}}}), "nv12");
  auto out = ReadFrames(dir / "a.yuv", {.values = {{"format", "rawvideo"}, {"size", "7x5"}, {"pix_fmt", "p010le"}}});
  ASSERT_TRUE(Ok(out));
  ASSERT_EQ(out->size(), 2u);
  EXPECT_TRUE(SameSamples(*in, *(*out)[1]));
  EXPECT_SAYS(ReadFrames(dir / "a.yuv", {.values = {{"format", "rawvideo"}, {"size", "7x6"}, {"pix_fmt", "p010"}}}),
              "ends in the middle of frame 1");
}

// Puts a file in the place of stdin or stdout while it lives.
class Redirect {
 public:
  Redirect(int fd, const std::string& path) : fd_(fd), saved_(dup(fd)) {
    const int file = open(path.c_str(), fd == 0 ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC, 0666);
    dup2(file, fd);
    close(file);
  }
  ~Redirect() {
    dup2(saved_, fd_);
    close(saved_);
  }

 private:
  int fd_, saved_;
};

TEST(StandardStreams, CarryPicturesY4mAndContainers) {
  TempDir dir;
  const Ref<CpuFrame> yuv = Noise({.width = 64, .height = 48, .format = F::Yuv420p8, .color = {6, 6, 6, false}});
  const Ref<CpuFrame> rgb = Noise({.width = 63, .height = 5, .format = F::Rgb48});
  struct {
    Options values;
    Ref<CpuFrame> frame;
  } cases[] = {{{{"format", "y4m"}}, yuv}, {{{"format", "png"}}, rgb}, {{{"format", "matroska"}, {"codec", "ffv1"}}, yuv}};
  for (const auto& c : cases) {
    Status written;
    {
      Redirect out(1, dir / "piped");
      written = WriteFrames("-", {c.frame}, {.values = c.values});
    }
    ASSERT_TRUE(Ok(written)) << c.values[0].second;
    Redirect in(0, dir / "piped");
    auto frames = ReadFrames("-");
    ASSERT_TRUE(Ok(frames)) << c.values[0].second;
    ASSERT_EQ(frames->size(), 1u);
    EXPECT_TRUE(SameSamples(*c.frame, *(*frames)[0]));
  }
  Redirect in(0, dir / "piped");
  auto source = Source::Open("-");
  ASSERT_TRUE(Ok(source));
  EXPECT_SAYS((*source)->Seek(3), "it is not a file");
}

TEST(StandardStreams, AFullDiskAndAGoneReaderAreSentences) {
  for (const Options& values :
       {Options{{"format", "png"}}, Options{{"format", "rawvideo"}}, Options{{"format", "matroska"}, {"codec", "ffv1"}}}) {
    const Ref<CpuFrame> frame = Noise({.width = 640, .height = 480, .format = values.size() > 1 ? F::Yuv420p8 : F::Rgb24});
    Status written;
    {
      Redirect out(1, "/dev/full");
      written = WriteFrames("-", {frame}, {.values = values});
    }
    EXPECT_SAYS(written, "standard output' cannot be written: No space left on device");
    int pipe_ends[2];
    ASSERT_EQ(pipe(pipe_ends), 0);
    close(pipe_ends[0]);
    const int saved = dup(1);
    dup2(pipe_ends[1], 1);
    written = WriteFrames("-", {frame}, {.values = values});
    dup2(saved, 1);
    close(saved);
    close(pipe_ends[1]);
    EXPECT_SAYS(written, "The reader of 'standard output' has gone away");
  }
}

}  // namespace
}  // namespace weft::media
