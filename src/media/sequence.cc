// SPDX-License-Identifier: Apache-2.0
#include "media/sequence.h"

#include <dirent.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "base/fail.h"
#include "media/atomic_file.h"

namespace weft::media {

Result<std::optional<SequencePattern>> SequencePattern::Parse(std::string_view spec) {
  SequencePattern pattern;
  std::string before, after;
  bool found = false;
  for (size_t i = 0; i < spec.size(); ++i) {
    std::string& text = found ? after : before;
    if (spec[i] != '%') {
      text += spec[i];
      continue;
    }
    if (spec.substr(i, 2) == "%%") {
      text += '%';
      ++i;
      continue;
    }
    size_t end = i + 1;
    while (end < spec.size() && spec[end] >= '0' && spec[end] <= '9') ++end;
    const std::string_view digits = spec.substr(i + 1, end - i - 1);
    if (end >= spec.size() || spec[end] != 'd' || digits.size() > 3 || (!digits.empty() && digits[0] != '0')) {
      return Fail(ErrorKind::InvalidArgument,
                  "The name '{}' has a '%' that begins neither %d nor a form such as %06d; write %% for a percent sign.", spec);
    }
    if (found) return Fail(ErrorKind::InvalidArgument, "The name '{}' has more than one %d; one frame number is all there is.", spec);
    found = true;
    if (!digits.empty()) std::from_chars(digits.data(), digits.data() + digits.size(), pattern.width_);
    i = end;
  }
  if (!found) return std::optional<SequencePattern>();
  const size_t slash = before.rfind('/');
  if (after.find('/') != after.npos) {
    return Fail(ErrorKind::InvalidArgument, "The name '{}' has its %d in the name of a folder; it belongs into the name of the file.",
                spec);
  }
  pattern.folder_ = slash == before.npos ? "" : before.substr(0, slash + 1);
  pattern.prefix_ = slash == before.npos ? before : before.substr(slash + 1);
  pattern.suffix_ = after;
  return std::optional(pattern);
}

std::string SequencePattern::Name(int64_t number) const {
  return fmt::format("{}{}{:0{}d}{}", folder_, prefix_, number, std::max(width_, 1), suffix_);
}

std::optional<int64_t> SequencePattern::NumberOf(std::string_view name) const {
  if (name.size() <= prefix_.size() + suffix_.size() || !name.starts_with(prefix_) || !name.ends_with(suffix_)) return std::nullopt;
  const std::string_view digits = name.substr(prefix_.size(), name.size() - prefix_.size() - suffix_.size());
  int64_t number = 0;
  const auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (ec != std::errc() || end != digits.data() + digits.size() || number < 0) return std::nullopt;
  // Only the very name that Name() gives: "7.png" is not frame 7 of "%04d.png".
  if (digits != fmt::format("{:0{}d}", number, std::max(width_, 1))) return std::nullopt;
  return number;
}

Result<std::vector<int64_t>> SequencePattern::List() const {
  const std::string folder = folder_.empty() ? "." : folder_;
  DIR* dir = opendir(folder.c_str());
  if (!dir) {
    if (errno == ENOENT) return Fail(ErrorKind::NotFound, "The folder '{}' of the sequence does not exist.", folder);
    return Fail(ErrorKind::Io, "The folder '{}' of the sequence cannot be read: {}.", folder, ErrnoText(errno));
  }
  std::vector<int64_t> numbers;
  while (const dirent* entry = readdir(dir)) {
    if (auto n = NumberOf(entry->d_name)) numbers.push_back(*n);
  }
  closedir(dir);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::string DescribeNumbers(const std::vector<int64_t>& numbers) {
  std::string text;
  size_t shown = 0, groups = 0;
  for (size_t i = 0; i < numbers.size() && groups < 8; ++groups) {
    size_t j = i;
    while (j + 1 < numbers.size() && numbers[j + 1] == numbers[j] + 1) ++j;
    const bool last = j + 1 == numbers.size();
    text += fmt::format("{}{}{}", text.empty() ? "" : last ? " and " : ", ", numbers[i], j > i ? fmt::format("-{}", numbers[j]) : "");
    i = j + 1;
    shown = i;
  }
  if (shown < numbers.size()) text += fmt::format(" and {} more", numbers.size() - shown);
  return text;
}

}  // namespace weft::media
