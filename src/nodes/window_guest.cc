// SPDX-License-Identifier: Apache-2.0
#include "nodes/window_guest.h"

#include <algorithm>
#include <future>

#include "base/fail.h"
#include "nodes/cpu_time.h"

namespace weft::nodes {

namespace {

using Clock = std::chrono::steady_clock;
using EventKind = graph::SurfaceEvent::Kind;

// How much before its time the engine may end a call.
constexpr std::chrono::milliseconds kTick{50};
constexpr std::string_view kSurfacePackage = "wasi-gfx:surface/";

bool Imports(const wasm::Component& component, std::string_view package) {
  return std::ranges::any_of(component.imports(), [&](const std::string& i) { return i.starts_with(package); });
}

// "KeyA" and "key-a" are the same.
std::string Plain(std::string_view name) {
  std::string out;
  for (char c : name) {
    if (c != '-') out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

Result<wasm::Opt<wasm::surface::Key>> KeyByName(const std::optional<std::string>& name) {
  namespace ws = wasm::surface;
  if (!name) return wasm::Opt<ws::Key>();
  for (uint32_t k = 0; k < ws::kKeyCount; ++k) {
    const auto key = static_cast<ws::Key>(k);
    if (Plain(ws::ToString(key)) == Plain(*name)) return wasm::Opt<ws::Key>(key);
  }
  return Fail(ErrorKind::InvalidArgument, "there is no key '{}'; keys are named as on the web, KeyA, Digit1, ArrowLeft, Enter", *name);
}

}  // namespace

Result<std::shared_ptr<WindowGuest>> WindowGuest::Start(const NodeContext& context, const std::string& path, WindowGuestOptions options,
                                                        std::atomic<uint64_t>* cpu_ns) {
  const std::string what = fmt::format("window component '{}'", path);
  for (const graph::SurfaceEvent& event : options.events) {
    if (auto key = KeyByName(event.key); !key) return std::move(key.error()).Context("events");
  }
  WEFT_TRY_ASSIGN(wasm::Engine * engine, context.engine());
  WEFT_TRY_ASSIGN(wasm::Component component, engine->CompileFile(path));
  auto guest = std::shared_ptr<WindowGuest>(new WindowGuest(context, std::move(options), cpu_ns));
  guest->name_ = component.name();
  if (auto ok = guest->Begin(component); !ok) return std::move(ok.error()).Context(what);
  return guest;
}

Status WindowGuest::Begin(const wasm::Component& component) {
  if (!Imports(component, kSurfacePackage)) {
    if (std::ranges::any_of(component.exports(), [](const std::string& e) { return e.starts_with("weft:plugin/"); })) {
      return Fail(ErrorKind::InvalidArgument, "it is a plugin, which makes pictures of pictures: give it with -p, and an INPUT before it");
    }
    return Fail(ErrorKind::InvalidArgument,
                "it does not import wasi-gfx:surface, so it shows no pictures; 'weft exec' runs such a component");
  }
  std::string start = options_.start;
  const bool command =
      start.empty() && std::ranges::any_of(component.exports(), [](const std::string& e) { return e.starts_with("wasi:cli/run@"); });
  if (start.empty() && !command) {
    if (!component.HasExport("start")) {
      return Fail(ErrorKind::InvalidArgument,
                  "it exports neither wasi:cli/run nor a function 'start'; name the function that starts it, start=NAME");
    }
    start = "start";
  }
  wasm::Grants grants = context_.grants;
  grants.surface = grants.environment = grants.clocks = grants.random = grants.files = true;
  grants.closed_stdio = true;
  WEFT_TRY(component.Check(grants));
  WEFT_TRY_ASSIGN(device_, context_.device());
  host::WindowOptions window;
  window.width = options_.width;
  window.height = options_.height;
  window.largest_side = device_->limits().maxTextureDimension2D;
  window.most_bytes = context_.quotas[host::Quota::Bytes] / 4;
  window_ = std::make_unique<host::Window>(window);
  if (Imports(component, "wasi:webgpu/")) {
    host::VirtualGpuOptions gpu;
    gpu.device = device_;
    gpu.mode = host::GpuMode::Exec;
    gpu.quotas = context_.quotas;
    gpu.log = Log([log = context_.log, name = options_.name](LogLevel level, std::string_view message) {
      log.Write(level, fmt::format("node '{}': {}", name, message));
    });
    gpu_ = std::make_unique<host::VirtualGpu>(std::move(gpu));
    canvas_ = std::make_unique<host::Canvas>(device_, gpu_.get(), window_.get());
  }
  frame_buffer_ = std::make_unique<host::FrameBuffer>(window_.get());
  log_ = std::make_unique<PluginLog>(context_.log, options_.name);
  wasm::Hosts hosts;
  hosts.webgpu = gpu_.get();
  hosts.log = log_.get();
  hosts.surface = {frame_buffer_->buffers(), window_.get(), frame_buffer_->contexts(), canvas_.get()};
  WEFT_TRY_ASSIGN(instance_, component.Instantiate(grants, context_.limits, hosts));
  if (command) {
    command_.emplace(instance_->RunCommand());
  } else {
    function_.emplace(instance_->Invoke(start, {}));
  }
  call().OnWake([weak = weak_from_this()] {
    if (auto self = weak.lock()) self->Wake();
  });
  return {};
}

wasm::RawCall& WindowGuest::call() {
  if (command_) return *command_;
  return *function_;
}

void WindowGuest::Wake() {
  if (pending_.fetch_add(1) == 0) context_.executor->Post([self = shared_from_this()] { self->Loop(); });
}

void WindowGuest::Ask(Question question) {
  const auto self = shared_from_this();
  {
    std::lock_guard lock(mutex_);
    question_ = std::move(question);
  }
  if (pending_.fetch_add(1) == 0) Loop();
}

void WindowGuest::Stop() {
  stop_ = true;
  Wake();
}

// Many wakes may come while one thread polls: they are counted, and that thread looks again.
void WindowGuest::Loop() {
  int seen = pending_;
  while (true) {
    while (Turn()) {
    }
    const int taken = seen;
    seen = pending_.fetch_sub(taken) - taken;
    if (seen == 0) return;
  }
}

Status WindowGuest::Ready() {
  std::promise<Result<bool>> arrived;
  Ask({Stage::Ready, 0, [&](Result<bool> r) { arrived.set_value(std::move(r)); }});
  auto ready = arrived.get_future().get();
  if (!ready) return std::move(ready.error()).Context(fmt::format("window component '{}'", name_));
  return {};
}

void WindowGuest::Frame(uint64_t frame, Answer answer) { Ask({Stage::Events, frame, std::move(answer)}); }

void WindowGuest::BeginStage(Stage stage) {
  stage_ = stage;
  deadline_ = Clock::now() + context_.limits.call_time;
  presented_ = window_->presented();
  let_go_ = false;
  if (!over_) call().Limit(context_.limits.call_time);
}

Error WindowGuest::NoPicture() const {
  return Fail(ErrorKind::GuestTrap,
              "it presented no picture within its limit of {} ms: present is to be called after each event of on-frame",
              context_.limits.call_time.count());
}

Status WindowGuest::SendEvents() {
  for (; next_event_ < options_.events.size() && options_.events[next_event_].frame <= frame_; ++next_event_) {
    const graph::SurfaceEvent& e = options_.events[next_event_];
    if (e.kind == EventKind::Resize) {
      WEFT_TRY(window_->SendResize(static_cast<uint32_t>(e.x), static_cast<uint32_t>(e.y)));
    } else if (e.kind == EventKind::PointerMove) {
      window_->SendPointerMove(e.x, e.y);
    } else if (e.kind == EventKind::PointerDown) {
      window_->SendPointerDown(e.x, e.y);
    } else if (e.kind == EventKind::PointerUp) {
      window_->SendPointerUp(e.x, e.y);
    } else {
      wasm::surface::KeyEvent key;
      WEFT_TRY_ASSIGN(key.key, KeyByName(e.key));
      if (e.text) key.text = wasm::Str(*e.text);
      key.alt_key = e.alt, key.ctrl_key = e.ctrl, key.meta_key = e.meta, key.shift_key = e.shift;
      if (e.kind == EventKind::KeyDown) {
        window_->SendKeyDown(key);
      } else {
        window_->SendKeyUp(key);
      }
    }
  }
  return {};
}

bool WindowGuest::Turn() {
  if (stage_ == Stage::Idle) {
    std::lock_guard lock(mutex_);
    if (!question_) return false;
    answer_ = std::move(question_->answer);
    last_ = question_->frame;
    BeginStage(question_->stage);
    question_.reset();
  }
  if (stop_) {
    Give(Fail(ErrorKind::Cancelled, "the run was cancelled"));
    return false;
  }
  if (over_) {
    Give(*over_ ? Result<bool>(false) : Result<bool>(over_->error()));
    return false;
  }
  if (Clock::now() >= deadline_) {
    over_ = NoPicture();
    return true;
  }
  if (stage_ == Stage::Events) {
    const size_t before = next_event_;
    if (auto ok = SendEvents(); !ok) {
      Give(std::move(ok.error()));
      return false;
    }
    if (before == next_event_) {
      window_->SendFrame();
      stage_ = Stage::Drawing;
    }
  }
  bool finished;
  {
    CpuTimer timer(cpu_ns_);
    finished = call().Poll();
    if (gpu_) gpu_->FlushSubmits();
  }
  const bool presented = window_->presented() > presented_;
  if (finished) {
    over_ = HowItEnded();
    // The engine's own limit may come a little before this one's; what was missing is told all the same.
    if (!*over_ && let_go_ && Clock::now() + kTick >= deadline_) over_ = NoPicture();
    // What it presented on its way out is still this frame's.
    if (*over_ && stage_ != Stage::Ready && presented && frame_ >= last_) {
      Give(true);
      return false;
    }
    return true;
  }
  if (stage_ == Stage::Events) {
    // Once it has read them, or does not want to.
    window_->SendFrame();
    stage_ = Stage::Drawing;
    return true;
  }
  if (presented || window_->Waits()) {
    if (stage_ == Stage::Drawing && !window_->picture()) {
      // Nothing was ever shown: a program that is still loading lets frames go by.
      window_->SendFrame();
      let_go_ = true;
      return true;
    }
    if (stage_ == Stage::Drawing && frame_ < last_) {
      ++frame_;
      BeginStage(Stage::Events);
      return true;
    }
    Give(true);
  }
  return false;
}

Error WindowGuest::Explain(Error error) const {
  const auto quota = gpu_ ? gpu_->quota_failure() : std::nullopt;
  return quota ? Fail(ErrorKind::OutOfMemory, "{}", *quota) : std::move(error);
}

Status WindowGuest::HowItEnded() {
  if (auto ok = call().Outcome(); !ok) return Explain(std::move(ok.error()));
  if (command_) {
    WEFT_TRY_ASSIGN(const uint32_t* code, command_->Get());
    if (*code != 0) return Fail(ErrorKind::GuestTrap, "it ended with exit code {}", *code);
  } else {
    WEFT_TRY_ASSIGN(const wasm::Str* value, function_->Get());
    if (value->view().starts_with("err"))
      return Fail(ErrorKind::GuestTrap, "its start function answered {}", value->view().substr(0, 2000));
  }
  return {};
}

void WindowGuest::Give(Result<bool> answer) {
  const bool ready = stage_ == Stage::Ready;
  stage_ = Stage::Idle;
  if (!ready) ++frame_;
  if (!over_) call().Limit(std::chrono::milliseconds(0));
  if (answer && gpu_) {
    if (const auto quota = gpu_->quota_failure()) answer = Fail(ErrorKind::OutOfMemory, "{}", *quota);
  }
  auto give = std::exchange(answer_, nullptr);
  give(std::move(answer));
}

}  // namespace weft::nodes
