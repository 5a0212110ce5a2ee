import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { ApiError } from '../../../src/base/errors.js';
import {
  describeCertificate,
  fingerprint,
  openSecret,
  parseAuthority,
  parseCertificatePem,
  parseJwtSigner,
  sealSecret,
} from '../../../src/trust/pki/index.js';
import {
  issueCertificate,
  type CertificateIssuer,
} from '../../../src/trust/pki/issue-certificate.js';
import { x509 } from '../../../src/trust/pki/x509.js';
import { make } from './certificates.js';
import { after, makeRoot, makeServer, NOW } from './support.js';
import { runs } from '../../support/runs.js';

let root: CertificateIssuer;
let server: CertificateIssuer;

beforeAll(async () => {
  root = await makeRoot('P-384');
  server = await makeServer(root, 'RSA');
});

function refusalOf(action: () => unknown): ApiError {
  try {
    action();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

const armoured = (der: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`;

describe('fingerprint', () => {
  it('is the lower-case hex SHA-1 of the DER, whatever form it is given in', () => {
    const expected = createHash('sha1').update(root.cert.raw).digest('hex');
    const forms = [root.cert, root.cert.raw, root.cert.toString()];
    expect(forms.map(fingerprint)).toEqual([expected, expected, expected]);
  });
});

describe('describeCertificate', () => {
  it('knows no name in a subject that holds something else than texts', async () => {
    const { cert } = await make({ subject: 'CN=somebody', issuer: root });
    const der = Buffer.from(cert.raw);
    // A relative object identifier, where a kind of text has to stand.
    der[der.indexOf('somebody') - 2] = 0x0d;
    const [altered] = parseCertificatePem(armoured(der));
    expect(describeCertificate(cert).commonName).toBe('somebody');
    expect(describeCertificate(altered).commonName).toBe('');
  });
});

describe('parseCertificatePem', () => {
  it('reads a chain in order, with text around the blocks and any line ends', () => {
    const text = `Subject: me\n${server.cert.toString()}\n# root\n${root.cert.toString()}`;
    for (const form of [text, text.replaceAll('\n', '\r\n')]) {
      expect(parseCertificatePem(form).map(fingerprint)).toEqual(
        [server.cert, root.cert].map(fingerprint),
      );
    }
  });

  it.each<[string, () => string, RegExp]>([
    ['nothing', () => '', /at least one/],
    ['garbage', () => 'garbage', /at least one/],
    ['a key', () => pem(root.privateKey), /found PRIVATE KEY/],
    ['a key after it', () => root.cert.toString() + pem(root.privateKey), /found PRIVATE KEY/],
    ['bad DER', () => armoured(Buffer.from('0000', 'hex')), /block 1 is not/],
    ['DER cut short', () => armoured(root.cert.raw.subarray(0, -1)), /block 1 is not/],
    ['DER with more', () => armoured(Buffer.concat([root.cert.raw, root.cert.raw])), /block 1/],
    ['bad base64', () => root.cert.toString().replace('MII', 'M*I'), /block 1 is not/],
    ['a bad second', () => root.cert.toString() + armoured(Buffer.from('x')), /block 2 is not/],
    ['an open end', () => root.cert.toString().split('-----END')[0] ?? '', /at least one/],
    ['an open end after it', () => `${root.cert.toString()}-----BEGIN CERTIFICATE-----`, /no end/],
  ])('refuses %s', (_, text, reason) => {
    const refusal = refusalOf(() => parseCertificatePem(text()));
    expect(refusal).toMatchObject({ status: 400, detail: { kind: 'field', field: 'certPem' } });
    expect(refusal.detail).toHaveProperty('reason', expect.stringMatching(reason));
  });

  it('repeats little of a long text', () => {
    const refusal = refusalOf(() => parseCertificatePem('x'.repeat(10_000), 'clientCert'));
    expect(refusal.detail).toMatchObject({ field: 'clientCert', value: `${'x'.repeat(80)}…` });
  });

  it('refuses any other text with a 400', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const block = `-----BEGIN CERTIFICATE-----${text}-----END CERTIFICATE-----`;
        expect(refusalOf(() => parseCertificatePem(text)).status).toBe(400);
        expect(refusalOf(() => parseCertificatePem(block)).status).toBe(400);
      }),
      runs(100),
    );
  });

  const pem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();
});

