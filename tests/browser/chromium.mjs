// SPDX-License-Identifier: Apache-2.0
// Headless Chromium with WebGPU on its software adapter; each flag is needed where there is no GPU.
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const FLAGS = ['--headless=new', '--no-sandbox', '--disable-dev-shm-usage', '--enable-unsafe-webgpu', '--enable-features=Vulkan',
  '--use-vulkan=swiftshader', '--use-angle=swiftshader', '--disable-background-networking', '--disable-component-update', '--disable-sync',
  '--no-first-run', '--disable-quic'];

// tools: the folder that tools/browser-tools prints.
export async function launch(tools) {
  const { chromium } = createRequire(join(resolve(tools), 'node_modules', 'x.js'))('playwright-core');
  return chromium.launch({ executablePath: '/usr/bin/chromium', headless: false, args: FLAGS, timeout: 180000 });
}
