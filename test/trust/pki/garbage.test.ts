import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { X509Certificate } from 'node:crypto';
import { externalIdOf } from '../../../src/trust/auth/index.js';
import { verifyClientChain } from '../../../src/trust/auth/certificate/index.js';
import { JwksKeys, verifyExternalJwt } from '../../../src/trust/auth/ext-jwt/index.js';
import { ApiError } from '../../../src/base/errors.js';
import {
  alternativeNames,
  caBundlePkcs7,
  decodeCertificate,
  describeCertificate,
  findTrustAnchor,
  isBelow,
  isIssuedBy,
  issueFromCsr,
  parseAuthority,
  parseCertificatePem,
  parseJwtSigner,
  type CsrProfile,
} from '../../../src/trust/pki/index.js';
import type { CertificateIssuer } from '../../../src/trust/pki/issue-certificate.js';
import { x509 } from '../../../src/trust/pki/x509.js';
import { ANY_NAMES, make, makeCa, makeCsr } from './certificates.js';
import { mutated, mutatedJwt, mutatedPem } from './mutations.js';
import { NOW } from './support.js';
import { OutsideSigner } from '../auth/signers.js';
import { runs } from '../../support/runs.js';

/* Whatever comes in place of certificates, requests and tokens is refused, and nothing worse. */

const RUNS = runs(103);

/** What is done either works or is refused as the fault of who sent it. */
async function orRefused(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    expect(error.status).toBe(400);
  }
}

let root: CertificateIssuer;
let rsaRoot: CertificateIssuer;
let leaf: CertificateIssuer;
let certificates: X509Certificate[];
let pems: string[];

beforeAll(async () => {
  root = await makeCa({ subject: 'CN=root', pathLength: 3 });
  rsaRoot = await makeCa({ kind: 'RSA', issuer: root, subject: 'CN=between' });
  leaf = await make({
    issuer: rsaRoot,
    subject: [{ O: ['Zürich'] }, { CN: ['a'] }],
    names: [
      { type: 'url', value: 'spiffe://net.test/identity/a' },
      { type: 'email', value: 'a@net.test' },
      { type: 'dns', value: 'a.net.test' },
      { type: 'ip', value: '10.0.0.1' },
    ],
    extensions: [
      new x509.ExtendedKeyUsageExtension(['1.3.6.1.5.5.7.3.2']),
      new x509.Extension('2.5.29.30', true, Buffer.from('300ca00a3008820662e74657374', 'hex')),
    ],
  });
  certificates = [root.cert, rsaRoot.cert, leaf.cert];
  pems = certificates.map(String);
});

const CLAIMS = (['COMMON_NAME', 'SAN_URI', 'SAN_EMAIL'] as const).map((location) => ({
  location,
  matcher: 'ALL' as const,
  matcherCriteria: '',
  parser: 'NONE' as const,
  parserCriteria: '',
  index: 0,
}));

/** Everything that is asked of a certificate which somebody sent. */
function examine(certificate: X509Certificate): void {
  describeCertificate(certificate);
  alternativeNames(certificate);
  for (const claim of CLAIMS) externalIdOf(claim, certificate);
  caBundlePkcs7([certificate]);
  const anchors = [root.cert, certificate];
  for (const one of [leaf.cert, certificate]) {
    findTrustAnchor({ leaf: one, candidates: certificates, anchors, now: NOW });
    isBelow(one, certificate, certificates);
  }
  isIssuedBy(certificate, certificate);
}

describe('garbage in place of', () => {
  test('certificates in PEM', async () => {
    await fc.assert(
      fc.asyncProperty(mutatedPem('CERTIFICATE', ...pems), async (pem) => {
        await orRefused(() => parseAuthority(pem));
        await orRefused(() => parseJwtSigner(pem));
        await orRefused(() => {
          parseCertificatePem(pem).forEach(examine);
        });
      }),
      RUNS,
    );
  });

  test('certificates in DER', async () => {
    const authority = {
      id: 'x',
      isVerified: true,
      isAuthEnabled: true,
      trustDomain: null,
      externalIdClaim: CLAIMS[1],
    };
    const ders = certificates.map(({ raw }) => raw);
    await fc.assert(
      fc.asyncProperty(mutated(...ders), async (der) => {
        const certificate = decodeCertificate(der);
        if (certificate) examine(certificate);
        await orRefused(() =>
          verifyClientChain({
            presented: [der, leaf.cert.raw, der],
            own: { authorities: [root.cert] },
            thirdParty: [
              { ...authority, externalIdClaim: CLAIMS[1] ?? null, certPem: pems[0] ?? '' },
            ],
            now: NOW,
          }),
        );
        verifyClientChain({
          presented: [leaf.cert.raw, der],
          own: { authorities: [root.cert] },
          thirdParty: [],
          now: NOW,
        });
      }),
      RUNS,
    );
  });

  test('requests', async () => {
    const names: x509.JsonGeneralNames = [{ type: 'dns', value: 'a.test' }];
    const name = [{ O: ['Zürich'] }, { CN: ['router1'] }];
    const keys = ['P-256', 'P-521', 'RSA 2048', 'Ed25519'] as const;
    const csrs = await Promise.all(keys.map((key) => makeCsr({ key, name, names })));
    const signer = { signer: root, intermediates: [], trustDomain: 'net.test' };
    const profiles: CsrProfile[] = [
      { kind: 'identity', identityId: 'a' },
      { kind: 'routerClient', routerId: 'router1', names: ANY_NAMES },
      { kind: 'renewal', current: leaf.cert },
    ];
    await fc.assert(
      fc.asyncProperty(
        mutatedPem('CERTIFICATE REQUEST', ...csrs),
        fc.constantFrom(...profiles),
        async (csrPem, profile) => {
          await orRefused(() => issueFromCsr({ csrPem, signer, profile, now: NOW }));
        },
      ),
      RUNS,
    );
  });

  test('JWTs', async () => {
    const outside = await OutsideSigner.create('issuer');
    const clock = (): Date => new Date();
    const keys = new JwksKeys({ clock, allowPrivate: false, graceMs: 0, leewayMs: 0 });
    const signer = {
      id: 'x',
      revision: 1,
      createdAt: new Date(0),
      issuer: outside.issuer,
      audience: 'overlay',
      enabled: true,
      certPem: outside.certPem,
      kid: outside.kid,
      jwksEndpoint: null,
      claimsProperty: '/sub',
      useExternalId: false,
      conditions: [],
    };
    const jwt = await outside.jwt('somebody');
    await expect(verifyExternalJwt(jwt, [signer], { keys, clock })).resolves.toMatchObject({
      ok: true,
    });
    await fc.assert(
      fc.asyncProperty(mutatedJwt(jwt), async (text) => {
        const { ok } = await verifyExternalJwt(text, [signer], { keys, clock });
        // The last character of a signature has bits that do not count.
        if (ok) expect(text.slice(0, -2)).toBe(jwt.slice(0, -2));
      }),
      RUNS,
    );
  });
});
