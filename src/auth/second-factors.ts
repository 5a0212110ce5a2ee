import type { AuthQuery, Caller, RequestContext } from '../kernel/request/context.js';
import { mfaQuery, signerQuery } from './auth-queries.js';
import { closest, type Failure } from './ext-jwt-login.js';
import { verifyExternalJwt, wwwAuthenticate, type JwksKeys } from './ext-jwt/index.js';
import { secondaryOf, type AuthPolicySecondary, type Rights } from './rules/index.js';
import type { KnownSigner } from './external-jwt-signer-table.js';
import { vouchesFor, type ExternalSigners } from './signers.js';

/** The second factors of a session. */
export interface SecondFactors extends AskedFactors {
  readonly isMfaRequired: boolean;
  readonly isMfaComplete: boolean;
  /** Whether the identity has enrolled a factor. */
  readonly isMfaEnabled: boolean;
}

export interface AskedFactors {
  readonly requireTotp: boolean;
  /** Ids of the signers whose JWT every request needs. */
  readonly requireExtJwtSigners: readonly string[];
}

export const needsTotp = (factors: Omit<SecondFactors, 'requireExtJwtSigners'>): boolean =>
  (factors.isMfaRequired || factors.requireTotp) && !factors.isMfaComplete;

/** Whether nothing is outstanding, whatever a request proves. */
export const asksNothing = (factors: SecondFactors): boolean =>
  !needsTotp(factors) && factors.requireExtJwtSigners.length === 0;

/**
 * The factors that a session needs: those of the current auth policy, and those that were missing
 * at the login. So a change of the policy can make a session partial, but never complete.
 */
export function askedFactors(
  policy: Partial<AuthPolicySecondary>,
  unproved: Partial<AuthPolicySecondary>,
): AskedFactors {
  const rules = [secondaryOf(policy), secondaryOf(unproved)];
  const signers = rules.flatMap(({ requireExtJwtSigner: id }) => (id === null ? [] : [id]));
  return {
    requireTotp: rules.some(({ requireTotp }) => requireTotp),
    requireExtJwtSigners: [...new Set(signers)],
  };
}

/** The missing proofs of a request, and the challenge that asks for them. */
export async function outstanding(
  { factors, ...rights }: Rights & { readonly factors: SecondFactors },
  bearers: readonly string[],
  dependencies: SignerDependencies & { readonly now: () => Date },
): Promise<Pick<Caller, 'authQueries' | 'challenge'>> {
  const authQueries: AuthQuery[] = [];
  if (needsTotp(factors)) authQueries.push(mfaQuery(factors.isMfaEnabled));
  let challenge: string | undefined;
  // Checked with every request: the proof of a signer is never stored.
  for (const signerId of factors.requireExtJwtSigners) {
    const required = await dependencies.signers.find(signerId);
    const signer = required && vouchesFor(required, rights) ? required : undefined;
    const fault = await signerFault(signer, bearers, dependencies);
    if (!fault) continue;
    authQueries.push(signerQuery(signerId, required));
    challenge ??= wwwAuthenticate('secondary', fault, signer?.enabled ? [signer] : []);
  }
  return { authQueries, ...(challenge === undefined ? {} : { challenge }) };
}

export interface SignerDependencies {
  readonly signers: ExternalSigners;
  readonly keys: JwksKeys;
}

/** The failure if no bearer token is a JWT of the signer; undefined if one is. */
async function signerFault(
  signer: KnownSigner | undefined,
  bearers: readonly string[],
  { keys, now }: { readonly keys: JwksKeys; readonly now: () => Date },
): Promise<Failure | undefined> {
  const failures: Failure[] = [];
  for (const token of bearers.length > 0 ? bearers : [undefined]) {
    const verified = await verifyExternalJwt(token, signer ? [signer] : [], { keys, clock: now });
    if (verified.ok) return undefined;
    failures.push(verified);
  }
  return closest(failures);
}

/** The rules of the auth policy that a login does not satisfy yet. */
export async function unprovedBy(
  { credentials, now }: RequestContext,
  { requireTotp, requireExtJwtSigner: id }: AuthPolicySecondary,
  { signers, keys }: SignerDependencies,
): Promise<Partial<AuthPolicySecondary>> {
  const isMissing =
    id !== null &&
    (await signerFault(await signers.find(id), credentials.bearers, { keys, now })) !== undefined;
  return {
    ...(requireTotp ? { requireTotp } : {}),
    ...(isMissing ? { requireExtJwtSigner: id } : {}),
  };
}
