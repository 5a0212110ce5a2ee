/**
 * `node scripts/console/screenshots.mjs [folder]`: takes the pictures of the console for the documents (default:
 * `docs/images`). It starts a controller of its own, loads the example company, and opens the pages in the
 * browser of the tests.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { register } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { prepare } from '../prepare.mjs';
import { root, say } from '../run.mjs';
import { smallPng } from './small-png.mjs';

const VIEW = { width: 1400, height: 850 };
const PATIENCE_MS = 120_000;
const PAUSE_MS = 1_000;
const MAX_LOOKS = 20;

await prepare({ console: true });
const { idOf } = await import('../../dist/src/programs/demo/demo-change.js');

const draft = [
  removal('Open house'),
  removal('Payroll help'),
  { operation: 'delete', type: 'Service', id: idOf('service', 'fax-gateway'), name: 'fax-gateway' },
];
const operator = idOf('identity', 'Ines Calloway');
const consoles = idOf('service', 'router-consoles');

/** The pictures: a name, an address, and what is there when the page is complete. */
const PICTURES = [
  ['overview', '/'],
  ['map', '/map?nodes=60', '[role=application][aria-busy=false]'],
  ['ask', `/ask?identity=${operator}&service=${consoles}`, 'role=status[name="Answer"]'],
  ['entities', '/entities/identities', '[aria-rowindex="2"]'],
  ['draft', `/draft#${Buffer.from(JSON.stringify(draft)).toString('base64')}`, 'main table'],
  ['findings', '/findings', '[aria-rowindex="2"], main table'],
];

function removal(name) {
  return { operation: 'delete', type: 'ServicePolicy', id: idOf('servicePolicy', name), name };
}

const output = resolve(process.argv[2] ?? join(root, 'docs/images'));
const data = mkdtempSync(join(tmpdir(), 'overgraph-pictures-'));
// As root, PostgreSQL runs as another account, which has to pass through.
chmodSync(data, 0o711);
const port = await freePort();
const controller = startController();
try {
  await isReady();
  await run('dist/program/overgraph.js', 'demo', '--url', `https://localhost:${port}`);
  await takePictures();
} finally {
  if (controller.exitCode === null) {
    controller.kill('SIGTERM');
    await once(controller, 'exit');
  }
  rmSync(data, { recursive: true, force: true });
}

function environment() {
  const { PATH, HOME } = process.env;
  return { PATH, HOME, OVERGRAPH_DATA_DIR: data, OVERGRAPH_PORT: String(port) };
}

function startController() {
  return spawn(process.execPath, ['dist/program/main.js'], {
    cwd: root,
    env: { ...environment(), OVERGRAPH_LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function isReady() {
  let printed = '';
  const ended = once(controller, 'exit').then(() => {
    throw new Error(`the controller did not start: ${printed}`);
  });
  const ready = new Promise((done) => {
    controller.stdout.on('data', (chunk) => {
      printed += chunk;
      if (printed.includes('is ready on')) done();
    });
  });
  await Promise.race([ready, ended]);
  ended.catch(() => undefined);
}

async function run(...args) {
  const child = spawn(process.execPath, args, { cwd: root, env: environment(), stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`);
}

async function takePictures() {
  // The tests are written in TypeScript, and so is what starts their browser.
  register('../../test/support/native/hooks.mjs', import.meta.url);
  const { launchBrowser } = await import('../../test/console/chromium.ts');
  const browser = await launchBrowser();
  if (typeof browser === 'string') throw new Error(browser);
  mkdirSync(output, { recursive: true });
  try {
    const page = await browser.newPage({
      viewport: VIEW,
      ignoreHTTPSErrors: true,
      colorScheme: 'light',
      reducedMotion: 'reduce',
    });
    page.setDefaultTimeout(PATIENCE_MS);
    await logIn(page);
    for (const [name, path, sign] of PICTURES) await takePicture(page, { name, path, sign });
  } finally {
    await browser.close();
  }
}

function addressOf(path) {
  return `https://127.0.0.1:${port}/console${path}`;
}

async function logIn(page) {
  await page.goto(addressOf('/'));
  await page.getByLabel('Name').fill('admin');
  const password = readFileSync(join(data, 'admin-password'), 'utf8').trim();
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
}

async function takePicture(page, { name, path, sign = 'main h1' }) {
  // A new fragment alone would load no page.
  await page.goto('about:blank');
  await page.goto(addressOf(path));
  await page.locator('main h1').first().waitFor();
  await page.locator(sign).first().waitFor();
  await page.getByText('Loading', { exact: true }).first().waitFor({ state: 'detached' });
  const file = join(output, `${name}.png`);
  const picture = smallPng(await settledPicture(page));
  writeFileSync(file, picture);
  say(`${file}: ${Math.ceil(picture.length / 1024)} kB`);
}

/** Gives the page as it looks when it changes no more, or after some time. */
async function settledPicture(page) {
  let picture = await page.screenshot({ animations: 'disabled' });
  for (let i = 0; i < MAX_LOOKS; i += 1) {
    await page.waitForTimeout(PAUSE_MS);
    const later = await page.screenshot({ animations: 'disabled' });
    if (later.equals(picture)) break;
    picture = later;
  }
  return picture;
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const free = server.address().port;
  server.close();
  await once(server, 'close');
  return free;
}
