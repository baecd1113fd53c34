// SPDX-License-Identifier: Apache-2.0
// A small wasi:webgpu 0.3 over navigator.gpu: as much as the sample plugins call, so that the same .wasm proves itself in a browser.
//
// The WIT was made from WebGPU's IDL, so records need no mapping by hand: names are the dictionary's own in camelCase. What differs is
// turned by toNative(): resources to what they wrap, BigInt to Number, variants to their payload, flags to bit masks, 'd2' to '2d'.

const DIMENSIONS = { d1: '1d', d2: '2d', 'd2-array': '2d-array', d3: '3d' };
const upper = (s) => s.replace(/([A-Z])/g, '_$1').toUpperCase();
const mask = (flags, bits) => Object.entries(flags).reduce((m, [k, on]) => (on ? m | bits[upper(k)] : m), 0);

// Which bits a flags field means depends on the record it stands in; `family` says so.
function flagsOf(key, value, family) {
  if (key === 'visibility') return mask(value, GPUShaderStage);
  if (key === 'writeMask') return value.all ? GPUColorWrite.ALL : mask(value, GPUColorWrite);
  return mask(value, family === 'buffer' ? GPUBufferUsage : GPUTextureUsage);
}
const FLAG_KEYS = new Set(['usage', 'visibility', 'writeMask']);
const DIMENSION_KEYS = new Set(['dimension', 'viewDimension', 'textureBindingViewDimension']);

function toNative(v, family, key) {
  if (v === undefined || v === null || typeof v === 'boolean' || typeof v === 'number') return v ?? undefined;
  if (typeof v === 'bigint') return Number(v);
  if (typeof v === 'string') {
    if (DIMENSION_KEYS.has(key)) return DIMENSIONS[v] ?? v;
    return v.startsWith('astc') ? v.replace('astc', 'astc-') : v;
  }
  if (Array.isArray(v)) return v.map((x) => toNative(x, family) ?? null);
  if (v instanceof Wrapper) return v.native;
  if ('tag' in v) return v.tag === 'auto' ? 'auto' : toNative(v.val, family, key);
  if (FLAG_KEYS.has(key)) return flagsOf(key, v, family);
  const out = {};
  for (const [k, x] of Object.entries(v)) {
    const n = toNative(x, family, k);
    if (n !== undefined) out[k] = n;
  }
  return out;
}

export class Wrapper {
  constructor(native) { this.native = native; }
  label() { return this.native.label; }
  setLabel(l) { this.native.label = l; }
}

const wrap = (Class, method, family) => function (descriptor) { return new Class(this.native[method](toNative(descriptor, family))); };
const pass = (method) => function (...args) { return this.native[method](...args.map((a) => toNative(a))); };

export class GpuTextureView extends Wrapper {}
export class GpuSampler extends Wrapper {}
export class GpuBindGroup extends Wrapper {}
export class GpuBindGroupLayout extends Wrapper {}
export class GpuPipelineLayout extends Wrapper {}
export class GpuCommandBuffer extends Wrapper {}
export class GpuQuerySet extends Wrapper { destroy() { this.native.destroy(); } }
export class GpuRenderBundle extends Wrapper {}
export class GpuCompilationMessage extends Wrapper {
  message() { return this.native.message; }
  type() { return this.native.type; }
  lineNum() { return BigInt(this.native.lineNum); }
  linePos() { return BigInt(this.native.linePos); }
  offset() { return BigInt(this.native.offset); }
  length() { return BigInt(this.native.length); }
}
export class GpuCompilationInfo extends Wrapper { messages() { return this.native.messages.map((m) => new GpuCompilationMessage(m)); } }
export class GpuShaderModule extends Wrapper {
  async getCompilationInfo() { return new GpuCompilationInfo(await this.native.getCompilationInfo()); }
}
export class GpuComputePipeline extends Wrapper { getBindGroupLayout(i) { return new GpuBindGroupLayout(this.native.getBindGroupLayout(i)); } }
export class GpuRenderPipeline extends Wrapper { getBindGroupLayout(i) { return new GpuBindGroupLayout(this.native.getBindGroupLayout(i)); } }

