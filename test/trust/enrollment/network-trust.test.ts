import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { X509Certificate } from 'node:crypto';
import { decodeProtectedHeader, jwtVerify } from 'jose';
import { x509 } from '../../../src/trust/pki/x509.js';
import { call } from '../auth/client.js';
import { handshake } from '../pki/handshake.js';
import { startController, type TestController } from '../../support/controller.js';
import { tlsLeaf, trusting } from './enrolling.js';
import { openssl, withOpenssl } from './openssl.js';

/* How a client comes to trust the network, knowing nothing but its address. */

let controller: TestController;

beforeAll(async () => {
  controller = await startController();
});
afterAll(() => controller.stop());

test.each([
  ['TLSv1.3', 'TLS_AES_128_GCM_SHA256', /^TLSv1.3 /],
  ['TLSv1.2', 'ECDHE-ECDSA-AES128-GCM-SHA256', /^TLSv1.2 /],
  ['TLSv1.2', 'ECDHE-ECDSA-CHACHA20-POLY1305', /^TLSv1.2 /],
  ['TLSv1.2', 'ECDHE-ECDSA-AES128-SHA256', /^refused/],
  ['TLSv1.2', 'ECDHE-ECDSA-AES128-CCM8', /^refused/],
  ['TLSv1.3', 'TLS_AES_128_CCM_8_SHA256', /^refused/],
  ['TLSv1.1', 'ECDHE-ECDSA-AES128-SHA:@SECLEVEL=0', /^refused/],
] as const)('a client that offers %s with %s: %s', async (version, ciphers, outcome) => {
  const options = { minVersion: version, maxVersion: version, ciphers };
  await expect(handshake(controller.port, options)).resolves.toMatch(outcome);
});

const BASES = ['', '/edge/client/v1', '/edge/management/v1', '/edge/v1'] as const;

const send = (base: string, path: string) => controller.send('GET', `${base}${path}`);

describe('the authorities', () => {
  const PATH = '/.well-known/est/cacerts';

  test('are the same wherever they are asked for', async () => {
    const [first, ...others] = await Promise.all(BASES.map((base) => send(base, PATH)));
    expect(first?.status).toBe(200);
    for (const { status, headers, text } of others) {
      expect([status, headers['content-type'], text]).toEqual([
        200,
        'application/pkcs7-mime',
        first?.text,
      ]);
    }
  });

  test.each(BASES)('are enough to trust the controller, as they come under "%s"', async (base) => {
    const { text } = await send(base, PATH);
    const roots = [...new x509.X509Certificates(Buffer.from(text, 'base64'))]
      .map((certificate) => new X509Certificate(Buffer.from(certificate.rawData)))
      .filter((certificate) => certificate.checkIssued(certificate));
    expect(roots).toHaveLength(1);
    const agent = trusting(roots.map(String).join(''));
    expect((await call(controller, 'GET', '/version', { agent })).status).toBe(200);
    agent.destroy();
  });

  withOpenssl('read by openssl', () => {
    test('hold no signature, no content, and the chain of the server', async () => {
      const { text } = await send('', PATH);
      // As it comes: armour around the lines of base64 makes it PEM.
      const pem = `-----BEGIN PKCS7-----\n${text}\n-----END PKCS7-----\n`;
      const printed = await openssl(['pkcs7', '-print'], pem);
      expect(printed).toMatch(/type: pkcs7-signedData/);
      expect(printed).toMatch(/signer_info:\s*<EMPTY>/);
      const certificates = await openssl(['pkcs7', '-print_certs'], pem);
      const subjects = [...certificates.matchAll(/^subject=.*$/gm)].map(([line]) => line);
      expect(subjects).toEqual([
        expect.stringContaining('Overgraph'),
        expect.stringContaining('Overgraph'),
      ]);
      const { port } = controller;
      const agent = trusting(certificates);
      expect((await call({ port }, 'GET', '/version', { agent })).status).toBe(200);
      agent.destroy();
    });
  });
});

describe('network JWTs', () => {
  test('are the same wherever they are asked for, and hold for the TLS leaf', async () => {
    const answers = await Promise.all(BASES.map((base) => send(base, '/network-jwts')));
    const tokens = answers.map(({ status, headers, body }) => {
      expect([status, headers['content-type']]).toEqual([200, 'application/json']);
      const { data } = body as { data: { name: string; token: string }[] };
      expect(data).toEqual([{ name: 'default', token: expect.any(String) }]);
      return data[0]?.token ?? '';
    });
    expect(new Set(tokens).size).toBe(1);
    const [token = ''] = tokens;
    const leaf = await tlsLeaf(controller);
    const { payload } = await jwtVerify(token, leaf.publicKey);
    const iss = `https://localhost:${String(controller.port)}/`;
    expect(payload).toEqual({
      ...{ iss, sub: iss, aud: ['openziti-enroller'], em: 'network', ctrls: null },
      jti: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f-]{27}$/),
    });
    expect(decodeProtectedHeader(token).kid).toBe(
      leaf.fingerprint.replaceAll(':', '').toLowerCase(),
    );
  });
});
