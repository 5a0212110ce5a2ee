import type { KeyObject } from 'node:crypto';
import { errors, jwtVerify, type JWTHeaderParameters, type JWTPayload } from 'jose';
import { failure } from '../../base/errors.js';
import { JWS_ALGORITHMS, signJwt } from '../pki/index.js';
import type { TokenKeys } from './token-keys.js';

/** The kind of access of a service session. */
export type SessionType = 'Dial' | 'Bind';

export interface SessionTokenInput {
  readonly sessionId: string;
  readonly serviceId: string;
  readonly identityId: string;
  readonly apiSessionId: string;
  readonly type: SessionType;
  readonly now: Date;
}

/** The claims of a verified token. */
export type SessionTokenClaims = Omit<SessionTokenInput, 'now'>;

/** Tokens of service sessions: JWTs for routers, which clients send back. */
export interface ServiceSessionTokens {
  /** The issuer of the tokens that this controller signs for routers. */
  readonly issuer: string;
  /** Signs a token that is valid for a year; routers and clients find the public key by `kid`. */
  signSessionToken(input: SessionTokenInput): string;
  /** @throws ApiError UNAUTHORIZED, with the reason as cause */
  verifySessionToken(token: string, now: Date): Promise<SessionTokenClaims>;
}

export interface ServiceSessionTokenOptions {
  readonly keys: Pick<TokenKeys, 'signer' | 'find'>;
  /** The public `host:port` of the controller. */
  readonly advertise: string;
}

const AUDIENCE = 'openziti';
/** Distinguishes these tokens from those of API sessions. */
const SESSION_KIND = 's';
const TYPES: readonly unknown[] = ['Dial', 'Bind'] satisfies SessionType[];

export function serviceSessionTokens({
  keys,
  advertise,
}: ServiceSessionTokenOptions): ServiceSessionTokens {
  const issuer = `https://${advertise}`;
  const publicKey = async ({ kid = '', alg }: JWTHeaderParameters): Promise<KeyObject> => {
    const verification = await keys.find(kid);
    if (!verification) throw invalidToken('its key is unknown');
    if (alg !== verification.algorithm.jws) throw invalidToken('its key has another algorithm');
    return verification.key;
  };
  return {
    issuer,
    signSessionToken: (input) => signJwt(keys.signer(), claimsOf(input, issuer)),
    verifySessionToken: async (token, now) => {
      // Each controller names its own address as the issuer, and the address may change: the key tells
      // that a controller of this network signed the token.
      const options = {
        audience: AUDIENCE,
        algorithms: JWS_ALGORITHMS,
        currentDate: now,
        requiredClaims: ['exp'],
      };
      const { payload } = await jwtVerify(token, publicKey, options).catch(refuse);
      return inputOf(payload);
    },
  };
}

/** Faults of the database are no faults of the token. */
function refuse(error: unknown): never {
  if (error instanceof errors.JOSEError) throw invalidToken(error.message);
  throw error;
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
    // The controller decides access, not the router with its data model.
    z_leg: true,
  };
}

const seconds = (at: Date): number => Math.floor(at.getTime() / 1000);

function inputOf({ sub, jti, z_asid, z_iid, z_t, z_st }: JWTPayload): SessionTokenClaims {
  if (z_t !== SESSION_KIND || !TYPES.includes(z_st)) throw invalidToken('it is of another kind');
  return {
    sessionId: requireClaim(jti),
    serviceId: requireClaim(sub),
    apiSessionId: requireClaim(z_asid),
    identityId: requireClaim(z_iid),
    type: z_st as SessionType,
  };
}

function requireClaim(claim: unknown): string {
  if (typeof claim === 'string' && claim !== '') return claim;
  throw invalidToken('it lacks a claim');
}

const invalidToken = (reason: string) =>
  failure('UNAUTHORIZED', `the session token is not valid: ${reason}`);
