# SPDX-License-Identifier: Apache-2.0
"""The sample plugins in numpy, written from their READMEs: what tests compare pictures with.

A picture is an array of height x width x 4, float32, in the colour and alpha that the README says the plugin gets.
"""

import numpy as np

LUMA = np.array([0.2126, 0.7152, 0.0722])


# ---- gaussian-blur ----------------------------------------------------------------------------------------------------------------


def _place(at, size, edges):
    """Where each place of `at` is found in a line; -1: nowhere."""
    if edges == "clamp":
        return np.clip(at, 0, size - 1)
    if edges == "mirror":
        turned = at % (2 * size)
        return np.where(turned < size, turned, 2 * size - 1 - turned)
    if edges == "wrap":
        return at % size
    return np.where((at >= 0) & (at < size), at, -1)


def gaussian_blur(picture, radius=8.0, edges="clamp", between=np.float16):
    """`between`: type of the picture between the two passes."""
    if radius == 0:
        return picture.copy()
    sigma, taps = radius / 3, int(np.ceil(radius))
    k = np.arange(-taps, taps + 1)
    weights = np.exp(-(k.astype(np.float64) ** 2) / (2 * sigma * sigma))
    weights /= weights.sum()

    def along(lines):
        size = lines.shape[1]
        result = np.zeros(lines.shape, np.float64)
        for offset, weight in zip(k, weights):
            where = _place(np.arange(size) + offset, size, edges)
            result += weight * np.where((where >= 0)[None, :, None], lines[:, where], 0)
        return result

    rows = along(picture.astype(np.float64)).astype(between).astype(np.float64)
    return along(rows.swapaxes(0, 1)).swapaxes(0, 1).astype(np.float32)


# ---- grade --------------------------------------------------------------------------------------------------------------------------


def _spow(base, exponent):
    return np.sign(base) * np.abs(base) ** exponent


def encode_srgb(x):
    return np.where(x <= 0.0031308, 12.92 * x, 1.055 * np.maximum(x, 0.0031308) ** (1 / 2.4) - 0.055)


def decode_srgb(x):
    return np.where(x <= 0.04045, x / 12.92, ((np.maximum(x, 0.04045) + 0.055) / 1.055) ** 2.4)


def read_cube(text):
    """(table by [b, g, r], domain minimum, domain maximum)"""
    size, low, high, entries = 0, np.zeros(3), np.ones(3), []
    for line in text.splitlines():
        words = line.split()
        if not words or words[0].startswith("#") or words[0] == "TITLE":
            continue
        if words[0] == "LUT_3D_SIZE":
            size = int(words[1])
        elif words[0] == "DOMAIN_MIN":
            low = np.array([float(w) for w in words[1:4]])
        elif words[0] == "DOMAIN_MAX":
            high = np.array([float(w) for w in words[1:4]])
        else:
            entries.append([float(w) for w in words])
    return np.array(entries).reshape(size, size, size, 3), low, high


def look_up(color, cube):
    table, low, high = cube
    size = table.shape[0]
    p = np.clip((color - low) / (high - low), 0, 1) * (size - 1)
    i = np.minimum(np.floor(p), size - 2).astype(int)
    f = p - i
    order = np.argsort(-f, axis=-1, kind="stable")  # axes, the largest part first
    at = i.copy()
    entry = lambda where: table[where[..., 2], where[..., 1], where[..., 0]]
    result = entry(at)
    for step in range(3):
        axis = order[..., step : step + 1]
        start = entry(at)
        np.put_along_axis(at, axis, np.take_along_axis(at, axis, -1) + 1, -1)
        result = result + np.take_along_axis(f, axis, -1) * (entry(at) - start)
    return result


def grade(picture, exposure=0.0, contrast=1.0, pivot=0.18, saturation=1.0, lift=(0, 0, 0), gamma=(1, 1, 1), gain=(1, 1, 1), lut=None,
          lut_space="srgb", mix=1.0):
    """`lut`: what read_cube answers."""
    came = picture[..., :3].astype(np.float64)
    lift, gamma, gain = np.array(lift[:3]), np.array(gamma[:3]), np.array(gain[:3])
    c = came * 2.0**exposure
    c = _spow(gain * (c + lift * (1 - c)), 1 / gamma)
    c = pivot * _spow(c / pivot, contrast)
    luma = (c @ LUMA)[..., None]
    c = luma + saturation * (c - luma)
    if lut is not None:
        c = decode_srgb(look_up(encode_srgb(np.maximum(c, 0)), lut)) if lut_space == "srgb" else look_up(c, lut)
    result = picture.astype(np.float32).copy()
    result[..., :3] = came + mix * (c - came)
    return result


