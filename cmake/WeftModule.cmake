# SPDX-License-Identifier: Apache-2.0
# weft_module(NAME [DEPENDS target...] [PRIVATE target...])
#
# One static library weft_NAME (alias weft::NAME) of all *.cc below the calling folder; the suffix decides the target:
#   *_test.cc  -> weft_NAME_test, one ctest entry (one device start a binary)
#   *_fuzz.cc and *_bench.cc are left to fuzz/ and bench/.
# Include paths start at src/.
function(weft_module name)
  cmake_parse_arguments(arg "" "" "DEPENDS;PRIVATE;TEST_DEPENDS" ${ARGN})
  file(GLOB_RECURSE all CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  set(tests ${all})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  set(sources ${all})
  list(FILTER sources EXCLUDE REGEX "(_test|_fuzz|_bench|_main)\\.cc$")
  add_library(weft_${name} STATIC ${sources})
  add_library(weft::${name} ALIAS weft_${name})
  target_include_directories(weft_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(weft_${name} PUBLIC ${arg_DEPENDS} PRIVATE ${arg_PRIVATE})
  weft_warnings(weft_${name})
  if(tests)
    add_executable(weft_${name}_test ${tests})
    target_link_libraries(weft_${name}_test PRIVATE weft::${name} ${arg_PRIVATE} ${arg_TEST_DEPENDS} GTest::gtest_main)
    weft_warnings(weft_${name}_test)
    add_test(NAME ${name} COMMAND weft_${name}_test)
    set_tests_properties(${name} PROPERTIES TIMEOUT 300)
  endif()
endfunction()

function(weft_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wno-missing-field-initializers)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -Wno-restrict)  # false alarms on string + at -O2
  endif()
endfunction()
