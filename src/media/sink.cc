// SPDX-License-Identifier: Apache-2.0
#include "media/sink.h"

#include <algorithm>
#include <cctype>

#include "base/fail.h"
#include "media/av_sink.h"
#include "media/output.h"
#include "media/picture_sink.h"
#include "media/raw_video.h"

namespace weft::media {
namespace {

std::string EndingOf(const std::string& spec) {
  const size_t dot = spec.rfind('.'), slash = spec.rfind('/');
  if (dot == spec.npos || (slash != spec.npos && dot < slash)) return "";
  std::string e = spec.substr(dot + 1);
  std::transform(e.begin(), e.end(), e.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return e;
}

}  // namespace

Result<std::unique_ptr<Sink>> Sink::Open(const std::string& spec, SinkOptions options) {
  std::string format;
  for (const auto& [key, value] : options.values) {
    if (key == "format") format = value;
  }
  if (spec == "-" && format.empty()) {
    return Fail(ErrorKind::InvalidArgument, "Standard output has no name that tells the format; give it, such as -:format=y4m.");
  }
  std::optional<SequencePattern> pattern;
  if (spec != "-") {
    WEFT_TRY_ASSIGN(pattern, SequencePattern::Parse(spec));
  }
  // "100%%.png" names "100%.png".
  const std::string path = pattern || spec.find("%%") == spec.npos ? spec : [&] {
    std::string p = spec;
    for (size_t at = 0; (at = p.find("%%", at)) != p.npos; ++at) p.erase(at, 1);
    return p;
  }();
  const std::string ending = EndingOf(path);
  const std::string picture = PictureFormatByEnding(format.empty() ? ending : format);
  if (!picture.empty()) return MakePictureSink(path, picture, std::move(pattern), std::move(options));
  if (pattern) {
    return Fail(ErrorKind::InvalidArgument,
                "The output '{}' is a sequence, but {} is no format of single pictures; use one such as .png, .jpg or .tif.", spec,
                format.empty() ? "'." + ending + "'" : format);
  }
  if (format == "y4m" || (format.empty() && ending == "y4m")) return MakeY4mSink(path, std::move(options));
  if (format == "rawvideo" || (format.empty() && (ending == "yuv" || ending == "raw" || ending == "rgb")))
    return MakeRawVideoSink(path, std::move(options));
  return MakeAvSink(path, format, std::move(options));
}

}  // namespace weft::media
