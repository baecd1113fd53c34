// SPDX-License-Identifier: Apache-2.0
// One direction of a separable resize. Weights are made on the CPU: for each place of the target, the first place of the source and `taps` weights.
// Reads linear light, premultiplied; the second direction writes what the target is to be (recolor).

override VERTICAL: bool = false;

struct Params {
  size: vec2u,              // of what is written
  taps: u32,
  source_last: u32,         // last column (row) of the source
  place: vec4i,             // of the filled part in the target: x, y, width, height (second direction only)
  primaries: array<vec4f, 3>,
};

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var source: texture_2d<f32>;
@group(0) @binding(2) var target_texture: texture_storage_2d<rgba16float, write>;
@group(0) @binding(3) var<storage, read> weights: array<f32>;

@compute @workgroup_size(16, 8)
fn resize(@builtin(global_invocation_id) id: vec3u) {
  if any(id.xy >= p.size) { return; }
  let at = vec2i(id.xy) - p.place.xy;
  var sum = vec4f(0.0);
  if all(at >= vec2i(0)) && all(at < p.place.zw) {
    let along = u32(select(at.x, at.y, VERTICAL));
    let row = along * (p.taps + 1u);
    let first = bitcast<i32>(weights[row]);
    for (var k = 0u; k < p.taps; k++) {
      let place = u32(clamp(first + i32(k), 0, i32(p.source_last)));
      let from_place = select(vec2u(place, id.y), vec2u(u32(at.x), place), VERTICAL);
      sum += weights[row + 1u + k] * textureLoad(source, from_place, 0);
    }
    // The filter's lobes overshoot; alpha has no meaning there.
    if VERTICAL { sum.a = clamp(sum.a, 0.0, 1.0); }
  }
  textureStore(target_texture, id.xy, recolor(sum, p.primaries[0], p.primaries[1], p.primaries[2]));
}
