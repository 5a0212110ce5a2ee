import { jwtVerify, type JWTPayload } from 'jose';
import { failure } from '../base/errors.js';
import { fingerprint, signJwt, type JwtSigner, type KeyMaterial } from '../pki/index.js';

/** What a session for a service permits. */
export type SessionType = 'Dial' | 'Bind';

export interface SessionTokenInput {
  readonly sessionId: string;
  readonly serviceId: string;
  readonly identityId: string;
  readonly apiSessionId: string;
  readonly type: SessionType;
  readonly now: Date;
}

/** What a verified token tells. */
export type SessionTokenClaims = Omit<SessionTokenInput, 'now'>;

/** The tokens of sessions for services: JWTs, which routers read and clients give back. */
export interface ServiceSessionTokens {
  /** Good for a year; routers and clients find the public key by `kid`. */
  signSessionToken(input: SessionTokenInput): string;
  /** @throws ApiError UNAUTHORIZED, with the reason as cause */
  verifySessionToken(token: string, now: Date): Promise<SessionTokenClaims>;
}

export interface ServiceSessionTokenOptions {
  /** Those of now: they are renewed while the controller runs. */
  readonly keyMaterial: () => Pick<KeyMaterial, 'server'>;
  /** `host:port` of the controller as clients reach it. */
  readonly advertise: string;
}

const AUDIENCE = 'openziti';
/** Marks tokens of sessions, beside those of API sessions. */
const SESSION_KIND = 's';
const TYPES: readonly unknown[] = ['Dial', 'Bind'] satisfies SessionType[];

export function serviceSessionTokens({
  keyMaterial,
  advertise,
}: ServiceSessionTokenOptions): ServiceSessionTokens {
  const issuer = `https://${advertise}`;
  const signer = (): JwtSigner => {
    const { leaf, privateKey, algorithm } = keyMaterial().server;
    return { privateKey, algorithm, kid: fingerprint(leaf) };
  };
  return {
    signSessionToken: (input) => signJwt(signer(), claimsOf(input, issuer)),
    verifySessionToken: async (token, now) => {
      const { leaf, algorithm } = keyMaterial().server;
      const options = {
        issuer,
        audience: AUDIENCE,
        algorithms: [algorithm.jws],
        currentDate: now,
        requiredClaims: ['exp'],
      };
      const { payload } = await jwtVerify(token, leaf.publicKey, options).catch(
        (error: unknown) => {
          throw refused(error instanceof Error ? error.message : 'unreadable');
        },
      );
      return inputOf(payload);
    },
  };
}

function claimsOf(input: SessionTokenInput, issuer: string): Record<string, unknown> {
  const end = new Date(input.now);
  end.setUTCFullYear(end.getUTCFullYear() + 1);
  return {
    iss: issuer,
    sub: input.serviceId,
    aud: [AUDIENCE],
    jti: input.sessionId,
    iat: seconds(input.now),
    exp: seconds(end),
    z_asid: input.apiSessionId,
    z_iid: input.identityId,
    z_t: SESSION_KIND,
    z_st: input.type,
    // Access is decided here, not by the router from the data model.
    z_leg: true,
  };
}

const seconds = (at: Date): number => Math.floor(at.getTime() / 1000);

function inputOf({ sub, jti, z_asid, z_iid, z_t, z_st }: JWTPayload): SessionTokenClaims {
  if (z_t !== SESSION_KIND || !TYPES.includes(z_st)) throw refused('it is of another kind');
  return {
    sessionId: named(jti),
    serviceId: named(sub),
    apiSessionId: named(z_asid),
    identityId: named(z_iid),
    type: z_st as SessionType,
  };
}

function named(claim: unknown): string {
  if (typeof claim === 'string' && claim !== '') return claim;
  throw refused('it lacks a claim');
}

const refused = (reason: string) =>
  failure('UNAUTHORIZED', `the session token is not valid: ${reason}`);
