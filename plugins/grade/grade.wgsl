// SPDX-License-Identifier: Apache-2.0
// Colour grading of one pixel; the README has the same in formulas.

struct Params {
  lift: vec4f,
  gamma: vec4f,
  gain: vec4f,
  domain_min: vec4f,
  domain_max: vec4f,
  exposure: f32,    // factor
  contrast: f32,
  pivot: f32,
  saturation: f32,
  mix: f32,
  lut_size: u32,    // 0: no LUT
  lut_srgb: u32,    // 1: the LUT's input and output are sRGB-encoded
  unused: u32,
}

@group(0) @binding(0) var source: texture_2d<f32>;
@group(0) @binding(1) var result: texture_storage_2d<OUTPUT_FORMAT, write>;
@group(0) @binding(2) var<uniform> params: Params;
@group(0) @binding(3) var lut: texture_3d<f32>;

const kLuma = vec3f(0.2126, 0.7152, 0.0722);

// pow for negative bases too: the sign stays.
fn signed_pow(base: vec3f, exponent: vec3f) -> vec3f {
  return sign(base) * pow(max(abs(base), vec3f(1e-20)), exponent);
}

fn encode(linear: vec3f) -> vec3f {
  return select(1.055 * pow(max(linear, vec3f(0.0031308)), vec3f(1.0 / 2.4)) - 0.055, 12.92 * linear, linear <= vec3f(0.0031308));
}

fn decode(srgb: vec3f) -> vec3f {
  return select(pow((max(srgb, vec3f(0.04045)) + 0.055) / 1.055, vec3f(2.4)), srgb / 12.92, srgb <= vec3f(0.04045));
}

fn entry(at: vec3u) -> vec3f { return textureLoad(lut, at, 0).rgb; }

// Tetrahedral interpolation: the cube between eight entries is cut into six tetrahedra along its grey diagonal; the colour lies in one
// of them and is the weighted mean of its four corners.
fn look_up(color: vec3f) -> vec3f {
  let last = f32(params.lut_size - 1u);
  let at = clamp((color - params.domain_min.rgb) / (params.domain_max.rgb - params.domain_min.rgb), vec3f(0.0), vec3f(1.0)) * last;
  let low = min(floor(at), vec3f(max(last - 1.0, 0.0)));
  let f = at - low;
  let base = vec3u(low);
  let far = base + 1u;
  let c000 = entry(base);
  let c111 = entry(far);
  if (f.r >= f.g) {
    if (f.g >= f.b) {
      return c000 + f.r * (entry(vec3u(far.x, base.yz)) - c000) + f.g * (entry(vec3u(far.xy, base.z)) - entry(vec3u(far.x, base.yz))) +
        f.b * (c111 - entry(vec3u(far.xy, base.z)));
    }
    let between = vec3u(far.x, base.y, far.z);
    if (f.r >= f.b) {
      return c000 + f.r * (entry(vec3u(far.x, base.yz)) - c000) + f.b * (entry(between) - entry(vec3u(far.x, base.yz))) +
        f.g * (c111 - entry(between));
    }
    return c000 + f.b * (entry(vec3u(base.xy, far.z)) - c000) + f.r * (entry(between) - entry(vec3u(base.xy, far.z))) +
      f.g * (c111 - entry(between));
  }
  let green = vec3u(base.x, far.y, base.z);
  if (f.b >= f.g) {
    let between = vec3u(base.x, far.yz);
    return c000 + f.b * (entry(vec3u(base.xy, far.z)) - c000) + f.g * (entry(between) - entry(vec3u(base.xy, far.z))) +
      f.r * (c111 - entry(between));
  }
  if (f.b >= f.r) {
    let between = vec3u(base.x, far.yz);
    return c000 + f.g * (entry(green) - c000) + f.b * (entry(between) - entry(green)) + f.r * (c111 - entry(between));
  }
  let between = vec3u(far.xy, base.z);
  return c000 + f.g * (entry(green) - c000) + f.r * (entry(between) - entry(green)) + f.b * (c111 - entry(between));
}

@compute @workgroup_size(8, 8)
fn grade(@builtin(global_invocation_id) id: vec3u) {
  if (any(id.xy >= textureDimensions(result))) {
    return;
  }
  let texel = textureLoad(source, id.xy, 0);
  var color = texel.rgb * params.exposure;
  color = signed_pow(params.gain.rgb * (color + params.lift.rgb * (1.0 - color)), 1.0 / params.gamma.rgb);
  color = params.pivot * signed_pow(color / params.pivot, vec3f(params.contrast));
  color = mix(vec3f(dot(color, kLuma)), color, params.saturation);
  if (params.lut_size > 0u) {
    if (params.lut_srgb == 1u) {
      color = decode(look_up(encode(max(color, vec3f(0.0)))));
    } else {
      color = look_up(color);
    }
  }
  textureStore(result, id.xy, vec4f(mix(texel.rgb, color, params.mix), texel.a));
}
