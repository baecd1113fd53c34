# SPDX-License-Identifier: Apache-2.0
"""demo_test.py WEFT PLUGINS MEDIA: the demo's chain of all five samples, no parameter at its default, on the real photograph and on a piece of the
real clip: within 1/255 of numpy (check_chain.py), and the clip's frame count, pts and sound are the source's."""

import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
WEFT, PLUGINS, MEDIA = sys.argv[1:4]


def run(*args, **kw):
    done = subprocess.run([str(a) for a in args], capture_output=True, text=True, **kw)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, args))}\nended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def demo_chain(radius, offset, scale, inputs):
    """The -p arguments of ./demo itself, so that both are one chain."""
    text = (HERE.parents[1] / "demo").read_text()
    found = re.findall(r'^\s+-p "(.*)" \\$', text, re.M)
    assert len(found) == 5, f"./demo has {len(found)} plugins in its chain, expected 5"
    names = {"$plugins": PLUGINS, "$radius": radius, "$offset": offset, "$scale": scale, "out/inputs": str(inputs)}
    chain = []
    for argument in found:
        for name, value in names.items():
            argument = argument.replace(name, value)
        chain += ["-p", argument]
    return chain


def packets(path, stream, entries):
    return run("ffprobe", "-v", "error", "-select_streams", stream, "-show_entries", f"packet={entries}", "-of", "csv=p=0", path).split()


def main():
    with tempfile.TemporaryDirectory() as held:
        folder = pathlib.Path(held)
        run("/usr/bin/python3", HERE / "demo_inputs.py", MEDIA, folder / "inputs")
        stills = [folder / "inputs/foreground.png", folder / "inputs/mask.png"]
        check = ["/usr/bin/python3", HERE / "check_chain.py"]

        photo = f"{MEDIA}/coffee.png"
        chain = demo_chain("1.5", "(290,70)", "1.08", folder / "inputs")
        run(WEFT, "run", photo, *stills, *chain, "-o", folder / "photo.png", "--quiet")
        print(run(*check, folder / "photo.png", photo, *stills, *chain).strip())

        # A short piece, small enough for software Vulkan, with frames of varying length and the clip's own sound.
        clip = folder / "piece.mp4"
        frames = 21
        run("ffmpeg", "-v", "error", "-nostdin", "-i", f"{MEDIA}/bigbuckbunny.mp4", "-frames:v", frames, "-t", 1, "-c:a", "copy", "-vf",
            "scale=208:118,setpts='if(lt(N,10),N/25,0.4+(N-10)/10)/TB'", "-fps_mode", "vfr", "-enc_time_base", "1/12800", clip)
        chain = demo_chain("0.5..9", "(60,20)", "0.4", folder / "inputs")
        out, exact = folder / "out.mp4", folder / "exact.mkv"
        run(WEFT, "run", clip, *stills, *chain, "-o", out, "-o", f"{exact}:codec=ffv1,pix_fmt=bgr0", "--quiet")
        want, got = (run("ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "frame=pts_time", "-of", "csv=p=0", p).replace(",", "").split()
                     for p in (clip, out))
        if want != got:
            sys.exit(f"pts differ: the source has {want}, the result {got}")
        sound = [run("ffmpeg", "-v", "error", "-nostdin", "-i", p, "-map", "a", "-c", "copy", "-f", "md5", "-") for p in (clip, out)]
        if sound[0] != sound[1]:
            sys.exit(f"the sound is not the source's: {sound}")
        print(f"clip: {len(got)} frames with the source's pts; the sound is the source's, packet by packet")

        plain = folder / "plain"
        plain.mkdir()
        run(WEFT, "run", clip, "-o", f"{plain}/%06d.png:depth=16", "--quiet")
        decoded = sorted(plain.glob("*.png"))
        if len(decoded) != len(got):
            sys.exit(f"the identity made {len(decoded)} frames of {len(got)}")
        for n in (0, len(got) // 2, len(got) - 1):
            frame = folder / f"frame{n}.png"
            run("ffmpeg", "-v", "error", "-nostdin", "-y", "-i", exact, "-vf", f"select=eq(n\\,{n})", "-frames:v", 1, "-pix_fmt", "rgb24", frame)
            print(run(*check, frame, clip, *stills, *chain, "--frame", n, "--decoded", decoded[n], "--transfer", "bt709", "--time", got[n],
                      "--position", n / (len(got) - 1)).strip())
    print("demo chain: as numpy says")


if __name__ == "__main__":
    main()
