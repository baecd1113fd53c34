#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds a plugin component from a crate that uses sdk/rust:
#   sdk/rust/build-plugin.sh CRATE-FOLDER -o OUT.wasm [--world NAME WIT...]
# With a world it is a component that needs no sdk: the crate includes the bindings of that world, $WEFT_RUST_BINDINGS/NAME.rs, and its WIT
# is given dependencies first, without wasi:webgpu's.
# Uses Debian's rustc-web with its own sources of std (no rustup). std is compiled once, in a target folder in the cache that all plugins share.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
cache=${WEFT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/weft}
parts=${WEFT_PARTS:-$cache/parts}
wasm_tools=${WEFT_WASM_TOOLS:-$parts/wasm-tools/bin/wasm-tools}
if [ $# -lt 3 ] || [ "$2" != -o ] || { [ $# -gt 3 ] && { [ "$4" != --world ] || [ $# -lt 6 ]; }; }; then
  echo "usage: $0 CRATE-FOLDER -o OUT.wasm [--world NAME WIT...]" >&2
  exit 2
fi
crate=$(cd "$1" && pwd)
out=$3
world=${5:-plugin}
if [ $# -gt 3 ]; then shift 5; else set -- "$root/wit/plugin.wit"; fi

bindgen=$("$root/tools/build-guest-bindgen")
webgpu=$parts/wit/wasi-webgpu-0.3.0-rc.2/package.wit
bindings=$cache/rust-bindings/$(cat "$bindgen" "$webgpu" "$@" | sha256sum | cut -c1-16)
"$bindgen" --language rust --world "$world" --out "$bindings" "$webgpu" "$@"

name=$(sed -n 's/^name = "\(.*\)"/\1/p' "$crate/Cargo.toml" | head -n 1 | tr - _)
target=$cache/rust-guests
(cd "$crate" && env -u RUSTUP_HOME -u RUSTUP_TOOLCHAIN -u RUSTFLAGS RUSTC_BOOTSTRAP=1 RUSTC="${WEFT_RUSTC:-/usr/bin/rustc}" \
  CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=wasm-ld-22 CARGO_TARGET_DIR="$target" WEFT_RUST_BINDINGS="$bindings" \
  "${WEFT_CARGO:-/usr/bin/cargo}" build --release --locked --target wasm32-unknown-unknown -Zbuild-std=std,panic_abort)
"$wasm_tools" component new "$target/wasm32-unknown-unknown/release/$name.wasm" -o "$out.new"
"$wasm_tools" validate --features all "$out.new"
mv "$out.new" "$out"
