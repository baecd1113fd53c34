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
  count: u32,  // mark: 1 = count the histogram
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
  if (params.count == 1u) {
    for (var c = 0u; c < 3u; c++) {
      atomicAdd(&bins[c * 256u + bytes[c]], 1u);
    }
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

const kBlock = 256u;
var<workgroup> run: array<vec2u, kBlock>;

fn exchange(a: ptr<function, vec2u>, b: ptr<function, vec2u>, upward: bool) {
  let left = *a;
  let right = *b;
  if (smaller(right, left) == upward) {
    *a = right;
    *b = left;
  }
}

// One, two or three steps of a bitonic merge, with the distances 4, 2 and 1 times `low` (of these the last `levels`): a thread has the eight
// items that they touch in registers, so that threads meet once for three steps.
fn steps(index: u32, width: u32, low: u32, levels: u32) {
  let first = (index / low) * 8u * low + index % low;
  // Of the pairs that begin with the items 0, 2, 4 and 6: with fewer levels the eight are of several runs.
  let up0 = (first & width) == 0u;
  let up2 = ((first + 2u * low) & width) == 0u;
  let up4 = ((first + 4u * low) & width) == 0u;
  let up6 = ((first + 6u * low) & width) == 0u;
  var r0 = run[first];
  var r1 = run[first + low];
  var r2 = run[first + 2u * low];
  var r3 = run[first + 3u * low];
  var r4 = run[first + 4u * low];
  var r5 = run[first + 5u * low];
  var r6 = run[first + 6u * low];
  var r7 = run[first + 7u * low];
  if (levels > 2u) {
    exchange(&r0, &r4, up0);
    exchange(&r1, &r5, up0);
    exchange(&r2, &r6, up0);
    exchange(&r3, &r7, up0);
  }
  if (levels > 1u) {
    exchange(&r0, &r2, up0);
    exchange(&r1, &r3, up0);
    exchange(&r4, &r6, up4);
    exchange(&r5, &r7, up4);
  }
  exchange(&r0, &r1, up0);
  exchange(&r2, &r3, up2);
  exchange(&r4, &r5, up4);
  exchange(&r6, &r7, up6);
  run[first] = r0;
  run[first + low] = r1;
  run[first + 2u * low] = r2;
  run[first + 3u * low] = r3;
  run[first + 4u * low] = r4;
  run[first + 5u * low] = r5;
  run[first + 6u * low] = r6;
  run[first + 7u * low] = r7;
}

fn item_at(first: u32, at: u32, size: u32) -> vec2u {
  if (at < size) {
    return items[first + at];
  }
  return vec2u(kOutside);
}

// Bitonic sort of kBlock items, eight a thread; what lies beyond the line's end is greater than all.
@compute @workgroup_size(kBlock / 8u)
fn block(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) index: u32) {
  let size = length_of_line();
  let first = group.y * size;
  let mine = group.x * kBlock + 8u * index;
  // The first steps, up to runs of eight, among a thread's own.
  var r0 = item_at(first, mine, size);
  var r1 = item_at(first, mine + 1u, size);
  var r2 = item_at(first, mine + 2u, size);
  var r3 = item_at(first, mine + 3u, size);
  var r4 = item_at(first, mine + 4u, size);
  var r5 = item_at(first, mine + 5u, size);
  var r6 = item_at(first, mine + 6u, size);
  var r7 = item_at(first, mine + 7u, size);
  exchange(&r0, &r1, true);
  exchange(&r2, &r3, false);
  exchange(&r4, &r5, true);
  exchange(&r6, &r7, false);
  exchange(&r0, &r2, true);
  exchange(&r1, &r3, true);
  exchange(&r0, &r1, true);
  exchange(&r2, &r3, true);
  exchange(&r4, &r6, false);
  exchange(&r5, &r7, false);
  exchange(&r4, &r5, false);
  exchange(&r6, &r7, false);
  let upward = (index & 1u) == 0u;
  exchange(&r0, &r4, upward);
  exchange(&r1, &r5, upward);
  exchange(&r2, &r6, upward);
  exchange(&r3, &r7, upward);
  exchange(&r0, &r2, upward);
  exchange(&r1, &r3, upward);
  exchange(&r4, &r6, upward);
  exchange(&r5, &r7, upward);
  exchange(&r0, &r1, upward);
  exchange(&r2, &r3, upward);
  exchange(&r4, &r5, upward);
  exchange(&r6, &r7, upward);
  run[8u * index] = r0;
  run[8u * index + 1u] = r1;
  run[8u * index + 2u] = r2;
  run[8u * index + 3u] = r3;
  run[8u * index + 4u] = r4;
  run[8u * index + 5u] = r5;
  run[8u * index + 6u] = r6;
  run[8u * index + 7u] = r7;
  workgroupBarrier();
  var distances = 1u;  // how many of the steps of this width are longer than a thread's own eight
  for (var width = 16u; width <= kBlock; width <<= 1u) {
    for (var left = distances; left > 0u; ) {
      let levels = min(left, 3u);
      left -= levels;
      steps(index, width, 8u << left, levels);
      workgroupBarrier();
    }
    steps(index, width, 1u, 3u);
    workgroupBarrier();
    distances++;
  }
  for (var at = index; at < kBlock; at += kBlock / 8u) {
    let place = group.x * kBlock + at;
    if (place < size) {
      sorted[first + place] = run[at];
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
  // Mostly a run's items all come before or after those of the other: only an interval across the border mixes.
  if (low < high) {
    if ((own & 1u) == 0u && !smaller(items[first + low], item)) {
      high = low;
    } else if ((own & 1u) == 1u && smaller(items[first + high - 1u], item)) {
      low = high;
    }
  }
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
