// SPDX-License-Identifier: Apache-2.0
// Draws what sort.wgsl counted: 256 x 256 pixels, a column for each value of red, green and blue, the highest bar reaching the top.

@group(0) @binding(0) var<storage, read_write> bins: array<u32, 769>;
@group(0) @binding(1) var picture: texture_storage_2d<OUTPUT_FORMAT, write>;

var<workgroup> highest: array<u32, 256>;

// bins[768] = the highest of all.
@compute @workgroup_size(256)
fn peak(@builtin(local_invocation_index) index: u32) {
  highest[index] = max(bins[index], max(bins[index + 256u], bins[index + 512u]));
  workgroupBarrier();
  for (var step = 128u; step > 0u; step >>= 1u) {
    if (index < step) {
      highest[index] = max(highest[index], highest[index + step]);
    }
    workgroupBarrier();
  }
  if (index == 0u) {
    bins[768] = highest[0];
  }
}

@compute @workgroup_size(8, 8)
fn draw(@builtin(global_invocation_id) id: vec3u) {
  let top = bins[768];
  let shift = select(0u, 8u, top >= (1u << 24u));
  var color = vec3f(0.1);
  for (var c = 0u; c < 3u; c++) {
    let bar = ((bins[c * 256u + id.x] >> shift) * 256u) / max(top >> shift, 1u);
    if (bar >= 256u - id.y) {
      color[c] = 0.9;
    }
  }
  textureStore(picture, id.xy, vec4f(color, 1.0));
}
