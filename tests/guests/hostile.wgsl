// SPDX-License-Identifier: Apache-2.0
@group(0) @binding(0) var source: texture_2d<f32>;
@group(0) @binding(1) var result: texture_storage_2d<OUTPUT_FORMAT, write>;
@group(0) @binding(2) var<storage, read_write> words: array<u32, 4>;
@group(0) @binding(3) var<uniform> zero: vec4u;

@compute @workgroup_size(8, 8)
fn copy(@builtin(global_invocation_id) id: vec3u) {
  if (all(id.xy < textureDimensions(result))) {
    textureStore(result, id.xy, textureLoad(source, id.xy, 0));
  }
}

// Reads and writes far outside of a buffer of four words and of a texture. Shows as red what it got that it should not have.
@compute @workgroup_size(8, 8)
fn out_of_bounds(@builtin(global_invocation_id) id: vec3u) {
  if (any(id.xy >= textureDimensions(result))) {
    return;
  }
  let far = 1000000u * (id.x + 1u) + id.y;
  let got = words[far];
  words[far] = 0xdeadbeefu;
  let texel = textureLoad(source, id.xy + vec2u(100000u), 0);
  textureStore(result, id.xy + vec2u(100000u), vec4f(1.0));
  let fine = (got == 0u || got == 0xdeadbeefu) && (all(texel == vec4f(0.0)) || all(texel == vec4f(0.0, 0.0, 0.0, 1.0)));
  textureStore(result, id.xy, select(vec4f(1.0, 0.0, 0.0, 1.0), textureLoad(source, id.xy, 0), fine));
}

// Ends when zero.x is not 0, so never; nested, for a driver that ends a single loop by itself.
@compute @workgroup_size(1)
fn endless() {
  var count = 0u;
  loop {
    loop {
      loop {
        count += 1u;
        words[count % 4u] = count;  // seen from outside, so that no compiler takes the loop away
        if (zero.x != 0u) { break; }
      }
      if (zero.x != 0u) { break; }
    }
    if (zero.x != 0u) { break; }
  }
  words[0] = count;
}

@vertex
fn cover(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
  return vec4f(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}

@fragment
fn paint(@builtin(position) position: vec4f) -> @location(0) vec4f {
  return textureLoad(source, vec2u(position.xy), 0);
}