describe('descriptions', () => {
  it('of a certificate give name, fingerprint, dates and kind', () => {
    expect(describeCertificate(root.cert)).toEqual({
      commonName: 'Overgraph Root CA test',
      fingerprint: fingerprint(root.cert),
      notBefore: new Date(NOW.getTime() - 60_000),
      notAfter: after(20 * 365),
      isCa: true,
    });
    expect(describeCertificate(server.cert)).toMatchObject({ isCa: false });
  });

  it.each<[x509.JsonNameParams, string]>([
    [[], ''],
    [[{ O: ['Company'] }], ''],
    [[{ CN: ['Zoë, a + b=c'] }], 'Zoë, a + b=c'],
    [[{ CN: ['first'] }, { CN: ['last'] }], 'last'],
    [[{ CN: [{ printableString: 'printable' }] }, { O: ['Company'] }], 'printable'],
    [[{ CN: [{ ia5String: 'ascii' }] }], 'ascii'],
    [[{ CN: [{ bmpString: 'Zoë' }] }], 'Zoë'],
  ])('read the common name of %j', async (subject, expected) => {
    const template = {
      subject: new x509.Name(subject),
      publicKey: createPublicKey(root.privateKey),
      notBefore: NOW,
      notAfter: after(1),
      extensions: [],
    };
    const certificate = await issueCertificate(template, root);
    expect(describeCertificate(certificate).commonName).toBe(expected);
  });

  it('read the common name beside a key that is no point of its curve', async () => {
    const { cert } = await make({ subject: 'CN=somebody', issuer: root });
    const der = Buffer.from(cert.raw);
    const key = createPublicKey(cert.toString()).export({ type: 'spki', format: 'der' });
    const last = der.indexOf(key) + key.length - 1;
    der.writeUInt8(der.readUInt8(last) ^ 1, last);
    const [altered] = parseCertificatePem(armoured(der));
    // Node 24 ends the process when it describes such a certificate itself.
    expect(describeCertificate(altered).commonName).toBe('somebody');
  });

  it('of an authority give its PEM free of surrounding text', () => {
    const pem = root.cert.toString() + server.cert.toString();
    expect(parseAuthority(`my CA\r\n${pem}`)).toEqual({
      ...describeCertificate(root.cert),
      certPem: pem,
    });
  });

  it('of an authority are refused for other certificates', () => {
    const refusal = refusalOf(() => parseAuthority(server.cert.toString()));
    expect(refusal).toMatchObject({
      code: 'COULD_NOT_VALIDATE',
      detail: { field: 'certPem', reason: 'the first certificate is not a CA' },
    });
    expect(refusalOf(() => parseAuthority('garbage')).status).toBe(400);
  });

  it('of a JWT signer give the fingerprint as default key id', () => {
    expect(parseJwtSigner(server.cert.toString())).toEqual({
      commonName: 'Overgraph Controller',
      fingerprint: fingerprint(server.cert),
      notBefore: new Date(NOW.getTime() - 60_000),
      notAfter: after(365),
      certPem: server.cert.toString(),
      defaultKid: fingerprint(server.cert),
    });
  });
});

describe('sealed secrets', () => {
  const key = Buffer.alloc(32, 1);

  it('open to what was sealed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(openSecret(key, sealSecret(key, text))).toBe(text);
      }),
      runs(100),
    );
  });

  it('differ every time and show their form', () => {
    const [one, two] = [sealSecret(key, 'secret'), sealSecret(key, 'secret')];
    expect(one).toMatch(/^v1\.[A-Za-z0-9_-]+$/);
    expect(one).not.toBe(two);
  });

  it.each<[string, (sealed: string) => string]>([
    [
      'altered',
      (sealed) => sealed.slice(0, 10) + (sealed[10] === 'A' ? 'B' : 'A') + sealed.slice(11),
    ],
    ['cut short', (sealed) => sealed.slice(0, -4)],
    ['of another form', (sealed) => sealed.replace('v1.', 'v2.')],
    ['empty', () => ''],
    ['only a prefix', () => 'v1.'],
  ])('do not open when %s', (_, alter) => {
    expect(refusalOf(() => openSecret(key, alter(sealSecret(key, 'secret')))).code).toBe(
      'UNHANDLED',
    );
  });

  it('do not open under another key', () => {
    const sealed = sealSecret(key, 'secret');
    expect(refusalOf(() => openSecret(Buffer.alloc(32, 2), sealed)).detail).toBeUndefined();
  });
});
