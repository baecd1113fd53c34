// SPDX-License-Identifier: Apache-2.0
// Planes of a frame, as bytes in a buffer, into a work texture. Any layout of PixelLayout: gray, RGB, YCbCr with subsampling, 8 to 16 bits, half, float.

override MODEL: u32 = 1u;          // 0 gray, 1 RGB, 2 YCbCr
override SAMPLE: u32 = 0u;         // 0 integer, 1 half, 2 float
override BYTES: u32 = 1u;          // of a sample: 1, 2, 4
override HAS_ALPHA: bool = false;
override SUBSAMPLED: bool = false;
override AFFINE: bool = false;     // samples are not yet R, G, B from 0 to 1: use to_rgb

struct Params {
  size: vec2u,                  // of this strip
  first_row: u32,               // of this strip in the picture
  shift: u32,                   // right, of an integer sample
  planes: array<vec4u, 4>,      // byte of the first row in the buffer, bytes a row, number of that row, -
  component: array<vec4u, 4>,   // plane, samples a pixel, sample in the pixel, -
  chroma_last: vec4u,           // last column and row of the chroma planes
  chroma_map: vec4f,            // chroma column = x * .x + .y, row = y * .z + .w
  to_rgb: array<vec4f, 3>,      // rows: R = dot(.xyz, samples) + .w
  primaries: array<vec4f, 3>,
  top: vec4f,                   // largest sample value
};

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> bytes: array<u32>;
@group(0) @binding(2) var target_texture: texture_storage_2d<rgba16float, write>;

fn fetch(c: u32, x: u32, y: u32) -> f32 {
  let what = p.component[c];
  let plane = p.planes[what.x];
  let at = plane.x + (y - plane.z) * plane.y + (x * what.y + what.z) * BYTES;
  let word = bytes[at >> 2u];
  if BYTES == 4u { return bitcast<f32>(word); }
  if BYTES == 2u {
    let half = (word >> ((at & 2u) * 8u)) & 0xffffu;
    if SAMPLE == 1u { return unpack2x16float(half).x; }
    return f32(half >> p.shift);
  }
  return f32(((word >> ((at & 3u) * 8u)) & 0xffu) >> p.shift);
}

// Cb or Cr at a luma position, linear between the four nearest.
fn chroma(c: u32, x: u32, y: u32) -> f32 {
  if !SUBSAMPLED { return fetch(c, x, y); }
  let last = p.chroma_last.xy;
  let at = clamp(vec2f(f32(x), f32(y)) * p.chroma_map.xz + p.chroma_map.yw, vec2f(0.0), vec2f(last));
  let a = vec2u(at);
  let b = min(a + 1u, last);
  let f = at - vec2f(a);
  let top = mix(fetch(c, a.x, a.y), fetch(c, b.x, a.y), f.x);
  let bottom = mix(fetch(c, a.x, b.y), fetch(c, b.x, b.y), f.x);
  return mix(top, bottom, f.y);
}

@compute @workgroup_size(16, 8)
fn unpack(@builtin(global_invocation_id) id: vec3u) {
  if any(id.xy >= p.size) { return; }
  let x = id.x;
  let y = id.y + p.first_row;
  var v: vec3f;
  if MODEL == 0u {
    v = vec3f(fetch(0u, x, y));
  } else if MODEL == 1u {
    v = vec3f(fetch(0u, x, y), fetch(1u, x, y), fetch(2u, x, y));
  } else {
    v = vec3f(fetch(0u, x, y), chroma(1u, x, y), chroma(2u, x, y));
  }
  var a = 1.0;
  if HAS_ALPHA {
    if MODEL == 0u { a = fetch(1u, x, y); } else { a = fetch(3u, x, y); }
  }
  if SAMPLE == 0u {
    v = v / p.top.x;
    a = select(1.0, a / p.top.x, HAS_ALPHA);
  }
  if AFFINE {
    v = vec3f(dot(p.to_rgb[0].xyz, v) + p.to_rgb[0].w, dot(p.to_rgb[1].xyz, v) + p.to_rgb[1].w, dot(p.to_rgb[2].xyz, v) + p.to_rgb[2].w);
  }
  textureStore(target_texture, vec2u(x, y), recolor(vec4f(v, a), p.primaries[0], p.primaries[1], p.primaries[2]));
}