# ---- composite ----------------------------------------------------------------------------------------------------------------------


def _lum(c):
    return (c @ np.array([0.3, 0.59, 0.11]))[..., None]


def _clip_color(c):
    lum, low, high = _lum(c), c.min(-1, keepdims=True), c.max(-1, keepdims=True)
    clipped = np.where(low < 0, lum + (c - lum) * lum / np.maximum(lum - low, 1e-6), c)
    return np.where(high > 1, lum + (clipped - lum) * (1 - lum) / np.maximum(high - lum, 1e-6), clipped)


def _set_lum(c, lum):
    return _clip_color(c + (lum - _lum(c)))


def _sat(c):
    return c.max(-1, keepdims=True) - c.min(-1, keepdims=True)


def _set_sat(c, sat):
    spread = _sat(c)
    return np.where(spread > 0, (c - c.min(-1, keepdims=True)) * sat / np.maximum(spread, 1e-6), 0)


def _hard_light(b, s):
    return np.where(s <= 0.5, 2 * b * s, b + (2 * s - 1) - b * (2 * s - 1))


def _soft_light(b, s):
    d = np.where(b <= 0.25, ((16 * b - 12) * b + 4) * b, np.sqrt(np.maximum(b, 0)))
    return np.where(s <= 0.5, b - (1 - 2 * s) * b * (1 - b), b + (2 * s - 1) * (d - b))


def _dodge(b, s):
    return np.where(b <= 0, 0, np.where(s >= 1, 1, np.minimum(1, b / np.maximum(1 - s, 1e-6))))


def _burn(b, s):
    return np.where(b >= 1, 1, np.where(s <= 0, 0, 1 - np.minimum(1, (1 - b) / np.maximum(s, 1e-6))))


OPEN_MODES = {
    "normal": lambda b, s: s,
    "multiply": lambda b, s: b * s,
    "add": lambda b, s: b + s,
    "subtract": lambda b, s: np.maximum(b - s, 0),
    "darken": np.minimum,
    "lighten": np.maximum,
    "difference": lambda b, s: np.abs(b - s),
}
UNIT_MODES = {
    "screen": lambda b, s: b + s - b * s,
    "overlay": lambda b, s: _hard_light(s, b),
    "color-dodge": _dodge,
    "color-burn": _burn,
    "hard-light": _hard_light,
    "soft-light": _soft_light,
    "exclusion": lambda b, s: b + s - 2 * b * s,
    "hue": lambda b, s: _set_lum(_set_sat(s, _sat(b)), _lum(b)),
    "saturation": lambda b, s: _set_lum(_set_sat(b, _sat(s)), _lum(b)),
    "color": lambda b, s: _set_lum(s, _lum(b)),
    "luminosity": lambda b, s: _set_lum(b, _lum(s)),
}
OPERATORS = {
    "source-over": lambda s, b: (1, 1 - s),
    "clear": lambda s, b: (0, 0),
    "copy": lambda s, b: (1, 0),
    "destination": lambda s, b: (0, 1),
    "destination-over": lambda s, b: (1 - b, 1),
    "source-in": lambda s, b: (b, 0),
    "destination-in": lambda s, b: (0, s),
    "source-out": lambda s, b: (1 - b, 0),
    "destination-out": lambda s, b: (0, 1 - s),
    "source-atop": lambda s, b: (b, 1 - s),
    "destination-atop": lambda s, b: (1 - b, s),
    "xor": lambda s, b: (1 - b, 1 - s),
    "lighter": lambda s, b: (1, 1),
}


def _bilinear(picture, x, y, repeat):
    """The picture at the places (x, y), in pixels with centres at 0.5; beyond its edges transparent, or the edge repeated."""
    height, width = picture.shape[:2]
    qx, qy = x - 0.5, y - 0.5
    ix, iy = np.floor(qx).astype(int), np.floor(qy).astype(int)
    fx, fy = qx - ix, qy - iy
    total = np.zeros(x.shape + (4,))
    for dy in (0, 1):
        for dx in (0, 1):
            px, py = ix + dx, iy + dy
            weight = (fx if dx else 1 - fx) * (fy if dy else 1 - fy)
            if not repeat:
                weight = weight * ((px >= 0) & (px < width) & (py >= 0) & (py < height))
            total += weight[..., None] * picture[np.clip(py, 0, height - 1), np.clip(px, 0, width - 1)]
    return total


