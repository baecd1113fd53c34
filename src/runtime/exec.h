// SPDX-License-Identifier: Apache-2.0
// Exec: one instance of a plain component, whose exports are called by name. In this process.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/runtime.h"

namespace weft::wasm {
struct Grants;
}

namespace weft::runtime {

struct ExecOptions {
  std::string path;
  bool inherit_output = false;
  std::vector<std::string> arguments;
  // What it gets beside wasi:webgpu, stdio, clocks and random, see ParseGrant.
  std::vector<std::string> grants;
};

// "files=FOLDER[:AS]" (to read), "write=FOLDER[:AS]" (to read and write), "network", "env=NAME[=VALUE]": added to `grants`. The guest sees
// the folder as AS, else by the name that it was given by.
Status ParseGrant(std::string_view text, wasm::Grants* grants);

class Exec : public RefCounted {
 public:
  // wasi:webgpu (unless the runtime denies it), stdio, clocks and random are granted.
  static Result<Ref<Exec>> Create(Ref<Runtime> runtime, const ExecOptions& options);
  ~Exec() override;

  // Arguments and result are WAVE text; the result is empty when the function has none.
  Result<std::string> Invoke(const std::string& function, std::span<const std::string> arguments);
  // wasi:cli/run; answers the exit code.
  Result<uint32_t> RunCommand();

 private:
  struct State;
  explicit Exec(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace weft::runtime
