# SPDX-License-Identifier: Apache-2.0
"""YUV clips through an identity plugin into RGB FFV1, against FFmpeg's accurate conversion: yuv_test.py WEFT GUESTS.

BT.601 and BT.709, limited and full range, 4:4:4, 4:2:2 and 4:2:0 with the chroma at its left: at most 1/255 a channel.
"""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

WEFT, GUESTS = sys.argv[1:]
W, H, FRAMES = 128, 96, 2
# Soft and hard edges in all components.
PICTURE = ("geq=lum='16+219*(0.5+0.25*sin(0.11*X)+0.2*cos(0.07*Y*3)*if(mod(floor(X/16)+floor(Y/16)+N,2),1,-1))'"
           ":cb='16+224*(0.5+0.25*sin(0.22*X+N))':cr='16+224*(0.5+0.25*sin(0.33*X)*cos(0.1*Y))'")
FLAGS = "bilinear+accurate_rnd+full_chroma_int+full_chroma_inp+bitexact"


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nfailed:\n{done.stderr.decode()}")
    return done.stdout


def rgb(path, *options):
    planes = np.frombuffer(run("ffmpeg", "-v", "error", "-nostdin", "-i", path, *options, "-f", "rawvideo", "-pix_fmt", "gbrp", "-"), np.uint8)
    return planes.reshape(-1, 3, H, W)[:, [2, 0, 1]].astype(int)


def main():
    worst = 0
    with tempfile.TemporaryDirectory() as held:
        folder = pathlib.Path(held)
        for matrix, name in (("bt709", "bt709"), ("bt601", "smpte170m")):
            for full in (False, True):
                for layout in ("yuv444p", "yuv422p", "yuv420p"):
                    clip, out = folder / "in.mkv", folder / "out.mkv"
                    signal = ["-colorspace", name, "-color_range", "pc" if full else "tv", "-color_primaries", "bt709", "-color_trc", "bt709"]
                    run("ffmpeg", "-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i", f"nullsrc=s={W}x{H}:r=25,format={layout},{PICTURE}",
                        "-frames:v", FRAMES, "-c:v", "ffv1", *signal, "-chroma_sample_location", "left", clip)
                    run(WEFT, "run", clip, "-p", f"{GUESTS}/identity.wasm", "-o", f"{out}:codec=ffv1,pix_fmt=bgr0", "--overwrite", "--quiet")
                    sited = "" if layout == "yuv444p" else ":in_h_chr_pos=0"
                    want = rgb(clip, "-vf", f"scale=in_color_matrix={matrix}:in_range={'pc' if full else 'tv'}:flags={FLAGS}{sited},format=gbrp")
                    got = rgb(out)
                    if got.shape != want.shape or len(got) != FRAMES:
                        sys.exit(f"{layout} {matrix}: the source has {len(want)} frames, the result {len(got)}")
                    off = np.abs(got - want).max()
                    print(f"{layout} {matrix} {'full' if full else 'limited'}: at most {off}/255")
                    worst = max(worst, off)
    if worst > 1:
        sys.exit(f"YUV differs from FFmpeg's accurate conversion by {worst}/255; 1 is allowed")


if __name__ == "__main__":
    main()
