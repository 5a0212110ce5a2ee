import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  finishRollover,
  openKeyDirectory,
  readKeyFiles,
  rollOver,
  writeKeyFiles,
} from '../../../src/trust/pki/index.js';
import { isFiles } from '../../../src/data/store/snapshot/format.js';
import { load, NOW, temporaryFolder } from './support.js';

/** The key material that goes into a snapshot and comes out of it again. */

const OWNER_ONLY = { allowOpen: false };
let folder: string;

beforeEach(async () => {
  folder = await temporaryFolder();
  await load(folder);
});

async function contentOf(directory: string): Promise<Record<string, string>> {
  const names = (await readdir(directory)).sort();
  const contents = await Promise.all(names.map((name) => readFile(join(directory, name), 'hex')));
  return Object.fromEntries(names.map((name, i) => [name, contents[i] ?? '']));
}

describe('the key material in a snapshot', () => {
  it.each([
    ['as it was made', []],
    ['during a rollover of the signer', ['signer']],
    ['during a rollover of the root', ['root']],
    ['after a rollover of the root', ['root', 'finish']],
  ] as const)('is all of it, %s', async (_, steps) => {
    const directory = await openKeyDirectory(folder);
    for (const step of steps) {
      if (step === 'finish') await finishRollover(directory);
      else await rollOver(directory, step, NOW);
    }
    const there = await load(folder);
    const files = await readKeyFiles(folder, OWNER_ONLY);
    expect(
      isFiles({ files: Object.fromEntries(Object.keys(files).map((name) => [name, ''])) }),
    ).toBe(true);
    const other = join(await temporaryFolder(), 'pki');
    await writeKeyFiles(other, files, OWNER_ONLY);
    expect(await contentOf(other)).toStrictEqual(await contentOf(folder));
    const here = await load(other);
    expect(here.caBundlePem).toBe(there.caBundlePem);
    expect(here.predecessors).toStrictEqual(there.predecessors);
    expect(here.keyCheck).toBe(there.keyCheck);
  });

  it('is nothing else that lies there', async () => {
    await writeFile(join(folder, 'notes.json'), '{}');
    await writeFile(join(folder, 'own.key'), 'x', { mode: 0o600 });
    expect(Object.keys(await readKeyFiles(folder, OWNER_ONLY)).sort()).toStrictEqual(
      (await readdir(folder)).filter((name) => !/^(notes|own)/.test(name)).sort(),
    );
  });

  it('is refused when others can read it, unless that is meant', async () => {
    await chmod(join(folder, 'signer.key'), 0o644);
    await expect(readKeyFiles(folder, OWNER_ONLY)).rejects.toThrow('for its owner alone');
    expect(await readKeyFiles(folder, { allowOpen: true })).toHaveProperty(['signer.key']);
  });
});
