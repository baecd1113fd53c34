// SPDX-License-Identifier: Apache-2.0
// A cheap read-modify-write: what bench/chain runs, in a guest and natively.
@group(0) @binding(0) var source: texture_2d<f32>;
@group(0) @binding(1) var result: texture_storage_2d<OUTPUT_FORMAT, write>;

@compute @workgroup_size(8, 8)
fn trivial(@builtin(global_invocation_id) id: vec3u) {
  if (any(id.xy >= textureDimensions(result))) {
    return;
  }
  let texel = textureLoad(source, id.xy, 0);
  textureStore(result, id.xy, vec4f(texel.rgb * 0.99 + 0.004, texel.a));
}
