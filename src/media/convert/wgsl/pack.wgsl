// SPDX-License-Identifier: Apache-2.0
// A work texture whose colour and alpha are already the frame's, into the frame's planes. An invocation writes one word of one plane; z is the plane.

override MODEL: u32 = 1u;          // 0 gray, 1 RGB, 2 YCbCr
override SAMPLE: u32 = 0u;         // 0 integer, 1 half, 2 float
override BYTES: u32 = 1u;
override SUBSAMPLED: bool = false;
override PLANAR: bool = false;     // integers, one component a plane
override TENT_X: bool = false;     // pack_pairs: chroma lies on the first column, else between the two
override ROWS: u32 = 1u;           // pack_pairs: rows round a chroma sample: 1, 2 (between them) or 3 (on the middle one)

struct Params {
  size: vec4u,                  // of the texture; .z: left shift of an integer sample
  planes: array<vec4u, 4>,      // first word, words a row, rows, samples in a row
  inside: array<vec4u, 4>,      // samples a pixel; 1 for a plane of chroma; first row of this strip; -
  component: array<vec4u, 4>,   // which component (0..3) is each sample of a pixel of the plane; 4 = none
  chroma_taps: vec4i,           // columns: first, count; rows: first, count: of texels round a chroma sample, from its own first
  chroma_kind: vec4u,           // scale of columns and of rows; 1: weights fall off linearly from the middle (co-sited), of columns, of rows
  from_rgb: array<vec4f, 4>,    // rows: component = dot(.xyz, rgb) + .w, in units of the sample; [3]: alpha by .x
  top: vec4f,                   // largest sample value
};

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var source: texture_2d<f32>;
@group(0) @binding(2) var<storage, read_write> words: array<u32>;

fn components(texel: vec4f) -> vec4f {
  let c = vec3f(dot(p.from_rgb[0].xyz, texel.rgb) + p.from_rgb[0].w, dot(p.from_rgb[1].xyz, texel.rgb) + p.from_rgb[1].w,
                dot(p.from_rgb[2].xyz, texel.rgb) + p.from_rgb[2].w);
  return vec4f(c, texel.a * p.from_rgb[3].x);
}

fn load(x: u32, y: u32) -> vec4f {
  let texel = textureLoad(source, vec2u(x, y), 0);
  if SAMPLE != 0u { return texel; }
  return components(texel);
}

fn tap(k: i32, count: i32, linear: bool) -> f32 {
  if !linear { return 1.0; }
  return f32((count + 1) / 2 - abs(k - count / 2));
}

fn load_chroma(x: u32, y: u32) -> vec4f {
  let base = vec2i(vec2u(x, y) * p.chroma_kind.xy);
  let last = vec2i(p.size.xy) - 1;
  var sum = vec3f(0.0);
  var weights = 0.0;
  for (var j = 0; j < p.chroma_taps.w; j++) {
    let wy = tap(j, p.chroma_taps.w, p.chroma_kind.w == 1u);
    for (var i = 0; i < p.chroma_taps.y; i++) {
      let w = wy * tap(i, p.chroma_taps.y, p.chroma_kind.z == 1u);
      let at = clamp(base + vec2i(p.chroma_taps.x + i, p.chroma_taps.z + j), vec2i(0), last);
      sum += w * textureLoad(source, at, 0).rgb;
      weights += w;
    }
  }
  return components(vec4f(sum / weights, 1.0));
}

fn code(value: f32) -> u32 {
  return u32(clamp(floor(value + 0.5), 0.0, p.top.x)) << p.size.z;
}

// Planes 1 and 2 of planar layouts where two columns share a chroma sample.
// An entry of its own: software GPUs run both sides of a branch.

// Colour of a column round chroma row y.
fn column(x: i32, y: u32) -> vec3f {
  let last = vec2i(p.size.xy) - 1;
  let at = clamp(vec2i(x, i32(y * p.chroma_kind.y) + p.chroma_taps.z), vec2i(0), last);
  if ROWS == 1u { return textureLoad(source, at, 0).rgb; }
  let below = textureLoad(source, vec2i(at.x, clamp(i32(y * p.chroma_kind.y) + p.chroma_taps.z + 1, 0, last.y)), 0).rgb;
  if ROWS == 2u { return 0.5 * (textureLoad(source, at, 0).rgb + below); }
  let second_below = textureLoad(source, vec2i(at.x, clamp(i32(y * p.chroma_kind.y) + p.chroma_taps.z + 2, 0, last.y)), 0).rgb;
  return 0.25 * (textureLoad(source, at, 0).rgb + second_below) + 0.5 * below;
}

@compute @workgroup_size(16, 8)
fn pack_pairs(@builtin(global_invocation_id) id: vec3u) {
  let one = p.planes[1];
  if id.x >= one.y || id.y >= one.z { return; }
  let y = id.y + p.inside[1].z;
  let two = p.planes[2];
  let count = 4u / BYTES;
  var cb = 0u;
  var cr = 0u;
  var left = vec3f(0.0);
  if TENT_X { left = column(i32(id.x * count * 2u) - 1, y); }
  for (var k = 0u; k < count; k++) {
    let x = id.x * count + k;
    if x >= one.w { break; }
    let first = column(i32(x * 2u), y);
    let second = column(i32(x * 2u + 1u), y);
    var rgb = 0.5 * (first + second);
    if TENT_X { rgb = 0.25 * (left + second) + 0.5 * first; }
    left = second;
    cb |= code(dot(p.from_rgb[1].xyz, rgb) + p.from_rgb[1].w) << (8u * BYTES * k);
    cr |= code(dot(p.from_rgb[2].xyz, rgb) + p.from_rgb[2].w) << (8u * BYTES * k);
  }
  words[one.x + id.y * one.y + id.x] = cb;
  words[two.x + id.y * two.y + id.x] = cr;
}

@compute @workgroup_size(16, 8)
fn pack(@builtin(global_invocation_id) id: vec3u) {
  let plane = p.planes[id.z];
  if id.x >= plane.y || id.y >= plane.z { return; }
  let step = p.inside[id.z].x;
  let y = id.y + p.inside[id.z].z;
  let is_chroma = SUBSAMPLED && p.inside[id.z].y == 1u;
  var word = 0u;
  var pixel = 0xffffffffu;
  var values = vec4f(0.0);
  for (var k = 0u; k < 4u / BYTES; k++) {
    let sample = id.x * (4u / BYTES) + k;
    if sample >= plane.w { break; }
    if PLANAR && !is_chroma {
      let texel = textureLoad(source, vec2u(sample, y), 0);
      let c = p.component[id.z].x;
      let row = p.from_rgb[c];
      word |= code(select(dot(row.xyz, texel.rgb) + row.w, texel.a * row.x, c == 3u)) << (8u * BYTES * k);
      continue;
    }
    let x = sample / step;
    if x != pixel {
      pixel = x;
      if is_chroma { values = load_chroma(x, y); } else { values = load(x, y); }
    }
    let c = p.component[id.z][sample % step];
    let value = select(0.0, values[min(c, 3u)], c < 4u);
    if BYTES == 4u {
      word = bitcast<u32>(value);
    } else if SAMPLE == 1u {
      word |= (pack2x16float(vec2f(clamp(value, -65504.0, 65504.0), 0.0)) & 0xffffu) << (16u * k);
    } else {
      word |= code(value) << (8u * BYTES * k);
    }
  }
  words[plane.x + id.y * plane.y + id.x] = word;
}
