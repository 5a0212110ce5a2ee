import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadKeyMaterial } from '../../../src/trust/pki/index.js';

/** `overgraph pki`: key material goes from one data directory to another. */

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'overgraph-pki-command-'));
  await makeKeys('first');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const dataDir = (name: string): string => join(folder, name);
const pkiOf = (name: string): string => join(dataDir(name), 'pki');

const makeKeys = (name: string) =>
  loadKeyMaterial({
    directory: pkiOf(name),
    advertiseHost: 'localhost',
    clock: () => new Date(),
  });

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const pki = (at: string, ...args: string[]): Promise<Ended> => pkiWith({}, at, ...args);

function pkiWith(more: Record<string, string>, at: string, ...args: string[]): Promise<Ended> {
  const program = [join(process.cwd(), 'dist/program/overgraph.js'), 'pki', ...args];
  const env = { PATH: process.env.PATH, OVERGRAPH_DATA_DIR: dataDir(at), ...more };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, program, { env, cwd: folder }, (_, out, err) => {
      resolve({ code: child.exitCode ?? -1, out, err });
    });
  });
}

async function contents(name: string): Promise<Record<string, string>> {
  const files = await readdir(pkiOf(name));
  const read = files.map(
    async (file) => [file, await readFile(join(pkiOf(name), file), 'base64')] as const,
  );
  return Object.fromEntries(await Promise.all(read));
}

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

describe('key material', () => {
  test('is brought to another data directory, for the owner alone', async () => {
    expect((await pki('first', 'export', 'whole.json')).code).toBe(0);
    expect(await modeOf(join(folder, 'whole.json'))).toBe(0o600);
    expect((await pki('second', 'import', 'whole.json')).code).toBe(0);
    expect(await contents('second')).toEqual(await contents('first'));
    expect(await modeOf(pkiOf('second'))).toBe(0o700);
    for (const file of await readdir(pkiOf('second'))) {
      expect(await modeOf(join(pkiOf('second'), file))).toBe(0o600);
    }
    // The same again changes nothing.
    expect((await pki('second', 'import', 'whole.json')).code).toBe(0);
    const [one, other] = [await makeKeys('first'), await makeKeys('second')];
    expect([other.rootFingerprint, other.keyCheck]).toEqual([one.rootFingerprint, one.keyCheck]);
  });

  test('is never put over other key material', async () => {
    await makeKeys('third');
    const before = await contents('third');
    expect((await pki('first', 'export', 'for-third.json')).code).toBe(0);
    const { code, err } = await pki('third', 'import', 'for-third.json');
    expect({ code, err }).toEqual({
      code: 2,
      err: expect.stringContaining('move that folder away'),
    });
    expect(await contents('third')).toEqual(before);
  });

  test('is never written over a file', async () => {
    await writeFile(join(folder, 'taken'), 'mine');
    const { code, err } = await pki('first', 'export', 'taken');
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('EEXIST') });
    expect(await readFile(join(folder, 'taken'), 'utf8')).toBe('mine');
  });

  test('is shown without anything secret', async () => {
    const { code, out } = await pki('first', 'show');
    expect(code).toBe(0);
    for (const name of ['root', 'signer', 'server']) {
      const pem = await readFile(join(pkiOf('first'), `${name}.pem`));
      const print = new X509Certificate(pem).fingerprint.replaceAll(':', '').toLowerCase();
      expect(out).toMatch(new RegExp(`^${name} .*${print}$`, 'm'));
    }
    expect(out).not.toContain('PRIVATE');
  });

  test.each([
    ['no JSON', 'nonsense'],
    ['another document', '{"overgraphKeyMaterial":2,"files":{}}'],
    ['a file outside the folder', '{"overgraphKeyMaterial":1,"files":{"../x":"AA=="}}'],
  ])('is not read from %s', async (_, text) => {
    await writeFile(join(folder, 'bad.json'), text);
    const { code, err } = await pki('fourth', 'import', 'bad.json');
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('was not written by') });
  });

  test.each([
    [[]],
    [['rotate']],
    [['export']],
    [['import', 'a', 'b']],
    [['show', 'a']],
    [['rollover']],
    [['rollover', 'leaf']],
  ])('needs a sound command line, not %j', async (args) => {
    const { code, err } = await pki('first', ...args);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(/^overgraph: pki/) });
  });

  test('must be there to be moved', async () => {
    const { code, err } = await pki('nowhere', 'export', 'nothing.json');
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('no key material') });
  });
});

