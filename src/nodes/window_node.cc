// SPDX-License-Identifier: Apache-2.0
#include "nodes/window_node.h"

#include "base/fail.h"
#include "media/options.h"
#include "nodes/cpu_time.h"
#include "nodes/options.h"
#include "nodes/payload.h"
#include "nodes/resize_node.h"
#include "nodes/textures.h"

namespace weft::nodes {

namespace {
constexpr uint8_t kDisplayP3 = 12;  // H.273 colour primaries
}  // namespace

Result<std::unique_ptr<WindowNode>> WindowNode::Open(const NodeContext& context, const graph::NodeSpec& spec) {
  auto node = std::unique_ptr<WindowNode>(new WindowNode(context));
  WEFT_TRY(node->Read(spec));
  return node;
}

WindowNode::~WindowNode() = default;

Status WindowNode::Read(const graph::NodeSpec& spec) {
  name_ = spec.id;
  path_ = context_.Path(spec.path);
  description_.id = "window";
  description_.outputs = {{.id = "out", .label = "Picture"}};
  description_.open_parameters = true;
  WindowGuestOptions guest;
  guest.name = name_;
  guest.events = spec.events;
  graph::NodeSpec plain = spec;
  std::erase_if(plain.settings, [](const graph::Setting& s) { return s.name == "events"; });
  for (const graph::Setting& s : spec.settings) {
    if (s.name != "events") continue;
    if (s.from.kind != graph::Literal::Kind::Bytes || !spec.events.empty()) {
      return Fail(ErrorKind::InvalidArgument, "'events' takes a file, @events.json, and is given once");
    }
    const std::string text(s.from.bytes->begin(), s.from.bytes->end());
    WEFT_TRY_ASSIGN(guest.events, graph::ParseEvents(text, s.from.text.empty() ? "events" : s.from.text));
  }
  WEFT_TRY_ASSIGN(const media::Options values, MediaOptions(plain));
  const media::OptionReader options(values, fmt::format("'{}' (window component)", spec.path));
  WEFT_TRY(options.Check({{"size", "WxH in pixels"}, {"rate", "frames a second"}, {"start", "an exported function"}}));
  WEFT_TRY_ASSIGN(const auto size, options.Size("size"));
  WEFT_TRY_ASSIGN(const auto rate, options.Rate("rate"));
  if (size) {
    guest.width = static_cast<uint32_t>(size->first);
    guest.height = static_cast<uint32_t>(size->second);
    WEFT_TRY_ASSIGN(auto device, context_.device());
    WEFT_TRY(device->textures().Check({guest.width, guest.height, WGPUTextureFormat_RGBA8Unorm, WGPUTextureUsage_TextureBinding}));
  }
  if (const std::string* start = options.Find("start")) guest.start = *start;
  if (context_.frames) range_ = *context_.frames;

  WEFT_TRY_ASSIGN(guest_, WindowGuest::Start(context_, path_, std::move(guest), &cpu_ns_));
  WEFT_TRY(guest_->Ready());
  const host::Window& window = guest_->window();
  const Ref<gpu::Device>& device = guest_->device();
  finisher_ = std::make_unique<host::PictureFinisher>(device);
  spans_ = std::make_unique<GpuSpans>(device, context_.gpu_times);
  writer_ = std::make_unique<gpu::TextureWriter>(device);

  const bool half = window.expected_format() == WGPUTextureFormat_RGBA16Float;
  media::StreamInfo& stream = info_.stream;
  info_.path = path_;
  stream.frame.width = static_cast<int>(window.width());
  stream.frame.height = static_cast<int>(window.height());
  stream.frame.alpha = window.expected_opaque() ? media::AlphaMode::Opaque : media::AlphaMode::Premultiplied;
  stream.frame.format = half                       ? media::PixelFormat::RgbaHalf
                        : window.expected_opaque() ? media::PixelFormat::Rgb24
                                                   : media::PixelFormat::Rgba8;
  if (window.expected_p3()) stream.frame.color.primaries = kDisplayP3;
  stream.format = "window";
  stream.first_number = range_.first;
  stream.rate = rate ? *rate : Rational{30, 1};
  stream.time_base = Rational::Make(stream.rate.den, stream.rate.num);
  if (range_.last) stream.frame_count = *range_.last >= range_.first ? (*range_.last - range_.first) / range_.step + 1 : 0;
  planned_.width = window.width();
  planned_.height = window.height();
  planned_.format = half ? "rgba16float" : "rgba8unorm";
  planned_.color = stream.frame.color;
  planned_.alpha = stream.frame.alpha;
  planned_.origin = stream.frame.format;
  return {};
}

void WindowNode::Configure(graph::ConfigureJob, graph::Done<graph::NodePlan> done) {
  graph::NodePlan plan;
  plan.outputs = {planned_};
  done(std::move(plan));
}

void WindowNode::Process(graph::FrameJob job, graph::Done<graph::FrameOutput> done) {
  const int64_t number = range_.first + static_cast<int64_t>(job.index) * range_.step;
  if (ended_ || (range_.last && number > *range_.last)) {
    graph::FrameOutput out;
    out.end = true;
    return done(std::move(out));
  }
  auto span = std::make_shared<GpuSpans::Span>(spans_->Begin());
  if (auto mark = span->Mark()) guest_->device()->SubmitLater(mark.get());
  guest_->Frame(static_cast<uint64_t>(number), [this, number, index = job.index, span, done = std::move(done)](Result<bool> more) mutable {
    const Ref<gpu::Device> device = guest_->device();
    // Before the rest is sent: a driver that hangs or dies in the call is at this work already.
    if (context_.watch) context_.watch->Submitted(name_, index);
    auto out = Answer(static_cast<uint64_t>(number), std::move(more));
    if (auto mark = span->Mark()) device->SubmitLater(mark.get());
    span->Finish();
    if (context_.watch) {
      device->Send();
      device->OnSubmittedWorkDone([watch = context_.watch, name = name_, index](const Status&) { watch->Finished(name, index); });
    }
    if (!out) return done(std::move(out.error()).Context(fmt::format("window component '{}'", path_)));
    done(std::move(*out));
  });
}

Result<graph::FrameOutput> WindowNode::Answer(uint64_t number, Result<bool> more) {
  CpuTimer timer(&cpu_ns_);
  graph::FrameOutput out;
  if (!more) return std::move(more.error());
  WEFT_TRY(guest_->device()->CheckAlive());
  WEFT_TRY_ASSIGN(Ref<graph::Payload> shown, Shown());
  if (!*more) {
    ended_ = true;
    if (frames_ > 0) {
      out.end = true;
      return out;
    }
    // A program that draws one picture and ends, without ever asking for a frame, has made frame 0.
    if (!shown) return Fail(ErrorKind::GuestTrap, "it ended without having presented a picture");
    if (number > 0) return Fail(ErrorKind::InvalidArgument, "it ended before frame {}, which is the first one asked for", number);
  }
  ++frames_;
  const Rational rate = info_.stream.rate;
  out.time =
      graph::FrameTime{number, Rational::Make(static_cast<int64_t>(number) * rate.den, rate.num), Rational::Make(rate.den, rate.num), {}};
  out.outputs = {std::move(shown)};
  return out;
}

Result<Ref<graph::Payload>> WindowNode::Shown() {
  const host::Window& window = guest_->window();
  if (!window.picture()) return Ref<graph::Payload>();
  if (shown_ && shown_number_ == window.presented()) return shown_;
  const host::Picture& picture = *window.picture();
  WEFT_TRY_ASSIGN(auto texture, finisher_->Finish(picture));
  graph::TextureInfo have = planned_;
  have.width = texture->width();
  have.height = texture->height();
  have.format = gpu::FormatName(texture->format());
  have.alpha = picture.opaque ? media::AlphaMode::Opaque : media::AlphaMode::Premultiplied;
  have.color.primaries = picture.p3 ? kDisplayP3 : media::ColorSpace().primaries;
  if (have != planned_) {
    // The window has changed since the plan: the run's frames keep their size and kind, and the picture goes into them whole.
    WEFT_TRY_ASSIGN(auto converter, context_.converter());
    WEFT_TRY_ASSIGN(gpu::TextureKey key, KeyOf(*guest_->device(), planned_));
    WEFT_TRY_ASSIGN(auto fitted, guest_->device()->textures().Acquire(key, writer_->id()));
    fitted->set_last_writer(writer_->id());
    if (have.width != planned_.width || have.height != planned_.height) {
      const auto how = FitOptions(have.width, have.height, planned_.width, planned_.height, 0);
      WEFT_TRY(converter->Resize(*texture, WorkOf(have), *fitted, WorkOf(planned_), how));
    } else {
      WEFT_TRY(converter->Convert(*texture, WorkOf(have), *fitted, WorkOf(planned_)));
    }
    texture = std::move(fitted);
  }
  shown_ = MakeRef<TexturePayload>(std::move(texture), planned_);
  shown_number_ = window.presented();
  return shown_;
}

}  // namespace weft::nodes
