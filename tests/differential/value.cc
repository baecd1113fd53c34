// SPDX-License-Identifier: Apache-2.0
#include "value.h"

#include <cstdlib>

namespace {

const Value kNull;

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  bool Document(Value* to) { return Any(to) && (Space(), at_ == text_.size()); }

 private:
  void Space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) ++at_;
  }

  bool Eat(std::string_view word) {
    Space();
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  bool Any(Value* to) {
    if (Eat("null")) return true;
    if (Eat("true") || Eat("false")) {
      to->kind = Value::Kind::Truth;
      to->truth = text_[at_ - 2] == 'u';
      return true;
    }
    if (Eat("[")) {
      to->kind = Value::Kind::Array;
      if (Eat("]")) return true;
      do {
        if (!Any(&to->items.emplace_back())) return false;
      } while (Eat(","));
      return Eat("]");
    }
    if (Eat("{")) {
      to->kind = Value::Kind::Object;
      if (Eat("}")) return true;
      do {
        auto& [name, value] = to->members.emplace_back();
        if (!Text(&name) || !Eat(":") || !Any(&value)) return false;
      } while (Eat(","));
      return Eat("}");
    }
    if (at_ < text_.size() && text_[at_] == '"') {
      to->kind = Value::Kind::Text;
      return Text(&to->text);
    }
    return Number(to);
  }

  bool Number(Value* to) {
    size_t end = at_;
    while (end < text_.size() && std::string_view("+-.eE0123456789").contains(text_[end])) ++end;
    if (end == at_) return false;
    to->kind = Value::Kind::Number;
    to->number = std::strtod(std::string(text_.substr(at_, end - at_)).c_str(), nullptr);
    at_ = end;
    return true;
  }

  // The cases are ASCII, so \u is not among the escapes.
  bool Text(std::string* to) {
    if (!Eat("\"")) return false;
    for (; at_ < text_.size(); ++at_) {
      char c = text_[at_];
      if (c == '"') return ++at_, true;
      if (c == '\\') {
        if (++at_ == text_.size()) return false;
        c = text_[at_];
        if (c == 'u') return false;
        if (c == 'n') c = '\n';
        if (c == 't') c = '\t';
      }
      to->push_back(c);
    }
    return false;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

const Value& Value::operator[](std::string_view name) const {
  for (const auto& [key, value] : members) {
    if (key == name) return value;
  }
  return kNull;
}

const Value& Value::operator[](size_t index) const { return index < items.size() ? items[index] : kNull; }

bool Parse(std::string_view text, Value* to) { return Parser(text).Document(to); }

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return quoted + '"';
}
