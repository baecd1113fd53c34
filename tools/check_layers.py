# SPDX-License-Identifier: Apache-2.0
"""Reads every #include below src/ and fails where a module reaches up, or where a fenced third-party header is used outside its room.

The ranks and fences are the house rules of docs/design/house.md; this file is the one place that states them for machines.
"""

import pathlib
import re
import sys

RANK = {"base": 0, "gpu": 1, "wasm": 1, "media": 2, "webnn": 2, "host": 3, "graph": 3, "nodes": 4, "cluster": 4, "runtime": 5, "capi": 6, "cli": 7}

# Modules of the same rank do not see each other, unless listed: (from, to).
SAME_RANK = set()

# (pattern of the included path, modules that may include it, what it is)
FENCES = [
    (r"^(webgpu/)?webgpu\.h$|^wgpu\.h$", {"gpu", "webnn", "host"}, "the GPU library's header"),
    (r"^lib(av|sw)\w+/", {"media"}, "FFmpeg"),
    (r"^(png|jpeglib|turbojpeg|tiffio|webp/.*|OpenEXR/.*|Imf.*)(\.h)?$", {"media"}, "an image codec"),
    (r"^nats/", {"cluster"}, "NATS"),
    (r"^CLI/", {"cli"}, "CLI11"),
    (r"^nlohmann/", {"graph", "nodes", "runtime"}, "the JSON library"),
]

# graph is pure: no threads, files or GPU in the files that the browser will use.
PURE = {"document", "check", "plan"}
IMPURE = re.compile(r"^(thread|mutex|condition_variable|future|fstream|filesystem|cstdio|unistd\.h|fcntl\.h|sys/.*)$")


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    bad = []
    count = 0
    for f in sorted((root / "src").rglob("*")):
        if f.suffix not in (".h", ".cc"):
            continue
        count += 1
        module = f.relative_to(root / "src").parts[0]
        if module not in RANK:
            bad.append(f"{f.relative_to(root)}: folder src/{module} has no rank; add it to tools/check_layers.py and docs/design/house.md")
            continue
        for n, line in enumerate(f.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            m = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
            if not m:
                continue
            path, where = m[2], f"{f.relative_to(root)}:{n}"
            top = path.split("/")[0]
            if m[1] == '"' and top in RANK and "/" in path and top != module:
                if module == "cli":
                    bad.append(f"{where}: the command line includes '{path}'; it may use include/weft only")
                elif RANK[top] > RANK[module]:
                    bad.append(f"{where}: {module} (rank {RANK[module]}) includes '{path}' of rank {RANK[top]}; only lower ranks are allowed")
                elif RANK[top] == RANK[module] and (module, top) not in SAME_RANK:
                    bad.append(f"{where}: {module} includes '{path}' of the same rank {RANK[top]}; only lower ranks are allowed")
            for pattern, rooms, what in FENCES:
                if re.match(pattern, path) and module not in rooms:
                    bad.append(f"{where}: '{path}' ({what}) may be included only in {', '.join(sorted(rooms))}")
            if module == "graph" and re.sub(r"_test$", "", f.stem) in PURE and "_test" not in f.stem and IMPURE.match(path):
                bad.append(f"{where}: {f.name} is of the pure core and includes <{path}>")
    for line in bad:
        print(line)
    print(f"check_layers: {count} files, {len(bad)} faults")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
