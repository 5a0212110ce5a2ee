import { beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync, spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  findTrustAnchor,
  issueFromCsr,
  parseCertificatePem,
  type CsrProfile,
  type KeyMaterial,
} from '../../../src/trust/pki/index.js';
import { ANY_NAMES } from './certificates.js';
import { load, temporaryFolder } from './support.js';

const suite = spawnSync('openssl', ['version']).status === 0 ? describe : describe.skip;

let folder: string;
const path = (name: string): string => join(folder, name);
const openssl = (...args: string[]): string =>
  execFileSync('openssl', args, { stdio: ['ignore', 'pipe', 'pipe'], cwd: folder }).toString();

const KEYS: Readonly<Record<string, readonly string[]>> = {
  EC: ['EC', '-pkeyopt', 'ec_paramgen_curve:P-256'],
  'P-224': ['EC', '-pkeyopt', 'ec_paramgen_curve:P-224'],
  secp256k1: ['EC', '-pkeyopt', 'ec_paramgen_curve:secp256k1'],
  'explicit P-256': [
    ...['EC', '-pkeyopt', 'ec_paramgen_curve:P-256'],
    ...['-pkeyopt', 'ec_param_enc:explicit'],
  ],
  'short P-256': ['EC', '-pkeyopt', 'ec_paramgen_curve:P-256'],
  RSA: ['RSA', '-pkeyopt', 'rsa_keygen_bits:2048'],
  'RSA 1024': ['RSA', '-pkeyopt', 'rsa_keygen_bits:1024'],
  Ed25519: ['ED25519'],
  Ed448: ['ED448'],
};

function keyFile(kind: string): string {
  const [algorithm = '', ...options] = KEYS[kind] ?? [];
  const file = path(`${kind.replaceAll(' ', '-')}-${String(Math.random()).slice(2)}.key`);
  openssl('genpkey', '-algorithm', algorithm, ...options, '-out', file);
  // Only the conversion heeds the form of the point.
  if (kind.startsWith('short'))
    openssl('ec', '-in', file, '-conv_form', 'compressed', '-out', file);
  return file;
}

interface Pair {
  readonly crt: string;
  readonly key: string;
  readonly cert: X509Certificate;
}

/** `openssl req -x509`: its own defaults, no key usage. */
function ca(kind: string, ...options: string[]): Pair {
  const key = keyFile(kind);
  const crt = `${key}.crt`;
  openssl('req', '-x509', '-new', '-key', key, '-subj', '/CN=ca', ...options, '-out', crt);
  return { crt, key, cert: new X509Certificate(readFileSync(crt)) };
}

/** A certificate signed by `openssl x509 -req`, with the extensions of a configuration text. */
function signed(issuer: Pair, kind: string, extensions: string, ...options: string[]): Pair {
  const key = keyFile(kind);
  const crt = `${key}.crt`;
  writeFileSync(`${key}.ext`, extensions);
  openssl('req', '-new', '-key', key, '-subj', '/CN=subject', '-out', `${key}.csr`);
  openssl(
    ...['x509', '-req', '-in', `${key}.csr`, '-CA', issuer.crt, '-CAkey', issuer.key],
    ...['-CAcreateserial', '-extfile', `${key}.ext`, '-out', crt, ...options],
  );
  return { crt, key, cert: new X509Certificate(readFileSync(crt)) };
}

const INTERMEDIATE = 'basicConstraints=critical,CA:true,pathlen:0\nkeyUsage=critical,keyCertSign\n';
const LEAF = 'basicConstraints=CA:false\n';

suite('chains made by openssl', () => {
  beforeAll(async () => {
    folder = await temporaryFolder();
  });

  const isTrusted = (leaf: Pair, candidates: readonly Pair[], anchor: Pair): boolean =>
    findTrustAnchor({
      leaf: leaf.cert,
      candidates: candidates.map(({ cert }) => cert),
      anchors: [anchor.cert],
      now: new Date(),
    }) !== undefined;

  it.each(['EC', 'RSA', 'Ed25519'])('of %s are trusted', (kind) => {
    const root = ca(kind);
    const middle = signed(root, kind, INTERMEDIATE);
    const leaf = signed(middle, kind, LEAF);
    expect(isTrusted(leaf, [middle], root)).toBe(true);
    expect(isTrusted(leaf, [], root)).toBe(false);
  });

  it('signed by RSA-PSS are trusted', () => {
    const root = ca('RSA');
    const pss = ['-sigopt', 'rsa_padding_mode:pss', '-sigopt', 'rsa_pss_saltlen:32'];
    expect(isTrusted(signed(root, 'RSA', LEAF, '-sha256', ...pss), [], root)).toBe(true);
    expect(isTrusted(signed(root, 'RSA', LEAF, '-sha1', ...pss), [], root)).toBe(false);
  });

  it.each([
    ['a signature over SHA-1', 'RSA', '-sha1'],
    ['a signature over MD5', 'RSA', '-md5'],
    ['a signature over SHA-1 by EC', 'EC', '-sha1'],
    ['an RSA key of 1024 bits above them', 'RSA 1024', '-sha256'],
    ['a key on P-224 above them', 'P-224', '-sha256'],
    ['a key on a curve spelled out above them', 'explicit P-256', '-sha256'],
  ])('with %s are refused', (_, kind, digest) => {
    const root = ca(kind);
    const leaf = signed(root, 'EC', LEAF, digest);
    // What is refused is the strength: the signature itself is right.
    expect(leaf.cert.verify(root.cert.publicKey)).toBe(true);
    expect(isTrusted(leaf, [], root)).toBe(false);
  });

  it.each([
    ['a directory name', 'permitted;dirName:dn\n[dn]\nO=Corp\n'],
    ['e-mail addresses', 'excluded;email:.corp.test\n'],
    ['the form of the leaf', 'permitted;URI:corp.test\n'],
  ])('under a CA that constrains %s are refused', (_, constraint) => {
    const root = ca('EC');
    const middle = signed(root, 'EC', `${INTERMEDIATE}nameConstraints=critical,${constraint}`);
    const leaf = signed(middle, 'EC', `${LEAF}subjectAltName=URI:spiffe://other.test/x\n`);
    expect(isTrusted(leaf, [middle], root)).toBe(false);
  });

  it('under a CA that constrains forms which the leaf has not are trusted', () => {
    const root = ca('EC');
    const constraint =
      'nameConstraints=critical,permitted;DNS:corp.test,excluded;IP:10.0.0.0/8\n'.replace(
        '10.0.0.0/8',
        '10.0.0.0/255.0.0.0',
      );
    const middle = signed(root, 'EC', `${INTERMEDIATE}${constraint}`);
    const leaf = signed(middle, 'EC', `${LEAF}subjectAltName=URI:spiffe://other.test/x\n`);
    expect(isTrusted(leaf, [middle], root)).toBe(true);
  });
});

