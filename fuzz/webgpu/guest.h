// SPDX-License-Identifier: Apache-2.0
// Guest: one sequence: a virtual GPU of its own, the handles that it has, and what was called on them. Calls come from the generators
// (generate.h, hints*.cc) through Do, which writes them down, makes them, judges them and takes the handles that they answer.
//
// A call is valid when it neither traps nor answers an error nor raises one on its device, nor puts one into its encoder for finish. A call
// that can have no effect, because its encoder had failed or its device was lost, is moot: neither valid nor invalid.
#pragma once

#include <array>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "arena.h"
#include "host/webgpu/virtual_gpu.h"
#include "kits.h"
#include "printer.h"
#include "random.h"
#include "trail.h"

namespace weft::fuzz {

using calls::Resource;
using host::VBindGroupLayout;
using wasm::Completion;
using wasm::List;
using wasm::Opt;
using wasm::Rep;
using wasm::Res;
using wasm::Str;
using wasm::Unit;

enum class Verdict { Valid, Invalid, Moot };

// What sequences of one process share.
struct Session {
  Ref<gpu::Device> device;
  Trail trail;
  Kits kits;
  // Something that must not be: written to the output with the sequence's number.
  std::function<void(std::string_view kind, std::string_view text)> finding;
};

template <class F, class... All>
constexpr size_t IndexIn(shape::FunctionList<All...>) {
  size_t i = 0;
  (void)((std::is_same_v<F, All> ? true : (++i, false)) || ...);
  return i;
}
template <class F>
inline constexpr size_t kIndexOf = IndexIn<F>(calls::All());

// Handles in an answer.
struct HandleList {
  std::vector<std::pair<Resource, Rep>> all;
  bool error = false;
  template <auto R, bool O, class T>
  void Take(shape::Handle<R, O>, const T& x) {
    all.emplace_back(R, x);
  }
  template <class S, class T>
  void Take(shape::OptOf<S>, const T& x) {
    if (x.has) Take(S(), x.value);
  }
  template <class S, class T>
  void Take(shape::ListOf<S>, const T& x) {
    for (const auto& e : x) Take(S(), e);
  }
  template <class A, class B, class T>
  void Take(shape::ResOf<A, B>, const T& x) {
    error = x.is_err;
    if (!x.is_err) Take(A(), x.ok);
  }
  template <class... S, class T>
  void Take(shape::TupleOf<S...>, const T&) {}
  template <class T>
  void Take(shape::Plain, const T&) {}
};

// An answer that may come from another thread.
struct Awaited {
  std::mutex mutex;
  std::condition_variable changed;
  bool ready = false, trapped = false;
  HandleList handles;
  size_t function = 0;
  bool until_end = false;  // by its nature only the end answers it (lost)
};

class Guest {
 public:
  Guest(Session& session, uint64_t seed);
  ~Guest();

  // The whole sequence, and the judgement of what it left.
  void Run();
  bool executed() const { return executed_; }

  // --- for generators ---
  // Whether it was valid, as far as is known now.
  template <class F>
  bool Do(typename F::Args& args);
  // The handle that it answers; 0: none.
  template <class F>
  Rep Make(typename F::Args& args);

  template <class T>
  Ref<T> Object(Rep rep) const {
    auto r = gpu_->Get<T>(rep);
    return r ? std::move(*r) : Ref<T>();
  }
  const std::vector<Rep>& live(Resource r) const { return live_[static_cast<size_t>(r)]; }
  // A live handle, 0 when there is none.
  Rep Any(Resource r) { return live(r).empty() ? 0 : random.OneOf(live(r)); }
  // One for which `fits`, or 0.
  template <class P>
  Rep Find(Resource r, P fits) {
    const auto& all = live(r);
    const size_t n = all.size(), start = random.Below(n);
    for (size_t i = 0; i < n; ++i) {
      const Rep rep = all[(start + i) % n];
      if (fits(rep)) return rep;
    }
    return 0;
  }
  // A live handle from a call that answers one of the kind; 0 when none of them can be made now (sequence.cc).
  Rep Produce(Resource r);
  // A handle that need not be right: dropped, of another kind, no number of any.
  Rep WrongHandle(Resource r);
  void Drop(Resource r, Rep rep);

