import { beforeAll, describe, expect, it, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import type { CertificateIssuer } from '../../../../src/trust/pki/index.js';
import { x509 } from '../../../../src/trust/pki/x509.js';
import { ders, make, makeCa, type CertificateWishes } from '../../pki/certificates.js';
import { after, type KeyKind } from '../../pki/support.js';
import { COMMON_NAME_CLAIM } from '../../../support/auth-settings.js';
import { ownOf, rowOf, UNTRUSTED, verify } from './chains.js';

const DIGITAL_SIGNATURE = x509.KeyUsageFlags.digitalSignature;

describe.each<[KeyKind, KeyKind]>([
  ['P-256', 'P-256'],
  ['P-384', 'RSA'],
  ['RSA', 'P-521'],
  ['RSA', 'RSA'],
])('a network of %s with leaves of %s', (networkKind, leafKind) => {
  let root: CertificateIssuer;
  let signer: CertificateIssuer;
  let leaf: CertificateIssuer;

  beforeAll(async () => {
    root = await makeCa({ kind: networkKind, pathLength: 1 });
    signer = await makeCa({ kind: networkKind, issuer: root, pathLength: 0 });
    leaf = await make({ kind: leafKind, issuer: signer });
  });

  it('trusts a leaf through the intermediate that came along', () => {
    expect(verify(ders(leaf, signer), ownOf(root, signer))).toEqual({
      verified: true,
      leaf: expect.objectContaining({ serialNumber: leaf.cert.serialNumber }),
      fingerprint: createHash('sha1').update(leaf.cert.raw).digest('hex'),
      resolvedToRoot: true,
      improperClientCertChain: false,
      authority: { kind: 'own' },
      isCurrent: true,
    });
  });

  it('trusts a leaf that came alone, and notes it', () => {
    expect(verify(ders(leaf), ownOf(root, signer))).toMatchObject({
      verified: true,
      resolvedToRoot: false,
      improperClientCertChain: true,
      authority: { kind: 'own' },
    });
    expect(verify(ders(leaf), ownOf(root))).toEqual(UNTRUSTED);
  });

  it('trusts it under the CA of somebody else, from a root or from an intermediate', () => {
    expect(verify(ders(leaf, signer), { thirdParty: [rowOf(root)] })).toMatchObject({
      authority: { kind: 'thirdParty', id: 'ca-1' },
      resolvedToRoot: true,
      improperClientCertChain: false,
    });
    expect(verify(ders(leaf), { thirdParty: [rowOf(signer)] })).toMatchObject({
      authority: { kind: 'thirdParty', id: 'ca-1' },
      resolvedToRoot: false,
      improperClientCertChain: false,
    });
  });
});

describe('client chains', () => {
  let root: CertificateIssuer;
  let signer: CertificateIssuer;
  let leaf: CertificateIssuer;
  let strangeRoot: CertificateIssuer;
  let strangeSigner: CertificateIssuer;
  let strangeLeaf: CertificateIssuer;

  beforeAll(async () => {
    root = await makeCa({ subject: 'CN=root' });
    signer = await makeCa({ subject: 'CN=signer', issuer: root });
    leaf = await make({ subject: 'CN=alice', issuer: signer });
    // Of the same names, with other keys.
    strangeRoot = await makeCa({ subject: 'CN=root' });
    strangeSigner = await makeCa({ subject: 'CN=signer', issuer: strangeRoot });
    strangeLeaf = await make({ subject: 'CN=mallory', issuer: strangeSigner });
  });

  it('of nothing are refused', () => {
    expect(verify([], ownOf(root))).toEqual({ verified: false, reason: 'no certificate' });
  });

  it('may hold the root, and their intermediates in any order', async () => {
    const lower = await makeCa({ issuer: signer });
    const low = await make({ issuer: lower });
    for (const order of [
      [low, lower, signer, root],
      [low, root, signer, lower],
      [low, signer, strangeSigner, lower],
    ]) {
      expect(verify(ders(...order), ownOf(root))).toMatchObject({ resolvedToRoot: true });
    }
  });

  test.each<[string, () => CertificateIssuer[]]>([
    ['another CA of the same name', () => [strangeLeaf, strangeSigner]],
    ['another CA, with its root', () => [strangeLeaf, strangeSigner, strangeRoot]],
    ['another CA, behind our signer', () => [strangeLeaf, signer]],
    ['another CA, behind our chain', () => [strangeLeaf, signer, root]],
    ['another CA, behind a leaf of ours', () => [strangeLeaf, leaf, signer, root]],
    ['another CA, its chain mixed with ours', () => [strangeLeaf, strangeSigner, leaf, signer]],
    ['our CA with the intermediate of another', () => [leaf, strangeSigner]],
  ])('from %s are refused', (_, chain) => {
    expect(verify(ders(...chain()), ownOf(root))).toEqual(UNTRUSTED);
  });

  it('tell who the leaf is, whoever stands behind it', async () => {
    const bob = await make({ subject: 'CN=bob', issuer: signer });
    const thirdParty = [rowOf(root, { externalIdClaim: COMMON_NAME_CLAIM })];
    for (const order of [
      [leaf, signer, bob],
      [leaf, bob, signer],
    ]) {
      const verdict = verify(ders(...order), { thirdParty });
      expect(verdict).toMatchObject({
        fingerprint: createHash('sha1').update(leaf.cert.raw).digest('hex'),
        authority: { kind: 'thirdParty', id: 'ca-1', externalId: 'alice' },
      });
    }
    expect(verify(ders(bob, leaf, signer), { thirdParty })).toMatchObject({
      authority: { externalId: 'bob' },
    });
  });

  it('with a leaf that signed itself are refused', async () => {
    const lone = await make({ subject: 'CN=alice' });
    const namesake = await make({ subject: 'CN=root' });
    const posing = await makeCa({ subject: 'CN=root' });
    for (const chain of [[lone], [lone, signer], [namesake], [posing], [posing, signer]]) {
      expect(verify(ders(...chain), ownOf(root, signer))).toEqual(UNTRUSTED);
    }
  });

  test.each<[string, CertificateWishes]>([
    ['of an authority', { isCa: true, keyUsage: x509.KeyUsageFlags.keyCertSign }],
    ['of an authority that signs nothing', { isCa: true, keyUsage: DIGITAL_SIGNATURE }],
    ['of an authority without usages', { isCa: true }],
    [
      'of somebody who signs certificates all the same',
      { keyUsage: DIGITAL_SIGNATURE | x509.KeyUsageFlags.keyCertSign },
    ],
  ])('with a leaf %s are refused', async (_, wishes) => {
    const authority = await make({ subject: 'CN=alice', issuer: signer, ...wishes });
    const thirdParty = [rowOf(root, { externalIdClaim: COMMON_NAME_CLAIM })];
    for (const trust of [ownOf(root), ownOf(root, signer), { thirdParty }]) {
      expect(verify(ders(authority, signer), trust)).toEqual(UNTRUSTED);
    }
    // Nor by itself, where it is trusted to vouch for others.
    expect(verify(ders(authority, signer), ownOf(root, authority))).toEqual(UNTRUSTED);
  });

  test.each([
    ['has run out', { notBefore: after(-3), notAfter: after(-2) }],
    ['is not valid yet', { notBefore: after(2), notAfter: after(3) }],
  ])('with a leaf that %s are trusted, and say so', async (_, period) => {
    const dated = await make({ issuer: signer, ...period });
    expect(verify(ders(dated, signer), ownOf(root))).toMatchObject({
      verified: true,
      isCurrent: false,
    });
  });

  test.each([
    ['has run out', { notBefore: after(-3), notAfter: after(-2) }],
    ['is not valid yet', { notBefore: after(2), notAfter: after(3) }],
  ])('with a CA that %s are refused', async (_, period) => {
    const datedRoot = await makeCa(period);
    const datedSigner = await makeCa({ issuer: root, ...period });
    const ofRoot = await make({ issuer: datedRoot });
    const ofSigner = await make({ issuer: datedSigner });
    expect(verify(ders(ofRoot), ownOf(datedRoot))).toEqual(UNTRUSTED);
    expect(verify(ders(ofRoot), { thirdParty: [rowOf(datedRoot)] })).toEqual(UNTRUSTED);
    expect(verify(ders(ofSigner, datedSigner), ownOf(root))).toEqual(UNTRUSTED);
    expect(verify(ders(ofSigner), ownOf(root, datedSigner))).toEqual(UNTRUSTED);
  });

  test.each([
    ['is not a CA', { isCa: false }],
    [
      'is not a CA, with the right to sign',
      { isCa: false, keyUsage: x509.KeyUsageFlags.keyCertSign },
    ],
    ['may sign revocations alone', { isCa: true, keyUsage: x509.KeyUsageFlags.cRLSign }],
    ['does not say that it may sign', { isCa: true }],
    [
      'has an unknown critical extension',
      {
        isCa: true,
        keyUsage: x509.KeyUsageFlags.keyCertSign,
        extensions: [new x509.Extension('1.2.3.4', true, Buffer.from('0500', 'hex'))],
      },
    ],
    [
      'has an extension twice',
      {
        isCa: true,
        keyUsage: x509.KeyUsageFlags.keyCertSign,
        extensions: [new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true)],
      },
    ],
  ])('through an intermediate that %s are refused', async (_, wishes) => {
    const posing = await make({ issuer: signer, ...wishes });
    const victim = await make({ subject: 'CN=victim', issuer: posing });
    expect(verify(ders(victim, posing, signer), ownOf(root, signer))).toEqual(UNTRUSTED);
    expect(verify(ders(victim, posing, signer), { thirdParty: [rowOf(root)] })).toEqual(UNTRUSTED);
  });

  it('may end at a trusted CA without a key usage, not at one for other uses', async () => {
    const plain = await make({ isCa: true });
    const client = await make({ issuer: plain });
    expect(verify(ders(client), { thirdParty: [rowOf(plain)] })).toMatchObject({ verified: true });
    const keyUsage = x509.KeyUsageFlags.cRLSign;
    const lister = await make({ isCa: true, keyUsage });
    const other = await make({ issuer: lister });
    expect(verify(ders(other), { thirdParty: [rowOf(lister)] })).toEqual(UNTRUSTED);
  });

  it('keep to the path lengths of all their CAs', async () => {
    const shortRoot = await makeCa({ pathLength: 0 });
    const middle = await makeCa({ issuer: shortRoot });
    const client = await make({ issuer: middle });
    expect(verify(ders(await make({ issuer: shortRoot })), ownOf(shortRoot))).toMatchObject({
      verified: true,
    });
    expect(verify(ders(client, middle), ownOf(shortRoot))).toEqual(UNTRUSTED);

    const top = await makeCa({ pathLength: 2 });
    const closed = await makeCa({ issuer: top, pathLength: 0 });
    const lower = await makeCa({ issuer: closed });
    expect(verify(ders(await make({ issuer: closed }), closed), ownOf(top))).toMatchObject({
      verified: true,
    });
    expect(verify(ders(await make({ issuer: lower }), lower, closed), ownOf(top))).toEqual(
      UNTRUSTED,
    );
  });

  test.each<[string, x509.JsonGeneralNames, boolean]>([
    ['of another form than its names', [{ type: 'url', value: 'spiffe://a/b' }], true],
    ['of the form of its names', [{ type: 'dns', value: 'a.example.com' }], false],
  ])('under a CA with constraints %s', async (_, names, verified) => {
    // permittedSubtrees [0] { GeneralSubtree { dNSName "b.test" } }
    const constraint = Buffer.from('300ca00a3008820662', 'hex');
    const value = Buffer.concat([constraint, Buffer.from('.test')]);
    const extensions = [new x509.Extension('2.5.29.30', true, value)];
    const constrained = await makeCa({ issuer: root, extensions });
    const client = await make({ issuer: constrained, names });
    expect(verify(ders(client, constrained), ownOf(root)).verified).toBe(verified);
  });

  it('with a critical extension in the leaf that nobody knows are refused', async () => {
    const extensions = [new x509.Extension('1.2.3.4', true, Buffer.from('0500', 'hex'))];
    const client = await make({ issuer: root, extensions });
    expect(verify(ders(client), ownOf(root))).toEqual(UNTRUSTED);
  });

  test.each([{ isVerified: false }, { isAuthEnabled: false }])(
    'under a CA of others with %j are refused',
    (flags) => {
      expect(verify(ders(leaf, signer), { thirdParty: [rowOf(root, flags)] })).toEqual(UNTRUSTED);
      const rows = [rowOf(root, { id: 'off', ...flags }), rowOf(signer, { id: 'on' })];
      expect(verify(ders(leaf, signer), { thirdParty: rows })).toMatchObject({
        authority: { id: 'on' },
      });
    },
  );

  it('are held against the first certificate of a CA of others alone', () => {
    const certPem = strangeRoot.cert.toString() + root.cert.toString();
    expect(verify(ders(leaf, signer), { thirdParty: [rowOf(root, { certPem })] })).toEqual(
      UNTRUSTED,
    );
    expect(
      verify(ders(strangeLeaf, strangeSigner), { thirdParty: [rowOf(root, { certPem })] }),
    ).toMatchObject({ verified: true });
  });

  it('are held against the other CAs when the record of one is unreadable', () => {
    const thirdParty = [rowOf(root, { certPem: 'lost' }), rowOf(root, { id: 'good' })];
    expect(verify(ders(leaf, signer), { thirdParty })).toMatchObject({
      authority: { id: 'good' },
    });
  });

  it('belong to this network before they belong to others', () => {
    const chain = {
      ...ownOf(signer),
      thirdParty: [rowOf(root, { externalIdClaim: COMMON_NAME_CLAIM })],
    };
    expect(verify(ders(leaf, signer), chain)).toMatchObject({ authority: { kind: 'own' } });
  });

  it('without a value for the claim leave the external id out', () => {
    const externalIdClaim = { ...COMMON_NAME_CLAIM, location: 'SAN_EMAIL' } as const;
    const verdict = verify(ders(leaf, signer), { thirdParty: [rowOf(root, { externalIdClaim })] });
    expect(verdict).toHaveProperty('authority', { kind: 'thirdParty', id: 'ca-1' });
  });
});
