// SPDX-License-Identifier: Apache-2.0
// OptionReader: typed reading of Options; every mistake is a sentence that lists what is valid.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "media/media.h"

namespace weft::media {

class OptionReader {
 public:
  struct Known {
    std::string_view key;
    std::string_view help;  // "0 to 9", "8 or 16"
  };
  // `what` names the owner in messages: "'out.png' (PNG picture)". `options` must outlive the reader.
  OptionReader(const Options& options, std::string what) : options_(options), what_(std::move(what)) {}

  // Call first: every key must be one of `known` and stand once.
  Status Check(std::initializer_list<Known> known) const;
  // Only: no key stands twice.
  Status CheckOnce() const;

  bool Has(std::string_view key) const { return Find(key) != nullptr; }
  const std::string* Find(std::string_view key) const;
  Result<std::optional<int64_t>> Integer(std::string_view key, int64_t min, int64_t max) const;
  // Index into `choices`.
  Result<std::optional<int>> Choice(std::string_view key, std::initializer_list<std::string_view> choices) const;
  Result<std::optional<std::pair<int, int>>> Size(std::string_view key) const;  // "1920x1080"
  Result<std::optional<Rational>> Rate(std::string_view key) const;             // "25", "30000/1001", "23.976"

  const std::string& what() const { return what_; }
  Error Wrong(std::string_view key, std::string_view value, std::string_view expected) const;

 private:
  const Options& options_;
  std::string what_;
};

}  // namespace weft::media
