// SPDX-License-Identifier: Apache-2.0
// One work texture into another of the same size.

struct Params {
  size: vec4u,
  primaries: array<vec4f, 3>,
};

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var source: texture_2d<f32>;
@group(0) @binding(2) var target_texture: texture_storage_2d<rgba16float, write>;

@compute @workgroup_size(16, 8)
fn convert(@builtin(global_invocation_id) id: vec3u) {
  if any(id.xy >= p.size.xy) { return; }
  textureStore(target_texture, id.xy, recolor(textureLoad(source, id.xy, 0), p.primaries[0], p.primaries[1], p.primaries[2]));
}
