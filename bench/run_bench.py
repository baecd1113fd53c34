#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""bench/run: what `weft run` says of itself, and how long its start takes. Two tables, Markdown: run_bench.py [BUILD_DIR]

The GPU times of all nodes of a chain that keeps the GPU busy, added up, against the time that passed between the first frame and the last.
The start: one 1080p picture through one plugin, compiled before, against the GPU library's own start of a device (`weft gpus`).
"""
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build/release"
WEFT = BUILD / "bin/weft"


def run(*command):
    return subprocess.run([str(c) for c in command], check=True, capture_output=True, text=True).stdout


def events(*command):
    return [json.loads(line) for line in run(*command, "--json").splitlines() if line.startswith("{")]


def gpu_times(folder):
    clip = folder / "in.y4m"
    run("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=640x360:r=25", "-frames:v", 25, "-pix_fmt", "yuv444p", clip)
    chain = [a for radius in (6, 12, 18) for a in ("-p", f"{BUILD}/plugins/gaussian-blur.wasm:radius={radius}")]
    said = events(WEFT, "run", clip, *chain, "-o", folder / "out.y4m", "--overwrite")
    done = said[-1]
    begun = next(e["elapsed"] for e in said if e["event"] == "progress" and e["frame"] == 0)
    busy = sum(n["gpu"] or 0 for n in done["nodes"])
    wall = done["elapsed"] - begun
    print(f"### GPU times of the nodes, 3 blurs of 25 frames of 640x360, on {done['gpu']}\n")
    print("| GPU times added up | time that passed | ratio |\n|---|---|---|")
    print(f"| {busy:.2f} s | {wall:.2f} s | {busy / wall:.2f} |\n")


def start(folder):
    picture, out = folder / "in.png", folder / "out.png"
    run("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=1920x1080", "-frames:v", 1, picture)

    def seconds(*command):
        begun = time.monotonic()
        run(*command)
        return time.monotonic() - begun

    job = [WEFT, "run", picture, "-p", BUILD / "guests/identity.wasm", "-o", out, "--overwrite", "--quiet"]
    seconds(*job)  # compiles
    whole = statistics.median(seconds(*job) for _ in range(7))
    driver = statistics.median(seconds(WEFT, "gpus") for _ in range(7))
    print("### One 1080p picture, from the start of `weft run` to its end, plugin compiled before\n")
    print("| weft run | of that, what `weft gpus` takes: the program and the driver's start | the rest |\n|---|---|---|")
    print(f"| {whole:.2f} s | {driver:.2f} s | {whole - driver:.2f} s |\n")


with tempfile.TemporaryDirectory() as held:
    gpu_times(pathlib.Path(held))
    start(pathlib.Path(held))
