# SPDX-License-Identifier: Apache-2.0
"""The window components of this folder through `weft run`, against pictures computed here.

Environment: WEFT (the command), WEFT_WINDOWS (folder of the built components), WEFT_PLUGINS (the sample plugins). Needs numpy and Pillow.
"""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np
from PIL import Image

os.environ.pop("XDG_RUNTIME_DIR", None)  # servers have none; weft is to be quiet about it

WEFT = os.environ["WEFT"]
WINDOWS = pathlib.Path(os.environ["WEFT_WINDOWS"])
PLUGINS = pathlib.Path(os.environ["WEFT_PLUGINS"])


def centers(width, height):
    """x and y of each pixel's middle, in normalized device coordinates."""
    x = (np.arange(width) + 0.5) / width * 2 - 1
    y = 1 - (np.arange(height) + 0.5) / height * 2
    return np.meshgrid(x, y)


def triangle(width, height):
    """Barycentric coordinates are the colour; outside it is dark blue. Answers the picture, and how far each pixel lies from an edge."""
    corners = [(-0.75, -0.75), (0.75, -0.75), (0.0, 0.75)]
    x, y = centers(width, height)

    def area(a, b, px, py):
        return (b[0] - a[0]) * (py - a[1]) - (b[1] - a[1]) * (px - a[0])

    whole = area(corners[0], corners[1], *corners[2])
    weights = np.stack([area(corners[(i + 1) % 3], corners[(i + 2) % 3], x, y) / whole for i in range(3)], -1)
    inside = (weights >= 0).all(-1, keepdims=True)
    return np.where(inside, weights, [0, 0, 0.25]) * 255, np.abs(weights).min(-1)


def scene(width, height, number):
    """The same world by rays: of each pixel the nearest parallelogram, and its texel. Also: whether all around a pixel see the same texel."""
    eye, lens, aspect = np.array([0.3, 0.5, 3.2]), 1.5, width / height
    half, angle = 0.7, 0.5 + 0.4 * number
    turn = np.array([[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]])
    quads = []
    for axis in range(3):
        for side in (-half, half):
            corner, u, v, tint = np.full(3, -half), np.zeros(3), np.zeros(3), np.full(3, 0.5)
            corner[axis], u[(axis + 1) % 3], v[(axis + 2) % 3] = side, 2 * half, 2 * half
            tint[axis] = 1.0 if side > 0 else 0.75
            quads.append((turn @ corner, turn @ u, turn @ v, tint))
    quads.append(([-3, -0.45, 2], [6, 0, 0], [0, 0, -6], [0.5, 1, 0.5]))
    quads.append(([-2, -1, -0.2], [4, 0, 0], [0, 1.9, 0], [1, 1, 0.25]))
    checks = np.array([[255 if (i + j) % 2 else 96 for i in range(8)] for j in range(8)], float)
    checks[0, 0] = 0

    x, y = centers(width, height)
    rays = np.stack([x * aspect / lens, y / lens, -np.ones_like(x)], -1)
    depth = np.full((height, width), 20.0)
    picture = np.broadcast_to(np.array([0.2, 0.4, 0.8]) * 255, (height, width, 3)).copy()
    texel = np.full((height, width), -1)
    for q, quad in enumerate(quads):
        corner, u, v, tint = (np.asarray(p, float) for p in quad)
        normal = np.cross(u, v)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = (corner - eye) @ normal / (rays @ normal)
        at = eye + rays * np.where(np.isfinite(t), t, 0)[..., None] - corner
        a, b = at @ u / (u @ u), at @ v / (v @ v)
        # Rays are 1 long along the axis of view, so t is the distance that the depth buffer knows.
        seen = np.isfinite(t) & (t > 0.1) & (t < depth) & (a >= 0) & (a <= 1) & (b >= 0) & (b <= 1)
        i, j = (np.clip((k * 8).astype(int), 0, 7) for k in (np.where(seen, a, 0), np.where(seen, b, 0)))
        depth = np.where(seen, t, depth)
        picture[seen] = (checks[j, i][..., None] * tint)[seen]
        texel = np.where(seen, q * 64 + j * 8 + i, texel)
    inner = np.zeros((height, width), bool)
    inner[1:-1, 1:-1] = True
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            inner &= np.roll(texel, (dy, dx), (0, 1)) == texel
    return picture, inner


