import { beforeAll, describe, expect, test } from '@jest/globals';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import {
  serviceSessionTokens,
  type ServiceSessionTokens,
  type SessionTokenInput,
} from '../../../src/trust/auth/index.js';
import { enrollmentTokens } from '../../../src/trust/enrollment/index.js';
import {
  fingerprint,
  signJwt,
  type JwtSigner,
  type KeyMaterial,
} from '../../../src/trust/pki/index.js';
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
  const own = keyMaterial.server;
  const ownKid = fingerprint(own.leaf);
  const verification = { key: own.leaf.publicKey, algorithm: own.algorithm };
  const keys = {
    signer: () => ({ privateKey: own.privateKey, algorithm: own.algorithm, kid: ownKid }),
    find: (kid: string) => Promise.resolve(kid === ownKid ? verification : undefined),
  };
  tokens = serviceSessionTokens({ keys, advertise });
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

  const signerOf = ({ server: { leaf, privateKey, algorithm } }: KeyMaterial): JwtSigner => ({
    privateKey,
    algorithm,
    kid: fingerprint(leaf),
  });

  const forged = (claims: object, material = keyMaterial): string => {
    return signJwt(signerOf(material), { ...decodeJwt(tokens.signSessionToken(INPUT)), ...claims });
  };

  const REFUSED: [string, () => string | Promise<string>][] = [
    ['is no JWT', () => 'ey.not.one'],
    ['is blank', () => ''],
    ['is over', () => forged({ exp: Math.floor(NOW.getTime() / 1000) })],
    ['has no end', () => forged({ exp: undefined })],
    ['is for another audience', () => forged({ aud: ['others'] })],
    ['is of another kind', () => forged({ z_t: 'a' })],
    ['permits something unknown', () => forged({ z_st: 'Listen' })],
    ['names no API session', () => forged({ z_asid: undefined })],
    ['names a blank identity', () => forged({ z_iid: '' })],
    ['names no key', () => signJwt({ ...signerOf(keyMaterial), kid: '' }, { ...INPUT })],
    [
      'names our key and is signed by another one',
      async () => {
        const { privateKey, algorithm } = signerOf(await load(await temporaryFolder()));
        const { kid } = signerOf(keyMaterial);
        const claims = decodeJwt(tokens.signSessionToken(INPUT));
        return signJwt({ privateKey, algorithm, kid }, claims);
      },
    ],
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
