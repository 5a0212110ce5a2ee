import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { createLocalJWKSet, decodeProtectedHeader, importX509, jwtVerify, type JWK } from 'jose';
import { enrollmentTokens, signingKeySet, signNonce } from '../../../src/trust/enrollment/index.js';
import { fingerprint, LiveKeys, type KeyMaterialOptions } from '../../../src/trust/pki/index.js';
import { serveHttps, type TestServer } from '../../support/https-server.js';
import {
  after,
  load,
  makeKey,
  makeRoot,
  makeServer,
  NOW,
  pemFiles,
  temporaryFolder,
} from './support.js';

/** Key material that changes under a running controller; the clock is that of the test. */

const HOST = 'controller.example.com';
const servers: TestServer[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
  }
});

interface Running {
  readonly directory: string;
  readonly keys: LiveKeys;
  /** What the test sets the clock to. */
  now: Date;
  /** A new connection that trusts the authorities in force. */
  connect(): Promise<TLSSocket>;
  /** The certificate that it shows. */
  shown(): Promise<string>;
}

async function running(options: Partial<KeyMaterialOptions> = {}): Promise<Running> {
  const directory = await temporaryFolder();
  const read = (isInUse: boolean) =>
    load(directory, { ...options, isInUse, clock: () => controller.now });
  const controller: Running = {
    directory,
    now: NOW,
    // Set below, once they can be read with the clock above.
    keys: undefined as unknown as LiveKeys,
    connect: () => Promise.reject(new Error('not listening')),
    shown: async () => {
      const socket = await controller.connect();
      const shown = socket.getPeerX509Certificate();
      socket.destroy();
      return shown ? fingerprint(shown) : 'nothing';
    },
  };
  const first = await read(false);
  const keys = new LiveKeys({ first, load: () => read(true), accept: () => Promise.resolve() });
  const server = await serveHttps((_, response) => response.end(), keys);
  servers.push(server);
  const { port } = server;
  return Object.assign(controller, {
    keys,
    connect: async () => {
      const ca = keys.current.caBundlePem;
      // The dates are those of the clock of the test, which Node does not know of.
      const socket = connect({
        port,
        host: '127.0.0.1',
        servername: HOST,
        ca,
        rejectUnauthorized: false,
      });
      await once(socket, 'secureConnect');
      return socket;
    },
  });
}

