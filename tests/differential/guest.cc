// SPDX-License-Identifier: Apache-2.0
// Runs cases on wasi:webgpu; page.js does the same on navigator.gpu. README.md says what a case is.
#include <cstring>

#include "calls.h"

#define GPU(name) wasi_webgpu_webgpu_##name

void ReadGpuBindingResource::operator()(Guest& guest, const Value& value, GPU(gpu_binding_resource_t) * to) const {
  if (value.kind == Value::Kind::Object) {
    to->tag = WASI_WEBGPU_WEBGPU_GPU_BINDING_RESOURCE_GPU_BUFFER_BINDING;
    ReadGpuBufferBinding{}(guest, value, &to->val.gpu_buffer_binding);
    return;
  }
  static constexpr std::string_view kKinds[] = {"gpu-buffer", "", "gpu-sampler", "gpu-texture", "gpu-texture-view"};
  Object object = guest.Find(value);
  auto kind = std::find(std::begin(kKinds), std::end(kKinds), object.kind);
  if (kind == std::end(kKinds)) return guest.Fault("'" + value.text + "' cannot be bound");
  to->tag = static_cast<uint8_t>(kind - std::begin(kKinds));
  to->val.gpu_buffer.__handle = object.handle;
}

void ReadGpuLayoutMode::operator()(Guest& guest, const Value& value, GPU(gpu_layout_mode_t) * to) const {
  bool automatic = value.text == "auto";
  to->tag = automatic ? WASI_WEBGPU_WEBGPU_GPU_LAYOUT_MODE_AUTO : WASI_WEBGPU_WEBGPU_GPU_LAYOUT_MODE_SPECIFIC;
  if (!automatic) Handle<"gpu-pipeline-layout">{}(guest, value, &to->val.specific);
}

void ReadRecordGpuPipelineConstantValue::operator()(Guest&, const Value& value, GPU(own_record_gpu_pipeline_constant_value_t) * to) const {
  *to = GPU(constructor_record_gpu_pipeline_constant_value)();
  for (const auto& [name, number] : value.members) {
    differential_string_t key = {reinterpret_cast<uint8_t*>(const_cast<char*>(name.data())), name.size()};
    GPU(method_record_gpu_pipeline_constant_value_add)({to->__handle}, &key, number.number);
  }
}

void ReadRecordOptionGpuSize64::operator()(Guest&, const Value& value, GPU(own_record_option_gpu_size64_t) * to) const {
  *to = GPU(constructor_record_option_gpu_size64)();
  for (const auto& [name, number] : value.members) {
    differential_string_t key = {reinterpret_cast<uint8_t*>(const_cast<char*>(name.data())), name.size()};
    uint64_t limit = static_cast<uint64_t>(number.number);
    GPU(method_record_option_gpu_size64_add)({to->__handle}, &key, &limit);
  }
}

