// SPDX-License-Identifier: Apache-2.0
// chromium.mjs TOOLS CASES: runs the cases of a JSON file in headless Chromium and prints one line of JSON a case.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

import { launch } from '../browser/chromium.mjs';

const [tools, cases] = process.argv.slice(2);
const here = new URL('.', import.meta.url).pathname;
const FILES = { '/': ['page.html', 'text/html'], '/page.js': ['page.js', 'text/javascript'] };
const server = createServer((request, response) => {
  const file = FILES[request.url];
  if (!file) return response.writeHead(404).end();
  response.writeHead(200, { 'content-type': file[1] }).end(readFileSync(join(here, file[0])));
}).listen(0, '127.0.0.1');
await new Promise((listening) => server.once('listening', listening));

const browser = await launch(tools);
try {
  const page = await browser.newPage();
  page.setDefaultTimeout(180000);
  page.on('pageerror', (error) => console.error(`page error: ${error}`));
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  await page.waitForFunction(() => window.ready === true);
  for (const test of JSON.parse(readFileSync(cases))) console.log(JSON.stringify(await page.evaluate((t) => window.runCase(t), test)));
} finally {
  await browser.close();
  server.close();
}