export class GpuTexture extends Wrapper {
  createView(d) { return new GpuTextureView(this.native.createView(toNative(d, 'texture'))); }
  destroy() { this.native.destroy(); }
  width() { return this.native.width; }
  height() { return this.native.height; }
  depthOrArrayLayers() { return this.native.depthOrArrayLayers; }
  mipLevelCount() { return this.native.mipLevelCount; }
  sampleCount() { return this.native.sampleCount; }
  dimension() { return { '1d': 'd1', '2d': 'd2', '3d': 'd3' }[this.native.dimension]; }
  format() { return this.native.format.replace('astc-', 'astc'); }
  usage() {
    const on = (bit) => (this.native.usage & bit) !== 0;
    return {
      copySrc: on(GPUTextureUsage.COPY_SRC), copyDst: on(GPUTextureUsage.COPY_DST), textureBinding: on(GPUTextureUsage.TEXTURE_BINDING),
      storageBinding: on(GPUTextureUsage.STORAGE_BINDING), renderAttachment: on(GPUTextureUsage.RENDER_ATTACHMENT), transientAttachment: false,
    };
  }
}

export class GpuBuffer extends Wrapper {
  size() { return BigInt(this.native.size); }
  mapState() { return this.native.mapState; }
  destroy() { this.native.destroy(); }
  async mapAsync(mode, offset, size) { await this.native.mapAsync(mask(mode, GPUMapMode), toNative(offset), toNative(size)); }
  getMappedRangeGetWithCopy(offset, size) { return new Uint8Array(this.native.getMappedRange(toNative(offset), toNative(size))).slice(); }
  getMappedRangeSetWithCopy(data, offset, size) { new Uint8Array(this.native.getMappedRange(toNative(offset), toNative(size))).set(data); }
  unmap() { this.native.unmap(); }
}

class Pass extends Wrapper {
  setBindGroup(index, group, offsets, start, length) {
    if (offsets === undefined) this.native.setBindGroup(index, toNative(group) ?? null);
    else this.native.setBindGroup(index, toNative(group) ?? null, new Uint32Array(offsets), Number(start ?? 0n), length ?? offsets.length);
  }
}
for (const m of ['setPipeline', 'end', 'pushDebugGroup', 'popDebugGroup', 'insertDebugMarker']) Pass.prototype[m] = pass(m);
export class GpuComputePassEncoder extends Pass {}
for (const m of ['dispatchWorkgroups', 'dispatchWorkgroupsIndirect']) GpuComputePassEncoder.prototype[m] = pass(m);
export class GpuRenderPassEncoder extends Pass {}
for (const m of ['setViewport', 'setScissorRect', 'setBlendConstant', 'setStencilReference', 'setIndexBuffer', 'setVertexBuffer', 'draw',
  'drawIndexed', 'drawIndirect', 'drawIndexedIndirect', 'executeBundles']) GpuRenderPassEncoder.prototype[m] = pass(m);
export class GpuRenderBundleEncoder extends Pass {}

export class GpuCommandEncoder extends Wrapper {}
Object.assign(GpuCommandEncoder.prototype, {
  beginComputePass: wrap(GpuComputePassEncoder, 'beginComputePass'),
  beginRenderPass: wrap(GpuRenderPassEncoder, 'beginRenderPass'),
  finish: wrap(GpuCommandBuffer, 'finish'),
});
for (const m of ['copyBufferToBuffer', 'copyBufferToTexture', 'copyTextureToBuffer', 'copyTextureToTexture', 'clearBuffer', 'resolveQuerySet',
  'pushDebugGroup', 'popDebugGroup', 'insertDebugMarker']) GpuCommandEncoder.prototype[m] = pass(m);

export class GpuQueue extends Wrapper {
  submit(buffers) { this.native.submit(buffers.map((b) => b.native)); }
  async onSubmittedWorkDone() { await this.native.onSubmittedWorkDone(); }
  writeBufferWithCopy(buffer, at, data, offset, size) {
    const from = Number(offset ?? 0n);
    const part = data.subarray(from, size === undefined ? data.length : from + Number(size));
    this.native.writeBuffer(buffer.native, Number(at), part);
  }
  writeTextureWithCopy(destination, data, layout, size) {
    this.native.writeTexture(toNative(destination, 'texture'), data, toNative(layout), toNative(size));
  }
}

