import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const START = `
  import { register } from 'node:module';
  register(${JSON.stringify(new URL('../../support/native/hooks.mjs', import.meta.url).href)});
  const { launchBrowser } = await import(${JSON.stringify(new URL('../chromium.ts', import.meta.url).href)});
  const browser = await launchBrowser();
  if (typeof browser !== 'string') {
    process.stdout.write(browser.version());
    await browser.close();
  }
`;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'overgraph-first-browser-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const isOfPackage = process.platform === 'linux' && process.env.OVERGRAPH_CHROMIUM === undefined;

(isOfPackage ? test : test.skip)(
  'starts in several processes at once on a machine where it was never unpacked',
  async () => {
    const args = ['--input-type=module', '-e', START];
    const env = { ...process.env, TMPDIR: folder };
    const starts = [1, 2, 3].map(() => promisify(execFile)(process.execPath, args, { env }));
    const versions = (await Promise.all(starts)).map(({ stdout }) => stdout);
    expect(versions).toEqual([1, 2, 3].map(() => expect.stringMatching(/^\d+\.\d+/)));
    const left = (await readdir(folder)).filter((name) => name.startsWith('overgraph-'));
    expect(left).toEqual([]);
  },
);
