import { beforeAll, describe, expect, test } from '@jest/globals';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import {
  serviceSessionTokens,
  type ServiceSessionTokens,
  type SessionTokenInput,
} from '../../../src/trust/auth/index.js';
import { enrollmentTokens } from '../../../src/trust/enrollment/index.js';
import { fingerprint, signJwt, type KeyMaterial } from '../../../src/trust/pki/index.js';
import { after, load, NOW, temporaryFolder } from '../pki/support.js';

const advertise = 'controller.example.com:1280';
const INPUT: SessionTokenInput = {
  sessionId: 'session1',
  serviceId: 'service1',
  identityId: 'identity1',
  apiSessionId: 'login1',
  type: 'Bind',
  now: NOW,
};

let keyMaterial: KeyMaterial;
let tokens: ServiceSessionTokens;

beforeAll(async () => {
  keyMaterial = await load(await temporaryFolder());
  tokens = serviceSessionTokens({ keyMaterial: () => keyMaterial, advertise });
});

describe('the token of a session for a service', () => {
  test('carries exactly what routers expect', () => {
    const jwt = tokens.signSessionToken(INPUT);
    const now = Math.floor(NOW.getTime() / 1000);
    expect(decodeJwt(jwt)).toStrictEqual({
      iss: `https://${advertise}`,
      sub: 'service1',
      aud: ['openziti'],
      jti: 'session1',
      iat: now,
      exp: now + 365 * 86_400,
      z_asid: 'login1',
      z_iid: 'identity1',
      z_t: 's',
      z_st: 'Bind',
      z_leg: true,
    });
    expect(decodeProtectedHeader(jwt)).toStrictEqual({
      alg: 'ES256',
      kid: fingerprint(keyMaterial.server.leaf),
      typ: 'JWT',
    });
  });

  test('gives back what it was made from', async () => {
    const { now, ...claims } = INPUT;
    await expect(tokens.verifySessionToken(tokens.signSessionToken(INPUT), now)).resolves.toEqual(
      claims,
    );
  });

  const forged = (claims: object, material = keyMaterial): string => {
    const { leaf, privateKey, algorithm } = material.server;
    const signer = { privateKey, algorithm, kid: fingerprint(leaf) };
    return signJwt(signer, { ...decodeJwt(tokens.signSessionToken(INPUT)), ...claims });
  };

  const REFUSED: [string, () => string | Promise<string>][] = [
    ['is no JWT', () => 'ey.not.one'],
    ['is blank', () => ''],
    ['is over', () => forged({ exp: Math.floor(NOW.getTime() / 1000) })],
    ['has no end', () => forged({ exp: undefined })],
    ['is of another issuer', () => forged({ iss: 'https://other.example.com' })],
    ['is for another audience', () => forged({ aud: ['others'] })],
    ['is of another kind', () => forged({ z_t: 'a' })],
    ['permits something unknown', () => forged({ z_st: 'Listen' })],
    ['names no API session', () => forged({ z_asid: undefined })],
    ['names a blank identity', () => forged({ z_iid: '' })],
    ['is signed by another key', async () => forged({}, await load(await temporaryFolder()))],
    [
      'starts an enrollment',
      () =>
        enrollmentTokens({
          keyMaterial: () => keyMaterial,
          advertise,
          clock: () => NOW,
        }).enrollmentJwt({
          method: 'ott',
          subject: 'identity1',
          token: 'token1',
          expiresAt: after(1),
        }),
    ],
  ];

  test.each(REFUSED)('is refused with its cause when it %s', async (_, token) => {
    await expect(tokens.verifySessionToken(await token(), NOW)).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
      detail: { message: expect.stringMatching(/^the session token is not valid: ./) },
    });
  });
});
