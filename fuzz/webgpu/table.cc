// SPDX-License-Identifier: Apache-2.0
#include "table.h"

#include "generate.h"
#include "hints.h"

namespace weft::fuzz {

namespace {

template <class F>
bool CallOne(Guest& g, Mode mode) {
  typename F::Args a{};
  if (mode == Mode::Wild) {
    Generator make(g, false);
    F::Visit(make, a);
  } else if constexpr (requires { Hint(g, a); }) {
    if (!Hint(g, a)) return false;
  } else {
    Generator make(g, true);
    F::Visit(make, a);
    if (make.missing()) return false;
  }
  if (mode == Mode::Spoiled) Spoiler(g).Spoil<F>(a);
  if constexpr (std::is_same_v<F, calls::GpuDeviceCreateShaderModuleCall>) {
    if (mode != Mode::Right) a.descriptor.code = BadShader(g);
  }
  if constexpr (requires { Tame(g, a); }) Tame(g, a);
  if (mode != Mode::Right) {
    // What is set in a pass is not known any more.
    SelfFinder self;
    F::Visit(self, a);
    if (self.has) g.prepared.erase(self.self);
  }
  g.Do<F>(a);
  return true;
}

// Whether a value of the shape may hold a handle of the kind.
struct Holds {
  const Resource kind;
  template <auto R, bool O>
  bool In(shape::Handle<R, O>) const {
    return R == kind;
  }
  bool In(shape::Plain) const { return false; }
  template <class S>
  bool In(shape::OptOf<S>) const {
    return In(S());
  }
  template <class S>
  bool In(shape::ListOf<S>) const {
    return In(S());
  }
  template <class A, class B>
  bool In(shape::ResOf<A, B>) const {
    return In(A());
  }
  template <class... S>
  bool In(shape::TupleOf<S...>) const {
    return (In(S()) || ...);
  }
};

template <class F>
bool Answers(Resource r) {
  return Holds{r}.In(typename F::AnswerShape());
}

template <class... F>
std::span<const Function> Table(shape::FunctionList<F...>) {
  static constexpr Function kAll[] = {{F::kName, &CallOne<F>, &Answers<F>}...};
  return kAll;
}

}  // namespace

std::span<const Function> AllFunctions() { return Table(calls::All()); }

}  // namespace weft::fuzz
