import type { AuthQuery, Caller, RequestContext } from '../kernel/request/context.js';
import { mfaQuery, signerQuery } from './auth-queries.js';
import { closest, type Failure } from './ext-jwt-login.js';
import { verifyExternalJwt, wwwAuthenticate, type JwksKeys } from './ext-jwt/index.js';
import { secondaryOf, type AuthPolicySecondary, type Rights } from './rules/index.js';
import type { KnownSigner } from './external-jwt-signer-table.js';
import { vouchesFor, type ExternalSigners } from './signers.js';

/** What has to come on top of the login. */
export interface SecondFactors extends AskedFactors {
  readonly isMfaRequired: boolean;
  readonly isMfaComplete: boolean;
  /** Whether the identity has a factor that could be proved. */
  readonly isMfaEnabled: boolean;
}

export interface AskedFactors {
  readonly requireTotp: boolean;
  /** Ids of the signers whose JWTs have to come with every request. */
  readonly requireExtJwtSigners: readonly string[];
}

export const needsTotp = (factors: Omit<SecondFactors, 'requireExtJwtSigners'>): boolean =>
  (factors.isMfaRequired || factors.requireTotp) && !factors.isMfaComplete;

/**
 * What a session has to prove: what the auth policy asks by now, and what it asked at the login and
 * did not get. So a change of the policy makes sessions partial, and makes none complete.
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

/** The proofs that a session still lacks with one request, and the challenge that asks for them. */
export async function outstanding(
  { factors, ...rights }: Rights & { readonly factors: SecondFactors },
  bearers: readonly string[],
  parts: SignerParts & { readonly now: () => Date },
): Promise<Pick<Caller, 'authQueries' | 'challenge'>> {
  const authQueries: AuthQuery[] = [];
  if (needsTotp(factors)) authQueries.push(mfaQuery(factors.isMfaEnabled));
  let challenge: string | undefined;
  // Looked at with every request: the proof of a signer is never remembered.
  for (const signerId of factors.requireExtJwtSigners) {
    const required = await parts.signers.find(signerId);
    const signer = required && vouchesFor(required, rights) ? required : undefined;
    const fault = await signerFault(signer, bearers, parts);
    if (!fault) continue;
    authQueries.push(signerQuery(signerId, required));
    challenge ??= wwwAuthenticate('secondary', fault, signer?.enabled ? [signer] : []);
  }
  return { authQueries, ...(challenge === undefined ? {} : { challenge }) };
}

export interface SignerParts {
  readonly signers: ExternalSigners;
  readonly keys: JwksKeys;
}

/** Why none of the bearers is a JWT of the signer; undefined when one is. */
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

/** What of the rules of its policy a login does not bring along. */
export async function unprovedBy(
  { credentials, now }: RequestContext,
  { requireTotp, requireExtJwtSigner: id }: AuthPolicySecondary,
  { signers, keys }: SignerParts,
): Promise<Partial<AuthPolicySecondary>> {
  const isMissing =
    id !== null &&
    (await signerFault(await signers.find(id), credentials.bearers, { keys, now })) !== undefined;
  return {
    ...(requireTotp ? { requireTotp } : {}),
    ...(isMissing ? { requireExtJwtSigner: id } : {}),
  };
}
