// SPDX-License-Identifier: Apache-2.0
// One direction of a separable Gaussian. A workgroup filters kSpan pixels of one line; the line with its margins is read once
// into workgroup memory, so that the radius costs arithmetic and not texture reads.

const kSpan: u32 = 128;
const kMargin: u32 = 64;

struct Params {
  // weights[k] of the pixels k away, four to a vector; taps = the largest k with a weight
  weights: array<vec4f, 17>,
  taps: u32,
  edge: u32,      // 0 clamp, 1 mirror, 2 wrap, 3 transparent
  vertical: u32,  // 0: along x
}

@group(0) @binding(0) var source: texture_2d<f32>;
@group(0) @binding(1) var result: texture_storage_2d<OUTPUT_FORMAT, write>;
@group(0) @binding(2) var<uniform> params: Params;

var<workgroup> line: array<vec4f, 256>;

// Where the pixel at `at` of a line of `size` pixels is found; -1: nowhere.
fn place(at: i32, size: i32) -> i32 {
  if (at >= 0 && at < size) {
    return at;
  }
  switch (params.edge) {
    case 1u: {
      let period = 2 * size;
      let turned = ((at % period) + period) % period;
      return select(period - 1 - turned, turned, turned < size);
    }
    case 2u: { return ((at % size) + size) % size; }
    case 3u: { return -1; }
    default: { return clamp(at, 0, size - 1); }
  }
}

fn fetch(at: i32, row: u32, size: i32) -> vec4f {
  let found = place(at, size);
  if (found < 0) {
    return vec4f(0.0);
  }
  return textureLoad(source, select(vec2u(u32(found), row), vec2u(row, u32(found)), params.vertical == 1u), 0);
}

@compute @workgroup_size(128)
fn blur(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) index: u32) {
  let extent = textureDimensions(source);
  let size = select(extent.x, extent.y, params.vertical == 1u);
  let first = i32(group.x * kSpan) - i32(kMargin);
  line[index] = fetch(first + i32(index), group.y, i32(size));
  line[index + kSpan] = fetch(first + i32(index + kSpan), group.y, i32(size));
  workgroupBarrier();

  let at = group.x * kSpan + index;
  if (at >= size) {
    return;
  }
  var sum = line[index + kMargin] * params.weights[0].x;
  for (var k = 1u; k <= params.taps; k++) {
    sum += (line[index + kMargin - k] + line[index + kMargin + k]) * params.weights[k / 4u][k % 4u];
  }
  textureStore(result, select(vec2u(at, group.y), vec2u(group.y, at), params.vertical == 1u), sum);
}
