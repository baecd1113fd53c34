// SPDX-License-Identifier: Apache-2.0
#include "host/webgpu/shader_messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace weft::host {

namespace {

std::string_view Trim(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t' || s.front() == '\r')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t' || s.back() == '\r')) s.remove_suffix(1);
  return s;
}

std::string_view TakeLine(std::string_view& text) {
  const size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return line;
}

// Behind "┌─ wgsl:2:14".
bool ReadPlace(std::string_view line, uint64_t* row, uint64_t* column) {
  const size_t second = line.rfind(':');
  if (second == std::string_view::npos || second == 0) return false;
  const size_t first = line.rfind(':', second - 1);
  if (first == std::string_view::npos) return false;
  const auto number = [](std::string_view s, uint64_t* out) {
    const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), *out);
    return error == std::errc() && end == s.data() + s.size();
  };
  return number(line.substr(first + 1, second - first - 1), row) && number(Trim(line.substr(second + 1)), column);
}

std::string_view LineOf(std::string_view code, uint64_t row, size_t* start) {
  std::string_view rest = code, line;
  for (uint64_t i = 0; i < row; ++i) {
    *start = code.size() - rest.size();
    line = TakeLine(rest);
  }
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

bool Continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// The byte where character number `n` (from 0) begins.
size_t ByteOf(std::string_view s, uint64_t n) {
  size_t at = 0;
  while (at < s.size() && n > 0) {
    ++at;
    while (at < s.size() && Continues(s[at])) ++at;
    --n;
  }
  return at;
}

uint64_t Utf16Units(std::string_view s) {
  uint64_t units = 0;
  for (const char c : s) {
    if (!Continues(c)) units += static_cast<unsigned char>(c) >= 0xF0 ? 2 : 1;
  }
  return units;
}

}  // namespace

CompilationMessage ReadCompilerText(std::string_view text, std::string_view code) {
  // Validation Error / Caused by: / In wgpuDeviceCreateShaderModule / Shader '' parsing error: WHAT / ┌─ wgsl:2:14 / │ / 2 │ line / │ ^^^
  // why and perhaps notes: "= note: ...".
  CompilationMessage m;
  std::string why, notes;
  uint64_t column = 0, carets = 0;
  bool drawn = false;
  while (!text.empty()) {
    const std::string_view line = Trim(TakeLine(text));
    if (line.empty() || line == "Validation Error" || line == "Caused by:" || line.starts_with("In wgpu")) continue;
    if (line.find("\u250C\u2500") != std::string_view::npos) {
      drawn = true;
      if (m.line == 0) ReadPlace(line, &m.line, &column);
    } else if (line.starts_with("\u2502")) {
      const size_t caret = line.find('^');
      if (caret == std::string_view::npos || carets) continue;
      size_t end = caret;
      while (end < line.size() && line[end] == '^') ++end;
      carets = end - caret;
      why = Trim(line.substr(end));
    } else if (line.starts_with("=")) {
      std::string_view note = Trim(line.substr(1));
      if (note.starts_with("note:")) note = Trim(note.substr(5));
      notes += fmt::format(" ({})", note);
    } else if (!drawn) {
      std::string_view what = line;
      for (const std::string_view mark : {"parsing error: ", "validation error: "}) {
        if (const size_t at = line.find(mark); at != std::string_view::npos && line.starts_with("Shader "))
          what = line.substr(at + mark.size());
      }
      if (!m.message.empty()) m.message += ": ";
      m.message += what;
    }
  }
  if (!why.empty() && m.message.find(why) == std::string::npos) m.message += m.message.empty() ? why : ": " + why;
  m.message += notes;
  if (m.line) {
    size_t start = 0;
    const std::string_view source = LineOf(code, m.line, &start);
    const size_t from = ByteOf(source, column ? column - 1 : 0);
    const size_t to = from + ByteOf(source.substr(from), carets);
    m.column = Utf16Units(source.substr(0, from)) + 1;
    m.offset = Utf16Units(code.substr(0, start + from));
    m.length = Utf16Units(source.substr(from, to - from));
  }
  return m;
}

CompilationMessage MessageAt(std::string_view code, size_t at, size_t length) {
  CompilationMessage m;
  const std::string_view before = code.substr(0, at);
  const size_t line = before.rfind('\n') + 1;  // npos + 1 is 0
  m.line = 1 + static_cast<uint64_t>(std::count(before.begin(), before.end(), '\n'));
  m.column = Utf16Units(before.substr(line)) + 1;
  m.offset = Utf16Units(before);
  m.length = Utf16Units(code.substr(at, length));
  return m;
}

std::string ShowWithLine(const CompilationMessage& m, std::string_view code) {
  if (m.line == 0) return m.message;
  size_t start = 0;
  std::string line(LineOf(code, m.line, &start));
  std::replace(line.begin(), line.end(), '\t', ' ');
  // Columns in UTF-16 units are taken for characters here: only a caret below an emoji stands a place too far to the right.
  uint64_t column = m.column ? m.column - 1 : 0;
  constexpr uint64_t kBefore = 60, kShown = 120;
  size_t from = 0;
  if (column > kBefore) {
    from = ByteOf(line, column - kBefore);
    column = kBefore;
  }
  std::string shown = line.substr(from);
  if (const size_t end = ByteOf(shown, kShown); end < shown.size()) shown.resize(end);
  const std::string number = std::to_string(m.line);
  const uint64_t carets = std::clamp<uint64_t>(m.length, 1, kShown - std::min(column, kShown - 1));
  return fmt::format("{}:{}: {}\n  {} | {}\n  {:{}} | {:{}}{}", m.line, m.column, m.message, number, shown, "", number.size(), "", column,
                     std::string(carets, '^'));
}

}  // namespace weft::host
