import { MIN_PASSWORD_LENGTH, type PasswordRules } from './password.js';
import { booleanAt, integerAt, isSent, listAt, objectAt, textAt } from '../../base/values.js';

export interface AuthPolicyPrimary {
  readonly cert: { readonly allowed: boolean; readonly allowExpiredCerts: boolean };
  /** No signer listed: every signer is allowed. */
  readonly extJwt: { readonly allowed: boolean; readonly allowedSigners: readonly string[] };
  readonly updb: PasswordRules & {
    readonly allowed: boolean;
    /** Failures in a row before the identity is disabled; 0 never. */
    readonly maxAttempts: number;
    /** 0 until somebody enables the identity again. */
    readonly lockoutDurationMinutes: number;
  };
}

export interface AuthPolicySecondary {
  readonly requireTotp: boolean;
  /** Id of the signer whose token has to come with every request. */
  readonly requireExtJwtSigner: string | null;
}

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

type Reader<T> = (value: unknown, field: string, current: T | undefined) => T;

/** What is not sent keeps its current value; without one it is handed to the reader, which refuses. */
const kept =
  <T>(read: (value: unknown, field: string) => T): Reader<T> =>
  (value, field, current) =>
    isSent(value) || current === undefined ? read(value, field) : current;

/** Reads an object member by member. Members of `T` come from its readers, so none is forgotten. */
const group =
  <T extends object>(
    readAll: (at: <K extends keyof T>(name: K, read: Reader<T[K]>) => T[K]) => T,
  ) =>
  (value: unknown, field: string, current: T | undefined): T => {
    const sent = isSent(value) || current === undefined ? objectAt(value, field) : {};
    return readAll((name, read) =>
      read(Reflect.get(sent, name), `${field}.${String(name)}`, current?.[name]),
    );
  };

const flag = kept(booleanAt);

/** Negative numbers mean "without limit", which is stored as 0. */
const count = kept((value, field) => Math.max(integerAt(value, field), 0));

const passwordLength = kept((value, field) =>
  Math.max(integerAt(value, field), MIN_PASSWORD_LENGTH),
);

const ids = kept<readonly string[]>((value, field) => [...new Set(listAt(value, field, textAt))]);

/** Blank text clears the signer; on a patch null leaves it alone like everything else. */
const optionalId: Reader<string | null> = (value, field, current) => {
  if (!isSent(value)) return current ?? null;
  return value === '' ? null : textAt(value, field);
};

const primaryAt = group<AuthPolicyPrimary>((at) => ({
  cert: at(
    'cert',
    group((member) => ({
      allowed: member('allowed', flag),
      allowExpiredCerts: member('allowExpiredCerts', flag),
    })),
  ),
  extJwt: at(
    'extJwt',
    group((member) => ({
      allowed: member('allowed', flag),
      allowedSigners: member('allowedSigners', ids),
    })),
  ),
  updb: at(
    'updb',
    group((member) => ({
      allowed: member('allowed', flag),
      minPasswordLength: member('minPasswordLength', passwordLength),
      requireMixedCase: member('requireMixedCase', flag),
      requireNumberChar: member('requireNumberChar', flag),
      requireSpecialChar: member('requireSpecialChar', flag),
      maxAttempts: member('maxAttempts', count),
      lockoutDurationMinutes: member('lockoutDurationMinutes', count),
    })),
  ),
}));

const secondaryAt = group<AuthPolicySecondary>((at) => ({
  requireTotp: at('requireTotp', flag),
  requireExtJwtSigner: at('requireExtJwtSigner', optionalId),
}));

/**
 * Checks the two halves of an auth policy and brings numbers into range. With `current` the input
 * is a partial change at any depth: null counts as not sent, `[]` clears a list. Without it every
 * member but the secondary signer has to be there. Faults are 400 with a field such as
 * `primary.updb.maxAttempts`. Whether the signers exist is not looked at.
 */
export function normaliseAuthPolicy(
  primary: unknown,
  secondary: unknown,
  current?: AuthPolicySettings,
): AuthPolicySettings {
  return {
    primary: primaryAt(primary, 'primary', current?.primary),
    secondary: secondaryAt(secondary, 'secondary', current?.secondary),
  };
}

/** The secondary requirements of an auth policy as stored, or those that a session remembers. */
export const secondaryOf = ({
  requireTotp = false,
  requireExtJwtSigner = null,
}: Partial<AuthPolicySecondary>): AuthPolicySecondary => ({ requireTotp, requireExtJwtSigner });
