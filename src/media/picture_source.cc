// SPDX-License-Identifier: Apache-2.0
#include "media/picture_source.h"

#include <algorithm>

#include "base/fail.h"
#include "media/options.h"
#include "media/picture.h"

namespace weft::media {
namespace {

constexpr OptionReader::Known kFormat = {"format", "png, jpeg or another kind of picture"};
constexpr OptionReader::Known kOrientation = {"orientation", "apply or keep"};
constexpr OptionReader::Known kRate = {"rate", "frames a second, such as 25 or 30000/1001"};

Result<bool> KeepOrientation(const OptionReader& reader) {
  WEFT_TRY_ASSIGN(const auto choice, reader.Choice("orientation", {"apply", "keep"}));
  return choice.value_or(0) == 1;
}

class PictureSource final : public Source {
 public:
  PictureSource(std::string name, Picture picture) : Source(std::move(name)), frame_(std::move(picture.frame)) {
    info_.still = true;
    info_.frame_count = 1;
    info_.frame = frame_->info();
    info_.format = picture.format;
    info_.color_guessed = picture.color_guessed;
    info_.metadata = frame_->metadata;
    frame_->duration = {1, 25};
  }
  Result<std::optional<Ref<CpuFrame>>> Next() override {
    if (done_) return std::optional<Ref<CpuFrame>>();
    done_ = true;
    return std::optional(frame_);
  }
  Status Seek(int64_t number) override {
    if (number > 0) return Fail(ErrorKind::NotFound, "'{}' is a single picture and has no frame {}.", name_, number);
    done_ = false;
    return {};
  }

 private:
  Ref<CpuFrame> frame_;
  bool done_ = false;
};

class SequenceSource final : public Source {
 public:
  SequenceSource(std::string name, SequencePattern pattern, SourceOptions options, std::vector<int64_t> numbers, int64_t step, bool keep,
                 Rational rate)
      : Source(std::move(name)),
        pattern_(std::move(pattern)),
        options_(std::move(options)),
        numbers_(std::move(numbers)),
        step_(step),
        keep_(keep) {
    info_.rate = rate;
    info_.time_base = Rational::Make(rate.den, rate.num);
    info_.first_number = numbers_.front();
    info_.frame_count = static_cast<int64_t>(numbers_.size());
    info_.duration = Rational::Make(rate.den * static_cast<int64_t>(numbers_.size()) * step, rate.num);
  }

  // Decodes the first frame, which says what the stream is.
  Status Begin() {
    WEFT_TRY_ASSIGN(Picture first, Decode(0));
    info_.frame = first.frame->info();
    info_.format = first.format;
    info_.color_guessed = first.color_guessed;
    info_.metadata = first.frame->metadata;
    ready_ = std::move(first.frame);
    return {};
  }

  Result<std::optional<Ref<CpuFrame>>> Next() override {
    if (at_ >= numbers_.size()) return std::optional<Ref<CpuFrame>>();
    const size_t index = at_++;
    Ref<CpuFrame> frame;
    if (index == 0 && ready_) {
      frame = std::move(ready_);
    } else {
      auto picture = Decode(index);
      if (!picture) {
        at_ = numbers_.size();
        return std::move(picture.error());
      }
      frame = std::move(picture->frame);
    }
    const FrameInfo& want = info_.frame;
    if (frame->width() != want.width || frame->height() != want.height || frame->info().format != want.format) {
      at_ = numbers_.size();
      return Fail(ErrorKind::InvalidArgument, "'{}' is {}, but the sequence began with {}; all its pictures must be alike.",
                  pattern_.Name(numbers_[index]), Describe(frame->info()), Describe(want));
    }
    frame->number = numbers_[index];
    frame->pts = Rational::Make(info_.rate.den * (numbers_[index] - numbers_[0]), info_.rate.num);
    frame->duration = Rational::Make(info_.rate.den * step_, info_.rate.num);
    return std::optional(std::move(frame));
  }

