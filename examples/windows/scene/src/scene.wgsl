// SPDX-License-Identifier: Apache-2.0
// A textured world seen from `eye` along -z.
struct Object {
  // x' = (turn.x * x + turn.y * z), z' = (turn.x * z - turn.y * x): a turn around the vertical axis.
  turn: vec2f,
  aspect: f32,
}
@group(0) @binding(0) var<uniform> object: Object;
@group(0) @binding(1) var checks: texture_2d<f32>;
@group(0) @binding(2) var nearest: sampler;

const eye = vec3f(0.3, 0.5, 3.2);
const lens = 1.5;  // 1 / tan(half of the vertical field of view)
const near = 0.1;
const far = 20.0;

struct Corner {
  @location(0) at: vec3f,
  @location(1) uv: vec2f,
  @location(2) tint: vec3f,
}
struct Seen {
  @builtin(position) clip: vec4f,
  @location(0) uv: vec2f,
  @location(1) tint: vec3f,
}

@vertex fn place(c: Corner) -> Seen {
  let turned = vec3f(object.turn.x * c.at.x + object.turn.y * c.at.z, c.at.y, object.turn.x * c.at.z - object.turn.y * c.at.x);
  let v = turned - eye;
  let depth = (far * v.z + near * far) / (near - far);
  return Seen(vec4f(v.x * lens / object.aspect, v.y * lens, depth, -v.z), c.uv, c.tint);
}

@fragment fn paint(s: Seen) -> @location(0) vec4f {
  return vec4f(textureSample(checks, nearest, s.uv).rgb * s.tint, 1.0);
}
