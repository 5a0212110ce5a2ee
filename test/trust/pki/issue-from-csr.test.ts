import { beforeAll, describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { createHash, X509Certificate, type KeyObject } from 'node:crypto';
import { ApiError } from '../../../src/base/errors.js';
import {
  alternativeNames,
  issueFromCsr,
  parseCertificatePem,
  type CsrOrder,
  type CsrProfile,
  type IssuedCertificate,
} from '../../../src/trust/pki/index.js';
import { x509 } from '../../../src/trust/pki/x509.js';
import {
  ANY_NAMES,
  armoured,
  derOf,
  make,
  makeCa,
  makeCsr,
  type REQUEST_KEYS,
} from './certificates.js';
import { after, DAY_MS, makeRoot, NOW, type KeyKind } from './support.js';
import { runs } from '../../support/runs.js';

const HOUR_MS = DAY_MS / 24;
const TRUST_DOMAIN = 'net.test';
const LABEL = 'CERTIFICATE REQUEST';

const PROFILES = {
  identity: { kind: 'identity', identityId: 'alice1' },
  routerClient: { kind: 'routerClient', routerId: 'router1', names: ANY_NAMES },
  routerServer: { kind: 'routerServer', routerId: 'router1', names: ANY_NAMES },
  apiSession: {
    kind: 'apiSession',
    identityId: 'alice1',
    apiSessionId: 'session1',
    certificateId: 'cert1',
  },
} as const satisfies Record<string, CsrProfile>;

async function makeNetwork(kind: KeyKind): Promise<CsrOrder['signer']> {
  const root = await makeRoot(kind);
  const notAfter = after(3650);
  const signer = await makeCa({ kind, issuer: root, notAfter, pathLength: 0 });
  return { signer, intermediates: [signer.cert], trustDomain: TRUST_DOMAIN };
}

let network: CsrOrder['signer'];

beforeAll(async () => {
  network = await makeNetwork('P-256');
});

const issue = (
  csrPem: string,
  profile: CsrProfile = PROFILES.identity,
  signer = network,
): Promise<IssuedCertificate> => issueFromCsr({ csrPem, signer, profile, now: NOW });

/** The reason of the 400; anything else fails. */
async function refusal(issued: Promise<unknown>): Promise<string> {
  try {
    await issued;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    expect(error).toMatchObject({ status: 400, code: 'COULD_NOT_PROCESS_CSR' });
    return error.detail?.kind === 'message' ? error.detail.message : '';
  }
  throw new Error('nothing was refused');
}

const parsed = ({ certificatePem }: IssuedCertificate): x509.X509Certificate =>
  new x509.X509Certificate(certificatePem);

const namesOf = (issued: IssuedCertificate): x509.JsonGeneralNames =>
  parsed(issued).getExtension(x509.SubjectAlternativeNameExtension)?.names.toJSON() ?? [];

describe.each<KeyKind>(['P-256', 'P-384', 'RSA'])('a signer of %s', (kind) => {
  it.each(['P-256', 'P-384', 'P-521', 'RSA 2048', 'RSA 3072', 'Ed25519'] as const)(
    'certifies a key of %s',
    async (key) => {
      const own = kind === 'P-256' ? network : await makeNetwork(kind);
      const csrPem = await makeCsr({ key });
      const issued = await issue(csrPem, PROFILES.identity, own);
      const certificate = new X509Certificate(issued.certificatePem);
      expect(certificate.verify(own.signer.cert.publicKey)).toBe(true);
      expect(certificate.checkIssued(own.signer.cert)).toBe(true);
      const requested = new x509.Pkcs10CertificateRequest(csrPem).publicKey.rawData;
      expect(spki(certificate.publicKey)).toBe(Buffer.from(requested).toString('hex'));
      expect(issued.fingerprint).toBe(createHash('sha1').update(certificate.raw).digest('hex'));
    },
  );
});

const spki = (key: KeyObject): string =>
  key.export({ type: 'spki', format: 'der' }).toString('hex');

describe('every certificate made from a request', () => {
  it.each(Object.values(PROFILES))('is a plain one: $kind', async (profile) => {
    const issued = await issue(await makeCsr({ name: 'CN=router1' }), profile);
    const certificate = parsed(issued);
    const { digitalSignature, keyEncipherment, dataEncipherment } = x509.KeyUsageFlags;
    expect(certificate.getExtension(x509.BasicConstraintsExtension)).toMatchObject({ ca: false });
    expect(certificate.getExtension(x509.KeyUsagesExtension)?.usages).toBe(
      digitalSignature | keyEncipherment | dataEncipherment,
    );
    expect(certificate.getExtension(x509.ExtendedKeyUsageExtension)?.usages).toEqual([
      profile.kind === 'routerServer'
        ? x509.ExtendedKeyUsage.serverAuth
        : x509.ExtendedKeyUsage.clientAuth,
    ]);
    expect(issued.notBefore).toEqual(new Date(NOW.getTime() - 60_000));
    expect(issued.notAfter).toEqual(
      profile.kind === 'apiSession' ? new Date(NOW.getTime() + 12 * HOUR_MS) : after(365),
    );
    expect([certificate.notBefore, certificate.notAfter]).toEqual([
      issued.notBefore,
      issued.notAfter,
    ]);
  });

  it('has a serial number of its own', async () => {
    const csrPem = await makeCsr();
    const issued = await Promise.all([1, 2, 3].map(() => issue(csrPem)));
    const serials = issued.map((one) => parsed(one).serialNumber);
    expect(new Set(serials).size).toBe(3);
    for (const serial of serials) expect(serial).toMatch(/^[4-7][0-9a-f]{39}$/);
  });

  it('ends with its issuer', async () => {
    const signer = await makeCa({ notAfter: after(10) });
    const short = { signer, intermediates: [signer.cert], trustDomain: TRUST_DOMAIN };
    const issued = await issue(await makeCsr(), PROFILES.identity, short);
    expect(issued.notAfter).toEqual(after(10));
  });

  it('comes with the intermediates and without the root', async () => {
    const root = await makeRoot('P-256');
    const middle = await makeCa({ issuer: root });
    const signer = await makeCa({ issuer: middle });
    const intermediates = [signer.cert, middle.cert];
    const issued = await issue(await makeCsr(), PROFILES.identity, {
      ...{ signer, intermediates, trustDomain: TRUST_DOMAIN },
    });
    const chain = parseCertificatePem(issued.chainPem).map(({ serialNumber }) => serialNumber);
    const [leaf] = parseCertificatePem(issued.certificatePem);
    expect(chain).toEqual([leaf.serialNumber, signer.cert.serialNumber, middle.cert.serialNumber]);
    const alone = { signer: root, intermediates: [], trustDomain: TRUST_DOMAIN };
    const direct = await issue(await makeCsr(), PROFILES.identity, alone);
    expect(direct.chainPem).toBe(direct.certificatePem);
  });

  it('takes no other extension from the request', async () => {
    const extensions = [
      new x509.BasicConstraintsExtension(true, 3, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      new x509.ExtendedKeyUsageExtension(['2.5.29.37.0']),
      new x509.Extension('1.2.3.4', true, Buffer.from('0500', 'hex')),
    ];
    for (const profile of Object.values(PROFILES)) {
      const issued = await issue(await makeCsr({ name: 'CN=router1', extensions }), profile);
      const certificate = parsed(issued);
      expect(new X509Certificate(issued.certificatePem).ca).toBe(false);
      expect(certificate.extensions.filter(({ type }) => type === '1.2.3.4')).toEqual([]);
      expect(certificate.extensions.filter(({ type }) => type === '2.5.29.37')).toHaveLength(1);
    }
  });
});

describe('the certificate of an identity', () => {
  it.each<[string, x509.JsonNameParams]>([
    ['of one name', [{ CN: ['anything at all'] }]],
    ['of many', [{ C: ['CH'] }, { O: ['Zürich, "Netz"'] }, { CN: ['a'] }, { CN: ['b'] }]],
    ['of several in one', [{ CN: ['a'], OU: ['b'] }]],
    ['in other kinds of text', [{ CN: [{ bmpString: 'Zoë' }] }, { O: [{ ia5String: 'x' }] }]],
    ['of nothing', []],
  ])('keeps a subject %s, to the byte', async (_, name) => {
    const csrPem = await makeCsr({ name: new x509.Name(name) });
    const wanted = new x509.Pkcs10CertificateRequest(csrPem).subjectName.toArrayBuffer();
    const issued = parsed(await issue(csrPem));
    expect(Buffer.from(issued.subjectName.toArrayBuffer())).toEqual(Buffer.from(wanted));
  });

  it('is named by its SPIFFE id alone, whatever the request asks for', async () => {
    const names: x509.JsonGeneralNames = [
      { type: 'dns', value: 'controller.net.test' },
      { type: 'url', value: 'spiffe://net.test/controller/c1' },
      { type: 'email', value: 'admin@net.test' },
    ];
    expect(namesOf(await issue(await makeCsr({ names })))).toEqual([
      { type: 'url', value: 'spiffe://net.test/identity/alice1' },
    ]);
  });

  it('says that its names matter when it has no subject', async () => {
    const critical = async (name: string | x509.JsonName): Promise<boolean | undefined> =>
      parsed(await issue(await makeCsr({ name }))).getExtension(
        x509.SubjectAlternativeNameExtension,
      )?.critical;
    await expect(critical([])).resolves.toBe(true);
    await expect(critical('CN=a')).resolves.toBe(false);
  });
});

describe('the certificate of an API session', () => {
  it('is named by the session, and by nothing of the request', async () => {
    const names: x509.JsonGeneralNames = [{ type: 'dns', value: 'a.test' }];
    const issued = await issue(await makeCsr({ name: 'CN=admin', names }), PROFILES.apiSession);
    expect(issued.subject).toBe('CN=alice1');
    expect(parsed(issued).subject).toBe('CN=alice1');
    expect(namesOf(issued)).toEqual([
      {
        type: 'url',
        value: 'spiffe://net.test/identity/alice1/apiSession/session1/apiSessionCertificate/cert1',
      },
    ]);
  });
});

describe('the certificate of a router', () => {
  const names: x509.JsonGeneralNames = [
    { type: 'dns', value: 'router.net.test' },
    { type: 'ip', value: '10.0.0.1' },
    { type: 'ip', value: '::1' },
    { type: 'email', value: 'ops@net.test' },
    { type: 'url', value: 'https://router.net.test/' },
  ];

  it.each(['routerClient', 'routerServer'] as const)(
    'has subject and names of the request: %s',
    async (kind) => {
      const name = [{ O: ['Ops'] }, { CN: ['router1'] }];
      const issued = await issue(await makeCsr({ name, names }), PROFILES[kind]);
      expect(namesOf(issued)).toEqual(names);
      expect(issued.subject).toBe('O=Ops, CN=router1');
      const plain = await issue(await makeCsr({ name }), PROFILES[kind]);
      expect(namesOf(plain)).toEqual([]);
    },
  );

  it.each<[string | x509.JsonName]>([
    ['CN=router2'],
    ['O=router1'],
    [[]],
    [[{ CN: ['router1'] }, { CN: ['router2'] }]],
    [[{ CN: ['router2'] }, { CN: ['router1'] }]],
  ])('for clients is refused to another name than its id: %j', async (name) => {
    const csrPem = await makeCsr({ name });
    await expect(refusal(issue(csrPem, PROFILES.routerClient))).resolves.toMatch(/common name/);
    await expect(issue(csrPem, PROFILES.routerServer)).resolves.toBeDefined();
  });

  it.each(['spiffe://net.test/controller/c1', 'SPIFFE://NET.test/identity/alice1'])(
    'is refused the name of somebody else in the network: %s',
    async (value) => {
      const asked = await makeCsr({ name: 'CN=router1', names: [{ type: 'url', value }] });
      await expect(refusal(issue(asked, PROFILES.routerServer))).resolves.toMatch(/SPIFFE/);
    },
  );

  it('is refused names of a form that is not for hosts, and unreadable ones', async () => {
    const directory: x509.JsonGeneralNames = [{ type: 'dn', value: 'CN=admin' }];
    const unreadable = [new x509.Extension('2.5.29.17', false, Buffer.from('3005810a', 'hex'))];
    for (const wishes of [{ names: directory }, { extensions: unreadable }]) {
      const csrPem = await makeCsr({ name: 'CN=router1', ...wishes });
      await expect(refusal(issue(csrPem, PROFILES.routerServer))).resolves.toMatch(/names/);
    }
  });
});

describe('a renewal', () => {
  it('has the subject of the request and the names of the current certificate', async () => {
    const names: x509.JsonGeneralNames = [{ type: 'url', value: 'spiffe://net.test/identity/a' }];
    const { cert: current } = await make({ issuer: network.signer, names });
    const csrPem = await makeCsr({ name: 'CN=new', names: [{ type: 'dns', value: 'b.test' }] });
    const issued = await issue(csrPem, { kind: 'renewal', current });
    expect(issued.subject).toBe('CN=new');
    expect(namesOf(issued)).toEqual(names);
    const renewed = new X509Certificate(issued.certificatePem);
    expect(alternativeNames(renewed).uris).toEqual(['spiffe://net.test/identity/a']);
    const { cert: nameless } = await make({ issuer: network.signer });
    expect(namesOf(await issue(csrPem, { kind: 'renewal', current: nameless }))).toEqual([]);
  });
});

describe('a request', () => {
  let csrPem: string;
  let der: Buffer;

  beforeAll(async () => {
    csrPem = await makeCsr({ names: [{ type: 'dns', value: 'a.test' }] });
    der = derOf(csrPem);
  });

  it.each<[string, (pem: string) => string]>([
    ['with line ends of Windows', (pem) => pem.replaceAll('\n', '\r\n')],
    ['with text around it', (pem) => `my request\n${pem}\n\n`],
    ['without line ends', (pem) => armoured(LABEL, derOf(pem))],
    ['under the older label', (pem) => armoured(`NEW ${LABEL}`, derOf(pem))],
  ])('may come %s', async (_, form) => {
    await expect(issue(form(csrPem))).resolves.toMatchObject({ subject: 'CN=somebody' });
  });

  it.each<[string, () => string, RegExp]>([
    ['missing', () => '', /exactly one/],
    ['bare DER in base64', () => der.toString('base64'), /exactly one/],
    ['twice there', () => csrPem + csrPem, /exactly one/],
    ['followed by another block', () => csrPem + network.signer.cert.toString(), /exactly one/],
    ['a certificate', () => network.signer.cert.toString(), /exactly one/],
    ['a certificate by another label', () => armoured(LABEL, network.signer.cert.raw), /./],
    ['not in base64', () => csrPem.replace('\nMI', '\nM*I'), /exactly one/],
    ['enormous', () => `${'x'.repeat(40_000)}${csrPem}`, /too long/],
    ['cut short', () => armoured(LABEL, der.subarray(0, -1)), /not a certificate request/],
    ['followed by bytes', () => armoured(LABEL, Buffer.concat([der, der])), /not a certificate/],
    ['empty', () => armoured(LABEL, Buffer.from('3000', 'hex')), /not a certificate request/],
  ])('is refused when it is %s', async (_, text, reason) => {
    await expect(refusal(issue(text()))).resolves.toMatch(reason);
  });

  it.each<[keyof typeof REQUEST_KEYS, RegExp]>([
    ['RSA 1024', /its key has to be/],
    ['RSA with SHA-1', /SHA-2/],
  ])('is refused with %s', async (key, reason) => {
    await expect(refusal(issue(await makeCsr({ key })))).resolves.toMatch(reason);
  });

  it('is refused with the signature of another', async () => {
    const other = derOf(await makeCsr({ names: [{ type: 'dns', value: 'b.test' }] }));
    // Both end in a signature of P-256 of at least 64 bytes.
    const mixed = Buffer.concat([der.subarray(0, -64), other.subarray(-64)]);
    await expect(refusal(issue(armoured(LABEL, mixed)))).resolves.not.toBe('');
  });

  test.each(['P-256', 'RSA 2048'] as const)('of %s altered anywhere is refused', async (key) => {
    const original = derOf(await makeCsr({ key, names: [{ type: 'dns', value: 'a.test' }] }));
    await fc.assert(
      fc.asyncProperty(
        fc.nat(original.length - 1),
        fc.integer({ min: 1, max: 255 }),
        async (at, mask) => {
          const altered = Buffer.from(original);
          altered[at] = (altered[at] ?? 0) ^ mask;
          await refusal(issue(armoured(LABEL, altered)));
        },
      ),
      runs(103),
    );
  });

  it('of any text or bytes is refused', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.uint8Array({ maxLength: 300 }), async (text, bytes) => {
        await refusal(issue(text));
        await refusal(issue(`-----BEGIN ${LABEL}-----${text}-----END ${LABEL}-----`));
        await refusal(issue(armoured(LABEL, Buffer.from(bytes))));
      }),
      runs(34),
    );
  });

  it('of text made to be slow is refused at once', async () => {
    const started = performance.now();
    for (const text of [
      '-----BEGIN '.repeat(2500),
      `-----BEGIN ${LABEL}-----${' '.repeat(32_000)}`,
    ]) {
      await refusal(issue(text));
    }
    expect(performance.now() - started).toBeLessThan(500);
  });
});
