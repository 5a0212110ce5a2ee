import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';

/** Switches of the package with which pages may do what they may not do in the browsers of people. */
const LAX = ['--disable-web-security', '--allow-running-insecure-content'];

/**
 * Pages are drawn without a graphics card, which would be computed: half of the processor time of a test. What
 * asks for WebGL still gets it.
 */
const PLAIN_PAGES = '--disable-gpu-compositing';

/**
 * Starts a browser: that of OVERGRAPH_CHROMIUM, else the one of a package, which has a browser for Linux
 * alone. Gives the reason where there is none.
 */
export async function launchBrowser(): Promise<Browser | string> {
  const own = process.env.OVERGRAPH_CHROMIUM;
  const isSupported = process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch);
  if (own === undefined && !isSupported) {
    return 'no browser on this platform: OVERGRAPH_CHROMIUM names one';
  }
  const { chromium } = await import('playwright-core');
  if (own !== undefined) {
    return chromium.launch({ executablePath: own, args: ['--no-sandbox'] });
  }
  // With these the package unpacks the libraries that a bare machine lacks, too.
  process.env.AWS_EXECUTION_ENV ??= 'AWS_Lambda_nodejs22.x';
  process.env.AWS_LAMBDA_JS_RUNTIME ??= 'nodejs22.x';
  const { default: packed } = await import('@sparticuz/chromium');
  const args = [...packed.args.filter((each) => !LAX.includes(each)), PLAIN_PAGES];
  return chromium.launch({ executablePath: await unpackedProgram(packed), args });
}

/** The package unpacks into the folder for temporary files, if its program is not there. */
interface Packed {
  executablePath(): Promise<string>;
}

const PROGRAM = 'chromium';

/**
 * Gives the program of the package. Several runs may need it first at once, and one may be interrupted:
 * so each unpacks into a folder of its own, and the program gets its place when all of it is there.
 */
async function unpackedProgram(packed: Packed): Promise<string> {
  const place = tmpdir();
  const program = join(place, PROGRAM);
  if (existsSync(program)) return program;
  const draft = await mkdtemp(join(place, 'overgraph-chromium-'));
  try {
    await unpackInto(draft, packed);
    const others = (await readdir(draft)).filter((name) => name !== PROGRAM);
    for (const name of [...others, PROGRAM]) await moveIfMissing(name, draft, place);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return program;
}

async function unpackInto(folder: string, packed: Packed): Promise<void> {
  const { TMPDIR } = process.env;
  process.env.TMPDIR = folder;
  try {
    await packed.executablePath();
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  }
}

async function moveIfMissing(name: string, from: string, to: string): Promise<void> {
  const target = join(to, name);
  if (existsSync(target)) return;
  await rename(join(from, name), target).catch((error: unknown) => {
    // Another run was faster.
    if (!existsSync(target)) throw error;
  });
}