  Status Seek(int64_t number) override {
    const auto it = std::lower_bound(numbers_.begin(), numbers_.end(), number);
    if (it == numbers_.end())
      return Fail(ErrorKind::NotFound, "The sequence '{}' ends with frame {} and has no frame {}.", name_, numbers_.back(), number);
    at_ = static_cast<size_t>(it - numbers_.begin());
    return {};
  }

 private:
  Result<Picture> Decode(size_t index) {
    const std::string file = pattern_.Name(numbers_[index]);
    WEFT_TRY_ASSIGN(auto stream, ByteStream::Open(file));
    WEFT_TRY_ASSIGN(const auto bytes, stream->ReadAll(options_.limits.max_file_bytes));
    return DecodePicture(bytes, {.name = file,
                                 .limits = options_.limits,
                                 .keep_orientation = keep_,
                                 .threads = options_.threads,
                                 .log = options_.log,
                                 .pool = pool_.get()});
  }

  SequencePattern pattern_;
  SourceOptions options_;
  std::vector<int64_t> numbers_;
  int64_t step_;
  bool keep_;
  Ref<FramePool> pool_ = MakeRef<FramePool>();
  Ref<CpuFrame> ready_;
  size_t at_ = 0;
};

}  // namespace

Result<std::unique_ptr<Source>> OpenPicture(std::unique_ptr<ByteStream> stream, SourceOptions options) {
  OptionReader reader(options.values, fmt::format("'{}' (picture)", stream->name()));
  WEFT_TRY(reader.Check({kFormat, kOrientation}));
  WEFT_TRY_ASSIGN(const bool keep, KeepOrientation(reader));
  WEFT_TRY_ASSIGN(const auto bytes, stream->ReadAll(options.limits.max_file_bytes));
  WEFT_TRY_ASSIGN(
      Picture picture,
      DecodePicture(
          bytes,
          {.name = stream->name(), .limits = options.limits, .keep_orientation = keep, .threads = options.threads, .log = options.log}));
  return std::make_unique<PictureSource>(stream->name(), std::move(picture));
}

Result<std::unique_ptr<Source>> OpenSequence(const std::string& spec, SequencePattern pattern, SourceOptions options) {
  OptionReader reader(options.values, fmt::format("'{}' (sequence of pictures)", spec));
  WEFT_TRY(reader.Check({kFormat, kOrientation, kRate}));
  WEFT_TRY_ASSIGN(const bool keep, KeepOrientation(reader));
  WEFT_TRY_ASSIGN(const auto rate, reader.Rate("rate"));
  WEFT_TRY_ASSIGN(const std::vector<int64_t> there, pattern.List());
  if (there.empty())
    return Fail(ErrorKind::NotFound, "The sequence '{}' has no file; the first would be called '{}'.", spec,
                pattern.Name(options.frames ? options.frames->first : 0));
  const FrameRange range = options.frames.value_or(FrameRange{.first = there.front()});
  const int64_t last = range.last.value_or(there.back());
  std::vector<int64_t> numbers, missing;
  // Walks the shorter of the range and the files, so that a range up to 2^63 costs nothing.
  size_t at = 0;
  constexpr size_t kManyMissing = 10000;
  for (int64_t n = range.first; n <= last && missing.size() < kManyMissing; n += range.step) {
    while (at < there.size() && there[at] < n) ++at;
    (at < there.size() && there[at] == n ? numbers : missing).push_back(n);
    if (n > INT64_MAX - range.step) break;
  }
  if (!missing.empty() || numbers.empty()) {
    if (numbers.empty() && missing.empty()) missing.push_back(range.first);
    return Fail(ErrorKind::NotFound, "The sequence '{}' lacks frame{} {}; it has the numbers {} to {} (the first missing file is '{}').",
                spec, missing.size() > 1 ? "s" : "", DescribeNumbers(missing), there.front(), there.back(), pattern.Name(missing.front()));
  }
  auto source = std::make_unique<SequenceSource>(spec, std::move(pattern), std::move(options), std::move(numbers), range.step, keep,
                                                 rate.value_or(Rational{25, 1}));
  WEFT_TRY(source->Begin());
  return source;
}

}  // namespace weft::media