class Windows(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def weft(self, *arguments, code=0):
        done = subprocess.run([WEFT, "run", *map(str, arguments)], cwd=self.folder, capture_output=True, timeout=240)
        self.assertEqual(done.returncode, code, done.stderr.decode())
        return done.stderr.decode()

    def picture(self, name, mode="RGB"):
        with Image.open(self.folder / name) as picture:
            self.assertEqual(picture.mode, mode)
            return np.asarray(picture).astype(int)

    def component(self, name, options=""):
        return f"{WINDOWS / name}.wasm" + (":" + options if options else "")

    def assert_near(self, found, expected, where=None, most=1):
        self.assertEqual(found.shape, expected.shape)
        off = np.abs(found - np.round(expected)).max(-1)
        if where is not None:
            off = np.where(where, off, 0)
        y, x = np.unravel_index(off.argmax(), off.shape)
        self.assertLessEqual(off.max(), most, f"at {x}, {y}: found {found[y, x]}, expected {expected[y, x]}")

    def test_triangle(self):
        self.weft(self.component("triangle"), "-o", "t.png")
        expected, edge = triangle(128, 96)
        self.assert_near(self.picture("t.png"), expected, edge > 0.01)

    def test_triangle_of_the_size_asked_for(self):
        self.weft(self.component("triangle", "size=61x87"), "-o", "t.png")
        expected, edge = triangle(61, 87)
        self.assert_near(self.picture("t.png"), expected, edge > 0.02)

    def test_compute(self):
        self.weft(self.component("compute"), "--frames", "0-2", "-o", "c.%d.png")
        x, y = np.meshgrid(np.arange(100), np.arange(60))
        for n in range(3):
            expected = np.stack([(x * 3 + n) % 256, y * 5 % 256, (x ^ y) % 256], -1)
            self.assert_near(self.picture(f"c.{n}.png"), expected, most=0)

    def test_scene(self):
        self.weft(self.component("scene"), "--frames", "0-3", "-o", "s.%d.png")
        for n in range(4):
            expected, inner = scene(160, 120, n)
            found = self.picture(f"s.{n}.png")
            self.assertGreater(inner.mean(), 0.5)
            self.assert_near(found, expected, inner)
            # Where texels meet, a pixel may fall to the other side; of all few do.
            wrong = (np.abs(found - np.round(expected)).max(-1) > 1).mean()
            self.assertLess(wrong, 0.01)

    def rectangle(self, width, height, x, y, color):
        picture = np.full((height, width, 3), 128)
        picture[max(y - 4, 0) : y + 5, max(x - 4, 0) : x + 5] = color
        return picture

    def test_frame_buffer(self):
        self.weft(self.component("rectangle"), "-o", "r.png")
        self.assert_near(self.picture("r.png"), self.rectangle(64, 48, 32, 24, (255, 0, 0)), most=0)

    def test_frame_buffer_follows_events(self):
        events = [
            {"frame": 1, "pointer-move": [1, 1]},
            {"frame": 1, "pointer-down": [10.75, 20]},
            {"frame": 2, "key-down": "KeyG", "text": "g"},
            {"frame": 4, "key-up": "key-g"},
            {"frame": 4, "key-down": "KeyB", "shift": True},
        ]
        (self.folder / "events.json").write_text(json.dumps(events))
        self.weft(self.component("rectangle", "events=@events.json"), "--frames", "0-4", "-o", "r.%d.png")
        red, green, blue = (255, 0, 0), (0, 255, 0), (0, 0, 255)
        for n, (x, y, color) in enumerate([(32, 24, red), (10, 20, red), (10, 20, green), (10, 20, green), (10, 20, blue)]):
            self.assert_near(self.picture(f"r.{n}.png"), self.rectangle(64, 48, x, y, color), most=0)

    def test_a_resized_window_keeps_the_frames_size(self):
        (self.folder / "events.json").write_text(json.dumps([{"frame": 1, "resize": [32, 24]}, {"frame": 2, "resize": [64, 48]}]))
        self.weft(self.component("rectangle", "events=@events.json"), "--frames", "0-2", "-o", "r.%d.png")
        whole = self.rectangle(64, 48, 32, 24, (255, 0, 0))
        self.assert_near(self.picture("r.0.png"), whole, most=0)
        self.assert_near(self.picture("r.2.png"), whole, most=0)
        # Frame 1 is half as wide and high, put into the frame whole: its square, still at (32, 24), is out of sight, and all is grey.
        small = self.picture("r.1.png")
        self.assertEqual(small.shape, (48, 64, 3))
        self.assert_near(small[:36, :52], np.full((36, 52, 3), 128), most=1)

    def test_frames_are_the_same_whichever_are_asked_for(self):
        self.weft(self.component("compute"), "--frames", "0-9", "-o", "a.%d.png")
        self.weft(self.component("compute"), "--frames", "3-9x3", "-o", "b.%d.png")
        for n in (3, 6, 9):
            self.assertEqual((self.folder / f"a.{n}.png").read_bytes(), (self.folder / f"b.{n}.png").read_bytes())
        self.assertEqual(len(list(self.folder.glob("b.*.png"))), 3)

    def test_what_is_shown_goes_through_plugins_and_into_a_film(self):
        self.weft(self.component("rectangle"), "-p", f"{PLUGINS / 'grade.wasm'}:exposure=0", "-o", "g.png")
        self.assert_near(self.picture("g.png"), self.rectangle(64, 48, 32, 24, (255, 0, 0)))
        self.weft(self.component("rectangle", "rate=12"), "--frames", "0-11", "-o", "film.mkv:codec=ffv1")
        self.weft("film.mkv", "-o", "f.%d.png")
        self.assertEqual(len(list(self.folder.glob("f.*.png"))), 12)
        probe = subprocess.run(["ffprobe", "-v", "error", "-show_entries", "stream=r_frame_rate", "-of", "csv=p=0", self.folder / "film.mkv"],
                               capture_output=True, text=True)
        self.assertEqual(probe.stdout.strip(), "12/1")

    def test_wrong_use_is_one_sentence(self):
        plugin = PLUGINS / "grade.wasm"
        self.assertIn("it is a plugin, which makes pictures of pictures: give it with -p", self.weft(plugin, "-o", "x.png", "-q", code=2))
        wrong = self.component("triangle", "sise=3x3")
        self.assertIn("sise", self.weft(wrong, "-o", "x.png", "-q", code=2))
        self.assertIn("start", self.weft(self.component("triangle", "start=begin"), "-o", "x.png", "-q", code=2))
        self.assertIn("'gpu'", self.weft(self.component("triangle"), "-o", "x.png", "-q", "--deny", "gpu", code=2))
        (self.folder / "events.json").write_text('[{"frame": 0, "key-down": "KeyÄ"}]')
        self.assertIn("there is no key 'KeyÄ'", self.weft(self.component("triangle", "events=@events.json"), "-o", "x.png", "-q", code=2))
        self.assertEqual(list(self.folder.glob("*.png")), [])


if __name__ == "__main__":
    unittest.main()
