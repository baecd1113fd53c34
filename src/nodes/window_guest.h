// SPDX-License-Identifier: Apache-2.0
// WindowGuest: a component that was written for a screen, and the call of its start function, which lasts as long as the component does. It
// is given time for one frame after the other: the frame's events, then a frame event; the frame is over when the guest has presented and
// waits, or waits for the next frame without having presented (the old picture stays), or has ended. Between frames it stands still.
//
// Threads: Ready and Frame one at a time; Stop from any thread; answers come on the thread that polled last, which may be the caller's.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "graph/events.h"
#include "host/surface/canvas.h"
#include "host/surface/frame_buffer.h"
#include "host/surface/window.h"
#include "host/webgpu/virtual_gpu.h"
#include "nodes/context.h"
#include "nodes/plugin_file.h"

namespace weft::nodes {

struct WindowGuestOptions {
  std::string name;                         // the node's id, for log lines
  std::string start;                        // the exported function; empty: wasi:cli/run, else "start"
  uint32_t width = 0, height = 0;           // 0: as the component asks
  std::vector<graph::SurfaceEvent> events;  // by frame
};

class WindowGuest : public std::enable_shared_from_this<WindowGuest> {
 public:
  // Loads, checks and starts it; `context` and `cpu_ns` outlive it.
  static Result<std::shared_ptr<WindowGuest>> Start(const NodeContext& context, const std::string& path, WindowGuestOptions options,
                                                    std::atomic<uint64_t>* cpu_ns);

  // Waits on this thread until it waits for its first frame (or has presented or ended without): then its size and kind of picture are
  // known.
  Status Ready();

  // Whether the guest goes on after this frame. An Error is the end.
  using Answer = std::move_only_function<void(Result<bool>)>;
  // Runs it up to and with frame `frame`; each is run, also those that nobody asked for.
  void Frame(uint64_t frame, Answer answer);
  void Stop();

  const host::Window& window() const { return *window_; }
  const Ref<gpu::Device>& device() const { return device_; }

 private:
  // What a turn waits for.
  enum class Stage {
    Idle,     // nobody asked: the guest stands still
    Ready,    // it shall come to its first wait
    Events,   // it has this frame's events before it
    Drawing,  // it has the frame event
  };

  WindowGuest(const NodeContext& context, WindowGuestOptions options, std::atomic<uint64_t>* cpu_ns)
      : context_(context), options_(std::move(options)), cpu_ns_(cpu_ns) {}

  struct Question {
    Stage stage{};
    uint64_t frame = 0;  // of Events: the last one to run
    Answer answer;
  };

  Status Begin(const wasm::Component& component);
  wasm::RawCall& call();
  // Polls on this thread, unless another does it already.
  void Ask(Question question);
  void Wake();
  void Loop();
  // True: the guest should be polled again at once.
  bool Turn();
  Error NoPicture() const;
  Status SendEvents();
  void BeginStage(Stage stage);
  void Give(Result<bool> answer);
  Error Explain(Error error) const;
  Status HowItEnded();

  const NodeContext& context_;
  const WindowGuestOptions options_;
  std::atomic<uint64_t>* const cpu_ns_;
  std::string name_;  // of the component
  Ref<gpu::Device> device_;
  // In this order: hosts outlive the instance.
  std::unique_ptr<host::VirtualGpu> gpu_;
  std::unique_ptr<host::Window> window_;
  std::unique_ptr<host::FrameBuffer> frame_buffer_;
  std::unique_ptr<host::Canvas> canvas_;
  std::unique_ptr<PluginLog> log_;
  std::unique_ptr<wasm::Instance> instance_;
  std::optional<wasm::Call<wasm::Str>> function_;
  std::optional<wasm::Call<uint32_t>> command_;

  std::mutex mutex_;
  std::optional<Question> question_;  // under the mutex; taken by the thread that polls

  // Of the thread that polls.
  Stage stage_ = Stage::Idle;
  Answer answer_;
  std::chrono::steady_clock::time_point deadline_;
  bool let_go_ = false;         // frames of this stage went by without a picture
  uint64_t frame_ = 0;          // the next one that the guest makes
  uint64_t last_ = 0;           // up to which it was asked to run
  uint64_t presented_ = 0;      // how many pictures there were when this frame began
  size_t next_event_ = 0;       // of options_.events
  std::optional<Status> over_;  // how the guest ended

  std::atomic<int> pending_{0};
  std::atomic<bool> stop_{false};
};

}  // namespace weft::nodes
