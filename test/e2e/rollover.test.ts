import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { KeyMaterial } from '../../src/trust/pki/index.js';
import {
  keysOf,
  networkCertificate,
  newCsr,
  newKey,
  type NetworkCertificate,
} from '../trust/auth/certificates.js';
import { authenticate, runSql } from '../trust/auth/client.js';
import { enrollByText, invite } from '../trust/enrollment/enrolling.js';
import { startController, type TestController } from '../support/controller.js';

/** A rollover of the root of a network that goes on, from one controller to the next. */

type Started = TestController & { readonly dataDir: string };

let first: Started;
let second: Started;
let third: Started | undefined;
let oldKeys: KeyMaterial;
let newKeys: KeyMaterial;
let old: NetworkCertificate;

const rollover = (on: Started, what: string) =>
  promisify(execFile)(
    process.execPath,
    [join(process.cwd(), 'dist/program/overgraph.js'), 'pki', 'rollover', what],
    { env: { PATH: process.env.PATH, OVERGRAPH_DATA_DIR: on.dataDir } },
  );

beforeAll(async () => {
  first = await startController();
  oldKeys = await keysOf(first);
  old = await enrolled();
  await rollover(first, 'root');
  // Starts on what the rollover left, while the first one goes on with what it has in memory.
  second = await startController({ with: first });
  newKeys = await keysOf(second);
});
afterAll(async () => {
  await third?.stop();
  await second.stop();
  await first.stop();
});

/** A certificate of the first controller's signer that an identity can log in with. */
async function enrolled(): Promise<NetworkCertificate> {
  const identityId = await first.create('identities', {
    name: 'from before',
    type: 'Default',
    isAdmin: false,
  });
  const certificate = await networkCertificate(oldKeys, identityId);
  const { leaf: certPem } = certificate;
  await first.create('authenticators', { identityId, method: 'cert', certPem });
  return certificate;
}

const logIn = async (on: Started, certificate: NetworkCertificate): Promise<number> =>
  (await authenticate(on, 'cert', { certificate })).status;

describe('after a rollover of the root', () => {
  test('the network in the database has the new root', async () => {
    const [row] = await runSql(second, 'select root_fingerprint from network_record');
    expect(row?.root_fingerprint).toBe(newKeys.rootFingerprint);
    expect(newKeys.rootFingerprint).not.toBe(oldKeys.rootFingerprint);
  });

  test('certificates of the old signer log in at both controllers', async () => {
    expect([await logIn(first, old), await logIn(second, old)]).toStrictEqual([200, 200]);
  });

  test('who enrolls is told both roots, and can log in at both controllers', async () => {
    const { token } = await invite(second, { ott: true });
    const key = newKey();
    const answer = await enrollByText(second, `?token=${token}`, await newCsr(key));
    const { ca, cert } = answer.body.data as { ca: string; cert: string };
    for (const { root } of [oldKeys, newKeys]) expect(ca).toContain(root.toString());
    const pem = key.export({ type: 'pkcs8', format: 'pem' }).toString();
    const certificate = { cert, leaf: cert, key: pem };
    expect([await logIn(first, certificate), await logIn(second, certificate)]).toEqual([200, 200]);
  });

  test('everybody is told both roots', async () => {
    const { text } = await second.send('GET', '/.well-known/est/cacerts');
    const der = Buffer.from(text, 'base64');
    for (const { root } of [oldKeys, newKeys]) expect(der.includes(root.raw)).toBe(true);
  });

  test('its end ends the old signer', async () => {
    await rollover(second, 'finish');
    third = await startController({ with: second });
    expect(await logIn(third, old)).toBe(401);
    const { text } = await third.send('GET', '/.well-known/est/cacerts');
    expect(Buffer.from(text, 'base64').includes(oldKeys.root.raw)).toBe(false);
  });
});
