# SPDX-License-Identifier: Apache-2.0
"""check_chain.py OUTPUT [--frame N --decoded PNG --time T --position P --transfer srgb|bt709] INPUT... -p PLUGIN... : what `weft run` made of a chain
against the same chain in numpy.

Takes the arguments of `weft run` themselves (pictures as inputs; ids, bindings, ramps and values as there), computes the chain from the plugins'
READMEs in double precision, with half floats between the nodes as the default work format keeps them, and fails where the 8-bit results
differ by more than 1/255 anywhere. With `--frame` the first input is a
clip, and the output one frame of the result; `--decoded` is that frame as weft's identity writes it, a 16-bit PNG.
"""

import argparse
import pathlib
import re
import subprocess
import sys

import numpy as np
from PIL import Image

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "plugins"))
import reference as ref  # noqa: E402

# port: (colour, alpha) that the plugin's README states; "display" and "as-is" leave the source's coding alone.
PORTS = {
    "gaussian-blur": {"input": ("linear", "premultiplied")},
    "grade": {"input": ("linear", "straight")},
    "composite": {"foreground": ("linear", "premultiplied"), "background": ("linear", "premultiplied"), "mask": ("as-is", None)},
    "pixel-sort": {"input": ("display", None)},
    "glow": {"input": ("linear", "premultiplied")},
}


def half(pixels):
    return pixels.astype(np.float16).astype(np.float64)


def with_rgb(pixels, rgb):
    return np.concatenate([rgb, pixels[..., 3:]], axis=2)


def premultiply(p):
    return with_rgb(p, p[..., :3] * p[..., 3:])


def unpremultiply(p):
    a = p[..., 3:]
    return with_rgb(p, np.where(a > 0, p[..., :3] / np.where(a > 0, a, 1), 0))


def odd(curve):
    """The curve mirrored at 0, for values that a work format keeps below it."""
    return lambda v: np.sign(v) * curve(np.abs(v))


def bt709_decode(v):
    a = np.abs(v)
    return np.sign(v) * np.where(a < 0.081, a / 4.5, ((np.maximum(a, 0.081) + 0.099) / 1.099) ** (1 / 0.45))


def bt709_encode(v):
    a = np.abs(v)
    return np.sign(v) * np.where(a < 0.018, a * 4.5, 1.099 * np.maximum(a, 0.018) ** 0.45 - 0.099)


CURVES = {"srgb": (odd(ref.decode_srgb), odd(ref.encode_srgb)), "bt709": (bt709_decode, bt709_encode)}


class Frame:
    """A picture with what its numbers mean."""

    def __init__(self, pixels, color, alpha, curve):
        self.pixels, self.color, self.alpha, self.curve = pixels, color, alpha, curve

    def as_(self, color, alpha):
        color = self.color if color == "as-is" else color
        alpha = alpha or self.alpha
        if (color, alpha) == (self.color, self.alpha):
            return self
        p = self.pixels
        if self.alpha == "premultiplied":
            p = unpremultiply(p)
        decode, encode = CURVES[self.curve]
        if self.color == "display" and color == "linear":
            p = with_rgb(p, decode(p[..., :3]))
        elif self.color == "linear" and color == "display":
            p = with_rgb(p, encode(p[..., :3]))
        if alpha == "premultiplied":
            p = premultiply(p)
        return Frame(half(p), color, alpha, self.curve)


def load(path, curve):
    image = Image.open(path)
    if image.mode in ("RGB", "RGBA", "L"):
        pixels = np.asarray(image.convert("RGBA")).astype(np.float64) / 255
    else:
        raise SystemExit(f"check_chain: '{path}' has mode {image.mode}, expected an 8-bit picture")
    opaque = (pixels[..., 3] == 1).all() and image.mode != "RGBA"
    return Frame(half(pixels), "display", "opaque" if opaque else "straight", curve)


