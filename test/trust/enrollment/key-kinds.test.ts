import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import type { KeyMaterial } from '../../../src/trust/pki/index.js';
import { x509 } from '../../../src/trust/pki/x509.js';
import { keysOf } from '../auth/certificates.js';
import { authenticate, outcome, sessionIn } from '../auth/client.js';
import { armoured, derOf, makeCsr } from '../pki/certificates.js';
import { startController, type TestController } from '../../support/controller.js';
import { enrollByText, invite, issuedIn, trusting, type Invited } from './enrolling.js';
import {
  file,
  newDsaKeyPem,
  newKeyPem,
  openssl,
  requestPem,
  withOpenssl,
  type KeyKind,
} from './openssl.js';

/* Which keys join, and what the certificates say that they get. */

let controller: TestController & { dataDir: string };
let keys: KeyMaterial;
let invited: Invited;

beforeAll(async () => {
  controller = await startController({ env: { OVERGRAPH_LOGIN_LIMIT: '0' } });
  keys = await keysOf(controller);
});
afterAll(() => controller.stop());

beforeEach(async () => {
  invited = await invite(controller, { ott: true });
});

const SUBJECT = '/C=CH/O=Example, Inc./CN=device 1';
const HOUR = 3_600_000;

const enroll = (csr: string) => enrollByText(controller, `?method=ott&token=${invited.token}`, csr);

async function expectRefused(csr: string): Promise<void> {
  expect(outcome(await enroll(csr))).toEqual([400, 'COULD_NOT_PROCESS_CSR']);
}

/** What the facts say of every certificate of an identity. */
function expectPlain(pem: string, publicKey: Buffer): void {
  const certificate = new x509.X509Certificate(pem);
  const { digitalSignature, keyEncipherment, dataEncipherment } = x509.KeyUsageFlags;
  expect(certificate.subject).toBe('C=CH, O=Example\\, Inc., CN=device 1');
  expect(certificate.issuer).toBe(new x509.X509Certificate(keys.signer.cert.raw).subject);
  expect(Buffer.from(certificate.publicKey.rawData)).toEqual(publicKey);
  expect(certificate.getExtension(x509.SubjectAlternativeNameExtension)?.names.toJSON()).toEqual([
    { type: 'url', value: `spiffe://${keys.trustDomain}/identity/${invited.identityId}` },
  ]);
  expect(certificate.getExtension(x509.KeyUsagesExtension)?.usages).toBe(
    digitalSignature | keyEncipherment | dataEncipherment,
  );
  expect(certificate.getExtension(x509.ExtendedKeyUsageExtension)?.usages).toEqual([
    x509.ExtendedKeyUsage.clientAuth,
  ]);
  expect(certificate.getExtension(x509.BasicConstraintsExtension)?.ca).toBe(false);
  const serial = BigInt(`0x${certificate.serialNumber}`);
  expect(serial > 0n && serial < 1n << 159n).toBe(true);
  const [from, to] = [certificate.notBefore.getTime(), certificate.notAfter.getTime()];
  expect(to - from).toBe(365 * 24 * HOUR + 60_000);
  expect(Math.abs(Date.now() - 60_000 - from)).toBeLessThan(60_000);
}

const publicKeyOf = (key: string): Buffer =>
  createPublicKey(createPrivateKey(key)).export({ type: 'spki', format: 'der' });

async function expectJoined(csr: string, key: string): Promise<void> {
  const { ca, cert } = issuedIn(await enroll(csr));
  expectPlain(cert, publicKeyOf(key));
  const agent = trusting(ca, { cert, key });
  const login = await authenticate(controller, 'cert', { agent });
  agent.destroy();
  expect(sessionIn(login).identityId).toBe(invited.identityId);
  const { body } = await controller.rest('GET', `/identities/${invited.identityId}/authenticators`);
  expect(body.data).toMatchObject([
    { fingerprint: new X509Certificate(cert).fingerprint.replaceAll(':', '').toLowerCase() },
  ]);
}

