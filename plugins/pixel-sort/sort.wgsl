// SPDX-License-Identifier: Apache-2.0
// Sorting of the pixels of each line within intervals. See the README for what is computed; here is how.
//
// An item is two words: x = where its interval starts in the line, y = key (16 bits) and place in the line (16 bits). Sorting the items of
// a line sorts the intervals in place, for their starts ascend; no two items are equal, so every sort gives the same.
//   mark    each pixel: key, in or out of an interval; counts the histogram
//   begin   each line: where each pixel's interval starts
//   block   sorts runs of 256 items in workgroup memory
//   merge   merges pairs of sorted runs: an item's place is its place in its own run and the number of smaller ones in the other
//   place   moves the pixels

struct Params {
  size: vec2u,
  vertical: u32,
  descending: u32,
  low: u32,    // keys from low to high are inside
  high: u32,
  run: u32,    // merge: length of the runs
  unused: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var source: texture_2d<f32>;
@group(0) @binding(2) var result: texture_storage_2d<OUTPUT_FORMAT, write>;
@group(0) @binding(3) var<storage, read_write> items: array<vec2u>;
@group(0) @binding(4) var<storage, read_write> sorted: array<vec2u>;
@group(0) @binding(5) var<storage, read_write> bins: array<atomic<u32>, 769>;

const kOutside = 0xffffffffu;

fn lines() -> u32 { return select(params.size.y, params.size.x, params.vertical == 1u); }
fn length_of_line() -> u32 { return select(params.size.x, params.size.y, params.vertical == 1u); }

// The pixel at place `at` of line `line`.
fn pixel(line: u32, at: u32) -> vec2u { return select(vec2u(at, line), vec2u(line, at), params.vertical == 1u); }

@compute @workgroup_size(64)
fn mark(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) index: u32) {
  let at = group.x * 64u + index;
  if (at >= length_of_line()) {
    return;
  }
  let texel = textureLoad(source, pixel(group.y, at), 0);
  let bytes = vec3u(clamp(texel.rgb, vec3f(0.0), vec3f(1.0)) * 255.0 + 0.5);
  let key = (13933u * bytes.r + 46871u * bytes.g + 4732u * bytes.b) >> 8u;
  for (var c = 0u; c < 3u; c++) {
    atomicAdd(&bins[c * 256u + bytes[c]], 1u);
  }
  let inside = key >= params.low && key <= params.high;
  let order = select(key, 65535u - key, params.descending == 1u);
  items[group.y * length_of_line() + at] = vec2u(select(kOutside, at, inside), (order << 16u) | at);
}

// One thread a line: a pixel outside is an interval of its own, one inside starts where its neighbour before does.
@compute @workgroup_size(64)
fn begin(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= lines()) {
    return;
  }
  let size = length_of_line();
  let first = id.x * size;
  var start = 0u;
  var before = kOutside;
  for (var at = 0u; at < size; at++) {
    let here = items[first + at].x;
    if (here == kOutside || before == kOutside) {
      start = at;
    }
    before = here;
    items[first + at].x = start;
  }
}

fn smaller(a: vec2u, b: vec2u) -> bool { return a.x < b.x || (a.x == b.x && a.y < b.y); }

var<workgroup> run: array<vec2u, 256>;

// Bitonic sort of 256 items by 128 threads; what lies beyond the line's end is greater than all.
@compute @workgroup_size(128)
fn block(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) index: u32) {
  let size = length_of_line();
  let first = group.y * size;
  for (var half = 0u; half < 2u; half++) {
    let at = group.x * 256u + index + half * 128u;
    var item = vec2u(kOutside);
    if (at < size) {
      item = items[first + at];
    }
    run[index + half * 128u] = item;
  }
  workgroupBarrier();
  for (var width = 2u; width <= 256u; width <<= 1u) {
    for (var step = width >> 1u; step > 0u; step >>= 1u) {
      let a = 2u * index - (index & (step - 1u));
      let b = a + step;
      let upward = (a & width) == 0u;
      let left = run[a];
      let right = run[b];
      if (smaller(right, left) == upward) {
        run[a] = right;
        run[b] = left;
      }
      workgroupBarrier();
    }
  }
  for (var half = 0u; half < 2u; half++) {
    let at = group.x * 256u + index + half * 128u;
    if (at < size) {
      sorted[first + at] = run[index + half * 128u];
    }
  }
}

@compute @workgroup_size(64)
fn merge(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) index: u32) {
  let size = length_of_line();
  let at = group.x * 64u + index;
  if (at >= size) {
    return;
  }
  let first = group.y * size;
  let item = items[first + at];
  let own = at / params.run;
  let pair = (own & ~1u) * params.run;
  let other = (own ^ 1u) * params.run;
  var low = min(other, size);
  var high = min(other + params.run, size);
  let begin_of_other = low;
  while (low < high) {
    let middle = (low + high) / 2u;
    if (smaller(items[first + middle], item)) {
      low = middle + 1u;
    } else {
      high = middle;
    }
  }
  sorted[first + pair + (at - own * params.run) + (low - begin_of_other)] = item;
}

@compute @workgroup_size(64)
fn place(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) index: u32) {
  let at = group.x * 64u + index;
  if (at >= length_of_line()) {
    return;
  }
  let origin = items[group.y * length_of_line() + at].y & 0xffffu;
  textureStore(result, pixel(group.y, at), textureLoad(source, pixel(group.y, origin), 0));
}