  Session& session() { return session_; }
  host::VirtualGpu& gpu() { return *gpu_; }
  Random random;
  Arena arena;

  // The device that most calls are made on, and its queue; made by the first steps.
  Rep device = 0, queue = 0;
  bool exec_mode = false;

  // What the hints remember of handles; forgotten when they are dropped.
  std::unordered_map<Rep, const Kit*> module_kit, pipeline_kit;         // pipelines of both kinds
  std::unordered_map<Rep, std::map<uint32_t, Rep>> auto_layouts;        // of a pipeline with layout "auto": its groups' layouts
  std::unordered_map<Rep, std::pair<const Kit*, uint32_t>> layout_kit;  // layouts of "auto" pipelines: whose, and which group
  std::unordered_set<Rep> untame;                                       // buffers whose content is not known to be small numbers
  std::unordered_map<Rep, Rep> prepared;                                // passes: the pipeline with which a draw is known to be right
  std::unordered_map<Rep, uint64_t> worked;                             // encoders and command buffers: how many commands of work

  uint64_t calls() const { return calls_; }
  bool MayDestroyDevice() const { return exec_mode || calls_ * 5 > length_ * 4; }
  // Waits for answers that are on their way (not for `lost`).
  void AwaitAnswers();
  void BeginFrame();
  void EndFrame();

 private:
  struct Before {
    Ref<host::VObject> object;
    host::VEncoder* encoder = nullptr;
    bool moot = false;
    uint64_t errors = 0;
  };
  Before LookAt(Resource r, Rep self) const;
  Verdict Judge(const Before& before, bool trapped, bool error) const;
  void Count(size_t function, Verdict v);
  void Take(const HandleList& handles);
  // What the arguments say of what becomes of buffers and command buffers.
  template <class A>
  void NoteArgs(const A&, Verdict) {}
  void NoteArgs(const calls::GpuQueueSubmitCall::Args& a, Verdict v);
  void NoteArgs(const calls::GpuCommandEncoderCopyBufferToBufferCall::Args& a, Verdict v);
  void NoteArgs(const calls::GpuCommandEncoderCopyTextureToBufferCall::Args& a, Verdict v);
  void NoteArgs(const calls::GpuCommandEncoderFinishCall::Args& a, Verdict v);
  void NoteArgs(const calls::GpuQueueWriteBufferWithCopyCall::Args& a, Verdict v);
  void AfterCall(size_t function, Verdict v, const Before& before, const HandleList& handles);
  void TakeReady(bool at_end);
  // sequence.cc
  void Step();
  size_t Goal();
  void Finish();
  void CheckEnd(const Ref<host::Account>& account);
  void HandOn();
  template <class F>
  std::shared_ptr<Awaited> NewAwaited();

