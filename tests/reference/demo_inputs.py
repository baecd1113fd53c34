# SPDX-License-Identifier: Apache-2.0
"""demo_inputs.py MEDIA OUT: the small inputs of the demo that are made, not fetched: a foreground with soft alpha, a mask, a LUT."""

import pathlib
import sys

import numpy as np
from PIL import Image


def foreground(media):
    """The astronaut's head and shoulders, alpha fading outwards from an ellipse."""
    picture = np.asarray(Image.open(media / "astronaut.png").convert("RGB"))[0:300, 90:370]
    h, w = picture.shape[:2]
    y, x = np.mgrid[0:h, 0:w]
    r = np.hypot((x - w / 2 + 0.5) / (w / 2), (y - h * 0.46) / (h * 0.52))
    alpha = np.clip((1.0 - r) / 0.35, 0, 1)
    alpha = alpha * alpha * (3 - 2 * alpha) * 0.96
    return np.dstack([picture, np.round(alpha * 255).astype(np.uint8)])


def mask(width=240, height=160):
    """Light from the left: the foreground fades towards the right edge."""
    y, x = np.mgrid[0:height, 0:width]
    v = np.clip(1.15 - 0.75 * x / width + 0.1 * np.sin(y / height * np.pi), 0, 1)
    rgb = np.repeat(np.round(v * 255).astype(np.uint8)[..., None], 3, axis=2)
    return np.dstack([rgb, np.round((0.35 + 0.65 * v) * 255).astype(np.uint8)])


def cube(n=17):
    """Warm lights, teal shadows, a soft shoulder."""
    lines = ['TITLE "warm lights, teal shadows"', f"LUT_3D_SIZE {n}", "DOMAIN_MIN 0 0 0", "DOMAIN_MAX 1.5 1.5 1.5"]
    for b in range(n):
        for g in range(n):
            for r in range(n):
                c = np.array([r, g, b]) / (n - 1) * 1.5
                y = c @ [0.2126, 0.7152, 0.0722]
                warm = min(y, 1.0)
                c = c * (np.array([0.90, 1.0, 1.10]) * (1 - warm) + np.array([1.08, 1.0, 0.86]) * warm)
                c = c / (1 + 0.18 * c)
                lines.append(" ".join(f"{v:.6f}" for v in np.clip(c, 0, 1.4)))
    return "\n".join(lines) + "\n"


def main():
    media, out = map(pathlib.Path, sys.argv[1:])
    out.mkdir(parents=True, exist_ok=True)
    Image.fromarray(foreground(media), "RGBA").save(out / "foreground.png")
    Image.fromarray(mask(), "RGBA").save(out / "mask.png")
    (out / "warm.cube").write_text(cube())


if __name__ == "__main__":
    main()
