import { beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt, decodeProtectedHeader, importX509, jwtVerify } from 'jose';
import { ApiError } from '../../../src/base/errors.js';
import { enrollmentTokens, type EnrollmentTokens } from '../../../src/trust/enrollment/index.js';
import { fingerprint, type KeyMaterial } from '../../../src/trust/pki/index.js';
import {
  load,
  makeRoot,
  makeServer,
  NOW,
  pemFiles,
  temporaryFolder,
  type KeyKind,
} from '../pki/support.js';

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const TOKEN = '3b1f0c9e-8f4e-4d61-9b1c-2f8f1f0f4f10';
const KINDS: [KeyKind, string][] = [
  ['P-256', 'ES256'],
  ['P-384', 'ES384'],
  ['P-521', 'ES512'],
  ['RSA', 'RS256'],
];

let keyMaterial: KeyMaterial;
let tokens: EnrollmentTokens;
const expiresAt = new Date(NOW.getTime() + 3_600_999);

const tokensOf = (material: KeyMaterial, ctrlAddress?: string): EnrollmentTokens =>
  enrollmentTokens({
    keyMaterial: () => material,
    advertise: 'controller.example.com:1280',
    ctrlAddress,
    clock: () => NOW,
  });

beforeAll(async () => {
  keyMaterial = await load(await temporaryFolder());
  tokens = tokensOf(keyMaterial);
});

describe('enrollment JWTs', () => {
  it.each(['ott', 'ottca', 'updb', 'erott', 'trott'] as const)(
    'for %s carry exactly what clients expect',
    (method) => {
      const jwt = tokens.enrollmentJwt({ method, subject: 'id1', token: TOKEN, expiresAt });
      expect(decodeJwt(jwt)).toStrictEqual({
        iss: 'https://controller.example.com:1280',
        sub: 'id1',
        aud: [''],
        jti: TOKEN,
        exp: Math.floor(NOW.getTime() / 1000) + 3600,
        em: method,
        ctrls: null,
      });
      expect(decodeProtectedHeader(jwt)).toStrictEqual({
        alg: 'ES256',
        kid: fingerprint(keyMaterial.server.leaf),
        typ: 'JWT',
      });
    },
  );

  it('name the control channel when there is one', () => {
    const jwt = tokensOf(keyMaterial, 'tls:controller.example.com:6262').enrollmentJwt({
      method: 'erott',
      subject: 'router1',
      token: TOKEN,
      expiresAt,
    });
    expect(decodeJwt(jwt)['ctrls']).toEqual(['tls:controller.example.com:6262']);
  });

  it('of a CA name it twice and do not expire', () => {
    expect(decodeJwt(tokens.caJwt('ca1'))).toStrictEqual({
      iss: 'https://controller.example.com:1280/',
      sub: 'ca1',
      aud: ['openziti-enroller'],
      jti: 'ca1',
      em: 'ca',
      ctrls: null,
    });
  });

  it('of the network name it alone, stay the same and do not expire', () => {
    const claims = decodeJwt(tokens.networkJwt());
    expect(claims).toStrictEqual({
      iss: 'https://controller.example.com:1280/',
      sub: 'https://controller.example.com:1280/',
      aud: ['openziti-enroller'],
      jti: expect.stringMatching(UUID_V4),
      em: 'network',
      ctrls: null,
    });
    expect(tokens.networkJwt()).toBe(tokens.networkJwt());
    expect(tokensOf(keyMaterial).networkJwt()).not.toBe(tokens.networkJwt());
  });

  it.each(KINDS)('are checked by the TLS leaf of a %s key, as %s', async (kind, alg) => {
    const root = await makeRoot(kind);
    const server = await makeServer(root, kind);
    const files = await pemFiles({
      tlsCert: [server.cert, root.cert],
      tlsKey: server.privateKey,
    });
    const material = await load(await temporaryFolder(), { files });
    const minted = tokensOf(material);
    const key = await importX509(material.server.leaf.toString(), alg);
    const jwts = [
      minted.newEnrollment({ method: 'ott', subject: 'id1', lifetimeMs: 60_000 }).jwt,
      minted.caJwt('ca1'),
      minted.networkJwt(),
    ];
    for (const jwt of jwts) {
      const { protectedHeader } = await jwtVerify(jwt, key, { currentDate: NOW });
      expect(protectedHeader).toEqual({ alg, kid: fingerprint(server.cert), typ: 'JWT' });
    }
  });

  it('survive the renewal of the server certificate', async () => {
    const directory = await temporaryFolder();
    const jwt = tokensOf(await load(directory)).caJwt('ca1');
    const { server } = await load(directory, { advertiseHost: 'moved.example.com' });
    const key = await importX509(server.leaf.toString(), 'ES256');
    await expect(jwtVerify(jwt, key)).resolves.toMatchObject({ payload: { sub: 'ca1' } });
  });
});

describe('a new enrollment', () => {
  it('has a fresh UUID, its end and the JWT of both', () => {
    const input = { method: 'ott', subject: 'id1', lifetimeMs: 10_800_000 } as const;
    const one = tokens.newEnrollment(input);
    expect(one.token).toMatch(UUID_V4);
    expect(one.token).not.toBe(tokens.newEnrollment(input).token);
    expect(one.expiresAt).toEqual(new Date(NOW.getTime() + 10_800_000));
    expect(decodeJwt(one.jwt)).toMatchObject({
      jti: one.token,
      sub: 'id1',
      em: 'ott',
      exp: one.expiresAt.getTime() / 1000,
    });
  });

  it('ends when it is asked to', () => {
    expect(tokens.newEnrollment({ method: 'updb', subject: 'id1', expiresAt }).expiresAt).toEqual(
      expiresAt,
    );
  });

  it.each([NOW, new Date(0), new Date(Number.NaN)])('is refused an end at %s', (end) => {
    const attempt = () => tokens.newEnrollment({ method: 'ott', subject: 'id1', expiresAt: end });
    expect(attempt).toThrow(ApiError);
    expect(attempt).toThrow(
      expect.objectContaining({
        status: 400,
        detail: expect.objectContaining({ field: 'expiresAt' }),
      }),
    );
  });
});