def load_video(path, number, curve):
    """One 4:2:0 8-bit limited-range frame as weft's converter makes RGB of it: BT.601 or 709 by size where the file does not say, chroma left-sited
    (H.273 type 0), interpolated linearly; what falls outside of 0 to 1 is kept."""
    shape = subprocess.check_output(["ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "stream=width,height", "-of", "csv=p=0", path])
    w, h = map(int, shape.decode().strip().split(",")[:2])
    raw = subprocess.check_output(["ffmpeg", "-v", "error", "-nostdin", "-i", path, "-vf", f"select=eq(n\\,{number})", "-frames:v", "1",
                                   "-f", "rawvideo", "-pix_fmt", "yuv420p", "-"])
    data = np.frombuffer(raw, np.uint8).astype(np.float64)
    cw, ch = (w + 1) // 2, (h + 1) // 2
    y = (data[:w * h].reshape(h, w) - 16) / 219
    planes = data[w * h:].reshape(2, ch, cw)

    def wide(c):
        at = np.arange(w) / 2
        i = np.floor(at).astype(int)
        return c[:, np.minimum(i, cw - 1)] * (1 - (at - i)) + c[:, np.minimum(i + 1, cw - 1)] * (at - i)

    def tall(c):
        at = (np.arange(h) + 0.5) / 2 - 0.5
        i = np.floor(at).astype(int)
        f = (at - i)[:, None]
        return c[np.clip(i, 0, ch - 1)] * (1 - f) + c[np.clip(i + 1, 0, ch - 1)] * f

    cb, cr = (tall(wide((p - 128) / 224)) for p in planes)
    kr, kb = (0.2126, 0.0722) if h >= 720 or w >= 1280 else (0.299, 0.114)
    r, b = y + 2 * (1 - kr) * cr, y + 2 * (1 - kb) * cb
    g = (y - kr * r - kb * b) / (1 - kr - kb)
    return Frame(half(np.dstack([r, g, b, np.ones_like(y)])), "display", "opaque", curve)


def with_decoded(video, path):
    """The frame's own RGB where a 16-bit picture, weft's of the same frame without plugins, can hold it: pixel-sort's order hangs on the last bit, and two
    correct conversions may round that one differently. Both must agree within 1/255."""
    h, w = video.pixels.shape[:2]
    raw = subprocess.check_output(["ffmpeg", "-v", "error", "-nostdin", "-i", path, "-f", "rawvideo", "-pix_fmt", "rgba64le", "-"])
    decoded = half(np.frombuffer(raw, "<u2").reshape(h, w, 4) / 65535.0)
    apart = np.abs(decoded - np.clip(video.pixels, 0, 1)).max() * 255
    if apart > 1:
        raise SystemExit(f"check_chain: weft's RGB of the frame in '{path}' is {apart:.2f}/255 from numpy's")
    held = (decoded > 0) & (decoded < 1)
    return Frame(np.where(held, decoded, video.pixels), video.color, video.alpha, video.curve)


def split(text):
    """At commas outside brackets."""
    return [s for s in re.split(r",(?![^(]*\))", text) if s]


def value(text, position):
    if text.startswith("("):
        return tuple(float(v) for v in text[1:-1].split(","))
    if text.startswith("#") and len(text) in (7, 9):
        rgb = np.array([int(text[i:i + 2], 16) for i in (1, 3, 5)]) / 255
        return tuple(ref.decode_srgb(rgb))
    if ".." in text:
        a, b = map(float, text.split(".."))
        return a + (b - a) * position
    try:
        return float(text)
    except ValueError:
        return text


def run(frames, chain, time, position):
    nodes = {}
    previous = frames[0]
    for n, text in enumerate(chain):
        head, _, settings = text.partition(":")
        path, _, node_id = head.partition("@")
        name = re.sub(r"\.wasm$", "", path.rsplit("/", 1)[-1])
        ports, given = PORTS[name], {}
        bound = {}
        for s in split(settings):
            key, _, v = s.partition("=")
            if key in ports:
                bound[key] = frames[int(v[1:]) - 1] if v.startswith("#") else nodes[v]
            else:
                given[key.replace("-", "_")] = v if v.startswith("@") else value(v, position)
        free = next((p for p in ports if p not in bound), None)
        if free and not (name == "composite" and free == "mask"):
            bound[free] = previous
        inputs = {p: f.as_(*ports[p]) for p, f in bound.items()}
        if name == "gaussian-blur":
            src = inputs["input"]
            out = ref.gaussian_blur(src.pixels, **given)
        elif name == "grade":
            src = inputs["input"]
            if "lut" in given:
                given["lut"] = ref.read_cube(open(given["lut"][1:]).read())
            out = ref.grade(src.pixels, **given)
        elif name == "composite":
            src = inputs["background"]
            mask = inputs["mask"].pixels if "mask" in inputs else None
            out = ref.composite(inputs["foreground"].pixels, src.pixels, mask, **given)
        elif name == "pixel-sort":
            src = inputs["input"]
            out = ref.pixel_sort(src.pixels, **given)
        else:
            src = inputs["input"]
            given["radius"] = int(given["radius"])
            out = ref.glow(src.pixels, time=time, **given)
        previous = Frame(half(out), src.color, src.alpha, src.curve)
        nodes[node_id or name] = previous
    return previous


def main():
    a = argparse.ArgumentParser()
    a.add_argument("output")
    a.add_argument("inputs", nargs="+")
    a.add_argument("-p", action="append", default=[], dest="chain")
    a.add_argument("--time", type=float, default=0)
    a.add_argument("--position", type=float, default=0)
    a.add_argument("--transfer", choices=CURVES, default="srgb")
    a.add_argument("--frame", type=int)
    a.add_argument("--decoded")
    a.add_argument("--save")
    o = a.parse_args()
    frames = [load(p, "srgb") if n or o.frame is None else load_video(p, o.frame, o.transfer) for n, p in enumerate(o.inputs)]
    if o.decoded:
        frames[0] = with_decoded(frames[0], o.decoded)
    # The clip's curve is the project's; stills keep their own.
    result = run(frames, o.chain, o.time, o.position).as_("display", "straight")
    expected = np.round(np.clip(result.pixels, 0, 1) * 255).astype(int)
    image = Image.open(o.output)
    got = np.asarray(image.convert("RGBA")).astype(int)
    if o.save:
        Image.fromarray(expected.astype(np.uint8), "RGBA").save(o.save)
    if got.shape != expected.shape:
        raise SystemExit(f"check_chain: '{o.output}' is {got.shape[1]}x{got.shape[0]}, expected {expected.shape[1]}x{expected.shape[0]}")
    d = np.abs(got - expected)
    # Where alpha is 0 colour means nothing.
    d[..., :3] *= (expected[..., 3:] > 0)
    worst = d.max()
    print(f"{o.output}: largest difference {worst}/255, {np.count_nonzero(d)} of {d.size} values differ, "
          f"picture's range {got[..., :3].min()} to {got[..., :3].max()}, spread {got[..., :3].std():.1f}")
    if worst > 1:
        y, x, c = np.unravel_index(d.argmax(), d.shape)
        print(f"check_chain: worst at ({x}, {y}) channel {'RGBA'[c]}: expected {expected[y, x]}, got {got[y, x]}; "
              f"{np.count_nonzero(d > 1)} values differ by more than 1", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
