import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { CertificateIssuer } from '../../../../src/trust/pki/index.js';
import { ders, make, makeCa } from '../../pki/certificates.js';
import { COMMON_NAME_CLAIM } from '../../../support/auth-settings.js';
import { ownOf, rowOf, UNTRUSTED, verify } from './chains.js';
import { runs } from '../../../support/runs.js';

describe('hostile chains', () => {
  let root: CertificateIssuer;
  let signer: CertificateIssuer;
  let leaf: CertificateIssuer;

  beforeAll(async () => {
    root = await makeCa();
    signer = await makeCa({ issuer: root });
    leaf = await make({ issuer: signer, names: [{ type: 'email', value: 'a@example.com' }] });
  });

  it('of cross-signed CAs are answered at once', async () => {
    const keys = await Promise.all([0, 1, 2, 3].map(() => makeCa()));
    const crossed: Buffer[] = [];
    for (const subject of keys) {
      for (const issuer of keys) {
        const { cert } = await makeCa({
          subject: subject.cert.subject.replace('\n', ', '),
          privateKey: subject.privateKey,
          issuer,
        });
        crossed.push(cert.raw);
      }
    }
    const [first] = keys;
    if (!first) throw new Error('no key');
    const client = await make({ issuer: first });
    const started = performance.now();
    expect(verify([client.cert.raw, ...crossed], ownOf(root, signer))).toEqual(UNTRUSTED);
    expect(performance.now() - started).toBeLessThan(1000);
  });

  it('that are long are read only so far', () => {
    const filler = Array.from({ length: 8 }, () => root.cert.raw);
    expect(verify([leaf.cert.raw, ...filler, signer.cert.raw], ownOf(root))).toEqual(UNTRUSTED);
    expect(verify([leaf.cert.raw, ...filler.slice(1), signer.cert.raw], ownOf(root))).toMatchObject(
      { verified: true },
    );
  });

  it('with a leaf of enormous size are refused unread', async () => {
    const value = 'a'.repeat(40_000);
    const huge = await make({ issuer: root, names: [{ type: 'url', value: `urn:${value}` }] });
    expect(verify(ders(huge), ownOf(root))).toEqual({
      verified: false,
      reason: 'unreadable certificate',
    });
  });

  it('with PEM, or with bytes after the certificate, are refused', () => {
    for (const bytes of [
      Buffer.from(leaf.cert.toString()),
      Buffer.concat([leaf.cert.raw, Buffer.from([0])]),
      leaf.cert.raw.subarray(0, -1),
      Buffer.alloc(0),
    ]) {
      expect(verify([bytes, signer.cert.raw], ownOf(root))).toMatchObject({
        reason: 'unreadable certificate',
      });
    }
  });

  it('with a leaf altered anywhere are refused', () => {
    const original = leaf.cert.raw;
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(original.length - 1), fc.integer({ min: 1, max: 255 })), {
          minLength: 1,
          maxLength: 4,
        }),
        (changes) => {
          const altered = Buffer.from(original);
          for (const [at, mask] of changes) altered[at] = (altered[at] ?? 0) ^ mask;
          fc.pre(!altered.equals(original));
          const thirdParty = [
            rowOf(root, { externalIdClaim: { ...COMMON_NAME_CLAIM, location: 'SAN_EMAIL' } }),
          ];
          const verdict = verify([altered, signer.cert.raw], { ...ownOf(root), thirdParty });
          expect(verdict.verified).toBe(false);
        },
      ),
      runs(120),
    );
  });

  it('with an intermediate altered anywhere are refused', () => {
    const original = signer.cert.raw;
    fc.assert(
      fc.property(fc.nat(original.length - 1), fc.integer({ min: 1, max: 255 }), (at, mask) => {
        const altered = Buffer.from(original);
        altered[at] = (altered[at] ?? 0) ^ mask;
        expect(verify([leaf.cert.raw, altered], ownOf(root)).verified).toBe(false);
      }),
      runs(90),
    );
  });

  it('of any bytes are refused', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 4 }), (chain) => {
        const buffers = chain.map((bytes) => Buffer.from(bytes));
        expect(verify(buffers, ownOf(root)).verified).toBe(false);
        expect(verify([leaf.cert.raw, ...buffers], ownOf(root)).verified).toBe(false);
      }),
      runs(30),
    );
  });
});
