import { createGuardrails, generateSecret, verifySync } from 'otplib';

const STEP_SECONDS = 30;
/** Clocks of phones may be this far off in either direction. */
const DRIFT_STEPS = 2;
/** RFC 4226 4, R6: the recommended length, that of the digest. */
const SECRET_BYTES = 20;
/** Other controllers make secrets of 10 bytes, which authenticator apps keep when a network moves. */
const guardrails = createGuardrails({ MIN_SECRET_BYTES: 10 });
const TOTP_CODE = /^[0-9]{6}$/;

/** A new shared secret in base32 without padding. */
export const newTotpSecret = (): string => generateSecret({ length: SECRET_BYTES });

/** Whether a code has the form of a one-time code: six digits, nothing around them. */
export const isTotpCode = (code: string): boolean => TOTP_CODE.test(code);

/**
 * The time step (RFC 6238 4.2, of 30 seconds) whose code this is, up to two steps away from `now`;
 * undefined when the code is none of theirs. A code that serves once is remembered by its step:
 * nothing up to `lastUsedStep` is accepted any more.
 */
export function verifyTotp(
  secret: string,
  code: string,
  now: Date,
  lastUsedStep?: number,
): number | undefined {
  const epoch = Math.floor(now.getTime() / 1000);
  const latestStep = Math.floor(epoch / STEP_SECONDS) + DRIFT_STEPS;
  // The library throws for a last step beyond those in question.
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
  /** Who asks for the codes, e.g. the host name of the network. */
  readonly issuer: string;
  /** Name of the identity. */
  readonly account: string;
  readonly secret: string;
}

/**
 * The text that authenticator apps read from a QR code. The name stays readable, since clients show
 * it; only what would end or break the path is escaped.
 */
export function provisioningUrl({ issuer, account, secret }: Provisioning): string {
  const query = `issuer=${encodeURIComponent(issuer)}&secret=${secret}`;
  return `otpauth://totp/${pathText(issuer)}:${pathText(account)}?${query}`;
}

const pathText = (text: string): string =>
  encodeURI(text).replaceAll('?', '%3F').replaceAll('#', '%23');
