// SPDX-License-Identifier: Apache-2.0
// Runs cases on navigator.gpu; guest.cc does the same on wasi:webgpu. README.md says what a case is.

const KINDS = [[GPUValidationError, 'validation'], [GPUOutOfMemoryError, 'out-of-memory'], [GPUInternalError, 'internal']];
const kindOf = (error) => (error ? KINDS.find(([type]) => error instanceof type)[1] : null);

const hexOf = (buffer) => [...new Uint8Array(buffer)].map((b) => b.toString(16).padStart(2, '0')).join('');
const bytesOf = ({ hex = '', zeros }) =>
  (zeros === undefined ? Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16)) : new Uint8Array(zeros)).buffer;

const flagsOf = (names, type) => names.split('|').filter(Boolean).reduce((sum, name) => {
  if (!(name in type)) throw new Fault(`there is no flag '${name}'`);
  return sum | type[name];
}, 0);

class Fault extends Error {}

// What the WIT has as calls of its own, or as one call where JavaScript has two.
const OWN = {
  setLabel: (self, label) => { self.label = label; },
  setMappedRange: (self, data, ...range) => new Uint8Array(self.getMappedRange(...range)).set(new Uint8Array(data)),
  popErrorScope: async (self) => kindOf(await self.popErrorScope()),
  getCompilationInfo: async (self) => {
    const error = (await self.getCompilationInfo()).messages.find((message) => message.type === 'error');
    return error ? `error in line ${error.lineNum}` : 'no error';
  },
  lost: async (self) => (await self.lost).reason,
  // The overload with an Uint32Array is the one that takes a range of it.
  setBindGroup: (self, index, group, offsets, ...range) =>
    self.setBindGroup(index, group ?? null, ...(offsets ? [range.length ? new Uint32Array(offsets) : offsets, ...range] : [])),
};

async function runCase(test) {
  const objects = { gpu: navigator.gpu };

  const argument = (value, method, key) => {
    if (typeof value === 'string') {
      if (value.startsWith('$')) {
        if (!(value.slice(1) in objects)) throw new Fault(`there is no object '${value}'`);
        return objects[value.slice(1)];
      }
      if (key === 'usage') return flagsOf(value, method === 'createBuffer' ? GPUBufferUsage : GPUTextureUsage);
      if (key === 'visibility') return flagsOf(value, GPUShaderStage);
      if (key === 'writeMask') return flagsOf(value, GPUColorWrite);
      return value;
    }
    if (Array.isArray(value)) return value.map((item) => (item === null ? null : argument(item, method)));
    if (value === null) return undefined;
    if (typeof value !== 'object') return value;
    if ('hex' in value || 'zeros' in value) return bytesOf(value);
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, argument(member, method, name)]));
  };

  const perform = async ([text, given = []]) => {
    const [, to, path] = /^(?:(\w+) = )?([\w.]+)$/.exec(text);
    const names = path.split('.');
    const method = names.pop();
    let self = objects[names.shift()];
    for (const name of names) self = self[name];
    if (self === undefined) throw new Fault('there is no such object');
    const scopes = test.scopes === 'own' ? undefined : objects.device;
    for (const filter of scopes ? ['validation', 'out-of-memory', 'internal'] : []) scopes.pushErrorScope(filter);

    const outcome = {};
    try {
      const args = given.map((value) => argument(value, method));
      if (method === 'mapAsync') args[0] = flagsOf(given[0], GPUMapMode);
      if (!(method in OWN) && !(method in self)) throw new Fault(`there is no '${method}'`);
      const member = OWN[method] ? (...rest) => OWN[method](self, ...rest) : self[method];
      const result = await (typeof member === 'function' ? member.apply(self, args) : member);
      if (result instanceof ArrayBuffer) outcome.value = hexOf(result);
      else if (result === null || ['string', 'number', 'boolean'].includes(typeof result)) outcome.value = result;
      else if (result !== undefined && to) objects[to] = result;
    } catch (error) {
      if (error instanceof Fault) throw error;
      outcome.throws = error.name;
    }
    const caught = await Promise.all((scopes ? [2, 1, 0] : []).map(() => scopes.popErrorScope()));
    const error = caught.find((e) => e);
    if (error) {
      outcome.error = kindOf(error);
      outcome.message = error.message;
    }
    return outcome;
  };

  const outcomes = [];
  for (const call of test.calls) {
    try {
      outcomes.push(await perform(call));
    } catch (error) {
      return { name: test.name, outcomes, fault: `'${call[0]}': ${error.message}` };
    }
  }
  // A page may hold few devices at a time.
  for (const object of Object.values(objects)) if (object instanceof GPUDevice) object.destroy();
  return { name: test.name, outcomes };
}

window.runCase = runCase;
window.ready = true;
