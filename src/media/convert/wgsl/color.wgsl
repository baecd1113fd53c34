// SPDX-License-Identifier: Apache-2.0
// From one meaning of RGBA to another: transfer functions, primaries, alpha. Stands in front of every other kernel of this folder.
// The overrides are constants of a pipeline, so what is not needed is not compiled. Its twin in doubles stands in converter_test.cc.

override FROM_TRANSFER: u32 = 8u;   // Curve in color_math.h
override TO_TRANSFER: u32 = 8u;
override RECOLOR: bool = false;     // transfer or primaries differ
override PRIMARIES: bool = false;   // primaries differ
override FROM_ALPHA: u32 = 2u;      // 0 opaque, 1 straight, 2 premultiplied
override TO_ALPHA: u32 = 2u;

// pow is not defined below 0, and some drivers make a NaN of 0.
fn power(x: vec3f, y: f32) -> vec3f {
  return pow(max(x, vec3f(1e-30)), vec3f(y));
}

fn mirrored(x: vec3f, magnitude: vec3f) -> vec3f {
  return select(magnitude, -magnitude, x < vec3f(0.0));
}

// Signal to linear light, 1.0 = SDR white. Curves without a meaning below 0 are mirrored there.
fn to_linear(signal: vec3f) -> vec3f {
  let x = abs(signal);
  switch FROM_TRANSFER {
    case 1u: {  // BT.709, 601, 2020
      let a = 1.09929682680944;
      return mirrored(signal, select(power((x + (a - 1.0)) / a, 1.0 / 0.45), x / 4.5, x < vec3f(0.08124285829863229)));
    }
    case 4u: { return mirrored(signal, power(x, 2.2)); }
    case 5u: { return mirrored(signal, power(x, 2.8)); }
    case 7u: {  // SMPTE 240M
      let a = 1.111572195921731;
      return mirrored(signal, select(power((x + (a - 1.0)) / a, 1.0 / 0.45), x / 4.0, x < vec3f(0.0912863421177692)));
    }
    case 13u: {  // sRGB
      return mirrored(signal, select(power((x + 0.055) / 1.055, 2.4), x / 12.92, x <= vec3f(0.04045)));
    }
    case 16u: {  // PQ
      let p = power(clamp(x, vec3f(0.0), vec3f(1.0)), 1.0 / 78.84375);
      let light = power(max(p - 0.8359375, vec3f(0.0)) / (18.8515625 - 18.6875 * p), 1.0 / 0.1593017578125);
      return mirrored(signal, light * (10000.0 / 203.0));
    }
    case 18u: {  // HLG
      let c = 0.5599107295;
      let scene = select((exp((x - c) / 0.17883277) + 0.28466892) / 12.0, x * x / 3.0, x <= vec3f(0.5));
      return mirrored(signal, scene / 0.26496256042);
    }
    default: { return signal; }
  }
}

fn from_linear(light: vec3f) -> vec3f {
  let x = abs(light);
  switch TO_TRANSFER {
    case 1u: {
      let a = 1.09929682680944;
      return mirrored(light, select(a * power(x, 0.45) - (a - 1.0), x * 4.5, x < vec3f(0.018053968510807)));
    }
    case 4u: { return mirrored(light, power(x, 1.0 / 2.2)); }
    case 5u: { return mirrored(light, power(x, 1.0 / 2.8)); }
    case 7u: {
      let a = 1.111572195921731;
      return mirrored(light, select(a * power(x, 0.45) - (a - 1.0), x * 4.0, x < vec3f(0.0228215855294423)));
    }
    case 13u: {
      return mirrored(light, select(1.055 * power(x, 1.0 / 2.4) - 0.055, x * 12.92, x <= vec3f(0.0031308)));
    }
    case 16u: {
      let p = power(x * (203.0 / 10000.0), 0.1593017578125);
      return mirrored(light, power((0.8359375 + 18.8515625 * p) / (1.0 + 18.6875 * p), 78.84375));
    }
    case 18u: {
      let scene = x * 0.26496256042;
      let c = 0.5599107295;
      return mirrored(light, select(0.17883277 * log(max(12.0 * scene - 0.28466892, vec3f(1e-30))) + c, sqrt(3.0 * scene), scene <= vec3f(1.0 / 12.0)));
    }
    default: { return light; }
  }
}

// One texel. m0..m2: rows of the matrix between the primaries.
fn recolor(texel: vec4f, m0: vec4f, m1: vec4f, m2: vec4f) -> vec4f {
  var rgb = texel.rgb;
  var a = texel.a;
  if FROM_ALPHA == 0u { a = 1.0; }
  if FROM_ALPHA == 2u && (RECOLOR || TO_ALPHA == 1u) {
    if a > 0.0 {
      rgb = rgb / a;
    } else if TO_ALPHA == 1u {
      rgb = vec3f(0.0);
    }
  }
  if RECOLOR {
    rgb = to_linear(rgb);
    if PRIMARIES { rgb = vec3f(dot(m0.xyz, rgb), dot(m1.xyz, rgb), dot(m2.xyz, rgb)); }
    rgb = from_linear(rgb);
  }
  if (FROM_ALPHA == 1u && TO_ALPHA != 1u) || (FROM_ALPHA == 2u && TO_ALPHA != 1u && RECOLOR && a > 0.0) {
    rgb = rgb * a;
  }
  // Light without cover (premultiplied, alpha 0) stays what it is.
  if TO_ALPHA == 0u { a = 1.0; }
  return vec4f(rgb, a);
}