withOpenssl('a request of openssl', () => {
  test.each<KeyKind>([
    ...(['P-256', 'P-384', 'P-521'] as const),
    ...(['RSA 2048', 'RSA 3072', 'RSA 4096', 'Ed25519'] as const),
  ])('for a key of %s gives a certificate that logs in', async (kind) => {
    const key = await newKeyPem(kind);
    const names = 'subjectAltName=DNS:controller.test,URI:spiffe://other/identity/admin';
    await expectJoined(await requestPem(key, SUBJECT, '-addext', names), key);
  });

  test.each<KeyKind>([
    ...(['RSA 1024', 'RSA 2040', 'P-192', 'P-224', 'secp256k1'] as const),
    ...(['brainpoolP256r1', 'P-256 spelled out', 'Ed448'] as const),
  ])('for a key of %s is refused', async (kind) => {
    await expectRefused(await requestPem(await newKeyPem(kind), SUBJECT));
  });

  test('for a key of DSA is refused', async () => {
    await expectRefused(await requestPem(await newDsaKeyPem(), SUBJECT, '-sha256'));
  });

  test.each<[string, KeyKind, string[]]>([
    ['over SHA-1', 'RSA 2048', ['-sha1']],
    ['over SHA-1 by EC', 'P-256', ['-sha1']],
    ['over MD5', 'RSA 2048', ['-md5']],
  ])('signed %s is refused', async (_, kind, digest) => {
    await expectRefused(await requestPem(await newKeyPem(kind), SUBJECT, ...digest));
  });

  test.each<KeyKind>(['P-256', 'RSA 2048', 'Ed25519'])(
    'with a signature of %s that does not hold is refused',
    async (kind) => {
      const key = await newKeyPem(kind);
      const der = derOf(await requestPem(key, SUBJECT));
      der[der.length - 1] = (der.at(-1) ?? 0) ^ 1;
      await expectRefused(armoured('CERTIFICATE REQUEST', der));
      const other = derOf(await requestPem(await newKeyPem(kind), SUBJECT));
      // The body of one with the signature of another.
      await expectRefused(
        armoured('CERTIFICATE REQUEST', Buffer.concat([der.subarray(0, -32), other.subarray(-32)])),
      );
      await expectJoined(await requestPem(key, SUBJECT), key);
    },
  );

  test('is refused with other blocks around it', async () => {
    const key = await newKeyPem('P-256');
    const csr = await requestPem(key, SUBJECT);
    const certificate = await openssl([
      ...['req', '-x509', '-new', '-key', file(key, 'key'), '-subj', '/CN=x'],
    ]);
    for (const text of [csr + csr, csr + certificate, certificate + csr, key + csr, csr + key]) {
      await expectRefused(text);
    }
    await expectJoined(`Here it is:\n\n${csr}\nRegards\n`, key);
  });
});

withOpenssl('a request of a library', () => {
  test.each(['P-256', 'P-384', 'P-521', 'RSA 2048', 'RSA 3072', 'Ed25519'] as const)(
    'for a key of %s gives a certificate that openssl verifies',
    async (key) => {
      const csr = await makeCsr({ key, name: 'C=CH, O="Example, Inc.", CN=device 1' });
      const { ca, cert } = issuedIn(await enroll(csr));
      expectPlain(cert, Buffer.from(new x509.Pkcs10CertificateRequest(csr).publicKey.rawData));
      const [leaf = '', ...between] = cert.split(/(?<=-----END CERTIFICATE-----\n)/);
      const verdict = await openssl([
        ...['verify', '-x509_strict', '-purpose', 'sslclient', '-CAfile', file(ca, 'ca')],
        ...['-untrusted', file(between.join(''), 'between'), file(leaf, 'leaf')],
      ]);
      expect(verdict).toMatch(/: OK\n$/);
    },
  );

  test.each(['RSA 1024', 'RSA with SHA-1'] as const)('with %s is refused', async (key) => {
    await expectRefused(await makeCsr({ key }));
  });
});
