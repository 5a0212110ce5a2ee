import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { X509Certificate } from 'node:crypto';
import type { Row } from '../../../../src/base/row.js';
import { sql } from '../../../../src/base/sql.js';
import type { CertificateIssuer } from '../../../../src/trust/pki/index.js';
import { x509 } from '../../../../src/trust/pki/x509.js';
import { bundleOf, newRoot, newSvid } from '../../../support/bundle-server.js';
import type { InProcess } from '../../../support/in-process.js';
import { startTwo, type TwoInProcess } from '../../../support/two-in-process.js';
import { remove, update } from '../../../access/enforcement/dialling.js';
import { newAuthority, newLeaf } from '../certificates.js';
import { inSession } from '../in-process-logins.js';
import { logInBy, type SvidSession } from './svid-logins.js';
import {
  enter,
  newTrustDomain,
  passSeconds,
  refresh,
  type TestTrustDomain,
} from './trust-domain.js';

/* Logins by X509-SVIDs of a trust domain whose bundle is stored. */

let both: TwoInProcess;
let controller: InProcess;

let domain: TestTrustDomain;
let authority: string;
/** The SPIFFE ID of an identity. */
let spiffeId: string;
let identity: string;

beforeAll(async () => {
  both = await startTwo({});
  ({ controller } = both);
});
afterAll(() => both.stop());

beforeEach(async () => {
  domain = await newTrustDomain('login');
  authority = await enter(controller, domain);
  await refresh(controller, authority);
  spiffeId = `spiffe://${domain.name}/ns/prod/sa/web`;
  identity = await newIdentity(spiffeId);
});

const newIdentity = (externalId: string, more: Row = {}): Promise<string> =>
  controller.create('Identity', {
    name: externalId,
    type: 'Default',
    isAdmin: false,
    externalId,
    ...more,
  });

/** Shows certificates, the leaf first; gives the session of a login. */
const logIn = (
  chain: readonly Pick<CertificateIssuer, 'cert'>[],
  at: InProcess = controller,
): Promise<SvidSession | undefined> => logInBy(at, chain);

const lives = async (session: SvidSession | undefined): Promise<boolean> =>
  (await inSession(controller, String(session?.token))).caller !== undefined;

test('each new leaf logs its identity in, at every controller', async () => {
  for (const at of [controller, both.other, controller]) {
    expect(await logIn([await newSvid(spiffeId, domain.root)], at)).toMatchObject({
      identityId: identity,
    });
  }
});

test('intermediates of the handshake lead to the root', async () => {
  const between = await newRoot(domain.name, domain.root);
  const svid = await newSvid(spiffeId, between);
  expect(await logIn([svid, between])).toMatchObject({ identityId: identity });
  expect(await logIn([svid])).toBeUndefined();
});

test('every certificate of the bundle is a root', async () => {
  const second = await newRoot(domain.name);
  domain.server.answer = bundleOf([domain.root, second], { spiffe_sequence: 2 });
  await passSeconds(controller, 600);
  await refresh(controller, authority);
  for (const root of [domain.root, second]) {
    expect(await logIn([await newSvid(spiffeId, root)])).toMatchObject({ identityId: identity });
  }
});

test('a root that has left the bundle lets nobody in, and the sessions before it live on', async () => {
  const svid = await newSvid(spiffeId, domain.root);
  const session = await logIn([svid]);
  const next = await newRoot(domain.name);
  domain.server.answer = bundleOf([next], { spiffe_sequence: 2 });
  await passSeconds(controller, 600);
  await refresh(both.other, authority);
  expect(await logIn([svid], both.other)).toBeUndefined();
  expect(await lives(session)).toBe(true);
  expect(await logIn([await newSvid(spiffeId, next)], both.other)).toBeDefined();
});

