// SPDX-License-Identifier: Apache-2.0
#include <new>

#include "capi/object.h"

#define WEFT_STR_(x) #x
#define WEFT_STR(x) WEFT_STR_(x)

namespace weft::capi {
namespace {

WeftErrorKind KindToC(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::InvalidArgument: return WeftErrorKind_InvalidArgument;
    case ErrorKind::Unsupported: return WeftErrorKind_Unsupported;
    case ErrorKind::NotFound: return WeftErrorKind_NotFound;
    case ErrorKind::Io: return WeftErrorKind_Io;
    case ErrorKind::OutOfMemory: return WeftErrorKind_OutOfMemory;
    case ErrorKind::DeviceLost: return WeftErrorKind_DeviceLost;
    case ErrorKind::GuestTrap: return WeftErrorKind_GuestTrap;
    case ErrorKind::Cancelled: return WeftErrorKind_Cancelled;
    case ErrorKind::Internal: break;
  }
  return WeftErrorKind_Internal;
}

// Made when the library is loaded, so that it is there when memory is not. Its own reference keeps it for ever.
WeftErrorImpl* const kNoMemory = new WeftErrorImpl(Error(ErrorKind::OutOfMemory, "there is no memory left"));

}  // namespace

WeftError* ToC(Error error) noexcept {
  try {
    return new WeftErrorImpl(std::move(error));
  } catch (...) {
    kNoMemory->AddRef();
    return kNoMemory;
  }
}

WeftError* CaughtToC() noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    kNoMemory->AddRef();
    return kNoMemory;
  } catch (const std::exception& e) {
    return ToC(Error(ErrorKind::Internal, std::string("an exception reached weft's interface: ") + e.what()));
  } catch (...) {
    return ToC(Error(ErrorKind::Internal, "an exception of unknown type reached weft's interface"));
  }
}

Status RefuseChain(const WeftChained* chain, std::string_view function) {
  if (!chain) return {};
  return Fail(ErrorKind::InvalidArgument, "{}: nextInChain holds a struct of type {}; none is defined here, so it must be NULL", function,
              static_cast<uint32_t>(chain->sType));
}

}  // namespace weft::capi

using weft::capi::Str;

extern "C" {

WeftStringView weftGetVersion(void) noexcept {
  return Str(std::string_view(WEFT_STR(WEFT_VERSION_MAJOR) "." WEFT_STR(WEFT_VERSION_MINOR) "." WEFT_STR(WEFT_VERSION_PATCH)));
}

WeftErrorKind weftErrorGetKind(const WeftError* error) noexcept { return weft::capi::KindToC(error->error.kind()); }
WeftStringView weftErrorGetText(const WeftError* error) noexcept { return Str(std::string_view(error->text)); }
WeftStringView weftErrorGetMessage(const WeftError* error) noexcept { return Str(std::string_view(error->error.message())); }
size_t weftErrorGetContextCount(const WeftError* error) noexcept { return error->error.context().size(); }
WeftStringView weftErrorGetContext(const WeftError* error, size_t index) noexcept {
  const auto& context = error->error.context();
  return index < context.size() ? Str(std::string_view(context[index])) : WeftStringView{nullptr, 0};
}
void weftErrorAddRef(WeftError* error) noexcept { error->AddRef(); }
void weftErrorRelease(WeftError* error) noexcept {
  if (error) error->Release();
}
WeftStringView weftErrorKindGetName(WeftErrorKind kind) noexcept {
  using weft::ErrorKind;
  for (int i = 0; i <= static_cast<int>(ErrorKind::Internal); ++i) {
    const auto k = static_cast<ErrorKind>(i);
    if (weft::capi::KindToC(k) == kind) return Str(weft::ErrorKindName(k));
  }
  return Str(std::string_view("unknown"));
}

WeftStringView weftStringGet(WeftString string) noexcept { return Str(std::string_view(string->text)); }
void weftStringAddRef(WeftString string) noexcept { string->AddRef(); }
void weftStringRelease(WeftString string) noexcept {
  if (string) string->Release();
}

}  // extern "C"