  Session& session_;
  std::unique_ptr<host::VirtualGpu> gpu_;
  std::array<std::vector<Rep>, calls::kResourceCount> live_;
  std::vector<std::pair<Resource, Rep>> dead_;
  std::vector<std::shared_ptr<Awaited>> awaited_;
  std::shared_ptr<std::mutex> stream_mutex_;
  std::shared_ptr<std::vector<Rep>> streamed_;
  std::vector<std::pair<Resource, Rep>> last_;  // handles of the last answer
  std::string line_;
  uint64_t calls_ = 0, length_ = 0;
  uint32_t wrong_per_mille_ = 0;
  int producing_ = 0;
  bool executed_ = false;
  struct Lent;
  std::unique_ptr<Lent> lent_;
  uint64_t frame_ = 0;
};

// Which resource `self` is, and own handles among the arguments.
struct SelfFinder {
  Resource kind{};
  Rep self = 0;
  bool has = false;
  template <class S, class T>
  void Field(S, std::string_view, T&) {}
  template <auto R, bool O>
  void Field(shape::Handle<R, O>, std::string_view name, Rep& x) {
    if (name == "self") kind = R, self = x, has = true;
  }
};

struct OwnFinder {
  std::vector<std::pair<Resource, Rep>>& out;
  template <class S, class T>
  void Field(S, std::string_view, T& x) {
    Look(S(), x);
  }
  template <auto R, bool O>
  void Look(shape::Handle<R, O>, Rep& x) {
    if constexpr (O) out.emplace_back(R, x);
  }
  template <class S, class T>
  void Look(shape::OptOf<S>, Opt<T>& x) {
    if (x.has) Look(S(), x.value);
  }
  template <class S, class T>
  void Look(shape::ListOf<S>, List<T>& x) {
    if constexpr (!std::is_arithmetic_v<T>) {
      for (size_t i = 0; i < x.size; ++i) Look(S(), const_cast<T&>(x.data[i]));
    }
  }
  template <class T>
  void Look(shape::Plain, T& x) {
    if constexpr (requires { calls::VisitFields(*this, x); }) calls::VisitFields(*this, x);
  }
};

template <class F>
std::shared_ptr<Awaited> Guest::NewAwaited() {
  auto a = std::make_shared<Awaited>();
  a->function = kIndexOf<F>;
  return a;
}

template <class F>
bool Guest::Do(typename F::Args& args) {
  ++calls_;
  line_.clear();
  line_ += F::kName;
  line_ += '(';
  Printer print(line_);
  F::Visit(print, args);
  line_ += ")";
  session_.trail.Write(line_);
  SelfFinder self;
  F::Visit(self, args);
  const Before before = LookAt(self.kind, self.has ? self.self : 0);
  bool trapped = false;
  HandleList handles;
  if constexpr (F::kHow == shape::How::Returned) {
    auto r = F::Call(*gpu_, args);
    trapped = !r;
    if constexpr (!std::is_void_v<decltype(*r)>) {
      if (r) handles.Take(typename F::AnswerShape(), *r);
    }
    if (!r) session_.trail.Note(r.error().message());
  } else if constexpr (F::kHow == shape::How::Streamed) {
    struct Token {
      std::shared_ptr<std::mutex> mutex;
      std::shared_ptr<std::vector<Rep>> into;
    };
    auto* token = new Token{stream_mutex_, streamed_};
    auto r = F::Call(*gpu_, args,
                     wasm::StreamSource<typename F::Answer>({token,
                                                             [](void* t, const void* value) {
                                                               auto* k = static_cast<Token*>(t);
                                                               std::lock_guard lock(*k->mutex);
                                                               k->into->push_back(*static_cast<const Rep*>(value));
                                                             },
                                                             [](void* t) { delete static_cast<Token*>(t); }}));
    trapped = !r;
  } else {
    auto awaited = NewAwaited<F>();
    F::Call(*gpu_, args,
            Completion<typename F::Answer>({new std::shared_ptr<Awaited>(awaited), [](void* token, const void* value, Str trap) {
                                              std::unique_ptr<std::shared_ptr<Awaited>> a(static_cast<std::shared_ptr<Awaited>*>(token));
                                              (void)trap;
                                              std::lock_guard lock((*a)->mutex);
                                              if (value) {
                                                (*a)->handles.Take(typename F::AnswerShape(),
                                                                   *static_cast<const typename F::Answer*>(value));
                                              } else {
                                                (*a)->trapped = true;
                                              }
                                              (*a)->ready = true;
                                              (*a)->changed.notify_all();
                                            }}));
    std::unique_lock lock(awaited->mutex);
    if (!awaited->ready) {
      lock.unlock();
      // Judged when it comes.
      awaited->until_end = F::kName.find(".lost") != std::string_view::npos;
      awaited_.push_back(awaited);
      session_.trail.Write(" ...\n");
      last_.clear();
      return true;
    }
    trapped = awaited->trapped;
    handles = awaited->handles;
  }
  std::vector<std::pair<Resource, Rep>> owned;
  OwnFinder find{owned};
  F::Visit(find, args);
  for (const auto& [kind, rep] : owned) Drop(kind, rep);
  const Verdict v = Judge(before, trapped, handles.error);
  session_.trail.Write(v == Verdict::Valid ? " ok" : v == Verdict::Moot ? " moot" : trapped ? " trap" : " wrong");
  AfterCall(kIndexOf<F>, v, before, handles);
  NoteArgs(args, v);
  last_ = std::move(handles.all);
  return v == Verdict::Valid;
}

template <class F>
Rep Guest::Make(typename F::Args& args) {
  last_.clear();
  return Do<F>(args) && !last_.empty() ? last_.front().second : 0;
}

}  // namespace weft::fuzz