suite('requests made by openssl', () => {
  let material: KeyMaterial;

  beforeAll(async () => {
    folder = await temporaryFolder();
    material = await load(folder, { clock: () => new Date() });
    writeFileSync(path('root.crt'), material.root.toString());
  });

  const issue = (csrPem: string, profile: CsrProfile) =>
    issueFromCsr({ csrPem, signer: material, profile, now: new Date() });

  function csrOf(kind: string, ...options: string[]): string {
    const key = keyFile(kind);
    return openssl('req', '-new', '-key', key, '-subj', '/O=Corp/CN=router1', ...options);
  }

  it('for clients do not make a server, whatever name stands in the subject', async () => {
    const host = 'controller.example.com';
    const csr = csrOf('EC', '-addext', `subjectAltName=DNS:${host}`, '-subj', `/CN=${host}`);
    const issued = await issue(csr, { kind: 'identity', identityId: 'alice' });
    expect(new X509Certificate(issued.certificatePem).checkHost(host)).toBe(host);
    writeFileSync(path('leaf.crt'), issued.certificatePem);
    writeFileSync(path('chain.crt'), issued.chainPem);
    const verify = ['verify', '-CAfile', 'root.crt', '-untrusted', 'chain.crt', '-purpose'];
    expect(openssl(...verify, 'sslclient', 'leaf.crt')).toMatch(/OK/);
    expect(() => openssl(...verify, 'sslserver', 'leaf.crt')).toThrow(/purpose/);
  });

  it.each(['EC', 'RSA', 'Ed25519'])('of %s give chains that openssl verifies', async (kind) => {
    const profiles: [CsrProfile, string][] = [
      [{ kind: 'identity', identityId: 'alice' }, 'sslclient'],
      [{ kind: 'routerClient', routerId: 'router1', names: ANY_NAMES }, 'sslclient'],
      [{ kind: 'routerServer', routerId: 'router1', names: ANY_NAMES }, 'sslserver'],
    ];
    const csr = csrOf(kind, '-addext', 'subjectAltName=DNS:router.corp.test,IP:10.0.0.1');
    for (const [profile, purpose] of profiles) {
      const issued = await issue(csr, profile);
      const [leaf, ...intermediates] = parseCertificatePem(issued.chainPem);
      writeFileSync(path('leaf.crt'), leaf.toString());
      writeFileSync(path('chain.crt'), intermediates.map(String).join(''));
      const verdict = openssl(
        ...['verify', '-x509_strict', '-purpose', purpose, '-CAfile', 'root.crt'],
        ...['-untrusted', 'chain.crt', 'leaf.crt'],
      );
      expect(verdict).toContain('leaf.crt: OK');
      const text = openssl('x509', '-in', 'leaf.crt', '-noout', '-text');
      expect(text).toMatch(/Subject: O ?= ?Corp, CN ?= ?router1/);
      expect(text).toContain('Digital Signature, Key Encipherment, Data Encipherment');
      expect(text).toContain(
        profile.kind === 'identity'
          ? `URI:spiffe://${material.trustDomain}/identity/alice\n`
          : 'DNS:router.corp.test, IP Address:10.0.0.1\n',
      );
      const question = { candidates: intermediates, anchors: [material.root], now: new Date() };
      expect(findTrustAnchor({ leaf, ...question })).toBe(material.root);
    }
  });

  it.each(['P-224', 'secp256k1', 'explicit P-256', 'short P-256', 'RSA 1024', 'Ed448'])(
    'of %s are refused',
    async (kind) => {
      await expect(
        issue(csrOf(kind), { kind: 'identity', identityId: 'alice' }),
      ).rejects.toMatchObject({
        status: 400,
        code: 'COULD_NOT_PROCESS_CSR',
        detail: { message: expect.stringContaining('its key has to be') },
      });
    },
  );
});
