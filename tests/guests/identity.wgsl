// SPDX-License-Identifier: Apache-2.0
@group(0) @binding(0) var source: texture_2d<f32>;
@group(0) @binding(1) var result: texture_storage_2d<OUTPUT_FORMAT, write>;

@compute @workgroup_size(8, 8)
fn copy(@builtin(global_invocation_id) id: vec3u) {
  if (all(id.xy < textureDimensions(result))) {
    textureStore(result, id.xy, textureLoad(source, id.xy, 0));
  }
}
