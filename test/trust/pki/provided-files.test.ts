import { describe, expect, it } from '@jest/globals';
import { generateKeyPairSync } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { fingerprint, signingAlgorithm } from '../../../src/trust/pki/index.js';
import { StartError } from '../../../src/base/start-error.js';
import {
  after,
  load,
  makeKey,
  makeRoot,
  makeServer,
  NOW,
  pemFiles,
  temporaryFolder,
  type KeyKind,
} from './support.js';

const KINDS: [KeyKind, string][] = [
  ['P-256', 'ES256'],
  ['P-384', 'ES384'],
  ['P-521', 'ES512'],
  ['RSA', 'RS256'],
];

describe('a configured server certificate', () => {
  it.each(KINDS)('of %s is served, its root bundled, with signing by %s', async (kind, jws) => {
    const root = await makeRoot(kind);
    const server = await makeServer(root, kind);
    const files = await pemFiles({
      tlsCert: [server.cert],
      tlsKey: server.privateKey,
      caBundle: [root.cert],
    });
    const directory = await temporaryFolder();
    const material = await load(directory, { files });
    expect(fingerprint(material.server.leaf)).toBe(fingerprint(server.cert));
    expect(material.server.certificateChainPem).toBe(server.cert.toString());
    expect(material.server.algorithm.jws).toBe(jws);
    expect(material.authorities.map(fingerprint)).toEqual(
      [material.root, material.signer.cert, root.cert].map(fingerprint),
    );
    expect(await readdir(directory)).not.toContain('server.key');
  });

  it('may bring its root in its own file', async () => {
    const root = await makeRoot('P-256');
    const server = await makeServer(root, 'P-256');
    const files = await pemFiles({
      tlsCert: [server.cert, root.cert],
      tlsKey: server.privateKey,
    });
    const { authorities, caBundlePem } = await load(await temporaryFolder(), { files });
    expect(authorities.map(fingerprint)).toContain(fingerprint(root.cert));
    expect(caBundlePem).toContain(root.cert.toString());
  });

  it('leaves its host names to the check against the advertised host', async () => {
    const root = await makeRoot('P-256');
    const server = await makeServer(root, 'P-256', 'elsewhere.example.com');
    const files = await pemFiles({
      tlsCert: [server.cert, root.cert],
      tlsKey: server.privateKey,
    });
    await expect(load(await temporaryFolder(), { files })).rejects.toThrow(/advertised host/);
  });
});

describe('a configured signer', () => {
  it.each(KINDS)('of %s signs the server certificate and replaces the root', async (kind) => {
    const signer = await makeRoot(kind);
    const files = await pemFiles({ signerCert: [signer.cert], signerKey: signer.privateKey });
    const directory = await temporaryFolder();
    const { root, server, rootFingerprint } = await load(directory, { files });
    expect(rootFingerprint).toBe(fingerprint(signer.cert));
    expect(server.leaf.checkIssued(root) && server.leaf.verify(root.publicKey)).toBe(true);
    expect((await readdir(directory)).sort()).toEqual(['secret.key', 'server.key', 'server.pem']);
  });

  it('has the server certificate issued anew when it replaces the generated one', async () => {
    const directory = await temporaryFolder();
    const before = await load(directory);
    const signer = await makeRoot('P-256');
    const files = await pemFiles({ signerCert: [signer.cert], signerKey: signer.privateKey });
    const { server } = await load(directory, { files });
    expect(server.leaf.verify(signer.cert.publicKey)).toBe(true);
    expect(server.privateKeyPem).toBe(before.server.privateKeyPem);
  });
});

describe('configured files', () => {
  it('are refused when key and certificate do not match', async () => {
    const root = await makeRoot('P-256');
    const server = await makeServer(root, 'P-256');
    const files = await pemFiles({
      tlsCert: [server.cert, root.cert],
      tlsKey: makeKey('P-256'),
    });
    const attempt = load(await temporaryFolder(), { files });
    await expect(attempt).rejects.toThrow(StartError);
    await expect(attempt).rejects.toThrow(/does not belong to the certificate/);
  });

  it.each([
    ['of the leaf', NOW, after(366)],
    ['of the issuer', after(-20 * 365 - 2), NOW],
    ['not begun', after(2), NOW],
  ])('are refused outside their validity: %s', async (_, issued, now) => {
    const root = await makeRoot('P-256', 'test', issued);
    const server = await makeServer(root, 'P-256', undefined, issued > NOW ? NOW : issued);
    const files = await pemFiles({
      tlsCert: [server.cert],
      tlsKey: server.privateKey,
      caBundle: [root.cert],
    });
    const attempt = load(await temporaryFolder(), { files, clock: () => now });
    await expect(attempt).rejects.toThrow(StartError);
    await expect(attempt).rejects.toThrow(/not valid now/);
  });

  it('are refused without a root', async () => {
    const server = await makeServer(await makeRoot('P-256'), 'P-256');
    const stranger = await makeRoot('P-256', 'test');
    const files = await pemFiles({
      tlsCert: [server.cert],
      tlsKey: server.privateKey,
      caBundle: [stranger.cert],
    });
    await expect(load(await temporaryFolder(), { files })).rejects.toThrow(/OVERGRAPH_CA_BUNDLE/);
  });

  it.each([
    ['tlsCert', 'OVERGRAPH_TLS_CERT is set without OVERGRAPH_TLS_KEY'],
    ['signerKey', 'OVERGRAPH_SIGNER_KEY is set without OVERGRAPH_SIGNER_CERT'],
  ])('are refused with %s alone', async (name, message) => {
    const attempt = load(await temporaryFolder(), { files: { [name]: '/nowhere' } });
    await expect(attempt).rejects.toThrow(message);
  });

  it('are refused when they can not be read, with the setting to change', async () => {
    const files = { tlsCert: '/nowhere/cert.pem', tlsKey: '/nowhere/key.pem' };
    const attempt = load(await temporaryFolder(), { files });
    await expect(attempt).rejects.toThrow(
      'cannot read /nowhere/cert.pem (ENOENT): correct OVERGRAPH_TLS_CERT',
    );
  });

  it('are refused when they hold something else', async () => {
    const root = await makeRoot('P-256');
    const files = await pemFiles({ signerCert: [root.cert], signerKey: root.privateKey });
    await writeFile(files.signerKey, 'not a key');
    await expect(load(await temporaryFolder(), { files })).rejects.toThrow(/OVERGRAPH_SIGNER_KEY/);
    await writeFile(files.signerCert, 'not a certificate');
    await expect(load(await temporaryFolder(), { files })).rejects.toThrow(/OVERGRAPH_SIGNER_CERT/);
  });

  it('are refused when the signer is no CA', async () => {
    const root = await makeRoot('P-256');
    const server = await makeServer(root, 'P-256');
    const files = await pemFiles({
      signerCert: [server.cert, root.cert],
      signerKey: server.privateKey,
    });
    await expect(load(await temporaryFolder(), { files })).rejects.toThrow(/is not a CA/);
  });

  it.each([
    ['secp256k1', generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey],
    ['ed25519', generateKeyPairSync('ed25519').privateKey],
    ['RSA of 1024 bits', generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey],
  ])('have no signing algorithm for a key of %s', (_, key) => {
    expect(signingAlgorithm(key)).toBeUndefined();
  });
});