describe('refused is', () => {
  const expectRefused = async (...chain: readonly CertificateIssuer[]): Promise<void> => {
    expect(await logIn([await newSvid(spiffeId, domain.root)])).toBeDefined();
    expect(await logIn(chain)).toBeUndefined();
  };

  test('an X509-SVID of another root', async () => {
    await expectRefused(await newSvid(spiffeId, await newRoot(domain.name)));
  });

  test('a name of another trust domain, by a root of this one', async () => {
    const id = `spiffe://other.${domain.name}/ns/prod/sa/web`;
    await newIdentity(id);
    await expectRefused(await newSvid(id, domain.root));
    const neighbour = await newTrustDomain('neighbour');
    await refresh(controller, await enter(controller, neighbour));
    const ofNeighbour = `spiffe://${neighbour.name}/ns/prod/sa/web`;
    await newIdentity(ofNeighbour);
    await expectRefused(await newSvid(ofNeighbour, domain.root));
  });

  test('a path that no identity has', async () => {
    await expectRefused(await newSvid(`${spiffeId}/more`, domain.root));
  });

  test.each([
    ['without a path', ''],
    ['with a slash at its end', '/ns/prod/sa/web/'],
    ['with dots', '/ns/prod/../prod/sa/web'],
    ['with a query', '/ns/prod/sa/web?a'],
    ['with escapes', '/ns/prod/sa/we%62'],
  ])('a name %s', async (_name, path) => {
    const id = `spiffe://${domain.name}${path}`;
    await newIdentity(id);
    await expectRefused(await newSvid(id, domain.root));
  });

  test.each([
    ['a second URI', { others: ['https://web.example/'] }],
    ['the usage of an authority', { usage: x509.KeyUsageFlags.keyCertSign }],
    ['the flag of an authority', { isCa: true }],
    [
      'the right to revoke',
      { usage: x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.cRLSign },
    ],
    ['no usage', { usage: undefined }],
    ['a usage for servers alone', { extendedUsages: [x509.ExtendedKeyUsage.serverAuth] }],
    ['its end behind it', { isExpired: true }],
  ])('a leaf with %s', async (_name, parts) => {
    await expectRefused(await newSvid(spiffeId, domain.root, parts));
  });

  test('a leaf without a name, and one that is registered by its fingerprint', async () => {
    const leaf = await newLeaf('web', domain.root);
    const cert = new X509Certificate(leaf.cert);
    await controller.create('Authenticator', {
      identityId: identity,
      method: 'cert',
      certPem: leaf.cert,
    });
    expect(await logIn([{ cert }])).toBeUndefined();
  });

  test('every leaf of an authority that is disabled, not downloaded or deleted', async () => {
    const svid = await newSvid(spiffeId, domain.root);
    const session = await logIn([svid]);
    await update(controller, 'CertificateAuthority', authority, { isAuthEnabled: false });
    expect(await logIn([svid])).toBeUndefined();
    expect(await lives(session)).toBe(false);
    await update(controller, 'CertificateAuthority', authority, { isAuthEnabled: true });
    const again = await logIn([svid]);
    expect(await lives(again)).toBe(true);
    await remove(controller, 'CertificateAuthority', authority);
    expect([await logIn([svid]), await lives(again)]).toEqual([undefined, false]);
  });
});

describe('another authority', () => {
  const CLAIMS: readonly Row[] = [
    { location: 'SAN_URI', matcher: 'SCHEME', matcherCriteria: 'spiffe', parser: 'NONE', index: 0 },
    { location: 'COMMON_NAME', matcher: 'ALL', parser: 'NONE', index: 0 },
  ];

  async function enterPlain(root: CertificateIssuer, externalIdClaim: Row): Promise<void> {
    const id = await controller.create('CertificateAuthority', {
      ...domain.input,
      bundleEndpoint: null,
      name: `plain ${domain.name} ${String(externalIdClaim.location)}`,
      certPem: root.cert.toString(),
      externalIdClaim,
    });
    await controller.parts.store.query(
      sql`update certificate_authority set is_verified = true where id = ${id}::text`,
    );
  }

  test('gives no names of the trust domain, in whatever place and spelling', async () => {
    const root = await newAuthority(`plain ${domain.name}`);
    const byUri = await newSvid(spiffeId, root);
    await enterPlain(root, CLAIMS[0] ?? {});
    const others = await newAuthority(`others ${domain.name}`);
    await enterPlain(others, CLAIMS[1] ?? {});
    const byName = await newLeaf(spiffeId, others);
    const spelled = spiffeId.replace('spiffe', 'SPIFFE');
    await newIdentity(spelled);
    const chains = [
      [byUri],
      [{ cert: new X509Certificate(byName.cert) }],
      [await newSvid(spelled, root)],
      [await newSvid('urn:x', root, { others: [spiffeId] })],
    ];
    expect(await Promise.all(chains.map((chain) => logIn(chain)))).toEqual(
      chains.map(() => undefined),
    );
    await update(controller, 'CertificateAuthority', authority, { isAuthEnabled: false });
    expect(await logIn([byUri])).toBeUndefined();
  });

  test('with the same root vouches for its own names, and not for those of the trust domain', async () => {
    await enterPlain(domain.root, CLAIMS[0] ?? {});
    const foreign = 'spiffe://without-authority.example/a';
    const named = await newIdentity(foreign);
    expect(await logIn([await newSvid(spiffeId, domain.root)])).toMatchObject({
      identityId: identity,
    });
    expect(await logIn([await newSvid(foreign, domain.root)])).toMatchObject({ identityId: named });
  });
});

test('an authority from others than administrators authenticates no administrators', async () => {
  const admin = await newIdentity(`spiffe://${domain.name}/admin`, { isAdmin: true });
  const svid = await newSvid(`spiffe://${domain.name}/admin`, domain.root);
  expect(await logIn([svid])).toMatchObject({ identityId: admin });
  await update(controller, 'CertificateAuthority', authority, { trustedForManagement: false });
  expect(await logIn([svid])).toBeUndefined();
});
