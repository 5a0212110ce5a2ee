import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { LiveKeys } from '../../../src/trust/pki/index.js';
import { serveHttps, type TestServer } from '../../support/https-server.js';
import { handshake } from './handshake.js';
import { after, load, makeRoot, makeServer, NOW, pemFiles, temporaryFolder } from './support.js';

/* What the listener agrees on with clients, by handshakes of clients that offer one thing alone. */

interface Listening {
  readonly server: TestServer;
  readonly port: number;
  /** Has it show another certificate. */
  readonly renew: () => Promise<boolean>;
}

async function start(kind: 'EC' | 'RSA'): Promise<Listening> {
  const directory = await temporaryFolder();
  let now = NOW;
  const files = kind === 'RSA' ? await rsaFiles() : undefined;
  const read = () => load(directory, { files, clock: () => now });
  const keys = new LiveKeys({ first: await read(), load: read, accept: () => Promise.resolve() });
  const server = await serveHttps((_, response) => response.end(), keys);
  const renew = (): Promise<boolean> => {
    now = after(300);
    return keys.refresh();
  };
  return { server, renew, port: server.port };
}

async function rsaFiles() {
  const root = await makeRoot('RSA');
  const { cert, privateKey } = await makeServer(root, 'RSA');
  return pemFiles({ tlsCert: [cert, root.cert], tlsKey: privateKey });
}

let ec: Listening;
let rsa: Listening;
beforeAll(async () => {
  [ec, rsa] = await Promise.all([start('EC'), start('RSA')]);
});
afterAll(() => {
  for (const { server } of [ec, rsa]) server.close();
});

const GOOD = ['AES128-GCM-SHA256', 'AES256-GCM-SHA384', 'CHACHA20-POLY1305'];
const CBC = ['AES128-SHA', 'AES256-SHA', 'AES128-SHA256', 'AES256-SHA384', 'CAMELLIA128-SHA256'];
const CCM = ['AES128-CCM8', 'AES256-CCM8'];
/** The client chooses the key, and whoever learns that of the server later reads everything. */
const RSA_ALONE = ['AES128-GCM-SHA256', 'AES256-SHA', 'AES128-CCM8'];
const named = (key: string, ciphers: readonly string[]): string[] =>
  ciphers.map((cipher) => `ECDHE-${key}-${cipher}`);

const TLS_1_2 = { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' } as const;
const TLS_1_3 = { minVersion: 'TLSv1.3', maxVersion: 'TLSv1.3' } as const;

/** Clients would not offer the weakest otherwise. */
const offering = (ciphers: string): string => `${ciphers}:@SECLEVEL=0`;

describe.each<['EC' | 'RSA', string, readonly string[]]>([
  ['EC', 'ECDSA', CCM],
  ['RSA', 'RSA', []],
])('with a key of %s', (kind, name, ccm) => {
  const port = (): number => (kind === 'EC' ? ec : rsa).port;

  test.each(named(name, GOOD))('TLS 1.2 agrees on %s', async (ciphers) => {
    await expect(handshake(port(), { ...TLS_1_2, ciphers })).resolves.toBe(`TLSv1.2 ${ciphers}`);
  });

  test.each([...named(name, [...CBC, ...ccm]), ...(kind === 'RSA' ? RSA_ALONE : [])])(
    'TLS 1.2 does not agree on %s',
    async (cipher) => {
      const ciphers = offering(cipher);
      await expect(handshake(port(), { ...TLS_1_2, ciphers })).resolves.toMatch(/^refused/);
    },
  );

  test.each(['TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256', 'TLS_AES_128_GCM_SHA256'])(
    'TLS 1.3 agrees on %s',
    async (ciphers) => {
      await expect(handshake(port(), { ...TLS_1_3, ciphers })).resolves.toBe(`TLSv1.3 ${ciphers}`);
    },
  );

  test('TLS 1.3 does not agree on CCM8', async () => {
    const ciphers = 'TLS_AES_128_CCM_8_SHA256';
    await expect(handshake(port(), { ...TLS_1_3, ciphers })).resolves.toMatch(/^refused/);
  });

  test.each(['TLSv1', 'TLSv1.1'] as const)('%s is not spoken', async (version) => {
    const options = { minVersion: version, maxVersion: version, ciphers: offering('ALL') };
    await expect(handshake(port(), options)).resolves.toMatch(/^refused/);
  });

  test('a client that offers all of its own gets the best', async () => {
    await expect(handshake(port(), {})).resolves.toBe('TLSv1.3 TLS_AES_256_GCM_SHA384');
    const ciphers = offering('ALL');
    await expect(handshake(port(), { ...TLS_1_2, ciphers })).resolves.toBe(
      `TLSv1.2 ECDHE-${name}-AES128-GCM-SHA256`,
    );
  });
});

test('a certificate that is taken up later changes none of it', async () => {
  await expect(ec.renew()).resolves.toBe(true);
  const ciphers = offering('ECDHE-ECDSA-AES128-SHA256');
  await expect(handshake(ec.port, { ...TLS_1_2, ciphers })).resolves.toMatch(/^refused/);
  await expect(handshake(ec.port, TLS_1_2)).resolves.toBe('TLSv1.2 ECDHE-ECDSA-AES128-GCM-SHA256');
});
