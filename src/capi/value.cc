// SPDX-License-Identifier: Apache-2.0
#include "capi/value.h"

#include <cmath>

#include "capi/object.h"

namespace weft::capi {
namespace {

double FromSrgb(double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); }

Status RequireFinite(double v, std::string_view function) {
  if (std::isfinite(v)) return {};
  return Fail(ErrorKind::InvalidArgument, "{}: the value is {}; it must be a finite number", function, v);
}

}  // namespace

Result<graph::Literal> ToLiteral(const WeftValue* value, std::string_view function) {
  if (!value) return Fail(ErrorKind::InvalidArgument, "{}: value is NULL", function);
  switch (value->kind) {
    case WeftValueKind_Boolean: return graph::Literal::Word(value->boolean ? "true" : "false");
    case WeftValueKind_Integer: return graph::Literal::Number(static_cast<double>(value->integer));
    case WeftValueKind_Number: WEFT_TRY(RequireFinite(value->number, function)); return graph::Literal::Number(value->number);
    case WeftValueKind_Text: {
      graph::Literal word = graph::Literal::Word(Str(value->text));
      word.quoted = true;
      return word;
    }
    case WeftValueKind_Vector:
    case WeftValueKind_Color: {
      std::array<double, 4> v{};
      const uint32_t length = value->vectorLength == 0 ? 4 : value->vectorLength;
      if (length > 4) return Fail(ErrorKind::InvalidArgument, "{}: vectorLength is {}; a vector has at most 4 numbers", function, length);
      for (size_t i = 0; i < length; ++i) {
        WEFT_TRY(RequireFinite(value->vector[i], function));
        v[i] = value->kind == WeftValueKind_Color && i < 3 ? FromSrgb(value->vector[i]) : value->vector[i];
      }
      return graph::Literal::Vector(v, static_cast<int>(length));
    }
    case WeftValueKind_Bytes: {
      if (!value->bytes && value->byteCount > 0) {
        return Fail(ErrorKind::InvalidArgument, "{}: bytes is NULL but byteCount is {}", function, value->byteCount);
      }
      const auto* begin = static_cast<const uint8_t*>(value->bytes);
      graph::Literal literal;
      literal.kind = graph::Literal::Kind::Bytes;
      literal.text = fmt::format("{} bytes", value->byteCount);
      literal.bytes = std::make_shared<const std::vector<uint8_t>>(begin, begin + value->byteCount);
      return literal;
    }
    default: break;
  }
  return Fail(ErrorKind::InvalidArgument, "{}: {} is not a WeftValueKind that a value can have", function,
              static_cast<uint32_t>(value->kind));
}

WeftValue ToC(const graph::Value& value, const std::vector<std::string>& choices) {
  WeftValue out{};
  if (const auto* boolean = std::get_if<bool>(&value)) {
    out.kind = WeftValueKind_Boolean;
    out.boolean = *boolean;
  } else if (const auto* integer = std::get_if<int64_t>(&value)) {
    out.kind = WeftValueKind_Integer;
    out.integer = *integer;
  } else if (const auto* number = std::get_if<double>(&value)) {
    out.kind = WeftValueKind_Number;
    out.number = *number;
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    out.kind = WeftValueKind_Text;
    out.text = Str(std::string_view(*text));
  } else if (const auto* choice = std::get_if<graph::Choice>(&value)) {
    out.kind = WeftValueKind_Text;
    if (choice->index < choices.size()) out.text = Str(std::string_view(choices[choice->index]));
  } else if (const auto* vector = std::get_if<graph::Vec4>(&value)) {
    out.kind = WeftValueKind_Vector;
    out.vectorLength = 4;
    for (size_t i = 0; i < 4; ++i) out.vector[i] = (*vector)[i];
  } else if (const auto* bytes = std::get_if<graph::Bytes>(&value)) {
    out.kind = WeftValueKind_Bytes;
    if (*bytes) out.bytes = (*bytes)->data(), out.byteCount = (*bytes)->size();
  }
  return out;
}

Result<std::string> WorkFormatName(WeftWorkFormat format) {
  switch (format) {
    case WeftWorkFormat_Default:
    case WeftWorkFormat_Rgba16Float: return std::string("rgba16float");
    case WeftWorkFormat_Rgba8Unorm: return std::string("rgba8unorm");
    case WeftWorkFormat_Rgba32Float: return std::string("rgba32float");
    default: return Fail(ErrorKind::InvalidArgument, "{} is not a WeftWorkFormat", static_cast<uint32_t>(format));
  }
}

}  // namespace weft::capi
