// SPDX-License-Identifier: Apache-2.0
// The C functions of libweft_engine.a (engine/src/capi.rs), used by this folder's .cc files only. Functions that can fail return an
// ErrorHandle or null; the caller frees it with TakeError.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "wasm/abi.h"
#include "wasm/engine.h"

namespace weft::wasm {

struct ErrorHandle;

// Numbers of ErrorKind as Rust knows them: 0 InvalidArgument, 1 Unsupported, 2 NotFound, 3 Io, 4 OutOfMemory, 5 GuestTrap, 6 Internal.
Status TakeError(ErrorHandle* error);

struct AbiLimits {
  uint64_t memory_bytes;
  uint64_t table_elements;
  uint32_t instances;
  uint64_t call_ms;
  uint64_t fuel;
};

struct AbiFolder {
  Str host;
  Str guest;
  bool writable;
};

struct AbiPair {
  Str key;
  Str value;
};

struct AbiGrants {
  bool gpu, log, stdio, environment, clocks, random, files, network, surface, closed_stdio;
  List<Str> arguments;
  List<AbiPair> variables;
  List<AbiFolder> folders;
};

// One for each interface that hosts serve, in the order of generate.py's rows.
struct AbiHost {
  const void* table;  // null: not served
  void* binding;
};

using TextSink = void (*)(void* to, Str text);

extern "C" {
uint32_t weft_error_kind(const ErrorHandle* error);
Str weft_error_text(const ErrorHandle* error);
void weft_error_free(ErrorHandle* error);

ErrorHandle* weft_engine_new(Str cache_dir, bool fuel, EngineHandle** out);
void weft_engine_free(EngineHandle* engine);
uint64_t weft_engine_cache_hits(const EngineHandle* engine);
uint64_t weft_engine_compilations(const EngineHandle* engine);

ErrorHandle* weft_component_compile(EngineHandle* engine, const uint8_t* data, size_t size, Str name, ComponentHandle** out);
ComponentHandle* weft_component_clone(const ComponentHandle* component);
void weft_component_free(ComponentHandle* component);
void weft_component_sha256(const ComponentHandle* component, void* to, TextSink sink);
void weft_component_imports(const ComponentHandle* component, void* to, TextSink sink);
void weft_component_exports(const ComponentHandle* component, void* to, TextSink sink);
void weft_component_signatures(const ComponentHandle* component, void* to, TextSink sink);
ErrorHandle* weft_component_check(const ComponentHandle* component, const AbiGrants* grants);
ErrorHandle* weft_component_check_export(const ComponentHandle* component, Str interface);
ErrorHandle* weft_component_instantiate(const ComponentHandle* component, const AbiGrants* grants, const AbiLimits* limits,
                                        const AbiHost* hosts, size_t host_count, InstanceHandle** out);

void weft_instance_free(InstanceHandle* instance);
bool weft_instance_alive(const InstanceHandle* instance);
void weft_instance_set_call_ms(InstanceHandle* instance, uint64_t ms);
uint64_t weft_instance_memory_bytes(const InstanceHandle* instance);
void weft_instance_used(const InstanceHandle* instance, uint64_t* memory_bytes, uint64_t* table_elements);
uint64_t weft_instance_handles(const InstanceHandle* instance);
CallHandle* weft_instance_invoke(InstanceHandle* instance, Str function, const List<Str>* arguments);
CallHandle* weft_instance_run_command(InstanceHandle* instance);

void weft_call_on_wake(CallHandle* call, void* data, void (*wake)(void* data), void (*drop)(void* data));
bool weft_call_poll(CallHandle* call);
void weft_call_limit(CallHandle* call, uint64_t ms);
bool weft_call_finished(const CallHandle* call);
void weft_call_wait(CallHandle* call);
const void* weft_call_value(const CallHandle* call);
// A copy, or null where there is a value.
ErrorHandle* weft_call_error(const CallHandle* call);
void weft_call_free(CallHandle* call);

size_t weft_layout(uint32_t* out, size_t capacity);
}

}  // namespace weft::wasm
