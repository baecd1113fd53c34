# SPDX-License-Identifier: Apache-2.0
"""Each sample plugin through `weft run` against plugins/reference.py: at most 1/255 a channel.

Environment: WEFT (the command), WEFT_PLUGINS (folder of the built plugins). Needs numpy and Pillow.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np
from PIL import Image

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import make_card  # noqa: E402
import reference as ref  # noqa: E402

WEFT = os.environ["WEFT"]
PLUGINS = pathlib.Path(os.environ["WEFT_PLUGINS"])
SIZES = [(1, 1), (1, 7), (63, 65), (1919, 3)]


def make_picture(width, height, seed=1):
    """8-bit sRGB with straight alpha: a smooth ground, some noise, a hole."""
    rng = np.random.default_rng(seed)
    y, x = np.meshgrid(np.linspace(0, 1, height), np.linspace(0, 1, width), indexing="ij")
    picture = np.stack([x, y, 0.5 + 0.5 * np.sin(9 * x + 5 * y), 1 - 0.6 * x * y], -1)
    picture = np.clip(picture + rng.normal(0, 0.08, picture.shape), 0, 1)
    picture[height // 3 : height // 2, width // 3 : width // 2, 3] = 0
    return np.round(picture * 255).astype(np.uint8)


def to_half(picture):
    return picture.astype(np.float16).astype(np.float32)


def linear(picture, premultiplied):
    """What a plugin with linear light gets of an 8-bit sRGB picture, in rgba16float."""
    values = picture / np.float32(255)
    values[..., :3] = ref.decode_srgb(values[..., :3])
    if premultiplied:
        values[..., :3] *= values[..., 3:]
    return to_half(values)


def display(picture):
    return to_half(picture / np.float32(255))


def finish(values, premultiplied):
    """The 8-bit sRGB picture with straight alpha that is written of linear light."""
    values = values.astype(np.float64)
    alpha = values[..., 3:]
    rgb = np.where(alpha > 0, values[..., :3] / np.maximum(alpha, 1e-9), 0) if premultiplied else values[..., :3]
    return np.concatenate([np.clip(ref.encode_srgb(rgb), 0, 1), np.clip(alpha, 0, 1)], -1) * 255


class Pictures(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = pathlib.Path(held.name)

    def weft(self, pictures, plugin, outputs=("out.png",)):
        for index, picture in enumerate(pictures):
            Image.fromarray(picture).save(self.folder / f"in{index}.png")
        command = [WEFT, "run", *(f"in{i}.png" for i in range(len(pictures))), "-p", f"{PLUGINS}/{plugin}", "--quiet", "--overwrite"]
        for output in outputs:
            command += ["-o", output]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [np.asarray(Image.open(self.folder / o.split("=")[0]).convert("RGBA")).astype(np.float64) for o in outputs]

    def same(self, got, wanted, visible=None, tolerance=1.0):
        """At most 1/255 apart; where `visible`, an alpha, is low, colour is compared by what it adds."""
        self.assertEqual(got.shape, wanted.shape)
        difference = np.abs(got - wanted)
        if visible is not None:
            difference[..., :3] *= np.minimum(1, visible[..., None] / 255)
        # The wanted picture is not rounded, so half a step more.
        self.assertLessEqual(difference.max(), tolerance + 0.5, f"at {np.unravel_index(difference.argmax(), difference.shape)}")

    def test_blur_is_the_readmes_gaussian_at_every_edge_mode(self):
        for width, height in SIZES:
            for radius, edges in ((8, "clamp"), (2.5, "mirror"), (21, "wrap"), (64, "transparent")):
                with self.subTest(size=(width, height), radius=radius, edges=edges):
                    picture = make_picture(width, height)
                    (got,) = self.weft([picture], f"gaussian-blur.wasm:radius={radius},edges={edges}")
                    blurred = ref.gaussian_blur(linear(picture, True), radius, edges)
                    self.same(got, finish(blurred, True), visible=got[..., 3])

    def test_blur_of_radius_0_changes_no_bit(self):
        picture = make_picture(63, 65)
        picture[picture[..., 3] == 0] = 0
        (got,) = self.weft([picture], "gaussian-blur.wasm:radius=0")
        self.same(got, picture.astype(np.float64), visible=picture[..., 3], tolerance=0.5)

    def test_grade_with_all_its_parameters_and_a_lut(self):
        size = 7
        axis = np.linspace(0, 1, size)
        blue, green, red = np.meshgrid(axis, axis, axis, indexing="ij")
        table = np.stack([red**1.2, 0.9 * green + 0.1 * red, 0.05 + 0.9 * blue**0.8], -1)
        lines = ["TITLE \"film\"", f"LUT_3D_SIZE {size}", *(f"{r:.6f} {g:.6f} {b:.6f}" for r, g, b in table.reshape(-1, 3))]
        (self.folder / "film.cube").write_text("\n".join(lines) + "\n")
        cube = ref.read_cube("\n".join(lines))
        for width, height in SIZES:
            for space in ("srgb", "linear"):
                with self.subTest(size=(width, height), space=space):
                    picture = make_picture(width, height)
                    (got,) = self.weft(
                        [picture],
                        "grade.wasm:exposure=0.4,contrast=1.2,pivot=0.2,saturation=1.3,lift=(0.01,-0.02,0.03),gamma=(1.1,0.95,1.05),"
                        f"gain=(1.1,1,0.9),lut=@film.cube,lut-space={space},mix=0.8",
                    )
                    graded = ref.grade(linear(picture, False), 0.4, 1.2, 0.2, 1.3, (0.01, -0.02, 0.03), (1.1, 0.95, 1.05),
                                       (1.1, 1, 0.9), cube, space, 0.8)
                    self.same(got, finish(to_half(graded), False), visible=got[..., 3])

    def test_composite_in_every_mode_and_operator(self):
        foreground, background, mask = make_picture(30, 20, 2), make_picture(63, 65, 3), make_picture(10, 11, 4)
        mask[..., 3] = 255
        cases = [(mode, "source-over") for mode in [*ref.OPEN_MODES, *ref.UNIT_MODES]]
        cases += [("normal", operator) for operator in ref.OPERATORS]
        for mode, operator in cases:
            with self.subTest(mode=mode, operator=operator):
                (got,) = self.weft(
                    [foreground, background, mask],
                    f"composite.wasm:background=#2,mask=#3,mode={mode},operator={operator},opacity=0.9,offset=(7.5,11),scale=1.5",
                )
                wanted = ref.composite(linear(foreground, True), linear(background, True), display(mask), mode, operator, 0.9, (7.5, 11), 1.5)
                self.same(got, finish(to_half(wanted), True), visible=got[..., 3])

    def test_pixel_sort_and_its_histogram_are_exact(self):
        for width, height in SIZES:
            for direction, order in (("horizontal", "ascending"), ("vertical", "descending")):
                with self.subTest(size=(width, height), direction=direction, order=order):
                    picture = make_picture(width, height)
                    picture[..., 3] = 255
                    got, bars = self.weft(
                        [picture],
                        f"pixel-sort.wasm@s:low=0.2,high=0.85,direction={direction},order={order}",
                        ("out.png", "bars.png=s.histogram"),
                    )
                    wanted = ref.pixel_sort(display(picture), 0.2, 0.85, direction, order)
                    self.same(got, wanted * 255.0, tolerance=0)
                    self.same(bars, ref.histogram(display(picture)) * 255.0, tolerance=0.5)

    def test_glow_needs_no_compiler(self):
        for width, height in SIZES:
            with self.subTest(size=(width, height)):
                picture = make_picture(width, height)
                (got,) = self.weft([picture], "glow:threshold=0.3,amount=1.2,radius=5,tint=(1,0.8,0.6,1)")
                wanted = ref.glow(linear(picture, True), 0.3, 1.2, 5, (1, 0.8, 0.6, 1))
                self.same(got, finish(to_half(wanted), True), visible=got[..., 3])

    def test_the_committed_reference_pictures_are_made_again(self):
        for name, (_, _, outputs) in make_card.REFERENCES.items():
            make_card.run(WEFT, PLUGINS, name, self.folder)
            for file in outputs:
                with self.subTest(plugin=name, picture=file):
                    kept = np.asarray(Image.open(make_card.HERE / name / file).convert("RGBA")).astype(np.float64)
                    made = np.asarray(Image.open(self.folder / file).convert("RGBA")).astype(np.float64)
                    self.same(made, kept, visible=kept[..., 3], tolerance=0.5)


if __name__ == "__main__":
    unittest.main()
