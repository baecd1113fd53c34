# SPDX-License-Identifier: Apache-2.0
# weft_c_kit()                                             the kit for weft:plugin, once a build tree
# weft_c_bindings(NAME WORLD world [WIT file...])          bare bindings of a world in ${CMAKE_BINARY_DIR}/NAME; WIT: what comes after wasi:webgpu
# weft_c_plugin(NAME OUTPUT FILE SOURCES file... [DEFINES d...] [INCLUDES dir...] [KIT name])   a component from C or C++; target NAME
# weft_rust_plugin(NAME OUTPUT FILE CRATE dir [WORLD world WIT file...])   a component from a Rust crate on sdk/rust, or of a world; target NAME
# Compilers are the guests' own (clang-22, rustc-web), not those of the host build. Parts from outside: WEFT_WASM_TOOLS, WEFT_PARTS.
set(WEFT_SDK ${CMAKE_CURRENT_LIST_DIR}/..)
cmake_path(NORMAL_PATH WEFT_SDK)
set(weft_guest_environment ${CMAKE_COMMAND} -E env WEFT_WASM_TOOLS=${WEFT_WASM_TOOLS} WEFT_PARTS=${WEFT_PARTS})

function(weft_c_kit)
  if(TARGET weft_c_kit)
    return()
  endif()
  set(kit ${CMAKE_BINARY_DIR}/c-kit)
  file(GLOB sources CONFIGURE_DEPENDS ${WEFT_SDK}/c/src/* ${WEFT_SDK}/c/include/*)
  add_custom_command(
    OUTPUT ${kit}/objects
    COMMAND ${weft_guest_environment} ${WEFT_SDK}/c/build-kit.sh ${kit}
    DEPENDS ${sources} ${WEFT_SDK}/c/build-kit.sh ${WEFT_SDK}/../wit/plugin.wit
    COMMENT "C kit for plugins"
    VERBATIM)
  add_custom_target(weft_c_kit DEPENDS ${kit}/objects)
endfunction()

function(weft_c_bindings name)
  cmake_parse_arguments(arg "" "WORLD" "WIT" ${ARGN})
  set(kit ${CMAKE_BINARY_DIR}/${name})
  add_custom_command(
    OUTPUT ${kit}/objects
    COMMAND ${weft_guest_environment} ${WEFT_SDK}/c/build-kit.sh ${kit} --world ${arg_WORLD} ${WEFT_WIT_WASI_WEBGPU} ${arg_WIT}
    DEPENDS ${WEFT_SDK}/c/build-kit.sh ${arg_WIT}
    COMMENT "C bindings of world ${arg_WORLD}"
    VERBATIM)
  add_custom_target(${name} DEPENDS ${kit}/objects)
endfunction()

function(weft_c_plugin name)
  cmake_parse_arguments(arg "" "OUTPUT;KIT" "SOURCES;DEFINES;INCLUDES" ${ARGN})
  if(arg_KIT)
    set(kit ${CMAKE_BINARY_DIR}/${arg_KIT})
    set(kit_target ${arg_KIT})
  else()
    weft_c_kit()
    set(kit ${CMAKE_BINARY_DIR}/c-kit)
    set(kit_target weft_c_kit)
  endif()
  list(TRANSFORM arg_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE sources)
  set(defines)
  foreach(define IN LISTS arg_DEFINES)
    list(APPEND defines -D ${define})
  endforeach()
  foreach(folder IN LISTS arg_INCLUDES)
    list(APPEND defines -I ${folder})
  endforeach()
  cmake_path(GET arg_OUTPUT PARENT_PATH folder)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(
    OUTPUT ${arg_OUTPUT}
    COMMAND ${weft_guest_environment} ${WEFT_SDK}/c/build-plugin.sh ${sources} -o ${arg_OUTPUT} --kit ${kit} --depfile
            ${arg_OUTPUT}.d ${defines}
    DEPENDS ${sources} ${WEFT_SDK}/c/build-plugin.sh ${kit}/objects
    DEPFILE ${arg_OUTPUT}.d
    COMMENT "plugin ${name}"
    VERBATIM)
  add_custom_target(${name} DEPENDS ${arg_OUTPUT})
  add_dependencies(${name} ${kit_target})
endfunction()

function(weft_rust_plugin name)
  cmake_parse_arguments(arg "" "OUTPUT;CRATE;WORLD" "WIT" ${ARGN})
  set(world)
  if(arg_WORLD)
    set(world --world ${arg_WORLD} ${arg_WIT})
  endif()
  cmake_path(ABSOLUTE_PATH arg_CRATE BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${arg_CRATE}/src/* ${WEFT_SDK}/rust/src/*)
  cmake_path(GET arg_OUTPUT PARENT_PATH folder)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(
    OUTPUT ${arg_OUTPUT}
    COMMAND ${weft_guest_environment} ${WEFT_SDK}/rust/build-plugin.sh ${arg_CRATE} -o ${arg_OUTPUT} ${world}
    DEPENDS ${sources} ${arg_CRATE}/Cargo.toml ${arg_CRATE}/Cargo.lock ${WEFT_SDK}/rust/Cargo.toml ${WEFT_SDK}/rust/build-plugin.sh
            ${WEFT_SDK}/../wit/plugin.wit ${arg_WIT}
    COMMENT "plugin ${name}"
    VERBATIM)
  add_custom_target(${name} DEPENDS ${arg_OUTPUT})
endfunction()
