# SPDX-License-Identifier: Apache-2.0
# Where the parts lie that tools/setup brings: WEFT_PARTS, by default ${XDG_CACHE_HOME:-~/.cache}/weft/parts.
if(NOT DEFINED WEFT_PARTS)
  if(DEFINED ENV{WEFT_PARTS})
    set(WEFT_PARTS $ENV{WEFT_PARTS})
  elseif(DEFINED ENV{XDG_CACHE_HOME} AND NOT "$ENV{XDG_CACHE_HOME}" STREQUAL "")
    set(WEFT_PARTS $ENV{XDG_CACHE_HOME}/weft/parts)
  else()
    set(WEFT_PARTS $ENV{HOME}/.cache/weft/parts)
  endif()
endif()
set(WEFT_PARTS ${WEFT_PARTS} CACHE PATH "Folder of the parts that tools/setup brings")
if(NOT EXISTS ${WEFT_PARTS}/wgpu-native/include/webgpu.h)
  message(FATAL_ERROR "No parts in '${WEFT_PARTS}': run tools/setup first (./demo and ./test do).")
endif()

# webgpu.h and wgpu.h only; the library itself is loaded with dlopen.
add_library(weft_webgpu_headers INTERFACE)
add_library(weft::webgpu_headers ALIAS weft_webgpu_headers)
target_include_directories(weft_webgpu_headers SYSTEM INTERFACE ${WEFT_PARTS}/wgpu-native/include)
set(WEFT_DEFAULT_GPU_LIBRARY ${WEFT_PARTS}/wgpu-native/lib/libwgpu_native-release.so)
set(WEFT_WASM_TOOLS ${WEFT_PARTS}/wasm-tools/bin/wasm-tools)
set(WEFT_WIT_WASI_WEBGPU ${WEFT_PARTS}/wit/wasi-webgpu-0.3.0-rc.2/package.wit)

find_package(Python3 REQUIRED COMPONENTS Interpreter)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(GTest REQUIRED)
find_package(nlohmann_json REQUIRED)