export class GpuSupportedFeatures extends Wrapper { has(name) { return this.native.has(name); } }
export class GpuSupportedLimits extends Wrapper {}
for (const k of ['maxTextureDimension1D', 'maxTextureDimension2D', 'maxTextureDimension3D', 'maxStorageBufferBindingSize', 'maxBufferSize',
  'maxComputeWorkgroupsPerDimension', 'maxComputeInvocationsPerWorkgroup', 'maxComputeWorkgroupSizeX', 'maxComputeWorkgroupSizeY',
  'maxComputeWorkgroupStorageSize', 'maxStorageBuffersPerShaderStage']) {
  GpuSupportedLimits.prototype[k] = function () { return /Size$/.test(k) && /Buffer/.test(k) ? BigInt(this.native[k]) : this.native[k]; };
}

export class GpuError extends Wrapper {
  message() { return this.native.message; }
  kind() {
    const tag = { GPUValidationError: 'validation-error', GPUOutOfMemoryError: 'out-of-memory-error' }[this.native.constructor.name];
    return { tag: tag ?? 'internal-error' };
  }
}

export class GpuDevice extends Wrapper {
  queue() { return new GpuQueue(this.native.queue); }
  features() { return new GpuSupportedFeatures(this.native.features); }
  limits() { return new GpuSupportedLimits(this.native.limits); }
  destroy() { this.native.destroy(); }
  pushErrorScope(filter) { this.native.pushErrorScope(filter); }
  async popErrorScope() { const e = await this.native.popErrorScope(); return e ? new GpuError(e) : undefined; }
  async createComputePipelineAsync(d) { return new GpuComputePipeline(await this.native.createComputePipelineAsync(stage(toNative(d), d))); }
  async createRenderPipelineAsync(d) { return new GpuRenderPipeline(await this.native.createRenderPipelineAsync(stage(toNative(d), d))); }
  createComputePipeline(d) { return new GpuComputePipeline(this.native.createComputePipeline(stage(toNative(d), d))); }
  createRenderPipeline(d) { return new GpuRenderPipeline(this.native.createRenderPipeline(stage(toNative(d), d))); }
  createQuerySet(d) { return new GpuQuerySet(this.native.createQuerySet(toNative(d))); }
}
// Pipeline constants are a resource used as a map.
function stage(native, d) {
  for (const s of ['compute', 'vertex', 'fragment']) if (d[s]?.constants) native[s].constants = Object.fromEntries(d[s].constants.map);
  return native;
}
Object.assign(GpuDevice.prototype, {
  createBuffer: wrap(GpuBuffer, 'createBuffer', 'buffer'),
  createTexture: wrap(GpuTexture, 'createTexture', 'texture'),
  createSampler: wrap(GpuSampler, 'createSampler'),
  createBindGroupLayout: wrap(GpuBindGroupLayout, 'createBindGroupLayout'),
  createPipelineLayout: wrap(GpuPipelineLayout, 'createPipelineLayout'),
  createBindGroup: wrap(GpuBindGroup, 'createBindGroup'),
  createShaderModule: wrap(GpuShaderModule, 'createShaderModule'),
  createCommandEncoder: wrap(GpuCommandEncoder, 'createCommandEncoder'),
});

export class RecordGpuPipelineConstantValue {
  map = new Map();
  add(k, v) { this.map.set(k, v); }
  get(k) { return this.map.get(k); }
  has(k) { return this.map.has(k); }
  remove(k) { this.map.delete(k); }
  keys() { return [...this.map.keys()]; }
  values() { return [...this.map.values()]; }
  entries() { return [...this.map.entries()]; }
}
export class RecordOptionGpuSize64 extends RecordGpuPipelineConstantValue {}
export class Gpu extends Wrapper {}
export class GpuAdapter extends Wrapper {}
export class GpuAdapterInfo extends Wrapper {}
export class GpuDeviceLostInfo extends Wrapper {}
export class WgslLanguageFeatures extends Wrapper { has(name) { return this.native.has(name); } }
export function getGpu() { return new Gpu(navigator.gpu); }
