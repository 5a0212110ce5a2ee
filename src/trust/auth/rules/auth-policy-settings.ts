import { overlaid, readerOf } from '../../../base/schema-reader.js';
import {
  boolean,
  filledText,
  integer,
  listOf,
  orNull,
  schemaOf,
  type ValueOfSchema,
} from '../../../base/typed-schema.js';
import { MIN_PASSWORD_LENGTH } from './password.js';

const PRIMARY = schemaOf({
  cert: schemaOf({ allowed: boolean(), allowExpiredCerts: boolean() }),
  /** An empty list of signers allows every signer. */
  extJwt: schemaOf({ allowed: boolean(), allowedSigners: listOf(filledText()) }),
  updb: schemaOf({
    allowed: boolean(),
    minPasswordLength: integer(),
    requireMixedCase: boolean(),
    requireNumberChar: boolean(),
    requireSpecialChar: boolean(),
    /** Failures in a row before the identity is disabled; 0: no limit. */
    maxAttempts: integer(),
    /** 0: until an administrator enables the identity again. */
    lockoutDurationMinutes: integer(),
  }),
});

const SECONDARY = schemaOf({
  requireTotp: boolean(),
  /** Id of the signer whose token every request has to bring; an empty text clears it. */
  requireExtJwtSigner: orNull(filledText(), 'empty'),
});

export type AuthPolicyPrimary = ValueOfSchema<typeof PRIMARY>;

export type AuthPolicySecondary = ValueOfSchema<typeof SECONDARY>;

export interface AuthPolicySettings {
  readonly primary: AuthPolicyPrimary;
  readonly secondary: AuthPolicySecondary;
}

/** Whether identities of a policy may log in by JWTs of a signer. */
export const allowsSigner = (
  { allowed, allowedSigners }: AuthPolicyPrimary['extJwt'],
  signerId: string,
): boolean => allowed && (allowedSigners.length === 0 || allowedSigners.includes(signerId));

/** The policy of identities that name none; every network has it from the start. */
export const defaultAuthPolicy: AuthPolicySettings & {
  readonly id: string;
  readonly name: string;
} = {
  id: 'default',
  name: 'Default',
  primary: {
    cert: { allowed: true, allowExpiredCerts: true },
    extJwt: { allowed: true, allowedSigners: [] },
    updb: {
      allowed: true,
      minPasswordLength: MIN_PASSWORD_LENGTH,
      requireMixedCase: false,
      requireNumberChar: false,
      requireSpecialChar: false,
      maxAttempts: 0,
      lockoutDurationMinutes: 0,
    },
  },
  secondary: { requireTotp: false, requireExtJwtSigner: null },
};

/** Negative numbers mean "without limit", which is stored as 0. */
const unsigned = (count: number): number => Math.max(count, 0);

function withinRange({ cert, extJwt, updb }: AuthPolicyPrimary): AuthPolicyPrimary {
  return {
    cert,
    extJwt: { ...extJwt, allowedSigners: [...new Set(extJwt.allowedSigners)] },
    updb: {
      ...updb,
      minPasswordLength: Math.max(updb.minPasswordLength, MIN_PASSWORD_LENGTH),
      maxAttempts: unsigned(updb.maxAttempts),
      lockoutDurationMinutes: unsigned(updb.lockoutDurationMinutes),
    },
  };
}

const readPrimary = readerOf(PRIMARY, withinRange);

const readSecondary = readerOf(SECONDARY);

/**
 * Checks the two halves of an auth policy and brings numbers into range. With `current` the input
 * is a partial change at any depth: null counts as not sent, `[]` clears a list. Without it every
 * member but the secondary signer has to be there. Faults are 400 with a field such as
 * `primary.updb.maxAttempts`. The function does not check that the signers exist.
 */
export function normaliseAuthPolicy(
  primary: unknown,
  secondary: unknown,
  current?: AuthPolicySettings,
): AuthPolicySettings {
  return {
    primary: readPrimary(overlaid(current?.primary, primary), 'primary'),
    secondary: readSecondary(overlaid(current?.secondary, secondary), 'secondary'),
  };
}

/** The secondary requirements of an auth policy as stored, or those that a session remembers. */
export const secondaryOf = ({
  requireTotp = false,
  requireExtJwtSigner = null,
}: Partial<AuthPolicySecondary>): AuthPolicySecondary => ({ requireTotp, requireExtJwtSigner });
