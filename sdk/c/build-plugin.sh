#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds a plugin component from C or C++:
#   sdk/c/build-plugin.sh SOURCE... -o OUT.wasm [-I DIR] [-D NAME[=VALUE]] [-g] [--kit DIR] [--depfile FILE]
# --kit is a folder that build-kit.sh made; without it the kit for weft:plugin is made once in the cache.
# A source includes WGSL with #embed. The result may import wasi:webgpu and weft:plugin/log and nothing else: stdio, clocks and files
# would need WASI, which a plugin is not granted, so they are refused here and not when somebody loads the plugin.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
cache=${WEFT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/weft}
parts=${WEFT_PARTS:-$cache/parts}
wasm_tools=${WEFT_WASM_TOOLS:-$parts/wasm-tools/bin/wasm-tools}
clang=${WEFT_CLANG:-clang-22}

out= kit= depfile= sources= flags= debug=-g0
while [ $# -gt 0 ]; do
  case $1 in
    -o) out=$2; shift ;;
    --kit) kit=$2; shift ;;
    --depfile) depfile=$2; shift ;;
    -I) flags="$flags -I$2"; shift ;;
    -D) flags="$flags -D$2"; shift ;;
    -g) debug=-g ;;
    -*) echo "build-plugin.sh: unknown option '$1'; read the first lines of $0" >&2; exit 2 ;;
    *) sources="$sources $1" ;;
  esac
  shift
done
if [ -z "$out" ] || [ -z "$sources" ]; then
  echo "usage: $0 SOURCE... -o OUT.wasm" >&2
  exit 2
fi
if [ -z "$kit" ]; then
  key=$(cat "$here"/include/* "$here"/src/* "$here"/build-kit.sh "$root"/wit/plugin.wit | sha256sum | cut -c1-16)
  kit=$cache/c-kit/$key
  if [ ! -f "$kit/objects" ]; then "$here/build-kit.sh" "$kit"; fi
fi

work=$out.parts
mkdir -p "$work"
common="--target=wasm32-wasi -Wno-deprecated -O2 $debug -Wall -Wextra -Wno-missing-designated-field-initializers -Wno-missing-field-initializers -ffunction-sections -fdata-sections -I$kit/include $flags"
objects= cplusplus=no
if [ -n "$depfile" ]; then : >"$depfile.new"; fi
for source in $sources; do
  object=$work/$(basename "$source").o
  case $source in
    *.c) language="-std=c23" ;;
    *) language="-std=c++23 -fno-exceptions -fno-rtti -Wno-c23-extensions"; cplusplus=yes ;;
  esac
  "$clang" $common $language -MD -MF "$work/deps" -MT "$out" -c "$source" -o "$object"
  if [ -n "$depfile" ]; then cat "$work/deps" >>"$depfile.new"; fi
  objects="$objects $object"
done
libraries=
if [ $cplusplus = yes ]; then libraries="$kit/obj/runtime.o -lc++ -lc++abi"; fi
"$clang" --target=wasm32-wasi -Wno-deprecated -O2 $debug -mexec-model=reactor $objects @"$kit/objects" $libraries -Wl,--gc-sections -o "$work/core.wasm"

foreign=$("$wasm_tools" print "$work/core.wasm" | sed -n 's/^ *(import "\(wasi_snapshot[^"]*\)" "\([^"]*\)".*/\2/p' | tr '\n' ' ')
if [ -n "$foreign" ]; then
  echo "build-plugin.sh: '$out' would need WASI ($foreign): leave out stdio, clocks, files and what calls them" >&2
  exit 1
fi
"$wasm_tools" component new "$work/core.wasm" -o "$work/component.wasm"
"$wasm_tools" validate --features all "$work/component.wasm"
mv "$work/component.wasm" "$out"
if [ -n "$depfile" ]; then mv "$depfile.new" "$depfile"; fi
rm -rf "$work"