describe('a rollover', () => {
  const signerOf = async (name: string) => (await makeKeys(name)).signer.cert.fingerprint256;

  test('is begun, shown, brought to another controller, and finished', async () => {
    await makeKeys('one');
    expect((await pki('one', 'export', 'initial.json')).code).toBe(0);
    expect((await pki('two', 'import', 'initial.json')).code).toBe(0);
    const old = await makeKeys('two');

    const begun = await pki('one', 'rollover', 'root');
    expect(begun).toMatchObject({ code: 0, err: '' });
    expect(begun.out).toContain('There is a new root.');
    expect((await pki('one', 'show')).out).toContain('is renewed when a controller takes up');
    const during = await makeKeys('one');
    const shown = (await pki('one', 'show')).out;
    for (const role of ['server', 'signer', 'root', 'old signer', 'old root']) {
      expect(shown).toMatch(new RegExp(`^${role} .*\\d+ days .*[0-9a-f]{40}$`, 'm'));
    }
    expect(shown).toMatch(/A rollover is under way since \d{4}-.*ends on \d{4}-\d\d-\d\d/s);

    expect((await pki('one', 'export', 'during.json')).code).toBe(0);
    expect((await pki('two', 'import', 'during.json')).code).toBe(0);
    const second = await makeKeys('two');
    expect(second.authorities.map(String)).toEqual(during.authorities.map(String));
    expect(second.predecessors).toEqual([old.rootFingerprint]);
    expect(second.server.privateKeyPem).toBe(during.server.privateKeyPem);

    expect((await pki('one', 'rollover', 'finish')).code).toBe(0);
    expect((await pki('one', 'export', 'finished.json')).code).toBe(0);
    expect((await pki('two', 'import', 'finished.json')).code).toBe(0);
    const [one, two] = [await makeKeys('one'), await makeKeys('two')];
    expect(two.authorities.map(String)).toEqual(one.authorities.map(String));
    expect(one.authorities).toHaveLength(2);
    const keysOf = async (name: string) =>
      (await readdir(pkiOf(name))).filter((file) => file.endsWith('.key')).sort();
    expect(await keysOf('two')).toEqual(await keysOf('one'));
    expect(await keysOf('two')).not.toContain('root.key');
    // What was exported before comes too late.
    const late = await pki('two', 'import', 'during.json');
    expect(late).toMatchObject({ code: 2, err: expect.stringContaining('a later rollover') });
  });

  test('of another controller is not put over one of its own', async () => {
    await makeKeys('left');
    await pki('left', 'export', 'left.json');
    await pki('right', 'import', 'left.json');
    await pki('left', 'rollover', 'signer');
    await pki('right', 'rollover', 'signer');
    const before = await signerOf('right');
    await pki('left', 'export', 'left-rolled.json');
    const { code, err } = await pki('right', 'import', 'left-rolled.json');
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('move that folder') });
    expect(await signerOf('right')).toBe(before);
  });

  test('is refused for a configured signer, with what to do instead', async () => {
    const configured = { OVERGRAPH_SIGNER_CERT: 'signer.pem' };
    const { code, err } = await pkiWith(configured, 'first', 'rollover', 'signer');
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('OVERGRAPH_CA_BUNDLE') });
  });

  test('leaves nothing where there are no keys', async () => {
    const { code, err } = await pki('nowhere', 'rollover', 'signer');
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('no signer was') });
    await expect(readdir(pkiOf('nowhere'))).rejects.toThrow('ENOENT');
  });
});
