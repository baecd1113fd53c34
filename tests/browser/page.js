// SPDX-License-Identifier: Apache-2.0
// Runs one plugin over one picture in the page: what weft's node does, by hand. The test calls window.runPlugin.
import * as shim from './shim.js';

const log = [];
const imports = { 'wasi:webgpu/webgpu': shim, 'weft:plugin/log': { write: (level, message) => log.push(`${level}: ${message}`) } };

async function load(name) {
  const base = `./out/${name}/`;
  const { instantiate } = await import(`${base}${name}.js`);
  const getCoreModule = async (path) => WebAssembly.compileStreaming(fetch(base + path));
  const root = await instantiate(getCoreModule, imports);
  return root.effect ?? root['weft:plugin/effect@0.1.0'] ?? root['weft:plugin/effect'];
}

// What weft's converter does at a port that wants linear light, premultiplied: sRGB's curve (IEC 61966-2-1), both ways, in half floats.
const toLinear = (v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
const toDisplay = (v) => (v <= 0.0031308 ? v * 12.92 : 1.055 * v ** (1 / 2.4) - 0.055);
function toHalf(rgba, linear) {
  const out = new Float16Array(rgba.length);
  for (let i = 0; i < rgba.length; i += 4) {
    const a = rgba[i + 3] / 255;
    for (let c = 0; c < 3; ++c) {
      const v = rgba[i + c] / 255;
      out[i + c] = (linear ? toLinear(v) : v) * a;
    }
    out[i + 3] = a;
  }
  return out;
}
function toBytes(half, linear) {
  const out = [];
  for (let i = 0; i < half.length; i += 4) {
    const a = Math.min(1, Math.max(0, half[i + 3]));
    for (let c = 0; c < 3; ++c) {
      const v = a > 0 ? half[i + c] / a : 0;
      out.push(Math.round(255 * Math.min(1, Math.max(0, linear ? toDisplay(Math.max(0, v)) : v))));
    }
    out.push(Math.round(255 * a));
  }
  return out;
}

const colorOf = (linear) => ({ primaries: 1, transfer: linear ? 8 : 13, matrix: 0, fullRange: true });
const SECOND = { num: 1n, den: 1n };

// inputs: [{port, width, height, rgba: number[]}]; parameters: {id: value as the contract has it}. Answers {width, height, rgba} of output 0.
window.runPlugin = async (name, inputs, parameters) => {
  log.length = 0;
  const adapter = await navigator.gpu.requestAdapter();
  const native = await adapter.requestDevice();
  const errors = [];
  native.addEventListener('uncapturederror', (e) => errors.push(e.error.message));

  native.lost.then((l) => errors.push('lost: ' + l.message));
  native.pushErrorScope('validation');
  const effect = await load(name);
  const description = await effect.describe();
  const info = (i, linear) => ({ width: i.width, height: i.height, format: 'rgba16float', color: colorOf(linear), alpha: 'premultiplied',
    pixelAspect: SECOND });
  const isLinear = (port) => port.color === 'linear';
  const instance = await effect.Instance.create(new shim.GpuDevice(native));
  const values = description.parameters.map((p, n) => [n, p.id in parameters ? parameters[p.id](p) : p.default]);
  await instance.set(values);
  const connected = description.inputs.map((port) => inputs.find((i) => i.port === port.id));
  const plan = await instance.configure({ frame: info(inputs[0], false), rate: { num: 25n, den: 1n } },
    connected.map((i, n) => (i ? { tag: 'texture', val: info(i, isLinear(description.inputs[n])) } : { tag: 'absent' })));

  const textures = connected.map((i, n) => {
    if (!i) return undefined;
    const t = native.createTexture({ size: [i.width, i.height], format: 'rgba16float',
      usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_SRC | GPUTextureUsage.COPY_DST });
    native.queue.writeTexture({ texture: t }, toHalf(i.rgba, isLinear(description.inputs[n])), { bytesPerRow: i.width * 8 }, [i.width, i.height]);
    return t;
  });
  const out = plan.outputs[0].val;
  const outputs = plan.outputs.map((o) => native.createTexture({ size: [o.val.width, o.val.height], format: o.val.format,
    usage: GPUTextureUsage.STORAGE_BINDING | GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.TEXTURE_BINDING |
      GPUTextureUsage.COPY_SRC | GPUTextureUsage.COPY_DST }));
  const item = (t) => ({ tag: 'texture', val: new shim.GpuTexture(t) });
  await instance.process({ number: 0n, pts: { num: 0n, den: 1n }, duration: SECOND, rate: { num: 25n, den: 1n }, metadata: [] },
    textures.flatMap((t, port) => (t ? [{ port, offset: 0, item: item(t) }] : [])),
    outputs.map((t, port) => ({ port, item: item(t) })));

  const pitch = Math.ceil(out.width * 8 / 256) * 256;
  const buffer = native.createBuffer({ size: pitch * out.height, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  const encoder = native.createCommandEncoder();
  encoder.copyTextureToBuffer({ texture: outputs[0] }, { buffer, bytesPerRow: pitch }, [out.width, out.height]);
  native.queue.submit([encoder.finish()]);
  await buffer.mapAsync(GPUMapMode.READ);
  const scoped = await native.popErrorScope();
  if (scoped) errors.push(scoped.message);
  const mapped = buffer.getMappedRange();
  const half = new Float16Array(out.width * out.height * 4);
  for (let y = 0; y < out.height; ++y) half.set(new Float16Array(mapped, y * pitch, out.width * 4), y * out.width * 4);
  const rgba = toBytes(half, isLinear(description.outputs[0]));
  return { width: out.width, height: out.height, rgba, errors, log: [...log], adapter: adapter.info?.description ?? '' };
};
window.ready = true;
