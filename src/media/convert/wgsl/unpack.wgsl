// SPDX-License-Identifier: Apache-2.0
// Planes of a frame, as bytes in a buffer, into a work texture. Any layout of PixelLayout: gray, RGB, YCbCr with subsampling, 8 to 16 bits, half, float.

override MODEL: u32 = 1u;          // 0 gray, 1 RGB, 2 YCbCr
override SAMPLE: u32 = 0u;         // 0 integer, 1 half, 2 float
override BYTES: u32 = 1u;          // of a sample: 1, 2, 4
override HAS_ALPHA: bool = false;
override SUBSAMPLED: bool = false;
override CENTER_X: bool = false;   // unpack4: chroma lies between two columns, else on the first of them
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

fn finish(x: u32, y: u32, samples: vec3f, alpha: f32) {
  var v = samples;
  var a = alpha;
  if SAMPLE == 0u {
    v = v / p.top.x;
    if HAS_ALPHA { a = a / p.top.x; }
  }
  if AFFINE {
    v = vec3f(dot(p.to_rgb[0].xyz, v) + p.to_rgb[0].w, dot(p.to_rgb[1].xyz, v) + p.to_rgb[1].w, dot(p.to_rgb[2].xyz, v) + p.to_rgb[2].w);
  }
  textureStore(target_texture, vec2u(x, y), recolor(vec4f(v, a), p.primaries[0], p.primaries[1], p.primaries[2]));
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
  finish(x, y, v, a);
}

// The same for planar layouts of whole columns or pairs of columns, whose rows begin at words: four pixels an invocation, a word or two a load.

fn codes(word: u32) -> vec4f {
  return vec4f((vec4u(word) >> vec4u(0u, 8u, 16u, 24u)) & vec4u(255u));
}

// Four samples of a row from column `at` on; from -1 on is allowed, and beyond the last the last is repeated.
fn run4(c: u32, at: i32, y: u32, last: i32) -> vec4f {
  let plane = p.planes[p.component[c].x];
  let row = (plane.x + (y - plane.z) * plane.y) >> 2u;
  let from_column = u32(max(at, 0));
  var v: vec4f;
  if BYTES == 1u {
    let first = bytes[row + (from_column >> 2u)];
    let shift = (from_column & 3u) * 8u;
    if shift == 0u {
      v = codes(first);
    } else {
      v = codes((first >> shift) | (bytes[row + (from_column >> 2u) + 1u] << (32u - shift)));
    }
  } else {
    var a = bytes[row + (from_column >> 1u)];
    var b = bytes[row + (from_column >> 1u) + 1u];
    if (from_column & 1u) == 1u {
      a = (a >> 16u) | (b << 16u);
      b = (b >> 16u) | (bytes[row + (from_column >> 1u) + 2u] << 16u);
    }
    v = vec4f(vec4u(a & 0xffffu, a >> 16u, b & 0xffffu, b >> 16u) >> vec4u(p.shift));
  }
  let end = last - i32(from_column);
  if end < 3 {
    let at_end = select(select(v.z, v.y, end == 1), v.x, end <= 0);
    v = select(v, vec4f(at_end), vec4i(0, 1, 2, 3) > vec4i(end));
  }
  if at < 0 { v = vec4f(v.x, v.xyz); }
  return v;
}

fn across(v: vec4f) -> vec4f {
  if CENTER_X { return mix(v.xyyz, v.yzzw, vec4f(0.75, 0.25, 0.75, 0.25)); }
  return mix(v.yyzz, v.yzzw, vec4f(0.0, 0.5, 0.0, 0.5));
}

fn chroma4(c: u32, x: u32, y: u32) -> vec4f {
  if !SUBSAMPLED { return run4(c, i32(x), y, i32(p.chroma_last.x)); }
  let at = clamp(f32(y) * p.chroma_map.z + p.chroma_map.w, 0.0, f32(p.chroma_last.y));
  let a = u32(at);
  let b = min(a + 1u, p.chroma_last.y);
  let column = i32(x / 2u) - 1;
  let top = run4(c, column, a, i32(p.chroma_last.x));
  var v = top;
  if p.chroma_map.z != 1.0 { v = mix(top, run4(c, column, b, i32(p.chroma_last.x)), at - f32(a)); }
  return across(v);
}

@compute @workgroup_size(16, 8)
fn unpack4(@builtin(global_invocation_id) id: vec3u) {
  let x = id.x * 4u;
  if x >= p.size.x || id.y >= p.size.y { return; }
  let y = id.y + p.first_row;
  let last = i32(p.size.x) - 1;
  let first = run4(0u, i32(x), y, last);
  var second = first;
  var third = first;
  if MODEL == 1u {
    second = run4(1u, i32(x), y, last);
    third = run4(2u, i32(x), y, last);
  } else if MODEL == 2u {
    second = chroma4(1u, x, y);
    third = chroma4(2u, x, y);
  }
  var alpha = vec4f(1.0);
  if HAS_ALPHA { alpha = run4(3u, i32(x), y, last); }
  // Written out: a vector indexed by a variable goes through memory.
  finish(x, y, vec3f(first.x, second.x, third.x), alpha.x);
  if x + 1u < p.size.x { finish(x + 1u, y, vec3f(first.y, second.y, third.y), alpha.y); }
  if x + 2u < p.size.x { finish(x + 2u, y, vec3f(first.z, second.z, third.z), alpha.z); }
  if x + 3u < p.size.x { finish(x + 3u, y, vec3f(first.w, second.w, third.w), alpha.w); }
}
