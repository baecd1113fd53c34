# SPDX-License-Identifier: Apache-2.0
"""make_card.py: draws plugins/card.png, the picture that the reference pictures are made of: a landscape with sun, with soft alpha at its left edge.

The reference pictures: `make_card.py WEFT PLUGINS` runs the commands below with the command WEFT and the folder of the built plugins.
"""

import pathlib
import subprocess
import sys

import numpy as np
from PIL import Image

HERE = pathlib.Path(__file__).resolve().parent

# plugin folder: (inputs, plugin with its parameters, outputs)
REFERENCES = {
    "gaussian-blur": (["card.png"], "gaussian-blur.wasm:radius=6,edges=mirror", {"reference.png": ""}),
    "grade": (
        ["card.png"],
        "grade.wasm:exposure=0.3,contrast=1.25,saturation=1.3,lift=(0,0.005,0.02),gain=(1.1,1,0.85),mix=0.9",
        {"reference.png": ""},
    ),
    "composite": (
        ["card.png", "card.png"],
        "composite.wasm:background=#2,mode=screen,opacity=0.8,offset=(60,40),scale=0.6",
        {"reference.png": ""},
    ),
    "pixel-sort": (
        ["card.png"],
        "pixel-sort.wasm@s:low=0.2,high=0.75,direction=vertical",
        {"reference.png": "=s.output", "histogram.png": "=s.histogram"},
    ),
    "glow": (["card.png"], "glow:threshold=0.5,amount=1.5,radius=10,tint=#ffd9a0", {"reference.png": ""}),
}


def card(width=240, height=160):
    y, x = np.mgrid[0:height, 0:width] / np.array([height, width]).reshape(2, 1, 1)
    x = x * width / height
    sky = np.stack([0.35 + 0.5 * y, 0.55 + 0.25 * y, 0.95 - 0.25 * y], -1)
    sun = np.clip((0.13 - np.hypot(x - 1.1, y - 0.3)) / 0.01, 0, 1)[..., None]
    picture = sky * (1 - sun) + np.array([1.0, 0.93, 0.7]) * sun
    for level, height_of, color in (
        (0.55, 0.08, (0.45, 0.42, 0.55)),
        (0.66, 0.06, (0.28, 0.36, 0.34)),
        (0.8, 0.05, (0.12, 0.22, 0.14)),
    ):
        ridge = level + height_of * (np.sin(7.3 * x + 9 * level) + 0.5 * np.sin(17.1 * x + 3 * level) + 0.25 * np.sin(41 * x))
        hill = np.clip((y - ridge) / 0.008, 0, 1)[..., None]
        grain = 1 + 0.25 * np.sin(90 * x + 40 * level)[..., None] * np.sin(70 * y)[..., None]
        picture = picture * (1 - hill) + np.array(color) * grain * hill
    alpha = np.clip(x / 0.25, 0, 1)
    return np.round(np.clip(np.concatenate([picture, alpha[..., None]], -1), 0, 1) * 255).astype(np.uint8)


def run(weft, plugins, name, out):
    """Makes the pictures of one plugin in the folder `out`."""
    inputs, plugin, outputs = REFERENCES[name]
    command = [weft, "run", *(str(HERE / i) for i in inputs), "-p", f"{plugins}/{plugin}", "--quiet", "--overwrite"]
    for file, port in outputs.items():
        command += ["-o", f"{out}/{file}{port}"]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)


if __name__ == "__main__":
    Image.fromarray(card()).save(HERE / "card.png", optimize=True)
    if len(sys.argv) == 3:
        for each in REFERENCES:
            run(sys.argv[1], sys.argv[2], each, HERE / each)
