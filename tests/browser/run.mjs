// SPDX-License-Identifier: Apache-2.0
// run.mjs WEFT PLUGINS MEDIA WORK TOOLS: the five sample components, byte for byte as weft runs them, pass `jco transpile`; gaussian-blur and
// composite make one picture each in headless Chromium, within 1/255 of what weft makes of the same input.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, resolve } from 'node:path';

import { launch } from './chromium.mjs';

const [weft, plugins, media, work, tools] = process.argv.slice(2).map((p) => resolve(p));
const here = import.meta.dirname ?? resolve(new URL('.', import.meta.url).pathname);

const fail = (why) => { console.error(`browser test: ${why}`); process.exit(1); };
const SAMPLES = ['gaussian-blur', 'grade', 'composite', 'pixel-sort'];

rmSync(work, { recursive: true, force: true });
mkdirSync(join(work, 'out'), { recursive: true });
for (const f of ['index.html', 'page.js', 'shim.js']) cpSync(join(here, f), join(work, f));

for (const name of SAMPLES) {
  execFileSync(process.execPath, [join(tools, 'node_modules/.bin/jco'), 'transpile', join(plugins, `${name}.wasm`), '-o', join(work, 'out', name),
    '--name', name, '--instantiation', 'async', '-q'], { stdio: 'inherit' });
  console.log(`jco transpile ${name}: ok`);
}

// A small picture of the real photograph as raw RGBA.
const W = 160, H = 120;
const ffmpeg = (args) => execFileSync('ffmpeg', ['-v', 'error', '-nostdin', '-y', ...args]);
const raw = (png) => { ffmpeg(['-i', png, '-f', 'rawvideo', '-pix_fmt', 'rgba', `${png}.raw`]); return [...readFileSync(`${png}.raw`)]; };
const photo = join(work, 'photo.png'), front = join(work, 'front.png');
ffmpeg(['-i', join(media, 'coffee.png'), '-vf', `scale=${W}:${H},format=rgba`, '-frames:v', '1', photo]);
ffmpeg(['-i', join(media, 'astronaut.png'), '-vf', `scale=${W}:${H},format=rgba`, '-frames:v', '1', front]);

const number = (v) => `(p) => ({ tag: 'number', val: ${v} })`;
const choice = (v) => `(p) => ({ tag: 'choice', val: p.choices.indexOf('${v}') })`;
const CASES = [
  { name: 'gaussian-blur', args: [photo, '-p', join(plugins, 'gaussian-blur.wasm') + ':radius=7.5,edges=mirror'], inputs: { input: photo },
    parameters: { radius: number(7.5), edges: choice('mirror') } },
  { name: 'composite', args: [photo, front, '-p', join(plugins, 'composite.wasm') + ':background=#1,foreground=#2,mode=screen,opacity=0.6'],
    inputs: { background: photo, foreground: front }, parameters: { mode: choice('screen'), opacity: number(0.6) } },
];

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm' };
const server = createServer((request, response) => {
  const path = join(work, decodeURIComponent(new URL(request.url, 'http://x').pathname));
  let body;
  try { body = readFileSync(path); } catch { response.writeHead(404).end(); return; }
  response.writeHead(200, { 'content-type': TYPES[extname(path)] ?? 'application/octet-stream' }).end(body);
}).listen(0, '127.0.0.1');
await new Promise((r) => server.once('listening', r));

const browser = await launch(tools);
try {
  const page = await browser.newPage();
  page.on('console', (m) => console.log(`page: ${m.text()}`));
  page.on('pageerror', (e) => console.log(`page error: ${e}`));
  await page.goto(`http://127.0.0.1:${server.address().port}/index.html`);
  await page.waitForFunction(() => window.ready === true, null, { timeout: 60000 });
  for (const c of CASES) {
    const native = join(work, `${c.name}-native.png`);
    execFileSync(weft, ['run', ...c.args, '--overwrite', '--quiet', '-o', native], { stdio: 'inherit' });
    const expected = raw(native);
    const inputs = Object.entries(c.inputs).map(([port, png]) => ({ port, width: W, height: H, rgba: raw(png) }));
    const parameters = Object.entries(c.parameters).map(([id, f]) => `${JSON.stringify(id)}: ${f}`).join(', ');
    const got = await page.evaluate(`window.runPlugin(${JSON.stringify(c.name)}, ${JSON.stringify(inputs)}, { ${parameters} })`);
    if (got.errors.length) fail(`${c.name}: WebGPU errors in the page: ${got.errors.join('; ')}`);
    if (got.rgba.length !== expected.length) fail(`${c.name}: the page made ${got.width}x${got.height}, weft ${expected.length / 4} pixels`);
    let worst = 0, differs = 0;
    for (let i = 0; i < expected.length; ++i) {
      const d = Math.abs(expected[i] - got.rgba[i]);
      worst = Math.max(worst, d);
      if (d > 0) ++differs;
    }
    writeFileSync(join(work, `${c.name}-page.raw`), Buffer.from(got.rgba));
    ffmpeg(['-f', 'rawvideo', '-pix_fmt', 'rgba', '-s', `${got.width}x${got.height}`, '-i', join(work, `${c.name}-page.raw`),
      join(work, `${c.name}-page.png`)]);
    if (new Set(got.rgba).size < 16) fail(`${c.name}: the page's picture is flat`);
    if (worst > 1) fail(`${c.name}: the page differs from weft by up to ${worst}/255 (${differs} of ${expected.length} values)`);
    console.log(`${c.name} in Chromium: largest difference ${worst}/255, ${differs} of ${expected.length} values differ`);
  }
} finally {
  await browser.close();
  server.close();
}
console.log('browser test: passed');
