# SPDX-License-Identifier: Apache-2.0
# The kernels of wgsl/ as C++ strings: media/convert/wgsl.h in the build folder.
set(weft_wgsl_folder ${CMAKE_CURRENT_LIST_DIR}/wgsl)
set(weft_wgsl_include ${CMAKE_CURRENT_BINARY_DIR}/gen)
set(weft_wgsl_text "// Generated from src/media/convert/wgsl.\n#pragma once\n\nnamespace weft::media::wgsl {\n")
foreach(kernel color unpack convert pack resize)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${weft_wgsl_folder}/${kernel}.wgsl)
  file(READ ${weft_wgsl_folder}/${kernel}.wgsl text)
  string(APPEND weft_wgsl_text "\ninline constexpr char k_${kernel}[] = R\"wgsl(${text})wgsl\";\n")
endforeach()
string(APPEND weft_wgsl_text "\n}  // namespace weft::media::wgsl\n")
file(CONFIGURE OUTPUT ${weft_wgsl_include}/media/convert/wgsl.h CONTENT "${weft_wgsl_text}" @ONLY)