def composite(foreground, background, mask=None, mode="normal", operator="source-over", opacity=1.0, offset=(0, 0), scale=1.0,
              mask_channel="luma"):
    height, width = background.shape[:2]
    y, x = np.meshgrid(np.arange(height) + 0.5, np.arange(width) + 0.5, indexing="ij")
    backdrop = background.astype(np.float64)
    source = _bilinear(foreground.astype(np.float64), (x - offset[0]) / scale, (y - offset[1]) / scale, False) * opacity
    if mask is not None:
        sampled = _bilinear(mask.astype(np.float64), x / width * mask.shape[1], y / height * mask.shape[0], True)
        amount = sampled[..., :3] @ LUMA if mask_channel == "luma" else sampled[..., 3]
        source = source * np.clip(amount, 0, 1)[..., None]
    sa, ba = source[..., 3:], backdrop[..., 3:]
    s = np.where(sa > 0, source[..., :3] / np.maximum(sa, 1e-6), 0)
    b = np.where(ba > 0, backdrop[..., :3] / np.maximum(ba, 1e-6), 0)
    if mode in OPEN_MODES:
        blended = OPEN_MODES[mode](b, s)
    else:
        blended = UNIT_MODES[mode](np.clip(b, 0, 1), np.clip(s, 0, 1))
    c = (1 - ba) * s + ba * blended
    fs, fb = OPERATORS[operator](sa, ba)
    rgb = sa * fs * c + fb * backdrop[..., :3]
    alpha = np.minimum(sa * fs + ba * fb, 1)
    return np.concatenate([rgb, alpha], -1).astype(np.float32)


# ---- pixel-sort ---------------------------------------------------------------------------------------------------------------------


def _bytes(picture):
    scaled = np.clip(picture[..., :3].astype(np.float32), 0, 1) * np.float32(255) + np.float32(0.5)
    return scaled.astype(np.uint32)


def pixel_sort(picture, low=0.25, high=0.8, direction="horizontal", order="ascending"):
    lines = picture if direction == "horizontal" else picture.swapaxes(0, 1)
    channels = _bytes(lines)
    keys = (13933 * channels[..., 0] + 46871 * channels[..., 1] + 4732 * channels[..., 2]) // 256
    inside = (keys >= np.ceil(low * 65280)) & (keys <= np.floor(high * 65280))
    result = lines.copy()
    for line in range(lines.shape[0]):
        edges = np.flatnonzero(np.diff(np.concatenate([[0], inside[line].astype(int), [0]])))
        for start, end in zip(edges[::2], edges[1::2]):
            part = keys[line, start:end].astype(np.int64)
            ranks = np.argsort(part if order == "ascending" else -part, kind="stable")
            result[line, start:end] = lines[line, start:end][ranks]
    return result if direction == "horizontal" else result.swapaxes(0, 1).copy()


def histogram(picture):
    channels = _bytes(picture)
    counts = np.stack([np.bincount(channels[..., c].ravel(), minlength=256) for c in range(3)])
    shift = 8 if counts.max() >= 1 << 24 else 0
    heights = (counts >> shift) * 256 // (counts.max() >> shift)
    y = np.arange(256)[:, None]
    result = np.ones((256, 256, 4), np.float32)
    for c in range(3):
        result[..., c] = np.where(heights[c][None, :] >= 256 - y, 0.9, 0.1)
    return result


# ---- glow -----------------------------------------------------------------------------------------------------------------------------


def glow(picture, threshold=0.6, amount=0.8, radius=6, tint=(1, 1, 1, 1), pulse=0.0, time=0.0):
    height, width = picture.shape[:2]
    came = picture.astype(np.float64)
    half_height, half_width = (height + 1) // 2, (width + 1) // 2
    mean = np.zeros((half_height, half_width, 3))
    for j in (0, 1):
        for i in (0, 1):
            rows = np.minimum(2 * np.arange(half_height) + j, height - 1)
            columns = np.minimum(2 * np.arange(half_width) + i, width - 1)
            mean += came[rows][:, columns, :3] / 4
    luma = (mean @ LUMA)[..., None]
    bright = (mean * np.maximum(luma - threshold, 0) / np.maximum(luma, 1e-6)).astype(np.float16).astype(np.float64)
    total, weights = np.zeros((height, width, 3)), 0.0
    for j in range(-radius, radius + 1):
        for i in range(-radius, radius + 1):
            weight = max(0.0, 1 - np.hypot(i, j) / (radius + 1))
            rows = np.clip(np.arange(height) // 2 + j, 0, half_height - 1)
            columns = np.clip(np.arange(width) // 2 + i, 0, half_width - 1)
            total += weight * bright[rows][:, columns]
            weights += weight
    swell = 0.5 + 0.5 * np.cos(2 * np.pi * pulse * time)
    result = came.copy()
    result[..., :3] += total / weights * np.array(tint[:3]) * amount * swell
    return result.astype(np.float32)
