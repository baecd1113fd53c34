// SPDX-License-Identifier: Apache-2.0
// The README has the same in formulas.

const kLuma = vec3f(0.2126, 0.7152, 0.0722);

// A pixel of the half-size picture is the mean of (up to) four, less what lies below the threshold.
@compute @workgroup_size(8, 8)
fn pick(@builtin(global_invocation_id) id: vec3u) {
  if (any(id.xy >= weft.size)) {
    return;
  }
  let last = textureDimensions(input) - 1u;
  var mean = vec3f(0.0);
  for (var i = 0u; i < 4u; i++) {
    mean += textureLoad(input, min(2u * id.xy + vec2u(i & 1u, i >> 1u), last), 0).rgb;
  }
  mean *= 0.25;
  let luma = dot(mean, kLuma);
  let kept = max(luma - weft.threshold, 0.0) / max(luma, 1e-6);
  textureStore(bright_out, id.xy, vec4f(mean * kept, 1.0));
}

// A cone-shaped blur of the bright picture around this pixel, added.
@compute @workgroup_size(8, 8)
fn spread(@builtin(global_invocation_id) id: vec3u) {
  if (any(id.xy >= weft.size)) {
    return;
  }
  let last = vec2i(textureDimensions(bright)) - 1;
  let middle = vec2i(id.xy / 2u);
  let reach = f32(weft.radius) + 1.0;
  var sum = vec3f(0.0);
  var weights = 0.0;
  for (var y = -weft.radius; y <= weft.radius; y++) {
    for (var x = -weft.radius; x <= weft.radius; x++) {
      let weight = max(0.0, 1.0 - length(vec2f(f32(x), f32(y))) / reach);
      sum += weight * textureLoad(bright, clamp(middle + vec2i(x, y), vec2i(0), last), 0).rgb;
      weights += weight;
    }
  }
  let swell = 0.5 + 0.5 * cos(6.28318530718 * weft.pulse * weft.time);
  let here = textureLoad(input, id.xy, 0);
  let glow = sum / weights * weft.tint.rgb * (weft.amount * swell);
  textureStore(output, id.xy, vec4f(here.rgb + glow, here.a));
}