namespace {

void DropObject(Object object) {
  for (const Drop& drop : kDrops) {
    if (drop.kind == object.kind) drop.drop(object.handle);
  }
}

// "validation", as JavaScript's runner names a GPUValidationError; empty where the scope caught nothing.
std::string Popped(GPU(borrow_gpu_device_t) device, Outcome* outcome, std::string* message = nullptr) {
  GPU(option_own_gpu_error_t) error{};
  GPU(pop_error_scope_error_t) failure{};
  if (!GPU(method_gpu_device_pop_error_scope)(device, &error, &failure)) {
    outcome->throws = kPopErrorScopeErrorKind[failure.kind.tag];
    Taken(&failure.message);
    return "";
  }
  if (!error.is_some) return "";
  GPU(gpu_error_kind_t) kind{};
  GPU(method_gpu_error_kind)({error.val.__handle}, &kind);
  if (message) {
    differential_string_t text{};
    GPU(method_gpu_error_message)({error.val.__handle}, &text);
    *message = Taken(&text);
  }
  GPU(gpu_error_drop_own)(error.val);
  return std::string(kGpuErrorFilter[kind.tag]);
}

void PopErrorScope(Guest&, int32_t self, const Value&, Outcome* outcome) {
  std::string kind = Popped({self}, outcome);
  outcome->value = kind.empty() ? "null" : Quoted(kind);
}

// Wording, columns and the number of messages are each implementation's own; that there is an error, and the first one's line, are not.
void GetCompilationInfo(Guest&, int32_t self, const Value&, Outcome* outcome) {
  auto info = GPU(method_gpu_shader_module_get_compilation_info)({self});
  GPU(list_own_gpu_compilation_message_t) messages{};
  GPU(method_gpu_compilation_info_messages)({info.__handle}, &messages);
  outcome->value = "\"no error\"";
  for (size_t i = messages.len; i-- > 0;) {
    GPU(borrow_gpu_compilation_message_t) message = {messages.ptr[i].__handle};
    if (GPU(method_gpu_compilation_message_type)(message) == WASI_WEBGPU_WEBGPU_GPU_COMPILATION_MESSAGE_TYPE_ERROR)
      outcome->value = Quoted("error in line " + std::to_string(GPU(method_gpu_compilation_message_line_num)(message)));
    GPU(gpu_compilation_message_drop_own)(messages.ptr[i]);
  }
  free(messages.ptr);
  GPU(gpu_compilation_info_drop_own)(info);
}

void Lost(Guest& guest, int32_t self, const Value&, Outcome* outcome) {
  auto future = GPU(method_gpu_device_lost)({self});
  GPU(own_gpu_device_lost_info_t) info{};
  auto status = GPU(future_own_gpu_device_lost_info_read)(future, &info);
  if (status == DIFFERENTIAL_WAITABLE_STATUS_BLOCKED) {
    auto set = differential_waitable_set_new();
    differential_event_t event;
    differential_waitable_join(future, set);
    differential_waitable_set_wait(set, &event);
    differential_waitable_join(future, 0);
    differential_waitable_set_drop(set);
    status = event.code;
  }
  if (DIFFERENTIAL_WAITABLE_STATE(status) != DIFFERENTIAL_WAITABLE_COMPLETED) return guest.Fault("`lost` ended without an answer");
  outcome->value = Quoted(kGpuDeviceLostReason[GPU(method_gpu_device_lost_info_reason)({info.__handle})]);
  GPU(gpu_device_lost_info_drop_own)(info);
  GPU(future_own_gpu_device_lost_info_drop_readable)(future);
}

constexpr Method kByHand[] = {
    {"gpu-device", "popErrorScope", &PopErrorScope},
    {"gpu-device", "lost", &Lost},
    {"gpu-shader-module", "getCompilationInfo", &GetCompilationInfo},
};

void Call(Guest& guest, Object self, std::string_view name, const Value& arguments, Outcome* outcome) {
  for (std::span<const Method> methods : {std::span<const Method>(kByHand), std::span<const Method>(kMethods)}) {
    for (const Method& method : methods) {
      if (method.kind == self.kind && method.name == name) return method.call(guest, self.handle, arguments, outcome);
    }
  }
  guest.Fault(std::string(self.kind) + " has no method '" + std::string(name) + "'");
}

// "buffer = device.createBuffer", "device.limits.maxBindGroups": an object's name, getters, and the call. Answers it as one line of JSON.
std::string Perform(Guest& guest, const Value& call, bool own_scopes) {
  std::string_view text = call[size_t{0}].text, to;
  if (size_t equals = text.find(" = "); equals != text.npos) {
    to = text.substr(0, equals);
    text.remove_prefix(equals + 3);
  }
  size_t dot = std::min(text.find('.'), text.size());
  auto found = guest.objects.find(text.substr(0, dot));
  if (found == guest.objects.end()) return guest.Fault("there is no object '" + std::string(text.substr(0, dot)) + "'"), "";
  Object self = found->second;
  text.remove_prefix(std::min(dot + 1, text.size()));

  auto device = guest.objects.find("device");
  bool scoped = !own_scopes && device != guest.objects.end();
  GPU(borrow_gpu_device_t) scopes = {scoped ? device->second.handle : 0};
  for (uint8_t filter = 0; scoped && filter < 3; ++filter) GPU(method_gpu_device_push_error_scope)(scopes, filter);

  Outcome outcome;
  std::vector<Object> between;
  for (; (dot = text.find('.')) != text.npos; text.remove_prefix(dot + 1)) {
    Outcome getter;
    Call(guest, self, text.substr(0, dot), Value(), &getter);
    between.push_back(self = getter.object);
  }
  Call(guest, self, text, call[size_t{1}], &outcome);
  for (Object object : between) DropObject(object);
  guest.memory.clear();

  std::string error, message;
  for (int i = 0; scoped && i < 3; ++i) {
    Outcome pop;
    std::string kind = Popped(scopes, &pop, &message);
    if (!kind.empty()) error = kind;
  }
  if (!to.empty() && !outcome.object.kind.empty()) {
    if (auto old = guest.objects.find(to); old != guest.objects.end()) DropObject(old->second);
    guest.objects.insert_or_assign(std::string(to), outcome.object);
  } else {
    DropObject(outcome.object);
  }
  std::string line;
  auto member = [&](const char* name, const std::string& json) {
    if (!json.empty()) line += (line.empty() ? "\"" : ",\"") + std::string(name) + "\":" + json;
  };
  member("error", error.empty() ? "" : Quoted(error));
  member("message", message.empty() ? "" : Quoted(message));
  member("throws", outcome.throws.empty() ? "" : Quoted(outcome.throws));
  member("value", outcome.value);
  return "{" + line + "}";
}

std::string RunCase(const Value& test) {
  Guest guest;
  auto gpu = GPU(get_gpu)();
  guest.objects["gpu"] = {"gpu", gpu.__handle};
  std::string outcomes;
  for (const Value& call : test["calls"].items) {
    std::string outcome = Perform(guest, call, test["scopes"].text == "own");
    if (!guest.fault.empty()) {
      guest.fault = "'" + call[size_t{0}].text + "': " + guest.fault;
      break;
    }
    outcomes += (outcomes.empty() ? "" : ",") + outcome;
  }
  for (const auto& [name, object] : guest.objects) DropObject(object);
  std::string fault = guest.fault.empty() ? "" : ",\"fault\":" + Quoted(guest.fault);
  return "{\"name\":" + Quoted(test["name"].text) + ",\"outcomes\":[" + outcomes + "]" + fault + "}\n";
}

}  // namespace

void exports_differential_run(differential_string_t* cases, differential_string_t* ret) {
  Value list;
  std::string lines;
  if (Parse({reinterpret_cast<const char*>(cases->ptr), cases->len}, &list)) {
    for (const Value& test : list.items) lines += RunCase(test);
  } else {
    lines = "{\"fault\":\"the cases are not JSON\"}\n";
  }
  differential_string_free(cases);
  differential_string_dup_n(ret, lines.data(), lines.size());
}
