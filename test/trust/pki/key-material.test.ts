import { describe, expect, it } from '@jest/globals';
import type { X509Certificate } from 'node:crypto';
import { chmod, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fingerprint, type KeyMaterial } from '../../../src/trust/pki/index.js';
import { StartError } from '../../../src/base/start-error.js';
import { after, load, makeRoot, makeServer, NOW, temporaryFolder } from './support.js';

const FILES = [
  'root.key',
  'root.pem',
  'secret.key',
  'server.key',
  'server.pem',
  'signer.key',
  'signer.pem',
];

const comparable = (material: KeyMaterial) => ({
  root: material.rootFingerprint,
  signer: fingerprint(material.signer.cert),
  server: material.server.certificateChainPem,
  serverKey: material.server.privateKeyPem,
  secret: material.secretKey.toString('hex'),
  check: material.keyCheck,
  trustDomain: material.trustDomain,
});

describe('first load', () => {
  it('makes a root, a signer under it and a server certificate under that', async () => {
    const { root, signer, server } = await load(await temporaryFolder());
    expect(root.ca && root.checkIssued(root) && root.verify(root.publicKey)).toBe(true);
    expect(signer.cert.checkIssued(root) && signer.cert.verify(root.publicKey)).toBe(true);
    expect(signer.cert.checkPrivateKey(signer.privateKey)).toBe(true);
    expect(server.leaf.checkIssued(signer.cert)).toBe(true);
    expect(server.leaf.verify(signer.cert.publicKey)).toBe(true);
    expect(server.leaf.checkPrivateKey(server.privateKey)).toBe(true);
    expect([root.ca, signer.cert.ca, server.leaf.ca]).toEqual([true, true, false]);
    expect(server.algorithm.jws).toBe('ES256');
  });

  it('gives the root 20 years, the signer 10 and the server certificate one', async () => {
    const { root, signer, server } = await load(await temporaryFolder());
    const years = [root, signer.cert, server.leaf].map((certificate) =>
      Math.round((Date.parse(certificate.validTo) - NOW.getTime()) / (365 * 86_400_000)),
    );
    expect(years).toEqual([20, 10, 1]);
  });

  it.each(['controller.example.com', 'localhost', 'listen.example.com'])(
    'names the host %s in the server certificate',
    async (host) => {
      const { server } = await load(await temporaryFolder(), {
        hosts: ['Listen.Example.com', '0.0.0.0', '::'],
      });
      expect(server.leaf.checkHost(host, { subject: 'never' })).toBe(host);
    },
  );

  it('names addresses, for serverAuth alone, and nothing that is only listened on', async () => {
    const { server } = await load(await temporaryFolder(), {
      hosts: ['10.1.2.3', '[fd00::1]', '0.0.0.0'],
    });
    for (const address of ['127.0.0.1', '::1', '10.1.2.3', 'fd00::1']) {
      expect(server.leaf.checkIP(address)).toBe(address);
    }
    expect(server.leaf.checkIP('0.0.0.0')).toBeUndefined();
    expect(server.leaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
  });

  it('derives the trust domain from the root, unless one is given', async () => {
    const derived = await load(await temporaryFolder());
    expect(derived.trustDomain).toBe(fingerprint(derived.root));
    expect(derived.server.leaf.subjectAltName).toMatch(
      new RegExp(`URI:spiffe://${derived.rootFingerprint}/controller/[0-9a-z]{10,}`),
    );
    const given = await load(await temporaryFolder(), { trustDomain: 'spiffe://net.example' });
    expect(given.trustDomain).toBe('net.example');
    expect(given.server.leaf.subjectAltName).toContain('URI:spiffe://net.example/controller/');
  });

  it('bundles its CAs, the root first, and serves a chain without the root', async () => {
    const { root, signer, server, authorities, caBundlePem } = await load(await temporaryFolder());
    expect(authorities.map(fingerprint)).toEqual([root, signer.cert].map(fingerprint));
    expect(caBundlePem).toBe(root.toString() + signer.cert.toString());
    expect(server.certificateChainPem).toBe(server.leaf.toString() + signer.cert.toString());
  });

  it('keeps everything to the owner and leaves no temporary file', async () => {
    const directory = join(await temporaryFolder(), 'data', 'pki');
    await load(directory);
    expect((await readdir(directory)).sort()).toEqual(FILES);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    for (const file of FILES) {
      expect((await stat(join(directory, file))).mode & 0o777).toBe(0o600);
    }
    expect((await stat(join(directory, 'secret.key'))).size).toBe(32);
  });

  it('gives dates beyond 2049 correctly', async () => {
    const { root } = await load(await temporaryFolder(), {
      clock: () => new Date('2040-01-01T00:00:00Z'),
    });
    expect(new Date(root.validTo).getUTCFullYear()).toBe(2059);
  });
});

describe('later loads', () => {
  it('give the same material', async () => {
    const directory = await temporaryFolder();
    const first = await load(directory);
    expect(comparable(await load(directory))).toEqual(comparable(first));
  });

  it('close a directory that was opened to others', async () => {
    const directory = await temporaryFolder();
    await load(directory);
    await chmod(directory, 0o755);
    await load(directory);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
  });

  it.each([
    ['an unlisted host is advertised', { advertiseHost: 'other.example.com' }],
    ['an unlisted address is listened on', { hosts: ['192.0.2.7'] }],
    ['a third of its life is left', { clock: () => after(244) }],
    ['it ended', { clock: () => after(400) }],
    ['the trust domain changed', { trustDomain: 'other' }],
  ])('issue the server certificate anew, for the same key and id, when %s', async (_, options) => {
    const directory = await temporaryFolder();
    const before = await load(directory);
    const renewed = await load(directory, options);
    expect(renewed.server.leaf.raw.equals(before.server.leaf.raw)).toBe(false);
    expect(renewed.server.privateKeyPem).toBe(before.server.privateKeyPem);
    expect(renewed.rootFingerprint).toBe(before.rootFingerprint);
    expect(fingerprint(renewed.signer.cert)).toBe(fingerprint(before.signer.cert));
    const id = (certificate: X509Certificate) =>
      /controller\/(\w+)/.exec(certificate.subjectAltName ?? '')?.[1];
    expect(id(renewed.server.leaf)).toBe(id(before.server.leaf));
    expect(comparable(await load(directory, options))).toEqual(comparable(renewed));
  });

  it('keep the server certificate when fewer names are wanted or over a third of its life is left', async () => {
    const directory = await temporaryFolder();
    const before = await load(directory, { hosts: ['more.example.com'] });
    const later = await load(directory, { clock: () => after(243) });
    expect(fingerprint(later.server.leaf)).toBe(fingerprint(before.server.leaf));
  });

  it('do not renew what would end no later', async () => {
    const directory = await temporaryFolder();
    await load(directory);
    const nearEnd = after(10 * 365 - 100);
    const { server, signer } = await load(directory, { clock: () => nearEnd });
    expect(server.leaf.validTo).toBe(signer.cert.validTo);
    const later = await load(directory, { clock: () => after(10 * 365 - 1) });
    expect(fingerprint(later.server.leaf)).toBe(fingerprint(server.leaf));
  });

  it('make nothing under a running controller that lost its files', async () => {
    const directory = await temporaryFolder();
    await expect(load(directory, { isInUse: true })).rejects.toThrow(`${directory} is empty`);
    expect(await readdir(directory)).toStrictEqual([]);
  });

  it.each([1, 2, 3, 4, 5, 6])('complete a first start killed after %i files', async (count) => {
    const order = [
      'secret.key',
      ...['root', 'signer', 'server'].flatMap((n) => [`${n}.key`, `${n}.pem`]),
    ];
    const directory = await temporaryFolder();
    await load(directory);
    const kept = await readFile(join(directory, order[count - 1] ?? ''));
    await Promise.all(order.slice(count).map((file) => rm(join(directory, file))));
    const { server, signer, root } = await load(directory);
    expect(server.leaf.checkIssued(signer.cert) && signer.cert.checkIssued(root)).toBe(true);
    expect(await readFile(join(directory, order[count - 1] ?? ''))).toEqual(kept);
  });
});

describe('refusals', () => {
  it.each(['root.key', 'root.pem', 'signer.key', 'server.key', 'secret.key'])(
    'refuses to replace a lost %s',
    async (file) => {
      const directory = await temporaryFolder();
      await load(directory);
      await rm(join(directory, file));
      const attempt = load(directory);
      await expect(attempt).rejects.toThrow(StartError);
      await expect(attempt).rejects.toThrow(`${file} is missing`);
    },
  );

  it.each(FILES)('names a damaged %s', async (file) => {
    const directory = await temporaryFolder();
    await load(directory);
    await writeFile(join(directory, file), 'nonsense');
    const attempt = load(directory);
    await expect(attempt).rejects.toThrow(StartError);
    await expect(attempt).rejects.toThrow(join(directory, file));
  });

  it('refuses a certificate that does not match its key', async () => {
    const directory = await temporaryFolder();
    await load(directory);
    const { cert } = await makeServer(await makeRoot('P-256'), 'P-256');
    await writeFile(join(directory, 'server.pem'), cert.toString());
    await expect(load(directory)).rejects.toThrow('does not match its private key');
  });

  it('refuses an authority that ended', async () => {
    const directory = await temporaryFolder();
    await load(directory);
    await expect(load(directory, { clock: () => after(11 * 365) })).rejects.toThrow(
      /not valid now/,
    );
  });

  it('refuses a directory that is a file', async () => {
    const path = join(await temporaryFolder(), 'file');
    await writeFile(path, '');
    await expect(load(join(path, 'pki'))).rejects.toThrow(/cannot use the key directory .*ENOTDIR/);
  });

  it.each([
    [{ trustDomain: 'Not A Domain' }, 'OVERGRAPH_TRUST_DOMAIN'],
    [{ advertiseHost: 'bad host' }, 'OVERGRAPH_ADVERTISE'],
  ])('refuses %j', async (options, setting) => {
    const attempt = load(await temporaryFolder(), options);
    await expect(attempt).rejects.toThrow(StartError);
    await expect(attempt).rejects.toThrow(setting);
  });
});

describe('a configured secret key', () => {
  const secret = Buffer.alloc(32, 7);

  it('is taken from base64 or from a file, plain or base64, and not written down', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'plain'), secret, { mode: 0o600 });
    await writeFile(join(folder, 'base64'), `${secret.toString('base64')}\n`, { mode: 0o600 });
    for (const secretKey of [
      secret.toString('base64'),
      join(folder, 'plain'),
      join(folder, 'base64'),
    ]) {
      const directory = await temporaryFolder();
      const material = await load(directory, { secretKey });
      expect(material.secretKey).toEqual(secret);
      expect(await readdir(directory)).not.toContain('secret.key');
    }
  });

  it('changes the check value, and only by its value', async () => {
    const check = async (key: Buffer) =>
      (await load(await temporaryFolder(), { secretKey: key.toString('base64') })).keyCheck;
    expect(await check(secret)).toBe(await check(secret));
    expect(await check(secret)).toMatch(/^[0-9a-f]{64}$/);
    expect(await check(Buffer.alloc(32, 8))).not.toBe(await check(secret));
  });

  it.each([
    'c2hvcnQ=',
    '/etc/missing/of/thirty/two/chars',
    '/etc/missing/path/of/forty/three/characters',
  ])('is refused when it is %s, without repeating it', async (secretKey) => {
    const attempt = load(await temporaryFolder(), { secretKey });
    await expect(attempt).rejects.toThrow('OVERGRAPH_SECRET_KEY');
    await expect(attempt).rejects.not.toThrow(secretKey);
  });
});
