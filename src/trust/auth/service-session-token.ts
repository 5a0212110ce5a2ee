import { jwtVerify, type JWTPayload } from 'jose';
import { failure } from '../../base/errors.js';
import { fingerprint, signJwt, type JwtSigner, type KeyMaterial } from '../pki/index.js';

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
  /** Signs a token that is valid for a year; routers and clients find the public key by `kid`. */
  signSessionToken(input: SessionTokenInput): string;
  /** @throws ApiError UNAUTHORIZED, with the reason as cause */
  verifySessionToken(token: string, now: Date): Promise<SessionTokenClaims>;
}

export interface ServiceSessionTokenOptions {
  /** Gives the current keys, which are renewed while the controller runs. */
  readonly keyMaterial: () => Pick<KeyMaterial, 'server'>;
  /** The public `host:port` of the controller. */
  readonly advertise: string;
}

const AUDIENCE = 'openziti';
/** Distinguishes these tokens from those of API sessions. */
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
          throw invalidToken(error instanceof Error ? error.message : 'unreadable');
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
