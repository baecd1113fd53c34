// SPDX-License-Identifier: Apache-2.0
// What the C++ library wants at its ends, without stdio: a failed check or an exhausted memory traps.
#include <__verbose_abort>
#include <cstdlib>
#include <new>

_LIBCPP_BEGIN_NAMESPACE_STD
[[noreturn]] void __libcpp_verbose_abort(const char*, ...) noexcept { __builtin_trap(); }
_LIBCPP_END_NAMESPACE_STD

void* operator new(std::size_t size) {
  void* block = std::malloc(size ? size : 1);
  if (!block) __builtin_trap();
  return block;
}
void* operator new[](std::size_t size) { return operator new(size); }
void operator delete(void* block) noexcept { std::free(block); }
void operator delete[](void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
void operator delete[](void* block, std::size_t) noexcept { std::free(block); }
