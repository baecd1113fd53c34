// SPDX-License-Identifier: Apache-2.0
// Values made from the WIT's types alone: what every function gets that no hint knows, and what hinted arguments are spoiled with.
#pragma once

#include "guest.h"

namespace weft::fuzz {

// Polite: live handles, small numbers, short texts. Otherwise anything that the canonical ABI lets through: limits, overflows, NaN, long
// and strange texts, handles that are dropped or of another kind.
class Generator {
 public:
  Generator(Guest& guest, bool polite) : g_(guest), r_(guest.random), polite_(polite) {}

  template <class S, class T>
  void Field(S, std::string_view, T& x) {
    Make(S(), x);
  }

  template <auto R, bool O>
  void Make(shape::Handle<R, O>, Rep& x) {
    x = 0;
    if (polite_ || r_.Chance(60)) x = g_.Any(R);
    if (x == 0 && polite_) x = g_.Produce(R);
    if (x == 0 && !polite_) x = g_.WrongHandle(R);
    missing_ |= x == 0 && polite_;
  }
  template <class S, class T>
  void Make(shape::OptOf<S>, Opt<T>& x) {
    x.has = r_.Chance(polite_ ? 25 : 50);
    x.value = T{};
    if (x.has) Make(S(), x.value);
  }
  template <class S, class T>
  void Make(shape::ListOf<S>, List<T>& x) {
    if constexpr (std::is_same_v<T, uint8_t>) {
      const size_t n = polite_ ? r_.OneOf<size_t>({4, 16, 64, 256}) : r_.OneOf<size_t>({0, 1, 3, 4, 16, 64, 255, 256, 1024, 65536});
      x = Bytes(n);
    } else {
      const size_t n = polite_ ? r_.Below(3) : r_.OneOf<size_t>({0, 1, 1, 2, 3, 5, 17});
      T* all = g_.arena.Array<T>(n);
      for (size_t i = 0; i < n; ++i) Make(S(), all[i]);
      x = {all, n};
    }
  }
  template <class T>
  void Make(shape::Plain, T& x) {
    if constexpr (std::is_same_v<T, bool>) {
      x = r_.Chance(50);
    } else if constexpr (std::is_integral_v<T>) {
      x = static_cast<T>(Number());
    } else if constexpr (std::is_floating_point_v<T>) {
      x = static_cast<T>(Real());
    } else if constexpr (std::is_same_v<T, Str>) {
      x = Text();
    } else if constexpr (calls::kEnumValues<T> > 0) {
      x = static_cast<T>(r_.Below(calls::kEnumValues<T>));
    } else if constexpr (calls::kFlagBits<T> > 0) {
      x.bits = static_cast<uint32_t>(r_.Chance(50) ? 1ull << r_.Below(calls::kFlagBits<T>) : r_.Below(1ull << calls::kFlagBits<T>));
    } else {
      if constexpr (calls::kVariantCases<T> > 0) {
        x = T{};
        x.tag = static_cast<typename T::Tag>(r_.Below(calls::kVariantCases<T>));
      }
      calls::VisitFields(*this, x);
    }
  }

  // Bytes whose 32-bit words are below 4, so that they may stand for counts.
  List<uint8_t> Bytes(size_t n);
  uint64_t Number();
  double Real();
  Str Text();
  // A polite handle was wanted and there is none.
  bool missing() const { return missing_; }

 private:
  Guest& g_;
  Random& r_;
  bool polite_;
  bool missing_ = false;
};

// Spoils one value somewhere in arguments that were right: visits once to count, once to change.
class Spoiler {
 public:
  explicit Spoiler(Guest& guest) : g_(guest), wild_(guest, false) {}

  template <class F>
  void Spoil(typename F::Args& args) {
    target_ = UINT64_MAX, at_ = 0;
    F::Visit(*this, args);
    if (at_ == 0) return;
    target_ = g_.random.Below(at_), at_ = 0;
    F::Visit(*this, args);
  }
  template <class S, class T>
  void Field(S, std::string_view, T& x) {
    Walk(S(), x);
  }

 private:
  // True: it was this one.
  template <class S, class T>
  bool Hit(S, T& x) {
    if (at_++ != target_) return false;
    wild_.Make(S(), x);
    return true;
  }
  template <auto R, bool O>
  void Walk(shape::Handle<R, O> s, Rep& x) {
    Hit(s, x);
  }
  template <class S, class T>
  void Walk(shape::OptOf<S> s, Opt<T>& x) {
    if (!Hit(s, x) && x.has) Walk(S(), x.value);
  }
  template <class S, class T>
  void Walk(shape::ListOf<S> s, List<T>& x) {
    if (at_++ == target_) {
      List<T> more = x;
      if (x.size && g_.random.Chance(50)) {
        // One twice, or one too few.
        const bool twice = g_.random.Chance(50);
        T* all = g_.arena.Array<T>(x.size + 1);
        for (size_t i = 0; i < x.size; ++i) all[i] = x.data[i];
        all[x.size] = x.data[g_.random.Below(x.size)];
        more = {all, twice ? x.size + 1 : x.size - 1};
      } else {
        wild_.Make(s, more);
      }
      x = more;
      return;
    }
    if constexpr (!std::is_arithmetic_v<T>) {
      for (size_t i = 0; i < x.size; ++i) Walk(S(), const_cast<T&>(x.data[i]));
    }
  }
  template <class T>
  void Walk(shape::Plain s, T& x) {
    if constexpr (requires { calls::VisitFields(*this, x); }) {
      // The whole is redrawn seldom, else its parts.
      if (calls::kVariantCases<T> > 0 && Hit(s, x)) return;
      calls::VisitFields(*this, x);
    } else {
      Hit(s, x);
    }
  }

  Guest& g_;
  Generator wild_;
  uint64_t target_ = 0, at_ = 0;
};

}  // namespace weft::fuzz
