// SPDX-License-Identifier: Apache-2.0
#include "guest.h"

#include <algorithm>

#include "bystander.h"
#include "gpu/texture_pool.h"
#include "gpu/transfer.h"
#include "needs.h"

namespace weft::fuzz {

namespace {

// Small enough that nobody's machine suffers, and that the quota itself is met now and then.
host::Quotas SmallQuotas() {
  host::Quotas q;
  q[host::Quota::Bytes] = 128 << 20;
  q[host::Quota::Buffers] = 2048;
  q[host::Quota::Textures] = 512;
  q[host::Quota::Objects] = 8192;
  q[host::Quota::MappedBytes] = 32 << 20;
  q[host::Quota::BindGroupEntries] = 2048;
  return q;
}

constexpr std::byte kPattern{0x5A};

size_t Index(Resource r) { return static_cast<size_t>(r); }

}  // namespace

// What the running frame lends.
struct Guest::Lent {
  Ref<gpu::PoolTexture> input, output;
};

Guest::Guest(Session& session, uint64_t seed)
    : random(seed), session_(session), stream_mutex_(std::make_shared<std::mutex>()), streamed_(std::make_shared<std::vector<Rep>>()) {
  exec_mode = random.Chance(30);
  host::VirtualGpuOptions options;
  options.device = session.device;
  options.mode = exec_mode ? host::GpuMode::Exec : host::GpuMode::Plugin;
  options.quotas = SmallQuotas();
  gpu_ = std::make_unique<host::VirtualGpu>(std::move(options));
  length_ = random.Between(20, 60);
  wrong_per_mille_ = random.OneOf<uint32_t>({0, 0, 60, 150, 300, 500, 700});
}

Guest::~Guest() = default;

Guest::Before Guest::LookAt(Resource r, Rep self) const {
  Before b;
  b.errors = gpu_->errors_reported();
  switch (r) {
    case Resource::GpuCommandEncoder: {
      auto e = Object<host::VCommandEncoder>(self);
      if (e) b.encoder = e.get();
      b.object = std::move(e);
      break;
    }
    case Resource::GpuRenderBundleEncoder: {
      auto e = Object<host::VRenderBundleEncoder>(self);
      if (e) b.encoder = e.get();
      b.object = std::move(e);
      break;
    }
    case Resource::GpuComputePassEncoder: {
      auto p = Object<host::VComputePass>(self);
      if (p) b.encoder = &p->encoder();
      b.object = std::move(p);
      break;
    }
    case Resource::GpuRenderPassEncoder: {
      auto p = Object<host::VRenderPass>(self);
      if (p) b.encoder = &p->encoder();
      b.object = std::move(p);
      break;
    }
    case Resource::GpuDevice: b.object = Object<host::VDevice>(self); break;
    case Resource::GpuQueue: b.object = Object<host::VQueue>(self); break;
    case Resource::GpuBuffer: b.object = Object<host::VBuffer>(self); break;
    case Resource::GpuTexture: b.object = Object<host::VTexture>(self); break;
    default: break;
  }
  if (!b.object) return b;
  b.moot = b.encoder && (b.encoder->failed() || !b.object->valid() || !b.encoder->valid());
  const host::VDevice* d = b.object->kind() == host::Kind::Device ? static_cast<const host::VDevice*>(b.object.get()) : b.object->device();
  b.moot |= d && d->lost();
  return b;
}

Verdict Guest::Judge(const Before& before, bool trapped, bool error) const {
  if (trapped || error || gpu_->errors_reported() != before.errors) return Verdict::Invalid;
  if (before.moot) return Verdict::Moot;
  if (before.encoder && before.encoder->failed()) return Verdict::Invalid;
  return Verdict::Valid;
}

void Guest::Count(size_t function, Verdict v) {
  Figures& f = session_.trail.figures();
  auto& row = f.counts[function];
  switch (v) {
    case Verdict::Valid: ++f.valid, ++row.valid; break;
    case Verdict::Invalid: ++f.invalid, ++row.invalid; break;
    case Verdict::Moot: ++f.moot, ++row.moot; break;
  }
}

void Guest::Take(const HandleList& handles) {
  for (const auto& [kind, rep] : handles.all) live_[Index(kind)].push_back(rep);
}

namespace {

// Commands that make a command buffer worth the name.
bool IsWork(std::string_view name) {
  for (const std::string_view w : {"copy-", "clear-buffer", "resolve-query", "dispatch", ".draw", "begin-render-pass", "execute-bundles"}) {
    if (name.find(w) != std::string_view::npos && name.find("-encoder.") != std::string_view::npos) return true;
  }
  return false;
}

template <class F, class... All>
std::string_view NameIn(size_t index, shape::FunctionList<F, All...>) {
  static constexpr std::string_view kNames[] = {F::kName, All::kName...};
  return kNames[index];
}

}  // namespace

void Guest::AfterCall(size_t function, Verdict v, const Before& before, const HandleList& handles) {
  Count(function, v);
  ++session_.trail.figures().calls;
  Take(handles);
  std::string previous;
  for (const auto& e : gpu_->TakeUncapturedErrors()) {
    session_.trail.Note(e.message);
    // The library's own words come before it: a rule that the host should have known.
    if (e.message.find("was refused by the GPU library when it was finished") != std::string::npos) {
      session_.finding("late refusal", previous);
    } else if (e.type == host::ErrorType::Internal) {
      session_.finding("internal error", e.message);
    }
    previous = e.message;
  }
  if (before.encoder && before.encoder->failed()) session_.trail.Note(before.encoder->error());
  session_.trail.Write("\n");
  const std::string_view name = NameIn(function, calls::All());
  if (v != Verdict::Valid || !before.encoder || !IsWork(name)) return;
  for (const Rep rep : live(Resource::GpuCommandEncoder)) {
    const auto e = Object<host::VCommandEncoder>(rep);
    if (e && static_cast<host::VEncoder*>(e.get()) == before.encoder) ++worked[rep];
  }
}

void Guest::NoteArgs(const calls::GpuQueueSubmitCall::Args& a, Verdict v) {
  if (v != Verdict::Valid) return;
  uint64_t work = 0;
  for (const Rep rep : a.command_buffers) work += worked[rep];
  if (work == 0) return;
  executed_ = true;
  ++session_.trail.figures().submits;
}
void Guest::NoteArgs(const calls::GpuCommandEncoderCopyBufferToBufferCall::Args& a, Verdict) { untame.insert(a.destination); }
void Guest::NoteArgs(const calls::GpuCommandEncoderCopyTextureToBufferCall::Args& a, Verdict) { untame.insert(a.destination.buffer); }
void Guest::NoteArgs(const calls::GpuCommandEncoderFinishCall::Args& a, Verdict v) {
  if (v == Verdict::Valid && !live(Resource::GpuCommandBuffer).empty()) worked[live(Resource::GpuCommandBuffer).back()] = worked[a.self];
}
void Guest::NoteArgs(const calls::GpuQueueWriteBufferWithCopyCall::Args& a, Verdict) {
  // A shifted word may be great.
  if (a.data_offset.value_or(0) % 4 != 0) untame.insert(a.buffer);
}

void Guest::Drop(Resource r, Rep rep) {
  auto& all = live_[Index(r)];
  const auto at = std::find(all.begin(), all.end(), rep);
  if (at != all.end()) all.erase(at);
  calls::Drop(*gpu_, r, rep);
  dead_.emplace_back(r, rep);
  if (rep == device && r == Resource::GpuDevice) device = 0;
  if (rep == queue && r == Resource::GpuQueue) queue = 0;
  // Numbers are used again.
  for (auto* kits : {&module_kit, &pipeline_kit}) kits->erase(rep);
  auto_layouts.erase(rep);
  layout_kit.erase(rep);
  untame.erase(rep);
  prepared.erase(rep);
  worked.erase(rep);
  for (auto& [pipeline, groups] : auto_layouts) std::erase_if(groups, [&](const auto& g) { return g.second == rep; });
}

Rep Guest::WrongHandle(Resource r) {
  switch (random.Below(4)) {
    case 0: return random.OneOf<Rep>({0, 1, 2, 7, 100000, 0x7FFFFFFF, 0xFFFFFFFF});
    case 1:
      if (!dead_.empty()) return dead_[random.Below(dead_.size())].second;
      return 0;
    case 2: {
      const auto& other = live_[random.Below(calls::kResourceCount)];
      return other.empty() ? 0 : random.OneOf(other);
    }
    default: return Any(r);
  }
}

void Guest::TakeReady(bool at_end) {
  std::erase_if(awaited_, [&](const std::shared_ptr<Awaited>& a) {
    std::lock_guard lock(a->mutex);
    if (!a->ready) return false;
    // What the end itself answers was no fault of the call.
    const bool wrong = !at_end && (a->trapped || a->handles.error);
    Count(a->function, wrong ? Verdict::Invalid : Verdict::Valid);
    ++session_.trail.figures().calls;
    if (!at_end) Take(a->handles);
    return true;
  });
  std::lock_guard lock(*stream_mutex_);
  for (const Rep rep : *streamed_) live_[Index(Resource::GpuError)].push_back(rep);
  streamed_->clear();
}

void Guest::AwaitAnswers() {
  for (const auto& a : awaited_) {
    if (a->until_end) continue;
    std::unique_lock lock(a->mutex);
    a->changed.wait_for(lock, std::chrono::seconds(20), [&] { return a->ready; });
  }
  TakeReady(false);
}

// --- frames ---

void Guest::BeginFrame() {
  if (exec_mode || lent_) return;
  auto& pool = session_.device->textures();
  auto input = pool.Acquire(LentKey(*session_.device)), output = pool.Acquire(LentKey(*session_.device));
  if (!input || !output) {
    session_.finding("pool", input ? output.error().ToString() : input.error().ToString());
    return;
  }
  lent_ = std::make_unique<Lent>(Lent{std::move(*input), std::move(*output)});
  const std::vector<std::byte> pixels(kSide * kSide * 4, kPattern);
  if (auto s = gpu::UploadTexture(*lent_->input, pixels.data(), kSide * 4); !s) session_.finding("upload", s.error().ToString());
  ++frame_;
  session_.trail.Write("-- frame begins\n");
  auto in = gpu_->ImportTexture(lent_->input->texture(), LentInfo(), {TU::TextureBinding | TU::CopySrc}, frame_, "input");
  const uint32_t all = TU::TextureBinding | TU::CopySrc | TU::CopyDst | TU::StorageBinding | TU::RenderAttachment;
  auto out = gpu_->ImportTexture(lent_->output->texture(), LentInfo(), {random.Chance(70) ? all : TU::RenderAttachment}, frame_, "output");
  for (auto* rep : {&in, &out}) {
    if (*rep) live_[Index(Resource::GpuTexture)].push_back(**rep);
  }
}

// As a scheduler does that sends several nodes' work in one submit.
void Guest::HandOn() {
  std::vector<WGPUCommandBuffer> commands;
  session_.trail.Write("-- work is handed on\n");
  if (gpu_->TakePending(commands) == 0) return;
  gpu_->NoteKept(session_.device->SubmitLater(commands));
  for (WGPUCommandBuffer b : commands) session_.device->procs().CommandBufferRelease(b);
}

void Guest::EndFrame() {
  if (!lent_) return;
  if (random.Chance(30)) HandOn();
  session_.trail.Write("-- frame ends\n");
  (void)gpu_->FrameWrote(lent_->output->texture());
  if (gpu_->FrameWrote(lent_->input->texture())) session_.finding("input written", "FrameWrote is true of a read-only input");
  gpu_->RevokeFrame(frame_);
  const auto pixels = gpu::ReadTextureNow(*lent_->input);
  if (!pixels) {
    session_.finding("read-back", pixels.error().ToString());
  } else if (!std::all_of(pixels->begin(), pixels->end(), [](std::byte b) { return b == kPattern; })) {
    session_.finding("input changed", "an input texture does not hold what the host put into it");
  }
  lent_ = nullptr;
}

}  // namespace weft::fuzz
