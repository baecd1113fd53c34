// SPDX-License-Identifier: Apache-2.0
// Video in and out. Inputs are made by the ffmpeg program's generators, and ffprobe is the second opinion on outputs.
#include "media/test_util.h"

// Under AddressSanitizer: libx265 itself forgets its parameter sets.
extern "C" const char* __lsan_default_suppressions() { return "leak:libx265"; }

namespace weft::media {
namespace {

using F = PixelFormat;

std::string Ffmpeg(const std::string& args) { return Shell("ffmpeg -nostdin -v error " + args + " 2>&1"); }
std::string Probe(const std::string& args) { return Shell("ffprobe -v error -of csv=p=0 " + args); }
std::string PtsList(const std::string& file) {
  return Shell("ffprobe -v error -of default=nk=1:nw=1 -select_streams v -show_entries frame=pts_time " + file);
}

// Reads all of `in` and writes it to `out` as a graph that changes nothing would: same samples, same times.
Status PassThrough(const std::string& in, const std::string& out, Options values = {}, bool audio = false,
                   std::optional<FrameRange> range = {}, Log log = {}) {
  WEFT_TRY_ASSIGN(auto source, Source::Open(in, {.frames = range}));
  SinkOptions options{.values = std::move(values), .source = source->info(), .log = std::move(log)};
  if (audio) options.audio = {.path = in, .trim = range.has_value()};
  WEFT_TRY_ASSIGN(auto sink, Sink::Open(out, std::move(options)));
  while (true) {
    WEFT_TRY_ASSIGN(auto frame, source->Next());
    if (!frame) break;
    WEFT_TRY(sink->Write(**frame));
  }
  return sink->Finish();
}

TEST(Video, VariableFrameTimesStayExactly) {
  TempDir dir;
  Ffmpeg(
      "-f lavfi -i testsrc=s=64x48:r=25:d=1 -vf \"settb=1/1000,setpts='if(lt(N,10),N/25,0.4+(N-10)/10)/TB'\" -vsync passthrough "
      "-enc_time_base 1:1000 -c:v libx264 -pix_fmt yuv420p " +
      (dir / "in.mkv"));
  const std::string before = PtsList(dir / "in.mkv");
  ASSERT_NE(before.find("0.500000"), before.npos);
  for (const char* name : {"out.mkv", "out.mp4", "out.nut"}) {
    ASSERT_TRUE(Ok(PassThrough(dir / "in.mkv", dir / name))) << name;
    EXPECT_EQ(PtsList(dir / name), before) << name;
  }
  auto frames = ReadFrames(dir / "in.mkv");
  ASSERT_TRUE(Ok(frames));
  ASSERT_EQ(frames->size(), 25u);
  EXPECT_EQ((*frames)[3]->pts, (Rational{3, 25}));
  EXPECT_EQ((*frames)[3]->duration, (Rational{1, 25}));
  EXPECT_EQ((*frames)[11]->pts, (Rational{1, 2}));
  EXPECT_EQ((*frames)[11]->duration, (Rational{1, 10}));
  EXPECT_EQ((*frames)[24]->number, 24);
}

TEST(Video, OddRatesAreExactInMp4) {
  TempDir dir;
  Ffmpeg("-f lavfi -i testsrc=s=64x48:r=30000/1001:d=2 -c:v libx264 -pix_fmt yuv420p " + (dir / "in.mp4"));
  ASSERT_TRUE(Ok(PassThrough(dir / "in.mp4", dir / "out.mp4")));
  EXPECT_EQ(PtsList(dir / "out.mp4"), PtsList(dir / "in.mp4"));
  EXPECT_EQ(Probe("-select_streams v -show_entries stream=r_frame_rate,nb_frames " + (dir / "out.mp4")), "30000/1001,60\n");
  auto frames = ReadFrames(dir / "out.mp4");
  ASSERT_TRUE(Ok(frames));
  EXPECT_EQ(frames->back()->pts, (Rational{59 * 1001, 30000}));
  EXPECT_EQ(frames->back()->duration, (Rational{1001, 30000}));
}

TEST(Video, Ffv1KeepsEverySample) {
  TempDir dir;
  for (F format : {F::Yuv420p8, F::Yuv422p10, F::Yuv444p16, F::Gray16, F::Bgra8, F::Bgrx8, F::Gbrp10, F::Gbrp12, F::Gbrp16, F::Gbrap16,
                   F::Yuva444p8, F::P010}) {
    std::vector<Ref<CpuFrame>> in;
    for (int i = 0; i < 3; ++i) {
      FrameInfo info{.width = 63, .height = 65, .format = format};
      info.alpha = LayoutOf(format).has_alpha ? AlphaMode::Straight : AlphaMode::Opaque;
      Ref<CpuFrame> f = Noise(info, static_cast<uint32_t>(i + 1));
      f->number = i;
      f->pts = {i, 25};
      f->duration = {1, 25};
      in.push_back(f);
    }
    const Status written = WriteFrames(dir / "a.mkv", in, {.values = {{"codec", "ffv1"}}, .overwrite = true});
    if (format == F::P010) {
      EXPECT_SAYS(written, "does not take frames of 63x65 p010");
      continue;
    }
    ASSERT_TRUE(Ok(written));
    auto out = ReadFrames(dir / "a.mkv");
    ASSERT_TRUE(Ok(out));
    ASSERT_EQ(out->size(), 3u);
    for (size_t i = 0; i < 3; ++i) {
      if (format == F::Bgrx8) {  // the fourth byte has no meaning
        for (int y = 0; y < 65; ++y) {
          for (size_t x = 0; x < 63 * 4; ++x) {
            if (x % 4 == 3) continue;
            ASSERT_EQ(in[i]->data(0)[static_cast<size_t>(y) * in[i]->stride(0) + x],
                      (*out)[i]->data(0)[static_cast<size_t>(y) * (*out)[i]->stride(0) + x]);
          }
        }
        continue;
      }
      EXPECT_TRUE(SameSamples(*in[i], *(*out)[i]));
    }
  }
}

TEST(Video, ColourTagsSurvive) {
  TempDir dir;
  struct {
    const char* name;
    Options values;
  } outputs[] = {{"a.mp4", {}},
                 {"a.mkv", {{"codec", "ffv1"}}},
                 {"a.mov", {}},
                 {"b.mp4", {{"codec", "libx265"}, {"crf", "16"}, {"pix_fmt", "yuv420p10le"}}}};
  for (const auto& o : outputs) {
    for (ColorSpace c : {ColorSpace{9, 16, 9, false}, ColorSpace{5, 6, 5, false}, ColorSpace{1, 1, 1, true}}) {
      auto sink = Sink::Open(dir / o.name, {.values = o.values, .overwrite = true});
      ASSERT_TRUE(Ok(sink)) << o.name;
      auto want = (*sink)->Wanted(
          {.width = 64, .height = 64, .format = F::Yuv420p8, .color = c, .chroma = ChromaSiting::Left, .pixel_aspect = {8, 9}});
      ASSERT_TRUE(Ok(want));
      EXPECT_EQ(want->color, c);
      Ref<CpuFrame> f = Noise(*want);
      f->duration = {1, 25};
      ASSERT_TRUE(Ok((*sink)->Write(*f))) << o.name;
      ASSERT_TRUE(Ok((*sink)->Finish()));
      auto source = Source::Open(dir / o.name);
      ASSERT_TRUE(Ok(source));
      EXPECT_EQ((*source)->info().frame.color, c) << o.name;
      EXPECT_FALSE((*source)->info().color_guessed) << o.name;
      EXPECT_EQ((*source)->info().frame.pixel_aspect, (Rational{8, 9})) << o.name;
      EXPECT_EQ((*source)->info().frame.format, want->format) << o.name;
    }
  }
}

TEST(Video, UntaggedColourIsGuessedByTheRuleOfPlayers) {
  TempDir dir;
  Ffmpeg("-f lavfi -i testsrc=s=320x240:r=25:d=0.1 -c:v libx264 -pix_fmt yuv420p " + (dir / "sd.mp4"));
  Ffmpeg("-f lavfi -i testsrc=s=1280x720:r=25:d=0.1 -c:v libx264 -pix_fmt yuv420p " + (dir / "hd.mp4"));
  auto sd = Source::Open(dir / "sd.mp4"), hd = Source::Open(dir / "hd.mp4");
  ASSERT_TRUE(Ok(sd));
  ASSERT_TRUE(Ok(hd));
  EXPECT_EQ((*sd)->info().frame.color, (ColorSpace{6, 6, 6, false}));
  EXPECT_EQ((*hd)->info().frame.color, (ColorSpace{1, 1, 1, false}));
  EXPECT_TRUE((*hd)->info().color_guessed);
  EXPECT_EQ((*hd)->info().rate, (Rational{25, 1}));
  EXPECT_FALSE((*hd)->info().has_audio);
}

TEST(Video, SoundIsCopiedPacketByPacket) {
  TempDir dir;
  Ffmpeg("-f lavfi -i testsrc=s=64x48:r=25:d=2 -f lavfi -i sine=d=2 -c:v libx264 -pix_fmt yuv420p -c:a aac -shortest " + (dir / "in.mp4"));
  for (const char* name : {"out.mp4", "out.mkv", "out.mov"}) {
    ASSERT_TRUE(Ok(PassThrough(dir / "in.mp4", dir / name, {}, true))) << name;
    auto md5 = [](const std::string& f) { return Ffmpeg("-i " + f + " -map 0:a -c copy -f md5 -"); };
    EXPECT_EQ(md5(dir / name), md5(dir / "in.mp4")) << name;
    EXPECT_EQ(PtsList(dir / name), PtsList(dir / "in.mp4")) << name;
  }
  const std::string packets = "-select_streams a -show_entries packet=pts_time,duration_time ";
  EXPECT_EQ(Probe(packets + (dir / "out.mp4")), Probe(packets + (dir / "in.mp4")));
  // Frames 25 to 37, and the sound between 1 s and 1.52 s.
  ASSERT_TRUE(Ok(PassThrough(dir / "in.mp4", dir / "part.mkv", {}, true, FrameRange{25, 37, 1})));
  const std::string times = Probe("-select_streams a -show_entries packet=pts_time " + (dir / "part.mkv"));
  EXPECT_GE(std::stod(times), 1.0);
  EXPECT_LT(std::stod(times), 1.03);
}

TEST(Video, SoundThatTheContainerCannotHoldIsLeftOutWithAWarning) {
  TempDir dir;
  Ffmpeg("-f lavfi -i testsrc=s=64x48:r=25:d=0.4 -f lavfi -i sine=d=0.4 -c:v libx264 -pix_fmt yuv420p -c:a pcm_s16le " + (dir / "in.mkv"));
  std::string said;
  Log log([&](LogLevel, std::string_view text) { said += text; });
  ASSERT_TRUE(Ok(PassThrough(dir / "in.mkv", dir / "out.mp4", {}, true, {}, log)));
  EXPECT_NE(said.find("is left out, because"), said.npos) << said;
  EXPECT_EQ(Probe("-show_entries stream=codec_type " + (dir / "out.mp4")), "video\n");
}

TEST(Video, RotationOfTheContainerIsApplied) {
  TempDir dir;
  Ffmpeg("-f lavfi -i testsrc=s=64x48:r=25:d=0.2 -c:v libx264 -pix_fmt yuv420p " + (dir / "flat.mp4"));
  // The rotate tag becomes a display matrix.
  Ffmpeg("-i " + (dir / "flat.mp4") + " -c copy -metadata:s:v rotate=90 " + (dir / "turned.mp4"));
  Ffmpeg("-i " + (dir / "turned.mp4") + " -frames:v 1 -pix_fmt yuv420p -f rawvideo " + (dir / "want.yuv"));
  auto want = ReadFrames(dir / "want.yuv", {.values = {{"format", "rawvideo"}, {"size", "48x64"}, {"pix_fmt", "yuv420p"}}});
  ASSERT_TRUE(Ok(want));
  auto got = ReadFrames(dir / "turned.mp4");
  ASSERT_TRUE(Ok(got));
  EXPECT_TRUE(SameSamples(*(*want)[0], *(*got)[0]));
}

TEST(Video, SeekGivesTheVeryFrame) {
  TempDir dir;
  Ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=4 -c:v libx264 -g 20 -bf 3 -pix_fmt yuv420p " + (dir / "in.mp4"));
  auto all = ReadFrames(dir / "in.mp4");
  ASSERT_TRUE(Ok(all));
  ASSERT_EQ(all->size(), 100u);
  auto source = Source::Open(dir / "in.mp4");
  ASSERT_TRUE(Ok(source));
  EXPECT_EQ((*source)->info().frame_count, 100);
  for (int64_t n : {57, 3, 99, 0, 20, 19}) {
    ASSERT_TRUE(Ok((*source)->Seek(n)));
    auto f = (*source)->Next();
    ASSERT_TRUE(Ok(f));
    ASSERT_TRUE(f->has_value());
    EXPECT_EQ((**f)->number, n);
    EXPECT_EQ((**f)->pts, (Rational{n, 25}));
    EXPECT_TRUE(SameSamples(***f, *(*all)[static_cast<size_t>(n)])) << n;
  }
  EXPECT_SAYS((*source)->Seek(100), "has the frames 0 to 99");
}

TEST(Video, ARangePastTheEndNamesTheMissingFrame) {
  TempDir dir;
  Ffmpeg("-f lavfi -i testsrc=s=64x48:r=25:d=0.4 -c:v libx264 -pix_fmt yuv420p " + (dir / "in.mp4"));
  auto some = ReadFrames(dir / "in.mp4", {.frames = FrameRange{2, 8, 3}});
  ASSERT_TRUE(Ok(some));
  ASSERT_EQ(some->size(), 3u);
  EXPECT_EQ((*some)[2]->number, 8);
  EXPECT_SAYS(ReadFrames(dir / "in.mp4", {.frames = FrameRange{5, 12, 1}}), "frame 10 is missing");
  EXPECT_SAYS(ReadFrames(dir / "in.mp4", {.frames = FrameRange{30, {}, 1}}), "frame 30 is missing");
}

TEST(Video, CutAnywhereIsAnErrorThatNamesTheFile) {
  TempDir dir;
  Ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=2 -c:v libx264 -movflags +faststart -pix_fmt yuv420p " + (dir / "a.mp4"));
  Ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=2 -c:v ffv1 " + (dir / "b.mkv"));
  Ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=2 -c:v libx264 -pix_fmt yuv420p " + (dir / "c.mkv"));
  for (const char* name : {"a.mp4", "b.mkv", "c.mkv"}) {
    const std::vector<uint8_t> whole = FileBytes(dir / name);
    for (size_t keep : {size_t{1}, size_t{40}, size_t{700}, whole.size() / 4, whole.size() / 2, whole.size() * 9 / 10}) {
      PutFile(dir / "cut", std::span(whole).first(keep));
      const Status r = PassThrough(dir / "cut", dir / "out.mkv", {{"codec", "ffv1"}});
      ASSERT_FALSE(r) << name << " cut to " << keep << " of " << whole.size();
      EXPECT_NE(r.error().message().find("cut'"), std::string::npos) << r.error().message();
      EXPECT_FALSE(std::filesystem::exists(dir / "out.mkv"));
    }
  }
  EXPECT_EQ(dir.Count(), 4u);
}

TEST(Video, PlaylistsCannotNameOtherFiles) {
  TempDir dir;
  Ffmpeg("-f lavfi -i testsrc=s=64x48:r=25:d=0.2 -c:v libx264 -pix_fmt yuv420p " + (dir / "a.ts"));
  std::ofstream(dir / "a.m3u8") << "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:0.2,\n" << (dir / "a.ts") << "\n#EXT-X-ENDLIST\n";
  std::ofstream(dir / "a.txt") << "ffconcat version 1.0\nfile '" << (dir / "a.ts") << "'\n";
  ASSERT_TRUE(Ok(Source::Open(dir / "a.ts")));
  EXPECT_FALSE(Source::Open(dir / "a.m3u8"));
  EXPECT_FALSE(Source::Open(dir / "a.txt"));
}

TEST(Video, WrongOptionsListTheRightOnes) {
  TempDir dir;
  EXPECT_SAYS(Sink::Open(dir / "a.mp4", {.values = {{"codec", "h999"}}}), "libx264");
  EXPECT_SAYS(Sink::Open(dir / "a.webm", {.values = {{"codec", "libx264"}}}), "a webm file cannot hold it");
  EXPECT_SAYS(Sink::Open(dir / "a.mp4", {.values = {{"qualty", "3"}}}), "'qualty' is not an option");
  EXPECT_SAYS(Sink::Open(dir / "a.mp4", {.values = {{"qualty", "3"}}}), "crf");
  EXPECT_SAYS(Sink::Open(dir / "a.mp4", {.values = {{"crf", "many"}}}), "a number from -1");
  EXPECT_SAYS(Sink::Open(dir / "a.mp4", {.values = {{"pix_fmt", "rgb24"}}}), "yuv420p");
  EXPECT_SAYS(Sink::Open(dir / "a.mp4", {.values = {{"movflags", "quick"}}}), "movflags");
  EXPECT_SAYS(Sink::Open(dir / "a.xyz"), "tells no format");
  EXPECT_SAYS(Sink::Open(dir / "%d.mp4"), "is a sequence, but '.mp4' is no format of single pictures");
  EXPECT_SAYS(Sink::Open("-"), "-:format=y4m");
  EXPECT_SAYS(Sink::Open(dir / "a.mp4", {.values = {{"preset", "quick"}}}), "ultrafast");
  EXPECT_EQ(dir.Count(), 0u);
}

TEST(Video, OddSizesOfH264AreRefusedWithAWayOut) {
  TempDir dir;
  auto sink = Sink::Open(dir / "a.mp4");
  ASSERT_TRUE(Ok(sink));
  EXPECT_SAYS((*sink)->Wanted({.width = 63, .height = 64}), "pix_fmt=yuv444p");
}

TEST(Video, FaststartAndTheSameBytesEveryTime) {
  TempDir dir;
  Ffmpeg("-f lavfi -i testsrc=s=64x48:r=25:d=0.4 -c:v libx264 -pix_fmt yuv420p " + (dir / "in.mp4"));
  ASSERT_TRUE(Ok(PassThrough(dir / "in.mp4", dir / "a.mp4", {{"movflags", "+faststart"}})));
  ASSERT_TRUE(Ok(PassThrough(dir / "in.mp4", dir / "b.mp4", {{"movflags", "+faststart"}})));
  const std::vector<uint8_t> bytes = FileBytes(dir / "a.mp4");
  EXPECT_EQ(bytes, FileBytes(dir / "b.mp4"));
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  EXPECT_LT(text.find("moov"), text.find("mdat"));
}

TEST(Video, AnAbortedOutputLeavesNothing) {
  TempDir dir;
  {
    auto sink = Sink::Open(dir / "a.mp4");
    ASSERT_TRUE(Ok(sink));
    Ref<CpuFrame> f = Noise({.width = 64, .height = 64, .format = F::Yuv420p8});
    ASSERT_TRUE(Ok((*sink)->Write(*f)));
    EXPECT_SAYS((*sink)->Write(*Noise({.width = 32, .height = 64, .format = F::Yuv420p8})), "the output began with 64x64 yuv420p");
    EXPECT_SAYS((*sink)->Write(*f), "order of their times");
  }
  EXPECT_SAYS(WriteFrames(dir / "b.mp4", {}), "no frame");
  EXPECT_EQ(dir.Count(), 0u);
}

TEST(Video, RareLayoutsComeInTheNearestOfOurs) {
  TempDir dir;
  Ffmpeg("-f lavfi -i testsrc=s=62x48:r=25:d=0.1 -pix_fmt uyvy422 -c:v rawvideo " + (dir / "a.nut"));
  auto packed = ReadFrames(dir / "a.nut");
  ASSERT_TRUE(Ok(packed));
  EXPECT_EQ((*packed)[0]->info().format, F::Yuv422p8);
  Ffmpeg("-i " + (dir / "a.nut") + " -pix_fmt yuv422p -c:v rawvideo " + (dir / "b.nut"));
  auto planar = ReadFrames(dir / "b.nut");
  ASSERT_TRUE(Ok(planar));
  EXPECT_TRUE(SameSamples(*(*packed)[0], *(*planar)[0]));
  Ffmpeg("-f lavfi -i testsrc=s=62x48:r=10:d=0.3 " + (dir / "c.gif"));
  auto gif = ReadFrames(dir / "c.gif");
  ASSERT_TRUE(Ok(gif));
  EXPECT_EQ(gif->size(), 3u);
}

}  // namespace
}  // namespace weft::media
