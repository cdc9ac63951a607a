// What the browser tests share: a server, a browser, and a word for what should be true.
//   node live.mjs PRONK          PRONK: the command that was built
// A test that cannot run here ends with status 77, which CTest counts as skipped.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
export const dist = process.env.PRONK_VIEWER ?? join(root, 'viewer', 'dist');
const pronk = process.argv[2] ?? join(root, 'build', 'pronk');
const patience = 40000; // ms that a slow machine gets until something becomes true
const endings = [];

export function skip(why) {
  console.log(`skipped: ${why}`);
  process.exit(77);
}

export function check(condition, what) {
  if (!condition) throw new Error(`expected that ${what}`);
}

export const near = (a, b, tolerance) => Math.abs(a - b) <= tolerance;
export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** A folder that is gone at the end. */
export function scratch() {
  const folder = mkdtempSync(join(tmpdir(), 'pronk-viewer-'));
  endings.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Run the command to its end. */
export function run(...words) {
  const env = { ...process.env, PRONK_VIEWER: dist };
  const done = spawnSync(pronk, words, { cwd: root, env, encoding: 'utf8', timeout: 120000 });
  check(done.status === 0, `pronk ${words.join(' ')} succeeds, it said: ${done.stderr}`);
  return done.stdout;
}

/** Start `pronk view`; resolves to {url, token, port, stop()}. */
export function view(...words) {
  const child = spawn(pronk, ['view', ...words, '--json', '--no-browser'], {
    cwd: root,
    env: { ...process.env, PRONK_VIEWER: dist },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stop = () =>
    new Promise((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) resolve();
      child.once('exit', resolve);
      child.kill('SIGTERM');
    });
  endings.push(stop);
  return new Promise((resolve, reject) => {
    let out = '',
      said = '';
    child.stdout.on('data', (data) => {
      out += data;
      if (out.includes('\n')) resolve({ ...JSON.parse(out.slice(0, out.indexOf('\n'))), stop });
    });
    child.stderr.on('data', (data) => {
      said += data;
    });
    child.on('exit', (code) => {
      if (said.includes('without the viewer')) skip('pronk was built without libwebsockets');
      reject(new Error(`pronk view ended with ${code}: ${said}`));
    });
    child.on('error', reject);
  });
}

/** Skip unless everything that a browser test needs is here. */
export function needs() {
  const modules = join(root, 'viewer', 'node_modules', 'playwright-core', 'index.mjs');
  const chromium = process.env.PRONK_CHROMIUM ?? '/usr/bin/chromium';
  if (!existsSync(join(dist, 'index.html'))) skip('the viewer is not built (scripts/viewer)');
  if (!existsSync(modules)) skip('viewer/node_modules is not there (scripts/viewer fills it)');
  if (!existsSync(chromium)) skip(`there is no ${chromium} (install chromium, or set PRONK_CHROMIUM)`);
  return { modules, chromium };
}

/** Chromium, drawing in software; or not at all. */
export async function browser({ draws = true } = {}) {
  const { modules, chromium: executablePath } = needs();
  const { chromium } = await import(pathToFileURL(modules));
  const args = draws
    ? ['--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist']
    : ['--disable-3d-apis'];
  if (process.getuid?.() === 0) args.push('--no-sandbox');
  // It is killed when this process ends: to close it in peace can take long when it draws in software.
  return chromium.launch({ executablePath, args });
}

/** A page that keeps what it complained of in `page.complaints`, and what it sent in `page.sent`. */
export async function open(from, url, options = {}) {
  const page = await from.newPage({ viewport: { width: 840, height: 420 }, ...options });
  page.setDefaultTimeout(patience);
  page.complaints = [];
  page.sent = [];
  page.on('console', (message) => message.type() === 'error' && page.complaints.push(message.text()));
  page.on('pageerror', (error) => page.complaints.push(error.message));
  page.on('websocket', (socket) =>
    socket.on('framesent', ({ payload }) => {
      if (typeof payload === 'string') page.sent.push(JSON.parse(payload));
    }),
  );
  await page.goto(url);
  return page;
}

/** Wait until an expression in the page is true. (The page's policy forbids eval, which waitForFunction uses.) */
export async function until(page, expression, what) {
  for (const end = Date.now() + patience; Date.now() < end; await sleep(50)) {
    if (await page.evaluate(expression)) return;
  }
  const state = await page.evaluate('JSON.stringify({...window.pronk, bodies: undefined})').catch(() => '');
  throw new Error(`expected that ${what} (${expression}); the page says ${state} ${page.complaints}`);
}

/** The viewer with its first frames. */
export async function openViewer(from, url, options) {
  const page = await open(from, url, options);
  await until(page, 'window.pronk && pronk.connected && pronk.frames > 0 && pronk.drawn > 0', 'the page shows a robot');
  return page;
}

/** Pixels of a PNG, counted by the browser: how many colours there are. */
export async function colours(from, png) {
  const page = await from.newPage();
  const count = await page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    const picture = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const canvas = new OffscreenCanvas(picture.width, picture.height);
    const context = canvas.getContext('2d');
    context.drawImage(picture, 0, 0);
    return new Set(new Uint32Array(context.getImageData(0, 0, picture.width, picture.height).data.buffer)).size;
  }, png.toString('base64'));
  await page.close();
  return count;
}

/** Run the tests of a file, one after the other; each name is a sentence. */
export async function tests(list) {
  let failed = 0;
  for (const [name, body] of Object.entries(list)) {
    const start = Date.now();
    try {
      await body();
      console.log(`ok      ${name} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
    } catch (error) {
      failed++;
      console.log(`failed  ${name}\n        ${error.message}`);
    }
  }
  for (const end of endings.reverse()) await end();
  process.exit(failed > 0 ? 1 : 0);
}
