// SPDX-License-Identifier: Apache-2.0
#include "cli/line_printer.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

namespace weft::cli {

LinePrinter::LinePrinter(std::FILE* stream) : stream_(stream), smart_(isatty(fileno(stream)) != 0) {
  const char* term = std::getenv("TERM");
  if (!term || std::string_view(term) == "dumb") smart_ = false;
}

size_t LinePrinter::Width() const {
  if (fixed_width_ > 0) return fixed_width_;
  winsize size{};
  if (ioctl(fileno(stream_), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

void LinePrinter::Status(std::string_view line) {
  const std::lock_guard lock(mutex_);
  if (!smart_) {
    std::fprintf(stream_, "%.*s\n", static_cast<int>(line.size()), line.data());
    std::fflush(stream_);
    return;
  }
  status_ = line;
  std::fprintf(stream_, "\r%s\x1b[K", ElideMiddle(line, Width()).c_str());
  std::fflush(stream_);
}

void LinePrinter::Line(std::string_view line) {
  const std::lock_guard lock(mutex_);
  if (!status_.empty()) std::fputs("\r\x1b[K", stream_);
  std::fprintf(stream_, "%.*s\n", static_cast<int>(line.size()), line.data());
  if (!status_.empty()) std::fputs(ElideMiddle(status_, Width()).c_str(), stream_);
  std::fflush(stream_);
}

void LinePrinter::EndStatus() {
  const std::lock_guard lock(mutex_);
  if (!status_.empty()) std::fputs("\n", stream_);
  std::fflush(stream_);
  status_.clear();
}

std::string ElideMiddle(std::string_view text, size_t width) {
  std::vector<size_t> starts;  // byte offset of each code point
  for (size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) starts.push_back(i);
  }
  if (starts.size() <= width) return std::string(text);
  if (width <= 3) return std::string(width, '.');
  const size_t left = (width - 3) / 2;
  const size_t right = width - 3 - left;
  return std::string(text.substr(0, starts[left])) + "..." + std::string(text.substr(starts[starts.size() - right]));
}

}  // namespace weft::cli
