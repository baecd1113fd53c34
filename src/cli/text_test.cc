// SPDX-License-Identifier: Apache-2.0
#include "cli/text.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <vector>

#include "cli/json.h"
#include "cli/line_printer.h"
#include "cli/progress.h"

namespace weft::cli {
namespace {

TEST(Text, ReadsSizesInPowersOf1024) {
  EXPECT_EQ(ParseBytes("4096"), 4096u);
  EXPECT_EQ(ParseBytes("64M"), 64u << 20);
  EXPECT_EQ(ParseBytes("2g"), uint64_t{2} << 30);
  for (const char* bad : {"", "M", "-1", "1T", "1.5G", "99999999999G", "18446744073709551616"}) EXPECT_FALSE(ParseBytes(bad)) << bad;
}

TEST(Text, ReadsTimes) {
  EXPECT_EQ(ParseDuration("10"), 10'000'000'000u);
  EXPECT_EQ(ParseDuration("250ms"), 250'000'000u);
  EXPECT_EQ(ParseDuration("2m"), 120'000'000'000u);
  for (const char* bad : {"", "0", "-1", "1h", "nan", "inf", "1e300"}) EXPECT_FALSE(ParseDuration(bad)) << bad;
}

TEST(Text, ReadsSizesOfPictures) {
  EXPECT_EQ(ParseSize("1920x1080")->height, 1080u);
  for (const char* bad : {"", "1920", "0x5", "5x0", "5x5x5", "-5x5"}) EXPECT_FALSE(ParseSize(bad)) << bad;
}

TEST(Text, WritesTimesWithThreeDigits) {
  EXPECT_EQ(FormatTime(420'000), "0.42 ms");
  EXPECT_EQ(FormatTime(12'340'000), "12.3 ms");
  EXPECT_EQ(FormatTime(123'400'000), "123 ms");
  EXPECT_EQ(FormatTime(1'230'000'000), "1.23 s");
  EXPECT_EQ(FormatTime(125'000'000'000), "2:05 min");
  EXPECT_EQ(FormatClock(3723), "1:02:03");
}

TEST(Text, SuggestsOnlyWhatIsNear) {
  const std::vector<std::string> names = {"radius", "edge-mode"};
  EXPECT_EQ(Nearest("raduis", names), "radius");
  EXPECT_EQ(Nearest("brightness", names), "");
}

TEST(Json, EscapesAndMendsText) {
  EXPECT_EQ(Json("a\"b\\c\n\x01"), R"("a\"b\\c\n\u0001")");
  EXPECT_EQ(Json("\xC3\xA9\xFF\xC0\x80"), "\"\xC3\xA9\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
  EXPECT_EQ(JsonObject({{"a", Json(int64_t{-1})}, {"b", JsonArray({Json(true), Json(1.5)})}}), R"({"a":-1,"b":[true,1.5]})");
}

TEST(LinePrinter, ElidesInTheMiddleByCodePoints) {
  EXPECT_EQ(ElideMiddle("abcdefghij", 10), "abcdefghij");
  EXPECT_EQ(ElideMiddle("abcdefghij", 7), "ab...ij");
  EXPECT_EQ(ElideMiddle("äbcdefghiß", 7), "äb...iß");
  EXPECT_EQ(ElideMiddle("abcdef", 2), "..");
}

std::string Printed(bool smart) {
  std::FILE* file = std::tmpfile();
  {
    LinePrinter printer(file, smart, 40);
    printer.Status("frame 1");
    printer.Line("a warning");
    printer.Status("frame 2");
  }
  std::rewind(file);
  std::string text(1000, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}

TEST(LinePrinter, KeepsTheStatusAtTheFootOfATerminal) {
  EXPECT_EQ(Printed(true), "\rframe 1\x1b[K\r\x1b[Ka warning\nframe 1\rframe 2\x1b[K\n");
}

TEST(LinePrinter, WritesPlainLinesWhereThereIsNoTerminal) { EXPECT_EQ(Printed(false), "frame 1\na warning\nframe 2\n"); }

TEST(Progress, TellsCounterRateAndTimeLeft) {
  EXPECT_EQ(ProgressLine({.framesDone = 37, .framesTotal = 132, .elapsedNanoseconds = 2'000'000'000}, 24.8),
            "frame 37/132  28%  24.8 fps  0:04 left");
  EXPECT_EQ(ProgressLine({.framesDone = 5, .framesTotal = 0, .elapsedNanoseconds = 61'000'000'000}, 0), "frame 5  1:01 elapsed");
  EXPECT_EQ(ProgressJson({.framesDone = 1, .framesTotal = 3, .elapsedNanoseconds = 500'000'000}, 2),
            R"({"event":"progress","frame":1,"elapsed":0.500,"frames":3,"fps":2.000,"left":1.000})");
}

TEST(Progress, PrintsTheLastFrameOnceAndNotEveryFrame) {
  std::vector<uint64_t> printed;
  Progress progress(0.5, true, [&](const WeftProgress& p, double) { printed.push_back(p.framesDone); });
  for (uint64_t i = 1; i <= 10; ++i) progress.Update({.framesDone = i, .framesTotal = 10, .elapsedNanoseconds = i * 100'000'000});
  progress.Update({.framesDone = 10, .framesTotal = 10, .elapsedNanoseconds = 1'100'000'000});
  EXPECT_EQ(printed, (std::vector<uint64_t>{1, 6, 10}));
}

TEST(Progress, ForecastsFromLateRatesNotFromASlowStart) {
  double rate = 0;
  Progress progress(0, true, [&](const WeftProgress&, double r) { rate = r; });
  progress.Update({.framesDone = 1, .framesTotal = 100, .elapsedNanoseconds = 10'000'000'000});
  progress.Update({.framesDone = 11, .framesTotal = 100, .elapsedNanoseconds = 11'000'000'000});
  EXPECT_NEAR(rate, 10, 1e-9);
}

}  // namespace
}  // namespace weft::cli
