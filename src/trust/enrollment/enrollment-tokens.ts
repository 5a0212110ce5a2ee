import { randomUUID } from 'node:crypto';
import { invalidField } from '../../base/errors.js';
import { fingerprint, signJwt, type JwtSigner, type KeyMaterial } from '../pki/index.js';

/** Methods for one identity (`ott`, `ottca`, `updb`) or one router (`erott`, `trott`). */
export type EnrollmentMethod = 'ott' | 'ottca' | 'updb' | 'erott' | 'trott';

export interface EnrollmentTokenOptions {
  /** Called for each token, because certificates are renewed. */
  readonly keyMaterial: () => Pick<KeyMaterial, 'server'>;
  /** `host:port` of the controller for clients. */
  readonly advertise: string;
  /** `tls:host:port` of the control channel; without it tokens have null. */
  readonly ctrlAddress?: string | undefined;
  readonly clock: () => Date;
}

export interface EnrollmentSubject {
  readonly method: EnrollmentMethod;
  /** Id of the identity or router. */
  readonly subject: string;
}

export interface EnrollmentJwtInput extends EnrollmentSubject {
  /** The one-time token, a UUID. */
  readonly token: string;
  readonly expiresAt: Date;
}

/** The end of an enrollment: milliseconds from now, or a requested time. */
export type EnrollmentPeriod = { readonly lifetimeMs: number } | { readonly expiresAt: Date };

export interface NewEnrollment {
  readonly token: string;
  readonly expiresAt: Date;
  readonly jwt: string;
}

/** Creates the JWTs that start an enrollment. Clients check them against the TLS server certificate. */
export interface EnrollmentTokens {
  enrollmentJwt(input: EnrollmentJwtInput): string;
  /** For clients with a certificate of the CA; never expires. */
  caJwt(caId: string): string;
  /** Introduces the network; the same text as long as the server certificate stays the same. */
  networkJwt(): string;
  /** Gives a new token and its JWT; 400 field `expiresAt` when the requested end is in the past. */
  newEnrollment(input: EnrollmentSubject & EnrollmentPeriod): NewEnrollment;
}

const ENROLLER = ['openziti-enroller'];
/** Clients expect one empty audience in tokens for a single subject. */
const NO_AUDIENCE = [''];

export function enrollmentTokens(options: EnrollmentTokenOptions): EnrollmentTokens {
  const { advertise, ctrlAddress, clock } = options;
  const signer = (): JwtSigner => {
    const { leaf, privateKey, algorithm } = options.keyMaterial().server;
    return { privateKey, algorithm, kid: fingerprint(leaf) };
  };
  const issuer = `https://${advertise}`;
  let cached: { readonly kid: string; readonly jwt: string } | undefined;

  /** A token for any client. Unlike in the others, the issuer ends with a slash. */
  const enrollerJwt = (em: 'ca' | 'network', sub: string, jti: string): string =>
    signJwt(signer(), { iss: `${issuer}/`, sub, aud: ENROLLER, jti, em, ctrls: null });

  const enrollmentJwt = ({ method, subject, token, expiresAt }: EnrollmentJwtInput): string =>
    signJwt(signer(), {
      iss: issuer,
      sub: subject,
      aud: NO_AUDIENCE,
      jti: token,
      exp: Math.floor(expiresAt.getTime() / 1000),
      em: method,
      ctrls: ctrlAddress ? [ctrlAddress] : null,
    });

  const networkJwt = (): string => {
    const { kid } = signer();
    if (cached?.kid !== kid) {
      cached = { kid, jwt: enrollerJwt('network', `${issuer}/`, randomUUID()) };
    }
    return cached.jwt;
  };

  return {
    enrollmentJwt,
    caJwt: (caId) => enrollerJwt('ca', caId, caId),
    networkJwt,
    newEnrollment: (input) => {
      const { method, subject } = input;
      const token = randomUUID();
      const expiresAt = endOf(input, clock());
      return { token, expiresAt, jwt: enrollmentJwt({ method, subject, token, expiresAt }) };
    },
  };
}

function endOf(period: EnrollmentPeriod, now: Date): Date {
  if ('lifetimeMs' in period) return new Date(now.getTime() + period.lifetimeMs);
  if (period.expiresAt > now) return period.expiresAt;
  throw invalidField('expiresAt', 'must be in the future', period.expiresAt);
}
