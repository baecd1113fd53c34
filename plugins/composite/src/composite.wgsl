// SPDX-License-Identifier: Apache-2.0
// Puts a foreground over a background; all colours premultiplied, linear light. The README has the formulas.

struct Params {
  offset: vec2f,    // of the foreground's left upper corner, in pixels of the background
  scale: f32,
  opacity: f32,
  porter_duff: u32,
  mode: u32,
  mask_channel: u32,  // 0 luma, 1 alpha
  has_mask: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var foreground: texture_2d<f32>;
@group(0) @binding(2) var background: texture_2d<f32>;
@group(0) @binding(3) var mask: texture_2d<f32>;

// A triangle that covers the picture.
@vertex
fn cover(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
  return vec4f(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}

// Bilinear, with transparent black beyond the edges.
fn sample_foreground(at: vec2f) -> vec4f {
  let low = floor(at - 0.5);
  let part = at - 0.5 - low;
  let size = vec2i(textureDimensions(foreground));
  var sum = vec4f(0.0);
  for (var i = 0; i < 4; i++) {
    let step = vec2i(i & 1, i >> 1);
    let pixel = vec2i(low) + step;
    let weight = select(1.0 - part.x, part.x, step.x == 1) * select(1.0 - part.y, part.y, step.y == 1);
    if (weight > 0.0 && all(pixel >= vec2i(0)) && all(pixel < size)) {
      sum += weight * textureLoad(foreground, pixel, 0);
    }
  }
  return sum;
}

// The mask is stretched over the background; bilinear, edges repeated.
fn sample_mask(at: vec2f) -> f32 {
  let size = vec2f(textureDimensions(mask));
  let place = at / vec2f(textureDimensions(background)) * size - 0.5;
  let low = floor(place);
  let part = place - low;
  var sum = vec4f(0.0);
  for (var i = 0; i < 4; i++) {
    let step = vec2i(i & 1, i >> 1);
    let weight = select(1.0 - part.x, part.x, step.x == 1) * select(1.0 - part.y, part.y, step.y == 1);
    sum += weight * textureLoad(mask, clamp(vec2i(low) + step, vec2i(0), vec2i(size) - 1), 0);
  }
  return clamp(select(dot(sum.rgb, vec3f(0.2126, 0.7152, 0.0722)), sum.a, params.mask_channel == 1u), 0.0, 1.0);
}

fn luma(c: vec3f) -> f32 { return dot(c, vec3f(0.3, 0.59, 0.11)); }

fn clip_color(c: vec3f) -> vec3f {
  let l = luma(c);
  let low = min(c.r, min(c.g, c.b));
  let high = max(c.r, max(c.g, c.b));
  var clipped = c;
  if (low < 0.0) {
    clipped = l + (clipped - l) * l / max(l - low, 1e-6);
  }
  if (high > 1.0) {
    clipped = l + (clipped - l) * (1.0 - l) / max(high - l, 1e-6);
  }
  return clipped;
}

fn set_luma(c: vec3f, l: f32) -> vec3f { return clip_color(c + (l - luma(c))); }
fn saturation(c: vec3f) -> f32 { return max(c.r, max(c.g, c.b)) - min(c.r, min(c.g, c.b)); }

fn set_saturation(c: vec3f, s: f32) -> vec3f {
  let low = min(c.r, min(c.g, c.b));
  let range = saturation(c);
  return select(vec3f(0.0), (c - low) * s / max(range, 1e-6), range > 0.0);
}

fn hard_light(b: vec3f, s: vec3f) -> vec3f {
  return select(b + (2.0 * s - 1.0) - b * (2.0 * s - 1.0), b * 2.0 * s, s <= vec3f(0.5));
}

fn soft_light(b: vec3f, s: vec3f) -> vec3f {
  let d = select(sqrt(b), ((16.0 * b - 12.0) * b + 4.0) * b, b <= vec3f(0.25));
  return select(b + (2.0 * s - 1.0) * (d - b), b - (1.0 - 2.0 * s) * b * (1.0 - b), s <= vec3f(0.5));
}

fn color_dodge(b: vec3f, s: vec3f) -> vec3f {
  return select(select(min(vec3f(1.0), b / max(1.0 - s, vec3f(1e-6))), vec3f(1.0), s >= vec3f(1.0)), vec3f(0.0), b <= vec3f(0.0));
}

fn color_burn(b: vec3f, s: vec3f) -> vec3f {
  return select(select(1.0 - min(vec3f(1.0), (1.0 - b) / max(s, vec3f(1e-6))), vec3f(0.0), s <= vec3f(0.0)), vec3f(1.0),
                b >= vec3f(1.0));
}

// b: backdrop, s: source, both straight. Modes from `screen` on in the list are defined for 0 to 1.
fn blend(b: vec3f, s: vec3f) -> vec3f {
  switch (params.mode) {
    case 0u: { return s; }
    case 1u: { return b * s; }
    case 2u: { return b + s; }
    case 3u: { return max(b - s, vec3f(0.0)); }
    case 4u: { return min(b, s); }
    case 5u: { return max(b, s); }
    case 6u: { return abs(b - s); }
    default: {}
  }
  let cb = clamp(b, vec3f(0.0), vec3f(1.0));
  let cs = clamp(s, vec3f(0.0), vec3f(1.0));
  switch (params.mode) {
    case 7u: { return cb + cs - cb * cs; }
    case 8u: { return hard_light(cs, cb); }
    case 9u: { return color_dodge(cb, cs); }
    case 10u: { return color_burn(cb, cs); }
    case 11u: { return hard_light(cb, cs); }
    case 12u: { return soft_light(cb, cs); }
    case 13u: { return cb + cs - 2.0 * cb * cs; }
    case 14u: { return set_luma(set_saturation(cs, saturation(cb)), luma(cb)); }
    case 15u: { return set_luma(set_saturation(cb, saturation(cs)), luma(cb)); }
    case 16u: { return set_luma(cs, luma(cb)); }
    default: { return set_luma(cb, luma(cs)); }
  }
}

// Fractions of source and backdrop that each Porter-Duff operator keeps.
fn fractions(source: f32, backdrop: f32) -> vec2f {
  switch (params.porter_duff) {
    case 0u: { return vec2f(1.0, 1.0 - source); }             // source-over
    case 1u: { return vec2f(0.0, 0.0); }                      // clear
    case 2u: { return vec2f(1.0, 0.0); }                      // copy
    case 3u: { return vec2f(0.0, 1.0); }                      // destination
    case 4u: { return vec2f(1.0 - backdrop, 1.0); }           // destination-over
    case 5u: { return vec2f(backdrop, 0.0); }                 // source-in
    case 6u: { return vec2f(0.0, source); }                   // destination-in
    case 7u: { return vec2f(1.0 - backdrop, 0.0); }           // source-out
    case 8u: { return vec2f(0.0, 1.0 - source); }             // destination-out
    case 9u: { return vec2f(backdrop, 1.0 - source); }        // source-atop
    case 10u: { return vec2f(1.0 - backdrop, source); }       // destination-atop
    case 11u: { return vec2f(1.0 - backdrop, 1.0 - source); } // xor
    default: { return vec2f(1.0, 1.0); }                      // lighter
  }
}

fn straight(c: vec4f) -> vec3f { return select(vec3f(0.0), c.rgb / max(c.a, 1e-6), c.a > 0.0); }

@fragment
fn composite(@builtin(position) position: vec4f) -> @location(0) vec4f {
  let backdrop = textureLoad(background, vec2u(position.xy), 0);
  var source = sample_foreground((position.xy - params.offset) / params.scale) * params.opacity;
  if (params.has_mask == 1u) {
    source *= sample_mask(position.xy);
  }
  let mixed = (1.0 - backdrop.a) * straight(source) + backdrop.a * blend(straight(backdrop), straight(source));
  let keep = fractions(source.a, backdrop.a);
  return vec4f(source.a * keep.x * mixed + keep.y * backdrop.rgb, min(source.a * keep.x + backdrop.a * keep.y, 1.0));
}
