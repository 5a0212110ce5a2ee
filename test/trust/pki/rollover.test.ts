import { beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync, spawnSync } from 'node:child_process';
import type { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { decodeProtectedHeader } from 'jose';
import { verifyClientChain } from '../../../src/trust/auth/certificate/index.js';
import { enrollmentTokens, signingKeySet } from '../../../src/trust/enrollment/index.js';
import {
  caBundlePkcs7,
  finishRollover,
  fingerprint,
  issueFromCsr,
  LiveKeys,
  openKeyDirectory,
  parseCertificatePem,
  rollOver,
  type KeyMaterial,
} from '../../../src/trust/pki/index.js';
import type { KeyDirectory } from '../../../src/trust/pki/key-directory.js';
import { StartError } from '../../../src/base/start-error.js';
import { serveHttps } from '../../support/https-server.js';
import { makeCsr } from './certificates.js';
import { after, load, makeRoot, NOW, pemFiles, temporaryFolder } from './support.js';

/** What a rollover of the generated authorities does to those who trust the old ones, and the new. */

let folder: string;
let directory: KeyDirectory;
let before: KeyMaterial;

beforeEach(async () => {
  folder = await temporaryFolder();
  before = await load(folder);
  directory = await openKeyDirectory(folder);
});

interface Client {
  readonly alone: readonly Buffer[];
  readonly chain: readonly Buffer[];
  readonly chainPem: string;
}

async function enroll(keys: KeyMaterial): Promise<Client> {
  const issued = await issueFromCsr({
    csrPem: await makeCsr(),
    signer: keys,
    profile: { kind: 'identity', identityId: 'ada' },
    now: NOW,
  });
  const chain = parseCertificatePem(issued.chainPem).map(({ raw }) => raw);
  return { alone: chain.slice(0, 1), chain, chainPem: issued.chainPem };
}

/** How a controller with the keys takes the client: with its chain, and with its leaf alone. */
const taken = (keys: KeyMaterial, { chain, alone }: Client): boolean[] =>
  [chain, alone].map(
    (presented) => verifyClientChain({ presented, own: keys, thirdParty: [], now: NOW }).verified,
  );

const prints = (certificates: readonly X509Certificate[]): string[] =>
  certificates.map((certificate) => fingerprint(certificate));

describe.each(['signer', 'root'] as const)('a rollover of the %s', (what) => {
  it('keeps both trusted and handed out until it is finished', async () => {
    const old = await enroll(before);
    await rollOver(directory, what, NOW);
    const during = await load(folder);
    const fresh = await enroll(during);
    expect(prints([during.signer.cert])).not.toEqual(prints([before.signer.cert]));
    expect(during.rootFingerprint === before.rootFingerprint).toBe(what === 'signer');
    expect([taken(during, old), taken(during, fresh)]).toEqual([
      [true, true],
      [true, true],
    ]);
    const all = prints([during.root, during.signer.cert, before.root, before.signer.cert]);
    expect(new Set(prints(during.authorities))).toEqual(new Set(all));
    expect(prints(during.authorities)[0]).toBe(during.rootFingerprint);
    for (const one of [before.root, before.signer.cert, during.signer.cert, during.root]) {
      expect(during.caBundlePem).toContain(one.toString());
      const pkcs7 = Buffer.from(caBundlePkcs7(during.authorities), 'base64');
      expect(pkcs7.includes(one.raw)).toBe(true);
    }
    // A controller that has not seen it yet takes clients of one that has.
    expect(taken(before, fresh)[0]).toBe(true);

    await finishRollover(directory);
    const finished = await load(folder);
    expect(prints(finished.authorities)).toEqual(prints([during.root, during.signer.cert]));
    expect([taken(finished, old), taken(finished, fresh)]).toEqual([
      [false, false],
      [true, true],
    ]);
  });

  it('reissues the server certificate for the same key and trust domain', async () => {
    await rollOver(directory, what, NOW);
    const during = await load(folder);
    expect(during.server.privateKeyPem).toBe(before.server.privateKeyPem);
    expect(during.server.leaf.verify(during.signer.cert.publicKey)).toBe(true);
    expect(during.trustDomain).toBe(before.rootFingerprint);
    await finishRollover(directory);
    const { trustDomain, server } = await load(folder);
    expect([trustDomain, server.privateKeyPem]).toEqual([
      before.rootFingerprint,
      before.server.privateKeyPem,
    ]);
    expect(server.leaf.subjectAltName).toContain(`spiffe://${before.rootFingerprint}/controller/`);
  });

  it('keeps the keys of earlier tokens in the key set', async () => {
    const tokens = (keys: KeyMaterial) =>
      enrollmentTokens({ keyMaterial: () => keys, advertise: 'a:1', clock: () => NOW });
    const { kid } = decodeProtectedHeader(tokens(before).caJwt('ca1'));
    await rollOver(directory, what, NOW);
    await load(folder);
    await finishRollover(directory);
    const now = await load(folder);
    const { keys } = signingKeySet(now) as { keys: { kid: string; x: string; y: string }[] };
    expect(keys.map((key) => key.kid)).toEqual([fingerprint(now.server.leaf), kid]);
    expect([keys[0]?.x, keys[0]?.y]).toEqual([keys[1]?.x, keys[1]?.y]);
  });

  it('is taken up by a running controller, and so is its end', async () => {
    const read = () => load(folder, { isInUse: true });
    const keys = new LiveKeys({ first: before, load: read, accept: () => Promise.resolve() });
    await rollOver(directory, what, NOW);
    expect([await keys.refresh(), await keys.refresh()]).toEqual([true, false]);
    expect(prints(keys.current.authorities)).toHaveLength(what === 'root' ? 4 : 3);
    await finishRollover(directory);
    expect([await keys.refresh(), await keys.refresh()]).toEqual([true, false]);
    expect(prints(keys.current.authorities)).toHaveLength(2);
  });

  it('leaves the old or the new authorities in force, whenever it is killed', async () => {
    const writes = what === 'root' ? 6 : 3;
    for (let survived = 0; survived <= writes; survived++) {
      const copy = await temporaryFolder();
      await cp(folder, copy, { recursive: true });
      const own = await openKeyDirectory(copy);
      const attempt = rollOver(dyingAfter(own, survived), what, NOW);
      if (survived < writes) await expect(attempt).rejects.toThrow('killed');
      else await attempt;
      const left = await load(copy);
      const isNew = survived === writes;
      expect(left.signer.cert.raw.equals(before.signer.cert.raw)).toBe(!isNew);
      expect(left.signer.cert.verify(left.root.publicKey)).toBe(true);
      expect(left.server.leaf.verify(left.signer.cert.publicKey)).toBe(true);
      if (isNew) continue;
      await rollOver(own, what, NOW);
      await finishRollover(own);
      expect((await own.list()).filter((name) => name.endsWith('.key')).sort()).toHaveLength(4);
    }
  });

  it('is finished by a second attempt when the first is killed', async () => {
    await rollOver(directory, what, NOW);
    const old = await enroll(before);
    for (const survived of what === 'root' ? [1, 2] : [1]) {
      const copy = await temporaryFolder();
      await cp(folder, copy, { recursive: true });
      const own = await openKeyDirectory(copy);
      await expect(finishRollover(dyingAfter(own, survived))).rejects.toThrow('killed');
      expect(taken(await load(copy), old)).toEqual([false, false]);
      await finishRollover(own);
      expect((await own.list()).filter((name) => name.endsWith('.key'))).toHaveLength(4);
      await expect(finishRollover(own)).rejects.toThrow('no rollover is under way');
    }
  });
});

/** The directory of a process that is killed after so many changes. */
function dyingAfter(living: KeyDirectory, changes: number): KeyDirectory {
  let left = changes;
  const lives = (): void => {
    if (left-- === 0) throw new Error('killed');
  };
  return {
    ...living,
    write: async (name, content) => {
      lives();
      await living.write(name, content);
    },
    remove: async (name) => {
      lives();
      await living.remove(name);
    },
  };
}

describe('a new root', () => {
  it('comes from the old one by its signature, over any number of rollovers', async () => {
    const roots = [before.rootFingerprint];
    for (let i = 0; i < 3; i++) {
      await rollOver(directory, 'root', NOW);
      const { rootFingerprint, predecessors, firstRoot, trustDomain } = await load(folder);
      expect(predecessors).toEqual(roots);
      expect([firstRoot, trustDomain]).toEqual([before.rootFingerprint, before.rootFingerprint]);
      roots.unshift(rootFingerprint);
      await finishRollover(directory);
      expect((await load(folder)).predecessors).toEqual(roots.slice(1));
    }
  });

  it('does not come from a root that did not sign it', async () => {
    await rollOver(directory, 'root', NOW);
    const stranger = await makeRoot('P-256', 'stranger');
    await writeFile(join(folder, 'root.pem'), stranger.cert.toString());
    expect((await load(folder)).predecessors).toEqual([]);
  });

  const suite = spawnSync('openssl', ['version']).status === 0 ? it : it.skip;

  suite('lets clients connect that trust the old one alone, or the new one alone', async () => {
    // Real clients have the real time.
    const place = await temporaryFolder();
    const clock = () => new Date();
    const old = await load(place, { clock });
    await rollOver(await openKeyDirectory(place), 'root', clock());
    const keys = await load(place, { clock });
    const server = await serveHttps(
      (_, response) => response.end(),
      new LiveKeys({
        first: keys,
        load: () => Promise.resolve(keys),
        accept: () => Promise.resolve(),
      }),
    );
    try {
      const { port } = server;
      const stranger = await load(await temporaryFolder(), { clock });
      const verdict = async ({ root }: KeyMaterial): Promise<boolean> => {
        const ca = root.toString();
        const socket = connect({
          port,
          host: '127.0.0.1',
          servername: 'controller.example.com',
          ca,
        });
        const isTrusted = await once(socket, 'secureConnect').then(
          () => socket.authorized,
          () => false,
        );
        socket.destroy();
        return isTrusted;
      };
      expect([await verdict(old), await verdict(keys), await verdict(stranger)]).toEqual([
        true,
        true,
        false,
      ]);
    } finally {
      server.close();
    }
    const client = await issueFromCsr({
      csrPem: await makeCsr(),
      signer: keys,
      profile: { kind: 'identity', identityId: 'ada' },
      now: clock(),
    });
    const [leaf, ...others] = parseCertificatePem(client.chainPem);
    const at = (name: string): string => join(place, name);
    await writeFile(at('client.crt'), leaf.toString());
    await writeFile(at('chain.crt'), others.map(String).join(''));
    for (const [name, { root }] of Object.entries({ old, keys })) {
      await writeFile(at(`${name}.crt`), root.toString());
      const args = ['-CAfile', at(`${name}.crt`), '-untrusted', at('chain.crt'), at('client.crt')];
      const told = execFileSync('openssl', ['verify', '-x509_strict', ...args]).toString();
      expect(told).toContain('client.crt: OK');
    }
  });
});

describe('a rollover', () => {
  it('waits until the one before is finished', async () => {
    await rollOver(directory, 'signer', NOW);
    for (const what of ['signer', 'root'] as const) {
      const attempt = rollOver(directory, what, NOW);
      await expect(attempt).rejects.toThrow(StartError);
      await expect(attempt).rejects.toThrow(/under way since 2026-11-20.*rollover finish/);
    }
  });

  it('needs a generated signer', async () => {
    const empty = await openKeyDirectory(await temporaryFolder());
    await expect(rollOver(empty, 'root', NOW)).rejects.toThrow(/no signer was generated/);
    await expect(finishRollover(empty)).rejects.toThrow('no rollover is under way');
    expect(await empty.list()).toEqual([]);
  });

  it('of which the old signer has ended does not stop a start', async () => {
    const nearEnd = after(10 * 365 - 30);
    await rollOver(directory, 'signer', nearEnd);
    const { authorities } = await load(folder, { clock: () => after(10 * 365 + 1) });
    expect(prints(authorities)).not.toContain(fingerprint(before.signer.cert));
  });

  it('gives no signer that outlives its root', async () => {
    await rollOver(directory, 'signer', after(15 * 365));
    const { signer, root } = await load(folder, { clock: () => after(15 * 365) });
    expect(signer.cert.validTo).toBe(root.validTo);
  });

  it.each(['nonsense', '{}', '{"version":1,"generation":1,"roots":["../x"],"signer":"signer"}'])(
    'is not read from a damaged record: %s',
    async (text) => {
      await writeFile(join(folder, 'authorities.json'), text);
      await expect(load(folder)).rejects.toThrow(/authorities\.json is damaged/);
    },
  );
});

describe('a configured signer', () => {
  it('may follow another one under a root that the old root certified', async () => {
    // What an operator makes by hand is what a rollover makes here.
    const made = await temporaryFolder();
    const old = await load(made);
    await rollOver(await openKeyDirectory(made), 'root', NOW);
    const next = await load(made);
    const cross = next.intermediates.slice(1);
    const files = await pemFiles({
      signerCert: [next.signer.cert, next.root],
      signerKey: next.signer.privateKey,
      caBundle: [old.root, old.signer.cert, ...cross],
    });
    const keys = await load(await temporaryFolder(), { files });
    expect(keys.rootFingerprint).toBe(next.rootFingerprint);
    expect(keys.predecessors).toEqual([old.rootFingerprint]);
    expect(keys.trustDomain).toBe(old.rootFingerprint);
    expect(keys.server.certificateChainPem).toContain(String(cross[0]));
    expect(taken(keys, await enroll(old))).toEqual([true, true]);
  });
});
