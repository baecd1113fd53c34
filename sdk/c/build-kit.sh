#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes the C kit for one world: bindings from the WIT, compiled once, so that a plugin compiles only itself.
#   sdk/c/build-kit.sh DIR [--world NAME] [WIT...]
# Without WIT: the world `plugin` of wit/plugin.wit with the kit's own code. With WIT (dependencies first): the bindings of that world alone.
# DIR gets include/ and `objects`, a response file for the link.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
parts=${WEFT_PARTS:-${XDG_CACHE_HOME:-$HOME/.cache}/weft/parts}
webgpu=$parts/wit/wasi-webgpu-0.3.0-rc.2/package.wit
clang=${WEFT_CLANG:-clang-22}

out=$1
shift
world=plugin
if [ "${1:-}" = --world ]; then
  world=$2
  shift 2
fi
kit=no
if [ $# -eq 0 ]; then
  kit=yes
  set -- "$webgpu" "$root/wit/plugin.wit"
fi

bindgen=$("$root/tools/build-guest-bindgen")
mkdir -p "$out/include" "$out/obj"
"$bindgen" --world "$world" --out "$out/include" "$@"
flags="--target=wasm32-wasi -Wno-deprecated -O2 -g0 -ffunction-sections -fdata-sections"
# The bindings are made by a program, so their warnings help nobody.
"$clang" $flags -std=c23 -w -I"$out/include" -c "$out/include/$world.c" -o "$out/obj/bindings.o"
# Only for plugins in C++.
"$clang" $flags -std=c++23 -fno-exceptions -fno-rtti -Wall -Wextra -Werror -c "$here/src/runtime.cpp" -o "$out/obj/runtime.o"
objects="$out/obj/bindings.o $out/include/${world}_component_type.o"
if [ $kit = yes ]; then
  cp "$here/include/weft_plugin.h" "$here/include/weft_plugin.hpp" "$out/include/"
  for source in "$here"/src/*.c; do
    object=$out/obj/$(basename "$source" .c).o
    "$clang" $flags -std=c23 -Wall -Wextra -Werror -I"$out/include" -c "$source" -o "$object"
    objects="$objects $object"
  done
fi
# A list and not one object: a relocatable link forgets the names of the exports.
printf '%s\n' $objects >"$out/objects.new"
mv "$out/objects.new" "$out/objects"
