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

const COLOR = { primaries: 1, transfer: 13, matrix: 0, fullRange: true };
const SECOND = { num: 1n, den: 1n };

// inputs: [{port, width, height, rgba: number[]}]; parameters: {id: value as the contract has it}. Answers {width, height, rgba} of output 0.
window.runPlugin = async (name, inputs, parameters) => {
  log.length = 0;
  const adapter = await navigator.gpu.requestAdapter();
  const native = await adapter.requestDevice();
  const errors = [];
  native.addEventListener('uncapturederror', (e) => errors.push(e.error.message));

  const effect = await load(name);
  const description = await effect.describe();
  const frame = { ...inputs[0], format: 'rgba8unorm', color: COLOR, alpha: 'premultiplied', pixelAspect: SECOND };
  const info = (i) => ({ width: i.width, height: i.height, format: 'rgba8unorm', color: COLOR, alpha: 'premultiplied', pixelAspect: SECOND });
  const instance = await effect.Instance.create(new shim.GpuDevice(native));
  const values = description.parameters.map((p, n) => [n, p.id in parameters ? parameters[p.id](p) : p.default]);
  await instance.set(values);
  const connected = description.inputs.map((port) => inputs.find((i) => i.port === port.id));
  const plan = await instance.configure({ frame: info(frame), rate: { num: 25n, den: 1n } },
    connected.map((i) => (i ? { tag: 'texture', val: info(i) } : { tag: 'absent' })));

  const textures = connected.map((i) => {
    if (!i) return undefined;
    const t = native.createTexture({ size: [i.width, i.height], format: 'rgba8unorm',
      usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_SRC | GPUTextureUsage.COPY_DST });
    native.queue.writeTexture({ texture: t }, new Uint8Array(i.rgba), { bytesPerRow: i.width * 4 }, [i.width, i.height]);
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

  const pitch = Math.ceil(out.width * 4 / 256) * 256;
  const buffer = native.createBuffer({ size: pitch * out.height, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  const encoder = native.createCommandEncoder();
  encoder.copyTextureToBuffer({ texture: outputs[0] }, { buffer, bytesPerRow: pitch }, [out.width, out.height]);
  native.queue.submit([encoder.finish()]);
  await buffer.mapAsync(GPUMapMode.READ);
  const mapped = new Uint8Array(buffer.getMappedRange());
  const rgba = [];
  for (let y = 0; y < out.height; ++y) rgba.push(...mapped.subarray(y * pitch, y * pitch + out.width * 4));
  return { width: out.width, height: out.height, rgba, errors, log: [...log], adapter: adapter.info?.description ?? '' };
};
window.ready = true;
