import { describe, expect, it } from '@jest/globals';
import { execFileSync, spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer, get } from 'node:https';
import type { AddressInfo } from 'node:net';
import { caBundlePkcs7, fingerprint, type KeyMaterial } from '../../../src/trust/pki/index.js';
import { x509 } from '../../../src/trust/pki/x509.js';
import { load, makeRoot, makeServer, pemFiles, temporaryFolder } from './support.js';

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

const unpacked = (bundle: string): string[] =>
  [...new x509.X509Certificates(Buffer.from(bundle, 'base64'))].map((certificate) =>
    fingerprint(Buffer.from(certificate.rawData)),
  );

describe('caBundlePkcs7', () => {
  it('holds the CA certificates, each once', async () => {
    const { authorities, server, root, signer } = await load(await temporaryFolder());
    const other = await makeRoot('RSA');
    const bundle = caBundlePkcs7([...authorities, server.leaf, other.cert, root]);
    expect(unpacked(bundle).sort()).toEqual(
      [root, signer.cert, other.cert].map(fingerprint).sort(),
    );
  });

  it('is base64 in lines of 64 characters without a newline at the end', async () => {
    const lines = caBundlePkcs7((await load(await temporaryFolder())).authorities).split('\n');
    const last = lines.pop();
    expect(new Set(lines.map((line) => line.length))).toEqual(new Set([64]));
    expect(last).toMatch(/^[A-Za-z0-9+/]{1,64}={0,2}$/);
  });

  it('does not depend on the order of the certificates', async () => {
    const { authorities } = await load(await temporaryFolder());
    expect(caBundlePkcs7([...authorities].reverse())).toBe(caBundlePkcs7(authorities));
  });

  it('has the roots behind the authorities that they issued', async () => {
    for (let i = 0; i < 4; i += 1) {
      const { authorities, root, signer } = await load(await temporaryFolder());
      const { cert: other } = await makeRoot('RSA');
      const [first, ...others] = unpacked(caBundlePkcs7([root, other, ...authorities]));
      expect(first).toBe(fingerprint(signer.cert));
      expect(others.sort()).toEqual([root, other].map(fingerprint).sort());
    }
  });

  it('can be empty', () => {
    expect(unpacked(caBundlePkcs7([]))).toEqual([]);
  });

  (hasOpenssl ? it : it.skip)('is what openssl reads', async () => {
    const { authorities } = await load(await temporaryFolder());
    const output = execFileSync('openssl', ['pkcs7', '-inform', 'DER', '-print_certs'], {
      input: Buffer.from(caBundlePkcs7(authorities), 'base64'),
    }).toString();
    expect(output.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
  });
});

/** Status and leaf of a GET by a client that trusts nothing but `ca`. */
async function visit(material: KeyMaterial, ca: string[], host: string) {
  const server = createServer(
    { cert: material.server.certificateChainPem, key: material.server.privateKeyPem },
    (_, response) => response.end(),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const request = get({ host: '127.0.0.1', port, ca, servername: host, agent: false });
    await once(request, 'response');
    return { authorized: true };
  } finally {
    server.close();
  }
}

describe('an https server with the material', () => {
  const clock = (): Date => new Date();
  const host = 'controller.example.com';

  const rootsOf = (bundle: string): string[] =>
    [...new x509.X509Certificates(Buffer.from(bundle, 'base64'))]
      .map((certificate) => new X509Certificate(Buffer.from(certificate.rawData)))
      .filter((certificate) => certificate.checkIssued(certificate))
      .map((certificate) => certificate.toString());

  it('is accepted by a client that trusts only the root of the bundle', async () => {
    const material = await load(await temporaryFolder(), { clock });
    const roots = rootsOf(caBundlePkcs7(material.authorities));
    expect(roots).toHaveLength(1);
    await expect(visit(material, roots, host)).resolves.toEqual({ authorized: true });
    await expect(visit(material, roots, 'other.example.com')).rejects.toThrow(/altnames/);
    const { cert } = await makeRoot('P-256');
    await expect(visit(material, [cert.toString()], host)).rejects.toThrow(/certificate/);
  });

  it.each(['P-384', 'P-521', 'RSA'] as const)('is accepted with a %s pair', async (kind) => {
    const root = await makeRoot(kind, 'test', clock());
    const server = await makeServer(root, kind, host, clock());
    const files = await pemFiles({
      tlsCert: [server.cert],
      tlsKey: server.privateKey,
      caBundle: [root.cert],
    });
    const material = await load(await temporaryFolder(), { clock, files });
    const roots = rootsOf(caBundlePkcs7(material.authorities));
    await expect(visit(material, roots, host)).resolves.toEqual({ authorized: true });
  });
});
