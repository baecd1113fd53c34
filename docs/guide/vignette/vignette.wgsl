struct Params { amount: f32, softness: f32 }

@group(0) @binding(0) var source: texture_2d<f32>;
@group(0) @binding(1) var result: texture_storage_2d<OUTPUT_FORMAT, write>;
@group(0) @binding(2) var<uniform> params: Params;

@compute @workgroup_size(8, 8)
fn vignette(@builtin(global_invocation_id) id: vec3u) {
  let size = textureDimensions(result);
  if (any(id.xy >= size)) {
    return;
  }
  // 0 in the middle, 1 in the corners.
  let distance = length((vec2f(id.xy) + 0.5) / vec2f(size) - 0.5) / 0.70710678;
  let shade = 1.0 - params.amount * smoothstep(1.0 - params.softness, 1.0, distance);
  let texel = textureLoad(source, id.xy, 0);
  textureStore(result, id.xy, vec4f(texel.rgb * shade, texel.a));
}
