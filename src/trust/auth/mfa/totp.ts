import { createGuardrails, generateSecret, verifySync } from 'otplib';

const STEP_SECONDS = 30;
/** Accepted difference of a phone's clock, in steps, in both directions. */
const DRIFT_STEPS = 2;
/** RFC 4226 4, R6: the recommended length, equal to the digest. */
const SECRET_BYTES = 20;
/**
 * Other controller products make secrets of 10 bytes, which stay valid after a migration of the
 * network.
 */
const guardrails = createGuardrails({ MIN_SECRET_BYTES: 10 });
const TOTP_CODE = /^[0-9]{6}$/;

/** A new shared secret in base32 without padding. */
export const newTotpSecret = (): string => generateSecret({ length: SECRET_BYTES });

/** Whether a code has the form of a one-time code: six digits, nothing around them. */
export const isTotpCode = (code: string): boolean => TOTP_CODE.test(code);

/**
 * The time step (RFC 6238 4.2, 30 seconds) of a code, at most two steps away from `now`; undefined
 * for a wrong code. A used code is recorded by its step: no code up to `lastUsedStep` is accepted.
 */
export function verifyTotp(
  secret: string,
  code: string,
  now: Date,
  lastUsedStep?: number,
): number | undefined {
  const epoch = Math.floor(now.getTime() / 1000);
  const latestStep = Math.floor(epoch / STEP_SECONDS) + DRIFT_STEPS;
  // The library throws if the last step is later than all candidates.
  if (!isTotpCode(code) || (lastUsedStep !== undefined && lastUsedStep >= latestStep)) {
    return undefined;
  }
  const result = verifySync({
    secret,
    token: code,
    epoch,
    epochTolerance: DRIFT_STEPS * STEP_SECONDS,
    guardrails,
    ...(lastUsedStep === undefined ? {} : { afterTimeStep: lastUsedStep }),
  });
  return result.valid && 'timeStep' in result ? result.timeStep : undefined;
}

export interface Provisioning {
  /** The issuer in the app, e.g. the host name of the network. */
  readonly issuer: string;
  /** Name of the identity. */
  readonly account: string;
  readonly secret: string;
}

/**
 * The text of the QR code for authenticator apps. The name stays readable, since clients show it;
 * only characters that would break the path are escaped.
 */
export function provisioningUrl({ issuer, account, secret }: Provisioning): string {
  const query = `issuer=${encodeURIComponent(issuer)}&secret=${secret}`;
  return `otpauth://totp/${pathText(issuer)}:${pathText(account)}?${query}`;
}

const pathText = (text: string): string =>
  encodeURI(text).replaceAll('?', '%3F').replaceAll('#', '%23');