describe('the generated server certificate of a running controller', () => {
  it('is renewed when a third of its life is left, and served without a restart', async () => {
    const controller = await running();
    const before = controller.keys.current;
    controller.now = after(240);
    expect(await controller.keys.refresh()).toBe(false);
    const open = await controller.connect();

    controller.now = after(250);
    expect(await controller.keys.refresh()).toBe(true);
    const { server } = controller.keys.current;
    expect(fingerprint(server.leaf)).not.toBe(fingerprint(before.server.leaf));
    expect(server.privateKeyPem).toBe(before.server.privateKeyPem);
    expect(await controller.shown()).toBe(fingerprint(server.leaf));
    expect(Date.parse(server.leaf.validTo)).toBeGreaterThan(after(600).getTime());

    // A connection from before goes on.
    expect(open.destroyed).toBe(false);
    open.write(`GET / HTTP/1.1\r\nhost: ${HOST}\r\n\r\n`);
    expect(String((await once(open, 'data'))[0])).toMatch(/^HTTP\/1\.1 200/);
    open.destroy();
    expect(await controller.keys.refresh()).toBe(false);
  });

  it('is served without old protocols, as the first one was', async () => {
    const controller = await running();
    controller.now = after(250);
    await controller.keys.refresh();
    const socket = await controller.connect();
    expect(socket.getProtocol()).toBe('TLSv1.3');
    const remotePort = socket.remotePort ?? 0;
    socket.destroy();
    const old = connect({
      port: remotePort,
      host: '127.0.0.1',
      rejectUnauthorized: false,
      maxVersion: 'TLSv1.1',
      minVersion: 'TLSv1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    });
    await expect(once(old, 'secureConnect')).rejects.toThrow(/protocol/i);
  });

  it('signs under its new id, while tokens from before can still be checked', async () => {
    const controller = await running();
    const tokens = enrollmentTokens({
      keyMaterial: () => controller.keys.current,
      advertise: `${HOST}:1280`,
      clock: () => controller.now,
    });
    const mint = () => [
      tokens.caJwt('ca1'),
      tokens.networkJwt(),
      tokens.newEnrollment({ method: 'ott', subject: 'id1', lifetimeMs: 3_600_000 }).jwt,
    ];
    const minted = mint();
    for (const days of [250, 500, 750]) {
      controller.now = after(days);
      expect(await controller.keys.refresh()).toBe(true);
      const leaf = fingerprint(controller.keys.current.server.leaf);
      const fresh = mint();
      expect(fresh.map((jwt) => decodeProtectedHeader(jwt).kid)).toEqual([leaf, leaf, leaf]);
      minted.push(...fresh);
    }
    expect(tokens.networkJwt()).toBe(minted.at(-2));

    const { current } = controller.keys;
    const keySet = signingKeySet(current) as { keys: (JWK & { kid: string })[] };
    expect(keySet.keys.map(({ kid }) => kid)).toHaveLength(4);
    expect(keySet.keys[0]?.kid).toBe(fingerprint(current.server.leaf));
    const shownKey = await importX509(current.server.leaf.toString(), 'ES256');
    for (const jwt of minted) {
      // As whoever reads the key set checks it, and as clients do: with the certificate they are shown.
      await jwtVerify(jwt, createLocalJWKSet(keySet), { currentDate: NOW });
      await jwtVerify(jwt, shownKey, { currentDate: NOW });
      const { kid = '' } = decodeProtectedHeader(jwt);
      const nonce = '3b1f0c9e-8f4e-4d61-9b1c-2f8f1f0f4f10';
      expect(signNonce(current, kid, nonce)).toMatchObject({ kid, algorithm: 'ES256' });
    }
  });

  it('has a past of 16 certificates at most, which survives a restart', async () => {
    const controller = await running();
    for (let year = 1; year <= 18; year++) {
      const trustDomain = `renewed-${String(year)}`;
      await load(controller.directory, { trustDomain });
    }
    const { server } = await load(controller.directory, { trustDomain: 'renewed-18' });
    expect(server.formerLeaves).toHaveLength(16);
    expect(server.formerLeaves[0]?.subjectAltName).toContain('renewed-17');
  });
});

describe('configured files under a running controller', () => {
  const files = async (host = HOST) => {
    const root = await makeRoot('P-256');
    const server = await makeServer(root, 'P-256', host);
    const paths = await pemFiles({ tlsCert: [server.cert, root.cert], tlsKey: server.privateKey });
    return { paths, leaf: fingerprint(server.cert) };
  };
  const replace = async (
    old: Record<'tlsCert' | 'tlsKey', string>,
    by: Record<'tlsCert' | 'tlsKey', string>,
  ) => {
    await copyFile(by.tlsKey, old.tlsKey);
    await copyFile(by.tlsCert, old.tlsCert);
  };

  it('are taken up when they are replaced, and tokens under the old key are still listed', async () => {
    const [one, other] = [await files(), await files()];
    const controller = await running({ files: one.paths });
    expect(await controller.shown()).toBe(one.leaf);
    await replace(one.paths, other.paths);
    expect(await controller.keys.refresh()).toBe(true);
    expect(await controller.shown()).toBe(other.leaf);
    const { current } = controller.keys;
    const { keys } = signingKeySet(current) as { keys: { kid: string }[] };
    expect(keys.map(({ kid }) => kid)).toEqual([other.leaf, one.leaf]);
    // Nobody here can prove to hold the key that went away.
    const nonce = '3b1f0c9e-8f4e-4d61-9b1c-2f8f1f0f4f10';
    expect(() => signNonce(current, one.leaf, nonce)).toThrow();
    expect(signNonce(current, other.leaf, nonce).kid).toBe(other.leaf);
  });

  it.each<[string, (paths: Record<'tlsCert' | 'tlsKey', string>) => Promise<void>, RegExp]>([
    [
      'half of a pair',
      async (p) => copyFile((await files()).paths.tlsCert, p.tlsCert),
      /does not belong/,
    ],
    ['nonsense', (p) => writeFile(p.tlsKey, 'nonsense'), /holds no unencrypted private key/],
    [
      'a pair for another host',
      async (p) => replace(p, (await files('other.example.com')).paths),
      /not valid for the advertised host/,
    ],
  ])('stay in force when they are replaced by %s', async (_, spoil, reason) => {
    const { paths, leaf } = await files();
    const controller = await running({ files: paths });
    const intact = { cert: await readFile(paths.tlsCert), key: await readFile(paths.tlsKey) };
    await spoil(paths);
    await expect(controller.keys.refresh()).rejects.toThrow(reason);
    expect(await controller.shown()).toBe(leaf);
    await writeFile(paths.tlsCert, intact.cert);
    await writeFile(paths.tlsKey, intact.key);
    expect(await controller.keys.refresh()).toBe(false);
  });

  it('stay in force when the network does not accept what took their place', async () => {
    const first = await load(await temporaryFolder());
    const next = await load(await temporaryFolder());
    const keys = new LiveKeys({
      first,
      load: () => Promise.resolve(next),
      accept: () => Promise.reject(new Error('of another network')),
    });
    await expect(keys.refresh()).rejects.toThrow('of another network');
    expect(keys.current).toBe(first);
  });

  it('are those of the directory too, where a key was replaced', async () => {
    const controller = await running();
    const path = join(controller.directory, 'server.key');
    await writeFile(path, makeKey('P-256').export({ type: 'pkcs8', format: 'pem' }));
    await expect(controller.keys.refresh()).rejects.toThrow('does not match its private key');
  });
});
